"""The page of an aggregation in a browser: documents, disputes, filters, keys and links."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from browser import NARROW, WIDTH, all_of, choice, needs_browser, one, press, status, texts, wait
from spanrs.crowd import CrowdCorpus, MajorityVote, crowd_corpus
from spanrs.crowd.page import page

pytestmark = needs_browser

HOSTILE = "<script>alert(1)</script>\"'&amp;\\"
#: Text and, for each annotator, types and words.
LONG = "\n".join(f"Line {at} has nothing to annotate, but it has some words." for at in range(60))
DOCUMENTS = [
    ("Rome is far.", {"ann": [("LOC", "Rome")], "ben": [("LOC", "Rome")], "cy": [("LOC", "Rome")]}),
    ("Nothing here.", {"ann": [], "ben": [], "cy": []}),
    ("Only ann saw Paris.", {"ann": [("LOC", "Paris")]}),
    (
        "The 👩 of the University of Oslo Hospital met Ada.",
        {
            "ann": [("ORG", "University of Oslo Hospital"), ("LOC", "Oslo")],
            "ben": [("ORG", "University of Oslo"), ("LOC", "Oslo"), ("PER", "Ada")],
            "cy": [("ORG", "University of Oslo Hospital")],
        },
    ),
    (
        "שלום עולם, אני גר בירושלים.",
        {"ann": [("LOC", "בירושלים")], "ben": [("ORG", "בירושלים")], "cy": [("LOC", "בירושלים")]},
    ),
    (
        f"{LONG}\nTurin is a city.\n{LONG}",
        {"ann": [("LOC", "Turin")], "ben": [("LOC", "Turin is")], "cy": []},
    ),
    (
        f"{HOSTILE} fell.",
        {"ann": [(HOSTILE, HOSTILE)], "ben": [("LOC", HOSTILE)], "cy": [(HOSTILE, HOSTILE)]},
    ),
]


def read(documents):
    records = [
        {
            "text": text,
            "_annotator_id": who,
            "spans": [
                {"start": text.index(words), "end": text.index(words) + len(words), "label": type_}
                for type_, words in spans
            ],
        }
        for text, answers in documents
        for who, spans in answers.items()
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "prodigy.jsonl")
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        return crowd_corpus(path)


def documents_page():
    corpus = read(DOCUMENTS)
    for at, text in enumerate(corpus.texts):
        # Prodigy has no ids.
        object.__setattr__(text.document, "id", f"{at} {HOSTILE}")
        object.__setattr__(text.document, "name", f"doc{at}")
    link = "https://labels.example.org/data?task={id}"
    return page(corpus, MajorityVote().fit(corpus), title="Review", link=link)


def many_page():
    documents = [
        (f"Document {at}: Rome and Oslo.", {"ann": [("LOC", "Rome")], "ben": [("LOC", "Oslo")]})
        for at in range(300)
    ]
    corpus = read(documents)
    return page(corpus, MajorityVote().fit(corpus), title="Many")


def hostile_page():
    names = [HOSTILE, "estimate", "a\u202eb", "</script>"]
    words = [HOSTILE, "a\u202eb", "</script>", "W" * 300]
    answers = [{name: [f"B-{word}", "O", "O", "O"] for name, word in zip(names, words, strict=True)}]
    corpus = CrowdCorpus([words], answers)
    return page(corpus, MajorityVote().fit(corpus), title=HOSTILE)


PAGES = {"documents": documents_page, "many": many_page, "hostile": hostile_page}
#: Documents in the order of their priority.
ORDER = ["doc5", "doc4", "doc6", "doc3", "doc0", "doc1"]


def titles(driver):
    """The names of the documents that are built, in order."""
    # Rows are rebuilt while typing a search, so they are read by a single script.
    return driver.execute_script(
        "return [...document.querySelectorAll('.document .title')].map((title) => title.textContent)"
    )


def current(driver):
    return one(driver, "[aria-current=true]").get_attribute("id")


def fragment(driver):
    return {name: values[0] for name, values in parse_qs(urlsplit(driver.current_url).fragment).items()}


def select(driver, name, text):
    choice(driver, f"select[name={name}]").select_by_visible_text(text)


def order(driver):
    """The names of the shown documents: steps back to the first, then through all of them."""
    for _ in DOCUMENTS:
        press(driver, "K")
    found = [one(driver, "[aria-current=true] .title").text]
    while True:
        press(driver, "J")
        name = one(driver, "[aria-current=true] .title").text
        if name in found:
            return found
        found.append(name)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(WIDTH, False), (NARROW, False), (NARROW, True)])
def test_pages_never_scroll_sideways_and_have_no_errors(visit, name, width, dark):
    driver = visit(name, width=width, dark=dark)
    for _ in range(3):
        press(driver, "j")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        assert driver.execute_script("return document.querySelector('.list').scrollWidth") <= width
    assert driver.get_log("browser") == []
    paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)")


def test_the_most_disputed_documents_are_first_and_those_without_spans_last(visit):
    driver = visit("documents")
    assert order(driver) == ORDER
    select(driver, "sort", "document")
    assert order(driver) == sorted(ORDER)
    select(driver, "sort", "disagreement")
    assert order(driver)[-2:] == ["doc0", "doc1"]
    # The document with one annotator is listed apart.
    assert texts(driver, ".alone li") == [""]
    one(driver, ".folded summary").click()
    assert texts(driver, ".alone li") == ["doc2 ann"]


def test_a_dispute_has_the_answers_by_name_beside_the_estimate(visit):
    driver = visit("documents", "#search=turin")
    wait(driver, lambda: titles(driver) == ["doc5"])
    assert (
        one(driver, ".dispute .reason").text
        == 'bounds of LOC differ: ann "Turin", ben "Turin is", cy nothing'
    )
    assert texts(driver, ".dispute .badge") == ["− missing", "∩ bounds"]
    assert texts(driver, ".dispute .who") == ["estimate", "ann", "ben", "cy"]
    marks = [mark.get_attribute("title") for mark in all_of(driver, ".dispute .answer .span.begin")]
    assert [title.split(",")[0] for title in marks] == ["estimate: LOC 67 %", "ann: LOC", "ben: LOC"]
    assert texts(driver, ".dispute .nothing") == ["nothing"]


def test_nested_spans_are_shown_on_strips_of_their_own(visit):
    driver = visit("documents", "#search=oslo")
    wait(driver, lambda: titles(driver) == ["doc3"])
    answer = next(row for row in all_of(driver, ".dispute .answer") if one(row, ".who").text == "ann")
    labels = all_of(answer, ".name")
    assert [label.text for label in labels] == ["ORG", "LOC +"]
    assert labels[0].rect["y"] < labels[1].rect["y"]
    # Characters above U+FFFF do not move the marks.
    marked = driver.execute_script(
        "return [...document.querySelectorAll('.text mark')].map((mark) => mark.firstChild.textContent)"
    )
    assert marked == ["University of Oslo Hospital", "Ada"]


def test_agreed_spans_are_underlined_with_their_type(visit):
    driver = visit("documents", "#search=is%20far")
    wait(driver, lambda: titles(driver) == ["doc0"])
    assert texts(driver, ".agreed") == ["Rome"]
    assert texts(driver, ".text sub") == ["LOC"]
    assert "all agree" in one(driver, ".document .about").text
    assert all_of(driver, ".dispute") == []


def test_long_texts_show_the_lines_of_disputes_and_unfold(visit):
    driver = visit("documents", "#search=turin")
    wait(driver, lambda: titles(driver) == ["doc5"])
    shown = one(driver, ".text").text
    assert "Line 59" in shown
    assert "Line 30" not in shown
    height = one(driver, ".document").rect["height"]
    one(driver, ".fold").click()
    assert "Line 30" in one(driver, ".text").text
    assert len(all_of(driver, ".fold")) == 1
    # The rows below are moved, so that they do not overlap.
    document, dispute = one(driver, ".document").rect, one(driver, ".dispute").rect
    assert document["height"] > height + 200
    assert dispute["y"] >= document["y"] + document["height"] - 1


def test_the_more_annotators_differ_the_darker_is_a_dispute(visit):
    driver = visit("documents", "#search=oslo")
    wait(driver, lambda: titles(driver) == ["doc3"])
    heats = driver.execute_script(
        "return [...document.querySelectorAll('mark')].map((mark) => mark.style.getPropertyValue('--heat'))"
    )
    assert heats == ["0.67", "0.33"]


def test_filters_by_pair_type_and_kind_combine(visit):
    driver = visit("documents")
    assert status(driver) == "6 of 6 documents and 5 of 5 disputes shown"
    select(driver, "annotator", "ann")
    select(driver, "other", "cy")
    # They differ on the nested Oslo and on Turin.
    assert status(driver) == "2 of 6 documents and 2 of 5 disputes shown"
    select(driver, "kind", "bounds (2)")
    assert status(driver) == "0 of 6 documents and 0 of 5 disputes shown"
    select(driver, "other", "ben")
    assert status(driver) == "2 of 6 documents and 2 of 5 disputes shown"
    select(driver, "type", "ORG (2)")
    assert status(driver) == "1 of 6 documents and 1 of 5 disputes shown"
    assert titles(driver) == ["doc3"]
    # The other dispute of the document is shown in the text as filtered out.
    assert [mark.get_attribute("class") for mark in all_of(driver, ".text mark")] == ["", "filtered"]
    one(driver, "input[type=search]").send_keys("turin")
    wait(driver, lambda: status(driver).startswith("0 of 6 documents"))
    one(driver, ".steps button:last-child").click()
    assert status(driver) == "6 of 6 documents and 5 of 5 disputes shown"


def test_the_estimate_is_compared_like_an_annotator(visit):
    driver = visit("documents")
    select(driver, "annotator", "ben")
    select(driver, "other", "estimate")
    assert status(driver) == "4 of 6 documents and 5 of 5 disputes shown"
    select(driver, "annotator", "cy")
    assert status(driver) == "1 of 6 documents and 1 of 5 disputes shown"


def test_the_address_has_the_filters(visit):
    driver = visit("documents")
    select(driver, "annotator", "ann")
    select(driver, "kind", "type (3)")
    select(driver, "sort", "disagreement")
    one(driver, "input[type=search]").send_keys("university & more")
    wait(driver, lambda: "search" in fragment(driver))
    assert fragment(driver) == {
        "annotator": "ann",
        "kind": "type",
        "sort": "disagreement",
        "search": "university & more",
    }
    driver = visit("documents", "#annotator=ann&other=ben&kind=bounds&type=LOC&search=oslo&e=8&x=1")
    assert choice(driver, "select[name=annotator]").first_selected_option.text == "ann"
    assert choice(driver, "select[name=type]").first_selected_option.text.startswith("LOC")
    assert one(driver, "input[type=search]").get_attribute("value") == "oslo"
    assert titles(driver) == ["doc3"]
    # Names that the page does not have, and numbers that are not entries, are ignored.
    driver = visit("documents", "#annotator=nobody&kind=%3Cb%3E&sort=x&e=999")
    assert status(driver) == "6 of 6 documents and 5 of 5 disputes shown"


def test_keys_step_through_disputes_and_documents(visit):
    driver = visit("documents")
    press(driver, "j")
    assert current(driver) == "e2"
    assert fragment(driver) == {"e": "2"}
    assert "doc5: bounds of LOC differ" in status(driver)
    press(driver, "n")
    assert current(driver) == "e4"
    press(driver, "k")
    assert current(driver) == "e2"
    press(driver, "p")
    assert current(driver) == "e2"
    for key, entry in (("J", "e3"), ("N", "e5"), ("K", "e3"), ("P", "e1"), ("P", "e1")):
        press(driver, key)
        assert current(driver) == entry
    one(driver, ".steps button:nth-child(2)").click()
    assert current(driver) == "e2"
    press(driver, "/")
    search = driver.switch_to.active_element
    search.send_keys("university")
    wait(driver, lambda: titles(driver) == ["doc3"])
    # Documents without disputes are steps as well.
    driver = visit("documents", "#search=nothing%20here")
    press(driver, "j")
    assert current(driver) == "e11"


def test_keys_step_through_filtered_disputes(visit):
    driver = visit("documents", "#kind=type")
    for entry in ("e4", "e6", "e8", "e8"):
        press(driver, "j")
        assert current(driver) == entry
    assert fragment(driver) == {"kind": "type", "e": "8"}


def test_a_mark_and_a_number_lead_to_the_dispute(visit):
    driver = visit("documents")
    one(driver, ".text mark").click()
    assert current(driver) == "e2"
    one(driver, "#e3 .about a").click()
    assert current(driver) == "e3"
    assert "labels.example.org" not in driver.current_url


def test_links_lead_to_the_task(visit):
    driver = visit("documents", "#search=turin")
    wait(driver, lambda: titles(driver) == ["doc5"])
    link = one(driver, ".document .about a[target]")
    address = urlsplit(link.get_attribute("href"))
    assert (address.scheme, address.netloc) == ("https", "labels.example.org")
    assert parse_qs(address.query) == {"task": [f"5 {HOSTILE}"]}
    assert link.get_attribute("rel") == "noopener noreferrer"


def test_text_runs_from_right_to_left(visit):
    driver = visit("documents", "#search=%D7%A9")
    wait(driver, lambda: titles(driver) == ["doc4"])
    assert one(driver, ".dispute .tokens").get_attribute("dir") == "rtl"
    text, mark = one(driver, ".text").rect, one(driver, ".text mark").rect
    assert mark["x"] > text["x"] + text["width"] / 2


def test_hostile_names_and_types_are_shown_literally(visit):
    driver = visit("hostile")
    shown = one(driver, ".list").text
    assert HOSTILE in shown
    assert "a\\u202eb" in shown
    assert "\u202e" not in driver.execute_script("return document.body.innerText + document.title")
    options = [option.text for option in choice(driver, "select[name=annotator]").options]
    assert options == ["all", "the estimate", HOSTILE, "estimate", "a\\u202eb", "</script>"]
    select(driver, "annotator", HOSTILE)
    assert fragment(driver)["annotator"] == HOSTILE


def test_entries_have_names_for_screen_readers(visit):
    driver = visit("documents")
    list_ = one(driver, ".list")
    assert (list_.get_attribute("role"), list_.get_attribute("tabindex")) == ("list", "0")
    assert list_.get_attribute("aria-label") == "texts and disputes"
    assert one(driver, ".shown").get_attribute("role") == "status"
    rows = all_of(driver, ".example")
    assert {row.get_attribute("role") for row in rows} == {"listitem"}
    assert rows[0].get_attribute("aria-setsize") == "11"
    for control in all_of(driver, ".filters select, .filters input"):
        assert control.accessible_name


def test_only_visible_rows_are_built(visit):
    driver = visit("many")
    assert status(driver) == "300 of 300 documents and 600 of 600 disputes shown"
    assert len(all_of(driver, ".example")) < 60
    driver.execute_script("location.hash = '#e=899'")
    wait(driver, lambda: current(driver) == "e899")
    assert len(all_of(driver, ".example")) < 60
