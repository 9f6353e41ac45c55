"""Differential tests against the package conlleval 0.2 from PyPI."""

from __future__ import annotations

import conlleval as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

from spanrs.compat import conlleval as ours
from weird import answer, tags

tag = tags("BIES")
cell = st.one_of(st.just("w"), st.just("w"), st.sampled_from(["-X-", "", "#", "\u3000", "a\u0085b"]))
line = st.one_of(
    st.builds(lambda w, g, p: [w, g, p], cell, tag, tag),
    st.builds(lambda w, g: [w, g, g], cell, tag),
    st.builds(lambda w, g, p: [w, "x", g, p], cell, tag, tag),
    st.sampled_from([[], [""], ["-X-", "O", "O"], ["a", "b"], ["-X-"]]),
)
texts = st.lists(line, max_size=10)
ends = st.sampled_from(["", "\n", "\r\n"])


@settings(max_examples=400, deadline=None)
@given(texts, ends)
def test_lines_are_evaluated_as_there(rows, end):
    lines = [" ".join(row) + end for row in rows]
    assert answer(ours.evaluate, lines) == answer(theirs.evaluate, lines)


@settings(max_examples=400, deadline=None)
@given(
    texts,
    ends,
    st.sampled_from([",", "\t", "ab", " ", ""]),
    st.sampled_from(["-X-", "w", ""]),
    st.sampled_from(["O", "N", "B", "N-A", "I", ""]),
)
def test_options_are_taken_as_there(rows, end, delimiter, boundary, otag):
    lines = [delimiter.join(row) + end for row in rows]
    args = (lines, delimiter, boundary, otag)
    got, expected = answer(ours.evaluate, *args), answer(theirs.evaluate, *args)
    assert got == expected
    if got[0][0] == "gave" and got[0][1]["overall"]["tags"]["stats"]["gold"]:
        assert ours.report(got[0][1]) == theirs.report(expected[0][1])


@settings(max_examples=300, deadline=None)
@given(tag, tag, st.sampled_from(["O", "B", "X"]))
def test_neighbours_are_judged_as_there(before, now, otag):
    from conlleval.conlleval import end_of_chunk, parse_tag, start_of_chunk

    assert ours.parse_tag(now) == parse_tag(now)
    args = (before[:1], now[:1], before[2:], now[2:], otag)
    assert ours.end_of_chunk(*args) == end_of_chunk(*args)
    assert ours.start_of_chunk(*args) == start_of_chunk(*args)
