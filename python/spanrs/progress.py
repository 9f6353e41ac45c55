"""Progress of jobs that go through Python objects; compiled jobs report theirs."""

from __future__ import annotations

from collections.abc import Callable


class Meter:
    """Adds up the work done and reports the sum.

    Parameters
    ----------
    report : callable, optional
        Called with the sum after each step. It may raise, to stop the job.

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
        """Report ``size`` more."""
        self._done += size
        if self._report is not None:
            self._report(self._done)
