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

#: Maximum number of words of a type.
LONGEST_TYPE = 3


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
        with such a column; or lines, each with one answer. In memory: objects, lists of mentions or answers (str).
    options : ReadOptions
        ``tags`` names the key of the answer.

    Raises
    ------
    spanrs.errors.FormatError
        If the file itself cannot be read, or a record has no answer; the message has the line.
    """
    chosen = options.tags if isinstance(options.tags, str) else None
    if isinstance(part.source, (list, tuple)):
        for at, item in enumerate(part.source):
            if isinstance(item, Part):
                yield from answer_records(item, options)
            else:
                yield _record(item, f"record {at}", chosen, part)
        return
    for place, item in _items(part, options):
        yield _record(item, place, chosen, part)


def _items(part: Part, options: ReadOptions) -> Iterator[tuple[str, Any]]:
    """Yield the location and the content of each record of a file.

    Raises
    ------
    spanrs.errors.FormatError
        If a JSON list is damaged.
    """
    content = part.opened(keep=True).contents(options.limits.expansion)
    try:
        text = content.decode(options.encoding or "utf-8-sig")
    except (UnicodeDecodeError, LookupError) as error:
        message = f"{part.shown}: the file is not {options.encoding or 'UTF-8'}: {error}; specify encoding="
        raise with_code(FormatError(message), "encoding", part.path) from None
    if not text.strip():
        return
    start = text.lstrip()[:1]
    if start == "[" and (rows := _whole_list(text)) is not None:
        yield from ((f"{part.shown}: record {at}", row) for at, row in enumerate(rows))
    elif start == "[" and (
        part.shown.lower().endswith(".json") or not _is_json(text.lstrip().partition("\n")[0])
    ):
        message = f"{part.shown}: this is a JSON list, but it is damaged or cut off; write one record on each line"
        raise with_code(FormatError(message), "json", part.path)
    elif start == "{":
        yield from _json_lines(text, part)
    elif part.shown.lower().endswith((".csv", ".tsv")):
        yield from _csv(text, part)
    else:
        # An empty line is an answer without entities.
        lines = text.removesuffix("\n").split("\n")
        yield from ((f"{part.shown}:{at}", line.removesuffix("\r")) for at, line in enumerate(lines, 1))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _whole_list(text: str) -> list[Any] | None:
    """Return the records of a JSON list of objects or answers; None if the file is not one such list."""
    if "\n" not in text.strip() and not text.lstrip()[1:].lstrip().startswith("{"):
        # One line with a list of strings is one answer.
        return None
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return rows if isinstance(rows, list) and all(isinstance(row, (dict, str)) for row in rows) else None


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
    # The limit of the module is smaller than many texts.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
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
    if item is None or isinstance(item, (str, list)):
        return AnswerRecord(None, None, (Query(None, _as_answer(item)),), place)
    if not isinstance(item, Mapping):
        message = f"{place}: a record must be an object or an answer (str), not {type(item).__name__}"
        raise with_code(FormatError(message), "record", part.path)
    queries = _queries(item, chosen)
    if queries is not None:
        return AnswerRecord(_id(item), _text(item), queries, place)
    if chosen is None and item and all(isinstance(value, list) for value in item.values()):
        # The object is an answer: types and their strings.
        return AnswerRecord(None, None, (Query(None, _as_answer(item)),), place)
    keys = ", ".join(map(str, list(item)[:8]))
    lacks = f"no key {chosen!r}" if chosen is not None else "no answer"
    message = (
        f"{place}: the record has {lacks} among {keys}; choose the key of the answer with tags=, or call it "
        f"{ANSWER_KEYS[0]}"
    )
    raise with_code(FormatError(message), "no_answer", part.path)


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
    reply = None if chosen is not None else reply_of(record)
    if reply is not None:
        # The key ``type`` of a reply is not a type of mentions.
        return (Query(None, reply),)
    asked = next((record[key] for key in TYPE_KEYS if _is_type(record.get(key))), None)
    keys = (chosen,) if chosen is not None else (*ANSWER_KEYS, *MENTION_KEYS)
    key = next((key for key in keys if key in record), None)
    if key is None:
        return None
    answers = record[key]
    if key == "answers" and isinstance(answers, Mapping):
        return tuple(Query(str(ty), _as_answer(answer)) for ty, answer in answers.items())
    return (Query(asked, _as_answer(answers)),)


def _is_type(value: Any) -> bool:
    """Return whether a value may be the type that was asked for, as opposed to a question."""
    return isinstance(value, str) and len(value.split()) <= LONGEST_TYPE


def _as_answer(value: Any) -> str:
    """Return an answer as text: parsed values are serialised, so that one reader handles all answers."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
