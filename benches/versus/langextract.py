"""``spanrs.ground`` beside the aligner of langextract; writes benches/record/DATE-generated.md.

    python -m benches.versus.langextract --peer-python PYTHON [--documents N] [--legacy N] [--output FOLDER]

``PYTHON`` is an interpreter with langextract 1.7.1. Documents of about 2,000 words with 50 mentions of one to four
words in the order of the text, half of them altered: a typo, a dropped or added word, upper case, or quotes. The first
corpus is made; the second is sentences of EWT, on which nothing was tuned. Each side has one process and thread; the
sides take turns, document by document, and times are processor times, because the machine is shared. The algorithm
``legacy`` takes minutes for such a document, so it is run on
documents of about 200 words with 5 mentions.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import os
import random
import statistics
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import spanrs
from benches.versus.measure import Record, machine, versions
from spanrs.compat import langextract

HERE = Path(__file__).parent.parent
SHARED = Path(os.environ.get("SPANRS_SHARED", HERE.parent.parent / "shared"))
WORDS, MENTIONS = 2000, 50
#: For the algorithm `legacy`.
LEGACY_WORDS, LEGACY_MENTIONS = 200, 5
#: How half of the mentions are altered.
ALTERATIONS = ("typo", "dropped word", "added word", "upper case", "quotes")
#: Answers to a line with a text, strings and options by a line with seconds and places.
PEER = """
import json, sys, time
from absl import logging
logging.set_verbosity(logging.FATAL)
from langextract.core.data import Extraction
from langextract.resolver import Resolver
for line in sys.stdin:
    text, strings, options = json.loads(line)
    extractions = [Extraction("x", string) for string in strings]
    start = time.process_time()
    aligned = list(Resolver().align(extractions, text, 0, 0, **options))
    seconds = time.process_time() - start
    places = [one.char_interval and (one.char_interval.start_pos, one.char_interval.end_pos) for one in aligned]
    print(json.dumps([seconds, places]), flush=True)
"""

Place = tuple[Any, Any] | None


class Case(NamedTuple):
    """A text with mentions: the strings to find, where they were taken from, and how they were altered."""

    text: str
    strings: list[str]
    places: list[tuple[int, int]]
    alterations: list[str]


def made_words(rng: random.Random) -> Iterator[list[str]]:
    """Yield sentences of made words, whose frequencies follow Zipf's law."""
    syllables = [
        first + vowel + last for first in "bdfklmnprst" for vowel in "aeiou" for last in ("", "n", "r", "s")
    ]
    vocabulary = ["".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(5000)]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    while True:
        sentence = rng.choices(vocabulary, weights, k=rng.randint(6, 25))
        for _ in range(rng.randint(0, 3)):
            at = rng.randrange(len(sentence))
            sentence[at] = sentence[at].capitalize() + rng.choice(["", "", "'s", ","])
        sentence[-1] += "."
        yield sentence


def ewt_words(_: random.Random) -> Iterator[list[str]]:
    """Yield the sentences of the English Web Treebank (200,000 words), and again from the first."""
    sentences = []
    for part in ("train", "dev"):
        path = SHARED / "data" / "ud_ewt" / f"en_ewt-ud-{part}.conllu"
        lines = path.read_text(encoding="utf-8").splitlines()
        sentences += [
            line.removeprefix("# text = ").split() for line in lines if line.startswith("# text = ")
        ]
    yield from itertools.cycle(sentences)


def altered(rng: random.Random, words: list[str], other: str) -> tuple[str, str]:
    """Return a string with a mistake, and the name of the mistake."""
    kind = rng.choice(ALTERATIONS)
    words = list(words)
    if kind == "typo":
        at = max(range(len(words)), key=lambda index: len(words[index]))
        word = words[at]
        place = rng.randrange(len(word))
        typos = (
            word[place + 1 :],
            "e" + word[place:],
            word[place + 1 : place + 2] + word[place : place + 1] + word[place + 2 :],
        )
        words[at] = word[:place] + rng.choice(typos)
    elif kind == "dropped word":
        if len(words) == 1:
            return altered(rng, words, other)
        del words[rng.randrange(len(words))]
    elif kind == "added word":
        words.insert(rng.randint(0, len(words)), other)
    elif kind == "upper case":
        words = [word.upper() for word in words]
    else:
        words = ["\u201c" + " ".join(words).replace("'", "\u2019") + "\u201d"]
    return " ".join(words), kind


def documents(
    sentences: Iterator[list[str]], number: int, size: int = WORDS, mentions: int = MENTIONS
) -> Iterator[Case]:
    """Yield documents of sentences, with mentions in the order of the text."""
    rng = random.Random(2)
    for _ in range(number):
        words: list[str] = []
        while len(words) < size:
            words += next(sentences)
        starts, at = [], 0
        for word in words:
            starts.append(at)
            at += len(word) + 1
        case = Case(" ".join(words), [], [], [])
        for first in sorted(rng.sample(range(0, len(words) - 4, 5), mentions)):
            last = first + rng.randint(1, 4)
            start, end = starts[first], starts[last - 1] + len(words[last - 1])
            kind = "none"
            string = case.text[start:end]
            if rng.random() < 0.5:
                string, kind = altered(rng, words[first:last], rng.choice(words))
            case.strings.append(string)
            case.places.append((start, end))
            case.alterations.append(kind)
        yield case


class Peer:
    """langextract in its own process."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def align(self, case: Case, **options: Any) -> tuple[float, list[Place]]:
        """Return seconds and places."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([case.text, case.strings, options]) + "\n")
        self._process.stdin.flush()
        seconds, places = json.loads(self._process.stdout.readline())
        return seconds, [tuple(place) if place else None for place in places]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def grounded(case: Case) -> tuple[float, list[Place]]:
    """Return seconds and places of `spanrs.ground`."""
    mentions = [("x", string) for string in case.strings]
    start = time.process_time()
    found = spanrs.ground(case.text, mentions)
    seconds = time.process_time() - start
    return seconds, [None if one.start is None else (one.start, one.end) for one in found]


def aligned(case: Case, **options: Any) -> tuple[float, list[Place]]:
    """Return seconds and places of `spanrs.compat.langextract.align`."""
    extractions = [langextract.Extraction("x", string) for string in case.strings]
    start = time.process_time()
    found = langextract.align(extractions, case.text, options=langextract.AlignmentOptions(**options))
    seconds = time.process_time() - start
    places = (one.char_interval for one in found)
    return seconds, [(place.start_pos, place.end_pos) if place else None for place in places]


class Tally:
    """Times of documents, and outcomes of mentions by alteration."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, case: Case, seconds: float, places: list[Place]) -> None:
        """Add a document."""
        self.seconds.append(seconds)
        for place, true, kind in zip(places, case.places, case.alterations, strict=True):
            counts = self.outcomes[kind]
            counts["mentions"] += 1
            counts["found"] += place is not None
            counts["at the place"] += place is not None and place[0] < true[1] and true[0] < place[1]
            counts["same bounds"] += place == true

    def total(self, *, with_mistakes: bool) -> Counter[str]:
        """Return the outcomes of mentions with or without alterations."""
        kinds = [kind for kind in self.outcomes if (kind != "none") == with_mistakes]
        return sum((self.outcomes[kind] for kind in kinds), Counter())


def run(cases: Iterator[Case], peer: Peer, algorithm: str) -> dict[str, Tally]:
    """Run all sides on each document, in turn."""
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    options = {"fuzzy_alignment_algorithm": algorithm}
    for case in cases:
        sides = {
            "spanrs.ground": grounded(case),
            "spanrs.compat.langextract": aligned(case, **options),
            "langextract": peer.align(case, **options),
        }
        assert sides["langextract"][1] == sides["spanrs.compat.langextract"][1]
        for name, (seconds, places) in sides.items():
            tallies[name].add(case, seconds, places)
    return dict(tallies)


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def write_times(record: Record, tallies: dict[str, Tally]) -> None:
    """Write the table of times."""
    peer = statistics.median(tallies["langextract"].seconds)
    rows = []
    for side, tally in tallies.items():
        middle = statistics.median(tally.seconds)
        rows.append([side, len(tally.seconds), f"{1000 * middle:.2f}", f"{peer / middle:.1f}x"])
    record.table(["", "documents", "ms per document", "langextract takes"], rows)


def write_quality(record: Record, tallies: dict[str, Tally]) -> None:
    """Write the tables of mentions that were found."""
    shown = {side: tally for side, tally in tallies.items() if not side.startswith("spanrs.compat")}
    outcomes = ("found", "at the place", "same bounds")
    rows = []
    for with_mistakes in (False, True):
        for side, tally in shown.items():
            counts = tally.total(with_mistakes=with_mistakes)
            cells = [share(counts[one], counts["mentions"]) for one in outcomes]
            rows.append(
                ["altered" if with_mistakes else "as in the text", side, counts["mentions"], *cells]
            )
    record.table(["mentions", "", "number", *outcomes], rows)
    record.add("Altered mentions by alteration:")
    record.add()
    rows = []
    for outcome in ("at the place", "same bounds"):
        for side, tally in shown.items():
            counted = [tally.outcomes[kind] for kind in ALTERATIONS]
            rows.append([outcome, side, *(share(one[outcome], one["mentions"]) for one in counted)])
    record.table(["", "", *ALTERATIONS], rows)


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", required=True, metavar="PYTHON")
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--legacy", type=int, default=5, help="documents for `legacy`")
    parser.add_argument("--output", type=Path, default=HERE / "record")
    options = parser.parse_args()
    today = datetime.datetime.now(tz=datetime.UTC).date()
    record = Record()
    record.add("# Strings found in texts, beside langextract")
    record.add()
    command = "python -m benches.versus.langextract --peer-python PYTHON"
    record.add(f"{today}, {machine()}; {versions()}, langextract 1.7.1. `{command}`")
    record.add()
    record.add(
        f"Documents of about {WORDS} words with {MENTIONS} mentions in the order of the text; one thread, medians of "
        "processor times, the sides in turn. The places of `spanrs.compat.langextract` are those of langextract."
    )
    record.add()
    record.add(
        "At the place: overlapping the words that the mention was taken from. A string that the text has several times "
        "may be found elsewhere, and a string without its first or last word does not have the same bounds."
    )
    record.add()
    peer = Peer(options.peer_python)
    for name, words in (("Made documents", made_words), ("Sentences of EWT", ewt_words)):
        sentences = words(random.Random(1))
        tallies = run(documents(sentences, options.documents), peer, "lcs")
        record.heading(name)
        write_times(record, tallies)
        write_quality(record, tallies)
        few = documents(sentences, options.legacy, LEGACY_WORDS, LEGACY_MENTIONS)
        record.add(f"The algorithm `legacy`, {LEGACY_WORDS} words and {LEGACY_MENTIONS} mentions:")
        record.add()
        write_times(record, run(few, peer, "legacy"))
    peer.close()
    target = options.output / f"{today}-generated.md"
    target.write_text("\n".join(record.lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
