"""Tables that are wider than the terminal."""

from __future__ import annotations

import io
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

import spanrs
from spanrs.eval import tables as report
from spanrs.report.fitted import wrapped
from spanrs.report.table import Table, as_text, print_parts

WIDTHS = (60, 80, 200)
#: Fine-grained types, coarse and fine names joined, 66 as in Few-NERD.
COARSE = ("person", "location", "organization", "building", "art", "product", "event", "other")
FINE = (
    "artist/author",
    "bodiesofwater",
    "education",
    "government/governmentagency",
    "sports_team",
    "写真家",
    "attack/battle/war/militaryconflict",
    "GPE",
    "road/railway/highway/transit",
)
TYPES = [f"{coarse}-{fine}" for fine in FINE for coarse in COARSE][:66]

letters = st.text(st.sampled_from("abcdeABC-_/ 写真é"), min_size=1, max_size=40)
numbers = st.one_of(
    st.integers(0, 10**9).map(str),
    st.floats(0, 100).map(lambda value: f"{value:.2f}"),
    st.sampled_from(["", ".", "-0.123", "95.12 ±1.20", "36.21 to 55.33"]),
)


@st.composite
def made_tables(draw):
    left, right = draw(st.integers(0, 2)), draw(st.integers(1, 15))
    table = Table([draw(letters) for _ in range(left + right)], left=left)
    for _ in range(draw(st.integers(0, 6))):
        if draw(st.booleans()):
            table.add_section()
        table.add_row(*(draw(letters) for _ in range(left)), *(draw(numbers) for _ in range(right)))
    return table


def cells_of(table):
    """The words of the numeric cells of a table, in order."""
    return sorted(word for row in table.rows for cell in row[max(table.left, 1) :] for word in cell.split())


@settings(max_examples=300)
@given(made_tables(), st.integers(40, 200))
def test_every_number_is_shown_and_no_line_is_too_long(table, width):
    shown = table.plain(width)
    assert max(map(cell_len, shown.splitlines())) <= width
    words = re.split(r"\s+", shown)
    for word in cells_of(table):
        assert words.count(word) >= cells_of(table).count(word)


@settings(max_examples=300)
@given(made_tables(), st.integers(40, 200))
def test_no_heading_is_cut(table, width):
    shown = re.sub(r"\s", "", table.plain(width))
    letters_shown, letters_of_heads = set(shown), set("".join(table.columns)) - {" "}
    assert letters_of_heads <= letters_shown
    for head in table.columns:
        for piece in re.findall(r"[^\s\-_/]+", head):
            # Longer pieces may be broken, between two lines.
            if cell_len(piece) <= 8:
                assert piece in re.split(r"[\s\-_/─]+", table.plain(width))


@given(made_tables())
def test_without_a_width_tables_are_as_wide_as_they_are(table):
    assert table.plain() == table.plain(10_000)
    assert as_text([table, "line"]) == as_text([table, "line"], 10_000)


@given(made_tables(), st.integers(40, 120))
def test_terminals_get_the_same_lines(table, width):
    assert printed([table], width) == table.plain(width) + "\n"


@given(letters, st.integers(4, 30))
def test_wrapped_text_is_the_text(text, width):
    lines = wrapped(text, width)
    assert all(cell_len(line) <= width for line in lines) or any(cell_len(c) > width for c in text)
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)


def printed(parts, width, **options):
    """Output on a terminal of a given width, without colours."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system=None,
        legacy_windows=False,
        **options,
    )
    print_parts(console, parts)
    return re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue())


def test_names_wrap_before_columns_go_into_blocks():
    table = Table(["type", "precision", "recall"])
    table.add_row("location-bodiesofwater", "50.00", "66.67")
    assert table.plain(36).splitlines() == [
        "type               precision  recall",
        "────────────────────────────────────",
        "location-              50.00   66.67",
        "  bodiesofwater",
    ]
    # If the pieces of the name and the numbers do not fit, there are two blocks.
    assert table.plain(30).count("type") == 2


def test_blocks_repeat_the_left_columns():
    table = Table(["type", "criterion", *(f"outcome{at}" for at in range(12))], left=2)
    table.add_row("PER", "strict", *map(str, range(1000, 1012)))
    blocks = table.plain(60).split("\n\n")
    assert len(blocks) > 1
    assert all(block.startswith("type  criterion") and "PER   strict" in block for block in blocks)


def test_rows_without_names_repeat_their_number():
    table = Table(["document", *(f"outcome{at}" for at in range(12))], left=0)
    table.add_row("17", *map(str, range(1000, 1012)))
    blocks = table.plain(60).split("\n\n")
    assert len(blocks) > 1
    assert all("document" in block and " 17 " in block for block in blocks)


def test_long_explanations_wrap_between_words():
    table = Table(["measure", "value"])
    table.add_row(
        "Krippendorff's alpha, spans", "not defined: no sentence with spans was labelled by all 123"
    )
    shown = table.plain(40)
    assert max(map(cell_len, shown.splitlines())) <= 40
    assert re.sub(r"\s+", " ", shown).count("123") == 1


def test_terminals_without_rules_get_hyphens():
    class Ascii(io.StringIO):
        encoding = "ascii"

    table = Table(["type", "F1"])
    table.add_row("PER", "50.00")
    console = Console(file=Ascii(), width=80)
    print_parts(console, [table])
    assert "─" not in console.file.getvalue()
    assert "------" in console.file.getvalue()


def test_the_environment_says_how_wide_the_terminal_is(monkeypatch):
    table = Table(["type", *(f"outcome{at}" for at in range(12))])
    table.add_row("PER", *map(str, range(1000, 1012)))
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        console = Console(file=io.StringIO(), force_terminal=True, color_system=None)
        print_parts(console, [table])
        longest = max(map(cell_len, console.file.getvalue().splitlines()))
        assert (console.width, longest <= width) == (width, True)
        assert console.file.getvalue() == table.plain(width) + "\n"


def test_brackets_are_no_markup():
    table = Table(["[bold]type[/]", "F1"])
    table.add_row("[red]PER", "50.00")
    assert printed([table, "[b]line[/]"], 80).splitlines()[0].startswith("[bold]type[/]")
    assert "[red]PER" in printed([table], 80)
    assert "[b]line[/]" in printed(["[b]line[/]"], 80)


def assert_shown_whole(result, **options):
    """Assert that every cell of every table of a result is shown at every width."""
    for width in WIDTHS:
        for table in report.tables(result, **options):
            shown = printed([table], width)
            assert max(map(cell_len, shown.splitlines())) <= width
            words = shown.split()
            for word in cells_of(table):
                assert word in words, (width, word)


@pytest.mark.parametrize("matcher", ["exact", "fair", "partial"])
def test_submissions_are_shown_whole(submissions, matcher):
    for pred in submissions.preds.values():
        assert_shown_whole(spanrs.score(submissions.gold, pred, matcher=matcher))


@pytest.mark.parametrize("matcher", ["exact", "fair", "partial"])
@pytest.mark.parametrize("count", [20, 66])
def test_many_long_types_are_shown_whole(matcher, count):
    rng = random.Random(0)
    types = TYPES[:count]
    gold = [[f"B-{name}", f"I-{name}", "O"] for name in types for _ in range(3)]
    pred = [[tag if rng.random() < 0.7 else f"B-{rng.choice(types)}" for tag in tags] for tags in gold]
    assert_shown_whole(spanrs.score(gold, pred, scheme="BIO", matcher=matcher))


# The best numbers.


def ranked_table(**options):
    table = Table(["system", "F1", "FP"], **options)
    for row in (
        ("a", "60.00", "3"),
        ("b", "60.00", "5"),
        ("c", "-", "1"),
        ("d", "nan", "9"),
        ("e", "", "2"),
    ):
        table.add_row(*row)
    return table


def test_the_best_numbers_of_a_column_are_bold():
    table = ranked_table(ranked=["F1"])
    assert table.best_cells() == {(0, 1), (1, 1)}
    rows = table.markdown().splitlines()
    assert rows[0] == "| system | F1 | FP |"
    assert rows[2:4] == ["| a | **60.00** | 3 |", "| b | **60.00** | 5 |"]
    assert rows[4] == "| c | - | 1 |"
    assert table.latex().count("\\textbf") == 2
    assert "**" not in table.plain()
    assert ranked_table().best_cells() == set()


def test_the_best_numbers_of_a_row_are_bold():
    table = Table(["type", "a", "b", "c"], ranks_rows=True)
    for row in (
        ("PER", "9.50", "10.00", "-"),
        ("LOC", "-", "nan", ""),
        ("ORG", "7.00", "7.00", "7.00"),
        ("99", "-1.00", "-", "-2.00"),
    ):
        table.add_row(*row)
    assert table.best_cells() == {(0, 2), (2, 1), (2, 2), (2, 3), (3, 1)}
    assert "LOC & - & nan &  \\\\" in table.latex()
    assert "| PER | 9.50 | **10.00** | - |" in table.markdown()
