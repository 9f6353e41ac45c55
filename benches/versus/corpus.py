"""A generated corpus, CoNLL-2003 like: about 14 tokens a sentence and 1.8 spans, four types, BIO."""

from __future__ import annotations

import random
from pathlib import Path

TYPES = ("PER", "LOC", "ORG", "MISC")
WORDS = [
    "the",
    "of",
    "in",
    "to",
    "said",
    "on",
    "for",
    "at",
    "was",
    "with",
    "that",
    "by",
    "from",
    "has",
    "were",
    "Germany",
    "official",
    "million",
    "percent",
    "government",
    "Thursday",
    "minister",
    "against",
    "company",
    "market",
    "president",
    "Reuters",
    "London",
]
SEED = 1803


def sentences(tokens: int) -> tuple[list[list[str]], list[list[str]]]:
    """Gold and pred of about this many tokens; nine of ten pred spans are correct."""
    rng = random.Random(SEED)
    gold, pred, created = [], [], 0
    while created < tokens:
        length = min(max(1, round(rng.gauss(14, 7))), tokens - created)
        g, p = ["O"] * length, ["O"] * length
        at = 0
        while at < length:
            if rng.random() < 0.139:
                kind, size = rng.choice(TYPES), min(rng.choice((1, 1, 1, 2, 2, 3)), length - at)
                write(g, at, size, kind)
                luck = rng.random()
                if luck < 0.91:
                    write(p, at, size, kind)
                elif luck < 0.94:
                    write(p, at, size, rng.choice(TYPES))
                elif luck < 0.97:
                    write(p, at, max(1, size - 1), kind)
                at += size
            else:
                if rng.random() < 0.005:
                    write(p, at, 1, rng.choice(TYPES))
                at += 1
        gold.append(g)
        pred.append(p)
        created += length
    return gold, pred


def write(tags: list[str], at: int, size: int, kind: str) -> None:
    """Write a span into tags; equal tags are the same object, as in the label list of a model."""
    names = NAMES[kind]
    tags[at : at + size] = [names[0]] + [names[1]] * (size - 1)


NAMES = {kind: (f"B-{kind}", f"I-{kind}") for kind in TYPES}
VOCABULARY = ["O", *(name for kind in TYPES for name in NAMES[kind])]


def write_file(path: Path, tags: list[list[str]], *, columns: int = 2) -> int:
    """Write a column file, with `columns` 4 as CoNLL-2003 (token, POS, chunk, tag); returns its size in bytes."""
    rng = random.Random(SEED)
    middle = " NN I-NP" if columns == 4 else ""
    with path.open("w", encoding="utf-8") as out:
        for sentence in tags:
            out.writelines(f"{rng.choice(WORDS)}{middle} {tag}\n" for tag in sentence)
            out.write("\n")
    return path.stat().st_size
