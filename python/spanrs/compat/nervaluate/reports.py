"""Results as text."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spanrs.compat.nervaluate.entities import CATEGORIES, Entity

SCENARIOS = ("strict", "ent_type", "partial", "exact")
MEASURES = ("precision", "recall", "f1")
#: Codes of ANSI terminals.
COLORS = dict(
    zip(("red", "green", "yellow", "blue", "magenta", "cyan", "white"), range(91, 98), strict=True)
)
COLORS["bold"] = 1
CATEGORY_COLORS = dict(zip(CATEGORIES, ("green", "red", "yellow", "magenta", "blue"), strict=True))


def table(rows: Iterable[tuple[str, Sequence[Any]]], width: int, digits: int) -> str:
    """Return names, counts and measures as a table of text."""
    heads = (*CATEGORIES, "precision", "recall", "f1-score")
    text = f"{'':>{width}} " + "".join(f" {head:>11}" for head in heads) + "\n\n"
    for name, values in rows:
        counts = "".join(f" {value:>11}" for value in values[: len(CATEGORIES)])
        measures = "".join(f" {value:>11.{digits}f}" for value in values[len(CATEGORIES) :])
        text += f"{name:>{width}} {counts}{measures}\n"
    return text


class Reports(ABC):
    """The reports of an evaluator."""

    tags: list[str]
    true: Any
    pred: Any

    @abstractmethod
    def evaluate(self) -> dict[str, Any]:
        """Compare the entities."""

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
        """Return counts and measures as a table, sorted by name; overall only of the four strategies."""
        _check(mode, scenario)
        rows = [row for row in self._rows(mode, scenario) if mode == "entities" or row[0] in SCENARIOS]
        # The width of the first column is at least that of the heading of the second.
        width = max(len(CATEGORIES[0]), digits, *(len(str(name)) for name, _ in rows))
        title = f"Scenario: {scenario if mode == 'entities' else 'all'}\n\n"
        return title + table(sorted(rows, key=lambda row: str(row[0])), width, digits)

    def summary_report_indices(
        self, mode: str = "overall", scenario: str = "strict", colors: bool = False
    ) -> str:
        """Return the indices as a table, or in mode ``entities`` as a table for each label.

        The details are those of the predicted entity of that number, also for missed ones; of the missed
        entity itself where there is no such.
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
                (f"{kind}: {paint(label, 'cyan')}\n{schema}", label, found[scenario])
                for label, found in by_label
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
        """Return name, counts and measures of each strategy or label."""
        results = self.evaluate()
        named: dict[str, Any] = results["overall"]
        if mode == "entities":
            by_label = results["entities"].items()
            named = {label: found[scenario] for label, found in by_label if scenario in found}
        keys = (*CATEGORIES, *MEASURES)
        return [(name, [getattr(result, key) for key in keys]) for name, result in named.items()]

    def _described(
        self, label: str | None, places: list[tuple[int, int]]
    ) -> Iterator[tuple[str, str, str]]:
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
        # Only a missed entity has a number that no predicted one has.
        missed = [e for e in self.true[document] if e.label in self.tags]
        return [e for e in missed if label in (None, e.label)][at]


def _check(mode: str, scenario: str) -> None:
    """Refuse unknown modes and scenarios."""
    modes = {"overall", "entities"}
    if mode not in modes:
        raise ValueError(f"Invalid mode: must be one of {modes}")
    if mode == "entities" and scenario not in SCENARIOS:
        raise ValueError(f"Invalid scenario: must be one of {set(SCENARIOS)}")
