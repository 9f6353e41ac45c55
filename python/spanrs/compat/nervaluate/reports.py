"""Results as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, Protocol

from spanrs.compat.nervaluate.entities import CATEGORIES, Entity


class Evaluator(Protocol):
    """What reports are made from."""

    tags: list[str]

    @property
    def true(self) -> Any:
        """The true entities, a list for each document."""

    @property
    def pred(self) -> Any:
        """The predicted entities, a list for each document."""

    def evaluate(self) -> dict[str, Any]:
        """Compare the entities."""


MEASURES = ("precision", "recall", "f1")
COLORS = {
    "bold": "\033[1m",
    "red": "\033[91m",
    "green": "\033[92m",
    "yellow": "\033[93m",
    "blue": "\033[94m",
    "magenta": "\033[95m",
    "cyan": "\033[96m",
    "white": "\033[97m",
}
RESET = "\033[0m"
CATEGORY_COLORS = dict(zip(CATEGORIES, ("green", "red", "yellow", "magenta", "blue"), strict=True))


def check(mode: str, scenario: str) -> None:
    """Refuse unknown modes and scenarios."""
    modes = {"overall", "entities"}
    scenarios = {"strict", "ent_type", "partial", "exact"}
    if mode not in modes:
        message = f"Invalid mode: must be one of {modes}"
        raise ValueError(message)
    if mode == "entities" and scenario not in scenarios:
        message = f"Invalid scenario: must be one of {scenarios}"
        raise ValueError(message)


def rows(evaluator: Evaluator, mode: str, scenario: str) -> list[list[Any]]:
    """Give name, counts and measures, a row for each strategy or label."""
    results = evaluator.evaluate()
    named: dict[str, Any] = results["overall"]
    if mode == "entities":
        named = {
            label: found[scenario] for label, found in results["entities"].items() if scenario in found
        }
    return [
        [name, *(getattr(result, key) for key in (*CATEGORIES, *MEASURES))]
        for name, result in named.items()
    ]


def results_to_csv(evaluator: Evaluator, mode: str, scenario: str, file_path: str | None) -> str | None:
    """Give CSV, or write it."""
    check(mode, scenario)
    names = [*(name.capitalize() for name in CATEGORIES), "Precision", "Recall", "F1-Score"]
    table = [["Strategy" if mode == "overall" else "Entity", *names], *rows(evaluator, mode, scenario)]
    if file_path:
        with open(file_path, "w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows(table)
        return None
    text = io.StringIO()
    csv.writer(text).writerows(table)
    return text.getvalue()


def summary_report(evaluator: Evaluator, mode: str, scenario: str, digits: int) -> str:
    """Give a table, sorted by name."""
    check(mode, scenario)
    # Only the four known strategies are shown.
    known = {"strict", "ent_type", "partial", "exact"}
    table = sorted(
        (row for row in rows(evaluator, mode, scenario) if mode == "entities" or row[0] in known),
        key=lambda row: str(row[0]),
    )
    names = [*CATEGORIES, "precision", "recall", "f1-score"]
    # The width of the first column is that of the word above the second one at least.
    width = max(len(names[0]), digits, *(len(str(row[0])) for row in table))
    lines = [
        f"Scenario: {scenario if mode == 'entities' else 'all'}",
        "",
        f"{'':>{width}} " + "".join(f" {name:>11}" for name in names),
        "",
    ]
    for name, *values in table:
        counts = "".join(f" {value:>11}" for value in values[: len(CATEGORIES)])
        measures = "".join(f" {value:>11.{digits}f}" for value in values[len(CATEGORIES) :])
        lines.append(f"{name:>{width}} {counts}{measures}")
    return "\n".join(lines) + "\n"


def summary_report_indices(evaluator: Evaluator, mode: str, scenario: str, colors: bool) -> str:
    """Give the indices."""
    check(mode, scenario)

    def paint(text: str, color: str) -> str:
        return f"{COLORS[color]}{text}{RESET}" if colors else text

    results = evaluator.evaluate()
    parts = []
    if mode == "overall":
        title = f"{paint('Indices for error schema', 'bold')} '{paint(scenario, 'cyan')}':"
        parts.append((title, None, results["overall_indices"][scenario]))
    else:
        for label, found in results["entity_indices"].items():
            title = (
                f"{paint('Entity Type', 'bold')}: {paint(label, 'cyan')}\n"
                f"{paint('Error Schema', 'bold')}: '{paint(scenario, 'cyan')}'"
            )
            parts.append((title, label, found[scenario]))
    text = ""
    header = f"{'Category':<20} {'Instance':<10} {'Entity':<8} {'Details':<25}"
    for title, label, indices in parts:
        text += f"\n{title}\n\n{paint(header, 'bold')}\n{paint('-' * 78, 'white')}\n"
        for category in CATEGORIES:
            name = paint(category.capitalize(), CATEGORY_COLORS[category])
            places = getattr(indices, f"{category}_indices")
            for document, entity, details in _described(evaluator, label, places):
                text += f"{name:<20} {document:<10} {entity:<8} {details:<10}\n"
    return text


def _described(
    evaluator: Evaluator, label: str | None, places: list[tuple[int, int]]
) -> Iterator[tuple[str, str, str]]:
    if not places:
        yield "-", "-", "None"
    for document, at in places:
        if evaluator.pred == [[]]:  # noqa: SIM108 - it would be one long line
            details = "No prediction info"
        else:
            details = _details(_entity(evaluator, label, document, at))
        yield f"{document}", f"{at}", details


def _entity(evaluator: Evaluator, label: str | None, document: int, at: int) -> Any:
    pred = evaluator.pred[document]
    if at < len(pred):
        return pred[at]
    # Only a missed entity has a number that no predicted one has.
    missed = [e for e in evaluator.true[document] if e.label in evaluator.tags]
    return [e for e in missed if label in (None, e.label)][at]


def _details(entity: Any) -> str:
    if isinstance(entity, Entity):
        return f"Label={entity.label}, Start={entity.start}, End={entity.end}"
    return f"Tag={entity}"
