"""A second implementation of grounding, without regard to speed: tries all ranges and all assignments."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

STAGES = ("exact", "case", "unicode", "part")
PLAIN = str.maketrans({"’": "'", "“": '"', "–": "-", "\xad": None})
UNSPACED = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")

Range = tuple[int, int]


def is_word(text: str, at: int) -> bool:
    """Whether a character belongs to a word of several letters; marks belong to the letter before."""
    while at > 0 and unicodedata.combining(text[at]):
        at -= 1
    return text[at].isalnum() and not UNSPACED.match(text[at])


def normal(text: str, stage: str) -> str:
    """The normalised form of a string at a stage."""
    if stage == "exact":
        return text.strip()
    if stage != "case":
        text = unicodedata.normalize("NFKC", text.translate(PLAIN)).casefold()
        text = unicodedata.normalize("NFKC", text).translate(PLAIN)
    text = text.casefold()
    parts = text.split()
    joined = ""
    for part in parts:
        needs_space = joined and is_word(joined, len(joined) - 1) and is_word(part, 0)
        joined += (" " if needs_space else "") + part
    return joined


def occurs(text: str, stage: str, start: int, end: int) -> bool:
    """Whether an occurrence may begin and end here, regardless of the string."""
    # White space at the ends is never part of an occurrence, nor are invisible characters that are ignored.
    ignored = "\xad" if stage in ("unicode", "part") else ""
    for at in (start, end - 1):
        if text[at].isspace() or text[at] in ignored:
            return False
    if unicodedata.combining(text[start]) or (end < len(text) and unicodedata.combining(text[end])):
        return False
    if stage == "part":
        return True
    before, after = start - 1, end
    while before >= 0 and text[before] in ignored:
        before -= 1
    while after < len(text) and text[after] in ignored:
        after += 1
    inside_start = before >= 0 and is_word(text, before) and is_word(text, start)
    inside_end = after < len(text) and is_word(text, end - 1) and is_word(text, after)
    return not inside_start and not inside_end


def occurrences(text: str, mention: str, stage: str) -> list[Range]:
    """All occurrences of a string, ascending."""
    wanted = normal(mention, stage)
    ranges = [(start, end) for start in range(len(text)) for end in range(start + 1, len(text) + 1)]
    return [
        (start, end)
        for start, end in ranges
        if wanted and occurs(text, stage, start, end) and normal(text[start:end], stage) == wanted
    ]


def chains(
    candidates: Sequence[Sequence[Range]], at: int = 0, floor: int = 0
) -> Iterator[list[tuple[int, Range]]]:
    """All ways to choose occurrences of some mentions that follow each other in the text."""
    if at == len(candidates):
        yield []
        return
    yield from chains(candidates, at + 1, floor)
    for start, end in candidates[at]:
        if start >= floor:
            for rest in chains(candidates, at + 1, end):
                yield [(at, (start, end)), *rest]


def reserved(
    mentions: Sequence[tuple[str, str]],
    found: dict[int, list[Range]],
    stage: str,
    placed: Sequence[Range],
) -> dict[int, list[Range]]:
    """The occurrences that mentions may use, so that shorter strings leave longer ones their only occurrences."""
    forms = {at: normal(mentions[at][1], stage) for at in found}
    taken = list(placed)
    allowed = {}
    for form in sorted(dict.fromkeys(forms.values()), key=len, reverse=True):
        same = [at for at in found if forms[at] == form]
        free = [place for place in found[same[0]] if not any(overlaps(place, range_) for range_ in taken)]
        for at in same:
            allowed[at] = free if len(free) >= len(same) else found[at]
        if len(free) <= len(same):
            taken += free
    return {at: allowed[at] for at in found}


def overlaps(one: Range, other: Range) -> bool:
    """Whether two ranges have a common character."""
    return one[0] < other[1] and other[0] < one[1]


def ground(
    text: str, mentions: Sequence[tuple[str, str]], *, reserve: bool = True
) -> list[tuple[int, int, str] | None]:
    """The place of each mention, by the written rules; without ``reserve``, none is kept for longer strings."""
    places: list[tuple[int, int, str] | None] = [None] * len(mentions)
    chained: dict[int, Range] = {}

    def placed() -> list[tuple[str, Range]]:
        return [
            (type_, place[:2])
            for (type_, _), place in zip(mentions, places, strict=True)
            if place is not None
        ]

    for stage in STAGES:
        left = [at for at, place in enumerate(places) if place is None]
        found = {at: occurrences(text, mentions[at][1], stage) for at in left}
        if reserve:
            found = reserved(mentions, found, stage, [place for _, place in placed()])
        candidates = []
        for at in left:
            floor = max((end for other, (_, end) in chained.items() if other < at), default=0)
            ceiling = min((start for other, (start, _) in chained.items() if other > at), default=len(text))
            candidates.append(
                [
                    place
                    for place in found[at]
                    if floor <= place[0]
                    and place[1] <= ceiling
                    and not any(overlaps(place, other) for _, other in placed())
                ]
            )
        best = min(
            chains(candidates),
            key=lambda chain: (-len(chain), [at for at, _ in chain], [place[1] for _, place in chain]),
        )
        for index, place in best:
            places[left[index]] = (*place, stage)
            chained[left[index]] = place
        for at in left:
            if places[at] is None:
                free = [p for p in found[at] if not any(overlaps(p, other) for _, other in placed())]
                unused = [p for p in found[at] if (mentions[at][0], p) not in placed()]
                for place in (free or unused)[:1]:
                    places[at] = (*place, stage)
    return places


def apart(text: str, mentions: Sequence[tuple[str, str]], stage: str) -> bool:
    """Whether all mentions can be placed at one stage without any overlap, by trying all ways."""

    def place(at: int, taken: list[Range]) -> bool:
        if at == len(mentions):
            return True
        return any(
            place(at + 1, [*taken, range_])
            for range_ in occurrences(text, mentions[at][1], stage)
            if not any(overlaps(range_, other) for other in taken)
        )

    return place(0, [])
