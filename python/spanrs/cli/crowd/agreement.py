"""``spanrs crowd agreement``."""

from __future__ import annotations

from pathlib import Path

from spanrs.cli import _generated
from spanrs.cli.crowd import inputs
from spanrs.cli.output import Output, table_output
from spanrs.crowd.agreement import MOST_PAIRS, Agreement
from spanrs.report.page import Bar, Bars, Card, Cards, Lines, Section, Sorted, render
from spanrs.report.table import Table

#: Titles of the tables in an HTML report, by the heading of the first column.
TITLES = {
    "measure": "Agreement",
    "annotator": "Annotators",
    "type": "Types",
    "annotator 1": "Pairs of annotators",
}


@_generated.crowd_agreement
@table_output
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    plot: str | None,
    measure: str | None,
    output: Output,
) -> None:
    """Measure the agreement of annotators.

    For each pair of annotators: F1 of spans and Cohen's kappa of tokens. For all annotators: Fleiss' kappa and
    Krippendorff's alpha of tokens, and Krippendorff's alpha for unitizing (spans of the sentences that all labelled).
    In JSON, F1 is a fraction and undefined measures are null.
    """
    output.check(paths, ("--plot", plot))
    agreement = Agreement(inputs.read_corpus(paths, annotators))
    output.write(
        {
            "text": lambda: agreement.tables(MOST_PAIRS),
            "csv": lambda: agreement.tables(fractions=True),
            "json": agreement.to_json,
            "html": lambda: _page(agreement, ", ".join(Path(path).name for path in paths[:3])),
        }
    )
    if plot is not None:
        agreement.plot(plot, measure)


def _page(agreement: Agreement, name: str) -> str:
    """Return an HTML report: measures of all annotators, tables, and a heat map of pairs."""
    parts = agreement.tables(MOST_PAIRS)
    lines = [part for part in parts if isinstance(part, str) and part.strip()]
    sections: list[Section] = []
    for table in (part for part in parts if isinstance(part, Table)):
        title = TITLES[table.columns[0]]
        if title == "Agreement":
            sections.append(Cards(title, [Card(*row) for row in table.rows]))
            continue
        if title == "Annotators":
            bars = [Bar(name, f1) for name, (f1, _) in agreement.by_annotator().items()]
            sections.append(Bars("F1 with the other annotators", bars))
        sections.append(Sorted(title, table))
    if lines:
        sections.append(Lines("Notes", lines))
    return render(f"Agreement of annotators: {name}", sections)
