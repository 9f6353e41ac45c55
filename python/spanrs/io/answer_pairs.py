"""Pairing of answers with the texts that they are about."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spanrs.errors import AlignmentError, with_code
from spanrs.io.answer_records import AnswerRecord
from spanrs.io.text_units import (
    TextCorpus,
    TextUnit,
    UnitFacts,
    facts_of,
    has_sentences,
    text_key,
    text_units,
)

#: The number at the end of an id, such as that of ``request-3``.
_NUMBER = re.compile(r"(.*?)([0-9]{1,9})")


class AnsweredText(NamedTuple):
    """A text, and the record of its answers."""

    unit: TextUnit
    record: AnswerRecord


@dataclass(frozen=True)
class AnswerPairs:
    """Pairs of texts and answers; each iteration reads the texts again.

    Attributes
    ----------
    texts : TextCorpus
        The texts.
    records : sequence of AnswerRecord
        One record for each text that has answers; several for equal texts.
    by_sentence : bool
        Whether answers are about sentences, as opposed to documents.
    key : str
        How they are paired: ``id``, ``text`` or ``order``.
    note : str or None
        How answers and texts are paired, if this was assumed.
    facts : UnitFacts
        Facts about the texts.
    unanswered : str
        Texts without a record: ``refuse``, or ``empty`` for an empty answer.
    """

    texts: TextCorpus
    records: Sequence[AnswerRecord]
    by_sentence: bool
    key: str
    note: str | None
    facts: UnitFacts
    unanswered: str

    def __iter__(self) -> Iterator[AnsweredText]:
        """Yield each text with its answers, in the order of the texts."""
        units = text_units(self.texts, by_sentence=self.by_sentence)
        if self.key == "order":
            for unit, record in zip(units, self.records, strict=True):
                _check_text(unit, record)
                yield AnsweredText(unit, record)
            return
        waiting: dict[str, deque[AnswerRecord]] = {}
        for record in self.records:
            waiting.setdefault(_key(record, self.key), deque()).append(record)
        is_shared = {key for key, records in waiting.items() if len(records) == 1 and self.key == "text"}
        for at, unit in enumerate(units):
            key = text_key(unit.document.text) if self.key == "text" else unit.document.id or str(at)
            records = waiting.get(key)
            if records:
                # One answer is about all equal texts; several are about them in their order.
                record = records[0] if key in is_shared else records.popleft()
            elif self.unanswered == "empty":
                record = AnswerRecord(unit.document.id, None, (), "")
            else:
                raise _without_answer(unit, at, self.records)
            if self.key == "id":
                _check_text(unit, record)
            yield AnsweredText(unit, record)
        left = [records[0] for key, records in waiting.items() if records and key not in is_shared]
        if left:
            raise _repeated(left[0], self.key)


def pair_answers(
    texts: TextCorpus, records: Iterable[AnswerRecord], *, unanswered: str = "refuse"
) -> AnswerPairs:
    """Pair answers with the texts of a corpus: by id, otherwise by text, otherwise by order.

    Answers without text about column files and tables are about sentences or documents, whichever have their number.

    Parameters
    ----------
    texts : TextCorpus
        The texts.
    records : iterable of AnswerRecord
        Several records of one text, one for each type that was asked for, are merged.
    unanswered : str
        Texts without a record: ``refuse``, or ``empty`` for an empty answer.

    Raises
    ------
    spanrs.errors.AlignmentError
        If a text has no answer, or an answer no text, or several answers are about one text.
    """
    given = list(records)
    choices = [facts_of(texts, by_sentence=False)]
    if has_sentences(texts):
        choices.insert(0, facts_of(texts, by_sentence=True))
    for key in ("id", "text"):
        merged = _merged(given, key)
        if merged is None:
            continue
        keys = {_key(record, key) for record in merged}
        overlaps = [len(keys & _known(facts, key)) for facts in choices]
        if not any(overlaps):
            continue
        facts = choices[overlaps.index(max(overlaps))]
        stranger = next((r for r in merged if _key(r, key) not in _known(facts, key)), None)
        if stranger is not None:
            raise _without_text(stranger, key)
        return AnswerPairs(texts, merged, _is_sentences(facts, choices), key, None, facts, unanswered)
    return _by_order(texts, given, choices)


def _by_order(
    texts: TextCorpus, records: Sequence[AnswerRecord], choices: Sequence[UnitFacts]
) -> AnswerPairs:
    """Pair answers by their numbers, or by order if they have no ids."""
    numbered = _numbered(records)
    has_ids = any(record.id is not None for record in records)
    for facts in choices:
        if numbered is not None and len(numbered) == facts.number:
            kind = "sentences" if _is_sentences(facts, choices) else "documents"
            how = "by their numbers" if has_ids else "by their order"
            note = f"answers are paired with the {kind} of {texts.parts[0].shown} {how}"
            return AnswerPairs(
                texts, numbered, _is_sentences(facts, choices), "order", note, facts, "refuse"
            )
    raise _unpaired(texts, records, choices)


def _is_sentences(facts: UnitFacts, choices: Sequence[UnitFacts]) -> bool:
    return len(choices) == 2 and facts is choices[0]


def _known(facts: UnitFacts, key: str) -> set[str]:
    """Return the keys of texts; ids that are not unique are no keys."""
    if key == "text":
        return facts.texts
    return set() if facts.has_repeated_ids else facts.ids


def _merged(records: Sequence[AnswerRecord], key: str) -> list[AnswerRecord] | None:
    """Merge the records of each text; None if a record has no key.

    Only records of queries for different types are merged, others with the same text are about different occurrences.
    """
    merged: dict[str, list[AnswerRecord]] = {}
    for record in records:
        if getattr(record, key) is None:
            return None
        of_key = merged.setdefault(_key(record, key), [])
        types = {query.type for query in record.queries}
        for at, other in enumerate(of_key):
            if None not in types and not types & {query.type for query in other.queries}:
                of_key[at] = other._replace(queries=(*other.queries, *record.queries))
                break
        else:
            of_key.append(record)
    return [record for of_key in merged.values() for record in of_key]


def merged_records(records: Sequence[AnswerRecord]) -> list[AnswerRecord]:
    """Merge the records of queries for different types about one text, found by id, otherwise by text."""
    return next(
        (merged for key in ("id", "text") if (merged := _merged(records, key)) is not None), list(records)
    )


def _key(record: AnswerRecord, key: str) -> str:
    value = record.id if key == "id" else record.text
    return text_key(value or "") if key == "text" else value or ""


def _numbered(records: Sequence[AnswerRecord]) -> list[AnswerRecord] | None:
    """Return records without ids as they are, and records whose ids end with the numbers from 0 or 1 by number.

    None for other ids, because their order would be a guess.
    """
    if all(record.id is None for record in records):
        return list(records)
    matches = [_NUMBER.fullmatch(record.id or "") for record in _merged(records, "id") or ()]
    if not matches or len({match and match[1] for match in matches}) > 1 or None in matches:
        return None
    pairs = zip(_merged(records, "id") or (), matches, strict=True)
    by_number = sorted(
        ((int(match[2]), record) for record, match in pairs if match), key=lambda pair: pair[0]
    )
    numbers = [number for number, _ in by_number]
    consecutive = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return [record for _, record in by_number] if consecutive and numbers[0] in (0, 1) else None


def _check_text(unit: TextUnit, record: AnswerRecord) -> None:
    """Refuse a record whose text is not that of its unit."""
    if record.text is not None and text_key(record.text) != text_key(unit.document.text):
        message = (
            f"{record.place}: the text of the record, {record.text[:40]!r}, differs from that of the document or "
            f"sentence with which it is paired, {unit.document.text[:40]!r}"
        )
        raise with_code(AlignmentError(message), "texts", None)


def _without_answer(unit: TextUnit, at: int, records: Sequence[AnswerRecord]) -> AlignmentError:
    shown = unit.document.id if unit.document.id is not None else f"{at}, {unit.document.text[:40]!r},"
    message = (
        f"text {shown} has no answer among {len(records)} records; if the model returned nothing, use "
        "unanswered='empty' (--unanswered empty)"
    )
    return with_code(AlignmentError(message), "unpaired_answers", None)


def _without_text(record: AnswerRecord, key: str) -> AlignmentError:
    value = record.id if key == "id" else (record.text or "")[:40]
    message = (
        f"{record.place}: there is no text with the {key} {value!r}, although others of the file are known"
    )
    return with_code(AlignmentError(message), "unpaired_answers", None)


def _repeated(record: AnswerRecord, key: str) -> AlignmentError:
    value = record.id if key == "id" else (record.text or "")[:40]
    message = (
        f"{record.place}: there are more records than texts with the {key} {value!r}; keep one record for each text, "
        "or one for each type that was asked for, with the type"
    )
    return with_code(AlignmentError(message), "unpaired_answers", None)


def _unpaired(
    texts: TextCorpus, records: Sequence[AnswerRecord], choices: Sequence[UnitFacts]
) -> AlignmentError:
    """Return the error for answers that do not fit the texts."""
    kinds = ["sentences", "documents"] if len(choices) == 2 else ["documents"]
    numbers = " and ".join(f"{facts.number} {kind}" for facts, kind in zip(choices, kinds, strict=True))
    ids = Counter(record.id for record in records if record.id is not None)
    reason = ""
    if ids:
        (most, times), *_ = ids.most_common(1)
        other = next((id_ for id_ in ids if not id_.isdecimal()), next(iter(ids)))
        reason = (
            f"; the id {most!r} occurs {times} times"
            if times > 1
            else f"; their ids, such as {other!r}, are neither those of texts nor the numbers from 0 or 1"
        )
    message = (
        f"{texts.parts[0].shown} has {numbers}, and there are {len(records)} records of answers{reason}; give each "
        "record the id or the text of its document or sentence"
    )
    return with_code(AlignmentError(message), "unpaired_answers", texts.parts[0].path)
