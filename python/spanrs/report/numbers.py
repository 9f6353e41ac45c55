"""Numbers as people read them."""

from __future__ import annotations

import math
from typing import Any


def amount(number: float) -> str:
    """Give a number of spans, tokens or sentences; weights may have made it a fraction.

    Examples
    --------
    >>> from spanrs.report.numbers import amount
    >>> amount(3), amount(0.1 + 0.2)
    ('3', '0.30')
    """
    return str(number) if isinstance(number, int) else f"{number:.2f}"


def safe_cell(cell: Any) -> Any:
    """Give text that no spreadsheet takes for a formula; what is not text as it is.

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
    """Give a fraction in per cent; ``-`` for what is not a number.

    Examples
    --------
    >>> from spanrs.report.numbers import percent
    >>> percent(0.5), percent(float("nan"))
    ('50.00', '-')
    """
    return "-" if math.isnan(value) else f"{100 * value:.2f}"
