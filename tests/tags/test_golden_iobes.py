"""iobes, recorded: spans, errors, conversions, writes, transitions."""

from __future__ import annotations

import numpy as np
import pytest

import iobes_golden
from spanrs import tags
from spanrs.errors import SchemeError
from spanrs.tags import IOBES_DIALECT as IOBES


def read(sequence, encoding):
    spans = tags.tags_to_spans(sequence, encoding, dialect=IOBES)
    errors = tags.validate(sequence, encoding, dialect=IOBES)
    return [
        [[span.type, span.start, span.end] for span in spans],
        [[e.index, e.kind, e.current, e.previous, e.next] for e in errors],
    ]


def test_spans_and_errors_of_all_encodings_are_those_recorded(evaluators):
    rows = list(iobes_golden.readings(evaluators))
    assert len(rows) > evaluators.at_least(small=1800, large=12_000)
    assert [(tags, encoding) for tags, encoding, wanted in rows if read(tags, encoding) != wanted] == []


def test_conversions_of_well_formed_tags_are_those_recorded(evaluators):
    compared = 0
    for row in iobes_golden.written_alike(evaluators):
        for source, given in row.items():
            for target, expected in row.items():
                assert tags.convert(given, source, target, dialect=IOBES) == expected
                compared += 1
    assert compared >= evaluators.at_least(small=20, large=100) * 25


def test_conversions_of_any_tags_give_what_was_recorded_or_all_its_errors(evaluators):
    compared = 0
    for given, name, expected in iobes_golden.conversions(evaluators):
        source, target = name.split("_to_")
        compared += 1
        if isinstance(expected, list):
            assert tags.convert(given, source, target, dialect=IOBES) == expected
            continue
        with pytest.raises(SchemeError) as caught:
            tags.convert(given, source, target, dialect=IOBES)
        lines = [f"{v.kind} error at index {v.index}." for v in caught.value.violations]
        # The recording cuts messages after 160 characters.
        assert (iobes_golden.REFUSED + "\n".join(lines)).startswith(expected["msg"][:150])
    assert compared > evaluators.at_least(small=500, large=2000)


def test_writes_are_those_recorded(evaluators):
    compared = 0
    for spans, length, scheme, expected in iobes_golden.writes(evaluators):
        compared += 1
        if isinstance(expected, dict) and not spans:
            # Listed in docs/compare.md: the empty list is valid, not an error of max().
            assert expected["err"] == "ValueError"
            assert tags.spans_to_tags([], length, scheme) == []
            continue
        if isinstance(expected, dict):
            with pytest.raises(SchemeError):
                tags.spans_to_tags(spans, length, scheme, overlaps="overwrite", dialect=IOBES)
            continue
        # Listed in docs/compare.md: TOKEN writes `NN`, not `-NN`, which could not be read back.
        wanted = [tag.removeprefix("-") for tag in expected] if scheme == "token" else expected
        got = tags.spans_to_tags(spans, length, scheme, overlaps="overwrite", dialect=IOBES)
        assert got == wanted, (spans, length, scheme)
    assert compared > evaluators.at_least(small=140, large=700)


def test_transitions_are_those_recorded(evaluators):
    recorded = iobes_golden.api(evaluators)["transitions"]
    for scheme, row in recorded.items():
        expected = [tuple(t) for t in row["order_preserving"]]
        got = [tuple(t) for t in tags.transitions(scheme, tags=row["tags"])]
        if scheme == "TOKEN":
            # iobes lists the pairs in another order, without those of the two sentence boundaries.
            assert set(expected) <= set(got)
            assert len(got) - len(expected) == 4
        else:
            assert got == expected


def test_masks_are_those_recorded(evaluators):
    recorded = iobes_golden.api(evaluators)["transitions"]
    for scheme, row in recorded.items():
        mask = row["mask"]
        got = tags.transition_mask(scheme, mask["vocab"], start=row["start"], end=row["end"])
        expected = np.array(mask["rows"], dtype=bool)
        if scheme == "TOKEN":
            expected[mask["vocab"][row["start"]], mask["vocab"][row["end"]]] = True
        assert got.between.tolist() == expected.tolist()


def test_transitions_of_odd_tags_are_those_recorded(evaluators):
    recorded = iobes_golden.api(evaluators)["transitions"]
    compared = 0
    for scheme, row in recorded.items():
        if not row.get("odd"):
            continue
        names = list(dict.fromkeys(source for source, _, _ in row["odd"]))
        start, end = names[-2:]
        got = tags.transitions(scheme, tags=names[:-2], start=start, end=end, dialect=IOBES)
        nested = {(source, target): valid for source, target, valid in got}
        for source, target, valid in row["odd"]:
            # Listed in docs/compare.md: iobes reads the name of the end, `E-ND` here, as a tag.
            if target != end:
                assert nested[source, target] == valid, (scheme, source, target)
                compared += 1
    assert compared > evaluators.at_least(small=400, large=600)
