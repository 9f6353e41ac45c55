"""The evaluator and its reports."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spanrs import _spanrs
from spanrs.compat.nervaluate.entities import (
    CATEGORIES,
    Entity,
    EvaluationIndices,
    EvaluationResult,
    LazyIndices,
    Places,
)
from spanrs.compat.nervaluate.loaders import ConllLoader, DataLoader, DictLoader, Documents, ListLoader
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
    strategy.mode: strategy
    for strategy in (StrictEvaluation, PartialEvaluation, EntityTypeEvaluation, ExactEvaluation)
}
#: Keys of the results.
PARTS = ("overall", "entities", "overall_indices", "entity_indices")
SCENARIOS = ("strict", "ent_type", "partial", "exact")
MEASURES = ("precision", "recall", "f1")
#: ANSI escape codes.
_NAMES = ("red", "green", "yellow", "blue", "magenta", "cyan", "white")
COLORS = {"bold": 1} | {name: code for code, name in enumerate(_NAMES, 91)}
CATEGORY_COLORS = dict(zip(CATEGORIES, ("green", "red", "yellow", "magenta", "blue"), strict=True))


def table(rows: Iterable[tuple[str, Sequence[Any]]], width: int, digits: int) -> str:
    """Format names, counts and measures as a text table."""
    heads = (*CATEGORIES, "precision", "recall", "f1-score")
    text = f"{'':>{width}} " + "".join(f" {head:>11}" for head in heads) + "\n\n"
    for name, values in rows:
        counts = "".join(f" {value:>11}" for value in values[: len(CATEGORIES)])
        measures = "".join(f" {value:>11.{digits}f}" for value in values[len(CATEGORIES) :])
        text += f"{name:>{width}} {counts}{measures}\n"
    return text


def _side(attribute: str, name: str) -> property:
    def get(self: Evaluator) -> Any:
        return getattr(self, attribute).entities()

    def change(self: Evaluator, documents: Any) -> None:
        setattr(self, attribute, Documents(None, documents))

    doc = f"The {name} entities, a list for each document; changes take effect in the next evaluation."
    return property(get, change, doc=doc)


class Evaluator:
    """Compares true and predicted entities.

    ``true`` and ``pred`` are tags, spans (``label``, ``start``, ``end`` inclusive), or text in columns.
    ``loader`` is ``list``, ``dict`` or ``conll``; ``default`` selects a loader by the type of the data. Entities
    whose label is not in ``tags`` are ignored on both sides.

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
        self.loaders: dict[str, DataLoader] = {"conll": ConllLoader(), "list": ListLoader()}
        self.loaders["dict"] = DictLoader()

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
            is_list = type(self.loaders[loader]) is ListLoader
            if is_list and (pairs := _spanrs.nervaluate_pairs(true, pred)) is not None:
                self._true, self._pred = map(Documents, pairs)
                return
            # Invalid or unusual input: load both sides to raise the first error.
            _check_lengths(true, pred)
        self._true = Documents.load(self.loaders[loader], true)
        self._pred = Documents.load(self.loaders[loader], pred)
        if len(self._true) != len(self._pred):
            raise ValueError("Number of predicted documents does not equal true")

    true = _side("_true", "true")
    pred = _side("_pred", "predicted")

    def evaluate(self) -> dict[str, Any]:
        """Compare the entities.

        ``overall`` has the results of each strategy; ``entities`` has the results for each tag in ``tags`` that occurs,
        sorted. The indices have the same structure.
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
            by_label: dict[str, Any] = {name: {} for name in used}
            return dict(zip(PARTS, ({}, by_label, {}, by_label.copy()), strict=True))
        min_overlap = float(percentages.pop())
        overall, by_type = _spanrs.partial_count(true, pred, keep, min_overlap)
        none = [(0,) * len(CATEGORIES)] * len(MODES)

        def indices(label: str | None) -> dict[str, EvaluationIndices]:
            ask = functools.partial(_spanrs.partial_outcomes, true, pred, keep, min_overlap)
            return {
                name: LazyIndices(functools.partial(ask, MODES.index(name), label)) for name in STRATEGIES
            }

        measured = {name: _measured(by_type.get(name, none)) for name in used}
        by_label = {name: indices(name) for name in used}
        return dict(zip(PARTS, (_measured(overall), measured, indices(None), by_label), strict=True))

    def _evaluate_one_by_one(self) -> dict[str, Any]:
        """Compare with custom strategies, document by document."""
        documents = list(zip(self.true, self.pred, strict=False))
        labels = {entity.label for sides in documents for side in sides for entity in side}
        used = sorted(labels & set(self.tags))
        results: dict[str | None, dict[str, EvaluationResult]] = {name: {} for name in (None, *used)}
        indices: dict[str | None, dict[str, EvaluationIndices]] = {name: {} for name in (None, *used)}
        for at, sides in enumerate(documents):
            true, pred = ([e for e in side if e.label in self.tags] for side in sides)
            for label in (None, *used):
                tags = self.tags if label is None else [label]
                of_label = [[e for e in side if label in (None, e.label)] for side in (true, pred)]
                for name, strategy in self.strategies.items():
                    result, places = strategy.evaluate(of_label[0], of_label[1], tags, at)
                    if name not in results[label]:
                        results[label][name], indices[label][name] = result, places
                        continue
                    self._merge_results(results[label][name], result, name)
                    self._merge_indices(indices[label][name], places)
        overall, overall_indices = results.pop(None), indices.pop(None)
        return dict(zip(PARTS, (overall, results, overall_indices, indices), strict=True))

    @staticmethod
    def _merge_results(target: EvaluationResult, source: EvaluationResult, strategy_name: str) -> None:
        for name in CATEGORIES:
            setattr(target, name, getattr(target, name) + getattr(source, name))
        target.compute_metrics(partial_or_type=strategy_name in HALF_CREDIT)

    @staticmethod
    def _merge_indices(target: EvaluationIndices, source: EvaluationIndices) -> None:
        for name in CATEGORIES:
            getattr(target, f"{name}_indices").extend(getattr(source, f"{name}_indices"))

    def results_to_csv(
        self, mode: str = "overall", scenario: str = "strict", file_path: str | None = None
    ) -> str | None:
        """Return counts and measures as CSV, or write them to a file and return None."""
        _check(mode, scenario)
        names = [*(name.capitalize() for name in CATEGORIES), "Precision", "Recall", "F1-Score"]
        rows = [[name, *values] for name, values in self._rows(mode, scenario)]
        lines = [["Strategy" if mode == "overall" else "Entity", *names], *rows]
        text = io.StringIO()
        csv.writer(text).writerows(lines)
        if not file_path:
            return text.getvalue()
        with open(file_path, "w", newline="", encoding="utf-8") as out:
            out.write(text.getvalue())
        return None

    def summary_report(self, mode: str = "overall", scenario: str = "strict", digits: int = 2) -> str:
        """Return a table of counts and measures, sorted by name; ``overall`` only has the four built-in strategies."""
        _check(mode, scenario)
        rows = [row for row in self._rows(mode, scenario) if mode == "entities" or row[0] in SCENARIOS]
        # The first column is at least as wide as the heading of the second column.
        width = max(len(CATEGORIES[0]), digits, *(len(str(name)) for name, _ in rows))
        title = f"Scenario: {scenario if mode == 'entities' else 'all'}\n\n"
        return title + table(sorted(rows, key=lambda row: str(row[0])), width, digits)

    def summary_report_indices(
        self, mode: str = "overall", scenario: str = "strict", colors: bool = False
    ) -> str:
        """Return the indices as a table, or in mode ``entities`` as a table for each label.

        The details describe the predicted entity with the index, even for missed entities; if there is no such
        predicted entity, they describe the missed entity.
        """
        _check(mode, scenario)

        def paint(text: str, color: str) -> str:
            return f"\033[{COLORS[color]}m{text}\033[0m" if colors else text

        results = self.evaluate()
        header = f"{'Category':<20} {'Instance':<10} {'Entity':<8} {'Details':<25}"
        if mode == "overall":
            title = f"{paint('Indices for error schema', 'bold')} '{paint(scenario, 'cyan')}':"
            parts = [(title, None, results["overall_indices"][scenario])]
        else:
            schema = f"{paint('Error Schema', 'bold')}: '{paint(scenario, 'cyan')}'"
            kind = paint("Entity Type", "bold")
            by_label = results["entity_indices"].items()
            parts = [
                (f"{kind}: {paint(label, 'cyan')}\n{schema}", label, strategies[scenario])
                for label, strategies in by_label
            ]
        text = ""
        for title, label, indices in parts:
            text += f"\n{title}\n\n{paint(header, 'bold')}\n{paint('-' * 78, 'white')}\n"
            for category in CATEGORIES:
                name = paint(category.capitalize(), CATEGORY_COLORS[category])
                places = getattr(indices, f"{category}_indices")
                for document, entity, details in self._described(label, places):
                    text += f"{name:<20} {document:<10} {entity:<8} {details:<10}\n"
        return text

    def _rows(self, mode: str, scenario: str) -> list[tuple[str, list[Any]]]:
        """Return the name, counts and measures of each strategy or label."""
        results = self.evaluate()
        named: dict[str, Any] = results["overall"]
        if mode == "entities":
            by_label = results["entities"].items()
            named = {
                label: strategies[scenario] for label, strategies in by_label if scenario in strategies
            }
        keys = (*CATEGORIES, *MEASURES)
        return [(name, [getattr(result, key) for key in keys]) for name, result in named.items()]

    def _described(self, label: str | None, places: Places) -> Iterator[tuple[str, str, str]]:
        if not places:
            yield "-", "-", "None"
        for document, at in places:
            entity = None if self.pred == [[]] else self._entity(label, document, at)
            if isinstance(entity, Entity):
                details = f"Label={entity.label}, Start={entity.start}, End={entity.end}"
            else:
                details = "No prediction info" if self.pred == [[]] else f"Tag={entity}"
            yield f"{document}", f"{at}", details

    def _entity(self, label: str | None, document: int, at: int) -> Any:
        pred = self.pred[document]
        if at < len(pred):
            return pred[at]
        # Only the index of a missed entity may exceed the indices of predicted entities.
        missed = [e for e in self.true[document] if e.label in self.tags]
        return [e for e in missed if label in (None, e.label)][at]


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
    for i, lengths in enumerate(zip(map(len, true), map(len, pred), strict=False)):
        if lengths[0] != lengths[1]:
            raise ValueError(f"Document {i} has different lengths: true={lengths[0]}, pred={lengths[1]}")


def _check(mode: str, scenario: str) -> None:
    """Refuse unknown modes and scenarios."""
    modes = {"overall", "entities"}
    if mode not in modes:
        raise ValueError(f"Invalid mode: must be one of {modes}")
    if mode == "entities" and scenario not in SCENARIOS:
        raise ValueError(f"Invalid scenario: must be one of {set(SCENARIOS)}")
