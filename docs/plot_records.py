"""Writes the table and the plots of `benchmarks.md` from the records in `benches/record`: `make docs-tables`."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generated_block import replace_block

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent
RECORDS = DOCS.parent / "benches" / "record"
PAGE = DOCS / "benchmarks.md"
BEGIN = "<!-- made by docs/plot_records.py -->"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table of a record.

    Parameters
    ----------
    record : str
        Name of the file, without its suffix.
    section : str
        Heading above the table.
    row, column : str
        Text of the row's first cells, joined by a space, and the column's head. Either may be the beginning.
    """

    record: str
    section: str
    row: str
    column: str

    @property
    def value(self) -> float:
        """The number of the cell; the median if it lists several."""
        text = (RECORDS / f"{self.record}.md").read_text(encoding="utf-8")
        parts = re.split(r"^#+ ", text, flags=re.MULTILINE)
        section = next(part for part in parts if part.startswith(f"{self.section}\n"))
        rows = [
            [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
            for line in section.splitlines()
            if line.startswith("|") and not line.startswith("|---")
        ]
        place = next(at for at, head in enumerate(rows[0]) if head.startswith(self.column))
        for row in rows[1:]:
            if " ".join(row).startswith(self.row):
                return statistics.median(
                    float(number) for number in re.findall(r"\d+(?:\.\d+)?", row[place])
                )
        raise LookupError(f"no row {self.row!r} under {self.section!r} of {self.record}")


@dataclass(frozen=True, slots=True)
class Speed:
    """How many times faster spanrs is than a peer: a cell with this ratio, or the cells of two times."""

    what: str
    peer: str
    ours: Cell
    theirs: Cell | None = None

    @property
    def ratio(self) -> float:
        """Time of the peer, divided by the time of spanrs."""
        return self.ours.value if self.theirs is None else self.theirs.value / self.ours.value


_COMPAT = "2026-11-21-compat"
_CRF = "2026-11-27-crf-limit"
_CONLLEVAL = "2026-11-21-conlleval"
_CONLLEVAL_TITLE = "spanrs conlleval beside conlleval.pl, 2026-11-21"
_WITHIN = "s until within"
_DEP = "2026-11-23-dep"
SPEEDS = (
    Speed(
        "F1, lists of tags",
        "seqeval",
        Cell(_COMPAT, "seqeval f1_score, default mode", "spanrs.compat.seqeval f1_score", "peer / this"),
    ),
    Speed(
        "report, lists of tags",
        "seqeval",
        Cell(
            _COMPAT,
            "seqeval classification_report, default mode",
            "spanrs.compat.seqeval classification_report",
            "peer / this",
        ),
    ),
    Speed(
        "four modes, lists of tags",
        "nervaluate",
        Cell(_COMPAT, "nervaluate Evaluator, all four modes", "spanrs.compat.nervaluate", "peer / this"),
    ),
    Speed(
        "spans of tags, a call a sentence",
        "iobes",
        Cell(_COMPAT, "iobes, parsing of both sides, spans dropped", "spanrs.compat.iobes", "peer / this"),
    ),
    Speed(
        "report of a file",
        "conlleval.pl",
        Cell(_CONLLEVAL, _CONLLEVAL_TITLE, "spanrs conlleval", "seconds"),
        Cell(_CONLLEVAL, _CONLLEVAL_TITLE, "perl", "seconds"),
    ),
    Speed(
        "fair evaluation, lists of tags",
        "published algorithm",
        Cell("2026-11-21-fair", "Flat data", "spanrs.fair, lists of tags", "times as fast (median)"),
    ),
    Speed(
        "training a CRF, WNUT 2017",
        "python-crfsuite",
        Cell(_CRF, "Training beside CRFsuite", "WNUT17 spanrs", _WITHIN),
        Cell(_CRF, "Training beside CRFsuite", "WNUT17 python-crfsuite", _WITHIN),
    ),
    Speed(
        "training a CRF, parts of speech of EWT",
        "python-crfsuite",
        Cell(_CRF, "Training beside CRFsuite", "EWT XPOS, first 2500 sentences spanrs", _WITHIN),
        Cell(_CRF, "Training beside CRFsuite", "EWT XPOS, first 2500 sentences python-crfsuite", _WITHIN),
    ),
    Speed(
        "parsing, the same features",
        "parser.py",
        Cell(_DEP, "Speed", "published features", "times as fast"),
    ),
    Speed(
        "parsing, 82 templates and labels",
        "parser.py",
        Cell(_DEP, "Speed", "82 templates, labels", "times as fast"),
    ),
    Speed(
        "Dawid and Skene",
        "crowd-kit",
        Cell("2026-11-23-crowd", "Dawid and Skene", "62730", "times as fast"),
    ),
)
#: Tokens of the table of growth.
TOKENS = (10_007, 100_012, 1_000_000, 10_000_000)


def growth(column: str) -> list[float]:
    """Return a column of the table of growth, for each number of :data:`TOKENS`."""
    return [Cell("2026-11-21-score", "Growth", str(tokens), column).value for tokens in TOKENS]


def table() -> str:
    """Return the ratios as Markdown, with links to the records."""
    lines = ["| what | beside | times as fast | record |", "|---|---|---|---|"]
    for speed in SPEEDS:
        record = speed.ours.record
        ratio = f"{speed.ratio:.3g}" if speed.ratio < 1000 else f"{speed.ratio:.0f}"
        lines.append(
            f"| {speed.what} | {speed.peer} | {ratio} | [{record}](../benches/record/{record}.md) |"
        )
    return "\n".join(lines)


def page() -> str:
    """Return `benchmarks.md` with the table."""
    return replace_block(PAGE.read_text(encoding="utf-8"), BEGIN, table())


def plots() -> dict[str, str]:
    """Return the plots of the page as SVG, by name of the file in `docs/images`."""
    return {"speed.svg": _speed_plot(), "growth.svg": _growth_plot()}


def _speed_plot() -> str:
    figure, axes = _figure(8.5, 4.2)
    names = [f"{speed.what} ({speed.peer})" for speed in SPEEDS][::-1]
    ratios = [speed.ratio for speed in SPEEDS][::-1]
    bars = axes.barh(names, ratios, color="#0571b0", height=0.7)
    axes.bar_label(bars, [f" {ratio:.0f}x" if ratio >= 10 else f" {ratio:.1f}x" for ratio in ratios])
    axes.set_xscale("log")
    axes.set_xlim(1, 6000)
    axes.set_xlabel("times as fast as the package in brackets (logarithmic scale)")
    return _svg(figure)


def _growth_plot() -> str:
    figure, axes = _figure(6, 3.5)
    for column, name, style in (
        ("files ms", "two column files", "o-"),
        ("lists ms", "lists of tags", "s-"),
        ("ids ms", "arrays of ids", "^-"),
    ):
        axes.plot(TOKENS, growth(column), style, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("tokens")
    axes.set_ylabel("milliseconds")
    axes.legend(frameon=False)
    return _svg(figure)


def _figure(width: float, height: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure) -> str:
    """Return a figure as SVG, whose text is text and in a font of the reader's system."""
    from matplotlib import rc_context

    buffer = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "spanrs", "font.family": "sans-serif"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def main() -> None:
    """Write the table and the plots."""
    PAGE.write_text(page(), encoding="utf-8")
    for name, content in plots().items():
        (DOCS / "images" / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
