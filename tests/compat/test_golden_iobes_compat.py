"""iobes (its repository's HEAD), recorded: every row and field through the drop-in replacement."""

from __future__ import annotations

import math

import numpy as np

import iobes_golden
from spanrs.compat import iobes


def outcome(function, *args, **kwargs):
    """What a call gives, or its error as the recording has it."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return {"err": type(error).__name__, "msg": str(error)}


def as_recorded(spans, errors):
    return [[[s.type, s.start, s.end] for s in spans], [list(e) for e in errors]]


def test_spans_and_errors_are_those_recorded(evaluators):
    rows = list(iobes_golden.readings(evaluators))
    assert len(rows) > 12_000
    different = []
    for tags, name, expected in rows:
        encoding = iobes.SpanEncoding[name]
        spans, errors = iobes.parse_spans_with_errors(tags, encoding)
        if as_recorded(spans, errors) != expected:
            different.append((tags, name))
        assert iobes.parse_spans(tags, encoding) == spans
        assert all(span.tokens == tuple(range(span.start, span.end)) for span in spans)
        assert iobes.validate_tags(tags, encoding) is not bool(errors)
    assert different == []


def test_all_conversions_of_well_formed_tags_are_those_recorded(evaluators):
    names = iobes_golden.api(evaluators)["convert_functions"]
    compared = 0
    for row in iobes_golden.written_alike(evaluators):
        row["IOB"] = row.pop("IOB1")
        row["BMEWO"] = row["BMEOW"]
        for name in names:
            source, target = name.upper().split("_TO_")
            assert getattr(iobes, name)(row[source]) == row[target]
            compared += 1
    assert compared >= 100 * 28


def test_conversions_of_any_tags_give_the_tags_or_the_error_recorded(evaluators):
    compared = 0
    for tags, name, expected in iobes_golden.conversions(evaluators):
        got = outcome(getattr(iobes, name), tags)
        if isinstance(expected, dict):
            assert isinstance(got, dict), (tags, name)
            # The recording cuts messages after 160 characters.
            got["msg"] = got["msg"][:160]
        assert got == expected, (tags, name)
        compared += 1
    assert compared > 2000


def test_writes_are_those_recorded(evaluators):
    compared = 0
    for rows, length, name, expected in iobes_golden.writes(evaluators):
        spans = [iobes.Span(*row, tuple(range(row[1], row[2]))) for row in rows]
        encoding = iobes.SpanEncoding.from_string(name)
        assert outcome(iobes.write_tags, spans, encoding, length) == expected
        if name != "token":
            assert outcome(getattr(iobes, f"write_{name}_tags"), spans, length=length) == expected
        compared += 1
    assert compared > 800


def test_transitions_are_those_recorded_in_their_order(evaluators):
    recorded = iobes_golden.api(evaluators)["transitions"]
    assert len(recorded) == 6
    for name, row in recorded.items():
        encoding = iobes.SpanEncoding[name]
        got = iobes.transitions_legality(row["tags"], encoding, row["start"], row["end"])
        assert [list(transition) for transition in got] == row["order_preserving"]
        mask = iobes.transition.transitions_to_mask(got, row["mask"]["vocab"])
        assert str(mask.dtype) == row["mask"]["dtype"]
        assert np.array_equal(mask, np.array(row["mask"]["rows"]))
        nested = iobes.transitions_to_map(got)
        for (source, target), valid in iobes.transitions_to_tuple_map(got).items():
            assert nested[source][target] is valid


def test_transitions_of_odd_tags_are_those_recorded(evaluators):
    compared = 0
    for name, row in iobes_golden.api(evaluators)["transitions"].items():
        if not row.get("odd"):
            continue
        side = math.isqrt(len(row["odd"]))
        *tags, start, end = (target for _, target, _ in row["odd"][:side])
        got = iobes.transitions_legality(tags, iobes.SpanEncoding[name], start, end)
        assert [list(transition) for transition in got] == row["odd"]
        compared += len(got)
    assert compared > 1000


def test_names_and_parts_of_tags_are_those_recorded(evaluators):
    recorded = iobes_golden.api(evaluators)
    for text, expected in recorded["from_string"].items():
        got = outcome(iobes.SpanEncoding.from_string, text)
        assert (got if isinstance(got, dict) else got.name) == expected
    members = [[name, member.name] for name, member in iobes.SpanEncoding.__members__.items()]
    assert members == recorded["members"]
    for tag, separator, kind, function in recorded["extract"]:
        assert iobes.extract_type(tag, separator) == kind
        assert iobes.extract_function(tag, separator) == function
    assert set(recorded["top_level_public"]) <= set(dir(iobes))
    assert set(recorded["convert_functions"]) <= set(dir(iobes.convert))
