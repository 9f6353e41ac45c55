"""Inputs of the recorded cases: random inputs with fixed seeds, and a few manual ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

TYPES = ["PER", "LOC", "ORG", "creative-work"]
#: Begin, inside, end and single prefixes; those of IOB1 and IOE1 depend on the neighbours.
PREFIXES = {
    "IOB1": "IIII",
    "BIO": "BIIB",
    "IOE1": "IIII",
    "IOE2": "IIEE",
    "IOBES": "BIES",
    "BILOU": "BILU",
    "BMEOW": "BMEW",
    "BMES": "BMES",
}
#: Tags that no scheme has, and tags of other schemes.
STRANGE = ["B", "I", "E", "S", "B-", "I-", "-", "PER", "X-PER", "b-PER", "o", "O-PER", "B-O", "I-O",
           "B--PER", "B-PER-", "B_PER", "BPER", "PER-B", "I-0", "B-0", "0", ".", "[", "<PAD>", "-DOCSTART-",
           "S-PER", "E-PER", "L-PER", "U-PER", "M-PER", "W-PER", "B-per", "Ü-PER", "B-北京"]  # fmt: skip
#: Number of pairs of each category per scheme.
CATEGORIES = {"valid": 8, "noisy": 8, "malformed": 8, "bothmal": 6, "weird": 8}

Span = tuple[str, int, int]


def random_spans(rng: random.Random, length: int, chance: float = 0.4) -> list[Span]:
    """Draw flat spans, some of them adjacent."""
    spans, at = [], 0
    while at < length:
        if rng.random() < chance:
            end = min(length, at + rng.choice([1, 1, 2, 2, 3, 5]))
            spans.append((rng.choice(TYPES[: rng.choice([1, 2, 4])]), at, end))
            at = end
        else:
            at += 1
    return spans


def write(scheme: str, spans: list[Span], length: int) -> list[str]:
    """Write spans as well-formed tags."""
    begin, inside, end, single = PREFIXES[scheme]
    tags = ["O"] * length
    for kind, first, last in spans:
        prefixes = [single] if last - first == 1 else [begin, *inside * (last - first - 2), end]
        if scheme == "IOB1" and any((k, b) == (kind, first) for k, _, b in spans):
            prefixes[0] = "B"
        if scheme == "IOE1" and any((k, a) == (kind, last) for k, a, _ in spans):
            prefixes[-1] = "E"
        tags[first:last] = [f"{prefix}-{kind}" for prefix in prefixes]
    return tags


def random_tags(rng: random.Random, scheme: str, length: int) -> list[str]:
    """Draw tags with the prefixes of the scheme, mostly malformed."""
    letters = sorted(
        {"B", "I"} if scheme == "IOB1" else {"E", "I"} if scheme == "IOE1" else PREFIXES[scheme]
    )
    kinds = TYPES[: rng.choice([1, 2, 4])]
    return [
        "O" if rng.random() < 0.3 else f"{rng.choice(letters)}-{rng.choice(kinds)}" for _ in range(length)
    ]


def replace(rng: random.Random, tags: list[str], item: list[str], chance: float) -> list[str]:
    return [rng.choice(item) if rng.random() < chance else tag for tag in tags]


def moved(rng: random.Random, spans: list[Span], length: int) -> list[Span]:
    """Change spans as a system might have predicted them; the result is flat."""
    collected: list[Span] = []
    for kind, first, last in spans:
        chance = rng.random()
        if chance < 0.15:
            continue
        end = last if chance < 0.7 else min(length, last + 1)
        predicted = kind if chance < 0.85 else rng.choice(TYPES)
        if not collected or collected[-1][2] <= first:
            collected.append((predicted, first, end))
    return collected


def pair(rng: random.Random, scheme: str, category: str) -> tuple[list[str], list[str]]:
    """Create gold and pred tags of a category."""
    length = rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12])
    spans = random_spans(rng, length)
    gold = write(scheme, spans, length)
    pred = write(scheme, moved(rng, spans, length), length)
    if category == "noisy":
        pred = replace(rng, pred, [*gold, "O"], 0.25)
    elif category == "malformed":
        pred = replace(rng, pred, random_tags(rng, scheme, length), 0.6)
    elif category == "bothmal":
        gold, pred = random_tags(rng, scheme, length), random_tags(rng, scheme, length)
        pred = replace(rng, gold, pred, 0.6)
    elif category == "weird":
        gold, pred = replace(rng, gold, STRANGE, 0.1), replace(rng, pred, STRANGE, 0.4)
    return gold, pred


def pairs() -> Iterator[dict[str, Any]]:
    """Create tagged sentences in eight schemes, well formed and malformed."""
    rng = random.Random(20261)
    number = 0
    for scheme in PREFIXES:
        created = [(name, *pair(rng, scheme, name)) for name, n in CATEGORIES.items() for _ in range(n)]
        filled, blank = write(scheme, [("PER", 0, 2), ("LOC", 2, 3)], 4), ["O"] * 4
        created += [
            ("empty", [], []),
            ("allO", blank, blank),
            ("goldO", blank, filled),
            ("predO", filled, blank),
        ]
        for category, gold, pred in created:
            number += 1
            yield {"id": number, "s": scheme, "c": category, "g": gold, "p": pred}


def conversions() -> Iterator[dict[str, Any]]:
    """Create spans to write in all encodings, and tags of mixed schemes to convert."""
    rng = random.Random(20262)
    for number in range(1, 61):
        length = rng.choice([0, 1, 2, 4, 6, 9])
        if number <= 25:
            spans = [["AB"[len(kind) % 2], a, b] for kind, a, b in random_spans(rng, length)]
            yield {"id": number, "n": length, "spans": spans}
        else:
            letters = rng.choice(["BI", "BIES", "BILU", "BMEW", "BIESLUMW"])
            tags = [
                "O" if rng.random() < 0.35 else f"{rng.choice(letters)}-{rng.choice('AB')}"
                for _ in range(length)
            ]
            yield {"id": number, "tags": tags}


def writes() -> Iterator[dict[str, Any]]:
    """Create spans with and without a length; out of order, overlapping, beyond the length."""
    rng = random.Random(20263)
    given: list[tuple[list[list[Any]], int | None]] = [
        ([], 0),
        ([], 3),
        ([], None),
        ([["A", 0, 3], ["B", 1, 2]], None),
        ([["A", 0, 2], ["A", 2, 3], ["B", 3, 4]], 4),
        ([["A", 0, 2]], 1),
    ]
    for number in range(30):
        length = rng.choice([1, 3, 5, 8])
        spans = [["AB"[len(kind) % 2], a, b] for kind, a, b in random_spans(rng, length, 0.6)]
        rng.shuffle(spans)
        if spans:
            given.append((spans, length + 1 if number % 2 else None))
    for number, (spans, length) in enumerate(given, 1):
        yield {"id": number, "spans": spans, "length": length}


def span_sets() -> Iterator[dict[str, Any]]:
    """Create gold and pred spans [label, begin, end, tokens], 1-based with inclusive ends, of five kinds."""
    rng = random.Random(20264)
    labels = ["NP", "VP", "PP"]

    def span(first: int, last: int, *, holes: bool = False) -> list[Any]:
        tokens = [
            t for t in range(first, last + 1) if not holes or t in (first, last) or rng.random() < 0.6
        ]
        return [rng.choice(labels), first, last, tokens]

    def some(kind: str) -> list[list[Any]]:
        if kind == "flat":
            return [span(a + 1, b) for _, a, b in random_spans(rng, 10)]
        created = []
        for _ in range(rng.randrange(5)):
            first = rng.randrange(1, 9)
            created.append(span(first, min(10, first + rng.randrange(5)), holes=kind == "discont"))
            if kind == "nested" and created[-1][2] > first:
                created.append(span(first, rng.randrange(first, created[-1][2] + 1)))
            if kind == "dup" and rng.random() < 0.4:
                created.append([*created[-1][:3], list(created[-1][3])])
        return created

    number = 0
    for _ in range(18):
        for kind in ("flat", "nested", "overlap", "discont", "dup"):
            number += 1
            gold = some(kind)
            kept = [[*s[:3], list(s[3])] for s in gold if rng.random() < 0.7]
            yield {"id": number, "k": kind, "t": gold, "y": kept + some(kind)[:3]}


def nested_corpus() -> Iterator[str]:
    """Create the lines of a corpus with two layers of BIO tags: index, token, outer tag, inner tag."""
    rng = random.Random(20266)
    for number in range(1, 61):
        yield f"#\tsource {number}"
        length = rng.randrange(4, 13)
        outer = random_spans(rng, length, 0.5)
        inner = []
        for _, first, last in outer:
            if last - first > 1 and rng.random() < 0.8:
                inner.append((rng.choice(TYPES[:3]), rng.randrange(first, last), last))
        layers = [write("BIO", spans, length) for spans in (outer, inner)]
        for at, (tag, below) in enumerate(zip(*layers, strict=True), 1):
            yield f"{at}\tw{at}\t{tag}\t{below}"
        yield ""


def stacked_lines() -> Iterator[dict[str, Any]]:
    """Create sentences in FairEval's columns `word pos annotations`, the annotations stacked with |."""
    rng = random.Random(20265)
    marks = [",", "$,", "$.", "PUNCT"]
    for number in range(1, 49):
        lines, open_labels = [], []
        for at in range(rng.randrange(1, 9)):
            open_labels = open_labels[: rng.randrange(len(open_labels) + 1)]
            stack = [f"I-{label}" for label in open_labels]
            for _ in range(rng.choice([0, 0, 1, 1, 2])):
                open_labels.append(rng.choice(["NP", "VP", "creative-work"]))
                stack.append(f"B-{open_labels[-1]}")
            if number % 3 == 0 and rng.random() < 0.3:
                stack = [rng.choice(["I-NP", "B-NP", "X", "_", "NP", "B-"]), *stack[1:]]
            pos = rng.choice(["NN", "VB", *marks])
            lines.append(f"w{at} {pos} {'|'.join(stack) or rng.choice(['O', '_'])}")
        if number % 16 == 0:
            lines = [line.replace(" ", rng.choice(["\t", "  "])) for line in lines]
        yield {"id": number, "k": "format" if number % 16 == 0 else "random", "s": lines}


#: Lines `label TAB begin TAB end TAB tokens` of span files, right and wrong.
SPAN_LINES = [
    [],
    ["NP\t1\t3\t1,2,3"],
    ["NP\t1\t3\t1, 3"],
    ["NP\t1\t3\t"],
    ["NP\t2\t1\t1,2"],
    ["NP\t3\t3\t7"],
    ["NP\t0\t2\t1,2"],
    ["NP\t-2\t2\t1"],
    ["NP\t1\t-2\t1"],
    ["NP\tone\t2\t1,2"],
    ["NP\t1\ttwo\t1,2"],
    ["NP\t1\t2\tx"],
    ["NP\t1\t2\t1,,2"],
    ["NP\t1\t2"],
    ["NP\t1\t2\t1,2\t5"],
    ["\t1\t2\t1,2"],
    ["NONE\t1\t2\t1,2", "NP\t4\t4\t4"],
    ["EMPTY\t1\t1\t1"],
    ["PP\t1\t2\t1,2", "NP\t2\t5\t2,3,5", "PP\t1\t2\t1,2"],
    ["B-PP\t1\t2\t1,2"],
    ["NP\t1\t2\t2,1,2"],
    ["NP\t1\t2\t1,2", "NP\t4\t4"],
    ["NP\t1\t2\t1,2", "NP\tx\t4\t4"],
    ["NP 1 2 1,2"],
]

FILES = "target_in = ../data/target/ner_spans.csv\nsystem_in = ../data/system/ner_spans.csv\n"
#: FairEval's configuration files.
CONFIGS = [
    FILES,
    FILES + "eval_method = traditional\n",
    FILES + "eval_method = fair, weighted\n",
    FILES + "eval_method = ALL\n",
    FILES + "labels = NP\n",
    FILES + "exclude = NONE\n",
    FILES + "exclude = \n",
    FILES + "focus = system\n",
    FILES + "focus = both\n",
    FILES + "ignore_punct = True\n",
    FILES + "ignore_punct = maybe\n",
    FILES + "weights = default\neval_method = weighted\n",
    FILES + "weights = LE = 0.25 FP + 0.75 FN, BE = TP\n",
    FILES + "weights = LE = .5 TP, LBE = 1. FP, BEO = -1 FN\n",
    FILES + "weights = nothing\n",
    FILES + "eval_out = results.csv\n",
    "# a comment\n\n" + FILES + "   # another\n",
    "target_in = ../data/target/ner_spans.csv\n",
    "target_in = ../data/target/none.csv\nsystem_in = ../data/system/none.csv\n",
    "target_in = ../data/target\nsystem_in = ../data/system/ner_spans.csv\n",
]
