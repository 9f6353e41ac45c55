"""iobes, recorded: every row and field through the drop-in replacement."""

from __future__ import annotations

import math

import iobes_golden
from answers import iobes as answers
from spanrs.compat import iobes


def test_spans_and_errors_are_those_recorded(evaluators):
    rows = list(iobes_golden.readings(evaluators))
    assert len(rows) > evaluators.at_least(small=1800, large=12_000)
    different = []
    for tags, name, expected in rows:
        if answers.read(iobes, tags, name) != expected:
            different.append((tags, name))
        encoding = iobes.SpanEncoding[name]
        spans, errors = iobes.parse_spans_with_errors(tags, encoding)
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
    assert compared >= evaluators.at_least(small=20, large=100) * 28


def test_conversions_of_any_tags_give_the_tags_or_the_error_recorded(evaluators):
    compared = 0
    for tags, name, expected in iobes_golden.conversions(evaluators):
        assert answers.convert(iobes, tags, name) == expected, (tags, name)
        compared += 1
    assert compared > evaluators.at_least(small=500, large=2000)


def test_writes_are_those_recorded(evaluators):
    compared = 0
    for rows, length, name, expected in iobes_golden.writes(evaluators):
        assert answers.write(iobes, rows, length, name) == expected
        assert answers.write(iobes, rows, length, name, by_encoding=True) == expected
        compared += 1
    assert compared > evaluators.at_least(small=150, large=800)


def test_transitions_are_those_recorded_in_their_order(evaluators):
    recorded = iobes_golden.api(evaluators)["transitions"]
    assert len(recorded) == 6
    for name, row in recorded.items():
        encoding = iobes.SpanEncoding[name]
        args = (row["tags"], name, row["start"], row["end"])
        assert answers.transitions(iobes, *args) == row["order_preserving"]
        assert answers.mask(iobes, *args) == row["mask"]
        got = iobes.transitions_legality(row["tags"], encoding, row["start"], row["end"])
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
        got = answers.transitions(iobes, tags, name, start, end)
        assert got == row["odd"]
        compared += len(got)
    assert compared > evaluators.at_least(small=600, large=1000)


def test_names_and_parts_of_tags_are_those_recorded(evaluators):
    recorded = iobes_golden.api(evaluators)
    for text, expected in recorded["from_string"].items():
        assert answers.encoding(iobes, text) == expected
    assert answers.members(iobes) == recorded["members"]
    for row in recorded["extract"]:
        assert answers.parts(iobes, *row[:2]) == row
    assert set(recorded["top_level_public"]) <= set(dir(iobes))
    assert set(recorded["convert_functions"]) <= set(dir(iobes.convert))
