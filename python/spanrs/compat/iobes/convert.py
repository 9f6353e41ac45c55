"""Conversion of tags between encodings. Malformed tags are refused."""

# ruff: noqa: F401, F403, F405 (iobes has those names here too)
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from spanrs.compat._naming import export, named
from spanrs.compat.iobes import parse, write
from spanrs.compat.iobes.parse import *
from spanrs.compat.iobes.spans import SAMPLES, Error, Span, TokenFunction
from spanrs.compat.iobes.write import *

ConvertCallable: TypeAlias = Callable[[Sequence[str]], list[str]]


def convert_tags(
    tags: Sequence[str], parse_function: ParseWithErrorsCallable, write_function: WriteCallable
) -> list[str]:
    """Convert tags with a function that reads tags and a function that writes spans.

    Examples
    --------
    >>> convert_tags(["I-A"], parse_spans_iob_with_errors, write_bio_tags)
    ['B-A']
    """
    spans, errors = parse_function(tags)
    if errors:
        lines = "\n".join(map(str, errors))
        raise ValueError(f"Found errors in the tag sequence, cannot be converted. Errors: {lines}")
    return write_function(spans, length=len(tags))


def _convert(source: str, target: str) -> ConvertCallable:
    written = target.replace("bmewo", "bmeow")
    reader, writer = parse.READERS[source], write.WRITERS[written]
    slow_parse, slow_write = parse.WITH_ERRORS[source], write.WRITE[written]

    def convert(tags: Sequence[str]) -> list[str]:
        converted = reader.convert(tags, writer)
        # Malformed and unusual input takes the slow path, which raises the errors.
        return convert_tags(tags, slow_parse, slow_write) if converted is None else converted

    summary = f"Convert {source.upper()} tags to {target.upper()}."
    return named(convert, f"{source}_to_{target}", summary, f"({SAMPLES[source]})", SAMPLES[target])


def _from(source: str) -> list[ConvertCallable]:
    targets = ("iob", "bio", "iobes", "bilou", "bmeow", "bmewo")
    # BMEOW and BMEWO are names of one encoding.
    return [
        _convert(source, target) for target in targets if parse.READERS[target] is not parse.READERS[source]
    ]


iob_to_bio, iob_to_iobes, iob_to_bilou, iob_to_bmeow, iob_to_bmewo = _from("iob")
bio_to_iob, bio_to_iobes, bio_to_bilou, bio_to_bmeow, bio_to_bmewo = _from("bio")
iobes_to_iob, iobes_to_bio, iobes_to_bilou, iobes_to_bmeow, iobes_to_bmewo = _from("iobes")
bilou_to_iob, bilou_to_bio, bilou_to_iobes, bilou_to_bmeow, bilou_to_bmewo = _from("bilou")
bmeow_to_iob, bmeow_to_bio, bmeow_to_iobes, bmeow_to_bilou = _from("bmeow")
bmewo_to_iob, bmewo_to_bio, bmewo_to_iobes, bmewo_to_bilou = _from("bmewo")

export(globals(), also=("ConvertCallable", "ParseWithErrorsCallable"))
