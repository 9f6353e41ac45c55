"""Fair evaluation of what is in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.errors import warn
from spanrs.eval import inputs
from spanrs.eval.checks import Checks, Noticed
from spanrs.eval.fair_result import FairError, FairResult, check_focus, combine
from spanrs.eval.fair_tallies import FairTallies
from spanrs.eval.fair_weights import Weights, as_weights, phrase
from spanrs.eval.result import UNDECIDED
from spanrs.eval.scorer import MAX_VIOLATIONS, Scorer, Side, make_violations
from spanrs.tags.types import IGNORE_INDEX, Dialect, Span, Vocabulary, as_vocabulary

if TYPE_CHECKING:
    import numpy.typing as npt

#: Types that are left out of fair evaluation unless it is told otherwise: FairEval's dummies.
EXCLUDED = ("NONE", "EMPTY")


class FairScorer(Scorer, matcher="fair"):
    """Matches batch after batch fairly, in memory that does not grow with their number.

    ``Scorer(matcher="fair")`` makes one, too.

    Parameters
    ----------
    scheme, pred_scheme, reading, on_misaligned, dialect, max_violations, by_document, threads
        As for :class:`spanrs.Scorer`.
    weights, focus, types, exclude
        As for :func:`fair`.

    Examples
    --------
    >>> import spanrs
    >>> scorer = spanrs.FairScorer(scheme="BIO")
    >>> scorer.update([["B-PER", "I-PER"]], [["B-PER", "O"]])
    >>> scorer.update([[("LOC", 0, 1)]], [[("ORG", 0, 1)]])
    >>> scorer.result().counts
    FairCounts(tp=0, fp=0, fn=0, le=1, be=1, lbe=0, bes=1, bel=0, beo=0)
    """

    def __init__(
        self,
        scheme: str = "auto",
        reading: str = "conlleval",
        *,
        weights: str | Weights = "paper",
        focus: str = "gold",
        types: Collection[str] | None = None,
        exclude: Collection[str] = EXCLUDED,
        pred_scheme: str | None = None,
        on_misaligned: str = "refuse",
        dialect: Dialect = Dialect(),
        max_violations: int = MAX_VIOLATIONS,
        by_document: bool = False,
        threads: int = 1,
        matcher: str = "fair",
    ) -> None:
        if matcher != "fair":
            message = f"a FairScorer matches fairly; for matcher={matcher!r} make a Scorer"
            raise ValueError(message)
        self._how = Fairness(weights, focus, types, exclude)
        super().__init__(
            scheme,
            reading,
            pred_scheme=pred_scheme,
            on_misaligned=on_misaligned,
            dialect=dialect,
            max_violations=max_violations,
            by_document=by_document,
            threads=threads,
            matcher=matcher,
        )
        self._by_document = by_document
        # What came as spans: the open document, and those that have ended.
        self._spans = FairTallies()
        self._span_documents: list[tuple[str | None, FairTallies]] = []

    @property
    def only(self) -> tuple[list[str] | None, list[str]]:
        """The types that are looked at (None: all), and those that are not."""
        return self._how.only

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
            As for :func:`fair`.

        Raises
        ------
        spanrs.errors.AlignmentError
            Where the two sides have another shape. Nothing of the batch is counted then.
        """
        if vocabulary is None and not (inputs.is_arrow(gold) and inputs.is_arrow(pred)):
            gold, pred = (inputs.reiterable(inputs.as_lists(side)) for side in (gold, pred))
            if inputs.are_spans(gold, pred):
                inputs.reject_lengths_and_mask(inputs.FOR_IDS, lengths, mask)
                lists = _spanrs.span_lists_of_tuples(gold, pred, True)
                self._spans.add(FairTallies.from_state(_spanrs.fair_count(*lists, self._how.only)))
                return
        super().update(
            gold, pred, vocabulary=vocabulary, ignore_index=ignore_index, lengths=lengths, mask=mask
        )

    def end_document(self) -> None:
        """End a document: what was added since the last call is one. Tags and spans make one each."""
        super().end_document()
        if self._by_document and self._spans.sentences:
            self._span_documents.append((None, self._spans))
            self._spans = FairTallies()

    def _settings(self) -> dict[str, str]:
        return self._how.settings(super()._settings())

    def result(self) -> FairResult:  # type: ignore[override]  # another matcher, another result
        """Give what was counted so far. The scorer can go on.

        Returns
        -------
        FairResult
            A value of its own, which later updates do not change.
        """
        state = self._counter.state()
        result = make_fair_result(state, self._how, self._settings())
        spans = FairTallies()
        for _, tallies in [*self._span_documents, (None, self._spans)]:
            spans.add(tallies)
        own = self._how.result(spans, self._settings(), list(self._span_documents))
        return combine([result, own, *self._merged])


class Fairness:
    """How fair matching is done, and how its result is looked at."""

    def __init__(
        self,
        weights: str | Weights,
        focus: str,
        types: Collection[str] | None,
        exclude: Collection[str],
    ) -> None:
        for name, given in (("types", types), ("exclude", exclude)):
            if isinstance(given, str):
                raise TypeError(f"{name} is a collection of types, not one str; say [{given!r}]")
        self.weights = as_weights(weights)
        self.focus = check_focus(focus)
        #: What the compiled half takes.
        self.only = (None if types is None else sorted(set(types)), sorted(set(exclude)))

    def settings(self, others: dict[str, str]) -> dict[str, str]:
        """Name how a result is made; the others are scheme, reading and the like."""
        types, exclude = self.only
        own = {"matcher": "fair", "focus": self.focus, "weights": phrase(self.weights)}
        if types is not None:
            own["types"] = ",".join(types)
        if exclude:
            own["exclude"] = ",".join(exclude)
        return own | (others | own)

    def result(
        self,
        tallies: FairTallies,
        settings: dict[str, str],
        documents: list[tuple[str | None, FairTallies]],
    ) -> FairResult:
        """Make a result of counts."""
        return FairResult(tallies, settings, self.weights, self.focus, _documents=documents)


def make_fair_result(state: dict[str, Any], how: Fairness, settings: dict[str, str]) -> FairResult:
    """Make a result of what the compiled half counted in tags."""
    return FairResult(
        FairTallies.from_state(state["fair"]),
        settings,
        how.weights,
        how.focus,
        make_violations(state),
        state["detection"],
        state["pred_detection"],
        _checks=Checks.from_state(state),
        _noticed=Noticed.from_state(state),
        _documents=[(None, FairTallies.from_state(row["fair"])) for row in state["documents"]],
    )


def fair(
    gold: Side,
    pred: Side,
    scheme: str = UNDECIDED,
    reading: str = "conlleval",
    *,
    weights: str | Weights = "paper",
    focus: str = "gold",
    types: Collection[str] | None = None,
    exclude: Collection[str] = EXCLUDED,
    pred_scheme: str | None = None,
    vocabulary: Vocabulary | None = None,
    ignore_index: int = IGNORE_INDEX,
    lengths: Iterable[int] | None = None,
    mask: npt.ArrayLike | None = None,
    dialect: Dialect = Dialect(),
    max_violations: int = MAX_VIOLATIONS,
    threads: int = 1,
    errors: bool = False,
) -> FairResult:
    """Evaluate fairly: every mistake is counted once, as what it is.

    Equal spans are true positives (TP). Equal bounds with another type are a labelling error (LE), bounds
    that overlap a boundary error (BE: pred smaller BES, larger BEL, otherwise overlapping BEO), or with
    another type a labelling-boundary error (LBE). What is near nothing is FP or FN. Several spans may join
    one span of the other side, as long as that has tokens left which no other has taken.

    Parameters
    ----------
    gold, pred : sequences of sequences of str or of (type, start, end[, tokens]), arrays, or Arrow columns
        Sentences of tags or ids, as for :func:`spanrs.score`; or of spans, flat, nested, overlapping or
        twice the same: tokens from 0, ends exclusive, and where a span has not all tokens between its
        bounds a collection of those it has.
    scheme, pred_scheme, reading, vocabulary, ignore_index, lengths, mask, dialect, max_violations, threads
        As for :func:`spanrs.score`.
    weights : str or mapping
        How much of a TP, an FP and an FN each kind of error is in ``weighted``: ``paper`` (what the paper
        suggests: boundary errors are half right), ``default`` (as in ``fair``), formulas such as
        ``"LE = 0.5 FP + 0.5 FN, BE = 0.5 TP + 0.5 FN"``, or ``{"LE": {"FP": 0.5, "FN": 0.5}, ...}``.
    focus : str
        Type for which LE and LBE are counted in ``per_type``: that of the ``gold`` or of the ``pred`` span.
    types : collection of str, optional
        Look at spans of these types only; others are not there.
    exclude : collection of str
        Do not look at spans of these types. What is given takes the place of ``NONE`` and ``EMPTY``.
    errors : bool
        Keep everything that is no true positive as well, for sequences in memory.

    Returns
    -------
    FairResult
        ``exact``, ``fair`` and ``weighted`` measures, counts, overall and by type; confusion; signature.

    Raises
    ------
    spanrs.errors.AlignmentError
        Where the two sides have another number of sentences or tokens.
    spanrs.errors.SchemeError
        For unknown names, ids outside the vocabulary, and malformed tags under ``refuse``.
    TypeError
        Where tags are no strings, spans no tuples, ids no integers.
    ValueError
        For weights that cannot be, an unknown focus, spans without tokens, and tokens outside their span.

    Notes
    -----
    Source: Ortmann, Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans, LREC 2022, with the
    order and ties of FairEval. Time grows with the number of spans and of pairs of spans that overlap.

    Examples
    --------
    >>> import spanrs
    >>> gold = [["B-PER", "I-PER", "O", "B-LOC", "I-LOC"]]
    >>> pred = [["B-PER", "O", "O", "B-ORG", "I-ORG"]]
    >>> result = spanrs.fair(gold, pred, errors=True)
    >>> result.exact.f1, result.fair.f1, round(result.weighted.f1, 3)
    (0.0, 0.0, 0.4)
    >>> [(error.kind, error.gold.type, error.pred.type) for error in result.errors]
    [('LE', 'LOC', 'ORG'), ('BES', 'PER', 'PER')]
    """
    scorer = FairScorer(
        scheme,
        reading,
        weights=weights,
        focus=focus,
        types=types,
        exclude=exclude,
        pred_scheme=pred_scheme,
        dialect=dialect,
        max_violations=max_violations,
        threads=threads,
    )
    options: dict[str, Any] = {
        "vocabulary": None if vocabulary is None else as_vocabulary(vocabulary),
        "ignore_index": ignore_index,
        "lengths": lengths,
        "mask": mask,
    }
    if not errors:
        scorer.update(gold, pred, **options)
        result = scorer.result()
        warn(result.warnings)
        return result
    # Everything is read twice.
    if lengths is not None:
        options["lengths"] = inputs.as_lengths(lengths)
    gold, pred = (inputs.reiterable(inputs.as_lists(side), sentences=True) for side in (gold, pred))
    scorer.update(gold, pred, **options)
    result = scorer.result()
    warn(result.warnings)
    settings = result.settings
    made = (settings["scheme"], settings.get("pred_scheme"), settings["reading"], dialect)
    golds, preds = inputs.span_lists(gold, pred, made, tokens=True, **options)[:2]
    found = [
        FairError(kind, sentence, _span(gold_span), _span(pred_span))
        for kind, sentence, gold_span, pred_span in _spanrs.fair_errors(golds, preds, scorer.only)
    ]
    return replace(result, errors=found)


def _span(span: tuple[str, int, int, list[int] | None] | None) -> Span | None:
    if span is None:
        return None
    name, start, end, tokens = span
    return Span(name, start, end, None if tokens is None else tuple(tokens))
