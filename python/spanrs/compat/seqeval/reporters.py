"""Reports built row by row, as a dictionary or a text table (seqeval.reporters)."""

from __future__ import annotations

import abc
from typing import Any

from spanrs.compat._naming import export


class Reporter(abc.ABC):
    """Base class of reporters."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: B027
        pass

    @abc.abstractmethod
    def report(self) -> Any:
        """Return the report with all rows."""

    @abc.abstractmethod
    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row; a :class:`DictReporter` replaces a row of the same name."""


class DictReporter(Reporter):
    """A report as a dictionary.

    Examples
    --------
    >>> reporter = DictReporter()
    >>> reporter.write("PER", 1.0, 0.5, 0.67, 2)
    >>> reporter.report()
    {'PER': {'precision': 1.0, 'recall': 0.5, 'f1-score': 0.67, 'support': 2}}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        super().__init__()
        self.report_dict: dict[str, dict[str, Any]] = {}

    def report(self) -> dict[str, dict[str, Any]]:
        """Return the rows by name."""
        return self.report_dict

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row, or replace the row of the same name."""
        row = {"precision": precision, "recall": recall, "f1-score": f1, "support": support}
        self.report_dict[row_name] = row

    def write_blank(self) -> None:
        """Do nothing: a dictionary has no blank rows."""


class StringReporter(Reporter):
    """A report as text; ``width`` (10) is the width of the column of names, ``digits`` (4) the number of decimals."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        super().__init__()
        self.buffer: list[str] = []
        self.row_fmt = "{:>{width}s} " + " {:>9.{digits}f}" * 3 + " {:>9}"
        self.width: int = kwargs.get("width", 10)
        self.digits: int = kwargs.get("digits", 4)

    def report(self) -> str:
        """Return the header and all rows."""
        return self.write_header() + "\n".join(self.buffer)

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row."""
        row = (row_name, precision, recall, f1, support)
        self.buffer.append(self.row_fmt.format(*row, width=self.width, digits=self.digits))

    def write_header(self) -> str:
        """Return the line of headings and an empty line."""
        heads = "".join(f" {head:>9}" for head in ("precision", "recall", "f1-score", "support"))
        return f"{'':>{self.width}s} {heads}\n\n"

    def write_blank(self) -> None:
        """Add an empty row."""
        self.buffer.append("")


export(globals())
