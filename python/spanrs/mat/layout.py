"""MATScore's tables as a data structure."""

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
    """MATScore's tables. Returned by :func:`spanrs.mat.tables`.

    Tables have MATScore's columns and rows; measures are fractions unless ``percent`` is set.
    """

    counts: LabelCounts
    """The counts by label."""
    settings: Mapping[str, str]
    """Settings of the tables by name; :attr:`signature` contains the same settings on one line."""
    details: list[AnnotationPair] | None = None
    """All pairs in the order of the documents, if requested."""
    skipped: list[Skipped] = field(default_factory=list)
    """Items that were not scored, with the reason."""
    notes: list[str] = field(default_factory=list)
    """Further notes, such as why there is no table of tokens."""
    spreads: Mapping[str, Spreads] | None = None
    """Confidence data: the spreads of the measures by table, if requested."""
    files: list[tuple[str, LabelCounts]] | None = None
    """The counts of each document, if per-file rows were requested."""
    kinds: bool = False
    """Whether tables of annotations have a column for each kind of clash."""
    percent: bool = False
    """Whether measures are in per cent."""

    @property
    def signature(self) -> str:
        """Settings of the tables on one line."""
        return signature(self.settings)

    @property
    def names(self) -> list[str]:
        """Names of the available tables, in order."""
        has_tokens = self.counts.elements["token"] > 0 and not self.counts.misplaced
        return [name for name in TABLES if self._asked(name) and (name != "token" or has_tokens)]

    def _asked(self, name: str) -> bool:
        return name in self.settings["tables"].split(",")

    def table(self, name: str) -> ScoreTable:
        """Return a table of scores.

        Parameters
        ----------
        name : str
            ``tag``, ``token``, ``pseudo_token`` or ``character``.

        Raises
        ------
        ValueError
            If the name is unknown.
        LookupError
            If the table was not requested, or there are no tokens.
        """
        check("table", [name], TABLES)
        if name not in self.names:
            why = " ".join(self.notes) if self._asked(name) else "it was not requested"
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
        """Scores of tokens; raises LookupError if there are no tokens."""
        return self.table("token")

    @cached_property
    def pseudo_token(self) -> ScoreTable:
        """Scores of pseudo-tokens: text between white space and annotation boundaries."""
        return self.table("pseudo_token")

    @cached_property
    def character(self) -> ScoreTable:
        """Scores of characters."""
        return self.table("character")

    @cached_property
    def confusability(self) -> Confusability:
        """Number of pairs with the same span, by gold and pred label."""
        labels = tuple(sorted(self.counts.rows["tag"]))
        confusion = self.counts.confusion
        return Confusability(labels, [[confusion[gold, pred] for gold in labels] for pred in labels])

    def to_dict(self) -> dict[str, Any]:
        """Return all content as plain dictionaries, lists, strings and numbers.

        Returns
        -------
        dict
            ``tables`` (for each name a list of rows, as dicts by column), ``confusability`` (``labels`` and ``counts``,
            a list for each label of pred), ``details`` if requested, ``skipped``, ``notes``, ``signature``.
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
        """The details as a table; raises LookupError if details were not requested."""
        if self.details is None:
            raise LookupError("there are no details: they were not requested")
        return DetailTable(self.details)

    def sheets(self, confusability: bool = True) -> Iterator[csv_files.Sheet]:
        """Return all tables with the names of their CSV files and their titles."""
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
            An existing directory.
        formulas : str or None
            ``excel`` (arguments separated by commas), ``openoffice`` (by semicolons), or None for values.
        confusability : bool
            Whether to write ``confusability.csv``.

        Returns
        -------
        list of str
            The names of the files written, among ``bytag.csv``, ``bytoken.csv``, ``bypseudotoken.csv``,
            ``bychar.csv``, ``details.csv`` and ``confusability.csv``; files without content are not written.

        Raises
        ------
        OSError
            If a file cannot be written; each file is written atomically.
        """
        return csv_files.write(self.sheets(confusability), folder, formulas)

    def to_xlsx(self, path: str | PathLike[str]) -> None:
        """Write a workbook with a sheet for each table and live formulas.

        Raises
        ------
        ImportError
            If xlsxwriter is not installed (``pip install spanrs[excel]``).
        """
        from spanrs.mat.xlsx import write

        write(self.sheets(), path)

    def __repr__(self) -> str:
        row = self.tag[ALL]
        values = ", ".join(f"{name} {row[name]:.4f}" for name in ("precision", "recall", "fmeasure"))
        return f"<MatTables {values}, {self.signature}>"

    def __str__(self) -> str:
        return render(self.sheets())
