"""Answers of iobes: spans and errors, conversions, writes, transitions."""

from __future__ import annotations

import importlib

import answers

ENCODINGS = ("IOB", "BIO", "IOBES", "BILOU", "BMEOW")
#: Messages of refused conversions are cut after this.
CUT = 160


def read(iobes, tags, name):
    """Return spans [type, start, end] and errors with their five fields."""
    spans, errors = iobes.parse_spans_with_errors(tags, iobes.SpanEncoding[name])
    return [[[s.type, s.start, s.end] for s in spans], [list(e) for e in errors]]


def convert(iobes, tags, name):
    """Return the result of the conversion called `name`, or its error."""
    return answers.attempt(getattr(iobes, name), tags, cut=CUT)


def write(iobes, rows, length, name, *, by_encoding=False):
    """Return the tags of the spans [type, start, end] in the encoding called `name`, or the error."""
    spans = [iobes.Span(*row, tuple(range(row[1], row[2]))) for row in rows]
    # There is no write_token_tags.
    if by_encoding or name == "token":
        return answers.attempt(iobes.write_tags, spans, iobes.SpanEncoding.from_string(name), length)
    return answers.attempt(getattr(iobes, f"write_{name}_tags"), spans, length=length)


def transitions(iobes, tags, name, start, end):
    legality = iobes.transitions_legality(tags, iobes.SpanEncoding[name], start, end)
    return [list(transition) for transition in legality]


def mask(iobes, tags, name, start, end):
    """Return the mask over a vocabulary in the order of `tags`, with `start` and `end` last."""
    legality = iobes.transitions_legality(tags, iobes.SpanEncoding[name], start, end)
    vocabulary = {tag: number for number, tag in enumerate([*tags, start, end])}
    created = importlib.import_module(f"{iobes.__name__}.transition").transitions_to_mask(
        legality, vocabulary
    )
    return {"vocab": vocabulary, "dtype": str(created.dtype), "rows": created.astype(int).tolist()}


def encoding(iobes, text):
    return answers.attempt(lambda: iobes.SpanEncoding.from_string(text).name)


def members(iobes):
    return [[name, member.name] for name, member in iobes.SpanEncoding.__members__.items()]


def parts(iobes, tag, separator):
    """Return a tag with its separator, its type and its function."""
    return [tag, separator, iobes.extract_type(tag, separator), iobes.extract_function(tag, separator)]
