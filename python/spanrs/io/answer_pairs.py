"""Pairing of answers with the texts that they are about."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spanrs.errors import AlignmentError, with_code
from spanrs.io.answer_records import AnswerRecord
from spanrs.io.text_units import Texts, TextUnit, UnitFacts, facts_of, has_sentences, text_key, text_units


class AnsweredText(NamedTuple):
    """A text, and the record of its answers."""

    unit: TextUnit
    record: AnswerRecord


@dataclass(frozen=True)
class AnswerPairs:
    """Pairs of texts and answers; each iteration reads the texts again.

    Attributes
    ----------
    texts : Texts
        The texts.
    by_sentence : bool
        Whether answers are about sentences, as opposed to documents.
    note : str or None
        How answers and texts are paired, if this was assumed.
    facts : UnitFacts
        Facts about the texts.
    """

    texts: Texts
    records: Sequence[AnswerRecord]
    by_sentence: bool
    key: str
    """``id``, ``text`` or ``order``."""
    note: str | None
    facts: UnitFacts

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
        for at, unit in enumerate(units):
            key = text_key(unit.document.text) if self.key == "text" else unit.document.id or str(at)
            found = waiting.get(key)
            if not found:
                raise _without_answer(unit, at, self.records)
            record = found.popleft() if len(found) > 1 else found[0]
            if self.key == "id":
                _check_text(unit, record)
            yield AnsweredText(unit, record)


def pair_answers(texts: Texts, records: Iterable[AnswerRecord]) -> AnswerPairs:
    """Pair answers with the texts of a corpus: by id, otherwise by text, otherwise by order.

    Answers without text about column files and tables are about sentences or documents, whichever have their number.

    Parameters
    ----------
    texts : Texts
        The texts.
    records : iterable of AnswerRecord
        Several records of one text, one for each type that was asked for, are merged.

    Raises
    ------
    spanrs.errors.AlignmentError
        If a text has no answer, or an answer no text.
    """
    given = list(records)
    choices = [facts_of(texts, by_sentence=False)]
    if has_sentences(texts):
        choices.insert(0, facts_of(texts, by_sentence=True))
    for facts in choices:
        for key in ("id", "text"):
            merged = _merged(given, key)
            if merged is not None and _fits(merged, facts, key):
                return AnswerPairs(texts, merged, _is_sentences(facts, choices), key, None, facts)
    numbered = _numbered(given)
    for facts in choices:
        if numbered is not None and len(numbered) == facts.number:
            kind = "sentences" if _is_sentences(facts, choices) else "documents"
            how = "by their numbers" if _are_numbers(given) else "by their order"
            note = f"answers are paired with the {kind} of {texts.parts[0].shown} {how}"
            return AnswerPairs(texts, numbered, _is_sentences(facts, choices), "order", note, facts)
    raise _unpaired(texts, given, choices)


def _is_sentences(facts: UnitFacts, choices: Sequence[UnitFacts]) -> bool:
    return len(choices) == 2 and facts is choices[0]


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
        if of_key and None not in types and not types & {query.type for query in of_key[-1].queries}:
            of_key[-1] = of_key[-1]._replace(queries=(*of_key[-1].queries, *record.queries))
        else:
            of_key.append(record)
    return [record for of_key in merged.values() for record in of_key]


def merged_records(records: Sequence[AnswerRecord]) -> list[AnswerRecord]:
    """Merge the records of queries for different types about one text, found by id, otherwise by text."""
    return next(
        (found for key in ("id", "text") if (found := _merged(records, key)) is not None), list(records)
    )


def _key(record: AnswerRecord, key: str) -> str:
    value = record.id if key == "id" else record.text
    return text_key(value or "") if key == "text" else value or ""


def _fits(records: Sequence[AnswerRecord], facts: UnitFacts, key: str) -> bool:
    """Return whether the keys of records are the keys of texts."""
    known = facts.ids if key == "id" else facts.texts
    if key == "id" and facts.has_repeated_ids:
        return False
    keys = {_key(record, key) for record in records}
    # Texts without answers are errors when they are reached; a few of many keys in common are no coincidence.
    return bool(keys & known) and 2 * len(keys & known) >= min(len(keys), len(known)) and keys <= known


def _are_numbers(records: Sequence[AnswerRecord]) -> bool:
    return all(record.id is not None and record.id.isdecimal() for record in records)


def _numbered(records: Sequence[AnswerRecord]) -> list[AnswerRecord] | None:
    """Return records in the order of their numbers from 0 or 1, if ids are such numbers, otherwise as they are.

    None if ids are numbers that are not consecutive, because then an order would be a guess.
    """
    if not records or not _are_numbers(records):
        return list(records)
    merged = _merged(records, "id") or []
    by_number = sorted(merged, key=lambda record: int(record.id or 0))
    numbers = [int(record.id or 0) for record in by_number]
    consecutive = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return by_number if consecutive and numbers[0] in (0, 1) else None


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
        f"text {shown} has no answer among {len(records)} records; add a record with an empty answer if the model "
        "returned nothing"
    )
    return with_code(AlignmentError(message), "unpaired_answers", None)


def _unpaired(
    texts: Texts, records: Sequence[AnswerRecord], choices: Sequence[UnitFacts]
) -> AlignmentError:
    """Return the error for answers that do not fit the texts."""
    kinds = ["sentences", "documents"] if len(choices) == 2 else ["documents"]
    numbers = " and ".join(f"{facts.number} {kind}" for facts, kind in zip(choices, kinds, strict=True))
    example = next((record.id for record in records if record.id is not None), None)
    known = min((facts.ids for facts in choices if facts.ids), key=len, default=set())
    ids = f", such as {example!r}," if example is not None else ""
    other = f" (such as {min(known)!r})" if known else " (there are none)"
    message = (
        f"{texts.parts[0].shown} has {numbers}, and there are {len(records)} records of answers, whose ids{ids} "
        f"are not those of the texts{other}; give each record the id or the text of its document or sentence"
    )
    return with_code(AlignmentError(message), "unpaired_answers", texts.parts[0].path)
