"""HTML pages in a browser: they work from a file, are self-contained, and show hostile text literally.

A page is added to the tests by a line in ``PAGES``: a function that returns its HTML. It must show ``HOSTILE``
somewhere, for example as its title.
"""

from __future__ import annotations

import base64
import io
import json
import time
from dataclasses import replace

import pytest

import spanrs
from browser import (
    HEIGHT,
    NARROW,
    WIDTH,
    all_of,
    choice,
    needs_browser,
    one,
    press,
    status,
    texts,
    wait,
)
from spanrs import mat
from spanrs.cli.output import render_parts
from spanrs.crowd import BSCSeq, CrowdCorpus
from spanrs.crowd import page as crowd
from spanrs.dep import Dep, Parse, evaluate
from spanrs.dep.page import tree_page
from spanrs.io import Annotation, Document
from spanrs.mat.files import corpus_pairs
from spanrs.mat.page import Page
from spanrs.mat.scoring import score_pairs
from spanrs.report.examples import Example, Mark
from spanrs.report.page import Bar, Bars, Card, Cards, Examples, Heatmap, Lines, Sorted, render
from spanrs.report.table import Table

pytestmark = needs_browser

HOSTILE = "<script>alert(1)</script>\"'&amp;\\</title>"
#: Further content of tokens, types and names; the third is invisible and must be made visible.
WEIRD = [
    "שלום",
    "مرحبا",
    "a\u202eb",
    "👩\u200d👩\u200d👧",
    "</script><script>alert(1)</script>",
    "\\n",
    "\u2028",
]
MANY = 100_000
#: Keys of the protocol of browsers (selenium.webdriver.common.keys).
ENTER, BACKSPACE, ESCAPE = "\ue007", "\ue003", "\ue00c"
KINDS = {"fn": "gold without pred", "fp": "pred without gold", "le": "another type on the same span"}


def types_table():
    table = Table(["type", "gold", "F1"])
    for name, gold, f1 in (("ORG", "1,000", "81.25"), ("PER", "200", "9.50"), ("LOC", "30", "undefined")):
        table.add_row(name, gold, f1)
    table.add_section()
    table.add_row("micro", "1,230", "70.00")
    return table


def error(at):
    """Error number `at` + 1: of every six, three are FN, two FP and one LE."""
    kind = ("fn", "fp", "fn", "le", "fp", "fn")[at % 6]
    sides = {"fn": ["gold"], "fp": ["pred"], "le": ["gold", "pred"]}[kind]
    types = {"gold": "PER", "pred": "ORG" if kind == "le" else "LOC"}
    # Lengths differ, so that rows have different heights.
    tokens = ["in", "sentence", f"w{at}", *["and"] * (at * 7 % 40)]
    return Example(
        kind,
        at // 2,
        tokens,
        [Mark(side, types[side], 1, 3) for side in sides],
        0,
        at + 1,
        f"doc{at // 900}",
    )


def sections_page():
    names = ["PER", "ORG", "LOC"]
    return render(
        HOSTILE,
        [
            Cards("Summary", [Card("F1", "70.00", "68.1 to 72.0"), Card("precision", "71.00")]),
            Sorted("Types", types_table(), note="Averages are below the line."),
            Bars("F1", [Bar(name, 0.7, 0.6, 0.8) for name in names]),
            Heatmap("Confusion", names, names, [(0, 0, 50), (0, 1, 4), (2, 1, 1)]),
            Lines("Violations", ["3 violations in pred"]),
            Examples("Errors", [error(at) for at in range(3000)], kinds=KINDS),
            Examples("Other errors", [error(at) for at in range(5)]),
        ],
        subtitle="gold and pred",
        signature="matcher:exact",
    )


def many_examples_page():
    return render(HOSTILE, [Examples("Errors", [error(at) for at in range(MANY)], kinds=KINDS)])


def hostile_sections_page():
    table = Table([HOSTILE, *WEIRD], title=HOSTILE)
    table.add_row(HOSTILE, *WEIRD)
    names = [HOSTILE, *WEIRD, "W" * 500]
    marks = [
        Mark("gold", HOSTILE, 0, 2),
        Mark("pred", WEIRD[0], 1, 3, WEIRD[2]),
        Mark(HOSTILE, "x" * 99, 2, 2),
    ]
    examples = [
        Example(HOSTILE, 0, [HOSTILE, *WEIRD, "W" * 500], marks, document=HOSTILE),
        Example("fn", 1, [WEIRD[0], "עולם", "ירושלים"], [Mark("gold", "LOC", 2, 3)]),
        Example("fp", 2, ["c", "d"], [Mark("pred", "LOC", 4, 6, tokens=[4])], 4, sentence_tokens=9),
    ]
    return render(
        HOSTILE,
        [
            Cards(HOSTILE, [Card(name, name, name) for name in names]),
            Sorted(HOSTILE, table, HOSTILE),
            Bars(HOSTILE, [Bar(name, 0.5, 0.4, 0.6, name) for name in names], note=HOSTILE),
            Heatmap(HOSTILE, names, names, [(0, 0, 3), (1, 2, 2.5)], HOSTILE, HOSTILE, HOSTILE),
            Lines(HOSTILE, names, HOSTILE),
            Examples(HOSTILE, examples, HOSTILE, {HOSTILE: HOSTILE}),
        ],
        subtitle=HOSTILE,
        signature=HOSTILE,
    )


def mat_page():
    text = f"Bob {HOSTILE} saw Rome and שלום.\n" * 3
    gold = [Annotation(HOSTILE, 0, 3), Annotation("LOC", text.index("Rome"), text.index("Rome") + 4)]
    pred = [Annotation(HOSTILE, 0, 8), Annotation("ORG", text.index("Rome"), text.index("Rome") + 4)]
    documents = [[Document(text, side, HOSTILE), Document(text, side, "b")] for side in (gold, pred)]
    files, _ = corpus_pairs(*map(spanrs.read, documents), None)
    with Page(HOSTILE) as page:
        page.write(mat.tables(score_pairs(files, mat.Mat(), sinks=[page.add])), out := io.BytesIO())
    return out.getvalue().decode()


def crowd_page():
    corpus = CrowdCorpus(
        [[HOSTILE, *WEIRD], ["plain"]],
        [
            {HOSTILE: ["B-A", *["O"] * len(WEIRD)], "ben": ["O"] * (len(WEIRD) + 1)},
            {HOSTILE: ["O"], "ben": ["B-A"]},
        ],
    )
    return crowd.page(corpus, BSCSeq().fit(corpus), title=HOSTILE)


def crowd_tokens_page():
    corpus = CrowdCorpus(
        [[HOSTILE, *WEIRD], ["plain"]],
        [
            {HOSTILE: ["N", *["V"] * len(WEIRD)], "ben": ["V"] * (len(WEIRD) + 1)},
            {HOSTILE: ["N"], "ben": [HOSTILE]},
        ],
    )
    return crowd.page(corpus, BSCSeq().fit(corpus), title=HOSTILE)


def scored(pred, **options):
    """Return a result by sentence of hostile tokens, types and tags."""
    weird = [HOSTILE, *WEIRD]
    gold = [[f"B-{HOSTILE}", *["O"] * len(WEIRD)], ["B-LOC", "O", f"I-{WEIRD[0]}"]] * 20
    tokens = [weird, weird[:3]] * 20
    options |= {"by": [1] * 40, "errors": True, "tokens": tokens}
    return replace(spanrs.score(gold, pred, scheme="BIO", **options), by_sentence=True)


def first_system():
    wrong = [[f"I-{HOSTILE}", *["O"] * len(WEIRD)], ["B-ORG", "O", "O"]]
    return [*[["O"] * (len(WEIRD) + 1), ["O", f"B-{HOSTILE}", "O"]] * 10, *wrong * 10]


def second_system():
    return [["O"] * (len(WEIRD) + 1), ["B-LOC", "O", "B-PER"]] * 20


def result_page():
    return scored(first_system()).to_html(title=HOSTILE)


def comparison_page():
    systems = {HOSTILE: scored(first_system()), "second": scored(second_system())}
    return spanrs.compare(systems, samples=100).to_html(title=HOSTILE)


def fair_page():
    rows = [
        "Ann\tNE\tO",
        f"{HOSTILE}\tNE\tB-{HOSTILE}|B-PER",
        *(f"{word}\tNE\tI-{HOSTILE}" for word in WEIRD[:2]),
        ".\t$.\tO",
    ]
    gold = ("\n".join(rows) + "\n\n") * 9
    pred = gold.replace(f"I-{HOSTILE}", "O").replace("|B-PER", "|B-ORG")
    files = (io.BytesIO(text.encode()) for text in (gold, pred))
    result = spanrs.score(*files, matcher="fair", errors=True, separator="tab", punct_column=1)
    return result.to_html(title=HOSTILE)


def dep_page():
    words = [HOSTILE, *WEIRD]
    right = [0, *[1] * len(WEIRD)]
    gold = Parse(words, right, ["root", *[HOSTILE] * len(WEIRD)])
    pred = Parse(words, [0, 1, *[2] * (len(WEIRD) - 1)], ["root", "obj", *[HOSTILE] * (len(WEIRD) - 1)])
    result = evaluate([gold] * 9, [pred] * 9, Dep(subtypes=True), by="sentence")
    return tree_page(result, [gold] * 9, [pred] * 9, title=HOSTILE)


def output_page():
    table = Table([HOSTILE, *WEIRD])
    for at in range(3):
        table.add_row(f"{'bca'[at]} {HOSTILE}", *WEIRD)
    return render_parts([HOSTILE, table, "", HOSTILE, *WEIRD, f"signature {HOSTILE}"], "html", HOSTILE)


PAGES = {
    "sections": sections_page,
    "many-examples": many_examples_page,
    "hostile-sections": hostile_sections_page,
    "mat": mat_page,
    "crowd": crowd_page,
    "crowd-tokens": crowd_tokens_page,
    "result": result_page,
    "comparison": comparison_page,
    "fair": fair_page,
    "dep": dep_page,
    "output": output_page,
}
#: Pages of results with a list of errors.
WITH_ERRORS = ["result", "comparison", "fair", "dep"]


def requests(driver):
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def rows_in_page(driver):
    return driver.execute_script("return document.querySelectorAll('.example').length")


def is_in_view(driver, selector):
    script = """
        const row = document.querySelector(arguments[0])?.getBoundingClientRect();
        const list = document.querySelector(".list").getBoundingClientRect();
        return Boolean(row) && row.top >= list.top - 1 && row.bottom <= list.bottom + 1
            && row.top >= 0 && row.bottom <= innerHeight;
    """
    return driver.execute_script(script, selector)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(WIDTH, False), (NARROW, False), (WIDTH, True)])
def test_pages_open_without_errors_and_requests(visit, name, width, dark):
    driver = visit(name, width=width, dark=dark)
    assert driver.get_log("browser") == []
    values = driver.current_url
    assert [url for url in requests(driver) if url not in (values, "about:blank")] == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    assert HOSTILE in one(driver, "body").text
    assert driver.title == HOSTILE
    paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)")


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_printed(visit, name):
    driver = visit(name)
    printed = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert printed.startswith(b"%PDF-")
    assert len(printed) > 5000
    assert driver.get_log("browser") == []


@pytest.mark.parametrize("name", PAGES)
def test_pages_say_what_they_lack_without_scripts(visit, driver, paths, name):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver = visit(name)
        body = one(driver, "body").text
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert HOSTILE in body
    assert ("JavaScript is disabled" in body) == ('class="examples"' in paths(name).read_text("utf-8"))


def test_weird_text_is_shown_and_cannot_reorder_the_page(visit):
    driver = visit("hostile-sections")
    shown = one(driver, ".list").text
    for text in (HOSTILE, *WEIRD):
        assert text.replace("\u202e", "\\u202e").replace("\u2028", "\\u2028") in shown
    page = driver.execute_script("return document.body.innerText + document.title")
    assert not set("\u202e\u2028") & set(page)
    directions = driver.execute_script(
        "return [...document.querySelectorAll('.example .tokens')].map((row) => row.dir)"
    )
    assert sorted(directions) == ["ltr", "ltr", "rtl"]


def test_a_click_on_a_column_head_sorts_by_number(visit):
    driver = visit("sections")

    def column(at):
        return texts(driver, f"table.sortable td:nth-child({at})")

    heads = all_of(driver, "table.sortable th button")
    heads[1].click()
    assert column(2) == ["1,000", "200", "30", "1,230"]
    heads[1].click()
    assert column(2) == ["30", "200", "1,000", "1,230"]
    assert one(driver, "table.sortable th:nth-child(2)").get_attribute("aria-sort") == "ascending"
    heads[2].click()
    assert column(3) == ["81.25", "9.50", "undefined", "70.00"]
    heads[2].send_keys(ENTER)
    assert column(3) == ["9.50", "81.25", "undefined", "70.00"]
    heads[0].click()
    assert column(1) == ["LOC", "ORG", "PER", "micro"]


@pytest.mark.parametrize("name", WITH_ERRORS)
def test_tokens_and_types_of_errors_are_shown_literally(visit, name):
    driver = visit(name)
    shown = one(driver, ".list").text
    assert HOSTILE in shown
    assert WEIRD[0] in shown
    one(driver, "input[type=search]").send_keys(HOSTILE)
    choice(driver, "select[name=sort]").select_by_visible_text("sentence")
    # Rows are rebuilt while typing a search, so their marks are read by a single script.
    titles = "return [...document.querySelectorAll('.list .span.begin')].map((mark) => mark.title)"
    wait(driver, lambda: any(HOSTILE in title for title in driver.execute_script(titles)))


@pytest.mark.parametrize("name", WITH_ERRORS)
def test_errors_of_results_are_filtered_found_and_stepped_through(visit, name):
    driver = visit(name)
    total = int(status(driver).split()[2].replace(",", ""))
    kind = choice(driver, "select[name=kind]")
    for option in kind.options[1:]:
        kind.select_by_visible_text(option.text)
        number = int(option.text.rsplit("(", 1)[1][:-1])
        assert status(driver) == f"{number} of {total} entries shown"
    one(driver, ".steps button:last-child").click()
    press(driver, "j")
    current = one(driver, "[aria-current=true]").get_attribute("id")
    assert driver.current_url.endswith(f"#{current}")
    driver = visit(name, f"#e{total}")
    assert one(driver, "[aria-current=true]").get_attribute("id") == f"e{total}"
    assert is_in_view(driver, f"#e{total}")


@pytest.mark.parametrize("name", ["result", "comparison", "fair", "dep", "output"])
def test_tables_of_results_are_sorted(visit, name):
    driver = visit(name)
    for at, table in enumerate(all_of(driver, "table.sortable")):
        one(table, "th button").click()
        rows = all_of(table, "tbody:first-of-type td:first-child")
        names = [row.text for row in rows]
        assert names == sorted(names, key=str.casefold), (name, at)


def test_filters_of_a_comparison_are_in_the_order_of_the_systems(visit):
    driver = visit("comparison")
    names = [select.get_attribute("name") for select in all_of(driver, ".filters select")]
    assert names[:4] == ["kind", "gold", HOSTILE, "second"]


def test_the_head_of_a_word_is_shown_and_no_filter(visit):
    driver = visit("dep", "#e1")
    labels = [option.text for option in choice(driver, "select[name=gold]").options]
    assert labels[:2] == ["all", f"{HOSTILE} (63)"]
    assert labels[2:] in ([], ["(none)"])
    titles = [mark.get_attribute("title") for mark in all_of(driver, "#e1 .span.begin")]
    assert titles[0].startswith(f"gold: {HOSTILE} ← {HOSTILE}, tokens 2 to 2")
    assert titles[1].startswith(f"pred: obj ← {HOSTILE}, tokens 2 to 2")


@pytest.mark.parametrize("name", ["mat", "crowd", "crowd-tokens"])
def test_lists_of_other_pages_are_sorted(visit, name):
    driver = visit(name)
    head = one(driver, "table.sortable th button")
    for order in ("ascending", "descending"):
        head.click()
        assert one(driver, "table.sortable th").get_attribute("aria-sort") == order
        names = texts(driver, "table.sortable tbody td:first-child")
        assert names == sorted(names, reverse=order == "descending")


def test_sentences_of_a_crowd_are_searched(visit):
    driver = visit("crowd-tokens")
    assert len(all_of(driver, "section section")) == 2
    one(driver, "#search").send_keys("plain")
    shown = [item for item in all_of(driver, "section section") if item.is_displayed()]
    assert len(shown) == 1
    assert "plain" in shown[0].text


def test_a_document_of_mat_is_opened_by_its_link(visit):
    driver = visit("mat", "#d1")
    assert one(driver, "#d1").is_displayed()
    assert not one(driver, "#d0").is_displayed()


def test_errors_are_filtered_by_kind_and_types(visit):
    driver = visit("sections")
    assert status(driver) == "3,000 of 3,000 entries shown"
    kind = choice(driver, "select[name=kind]")
    assert [option.text for option in kind.options] == ["all", "fn (1,500)", "fp (1,000)", "le (500)"]
    kind.select_by_visible_text("fp (1,000)")
    assert status(driver) == "1,000 of 3,000 entries shown"
    assert set(texts(driver, ".list:first-of-type .badge")) <= {"+ fp", "− fn"}
    gold, pred = (choice(driver, f"select[name={side}]") for side in ("gold", "pred"))
    assert [option.text for option in pred.options] == ["all", "LOC (1,000)", "ORG (500)", "(none)"]
    gold.select_by_visible_text("PER (2,000)")
    assert status(driver) == "0 of 3,000 entries shown"
    kind.select_by_visible_text("all")
    assert status(driver) == "2,000 of 3,000 entries shown"
    pred.select_by_visible_text("ORG (500)")
    assert status(driver) == "500 of 3,000 entries shown"
    pred.select_by_visible_text("(none)")
    assert status(driver) == "1,500 of 3,000 entries shown"
    one(driver, ".steps button:last-child").click()
    assert status(driver) == "3,000 of 3,000 entries shown"


def test_errors_are_searched(visit):
    driver = visit("sections")
    press(driver, "/")
    search = driver.switch_to.active_element
    assert search.get_attribute("type") == "search"
    search.send_keys("Sentence W77 and")
    wait(driver, lambda: status(driver) == "1 of 3,000 entries shown")
    assert one(driver, ".example").get_attribute("id") == "e78"
    search.clear()
    search.send_keys("org")
    wait(driver, lambda: status(driver) == "500 of 3,000 entries shown")
    # Keys are input of the search while it has the focus.
    search.send_keys("j")
    wait(driver, lambda: status(driver) == "0 of 3,000 entries shown")
    # The search is kept when it loses the focus.
    search.send_keys(BACKSPACE, ESCAPE)
    wait(driver, lambda: status(driver) == "500 of 3,000 entries shown")
    press(driver, "j")
    assert status(driver) == "500 of 3,000 entries shown · selected: no. 1"
    assert driver.switch_to.active_element.tag_name == "body"


def test_keys_and_buttons_step_through_errors(visit):
    driver = visit("sections")
    choice(driver, "select[name=sort]").select_by_visible_text("sentence")
    for key, current in (("j", "e1"), ("j", "e2"), ("n", "e3"), ("k", "e2"), ("p", "e1"), ("k", "e1")):
        press(driver, key)
        assert one(driver, "[aria-current=true]").get_attribute("id") == current
        assert driver.current_url.endswith(f"#{current}")
        assert is_in_view(driver, f"#{current}")
    one(driver, ".steps button:nth-child(2)").click()
    assert status(driver) == "3,000 of 3,000 entries shown · selected: no. 2"
    for _ in range(30):
        press(driver, "j")
    assert one(driver, "[aria-current=true]").get_attribute("id") == "e32"
    assert is_in_view(driver, "#e32")


def test_errors_are_sorted_by_the_frequency_of_their_confusion_or_by_sentence(visit):
    driver = visit("sections")
    assert set(texts(driver, ".list .badge")[:5]) == {"− fn"}
    choice(driver, "select[name=sort]").select_by_visible_text("sentence")
    assert texts(driver, ".list .badge")[:4] == ["− fn", "+ fp", "− fn", "≠ le"]


def test_a_link_leads_to_its_error(visit):
    driver = visit("sections", "#e1717")
    assert one(driver, "[aria-current=true]").get_attribute("id") == "e1717"
    assert is_in_view(driver, "#e1717")
    # Filters that hide it are cleared.
    choice(driver, "select[name=kind]").select_by_value(
        one(driver, "select[name=kind] option:nth-child(4)").get_attribute("value")
    )
    driver.execute_script("location.hash = '#e1'")
    wait(driver, lambda: texts(driver, "[aria-current=true] a") == ["#1"])
    assert status(driver).startswith("3,000 of 3,000 entries shown")
    # Numbering continues in the next section.
    driver.execute_script("location.hash = '#e3002'")
    wait(driver, lambda: "selected" in texts(driver, ".shown")[1])
    assert "w1" in [text.strip() for text in texts(driver, "#e3002 .word")]


#: Whether a row is in the middle of the list.
SHOWS_AN_EXAMPLE = """
    const { left, top, height } = arguments[0].getBoundingClientRect();
    const found = document.elementsFromPoint(left + 50, top + height / 2);
    return found.some((one) => one.classList.contains("example"));
"""


def test_only_the_rows_that_can_be_seen_are_in_a_page_with_many_errors(visit, paths):
    paths("many-examples")
    start = time.monotonic()
    driver = visit("many-examples")
    assert status(driver) == "100,000 of 100,000 entries shown"
    assert time.monotonic() - start < 10
    list_ = one(driver, ".list")
    for part in (0.3, 0.99, 0.5, 1.0):
        driver.execute_script(
            "arguments[0].scrollTop = arguments[1] * arguments[0].scrollHeight", list_, part
        )
        wait(driver, lambda: driver.execute_script(SHOWS_AN_EXAMPLE, list_))
        assert 3 <= rows_in_page(driver) < 300
    last = f".example[aria-posinset='{MANY}']"
    wait(driver, lambda: all_of(driver, last))
    assert driver.get_log("browser") == []


def test_many_errors_are_filtered_and_searched_in_time(visit):
    driver = visit("many-examples", f"#e{MANY - 1}")
    assert is_in_view(driver, f"#e{MANY - 1}")
    start = time.monotonic()
    one(driver, "input[type=search]").send_keys("w4321 and")
    wait(driver, lambda: status(driver) == "1 of 100,000 entries shown")
    one(driver, ".steps button:last-child").click()
    choice(driver, "select[name=kind]").select_by_index(1)
    choice(driver, "select[name=sort]").select_by_index(1)
    assert status(driver) == "50,000 of 100,000 entries shown"
    assert time.monotonic() - start < 10
    assert rows_in_page(driver) < 300


def test_the_first_errors_are_printed_in_full(visit):
    driver = visit("many-examples")
    # Listeners run in the order in which they were added, so this one sees the page as it is printed.
    driver.execute_script("""
        addEventListener("beforeprint", () => {
            const rows = document.querySelectorAll(".example").length;
            window.printed = [rows, document.querySelector(".shown").textContent];
        });
    """)
    driver.execute_cdp_cmd("Page.printToPDF", {})
    printed = driver.execute_script("return window.printed")
    assert printed == [200, "The first 200 of 100,000 are printed."]
    wait(driver, lambda: status(driver) == "100,000 of 100,000 entries shown")
    assert 3 <= rows_in_page(driver) < 100


def test_each_side_has_its_own_marks(visit):
    driver = visit("sections", "#e4")
    marks = all_of(driver, "#e4 .span.begin")
    assert [mark.text for mark in marks] == ["PER ≠", "ORG ≠"]
    assert [mark.get_attribute("title") for mark in marks] == [
        "gold: PER, tokens 2 to 3, le",
        "pred: ORG, tokens 2 to 3, le",
    ]
    word, gold, pred = (
        one(driver, f"#e4 .token:nth-child(3) {s}").rect["y"]
        for s in (".word", ".above", ".span:not(.above)")
    )
    assert gold < word < pred


def test_discontinuous_and_empty_spans_are_told_apart(visit):
    driver = visit("hostile-sections", "#e3")
    assert len(all_of(driver, "#e3 .span.begin:not(.gap)")) == 1
    assert len(all_of(driver, "#e3 .span.end.gap")) == 1
    assert [text.strip() for text in texts(driver, "#e3 .cut")] == ["…", "…"]
    assert "tokens 5 to 6 of 9" in one(driver, "#e3 .about").text
    assert len(all_of(driver, "#e1 .span.empty")) == 1


def test_a_narrow_window_keeps_the_current_error(visit):
    driver = visit("sections", "#e1200")
    metrics = {"width": NARROW, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    wait(driver, lambda: driver.execute_script("return innerWidth") == NARROW)
    press(driver, "j")
    current = one(driver, "[aria-current=true]").get_attribute("id")
    wait(driver, lambda: is_in_view(driver, f"#{current}"))
