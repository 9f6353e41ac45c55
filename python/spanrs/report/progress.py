"""Progress display of iterative methods."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def iteration_display(wanted: bool | None, title: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """Show the number of completed iterations and a note on standard error; by default only on a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        # Log one line per iteration.
        yield lambda done, text: console.print(f"{title} {done}/{total}  {text}", highlight=False)
        return
    columns: tuple[Any, ...] = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, text: bar.update(task, completed=done, description=text)


def _nothing(done: int, text: str) -> None:
    """Show nothing."""
