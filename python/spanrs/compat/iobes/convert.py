"""Tags of one encoding to tags of another. Malformed tags are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from spanrs.compat.iobes import parse, write
from spanrs.compat.iobes.formats import TokenFunction
from spanrs.compat.iobes.naming import SAMPLES, named
from spanrs.compat.iobes.parse import (
    ParseWithErrorsCallable,
    parse_spans_bilou_with_errors,
    parse_spans_bio_with_errors,
    parse_spans_bmeow_with_errors,
    parse_spans_iob_with_errors,
    parse_spans_iobes_with_errors,
)
from spanrs.compat.iobes.words import Error, Span
from spanrs.compat.iobes.write import (
    WriteCallable,
    write_bilou_tags,
    write_bio_tags,
    write_bmeow_tags,
    write_iob_tags,
    write_iobes_tags,
)

__all__ = [
    "ConvertCallable",
    "Error",
    "ParseWithErrorsCallable",
    "Span",
    "TokenFunction",
    "WriteCallable",
    "bilou_to_bio",
    "bilou_to_bmeow",
    "bilou_to_bmewo",
    "bilou_to_iob",
    "bilou_to_iobes",
    "bio_to_bilou",
    "bio_to_bmeow",
    "bio_to_bmewo",
    "bio_to_iob",
    "bio_to_iobes",
    "bmeow_to_bilou",
    "bmeow_to_bio",
    "bmeow_to_iob",
    "bmeow_to_iobes",
    "bmewo_to_bilou",
    "bmewo_to_bio",
    "bmewo_to_iob",
    "bmewo_to_iobes",
    "convert_tags",
    "iob_to_bilou",
    "iob_to_bio",
    "iob_to_bmeow",
    "iob_to_bmewo",
    "iob_to_iobes",
    "iobes_to_bilou",
    "iobes_to_bio",
    "iobes_to_bmeow",
    "iobes_to_bmewo",
    "iobes_to_iob",
    "parse_spans_bilou_with_errors",
    "parse_spans_bio_with_errors",
    "parse_spans_bmeow_with_errors",
    "parse_spans_iob_with_errors",
    "parse_spans_iobes_with_errors",
    "write_bilou_tags",
    "write_bio_tags",
    "write_bmeow_tags",
    "write_iob_tags",
    "write_iobes_tags",
]


class ConvertCallable(Protocol):
    """What converts between two encodings."""

    def __call__(self, tags: Sequence[str]) -> list[str]:
        """Convert a sentence."""


def convert_tags(
    tags: Sequence[str], parse_function: ParseWithErrorsCallable, write_function: WriteCallable
) -> list[str]:
    """Convert tags with a function that reads and one that writes.

    Parameters
    ----------
    tags : sequence of str
        The tags of a sentence.
    parse_function : callable
        Takes tags, gives spans and errors.
    write_function : callable
        Takes spans and ``length``, gives tags.

    Returns
    -------
    list of str
        As many tags as came in.

    Raises
    ------
    ValueError
        For malformed tags, with every error.

    Examples
    --------
    >>> from spanrs.compat.iobes import convert
    >>> convert.convert_tags(["I-A"], convert.parse_spans_iob_with_errors, convert.write_bio_tags)
    ['B-A']
    """
    spans, errors = parse_function(tags)
    if errors:
        listed = "\n".join(map(str, errors))
        message = f"Found errors in the tag sequence, cannot be converted. Errors: {listed}"
        raise ValueError(message)
    return write_function(spans, length=len(tags))


_PARSE: dict[str, ParseWithErrorsCallable] = {
    "bilou": parse_spans_bilou_with_errors,
    "bio": parse_spans_bio_with_errors,
    "bmeow": parse_spans_bmeow_with_errors,
    "iob": parse_spans_iob_with_errors,
    "iobes": parse_spans_iobes_with_errors,
}
_WRITE: dict[str, WriteCallable] = {
    "bilou": write_bilou_tags,
    "bio": write_bio_tags,
    "bmeow": write_bmeow_tags,
    "iob": write_iob_tags,
    "iobes": write_iobes_tags,
}


def _convert(source: str, target: str) -> ConvertCallable:
    given, wanted = source.replace("bmewo", "bmeow"), target.replace("bmewo", "bmeow")
    reader, writer = parse.READERS[given], write.WRITERS[wanted]
    slow_parse, slow_write = _PARSE[given], _WRITE[wanted]

    def convert(tags: Sequence[str]) -> list[str]:
        converted = reader.convert(tags, writer)
        # What is malformed or odd goes the long way, which says what is wrong.
        return convert_tags(tags, slow_parse, slow_write) if converted is None else converted

    public = f"{source}_to_{target}"
    return named(
        convert,
        public,
        f"Convert {source.upper()} tags to {target.upper()}.",
        takes="tags : sequence of str\n    The tags of a sentence.",
        gives="list of str\n    As many tags as came in.",
        raises="ValueError\n    For malformed tags, with every error.",
        example=f"""
        >>> from spanrs.compat.iobes.convert import {public}
        >>> {public}({SAMPLES[source]})
        {SAMPLES[target]}
        """,
    )


iob_to_bio = _convert("iob", "bio")
iob_to_iobes = _convert("iob", "iobes")
iob_to_bilou = _convert("iob", "bilou")
iob_to_bmeow = _convert("iob", "bmeow")
iob_to_bmewo = _convert("iob", "bmewo")
bio_to_iob = _convert("bio", "iob")
bio_to_iobes = _convert("bio", "iobes")
bio_to_bilou = _convert("bio", "bilou")
bio_to_bmeow = _convert("bio", "bmeow")
bio_to_bmewo = _convert("bio", "bmewo")
iobes_to_iob = _convert("iobes", "iob")
iobes_to_bio = _convert("iobes", "bio")
iobes_to_bilou = _convert("iobes", "bilou")
iobes_to_bmeow = _convert("iobes", "bmeow")
iobes_to_bmewo = _convert("iobes", "bmewo")
bilou_to_iob = _convert("bilou", "iob")
bilou_to_bio = _convert("bilou", "bio")
bilou_to_iobes = _convert("bilou", "iobes")
bilou_to_bmeow = _convert("bilou", "bmeow")
bilou_to_bmewo = _convert("bilou", "bmewo")
bmeow_to_iob = _convert("bmeow", "iob")
bmeow_to_bio = _convert("bmeow", "bio")
bmeow_to_iobes = _convert("bmeow", "iobes")
bmeow_to_bilou = _convert("bmeow", "bilou")
bmewo_to_iob = _convert("bmewo", "iob")
bmewo_to_bio = _convert("bmewo", "bio")
bmewo_to_iobes = _convert("bmewo", "iobes")
bmewo_to_bilou = _convert("bmewo", "bilou")
