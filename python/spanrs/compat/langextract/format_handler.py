"""From the text of an answer to its objects: code fences, thoughts, JSON and the object around the extractions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_FENCE = re.compile(r"```(?P<language>[A-Za-z0-9_+-]+)?(?:\s*\n)?(?P<body>[\s\S]*?)```")
_THOUGHT = re.compile(r"<think>[\s\S]*?</think>", re.IGNORECASE)
DEFAULT_WRAPPER = "extractions"


class AnswerError(ValueError):
    """An answer without the expected objects."""


@dataclass(frozen=True)
class FormatHandler:
    r"""The format of answers.

    Parameters
    ----------
    use_wrapper : bool
        Whether the extractions are a list in an object, ``{"extractions": [...]}``.
    wrapper_key : str or None
        The key of the list; None means ``extractions``. Ignored without ``use_wrapper``.
    use_fences : bool
        Whether the answer may be in a block between code fences.
    attribute_suffix : str
        The end of keys that have attributes; with ``""`` no key has.
    strict_fences : bool
        Whether exactly one fenced block, with the language ``json`` or none, is needed.
    allow_top_level_list : bool
        Whether the list may be given without the object.

    Notes
    -----
    Behaviour of ``FormatHandler`` of langextract 1.7.1 for JSON. YAML is not supported.

    Examples
    --------
    >>> FormatHandler().parse_output('```json\n[{"person": "Anna"}]\n```')
    [{'person': 'Anna'}]
    """

    use_wrapper: bool = True
    wrapper_key: str | None = None
    use_fences: bool = True
    attribute_suffix: str = "_attributes"
    strict_fences: bool = False
    allow_top_level_list: bool = True

    def parse_output(self, text: str) -> list[dict[str, Any]]:
        """Read the objects of an answer.

        Parameters
        ----------
        text : str
            The answer of the model.

        Returns
        -------
        list of dict
            The objects with extractions.

        Raises
        ------
        ValueError
            If the answer has no JSON, or the JSON is not a list of objects.
        """
        if not text:
            raise AnswerError("the answer is empty; expected JSON with extractions")
        items = self._items(_parsed(self._content(text)))
        for number, item in enumerate(items):
            if not isinstance(item, dict):
                raise AnswerError(f"item {number} of the extractions is {_kind(item)}, not an object")
        return items

    def _content(self, text: str) -> str:
        """Return the only block between fences, or the whole answer."""
        if not self.use_fences:
            return text.strip()
        blocks = list(_FENCE.finditer(text))
        wanted = [block for block in blocks if (block["language"] or "json").lower() == "json"]
        if not wanted and len(blocks) == 1 and not self.strict_fences:
            wanted = blocks
        if len(wanted) > 1:
            raise AnswerError(f"the answer has {len(wanted)} fenced blocks of JSON; expected one")
        if wanted:
            return wanted[0]["body"].strip()
        if blocks or self.strict_fences:
            raise AnswerError("the answer has no fenced block of JSON (```json ... ```)")
        return text.strip()

    def _items(self, parsed: object) -> list[Any]:
        key = self.wrapper_key if self.wrapper_key is not None else DEFAULT_WRAPPER
        found: object
        if isinstance(parsed, list):
            if not self.allow_top_level_list:
                raise AnswerError(f"the answer is a list; expected an object with the key {key!r}")
            found = parsed
        elif not isinstance(parsed, dict):
            raise AnswerError(f"the answer is {_kind(parsed)}; expected an object with the key {key!r}")
        elif self.use_wrapper:
            if key not in parsed:
                raise AnswerError(f"the answer has no key {key!r}; its keys: {', '.join(parsed) or 'none'}")
            found = parsed[key]
        else:
            found = parsed.get(DEFAULT_WRAPPER, [parsed] if parsed else [])
        if not isinstance(found, list):
            raise AnswerError(f"the extractions are {_kind(found)}; expected a list of objects")
        return found


def _parsed(content: str) -> object:
    """Read JSON; if this fails, once more without the thoughts of the model."""
    try:
        return _json(content)
    except AnswerError:
        without = _THOUGHT.sub("", content).strip()
        if without == content:
            raise
    return _json(without)


def _json(content: str) -> object:
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise AnswerError(f"the answer is not JSON: {error}") from error
    except RecursionError as error:
        raise AnswerError("the JSON of the answer is nested too deeply") from error
    except ValueError as error:
        # Python refuses to read very long integers.
        raise AnswerError(f"the JSON of the answer cannot be read: {error}") from error


def _kind(value: object) -> str:
    """Return the name of a JSON value, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a Boolean"
    names = {dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number"}
    return names[type(value)]
