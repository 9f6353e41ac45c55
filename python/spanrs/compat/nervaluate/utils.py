"""Tags and text to spans as dictionaries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spanrs import _spanrs


def split_list(token: list[str], split_chars: list[str] | None = None) -> list[list[str]]:
    """Split a list at items.

    Parameters
    ----------
    token : list of str
        The list.
    split_chars : list of str, optional
        Items to split at; empty strings, if not given.

    Returns
    -------
    list of list of str
        What stands before, between and behind them; nothing behind the last item if that is one of them.

    Examples
    --------
    >>> split_list(["a", "", "b", "c"])
    [['a'], ['b', 'c']]
    """
    borders = [""] if split_chars is None else split_chars
    chunks: list[list[str]] = [[]]
    for item in token:
        if item in borders:
            chunks.append([])
        else:
            chunks[-1].append(item)
    # Behind a border that comes last there is no chunk, and none in an empty list.
    return chunks if chunks[-1] else chunks[:-1]


def conll_to_spans(doc: str) -> list[list[dict[str, Any]]]:
    r"""Read text with a tab between token and tag; an empty line ends a document.

    Parameters
    ----------
    doc : str
        The text.

    Returns
    -------
    list of list of dict
        As of :func:`list_to_spans`.

    Raises
    ------
    IndexError
        For lines without a tab.

    Examples
    --------
    >>> conll_to_spans("Rome\tB-LOC\n")
    [[{'label': 'LOC', 'start': 0, 'end': 0}]]
    """
    return list_to_spans(
        [[line.split("\t")[1] for line in document] for document in split_list(doc.split("\n"))]
    )


def list_to_spans(doc: Iterable[Iterable[str]]) -> list[list[dict[str, Any]]]:
    """Read documents of tags.

    Parameters
    ----------
    doc : iterable of iterable of str
        Documents, each of tags; any prefix may begin a span.

    Returns
    -------
    list of list of dict
        ``label``, ``start`` and ``end`` (tokens from 0, the end inclusive) of each span.

    Examples
    --------
    >>> list_to_spans([["B-PER", "I-PER"], ["O"]])
    [[{'label': 'PER', 'start': 0, 'end': 1}], []]
    """
    spans = _spanrs.nervaluate_tags([list(tokens) for tokens in doc], True)
    return [
        [{"label": label, "start": start, "end": end - 1} for label, start, end in document]
        for document in spans.documents()
    ]


def collect_named_entities(tokens: list[str]) -> list[dict[str, Any]]:
    """Read the tags of one document.

    Parameters
    ----------
    tokens : list of str
        Tags.

    Returns
    -------
    list of dict
        As of :func:`list_to_spans`.

    Examples
    --------
    >>> collect_named_entities(["O", "B-PER", "I-PER"])
    [{'label': 'PER', 'start': 1, 'end': 2}]
    """
    return list_to_spans([tokens])[0]


def find_overlap(true_range: range, pred_range: range) -> set[int]:
    """Give what two ranges have in common.

    Parameters
    ----------
    true_range, pred_range : range
        Ranges, or any iterables.

    Returns
    -------
    set
        What is in both.

    Examples
    --------
    >>> find_overlap(range(1, 3), range(2, 4))
    {2}
    """
    return set(true_range) & set(pred_range)


def clean_entities(ent: dict[str, Any]) -> dict[str, Any]:
    """Keep ``start``, ``end`` and ``label`` of a span.

    Parameters
    ----------
    ent : dict
        A span, with other keys perhaps.

    Returns
    -------
    dict
        A new one.

    Examples
    --------
    >>> clean_entities({"label": "PER", "start": 0, "end": 1, "token_start": 0})
    {'start': 0, 'end': 1, 'label': 'PER'}
    """
    return {key: ent[key] for key in ("start", "end", "label")}
