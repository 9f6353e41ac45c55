"""MATScore's tables as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from spanrs.caching import cached_property
from spanrs.eval.evidence import Skipped
from spanrs.eval.settings import signature
from spanrs.mat import csv_files
from spanrs.mat.confidence import Spreads
from spanrs.mat.details import AnnotationPair, DetailTable
from spanrs.mat.label_counts import LabelCounts
from spanrs.mat.matcher import TABLES, check
from spanrs.mat.tables import ALL, Confusability, Row, ScoreTable, columns
from spanrs.mat.text import render


@dataclass(frozen=True, repr=False)
class MatTables:
    """MATScore's tables. Made by :func:`spanrs.mat.tables`.

    Tables have MATScore's columns and rows; measures are fractions unless ``percent`` was asked for.
    """

    counts: LabelCounts
    """The counts by label."""
    settings: Mapping[str, str]
    """How the tables were made, by name; :attr:`signature` is the same in one line."""
    details: list[AnnotationPair] | None = None
    """Every pair in the order of the documents, where they were asked for."""
    skipped: list[Skipped] = field(default_factory=list)
    """What was not scored, and why."""
    notes: list[str] = field(default_factory=list)
    """What else is to be known, such as why there is no table of tokens."""
    spreads: Mapping[str, Spreads] | None = None
    """Confidence: by table the spreads of the measures, where they were asked for."""
    files: list[tuple[str, LabelCounts]] | None = None
    """The counts of each document, where rows of files were asked for."""
    kinds: bool = False
    """Tables of annotations say the kinds of clashes."""
    percent: bool = False
    """Measures are per cent."""

    @property
    def signature(self) -> str:
        """How the tables were made."""
        return signature(self.settings)

    @property
    def names(self) -> list[str]:
        """The tables there are, in order."""
        has_tokens = self.counts.elements["token"] > 0 and not self.counts.misplaced
        return [name for name in TABLES if self._asked(name) and (name != "token" or has_tokens)]

    def _asked(self, name: str) -> bool:
        return name in self.settings["tables"].split(",")

    def table(self, name: str) -> ScoreTable:
        """Give a table of scores.

        Parameters
        ----------
        name : str
            ``tag``, ``token``, ``pseudo_token`` or ``character``.

        Raises
        ------
        ValueError
            For a name that is none of these.
        LookupError
            Where the table was not asked for, or there are no tokens to make it of.
        """
        check("table", [name], TABLES)
        if name not in self.names:
            why = " ".join(self.notes) if self._asked(name) else "it was not asked for"
            raise LookupError(f"there is no table of {name}s: {why}")
        rows: list[Row] = []
        for block, (file, counts) in enumerate(self.files or ()):
            rows += self._rows(name, counts, file, block)
        rows += self._rows(name, self.counts, None, None)
        names = columns(
            name, kinds=self.kinds, confidence=self.spreads is not None, files=self.files is not None
        )
        return ScoreTable(name, names, rows, self.percent)

    def _rows(self, table: str, counts: LabelCounts, file: str | None, block: int | None) -> Iterator[Row]:
        total, by_label = (None, {}) if self.spreads is None or file is not None else self.spreads[table]
        shared = (counts.documents, counts.elements[table])
        for label, row in sorted(counts.rows[table].items()):
            yield Row(label, row, *shared, by_label.get(label), file, block)
        yield Row(ALL, counts.total(table), *shared, total, file, block, together=True)

    @cached_property
    def tag(self) -> ScoreTable:
        """Scores of annotations."""
        return self.table("tag")

    @cached_property
    def token(self) -> ScoreTable:
        """Scores of tokens; LookupError where there are none."""
        return self.table("token")

    @cached_property
    def pseudo_token(self) -> ScoreTable:
        """Scores of what white space and bounds of annotations leave together."""
        return self.table("pseudo_token")

    @cached_property
    def character(self) -> ScoreTable:
        """Scores of characters."""
        return self.table("character")

    @cached_property
    def confusability(self) -> Confusability:
        """Pairs with the same span, by label of gold and of pred."""
        labels = tuple(sorted(self.counts.rows["tag"]))
        confusion = self.counts.confusion
        return Confusability(labels, [[confusion[gold, pred] for gold in labels] for pred in labels])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dictionaries, lists, strings and numbers.

        Returns
        -------
        dict
            ``tables`` (name to a list of rows, by column), ``confusability`` (``labels`` and ``counts``, a
            list for each label of pred), ``details`` where they were asked for, ``skipped``, ``notes``,
            ``signature``.
        """
        pairs = self.confusability
        plain: dict[str, Any] = {
            "tables": {name: list(self.table(name).dicts()) for name in self.names},
            "confusability": {"labels": list(pairs.labels), "counts": pairs.counts},
        }
        if self.details is not None:
            plain["details"] = [detail._asdict() for detail in self.details]
        return plain | {
            "skipped": [skipped._asdict() for skipped in self.skipped],
            "notes": self.notes,
            "signature": self.signature,
        }

    @property
    def detail_table(self) -> DetailTable:
        """The details with columns and rows, for frames; LookupError where they were not asked for."""
        if self.details is None:
            raise LookupError("there are no details: they were not asked for")
        return DetailTable(self.details)

    def sheets(self, confusability: bool = True) -> Iterator[csv_files.Sheet]:
        """Give all tables for any writer, each with the name of its CSV file and its title."""
        for name in self.names:
            yield csv_files.FILES[name], f"By {name.replace('_', '-')}", self.table(name)
        if self.details is not None:
            yield csv_files.DETAILS, "Details", self.detail_table
        if confusability:
            yield csv_files.CONFUSABILITY, "Confusability matrix", self.confusability

    def to_csv(
        self,
        folder: str | PathLike[str],
        *,
        formulas: str | None = "excel",
        confusability: bool = True,
    ) -> list[str]:
        """Write the tables as CSV files under MATScore's names.

        Parameters
        ----------
        folder : path
            A directory that is there.
        formulas : str or None
            ``excel`` (arguments separated by commas), ``openoffice`` (by semicolons), or None for values.
        confusability : bool
            Whether to write ``confusability.csv``.

        Returns
        -------
        list of str
            The names of the files: ``bytag.csv``, ``bytoken.csv``, ``bypseudotoken.csv``, ``bychar.csv``,
            ``details.csv``, ``confusability.csv``; those that there are.

        Raises
        ------
        OSError
            Where they cannot be written; a file is there whole or not at all.
        """
        return csv_files.write(self.sheets(confusability), folder, formulas)

    def to_xlsx(self, path: str | PathLike[str]) -> None:
        """Write a workbook with a sheet for each table and live formulas.

        Raises
        ------
        ImportError
            Where xlsxwriter is not installed (``pip install spanrs[excel]``).
        """
        from spanrs.mat.xlsx import write

        write(self.sheets(), path)

    def __repr__(self) -> str:
        row = self.tag[ALL]
        values = ", ".join(f"{name} {row[name]:.4f}" for name in ("precision", "recall", "fmeasure"))
        return f"<MatTables {values}, {self.signature}>"

    def __str__(self) -> str:
        return render(self.sheets())
