"""The evaluator."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from spanrs import _spanrs
from spanrs.compat.nervaluate.entities import CATEGORIES, EvaluationIndices, EvaluationResult
from spanrs.compat.nervaluate.loaders import ConllLoader, DataLoader, DictLoader, Documents, ListLoader
from spanrs.compat.nervaluate.reports import Reports
from spanrs.compat.nervaluate.strategies import (
    HALF_CREDIT,
    MODES,
    EntityTypeEvaluation,
    EvaluationStrategy,
    ExactEvaluation,
    PartialEvaluation,
    StrictEvaluation,
)

#: The strategies, in the order of the results.
STRATEGIES: dict[str, type[EvaluationStrategy]] = {
    "strict": StrictEvaluation,
    "partial": PartialEvaluation,
    "ent_type": EntityTypeEvaluation,
    "exact": ExactEvaluation,
}


def _side(attribute: str, name: str) -> property:
    def get(self: Evaluator) -> Any:
        return getattr(self, attribute).entities()

    def change(self: Evaluator, documents: Any) -> None:
        setattr(self, attribute, Documents(None, documents))

    doc = f"The {name} entities, a list for each document; changes take effect in the next evaluation."
    return property(get, change, doc=doc)


class Evaluator(Reports):
    """Compares true and predicted entities.

    ``true`` and ``pred`` are tags, spans (``label``, ``start``, ``end`` inclusive), or text in columns.
    ``loader`` is ``list``, ``dict`` or ``conll``; ``default`` detects it from ``true``. Entities whose label
    is not in ``tags`` are ignored on both sides.

    Examples
    --------
    >>> true = [[{"label": "PER", "start": 0, "end": 3}]]
    >>> pred = [[{"label": "PER", "start": 2, "end": 3}]]
    >>> results = Evaluator(true, pred, tags=["PER"]).evaluate()
    >>> results["overall"]["ent_type"].correct
    1
    >>> results["overall_indices"]["strict"].incorrect_indices
    [(0, 0)]
    """

    def __init__(
        self,
        true: Any,
        pred: Any,
        tags: list[str],
        loader: str = "default",
        min_overlap_percentage: float = 1.0,
    ) -> None:
        self.tags = tags
        self.min_overlap_percentage = min_overlap_percentage
        self._setup_loaders()
        self._load_data(true, pred, loader)
        self._setup_evaluation_strategies()

    def _setup_loaders(self) -> None:
        self.loaders: dict[str, DataLoader] = {
            "conll": ConllLoader(),
            "list": ListLoader(),
            "dict": DictLoader(),
        }

    def _setup_evaluation_strategies(self) -> None:
        self.strategies: dict[str, EvaluationStrategy] = {
            name: strategy(self.min_overlap_percentage) for name, strategy in STRATEGIES.items()
        }

    def _load_data(self, true: Any, pred: Any, loader: str) -> None:
        if loader == "default":
            loader = _suitable_loader(true, pred)
        if loader not in self.loaders:
            raise ValueError(f"Unknown loader: {loader}")
        if loader == "list":
            if type(self.loaders[loader]) is ListLoader:
                both = _spanrs.nervaluate_pairs(true, pred)
                if both is not None:
                    self._true, self._pred = map(Documents, both)
                    return
            # Invalid or unusual input: both sides are compared for the first error.
            _check_lengths(true, pred)
        self._true = Documents.load(self.loaders[loader], true)
        self._pred = Documents.load(self.loaders[loader], pred)
        if len(self._true) != len(self._pred):
            raise ValueError("Number of predicted documents does not equal true")

    true = _side("_true", "true")
    pred = _side("_pred", "predicted")

    def evaluate(self) -> dict[str, Any]:
        """Compare the entities.

        ``overall`` has the strategies; ``entities`` has those of `tags` that occur, sorted, each with the
        strategies over its own entities; the indices are arranged in the same way.
        """
        percentages = {strategy.min_overlap_percentage for strategy in self.strategies.values()}
        kinds = {name: type(strategy) for name, strategy in self.strategies.items()}
        if list(kinds.items()) != list(STRATEGIES.items()) or len(percentages) > 1:
            return self._evaluate_one_by_one()
        true, pred = self._true.spans(), self._pred.spans()
        allowed = set(self.tags)
        names = sorted({*true.types(), *pred.types()})
        keep = [name for name in names if name in self.tags]
        used = [name for name in names if name in allowed]
        if not min(len(true), len(pred)):
            return _results({}, {name: {} for name in used}, {}, {name: {} for name in used})
        min_overlap = float(percentages.pop())
        overall, by_type = _spanrs.partial_count(true, pred, keep, min_overlap)
        none = [(0,) * len(CATEGORIES)] * len(MODES)

        def indices(label: str | None) -> dict[str, EvaluationIndices]:
            ask = functools.partial(_spanrs.partial_outcomes, true, pred, keep, min_overlap)
            return {
                name: EvaluationIndices._later(functools.partial(ask, MODES.index(name), label))
                for name in STRATEGIES
            }

        return _results(
            _measured(overall),
            {name: _measured(by_type.get(name, none)) for name in used},
            indices(None),
            {name: indices(name) for name in used},
        )

    def _evaluate_one_by_one(self) -> dict[str, Any]:
        """Compare with custom strategies, document by document."""
        documents = list(zip(self.true, self.pred, strict=False))
        allowed = set(self.tags)
        labels = {entity.label for sides in documents for side in sides for entity in side}
        used = sorted(labels & allowed)
        results: dict[str | None, dict[str, EvaluationResult]] = {name: {} for name in (None, *used)}
        indices: dict[str | None, dict[str, EvaluationIndices]] = {name: {} for name in (None, *used)}
        for at, sides in enumerate(documents):
            true, pred = ([e for e in side if e.label in self.tags] for side in sides)
            for label in (None, *used):
                tags = self.tags if label is None else [label]
                own = [[e for e in side if label in (None, e.label)] for side in (true, pred)]
                for name, strategy in self.strategies.items():
                    result, places = strategy.evaluate(own[0], own[1], tags, at)
                    if name not in results[label]:
                        results[label][name], indices[label][name] = result, places
                        continue
                    self._merge_results(results[label][name], result, name)
                    self._merge_indices(indices[label][name], places)
        overall, overall_indices = results.pop(None), indices.pop(None)
        return _results(overall, results, overall_indices, indices)

    @staticmethod
    def _merge_results(target: EvaluationResult, source: EvaluationResult, strategy_name: str) -> None:
        for name in CATEGORIES:
            setattr(target, name, getattr(target, name) + getattr(source, name))
        target.compute_metrics(partial_or_type=strategy_name in HALF_CREDIT)

    @staticmethod
    def _merge_indices(target: EvaluationIndices, source: EvaluationIndices) -> None:
        for name in CATEGORIES:
            getattr(target, f"{name}_indices").extend(getattr(source, f"{name}_indices"))


def _results(overall: Any, entities: Any, overall_indices: Any, entity_indices: Any) -> dict[str, Any]:
    return {
        "overall": overall,
        "entities": entities,
        "overall_indices": overall_indices,
        "entity_indices": entity_indices,
    }


def _measured(rows: Sequence[Sequence[int]]) -> dict[str, EvaluationResult]:
    results = {}
    for name in STRATEGIES:
        results[name] = EvaluationResult(*rows[MODES.index(name)])
        results[name].compute_metrics(name in HALF_CREDIT)
    return results


def _suitable_loader(true: Any, pred: Any) -> str:
    if isinstance(true, str):
        return "conll"
    if not (isinstance(true, list) and true and isinstance(true[0], list)):
        raise ValueError("Could not infer loader from input type")
    sides = (side for side in (true, pred) if isinstance(side, list))
    documents = (document for side in sides for document in side if isinstance(document, list))
    first = next((document[0] for document in documents if document), "O")
    return "dict" if isinstance(first, dict) else "list"


def _check_lengths(true: Any, pred: Any) -> None:
    if len(true) != len(pred):
        raise ValueError("Number of predicted documents does not equal true")
    for i, (one, other) in enumerate(zip(true, pred, strict=False)):
        if len(one) != len(other):
            raise ValueError(f"Document {i} has different lengths: true={len(one)}, pred={len(other)}")
