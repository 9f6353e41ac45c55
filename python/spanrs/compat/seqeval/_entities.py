"""seqeval's default mode in Python, for input that is no list of lists of str.

Such input makes seqeval raise, nearly always; the error depends on the order of its steps, which is kept
here. Lists of lists of str are read by the core.
"""

from __future__ import annotations

from typing import Any

from spanrs.compat.seqeval._warnings import warn

#: Tags that are not warned about, and what others must begin (with suffix: end) with.
_BARE = ["O", "B", "I", "E", "S"]
_HEADS = ("B-", "I-", "E-", "S-")
_TAILS = ("-B", "-I", "-E", "-S")


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Return whether a span ends between two tokens, by prefixes and types, even if none is open."""
    if prev_tag in ("E", "S") or (prev_tag in ("B", "I") and tag in ("B", "S", "O")):
        return True
    return prev_tag not in ("O", ".") and prev_type != type_


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Return whether a span begins at a token, by prefixes and types."""
    if tag in ("B", "S") or (tag in ("E", "I") and prev_tag in ("E", "S", "O")):
        return True
    return tag not in ("O", ".") and prev_type != type_


def warn_of_unknown(tag: Any, suffix: bool) -> None:
    """Warn if a tag has none of the prefixes of default mode."""
    if tag in _BARE:
        return
    if not (tag.endswith(_TAILS) if suffix else tag.startswith(_HEADS)):
        warn(f"{tag} seems not to be NE tag.", UserWarning, "seqeval.metrics.sequence_labeling")


def read_entities(seq: Any, suffix: bool) -> list[tuple[Any, int, int]]:
    """Return the spans of any input, or raise what seqeval raises."""
    if any(isinstance(part, list) for part in seq):
        seq = [tag for part in seq for tag in part + ["O"]]  # noqa: RUF005
    entities, begin = [], 0
    before, before_type = "O", ""
    for at, tag in enumerate(seq + ["O"]):  # noqa: RUF005
        warn_of_unknown(tag, suffix)
        if suffix:
            prefix, type_ = tag[-1], tag[:-1].rsplit("-", maxsplit=1)[0] or "_"
        else:
            prefix, type_ = tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"
        if end_of_chunk(before, prefix, before_type, type_):
            entities.append((before_type, begin, at - 1))
        if start_of_chunk(before, prefix, before_type, type_):
            begin = at
        before, before_type = prefix, type_
    return entities
