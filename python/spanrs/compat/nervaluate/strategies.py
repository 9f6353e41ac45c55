"""The four ways to compare entities."""

from __future__ import annotations

from abc import ABC, abstractmethod

from spanrs import _spanrs
from spanrs.compat.nervaluate.entities import CATEGORIES, Entity, EvaluationIndices, EvaluationResult

#: The strategies in the order of the compiled half.
MODES = ("strict", "exact", "partial", "ent_type")


class EvaluationStrategy(ABC):
    """A way to compare entities.

    Parameters
    ----------
    min_overlap_percentage : float
        How much of a true entity a predicted one has to cover to be compared with it, from 1 to 100.

    Raises
    ------
    ValueError
        For other percentages.
    """

    def __init__(self, min_overlap_percentage: float = 1.0):
        if not 1.0 <= min_overlap_percentage <= 100.0:
            message = "min_overlap_percentage must be between 1.0 and 100.0"
            raise ValueError(message)
        self.min_overlap_percentage = min_overlap_percentage

    @staticmethod
    def _calculate_overlap_percentage(pred: Entity, true: Entity) -> float:
        if pred.end < true.start or true.end < pred.start:
            return 0.0
        shared = min(pred.end, true.end) - max(pred.start, true.start) + 1
        return shared / (true.end - true.start + 1) * 100.0

    @staticmethod
    def _calculate_boundaries_distance(pred: Entity, true: Entity) -> float:
        return abs(pred.start - true.start) + abs(pred.end - true.end)

    def _has_sufficient_overlap(self, pred: Entity, true: Entity) -> bool:
        return self._calculate_overlap_percentage(pred, true) >= self.min_overlap_percentage

    @abstractmethod
    def evaluate(
        self,
        true_entities: list[Entity],
        pred_entities: list[Entity],
        tags: list[str],
        instance_index: int = 0,
    ) -> tuple[EvaluationResult, EvaluationIndices]:
        """Compare the entities of a document."""


class _Matched(EvaluationStrategy):
    """A mode of the partial matcher."""

    mode: str
    half_credit = False

    def evaluate(
        self,
        true_entities: list[Entity],
        pred_entities: list[Entity],
        tags: list[str],  # noqa: ARG002 (entities are expected to have valid tags)
        instance_index: int = 0,
    ) -> tuple[EvaluationResult, EvaluationIndices]:
        """Compare the entities of a document.

        Parameters
        ----------
        true_entities, pred_entities : list of Entity
            In an order that matters.
        tags : list of str
            Not looked at.
        instance_index : int
            The number of the document, for the indices.

        Returns
        -------
        EvaluationResult, EvaluationIndices
            How many there are of each category, and which.
        """
        true, pred = (_spanrs.nervaluate_entities([list(side)]) for side in (true_entities, pred_entities))
        how = (float(self.min_overlap_percentage), False)
        lists = _spanrs.partial_outcomes(true, pred, None, how, MODES.index(self.mode), None)
        counts = dict(zip(CATEGORIES, map(len, lists), strict=True))
        result = EvaluationResult(**counts)
        result.compute_metrics(self.half_credit)
        return result, EvaluationIndices(*([(instance_index, at) for _, at in places] for places in lists))


class StrictEvaluation(_Matched):
    """Correct with equal bounds and labels; incorrect with some overlap."""

    mode = "strict"


class PartialEvaluation(_Matched):
    """Correct with equal bounds, whatever the labels; partial, for half the credit, with some overlap."""

    mode = "partial"
    half_credit = True


class EntityTypeEvaluation(_Matched):
    """Correct with equal labels and some overlap, the nearest bounds first; incorrect with some overlap."""

    mode = "ent_type"
    half_credit = True


class ExactEvaluation(_Matched):
    """Correct with equal bounds, whatever the labels; incorrect with some overlap."""

    mode = "exact"
