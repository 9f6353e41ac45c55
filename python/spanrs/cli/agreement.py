"""``spanrs agreement``."""

from __future__ import annotations

from pathlib import Path

from spanrs.cli import _generated, console
from spanrs.cli.crowd import inputs
from spanrs.cli.output import Output, table_output
from spanrs.crowd.agreement import Agreement, agreement
from spanrs.report.page import Bar, Bars, Card, Cards, Lines, Section, Sorted, render
from spanrs.report.table import Table

#: Titles of the tables in an HTML report, by the heading of the first column.
TITLES = {
    "measure": "Agreement",
    "annotator": "Annotators",
    "type": "Types",
    "annotator 1": "Pairs of annotators",
    "document": "Documents with the lowest agreement",
}


@_generated.agreement
@table_output
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    positions: str,
    gamma: bool,
    samples: int,
    level: float,
    seed: int,
    threads: int,
    plot: str | None,
    measure: str | None,
    output: Output,
) -> None:
    """Measure the agreement of annotators.

    FILE is an export with several annotators, or there is a file or directory for each annotator. Annotators are
    compared on the documents that both saw. F1 of spans: exact; overlap (of the same type); untyped (equal bounds).
    Kappa and alpha compare the sets of types of tokens or characters. Intervals resample the documents. In JSON, F1 is
    a fraction and undefined measures are null.
    """
    output.check(paths, ("--plot", plot))
    source, names = inputs.sources(paths, annotators)
    with console.counting_bar("samples") as bar:
        result = agreement(
            source,
            annotators=names,
            positions=positions,
            gamma=gamma,
            samples=samples,
            level=level,
            seed=seed,
            threads=threads,
            progress=bar,
        )
    output.write(
        {
            "text": result.tables,
            "csv": lambda: result.tables(fractions=True),
            "json": result.to_json,
            "html": lambda: _page(result, ", ".join(Path(path).name for path in paths[:3])),
        }
    )
    if plot is not None:
        result.plot(plot, measure)


def _page(result: Agreement, name: str) -> str:
    """Return an HTML report: measures of all annotators, and tables."""
    parts = result.tables()
    lines = [part for part in parts if isinstance(part, str) and part.strip()]
    sections: list[Section] = []
    for table in (part for part in parts if isinstance(part, Table)):
        title = TITLES[table.columns[0]]
        if title == "Agreement":
            sections.append(Cards(title, [Card(*row) for row in table.rows]))
            continue
        if title == "Annotators" and result.has_spans:
            bars = []
            for row in result.by_annotator:
                interval = row.intervals.get("f1")
                low, high = (None, None) if interval is None else interval
                bars.append(Bar(row.annotator, row.f1, low, high))
            sections.append(Bars("F1 with the other annotators", bars))
        sections.append(Sorted(title, table))
    if lines:
        sections.append(Lines("Notes", lines))
    return render(f"Agreement of annotators: {name}", sections)
