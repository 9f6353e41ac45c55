"""Fair evaluation in memory: comparison with the published algorithm, and its properties."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from collections import Counter
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fair_steps
import spanrs
from spanrs import _spanrs

TYPES = ("PER", "LOC", "ORG")
KINDS = ("tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo")


def outcomes(**counted):
    """All outcomes of a fair evaluation; those not given are 0."""
    return dict.fromkeys(KINDS, 0) | counted


def counts_of(steps, focus="target"):
    """Result of the published algorithm in the form of spanrs: overall, and by type."""
    fair, exact = steps["overall"]["fair"], steps["overall"]["traditional"]
    return (
        {name.lower(): fair[name] for name in fair},
        (exact["TP"], exact["FP"], exact["FN"]),
        {
            name: {kind.lower(): n for kind, n in row.items()}
            for name, row in steps["per_label"]["fair"].items()
        },
        {
            (t if t != "_" else None, s if s != "_" else None): n
            for t, row in steps["conf"].items()
            for s, n in row.items()
            if n
        },
    )


def by_steps(gold, pred, focus="target"):
    """The published algorithm on spans of spanrs, converted to tokens from 1 with inclusive ends."""
    total = Counter()
    exact = Counter()
    types: dict[str, Counter] = {}
    conf: Counter = Counter()
    for g, p in zip(gold, pred, strict=True):
        sides = [
            [
                [s[0], s[1] + 1, s[2], {t + 1 for t in (s[3] if len(s) > 3 else range(s[1], s[2]))}]
                for s in side
            ]
            for side in (g, p)
        ]
        overall, (tp, fp, fn), per_type, cells = counts_of(fair_steps.compare_spans(*sides, focus))
        total.update(overall)
        exact.update({"tp": tp, "fp": fp, "fn": fn})
        for name, row in per_type.items():
            types.setdefault(name, Counter()).update(row)
        conf.update(cells)
    return total, exact, types, conf


def ours(result):
    total = Counter(result.outcomes)
    assert list(result.outcomes) == list(KINDS)
    exact = Counter(result["traditional"].totals._asdict())
    types = {name: Counter(row) for name, row in result["fair"].per_type.outcomes.items()}
    conf = Counter(
        {(g, p): n for g, row in result.confusion.items() for p, n in row.items() if n},
    )
    return total, exact, types, conf


@cache
def places(width):
    """A strategy for (type, start, end): one choice instead of three, because drawing takes most of the time."""
    ends = [(start, end) for start in range(width) for end in range(start + 1, width + 1)]
    return st.sampled_from([(kind, *bounds) for bounds in ends for kind in TYPES])


@cache
def holes(length):
    """A strategy for the tokens of a span with holes, as bits, or None."""
    return st.none() | st.integers(1, 2**length - 1)


def bits(number, start=0):
    return {start + at for at in range(number.bit_length()) if number >> at & 1}


@st.composite
def any_spans(draw, width=10, most=7):
    """Spans that may be nested, overlapping, discontinuous and duplicated."""
    spans = []
    for kind, start, end in draw(st.lists(places(width), max_size=most)):
        chosen = draw(holes(end - start))
        tokens = None if chosen is None else bits(chosen, start)
        whole = tokens is None or len(tokens) == end - start
        spans.append((kind, start, end) if whole else (kind, start, end, tokens))
    if spans and draw(st.booleans()):
        spans.append(draw(st.sampled_from(spans)))
    return spans


@st.composite
def flat_spans(draw, width=14):
    """Spans in reading order, none of which overlaps another."""
    bounds = sorted(bits(draw(st.integers(0, 2 ** (width + 1) - 1))))[:8]
    pairs = list(zip(bounds[::2], bounds[1::2], strict=False))
    kinds = draw(st.lists(st.sampled_from(TYPES), min_size=len(pairs), max_size=len(pairs)))
    return [(kind, *pair) for kind, pair in zip(kinds, pairs, strict=True)]


documents = st.lists(st.tuples(any_spans(), any_spans()), max_size=4)
flat_documents = st.lists(st.tuples(flat_spans(), flat_spans()), max_size=4)


@given(documents, st.sampled_from([("gold", "target"), ("pred", "system")]))
@settings(max_examples=400)
def test_spans_are_counted_as_the_steps_count_them(sentences, focus):
    gold, pred = [g for g, _ in sentences], [p for _, p in sentences]
    result = spanrs.score(gold, pred, matcher=spanrs.Fair(focus=focus[0]))
    assert ours(result) == by_steps(gold, pred, focus[1])


TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


@given(st.lists(st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), max_size=9), max_size=5))
@settings(max_examples=300)
def test_tags_ids_columns_and_spans_count_the_same(sentences):
    gold, pred = ([[pair[side] for pair in s] for s in sentences] for side in (0, 1))
    result = spanrs.score(gold, pred, matcher="fair", scheme="BIO")
    spans = (
        [[tuple(span)[:3] for span in s] for s in spanrs.tags.tags_to_spans(gold, "BIO")] if gold else []
    )
    preds = (
        [[tuple(span)[:3] for span in s] for s in spanrs.tags.tags_to_spans(pred, "BIO")] if pred else []
    )
    assert ours(result) == ours(spanrs.score(spans, preds, matcher="fair")) == by_steps(spans, preds)
    ids = [np.array([TAGS.index(tag) for s in side for tag in s], dtype=np.int64) for side in (gold, pred)]
    flat = {"vocabulary": TAGS, "lengths": [len(s) for s in gold]}
    for threads in (1, 2):
        assert ours(spanrs.score(*ids, matcher="fair", scheme="BIO", threads=threads, **flat)) == ours(
            result
        )


def noisy(rng, tags, sentences, change):
    """Tags as predicted by a system, some of them malformed."""
    gold = [[rng.choice(tags) for _ in range(rng.randrange(40))] for _ in range(sentences)]
    pred = [[rng.choice(tags) if rng.random() < change else tag for tag in row] for row in gold]
    return gold, pred


@pytest.mark.parametrize(
    ("scheme", "reading"),
    [
        (scheme, reading)
        for scheme in ("BIO", "IOB", "IOE2", "IOBES", "BILOU", "BMES")
        for reading in ("conlleval", "strict", "discard", "ncrfpp")
        # That one needs prefixes that begin a span.
        if reading != "ncrfpp" or scheme not in ("IOB", "IOE2")
    ],
)
def test_every_scheme_and_reading_counts_what_its_spans_count(scheme, reading):
    prefixes = {s.name: s.prefixes for s in spanrs.tags.schemes()}[scheme]
    tags = ["O", *(f"{prefix}-{kind}" for prefix in prefixes if prefix != "O" for kind in "AB")]
    gold, pred = noisy(random.Random(7), tags, 300, 0.2)
    result = spanrs.score(gold, pred, matcher="fair", scheme=scheme, reading=reading)
    spans = [
        [[tuple(span)[:3] for span in row] for row in spanrs.tags.tags_to_spans(side, scheme, reading)]
        for side in (gold, pred)
    ]
    assert ours(result) == by_steps(*spans)


def test_threads_documents_and_many_tags_count_the_same():
    rng = random.Random(3)
    # More tags than a block takes, and enough tokens for several threads.
    for types in (3, 80):
        tags = ["O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in range(types))]
        gold, pred = noisy(rng, tags, 2000, 0.1)
        ids = [np.array([tags.index(tag) for row in side for tag in row]) for side in (gold, pred)]
        flat = {"vocabulary": tags, "lengths": [len(row) for row in gold]}
        results = [
            spanrs.score(*ids, matcher="fair", scheme="BIO", threads=threads, **flat)
            for threads in (1, 2, 3)
        ]
        results.append(spanrs.score(gold, pred, matcher="fair", scheme="BIO"))
        results.append(spanrs.score(gold, pred, scheme="BIO", matcher="fair", by=[500] * 4))
        spans = [
            [[tuple(s)[:3] for s in row] for row in spanrs.tags.tags_to_spans(side, "BIO")]
            for side in (gold, pred)
        ]
        expected = by_steps(*spans)
        assert all(ours(result) == expected for result in results)
        rows = [row.outcomes for row in results[-1].documents]
        assert len(rows) == 4
        assert {kind: sum(row[kind] for row in rows) for kind in KINDS} == results[-1].outcomes


def test_errors_are_kept_whatever_the_input_is_made_of():
    spans = [[("A", 0, 2)], [("B", 0, 1)]], [[("A", 0, 1)], [("C", 0, 1)]]
    tags = [["B-A", "I-A"], ["B-B"]], [["B-A", "O"], ["B-C"]]
    names = ["O", "B-A", "I-A", "B-B", "B-C"]
    ids = [[names.index(tag) for row in side for tag in row] for side in tags]
    kinds = [("bes", 0), ("le", 1)]
    for sides, options in (
        (spans, {}),
        (tags, {}),
        ([iter([iter(row) for row in side]) for side in tags], {}),
        ([iter([iter(row) for row in side]) for side in spans], {}),
        (ids, {"vocabulary": iter(names), "lengths": iter([2, 1])}),
    ):
        errors = spanrs.score(*sides, matcher="fair", scheme="BIO", errors=True, **options).errors
        assert [(error.outcome, error.sentence) for error in errors] == kinds


def test_spans_of_a_result_with_errors_keep_their_tokens():
    result = spanrs.score([[("A", 0, 5, [4, 0])]], [[("A", 0, 6)]], matcher="fair", details=True)
    assert result.details["fair"][0].gold.tokens == (0, 4)
    assert json.loads(result.to_json())["details"]["fair"][0]["gold"] == {
        "type": "A",
        "start": 0,
        "end": 5,
        "tokens": [0, 4],
    }


def test_equal_bounds_of_many_spans_of_two_types_take_no_long_time():
    n = 200_000  # A quadratic algorithm would exceed the time limit.
    gold = [[("B", 0, 2)] * n + [("A", 0, 2)] * n]
    pred = [[("B", 0, 2, [0])] * n]
    counts = spanrs.score(gold, pred, matcher="fair").outcomes
    assert (counts["le"], counts["fn"]) == (n, n)


def test_long_work_in_one_sentence_can_be_interrupted():
    code = """
import signal, spanrs
# Modules are loaded by the first call, and not all of them may be interrupted.
spanrs.score([[("A", 0, 1)]], [[("A", 0, 1)]], matcher="fair")
# To its end this takes far longer than a test may.
spans = [[("A", 0, 5)] * 500_000]
other = [[("A", 1, 6)] * 500_000]
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    spanrs.score(spans, other, matcher="fair")
except KeyboardInterrupt:
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "stopped\n"


def test_span_lists_go_through_pickles_with_their_tokens():
    lists = _spanrs.span_lists_of_tuples(
        [[("A", 0, 5, [0, 4]), ("B", 1, 2)], []], [[("A", 0, 5)], []], True
    )
    copies = pickle.loads(pickle.dumps(lists))
    how = ({"name": "fair"}, {}, 0)
    details = _spanrs.span_details(*lists, *how)
    spans = [span for detail in details for span in (detail.gold, detail.pred) if span is not None]
    assert {span.tokens for span in spans if span.tokens} == {(0, 4)}
    assert _spanrs.span_details(*copies, *how) == details
    assert copies[0].sentences() == lists[0].sentences()


def test_signatures_tell_weights_apart_that_differ_in_the_last_digit():
    first, second = (
        spanrs.score([], [], matcher=spanrs.Fair(weights=f"LE = {w} FP")) for w in (0.33333331, 0.33333339)
    )
    with pytest.raises(spanrs.errors.SchemeError):
        first.merge(second)


def test_scorers_can_be_derived_and_a_fair_one_is_fair():
    class Mine(spanrs.Scorer):
        pass

    assert isinstance(Mine().result(), spanrs.Result)
    assert Mine().result().matcher.name == "exact"
    for matcher in ("fair", spanrs.Fair()):
        scorer = Mine(matcher=matcher)
        assert isinstance(scorer.result(), spanrs.Result)
        assert scorer.matcher == scorer.result().matcher == spanrs.Fair()
        assert scorer.result().signature.startswith("matcher:fair|")
    with pytest.raises(
        TypeError, match=r"matcher must be a name or an object such as spanrs\.Fair\(\), not type"
    ):
        spanrs.Scorer(matcher=spanrs.Fair)


def test_arrow_columns_count_the_same():
    gold, pred = [["B-PER", "I-PER", "O"], ["B-LOC"]], [["B-PER", "O", "O"], ["B-ORG"]]
    result = spanrs.score(pa.array(gold), pa.array(pred), matcher="fair")
    assert ours(result) == ours(spanrs.score(gold, pred, matcher="fair"))


@given(documents)
@settings(max_examples=300)
def test_every_span_is_decided_once(sentences):
    """Invariant of the counts.

    A gold span is a TP, in an LE, in a BE or an LBE, or an FN, and a pred span likewise with FP. A pair is one BE or
    LBE; a span that joins a pair adds one more, with a partner that is already matched. So the number of near misses is
    the number of gold spans matched in them plus the number of joining pred spans, or vice versa.
    """
    gold, pred = [g for g, _ in sentences], [p for _, p in sentences]
    counts = spanrs.score(gold, pred, matcher="fair").outcomes
    golds, preds = sum(map(len, gold)), sum(map(len, pred))
    near = counts["be"] + counts["lbe"]
    near_gold, near_pred = (
        golds - counts["tp"] - counts["le"] - counts["fn"],
        preds - counts["tp"] - counts["le"] - counts["fp"],
    )
    assert max(near_gold, near_pred) <= near <= near_gold + near_pred
    assert counts["be"] == counts["bes"] + counts["bel"] + counts["beo"]
    # The single outcomes: spans are identified by their position in the input.
    errors = spanrs.score(gold, pred, matcher="fair", errors=True).errors
    for sentence, (g, p) in enumerate(sentences):
        if any(len({(*s[:3], frozenset(s[3:] and s[3])) for s in side}) < len(side) for side in (g, p)):
            continue
        seen_gold, seen_pred = set(), set()
        for error in errors:
            if error.sentence != sentence:
                continue
            new = (error.gold is not None and error.gold not in seen_gold) + (
                error.pred is not None and error.pred not in seen_pred
            )
            assert new == 1 if None in (error.gold, error.pred) else new >= 1
            seen_gold.add(error.gold)
            seen_pred.add(error.pred)
        tp = len(g) - len(seen_gold - {None})
        assert tp == len(p) - len(seen_pred - {None})
        assert tp == spanrs.score([g], [p], matcher="fair").outcomes["tp"]


def overlap(a, b):
    return a[1] < b[2] and b[1] < a[2]


def groups(gold, pred):
    """Spans of both sides connected by overlaps."""
    rest = [(0, s) for s in gold] + [(1, s) for s in pred]
    while rest:
        group = [rest.pop()]
        for member in group:
            near = [item for item in rest if overlap(member[1], item[1])]
            group += near
            rest = [item for item in rest if item not in near]
        yield group


def sides_of(counts):
    return tuple(counts[kind] for kind in ("tp", "fp", "fn", "le", "lbe", "bes", "bel", "beo"))


def swapped(counts):
    return tuple(counts[kind] for kind in ("tp", "fn", "fp", "le", "lbe", "bel", "bes", "beo"))


@given(flat_documents)
@settings(max_examples=500)
def test_swapping_the_sides_swaps_the_errors(sentences):
    """Holds if the spans of one side do not overlap, and each group of overlapping spans has only one span of one side,
    so that the partner is unique. Groups with several spans of both sides are tested below."""
    kept = [
        (g, p)
        for g, p in sentences
        if all(min(sum(side == n for side, _ in group) for n in (0, 1)) <= 1 for group in groups(g, p))
    ]
    gold, pred = [g for g, _ in kept], [p for _, p in kept]
    there, back = (
        spanrs.score(gold, pred, matcher="fair").outcomes,
        spanrs.score(pred, gold, matcher="fair").outcomes,
    )
    assert sides_of(there) == swapped(back)


def test_swapping_the_sides_is_no_law_where_both_have_a_choice():
    # From the shortest gold span on: 0-1 takes 0-3, 1-4 then takes 3-6, with which it shares one token,
    # and everything is in a pair: 2 boundary errors. From the shortest pred span on (0-3 of 0-3 and 3-6)
    # 0-3 takes 1-4, with which it shares most, 3-6 and 0-1 are left over and join: 3.
    gold, pred = [[("A", 0, 1), ("A", 1, 4)]], [[("A", 0, 3), ("A", 3, 6)]]
    assert spanrs.score(gold, pred, matcher="fair").outcomes["be"] == 2
    assert spanrs.score(pred, gold, matcher="fair").outcomes["be"] == 3


@given(documents)
@settings(max_examples=400)
def test_without_near_misses_fair_is_traditional(sentences):
    kept = [
        (list(dict.fromkeys(g)), list(dict.fromkeys(p)))
        for g, p in ([[s[:3] for s in side] for side in pair] for pair in sentences)
    ]
    kept = [(g, p) for g, p in kept if not any(a != b and overlap(a, b) for a in g for b in p)]
    result = spanrs.score([g for g, _ in kept], [p for _, p in kept], matcher="fair")
    counts = result.outcomes
    assert (counts["tp"], counts["fp"], counts["fn"]) == result["traditional"].totals
    assert counts["le"] == counts["be"] == counts["lbe"] == 0
    assert result["traditional"].micro == result["fair"].micro == result["weighted"].micro


@given(documents, st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_documents_can_be_added_in_any_order(sentences, rng):
    whole = spanrs.score([g for g, _ in sentences], [p for _, p in sentences], matcher="fair")
    parts = [spanrs.score([g], [p], matcher="fair") for g, p in sentences]
    rng.shuffle(parts)
    merged = spanrs.score([], [], matcher="fair")
    for part in parts:
        merged = merged.merge(part)
    # Nothing at all is taken for tags, of which a scheme can be said.
    assert merged.to_dict() | {"detection": None} == whole.to_dict() | {"detection": None}


def test_scorers_merge_and_keep_documents():
    first = spanrs.Scorer(scheme="BIO", matcher="fair", by="document")
    second = spanrs.Scorer(scheme="BIO", matcher=spanrs.Fair(), by="document")
    for scorer, gold, pred in ((first, ["B-A", "I-A"], ["B-A", "O"]), (second, ["B-B"], ["B-A"])):
        scorer.update([gold], [pred])
        scorer.end_document()
    second.update([[("A", 0, 3)]], [[("A", 1, 3)]])
    second.end_document()
    first.merge(second)
    result = first.result()
    assert [row.outcomes["be"] for row in result.documents] == [1, 0, 1]
    assert (result.outcomes["be"], result.outcomes["le"], result.sentences) == (2, 1, 3)
    with pytest.raises(spanrs.errors.SchemeError, match="focus:pred"):
        first.merge(spanrs.Scorer(scheme="BIO", matcher=spanrs.Fair(focus="pred")))


def test_score_takes_documents_and_weights_of_documents():
    gold, pred = [["B-A"], ["B-A"], ["B-B"]], [["B-A"], ["O"], ["B-A"]]
    result = spanrs.score(gold, pred, matcher="fair", by=[1, 2])
    assert [row.outcomes for row in result.documents] == [outcomes(tp=1), outcomes(fn=1, le=1)]
    weighed = spanrs.score(gold, pred, matcher="fair", document_weights=[1, 2, 3])
    assert weighed.outcomes == outcomes(tp=1, fn=2, le=3)
    assert [row.outcomes for row in weighed.documents] == [outcomes(tp=1), outcomes(fn=1), outcomes(le=1)]
    assert "|document_weights:given|" in weighed.signature
    with pytest.raises(ValueError, match="unknown matcher 'fear'; expected one of exact, partial, fair"):
        spanrs.score(gold, pred, matcher="fear")


def test_types_that_are_left_out_take_part_in_nothing():
    gold, pred = [[("A", 0, 3), ("B", 0, 2)]], [[("B", 0, 3)]]
    assert spanrs.score(gold, pred, matcher="fair").outcomes["le"] == 1
    assert spanrs.score(gold, pred, matcher=spanrs.Fair(types=["B"])).outcomes["be"] == 1
    assert spanrs.score(gold, pred, matcher=spanrs.Fair(exclude=["A"])).outcomes["be"] == 1
    tags = ([["B-A", "I-A", "O"]], [["B-B", "O", "O"]])
    assert spanrs.score(*tags, matcher="fair").outcomes["lbe"] == 1
    assert spanrs.score(*tags, matcher=spanrs.Fair(exclude=["B"])).outcomes == outcomes(fn=1)
    with pytest.raises(TypeError, match=r"\['A'\]"):
        spanrs.score(gold, pred, matcher=spanrs.Fair(exclude="A"))


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([("A", 2, 2)], r"gold sentence 1, span 0 \('A', 2, 2\): it is empty"),
        ([("B", 0, 1), ("A", 0, 2, {2})], "sentence 1, span 1 .*token 2; .*between the bounds"),
        ([("A", 1, 3, [0, 1])], "token 0"),
        ([("A", 0, 2, set())], "empty set of tokens"),
        ([("A", -1, 2)], "integers from 0 to 4294967295"),
        ([("A", "x", 2)], "gold sentence 1, span 0 .*'str'"),
        ([("A", 0)], "a span is"),
        ([("A", 0, 1), "B"], "sentence 1, span 1 'B': a span is"),
        ([("A", 0, 1, {0}, 1)], "a span is"),
        ([(None, 0, 1)], "gold sentence 1, span 0"),
    ],
)
def test_spans_that_cannot_be_are_refused(spans, message):
    with pytest.raises((ValueError, TypeError, OverflowError), match=message):
        spanrs.score([[("X", 0, 1)], spans], [[], []], matcher="fair")


def test_spans_without_sentences_are_refused():
    with pytest.raises(TypeError, match="a list of spans for each sentence"):
        spanrs.score([("A", 0, 1)], [("A", 0, 1)], matcher="fair")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("LE 0.5 FP", "not a weight formula"),
        ("LE = FP + FN", "'FP' is not a term"),
        ("LE = -0.5 FP", "'-0.5 FP' is not a term"),
        ("LE = 0.5 XY", "'0.5 XY' is not a term"),
        ("LE = 0.5 FP + 0.5 FP", "FP is given twice"),
        ("LE = 0.5 FP, LE = 1 FN", "LE twice"),
        ("XE = 0.5 FP", "'XE', which is not an error type"),
        ("BE = 0.5 FP, BES = 0.5 FN", "counted twice"),
        ({"LE": {"FP": float("nan")}}, "finite"),
        ({"LE": {"FP": 1e308}}, "finite"),
        ({"LE": {"XX": 1}}, "'XX' is not one of"),
        ({"LE": 1}, "give a mapping"),
        (3, "not int"),
        (None, "not NoneType"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights, message):
    with pytest.raises((ValueError, TypeError), match=message):
        spanrs.score([], [], matcher=spanrs.Fair(weights=weights))


def test_formulas_and_dictionaries_are_the_same_weights():
    spans = [[("A", 0, 3), ("B", 5, 7)]], [[("A", 0, 2), ("C", 5, 7)]]
    formula = "LE = .5 FP + 0.5*FN, BES = 0.5 TP + 0.5 FN"
    table = {"LE": {"FP": 0.5, "FN": 0.5}, "BES": {"TP": 0.5, "FN": 0.5}}
    weighted = [
        spanrs.score(*spans, matcher=spanrs.Fair(weights=given))["weighted"].micro
        for given in (formula, table)
    ]
    assert weighted[0] == weighted[1]
    assert (
        spanrs.score(*spans, matcher=spanrs.Fair(weights="default"))["weighted"].micro
        == spanrs.score(*spans, matcher="fair")["fair"].micro
    )


def test_results_are_plain_json_csv_and_a_page():
    gold, pred = [[("<b>", 0, 3), ("=1", 5, 7)]], [[("<b>", 0, 2), ("C", 5, 7)]]
    result = spanrs.score(gold, pred, matcher="fair", details=True)
    parsed = json.loads(result.to_json())
    assert list(parsed["criteria"]) == ["traditional", "fair", "weighted"]
    assert parsed["criterion"] == "fair"
    assert parsed["outcomes"] == parsed["criteria"]["fair"]["outcomes"] == outcomes(le=1, be=1, bes=1)
    assert {"gold": "=1", "pred": "C", "count": 1} in parsed["confusion"]
    assert [detail["outcome"] for detail in parsed["details"]["fair"]] == ["le", "bes"]
    rows = result.to_csv().splitlines()
    assert rows[0].startswith("type,criterion,precision")
    assert any(row.startswith("'=1,traditional,") for row in rows)
    page = result.to_html(title="a & b")
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "a &amp; b" in page
    assert "gold =1, pred C: 1" in page
    assert "weighted" in str(result)


def test_one_long_sentence_of_flat_and_of_chained_spans_is_counted_as_the_steps_count():
    rng = random.Random(4)
    for step in (3, 2):
        gold = [(rng.choice(TYPES), at, at + 2) for at in range(0, 1200, step)]
        pred = [(rng.choice(TYPES), at + rng.choice((0, 0, 1)), at + 3) for at in range(0, 1200, step)]
        rng.shuffle(pred)
        assert ours(spanrs.score([gold], [pred], matcher="fair")) == by_steps([gold], [pred])
