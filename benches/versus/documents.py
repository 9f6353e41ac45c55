"""Any number of documents in MAT-JSON, modelled on ten news texts of Voice of America."""

from __future__ import annotations

import json
import random
from pathlib import Path

LABELS = ("PERSON", "LOCATION", "ORGANIZATION")
#: Tokens and annotations of a document, on average.
TOKENS, ANNOTATIONS = 370, 24
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


def write(folder: Path, pairs: int, seed: int = 1) -> None:
    """Write pairs into ``folder/ref`` and ``folder/hyp``; pred differs in every fifth annotation."""
    rng = random.Random(seed)
    for side in ("ref", "hyp"):
        (folder / side).mkdir(parents=True)
    words = ["".join(rng.choices(LETTERS, k=rng.randint(1, 9))) for _ in range(3000)]
    for number in range(pairs):
        texts = [rng.choice(words) for _ in range(rng.randint(TOKENS - 150, TOKENS + 150))]
        starts, at = [], 0
        for word in texts:
            starts.append(at)
            at += len(word) + 1
        spans = _spans(rng, len(texts))
        tokens = [[start, start + len(word)] for start, word in zip(starts, texts, strict=True)]
        for side, chosen in (("ref", spans), ("hyp", [_noisy(rng, span, len(texts)) for span in spans])):
            sets = {label: [] for label in LABELS}
            last = 0
            for label, first, end in sorted(filter(None, chosen), key=lambda span: span[1:]):
                if first >= last:
                    sets[label].append([tokens[first][0], tokens[end - 1][1]])
                    last = end
            asets = [{"type": "lex", "attrs": [], "annots": tokens}]
            asets += [{"type": label, "attrs": [], "annots": annots} for label, annots in sets.items()]
            asets.append({"type": "zone", "attrs": ["region_type"], "annots": [[0, at - 1, "body"]]})
            document = {"signal": " ".join(texts), "metadata": {}, "asets": asets}
            (folder / side / f"voa{number}.json").write_text(json.dumps(document), encoding="utf-8")


def _spans(rng: random.Random, tokens: int) -> list[tuple[str, int, int]]:
    firsts = sorted(rng.sample(range(tokens - 3), ANNOTATIONS * tokens // TOKENS))
    return [(rng.choice(LABELS), first, first + rng.choice((1, 1, 1, 2, 2, 3))) for first in firsts]


def _noisy(rng: random.Random, span: tuple[str, int, int], tokens: int) -> tuple[str, int, int] | None:
    label, first, end = span
    match rng.randrange(20):
        case 0:
            return None
        case 1:
            return (rng.choice(LABELS), first, end)
        case 2:
            return (label, first, min(end + 1, tokens))
        case 3:
            return (label, max(first - 1, 0), end)
    return span
