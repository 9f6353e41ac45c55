"""Drawings of trees."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from spanrs.dep import Parse, draw, to_svg

PIZZA = Parse(
    ["They", "ate", "the", "pizza", "with", "anchovies"],
    [2, 0, 4, 2, 6, 4],
    ["nsubj", "root", "det", "obj", "case", "nmod"],
)


def test_text_shows_each_arc():
    assert draw(PIZZA).splitlines() == [
        "  ┌─▶ They       nsubj",
        "┌─┴── ate        root",
        "│ ┌─▶ the        det",
        "├─┴─▶ pizza      obj",
        "│ ┌─▶ with       case",
        "└─┴─▶ anchovies  nmod",
    ]


def test_svg_is_xml_with_every_word_and_hostile_text_is_text():
    words = ["<script>", "&", '"x"', "עברית"]
    svg = to_svg(Parse(words, [0, 1, 1, 1], ["root", "<b>", "x", "y"]))
    texts = [element.text for element in ElementTree.fromstring(svg).iter() if element.text]
    assert all(word in texts for word in words)
    assert "<b>" in texts


def test_what_has_no_tree_is_not_drawn():
    with pytest.raises(ValueError, match="no tree"):
        draw(Parse(["a"]))
    assert draw(Parse([])) == ""
    assert to_svg(Parse([])).startswith("<svg")
