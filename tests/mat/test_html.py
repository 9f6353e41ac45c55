"""MATScore's page: content and escaping."""

from __future__ import annotations

import io
import random
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs
from mat_cases import corpus
from spanrs import mat
from spanrs.io import Annotation, Document
from spanrs.mat import marks as of_marks
from spanrs.mat import page as of_page
from spanrs.mat.files import corpus_pairs
from spanrs.mat.page import Page
from spanrs.mat.scoring import score_pairs
from spanrs.report import pages

HOSTILE = "<script>alert('&amp;')</script>\"{{ 70 * 70 }}"
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Parsed(HTMLParser):
    """A parsed page: the text of both columns of each document, and the marks of each character."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.stack, self.documents, self.ids, self.links, self.errors = [], [], [], set(), [], []
        self.open = []
        self.feed(html)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs)
        self.tags.append((tag, attributes))
        if tag not in VOID:
            self.stack.append((tag, attributes))
        if attributes.get("class") == "document":
            self.documents.append({side: SimpleNamespace(text="", marks=[]) for side in ("gold", "pred")})
        if "id" in attributes:
            assert attributes["id"] not in self.ids
            self.ids.add(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        for column in self.columns() if tag == "mark" else ():
            self.open.append(SimpleNamespace(**attributes, start=len(column.text), end=None))
            column.marks.append(self.open[-1])

    def handle_endtag(self, tag):
        for column in self.columns() if tag == "mark" else ():
            self.open.pop().end = len(column.text)
        assert self.stack.pop()[0] == tag

    def columns(self):
        classes = {attributes.get("class") for _, attributes in self.stack}
        if not self.documents or not classes & {"gold", "pred", "both"}:
            return []
        actual = self.documents[-1]
        return [column for side, column in actual.items() if classes & {side, "both"}]

    def handle_data(self, data):
        for column in self.columns():
            column.text += data
        if any(a.get("class") == "errors" for _, a in self.stack) and data.strip():
            self.errors.append(data)


def shown(pairs, **options):
    """The parsed page of pairs of documents, the page, and the scored documents."""
    golds, preds = zip(*pairs, strict=True) if pairs else ((), ())
    files, _ = corpus_pairs(corpus(golds), corpus(preds), None)
    scored = []
    title = options.pop("title", "MATScore")
    how = {name: options.pop(name) for name in ("confidence", "percent", "by_document") if name in options}
    with Page(title) as page:

        def sink(one):
            scored.append(one)
            page.add(one)

        result = score_pairs(files, mat.Mat(**options), sinks=[sink])
        out = io.BytesIO()
        page.write(mat.tables(result, **how), out)
    html = out.getvalue().decode()
    return Parsed(html), html, scored


def one(text, gold, pred, **options):
    return shown([(Document(text, gold), Document(text, pred))], **options)


def spans(column):
    """The annotations shown by marks, reconstructed from their beginnings and ends."""
    collected, open_ = [], []
    for mark in column.marks:
        classes = mark.__dict__["class"].split()
        key = (mark.__dict__["data-label"], mark.title, mark.__dict__.get("data-sign"))
        if "b" in classes:
            open_.append([key, mark.start, mark.end, "e" in classes, classes[0]])
        else:
            # A mark continues at the end of its last piece, or after a folded section.
            last = next(o for o in reversed(open_) if o[0] == key and not o[3] and o[2] == mark.start)
            last[2:4] = mark.end, "e" in classes
    for (label, title, _), start, end, done, kind in open_:
        assert done
        assert title.startswith(f"{kind}: ")
        collected.append((label, start, end, kind))
    return Counter(collected)


def expected(scored, side):
    return Counter(
        (getattr(d, f"{side}label"), getattr(d, f"{side}start"), getattr(d, f"{side}end"), d.type)
        for d in scored.details()
        if getattr(d, f"{side}label") is not None
    )


def agrees(parsed, scored):
    assert len(parsed.documents) == len(scored)
    for document, of in zip(parsed.documents, scored, strict=True):
        for name, side in (("gold", "ref"), ("pred", "hyp")):
            # The only character that HTML cannot represent.
            assert document[name].text == of.text.replace("\0", "␀")
            assert spans(document[name]) == expected(of, side)


def test_both_columns_show_the_text_and_what_became_of_each_annotation():
    text = "Bob Smith saw Rome.\nAnn did not.\n"
    gold = [Annotation("PER", 0, 3), Annotation("LOC", 14, 18), Annotation("PER", 20, 23)]
    pred = [Annotation("PER", 0, 9), Annotation("ORG", 14, 18), Annotation("VERB", 10, 13)]
    parsed, html, scored = one(text, gold, pred)
    agrees(parsed, scored)
    assert {d.type for d in scored[0].details()} == {"overmark", "tagclash", "missing", "spurious"}
    titles = [mark.title for mark in parsed.documents[0]["gold"].marks]
    assert titles == [
        "overmark: gold PER 0–3, pred PER 0–9",
        "tagclash: gold LOC 14–18, pred ORG 14–18",
        "missing: gold PER 20–23",
    ]
    signs = {
        side: [m.__dict__["data-sign"] for m in parsed.documents[0][side].marks]
        for side in ("gold", "pred")
    }
    assert signs == {"gold": ["⊃1", "≠3", "−4"], "pred": ["⊃1", "+2", "≠3"]}
    assert "match 0 · clash 2 · missing 1 · spurious 1" in html


def test_annotations_within_across_and_upon_each_other_are_all_shown():
    text = "The University of Rome in Italy said that\nno one came."
    gold = [(4, 22), (18, 22), (18, 31), (26, 31), (32, 46), (4, 22), (0, 54)]
    pred = [(0, 22), (18, 22), (18, 22), (18, 22), (20, 44)]
    parsed, _, scored = one(
        text,
        [Annotation("AB"[at % 2], *bounds) for at, bounds in enumerate(gold)],
        [Annotation("BA"[at % 2], *bounds) for at, bounds in enumerate(pred)],
    )
    agrees(parsed, scored)
    deepest = max(int(m.style.split()[1]) for m in parsed.documents[0]["gold"].marks if hasattr(m, "style"))
    # One annotation of gold begins before all others; the deepest lies within four.
    assert deepest == 4


@pytest.mark.parametrize("text", ["", "a", "a\n", "\n", "\n\n", "x" * 3000, "x y\n" * 1000])
def test_annotations_without_characters_are_seen(text):
    places = {0, len(text) // 2, len(text)}
    parsed, _, scored = one(text, [Annotation("Z", at, at) for at in places], [Annotation("Y", 0, 0)])
    agrees(parsed, scored)
    marks = parsed.documents[0]["gold"].marks
    assert all("caret" in mark.__dict__["class"].split() for mark in marks)
    assert len(marks) == len(places)


def test_an_annotation_that_goes_on_in_the_next_line_has_its_label_once():
    parsed, _, scored = one("one\ntwo\nthree", [Annotation("A", 1, 10)], [])
    agrees(parsed, scored)
    classes = [mark.__dict__["class"] for mark in parsed.documents[0]["gold"].marks]
    assert classes == ["missing b", "missing", "missing e"]


def test_every_line_is_a_row_of_both_columns():
    parsed, _, _ = one("a\nb\n\nc", [Annotation("A", 0, 3)], [])
    cells = [a["class"] for tag, a in parsed.tags if tag == "td" and a.get("class") in ("gold", "pred")]
    assert cells == ["gold", "pred"] * 4


def test_what_is_far_from_annotations_of_either_side_is_folded_with_some_of_it_left():
    line = "nothing of interest is said here.\n"
    text = line * 100 + "Bob" + line * 100 + "Ann" + line * 5
    bob, ann = text.index("Bob"), text.index("Ann")
    parsed, html, scored = one(text, [Annotation("P", bob, bob + 3)], [Annotation("P", ann, ann + 3)])
    agrees(parsed, scored)
    folds = re.findall(r"… ([\d,]+) characters without annotations …", html)
    assert len(folds) == 2
    for size in folds:
        hidden = int(size.replace(",", ""))
        assert 100 * len(line) - 4 * of_marks.CONTEXT <= hidden < 100 * len(line)
        # It is split at line ends.
        assert hidden % len(line) in (0, len(line) - 1)


def test_a_text_without_annotations_is_folded_as_a_whole():
    parsed, html, scored = one("word " * 1000, [], [])
    agrees(parsed, scored)
    assert "… 5,000 characters without annotations …" in html
    assert parsed.documents[0]["gold"].marks == []


def test_nothing_of_the_documents_becomes_html():
    text = f"{HOSTILE} and \r\n more \r of \t it \x0b \x1b \x85 \u2028 \u202e \0 </td></details>"
    gold = [Annotation(HOSTILE, 0, 8), Annotation("A", 3, 40)]
    pred = [Annotation("</mark>", 0, 8), Annotation("'\">", 4, 9)]
    pair = (Document(text, gold, "</summary>" + HOSTILE), Document(text, pred, "</summary>" + HOSTILE))
    parsed, html, scored = shown([pair, (Document("b", [], "b"), Document("b", [], "b"))], title=HOSTILE)
    agrees(parsed, scored)
    assert html.count("<script") == 1
    assert "4900" not in html
    assert html.count("&lt;script&gt;") > 5
    assert "&#13;" in html


def test_browsers_that_normalise_line_ends_show_the_same_text():
    assert str(pages.kept("a\r\nb\rc<")) == "a&#13;\nb&#13;c&lt;"


def test_messages_and_names_of_files_are_escaped(tmp_path):
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
    names = ["<b>.json", "&amp;.json", "a'\"b.json"]
    for name in names:
        (tmp_path / "pred" / name).write_text('{"signal": "x", "asets": [], "version": 2}')
    (tmp_path / "gold" / names[1]).write_text('{"signal": "x", "asets": [], "version": 2}')
    sides = [spanrs.read(tmp_path / side, format="mat-json") for side in ("gold", "pred")]
    files, _ = corpus_pairs(sides[0], sides[1], None)
    with Page() as page:
        result = score_pairs(files, mat.Mat(), sinks=[page.add])
        out = io.BytesIO()
        page.write(mat.tables(result), out)
    html = out.getvalue().decode()
    Parsed(html)
    assert "&lt;b&gt;.json" in html
    assert "<b>" not in html
    assert "&amp;amp;.json" in html
    assert "What was not scored" in html


def test_names_that_are_no_text_do_not_stop_the_page():
    pair = (Document("a", [Annotation("A", 0, 1)]), Document("a", []))
    _, _, scored = shown([pair])
    with Page() as page:
        page.add(scored[0]._replace(name="\udcff.json"))
        page.write(mat.tables(spanrs.score(*pair, matcher=mat.Mat(), on_error="skip")), out := io.BytesIO())
    assert "\\udcff.json" in out.getvalue().decode()


def test_the_page_needs_nothing_else():
    text = "Bob saw Rome"
    parsed, html, _ = one(text, [Annotation("A", 0, 3)], [Annotation("A", 0, 7)], confidence=10)
    assert not re.search(r"https?:|url\(|@import|src=|//(?! The page)", html)
    assert {tag for tag, _ in parsed.tags} & {"link", "img", "iframe", "object", "base", "form"} == set()
    assert not [name for _, attributes in parsed.tags for name in attributes if name.startswith("on")]
    assert "default-src 'none'" in html


def test_every_link_leads_somewhere():
    text = "Bob saw Rome and York"
    gold = [Annotation("A", 0, 3), Annotation("B", 8, 12), Annotation("A", 17, 21), Annotation("A", 17, 21)]
    pred = [Annotation("A", 0, 7), Annotation("C", 13, 16), Annotation("A", 18, 21)]
    for unpaired in ("alone", "clash"):
        pairs = [(Document(text, gold), Document(text, pred))] * 3
        parsed, _, _ = shown(pairs, unpaired_overlap=unpaired)
        assert len(parsed.links) > 15
        assert {link.removeprefix("#") for link in parsed.links} <= parsed.ids


def test_discrepancies_are_listed_with_labels_bounds_and_text():
    text = f"Bob {'x' * 200}"
    gold = [Annotation("PER", 0, 3), Annotation("X", 4, 204)]
    parsed, _, _ = one(text, gold, [Annotation("PER", 0, 3)])
    assert parsed.errors[-5:] == ["1", "− missing", "X", "4–204", "x" * 79 + "…"]


def test_the_head_has_all_tables_kinds_and_numbers():
    text = "Bob saw Rome"
    lex = [Annotation("lex", *bounds) for bounds in ((0, 3), (4, 7), (8, 12))]
    gold = Document(text, [Annotation("PER", 0, 3), Annotation("LOC", 8, 12), *lex])
    pred = Document(text, [Annotation("PER", 0, 7), Annotation("LOC", 8, 12), *lex])
    _, html, _ = shown([(gold, pred), (gold, gold)], confidence=20, percent=True, by_document=True)
    for heading in ("Annotations", "Tokens", "Pseudo-tokens", "Characters"):
        assert f"<caption>{heading}</caption>" in html
    for kind, says in of_page.MEANINGS.items():
        assert f">{kind}</td><td>{says}</td>" in html
    assert re.search(r">75\.00 <small>±\d+\.\d\d</small></td>", html)
    assert "over resampled documents: mean" in html
    assert 'title="2 times LOC"' in html
    assert "samples:20" in html
    assert html.count('<tr class="all">') == 4


def test_a_table_that_could_not_be_made_is_explained():
    _, html, _ = one("Bob", [Annotation("A", 0, 1)], [])
    assert "<caption>Tokens</caption>" not in html
    assert "no tokens were found" in html


def test_documents_are_listed_worst_first_and_shown_in_order():
    def pair(name, errors):
        gold = [Annotation("A", at, at + 1) for at in range(3)]
        return Document("abcd", gold, name), Document("abcd", gold[errors:], name)

    _, html, _ = shown([pair("good", 0), pair("worst", 3), pair("bad", 1), pair("bad too", 1)])
    assert re.findall(r'<td><a href="#d(\d)">([^<]*)</a>', html) == [
        ("1", "worst"),
        ("2", "bad"),
        ("3", "bad too"),
        ("0", "good"),
    ]
    assert re.findall("<h3>([^<]*)</h3>", html) == ["good", "worst", "bad", "bad too"]


def test_an_annotation_that_others_clash_with_is_shown_once():
    text = "the New York Times"
    gold = [Annotation("ORG", 4, 18)]
    pred = [Annotation("ORG", 4, 18), Annotation("ORG", 4, 12), Annotation("ORG", 8, 12)]
    parsed, html, scored = one(text, gold, pred, unpaired_overlap="clash")
    assert len(list(scored[0].details())) == 3
    (mark,) = parsed.documents[0]["gold"].marks
    assert mark.__dict__["class"] == "match b e"
    assert mark.title.count("; ") == 2
    assert len(parsed.documents[0]["pred"].marks) == 3
    assert "match 1 · clash 2 · missing 0 · spurious 0" in html


def test_more_marks_than_browsers_nest_are_counted_instead():
    deep = of_marks.DEEPEST
    gold = [Annotation("A", at, 200 - at) for at in range(deep + 5)]
    parsed, html, _ = one("x" * 200, gold, [])
    assert len(spans(parsed.documents[0]["gold"])) == deep
    assert "5 annotations are nested too deeply" in html


def test_many_labels_leave_the_heat_table_readable():
    count = of_page.MOST + 20
    text = "x" * count
    gold = [Annotation(f"L{at:03}", at, at + 1) for at in range(count)]
    pred = [Annotation("L000" if at % 2 else f"L{at:03}", at, at + 1) for at in range(count)]
    parsed, html, _ = one(text, gold, pred)
    assert "20 labels with fewer errors are omitted" in html
    heads = [a for tag, a in parsed.tags if tag == "th" and a.get("scope") == "row"]
    assert len(heads) == of_page.MOST


def test_without_documents_there_is_a_page_all_the_same():
    parsed, html, _ = shown([])
    assert parsed.documents == []
    assert "0 documents scored" in html
    assert "<h2>Texts</h2>" not in html


def test_documents_wait_in_a_file_that_is_closed(monkeypatch):
    monkeypatch.setattr(of_page, "SPOOLED", 100)
    pairs = [
        (Document(f"text ü {at}", [Annotation("A", 0, 4)]), Document(f"text ü {at}")) for at in range(9)
    ]
    parsed, _, scored = shown(pairs)
    agrees(parsed, scored)
    page = Page()
    page.add(scored[0])
    result = mat.tables(spanrs.score(*pairs[0], matcher=mat.Mat(), on_error="skip"))
    page.write(result, first := io.BytesIO())
    page.add(scored[1])
    page.write(result, second := io.BytesIO())
    assert first.getvalue().count(b"<h3>") == 1
    assert second.getvalue().count(b"<h3>") == 2
    page.close()
    page.close()
    with pytest.raises(ValueError, match="closed"):
        page.add(scored[0])


def test_a_page_without_jinja2_says_what_to_install(monkeypatch):
    pages.template.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'spanrs[html]'")):
        Page()


def test_a_long_text_full_of_annotations_is_shown_in_time():
    rng = random.Random(7)
    text = "".join(rng.choice("abcdefg  \n") for _ in range(100_000))
    sides = []
    for _ in range(2):
        starts = (rng.randrange(len(text) - 9) for _ in range(8000))
        sides.append([Annotation(rng.choice("AB"), start, start + rng.randrange(9)) for start in starts])
    parsed, _, scored = one(text, *sides)
    agrees(parsed, scored)


TEXTS = st.lists(
    st.one_of(
        st.text(max_size=5),
        st.sampled_from(["\n", "\r\n", " ", "<", "&amp;", "word " * 150, "a line\n" * 90]),
    ),
    max_size=6,
).map("".join)


@st.composite
def documents(draw):
    text = draw(TEXTS)
    place = st.integers(0, len(text))
    # Close to each other, so that they cross.
    near = st.tuples(place, st.integers(0, 6)).map(lambda at: (at[0], min(at[0] + at[1], len(text))))
    bounds = st.one_of(near, st.tuples(place, place).map(lambda pair: tuple(sorted(pair))))
    annotation = st.builds(
        lambda label, at: Annotation(label, *at), st.sampled_from(["A", "B", "<c>"]), bounds
    )
    sides = [draw(st.lists(annotation, max_size=8)) for _ in range(2)]
    return tuple(Document(text, side) for side in sides)


@settings(max_examples=150, deadline=None)
@given(st.lists(documents(), min_size=1, max_size=2))
def test_any_documents_are_shown_as_they_are(pairs):
    parsed, _, scored = shown(pairs)
    agrees(parsed, scored)
    for document, (gold, pred) in zip(parsed.documents, pairs, strict=True):
        for side, of in (("gold", gold), ("pred", pred)):
            marks = document[side].marks
            for annotation in of.annotations:
                # Every character is in a mark of the label.
                of_label = [m for m in marks if m.__dict__["data-label"] == annotation.type]
                covered = {at for m in of_label for at in range(m.start, m.end)}
                assert covered >= set(range(annotation.start, annotation.end))


@settings(max_examples=100, deadline=None)
@given(documents())
def test_where_annotations_clash_with_others_every_pair_is_still_said(pair):
    parsed, _, scored = shown([pair], unpaired_overlap="clash")
    for side, part, of in (("gold", "ref", pair[0]), ("pred", "hyp", pair[1])):
        assert parsed.documents[0][side].text == scored[0].text.replace("\0", "␀")
        marks = parsed.documents[0][side].marks
        for annotation in of.annotations:
            of_label = [m for m in marks if m.__dict__["data-label"] == annotation.type]
            covered = {at for m in of_label for at in range(m.start, m.end)}
            assert covered >= set(range(annotation.start, annotation.end))
        titles = " ".join(mark.title for mark in marks)
        message = Counter(of_marks.says(d) for d in scored[0].details() if getattr(d, f"{part}label"))
        assert all(text in titles for text in message)
        assert {link.removeprefix("#") for link in parsed.links} <= parsed.ids
