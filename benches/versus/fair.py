"""Section fair: fair matching beside the published steps in plain Python.

FairEval's example data, where SPANRS_SHARED (default ../shared) has it, and the usual corpus.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import random
import statistics
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import spanrs
from benches.versus.inputs import one_sentence
from benches.versus.measure import (
    OWN_RUNS_A_ROUND,
    PEER_RUNS,
    Call,
    Timing,
    Work,
    in_turn,
    milliseconds,
    once,
    significant,
)
from spanrs import _spanrs
from spanrs.compat import faireval

PACKAGES = ("numpy",)
ROOT = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("SPANRS_SHARED", ROOT.parent / "shared")) / "data" / "faireval"
#: Runs of ours a round: the shortest take less than the machine needs to fill its caches after a peer.
OWN_RUNS = 3 * OWN_RUNS_A_ROUND
#: All types.
FAIR = spanrs.Fair(exclude=())

Spans = list[list[tuple[str, int, int]]]
Given = list[list[list[Any]]]


def published() -> ModuleType:
    """The steps as the tests have them."""
    spec = importlib.util.spec_from_file_location("fair_steps", ROOT / "tests" / "fair_steps.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(work: Work) -> None:
    """Example data, flat data, one sentence."""
    steps = published()
    if DATA.is_dir():
        for name, file in (("Named entities", "ner"), ("Chunks", "chunk")):
            paths = [DATA / side / f"{file}_spans.csv" for side in ("target", "system")]
            example(work, name, paths, steps)
    flat(work, steps)
    long(work, steps)


def given(spans: Spans) -> Given:
    """Spans as the published steps take them."""
    return [
        [[kind, start + 1, end, set(range(start + 1, end + 1))] for kind, start, end in row]
        for row in spans
    ]


def beside_steps(
    values: dict[str, Call], sides: tuple[Given, Given], steps: ModuleType
) -> dict[str, Timing]:
    """Our calls and the steps in turn; the steps use their input up, so each round gets a copy, untimed."""
    times: dict[str, list[float]] = {name: [] for name in values}
    peer: list[float] = []
    for _ in range(PEER_RUNS):
        for name, call in values.items():
            times[name].extend(once(call) for _ in range(OWN_RUNS))
        gold, pred = copy.deepcopy(sides)

        def count(gold: Given = gold, pred: Given = pred) -> None:
            for g, p in zip(gold, pred, strict=True):
                steps.compare_spans(g, p)

        peer.append(once(count))
    return {
        name: Timing(statistics.median(item), min(item), len(item))
        for name, item in (*times.items(), ("published steps, lists", peer))
    }


def table(work: Work, item: dict[str, Timing], spans: int) -> None:
    """A row a call."""
    peer = item["published steps, lists"]
    work.record.table(
        ("", "median ms", "least ms", "runs", "M spans/s (median)", "times as fast (median)", "(least)"),
        (
            (
                name,
                milliseconds(row.median),
                milliseconds(row.least),
                row.runs,
                significant(spans / row.median / 1e6),
                significant(peer.median / row.median),
                significant(peer.least / row.least),
            )
            for name, row in item.items()
        ),
    )


def matched(gold: _spanrs.SpanLists, pred: _spanrs.SpanLists) -> _spanrs.Counts:
    """Match spans that are read, and nothing else."""
    scorer = _spanrs.Scorer(FAIR.options(), {"scheme": "BIO"})
    scorer.update_spans(gold, pred, None)
    return scorer.counts(True)


def check(gold: Spans, pred: Spans, steps: ModuleType) -> None:
    """Both count the same."""
    total: dict[str, int] = {}
    for g, p in zip(given(gold), given(pred), strict=True):
        for kind, n in steps.compare_spans(g, p)["overall"]["fair"].items():
            total[kind.lower()] = total.get(kind.lower(), 0) + n
    assert spanrs.score(gold, pred, matcher=spanrs.Fair(exclude=())).outcomes == total


def example(work: Work, name: str, paths: list[Path], steps: ModuleType) -> None:
    """One of FairEval's examples."""
    sides: list[Spans] = [
        [
            [(kind, begin - 1, end) for kind, begin, end, _ in faireval.get_spans(lines, labels=["all"])]
            for lines in faireval.get_sentences(path)
        ]
        for path in paths
    ]
    gold, pred = ([[s for s in row if s[0] not in ("NONE", "EMPTY")] for row in side] for side in sides)
    check(gold, pred, steps)
    held = _spanrs.span_lists_of_tuples(gold, pred, True)
    mapping: dict[str, Call] = {
        "matching spans that are read": lambda: matched(*held),
        "spanrs.score, fair, lists of tuples": lambda: spanrs.score(gold, pred, matcher="fair"),
        "spanrs.score, fair, files": lambda: spanrs.score(*paths, matcher="fair"),
    }
    spans = sum(map(len, gold)) + sum(map(len, pred))
    size = sum(path.stat().st_size for path in paths) / 1e6
    work.record.heading(
        f"FairEval's example: {name}",
        f"{spans} spans in {len(gold)} sentences, files of {size:.1f} MB. The published steps find the "
        "spans in lists already; reading is no part of them, but of the files' row.",
    )
    table(work, beside_steps(mapping, (given(gold), given(pred)), steps), spans)


def flat(work: Work, steps: ModuleType) -> None:
    """The usual corpus as tags, ids and spans."""
    gold, pred = ([[tuple(s)[:3] for s in row] for row in read(side)] for side in (work.gold, work.pred))
    check(gold, pred, steps)
    names = sorted({tag for side in (work.gold, work.pred) for row in side for tag in row})
    number = {tag: at for at, tag in enumerate(names)}
    ids = [
        np.fromiter((number[tag] for row in side for tag in row), dtype=np.int64)
        for side in (work.gold, work.pred)
    ]
    lengths = np.array([len(row) for row in work.gold])
    held = _spanrs.span_lists_of_tuples(gold, pred, True)
    mapping: dict[str, Call] = {
        "matching spans that are read": lambda: matched(*held),
        "spanrs.score, fair, ids": lambda: spanrs.score(
            *ids, matcher="fair", scheme="BIO", vocabulary=names, lengths=lengths
        ),
        "spanrs.score, fair, lists of tags": lambda: spanrs.score(
            work.gold, work.pred, matcher="fair", scheme="BIO"
        ),
        "spanrs.score, lists of tags (exact)": lambda: spanrs.score(work.gold, work.pred, scheme="BIO"),
        "spanrs.score, fair, lists of tuples": lambda: spanrs.score(gold, pred, matcher="fair"),
    }
    spans = sum(map(len, gold)) + sum(map(len, pred))
    work.record.heading("Flat data", f"{spans} spans, {work.tokens} tokens.")
    table(work, beside_steps(mapping, (given(gold), given(pred)), steps), spans)


def read(side: list[list[str]]) -> Any:
    """Spans of tags."""
    return spanrs.tags.tags_to_spans(side, "BIO")


def monsters(n: int) -> dict[str, tuple[Any, Any]]:
    """One sentence of n spans a side, of several kinds."""
    rng = random.Random(n)
    gold = [(rng.choice("AB"), 3 * at, 3 * at + 2) for at in range(n)]
    pred = [
        (rng.choice("AB"), 3 * at + rng.choice((0, 0, 0, 1)), 3 * at + rng.choice((2, 2, 3)))
        for at in range(n)
    ]
    shuffled = pred[:]
    rng.shuffle(shuffled)
    pieces = [("A", 2 * at, 2 * at + 1) for at in range(n)]
    rng.shuffle(pieces)
    return {
        "flat, three of four spans wrong": (gold, pred),
        "the same, pred in any order": (gold, shuffled),
        "a chain, each span overlaps two": (
            [("A", 2 * at, 2 * at + 2) for at in range(n)],
            [("A", 2 * at + 1, 2 * at + 3) for at in range(n)],
        ),
        "one span over all of the other side's": ([("A", 0, 2 * n)], pieces),
    }


def long(work: Work, steps: ModuleType) -> None:
    """One sentence, twice as long the second time."""
    sizes = (10_000, 20_000)
    calls: dict[int, dict[str, Call]] = {}
    for n in sizes:
        calls[n] = {}
        for name, (gold, pred) in monsters(n).items():
            held = _spanrs.span_lists_of_tuples([gold], [pred], True)
            calls[n][name] = lambda held=held: matched(*held)
        # As many tokens as it takes for so many spans.
        tags = [one_sentence(side, 8 * n) for side in (work.gold, work.pred)]
        calls[n][f"tags of {8 * n} tokens, spanrs.score, fair"] = lambda tags=tags: spanrs.score(
            *tags, matcher="fair", scheme="BIO"
        )
    work.record.heading(
        "One sentence of 10,000 and of 20,000 spans a side",
        "Spans that are read, where nothing else is said. Linear is 2 in the last column, quadratic 4.",
    )
    rows = []
    for place, name in enumerate(calls[sizes[0]]):
        second = list(calls[sizes[1]])[place]
        pair = in_turn({"one": calls[sizes[0]][name], "two": calls[sizes[1]][second]}, 51)
        first, two = pair["one"], pair["two"]
        rows.append(
            (
                name,
                milliseconds(first.median),
                milliseconds(two.median),
                f"{two.median / first.median:.2f}",
                f"{two.least / first.least:.2f}",
            )
        )
    for n in (500, 1000):
        gold, pred = monsters(n)["flat, three of four spans wrong"]
        check([gold], [pred], steps)
        sides = given([gold])[0], given([pred])[0]
        rows.append(
            (
                f"published steps, {n} spans a side",
                milliseconds(once(lambda s=sides: steps.compare_spans(*s))),
                "",
                "",
                "",
            )
        )
    heads = ("", "10,000, ms", "20,000, ms", "times as long (median)", "(least)")
    work.record.table(heads, rows)
