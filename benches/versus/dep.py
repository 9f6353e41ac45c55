"""Tagging and parsing: writes benches/record/DATE-dep.md.

UD English EWT and the recorded model of parser.py, from SPANRS_SHARED (default ../shared). One thread unless stated
otherwise.

    python -m benches.versus.dep [--only accuracy,speed] [--seeds N] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import io
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benches.versus.crf_corpora import DATA
from benches.versus.measure import Record, machine, versions
from spanrs import _spanrs
from spanrs.dep import Dep, Parse, Parser, read_conllu
from spanrs.dep.model_files import read_model_file

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
import published_parser  # the oracle of the tests

HERE = Path(__file__).parent.parent
TRAIN, DEV = (DATA / "ud_ewt" / f"en_ewt-ud-{part}.conllu" for part in ("train", "dev"))
PUBLISHED = DATA.parent / "golden" / "dep" / "parser_py_ewt.model.json.gz"
#: Sentences that the transcription parses.
SAMPLE = 150
#: Copies of the development set in a timed run.
COPIES = 8


def annotate(model: _spanrs.DepModel, text: bytes, threads: int = 1) -> bytes:
    """Tag and parse CoNLL-U."""
    file = _spanrs.SyntaxFile(io.BytesIO(text), None)
    parts = []
    while (part := model.annotate_file(file, {"threads": threads})) is not None:
        parts.append(part)
    return b"".join(parts)


def rate(run: Callable[[], object], words: int, rounds: int = 5) -> float:
    """Words per second, median of the rounds."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - started)
    return words / statistics.median(seconds)


def transcription() -> published_parser.Parser:
    """The published algorithm in Python with the weights of the recorded model."""
    with gzip.open(PUBLISHED) as file:
        model = json.load(file)
    parser = published_parser.Parser()
    parser.model.weights = {
        name: {int(move): weight for move, weight in row.items()} for name, row in model["parser"].items()
    }
    parser.tagger.model.weights = model["tagger"]
    parser.tagger.model.classes = set(model["classes"])
    parser.tagger.tagdict = model["tagdict"]
    return parser


def peer_rate(sentences: Sequence[Parse]) -> float:
    """Words per second of the transcription."""
    parser = transcription()
    words = sum(len(sentence) for sentence in sentences)
    padded = [["<start>", *sentence.words, "ROOT"] for sentence in sentences]
    return rate(lambda: [parser.parse(words) for words in padded], words, rounds=3)


def peak_mib(model: Path) -> float:
    """Peak memory of a process that parses the development set with a model, in MiB."""
    code = (
        "import sys\n"
        "from benches.versus.dep import DEV, annotate\n"
        "from spanrs.dep.model_files import read_model_file\n"
        "annotate(read_model_file(sys.argv[1]), DEV.read_bytes())\n"
        # Not ru_maxrss, which a process inherits from the one that started it.
        "line = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(int(line.split()[1]) / 1024)\n"
    )
    message = subprocess.run(
        [sys.executable, "-c", code, str(model)], capture_output=True, text=True, check=True
    )
    return float(message.stdout)


def accuracy(seeds: int, folder: Path) -> tuple[list[list[str]], list[list[str]], Path]:
    """Scores on the development set by seed, and the file of the first rich model."""
    published, rich = [], []
    path = folder / "rich.model"
    for seed in range(1, seeds + 1):
        for rows, parser in (
            (published, Parser.published(seed=seed, progress=False)),
            (rich, Parser(seed=seed, progress=False)),
        ):
            started = time.perf_counter()
            parser.fit(TRAIN)
            seconds = time.perf_counter() - started
            result = parser.evaluate(DEV, Dep(subtypes=True))
            names = ("xpos", "upos", "uas", "las", "uas_no_punct")
            row = [f"{100 * result[name].micro.f1:.2f}" for name in names]
            if not parser.labels:
                row[1] = row[3] = "-"
            rows.append([str(seed), *row, f"{seconds:.0f}"])
            sys.stderr.write(f"{rows[-1]}\n")
        if seed == 1:
            parser.save(path)
    for rows in (published, rich):
        columns = list(zip(*rows, strict=True))[1:]
        means = [
            "-" if "-" in column else f"{statistics.mean(map(float, column)):.2f}" for column in columns
        ]
        rows.append(["mean", *means])
    return published, rich, path


def main() -> None:
    """Measure, and write the record."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="accuracy,speed")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--model", type=Path, help="a rich model, instead of training one")
    options.add_argument("--output", type=Path, default=HERE / "record")
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp())
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    record = Record()
    record.add(f"# {today}: tagging and parsing")
    record.add()
    record.add(
        f"`python -m benches.versus.dep` on {machine()}, {versions('numpy')}. One thread unless stated otherwise."
    )
    record.add()
    rich = given.model
    if "accuracy" in given.only:
        head = ["seed", "XPOS", "UPOS", "UAS", "LAS", "UAS without punctuation", "seconds of training"]
        published_rows, rich_rows, rich = accuracy(given.seeds, folder)
        text = "UD English EWT, train and dev; predicted tags, all tokens, labels with subtypes."
        record.heading("Parser.published()", text)
        record.table(head, published_rows)
        record.heading("Parser(): 82 templates, labels, sum of 10 models", f"{text} One root.")
        record.table(head, rich_rows)
    if "speed" in given.only:
        text = DEV.read_bytes() * COPIES
        sentences = read_conllu(DEV)
        words = sum(len(sentence) for sentence in sentences) * COPIES
        published = folder / "published.model"
        Parser.from_published(PUBLISHED).save(published)
        peer = peer_rate(sentences[:SAMPLE])
        rows = [["transcription of parser.py in Python", f"{peer:.0f}", "1", "", ""]]
        for name, path in (("published features", published), ("82 templates, labels", rich)):
            if path is None:
                continue
            model = read_model_file(path)
            annotate(model, text)
            first = rate(lambda model=model: annotate(model, text), words)  # type: ignore[misc]
            second = rate(lambda model=model: annotate(model, text, 2), words)  # type: ignore[misc]
            rows.append(
                [
                    name,
                    f"{first:.0f}",
                    f"{first / peer:.0f}",
                    f"{second / first:.2f}",
                    f"{peak_mib(path):.0f}",
                ]
            )
        record.heading(
            "Speed",
            f"CoNLL-U bytes in, CoNLL-U bytes out, tagged and parsed: {COPIES} times EWT dev, median of 5 runs; the "
            f"transcription parses its first {SAMPLE} sentences, without reading and writing. Words per second; peak "
            "memory of a process that loads the model and parses EWT dev, in MiB.",
        )
        record.table(["", "words/s", "times as fast", "two threads", "peak MiB"], rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    record.add(f"Peak memory of this process, training included: {peak} MiB.")
    (given.output / f"{today}-dep.md").write_text("\n".join(record.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
