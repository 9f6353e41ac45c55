"""Lists of errors of files: equal to those of the same data in memory, with correct lines."""

from __future__ import annotations

import io
import json
import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs
from spanrs import tags
from spanrs.eval.error_lines import error_lines
from spanrs.eval.evidence import kind_of

TAGS = ["O", "O", "B-A", "I-A", "B-B", "I-B"]
MATCHERS = {
    "exact": "exact",
    "partial": "partial",
    "optimal": spanrs.Partial(matching="optimal"),
    "overlap": spanrs.Partial(min_overlap=0.5),
    "fair": "fair",
    "fair with types": spanrs.Fair(types=["A"]),
    "fair weights": spanrs.Fair(weights="LE = 1 FP", focus="pred"),
}


@st.composite
def corpora(draw):
    """Sentences of (token, gold tag, pred tag)."""
    tag = st.sampled_from(TAGS)
    row = st.tuples(st.sampled_from(["Rio", "loves", "été", "#", "["]), tag, tag)
    return draw(st.lists(st.lists(row, min_size=1, max_size=25), min_size=1, max_size=6))


def sides_of(corpus):
    return [[[row[at] for row in sentence] for sentence in corpus] for at in range(3)]


def files_of(corpus, blank=1):
    """Return column files of gold and pred; only pred has a document line."""
    texts = []
    for side in (1, 2):
        sentences = ("".join(f"{row[0]}\tx\t{row[side]}\n" for row in sentence) for sentence in corpus)
        texts.append(("-DOCSTART-\tx\tO\n\n" if side == 1 else "") + ("\n" * blank).join(sentences))
    return texts


def spans_of(sentence):
    return tags.tags_to_spans(sentence, "BIO", "conlleval")


@pytest.mark.parametrize("matcher", MATCHERS)
@settings(max_examples=40, deadline=None)
@given(corpus=corpora(), blank=st.integers(1, 3))
def test_errors_of_files_are_those_of_memory_with_lines(matcher, corpus, blank):
    words, gold, pred = sides_of(corpus)
    options = {"scheme": "BIO", "matcher": MATCHERS[matcher], "errors": True}
    in_memory = spanrs.score(gold, pred, tokens=words, **options)
    texts = files_of(corpus, blank)
    of_files = spanrs.score(*(io.BytesIO(text.encode()) for text in texts), **options)
    assert of_files.totals == in_memory.totals
    assert of_files.errors.numbers == in_memory.errors.numbers
    assert of_files.errors.criterion == in_memory.errors.criterion
    without_lines = [error._replace(line=None) for error in of_files.errors]
    assert Counter(without_lines) == Counter(in_memory.errors)
    assert [error.sentence for error in of_files.errors] == sorted(
        error.sentence for error in in_memory.errors
    )
    lines = texts[0].split("\n")
    for error in of_files.errors:
        at = (error.gold or error.pred).start
        sentence = corpus[error.sentence]
        assert lines[error.line - 1] == f"{sentence[at][0]}\tx\t{sentence[at][1]}"
        # Sentences may be equal; the lines before it are those of the sentence.
        first = error.line - 1 - at
        assert lines[first : first + len(sentence)] == [f"{row[0]}\tx\t{row[1]}" for row in sentence]
        assert lines[first - 1] == ""
        assert error.length == len(sentence)
        assert error.tokens == tuple(words[error.sentence][error.first : error.first + len(error.tokens)])
        ends = [span.end for span in (error.gold, error.pred) if span is not None]
        starts = [span.start for span in (error.gold, error.pred) if span is not None]
        assert error.first == max(min(starts) - 8, 0)
        assert error.first + len(error.tokens) == min(max(ends) + 8, len(sentence))


@pytest.mark.parametrize("pred_scheme", [None, "IOBES"])
def test_errors_of_long_files_are_those_of_memory(pred_scheme):
    # Runs of equal lines end at buffers of the reader, within and between sentences.
    rng = random.Random(7)
    tags_of = {None: ("B-A", "I-A"), "IOBES": ("S-A", "S-B")}[pred_scheme]
    corpus = []
    for _ in range(20_000):
        gold = [rng.choice(["O", "O", "O", "B-A"]) for _ in range(rng.randint(1, 20))]
        same = gold if pred_scheme is None else [tag.replace("B-", "S-") for tag in gold]
        pred = [rng.choice(tags_of) if rng.random() < 0.01 else tag for tag in same]
        corpus.append([(f"w{rng.randrange(10**6)}", *pair) for pair in zip(gold, pred, strict=True)])
    words, gold, pred = sides_of(corpus)
    options = {"scheme": "BIO", "pred_scheme": pred_scheme, "errors": True}
    in_memory = spanrs.score(gold, pred, tokens=words, **options)
    of_files = spanrs.score(*(io.BytesIO(text.encode()) for text in files_of(corpus, 1)), **options)
    assert of_files.totals == in_memory.totals
    assert Counter(error._replace(line=None) for error in of_files.errors) == Counter(in_memory.errors)


@settings(max_examples=60, deadline=None)
@given(corpora())
def test_exact_errors_are_the_differences_of_the_sets_of_spans(corpus):
    _, gold, pred = sides_of(corpus)
    result = spanrs.score(
        *(io.BytesIO(text.encode()) for text in files_of(corpus)), scheme="BIO", errors=True
    )
    missed, spurious = [], []
    for at, (values, item) in enumerate(zip(gold, pred, strict=True)):
        golds, preds = spans_of(values), spans_of(item)
        missed += [(at, span) for span in golds if span not in preds]
        spurious += [(at, span) for span in preds if span not in golds]
    golds = [(error.sentence, error.gold) for error in result.errors if error.gold is not None]
    preds = [(error.sentence, error.pred) for error in result.errors if error.pred is not None]
    # Each span is listed once, alone or as one of a pair of unequal types.
    assert sorted(golds) == sorted(missed)
    assert sorted(preds) == sorted(spurious)
    assert result.totals[1:] == (len(spurious), len(missed))
    for error in result.errors:
        if error.outcome == "mistyped":
            assert (error.gold.start, error.gold.end) == (error.pred.start, error.pred.end)
            assert error.gold.type != error.pred.type
    items = {
        (error.sentence, span[1:3])
        for error in result.errors
        if error.outcome == "missed"
        for span in [error.gold]
    }
    wrong = {
        (error.sentence, span[1:3])
        for error in result.errors
        if error.outcome == "spurious"
        for span in [error.pred]
    }
    assert not items & wrong


@pytest.mark.parametrize("matcher", MATCHERS)
@settings(max_examples=30, deadline=None)
@given(corpus=corpora())
def test_numbers_of_errors_add_up_to_the_counts(matcher, corpus):
    texts = files_of(corpus)
    result = spanrs.score(
        *(io.BytesIO(text.encode()) for text in texts), scheme="BIO", matcher=MATCHERS[matcher], errors=True
    )
    numbers = Counter(dict(result.errors.numbers))
    assert numbers == Counter(map(kind_of, result.errors))
    criterion = result[result.errors.criterion].criterion
    weights = dict(zip(criterion.outcomes, criterion.weights, strict=True))
    # A pair with different types is listed once, and its spans are also counted as missed and spurious.
    mapping = {"mistyped": (0, 1, 1)} if "missed" in weights else {}
    fp, fn = (sum(n * (weights | mapping)[kind[0]][at] for kind, n in numbers.items()) for at in (1, 2))
    assert (fp, fn) == pytest.approx(tuple(result.totals[1:]))


def larger(seed=1, sentences=60):
    rng = random.Random(seed)
    return [
        [("w", rng.choice(TAGS), rng.choice(TAGS)) for _ in range(rng.randint(1, 9))]
        for _ in range(sentences)
    ]


@pytest.mark.parametrize("most", [0, 1, 2, 5])
@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_so_many_errors_of_each_kind_are_kept(matcher, most):
    corpus = larger()
    words, gold, pred = sides_of(corpus)

    def of_files(errors):
        files = (io.BytesIO(text.encode()) for text in files_of(corpus))
        return spanrs.score(*files, scheme="BIO", matcher=matcher, errors=errors)

    everything = of_files(True).errors
    if most == 0:
        # None are kept, but all are counted.
        assert list(of_files(0).errors or []) == []
        return
    kept = of_files(most).errors
    seen, expected = Counter(), []
    for error in everything:
        seen[kind_of(error)] += 1
        if seen[kind_of(error)] <= most:
            expected.append(error)
    assert kept.errors == expected
    assert kept.numbers == everything.numbers
    assert not kept.is_complete
    assert everything.is_complete
    in_memory = spanrs.score(gold, pred, scheme="BIO", matcher=matcher, errors=most, tokens=words).errors
    assert in_memory.numbers == kept.numbers
    assert [error._replace(line=None) for error in kept] == in_memory.errors


@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_errors_are_the_same_with_details(matcher):
    words, gold, pred = sides_of(larger())
    options = {"scheme": "BIO", "matcher": matcher, "errors": 2, "tokens": words}
    sides = spanrs.score(gold, pred, details=True, **options)
    alone = spanrs.score(gold, pred, **options)
    assert sides.errors == alone.errors
    assert sides.details
    assert alone.details is None


def test_errors_beyond_the_limit_are_counted_and_not_kept():
    _, gold, pred = sides_of(larger())
    result = spanrs.score(gold, pred, scheme="BIO", errors=1).errors
    assert len(result) == len(result.numbers)
    assert sum(result.numbers.values()) > 20 * len(result)


@pytest.mark.parametrize("kind", [str, object])
def test_errors_of_arrays_of_strings_are_those_of_lists(kind):
    _, gold, pred = sides_of(larger())
    expected = spanrs.score(gold, pred, scheme="BIO", errors=True).errors
    rows = [[np.array(sentence, kind) for sentence in side] for side in (gold, pred)]
    assert spanrs.score(*rows, scheme="BIO", errors=True).errors == expected
    generators = [map(iter, side) for side in rows]
    assert spanrs.score(*generators, scheme="BIO", errors=True).errors == expected
    rectangles = [np.array([["B-A", "O"], ["O", last]], kind) for last in ("B-B", "O")]
    result = spanrs.score(*rectangles, scheme="BIO", errors=True).errors
    assert [(error.outcome, error.sentence) for error in result] == [("missed", 1)]
    ids, names = np.array([[0, 1], [1, 0]]), ["O", "B-A"]
    assert (
        spanrs.score(ids, 0 * ids, scheme="BIO", vocabulary=names, errors=True).errors[0].outcome
        == "missed"
    )


def test_json_lines_have_the_most_frequent_kinds_first():
    corpus = larger()
    files = [io.BytesIO(text.encode()) for text in files_of(corpus)]
    errors = spanrs.score(*files, scheme="BIO", errors=True).errors
    rows = [json.loads(line) for line in errors.to_jsonl().splitlines()]
    assert len(rows) == len(errors)
    frequencies = [row["frequency"] for row in rows]
    assert frequencies == sorted(frequencies, reverse=True)
    kinds = Counter(
        (row["kind"], *((row[side] or {}).get("type") for side in ("gold", "pred"))) for row in rows
    )
    assert kinds == Counter(dict(errors.numbers))
    assert all(
        kinds[row["kind"], *((row[side] or {}).get("type") for side in ("gold", "pred"))]
        == row["frequency"]
        for row in rows
    )
    assert [json.loads(line) for line in errors.to_jsonl(5).splitlines()] == rows[:5]
    assert set(rows[0]) == {
        "kind", "frequency", "path", "sentence", "line", "gold", "pred", "first", "length", "tokens"
    }  # fmt: skip


def test_lines_of_text_mark_both_spans():
    sides = b"Rio B-A B-A\nde I-A O\nJaneiro I-A O\nis O O\n\nGo O B-B\n"
    errors = spanrs.score(io.BytesIO(sides), scheme="BIO", matcher="fair", errors=True).errors
    text = "\n".join(error_lines(errors, "gold.conll"))
    assert "gold.conll:1: [{Rio} de Janeiro] is" in text
    assert "gold.conll:6: {Go}" in text


def test_errors_follow_renamed_types():
    corpus = larger()
    words, gold, pred = sides_of(corpus)
    options = {"scheme": "BIO", "errors": True, "tokens": words}
    result = spanrs.score(gold, pred, **options)
    for types in ({"A": "C"}, {"A": None}, {"A": "B"}, ["A"]):
        second = result.with_types(types)
        items = second.errors
        assert Counter(map(kind_of, items)) == Counter(dict(items.numbers))
        missed = sum(error.gold is not None for error in items)
        spurious = sum(error.pred is not None for error in items)
        assert second.totals[1:] == (spurious, missed), types


def test_errors_of_merged_results_have_their_sentences():
    corpus = larger()
    words, gold, pred = sides_of(corpus)
    whole = spanrs.score(gold, pred, scheme="BIO", errors=True, tokens=words)
    parts = [
        spanrs.score(*(side[a:b] for side in (gold, pred)), scheme="BIO", errors=True, tokens=words[a:b])
        for a, b in ((0, 13), (13, 14), (14, 60))
    ]
    merged = parts[0].merge(*parts[1:])
    assert list(merged.errors) == list(whole.errors)
    assert merged.errors.numbers == whole.errors.numbers
    # Without a list the total is unknown.
    assert parts[0].merge(spanrs.score(gold[:1], pred[:1], scheme="BIO")).errors is None


def test_errors_of_two_schemes_and_of_layers():
    gold, pred = "a B-A\nb I-A\n\nc O\n", "a B-A\nb L-A\n\nc U-A\n"
    files = [io.BytesIO(text.encode()) for text in (gold, pred)]
    result = spanrs.score(*files, scheme="BIO", pred_scheme="BILOU", errors=True).errors
    assert [(error.outcome, error.line, error.pred) for error in result] == [
        ("spurious", 4, tags.Span("A", 0, 1, None))
    ]
    layered = [b"a B-A O\nb O B-B\n", b"a O O\nb O B-C\n"]
    result = spanrs.score(*map(io.BytesIO, layered), scheme="BIO", tags=(1, 2), errors=True)
    assert sorted((error.outcome, error.line) for error in result.errors) == [
        ("missed", 1),
        ("mistyped", 2),
    ]
    assert result.totals == (0, 1, 2)


@pytest.mark.parametrize("errors", [-1, -100])
def test_a_negative_number_is_refused(errors):
    with pytest.raises(ValueError, match="errors must be True, False or a number of at least 0"):
        spanrs.score([["B-A"]], [["O"]], errors=errors)


def test_csv_of_several_systems_has_the_rows_of_each():
    from spanrs.eval.tables import systems_csv

    gold = [["B-A", "O", "B-B"]]
    results = {"=a": spanrs.score(gold, gold), "b": spanrs.score(gold, [["B-A", "O", "O"]])}
    head, *rows = systems_csv(results).splitlines()
    mapping = {name: result.to_csv().splitlines() for name, result in results.items()}
    assert head == f"system,{mapping['b'][0]}"
    assert rows == [f"'=a,{row}" for row in mapping["=a"][1:]] + [f"b,{row}" for row in mapping["b"][1:]]


def test_errors_of_files_are_a_sequence_like_a_list():
    text = b"".join(b"w%d B-A %s\n\n" % (at, b"O" if at % 2 else b"B-B") for at in range(20))
    result = spanrs.score(io.BytesIO(text), errors=True)
    errors = result.errors.errors
    items = list(errors)
    assert len(errors) == len(items) == 20
    assert (errors[3], errors[-1], errors[2:9:3]) == (items[3], items[-1], items[2:9:3])
    assert errors == items
    assert items == errors
    assert errors != items[:-1]
    assert repr(errors) == repr(items)
    with pytest.raises(IndexError):
        errors[20]
    again = pickle.loads(pickle.dumps(result)).errors
    assert again == result.errors
    places = result.errors.gold_places()
    assert places.tolist() == [at << 32 for at in range(20)] == again.gold_places().tolist()
