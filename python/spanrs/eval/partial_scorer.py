"""Matching spans that overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from spanrs import _spanrs
from spanrs.errors import warn
from spanrs.eval import inputs
from spanrs.eval.checks import Checks
from spanrs.eval.partial_result import MODES, Instances, PartialCounts, PartialResult
from spanrs.eval.result import UNDECIDED, Violations, with_schemes
from spanrs.eval.scorer import make_settings
from spanrs.tags.types import IGNORE_INDEX, Dialect, Vocabulary

if TYPE_CHECKING:
    import numpy.typing as npt

#: Sentences of tags, or of spans as (type, start, end).
Sentences: TypeAlias = "Iterable[Sequence[str]] | Iterable[Sequence[tuple[Any, ...]]]"

MATCHINGS = ("greedy", "optimal")


class PartialScorer:
    """Matches batch after batch, in memory that does not grow with their number.

    Parameters
    ----------
    scheme, pred_scheme : str
        As for :func:`partial`; ``auto`` is settled by the first batch that has a tag other than ``O``.
    reading, matching, min_overlap, dialect, instances
        As for :func:`partial`.

    Raises
    ------
    ValueError
        For unknown matchings and a ``min_overlap`` that is no share.
    spanrs.errors.SchemeError
        For unknown schemes and readings.

    Examples
    --------
    >>> import spanrs
    >>> scorer = spanrs.PartialScorer(scheme="BIO", matching="optimal")
    >>> scorer.update([["B-PER", "I-PER"]], [["B-PER", "O"]])
    >>> scorer.update([["B-LOC"]], [["B-LOC"]])
    >>> scorer.result().partial.f1
    0.75
    """

    def __init__(
        self,
        scheme: str = "auto",
        reading: str = "conlleval",
        *,
        matching: str = "greedy",
        min_overlap: float = 0.0,
        pred_scheme: str | None = None,
        dialect: Dialect = Dialect(),
        instances: bool = False,
    ) -> None:
        if matching not in MATCHINGS:
            message = f"unknown matching {matching!r}; one of {', '.join(MATCHINGS)}"
            raise ValueError(message)
        if not 0.0 <= min_overlap <= 1.0:
            message = f"min_overlap is a share of the gold span, from 0 to 1, not {min_overlap}"
            raise ValueError(message)
        # Checks the names, and gives them as they are printed.
        made = _spanrs.Counter(scheme, pred_scheme, reading, dialect, 0, False).made()
        settings = make_settings(made, dialect)
        own = {"matcher": "partial", "matching": matching, "min_overlap": f"{min_overlap:g}"}
        self._dialect = dialect
        self._pred_scheme = pred_scheme
        self._how = (100.0 * min_overlap, matching == "optimal")
        none = dict.fromkeys(MODES, PartialCounts())
        found = {mode: Instances() for mode in MODES} if instances else None
        self._result = PartialResult(none, {}, 0, own | (settings | own), None, None, found)

    def update(
        self,
        gold: Sentences | npt.ArrayLike,
        pred: Sentences | npt.ArrayLike,
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
            As for :func:`partial`.

        Raises
        ------
        spanrs.errors.AlignmentError
            Where the two sides have another shape. Nothing of the batch is counted then.
        """
        settings = dict(self._result.settings)
        # Schemes stay once they are found out, with the first batch that has a tag other than ``O``.
        first = settings["scheme"] == UNDECIDED or not self._result.sentences
        pred_scheme = self._pred_scheme if first else settings.get("pred_scheme", settings["scheme"])
        made = (settings["scheme"], pred_scheme, settings["reading"], self._dialect)
        golds, preds, (scheme, detection), (own_scheme, pred_detection), checked = inputs.span_lists(
            gold, pred, made, vocabulary=vocabulary, ignore_index=ignore_index, lengths=lengths, mask=mask
        )
        if scheme is not None:
            settings = with_schemes(
                settings, {"scheme": scheme} | ({"pred_scheme": own_scheme} if own_scheme else {})
            )
        result = self._match(golds, preds, settings, (detection, pred_detection))
        (gold_violations, gold_labelled), (pred_violations, pred_labelled) = checked
        result = replace(
            result,
            _checks=Checks(gold_labelled=gold_labelled, pred_labelled=pred_labelled),
            _violations={"gold": Violations(gold_violations, []), "pred": Violations(pred_violations, [])},
        )
        self._result = self._result.merge(result) if self._result.sentences else result

    def _match(
        self,
        gold: _spanrs.SpanLists,
        pred: _spanrs.SpanLists,
        settings: dict[str, str],
        detections: tuple[str | None, str | None],
    ) -> PartialResult:
        overall, types = _spanrs.partial_count(gold, pred, None, self._how)
        instances = None
        if self._result.instances is not None:
            instances = {
                mode: Instances(*_spanrs.partial_outcomes(gold, pred, None, self._how, at, None))
                for at, mode in enumerate(MODES)
            }
        named = {name: _named(rows) for name, rows in types.items()}
        return PartialResult(_named(overall), named, len(gold), settings, *detections, instances)

    def merge(self, other: PartialScorer) -> None:
        """Add what another scorer has counted.

        Parameters
        ----------
        other : PartialScorer
            Made with the same settings; it is not changed.

        Raises
        ------
        spanrs.errors.SchemeError
            Where the settings differ.
        """
        self._result = self._result.merge(other.result())

    def result(self) -> PartialResult:
        """Give what was counted so far. The scorer can go on.

        Returns
        -------
        PartialResult
            A value of its own, which later updates do not change.
        """
        return self._result


def _named(rows: Sequence[tuple[int, int, int, int, int]]) -> dict[str, PartialCounts]:
    return {mode: PartialCounts(*row) for mode, row in zip(MODES, rows, strict=True)}


def partial(
    gold: Sentences | npt.ArrayLike,
    pred: Sentences | npt.ArrayLike,
    scheme: str = UNDECIDED,
    reading: str = "conlleval",
    *,
    matching: str = "greedy",
    min_overlap: float = 0.0,
    pred_scheme: str | None = None,
    vocabulary: Vocabulary | None = None,
    ignore_index: int = IGNORE_INDEX,
    lengths: Iterable[int] | None = None,
    mask: npt.ArrayLike | None = None,
    dialect: Dialect = Dialect(),
    instances: bool = False,
) -> PartialResult:
    """Match spans that overlap, in the modes strict, exact, partial and ent_type.

    Parameters
    ----------
    gold, pred : sequences of sequences of str or of (type, start, end), or arrays of int
        Sentences of tags, or of spans in any order, which may overlap each other: tokens from 0, ends
        exclusive, further items of a span are not looked at. The two sides have the same sentences. With
        ``vocabulary`` arrays of ids, shape (sentences, tokens), or (tokens,) with ``lengths``. Arrow
        columns without nulls are made lists first.
    scheme, reading, pred_scheme : str
        As for :func:`spanrs.score`; not used for spans.
    matching : str
        ``greedy``: pred spans in their order take what they can get, as in nervaluate 1.2.1.
        ``optimal``: the pairs that bring the most credit, whatever the order of the spans.
    min_overlap : float
        Share of the gold span, from 0 to 1, that a pair needs; 0 asks for one shared token.
    vocabulary, ignore_index, lengths, mask, dialect
        As for :func:`spanrs.score`.
    instances : bool
        Keep which spans came out how, too.

    Returns
    -------
    PartialResult
        Measures and counts of each mode, overall and by type.

    Raises
    ------
    spanrs.errors.AlignmentError
        Where the two sides have another number of sentences, or of tokens.
    spanrs.errors.SchemeError
        For unknown names, ids outside the vocabulary, and malformed tags under ``refuse``.
    TypeError, OverflowError
        Where tags are no strings, and spans not (str, int, int) with numbers from 0 to 2**32 - 1.
    ValueError
        For spans that hold no token, unknown matchings, and a ``min_overlap`` that is no share.

    Examples
    --------
    >>> import spanrs
    >>> gold = [[("PER", 0, 2), ("LOC", 3, 5)]]
    >>> pred = [[("PER", 0, 1), ("ORG", 3, 5)]]
    >>> result = spanrs.partial(gold, pred)
    >>> [score.f1 for score in result.modes.values()]
    [0.0, 0.5, 0.75, 0.5]
    """
    scorer = PartialScorer(
        scheme,
        reading,
        matching=matching,
        min_overlap=min_overlap,
        pred_scheme=pred_scheme,
        dialect=dialect,
        instances=instances,
    )
    scorer.update(gold, pred, vocabulary=vocabulary, ignore_index=ignore_index, lengths=lengths, mask=mask)
    result = scorer.result()
    warn(result.warnings)
    return result
