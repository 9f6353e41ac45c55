"""Section score: lists of str compared with seqeval, integer ids, files, growth."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import spanrs
from benches.versus.corpus import VOCABULARY, write_file
from benches.versus.inputs import copies, first, flat_ids, lengths, one_sentence, own_strings, padded_ids
from benches.versus.measure import (
    RUNS,
    Call,
    Timing,
    Work,
    beside,
    in_turn,
    median,
    milliseconds,
    once,
    over,
    times,
)

PACKAGES = ("seqeval", "numpy")

ROOT = Path(__file__).parent.parent.parent
PEAK = """
import sys, spanrs
spanrs.score(sys.argv[1], sys.argv[2], scheme="BIO")
# Not getrusage, whose peak is inherited from the process that started this one.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def run(work: Work) -> None:
    """All of the section."""
    lists(work)
    lists_tenfold(work)
    ids(work)
    files(work)
    growth(work)


def lists(work: Work) -> None:
    """Lists of str; the drop-in of the same name is in section compat."""
    from seqeval.metrics import f1_score

    gold, pred = work.gold, work.pred
    assert round(spanrs.score(gold, pred).micro.f1, 12) == round(float(f1_score(gold, pred)), 12)
    single = own_strings(gold), own_strings(pred)
    calls: dict[str, Call] = {
        "spanrs.score, scheme auto": lambda: spanrs.score(gold, pred),
        "spanrs.score, scheme BIO": lambda: spanrs.score(gold, pred, scheme="BIO"),
        "spanrs.score, scheme BIO, every tag a str object of its own": lambda: spanrs.score(
            *single, scheme="BIO"
        ),
    }
    result = beside(calls, {"seqeval f1_score": lambda: f1_score(gold, pred)})
    work.record.heading(
        "Lists of lists of str", "Tags are the str objects of one label list, but where said."
    )
    work.record.timings(result, work.tokens, "f1_score / this", over(result["seqeval f1_score"]))


def lists_tenfold(work: Work) -> None:
    """Ten times as many lists of str."""
    from seqeval.metrics import f1_score

    many = copies(work.gold, 10), copies(work.pred, 10)
    calls: dict[str, Call] = {
        "spanrs.score, scheme auto": lambda: spanrs.score(*many),
        "spanrs.score, scheme BIO": lambda: spanrs.score(*many, scheme="BIO"),
    }
    actual = in_turn(calls)
    slow = once(lambda: f1_score(*many))
    actual["seqeval f1_score"] = Timing(slow, slow, 1)
    work.record.heading(f"Lists of lists of str, {10 * work.tokens} tokens", "seqeval ran once.")
    work.record.timings(actual, 10 * work.tokens, "f1_score / this", over(actual["seqeval f1_score"]))


def ids(work: Work) -> None:
    """Arrays of ids."""
    gold, pred, sizes = work.gold, work.pred, lengths(work.gold)
    flat = flat_ids(gold), flat_ids(pred)
    padded = padded_ids(gold), padded_ids(pred)
    expected = spanrs.score(gold, pred, scheme="BIO").to_json()

    def scored(kind: str, scheme: str = "BIO", reading: str = "conlleval") -> Call:
        sides = flat[0].astype(kind), flat[1].astype(kind)
        return lambda: spanrs.score(
            *sides, scheme=scheme, reading=reading, vocabulary=VOCABULARY, lengths=sizes
        )

    width = padded[0].shape[1]
    calls: dict[str, Call] = {
        f"{kind} and lengths, scheme BIO": scored(kind) for kind in ("int64", "int32", "int16", "int8")
    }
    for name, call in calls.items():
        assert call().to_json() == expected, name  # type: ignore[attr-defined]
    calls |= {
        "int64 and lengths, scheme auto": scored("int64", "auto"),
        "int64 and lengths, scheme BIO, strict": scored("int64", "BIO", "strict"),
        f"int64 padded with -100 to {width}, scheme BIO": lambda: spanrs.score(
            *padded, scheme="BIO", vocabulary=VOCABULARY
        ),
        f"int64 padded with -100 to {width}, scheme auto": lambda: spanrs.score(
            *padded, vocabulary=VOCABULARY
        ),
    }
    work.record.heading("Integer ids (numpy)", "Padding is not counted in Mtok/s.")
    actual = in_turn(calls, 31)
    work.record.timings(actual, work.tokens, "this / first row", times(next(iter(actual.values()))))


def files(work: Work) -> None:
    """Column files in the page cache."""
    rows = []
    for columns, name in ((4, "CoNLL-2003 like: token POS chunk tag"), (2, "token tag")):
        paths = work.folder / f"gold{columns}", work.folder / f"pred{columns}"
        sides = zip(paths, (work.gold, work.pred), strict=True)
        size = sum(write_file(path, tags, columns=columns) for path, tags in sides)
        actual = in_turn(
            {
                "auto": lambda: spanrs.score(*paths),  # noqa: B023  # called here
                "BIO": lambda: spanrs.score(*paths, scheme="BIO"),  # noqa: B023
            }
        )
        for scheme, (m, s, _) in actual.items():
            rows.append(
                (
                    f"{name}, scheme {scheme}",
                    f"{size / 1e6:.1f}",
                    milliseconds(m),
                    milliseconds(s),
                    f"{size / m / 1e6:.0f}",
                    f"{size / s / 1e6:.0f}",
                )
            )
    work.record.heading("Two column files, in the page cache", f"Medians of {RUNS}.")
    heads = ("", "MB (both)", "median ms", "least ms", "MB/s (median)", "MB/s (least)")
    work.record.table(heads, rows)


def growth(work: Work) -> None:
    """Time and memory as the corpus grows."""
    rows: list[tuple[object, ...]] = []
    for tokens in (work.tokens // 100, work.tokens // 10, work.tokens, work.tokens * 10):
        factor = max(1, tokens // work.tokens)
        gold, pred = (
            copies(side, factor) if factor > 1 else first(side, tokens) for side in (work.gold, work.pred)
        )
        rows.append(_sizes(work.folder, gold, pred, 31 if tokens < work.tokens else 7))
        del gold, pred
    single = one_sentence(work.gold), one_sentence(work.pred)
    for reading in ("conlleval", "strict"):
        result = median(lambda: spanrs.score(*single, scheme="BIO", reading=reading), 7)  # noqa: B023  # called here
        rows.append((f"one sentence of {work.tokens}, {reading}", milliseconds(result.median), "", "", ""))
    work.record.heading("Growth", "Medians of 31, from the whole corpus on of 7.")
    heads = ("tokens", "lists ms", "ids ms", "files ms", "peak memory of the file process, MiB")
    work.record.table(heads, rows)


def _sizes(folder: Path, gold: list[list[str]], pred: list[list[str]], runs: int) -> tuple[object, ...]:
    """Score one size of the corpus in every way."""
    flat, sizes = (flat_ids(gold), flat_ids(pred)), lengths(gold)
    paths = folder / "gold", folder / "pred"
    for path, side in zip(paths, (gold, pred), strict=True):
        write_file(path, side, columns=4)
    calls: tuple[Call, ...] = (
        lambda: spanrs.score(gold, pred, scheme="BIO"),
        lambda: spanrs.score(*flat, scheme="BIO", vocabulary=VOCABULARY, lengths=sizes),
        lambda: spanrs.score(*paths, scheme="BIO"),
    )
    collected = [milliseconds(median(call, runs).median) for call in calls]
    return (int(np.sum(sizes)), *collected, f"{peak_memory(paths):.1f}")


def peak_memory(paths: Iterable[Path]) -> float:
    """Of a process that scores the files, in MiB."""
    command = [sys.executable, "-c", PEAK, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return int(done.stdout) / 1024
