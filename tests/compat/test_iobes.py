"""The interface of compat.iobes, and edge cases."""

from __future__ import annotations

import inspect
import logging
import pickle
import types
from enum import Enum

import iobes
import pytest

from spanrs.compat import iobes as ours

MODULES = ("convert", "parse", "transition", "utils", "write")
#: Names that `from typing import ...` and `import ...` leave in a module; checked for the package itself.
BORROWED = {"Any", "Callable", "Dict", "List", "NamedTuple", "Optional", "Set", "Tuple", "Union"}
BORROWED |= {"annotations", "attrgetter", "chain", "permutations"}
NAMED_TUPLES = {"Span", "Error", "Transition"}


def public(module):
    return {name for name in dir(module) if not name.startswith("_")}


def parameters(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


def test_every_name_of_the_package_is_there():
    assert public(iobes) <= public(ours)
    assert set(ours.__all__) <= set(dir(ours))
    # `import *` imports the same names, and the typing names that HEAD imports.
    assert set(ours.__all__) - public(iobes) == {"Optional", "Union"}


@pytest.mark.parametrize("name", MODULES)
def test_every_name_of_the_modules_is_there(name):
    theirs = public(getattr(iobes, name)) - BORROWED
    assert theirs <= public(getattr(ours, name))
    assert theirs <= set(getattr(ours, name).__all__)


@pytest.mark.parametrize("name", ["", *MODULES])
def test_functions_take_the_same_arguments(name):
    theirs, own_values = (getattr(m, name) if name else m for m in (iobes, ours))
    compared = 0
    for public_name in public(theirs):
        function = getattr(theirs, public_name)
        if isinstance(function, types.FunctionType):
            mine = getattr(own_values, public_name)
            assert parameters(mine) == parameters(function), public_name
            assert mine.__name__ == function.__name__
            assert mine.__doc__
            compared += 1
    assert compared >= 2


def test_classes_have_the_same_members():
    for name in public(iobes):
        theirs = getattr(iobes, name)
        if not isinstance(theirs, type) or name in BORROWED | {"Enum"}:
            continue
        mine = getattr(ours, name)
        if name in NAMED_TUPLES:
            assert mine._fields == theirs._fields
            assert mine.__name__ == theirs.__name__
        elif issubclass(theirs, Enum):
            assert list(mine.__members__) == list(theirs.__members__)
            assert [m.name for m in mine] == [m.name for m in theirs]
        else:
            letters = {key: value for key, value in vars(theirs).items() if key.isupper()}
            assert {key: getattr(mine, key) for key in letters} == letters


def test_aliases_are_one_object():
    assert ours.BMEWO is ours.BMEOW
    assert ours.SpanEncoding.BMEWO is ours.SpanEncoding.BMEOW
    assert ours.write_bmewo_tags is ours.write_bmeow_tags
    assert ours.bmewo_transitions_legality is ours.bmeow_transitions_legality


def test_formats_have_no_instances():
    for values, theirs in ((ours.BIO, iobes.BIO), (ours.SpanFormat, iobes.SpanFormat)):
        with pytest.raises(NotImplementedError) as expected:
            theirs()
        with pytest.raises(NotImplementedError) as got:
            values()
        assert str(got.value) == str(expected.value)


def test_the_logger_is_that_of_iobes():
    assert ours.LOGGER is logging.getLogger("iobes")


def test_bmewo_works_where_the_release_fails():
    tags = ["B-A", "E-A", "I-A"]
    assert ours.parse_spans_bmewo(tags) == ours.parse_spans_bmeow(tags)
    assert ours.parse_spans_bmewo_with_errors(tags) == ours.parse_spans_bmeow_with_errors(tags)


def test_writing_over_tags_leaves_them_as_they_are():
    tags = ("X", "X", "X")
    span = ours.Span("A", 0, 2, (0, 1))
    for written in (list(tags), tags):
        assert ours.write_bio_tags([span], written) == ["B-A", "I-A", "X"]
        assert ours.write_iob_tags([span], tags=written, length=9) == ["I-A", "I-A", "X"]
        assert tuple(written) == tags


def test_token_writes_an_empty_prefix():
    assert ours.write_tags(ours.parse_spans_token(["NN", "O"]), ours.SpanEncoding.TOKEN) == ["-NN", "-O"]


def test_what_is_no_encoding_is_refused_in_the_words_of_iobes():
    for name, args in (
        ("parse_spans", (["O"], "bio")),
        ("parse_spans_with_errors", (["O"], [])),
        ("validate_tags", (["O"], None)),
        ("transitions_legality", (["O"], "BIO")),
        ("write_tags", ([], 7, 2)),
        ("write_tags", ([], 7)),
    ):
        with pytest.raises(ValueError, match=r"Unknown|max\(\)") as got:
            getattr(ours, name)(*args)
        with pytest.raises(ValueError, match=r"Unknown|max\(\)") as expected:
            getattr(iobes, name)(*args)
        assert str(got.value) == str(expected.value)


def test_results_and_functions_are_pickled():
    spans, errors = ours.parse_spans_bio_with_errors(["I-A"])
    for value in (spans, errors, ours.SpanEncoding.BIO, ours.bio_to_iob, ours.parse_spans_iob, ours.BIO):
        assert pickle.loads(pickle.dumps(value)) == value
    assert type(spans[0]) is ours.Span
    assert type(errors[0]) is ours.Error
    assert type(errors) is list


def test_tags_of_any_sequence_are_read():
    import numpy as np

    expected = [ours.Span("A", 0, 1, (0,)), ours.Span("B", 1, 2, (1,))]
    for sequence in (["B-A", "I-B"], ("B-A", "I-B"), np.array(["B-A", "I-B"])):
        spans, errors = ours.parse_spans_bio_with_errors(sequence)
        assert spans == expected
        assert [error[1:] for error in errors] == [("Illegal Transition", "I-B", "B-A", None)]
    assert ours.parse_spans_iob("II") == iobes.parse_spans_iob("II")
    assert ours.parse_spans_bio(iter(["B-A"])) == [expected[0]]


def test_calls_from_the_log_find_their_own_memory():
    class Reads(logging.Handler):
        def emit(self, record):
            assert ours.parse_spans_bio(["B-C"])[0].type == "C"

    handler, level = Reads(), ours.LOGGER.level
    ours.LOGGER.addHandler(handler)
    ours.LOGGER.setLevel(logging.WARNING)
    try:
        assert [span.type for span in ours.parse_spans_bio(["I-A", "I-B"])] == ["A", "B"]
    finally:
        ours.LOGGER.setLevel(level)
        ours.LOGGER.removeHandler(handler)


def test_more_tags_than_are_kept_change_nothing():
    for start in range(0, 60_000, 20_000):
        tags = [f"B-{at}" for at in range(start, start + 20_000)]
        spans = ours.parse_spans_bio(tags)
        assert [span.type for span in spans] == [tag[2:] for tag in tags]
        assert ours.write_bio_tags(spans) == tags
        assert ours.bio_to_iobes(tags)[-1] == f"S-{start + 19_999}"
        assert [span.type for span in ours.parse_spans_token(tags)] == tags


def test_long_spans_are_whole():
    tags = ["B-A", *["I-A"] * 100_000]
    (span,) = ours.parse_spans_bio(tags)
    assert span.tokens == tuple(range(100_001))
    assert ours.write_bio_tags([span]) == tags
