"""The page that shows every document with gold and pred side by side."""

from __future__ import annotations

import io
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanrs import mat
from spanrs.io import Annotation, Document
from spanrs.mat.files import Reading, file_pairs
from spanrs.mat.rules import Rules
from spanrs.mat.scoring import score_pairs
from spanrs.report import mat_html

#: Elements without an end.
VOID = {"meta", "br", "link", "wbr", "hr", "col", "input"}


class Cells(HTMLParser):
    """The text of both columns of every document, and which labels lie over each character."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[tuple[str, dict[str, str | None]]] = []
        self.side: str | None = None
        self.text = {"gold": "", "pred": ""}
        self.labels: dict[str, list[set[str]]] = {"gold": [], "pred": []}
        self.marks: list[tuple[str, dict[str, str | None]]] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        if tag in VOID:
            return
        found = dict(attrs)
        self.stack.append((tag, found))
        if tag == "td" and found.get("class") in self.text:
            self.side = found["class"]
        if tag == "mark" and self.side:
            self.marks.append((self.side, found))

    def handle_endtag(self, tag):
        assert self.stack, tag
        assert self.stack.pop()[0] == tag
        if tag == "td":
            self.side = None

    def handle_data(self, data):
        if self.side:
            over = {found["data-label"] or "" for tag, found in self.stack if tag == "mark"}
            self.text[self.side] += data
            self.labels[self.side] += [over] * len(data)


def page(gold: list[Document], pred: list[Document], **options) -> tuple[str, Cells]:
    """The page, and what is in it."""
    sides = (Reading(), Reading())
    out = io.BytesIO()
    with mat_html.Page("A <title>") as made:
        result = score_pairs(list(file_pairs(gold, pred, sides, None)), Rules(**options), sinks=[made.add])
        made.write(result, out)
    text = out.getvalue().decode()
    cells = Cells()
    cells.feed(text)
    cells.close()
    assert not cells.stack
    return text, cells


def test_everything_is_escaped_and_nothing_is_fetched():
    text = "<script>alert(1)</script> & \"so\" 'on'"
    gold = Document(text, [Annotation("<b>&", 0, 8)], "<id>")
    html, cells = page([gold], [Document(text, [Annotation("\"X'", 2, 8)], "<id>")])
    assert cells.text == {"gold": text, "pred": text}
    assert "<script>alert" not in html
    assert "<h1>A &lt;title&gt;</h1>" in html
    assert all(value is None or "//" not in value for name, value in cells.attributes)


def test_what_became_of_annotations_is_said_on_both_sides():
    text = "Bob Smith saw Rome twice"
    gold = Document(text, [Annotation("PER", 0, 3), Annotation("LOC", 14, 18)])
    pred = Document(text, [Annotation("PER", 0, 9), Annotation("T", 19, 24)])
    _, cells = page([gold], [pred])
    said = {(side, found["title"]) for side, found in cells.marks}
    assert said == {
        ("gold", "overmark: gold PER 0–3, pred PER 0–9"),
        ("pred", "overmark: gold PER 0–3, pred PER 0–9"),
        ("gold", "missing: gold LOC 14–18"),
        ("pred", "spurious: pred T 19–24"),
    }
    kinds = {(found["class"] or "").split()[0] for _, found in cells.marks}
    assert kinds == {"overmark", "missing", "spurious"}


def test_long_stretches_without_annotations_are_folded():
    text = "word " * 2000 + "Rome" + " word" * 2000
    gold = Document(text, [Annotation("LOC", 10_000, 10_004)])
    html, cells = page([gold], [gold])
    assert len(cells.text["gold"]) < 2000
    assert "Rome" in cells.text["gold"]
    assert html.count("word") > 4000 - 10


SPANS = st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 30), st.integers(0, 12)), max_size=6).map(
    lambda found: [Annotation(label, start, min(start + n, 30)) for label, start, n in found]
)
TEXT = st.text("ab <&\n\r\u2028é\U0001d400", min_size=30, max_size=30)


@settings(max_examples=150)
@given(TEXT, SPANS, SPANS, st.sampled_from(["alone", "clash"]))
def test_columns_have_the_text_and_marks_cover_the_annotations(text, gold, pred, unpaired):
    _, cells = page([Document(text, gold)], [Document(text, pred)], unpaired=unpaired)
    for side, given_ in (("gold", gold), ("pred", pred)):
        assert cells.text[side] == text
        wanted: list[set[str]] = [set() for _ in text]
        for a in given_:
            for at in range(a.start, a.end):
                wanted[at].add(a.type)
        assert cells.labels[side] == wanted
        empty = sum(a.start == a.end for a in given_)
        begun = sum(found["class"].split().count("b") for of, found in cells.marks if of == side)
        if unpaired == "alone":
            assert begun == len(given_)
        assert begun >= (1 if empty else 0)


def test_a_page_needs_jinja2(monkeypatch):
    from spanrs.report import pages

    pages.template.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'spanrs\[html\]'"):
        mat_html.Page()
    monkeypatch.undo()
    pages.template.cache_clear()
    mat_html.Page().close()


def test_documents_wait_in_a_file_that_is_closed():
    with mat_html.Page() as made:
        pass
    gold = Document("a", [Annotation("A", 0, 1)])
    with pytest.raises(ValueError, match="closed"):
        score_pairs(list(file_pairs(gold, gold, (Reading(), Reading()), None)), Rules(), sinks=[made.add])
    assert mat.score(gold, gold).tag["A"]["match"] == 1
