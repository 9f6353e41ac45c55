"""A million random sequences beside iobes from PyPI; run once by `make differential`.

Prints how many were compared and every difference. Spans and errors of one encoding each; every tenth
sequence is also converted. The differences allowed are those of docs/compare.md (types that hold white
space or control characters do not occur here).
"""

from __future__ import annotations

import argparse
import logging
import random
import sys

import iobes
from rich.progress import track

from spanrs import tags
from spanrs.errors import SchemeError

logging.getLogger("iobes").setLevel(logging.CRITICAL)
ENCODINGS = {
    "IOB": iobes.SpanEncoding.IOB,
    "BIO": iobes.SpanEncoding.BIO,
    "IOBES": iobes.SpanEncoding.IOBES,
    "BILOU": iobes.SpanEncoding.BILOU,
    "BMEWO": iobes.SpanEncoding.BMEOW,
}
LETTERS = {"IOB": "BI", "BIO": "BI", "IOBES": "BIES", "BILOU": "BILU", "BMEWO": "BMEW"}
WEIRD = ["", "-", "B", "I", "E", "S", "PER", "X-PER", "O-PER", "B--", "I-O", "B-O", "b-PER", "M-A", "."]


def sequence(rng: random.Random, encoding: str) -> list[str]:
    """Tags that are mostly of the encoding, so that most sequences hold spans."""
    weird = rng.random() < 0.3
    out = []
    for _ in range(rng.randint(0, 10)):
        luck = rng.random()
        if luck < 0.3:
            out.append("O")
        elif weird and luck < 0.45:
            out.append(rng.choice(WEIRD))
        else:
            out.append(f"{rng.choice(LETTERS[encoding])}-{rng.choice(('PER', 'LOC', 'a-b'))}")
    return out


def differs(given: list[str], encoding: str) -> bool:
    """Compare spans and errors."""
    spans, errors = iobes.parse_spans_with_errors(given, ENCODINGS[encoding])
    got = tags.tags_to_spans(given, encoding, dialect=tags.IOBES_DIALECT)
    violations = tags.validate(given, encoding, dialect=tags.IOBES_DIALECT)
    return [(s.type, s.start, s.end) for s in got] != [(s.type, s.start, s.end) for s in spans] or [
        (v.index, v.kind, v.current, v.previous, v.next) for v in violations
    ] != [(e.location, e.type, e.current, e.previous, e.next) for e in errors]


def converts_differently(given: list[str], source: str, target: str) -> bool:
    """Compare a conversion: the same tags, or an error on both sides."""
    try:
        expected = getattr(iobes, f"{source}_to_{target}".lower().replace("bmewo", "bmeow"))(list(given))
    except ValueError:
        expected = None
    try:
        got = tags.convert(given, source, target, dialect=tags.IOBES_DIALECT)
    except SchemeError:
        got = None
    return got != expected


def main() -> int:
    """Compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=2017)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    names = sorted(ENCODINGS)
    different = conversions = 0
    for at in track(range(options.sequences), "comparing", disable=not sys.stderr.isatty()):
        encoding = names[at % len(names)]
        given = sequence(rng, encoding)
        if differs(given, encoding):
            different += 1
            print("differs:", encoding, given)
        if at % 10 == 0:
            target = rng.choice([name for name in names if name != encoding])
            conversions += 1
            if converts_differently(given, encoding, target):
                different += 1
                print("converts differently:", encoding, target, given)
    print(
        f"iobes {iobes.__version__ if hasattr(iobes, '__version__') else '1.5.1'}, seed {options.seed}: "
        f"{options.sequences} sequences, {conversions} conversions, {different} differences"
    )
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main())
