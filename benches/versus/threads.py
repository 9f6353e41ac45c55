"""Section threads: one and two threads, processes by fork and spawn, and release of the GIL."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow

import spanrs
from benches.versus.corpus import VOCABULARY, write_file
from benches.versus.inputs import Ids, copies, flat_ids, lengths
from benches.versus.measure import Call, Work, in_turn, milliseconds, once, over, significant

PACKAGES = ("numpy", "pyarrow")

NAMES = ("gold", "pred", "lengths")
PROCESSES = 2


def run(work: Work) -> None:
    """Ten times the corpus, as ids."""
    arrays = np.tile(flat_ids(work.gold), 10), np.tile(flat_ids(work.pred), 10)
    sizes = np.tile(lengths(work.gold), 10)
    both_threads(work, arrays, sizes)
    files(work)
    for name, array in zip(NAMES, (*arrays, sizes), strict=True):
        np.save(work.folder / f"{name}.npy", array)
    processes(work, arrays, sizes)
    progress(work, arrays, sizes)


def both_threads(work: Work, arrays: tuple[Ids, Ids], sizes: Any) -> None:
    """Measure times, and check that the bytes are equal."""
    offsets = pyarrow.array(np.concatenate([[0], np.cumsum(sizes)]), pyarrow.int32())

    def column(side: Ids) -> Any:
        values = pyarrow.DictionaryArray.from_arrays(pyarrow.array(side, pyarrow.int32()), VOCABULARY)
        return pyarrow.ListArray.from_arrays(offsets, values)

    columns = column(arrays[0]), column(arrays[1])

    def ids(threads: int) -> Call:
        return lambda: spanrs.score(
            *arrays, scheme="BIO", vocabulary=VOCABULARY, lengths=sizes, threads=threads
        )

    def arrow(threads: int) -> Call:
        return lambda: spanrs.score(*columns, scheme="BIO", threads=threads)

    tokens = 10 * work.tokens
    for name, item in (("numpy int64 ids and lengths", ids), ("pyarrow list<dictionary>", arrow)):
        calls = {f"{name}, {count} thread{'s' * (count > 1)}": item(count) for count in (1, 2)}
        results = [call().to_json() for call in calls.values()]  # type: ignore[attr-defined]
        assert results[0] == results[1]
        work.record.heading(f"{name}, {tokens} tokens", "The results of both have the same bytes as JSON.")
        actual = in_turn(calls, 31)
        work.record.timings(actual, tokens, "one thread / this", over(next(iter(actual.values()))))


def files(work: Work) -> None:
    """Two column files of ten times the corpus, in the page cache."""
    paths = [work.folder / f"long.{name}" for name in NAMES[:2]]
    for path, side in zip(paths, (work.gold, work.pred), strict=True):
        write_file(path, side)
        once_written = path.read_bytes().rstrip(b"\n") + b"\n\n"
        path.write_bytes(once_written * 10)
    tokens = 10 * work.tokens
    size = sum(path.stat().st_size for path in paths)
    for name, options in (
        ("two column files", {}),
        ("two column files, a row for each sentence", {"by": "sentence"}),
    ):
        calls = {
            f"{name}, {count} thread{'s' * (count > 1)}": partial(
                spanrs.score, *paths, scheme="BIO", threads=count, **options
            )
            for count in (1, 2)
        }
        results = [call().to_bytes() for call in calls.values()]
        assert results[0] == results[1]
        note = f"{size / 1e6:.0f} MB in the page cache. The results of both have the same bytes."
        work.record.heading(f"{name}, {tokens} tokens", note)
        actual = in_turn(calls, 15)
        work.record.timings(actual, tokens, "one thread / this", over(next(iter(actual.values()))))


def _load(folder: Path) -> list[Any]:
    return [np.load(folder / f"{name}.npy", mmap_mode="r") for name in NAMES]


def whole(folder: Path) -> str:
    """In a process of its own: score everything on two threads."""
    gold, pred, sizes = _load(folder)
    return spanrs.score(gold, pred, scheme="BIO", vocabulary=VOCABULARY, lengths=sizes, threads=2).to_json()


def part(folder: Path, at: int) -> spanrs.Result:
    """In a process of its own: score one of as many parts as there are processes."""
    gold, pred, sizes = _load(folder)
    cuts = [len(sizes) * i // PROCESSES for i in (at, at + 1)]
    tokens = slice(*(int(sizes[:cut].sum()) for cut in cuts))
    values = sizes[slice(*cuts)]
    return spanrs.score(gold[tokens], pred[tokens], scheme="BIO", vocabulary=VOCABULARY, lengths=values)


def processes(work: Work, arrays: tuple[Ids, Ids], sizes: Any) -> None:
    """Fork, after this process has run threads, and spawn."""
    expected = spanrs.score(*arrays, scheme="BIO", vocabulary=VOCABULARY, lengths=sizes).to_json()
    rows = []
    for method in ("fork", "spawn"):
        if method not in multiprocessing.get_all_start_methods():
            continue
        with multiprocessing.get_context(method).Pool(PROCESSES) as pool:

            def all_of_it() -> None:
                assert pool.map(whole, [work.folder] * PROCESSES) == [expected] * PROCESSES

            def parts() -> None:
                actual = pool.starmap(part, [(work.folder, at) for at in range(PROCESSES)])
                merged = actual[0]
                for result in actual[1:]:
                    merged = merged.merge(result)
                assert merged.to_json() == expected

            rows.append((method, milliseconds(once(all_of_it)), milliseconds(once(parts))))
    work.record.heading(
        f"Processes, {10 * work.tokens} tokens",
        "Ids from files of numpy, by pools of two. Results come back, and have the same bytes as JSON as "
        "those of this process, which has run threads before. The first call starts the processes.",
    )
    heads = ("started by", "each scores all on two threads, ms", "each scores a half, merged, ms")
    work.record.table(heads, rows)


class Counting:
    """A Python thread that counts until it is stopped."""

    def __init__(self) -> None:
        self.count = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._stop.is_set():
            self.count += 1

    def __enter__(self) -> Counting:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def speed(call: Call, seconds: float = 2.0) -> tuple[float, int]:
    """Counts per second while `call` runs repeatedly for a given time, and the number of calls."""
    counted, taken, runs = 0, 0.0, 0
    with Counting() as second:
        while taken < seconds:
            before, start = second.count, time.perf_counter()
            call()
            taken += time.perf_counter() - start
            counted += second.count - before
            runs += 1
    return counted / taken, runs


def progress(work: Work, arrays: tuple[Ids, Ids], sizes: Any) -> None:
    """Progress of another Python thread while spanrs counts."""
    paths = work.folder / "gold.conll", work.folder / "pred.conll"
    for path, side in zip(paths, (work.gold, work.pred), strict=True):
        write_file(path, side, columns=4)
    gold, pred = copies(work.gold, 10), copies(work.pred, 10)

    def ids(threads: int) -> Callable[[], object]:
        return lambda: spanrs.score(
            *arrays, scheme="BIO", vocabulary=VOCABULARY, lengths=sizes, threads=threads
        )

    calls: dict[str, Call] = {
        "this thread sleeps": lambda: time.sleep(0.1),
        "ids, 1 thread": ids(1),
        "ids, 2 threads, with the counting one 3": ids(2),
        "column files": lambda: spanrs.score(*paths, scheme="BIO"),
        "lists of str, which need the GIL to be walked": lambda: spanrs.score(gold, pred, scheme="BIO"),
    }
    rows: list[tuple[object, ...]] = []
    alone = 0.0
    for name, call in calls.items():
        rate, runs = speed(call)
        alone = alone or rate
        rows.append((name, runs, significant(rate / 1e6), f"{rate / alone:.0%}"))
    work.record.heading(
        "Free of the GIL",
        "A Python thread counts in a loop while the main thread calls spanrs; only counts during a call.",
    )
    work.record.table(("main thread", "calls", "million counts a second", "of those alone"), rows)
