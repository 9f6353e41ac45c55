"""Mentions of generated answers, grounded in their texts, and the numbers of what was not read or found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import NamedTuple

from spanrs.errors import FormatError, with_code
from spanrs.io.answer_options import STAGES, AnswerOptions
from spanrs.io.answer_records import AnswerRecord, Query
from spanrs.io.answer_types import TypeNames
from spanrs.io.answers import Answer, read_answers
from spanrs.io.grounding import GroundedMention, ground_many

#: Number of texts processed at once.
BATCH = 256
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
    unanswered: int = 0
    """Number of texts without an answer; they are empty predictions."""
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
    fault_examples: list[str] = field(default_factory=list)
    """The first faults, with their locations."""
    ungrounded_examples: list[str] = field(default_factory=list)
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
        for fault in answer.faults[: max(0, SHOWN - len(self.fault_examples))]:
            self.fault_examples.append(f"{place}: character {fault.at} of the answer: {fault.message}")

    def add_grounding(self, mentions: Sequence[GroundedMention]) -> None:
        """Count the mentions of a text by their stages."""
        grounded_pairs = {mention[:2] for mention in mentions if mention.stage is not None}
        for mention in mentions:
            if mention.stage is not None:
                self.stages[mention.stage] += 1
            elif mention[:2] in grounded_pairs:
                self.repeated += 1
            else:
                self.ungrounded += 1
                if len(self.ungrounded_examples) < SHOWN:
                    self.ungrounded_examples.append(f"{mention.type} {mention.text[:60]!r}")

    def warnings(self) -> list[str]:
        """Return warnings about what could not be read or found."""
        lines = []
        if self.unanswered:
            lines.append(f"texts without an answer, which count as empty: {self.unanswered}")
        if self.unreadable:
            lines.append(
                f"answers that could not be read, which count as empty: {self.unreadable} of {self.answers}"
            )
        if self.fault_examples:
            left = self.faults - len(self.fault_examples)
            more = f" and {left} more" if left else ""
            lines.append(f"not read: {'; '.join(self.fault_examples)}{more}")
        if self.ungrounded_examples:
            shown = ", ".join(self.ungrounded_examples)
            lines.append(f"strings that are not in their texts: {self.ungrounded}, such as {shown}")
        return lines


class Stated(NamedTuple):
    """A mention of an answer, with a type of the schema."""

    type: str
    text: str
    start: int | None
    """First character in the text, if the answer states the bounds and the text has the string there."""
    end: int | None
    is_exact: bool = False
    """Whether the bounds were found by the same characters, not stated."""


def grounded_answers(
    rows: Iterable[tuple[AnswerRecord, str]],
    names: TypeNames,
    options: AnswerOptions,
    counts: AnswerCounts,
    *,
    is_gold: bool = False,
    is_grounded: bool = True,
) -> Iterator[tuple[AnswerRecord, str, list[GroundedMention]]]:
    """Yield each record and its text with the grounded mentions, in batches.

    Parameters
    ----------
    rows : iterable of (AnswerRecord, str)
        Records with their texts.
    names : TypeNames
        Resolves types.
    options : AnswerOptions
        How mentions are grounded.
    counts : AnswerCounts
        Receives the numbers of answers and mentions.
    is_gold : bool
        Whether answers that cannot be read are errors.
    is_grounded : bool
        Whether mentions are grounded; otherwise no mention has a place.
    """
    stream = iter(rows)
    while batch := list(islice(stream, BATCH)):
        records, texts = [record for record, _ in batch], [text for _, text in batch]
        mentions = mentions_of(records, texts, names, counts, is_gold=is_gold)
        if is_grounded:
            results = grounded(texts, mentions, options, counts)
        else:
            results = [
                [GroundedMention(m.type, m.text, None, None, None, None) for m in of_text]
                for of_text in mentions
            ]
        yield from zip(records, texts, results, strict=True)


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
    queries = [
        (query, text) for record, text in zip(records, texts, strict=True) for query in record.queries
    ]
    answers = iter(_read_all(queries, names.types))
    results = []
    for record, text in zip(records, texts, strict=True):
        mentions: list[Stated] = []
        counts.unanswered += not record.queries
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
        results.append(mentions)
    counts.off_schema = names.off_schema
    return results


def _read_all(queries: Iterable[tuple[Query, str]], types: Collection[str] | None) -> Iterator[Answer]:
    """Yield the answer of each query about a text; queries of one type are read at once."""
    for ty, run in groupby(queries, key=lambda pair: pair[0].type):
        answers, texts = zip(*((query.answer, text) for query, text in run), strict=True)
        # A text may be empty, if there is none.
        yield from read_answers(answers, type=ty, types=types, texts=[text or None for text in texts])


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
    mentions = [_without_doubtful_bounds(of_text) for of_text in mentions]
    results = _every_occurrence(texts, mentions, options) if options.occurrences == "all" else mentions
    without_bounds = [[(m.type, m.text) for m in of_text if m.start is None] for of_text in results]
    groundings = ground_many(
        texts,
        without_bounds,
        stages=tuple(options.stages),
        threshold=options.threshold,
        diacritics=options.diacritics,
    )
    placed = []
    for of_text, grounding in zip(results, groundings, strict=True):
        rest = iter(grounding)
        placed.append([next(rest) if m.start is None else _as_grounded(m) for m in of_text])
        counts.add_grounding(placed[-1])
    return placed


def _as_grounded(mention: Stated) -> GroundedMention:
    stage = "exact" if mention.is_exact else STATED
    return GroundedMention(mention.type, mention.text, mention.start, mention.end, stage, None)


def _without_doubtful_bounds(mentions: Sequence[Stated]) -> list[Stated]:
    """Remove the stated bounds of mentions that others may have the place of.

    Two mentions of one type never have the same place, so equal strings are grounded together unless all state
    different bounds.
    """
    free = {(m.type, m.text) for m in mentions if m.start is None}
    places = Counter((m.type, m.start, m.end) for m in mentions if m.start is not None)
    free |= {
        (m.type, m.text) for m in mentions if m.start is not None and places[m.type, m.start, m.end] > 1
    }
    return [m._replace(start=None, end=None) if (m.type, m.text) in free else m for m in mentions]


def _every_occurrence(
    texts: Sequence[str], mentions: Sequence[Sequence[Stated]], options: AnswerOptions
) -> list[list[Stated]]:
    """Return each distinct mention once for each exact occurrence of its string; others once, without bounds."""
    copies = []
    for text, of_text in zip(texts, mentions, strict=True):
        distinct = dict.fromkeys((m.type, m.text.strip()) for m in of_text)
        copies.append([pair for pair in distinct for _ in range(text.count(pair[1]) if pair[1] else 1)])
    # Occurrences within words are not exact, so some copies have none.
    groundings = ground_many(texts, copies, stages=("exact",) if "exact" in options.stages else ())
    everywhere = []
    for of_text, grounding in zip(mentions, groundings, strict=True):
        exact = [Stated(*m[:4], is_exact=True) for m in grounding if m.stage is not None]
        there = {(m.type, m.text) for m in exact}
        distinct = dict.fromkeys((m.type, m.text.strip()) for m in of_text)
        everywhere.append([*exact, *(Stated(*pair, None, None) for pair in distinct if pair not in there)])
    return everywhere
