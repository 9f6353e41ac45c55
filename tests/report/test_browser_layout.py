"""Layout of pages in a browser: labels of spans, tables wider than the page, and links of comparisons."""

from __future__ import annotations

from dataclasses import replace

import pytest

import spanrs
from browser import HEIGHT, NARROW, WIDTH, all_of, choice, needs_browser, one, status, wait
from spanrs.eval.systems_page import systems_page
from spanrs.report.examples import Example, Mark
from spanrs.report.page import Bar, Bars, Examples, Heatmap, Sorted, render
from spanrs.report.table import Table

pytestmark = needs_browser

#: Keys of the protocol of browsers (selenium.webdriver.common.keys).
ENTER, RIGHT = "\ue007", "\ue014"
LONG = "a-very-long-type-of-span"
HEBREW = ["שלום", "לכם", "עולם", "גדול", "מאוד", "ויפה"]


def labels_page():
    text = "I met Al in New York City on a very fine day in the spring of that year with Bo"
    words = text.split(" ")
    gold = [
        Mark("gold", LONG, 2, 3, "missed"),
        # The label of a short span is followed by another label.
        Mark("gold", LONG, 4, 5, "missed"),
        Mark("gold", LONG, 5, 6, "missed"),
        # Nested in the last span, on a strip of its own.
        Mark("gold", "B", 5, 7, "missed"),
        # At the end of the line.
        Mark("gold", LONG, len(words) - 1, len(words), "missed"),
    ]
    hebrew = [Mark("gold", LONG, 0, 1, "missed"), Mark("gold", "LOC", 1, 2, "missed")]
    examples = [
        Example("missed", 0, words, gold, sentence_tokens=len(words)),
        Example("missed", 1, words, [Mark("pred", "T", 0, 1, "spurious")]),
        Example("missed", 2, HEBREW * 6, [*hebrew, Mark("pred", LONG, 30, 31, "spurious")]),
        Example("missed", 3, words, []),
    ]
    return render("Labels", [Examples("Errors", examples)])


def wide_page():
    names = [f"type{at}" for at in range(12)]
    table = Table(["system", *names])
    for name in ("first-system", "second-system"):
        table.add_row(name, *["1.00"] * 12)
    small = Table(["a", "b"])
    small.add_row("x", "1")
    sections = [
        Sorted("Wide", table),
        Heatmap("Heat", names, names, [(at, at, 5) for at in range(12)]),
        Sorted("Small", small),
        Bars("Bars", [Bar("a-longer-name", 0.5, 0.4, 0.6, "1234 gold spans")]),
    ]
    return render("Wide", sections)


def boundaries_page():
    gold = [["B-A", "I-A", "O", "B-B"]] * 30 + [["B-A", "O", "O", "B-B"]] * 10
    pred = [["B-A", "O", "O", "B-B"]] * 30 + [["O", "O", "O", "B-C"]] * 10
    tokens = [["w", "x", "y", "z"]] * 40
    return spanrs.score(gold, pred, scheme="BIO", errors=True, tokens=tokens).to_html(title="T")


def systems(number):
    gold = [["B-A", "O", "B-B"]] * 30
    results = {}
    for system in range(number):
        pred = [["O" if at < 5 * system else "B-A", "O", "B-B"] for at in range(30)]
        tokens = [["w", "x", "y"]] * 30
        result = spanrs.score(gold, pred, scheme="BIO", by=[1] * 30, errors=True, tokens=tokens)
        results[f"system-{'abcd'[system]}"] = replace(result, by_sentence=True)
    return results


def notebook_page():
    """A page like a notebook, with the errors of a result in a frame."""
    gold, pred = [["B-A", "O", "B-B"]] * 9, [["O", "O", "B-B"]] * 9
    errors = spanrs.score(gold, pred, scheme="BIO", errors=True, tokens=[["w", "x", "y"]] * 9).errors
    return f"<!DOCTYPE html><title>Notebook</title><h1>Notebook</h1>{errors._repr_html_()}"


PAGES = {
    "labels": labels_page,
    "notebook": notebook_page,
    "wide": wide_page,
    "boundaries": boundaries_page,
    "comparison": lambda: spanrs.compare(systems(3), samples=100).to_html(title="T"),
    "systems": lambda: systems_page(systems(4), title="T"),
}


#: For each label of an example: its text, its box, and whether it is cut.
LABELS = """
    return [...document.querySelectorAll(arguments[0] + " .name")].map((label) => {
        const { left, right, top } = label.getBoundingClientRect();
        return { text: label.textContent, left, right, top, cut: label.scrollWidth > label.clientWidth + 1,
                 title: label.parentElement.title };
    });
"""
#: The gaps between the boxes of consecutive words of an example on the same line.
GAPS = """
    const boxes = [...document.querySelectorAll(arguments[0] + " .token:not(.sides) .word")].map((word) => {
        const range = document.createRange();
        range.selectNodeContents(word.firstChild);
        return range.getBoundingClientRect();
    });
    return boxes.slice(1).flatMap((box, at) =>
        box.top === boxes[at].top ? [Math.max(box.left - boxes[at].right, boxes[at].left - box.right)] : []);
"""


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_pages_never_scroll_sideways(visit, name, width):
    driver = visit(name, width=width)
    assert driver.get_log("browser") == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [WIDTH, NARROW])
@pytest.mark.parametrize("row", ["#e1", "#e3"])
def test_labels_do_not_widen_the_words(visit, row, width):
    driver = visit("labels", width=width)
    gaps, plain = (driver.execute_script(GAPS, selector) for selector in (row, "#e4"))
    assert len(gaps) > 10
    assert max(gaps) - min(plain) < 0.6
    # A normal space is a quarter to a third of the font size, which is 15 pixels.
    assert 2 < min(gaps) <= max(gaps) < 7


@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_labels_do_not_run_into_each_other(visit, width):
    driver = visit("labels", width=width)
    line = one(driver, "#e1 .tokens").rect
    for row in ("#e1", "#e3"):
        labels = driver.execute_script(LABELS, row)
        for at, label in enumerate(labels):
            assert label["left"] >= line["x"] - 1
            assert label["right"] <= line["x"] + line["width"] + 1
            for other in labels[at + 1 :]:
                apart = other["left"] >= label["right"] or label["left"] >= other["right"]
                assert apart or other["top"] != label["top"]


def test_labels_are_cut_only_before_other_labels(visit):
    driver = visit("labels")
    labels = driver.execute_script(LABELS, "#e1")
    assert [(label["text"], label["cut"]) for label in labels] == [
        (f"{LONG} −", True),
        (f"{LONG} −", True),
        ("B −", False),
        (f"{LONG} −", False),
        (f"{LONG} −", False),
    ]
    # The whole type is in the tooltip.
    assert labels[1]["title"] == f"gold: {LONG}, tokens 5 to 5, missed"
    style = "return getComputedStyle(document.querySelector('#e1 .name')).textOverflow"
    assert driver.execute_script(style) == "ellipsis"
    # Nested spans have strips of their own.
    assert len({label["top"] for label in labels}) == 2


def test_a_label_at_the_end_of_a_line_is_moved_back(visit):
    driver = visit("labels", width=NARROW)
    labels = [label for label in driver.execute_script(LABELS, "#e3") if label["text"].startswith(LONG)]
    assert [label["cut"] for label in labels] == [True, False]


def test_text_runs_from_right_to_left(visit):
    driver = visit("labels")
    first, second = driver.execute_script(LABELS, "#e3")[:2]
    assert one(driver, "#e3 .tokens").get_attribute("dir") == "rtl"
    assert second["right"] <= first["left"]
    assert (first["cut"], second["cut"]) == (True, False)
    copied = driver.execute_script("return document.querySelector('#e3 .tokens').textContent")
    assert f"{HEBREW[2]} {HEBREW[3]} {HEBREW[4]} " in copied


def test_a_cut_label_shows_the_beginning_of_the_type(visit):
    driver = visit("labels")
    script = """
        const label = document.querySelector("#e3 .name");
        return [getComputedStyle(label).direction, label.scrollLeft, label.textContent];
    """
    assert driver.execute_script(script) == ["ltr", 0, f"{LONG} −"]


def test_lines_without_spans_have_no_room_for_them(visit):
    driver = visit("labels", width=NARROW)
    wait(driver, lambda: all_of(driver, "#e2 .strip[hidden]"))
    tops = driver.execute_script(
        "return [...new Set([...document.querySelectorAll('#e2 .token')].map((token) => token.offsetTop))]"
    )
    assert len(tops) >= 3
    assert tops[2] - tops[1] < 30


def test_a_boundary_error_is_one_entry_that_every_filter_finds(visit):
    driver = visit("boundaries")
    assert status(driver) == "50 of 50 entries shown"
    legend = one(driver, ".legend").text.split("\n")
    assert [line.split()[1] + line.split()[-1] for line in legend[1:]] == [
        "missed40",
        "spurious30",
        "mistyped10",
    ]
    kind, gold, pred = (choice(driver, f"select[name={name}]") for name in ("kind", "gold", "pred"))
    for text, number in (("missed (40)", 40), ("spurious (30)", 30), ("mistyped (10)", 10)):
        kind.select_by_visible_text(text)
        assert status(driver) == f"{number} of 50 entries shown"
    kind.select_by_visible_text("spurious (30)")
    badges = all_of(driver, ".example:first-child .about .badge")
    assert [badge.text for badge in badges] == ["− missed", "+ spurious"]
    marks = all_of(driver, ".example:first-child .span.begin")
    assert sorted(mark.get_attribute("class").split()[2] for mark in marks) == ["extra", "lost"]
    assert {mark.text for mark in marks} == {"A −", "A +"}
    kind.select_by_visible_text("all")
    gold.select_by_visible_text("A (40)")
    assert status(driver) == "40 of 50 entries shown"
    pred.select_by_visible_text("A (30)")
    assert status(driver) == "30 of 50 entries shown"
    pred.select_by_visible_text("(none)")
    assert status(driver) == "10 of 50 entries shown"


def edges(wide):
    """The classes of a table that say where it continues."""
    return set(wide.get_attribute("class").split()) - {"wide"}


def scroll(driver, wide, left):
    driver.execute_script("arguments[0].scrollLeft = arguments[1]", wide, left)


def test_wide_tables_show_where_columns_are_hidden(visit):
    driver = visit("wide", width=NARROW)
    tables = all_of(driver, ".wide")
    wait(driver, lambda: edges(tables[0]))
    mask = "return getComputedStyle(arguments[0]).maskImage"
    for wide in tables[:2]:
        assert edges(wide) == {"scrollable", "after"}
        assert "gradient" in driver.execute_script(mask, wide)
        first = one(wide, "tbody tr > :first-child")
        place = first.rect["x"]
        scroll(driver, wide, 100)
        wait(driver, lambda wide=wide: edges(wide) == {"scrollable", "before", "after"})
        # The first column stays.
        assert abs(first.rect["x"] - place) < 1
        scroll(driver, wide, 10_000)
        wait(driver, lambda wide=wide: edges(wide) == {"scrollable", "before"})
        assert driver.execute_script(mask, wide) == "none"
    for wide in tables[2:]:
        assert not edges(wide)
        assert wide.get_attribute("tabindex") is None


def test_wide_tables_are_scrolled_with_keys(visit):
    driver = visit("wide", width=NARROW)
    wide = one(driver, ".wide")
    wait(driver, lambda: wide.get_attribute("role") == "region")
    assert wide.get_attribute("aria-label") == "Wide, scrollable"
    driver.execute_script("arguments[0].focus()", wide)
    wide.send_keys(RIGHT)
    wait(driver, lambda: "before" in edges(wide))


def test_tables_that_fit_have_no_hint(visit):
    driver = visit("wide")
    assert not any(map(edges, all_of(driver, ".wide")))


def test_a_cell_of_the_matrix_leads_to_its_spans(visit):
    driver = visit("comparison", width=NARROW)
    folded = all_of(driver, "details.folded")
    assert [details.get_attribute("open") for details in folded] == [None, None]
    cell = one(driver, ".matrix tbody tr:nth-child(2) td:last-child a")
    assert "system-b minus system-c" in cell.get_attribute("aria-label")
    cell.send_keys(ENTER)
    wait(driver, lambda: folded[1].get_attribute("open"))
    list_ = one(folded[1], ".list")
    wait(driver, lambda: all_of(list_, ".example"))
    assert list_.rect["height"] > 100
    assert folded[0].get_attribute("open") is None
    top = driver.execute_script(
        "return document.querySelectorAll('section')[4].getBoundingClientRect().top"
    )
    assert -5 <= top < HEIGHT / 2


def test_a_link_opens_the_list_of_its_entry(visit, driver):
    data = visit("comparison").execute_script(
        "return [...document.querySelectorAll('.examples script')].map((one) => JSON.parse(one.textContent).number)"
    )
    driver = visit("comparison", f"#e{data[1]}")
    assert one(driver, "[aria-current=true]").get_attribute("id") == f"e{data[1]}"
    assert one(driver, "details.folded").get_attribute("open")


def test_folded_lists_are_printed(visit):
    driver = visit("comparison")
    driver.execute_script("""
        addEventListener("beforeprint", () => {
            const lists = [...document.querySelectorAll(".examples")];
            window.printed = lists.map((list) => list.querySelectorAll(".example").length);
        });
    """)
    driver.execute_cdp_cmd("Page.printToPDF", {})
    assert all(driver.execute_script("return window.printed"))
    assert driver.execute_script("return document.querySelector('details.folded').open") is False
    assert driver.get_log("browser") == []


def test_the_best_of_a_row_is_bold(visit):
    driver = visit("systems")
    weight = "return getComputedStyle(arguments[0]).fontWeight"
    best = all_of(driver, ".sortable td strong")
    assert best
    assert all(int(driver.execute_script(weight, cell)) >= 700 for cell in best)


def test_entries_in_the_frame_of_a_notebook_are_selected_and_linked(visit):
    driver = visit("notebook")
    driver.switch_to.frame(one(driver, "iframe"))
    wait(driver, lambda: len(all_of(driver, ".example")) > 2)
    all_of(driver, ".example .about")[1].click()
    wait(driver, lambda: "selected" in status(driver))
    one(driver, ".example a").click()
    wait(driver, lambda: "selected" in status(driver))
    assert len(all_of(driver, ".example")) > 2
    assert all_of(driver, "iframe") == []
    driver.switch_to.default_content()
    assert [entry["message"] for entry in driver.get_log("browser")] == []
