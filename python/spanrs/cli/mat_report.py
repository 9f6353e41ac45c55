"""Computes and writes MATScore's tables for the commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import click

from spanrs.cli import console
from spanrs.cli.output import Output, Rendered
from spanrs.eval.evidence import Skipped
from spanrs.io import atomic_output
from spanrs.mat import Mat, MatTables, tables
from spanrs.mat.csv_files import CONFUSABILITY, DETAILS, FILES, Sheet, detail_rows
from spanrs.mat.files import FilePair
from spanrs.mat.scoring import Sink, refuse_nothing, score_pairs
from spanrs.mat.text import cell_text, render
from spanrs.report.table import Table

#: Minimum number of pairs for a progress bar.
MANY = 100


class MatReport(NamedTuple):
    """Settings of the tables and files to write."""

    output: Output
    title: str
    """Title of the HTML page."""
    details: bool = False
    confusability: bool = False
    kinds: bool = False
    by_document: bool = False
    percent: bool = False
    samples: int = 0
    """Number of resamples for confidence data; 0 for none."""
    seed: int = 0
    threads: int = 1
    csv_directory: Path | None = None
    formulas: str | None = "excel"
    xlsx: Path | None = None
    lenient: bool = False
    """Whether a result is written if nothing was scored."""

    @property
    def prints_tables(self) -> bool:
        """Whether tables are written besides the CSV files."""
        return self.csv_directory is None or self.output.named or self.output.path is not None

    def check(self, pairs: Sequence[FilePair], csv_option: str) -> None:
        """Refuse outputs that cannot be written or would overwrite an input.

        Raises
        ------
        click.UsageError
            As for :func:`spanrs.cli.output_files.check_outputs`; ``csv_option`` names the directory of CSV files.
        """
        if self.xlsx is not None:
            from spanrs.mat.xlsx import writer

            writer()
        inputs = [path for pair in pairs for path in (pair.pred, pair.gold)]
        names = [] if self.csv_directory is None else [*FILES.values(), DETAILS, CONFUSABILITY]
        self.output.check(
            inputs,
            ("--xlsx", self.xlsx),
            *((csv_option, Path(str(self.csv_directory)) / name) for name in names),
        )

    def score(
        self, pairs: Sequence[FilePair], matcher: Mat, tell: Callable[[Skipped], None] | None = None
    ) -> MatTables:
        """Score and return the tables; details and pages are written during scoring, pair by pair.

        ``tell`` is called for each skipped item; by default the message of the item is printed.
        """
        to_html = self.output.to == "html" and self.prints_tables
        # Details that are only written to a CSV file are not kept in memory.
        kept = self.details and (self.xlsx is not None or (self.prints_tables and not to_html))
        with ExitStack() as stack:
            sinks: list[Sink] = []
            if self.details and self.csv_directory is not None and not kept:
                file = stack.enter_context(atomic_output(self.csv_directory / DETAILS))
                add = detail_rows(file)
                sinks.append(lambda scored: add(scored.details()))
            if to_html:
                from spanrs.mat.page import Page

                page = stack.enter_context(Page(self.title))
                sinks.append(page.add)
            result = score_pairs(
                pairs,
                matcher,
                threads=self.threads,
                details=kept,
                sinks=sinks,
                tell=tell or (lambda skipped: console.echo(skipped.message, err=True)),
                progress=stack.enter_context(console.progress_bar(len(pairs), MANY)),
            )
            if not self.lenient:
                refuse_nothing(result, printed=True)
            shown = tables(
                result,
                confidence=self.samples,
                kinds=self.kinds,
                percent=self.percent,
                by_document=self.by_document,
                seed=self.seed,
                threads=self.threads,
            )
            # The notes begin with the messages of the matcher, which have already been printed.
            for note in shown.notes[len(matcher.messages()) :]:
                console.echo(note, err=True)
            if to_html:
                target: Any = console.standard_output() if self.output.to_stdout else self.output.path
                with atomic_output(target) as out:
                    page.write(shown, out)
        return shown

    def write(self, shown: MatTables) -> None:
        """Write all outputs except the HTML page."""
        if self.csv_directory is not None:
            shown.to_csv(self.csv_directory, formulas=self.formulas, confusability=self.confusability)
        if self.xlsx is not None:
            shown.to_xlsx(self.xlsx)
        if self.prints_tables and self.output.to != "html":
            self.output.write(lambda to: _rendered(shown, self.confusability, to))


def skipped_phrase(result: MatTables) -> str | None:
    """Describe the skipped items; None if everything was scored."""
    if not result.counts.documents:
        return "nothing was scored"
    skipped = sum(skipped.pair for skipped in result.skipped)
    if skipped:
        return "1 pair was skipped" if skipped == 1 else f"{skipped} pairs were skipped"
    return "annotations were skipped" if result.skipped else None


def check_csv_directory(option: str, directory: Path | None) -> None:
    """Refuse a directory that does not exist."""
    if directory is not None and not directory.is_dir():
        raise click.UsageError(f"{option} {directory}: the directory does not exist.")


def _rendered(result: MatTables, confusability: bool, to: str) -> Rendered:
    """Return the tables in a format; text has MATScore's layout."""
    if to == "json":
        return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False)
    sheets = result.sheets(confusability)
    return render(sheets) if to == "text" else _tables(sheets, to)


def _tables(sheets: Iterable[Sheet], to: str) -> Iterator[Table | str]:
    """Yield sheets as tables; numbers in CSV are not rounded."""
    for _, title, sheet in sheets:
        table = Table(sheet.columns, title=title)
        for row in sheet.rows:
            table.add_row(
                *(str(cell) if to == "csv" and cell is not None else cell_text(cell) for cell in row)
            )
        yield table
