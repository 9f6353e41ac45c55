"""Number of threads."""

from __future__ import annotations

import os

from spanrs.errors import as_integer


def processors() -> int:
    """Return the number of processors available to this process, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(threads: int | None) -> int:
    """Return a number of threads; None and 0 mean one for each processor available to this process.

    Raises
    ------
    TypeError
        If the number is not an integer.
    ValueError
        If the number is negative.

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
