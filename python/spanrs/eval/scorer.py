"""Scoring what is in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import as_integer, check_name, warn
from spanrs.eval import inputs
from spanrs.eval.details import (
    ErrorList,
    IdOptions,
    errors_to_keep,
    find_errors,
    list_details,
    span_lists,
    with_tokens,
)
from spanrs.eval.documents import document_sizes
from spanrs.eval.evidence import Evidence, merge_evidence
from spanrs.eval.matchers import Matcher, as_matcher
from spanrs.eval.result import Result
from spanrs.eval.settings import UNDECIDED, make_settings, merged_settings
from spanrs.io import Columns, Source
from spanrs.io.sources import open_source
from spanrs.tags.types import IGNORE_INDEX, Dialect, Vocabulary, as_ignore_index, as_vocabulary

if TYPE_CHECKING:
    import numpy.typing as npt

#: Gold or pred: sentences of tags or spans, ids, or an Arrow column; see :func:`score`.
Side = Any

#: Violations kept a side unless asked otherwise.
MAX_VIOLATIONS = 10
#: What to do where tokens of files differ.
ON_MISALIGNED = ("refuse", "report", "ignore")


class _Options(NamedTuple):
    """Arguments of the compiled scorer."""

    scheme: str
    pred_scheme: str | None
    reading: str
    dialect: Dialect
    max_violations: int
    by_document: bool


class Scorer:
    """Scores batch after batch, in memory that does not grow with their number.

    Parameters
    ----------
    scheme, reading, matcher, pred_scheme, dialect, max_violations, threads
        As for :func:`score`. The scheme ``auto`` is found out by the first batch that has a tag other than ``O``.
    vocabulary : sequence of str or mapping, optional
        The tag of each id, for all batches of ids.
    on_misaligned : str
        What to do where tokens of files differ, as for :func:`spanrs.score_files`.
    by_document : bool
        Keep a row of counts for each document; :meth:`end_document` says where one ends.

    Notes
    -----
    Scorers can be copied and pickled, with what they have counted.

    Examples
    --------
    >>> import spanrs
    >>> scorer = spanrs.Scorer(scheme="BIO")
    >>> scorer.update([["B-PER", "O"]], [["B-PER", "O"]])
    >>> other = spanrs.Scorer(scheme="BIO")
    >>> other.update([["B-LOC"]], [["O"]])
    >>> scorer.merge(other)
    >>> scorer.result().totals
    Totals(tp=1, fp=0, fn=1)
    """

    def __init__(
        self,
        scheme: str = "auto",
        reading: str = "conlleval",
        *,
        matcher: str | Matcher = "exact",
        pred_scheme: str | None = None,
        vocabulary: Vocabulary | None = None,
        on_misaligned: str = "refuse",
        dialect: Dialect = Dialect(),
        max_violations: int = MAX_VIOLATIONS,
        by_document: bool = False,
        threads: int = 1,
    ) -> None:
        if on_misaligned not in ON_MISALIGNED:
            raise ValueError(f"on_misaligned is refuse, report or ignore, not {on_misaligned!r}")
        check_name(scheme, "scheme", "BIO")
        check_name(reading, "reading", "conlleval")
        if pred_scheme is not None:
            check_name(pred_scheme, "pred_scheme", "BIO")
        if not isinstance(dialect, tuple):
            raise TypeError(f"dialect is a spanrs.tags.Dialect, not {type(dialect).__name__}")
        max_violations = as_integer(max_violations, "max_violations")
        if by_document not in (False, True):
            raise TypeError(f"by_document is True or False, not {by_document!r}")
        self.matcher = as_matcher(matcher)
        self._on_misaligned = on_misaligned
        self._threads = _threads(threads)
        self._dialect = dialect
        self._vocabulary = None if vocabulary is None else as_vocabulary(vocabulary)
        self._filter = self.matcher.filter()
        self._options = _Options(scheme, pred_scheme, reading, dialect, max_violations, bool(by_document))
        self.reset()

    def reset(self) -> None:
        """Forget everything that was counted, and the schemes that were found out."""
        self._scorer = _spanrs.Scorer(self.matcher.options(), self._filter, *self._options)
        #: What was noticed before the scorer was copied.
        self._noticed: Evidence | None = None
        self._merged: list[Result] = []

    def __getstate__(self) -> dict[str, Any]:
        # The compiled scorer is restored from its counts and its position.
        return vars(self) | {"_scorer": (self._own(), self._scorer.position())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        own, position = state["_scorer"]
        self.reset()
        self._take_schemes(own)
        self._scorer.resume(own.counts, position)
        self._noticed = own.evidence
        self._merged = list(state["_merged"])

    def update(
        self,
        gold: Side,
        pred: Side,
        *,
        vocabulary: Vocabulary | None = None,
        ignore_index: int = IGNORE_INDEX,
        lengths: Iterable[int] | None = None,
        mask: npt.ArrayLike | None = None,
        documents: Iterable[int] | Iterable[str] | None = None,
    ) -> None:
        """Add a batch of sentences.

        Parameters
        ----------
        gold, pred, vocabulary, ignore_index, lengths, mask
            As for :func:`score`.
        documents : iterable of int or str, optional
            As for :func:`score`, where the scorer was made by document. Sentences of earlier batches that no document
            has yet are a document of their own. Documents end with the batch: one whose name comes again in a later
            batch has another row there.

        Raises
        ------
        spanrs.errors.AlignmentError
            Where the two sides have another shape. Nothing of the batch is counted then.
        """
        names = self._vocabulary if vocabulary is None else as_vocabulary(vocabulary)
        ignore_index = as_ignore_index(ignore_index)
        sizes = document_sizes(documents)
        if sizes is not None:
            self._need_documents()
        masked = lengths is not None or mask is not None
        if inputs.is_arrow(gold) and inputs.is_arrow(pred):
            if masked:
                raise TypeError("Arrow columns know their lengths, and a null leaves a token out")
            self._scorer.update_arrow(gold, pred, names, ignore_index, self._threads, sizes)
            return
        gold, pred = inputs.as_lists(gold), inputs.as_lists(pred)
        if names is not None:
            golds, preds, cut = inputs.as_batch(gold, pred, ignore_index, lengths, mask)
            self._scorer.update_ids(golds, preds, names, ignore_index, cut, self._threads, sizes)
            return
        if masked:
            raise TypeError("lengths and mask go with ids; name the vocabulary")
        gold, pred = inputs.reiterable(gold), inputs.reiterable(pred)
        if inputs.are_spans(gold, pred):
            self._scorer.update_spans(*_spanrs.span_lists_of_tuples(gold, pred, True), sizes)
        else:
            self._scorer.update_lists(gold, pred, sizes)

    def _need_documents(self) -> None:
        if not self._options.by_document:
            raise TypeError("documents need a scorer that is made with by_document=True")

    def update_table(
        self, table: Any, *, gold: str = "gold", pred: str = "pred", documents: str | None = None
    ) -> None:
        """Add the columns of one table or stream; see :func:`spanrs.score_table`.

        A stream is added batch by batch: where one cannot be scored, those before it are counted.
        """
        whole = documents is not None
        for golds, preds, names in inputs.table_columns(table, gold, pred, documents, whole=whole):
            self.update(golds, preds, documents=names)

    def update_files(
        self,
        gold: Source,
        pred: Source | None,
        columns: Columns = Columns(),
        pred_columns: Columns = Columns(),
        progress: Callable[[int], object] | None = None,
        *,
        by_sentence: bool = False,
        errors: _spanrs.ErrorFinder | None = None,
    ) -> None:
        """Add column files; their documents end where they say.

        Parameters
        ----------
        gold, pred : path or binary file object
            Without ``pred`` gold holds both, in the columns ``tag`` and ``second``.
        columns, pred_columns, progress
            As for :func:`spanrs.score_files`.
        by_sentence : bool
            Every sentence is a document, where the scorer was made by document.
        errors : ErrorFinder, optional
            Finds the errors of the files.

        Raises
        ------
        OSError, spanrs.errors.SpanrsError
            As :func:`spanrs.score_files`. Nothing of the files is counted then.
        """
        gold = open_source(gold, keep=True)
        pred = None if pred is None else open_source(pred, keep=True)
        options = columns.as_options(), pred_columns.as_options()
        self._scorer.update_files(
            gold, pred, options, errors, self._on_misaligned, by_sentence, self._threads, progress
        )

    def end_document(self, name: str | None = None) -> None:
        """End a document: what was added since the last call is one, which may have a name.

        Raises
        ------
        TypeError
            Where the scorer was not made by document.
        """
        self._need_documents()
        self._scorer.end_document(name)

    def merge(self, other: Scorer) -> None:
        """Add what another scorer has counted.

        Parameters
        ----------
        other : Scorer
            Made with the same settings; it is not changed.

        Raises
        ------
        spanrs.errors.SchemeError
            Where the settings differ.
        """
        if not isinstance(other, Scorer):
            raise TypeError(f"scorers merge with scorers, not with {type(other).__name__}")
        result = other.result()
        self._take_schemes(result)
        self._merged.append(result)

    def _take_schemes(self, result: Result) -> None:
        settings = merged_settings(self._settings(), result.settings)
        if settings.get("scheme", UNDECIDED) != UNDECIDED:
            self._scorer.set_schemes(settings["scheme"], settings.get("pred_scheme"))

    def _settings(self) -> dict[str, str]:
        return make_settings(self.matcher, self._scorer.schemes(), self._dialect, self._on_misaligned)

    def result(self) -> Result:
        """Give what was counted so far. The scorer can go on.

        Returns
        -------
        Result
            A value of its own, which later updates do not change. With documents, what was added since the last one
            ended is one, too.
        """
        own = self._own()
        return own.merge(*self._merged) if self._merged else own

    def _own(self, *, take: bool = False) -> Result:
        """Return the result without merged scorers. ``take`` avoids a copy; the scorer must not be used afterwards."""
        evidence = Evidence.from_state(self._scorer.evidence())
        if self._noticed is not None:
            # The compiled scorer goes on numbering sentences, but keeps as many violations as if it began.
            evidence = merge_evidence([self._noticed, evidence], [0, 0]).first(self._options.max_violations)
        return Result(self._scorer.counts(take), self._settings(), self.matcher, evidence)


def _threads(threads: int) -> int:
    threads = as_integer(threads, "threads", -(2**63))
    if threads < 0:
        raise ValueError(f"threads must be 1 or more, or 0 for all processors, not {threads}")
    # The processors of this process, which may be fewer than the machine has.
    return threads or len(
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )


def score(
    gold: Side,
    pred: Side,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    matcher: str | Matcher = "exact",
    pred_scheme: str | None = None,
    vocabulary: Vocabulary | None = None,
    ignore_index: int = IGNORE_INDEX,
    lengths: Iterable[int] | None = None,
    mask: npt.ArrayLike | None = None,
    dialect: Dialect = Dialect(),
    max_violations: int = MAX_VIOLATIONS,
    documents: Iterable[int] | Iterable[str] | None = None,
    document_weights: Sequence[float] | None = None,
    details: bool = False,
    errors: bool | int = False,
    tokens: Iterable[Sequence[str]] | None = None,
    threads: int = 1,
) -> Result:
    """Score pred against gold: exact spans, or as another matcher decides.

    Parameters
    ----------
    gold, pred : sequences of sequences of str or of (type, start, end[, tokens]), arrays of int, or Arrow columns
        Sentences of tags or spans; the two sides have the same sentences with the same number of tokens.

        - Lists, tuples, generators, pandas columns of sentences, each a list, tuple, array or generator of
          tags. Lists and tuples are walked in place.
        - Spans, flat, nested, overlapping or twice the same: tokens from 0, ends exclusive, and where a span has not
          all tokens between its bounds a collection of those it has.
        - With ``vocabulary`` arrays of ids, shape (sentences, tokens), or (tokens,) with ``lengths``:
          numpy, and what numpy can look into without a copy (torch, JAX and others on the CPU).
        - Arrow list columns (pyarrow, Polars, pandas), one list a sentence, of strings, of a dictionary,
          or with ``vocabulary`` of integers. A null in gold leaves the token out.
    scheme : str
        IOB, BIO, IOE1, IOE2, IOBES, BILOU, BMEWO, BMES, IO or TOKEN, in any usual spelling, or
        ``auto``: the scheme gold violates least. Never TOKEN, which must be named. Not used for spans.
    reading : str
        What malformed tags mean, as for :func:`spanrs.tags.read_spans`.
    matcher : str or Matcher
        ``exact``; ``partial`` or :class:`spanrs.Partial`; ``fair`` or :class:`spanrs.Fair`.
    pred_scheme : str, optional
        The scheme of pred, where it is another one; spans are compared, so that schemes may differ. ``auto``
        (the default where ``scheme`` is): that of gold, unless a tenth of pred's tags other than ``O``
        violate it and hardly any another one.
    vocabulary : sequence of str or mapping, optional
        The tag of each id; label2id and id2label will do.
    ignore_index : int
        Tokens where gold has this id are left out on both sides.
    lengths : iterable of int, optional
        Tokens of each sentence, for ids. What stands behind them in padded arrays is left out.
    mask : array of bool, optional
        For ids, of their shape: the tokens to score.
    dialect : Dialect
        How tags are spelt.
    max_violations : int
        Violations to keep a side; all are counted.
    documents : iterable of int or str, optional
        Sentences of each document, in order, 1 or more; or the name of the document of each sentence. The result has
        a row for each document.
    document_weights : sequence of float, optional
        How often each document counts, as for :meth:`Result.with_document_weights`. Without ``documents`` every
        sentence is a document.
    details : bool
        Keep what became of each span under each criterion as well.
    errors : bool or int
        Keep the errors under the matcher's criterion for ``result.errors``: all, or that many of each kind.
    tokens : iterable of sequences of str, optional
        The tokens of each sentence, to be shown with errors.
    threads : int
        Threads for ids and Arrow columns, which are counted without the GIL; 0 is one a processor. The
        result does not depend on it. Lists are walked by one thread.

    Returns
    -------
    Result
        Measures, counts, violations, signature.

    Raises
    ------
    spanrs.errors.AlignmentError
        Where the two sides have another number of sentences or tokens.
    spanrs.errors.SchemeError
        For unknown names, ids outside the vocabulary, and malformed tags under ``refuse``.
    spanrs.errors.LimitError
        Where too many spans overlap each other for optimal partial matching.
    TypeError
        Where tags are no strings, ids no integers, and where ``mask`` or ``lengths`` have no meaning.
    ValueError
        Where weights are not one a document, negative or not finite; for spans without tokens.

    Examples
    --------
    >>> import spanrs
    >>> gold = [["O", "B-PER", "I-PER"], ["B-LOC", "O"]]
    >>> pred = [["O", "B-PER", "O"], ["B-LOC", "O"]]
    >>> spanrs.score(gold, pred).micro.f1
    0.5
    >>> ids = [[0, 1, 2], [3, 0, -100]]
    >>> spanrs.score(ids, ids, vocabulary=["O", "B-PER", "I-PER", "B-LOC"]).micro.f1
    1.0
    >>> [row.totals.tp for row in spanrs.score(gold, pred, documents=["first", "second"]).documents]
    [0, 1]
    """
    most_errors = errors_to_keep(errors)
    scorer = Scorer(
        scheme,
        reading,
        matcher=matcher,
        pred_scheme=pred_scheme,
        vocabulary=vocabulary,
        dialect=dialect,
        max_violations=max_violations,
        by_document=documents is not None or document_weights is not None,
        threads=threads,
    )
    lengths = inputs.reiterable(lengths)
    if details or errors:
        # They are read twice.
        gold, pred = (
            inputs.reiterable(inputs.without_nulls(side), sentences=True) for side in (gold, pred)
        )
        mask = inputs.reiterable(mask, sentences=True)
    if document_weights is not None and documents is None:
        gold = inputs.reiterable(gold)
        documents = [1] * inputs.count_sentences(gold, lengths)
    ids: dict[str, Any] = {"ignore_index": ignore_index, "lengths": lengths, "mask": mask}
    scorer.update(gold, pred, **ids, documents=documents)
    result = scorer._own(take=True)
    if details or errors:
        schemes = result.settings["scheme"], result.settings.get("pred_scheme")
        read = (*schemes, reading, dialect)
        lists = span_lists(gold, pred, read, IdOptions(scorer._vocabulary, ignore_index, lengths, mask))
        if details:
            result = replace(result, details=list_details(*lists, scorer.matcher))
        if errors:
            found = find_errors(*lists, scorer.matcher, result.criterion, most_errors)
            result = replace(result, error_list=_with_tokens(found, tokens, result.sentences))
    warn(result.warnings)
    return result if document_weights is None else result.with_document_weights(document_weights)


def _with_tokens(errors: ErrorList, tokens: Iterable[Sequence[str]] | None, sentences: int) -> ErrorList:
    """Add the tokens of each sentence to the errors that were kept."""
    if tokens is None:
        return errors
    texts = inputs.sentences_of_tokens(tokens, sentences)
    return replace(errors, errors=[with_tokens(error, texts[error.sentence]) for error in errors])
