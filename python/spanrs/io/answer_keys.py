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
    entities = record.get("entities")
    if isinstance(entities, list) and entities and isinstance(entities[0], Mapping):
        # The predictions of GLiNER and of pipelines of Hugging Face.
        return "start_offset" not in entities[0] and ("text" in entities[0] or "word" in entities[0])
    # Lists beside tokens are tags.
    kinds = (str, dict) if any(key in record for key in TOKEN_KEYS) else (str, dict, list)
    return any(isinstance(record.get(key), kinds) for key in ANSWER_KEYS)


def reply_of(record: Mapping[str, Any]) -> str | None:
    """Return the text of a response of an interface to models; None for other records.

    Records are those of OpenAI's interfaces and Anthropic's, of their batches, and conversations. If a message calls
    tools, the arguments of the calls are the answer, otherwise its text; a refusal is a text, too.
    """
    for wrapper in ("response", "body", "result", "message"):
        if isinstance(record.get(wrapper), Mapping):
            reply = reply_of(record[wrapper])
            if reply is not None or wrapper != "message":
                return reply
    for name in ("choices", "output", "messages", "conversations"):
        blocks = record.get(name)
        if isinstance(blocks, list) and blocks and isinstance(blocks[-1], Mapping):
            return _text_of_choice(blocks, name)
    if "content" in record and ("role" in record or isinstance(record["content"], list)):
        return _content(record)
    return None


def _text_of_choice(blocks: Sequence[Any], name: str) -> str | None:
    """Return the text of the first choice, of the items of an output, or of the last turn of a conversation."""
    if name == "output":
        replies = (_content(block) for block in blocks if isinstance(block, Mapping))
        return next((reply for reply in replies if reply is not None), None)
    if name == "choices":
        choice = blocks[0]
        if not isinstance(choice, Mapping):
            return None
        text = choice.get("text")
        message = choice.get("message")
        return (
            text if isinstance(text, str) else _content(message) if isinstance(message, Mapping) else None
        )
    last = blocks[-1]
    if last.get("role", last.get("from")) not in ("assistant", "gpt", "model"):
        return None
    return _content({"content": last.get("value")} | dict(last))


def _content(message: Mapping[str, Any]) -> str | None:
    """Return the arguments of the calls of tools in a message, otherwise its text, otherwise its refusal."""
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    calls = message.get("tool_calls")
    calls = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    functions = [call.get("function") for call in calls] or [message.get("function_call"), message]
    arguments = [block["input"] for block in blocks if "input" in block]
    arguments += [function["arguments"] for function in functions if _has_arguments(function)]
    if arguments:
        # Each call is a value of its own.
        return "\n".join(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for value in arguments
        )
    texts = [content, *(block.get("text") for block in blocks), message.get("refusal")]
    return next((text for text in texts if isinstance(text, str)), None)


def _has_arguments(function: object) -> bool:
    return isinstance(function, Mapping) and function.get("arguments") is not None
