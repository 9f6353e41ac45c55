"""Conversion of tags and text to spans: dictionaries with ``label``, ``start`` and inclusive ``end``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spanrs import _spanrs


def split_list(token: list[str], split_chars: list[str] | None = None) -> list[list[str]]:
    """Split a list at the items of ``split_chars``, by default empty strings, without a trailing empty list.

    Examples
    --------
    >>> split_list(["a", "", "b", "c"])
    [['a'], ['b', 'c']]
    """
    borders = [""] if split_chars is None else split_chars
    parts: list[list[str]] = [[]]
    for item in token:
        if item in borders:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts if parts[-1] else parts[:-1]


def conll_to_spans(doc: str) -> list[list[dict[str, Any]]]:
    """Read text with a tab between token and tag; an empty line ends a document."""
    return list_to_spans([[line.split("\t")[1] for line in part] for part in split_list(doc.split("\n"))])


def list_to_spans(doc: Iterable[Iterable[str]]) -> list[list[dict[str, Any]]]:
    """Read documents of tags; any prefix may begin a span."""
    spans = _spanrs.nervaluate_tags([list(tokens) for tokens in doc], True)
    rows = spans.sentences()
    return [[{"label": name, "start": start, "end": end - 1} for name, start, end in row] for row in rows]


def collect_named_entities(tokens: list[str]) -> list[dict[str, Any]]:
    """Read the tags of one document."""
    return list_to_spans([tokens])[0]


def find_overlap(true_range: range, pred_range: range) -> set[int]:
    """Return the common items of two ranges, or of any iterables."""
    return set(true_range) & set(pred_range)


def clean_entities(ent: dict[str, Any]) -> dict[str, Any]:
    """Return ``start``, ``end`` and ``label`` of a span as a new dictionary."""
    return {key: ent[key] for key in ("start", "end", "label")}
