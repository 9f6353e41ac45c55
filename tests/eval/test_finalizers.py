"""Lists are walked in place: nothing of the user's may run meanwhile, finalizers included."""

from __future__ import annotations

import io
import threading

from spanrs import _spanrs
from spanrs.errors import AlignmentError
from spanrs.io import Columns
from spanrs.tags.types import Dialect

TEXT = b"a B-X B-X\n" * 5_000
OPTIONS = Columns(tag=-2, second=-1).as_options()
SENTENCES, TOKENS = 5_000, 10


def counter() -> _spanrs.Counter:
    return _spanrs.Counter("BIO", None, "conlleval", Dialect(), 0, False)


def fresh() -> list[list[str]]:
    """Tags that are objects of their own, each of which is looked at."""
    return [["B-" + "PER"[: 1 + i % 3] for i in range(TOKENS)] for _ in range(SENTENCES)]


def test_no_finalizer_runs_while_lists_are_walked():
    """A file that is dropped without the lock is freed by the next thread that takes it in Rust."""
    sides: list[list[list[str]]] = []
    over = threading.Event()

    class File:
        name = "file"

        def __init__(self) -> None:
            self.read = io.BytesIO(TEXT).read

        def __del__(self) -> None:
            for side in sides:
                for row in side:
                    row.clear()

    def score_files() -> None:
        while not over.is_set():
            counter().update_files(File, None, OPTIONS, OPTIONS, "refuse", None)

    thread = threading.Thread(target=score_files)
    thread.start()
    try:
        for _ in range(30):
            gold, pred = fresh(), fresh()
            counts = counter()
            sides[:] = gold, pred
            try:
                counts.update_lists(gold, pred)
            except AlignmentError:
                # Gold was emptied before the walk, and pred not yet.
                continue
            finally:
                sides.clear()
            assert counts.state()["tokens"] in (0, SENTENCES * TOKENS)
    finally:
        over.set()
        thread.join()
