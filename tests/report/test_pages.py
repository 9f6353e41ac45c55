"""Reports of results, comparisons, span files and trees: sections and their content."""

from __future__ import annotations

import gzip
import io
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import spanrs
from page_content import examples, headings, kinds, legend
from spanrs.cli.group import group
from spanrs.cli.output import render_parts
from spanrs.cli.run import run
from spanrs.dep import Dep, Parse, evaluate
from spanrs.dep.page import error_section, tree_page
from spanrs.eval import Fair, comparison_page
from spanrs.eval import error_section as eval_errors
from spanrs.report.table import Table

ROOT = Path(__file__).parent.parent.parent
GOLD = [["B-PER", "O", "B-LOC"], ["B-ORG", "O", "I-LOC"], ["B-PER", "I-PER", "O"], ["O", "O", "O"]]
PRED = [["B-PER", "O", "B-ORG"], ["O", "O", "I-LOC"], ["B-PER", "O", "O"], ["O", "B-LOC", "O"]]
TOKENS = [[f"w{at}{word}" for word in "abc"] for at in range(4)]


def by_sentence(pred=PRED, **options):
    result = spanrs.score(GOLD, pred, scheme="BIO", by=[1] * 4, errors=True, tokens=TOKENS, **options)
    return replace(result, by_sentence=True)


def test_the_report_of_a_result_has_all_sections():
    html = by_sentence().to_html(title="T")
    expected = ["Summary", "Types", "F1 of types", "Confusion", "Errors", "Violations and warnings"]
    assert headings(html) == expected
    assert "bootstrap resamples of 4 sentences" in html
    assert html.count('class="whisker"') == 3
    assert "95 %: " in html
    assert kinds(html) == {"missed": 2, "spurious": 2, "mistyped": 1}
    assert legend(html) == {"missed": "2", "spurious": "2", "mistyped": "1"}
    assert "w0a" in examples(html)[0]["strings"]


def test_sections_without_content_are_left_out():
    html = spanrs.score([["B-A"]], [["B-A"]], scheme="BIO").to_html()
    assert headings(html) == ["Summary", "Types", "F1 of types", "Confusion"]
    assert "No intervals: resampling needs counts" in html
    assert 'class="whisker"' not in html
    assert examples(html) == []


def test_errors_without_tokens_show_numbers_from_1():
    html = spanrs.score([["O", "B-A"]], [["O", "O"]], scheme="BIO", errors=True).to_html()
    [data] = examples(html)
    assert "[2]" in data["strings"]
    assert "Tokens are not known." in html


def test_the_report_says_how_many_errors_it_leaves_out():
    gold = [["B-A"]] * 9
    html = spanrs.score(gold, [["O"]] * 9, scheme="BIO", errors=2).to_html()
    assert "2 of 9 errors are shown, the first of each kind." in html


def test_the_numbers_of_kinds_are_those_of_all_errors(monkeypatch):
    monkeypatch.setattr(eval_errors, "MOST_ERRORS", 10)
    gold, pred = [["B-A", "O", "B-B"]] * 9, [["O", "B-A", "B-C"]] * 7 + [["O", "O", "O"]] * 2
    result = spanrs.score(gold, pred, scheme="BIO", errors=True)
    html = result.to_html()
    # The limit is shared by kinds: missed 9 A and 2 B, mistyped 7, spurious 7.
    assert kinds(html) == {"missed": 5, "mistyped": 2, "spurious": 3}
    assert legend(html) == {"missed": "11", "mistyped": "7", "spurious": "7"}
    assert '<th scope="col">shown</th>' in html
    assert "10 of 25 errors are shown, the first of each kind." in html


def test_the_page_of_a_comparison_lists_as_many_changes_of_each_kind(monkeypatch):
    monkeypatch.setattr(comparison_page, "MOST_ERRORS", 8)
    gold = [["B-A", "B-A", "O"]] * 20
    systems = {"a": [["B-A", "O", "B-B"]] * 20, "b": [["O", "B-A", "O"]] * 20}
    results = {
        name: spanrs.score(gold, pred, scheme="BIO", by=[1] * 20, errors=True)
        for name, pred in systems.items()
    }
    html = spanrs.compare(results, samples=20).to_html()
    assert kinds(html) == {"fixed": 2, "broken": 3, "removed": 3}
    assert legend(html) == {"fixed": "20", "broken": "20", "removed": "20", "added": "0"}
    assert "8 of 60 changes are shown, the first of each kind." in html


def test_the_summary_says_of_which_criterion_it_is():
    cards = re.compile("<dt>([^<]*)</dt><dd>([^<]*)</dd>")
    result = by_sentence(matcher=Fair())
    shown = dict(cards.findall(result.to_html()))
    assert shown["Fair F1"] == f"{100 * result['fair'].micro.f1:.2f}"
    assert shown["Fair precision"] == f"{100 * result['fair'].micro.precision:.2f}"
    assert "F1" not in shown
    assert "Fair F1 of types" in headings(result.to_html())
    assert dict(cards.findall(by_sentence().to_html()))["F1"] == "40.00"


def test_a_comparison_shows_what_each_system_alone_finds():
    second = [["B-PER", "O", "B-LOC"], ["O", "O", "I-LOC"], ["O", "O", "O"], ["O", "O", "O"]]
    systems = {"b{a}": by_sentence(), "a": by_sentence(second)}
    html = spanrs.compare(systems, samples=100).to_html(title="T")
    assert headings(html) == [
        "Summary",
        "Differences of all pairs",
        "From b{a} to a",
        "F1",
        "Differences and tests",
        "F1 of types",
        "Differences by type",
    ]
    assert kinds(html) == {"fixed": 1, "removed": 3}
    assert "gold span found only by a" in html
    assert "wrong span only in b{a}" in html
    # The filters have the order of the systems, regardless of occurrence.
    data = examples(html)[0]
    assert [data["strings"][side] for side in data["sides"]] == ["gold", "b{a}", "a"]


def test_a_comparison_without_errors_has_no_examples():
    systems = {name: replace(by_sentence(), errors=None) for name in "ab"}
    html = spanrs.compare(systems, samples=100).to_html()
    assert examples(html) == []
    assert "the results have no complete lists of errors" in html
    html = spanrs.compare({name: by_sentence() for name in "ab"}, samples=100).to_html()
    assert "The systems have the same errors." in html


def test_the_legend_has_the_numbers_of_outcomes():
    gold, pred = [["B-A", "I-A", "O", "B-B"]] * 3, [["B-A", "O", "O", "O"]] * 3
    result = spanrs.score(gold, pred, scheme="BIO", errors=True)
    html = result.to_html()
    assert legend(html) == {"missed": "6", "spurious": "3"}
    assert len(examples(html)[0]["examples"]) == 6
    assert "Overlapping spans are one entry" in html
    assert '<th scope="col">shown</th>' not in html


# Trees.


def parse(heads, labels, words=None):
    return Parse(words or [f"w{at}" for at in range(len(heads))], heads, labels)


GOLD_TREES = [
    parse([2, 0, 2, 3], ["nsubj", "root", "obj", "nmod:poss"]),
    parse([2, 0], ["det", "root"]),
    parse([0, 1, 1], ["root", "obj", "punct"]),
]
PRED_TREES = [
    parse([3, 0, 2, 3], ["nsubj", "root", "obl", "nmod"]),
    parse([2, 0], ["det", "root"]),
    parse([0, 1, 2], ["root", "obj", "dep"]),
]


def test_kinds_of_wrong_words_add_up_to_the_counts():
    result = evaluate(GOLD_TREES, PRED_TREES, by="sentence")
    actual = Counter(error.kind for error in error_section(GOLD_TREES, PRED_TREES).examples)
    assert actual == {"head": 1, "label": 1, "both": 1}
    assert actual["label"] == result["las"].outcomes["mislabelled"]
    assert actual["head"] + actual["both"] == result["uas"].totals.fn
    assert sum(actual.values()) == result["las"].totals.fn
    with_subtypes = error_section(GOLD_TREES, PRED_TREES, subtypes=True).examples
    assert len(with_subtypes) == evaluate(GOLD_TREES, PRED_TREES, Dep(subtypes=True)).totals.fn == 4


def test_a_wrong_word_is_marked_with_labels_and_heads():
    sides = error_section(GOLD_TREES, PRED_TREES).examples[-1]
    assert [(m.side, m.type, m.note, m.start, m.end) for m in sides.marks] == [
        ("gold", "punct", "← w0", 2, 3),
        ("pred", "dep", "← w1", 2, 3),
    ]
    wrong_root = error_section([parse([0, 1], ["root", "obj"])], [parse([2, 0], ["obj", "root"])])
    assert wrong_root.examples[0].marks[0].note == "← (root)"


def test_long_sentences_are_cut_around_the_word():
    n = 60
    gold = parse([0, *[1] * (n - 1)], ["root", *["dep"] * (n - 1)])
    pred = parse([0, *[1] * 29, 3, *[1] * (n - 31)], gold.labels)
    [error] = error_section([gold], [pred]).examples
    assert (error.first, len(error.tokens), error.sentence_tokens) == (18, 25, n)


def test_sentences_with_other_words_are_left_out_with_a_note():
    gold = [parse([0, 1], ["root", "obj"], ["ab", "c"]), GOLD_TREES[0]]
    pred = [parse([0, 1], ["root", "obj"], ["a", "bc"]), PRED_TREES[0]]
    section = error_section(gold, pred)
    assert {error.sentence for error in section.examples} == {1}
    assert "1 sentence whose words differ" in section.note
    assert "2 sentences whose words differ" in error_section(gold, pred[:1]).note


def test_only_the_first_wrong_words_are_kept():
    section = error_section(GOLD_TREES * 10, PRED_TREES * 10, most=7)
    assert len(section.examples) == 7
    assert "The first 7 of 30 errors." in section.note
    assert sum(section.numbers.values()) == 30
    # The limit is shared by kinds.
    assert set(section.numbers) == {error.kind for error in section.examples}


def test_the_report_of_trees_has_all_sections():
    result = evaluate(GOLD_TREES, PRED_TREES, by="sentence")
    html = tree_page(result, GOLD_TREES, PRED_TREES, title="T")
    assert headings(html) == [
        "Summary",
        "Measures",
        "LAS by label",
        "LAS of labels",
        "Confusion of labels",
        "Errors",
    ]
    assert "bootstrap resamples of 3 sentences" in html
    assert kinds(html) == {"head": 1, "label": 1, "both": 1}
    assert "pred has no UPOS" not in html
    assert "<dt>UPOS</dt>" not in html  # Not annotated.


def test_the_report_of_trees_without_labels_or_trees():
    gold, pred = ([Parse(item.words, item.heads) for item in side] for side in (GOLD_TREES, PRED_TREES))
    html = tree_page(evaluate(GOLD_TREES, pred))
    assert headings(html) == ["Summary", "Measures", "Errors"]
    assert "The trees of both sides are needed" in html
    assert "95 %: " not in html
    assert kinds(tree_page(evaluate(gold, pred), gold, pred)) == {"head": 2}


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_files_of_trees_give_the_same_errors(tmp_path, compress):
    paths = []
    for name, trees in (("gold", GOLD_TREES), ("pred", PRED_TREES)):
        text = "".join(f"# sent_id = {at}\n{item.to_conllu()}" for at, item in enumerate(trees))
        # A multiword token and an empty node are not words.
        text = text.replace("1\tw0", "1-2\tw0w1" + "\t_" * 8 + "\n1\tw0", 1)
        text = text.replace("2\tw1", "1.1\tx" + "\t_" * 8 + "\n2\tw1", 1)
        paths.append(tmp_path / name)
        paths[-1].write_bytes(compress(text.encode()))
    actual, expected = error_section(*paths).examples, error_section(GOLD_TREES, PRED_TREES).examples
    assert [replace(item, line=None) for item in actual] == expected
    assert actual[0].line == 3
    streams = [io.BytesIO(path.read_bytes()) for path in paths]
    assert error_section(*streams).examples == actual


def test_four_columns_are_read(tmp_path):
    for name, head in (("gold", 1), ("pred", 3)):
        (tmp_path / name).write_text(
            f"They PRP 2 nsubj\nate VBD 0 root\nit PRP {head} obj\n\n".replace("3 obj", "2 obj")
        )
    section = error_section(tmp_path / "gold", tmp_path / "pred")
    assert [error.kind for error in section.examples] == ["head"]


# Files of spans.

SPANS = "PER\t1\t2\t1, 2\nLOC\t5\t5\t5\n\nORG\t3\t6\t\n\nEMPTY\t999\t999\t999\n"
OTHER = "PER\t1\t1\t1\nLOC\t5\t5\t5\n\nORG\t3\t6\t3, 6\n\nPER\t2\t2\t2\n"


def random_stack(rng, n):
    """Stacked tags of a sentence."""
    tags, stack = [], []
    for _ in range(n):
        if rng.random() < 0.3:
            tags.append(rng.choice("O_"))
            stack = []
            continue
        kept = stack[: rng.randint(0, len(stack))]
        new = rng.choices("ABC", k=rng.randint(0 if kept else 1, 2))
        stack = kept + new
        tags.append("|".join([*(f"I-{name}" for name in kept), *(f"B-{name}" for name in new)]))
    return tags


def random_side(rng, sentences, form):
    lines = []
    for pos in sentences:
        if form == "stacked":
            tags = random_stack(rng, len(pos))
            lines += [f"w{at} {item} {tag}\n" for at, (item, tag) in enumerate(zip(pos, tags, strict=True))]
        else:
            spans = []
            for _ in range(rng.randint(0, 3)):
                first = rng.randint(1, len(pos))
                last = rng.randint(first, len(pos))
                tokens = sorted({first, last, *rng.sample(range(first, last + 1), (last - first) // 2)})
                items = rng.choice(["", ", ".join(map(str, tokens))])
                spans.append(f"{rng.choice('ABC')}\t{first}\t{last}\t{items}\n")
            lines += spans or ["EMPTY\t999\t999\t999\n"]
        lines.append("\n")
    return "".join(lines)


@pytest.mark.filterwarnings("ignore::spanrs.SpanrsWarning")
@pytest.mark.parametrize("seed", range(100))
def test_errors_of_span_files_are_those_that_were_counted(seed):
    rng = random.Random(seed)
    sentences = [
        rng.choices(["ART", "NN", "$.", "PUNCT"], k=rng.randint(1, 8)) for _ in range(rng.randint(1, 5))
    ]
    formats = rng.choices(["spans", "stacked"], k=2)
    texts = [random_side(rng, sentences, kind) for kind in formats]
    matcher = rng.choice(["exact", "partial", Fair(), Fair(focus="pred"), Fair(types=["A", "B"])])
    compress = rng.choice([bytes, gzip.compress])
    stacked: dict[str, int] = {"punct_column": 1} if rng.random() < 0.7 else {}
    sides = [
        spanrs.read(
            io.BytesIO(compress(text.encode())), format=kind, **(stacked if kind == "stacked" else {})
        )
        for text, kind in zip(texts, formats, strict=True)
    ]
    result = spanrs.score(*sides, matcher=matcher, errors=True)
    assert result.notes == []
    names = result[result.matcher.criterion].wrong_outcomes
    wrong = {name: n for name, n in result.outcomes.items() if n and name in names}
    errors = Counter(error.outcome for error in result.errors)
    if matcher != "exact":
        assert errors == wrong
    else:
        # A span of another type is missed and spurious.
        assert 2 * errors["mistyped"] + errors["missed"] + errors["spurious"] == sum(wrong.values())
    for error in result.errors:
        text, span = (texts[0], error.gold) if error.gold is not None else (texts[1], error.pred)
        assert span.type in text.split("\n")[error.line - 1]


def test_errors_of_span_files_have_tokens_where_a_side_has_them():
    stacked = "Ann NE B-PER\nLee NE I-PER\nran V O\n. $. O\n\n"
    spans = "PER\t1\t1\t1\n\n"
    pred = spanrs.read(io.BytesIO(stacked.encode()), format="stacked", punct_column=1)
    result = spanrs.score(io.BytesIO(spans.encode()), pred, matcher="fair", errors=True)
    [error] = result.errors
    assert (error.outcome, error.line, error.tokens) == ("bel", 1, ("Ann", "Lee", "ran", "."))


def test_errors_of_several_files_have_their_names(tmp_path):
    for side, text in (("g", SPANS), ("p", OTHER)):
        (tmp_path / side).mkdir()
        for name in ("one", "two"):
            (tmp_path / side / name).write_text(text)
    result = spanrs.score(tmp_path / "g", tmp_path / "p", errors=True)
    per_file = Counter(error.path for error in result.errors)
    assert per_file == {"one": 5, "two": 5}
    assert {error.sentence for error in result.errors} == set(range(6))
    kept = spanrs.score(tmp_path / "g", tmp_path / "p", errors=1).errors
    assert len(kept) == len(kept.numbers)
    assert sum(kept.numbers.values()) == 10
    assert spanrs.score(tmp_path / "g", tmp_path / "p").errors is None


# Commands.


def page_of(tmp_path, *args):
    target = tmp_path / "page.html"
    assert run(group, [*map(str, args), "-o", str(target)]) == 0
    return target.read_text(encoding="utf-8")


def test_the_command_fair_lists_errors(tmp_path):
    (tmp_path / "gold").write_text(SPANS)
    (tmp_path / "pred").write_text(OTHER)
    html = page_of(tmp_path, "fair", tmp_path / "gold", tmp_path / "pred")
    assert kinds(html) == {"bes": 1, "fp": 2, "fn": 1}
    assert "No intervals" in html
    for side, text in (("g", SPANS), ("p", OTHER)):
        (tmp_path / side).mkdir()
        for name in ("one", "two"):
            (tmp_path / side / name).write_text(text)
    html = page_of(tmp_path, "fair", tmp_path / "g", tmp_path / "p")
    assert "bootstrap resamples of 2 documents" in html
    assert "Documents" in headings(html)


def test_the_command_dep_eval_lists_errors(tmp_path, capsys):
    for name, trees in (("gold", GOLD_TREES), ("pred", PRED_TREES)):
        (tmp_path / name).write_text("".join(item.to_conllu() for item in trees))
    html = page_of(tmp_path, "dep", "eval", tmp_path / "gold", tmp_path / "pred")
    assert kinds(html) == {"head": 1, "label": 1, "both": 1}
    assert "bootstrap resamples of 3 sentences" in html
    treebank, model = ROOT / "examples" / "dep" / "train.conllu", tmp_path / "model"
    args = ["dep", "train", treebank, "--epochs", "1", "--models", "1", "-q", "-o", model]
    assert run(group, list(map(str, args))) == 0
    html = page_of(tmp_path, "dep", "eval", treebank, model)
    args = ["dep", "parse", model, treebank, "-o", tmp_path / "parsed"]
    assert run(group, list(map(str, args))) == 0
    expected = Counter(error.kind for error in error_section(treebank, tmp_path / "parsed").examples)
    assert kinds(html) == expected
    assert "<dt>MLAS</dt>" not in html  # The model predicts no features.


def test_the_command_crf_eval_lists_errors(tmp_path, capsys):
    rows = ["Ann B-PER", "ran O", "", "Rome B-LOC", "ran O", "", "Kim O", "ran O", ""]
    (tmp_path / "train").write_text("\n".join(rows) + "\n")
    (tmp_path / "test").write_text(
        "\n".join(rows).replace("Kim O", "Kim B-PER").replace("B-LOC", "B-PER") + "\n"
    )
    model = tmp_path / "model"
    assert run(group, ["crf", "train", str(tmp_path / "train"), "-q", "-o", str(model)]) == 0
    html = page_of(tmp_path, "crf", "eval", model, tmp_path / "test")
    assert sum(kinds(html).values()) >= 1
    assert "Rome" in examples(html)[0]["strings"]
    assert "bootstrap resamples of 3 sentences" in html


def test_other_commands_make_pages_of_tables_and_lines():
    table = Table(["type", "F1"])
    table.add_row("PER", "50.00")
    html = render_parts(["3 sentences", "\n", table, "", "note: x", "signature a|b"], "html", "T")
    assert headings(html) == ["Type", "Notes"]
    assert '<p class="note">3 sentences</p>' in html
    assert "<li>note: x</li>" in html
    assert "<code>a|b</code>" in html
    assert 'class="sortable"' in html
