"""Pipelines from text to trees: writes benches/record/DATE-pipeline.md.

UD English EWT, from SPANRS_SHARED (default ../shared). One thread. Each part of the measurement uses the model files of
the first part, which can be given instead of trained.

    python -m benches.versus.pipeline [--seeds N] [--models A B C] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benches.versus.dep import COPIES, DEV, TRAIN
from benches.versus.measure import Record, machine, versions
from spanrs import _spanrs
from spanrs.dep import Dep, Parse, Pipeline, Segmenter, evaluate
from spanrs.dep.scores import MEASURES
from spanrs.dep.segmenter import paragraphs_of

HERE = Path(__file__).parent.parent
#: Rounds of loading.
ROUNDS = 20


def trained(seeds: int, folder: Path) -> tuple[list[Path], list[float]]:
    """Train a model with each seed; return the files and the seconds of processor time."""
    paths, seconds = [], []
    for seed in range(1, seeds + 1):
        started = time.process_time()
        pipeline = Pipeline(seed=seed, progress=False).fit(TRAIN)
        seconds.append(time.process_time() - started)
        paths.append(folder / f"en_ewt-{seed}.model")
        pipeline.save(paths[-1])
        sys.stderr.write(f"seed {seed}: {seconds[-1]:.0f} s\n")
    return paths, seconds


def score_rows(paths: list[Path]) -> list[list[str]]:
    """Scores by measure: means over the models from words and from text, and the scores of each model."""
    settings = [(raw, Dep(subtypes=False)) for raw in (False, True)]
    scores = {
        (raw, path): Pipeline.load(path).evaluate(DEV, matcher, raw=raw)
        for raw, matcher in settings
        for path in paths
    }
    rows = []
    for name, title in MEASURES.items():
        row = [title]
        for raw in (False, True):
            values = [100 * scores[raw, path][name].micro.f1 for path in paths]
            row += [f"{statistics.mean(values):.2f}", " ".join(f"{value:.2f}" for value in values)]
        rows.append(row)
    subtypes = [
        [
            100 * Pipeline.load(path).evaluate(DEV, Dep(subtypes=True), raw=raw)["las"].micro.f1
            for path in paths
        ]
        for raw in (False, True)
    ]
    row = ["LAS with subtypes"]
    for values in subtypes:
        row += [f"{statistics.mean(values):.2f}", " ".join(f"{value:.2f}" for value in values)]
    return [*rows, row]


def loading(path: Path) -> tuple[float, float]:
    """Milliseconds of loading a model, median of rounds, and MiB of memory that it takes in a new process."""
    code = (
        "import json, statistics, sys, time\n"
        "from spanrs import _spanrs\n"
        "def resident():\n"
        "    line = next(line for line in open('/proc/self/status') if line.startswith('RssAnon'))\n"
        "    return int(line.split()[1]) / 1024\n"
        "data = open(sys.argv[1], 'rb').read()\n"
        "before = resident()\n"
        "model = _spanrs.DepModel.from_bytes(data)\n"
        "after = resident()\n"
        "times = []\n"
        "for _ in range(int(sys.argv[2])):\n"
        "    started = time.perf_counter()\n"
        "    _spanrs.DepModel.from_bytes(open(sys.argv[1], 'rb').read())\n"
        "    times.append(1000 * (time.perf_counter() - started))\n"
        "print(json.dumps([statistics.median(times), after - before]))\n"
    )
    message = subprocess.run(
        [sys.executable, "-c", code, str(path), str(ROUNDS)], capture_output=True, text=True, check=True
    )
    milliseconds, memory = json.loads(message.stdout)
    return milliseconds, memory


def words_per_second(model: _spanrs.DepModel, text: bytes, form: str, words: int, *, parse: bool) -> float:
    """Words per second of processor time, best of five runs, since other programs disturb the caches."""
    best = float("inf")
    for _ in range(5):
        file = _spanrs.SyntaxFile(io.BytesIO(text), form)
        started = time.process_time()
        while model.annotate_file(file, {"parse": parse}) is not None:
            pass
        best = min(best, time.process_time() - started)
    return words / best


def component(path: Path, *names: str) -> _spanrs.DepModel:
    """A model with some components of a model file."""
    model = _spanrs.DepModel.from_bytes(path.read_bytes())
    parts = ("segmenter", "tagger", "morphology", "parser")
    return _spanrs.DepModel.join(*(model if name in names else None for name in parts), "{}")


def speed_rows(path: Path) -> list[list[str]]:
    """Words per second by components, and the size of each component in the file."""
    conllu = DEV.read_bytes() * COPIES
    raw = paragraphs_of(DEV).text() * COPIES
    words = sum(
        line[:1].isdigit() and b"-" not in line.split(b"\t")[0] for line in DEV.read_bytes().splitlines()
    )
    words *= COPIES
    rows = []
    for title, names, text, form, parse in (
        ("segmenter, from text", ("segmenter",), raw, "raw", False),
        ("tagger", ("tagger",), conllu, "conllu", False),
        ("tagger, morphology", ("tagger", "morphology"), conllu, "conllu", False),
        ("tagger, parser", ("tagger", "parser"), conllu, "conllu", True),
        ("all, from text", ("segmenter", "tagger", "morphology", "parser"), raw, "raw", True),
    ):
        model = component(path, *names)
        rate = words_per_second(model, text, form, words, parse=parse)
        rows.append([title, f"{rate / 1000:.0f}", f"{len(model.to_bytes()) / 1e6:.2f}"])
    return rows


def without_blank_lines(paths: list[Path]) -> str:
    """Sentence F1 if the text of the development set has no blank lines between paragraphs."""
    values = []
    for path in paths:
        segmenter = Segmenter.load(path)
        text = " ".join(paragraphs_of(DEV).text().decode().split("\n\n"))
        pred = "".join(chained(sentence).to_conllu() for sentence in segmenter.segment(text))
        result = evaluate(DEV, io.BytesIO(pred.encode()))
        values.append(100 * result["sentences"].micro.f1)
    return f"{statistics.mean(values):.2f}"


def chained(sentence: Parse) -> Parse:
    """A sentence with a tree in which each word depends on the word before."""
    heads = np.arange(len(sentence), dtype=np.int32)
    labels = ["root" if not head else "dep" for head in heads]
    return Parse(sentence.words, heads, labels, tokens=sentence.tokens)


def main() -> None:
    """Measure, and write the record."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--models", type=Path, nargs="+", help="models, instead of training them")
    options.add_argument("--output", type=Path, default=HERE / "record")
    given = options.parse_args()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    record = Record()
    record.add(f"# {today}: from text to trees")
    record.add()
    record.add(f"`python -m benches.versus.pipeline` on {machine()}, {versions('numpy')}. One thread.")
    record.add()
    paths, seconds = given.models, []
    if paths is None:
        paths, seconds = trained(given.seeds, Path(tempfile.mkdtemp()))
        shown = ", ".join(f"{second:.0f}" for second in seconds)
        record.heading(
            "Training", f"Seconds of processor time of `Pipeline(seed=...).fit`, by seed: {shown}."
        )
    record.heading(
        "Accuracy",
        "F1 in per cent on the development set of UD English EWT: mean and values by seed, from gold words and from "
        "text. Labels without subtypes, except for the last row. Sentences without blank lines between paragraphs: "
        f"{without_blank_lines(paths)}.",
    )
    record.table(["measure", "from words", "by seed", "from text", "by seed"], score_rows(paths))
    milliseconds, memory = loading(paths[0])
    size = paths[0].stat().st_size / 1e6
    record.heading(
        "Size and loading",
        f"The file of the first model has {size:.2f} MB. Reading and loading it takes {milliseconds:.1f} ms (median of "
        f"{ROUNDS}); it takes {memory:.1f} MiB of memory, {memory * 1.048576 / size:.2f} of the file.",
    )
    record.heading(
        "Speed",
        f"Thousand words per second of processor time, {COPIES} times the development set, best of 5 runs, input and "
        "output as CoNLL-U or text included; MB of the components in a file.",
    )
    record.table(["components", "thousand words/s", "MB"], speed_rows(paths[0]))
    (given.output / f"{today}-pipeline.md").write_text("\n".join(record.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
