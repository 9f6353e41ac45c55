"""Lists are walked in place: no user code may run meanwhile, including finalizers."""

from __future__ import annotations

import io
import threading

from spanrs import _spanrs
from spanrs.errors import AlignmentError
from spanrs.eval.matcher import criteria
from spanrs.io.columns import Columns

TEXT = b"a B-X B-X\n" * 5_000
OPTIONS = Columns(tag=-2, second=-1)
SENTENCES, TOKENS = 5_000, 10


def scorer() -> _spanrs.Scorer:
    return _spanrs.Scorer({}, {"scheme": "BIO"})


def tokens(counted: _spanrs.Scorer) -> int:
    """Number of counted tokens."""
    names = criteria("exact")["corpus"].outcomes
    (collected,) = [
        n for of, at, _, _, n in counted.counts().cells() if of == 1 and names[at] == "tokens"
    ] or [0]
    return collected


def fresh() -> list[list[str]]:
    """Distinct tag objects, each of which is examined."""
    return [["B-" + "PER"[: 1 + i % 3] for i in range(TOKENS)] for _ in range(SENTENCES)]


def test_no_finalizer_runs_while_lists_are_walked():
    """A file that is dropped without the GIL is freed by the next thread that acquires it in Rust."""
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

    def score_streams() -> None:
        while not over.is_set():
            source = _spanrs.Source(File(), False)
            scorer().update_files(source, None, (OPTIONS, OPTIONS), None, "refuse", False, 1, None)

    thread = threading.Thread(target=score_streams)
    thread.start()
    try:
        for _ in range(30):
            gold, pred = fresh(), fresh()
            counted = scorer()
            sides[:] = gold, pred
            try:
                counted.update_lists(gold, pred, None)
            except AlignmentError:
                # Gold was emptied before the walk, and pred not yet.
                continue
            finally:
                sides.clear()
            assert tokens(counted) in (0, SENTENCES * TOKENS)
    finally:
        over.set()
        thread.join()
