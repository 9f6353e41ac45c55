"""Formatting of numbers."""

from __future__ import annotations

import math
from typing import Any


def amount(number: float) -> str:
    """Format a number of spans, tokens or sentences, which is fractional if documents are weighted.

    Examples
    --------
    >>> from spanrs.report.numbers import amount
    >>> amount(3), amount(0.1 + 0.2)
    ('3', '0.30')
    """
    return str(number) if isinstance(number, int) else f"{number:.2f}"


def safe_cell(cell: Any) -> Any:
    """Escape text that a spreadsheet would interpret as a formula; return other values unchanged.

    Examples
    --------
    >>> from spanrs.report.numbers import safe_cell
    >>> safe_cell("PER"), safe_cell("=1+1"), safe_cell(-1)
    ('PER', "'=1+1", -1)
    """
    if not isinstance(cell, str):
        return cell
    # Spreadsheets skip leading white space.
    formula = cell.lstrip().startswith(("=", "+", "-", "@")) or cell.startswith(("\t", "\r", "\n"))
    return f"'{cell}" if formula else cell


def percent(value: float) -> str:
    """Format a fraction in per cent; NaN as ``-``.

    Examples
    --------
    >>> from spanrs.report.numbers import percent
    >>> percent(0.5), percent(float("nan"))
    ('50.00', '-')
    """
    return "-" if math.isnan(value) else f"{100 * value:.2f}"


def percent_range(low: float, high: float) -> str:
    """Format the limits of an interval, given as fractions, in per cent.

    Examples
    --------
    >>> from spanrs.report.numbers import percent_range
    >>> percent_range(0.5, 0.625)
    '50.00 to 62.50'
    """
    return f"{100 * low:.2f} to {100 * high:.2f}"
