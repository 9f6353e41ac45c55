"""Fair results as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.report.fair import NOTHING, VERSIONS, cells, heads
from spanrs.report.numbers import amount
from spanrs.report.pages import template

if TYPE_CHECKING:
    from spanrs.eval.fair_result import FairResult, FairScores

#: Kinds of errors in the order of the bars, with their colours and what they are.
BARS = (
    ("LE", "#7b3294", "labelling errors"),
    ("BES", "#0571b0", "boundary errors, pred smaller"),
    ("BEL", "#4dac26", "boundary errors, pred larger"),
    ("BEO", "#92c5de", "boundary errors, pred overlaps"),
    ("LBE", "#e66101", "labelling-boundary errors"),
    ("FN", "#404040", "false negatives"),
    ("FP", "#b2b2b2", "false positives"),
)


#: Types of the largest heat map.
MOST = 100


class _Piece(NamedTuple):
    """A piece of a bar."""

    kind: str
    colour: str
    number: int
    width: float


def page(result: FairResult, title: str = "Fair evaluation", versions: Sequence[str] = VERSIONS) -> str:
    """Give a whole page that needs nothing else; the arguments are those of ``FairResult.to_html``."""
    most = max((_errors(scores) for scores in result.per_type.values()), default=0)
    shown = _shown(result)
    named = [*((name, scores, False) for name, scores in result.per_type.items())]
    rows = [*named, ("all", result.overall, True)]
    return template("fair.html").render(
        title=title,
        numbers=heads(versions),
        measures=[(version, _percents(getattr(result, version))) for version in versions],
        rows=[(name, cells(scores, versions), strong) for name, scores, strong in rows],
        legend=BARS,
        bars=[(name, _errors(scores), _bar(scores, most)) for name, scores, _ in named],
        heads=[NOTHING if name is None else name for name in shown],
        heat=_heat(result, shown),
        hidden=len(result.per_type) + 1 - len(shown),
        documents=[
            (row.name or str(row.document), cells(row.scores, versions), amount(row.sentences))
            for row in result.documents
        ],
        sentences=amount(result.sentences),
        violations={side: found.count for side, found in result.violations.items()},
        detection=result.detection,
        signature=result.signature,
    )


def _percents(score: Any) -> list[str]:
    return [f"{100 * value:.2f}" for value in (score.precision, score.recall, score.f1)]


def _count(scores: FairScores, kind: str) -> int:
    count: int = getattr(scores.counts, kind.lower())
    return count


def _errors(scores: FairScores) -> int:
    return sum(_count(scores, kind) for kind, _, _ in BARS)


def _bar(scores: FairScores, most: int) -> list[_Piece]:
    pieces = ((kind, colour, _count(scores, kind)) for kind, colour, _ in BARS)
    return [_Piece(kind, colour, n, round(100 * n / most, 3)) for kind, colour, n in pieces if n]


def _shown(result: FairResult) -> list[str | None]:
    """Give the types of the heat map: all, or those with most errors."""
    names = list(result.per_type)
    if len(names) > MOST:
        worst = sorted(names, key=lambda name: (-_errors(result.per_type[name]), name))[:MOST]
        names = [name for name in names if name in set(worst)]
    return [*names, None]


def _heat(result: FairResult, shown: list[str | None]) -> list[tuple[str, list[tuple[str, float, str]]]]:
    """Give a row for each gold type: count, strength of the colour, and what the cell says."""
    most = max((n for row in result.confusion.values() for n in row.values()), default=0)
    rows = []
    for gold in shown:
        row = {pred: result.confusion[gold][pred] for pred in shown}
        shades = [
            # Counts of errors spread over orders of magnitude; their roots can be told apart.
            (amount(n) if n else "", round((n / most) ** 0.5, 3) if most else 0.0, _says(gold, pred, n))
            for pred, n in row.items()
        ]
        rows.append((NOTHING if gold is None else gold, shades))
    return rows


def _says(gold: str | None, pred: str | None, n: int) -> str:
    if gold is None:
        return f"{n} false positives {pred}" if pred is not None else ""
    if pred is None:
        return f"{n} false negatives {gold}"
    if gold == pred:
        return f"{n} boundary errors {gold}"
    return f"{n} times {gold} taken for {pred}"
