"""All functions that read files, compared with an older build: CPU seconds and peak memory.

    git worktree add ../before COMMIT  # and `make .venv/released` there
    python -m benches.versus.one_way_in --before ../before [--rows NAME,...] [--runs N] [--output FILE]

The Python of each checkout runs this script as it is in that checkout, because names change between commits. The
inputs are the same, and the runs of the two builds alternate, so that both run under the same load. A row is a command,
from the start of Python to its end, or a call in a process that has made it before; reading and writing are part of
both. WNUT17, EWT, GermEval and FairEval's data are in SPANRS_SHARED (default ../shared).
"""

from __future__ import annotations

import argparse
import datetime
import gc
import gzip
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import spanrs
from benches import chunks
from benches.versus import documents
from benches.versus.commits import commit
from benches.versus.corpus import SEED, TYPES, VOCABULARY, sentences, write_file
from benches.versus.crf_corpora import DATA
from benches.versus.inputs import Sentences, flat_ids, lengths, one_sentence
from benches.versus.measure import Call, Record, machine, milliseconds, significant, versions
from spanrs.crf import CRF
from spanrs.dep import Parser, Tagger
from spanrs.io import Source

ROOT = Path(__file__).parent.parent.parent
TOKENS = 2_000_000
RUNS = 7
#: Rows that take so many seconds have fewer runs.
LONG, LONG_RUNS = 2.0, 3
#: Copies of a real corpus have so many different systems.
SYSTEMS = 4
#: Pairs of small files, and sentences of each.
PAIRS, SMALL = 500, 20
#: Megabytes of the inputs whose memory is compared, and tokens of the one long sentence.
SIZES, LONG_SENTENCE = (10, 100), 1_000_000
#: Copies of WNUT17 that are tagged, of EWT dev that are parsed, of FairEval's span files.
TAGGED, PARSED, SPAN_FILES = 10, 4, 3
#: Training: sentences of EWT (as stacked tags, too).
TREES = 2500
#: Calls that take less, in seconds, are made so often in a run that it takes as long.
SHORT = 0.15

WNUT = DATA / "wnut17" / "wnut17train.conll"
GERMEVAL = DATA / "germeval2014" / "NER-de-dev.tsv"
EWT_TRAIN, EWT_DEV = (DATA / "ud_ewt" / f"en_ewt-ud-{part}.conllu" for part in ("train", "dev"))
FAIREVAL = DATA / "faireval"


class Command(NamedTuple):
    """A command of ``spanrs``, run in a separate process."""

    arguments: tuple[str, ...]
    program: str = ""
    """Python code that receives the arguments in place of the command."""


class Run(NamedTuple):
    """What a run took, in seconds."""

    cpu: float
    """CPU time of all threads."""
    wall: float


Pair: TypeAlias = tuple[Path, Path]
#: Cells of the lines of sentences; comments are lines of one cell.
Lines: TypeAlias = list[list[list[str]]]


def command(words: str, *more: object) -> Command:
    """Return a command line: words, then what may have spaces."""
    return Command((*words.split(), *map(str, more)))


def noisy(tags: Sequence[str], types: Sequence[str], rng: random.Random) -> list[str]:
    """Return a system's BIO tags: nine of ten spans are right, one of fifty other tokens is a span."""
    collected = ["O"] * len(tags)
    at = 0
    while at < len(tags):
        end = at + 1
        if tags[at] == "O":
            if rng.random() < 0.02:
                collected[at] = f"B-{rng.choice(types)}"
        else:
            while end < len(tags) and tags[end].startswith("I-"):
                end += 1
            kind, size, luck = tags[at][2:], end - at, rng.random()
            if 0.91 <= luck < 0.94:
                kind = rng.choice(types)
            elif luck >= 0.94:
                size = max(1, size - 1) if luck < 0.97 else 0
            collected[at : at + size] = [f"B-{kind}", *[f"I-{kind}"] * (size - 1)][:size]
        at = end
    return collected


def read_lines(path: Path, *, numbered: bool = False) -> Lines:
    """Read sentences; where tokens are numbered, lines without a number are comments."""
    collected: Lines = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            cells = line.split("\t")
            collected[-1].append(cells if not numbered or cells[0].isdigit() else [line])
        elif collected[-1]:
            collected.append([])
    return [sentence for sentence in collected if sentence]


def without_comments(lines: Lines) -> Lines:
    """Return the lines of tokens."""
    return [[line for line in sentence if len(line) > 1] for sentence in lines]


def system(lines: Lines, columns: Sequence[int], rng: random.Random) -> Lines:
    """Return the lines with a system's tags in these columns."""
    tokens = without_comments(lines)
    types = sorted({line[at][2:] for sentence in tokens for line in sentence for at in columns} - {""})
    collected: Lines = []
    for sentence, values in zip(lines, tokens, strict=True):
        changed = iter([list(line) for line in values])
        collected.append([next(changed) if len(line) > 1 else line for line in sentence])
        for at in columns:
            tags = noisy([line[at] for line in values], types, rng)
            for line, tag in zip(without_comments(collected[-1:])[0], tags, strict=True):
                line[at] = tag
    return collected


def text(lines: Lines, column: int = 0, cell: Callable[[str], str] = str) -> str:
    """Return lines as they stand in a file, the cells of one column in another form."""
    out: list[str] = []
    for sentence in lines:
        for line in sentence:
            cells = line if len(line) == 1 else [*line[:column], cell(line[column]), *line[column + 1 :]]
            out += ["\t".join(cells), "\n"]
        out.append("\n")
    return "".join(out)


def stacked(tag: str) -> str:
    """Put a span around a span."""
    return "O" if tag == "O" else f"{tag[0]}-X|{tag}"


class Inputs:
    """Files in a directory, each written on first use, and their content.

    Parameters
    ----------
    folder : Path
        Where the files are. Processes that take turns share them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"

    def made(self, name: str, content: Callable[[], str | bytes]) -> Path:
        """Return a file, which is written if it is not there."""
        path = self.folder / name
        if not path.exists():
            actual = content()
            path.write_bytes(actual.encode() if isinstance(actual, str) else actual)
        return path

    def columns(self, name: str, sides: Callable[[], Sequence[Sentences]]) -> Pair:
        """Return a pair of column files of tags; the tokens are made up."""
        gold, pred = (self.folder / f"{name}.{side}" for side in ("gold", "pred"))
        if not pred.exists():
            for path, side in zip((gold, pred), sides(), strict=True):
                write_file(path, side)
        return gold, pred

    def tiled(
        self,
        name: str,
        lines: Callable[[], Lines],
        columns: Sequence[int],
        cell: Callable[[str], str] = str,
        tokens: int = TOKENS,
    ) -> Pair:
        """Return copies of a real corpus, of about so many tokens, and of systems on it.

        Parameters
        ----------
        name : str
            Of the files.
        lines : callable
            Gives the sentences.
        columns : sequence of int
            Those of the tags.
        cell : callable
            The form of a tag in the first of these columns.
        tokens : int
            How many there are on each side.

        Returns
        -------
        tuple of Path
            Gold and pred.
        """
        gold, pred = (self.folder / f"{name}.{side}" for side in ("gold", "pred"))
        if not pred.exists():
            values, rng = lines(), random.Random(SEED)
            times = max(1, round(tokens / (SYSTEMS * sum(map(len, without_comments(values))))))
            systems = [text(system(values, columns, rng), columns[0], cell) for _ in range(SYSTEMS)]
            gold.write_text(text(values, columns[0], cell) * (SYSTEMS * times), encoding="utf-8")
            pred.write_text("".join(systems) * times, encoding="utf-8")
        return gold, pred

    def sized(self, megabytes: int, *paths: Path) -> tuple[str, ...]:
        """Return files of so many megabytes, the first sentences again and again, as many of each path."""
        collected = []
        count = copies = 0
        for path in paths:
            parts = path.read_bytes().split(b"\n\n")
            if not count:
                ends = itertools.accumulate(len(part) + 2 for part in parts[:-1])
                count, size = [pair for pair in enumerate(ends, 1) if pair[1] <= SIZES[0] * 1e6][-1]
                copies = round(megabytes * 1e6 / size)
            once = b"\n\n".join([*parts[:count], b""])
            made = self.made(f"{path.name}.{megabytes}", partial(bytes.__mul__, once, copies))
            collected.append(str(made))
        return tuple(collected)

    @cached_property
    def lists(self) -> tuple[Sentences, Sentences]:
        """The generated corpus."""
        return sentences(TOKENS)

    @cached_property
    def ids(self) -> tuple[Any, Any, Any]:
        """The generated corpus as ids, gold and pred, and the lengths of its sentences."""
        return flat_ids(self.lists[0]), flat_ids(self.lists[1]), lengths(self.lists[0])

    @cached_property
    def arrow(self) -> dict[str, tuple[Any, Any]]:
        """The generated corpus as Arrow columns of all kinds."""
        from benches.versus.arrow import kinds  # pyarrow and Polars take long to import

        return kinds(self.ids[:2], self.ids[2])

    @cached_property
    def generated(self) -> Pair:
        """The generated corpus as column files."""
        return self.columns("generated", lambda: self.lists)

    @cached_property
    def sentence(self) -> Pair:
        """The generated corpus as one sentence."""
        return self.columns("sentence", lambda: [one_sentence(side, LONG_SENTENCE) for side in self.lists])

    @cached_property
    def compressed(self) -> Pair:
        """The generated corpus as column files, compressed."""
        gold, pred = (
            self.made(f"{path.name}.gz", lambda path=path: gzip.compress(path.read_bytes(), 6))  # type: ignore[misc]
            for path in self.generated
        )
        return gold, pred

    @cached_property
    def both(self) -> Path:
        """The generated corpus in one file, gold and pred."""

        def content() -> str:
            gold, pred = (path.read_text(encoding="utf-8").split("\n") for path in self.generated)
            return "\n".join(
                first and f"{first} {item.rpartition(' ')[2]}"
                for first, item in zip(gold, pred, strict=True)
            )

        return self.made("both", content)

    @cached_property
    def small(self) -> list[Pair]:
        """Pairs of small column files."""
        (self.folder / "small").mkdir(exist_ok=True)

        def part(at: int) -> list[Sentences]:
            return [side[at * SMALL : (at + 1) * SMALL] for side in self.lists]

        return [self.columns(f"small/{at}", partial(part, at)) for at in range(PAIRS)]

    @cached_property
    def wnut(self) -> Pair:
        """WNUT17 as column files."""
        return self.tiled("wnut", lambda: read_lines(WNUT), (1,))

    @cached_property
    def germeval(self) -> Pair:
        """GermEval as column files of two layers of tags."""
        return self.tiled("germeval", lambda: read_lines(GERMEVAL, numbered=True), (2, 3))

    @cached_property
    def conllu(self) -> Pair:
        """EWT with chunks in MISC."""
        return self.tiled("conllu", chunked, (9,), "Chunk={}".format, TOKENS // 2)

    @cached_property
    def stacked(self) -> Pair:
        """EWT's chunks as column files of stacked tags."""

        def lines() -> Lines:
            some = without_comments(chunked()[:TREES])
            return [[[line[1], line[4], line[9]] for line in values] for values in some]

        return self.tiled("stacked", lines, (2,), stacked, TOKENS // 10)

    @cached_property
    def span_files(self) -> list[Path]:
        """FairEval's chunks as span files."""

        def content(side: str) -> bytes:
            text = (FAIREVAL / side / "chunk_spans.csv").read_bytes()
            return (text.rstrip(b"\n") + b"\n\n") * SPAN_FILES

        return [self.made(f"spans.{side}", partial(content, side)) for side in ("target", "system")]

    @cached_property
    def training(self) -> tuple[Sentences, Sentences]:
        """Tokens and tags of WNUT17."""
        tokens, tags = ([[line[at] for line in values] for values in read_lines(WNUT)] for at in (0, 1))
        return tokens, tags

    @cached_property
    def words(self) -> Sentences:
        """Tokens to tag."""
        return self.training[0] * TAGGED

    @cached_property
    def untagged(self) -> Path:
        """Tokens to tag, as a file of one column."""
        return self.made("untagged", lambda: "".join("\n".join(values) + "\n\n" for values in self.words))

    @cached_property
    def wide(self) -> Path:
        """EWT as a column file of nine columns, the tokens first."""

        def content() -> str:
            lines = without_comments(read_lines(EWT_TRAIN, numbered=True))
            return text([[line[1:] for line in values] for values in lines])

        return self.made("wide", content)

    @cached_property
    def crf_model(self) -> Path:
        """A conditional random field of WNUT17."""
        path = self.folder / "crf.model"
        if not path.exists():
            untrained().fit(*self.training).save(path)
        return path

    @cached_property
    def crf(self) -> CRF:
        """The same, loaded."""
        return CRF.load(self.crf_model)

    @cached_property
    def dep_model(self) -> Path:
        """A small tagger and parser of EWT."""
        path = self.folder / "dep.model"
        if not path.exists():
            trees = self.made("trees.conllu", lambda: text(read_lines(EWT_TRAIN, numbered=True)[:TREES]))
            tagger = Tagger(epochs=3, progress=False)
            parser = Parser(epochs=1, models=1, jackknife=0, tagger=tagger, progress=False)
            parser.fit(trees).save(path)
        return path

    @cached_property
    def unparsed(self) -> Path:
        """Sentences to parse."""
        return self.made("unparsed.conllu", lambda: EWT_DEV.read_bytes() * PARSED)

    @cached_property
    def documents(self) -> Path:
        """Folders of MAT-JSON documents."""
        folder = self.folder / "documents"
        if not folder.exists():
            documents.write(folder, PAIRS)
        return folder


def chunked() -> Lines:
    """Return EWT with tags of chunks in place of MISC."""
    lines = read_lines(EWT_TRAIN, numbered=True)
    for values in without_comments(lines):
        for line, tag in zip(values, chunks.tags([line[4] for line in values]), strict=True):
            line[9] = tag
    return lines


def untrained() -> CRF:
    """Return a conditional random field before training."""
    return CRF(template="ner", scheme="auto", progress=False)


Row: TypeAlias = Callable[[Inputs], Command | Call]


def score(gold: Any, pred: Any, **options: Any) -> object:
    """Score tags in memory."""
    return spanrs.score(gold, pred, scheme="BIO", **options)


def score_ids(inputs: Inputs) -> object:
    """Score ids."""
    gold, pred, lengths = inputs.ids
    return score(gold, pred, vocabulary=VOCABULARY, lengths=lengths)


#: The functions of a build that has one for each kind of input; None where `score` takes them all.
#: Before there was one verb, this was a function of tags.
detect: Any = getattr(spanrs.io, "detect_scheme", None) or spanrs.tags.detect_scheme_file
OLDER: Any = spanrs.eval if hasattr(spanrs, "score_files") else None
#: Names of the options of a layout in such builds.
OLDER_COLUMNS = {"tokens": "token", "tags": "tag"}


def older_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return options of :func:`spanrs.score` as older builds take them."""
    options = dict(options)
    layout = {values: options.pop(name) for name, values in OLDER_COLUMNS.items() if name in options}
    if layout:
        options["columns"] = spanrs.io.Columns(**layout)
    if "by" in options:
        options[f"by_{options.pop('by')}"] = True
    return options


def score_files(gold: Source, pred: Source | None = None, scheme: str = "BIO", **options: Any) -> object:
    """Score column files."""
    if OLDER is None:
        return spanrs.score(gold, pred, scheme=scheme, **options)
    return OLDER.score_files(gold, pred, scheme, **older_options(options))


def score_readings(gold: Source, pred: Source) -> object:
    """Score column files under all readings."""
    if OLDER is None:
        return spanrs.score(gold, pred, scheme="BIO", reading="all")
    return OLDER.score_readings(gold, pred, scheme="BIO")


def score_spans(gold: Source, pred: Source, *, stacked: bool = False, **options: Any) -> object:
    """Score span files, or column files of stacked tags without the punctuation of their second column."""
    if OLDER is not None:
        return OLDER.score_span_files(gold, pred, **options)
    columns: dict[str, Any] = {"format": "stacked", "punct_column": 1} if stacked else {}
    return spanrs.score(gold, pred, **columns, **options)


def score_objects(*paths: Path) -> object:
    """Score open column files."""
    with ExitStack() as stack:
        gold, pred = (stack.enter_context(path.open("rb")) for path in paths)
        return score_files(gold, pred)


def score_small(pairs: Sequence[Pair]) -> object:
    """Score many pairs of files, each by itself."""
    return [score_files(*pair) for pair in pairs]


def train(inputs: Inputs) -> None:
    """Train from memory, and write the model."""
    untrained().fit(*inputs.training).save(inputs.out)


def matched(matcher: str, *, errors: bool) -> Row:
    """Score column files by a matcher, and list the errors or not."""
    return lambda inputs: partial(score_files, *inputs.generated, matcher=matcher, errors=errors)


def matched_spans(files: str, matcher: str, *, errors: bool) -> Row:
    """Score files of spans by a matcher, and list the errors or not."""
    options: dict[str, Any] = {"matcher": matcher, "errors": errors, "stacked": files == "stacked"}
    return lambda inputs: partial(score_spans, *getattr(inputs, files), **options)


MATCHERS = "exact", "fair", "partial"
LAYERS: dict[str, Any] = {"tokens": 1, "tags": (2, 3)}
CONVERT = "convert --scheme BIO --to-scheme IOBES -o"
CRF_TAG = "crf tag --threads 1 -o"
CRF_TRAIN = "crf train --template ner --threads 1 --quiet -o"
MAT = "score --matcher mat --threads 1 --by-token"
MAT_JSON = f"{MAT} --types {','.join(documents.LABELS)} --token-types lex"
MAT_CONLL = f"{MAT} --types {','.join(TYPES)} --scheme BIO"

#: Rows by name; each makes its inputs and gives what is measured.
ROWS: dict[str, Row] = {
    "score/named": lambda inputs: partial(score_files, *inputs.generated),
    "score/auto": lambda inputs: partial(score_files, *inputs.generated, scheme="auto"),
    "score/two-threads": lambda inputs: partial(score_files, *inputs.generated, threads=2),
    "score/file-objects": lambda inputs: partial(score_objects, *inputs.generated),
    "score/gzip": lambda inputs: partial(score_files, *inputs.compressed),
    "score/one-file": lambda inputs: partial(score_files, inputs.both),
    "score/small-files": lambda inputs: partial(score_small, inputs.small),
    "score/by-sentence": lambda inputs: partial(score_files, *inputs.generated, by="sentence"),
    "score/readings": lambda inputs: partial(score_readings, *inputs.generated),
    "score/wnut17": lambda inputs: partial(score_files, *inputs.wnut),
    "score/germeval-layers": lambda inputs: partial(score_files, *inputs.germeval, **LAYERS),
    "score/conllu-misc": lambda inputs: partial(score_files, *inputs.conllu, tags="Chunk"),
    "score/command": lambda inputs: command("score --scheme BIO", *inputs.generated),
    "score/command-small": lambda inputs: command("score --scheme BIO", *inputs.small[0]),
    "in-memory/lists": lambda inputs: lambda: score(*inputs.lists),
    "in-memory/ids": lambda inputs: lambda: score_ids(inputs),
    "in-memory/pyarrow": lambda inputs: lambda: score(*inputs.arrow["pyarrow list<string>"]),
    "in-memory/polars": lambda inputs: lambda: score(*inputs.arrow["Polars List(String)"]),
    **{
        f"errors/{matcher}{alone}": matched(matcher, errors=not alone)
        for matcher in MATCHERS
        for alone in ("-alone", "")
    },
    "errors/command-jsonl": lambda inputs: command(
        "score --scheme BIO --errors=1000000 --to jsonl -o", inputs.out, *inputs.generated
    ),
    "spans/fair-files": lambda inputs: partial(score_spans, *inputs.span_files, matcher="fair"),
    **{
        f"spans/{matcher}{alone}": matched_spans("span_files", matcher, errors=not alone)
        for matcher in MATCHERS
        for alone in ("-alone", "")
    },
    "spans/stacked-alone": matched_spans("stacked", "exact", errors=False),
    "spans/stacked": matched_spans("stacked", "exact", errors=True),
    "tags/validate": lambda inputs: command("validate --scheme BIO", inputs.generated[0]),
    "tags/validate-auto": lambda inputs: command("validate", inputs.generated[0]),
    "tags/detect": lambda inputs: partial(detect, inputs.generated[0]),
    "tags/convert": lambda inputs: command(CONVERT, inputs.out, inputs.generated[0]),
    "tags/spans": lambda inputs: command("spans --scheme BIO -o", inputs.out, inputs.generated[0]),
    "crf/tag-file": lambda inputs: command(CRF_TAG, inputs.out, inputs.crf_model, inputs.untagged),
    "crf/tag-lists": lambda inputs: lambda: inputs.crf.predict(inputs.words),
    "crf/train-file": lambda inputs: command(CRF_TRAIN, inputs.out, WNUT),
    "crf/train-lists": lambda inputs: partial(train, inputs),
    "dep/parse": lambda inputs: command("dep parse -o", inputs.out, inputs.dep_model, inputs.unparsed),
    "dep/tag": lambda inputs: command("dep tag -o", inputs.out, inputs.dep_model, inputs.unparsed),
    "mat/documents": lambda inputs: command(MAT_JSON, inputs.documents / "ref", inputs.documents / "hyp"),
    "mat/columns": lambda inputs: command(MAT_CONLL, *inputs.generated),
    "sentence/score": lambda inputs: command("score --scheme BIO", *inputs.sentence),
    "sentence/validate": lambda inputs: command("validate --scheme BIO", inputs.sentence[0]),
    "sentence/convert": lambda inputs: command(CONVERT, inputs.out, inputs.sentence[0]),
}

#: What the tables of each section say.
SECTIONS = {
    "score": (
        f"Scoring files of about {TOKENS} tokens",
        f"CoNLL-U has half as many. small-files: {PAIRS} pairs of {SMALL} sentences in one process; command-small: the "
        "command on one of them.",
    ),
    "in-memory": (f"Scoring {TOKENS} tokens in memory", ""),
    "errors": (
        f"Lists of errors, column files of {TOKENS} tokens",
        "By three matchers, beside the same call without errors; command-jsonl writes all of them.",
    ),
    "spans": (
        "Files of spans",
        f"{SPAN_FILES} copies of FairEval's chunks by three matchers, with all errors and without; stacked: EWT's "
        f"chunks as column files of stacked tags, about {TOKENS // 10} tokens, exact.",
    ),
    "tags": (f"A column file of {TOKENS} tokens", "Commands; detect is a call."),
    "crf": (
        "Conditional random fields, one thread",
        f"Template ner, WNUT17 ({TAGGED} copies to tag), trained until it converges. file: the command, with the start "
        "of Python, and a score of the training data; lists: a call with the data in memory, the model loaded.",
    ),
    "dep": ("Tagging and parsing", f"{PARSED} copies of EWT dev by a small model, one thread."),
    "mat": (f"MATScore's tables: {PAIRS} pairs of documents, column files of {TOKENS} tokens", ""),
    "sentence": (f"One sentence of {LONG_SENTENCE} tokens", "Commands."),
}

#: Rows whose times are compared within a build: the first one over the second one.
RATIOS = {
    **{
        f"errors / scoring alone: {name}": (name, f"{name}-alone")
        for name in ROWS
        if f"{name}-alone" in ROWS
    },
    "lists / file: crf tag": ("crf/tag-lists", "crf/tag-file"),
    "lists / file: crf train": ("crf/train-lists", "crf/train-file"),
}

DETECT = "import sys\nfrom spanrs import io, tags\n"
DETECT += "(getattr(io, 'detect_scheme', None) or tags.detect_scheme_file)(sys.argv[1])\n"

#: Commands whose memory is compared, by the input's megabytes.
MEMORY: dict[str, Callable[[Inputs, int], Command]] = {
    "score": lambda inputs, size: command("score --scheme BIO", *inputs.sized(size, *inputs.generated)),
    "score-errors": lambda inputs, size: command(
        "score --scheme BIO", *inputs.sized(size, *inputs.generated), "--errors"
    ),
    "validate": lambda inputs, size: command(
        "validate --scheme BIO", *inputs.sized(size, inputs.generated[0])
    ),
    "detect": lambda inputs, size: Command(inputs.sized(size, inputs.generated[0]), DETECT),
    "convert": lambda inputs, size: command(CONVERT, inputs.out, *inputs.sized(size, inputs.generated[0])),
    "spans": lambda inputs, size: command(
        "spans --scheme BIO -o", inputs.out, *inputs.sized(size, inputs.generated[0])
    ),
    "crf-tag": lambda inputs, size: command(
        CRF_TAG, inputs.out, inputs.crf_model, *inputs.sized(size, inputs.wide)
    ),
    "dep-parse": lambda inputs, size: command(
        "dep parse -o", inputs.out, inputs.dep_model, *inputs.sized(size, EWT_TRAIN)
    ),
}

PEAKS = [*MEMORY, *(name for name in ROWS if name.startswith("sentence/"))]

#: Goes before a program. Not getrusage, whose peak is inherited from the process that started this one.
PEAK = """
import atexit, sys

def say():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    sys.stderr.write("\\n" + line.split()[1])

atexit.register(say)
"""
MAIN = "import runpy\nrunpy.run_module('spanrs', run_name='__main__', alter_sys=True)\n"


def child(folder: Path) -> None:
    """Create each row that is asked for: answer with its command, or call it and answer with what that took."""
    warnings.simplefilter("ignore")
    print(spanrs.__file__, flush=True)
    inputs = Inputs(folder)
    made: dict[str, tuple[Command | Call, int]] = {}
    for line in sys.stdin:
        name, *size = json.loads(line)
        row, times = made.get(name, (None, 1))
        if row is None:
            row = MEMORY[name](inputs, *size) if size else ROWS[name](inputs)
        if isinstance(row, Command):
            print(json.dumps({"command": row}), flush=True)
            continue
        took = called(row, times)
        if name not in made:
            made[name] = row, max(1, round(SHORT / called(row, 1).wall))
        print(json.dumps({"took": took}), flush=True)


def called(call: Call, times: int) -> Run:
    """Create a call so many times, and give what one took."""
    gc.collect()
    used, start = time.process_time(), time.perf_counter()
    for _ in range(times):
        call()
    return Run((time.process_time() - used) / times, (time.perf_counter() - start) / times)


class Build:
    """A build in a checkout's ``.venv``, and a process of its Python that makes calls.

    Parameters
    ----------
    checkout : Path
        The checkout.
    folder : Path
        That of the inputs.
    """

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.python = str(checkout / ".venv/bin/python")
        self.folder = folder
        arguments = [self.python, "-m", "benches.versus.one_way_in", "--child", str(folder)]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process: subprocess.Popen[str] = subprocess.Popen(arguments, cwd=checkout, text=True, **pipes)
        package = self._line()
        if not Path(package).is_relative_to(checkout):
            raise RuntimeError(f"{self.python} imports {package}, not what is in {checkout}")

    def __enter__(self) -> Build:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def ask(self, *row: str | int) -> Command | Run:
        """Ask the process for a row."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(row) + "\n")
        self.process.stdin.flush()
        parsed: dict[str, Any] = json.loads(self._line())
        if "took" in parsed:
            return Run(*parsed["took"])
        arguments, program = parsed["command"]
        return Command(tuple(arguments), program)

    def _line(self) -> str:
        assert self.process.stdout is not None
        line: str = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.python} ended; see above")
        return line.rstrip("\n")

    def run(self, row: Command) -> Run:
        """Run a command."""
        with (self.folder / "stderr").open("w+", encoding="utf-8") as errors:
            start = time.perf_counter()
            process = subprocess.Popen(
                [self.python, "-m", "spanrs", *row.arguments], stdout=subprocess.DEVNULL, stderr=errors
            )
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                errors.seek(0)
                raise RuntimeError(f"{self.python} -m spanrs {' '.join(row.arguments)}: {errors.read()}")
        return Run(usage.ru_utime + usage.ru_stime, wall)

    def peak(self, row: Command) -> float:
        """Return the peak memory of a command, in MiB."""
        arguments = [self.python, "-c", PEAK + (row.program or MAIN), *row.arguments]
        done = subprocess.run(
            arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True
        )
        return int(done.stderr.splitlines()[-1]) / 1024


def timed(builds: Sequence[Build], rows: Sequence[str], runs: int) -> dict[str, list[list[Run]]]:
    """Run rows by both builds in turn, and give the runs of each; the first one warms up."""
    commands: dict[str, Command] = {}
    left: dict[str, int] = {}
    for name in rows:
        asked = builds[0].ask(name)
        if isinstance(asked, Command):
            commands[name] = asked
        warm = [build.run(commands[name]) if name in commands else build.ask(name) for build in builds]
        longest = max(run.cpu for run in warm if isinstance(run, Run))
        left[name] = runs if longest < LONG else min(runs, LONG_RUNS)
    collected: dict[str, list[list[Run]]] = {name: [[] for _ in builds] for name in rows}
    for turn in range(runs):
        for name in rows:
            if turn >= left[name]:
                continue
            for at in range(len(builds))[:: 1 if turn % 2 else -1]:
                took = builds[at].run(commands[name]) if name in commands else builds[at].ask(name)
                assert isinstance(took, Run)
                collected[name][at].append(took)
    return collected


def write_times(record: Record, item: dict[str, list[list[Run]]]) -> None:
    """Write a line for each row."""
    rows = []
    for name, sides in item.items():
        cpu = [[run.cpu for run in side] for side in sides]
        before, now = map(statistics.median, cpu)
        walls = [statistics.median(run.wall for run in side) for side in sides]
        ratios = before / now, min(cpu[0]) / min(cpu[1]), walls[0] / walls[1]
        shown = [*map(milliseconds, (before, now, *walls)), len(sides[0]), *map(significant, ratios)]
        rows.append((name.partition("/")[2], *map(str, shown)))
    heads = (
        *("", "before: median CPU ms", "now", "before: median wall ms", "now", "runs"),
        *("before / now (CPU)", "(least CPU)", "(wall)"),
    )
    record.table(heads, rows)


def write_ratios(record: Record, item: dict[str, list[list[Run]]]) -> None:
    """Write how rows compare with each other within a build."""
    rows = []
    for name, pair in RATIOS.items():
        if all(entry in item for entry in pair):
            over, under = (
                [statistics.median(run.cpu for run in side) for side in item[entry]] for entry in pair
            )
            rows.append((name, *(significant(a / b) for a, b in zip(over, under, strict=True))))
    if rows:
        record.heading("Rows beside each other", "Of the medians of seconds of the processor.")
        record.table(("", "before", "now"), rows)


def write_memory(record: Record, builds: Sequence[Build], names: Sequence[str]) -> None:
    """Measure and write the peak memory of commands."""

    def peaks(*row: str | int) -> list[str]:
        asked = builds[0].ask(*row)
        assert isinstance(asked, Command)
        return [f"{build.peak(asked):.1f}" for build in builds]

    sized = [
        (name, *(cell for size in SIZES for cell in peaks(name, size))) for name in names if name in MEMORY
    ]
    if sized:
        record.heading(
            "Peak memory",
            "MiB (VmHWM) of one process each, and the size of the input (gold). crf tag reads a column file of nine "
            "columns, dep parse CoNLL-U, the others the generated corpus, whose lines are short.",
        )
        record.table(("", *(f"{size} MB: {build}" for size in SIZES for build in ("before", "now"))), sized)
    long = [(name.partition("/")[2], *peaks(name)) for name in names if name in ROWS]
    if long:
        record.heading(f"Peak memory of one sentence of {LONG_SENTENCE} tokens", "MiB.")
        record.table(("", "before", "now"), long)


def chosen(given: str) -> tuple[list[str], list[str]]:
    """Rows of time and of memory, by their names or those of their sections."""
    times, memory = [], []
    for name in given.split(","):
        values = [row for row in ROWS if name in (row, row.partition("/")[0])]
        peaks = [row for row in PEAKS if name in (f"peak/{row}", "peak")]
        if not values and not peaks:
            names = ", ".join([*SECTIONS, "peak", *ROWS, *(f"peak/{row}" for row in PEAKS)])
            raise argparse.ArgumentTypeError(f"no row {name!r}; there are {names}")
        times += values
        memory += peaks
    return times, memory


def main() -> None:
    """Measure both builds in turn and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", type=Path, help="checkout with an older build in its .venv")
    parser.add_argument(
        "--after", type=Path, default=ROOT, help="checkout with the build beside it; this one"
    )
    parser.add_argument(
        "--rows",
        type=chosen,
        default=(list(ROWS), PEAKS),
        metavar="NAME,...",
        help=f"rows, or sections: {', '.join([*SECTIONS, 'peak'])}",
    )
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--output", type=Path, help="the record to write")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return
    if options.before is None:
        parser.error("name the checkout of the older build with --before")
    checkouts = [path.resolve() for path in (options.before, options.after)]
    times, memory = options.rows
    date = datetime.datetime.now(datetime.UTC).date()
    record = Record()
    record.add(
        f"# {date}: everything that reads files, {commit(checkouts[0])} beside {commit(checkouts[1])}"
    )
    record.add()
    record.add(
        f"`python -m benches.versus.one_way_in` on {machine()}, {versions('numpy', 'pyarrow', 'polars')}."
    )
    record.add()
    record.add(
        f"Generated corpus where nothing else is said. Medians of {options.runs} runs, of {LONG_RUNS} where one takes "
        f"{LONG:g} s of the processor; builds in turn, run by run."
    )
    record.add()
    collected: dict[str, list[list[Run]]] = {}
    with tempfile.TemporaryDirectory() as folder:

        def started(stack: ExitStack) -> list[Build]:
            return [stack.enter_context(Build(checkout, Path(folder))) for checkout in checkouts]

        for section, heading in SECTIONS.items():
            rows = [name for name in times if name.partition("/")[0] == section]
            if rows:
                with ExitStack() as stack:
                    values = timed(started(stack), rows, options.runs)
                record.heading(*heading)
                write_times(record, values)
                collected |= values
        write_ratios(record, collected)
        if memory:
            with ExitStack() as stack:
                write_memory(record, started(stack), memory)
    if options.output:
        options.output.write_text("\n".join(record.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
