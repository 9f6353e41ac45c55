"""seqeval's default mode in Python, for what is no list of lists of str.

Such input makes seqeval raise, nearly always; what it raises depends on the order in which it looks at
things, which is kept here. Lists of lists of str are read by the core.
"""

from __future__ import annotations

from typing import Any

from spanrs.compat.seqeval._warnings import warn

#: Tags that are not warned about, and what others must begin (with suffix: end) with.
_BARE = ["O", "B", "I", "E", "S"]
_HEADS = ("B-", "I-", "E-", "S-")
_TAILS = ("-B", "-I", "-E", "-S")


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Tell whether a span ends between two tokens.

    Parameters
    ----------
    prev_tag, tag : str
        Letters of the token before and of this one.
    prev_type, type_ : str
        Their types.

    Returns
    -------
    bool
        True also where no span is open: the letters alone decide.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics.sequence_labeling import end_of_chunk
    >>> end_of_chunk("B", "O", "PER", "_")
    True
    """
    if prev_tag in ("E", "S"):
        return True
    if prev_tag in ("B", "I") and tag in ("B", "S", "O"):
        return True
    return prev_tag not in ("O", ".") and prev_type != type_


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Tell whether a span begins at a token.

    Parameters
    ----------
    prev_tag, tag, prev_type, type_
        As for :func:`end_of_chunk`.

    Returns
    -------
    bool
        True where it does.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics.sequence_labeling import start_of_chunk
    >>> start_of_chunk("O", "I", "_", "PER")
    True
    """
    if tag in ("B", "S"):
        return True
    if tag in ("E", "I") and prev_tag in ("E", "S", "O"):
        return True
    return tag not in ("O", ".") and prev_type != type_


def warn_of(tag: Any, suffix: bool) -> None:
    """Warn where a tag has none of the letters of default mode."""
    if tag in _BARE:
        return
    if not (tag.endswith(_TAILS) if suffix else tag.startswith(_HEADS)):
        warn(f"{tag} seems not to be NE tag.", UserWarning, "seqeval.metrics.sequence_labeling")


def parts(tag: Any, suffix: bool) -> tuple[Any, Any]:
    """Split a tag into letter and type as default mode does."""
    if suffix:
        return tag[-1], tag[:-1].rsplit("-", maxsplit=1)[0] or "_"
    return tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"


def plain_chunks(seq: Any, suffix: bool) -> list[tuple[Any, int, int]]:
    """Give the spans of anything, or raise what seqeval raises."""
    if any(isinstance(part, list) for part in seq):
        seq = [tag for part in seq for tag in part + ["O"]]  # noqa: RUF005
    chunks, begin = [], 0
    before, before_type = "O", ""
    for at, tag in enumerate(seq + ["O"]):  # noqa: RUF005
        warn_of(tag, suffix)
        letter, kind = parts(tag, suffix)
        if end_of_chunk(before, letter, before_type, kind):
            chunks.append((before_type, begin, at - 1))
        if start_of_chunk(before, letter, before_type, kind):
            begin = at
        before, before_type = letter, kind
    return chunks
