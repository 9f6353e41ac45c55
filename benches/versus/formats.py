"""Reading and converting 100 MB of each format: time beside a parser of the file's syntax, and memory.

``python -m benches.versus.formats [FORMAT ...]`` writes files of 10 and 100 MB (a directory for formats with one
document per file) and measures each in a process of its own, with one thread:

- ``parser``: the file is parsed, and nothing else: ``json.loads`` per record, ``xml.etree.ElementTree.iterparse``,
  ``csv.reader``, or ``str.split`` per line.
- ``read``: the compiled reader; documents are not converted to Python objects.
- ``documents``: iteration over ``corpus.documents``.
- ``convert``: ``spanrs.write`` to doccano.

Memory is the peak resident set of the process above that of ``import spanrs``, for 10 and for 100 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import spanrs
from spanrs.io import Annotation, Document, Relation
from spanrs.io.write_documents import FORMATS

SIZES = (10, 100)
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
JOBS = ("parser", "read", "documents", "convert")


def documents(seed: int = 1) -> Iterator[Document]:
    """Yield documents of 200 words and 12 annotations with an attribute, and 3 relations; every fifth has an emoji."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(LETTERS, k=rng.randint(1, 9))) for _ in range(3000)]
    for number in range(10**9):
        chosen = rng.choices(words, k=200)
        if number % 5 == 0:
            chosen[3] = "\U0001f600"
        starts, at = [], 0
        for word in chosen:
            starts.append(at)
            at += len(word) + 1
        annotations = []
        for first in sorted(rng.sample(range(195), 12)):
            last = first + rng.choice((0, 0, 1, 2))
            kind = rng.choice(("PER", "ORG", "LOC", "MISC"))
            annotations.append(
                Annotation(
                    kind,
                    starts[first],
                    starts[last] + len(chosen[last]),
                    {"sure": rng.choice(("yes", "no"))},
                )
            )
        relations = [Relation("near", at, at + 1) for at in (0, 4, 8)]
        yield Document(" ".join(chosen), annotations, str(number), relations=relations)


def size_of(path: Path) -> int:
    """Return the size of a file or of the files of a directory."""
    return sum(file.stat().st_size for file in path.iterdir()) if path.is_dir() else path.stat().st_size


def build(form: str, path: Path, megabytes: int) -> None:
    """Write documents of about this size."""
    few = [document for document, _ in zip(documents(), range(200), strict=False)]
    trial = path.with_name("trial")
    spanrs.write(few, trial, to=form)
    each = size_of(trial) / len(few)
    count = int(megabytes * 1e6 / each)
    spanrs.write([document for document, _ in zip(documents(), range(count), strict=False)], path, to=form)


def parse(form: str, path: Path) -> None:
    """Parse the syntax of the files."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    for file in files:
        if (form.endswith("json") and form != "mat-json") or form in (
            "label-studio",
            "label-studio-min",
            "mat-json",
        ):
            json.loads(file.read_bytes())
        elif form in ("doccano", "prodigy", "jsonl-spans"):
            with file.open("rb") as lines:
                for line in lines:
                    json.loads(line)
        elif form.endswith(("xml", "xmi", "xml-inline")):
            from xml.etree import ElementTree

            for _, element in ElementTree.iterparse(file):
                element.clear()
        elif "csv" in form:
            import csv

            csv.field_size_limit(1 << 30)
            with file.open(newline="", encoding="utf-8") as rows:
                for _ in csv.reader(rows):
                    pass
        else:
            with file.open(encoding="utf-8") as lines:
                for line in lines:
                    line.split("\t")


def measure(job: str, form: str, path: Path) -> None:
    """Run a job in this process and print seconds and memory."""
    import resource
    import time

    warnings.simplefilter("ignore")
    corpus = spanrs.read(path, **json.loads(path.with_name("options.json").read_text()))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    if job == "parser":
        parse(form, path)
    elif job == "read":
        for part in corpus.parts:
            for _ in corpus.layered_documents(part):
                pass
    elif job == "documents":
        for _ in corpus.documents:
            pass
    else:
        with open(os.devnull, "wb") as out:
            spanrs.write(corpus, out, to="doccano")
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024]))


def main() -> None:
    """Measure the formats given as arguments, or all."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("formats", nargs="*", default=[form for form in FORMATS if form != "spacy"])
    arguments.add_argument("--job", help=argparse.SUPPRESS)
    arguments.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    if given.job:
        measure(given.job, given.formats[0], given.path)
        return
    print(
        "| format | MB | "
        + " | ".join(f"{job} s" for job in JOBS)
        + " | memory of read, 10 and 100 MB | of convert |"
    )
    print("|---|---:|" + "---:|" * (len(JOBS) + 2))
    warnings.simplefilter("ignore")
    for form in given.formats:
        with tempfile.TemporaryDirectory() as folder:
            seconds: dict[str, float] = {}
            memory: dict[tuple[str, int], float] = {}
            for size in SIZES:
                path = Path(folder, f"corpus{size}")
                build(form, path, size)
                options = {"format": form} | (
                    {"elements": ["PER", "ORG", "LOC", "MISC"]} if form == "xml-inline" else {}
                )
                Path(folder, "options.json").write_text(json.dumps(options))
                for job in JOBS:
                    runs = []
                    for _ in range(given.runs if size == SIZES[-1] else 1):
                        command = [
                            sys.executable,
                            "-m",
                            "benches.versus.formats",
                            form,
                            "--job",
                            job,
                            "--path",
                            path,
                        ]
                        done = subprocess.run(command, check=True, capture_output=True, text=True)
                        runs.append(json.loads(done.stdout))
                    seconds[job] = sorted(run[0] for run in runs)[len(runs) // 2]
                    memory[job, size] = max(run[1] for run in runs)
                megabytes = size_of(path) / 1e6
            cells = [f"{seconds[job]:.2f}" for job in JOBS]
            kept = [
                " and ".join(f"{memory[job, size]:.0f}" for size in SIZES) for job in ("read", "convert")
            ]
            print(f"| `{form}` | {megabytes:.0f} | {' | '.join([*cells, *kept])} |", flush=True)


if __name__ == "__main__":
    main()
