"""Mentions of generated answers, grounded in their texts, and the numbers of what was not read or found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import attrgetter
from typing import NamedTuple

from spanrs.errors import FormatError, with_code
from spanrs.io.answer_options import STAGES, AnswerOptions
from spanrs.io.answer_records import AnswerRecord, Query
from spanrs.io.answer_types import TypeNames
from spanrs.io.answers import Answer, read_answers
from spanrs.io.grounding import GroundedMention, ground_many

#: Number of faults and of ungrounded strings that are shown.
SHOWN = 3
#: Name of the stage of mentions whose offsets are stated in the answer, and were found to be true.
STATED = "stated"


@dataclass
class AnswerCounts:
    """Numbers of answers and mentions, of what could not be read, and of what was not found.

    Examples
    --------
    >>> from spanrs.io.generated import AnswerCounts
    >>> AnswerCounts(answers=4, unreadable=1).to_dict()["unreadable"]
    1
    """

    answers: int = 0
    """Number of answers."""
    unreadable: int = 0
    """Number of answers from which nothing could be read; they are empty predictions."""
    repaired: int = 0
    """Number of answers that were repaired or cut out of other text."""
    faults: int = 0
    """Number of items of answers that could not be read."""
    mentions: int = 0
    """Number of mentions read."""
    off_schema: int = 0
    """Number of mentions whose types are not in the schema."""
    repeated: int = 0
    """Number of mentions listed more often than they occur in the text."""
    ungrounded: int = 0
    """Number of mentions that do not occur in the text."""
    stages: dict[str, int] = field(default_factory=lambda: dict.fromkeys((STATED, *STAGES), 0))
    """Number of mentions found at each stage."""
    examples: list[str] = field(default_factory=list)
    """The first faults, with their locations."""
    strings: list[str] = field(default_factory=list)
    """The first strings that do not occur in their text."""

    def to_dict(self) -> dict[str, int]:
        """Return the numbers, with the stages of grounding among them."""
        numbers = {name: value for name, value in vars(self).items() if isinstance(value, int)}
        return numbers | self.stages

    def add_answer(self, answer: Answer, place: str) -> None:
        """Count an answer."""
        self.answers += 1
        self.unreadable += answer.is_unreadable
        self.repaired += bool(answer.repairs)
        self.faults += len(answer.faults)
        self.mentions += len(answer.mentions)
        for fault in answer.faults[: max(0, SHOWN - len(self.examples))]:
            self.examples.append(f"{place}: character {fault.at} of the answer: {fault.message}")

    def add_grounding(self, found: Sequence[GroundedMention]) -> None:
        """Count the mentions of a text by their stages."""
        there = {(mention.type, mention.text) for mention in found if mention.stage is not None}
        for mention in found:
            if mention.stage is not None:
                self.stages[mention.stage] += 1
            elif (mention.type, mention.text) in there:
                self.repeated += 1
            else:
                self.ungrounded += 1
                if len(self.strings) < SHOWN:
                    self.strings.append(f"{mention.type} {mention.text[:60]!r}")

    def warnings(self, shown: str) -> list[str]:
        """Return warnings about what could not be read."""
        lines = []
        if self.unreadable:
            lines.append(
                f"{shown}: {self.unreadable} of {self.answers} answers could not be read and count as empty"
            )
        if self.examples:
            more = (
                f" and {self.faults - len(self.examples)} more" if self.faults > len(self.examples) else ""
            )
            lines.append(f"{shown}: not read: {'; '.join(self.examples)}{more}")
        return lines


class Stated(NamedTuple):
    """A mention of an answer, with a type of the schema."""

    type: str
    text: str
    start: int | None
    """First character in the text, if the answer states the bounds and the text has the string there."""
    end: int | None


def mentions_of(
    records: Sequence[AnswerRecord],
    texts: Sequence[str],
    names: TypeNames,
    counts: AnswerCounts,
    *,
    is_gold: bool = False,
) -> list[list[Stated]]:
    """Return the mentions of each record; ``texts`` are the texts that the records are about.

    Raises
    ------
    spanrs.errors.FormatError
        If an answer of gold cannot be read.
    """
    answers = iter(_read_all([query for record in records for query in record.queries], names.types))
    found = []
    for record, text in zip(records, texts, strict=True):
        mentions: list[Stated] = []
        for answer in islice(answers, len(record.queries)):
            counts.add_answer(answer, record.place)
            if is_gold and (answer.is_unreadable or answer.faults):
                raise _unreadable(answer, record)
            for mention in answer.mentions:
                ty = names.resolve(mention.type)
                if ty is None:
                    continue
                bounds = mention.start, mention.end
                is_there = None not in bounds and text[slice(*bounds)] == mention.text
                mentions.append(Stated(ty, mention.text, *(bounds if is_there else (None, None))))
        found.append(mentions)
    counts.off_schema = names.off_schema
    return found


def _read_all(queries: Iterable[Query], types: Collection[str] | None) -> Iterator[Answer]:
    """Yield the answer of each query; queries of one type are read at once."""
    for ty, run in groupby(queries, key=attrgetter("type")):
        yield from read_answers([query.answer for query in run], type=ty, types=types)


def _unreadable(answer: Answer, record: AnswerRecord) -> FormatError:
    fault = answer.faults[0]
    message = (
        f"{record.place}: the answer of gold cannot be read: character {fault.at}: {fault.message}; gold must be "
        "complete, so correct this record"
    )
    return with_code(FormatError(message), "unreadable_gold", record.place.rpartition(":")[0] or None)


def grounded(
    texts: Sequence[str], mentions: Sequence[Sequence[Stated]], options: AnswerOptions, counts: AnswerCounts
) -> list[list[GroundedMention]]:
    """Ground the mentions of each text; mentions that the answer places correctly keep their places."""
    if options.occurrences == "all":
        mentions = [_at_all(text, of_text) for text, of_text in zip(texts, mentions, strict=True)]
    free = [[(m.type, m.text) for m in of_text if m.start is None] for of_text in mentions]
    found = ground_many(
        texts,
        free,
        stages=tuple(options.stages),
        threshold=options.threshold,
        diacritics=options.diacritics,
    )
    everything = []
    for of_text, grounding in zip(mentions, found, strict=True):
        rest = iter(grounding)
        placed = [next(rest) if m.start is None else GroundedMention(*m, STATED, None) for m in of_text]
        if options.occurrences == "all":
            placed = _without_copies(placed)
        counts.add_grounding(placed)
        everything.append(placed)
    return everything


def _at_all(text: str, mentions: Sequence[Stated]) -> list[Stated]:
    """Return each distinct mention as often as its string occurs in the text, at least once."""
    distinct = dict.fromkeys((m.type, m.text) for m in mentions)
    return [
        Stated(ty, string, None, None)
        for ty, string in distinct
        for _ in range(max(1, text.count(string) if string.strip() else 0))
    ]


def _without_copies(mentions: Sequence[GroundedMention]) -> list[GroundedMention]:
    """Return mentions without the copies for which no occurrence was left."""
    there = {m[:2] for m in mentions if m.stage is not None}
    kept = {}
    for at, m in enumerate(mentions):
        if m.stage is not None:
            kept[at] = m
        elif m[:2] not in there:
            there.add(m[:2])
            kept[at] = m
    return list(kept.values())
