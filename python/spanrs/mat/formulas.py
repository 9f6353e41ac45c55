"""Tables of scores as cells of a spreadsheet: numbers where something was counted, formulas elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from spanrs.report.numbers import safe_cell

if TYPE_CHECKING:
    from spanrs.mat.tables import Row, ScoreTable

#: A call of SUM takes so many references in every spreadsheet.
MOST = 20
#: Columns that are text, and those whose numbers are the same in all rows of a file.
TEXTS = ("file", "tag")
SIZES = ("test toks", "test pseudo-toks", "test chars")


def cells(table: ScoreTable, separator: str | None) -> list[list[Any]]:
    """Give the rows of a table below its header.

    Parameters
    ----------
    table : spanrs.mat.ScoreTable
        The scores.
    separator : str or None
        Between the arguments of a function: ``,`` for Excel, ``;`` for OpenOffice; None for values.

    Returns
    -------
    list of list
        Strings, numbers and None. Formulas refer to cells of a sheet that has the header in row 1.
    """
    values = [[_safe(value) for value in row] for row in table.rows]
    if separator is None:
        return values
    sheet = _Sheet(table, separator)
    return [
        [sheet.cell(at, name, value) for name, value in zip(table.columns, row, strict=True)]
        for at, row in enumerate(values)
    ]


def _safe(value: Any) -> Any:
    return safe_cell(value) if isinstance(value, str) else value


class _Sheet:
    """Formulas of a table's cells."""

    def __init__(self, table: ScoreTable, separator: str) -> None:
        self.columns = {name: letters(place) for place, name in enumerate(table.columns)}
        self.lines = table.lines
        self.separator = separator
        self.unit = 100 if table.percent else 1
        self.size = next(name for name in SIZES if name in self.columns)
        # What a row of sums is the sum of: the labels of its document; for labels of the corpus those of
        # all documents; for all labels of the corpus the documents' rows of all labels, if there are any.
        self.of_files: dict[str | None, list[int]] = {}
        self.of_labels: dict[int | None, list[int]] = {}
        for at, line in enumerate(table.lines):
            if line.file is not None:
                self.of_files.setdefault(_label(line), []).append(at)
            if not line.together:
                self.of_labels.setdefault(line.block, []).append(at)
        self.formulas: dict[str, Callable[[int], str]] = self._derived()

    def cell(self, at: int, name: str, value: Any) -> Any:
        """Give what stands in a cell."""
        if name in TEXTS or name == "test docs" or name.endswith(("_mean", "_variance", "_stddev")):
            return value
        line = self.lines[at]
        if name in self.formulas:
            return self.formulas[name](at)
        if name == self.size:
            # In every row the whole text: that of the corpus is that of its files.
            files = self.of_files.get(None)
            return self.total(name, files) if files and line.file is None else value
        rows = self._summands(line)
        return value if rows is None else self.total(name, rows)

    def _summands(self, line: Row) -> list[int] | None:
        if line.file is None and self.of_files:
            return self.of_files.get(_label(line), [])
        return self.of_labels.get(line.block, []) if line.together else None

    def at(self, name: str, row: int) -> str:
        """Give the name of a cell."""
        return f"{self.columns[name]}{row + 2}"

    def total(self, name: str, rows: list[int]) -> Any:
        """Give the sum of cells of one column."""
        column = self.columns[name]
        references = [
            f"{column}{first + 2}" if first == last else f"{column}{first + 2}:{column}{last + 2}"
            for first, last in runs(rows)
        ]
        return f"={self.sum(references)}" if references else 0

    def sum(self, references: list[str]) -> str:
        """Give a call of SUM, nested where there are too many references for one."""
        while len(references) > MOST:
            parts = (references[at : at + MOST] for at in range(0, len(references), MOST))
            references = [f"SUM({self.separator.join(part)})" for part in parts]
        return f"SUM({self.separator.join(references)})"

    def _derived(self) -> dict[str, Callable[[int], str]]:
        """Give the formulas that look only at their own row."""
        sep, one = self.separator, self.unit

        def both(*names: str) -> Callable[[int], str]:
            def formula(row: int) -> str:
                places = sorted(list(self.columns).index(name) for name in names)
                found = [
                    f"{letters(first)}{row + 2}"
                    if first == last
                    else f"{letters(first)}{row + 2}:{letters(last)}{row + 2}"
                    for first, last in runs(places)
                ]
                return f"={self.sum(found)}"

            return formula

        def ratio(total: str, nothing: str) -> Callable[[int], str]:
            def formula(row: int) -> str:
                match, whole = self.at("match", row), self.at(total, row)
                scaled = match if one == 1 else f"{one} * {match}"
                return f"=IF({whole} = 0{sep}{nothing}{sep}IF({match} = 0{sep}0.0{sep}{scaled} / {whole}))"

            return formula

        def fmeasure(row: int) -> str:
            p, r = self.at("precision", row), self.at("recall", row)
            return f"=IF(({p} + {r}) = 0{sep}0.0{sep}2.0 * (({p} * {r}) / ({p} + {r})))"

        def accuracy(*wrong: str) -> Callable[[int], str]:
            def formula(row: int) -> str:
                size = self.at(self.size, row)
                right = " - ".join([size, *(self.at(name, row) for name in wrong)])
                share = f"({right})/{size}"
                return f"={share}" if one == 1 else f"={one} * {share}"

            return formula

        def rest(name: str) -> Callable[[int], str]:
            return lambda row: f"=({one} - {self.at(name, row)})"

        return {
            "refonly": both("refclash", "missing"),
            "reftotal": both("match", "refonly"),
            "hyponly": both("hypclash", "spurious"),
            "hyptotal": both("match", "hyponly"),
            "precision": ratio("hyptotal", "1.00" if one == 1 else "100.0"),
            "recall": ratio("reftotal", "1.0" if one == 1 else "100.0"),
            "fmeasure": fmeasure,
            "tag_sensitive_accuracy": accuracy("missing", "spurious", "refclash"),
            "tag_sensitive_error_rate": rest("tag_sensitive_accuracy"),
            "tag_blind_accuracy": accuracy("missing", "spurious"),
            "tag_blind_error_rate": rest("tag_blind_accuracy"),
        }


def _label(line: Row) -> str | None:
    """Give the label of a row; None for all labels together."""
    return None if line.together else line.tag


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Give the first and last of each run of consecutive numbers.

    Examples
    --------
    >>> from spanrs.mat.formulas import runs
    >>> runs([2, 3, 4, 7])
    [(2, 4), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def letters(place: int) -> str:
    """Give the name of a column, from 0.

    Examples
    --------
    >>> from spanrs.mat.formulas import letters
    >>> letters(0), letters(25), letters(26), letters(701), letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
