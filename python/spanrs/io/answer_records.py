"""Files of answers: a record for each text or query."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any, NamedTuple

from spanrs.errors import FormatError, with_code
from spanrs.io.answer_keys import (
    ANSWER_KEYS,
    ID_KEYS,
    MENTION_KEYS,
    TEXT_KEYS,
    TOKEN_KEYS,
    TYPE_KEYS,
    reply_of,
)
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part


class Query(NamedTuple):
    """An answer, and the type that was asked for."""

    type: str | None
    """The type; None if the answer names the types itself."""
    answer: str
    """The answer as the model returned it."""


class AnswerRecord(NamedTuple):
    """The answers about one text."""

    id: str | None
    """Id of the text."""
    text: str | None
    """The text; None if the file does not contain it."""
    queries: tuple[Query, ...]
    """The answers, one for each query."""
    place: str
    """Location of the record, for messages."""


def answer_records(part: Part, options: ReadOptions) -> Iterator[AnswerRecord]:
    """Yield the records of a file of answers, or of records in memory.

    Parameters
    ----------
    part : Part
        JSON Lines or a JSON list of objects with a usual key for the answer (``answer``, ``output``, ``response``, ...,
        a response of OpenAI's or Anthropic's interface, or ``extractions`` or ``entities`` with lists of mentions); CSV
        with such a column; or lines, each with one answer. In memory: objects or answers (str).
    options : ReadOptions
        ``tags`` names the key of the answer.

    Raises
    ------
    spanrs.errors.FormatError
        If the file itself cannot be read, or a record has no answer; the message has the line.
    """
    chosen = options.tags if isinstance(options.tags, str) else None
    if part.format == "generated" and isinstance(part.source, (list, tuple)):
        for at, item in enumerate(part.source):
            yield _record(item, f"record {at}", chosen, part)
        return
    for place, item in _items(part, options):
        yield _record(item, place, chosen, part)


def _items(part: Part, options: ReadOptions) -> Iterator[tuple[str, Any]]:
    """Yield the location and the content of each record of a file."""
    content = part.opened(keep=True).contents(options.limits.expansion)
    try:
        text = content.decode(options.encoding or "utf-8-sig")
    except (UnicodeDecodeError, LookupError) as error:
        message = f"{part.shown}: the file is not {options.encoding or 'UTF-8'}: {error}; specify encoding="
        raise with_code(FormatError(message), "encoding", part.path) from None
    start = text.lstrip()[:1]
    if start == "[" and (rows := _whole_list(text)) is not None:
        yield from ((f"{part.shown}: record {at}", row) for at, row in enumerate(rows))
    elif start == "{":
        yield from _json_lines(text, part)
    elif part.shown.lower().endswith((".csv", ".tsv")):
        yield from _csv(text, part)
    else:
        # An empty line is the answer of a model that found nothing.
        lines = text.removesuffix("\n").split("\n")
        yield from ((f"{part.shown}:{at}", line.removesuffix("\r")) for at, line in enumerate(lines, 1))


def _whole_list(text: str) -> list[Any] | None:
    """Return the objects of a JSON list; None if the file is not one list of objects."""
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else None


def _json_lines(text: str, part: Part) -> Iterator[tuple[str, Any]]:
    for at, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield f"{part.shown}:{at}", json.loads(line)
        except (ValueError, RecursionError) as error:
            message = f"{part.shown}:{at}: this line is not a JSON record ({error}); answers are fields of records"
            raise with_code(FormatError(message), "json", part.path) from None


def _csv(text: str, part: Part) -> Iterator[tuple[str, Any]]:
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.DictReader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            yield f"{part.shown}:{reader.line_num}", row
    except csv.Error as error:
        message = f"{part.shown}:{reader.line_num}: {error}"
        raise with_code(FormatError(message), "csv", part.path) from None


def _record(item: Any, place: str, chosen: str | None, part: Part) -> AnswerRecord:
    """Return a record of an answer or an object.

    Raises
    ------
    spanrs.errors.FormatError
        If there is no answer.
    """
    if isinstance(item, str):
        return AnswerRecord(None, None, (Query(None, item),), place)
    if not isinstance(item, Mapping):
        message = f"{place}: a record must be an object or an answer (str), not {type(item).__name__}"
        raise with_code(FormatError(message), "record", part.path)
    queries = _queries(item, chosen)
    if queries is None:
        keys = ", ".join(map(str, list(item)[:8]))
        wanted = f"no key {chosen!r}" if chosen is not None else "no answer"
        message = (
            f"{place}: the record has {wanted} among {keys}; choose the key of the answer with tags= (--column), or "
            f"call it {ANSWER_KEYS[0]}"
        )
        raise with_code(FormatError(message), "no_answer", part.path)
    return AnswerRecord(_id(item), _text(item), queries, place)


def _id(record: Mapping[str, Any]) -> str | None:
    value = next((record[key] for key in ID_KEYS if record.get(key) is not None), None)
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def _text(record: Mapping[str, Any]) -> str | None:
    tokens = next((record[key] for key in TOKEN_KEYS if isinstance(record.get(key), list)), None)
    for key in TEXT_KEYS:
        value = record.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and all(isinstance(token, str) for token in value):
            tokens = value
    return None if tokens is None else " ".join(map(str, tokens))


def _queries(record: Mapping[str, Any], chosen: str | None) -> tuple[Query, ...] | None:
    """Return the answers of a record; None if there are none."""
    asked = next((record[key] for key in TYPE_KEYS if isinstance(record.get(key), str)), None)
    if chosen is not None:
        return _as_queries(record[chosen], asked) if chosen in record else None
    reply = reply_of(record)
    if reply is not None:
        return (Query(asked, reply),)
    for key in (*ANSWER_KEYS, *MENTION_KEYS):
        if key in record and key != "answers":
            if record[key] is None:
                return (Query(asked, ""),)
            return _as_queries(record[key], asked)
    answers = record.get("answers")
    if isinstance(answers, Mapping):
        return tuple(Query(str(ty), _as_answer(answer)) for ty, answer in answers.items())
    return None if answers is None else _as_queries(answers, asked)


def _as_queries(value: Any, asked: str | None) -> tuple[Query, ...]:
    return (Query(asked, _as_answer(value)),)


def _as_answer(value: Any) -> str:
    """Return an answer as text; values that are read already are JSON again, so that all are read in one way."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
