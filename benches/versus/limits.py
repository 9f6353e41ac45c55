"""Inputs beside plain C loops, and beside an older build: `python -m benches.versus.limits --before FOLDER`.

FOLDER holds another build's `spanrs` package. Every build is measured in processes of its own, in turn; a figure is
the median of all runs of all rounds. The C loops (limits.c) do less than an evaluator must: they bound its time.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
RUNS = 9
ROUNDS = 3
#: Every so many tags one is a violation.
EVERY = 10


class Loops:
    """The C loops, compiled for this interpreter."""

    def __init__(self, folder: Path) -> None:
        library = folder / "limits.so"
        include = sysconfig.get_paths()["include"]
        command = [
            "cc",
            "-O3",
            "-shared",
            "-fPIC",
            f"-I{include}",
            "-o",
            str(library),
            str(HERE / "limits.c"),
        ]
        subprocess.run(command, check=True)
        self.library = ctypes.PyDLL(str(library))

    def hash_lists(self, gold: list[list[str]], pred: list[list[str]]) -> None:
        """Hash 16 bytes of each string."""
        self.library.hash_lists(ctypes.py_object(gold), ctypes.py_object(pred))

    def pairs(self, gold: Any, pred: Any, lengths: Any) -> None:
        """Count neighbouring pairs of gold, compare sentences."""
        pairs = np.zeros(1024, np.uint64)
        call = getattr(self.library, f"pairs_{gold.dtype}")
        addresses = [ctypes.c_void_p(a.ctypes.data) for a in (gold, pred, lengths)]
        call(*addresses, ctypes.c_int64(len(lengths)), ctypes.c_void_p(pairs.ctypes.data))


def split_lines(tags: list[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """Tags as a program holds them that reads lines of token and tag; and the tokens, which it holds too."""
    from benches.versus.corpus import WORDS

    lines = [[f"{WORDS[at % len(WORDS)]} {tag}" for at, tag in enumerate(row)] for row in tags]
    fields = [[line.split() for line in row] for row in lines]
    return [[field[1] for field in row] for row in fields], [[field[0] for field in row] for row in fields]


def calls(work: Path, only: str) -> dict[str, tuple[Callable[[], object], int]]:
    """Every row: what is called, and how many tokens (of files: bytes) that takes in."""
    import spanrs
    from benches.versus.corpus import VOCABULARY, sentences, write_file
    from benches.versus.inputs import copies, flat_ids, lengths

    rows: dict[str, tuple[Callable[[], object], int]] = {}
    tokens = 1_000_000
    gold, pred = sentences(tokens)
    loops = Loops(work)
    sizes = lengths(gold)

    def score(*sides: Any, **options: Any) -> Callable[[], object]:
        options = {"scheme": "BIO", **options}
        return lambda: spanrs.score(*sides, **options)

    if only in ("", "lists"):
        (g, _kept), (p, _too) = split_lines(gold), split_lines(pred)
        rows["lists, tags of a label list"] = score(gold, pred), tokens
        rows["lists, tags of line.split()"] = score(g, p), tokens
        rows["C: hash every string of line.split()"] = (lambda: loops.hash_lists(g, p)), tokens
        rows["keep"] = (lambda: (_kept, _too)), tokens
    flat = flat_ids(gold), flat_ids(pred)
    for factor in (1, 10) if only in ("", "ids") else ():
        many = np.tile(sizes, factor)
        for kind in ("int64", "int8"):
            sides = [np.tile(side, factor).astype(kind) for side in flat]
            name = f"{factor}M ids, {kind}"
            rows[name] = score(*sides, vocabulary=VOCABULARY, lengths=many), factor * tokens
            rows[f"C: {name}"] = (lambda s=sides, m=many: loops.pairs(*s, m)), factor * tokens
    if only in ("", "readings"):
        for kind in ("int64", "int8"):
            sides = [side.astype(kind) for side in flat]
            for reading in ("conlleval", "strict", "discard", "ncrfpp"):
                call = score(*sides, vocabulary=VOCABULARY, lengths=sizes, reading=reading)
                rows[f"ids, {kind}, {reading}"] = call, tokens
    if only in ("", "violations"):
        for kind in ("int64", "int8"):
            clean = [np.tile(side, 4).astype(kind) for side in flat]
            many = np.tile(sizes, 4)
            wrong = [violated(side, many) for side in clean]
            for threads in (1, 2):
                options = {"vocabulary": VOCABULARY, "lengths": many, "threads": threads}
                suffix = f"4M ids, {kind}, {threads} thread{'s' * (threads > 1)}"
                rows[f"{suffix}, clean"] = score(*clean, **options), 4 * tokens
                rows[f"{suffix}, every tenth tag a violation"] = score(*wrong, **options), 4 * tokens
    if only in ("", "files"):
        rows |= files(work, copies(gold, 3), copies(pred, 3), write_file)
    if only in ("", "arrow"):
        from benches.versus.arrow import kinds

        for factor in (1, 10):
            sides = [np.tile(side, factor) for side in flat]
            many = np.tile(sizes, factor)
            rows[f"{factor}M Arrow: ids of numpy"] = (
                score(*sides, vocabulary=VOCABULARY, lengths=many),
                factor * tokens,
            )
            columns = kinds((sides[0], sides[1]), many)
            for name in ("pyarrow list<string>", "pyarrow large_list<string>", "Polars List(String)"):
                rows[f"{factor}M Arrow: {name}"] = score(*columns[name]), factor * tokens
    return rows


def violated(ids: Any, lengths: Any) -> Any:
    """The ids with I- tags of changing types in every tenth place."""
    ids = ids.copy()
    places = np.arange(5, len(ids), EVERY)
    ids[places] = np.resize(np.array([2, 4, 6, 8], ids.dtype), len(places))
    return ids


def files(work: Path, gold: Any, pred: Any, write_file: Any) -> dict[str, tuple[Callable[[], object], int]]:
    """Column files as CoNLL-2003, with other line ends, with comments."""
    import spanrs

    rows: dict[str, tuple[Callable[[], object], int]] = {}
    paths = work / "gold", work / "pred"
    for path, side in zip(paths, (gold, pred), strict=True):
        write_file(path, side, columns=4)

    def kind(name: str, change: Callable[[bytes], bytes], **options: Any) -> None:
        changed = [path.with_suffix(f".{len(rows)}") for path in paths]
        for path, other in zip(paths, changed, strict=True):
            other.write_bytes(change(path.read_bytes()))
        size = sum(path.stat().st_size for path in changed)
        rows[f"files, {name}"] = (lambda: spanrs.score_files(*changed, "BIO", **options)), size

    def commented(text: bytes) -> bytes:
        found = text.split(b"\n\n")
        return b"\n\n".join(
            b"# sentence %d\n%s" % (at, part) if part else part for at, part in enumerate(found)
        )

    kind("LF", lambda text: text)
    kind("CR LF", lambda text: text.replace(b"\n", b"\r\n"))
    kind("comments, comments='#'", commented, comments="#")
    kind("comments, found", commented)
    kind("LF, comments='#'", lambda text: text, comments="#")
    return rows


def child(only: str) -> None:
    """Measure every row in this process; write the times as JSON."""
    from benches.versus.measure import in_turn

    with tempfile.TemporaryDirectory() as folder:
        rows = calls(Path(folder), only)
        found = {}
        for name, (call, size) in rows.items():
            if name != "keep":
                call()
                found[name] = (size, in_turn({name: call}, RUNS)[name].median)
        print(json.dumps(found))


def main() -> None:
    """Measure both builds in turn and write a record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="folder with the package of an older build")
    parser.add_argument("--only", default="", help="lists, ids, readings, violations, files or arrow")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--output", type=Path, help="the record to write")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.only)
        return
    root = HERE.parent.parent
    builds = {"now": root / "python"}
    if options.before:
        builds = {"before": options.before, **builds}
    times: dict[str, dict[str, list[float]]] = {}
    sizes: dict[str, int] = {}
    for _ in range(options.rounds):
        for build, package in builds.items():
            environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{root}"}
            command = [sys.executable, "-m", "benches.versus.limits", "--child", "--only", options.only]
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            for name, (size, seconds) in json.loads(done.stdout).items():
                sizes[name] = size
                times.setdefault(name, {}).setdefault(build, []).append(seconds)
    write(times, sizes, options)


def write(times: dict[str, dict[str, list[float]]], sizes: dict[str, int], options: Any) -> None:
    """A row for each call: milliseconds and million tokens (of files: megabytes) a second of every build."""
    from benches.versus.measure import Record, machine, milliseconds, significant, versions

    record = Record()
    date = datetime.datetime.now(datetime.UTC).date()
    record.add(f"# {date}: inputs beside plain C loops")
    record.add()
    packages = versions("numpy", "pyarrow", "polars")
    record.add(f"`python -m benches.versus.limits --before FOLDER` on {machine()}, {packages}.")
    record.add()
    record.add(
        f"Medians of {options.rounds} processes of {RUNS} runs a build, one thread where nothing else is said."
    )
    record.add()
    heads = ["", *(f"{build} ms" for build in ("before", "now")), "before M/s", "now M/s", "before / now"]
    rows = []
    for name, found in times.items():
        middle = {build: statistics.median(seconds) for build, seconds in found.items()}
        now = middle["now"]
        before = middle.get("before", now)
        speed = [significant(sizes[name] / seconds / 1e6) for seconds in (before, now)]
        rows.append((name, milliseconds(before), milliseconds(now), *speed, significant(before / now)))
    record.table(heads, rows)
    if options.output:
        options.output.write_text("\n".join(record.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
