"""Code shared by the three modules: parsing of tags, span boundaries, counting of lines, lines of the report."""

from __future__ import annotations

from collections.abc import Iterable

from spanrs import _spanrs, errors

#: type -> numbers of gold, pred and correct spans, and of gold, pred and correct tokens
Rows = dict[str, list[int]]

#: Lines of the report: tokens and spans; accuracy; measures of one or all types.
SIZES = "processed %d tokens with %d phrases; found: %d phrases; correct: %d.\n"
ACCURACY = "accuracy: %6.2f%%; "
MEASURES = "precision: %6.2f%%; recall: %6.2f%%; FB1: %6.2f"


class FormatError(Exception):
    """A line has a different number of columns than the first line, or too few columns."""


def parse_tag(t: str) -> tuple[str, str]:
    """Return the prefix and type of a tag, split at the first ``-``; a tag without ``-`` has the type ``''``.

    Examples
    --------
    >>> parse_tag("B-creative-work"), parse_tag("O")
    (('B', 'creative-work'), ('O', ''))
    """
    prefix, dash, type_ = t.partition("-")
    # In the regular expression of the originals, a dot does not match a line end, and `$` matches before a final line
    # end.
    type_ = type_.removesuffix("\n")
    return (prefix, type_) if dash and "\n" not in type_ else (t, "")


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str, otag: str = "O") -> bool:
    """Return whether a span ends between two tokens, according to their prefixes and types."""
    if prev_tag in ("E", "S", "[", "]"):
        return True
    if prev_tag in ("B", "I") and tag in ("B", "S", otag):
        return True
    return prev_tag not in (otag, ".") and prev_type != type_


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str, otag: str = "O") -> bool:
    """Return whether a span starts between two tokens, according to their prefixes and types."""
    if tag in ("B", "S", "[", "]"):
        return True
    if prev_tag in ("E", "S", otag) and tag in ("E", "I"):
        return True
    return tag not in (otag, ".") and prev_type != type_


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def decode(name: bytes) -> str:
    """Decode bytes from the compiled module."""
    return name.decode("utf-8", "surrogatepass")


def count_lines(
    lines: Iterable[str], delimiter: str | None, boundary: str, otag: str, *, trim: bool
) -> tuple[int, int, Rows]:
    """Return the numbers of tokens and of tokens with equal tags, and rows by type.

    Raises FormatError if a line has a different number of columns than the first line, or fewer than three columns.
    """
    if delimiter == "":
        # In Python an empty separator is an error when the first line is split.
        if any(True for _ in lines):
            raise ValueError("empty separator")
        return 0, 0, {}
    separator = None if delimiter is None else _encode(delimiter)
    counter = _spanrs.Conlleval("python", separator, _encode(boundary), _encode(otag), False, trim)
    try:
        counter.lines(lines)
    except errors.FormatError as error:
        # str(error) is not used, because it escapes control characters, whereas the original quotes the line unchanged.
        raise FormatError(error.args[0]) from None
    tokens, equal, types, _ = counter.counts()
    return tokens, equal, {decode(name): row for name, row in types}
