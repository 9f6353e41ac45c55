"""Keys of records of generated answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

#: Keys of the id of a text, in order of preference.
ID_KEYS = (
    *("id", "custom_id", "doc_id", "document_id", "sentence_id", "sent_id", "text_id", "example_id"),
    *("uid", "guid", "key", "name", "idx", "index"),
)
#: Keys of the text.
TEXT_KEYS = (
    "text",
    "sentence",
    "document",
    "passage",
    "context",
    "source_text",
    "input_text",
    "source",
    "input",
)
#: Keys of the tokens of the text.
TOKEN_KEYS = ("tokens", "tokenized_text", "words")
#: Keys of the type that a query asks for.
TYPE_KEYS = ("query_type", "entity_type", "type", "query", "label_name")
#: Keys of a generated answer.
ANSWER_KEYS = (
    *(
        "answer",
        "output",
        "response",
        "prediction",
        "predicted",
        "pred",
        "predict",
        "completion",
        "generation",
    ),
    *(
        "generated_text",
        "generated",
        "model_output",
        "raw_output",
        "llm_output",
        "model_answer",
        "model_response",
    ),
    *("raw_response", "raw_answer", "llm_response", "llm_answer", "reply", "result", "text_output"),
)
#: Keys of mentions that are already read.
MENTION_KEYS = (
    "extractions",
    "entities",
    "mentions",
    "predictions",
    "predicted_entities",
    "spans",
    "ner",
    "answers",
)


#: Keys of records of annotation tools.
_ANNOTATED = ("annotations", "completions", "_input_hash", "data", "tags", "ner_tags")


def is_answers(beginning: bytes) -> bool:
    """Return whether a file begins with a JSON record of answers of a model."""
    line = beginning.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if not line.startswith(b"{"):
        return False
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and _is_answered(record)


def _is_answered(record: Mapping[str, Any]) -> bool:
    """Return whether a record is certainly one of answers, not of annotations or of tags."""
    if any(key in record for key in _ANNOTATED) or record.get("answer") in ("accept", "reject", "ignore"):
        return False
    if isinstance(record.get("extractions"), list) or reply_of(record) is not None:
        return True
    # Lists beside tokens are tags.
    kinds = (str, dict) if any(key in record for key in TOKEN_KEYS) else (str, dict, list)
    return any(isinstance(record.get(key), kinds) for key in ANSWER_KEYS)


def reply_of(record: Mapping[str, Any]) -> str | None:
    """Return the text of a response of an interface to models: OpenAI, its batches, Anthropic, or a conversation."""
    for path in (
        ("response", "body", "choices", 0, "message", "content"),
        ("body", "choices", 0, "message", "content"),
        ("choices", 0, "message", "content"),
        ("choices", 0, "text"),
        ("result", "message", "content", 0, "text"),
        ("content", 0, "text"),
        ("message", "content"),
    ):
        value: Any = record
        for step in path:
            if isinstance(step, str) and isinstance(value, Mapping):
                value = value.get(step)
            elif isinstance(step, int) and isinstance(value, Sequence) and not isinstance(value, str):
                value = value[step] if len(value) > step else None
            else:
                value = None
        if isinstance(value, str):
            return value
    messages = record.get("messages", record.get("conversations"))
    if isinstance(messages, list) and messages and isinstance(messages[-1], Mapping):
        last = messages[-1]
        if last.get("role", last.get("from")) in ("assistant", "gpt", "model"):
            content = last.get("content", last.get("value"))
            return content if isinstance(content, str) else None
    return None
