"""Plots: whiskers, captions, and the same bytes for the same data."""

from __future__ import annotations

import re

import pytest

from spanrs.report import plots

pytest.importorskip("matplotlib", reason="needs matplotlib (pip install spanrs[plot])")

NAMES = ["PER", "$x_1$", "micro"]
VALUES = {"a": [0.5, float("nan"), 0.4], "b_$": [0.25, 0.1, 0.3]}
INTERVALS = {
    "a": [(0.4, 0.6), None, (0.3, 0.5)],
    # An estimate outside of its interval, and an undefined interval.
    "b_$": [(0.3, 0.4), (float("nan"), float("nan")), (0.2, 0.35)],
}
CAPTION = "Whiskers are 95 % percentile intervals of 100 bootstrap resamples of 9 $sentences_1$."


@pytest.fixture(autouse=True)
def text_as_text(monkeypatch):
    """Write the text of SVG files as text."""
    import matplotlib

    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")


def bars(file_format="svg", **options):
    return plots.bar_plot(NAMES, VALUES, "fair F1", file_format, **options)


def test_bars_have_whiskers_and_a_caption():
    plain, whiskers = (text.decode() for text in (bars(), bars(intervals=INTERVALS, caption=CAPTION)))
    assert "fair F1 in per cent" in plain
    assert CAPTION not in plain
    assert CAPTION in re.sub(r"\s*</text>\s*<text[^>]*>|\n", " ", whiskers)
    # Two caps for each of four known intervals.
    assert whiskers.count("LineCollection") - plain.count("LineCollection") == 4
    # Series differ in pattern as well as in colour.
    assert "<pattern" in plain


def test_intervals_of_systems_have_a_caption():
    values = {"a": (0.5, 0.4, 0.6), "b": (0.3, float("nan"), float("nan"))}
    svg = plots.interval_plot(values, "F1", "svg", caption="Whiskers are intervals.").decode()
    assert "Whiskers are intervals." in svg
    assert svg.count("LineCollection") == 1


@pytest.mark.parametrize("file_format", sorted(plots.FORMATS.values()))
def test_the_same_data_give_the_same_file(file_format):
    files = {bars(file_format, intervals=INTERVALS, caption=CAPTION) for _ in range(2)}
    assert len(files) == 1
    assert not re.search(rb"<dc:date>|/CreationDate", files.pop())
    values = {"a": (0.5, 0.4, 0.6)}
    assert len({plots.interval_plot(values, "F1", file_format, caption=CAPTION) for _ in range(2)}) == 1
