"""The HTML page of sections: its content, and escaping of text in HTML and data."""

from __future__ import annotations

import json
import math
import re
import sys
from html.parser import HTMLParser

import pytest

from spanrs.report import examples as of_page
from spanrs.report import pages
from spanrs.report.examples import Example, Mark
from spanrs.report.page import Bar, Bars, Card, Cards, Examples, Heatmap, Lines, Sorted, render
from spanrs.report.table import Table

HOSTILE = "<script>alert('&amp;')</script>\"</title>{{ 70 * 70 }}<!--<script>"
VOID = {"meta", "input", "br"}


class Parsed(HTMLParser):
    """The elements of a page, its text, and the data of its scripts."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.stack, self.scripts, self.rows, self.bodies = [], [], [], [], 0
        self.text = ""
        self.feed(html)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self.stack.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))
        if tag == "tbody":
            self.bodies += 1
        if tag == "tr":
            self.rows.append((self.bodies, dict(attrs).get("class"), []))
        if tag in ("td", "th"):
            self.rows[-1][2].append("")

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif "style" not in self.stack:
            self.text += data
        if "td" in self.stack or "th" in self.stack:
            self.rows[-1][2][-1] += data

    def data(self):
        return [json.loads(text) for kind, text in self.scripts if kind == "application/json"]


def hostile_sections(text):
    table = Table([text, "n"])
    table.add_row(text, "1")
    marks = [Mark("gold", text, 0, 1), Mark(text, text, 0, 1, kind=text, tokens=[0])]
    return [
        Cards(text, [Card(text, text, text)]),
        Sorted(text, table, text),
        Bars(text, [Bar(text, 0.5, 0.4, 0.6, text)], text, text),
        Heatmap(text, [text], [text], [(0, 0, 1)], text, text, text),
        Lines(text, [text], text),
        Examples(text, [Example(text, 0, [text], marks, document=text)], text, {text: text}),
    ]


def test_no_text_becomes_html():
    html = render(HOSTILE, hostile_sections(HOSTILE), subtitle=HOSTILE, signature=HOSTILE)
    parsed = Parsed(html)
    assert [kind for kind, _ in parsed.scripts] == ["application/json", None]
    assert "4900" not in html
    assert parsed.text.count(HOSTILE) > 20
    assert not [name for _, attributes in parsed.tags for name in attributes if name.startswith("on")]


@pytest.mark.parametrize(
    "text", [HOSTILE, "</script>", "]]>", "\u2028\u2029", "\\u003c\\", "\r\n\0", "\ud800x", "\u202e", "😀"]
)
def test_the_data_are_the_same_text(text):
    html = render("t", hostile_sections(text)[-1:])
    (data,) = Parsed(html.encode().decode()).data()
    assert data["strings"][data["examples"][0][6][0]] == text


def test_the_data_cannot_end_the_script():
    text = of_page.data_block([Example("fn", 0, ["</SCRIPT", "<!--", "&", "\u2028"], [])])
    assert not set("<>&\u2028\u2029") & set(text)


def test_strings_are_stored_once():
    data = json.loads(of_page.data_block([Example("fn", at, ["w"] * 9, []) for at in range(5)]))
    assert data["strings"] == ["fn", "w"]
    assert [row[1] for row in data["examples"]] == list(range(5))


def test_examples_are_numbered_over_all_sections():
    example = Example("fn", 0, ["a"], [Mark("gold", "T", 0, 1)])
    html = render("t", [Examples("a", [example] * 3), Examples("none", []), Examples("b", [example])])
    assert [data["number"] for data in Parsed(html).data()] == [1, 4]
    assert "<p>None.</p>" in html


def test_marks_have_the_kind_of_their_example_or_their_own():
    marks = [Mark("gold", "A", 1, 2), Mark("pred", "B", 3, 6, "match", tokens=(3, 5))]
    data = json.loads(of_page.data_block([Example("LE", 4, ["x"], marks, 1, 7, "d", 9)]))
    strings = data["strings"]
    ((kind, sentence, first, length, line, document, _, (gold, pred)),) = data["examples"]
    assert (strings[kind], sentence, first, length, line, strings[document]) == ("LE", 4, 1, 9, 7, "d")
    assert [strings[place] for place in (gold[0], gold[1], gold[4])] == ["gold", "A", "LE"]
    assert [strings[place] for place in (pred[0], pred[1], pred[4])] == ["pred", "B", "match"]
    assert (gold[2:4], pred[2:4], pred[5]) == ([1, 2], [3, 6], [3, 5])
    looks = {strings[place]: (style, sign) for place, style, sign in data["kinds"]}
    assert looks == {"LE": ("label", "≠"), "match": ("ok", "")}


def test_totals_are_a_body_of_their_own():
    table = Table(["type", "F1"])
    table.add_row("PER", "50.00")
    table.add_section()
    table.add_row("micro", "40.00")
    rows = Parsed(render("t", [Sorted("Types", table)])).rows
    assert rows == [
        (0, None, ["type", "F1"]),
        (1, None, ["PER", "50.00"]),
        (2, "all", ["micro", "40.00"]),
    ]


def test_a_table_without_totals_has_one_body():
    table = Table(["type", "F1"])
    table.add_row("PER", "50.00")
    assert Parsed(render("t", [Sorted("Types", table)])).bodies == 1


def test_bars_stay_in_their_scale_and_undefined_values_have_none():
    bars = [Bar("a", 1.5, -0.2, 1.7), Bar("b", None), Bar("c", math.nan, 0.1, None), Bar("d", 0.25)]
    html = render("t", [Bars("F1", bars)])
    assert re.findall(r'class="value" style="width: ([\d.]+)%"', html) == ["100.0", "25.0"]
    assert re.findall(r'"whisker" style="left: ([\d.]+)%; right: ([\d.]+)%"', html) == [("0.0", "0.0")]
    assert html.count("undefined</td>") == 2
    assert "-20.00 to 170.00" in html


def test_matches_and_errors_of_a_heat_map_have_scales_of_their_own():
    html = render(
        "t", [Heatmap("c", ["A", "B"], ["B", "A"], [(0, 1, 900), (0, 0, 1), (1, 1, 4), (1, 0, 0)])]
    )
    match = re.findall(r'<td class="(\w+)" style="--heat: ([\d.]+)" title="([^"]*)">', html)
    assert match == [
        ("cell", "0.5", "gold A, pred B: 1"),
        ("same", "1.0", "gold A, pred A: 900"),
        ("cell", "1.0", "gold B, pred A: 4"),
    ]


def test_kinds_are_explained_with_their_number_of_examples():
    examples = [Example(kind, 0, ["a"], []) for kind in ("fp", "own", "own", "fn", "fn")]
    html = render("t", [Examples("e", examples, kinds={"fn": "gold alone", "le": "other type"})])
    rows = [cells for _, _, cells in Parsed(html).rows]
    assert rows[1:] == [
        ["− fn", "gold alone", "2"],
        ["≠ le", "other type", "0"],
        [" own", "", "2"],
        ["+ fp", "", "1"],
    ]


def test_invisible_characters_are_shown_as_escapes():
    html = render("a\u202eb", [Lines("l", ["x\u2066y\x00\ud800 👩\u200d👧"])])
    assert "<title>a\\u202eb</title>" in html
    assert '<h1>a<i class="control">\\u202e</i>b</h1>' in html
    assert "👩\u200d👧" in html
    assert not set("\u202e\u2066\0\ud800") & set(html)


def test_pages_without_tables_and_examples_have_no_script():
    parsed = Parsed(render("t", [Lines("l", ["x"]), Cards("c", [Card("a", "b")])], language="de"))
    assert parsed.scripts == []
    assert ("html", {"lang": "de"}) in parsed.tags


def test_the_page_needs_nothing_else():
    html = render("t", hostile_sections("x"))
    assert not re.search(r"https?:|url\(|@import|src=", html)
    assert "default-src 'none'" in html


@pytest.mark.parametrize(
    ("package", "name"),
    [("spanrs.mat", "mat.html"), ("spanrs.crowd", "crowd.html"), ("spanrs.report", "page.html")],
)
def test_all_pages_extend_the_base_page(package, name):
    source = pages.template(package, name).environment.loader.get_source(None, name)[0]
    assert '{% extends "base.html" %}' in source
    assert "<head>" not in source


def test_a_page_without_jinja2_says_what_to_install(monkeypatch):
    pages.template.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'spanrs[html]'")):
        render("t", [])


def test_many_examples_are_rendered_in_time():
    example = Example("fn", 0, [f"w{at}" for at in range(12)], [Mark("gold", "T", 0, 1)])
    assert len(render("t", [Examples("e", [example] * 100_000)])) < 10_000_000
