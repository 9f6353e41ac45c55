"""What MATScore's scoring comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

from spanrs.errors import SchemeError
from spanrs.eval.made import Made
from spanrs.eval.result import merged_settings
from spanrs.mat.rules import TABLES, check
from spanrs.mat.tables import ALL, Confusability, Frames, Row, Table, columns
from spanrs.mat.tallies import Spread, Tallies

#: Spreads of a table: of all labels together, and of each.
Spreads = tuple[list[Spread], dict[str, list[Spread]]]


class Detail(NamedTuple):
    """A pair of annotations, or one without a partner."""

    file: str
    """Base name of pred's file."""
    type: str
    """What pred's annotation is to gold's: match, missing, spurious, or a kind of clash."""
    reflabel: str | None
    refstart: int | None
    refend: int | None
    hyplabel: str | None
    hypstart: int | None
    hypend: int | None
    refcontent: str | None
    """The text between start and end."""
    hypcontent: str | None


@dataclass(frozen=True)
class DetailTable(Frames):
    """Details as a table: :attr:`columns`, :attr:`rows`, and frames."""

    details: list[Detail]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return Detail._fields

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The details; None where a side has no annotation."""
        return list(self.details)


class Skipped(NamedTuple):
    """A pair of files, or an annotation, that was not scored."""

    file: str
    """The file at fault."""
    message: str
    """What is wrong, with its place."""
    pair: bool
    """True where the whole pair of documents was left out, False for an annotation."""


@dataclass(frozen=True, repr=False)
class MatResult(Made):
    """What :func:`spanrs.mat.score` gives.

    Tables have MATScore's columns and rows; measures are fractions unless ``percent`` was asked for.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.io import Annotation, Document
    >>> text = "the future President of the United States"
    >>> gold = Document(text, [Annotation("NP", 11, 40)])
    >>> pred = Document(text, [Annotation("NP", 3, 32)])
    >>> result = spanrs.mat.score(gold, pred)
    >>> row = result.pseudo_token["NP"]
    >>> row["test pseudo-toks"], row["match"], row["missing"], row["spurious"]
    (9, 4, 2, 1)
    """

    tallies: Tallies
    """The counts."""
    settings: Mapping[str, str]
    """How the result was made, by name; :attr:`signature` is the same in one line."""
    details: list[Detail] | None = None
    """Every pair in the order of the documents, where they were asked for."""
    skipped: list[Skipped] = field(default_factory=list)
    """What was not scored, and why."""
    notes: list[str] = field(default_factory=list)
    """What else is to be known, such as why there is no table of tokens."""
    spreads: Mapping[str, Spreads] | None = None
    """Confidence: by table the spreads of the measures, where they were asked for."""
    files: list[tuple[str, Tallies]] | None = None
    """The counts of each document, where rows of files were asked for."""
    kinds: bool = False
    """Tables of annotations say the kinds of clashes."""
    percent: bool = False
    """Measures are per cent."""
    misplaced: bool = False
    """Annotations are not aligned with tokens, so that there is no table of tokens."""

    @property
    def tables(self) -> list[str]:
        """The tables there are, in order."""
        asked = self.settings["tables"].split(",")
        return [name for name in TABLES if name in asked and (name != "token" or self._has_tokens)]

    @property
    def _has_tokens(self) -> bool:
        return not self.misplaced and self.tallies.size("token") > 0

    def table(self, name: str) -> Table:
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
        if name not in self.tables:
            asked = name in self.settings["tables"].split(",")
            why = " ".join(self.notes) if asked else "it was not asked for"
            raise LookupError(f"there is no table of {name}s: {why}")
        rows: list[Row] = []
        for block, (file, tallies) in enumerate(self.files or ()):
            rows += self._rows(name, tallies, file, block)
        rows += self._rows(name, self.tallies, None, None)
        names = columns(
            name, kinds=self.kinds, confidence=self.spreads is not None, files=self.files is not None
        )
        return Table(name, names, rows, self.percent)

    def _rows(self, table: str, tallies: Tallies, file: str | None, block: int | None) -> list[Row]:
        total, by_label = (None, {}) if self.spreads is None or file is not None else self.spreads[table]
        shared = (tallies.documents, tallies.size(table))
        rows = [
            Row(
                label, counts, tallies.kinds.get(label, NO_KINDS), *shared, by_label.get(label), file, block
            )
            for label, counts in sorted(tallies.rows[table].items())
        ]
        rows.append(
            Row(ALL, tallies.total(table), tallies.all_kinds(), *shared, total, file, block, together=True)
        )
        return rows

    @cached_property
    def tag(self) -> Table:
        """Scores of annotations."""
        return self.table("tag")

    @cached_property
    def token(self) -> Table:
        """Scores of tokens; LookupError where there are none."""
        return self.table("token")

    @cached_property
    def pseudo_token(self) -> Table:
        """Scores of what white space and bounds of annotations leave together."""
        return self.table("pseudo_token")

    @cached_property
    def character(self) -> Table:
        """Scores of characters."""
        return self.table("character")

    @cached_property
    def confusability(self) -> Confusability:
        """Pairs with the same span, by label of gold and of pred."""
        labels = tuple(sorted(self.tallies.rows["tag"]))
        confusion = self.tallies.confusion
        return Confusability(labels, [[confusion[gold, pred] for gold in labels] for pred in labels])

    def __add__(self, other: MatResult) -> MatResult:
        """Add a result made in the same way on other documents.

        Confidence is not additive: the sum has none.

        Raises
        ------
        spanrs.errors.SchemeError
            Where the signatures differ.
        """
        if not isinstance(other, MatResult):
            return NotImplemented
        mine, its = ({k: v for k, v in r.settings.items() if k not in DRAWN} for r in (self, other))
        if (self.kinds, self.percent) != (other.kinds, other.percent):
            raise SchemeError("results differ in percent or in the kinds of clashes; make them alike")
        tallies = Tallies()
        tallies.add(self.tallies)
        tallies.add(other.tallies)
        both = self.details is not None and other.details is not None
        return replace(
            self,
            tallies=tallies,
            settings=merged_settings(mine, its),
            details=[*(self.details or ()), *(other.details or ())] if both else None,
            skipped=self.skipped + other.skipped,
            notes=[
                note
                for note in dict.fromkeys(self.notes + other.notes)
                if note != NO_TOKENS or tallies.size("token") == 0
            ],
            spreads=None,
            files=None if self.files is None or other.files is None else self.files + other.files,
            misplaced=self.misplaced or other.misplaced,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dictionaries, lists, strings and numbers.

        Returns
        -------
        dict
            ``tables`` (name to a list of rows, by column), ``confusability`` (``labels`` and ``counts``, a
            list for each label of pred), ``details`` where they were asked for, ``skipped``, ``notes``,
            ``signature``.
        """
        plain: dict[str, Any] = {
            "tables": {name: list(self.table(name).dicts()) for name in self.tables},
            "confusability": {
                "labels": list(self.confusability.labels),
                "counts": self.confusability.counts,
            },
        }
        if self.details is not None:
            plain["details"] = [detail._asdict() for detail in self.details]
        return plain | {
            "skipped": [skipped._asdict() for skipped in self.skipped],
            "notes": self.notes,
            "signature": self.signature,
        }

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
        from spanrs.report.mat_csv import write

        return write(self, folder, formulas=formulas, confusability=confusability)

    def to_xlsx(self, path: str | PathLike[str]) -> None:
        """Write a workbook with a sheet for each table and live formulas.

        Raises
        ------
        ImportError
            Where xlsxwriter is not installed (``pip install spanrs[excel]``).
        """
        from spanrs.report.mat_xlsx import write

        write(self, path)

    @property
    def detail_table(self) -> DetailTable:
        """The details with columns and rows, for frames; LookupError where they were not asked for."""
        if self.details is None:
            raise LookupError("there are no details: they were not asked for")
        return DetailTable(self.details)

    def __repr__(self) -> str:
        row = self.tag[ALL]
        values = ", ".join(f"{name} {row[name]:.4f}" for name in ("precision", "recall", "fmeasure"))
        return f"<MatResult {values}, {self.signature}>"

    def __str__(self) -> str:
        from spanrs.report.mat_text import render

        return render(self)


#: What is said where a table of tokens cannot be made.
NO_TOKENS = "Skipping token scoring because no tokens were found in the input documents."
#: Clashes of a label that has none.
NO_KINDS = ([0] * 7, [0] * 7)
#: Settings of resampling.
DRAWN = ("samples", "seed")
