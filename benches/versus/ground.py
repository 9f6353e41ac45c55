"""Grounding of extracted strings: times of spanrs beside `str.find`, on made and on real texts.

`python -m benches.versus.ground` prints a table of processor time, which other programs hardly affect. A peer that is
installed is timed too: rapidfuzz's `partial_ratio_alignment` for approximate occurrences.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import spanrs
from spanrs.io import ground_many
from spanrs.io.answer_options import STAGES

SHARED = Path(os.environ.get("SPANRS_SHARED", "../shared"))
Mentions = list[tuple[str, str]]
Documents = tuple[list[str], list[Mentions]]


def made(documents: int, seed: int = 1) -> Documents:
    """Texts of 300 words, with 10 mentions of one to three words."""
    rng = random.Random(seed)
    words = [
        "".join(rng.choice("abcdefghijklmnoprstuvw") for _ in range(rng.randint(2, 9)))
        for _ in range(20_000)
    ]
    texts, mentions = [], []
    for _ in range(documents):
        tokens = [rng.choice(words) for _ in range(300)]
        some = []
        for at in sorted(rng.sample(range(297), 10)):
            some.append(("T", " ".join(tokens[at : at + rng.randint(1, 3)])))
        texts.append(" ".join(tokens))
        mentions.append(some)
    return texts, mentions


def germeval() -> Documents:
    """Texts of ten sentences of GermEval 2014 (dev) with their entities as mentions."""
    corpus = spanrs.read(SHARED / "data" / "germeval2014" / "NER-de-dev.tsv", tokens=1, tags=2)
    texts: list[str] = []
    mentions: list[Mentions] = []
    for index, sentence in enumerate(corpus):
        tokens = sentence.tokens or ()
        if index % 10 == 0:
            texts.append("")
            mentions.append([])
        texts[-1] += " ".join(tokens) + "\n"
        spans = next(iter(sentence.spans.values()))
        mentions[-1] += [(span.type, " ".join(tokens[span.start : span.end])) for span in spans]
    return texts, mentions


def misspelt(documents: Documents, seed: int = 2) -> Documents:
    """Delete a letter of each mention of more than four characters, and change the case of others."""
    rng = random.Random(seed)

    def changed(mention: str) -> str:
        if len(mention) < 5:
            return mention.upper()
        at = rng.randrange(len(mention))
        return mention[:at] + mention[at + 1 :]

    texts, mentions = documents
    return texts, [[(type_, changed(mention)) for type_, mention in some] for some in mentions]


def hostile() -> dict[str, tuple[str, Mentions]]:
    """One text each that makes a search slow if it is quadratic."""
    rng = random.Random(3)
    letters = "abcdefghijklmnopqrstuvwxyz"

    def word() -> str:
        return "".join(rng.choice(letters) for _ in range(rng.randint(2, 9)))

    words = [word() for _ in range(30_000)]
    text = " ".join(rng.choice(words) for _ in range(160_000))[: 1 << 20]
    return {
        "1 MiB, 1,000 absent mentions": (
            text,
            [("T", f"{word()}q {word()}x {word()}") for _ in range(1000)],
        ),
        "1 MiB, 1,000 misspelt mentions": (
            text,
            [("T", f"{rng.choice(words)[1:]}x {rng.choice(words)}") for _ in range(1000)],
        ),
        "10,000 times the same word": ("the " * 10_000, [("T", "the")] * 10_000),
        "1 MiB of a, mentions a to a^1000": ("a" * (1 << 20), [("T", "a" * n) for n in range(1, 1001)]),
        "1 MiB of a b, absent a c, a d, ...": (
            "a b " * (1 << 18),
            [("T", f"a {c}{n} b a") for n in range(40) for c in letters],
        ),
        "a mention of 1 MiB": ("a b c", [("T", "a b " * (1 << 18))]),
        "1 MiB of combining marks": ("a" + "\u0301" * (1 << 19), [("T", "a"), ("T", "á")]),
        "1,000 mentions of 1,000 characters": (
            text,
            [("T", text[n * 1000 : n * 1000 + 999] + "Q") for n in range(1000)],
        ),
    }


def find_all(texts: Sequence[str], mentions: Sequence[Mentions]) -> int:
    """The simplest grounding: the first occurrence of each string."""
    return sum(
        text.find(mention) >= 0 for text, some in zip(texts, mentions, strict=True) for _, mention in some
    )


def rows(documents: int) -> list[tuple[str, Callable[[], object]]]:
    """Names and calls."""
    texts, mentions = made(documents)
    real = germeval()
    typos = misspelt(real)
    exact = [stage for stage in STAGES if stage != "fuzzy"]
    named: list[tuple[str, Callable[[], object]]] = [
        (
            f"{documents:,} texts of 300 words, 10 mentions",
            lambda: ground_many(texts, mentions, stages=exact),
        ),
        ("  str.find", lambda: find_all(texts, mentions)),
        (
            f"GermEval, {len(real[0])} texts, {sum(map(len, real[1])):,} mentions",
            lambda: ground_many(*real),
        ),
        ("  str.find", lambda: find_all(*real)),
        ("GermEval, mentions misspelt", lambda: ground_many(*typos)),
    ]
    try:
        from rapidfuzz import fuzz

        def partial() -> None:
            for text, some in zip(*typos, strict=True):
                for _, mention in some:
                    fuzz.partial_ratio_alignment(mention, text, score_cutoff=75)

        named.append((f"  rapidfuzz {version('rapidfuzz')} partial_ratio_alignment", partial))
    except (ImportError, PackageNotFoundError):
        pass
    for name, (text, some) in hostile().items():
        named.append((name, lambda text=text, some=some: spanrs.ground(text, some)))  # type: ignore[misc]
    return named


def processor_seconds(call: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    """Print the table."""
    # GermEval has nested spans in another column.
    warnings.simplefilter("ignore", spanrs.SpanrsWarning)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    print(
        f"spanrs {spanrs.__version__}, Python {platform.python_version()}, {platform.machine()}, 1 thread"
    )
    print(f"{'':58} {'median s':>9} {'least s':>9}")
    for name, call in rows(arguments.documents):
        times = [processor_seconds(call) for _ in range(arguments.runs)]
        print(f"{name:58} {statistics.median(times):9.3f} {min(times):9.3f}", flush=True)
    real, typos = germeval(), misspelt(germeval())
    for name, documents in (("as they are", real), ("misspelt", typos)):
        found = [grounding.stages for grounding in ground_many(*documents)]
        print(name, {stage: sum(counts[stage] for counts in found) for stage in found[0]})


if __name__ == "__main__":
    main()
