"""Tables of scores as spreadsheet cells: counts as numbers, everything else as formulas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from spanrs.mat.tables import ELEMENTS, KINDS, ScoreTable
from spanrs.report.numbers import safe_cell

if TYPE_CHECKING:
    from spanrs.report.frames import Tabular

#: Maximum number of arguments of SUM that all spreadsheet programs accept.
MOST = 20
#: Columns that are summed in the rows for all labels and for all files.
SUMMED = {"match", "refclash", "missing", "hypclash", "spurious", *KINDS}
#: Formulas within one row, with column names as placeholders of cells; ``size`` is the number of elements.
FORMULAS = {
    "refonly": "=SUM({refclash}:{missing})",
    "reftotal": "=SUM({match}{sep}{refonly})",
    "hyponly": "=SUM({hypclash}:{spurious})",
    "hyptotal": "=SUM({match}{sep}{hyponly})",
    "precision": (
        "=IF({hyptotal} = 0{sep}{no_hyp}{sep}IF({match} = 0{sep}0.0{sep}{scale}{match} / {hyptotal}))"
    ),
    "recall": "=IF({reftotal} = 0{sep}{no_ref}{sep}IF({match} = 0{sep}0.0{sep}{scale}{match} / {reftotal}))",
    "fmeasure": (
        "=IF(({precision} + {recall}) = 0{sep}0.0{sep}"
        "2.0 * (({precision} * {recall}) / ({precision} + {recall})))"
    ),
    "tag_sensitive_accuracy": "={scale}({size} - {missing} - {spurious} - {refclash})/{size}",
    "tag_sensitive_error_rate": "=({whole} - {tag_sensitive_accuracy})",
    "tag_blind_accuracy": "={scale}({size} - {missing} - {spurious})/{size}",
    "tag_blind_error_rate": "=({whole} - {tag_blind_accuracy})",
}
#: Constants of the formulas, for fractions and for per cent.
FRACTIONS = {"whole": "1", "scale": "", "no_hyp": "1.00", "no_ref": "1.0"}
PER_CENT = {"whole": "100", "scale": "100 * ", "no_hyp": "100.0", "no_ref": "100.0"}


def cells(table: Tabular, separator: str | None) -> list[list[Any]]:
    """Return the rows of a table, without the header.

    Parameters
    ----------
    table : spanrs.mat.ScoreTable, Confusability or DetailTable
        The table; only tables of scores have formulas.
    separator : str or None
        Separator of function arguments: ``,`` for Excel, ``;`` for OpenOffice; None for values.

    Returns
    -------
    list of list
        Strings, numbers and None. Formulas refer to cells of a sheet with the header in row 1.
    """
    rows = [list(map(safe_cell, row)) for row in table.rows]
    if separator is None or not isinstance(table, ScoreTable):
        return rows
    size = ELEMENTS[table.name]
    columns = {name: letters(place) for place, name in enumerate(table.columns)}
    words = {"sep": separator} | (PER_CENT if table.percent else FRACTIONS)
    by_document = table.lines[0].file is not None
    # Rows to sum: rows of documents by label (None: all labels), and rows of labels by document (None: all documents).
    # The rows with sums follow the rows to sum.
    summands: defaultdict[tuple[str, str | int | None], list[int]] = defaultdict(list)
    for at, (row, line) in enumerate(zip(rows, table.lines, strict=True), 2):
        label = None if line.together else line.tag
        of_documents = by_document and line.file is None
        key = ("label", label) if of_documents else ("document", line.block)
        places = {name: f"{column}{at}" for name, column in columns.items()}
        for place, name in enumerate(table.columns):
            if name in FORMULAS:
                row[place] = FORMULAS[name].format(size=places[size], **words, **places)
            elif name in SUMMED and (of_documents or line.together):
                row[place] = total(columns[name], summands[key], separator)
            elif name == size and of_documents:
                # Every row has the size of the whole text: for the corpus, the sum over the files.
                row[place] = total(columns[name], summands["label", None], separator)
        if line.file is not None:
            summands["label", label].append(at)
        if not line.together:
            summands["document", line.block].append(at)
    return rows


def total(column: str, rows: list[int], separator: str) -> Any:
    """Return a formula for the sum of cells of one column; SUM is nested if there are too many references."""
    references = [
        f"{column}{first}" if first == last else f"{column}{first}:{column}{last}"
        for first, last in runs(rows)
    ]
    while len(references) > MOST:
        parts = (references[at : at + MOST] for at in range(0, len(references), MOST))
        references = [f"SUM({separator.join(part)})" for part in parts]
    return f"=SUM({separator.join(references)})" if references else 0


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of consecutive numbers.

    Examples
    --------
    >>> from spanrs.mat.formulas import runs
    >>> runs([2, 3, 4, 7])
    [(2, 4), (7, 7)]
    """
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def letters(place: int) -> str:
    """Return the letters of a spreadsheet column, given its index from 0.

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
