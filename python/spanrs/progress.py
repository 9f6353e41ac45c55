"""Progress of jobs that iterate over Python objects; compiled jobs report their own progress."""

from __future__ import annotations

from collections.abc import Callable


class Meter:
    """Accumulates the work done and reports the total.

    Parameters
    ----------
    report : callable, optional
        Called with the total after each step. It may raise an exception to stop the job.

    Examples
    --------
    >>> from spanrs.progress import Meter
    >>> seen = []
    >>> meter = Meter(seen.append)
    >>> meter.add(10)
    >>> meter.add(5)
    >>> seen
    [10, 15]
    """

    def __init__(self, report: Callable[[int], object] | None) -> None:
        self._report = report
        self._done = 0

    def add(self, size: int) -> None:
        """Add ``size`` to the total and report it."""
        self._done += size
        if self._report is not None:
            self._report(self._done)
