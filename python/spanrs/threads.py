"""Number of threads of a call."""

from __future__ import annotations

import os

from spanrs.errors import as_integer


def processors() -> int:
    """Return the number of processors of this process, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(threads: int | None) -> int:
    """Return a number of threads; None and 0 are one for each processor of this process.

    Raises
    ------
    TypeError
        For what is not an integer.
    ValueError
        For negative numbers.

    Examples
    --------
    >>> from spanrs.threads import processors, thread_count
    >>> thread_count(2), thread_count(None) == processors()
    (2, True)
    """
    number = 0 if threads is None else as_integer(threads, "threads", -(2**63))
    if number < 0:
        raise ValueError(f"threads must be 1 or more, or 0 for all processors, not {number}")
    return number or processors()
