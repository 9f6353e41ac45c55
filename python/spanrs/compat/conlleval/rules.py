"""What the three modules share: counting lines, and the questions asked of two neighbouring tags."""

from __future__ import annotations

from collections.abc import Iterable

from spanrs import _spanrs, errors

#: type -> spans of gold, of pred, of both, tokens of gold, of pred, with equal tags
Rows = dict[str, list[int]]


class FormatError(Exception):
    """A line has another number of columns than the first, or too few."""


def parse_tag(t: str) -> tuple[str, str]:
    """Give prefix and type of a tag, parted at its first ``-``; a tag without one has the type ``''``.

    Examples
    --------
    >>> from spanrs.compat.conlleval import parse_tag
    >>> parse_tag("B-creative-work"), parse_tag("O")
    (('B', 'creative-work'), ('O', ''))
    """
    prefix, dash, type_ = t.partition("-")
    # The pattern of the peers has a dot, which is no line end, and a $, which may stand before the last.
    type_ = type_.removesuffix("\n")
    return (prefix, type_) if dash and "\n" not in type_ else (t, "")


def text_of(name: bytes) -> str:
    """Give the text the compiled half took the bytes of."""
    return name.decode("utf-8", "surrogatepass")


def count_lines(
    lines: Iterable[str], delimiter: str | None, boundary: str, otag: str, *, trim: bool
) -> tuple[int, int, Rows]:
    """Count lines; give tokens, tokens with equal tags, and rows by type.

    Raises
    ------
    FormatError
        Where a line has another number of columns than the first, or fewer than three.
    ValueError
        For an empty delimiter.
    """
    if delimiter == "":
        # Python refuses it when it comes to the first line.
        if any(True for _ in lines):
            message = "empty separator"
            raise ValueError(message)
        return 0, 0, {}
    counter = _spanrs.Conlleval(
        "python",
        None if delimiter is None else _bytes(delimiter),
        _bytes(boundary),
        _bytes(otag),
        False,
        trim,
    )
    try:
        counter.lines(lines)
    except errors.FormatError as error:
        raise FormatError(str(error)) from None
    tokens, equal, types, _ = counter.counts()
    return tokens, equal, {text_of(name): row for name, row in types}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def ends(prev_tag: str, tag: str, prev_type: str, type_: str, otag: str) -> bool:
    """Say whether a span ends between two tokens, by prefixes and types."""
    if prev_tag in ("E", "S", "[", "]"):
        return True
    if prev_tag in ("B", "I") and tag in ("B", "S", otag):
        return True
    return prev_tag not in (otag, ".") and prev_type != type_


def starts(prev_tag: str, tag: str, prev_type: str, type_: str, otag: str) -> bool:
    """Say whether a span starts between two tokens, by prefixes and types."""
    if tag in ("B", "S", "[", "]"):
        return True
    if prev_tag in ("E", "S", otag) and tag in ("E", "I"):
        return True
    return tag not in (otag, ".") and prev_type != type_
