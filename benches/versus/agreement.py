"""Agreement of annotation projects; writes benches/record/DATE-agreement.md.

    python -m benches.versus.agreement [--documents N] [--gamma-python PYTHON] [--output FOLDER]

- The command ``spanrs agreement`` on exports of Label Studio, one thread, in a process of its own: made documents (200
  tokens and 8 spans, 20 annotators, 3 for each document), and sentences of GermEval 2014, which have nested spans, with
  simulated annotators. Time and peak memory include reading the export.
- ``spanrs.agreement`` beside nltk, krippendorff and statsmodels, which get the labels of tokens: medians of 3 runs in
  turn, one process, one thread.
- ``--gamma-python`` is an interpreter with pygamma-agreement 0.5.9, which computes gamma of the same documents.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
from nltk.metrics.agreement import AnnotationTask
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

import spanrs
from benches.versus.measure import Record, machine, versions
from spanrs.io import Document
from spanrs.tags import tags_to_spans

HERE = Path(__file__).parent.parent
SHARED = Path(os.environ.get("SPANRS_SHARED", HERE.parent.parent / "shared"))
TYPES = ("PER", "LOC", "ORG", "MISC", "DATE")
#: Documents that other packages get.
FEW = 300

#: Tokens and true spans: (type, first token, one past the last).
Truth = tuple[list[str], list[tuple[str, int, int]]]
#: Number, text, and spans in characters by annotator.
Task = tuple[int, str, dict[str, list[tuple[str, int, int]]]]


def made_truth(number: int) -> Iterator[Truth]:
    """Yield documents of 200 tokens and 8 spans, some of which overlap."""
    rng = random.Random(1)
    for _ in range(number):
        starts = [rng.randrange(196) for _ in range(8)]
        spans = [(rng.choice(TYPES), start, start + rng.choice((1, 1, 2, 3))) for start in starts]
        yield [f"word{rng.randrange(5000)}" for _ in range(200)], spans


def germeval_truth() -> Iterator[Truth]:
    """Yield the sentences of GermEval 2014 with their outer and inner spans."""
    path = SHARED / "data" / "germeval2014" / "NER-de-dev.tsv"
    for sentence in spanrs.read(path, tokens=1, tags=(2, 3)):
        spans = [
            (span.type, span.start, span.end)
            for tags in sentence.tags.values()
            for span in tags_to_spans(list(tags), "BIO")
        ]
        yield list(sentence.tokens or ()), spans


def tasks(truth: Iterator[Truth], seed: int = 2) -> Iterator[Task]:
    """Yield documents annotated by 3 of 20 annotators, who omit, widen and retype spans."""
    rng = random.Random(seed)
    for number, (tokens, spans) in enumerate(truth, 1):
        starts, at = [], 0
        for token in tokens:
            starts.append(at)
            at += len(token) + 1
        answers = {}
        for annotator in rng.sample(range(20), 3):
            marked = []
            for kind, first, last in spans:
                draw = rng.random()
                if draw < 0.1:
                    continue
                end = min(last + (draw < 0.2), len(tokens))
                given = rng.choice(TYPES) if draw > 0.9 else kind
                marked.append((given, starts[first], starts[end - 1] + len(tokens[end - 1])))
            answers[f"annotator{annotator}@example.org"] = marked
        yield number, " ".join(tokens), answers


def write_export(path: Path, annotated: Iterator[Task]) -> int:
    """Write an export of Label Studio; return the number of documents."""
    records = []
    for number, text, answers in annotated:
        annotations = [
            {
                "id": 10 * number + at,
                "completed_by": {"email": name},
                "result": [
                    {
                        "id": f"r{place}",
                        "from_name": "label",
                        "to_name": "text",
                        "type": "labels",
                        "value": {"start": start, "end": end, "text": text[start:end], "labels": [kind]},
                    }
                    for place, (kind, start, end) in enumerate(spans)
                ],
            }
            for at, (name, spans) in enumerate(answers.items())
        ]
        records.append({"id": number, "data": {"text": text}, "annotations": annotations})
    path.write_text(json.dumps(records), encoding="utf-8")
    return len(records)


def command(path: Path, *options: str) -> tuple[float, float, float]:
    """Return wall time and CPU time in seconds and peak memory in MB of ``spanrs agreement``."""
    code = (
        "import resource, subprocess, sys, time; start = time.perf_counter(); "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "usage = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)"
    )
    run = [sys.executable, "-m", "spanrs", "agreement", str(path), "--threads", "1", *options]
    shown = subprocess.run([sys.executable, "-c", code, *run], check=True, capture_output=True, text=True)
    wall, cpu, memory = map(float, shown.stdout.split())
    return wall, cpu, memory


def median(job: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def labels(annotated: list[Task]) -> list[tuple[str, str, str]]:
    """Return (annotator, item, label) of all tokens."""
    rows = []
    for number, text, answers in annotated:
        starts, at = [], 0
        for word in text.split(" "):
            starts.append((at, at + len(word)))
            at += len(word) + 1
        for name, spans in answers.items():
            for token, (start, end) in enumerate(starts):
                types = {kind for kind, first, last in spans if first < end and start < last}
                rows.append((name, f"{number}/{token}", "+".join(sorted(types)) or "-"))
    return rows


def peers(annotated: list[Task]) -> Iterator[tuple[str, float]]:
    """Yield the time of each package for its measures, given the labels of tokens."""
    rows = labels(annotated)
    names = sorted({label for *_, label in rows})
    place = {name: at for at, name in enumerate(names)}
    items = {item: at for at, item in enumerate(dict.fromkeys(item for _, item, _ in rows))}
    counts = np.zeros((len(items), len(names)), dtype=int)
    by_annotator: dict[str, dict[str, str]] = {}
    for name, item, label in rows:
        counts[items[item], place[label]] += 1
        by_annotator.setdefault(name, {})[item] = label

    def kappas() -> None:
        people = sorted(by_annotator)
        for at, first in enumerate(people):
            for second in people[:at]:
                table = np.zeros((len(names), len(names)))
                for item, label in by_annotator[first].items():
                    other = by_annotator[second].get(item)
                    if other is not None:
                        table[place[label], place[other]] += 1
                if table.any():
                    cohens_kappa(table, return_results=False)

    yield "nltk, alpha", median(lambda: AnnotationTask(rows).alpha())
    value_counts = counts.astype(float)
    yield (
        "krippendorff, alpha",
        median(lambda: krippendorff.alpha(value_counts=value_counts, level_of_measurement="nominal")),
    )
    yield "statsmodels, Cohen's kappa of all pairs", median(kappas)
    yield "statsmodels, Fleiss' kappa", median(lambda: fleiss_kappa(counts))


def sources(annotated: list[Task]) -> dict[str, list[Document]]:
    """Return the documents of each annotator."""
    by_annotator: dict[str, list[Document]] = {}
    for number, text, answers in annotated:
        for name, spans in answers.items():
            by_annotator.setdefault(name, []).append(Document(text, spans, str(number)))
    return by_annotator


PYGAMMA = """
import json, sys, time
import numpy as np
from pyannote.core import Segment
from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum
documents = json.load(sys.stdin)
start = time.perf_counter()
for answers in documents:
    continuum = Continuum()
    for name, spans in answers.items():
        continuum.add_annotator(name)
        for kind, first, last in spans:
            continuum.add(name, Segment(first, last), kind)
    np.random.seed(0)
    continuum.compute_gamma(CombinedCategoricalDissimilarity(), n_samples=30)
print(time.perf_counter() - start)
"""


def gamma_times(annotated: list[Task], python: str) -> tuple[float, float]:
    """Return the times of spanrs and of pygamma-agreement for gamma of each document, with 30 samples."""
    from spanrs.crowd.gamma import gamma

    documents = [answers for _, _, answers in annotated]
    own = median(lambda: [gamma([answers], samples=30, threads=1) for answers in documents])
    run = subprocess.run(
        [python, "-c", PYGAMMA], input=json.dumps(documents), check=True, capture_output=True, text=True
    )
    return own, float(run.stdout)


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--gamma-python")
    parser.add_argument("--output", type=Path, default=HERE / "record")
    options = parser.parse_args()
    today = datetime.datetime.now(tz=datetime.UTC).date()
    record = Record()
    record.add("# Agreement of annotation projects")
    record.add()
    packages = versions("nltk", "krippendorff", "statsmodels")
    record.add(f"{today}, {machine()}; {packages}. `python -m benches.versus.agreement`")
    record.add()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, truth in (("made", made_truth(options.documents)), ("GermEval 2014", germeval_truth())):
            path = Path(folder) / "export.json"
            number = write_export(path, tasks(truth))
            size = path.stat().st_size / 1e6
            for more in ((), ("--resamples", "0"), ("--positions", "characters"), ("--gamma",)):
                wall, cpu, memory = command(path, *more)
                shown = [f"{size:.0f}", " ".join(more), f"{wall:.1f}", f"{cpu:.1f}", f"{memory:.0f}"]
                rows.append([name, str(number), *shown])
    record.heading("The command", "1,000 resamples of the documents unless stated; one thread.")
    record.table(["data", "documents", "MB", "options", "seconds", "CPU seconds", "peak MB"], rows)
    few = list(tasks(made_truth(FEW)))
    given = sources(few)
    own = median(lambda: spanrs.agreement(given, samples=0, threads=1))
    rows = [["spanrs.agreement, all measures, by type, pair and document", f"{1000 * own:.0f}", ""]]
    rows += [[name, f"{1000 * seconds:.0f}", f"{seconds / own:.1f}x"] for name, seconds in peers(few)]
    record.heading(
        "Beside other packages", f"{FEW} documents in memory; other packages get labels of tokens."
    )
    record.table(["", "ms", "of spanrs"], rows)
    if options.gamma_python:
        own, other = gamma_times(few[:20], options.gamma_python)
        record.heading("Gamma", "20 documents, each alone, 30 random documents, one thread.")
        record.table(
            ["", "seconds"], [["spanrs", f"{own:.3f}"], ["pygamma-agreement 0.5.9", f"{other:.1f}"]]
        )
    target = options.output / f"{today}-agreement.md"
    target.write_text("\n".join(record.lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
