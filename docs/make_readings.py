"""Generates the table of readings in `tags.md`: `python docs/make_readings.py`."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from generated_block import replace_block

from spanrs import tags
from spanrs.errors import SchemeError

PAGE = Path(__file__).parent / "tags.md"
BEGIN = "<!-- made by docs/make_readings.py -->"
READINGS = ("conlleval", "strict", "discard", "ncrfpp")
#: Longer sentences only add runs of B in IOB.
LENGTH = 2


def sentences(scheme: tags.Scheme) -> list[tuple[str, ...]]:
    """Return malformed sentences of one type, the shortest first."""
    malformed: list[tuple[str, ...]] = []
    letters = [letter for letter, *_ in scheme.prefixes]
    extra = [("B", "B", "B")] if scheme.name == "IOB" else []
    alone = [tuple(s) for n in range(1, LENGTH + 1) for s in product(letters, repeat=n)]
    for prefixes in alone + extra:
        written = [f"{prefix}-X" for prefix in prefixes]
        if tags.validate(written, scheme.name):
            malformed.append(prefixes)
    return malformed


def marked(prefixes: tuple[str, ...], scheme: str, reading: str) -> str:
    """Return the prefixes with brackets around spans."""
    written = [f"{prefix}-X" for prefix in prefixes]
    try:
        spans = tags.tags_to_spans(written, scheme, reading)
    except SchemeError:
        return "not defined"
    starts, ends = {span.start for span in spans}, {span.end - 1 for span in spans}
    marks = ("[" * (at in starts) + prefix + "]" * (at in ends) for at, prefix in enumerate(prefixes))
    return f"`{' '.join(marks)}`"


def table() -> str:
    """Return the table as Markdown."""
    lines = [f"| scheme | tags | {' | '.join(READINGS)} |", "|---|---|" + "---|" * len(READINGS)]
    seen: set[object] = set()
    for scheme in tags.schemes():
        # BILOU, BMES and BMEWO are IOBES with different letters.
        rules = tuple(rule for _, *rule in scheme.prefixes)
        if scheme.name == "TOKEN" or str(rules) in seen:
            continue
        seen.add(str(rules))
        for prefixes in sentences(scheme):
            cells = (marked(prefixes, scheme.name, reading) for reading in READINGS)
            lines.append(f"| {scheme.name} | `{' '.join(prefixes)}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def page() -> str:
    """Return the page with the generated table."""
    return replace_block(PAGE.read_text(encoding="utf-8"), BEGIN, table())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
