"""Reports of several systems and of comparisons: matrices, changes of each pair, and the best numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import spanrs
from page_content import examples, headings, legend
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.eval import Measure, pages
from spanrs.eval.systems_page import systems_page


def several_systems(number):
    """Results of systems that miss different spans."""
    gold = [["B-A", "O", "B-B"]] * 40
    results = {}
    for system in range(number):
        pred = [list(row) for row in gold]
        for at in range(7 * system):
            pred[at][2 * (at % 2)] = "O"
        result = spanrs.score(gold, pred, scheme="BIO", by=[1] * 40, errors=True)
        results["abcdef"[system]] = replace(result, by_sentence=True)
    return results


def matrix(html):
    """The cells of the matrix of differences, by row and column: class, anchor and text."""
    [table] = re.findall(r'<table class="matrix">(.*?)</table>', html, re.DOTALL)
    rows = re.findall(r"<tr><th scope=\"row\"><bdi>(.*?)</bdi></th>(.*?)</tr>", table, re.DOTALL)
    cells = {}
    for (row, content), _ in zip(rows, rows, strict=True):
        for at, (style, cell) in enumerate(re.findall(r'<td class="([^"]*)"[^>]*>(.*?)</td>', content)):
            anchor = re.search(r'href="#(s\d+)"', cell)
            text = re.sub(r"<[^>]*>", " ", cell).split()
            cells[row, rows[at][0]] = (style, anchor and anchor[1], " ".join(text))
    return cells


def test_the_matrix_of_a_comparison_has_all_pairs_and_leads_to_their_spans():
    comparison = spanrs.compare(several_systems(3), samples=500)
    html = comparison.to_html()
    cells = matrix(html)
    assert len(cells) == 9
    assert cells["a", "a"] == ("none", None, "–")
    pair = comparison.pair("a", "c")
    assert pair.is_significant()
    style, anchor, text = cells["a", "c"]
    assert style == "higher marked"
    assert text.startswith(f"{100 * pair.difference:+.2f} *")
    assert f"{pair.p_holm:.4f}" in text
    assert cells["c", "a"][0] == "lower marked"
    assert cells["c", "a"][1] == anchor
    titles = headings(html)
    assert [titles[int(cells[pair][1][1:]) - 1] for pair in (("a", "b"), ("a", "c"), ("c", "b"))] == [
        "From a to b",
        "From a to c",
        "From b to c",
    ]
    assert "p Holm" in re.search(r'title="(F1 of a minus c: [^"]*)"', html)[1]
    # Only the first list is open.
    assert html.count('<details class="folded">') == 2


@pytest.mark.parametrize(("number", "lists"), [(2, 1), (4, 6), (5, 4)])
def test_spans_of_all_pairs_of_few_systems_are_listed(number, lists):
    html = spanrs.compare(several_systems(number), samples=50).to_html()
    titles = [title for title in headings(html) if title.startswith("From")]
    assert len(titles) == lists
    assert all(title.startswith("From a") for title in titles) == (number != 4)
    assert ("With more than 4 systems" in html) == (number == 5)
    assert sum(anchor is not None for _, anchor, _ in matrix(html).values()) == 2 * lists


def test_with_a_baseline_spans_are_compared_with_the_baseline():
    html = spanrs.compare(several_systems(5), samples=50, baseline="c").to_html()
    titles = [title for title in headings(html) if title.startswith("From")]
    assert titles == ["From c to a", "From c to b", "From c to d", "From c to e"]
    assert "Only pairs with the baseline were tested." in html
    cells = matrix(html)
    assert cells["a", "b"][:2] == ("none", None)
    assert cells["a", "c"][0].startswith("higher")


def test_a_change_of_a_boundary_is_one_entry():
    gold, narrow = [["B-A", "I-A", "O"]] * 4, [["B-A", "O", "O"]] * 4
    systems = {
        name: spanrs.score(gold, pred, scheme="BIO", by=[1] * 4, errors=True)
        for name, pred in (("a", narrow), ("b", gold))
    }
    html = spanrs.compare(systems, samples=50).to_html()
    [data] = examples(html)
    assert len(data["examples"]) == 4
    assert legend(html) == {"fixed": "4", "broken": "0", "removed": "4", "added": "0"}
    names = data["strings"]
    marks = [(names[mark[0]], names[mark[4]]) for mark in data["examples"][0][7]]
    assert marks == [("gold", "fixed"), ("b", "match"), ("a", "spurious")]


# Several systems.


def cells_of(html, title):
    """The rows of a table: text of cells, with the best in asterisks and remarks in parentheses."""
    section = html.split(f">{title}</h2>", 1)[1].split("</section>", 1)[0]
    section = re.sub(r"</?strong>", "*", section).replace("<small>", "(").replace("</small>", ")")
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", section, re.DOTALL)
    return [
        [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)]
        for row in rows
    ]


def test_the_page_of_several_systems_has_types_with_intervals_and_the_best_in_bold():
    results = several_systems(3)
    html = systems_page(results, title="T")
    assert headings(html) == ["Summary", "Systems", "F1 of systems", "F1 of types"]
    head, *rows = cells_of(html, "F1 of types")
    assert head == ["type", "a", "b", "c"]
    assert [row[0] for row in rows] == ["A", "B", "micro"]
    drawn = pages.draw_intervals(results["b"], [Measure(type="A")])
    low, high = drawn.interval(Measure(type="A"))
    f1 = results["b"].per_type["A"].f1
    assert rows[0][1].startswith("*100.00* (100.00 to 100.00)")
    assert rows[0][2] == f"{100 * f1:.2f} ({100 * low:.2f} to {100 * high:.2f})"
    assert [cell.startswith("*") for cell in rows[2]] == [False, True, False, False]
    assert html.count('class="whisker"') == 3
    assert "bootstrap resamples of 40 sentences" in html


def test_equal_systems_are_all_best_and_undefined_ones_never():
    gold = [["B-A"], ["O"]]
    results = {
        name: spanrs.score(gold, [["B-A"], [tag]], scheme="BIO")
        for name, tag in (("a", "O"), ("b", "O"), ("c", "B-X"))
    }
    html = systems_page(results)
    rows = {row[0]: row[1:] for row in cells_of(html, "F1 of types")}
    assert rows["A"] == ["*100.00*"] * 3
    assert rows["X"] == ["-", "-", "*0.00*"]
    assert rows["micro"] == ["*100.00*", "*100.00*", "66.67"]
    assert "No intervals: resampling needs counts" in html


def test_several_systems_are_written_as_a_page(tmp_path):
    for name, tags in (("gold", "B-A O"), ("a", "B-A O"), ("b", "O O")):
        text = "".join(f"w {tag}\n\n" for tag in tags.split())
        (tmp_path / name).write_text(text * 3)
    target = tmp_path / "page.html"
    files = [str(tmp_path / name) for name in ("gold", "a", "b")]
    assert run(group, ["score", *files, "-o", str(target)]) == 0
    html = target.read_text(encoding="utf-8")
    assert "<h1>Systems against gold</h1>" in html
    assert "bootstrap resamples of 6 sentences" in html
    assert cells_of(html, "Systems")[1][3].startswith("*100.00*")


def test_every_f1_of_the_fair_matcher_says_which():
    gold = [["B-A", "I-A", "O", "B-B"], ["O", "B-A", "O", "O"]] * 2
    narrow = [["B-A", "O", "O", "B-B"], ["O", "B-B", "O", "O"]] * 2
    results = {
        name: spanrs.score(gold, pred, scheme="BIO", matcher="fair", by=[1] * 4, errors=True)
        for name, pred in (("a", narrow), ("b", gold))
    }
    comparison = spanrs.compare(results, samples=50)
    for html in (results["a"].to_html(), systems_page(results), comparison.to_html()):
        page = re.sub(r"<(style|script).*?</\1>", "", html, flags=re.DOTALL)
        # In the table of measures the first column has the criterion.
        page = re.sub(r"<h2[^>]*>Measures</h2>.*?</section>", "", page, flags=re.DOTALL)
        page = re.sub(r"<code>.*?</code>", "", page)
        assert re.search(r"\bF1\b", page)
        assert not re.search(
            r"(?<!traditional )(?<!fair )(?<!weighted )(?<!macro )\bF1\b", page, re.IGNORECASE
        )
        assert not re.search(r"(?<!fair )\bmacro F1\b", page, re.IGNORECASE)
