"""Results as an HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from spanrs.eval.evaluation import Evaluation
from spanrs.eval.tables import NOTHING, tables
from spanrs.report.numbers import amount
from spanrs.report.pages import template

if TYPE_CHECKING:
    from spanrs.eval.scores import Measured

#: Colours of outcomes in the bars.
COLOURS = [
    "#7b3294",
    "#0571b0",
    "#4dac26",
    "#92c5de",
    "#e66101",
    "#404040",
    "#b2b2b2",
    "#a6611a",
    "#018571",
]
#: What short names of outcomes mean.
MEANINGS = {
    "le": "labelling errors",
    "bes": "boundary errors, pred smaller",
    "bel": "boundary errors, pred larger",
    "beo": "boundary errors, pred overlaps",
    "lbe": "labelling-boundary errors",
    "fn": "false negatives",
    "fp": "false positives",
}
#: Types of the largest heat map.
MOST = 100


class _Piece(NamedTuple):
    """A piece of a bar."""

    kind: str
    colour: str
    number: float
    width: float


def page(result: Evaluation, title: str, criteria: Sequence[str] | None = None) -> str:
    """Give a whole page that needs nothing else; the arguments are those of :meth:`spanrs.Result.to_html`."""
    wrong = _wrong(result)
    errors = {name: sum(row[kind] for kind in wrong) for name, row in result.outcomes_by_type.items()}
    shown = _shown(errors)
    colours = dict(zip(wrong, COLOURS * (len(wrong) // len(COLOURS) + 1), strict=False))
    most = max(errors.values(), default=0)
    found = [table for table in tables(result, criteria=criteria) if table.title != "Confusion"]
    return template("result.html").render(
        title=title,
        tables=found,
        legend=[(kind.upper(), colour, MEANINGS.get(kind, "")) for kind, colour in colours.items()],
        bars=[
            (
                name,
                amount(errors[name]),
                [
                    _Piece(kind.upper(), colour, row[kind], round(100 * row[kind] / most, 3))
                    for kind, colour in colours.items()
                    if row[kind]
                ],
            )
            for name, row in result.outcomes_by_type.items()
        ],
        heads=[NOTHING if name is None else name for name in shown],
        heat=_heat(result, shown),
        hidden=len(errors) + 1 - len(shown),
        sentences=amount(result.sentences),
        violations={side: found.count for side, found in result.violations.items()}
        if result.tokens
        else {},
        detection=result.detection,
        signature=result.signature,
    )


def _wrong(criterion: Measured) -> list[str]:
    """Name the outcomes that are no true positives."""
    found = zip(criterion.criterion.outcomes, criterion.criterion.weights, strict=True)
    return [name for name, (_, fp, fn) in found if fp or fn]


def _shown(errors: Mapping[str, float]) -> list[str | None]:
    """Give the types of the heat map: all, or those with most errors."""
    names = list(errors)
    if len(names) > MOST:
        worst = set(sorted(names, key=lambda name: (-errors[name], name))[:MOST])
        names = [name for name in names if name in worst]
    return [*names, None]


def _heat(result: Evaluation, shown: list[str | None]) -> list[tuple[str, list[tuple[str, float, str]]]]:
    """Give a row for each gold type: count, strength of the colour, and what the cell says."""
    most = max((n for row in result.confusion.values() for n in row.values()), default=0)
    rows = []
    for gold in shown:
        row = result.confusion[gold]
        shades = [
            # Counts spread over orders of magnitude; their roots can be told apart.
            (
                amount(row[pred]) if row[pred] else "",
                round((row[pred] / most) ** 0.5, 3) if most else 0.0,
                _says(gold, pred, row[pred], not result.matcher.unconfused),
            )
            for pred in shown
        ]
        rows.append((NOTHING if gold is None else gold, shades))
    return rows


def _says(gold: str | None, pred: str | None, n: float, correct: bool) -> str:
    """Say what a cell of the heat map is; on the diagonal are correct spans or boundary errors."""
    if gold is None:
        return f"{amount(n)} {pred} in pred without a gold span" if pred is not None else ""
    if pred is None:
        return f"{amount(n)} {gold} in gold without a pred span"
    if gold == pred:
        return f"{amount(n)} {gold}" if correct else f"{amount(n)} boundary errors {gold}"
    return f"{amount(n)} times {gold} taken for {pred}"
