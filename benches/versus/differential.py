"""Differential tests of `spanrs.compat` against the replaced packages on random corpora; `make differential`.

A corpus is one to four sentences of up to eight tokens, gold and pred: well-formed, noisy, malformed or weird tags,
mixed. Results are compared bit by bit with their types, or exceptions with their messages, and warnings. Corpora come
in chunks that depend on the seed and their number alone: completed chunks are stored in a file, so that an interrupted
run can be resumed.

    python -m benches.versus.differential [--corpora N] [--seed N] [--only seqeval,...] [--again]
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import logging
import os
import platform
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import spanrs

HERE = Path(__file__).parent.parent
CHUNK = 500
HEADING = "## Through spanrs.compat"

SCHEMES = {
    "IOB": "BI",
    "BIO": "BI",
    "IOE1": "IE",
    "IOE2": "IE",
    "IOBES": "BIES",
    "BILOU": "BILU",
    "BMEOW": "BMEW",
    "BMES": "BMES",
}
TYPES = ("PER", "LOC", "ORG", "a-b")
WEIRD = (
    "",
    "-",
    "B",
    "I",
    "E",
    "S",
    "PER",
    "B-",
    "b-PER",
    "X-PER",
    "O-PER",
    "B-PER-LOC",
    "<PAD>",
    ".",
    "日本-B",
)


#: Unintended exceptions of a package.
CRASHES = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError)


class Corpus(NamedTuple):
    """Gold and pred of some sentences, and their random properties."""

    scheme: str
    gold: list[list[str]]
    pred: list[list[str]]
    luck: random.Random
    """Generator for further random choices of a comparison."""


def well_formed(rng: random.Random, scheme: str, length: int) -> list[str]:
    """Well-formed tags; in IOB and IOE1 without adjacent spans."""
    letters, tags = SCHEMES[scheme], ["O"] * length
    at = 0
    while at < length:
        size = min(rng.choice((1, 1, 2, 3)), length - at)
        if rng.random() < 0.5:
            kind = rng.choice(TYPES)
            if len(letters) == 4:
                begin, inside, end, single = letters
                row = [single] if size == 1 else [begin, *inside * (size - 2), end]
            elif scheme.startswith("IOE"):
                row = [*"I" * (size - 1), "I" if scheme == "IOE1" else "E"]
            else:
                row = ["I" if scheme == "IOB" else "B", *"I" * (size - 1)]
            tags[at : at + size] = [f"{letter}-{kind}" for letter in row]
            size += scheme in ("IOB", "IOE1")
        at += size
    return tags


def spoilt(rng: random.Random, tags: list[str], scheme: str, how: str) -> list[str]:
    """The same tags, some of them replaced."""
    often = {"valid": 0.0, "noisy": 0.15, "malformed": 0.6, "weird": 0.4}[how]
    out = []
    for tag in tags:
        if rng.random() >= often:
            out.append(tag)
        elif how == "weird":
            out.append(rng.choice(WEIRD))
        else:
            out.append(rng.choice(("O", f"{rng.choice(SCHEMES[scheme])}-{rng.choice(TYPES)}")))
    return out


def corpus(rng: random.Random, schemes: Sequence[str]) -> Corpus:
    """One to four sentences; now and then the two sides do not match."""
    scheme = rng.choice(schemes)
    # Many peers refuse a whole corpus because of one tag, so most corpora have no unusual tags.
    how_often = (5, 3, 1, 0) if rng.random() < 0.7 else (3, 3, 3, 3)
    gold, pred = [], []
    for _ in range(rng.randint(1, 4)):
        tags = well_formed(rng, scheme, rng.randint(0, 8))
        hows = rng.choices(("valid", "noisy", "malformed", "weird"), how_often, k=2)
        gold.append(spoilt(rng, tags, scheme, hows[0]))
        second = tags if rng.random() < 0.7 else well_formed(rng, scheme, len(tags))
        pred.append(spoilt(rng, second, scheme, hows[1]))
    if rng.random() < 0.01:
        rng.choice(pred).append("O")
    if rng.random() < 0.01:
        pred.pop()
    return Corpus(scheme, gold, pred, rng)


def plain(value: Any) -> Any:
    """A value that compares across packages: names of types, exact numbers, order of dictionaries."""
    kind = type(value).__name__
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)) or hasattr(value, "dtype"):
        return kind, repr(value.tolist() if hasattr(value, "tolist") else value)
    if isinstance(value, dict):
        return kind, [(plain(key), unordered(key, plain(item))) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return kind, [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return kind, sorted(repr(plain(item)) for item in value)
    if is_dataclass(value):
        named = [(field.name, plain(getattr(value, field.name))) for field in fields(value)]
        return kind, [(name, unordered(name, item)) for name, item in named]
    names = getattr(value, "__slots__", None) or sorted(vars(value))
    values = [(name, plain(getattr(value, name))) for name in names if not name.startswith("__")]
    return kind, [(name, unordered(name, item)) for name, item in values]


#: Dictionaries the peers fill from sets, in an order that changes with PYTHONHASHSEED (docs/compare.md).
FROM_SETS = ("entities", "entity_indices", "type_scores")


def unordered(name: Any, item: Any) -> Any:
    """Ignore the order in comparisons where it is irrelevant."""
    if name not in FROM_SETS or not isinstance(item, tuple):
        return item
    return item[0], sorted(item[1], key=repr)


def outcome(function: Callable[[], Any]) -> Any:
    """Result or exception, and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = plain(function())
        except Exception as error:
            result = (
                "crashes" if isinstance(error, CRASHES) else "raises",
                type(error).__name__,
                str(error),
            )
    return result, told([(w.category.__name__, str(w.message)) for w in caught])


def told(caught: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Warnings as they are compared: of unknown tags once (docs/compare.md), others as they come."""
    once = " seems not to be NE tag."
    kept: set[tuple[str, str]] = set()
    result = []
    for warning in caught:
        if warning not in kept or not warning[1].endswith(once):
            result.append(warning)
        kept.add(warning)
    return result


class Lines(logging.Handler):
    """Collects log records."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


#: Names of calls, each with what it does; the corpus is the same on both sides.
Calls = Iterator[tuple[str, Callable[[], Any]]]


def iobes_calls(package: ModuleType, corpus: Corpus) -> Calls:
    """Readings with errors and logs, and one conversion, of every sentence."""
    logger = logging.getLogger("iobes")
    name = corpus.scheme
    target = corpus.luck.choice([n for n in ("iob", "bio", "iobes", "bilou", "bmeow") if n != name.lower()])

    def logged(function: Callable[..., Any], *args: Any) -> Callable[[], Any]:
        def call() -> Any:
            handler = Lines()
            logger.handlers, logger.propagate = [handler], False
            try:
                return function(*args), handler.lines
            finally:
                logger.handlers = []

        return call

    for sentence in (*corpus.gold, *corpus.pred):
        encoding = package.SpanEncoding[name]
        yield "parse_spans_with_errors", logged(package.parse_spans_with_errors, sentence, encoding)
        yield f"{name}_to_{target}", logged(getattr(package, f"{name.lower()}_to_{target}"), sentence)


def seqeval_calls(package: ModuleType, corpus: Corpus) -> Calls:
    """A score and the report, in the default mode and in the strict mode, with its scheme and without."""
    metrics = importlib.import_module(f"{package.__name__}.metrics")
    schemes = importlib.import_module(f"{package.__name__}.scheme")
    average = corpus.luck.choice(("micro", "macro", "weighted", None))
    name = corpus.luck.choice(("f1_score", "precision_score", "recall_score"))
    expected = {"IOB": "IOB1", "BIO": "IOB2"}.get(corpus.scheme, corpus.scheme)
    strict = {"mode": "strict", "scheme": getattr(schemes, expected)}
    given = corpus.gold, corpus.pred
    score, report = getattr(metrics, name), metrics.classification_report
    for mode, options in (("default", {}), (expected, strict), ("detected", {"mode": "strict"})):
        yield f"{name} {average} {mode}", lambda o=options: score(*given, average=average, **o)
        yield f"classification_report {mode}", lambda o=options: report(*given, output_dict=True, **o)
    yield "accuracy_score", lambda: metrics.accuracy_score(*given)


def nervaluate_calls(package: ModuleType, corpus: Corpus) -> Calls:
    """All that an evaluation gives, for some of the types and a threshold of overlap."""
    types = corpus.luck.sample(TYPES, corpus.luck.randint(1, len(TYPES)))
    percentage = corpus.luck.choice((1.0, 50.0, 100.0))

    def call() -> Any:
        evaluator = package.Evaluator(
            corpus.gold, corpus.pred, types, loader="list", min_overlap_percentage=percentage
        )
        return evaluator.evaluate()

    yield f"Evaluator {types} {percentage}", call


def seqscore_calls(package: ModuleType, corpus: Corpus) -> Calls:
    """Scores under a repair method."""
    scoring = importlib.import_module(f"{package.__name__}.scoring")
    name = {"IOBES": "BIOES"}.get(corpus.scheme, corpus.scheme)
    repair = corpus.luck.choice((None, "conlleval", "discard", "none"))
    function = scoring.score_label_sequences
    yield (
        f"score_label_sequences {name} {repair}",
        lambda: function(corpus.pred, corpus.gold, name, repair=repair),
    )


#: The calls of each peer, and the schemes of its corpora.
PEERS: dict[str, tuple[Callable[[ModuleType, Corpus], Calls], tuple[str, ...]]] = {
    "iobes": (iobes_calls, ("IOB", "BIO", "IOBES", "BILOU", "BMEOW")),
    "seqeval": (seqeval_calls, ("IOB", "BIO", "IOE1", "IOE2", "IOBES", "BILOU")),
    "nervaluate": (nervaluate_calls, ("BIO", "BIO", "BIO", "IOB", "IOBES")),
    "seqscore": (seqscore_calls, ("BIO", "IOB", "IOBES", "BILOU", "BMES", "BMEOW")),
}


class Compared(NamedTuple):
    """Result of the comparison on one corpus."""

    calls: int
    crashes: int
    """Calls that crash the peer and have a different result in spanrs."""
    different: list[str]


def compare(peer: str, pair: tuple[ModuleType, ModuleType], seed: int, at: int) -> Compared:
    """Compare everything in corpus number `at`."""
    calls, schemes = PEERS[peer]
    # A corpus for each side: what a call does to its lists, or draws, is no matter of the other side.
    created = [corpus(random.Random(f"{seed} {at}"), schemes) for _ in range(3)]
    sides = [
        [(name, outcome(call)) for name, call in calls(package, given)]
        for package, given in zip(pair, created, strict=False)
    ]
    crashes, different = 0, []
    for (name, got), (_, expected) in zip(*sides, strict=True):
        if got == expected:
            continue
        if expected[0][:1] == ("crashes",):
            crashes += 1
            continue
        given = f"gold={created[2].gold} pred={created[2].pred}"
        different.append(f"{peer} {name} {given}\n  spanrs {got}\n  {peer} {expected}")
    return Compared(len(sides[0]), crashes, different)


def run(peer: str, corpora: int, seed: int, done: dict[str, Any]) -> Iterator[None]:
    """Compare the remaining chunks; yield after every chunk."""
    sides = importlib.import_module(f"spanrs.compat.{peer}"), importlib.import_module(peer)
    while done["corpora"] < corpora:
        start, first = time.perf_counter(), done["corpora"]
        for at in range(first, min(first + CHUNK, corpora)):
            comparison = compare(peer, sides, seed, at)
            done["calls"] += comparison.calls
            done["crashes"] += comparison.crashes
            done["different"] += len(comparison.different)
            if comparison.different and done["different"] < 20:
                print("differs:", comparison.different[0], flush=True)
        done["corpora"] = min(first + CHUNK, corpora)
        done["seconds"] += time.perf_counter() - start
        if done["corpora"] % (CHUNK * 20) == 0:
            print(f"{peer}: {done['corpora']} of {corpora}, {done['different']} different", flush=True)
        yield


def section(seed: int, state: dict[str, Any]) -> str:
    """The record."""
    rows = "\n".join(
        f"| {peer} {version(peer)} | {done['corpora']} | {done['calls']} | {done['different']} "
        f"| {done['crashes']} | {done['seconds']:.0f} |"
        for peer, done in state.items()
    )
    cpu = platform.processor() or platform.machine()
    command = " ".join(["python -m benches.versus.differential", *sys.argv[1:]])
    return f"""{HEADING}

`{command}` (seed {seed}) on {cpu}, {os.cpu_count()} cores, {platform.system()},
Python {platform.python_version()}, spanrs {spanrs.__version__}. A corpus has one to four sentences.
Compared are results, exceptions and warnings; for iobes also what is logged.

| peer | corpora | calls | differences | crashes answered otherwise | seconds, both sides |
|---|---|---|---|---|---|
{rows}
"""


def main() -> int:
    """Compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=2017)
    parser.add_argument("--only", default=",".join(PEERS), help="names of peers, with commas")
    parser.add_argument("--again", action="store_true", help="forget what was done before")
    parser.add_argument("--output", type=Path, default=HERE / "record")
    parser.add_argument("--state", type=Path, default=HERE.parent / "target")
    options = parser.parse_args()
    kept = options.state / f"differential-{options.seed}.json"
    state = json.loads(kept.read_text()) if kept.exists() and not options.again else {}
    options.state.mkdir(exist_ok=True)

    names = options.only.split(",")
    for peer in names:
        nothing = {"corpora": 0, "calls": 0, "different": 0, "crashes": 0, "seconds": 0.0}
        for _ in run(peer, options.corpora, options.seed, state.setdefault(peer, nothing)):
            kept.write_text(json.dumps(state))
    # A finished run is not resumed: the next one starts over.
    kept.unlink(missing_ok=True)
    text = section(options.seed, state)
    print(text)
    date = datetime.datetime.now(datetime.UTC).date()
    record = options.output / f"{date}-differential.md"
    before = record.read_text(encoding="utf-8") if record.exists() else f"# {date}: random corpora\n"
    record.write_text(f"{before.partition(HEADING)[0].rstrip()}\n\n{text}", encoding="utf-8")
    return min(sum(state[peer]["different"] for peer in names), 1)


if __name__ == "__main__":
    sys.exit(main())
