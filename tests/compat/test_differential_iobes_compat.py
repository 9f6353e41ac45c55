"""Differential tests of compat.iobes against iobes from PyPI: results, errors, exceptions and log messages.

Bugs of the release that are fixed in HEAD are not compared: its `bmewo` readers, `write_tags` of IOB and TOKEN, and
modified `tags` when they are overwritten.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import iobes
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spanrs.compat import iobes as ours

ENCODINGS = ("IOB", "BIO", "IOBES", "BILOU", "BMEOW", "TOKEN")
NAMES = ("iob", "bio", "iobes", "bilou", "bmeow")
CONVERSIONS = sorted(set(ours.convert.__all__) & {f"{a}_to_{b}" for a in NAMES for b in (*NAMES, "bmewo")})
TYPES = ("PER", "LOC", "a-b", "-X", "O", "", " ", "日本", "\ud800")
WEIRD = (
    *(
        "",
        "-",
        "--",
        ".",
        "B",
        "I",
        "E",
        "S",
        "M",
        "L",
        "U",
        "W",
        "O",
        "PER",
        "b-PER",
        "B-PER-LOC",
        "X-PER",
    ),
    *("O-PER", "I-O", "B-O", "B_PER", "<PAD>", "<GO>", "<EOS>", "None-A", "日本-B"),
    *("\ud800-A", "B-\ud800", "B-\udfff"),
)

tag = st.one_of(
    st.just("O"),
    st.builds("{}-{}".format, st.sampled_from("BI"), st.sampled_from(TYPES[:2])),
    st.builds("{}-{}".format, st.sampled_from("BIESLUMW"), st.sampled_from(TYPES[:2])),
    st.builds("{}-{}".format, st.sampled_from("BIESLUMWOXb"), st.sampled_from(TYPES)),
    st.sampled_from(WEIRD),
    st.text(max_size=4),
)
sequences = st.lists(tag, max_size=10)
examples = settings(max_examples=300, deadline=None)


class Lines(logging.Handler):
    """Collects log records: level, text and arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[Any, ...]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append((record.levelname, record.msg, record.args, record.getMessage()))


def outcome(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Result or exception, log records, and warnings."""
    logger, handler = logging.getLogger("iobes"), Lines()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = plain(function(*args, **kwargs))
            except Exception as error:
                result = (type(error), str(error))
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate
    return result, handler.lines, [(w.category, str(w.message)) for w in caught]


def plain(value: Any) -> Any:
    """Values that can be compared across packages, including types of containers."""
    if isinstance(value, tuple):
        return type(value).__name__, [plain(item) for item in value]
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def same(name: str, *args: Any, module: str = "", **kwargs: Any) -> None:
    """Both packages return the same result."""
    sides = [getattr(getattr(package, module) if module else package, name) for package in (ours, iobes)]
    got, expected = (outcome(function, *args, **kwargs) for function in sides)
    assert got == expected, (name, args, kwargs)


@examples
@given(sequences, st.sampled_from(ENCODINGS))
@example(["I-O", "B-O"], "IOB")
@example(["O-PER", "B-PER"], "IOB")
@example(["B-\ud800", "I-\ud800", "I-\udfff"], "BIO")
def test_readings_errors_and_logs_are_the_same(tags, name):
    for function in ("parse_spans", "parse_spans_with_errors", "validate_tags"):
        got = outcome(getattr(ours, function), tags, ours.SpanEncoding[name])
        assert got == outcome(getattr(iobes, function), tags, iobes.SpanEncoding[name])


@examples
@given(sequences, st.sampled_from(NAMES))
def test_functions_of_one_encoding_are_the_same(tags, name):
    for function in (f"parse_spans_{name}", f"parse_spans_{name}_with_errors", f"validate_tags_{name}"):
        same(function, tags)
    same("parse_spans_token", tags)
    same("parse_spans_token_with_errors", tags)
    same("validate_tags_bmewo", tags)
    same("validate_tags_token", tags, module="parse")


letters = st.sampled_from(["B", "I", "E", "S", "M", "L", "U", "W", "Q", None])
formats = st.tuples(letters, letters, letters, letters)


@examples
@given(sequences, formats)
def test_formats_of_ones_own_are_the_same(tags, prefixes):
    members = dict(zip(("BEGIN", "INSIDE", "END", "SINGLE"), prefixes, strict=True))
    sides = [type("Own", (package.SpanFormat,), members) for package in (ours, iobes)]
    for function in ("parse_spans_with_end", "parse_spans_with_end_with_errors"):
        got, expected = (
            outcome(getattr(package.parse, function), tags, values)
            for package, values in zip((ours, iobes), sides, strict=True)
        )
        assert got == expected
    begin, inside, end, single = prefixes
    if {begin, single} & {inside, end} - {None}:
        # Listed in docs/compare.md: a prefix cannot both begin and continue a span.
        return
    names = list(dict.fromkeys(tags))
    got, expected = (
        outcome(package.transition.with_end_transitions_legality, names, values)
        for package, values in zip((ours, iobes), sides, strict=True)
    )
    assert got == expected


@examples
@given(sequences, st.sampled_from(NAMES))
def test_given_formats_read_through_the_general_function_are_the_same(tags, name):
    for function in ("parse_spans_with_end", "parse_spans_with_end_with_errors"):
        got, expected = (
            outcome(getattr(package.parse, function), tags, getattr(package, name.upper()))
            for package in (ours, iobes)
        )
        assert got == expected


@examples
@given(sequences, st.sampled_from(CONVERSIONS))
def test_conversions_are_the_same(tags, name):
    same(name, tags)


@examples
@given(
    st.lists(st.tuples(st.sampled_from(("A", "B", "a b")), st.integers(0, 3)), max_size=6),
    st.sampled_from(NAMES),
    st.sampled_from((*NAMES, "bmewo")),
)
def test_conversions_of_well_formed_tags_are_the_same(runs, source, target):
    spans, at = [], 0
    for kind, size in runs:
        if size:
            spans.append(iobes.Span(kind, at, at + size, tuple(range(at, at + size))))
        at += max(size, 1)
    tags = getattr(iobes, f"write_{source}_tags")(spans, length=at)
    name = f"{source}_to_{target}"
    if hasattr(iobes, name):
        assert getattr(ours, name)(tags) == getattr(iobes, name)(tags)


places = st.integers(-3, 7)
usual = st.builds(
    lambda kind, start, size: (kind, start, start + size, tuple(range(start, start + size))),
    st.sampled_from(("A", "B", "", "a b", "\ud800")),
    st.integers(0, 6),
    st.integers(1, 3),
)
unusual = st.tuples(
    st.sampled_from(("A", "B", None, 3)), places, places, st.lists(places, max_size=4).map(tuple)
)
spans = st.one_of(st.lists(usual, max_size=5), st.lists(st.one_of(usual, unusual), max_size=4))
kinds = st.sampled_from(["Illegal End", "Illegal Start"])
lengths = st.one_of(st.none(), st.integers(-1, 9), st.sampled_from([True, 2.5, "3"]))


@examples
@given(spans, st.sampled_from((*NAMES, "bmewo")), st.one_of(st.none(), st.lists(tag, max_size=8)), lengths)
def test_writes_are_the_same(rows, name, tags, length):
    function = f"write_{name}_tags"
    got = outcome(getattr(ours, function), [ours.Span(*row) for row in rows], tags, length)
    # The release modifies the list passed to it.
    over = None if tags is None else list(tags)
    expected = outcome(getattr(iobes, function), [iobes.Span(*row) for row in rows], over, length)
    assert got == expected


@examples
@given(spans, st.sampled_from(("BIO", "IOBES", "BILOU", "BMEOW")), lengths)
def test_writes_by_encoding_are_the_same(rows, name, length):
    got = outcome(ours.write_tags, [ours.Span(*row) for row in rows], ours.SpanEncoding[name], length)
    expected = outcome(
        iobes.write_tags, [iobes.Span(*row) for row in rows], iobes.SpanEncoding[name], length
    )
    assert got == expected


@examples
@given(spans, lengths)
def test_writes_by_encoding_in_iob_are_those_of_its_function(rows, length):
    got = outcome(ours.write_tags, [ours.Span(*row) for row in rows], ours.SpanEncoding.IOB, length)
    theirs = [iobes.Span(*row) for row in rows]

    def expected():
        return iobes.write_iob_tags(theirs, iobes.write.make_blanks(theirs, length))

    assert got == outcome(expected)


@examples
@given(spans, lengths, tag)
def test_parts_of_writing_are_the_same(rows, length, fill):
    own_values, theirs = ([package.Span(*row) for row in rows] for package in (ours, iobes))
    for module, function, extra in (
        ("write", "sort_spans", ()),
        ("utils", "sort_spans", ()),
        ("write", "tags_length_from_spans", ()),
        ("write", "make_blanks", (length, fill)),
    ):
        got = outcome(getattr(getattr(ours, module), function), own_values, *extra)
        assert got == outcome(getattr(getattr(iobes, module), function), theirs, *extra)


@examples
@given(tag, tag, st.sampled_from(["-", "_", "--", " ", ""]), st.integers(-3, 6))
def test_parts_of_tags_are_the_same(one, other, separator, place):
    for function in ("extract_type", "extract_function"):
        same(function, one, separator)
        same(function, one)
    same("make_tag", one, other, separator, module="write")
    same("safe_get", one, place, module="utils")


@examples
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["Illegal End", "Illegal Start"]), tag), max_size=6
    )
)
def test_errors_sort_and_print_the_same(rows):
    own_values, theirs = ([package.Error(*row, None, None) for row in rows] for package in (ours, iobes))
    assert outcome(ours.utils.sort_errors, own_values) == outcome(iobes.utils.sort_errors, theirs)
    assert [str(e) for e in own_values] == [str(e) for e in theirs]
    assert [repr(e) for e in own_values] == [repr(e) for e in theirs]


borders = st.one_of(st.sampled_from(["<GO>", "<EOS>", "O", "-", "E", "E-ND", "B-A", "[S]"]), tag)


@examples
@given(st.lists(tag, max_size=6), st.sampled_from(ENCODINGS), borders, borders)
@example(["B-A", "I-A", "X-A", "E-B"], "IOBES", "<GO>", "X")
@example(["B-A", "I-A", "O"], "BILOU", "<GO>", "-")
def test_transitions_are_the_same(tags, name, start, end):
    got = outcome(ours.transitions_legality, tags, ours.SpanEncoding[name], start, end)
    assert got == outcome(iobes.transitions_legality, tags, iobes.SpanEncoding[name], start, end)
    function = f"{name.lower()}_transitions_legality"
    same(function, set(tags), start=start, end=end, module="transition")
    same(function, tags, module="transition")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(tag, max_size=4),
    st.sampled_from(ENCODINGS),
    st.dictionaries(st.sampled_from(["O", "B-PER", "I-PER", "<GO>", "<EOS>"]), st.integers(-2, 5)),
)
def test_maps_and_masks_are_the_same(tags, name, vocabulary):
    encoding = ours.SpanEncoding[name], iobes.SpanEncoding[name]
    own_values, theirs = (
        ours.transitions_legality(tags, encoding[0]),
        iobes.transitions_legality(tags, encoding[1]),
    )
    for function in ("transitions_to_map", "transitions_to_tuple_map"):
        assert outcome(getattr(ours, function), own_values) == outcome(getattr(iobes, function), theirs)
    whole = {tag: at for at, tag in enumerate(dict.fromkeys([*tags, "<GO>", "<EOS>"]))}
    for places in (whole, vocabulary):

        def mask(package, given, places=places):
            array = package.transition.transitions_to_mask(given, places)
            return str(array.dtype), array.tolist()

        assert outcome(mask, ours, own_values) == outcome(mask, iobes, theirs)


@examples
@given(
    st.one_of(
        st.sampled_from(
            ["iob", "IOB2", " bio", "Iobes\n", "BILOU", "bioul", "bmewo", "BMEOW", "token", "bmes"]
        ),
        st.text(max_size=5),
        st.sampled_from([None, 3, b"iob"]),
    )
)
def test_names_of_encodings_are_the_same(text):
    def name(package):
        return package.SpanEncoding.from_string(text).name

    assert outcome(name, ours) == outcome(name, iobes)


@pytest.mark.parametrize("item", [None, 1, b"B-A", [], ["-"], (), 2.0, {"-": 1}])
@pytest.mark.parametrize("name", NAMES)
def test_tags_that_are_no_strings_are_answered_alike(item, name):
    for tags in ([item], ["O", item, "O"], ["O", item, "S-A"]):
        same(f"parse_spans_{name}_with_errors", tags)
        same("parse_spans_token", tags)
    if not isinstance(item, list):
        same(f"{name}_transitions_legality", [item], module="transition")
    same(f"parse_spans_{name}", item)
