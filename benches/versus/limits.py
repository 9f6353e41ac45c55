"""Inputs beside plain C loops, and beside an older build: `python -m benches.versus.limits --before FOLDER`.

FOLDER holds another build's `spanrs` package. Every build is measured in processes of its own, in turn; a figure is
the median of all runs of all rounds. The C loops (limits.c) do less than an evaluator must: they bound its time.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import functools
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


Rows = dict[str, tuple[Callable[[], object], int]]


class Corpus:
    """The generated corpus, and what it is scored with."""

    def __init__(self, folder: Path) -> None:
        from benches.versus.corpus import VOCABULARY, sentences
        from benches.versus.inputs import flat_ids, lengths

        self.folder = folder
        self.tokens = 1_000_000
        self.gold, self.pred = sentences(self.tokens)
        self.lengths = lengths(self.gold)
        self.ids = flat_ids(self.gold), flat_ids(self.pred)
        self.vocabulary = VOCABULARY
        self.loops = Loops(folder)

    def score_ids(self, sides: Any, factor: int = 1, **options: Any) -> tuple[Callable[[], object], int]:
        """Score arrays of ids of so many copies of the corpus."""
        lengths = np.tile(self.lengths, factor)
        call = score(*sides, vocabulary=self.vocabulary, lengths=lengths, **options)
        return call, factor * self.tokens

    def tiled(self, factor: int, kind: str) -> list[Any]:
        """Ids of both sides."""
        return [np.tile(side, factor).astype(kind) for side in self.ids]


def score(*sides: Any, **options: Any) -> Callable[[], object]:
    """A call that scores both sides."""
    import spanrs

    options = {"scheme": "BIO", **options}
    return lambda: spanrs.score(*sides, **options)


def score_files(gold: Path, pred: Path, comments: str) -> object:
    """Score column files; older builds have a function of their own for them."""
    import spanrs

    older: Any = getattr(spanrs, "score_files", None)
    if older is None:
        return spanrs.score(gold, pred, scheme="BIO", comments=comments)
    return older(gold, pred, "BIO", columns=spanrs.io.Columns(comments=comments))


def lists(corpus: Corpus) -> Rows:
    """Lists of lists of str."""
    (gold, kept), (pred, also_kept) = split_lines(corpus.gold), split_lines(corpus.pred)
    loops, tokens = corpus.loops, corpus.tokens
    return {
        "lists, tags of a label list": (score(corpus.gold, corpus.pred), tokens),
        "lists, tags of line.split()": (score(gold, pred), tokens),
        "C: hash every string of line.split()": (lambda: loops.hash_lists(gold, pred), tokens),
        "": (lambda: (kept, also_kept), tokens),
    }


def ids(corpus: Corpus) -> Rows:
    """Arrays of ids."""
    rows: Rows = {}
    for factor in (1, 10):
        for kind in ("int64", "int8"):
            sides, lengths = corpus.tiled(factor, kind), np.tile(corpus.lengths, factor)
            name = f"{factor}M ids, {kind}"
            rows[name] = corpus.score_ids(sides, factor)
            call = functools.partial(corpus.loops.pairs, *sides, lengths)
            rows[f"C: {name}"] = call, factor * corpus.tokens
    return rows


def readings(corpus: Corpus) -> Rows:
    """Readings that look back beside conlleval."""
    return {
        f"ids, {kind}, {reading}": corpus.score_ids(corpus.tiled(1, kind), reading=reading)
        for kind in ("int64", "int8")
        for reading in ("conlleval", "strict", "discard", "ncrfpp")
    }


def violations(corpus: Corpus) -> Rows:
    """Every tenth tag a violation."""
    rows: Rows = {}
    for kind in ("int64", "int8"):
        clean = corpus.tiled(4, kind)
        wrong = [violated(side) for side in clean]
        for threads in (1, 2):
            name = f"4M ids, {kind}, {threads} thread{'s' * (threads > 1)}"
            rows[f"{name}, clean"] = corpus.score_ids(clean, 4, threads=threads)
            rows[f"{name}, every tenth tag a violation"] = corpus.score_ids(wrong, 4, threads=threads)
    return rows


def arrow(corpus: Corpus) -> Rows:
    """Columns of strings beside ids."""
    from benches.versus.arrow import kinds

    rows: Rows = {}
    for factor in (1, 10):
        sides = corpus.tiled(factor, "int64")
        rows[f"{factor}M Arrow: ids of numpy"] = corpus.score_ids(sides, factor)
        columns = kinds((sides[0], sides[1]), np.tile(corpus.lengths, factor))
        for name in ("pyarrow list<string>", "pyarrow large_list<string>", "Polars List(String)"):
            rows[f"{factor}M Arrow: {name}"] = score(*columns[name]), factor * corpus.tokens
    return rows


def violated(ids: Any) -> Any:
    """The ids with I- tags of changing types in every tenth place."""
    ids = ids.copy()
    places = np.arange(5, len(ids), EVERY)
    ids[places] = np.resize(np.array([2, 4, 6, 8], ids.dtype), len(places))
    return ids


def files(corpus: Corpus) -> Rows:
    """Column files as CoNLL-2003, with other line ends, with comments; sizes are bytes."""
    from benches.versus.corpus import write_file
    from benches.versus.inputs import copies

    rows: Rows = {}
    paths = corpus.folder / "gold", corpus.folder / "pred"
    for path, side in zip(paths, (corpus.gold, corpus.pred), strict=True):
        write_file(path, copies(side, 3), columns=4)

    def kind(name: str, change: Callable[[bytes], bytes], comments: str = "auto") -> None:
        changed = [path.with_suffix(f".{len(rows)}") for path in paths]
        for path, item in zip(paths, changed, strict=True):
            item.write_bytes(change(path.read_bytes()))
        size = sum(path.stat().st_size for path in changed)
        rows[f"files, {name}"] = functools.partial(score_files, *changed, comments), size

    def commented(text: bytes) -> bytes:
        actual = enumerate(text.split(b"\n\n"))
        return b"\n\n".join(b"# sentence %d\n%s" % (at, part) if part else part for at, part in actual)

    kind("LF", lambda text: text)
    kind("CR LF", lambda text: text.replace(b"\n", b"\r\n"))
    kind("comments, found", commented)
    kind("comments, comments='#'", commented, "#")
    kind("LF, comments='%'", lambda text: text, "%")
    return rows


SECTIONS: dict[str, Callable[[Corpus], Rows]] = {
    "lists": lists,
    "ids": ids,
    "readings": readings,
    "violations": violations,
    "files": files,
    "arrow": arrow,
}


def child(only: str) -> None:
    """Measure every row in this process; write the times as JSON."""
    from benches.versus.measure import in_turn

    with tempfile.TemporaryDirectory() as folder:
        corpus, documents_read = Corpus(Path(folder)), {}
        for section in [only] if only else SECTIONS:
            for name, (call, size) in SECTIONS[section](corpus).items():
                if name:
                    call()
                    documents_read[name] = (size, in_turn({name: call}, RUNS)[name].median)
        print(json.dumps(documents_read))


def main() -> None:
    """Measure both builds in turn and write a record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="folder with the package of an older build")
    parser.add_argument("--only", default="", choices=["", *SECTIONS])
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

    def run(build: str, package: Path, only: str, label: str, access: str = "direct") -> None:
        path = f"{package}{os.pathsep}{root}"
        environment = {**os.environ, "PYTHONPATH": path, "SPANRS_ITEM_ACCESS": access}
        command = [sys.executable, "-m", "benches.versus.limits", "--child", "--only", only]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        for name, (size, seconds) in json.loads(done.stdout).items():
            sizes[name + label] = size
            times.setdefault(name + label, {}).setdefault(build, []).append(seconds)

    for _ in range(options.rounds):
        for build, package in builds.items():
            run(build, package, options.only, "")
        if options.only in ("", "lists"):
            run("now", builds["now"], "lists", ", every item asked for", "each")
    times = {name: item for name, item in times.items() if "C: hash" not in name or "asked" not in name}
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
    for name, item in times.items():
        middle = {build: statistics.median(seconds) for build, seconds in item.items()}
        now = middle["now"]
        before = middle.get("before", now)
        speed = [significant(sizes[name] / seconds / 1e6) for seconds in (before, now)]
        rows.append((name, milliseconds(before), milliseconds(now), *speed, significant(before / now)))
    record.table(heads, rows)
    if options.output:
        options.output.write_text("\n".join(record.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
