"""Scoring in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, cast

from spanrs import _spanrs
from spanrs.errors import as_integer, check_name, warn
from spanrs.eval import inputs
from spanrs.eval.adding import Adding, add_parts
from spanrs.eval.compared_spans import of_memory
from spanrs.eval.document_runs import DocumentRuns
from spanrs.eval.documents import document_sizes
from spanrs.eval.evidence import Evidence, merge_evidence
from spanrs.eval.matcher import Matcher
from spanrs.eval.matchers import EXCLUDED, as_matcher
from spanrs.eval.result import Result
from spanrs.eval.settings import UNDECIDED, make_settings, merged_settings
from spanrs.eval.sides import Corpora, Side, corpora_of, is_readable, with_schemes
from spanrs.eval.strings import is_strings
from spanrs.io import Corpus, pair_parts
from spanrs.io.options import ReadArguments
from spanrs.io.parts import Part
from spanrs.tags.types import IGNORE_INDEX, Dialect, Vocabulary, as_ignore_index, as_vocabulary, is_auto
from spanrs.threads import thread_count

if TYPE_CHECKING:
    import numpy.typing as npt

#: Default number of violations kept per side.
MAX_VIOLATIONS = 10
#: What to do if tokens of the two sides differ.
ALIGN = ("refuse", "report", "ignore")
#: Units of the rows of counts.
ROWS = (None, "document", "sentence")


class Scorer:
    """Scores in batches; memory does not grow with the number of batches.

    Parameters
    ----------
    scheme, reading, matcher, pred_scheme, dialect, max_violations, threads
        Same as for :func:`score`. With ``auto``, the scheme is detected from the first batch with a tag other than
        ``O``.
    vocabulary : sequence of str or mapping, optional
        The tag of each integer id, for all batches.
    align : str
        What to do if tokens of the two sides differ: ``refuse``, ``report`` or ``ignore``, as for :func:`score`.
    by : str, optional
        ``document``: keep a row of counts for each document; for data in memory, :meth:`end_document` ends a document.
        ``sentence``: keep a row for each sentence.

    Notes
    -----
    Scorers can be copied and pickled; the counts are included.

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
        *,
        scheme: str = "auto",
        reading: str = "conlleval",
        matcher: str | Matcher = "exact",
        pred_scheme: str | None = None,
        vocabulary: Vocabulary | None = None,
        align: str = "refuse",
        dialect: Dialect = Dialect(),
        max_violations: int = MAX_VIOLATIONS,
        by: str | None = None,
        threads: int | None = 1,
    ) -> None:
        if align not in ALIGN:
            raise ValueError(f"align must be refuse, report or ignore, not {align!r}")
        if not (by is None or isinstance(by, str)):
            raise TypeError(f"by must be 'document' or 'sentence', not {type(by).__name__}")
        if by not in ROWS:
            raise ValueError(f"by must be document or sentence, not {by!r}")
        check_name(scheme, "scheme", "BIO")
        check_name(reading, "reading", "conlleval")
        if pred_scheme is not None:
            check_name(pred_scheme, "pred_scheme", "BIO")
        if not isinstance(dialect, tuple):
            raise TypeError(f"dialect must be a spanrs.tags.Dialect, not {type(dialect).__name__}")
        max_violations = as_integer(max_violations, "max_violations")
        self.matcher = as_matcher(matcher)
        self._align, self._by = align, by
        self._threads = thread_count(threads)
        self.dialect = dialect
        self.vocabulary = None if vocabulary is None else as_vocabulary(vocabulary)
        self._filter = self.matcher.filter()
        self._scheme, self._pred_scheme, self._reading = scheme, pred_scheme, reading
        self._max_violations = max_violations
        self.reset()

    def reset(self) -> None:
        """Clear the counts and the detected schemes."""
        scheme, pred_scheme = (
            None if is_auto(name or "auto") else name for name in (self._scheme, self._pred_scheme)
        )
        options = {
            "filter": self._filter,
            "scheme": scheme,
            "pred_scheme": pred_scheme,
            "detect_pred": scheme is None if self._pred_scheme is None else is_auto(self._pred_scheme),
            "reading": self._reading,
            "dialect": self.dialect,
            "max_violations": self._max_violations,
            "by_document": self._by is not None,
        }
        self._scorer = _spanrs.Scorer(self.matcher.options(), options)
        #: Evidence collected before the scorer was copied.
        self._noticed: Evidence | None = None
        self._merged: list[Result] = []

    def __getstate__(self) -> dict[str, Any]:
        # The compiled scorer is restored from its counts and its position.
        return vars(self) | {"_scorer": (self._own(), self._scorer.position())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        counted, position = state["_scorer"]
        self.reset()
        self._take_schemes(counted)
        self._scorer.resume(counted.counts, position)
        self._noticed = counted.evidence
        self._merged = list(state["_merged"])

    def update(
        self,
        gold: Side,
        pred: Side = None,
        /,
        *,
        by: str | Iterable[int] | Iterable[str] | None = None,
        progress: Callable[[int], object] | None = None,
        **options: Unpack[ReadArguments],
    ) -> None:
        """Add a batch of sentences, or a whole file, table or corpus.

        Parameters
        ----------
        gold, pred
            Same as for :func:`score`. Files are read in chunks, and streams of tables batch by batch: if a batch cannot
            be scored, the previous batches remain counted. For other inputs, nothing is counted in case of an error.
        by : str, or iterable of int or str, optional
            Only if the scorer was created with ``by``. For files and tables: ``document`` or ``sentence``, if the unit
            differs from the unit of the scorer. For sentences in memory: the sizes of documents, or the document name
            of each sentence, as for :func:`score`. Earlier sentences without a document become a separate document.
            Documents end with the batch: a name repeated in a later batch gets another row.
        progress : callable, optional
            Called periodically with the number of bytes read so far from files, after decompression.
        **options
            Options of :func:`spanrs.read`.

        Raises
        ------
        OSError, spanrs.errors.SpanrsError
            Same as :func:`score`.
        """
        if is_strings(self.matcher):
            raise TypeError("strings are compared by spanrs.score, not by a Scorer")
        for name in ("scheme", "reading", "dialect", "tokens"):
            if name in options and (name != "tokens" or not is_readable("gold", gold)):
                raise TypeError(f"{name} is an option of the scorer, not of update")
        corpora = corpora_of(gold, pred, options)
        if corpora is None:
            gold, pred = of_memory(self.matcher, gold, pred)
            self.update_sentences(gold, pred, by, **cast("dict[str, Any]", options))
            return
        if by is not None and not isinstance(by, str):
            raise TypeError(
                "by must be 'document' or 'sentence' for files and tables, which name the documents themselves"
            )
        if by is not None:
            self._need_documents()
        self._check_parts(corpora)
        adding = replace(self.adding(progress), by=by or self._by)
        gold_corpus, pred_corpus = both = self._with_schemes(corpora)
        if corpora.pred is None:
            pairs: Sequence[tuple[Part, Part | None]] = [(part, None) for part in gold_corpus.parts]
        else:
            paired = pair_parts(gold_corpus.parts, pred_corpus.parts)
            paired.require_all("gold", "pred")
            pairs = paired.pairs
        for pair in pairs:
            add_parts(adding, both, pair)
        warn(dict.fromkeys(adding.losses))

    def _with_schemes(self, corpora: Corpora) -> tuple[Corpus, Corpus]:
        """Return the corpora with the schemes and the reading of the scorer, for tags that are read in Python."""
        gold, pred = corpora.gold, corpora.gold if corpora.pred is None else corpora.pred
        scheme, pred_scheme = self._scheme, self._pred_scheme or self._scheme
        schemes = (
            gold.options.scheme if is_auto(scheme) else scheme,
            pred.options.scheme if is_auto(pred_scheme) else pred_scheme,
        )
        return with_schemes((gold, pred), schemes, self._reading)

    def _check_parts(self, corpora: Corpora) -> None:
        """Exclude the placeholder types of span files, and refuse several layers.

        Raises
        ------
        ValueError
            For several layers, or span files after other batches.
        """
        both = [corpus for corpus in corpora if corpus is not None]
        if any(len(corpus.options.layers()) > 1 for corpus in both):
            raise ValueError("a scorer accepts one layer of tags; use spanrs.score for several layers")
        has_spans = any(part.kind == "spans" for corpus in both for part in corpus.parts)
        if has_spans and not self._filter:
            if self._scorer.position()[0] or self._merged:
                raise ValueError(
                    "add span files before other batches, because they exclude the types NONE and EMPTY"
                )
            self.leave_out(EXCLUDED)

    def document_runs(self) -> DocumentRuns:
        """Return the object that adds batches whose documents may continue in the next batch."""
        return DocumentRuns(self._scorer, self.update_sentences)

    def adding(
        self,
        progress: Callable[[int], object] | None = None,
        finder: _spanrs.ErrorFinder | None = None,
        *,
        named: bool = False,
    ) -> Adding:
        """Return the object that adds parts of corpora to this scorer."""
        options = self._align, self._by, self._threads
        return Adding(self._scorer, self.update_sentences, *options, progress, finder, self.matcher, named)

    def update_sentences(
        self,
        gold: Side,
        pred: Side,
        by: Iterable[int] | Iterable[str] | None = None,
        *,
        vocabulary: Vocabulary | None = None,
        ignore_index: int = IGNORE_INDEX,
        lengths: Iterable[int] | None = None,
        mask: npt.ArrayLike | None = None,
    ) -> None:
        """Add a batch of sentences in memory."""
        names = self.vocabulary if vocabulary is None else as_vocabulary(vocabulary)
        ignore_index = as_ignore_index(ignore_index)
        sizes = document_sizes(by)
        if sizes is not None:
            self._need_documents()
        masked = lengths is not None or mask is not None
        if inputs.is_arrow(gold) and inputs.is_arrow(pred):
            if masked:
                raise TypeError(
                    "lengths and mask do not apply to Arrow columns; use nulls for ignored tokens"
                )
            self._scorer.update_arrow(gold, pred, names, ignore_index, self._threads, sizes)
            return
        gold, pred = inputs.as_lists(gold), inputs.as_lists(pred)
        if names is not None:
            golds, preds, cut = inputs.as_batch(gold, pred, ignore_index, lengths, mask)
            self._scorer.update_ids(golds, preds, names, ignore_index, cut, self._threads, sizes)
            return
        if masked:
            raise TypeError("lengths and mask apply to ids; pass vocabulary=")
        gold, pred = inputs.reiterable(gold), inputs.reiterable(pred)
        if inputs.are_spans(gold, pred):
            golds, preds = inputs.spans_as_tuples(gold), inputs.spans_as_tuples(pred)
            self._scorer.update_spans(*_spanrs.span_lists_of_tuples(golds, preds, True), sizes)
        else:
            self._scorer.update_lists(gold, pred, sizes)

    def _need_documents(self) -> None:
        if self._by is None:
            raise TypeError('documents need a scorer created with by="document"')

    def end_document(self, name: str | None = None) -> None:
        """End a document: the sentences added since the last call, optionally with a name.

        Raises
        ------
        TypeError
            If the scorer was created without ``by``.
        """
        self._need_documents()
        self._scorer.end_document(name)

    def merge(self, other: Scorer) -> None:
        """Add the counts of another scorer.

        Parameters
        ----------
        other : Scorer
            A scorer with the same settings; it is not changed.

        Raises
        ------
        spanrs.errors.SchemeError
            If the settings differ.
        """
        if not isinstance(other, Scorer):
            raise TypeError(f"a scorer can only be merged with scorers, not with {type(other).__name__}")
        result = other.result()
        self._take_schemes(result)
        self._merged.append(result)

    def _take_schemes(self, result: Result) -> None:
        settings = merged_settings(self._settings(), result.settings)
        if settings.get("scheme", UNDECIDED) != UNDECIDED:
            pred_scheme = settings.get("pred_scheme")
            detect_pred = pred_scheme == UNDECIDED
            self._scorer.set_schemes(settings["scheme"], None if detect_pred else pred_scheme, detect_pred)

    def _settings(self) -> dict[str, str]:
        return make_settings(self.matcher, self._scorer.schemes(), self.dialect, self._align)

    def result(self) -> Result:
        """Return the result so far. The scorer can still be used afterwards.

        Returns
        -------
        Result
            The result, which later updates do not change. With per-document rows, the sentences since the end of the
            last document are included as a document.
        """
        counted = self._own()
        return counted.merge(*self._merged) if self._merged else counted

    @property
    def compiled(self) -> _spanrs.Scorer:
        """The compiled scorer."""
        return self._scorer

    def taken(self) -> Result:
        """Return the result without a copy of its counts; the scorer must not be used afterwards."""
        return self._own(take=True)

    def leave_out(self, types: Iterable[str]) -> None:
        """Exclude spans of these types, and clear the counts.

        Span files in FairEval's format contain placeholder types for sentences without spans.
        """
        self._filter = {"exclude": sorted(types)}
        self.reset()

    def _own(self, *, take: bool = False) -> Result:
        """Return the result without merged scorers. ``take`` avoids a copy; the scorer must not be used afterwards."""
        evidence = Evidence.from_state(self._scorer.evidence())
        if self._noticed is not None:
            # The compiled scorer continues the sentence numbers, but the limit on violations starts again.
            evidence = merge_evidence([self._noticed, evidence], [0, 0]).first(self._max_violations)
        return Result(self._scorer.counts(take), self._settings(), self.matcher, evidence)
