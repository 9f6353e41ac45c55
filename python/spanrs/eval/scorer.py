"""Scoring what is in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from spanrs import _spanrs
from spanrs.errors import SpanrsError, warn
from spanrs.eval import inputs
from spanrs.eval.checks import Noticed
from spanrs.eval.documents import borders, split_documents
from spanrs.eval.result import UNDECIDED, LocatedViolation, Result, Violations, combine, merged_settings
from spanrs.eval.tallies import Tallies
from spanrs.io import Columns, Source
from spanrs.tags.types import IGNORE_INDEX, Dialect, Violation, Vocabulary, as_vocabulary, is_auto

if TYPE_CHECKING:
    import numpy.typing as npt

    from spanrs.eval.fair_result import FairResult

#: Gold or pred: sentences of tags, ids, or an Arrow column; see :func:`score`.
Side = Any

#: Violations kept a side unless asked otherwise.
MAX_VIOLATIONS = 10


class Scorer:
    """Scores batch after batch, in memory that does not grow with their number.

    Parameters
    ----------
    matcher : str
        As for :func:`score`; ``fair`` makes a :class:`spanrs.FairScorer`.
    scheme, pred_scheme : str
        As for :func:`score`; ``auto`` is settled by the first batch that has a tag other than ``O``.
    reading, dialect, max_violations
        As for :func:`score`.
    on_misaligned : str
        What to do where tokens of files differ, as for :func:`spanrs.score_files`.
    by_document : bool
        Keep a row of counts for each document; :meth:`end_document` says where one ends.
    threads : int
        As for :func:`score`.

    Examples
    --------
    >>> import spanrs
    >>> scorer = spanrs.Scorer(scheme="BIO")
    >>> scorer.update([["B-PER", "O"]], [["B-PER", "O"]])
    >>> other = spanrs.Scorer(scheme="BIO")
    >>> other.update([["B-LOC"]], [["O"]])
    >>> scorer.merge(other)
    >>> scorer.result().counts
    Counts(tp=1, fp=0, fn=1)
    """

    _matchers: ClassVar[dict[str, type[Scorer]]] = {}

    def __init_subclass__(cls, *, matcher: str | None = None, **others: Any) -> None:
        super().__init_subclass__(**others)
        if matcher is not None:
            cls._matchers[matcher] = cls

    def __new__(cls, *args: Any, matcher: str = "exact", **others: Any) -> Scorer:
        """Make the scorer of the matcher that is named."""
        del args, others
        if cls is Scorer and matcher != "exact":
            if matcher not in cls._matchers:
                message = f"unknown matcher {matcher!r}; one of exact, {', '.join(cls._matchers)}"
                raise ValueError(message)
            return super().__new__(cls._matchers[matcher])
        return super().__new__(cls)

    def __init__(
        self,
        scheme: str = "auto",
        reading: str = "conlleval",
        *,
        matcher: str = "exact",
        pred_scheme: str | None = None,
        on_misaligned: str = "refuse",
        dialect: Dialect = Dialect(),
        max_violations: int = MAX_VIOLATIONS,
        by_document: bool = False,
        threads: int = 1,
    ) -> None:
        del matcher  # It chose the class.
        if on_misaligned not in ("refuse", "report", "ignore"):
            message = f"on_misaligned is refuse, report or ignore, not {on_misaligned!r}"
            raise ValueError(message)
        self._on_misaligned = on_misaligned
        self._counter = _spanrs.Counter(
            scheme, pred_scheme, reading, dialect, max_violations, by_document, self.only
        )
        self._threads = _threads(threads)
        self._dialect = dialect
        self._merged: list[Any] = []

    @property
    def only(self) -> tuple[list[str] | None, list[str]] | None:
        """What a fair matcher looks at; None for the exact one."""
        return None

    def update(
        self,
        gold: Side,
        pred: Side,
        *,
        vocabulary: Vocabulary | None = None,
        ignore_index: int = IGNORE_INDEX,
        lengths: Iterable[int] | None = None,
        mask: npt.ArrayLike | None = None,
    ) -> None:
        """Add a batch of sentences.

        Parameters
        ----------
        gold, pred, vocabulary, ignore_index, lengths, mask
            As for :func:`score`.

        Raises
        ------
        spanrs.errors.AlignmentError
            Where the two sides have another shape. Nothing of the batch is counted then.
        """
        names = None if vocabulary is None else as_vocabulary(vocabulary)
        if inputs.is_arrow(gold) and inputs.is_arrow(pred):
            inputs.reject_lengths_and_mask(inputs.ARROW_KNOWS, lengths, mask)
            self._counter.update_arrow(gold, pred, names, ignore_index, self._threads)
            return
        gold, pred = inputs.as_lists(gold), inputs.as_lists(pred)
        if names is None:
            inputs.reject_lengths_and_mask(inputs.FOR_IDS, lengths, mask)
            self._counter.update_lists(gold, pred)
            return
        golds, preds, sizes = inputs.as_batch(gold, pred, ignore_index, lengths, mask)
        self._counter.update_ids(golds, preds, names, ignore_index, sizes, self._threads)

    def update_files(
        self,
        gold: Callable[[], Source],
        pred: Callable[[], Source] | None,
        columns: Columns = Columns(),
        pred_columns: Columns = Columns(),
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """Add column files; their documents end where they say.

        Parameters
        ----------
        gold, pred : callable
            Give the source from its beginning, as often as they are called. Without ``pred`` gold holds
            both, in the columns ``tag`` and ``second``.
        columns, pred_columns, progress
            As for :func:`spanrs.score_files`.

        Raises
        ------
        OSError, spanrs.errors.SpanrsError
            As :func:`spanrs.score_files`. Nothing of the files is counted then.
        """
        options = columns.as_options(), pred_columns.as_options()
        self._counter.update_files(gold, pred, *options, self._on_misaligned, progress)

    def end_document(self) -> None:
        """End a document: what was added since the last call is one."""
        self._counter.end_document()

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
        result = other.result()
        settings = merged_settings(self._settings(), result.settings)
        if settings["scheme"] != UNDECIDED:
            self._counter.set_schemes(settings["scheme"], settings.get("pred_scheme"))
        self._merged.append(result)

    def _settings(self) -> dict[str, str]:
        return make_settings(self._counter.made(), self._dialect, self._on_misaligned)

    def result(self) -> Result:
        """Give what was counted so far. The scorer can go on.

        Returns
        -------
        Result
            A value of its own, which later updates do not change.
        """
        return combine([make_result(self._counter.state(), self._settings()), *self._merged])


def _threads(threads: int) -> int:
    if threads < 0:
        message = f"threads must be 1 or more, or 0 for all processors, not {threads}"
        raise ValueError(message)
    # The processors of this process, which may be fewer than the machine has.
    return threads or len(
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )


def make_settings(
    made: tuple[str | None, str | None, str], dialect: Dialect, on_misaligned: str = "refuse"
) -> dict[str, str]:
    """Name how a result is made: by scheme, that of pred where it is another one, reading and dialect."""
    scheme, pred_scheme, reading = made
    settings = {"matcher": "exact", "scheme": scheme or UNDECIDED}
    if pred_scheme is not None:
        settings["pred_scheme"] = pred_scheme
    settings["reading"] = reading
    for name, value, default in zip(dialect._fields, dialect, Dialect(), strict=True):
        if value != default:
            settings[name] = str(value).lower() if isinstance(value, bool) else str(value)
    if on_misaligned != "refuse":
        settings["on_misaligned"] = on_misaligned
    settings["version"] = _spanrs.__version__
    return settings


def make_violations(state: dict[str, Any]) -> dict[str, Violations]:
    """Take over the violations of both sides."""
    return {
        side: Violations(
            count,
            [LocatedViolation(sentence, line or None, Violation(*row)) for sentence, line, row in first],
        )
        for side, (count, first) in (
            ("gold", state["gold_violations"]),
            ("pred", state["pred_violations"]),
        )
    }


def make_result(state: dict[str, Any], settings: dict[str, str]) -> Result:
    """Make a result of what the compiled half counted."""
    documents = [Tallies.from_state(row) for row in state["documents"]]
    tallies = Tallies.from_state(state)
    return Result(
        tallies,
        make_violations(state),
        settings,
        state["detection"],
        state["pred_detection"],
        documents,
        Noticed.from_state(state),
    )


@overload
def score(
    gold: Side,
    pred: Side,
    scheme: str = ...,
    reading: str = ...,
    *,
    matcher: Literal["exact"] = ...,
    pred_scheme: str | None = ...,
    vocabulary: Vocabulary | None = ...,
    ignore_index: int = ...,
    lengths: Iterable[int] | None = ...,
    mask: npt.ArrayLike | None = ...,
    dialect: Dialect = ...,
    max_violations: int = ...,
    documents: Iterable[int] | None = ...,
    weights: Sequence[float] | None = ...,
    threads: int = ...,
) -> Result: ...
@overload
def score(
    gold: Side,
    pred: Side,
    scheme: str = ...,
    reading: str = ...,
    *,
    matcher: Literal["fair"],
    pred_scheme: str | None = ...,
    vocabulary: Vocabulary | None = ...,
    ignore_index: int = ...,
    lengths: Iterable[int] | None = ...,
    mask: npt.ArrayLike | None = ...,
    dialect: Dialect = ...,
    max_violations: int = ...,
    documents: Iterable[int] | None = ...,
    threads: int = ...,
) -> FairResult: ...
def score(
    gold: Side,
    pred: Side,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    matcher: str = "exact",
    pred_scheme: str | None = None,
    vocabulary: Vocabulary | None = None,
    ignore_index: int = IGNORE_INDEX,
    lengths: Iterable[int] | None = None,
    mask: npt.ArrayLike | None = None,
    dialect: Dialect = Dialect(),
    max_violations: int = MAX_VIOLATIONS,
    documents: Iterable[int] | None = None,
    weights: Sequence[float] | None = None,
    threads: int = 1,
) -> Result | FairResult:
    """Score tags against tags: exact spans, type and both bounds.

    Parameters
    ----------
    gold, pred : sequences of sequences of str, arrays of int, or Arrow columns
        Sentences of tags; the two sides have the same sentences with the same number of tokens.

        - Lists, tuples, generators, pandas columns of sentences, each a list, tuple, array or generator of
          tags. Lists and tuples are walked in place.
        - With ``vocabulary`` arrays of ids, shape (sentences, tokens), or (tokens,) with ``lengths``:
          numpy, and what numpy can look into without a copy (torch, JAX and others on the CPU).
        - Arrow list columns (pyarrow, Polars, pandas), one list a sentence, of strings, of a dictionary,
          or with ``vocabulary`` of integers. A null in gold leaves the token out.
    scheme : str
        IOB, BIO, IOE1, IOE2, IOBES, BILOU, BMEWO, BMES, IO or TOKEN, in any usual spelling, or
        ``auto``: the scheme gold violates least. Never TOKEN, which must be named.
    pred_scheme : str, optional
        The scheme of pred, where it is another one; spans are compared, so that schemes may differ. ``auto``
        (the default where ``scheme`` is): that of gold, unless a tenth of pred's tags other than ``O``
        violate it and hardly any another one.
    reading : str
        What malformed tags mean, as for :func:`spanrs.tags.read_spans`.
    matcher : str
        ``exact``, or ``fair``: near misses are counted as what they are, as by :func:`spanrs.fair`; spans
        can be given instead of tags then.
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
    documents : iterable of int, optional
        Sentences of each document, in order, 1 or more: the result has a row for each.
    weights : sequence of float, optional
        How often each document counts, as for :meth:`Result.with_document_weights`. Without ``documents`` every
        sentence is a document. Not with the fair matcher, whose weights are those of errors.
    threads : int
        Threads for ids and Arrow columns, which are counted without the GIL; 0 is one a processor. The
        result does not depend on it. Lists are walked by one thread.

    Returns
    -------
    Result or FairResult
        Measures, counts, violations, signature. A FairResult where the matcher is ``fair``.

    Raises
    ------
    spanrs.errors.AlignmentError
        Where the two sides have another number of sentences or tokens.
    spanrs.errors.SchemeError
        For unknown names, ids outside the vocabulary, and malformed tags under ``refuse``.
    TypeError
        Where tags are no strings, ids no integers, and where ``mask`` or ``lengths`` have no meaning.
    ValueError
        Where weights are not one a document, negative or not finite.

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
    """
    if matcher != "exact" and weights is not None:
        message = "weights of documents go with the exact matcher; those of errors with spanrs.fair"
        raise TypeError(message)
    make = partial(Scorer, matcher=matcher, dialect=dialect, max_violations=max_violations, threads=threads)
    if documents is None and weights is None:
        scorer = make(scheme, reading, pred_scheme=pred_scheme)
        scorer.update(
            gold, pred, vocabulary=vocabulary, ignore_index=ignore_index, lengths=lengths, mask=mask
        )
        result = scorer.result()
        warn(result.warnings)
        return result
    names = None if vocabulary is None else as_vocabulary(vocabulary)
    sentences, take = split_documents(
        gold, pred, ids=names is not None, ignore_index=ignore_index, lengths=lengths, mask=mask
    )
    ends = borders(documents, sentences)
    options: dict[str, Any] = {"vocabulary": names, "ignore_index": ignore_index}
    detection = pred_detection = None
    # All sentences as one document.
    one = make(scheme, reading, pred_scheme=pred_scheme)
    if is_auto(scheme) or (pred_scheme is not None and is_auto(pred_scheme)):
        # All of gold and pred decides, not their first documents.
        one.update(**take(0, sentences), **options)
        whole = one.result()
        scheme, pred_scheme = whole.settings["scheme"], whole.settings.get("pred_scheme")
        detection, pred_detection = whole.detection, whole.pred_detection
    scorer = make(scheme, reading, pred_scheme=pred_scheme, by_document=True)
    try:
        for start, end in ends:
            scorer.update(**take(start, end), **options)
            scorer.end_document()
    except (SpanrsError, TypeError) as error:
        # That one numbers sentences from the beginning of its document.
        raise _failure(lambda: one.update(**take(0, sentences), **options)) or error from None
    result = replace(scorer.result(), detection=detection, pred_detection=pred_detection)
    warn(result.warnings)
    return result if weights is None else result.with_document_weights(weights)


def _failure(function: Callable[[], object]) -> Exception | None:
    try:
        function()
    except (SpanrsError, TypeError) as error:
        return error
    return None
