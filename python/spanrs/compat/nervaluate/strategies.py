"""The four strategies to compare entities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

from spanrs import _spanrs
from spanrs.compat.nervaluate.entities import CATEGORIES, Entity, EvaluationIndices, EvaluationResult

Document: TypeAlias = list[Entity]
#: The strategies in the order of the compiled module.
MODES = ("strict", "exact", "partial", "ent_type")
#: Strategies with half credit for partial matches.
HALF_CREDIT = ("partial", "ent_type")


class EvaluationStrategy(ABC):
    """A strategy to compare entities.

    A predicted entity is only compared with true entities of which it covers at least ``min_overlap_percentage`` %.
    """

    def __init__(self, min_overlap_percentage: float = 1.0):
        if not 1.0 <= min_overlap_percentage <= 100.0:
            raise ValueError("min_overlap_percentage must be between 1.0 and 100.0")
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
        self, true_entities: Document, pred_entities: Document, tags: list[str], instance_index: int = 0
    ) -> tuple[EvaluationResult, EvaluationIndices]:
        """Compare the entities of a document."""


class _Matched(EvaluationStrategy):
    """A criterion of the partial matcher."""

    mode: ClassVar[str]

    def evaluate(
        self,
        true_entities: Document,
        pred_entities: Document,
        tags: list[str],  # noqa: ARG002
        instance_index: int = 0,
    ) -> tuple[EvaluationResult, EvaluationIndices]:
        """Compare the entities of a document in the order given; entities with any label are compared."""
        true, pred = (_spanrs.nervaluate_entities([list(side)]) for side in (true_entities, pred_entities))
        min_overlap = float(self.min_overlap_percentage)
        lists = _spanrs.partial_outcomes(true, pred, None, min_overlap, MODES.index(self.mode), None)
        result = EvaluationResult(**dict(zip(CATEGORIES, map(len, lists), strict=True)))
        result.compute_metrics(self.mode in HALF_CREDIT)
        return result, EvaluationIndices(*([(instance_index, at) for _, at in places] for places in lists))


class StrictEvaluation(_Matched):
    """Correct if boundaries and labels are equal; incorrect if entities overlap."""

    mode = "strict"


class PartialEvaluation(_Matched):
    """Correct if boundaries are equal, regardless of labels; partial, with half credit, if entities overlap."""

    mode = "partial"


class EntityTypeEvaluation(_Matched):
    """Correct if labels are equal and entities overlap, nearest boundaries first; incorrect for other overlaps."""

    mode = "ent_type"


class ExactEvaluation(_Matched):
    """Correct if boundaries are equal, regardless of labels; incorrect if entities overlap."""

    mode = "exact"
