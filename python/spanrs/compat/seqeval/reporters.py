"""Reports row by row, as a dictionary or as a table of text (seqeval.reporters)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["DictReporter", "Reporter", "StringReporter"]


class Reporter(abc.ABC):
    """What takes the rows of a report."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: B027
        pass

    @abc.abstractmethod
    def report(self) -> Any:
        """Give the report of all rows written."""
        raise NotImplementedError

    @abc.abstractmethod
    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row."""
        raise NotImplementedError


class DictReporter(Reporter):
    """A report as a dictionary.

    Examples
    --------
    >>> from spanrs.compat.seqeval.reporters import DictReporter
    >>> reporter = DictReporter()
    >>> reporter.write("PER", 1.0, 0.5, 0.67, 2)
    >>> reporter.report()
    {'PER': {'precision': 1.0, 'recall': 0.5, 'f1-score': 0.67, 'support': 2}}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        super().__init__()
        self.report_dict: dict[str, dict[str, Any]] = {}

    def report(self) -> dict[str, dict[str, Any]]:
        """Give name to precision, recall, f1-score and support."""
        return self.report_dict

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row; a name that was there before is written over."""
        row = {"precision": precision, "recall": recall, "f1-score": f1, "support": support}
        self.report_dict[row_name] = row

    def write_blank(self) -> None:
        """Do nothing: a dictionary has no blank rows."""


class StringReporter(Reporter):
    """A report as text.

    Parameters
    ----------
    width : int
        Of the column of names; 10.
    digits : int
        Behind the decimal point; 4.

    Examples
    --------
    >>> from spanrs.compat.seqeval.reporters import StringReporter
    >>> reporter = StringReporter(width=5, digits=2)
    >>> reporter.write("PER", 1.0, 0.5, 0.67, 2)
    >>> reporter.report().splitlines()[-1]
    '  PER       1.00      0.50      0.67         2'
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        super().__init__()
        self.buffer: list[str] = []
        number = " {:>9.{digits}f}"
        self.row_fmt = "{:>{width}s} " + number * 3 + " {:>9}"
        self.width: int = kwargs.get("width", 10)
        self.digits: int = kwargs.get("digits", 4)

    def report(self) -> str:
        """Give the head and all rows."""
        return self.write_header() + "\n".join(self.buffer)

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row."""
        row = (row_name, precision, recall, f1, support)
        self.buffer.append(self.row_fmt.format(*row, width=self.width, digits=self.digits))

    def write_header(self) -> str:
        """Give the line of headings and an empty one."""
        heads = "".join(f" {head:>9}" for head in ("precision", "recall", "f1-score", "support"))
        return f"{'':>{self.width}s} {heads}\n\n"

    def write_blank(self) -> None:
        """Add an empty row."""
        self.buffer.append("")
