"""Properties of all documents, and comparison with simple counting."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mat_cases
import mat_stars
import merging
import spanrs
from spanrs import Result, mat
from spanrs.io import Annotation, Document
from spanrs.mat.matcher import CLASHES, UNPAIRED

FIVE = ("match", "refclash", "missing", "hypclash", "spurious")
WORDS = st.text("ab \n\u00a0\u1680\u200bé\U0001d400\x1c", min_size=0, max_size=40)


@st.composite
def annotations(draw, text: str, flat: bool):
    actual = draw(
        st.lists(
            st.tuples(
                st.sampled_from("ABC"), st.integers(0, len(text)), st.integers(0, 8 if flat else len(text))
            ),
            max_size=6,
        )
    )
    spans, last = [], 0
    for label, start, length in sorted(actual, key=lambda item: item[1:]) if flat else actual:
        end = min(start + length, len(text))
        if flat and (start < last or start == end):
            continue
        spans.append(Annotation(label, start, end))
        last = end
    return spans


@st.composite
def sides(draw, flat: bool = True):
    text = draw(WORDS)
    tokens, at = [], 0
    for piece in text.split():
        start = text.index(piece, at)
        at = start + len(piece)
        tokens.append(Annotation("lex", start, at))
    gold, pred = draw(annotations(text, flat)), draw(annotations(text, flat))
    return Document(text, gold), Document(text, [*tokens, *pred])


def tables(gold, pred, **options) -> mat.MatTables:
    return mat.tables(spanrs.score(gold, pred, matcher=mat.Mat(**options), on_error="skip"))


def five(item: mat.MatTables, table: str) -> dict[str, tuple[int, ...]]:
    rows = item.table(table).dicts()
    return {row["tag"]: tuple(row[name] for name in FIVE) for row in rows}


def said(document: Document) -> list[str | None]:
    """The label of every character of a flat document."""
    labels: list[str | None] = [None] * len(document.text)
    for a in document.annotations:
        if a.type != "lex":
            labels[a.start : a.end] = [a.type] * (a.end - a.start)
    return labels


def counted(pairs: list[tuple[str | None, str | None]]) -> dict[str, tuple[int, ...]]:
    rows: dict[str, Counter[str]] = {"<all>": Counter()}
    for gold, pred in pairs:
        for label, alone, clash in ((gold, "missing", "refclash"), (pred, "spurious", "hypclash")):
            if label is None:
                continue
            if gold == pred:
                name = "match" if alone == "missing" else None
            else:
                name = clash if None not in (gold, pred) else alone
            if name is not None:
                rows.setdefault(label, Counter())[name] += 1
                rows["<all>"][name] += 1
    return {label: tuple(row[name] for name in FIVE) for label, row in rows.items()}


def without_empty(rows: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    return {label: row for label, row in rows.items() if label == "<all>" or any(row)}


@given(sides())
def test_characters_are_counted_one_by_one(pair):
    gold, pred = pair
    result = tables(gold, pred)
    wanted = counted(list(zip(said(gold), said(pred), strict=True)))
    assert without_empty(five(result, "character")) == wanted
    assert result.character["<all>"]["test chars"] == len(gold.text)


@given(sides())
def test_pseudo_tokens_are_what_white_space_and_bounds_leave(pair):
    gold, pred = pair
    results = [a for d in pair for a in d.annotations if a.type != "lex"]
    cuts = sorted({0, len(gold.text), *(a.start for a in results), *(a.end for a in results)})
    golds, preds = said(gold), said(pred)
    pieces = []
    for start, end in pairwise(cuts):
        pieces += [(golds[start], preds[start])] * len(gold.text[start:end].split())
    result = tables(gold, pred)
    assert without_empty(five(result, "pseudo_token")) == counted(pieces)
    assert result.pseudo_token["<all>"]["test pseudo-toks"] == len(pieces)


@given(sides())
def test_tokens_are_counted_one_by_one_where_annotations_fit(pair):
    gold, pred = pair
    tokens = [a for a in pred.annotations if a.type == "lex"]
    results = [a for d in pair for a in d.annotations if a.type != "lex"]
    bounds = {a.start for a in tokens} | {a.end for a in tokens}
    result = tables(gold, pred)
    if not tokens or any({a.start, a.end} - bounds for a in results):
        assert not tokens or "token" not in result.names
        return
    golds, preds = said(gold), said(pred)
    # A position that is both an end and a start of tokens is one boundary; text between tokens is not a token.
    assert without_empty(five(result, "token")) == counted(
        [(golds[t.start], preds[t.start]) for t in tokens]
    )


SPANS = st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 30), st.integers(1, 10)), max_size=9)


@settings(max_examples=400)
@given(SPANS, SPANS)
def test_ties_are_settled_by_stars_and_primes(golds, preds):
    sides = [[(label, start, start + length) for label, start, length in side] for side in (golds, preds)]
    documents = [Document(" " * 40, [Annotation(*span) for span in side]) for side in sides]
    result = spanrs.score(*documents, matcher=mat.Mat(tables=["tag"]), on_error="skip", details=True)
    created = [
        ((d.reflabel, d.refstart, d.refend), (d.hyplabel, d.hypstart, d.hypend))
        for d in result.details["tag"]
        if None not in (d.reflabel, d.hyplabel)
    ]
    assert sorted(created) == mat_stars.pairs(*sides)


def similarity(g: Annotation, p: Annotation) -> float:
    shared = min(g.end, p.end) - max(g.start, p.start)
    if shared <= 0:
        return 0.0
    return 0.1 * (g.type == p.type) + 0.9 * shared / (max(g.end, p.end) - min(g.start, p.start))


def best(golds: list[Annotation], preds: list[Annotation]) -> float:
    """The maximum sum of similarities, by exhaustive search."""
    few, many = sorted((golds, preds), key=len)
    return max(
        sum(similarity(first, item) for first, item in zip(few, chosen, strict=True))
        for chosen in permutations(many, len(few))
    )


@given(sides(flat=False))
def test_the_pairs_are_the_most_similar_ones(pair):
    gold, pred = pair
    result = spanrs.score(gold, pred, matcher=mat.Mat(tables=["tag"]), on_error="skip", details=True)
    chosen = 0.0
    seen: list[list[tuple[str, int, int]]] = [[], []]
    for d in result.details["tag"]:
        if d.reflabel is not None:
            seen[0].append((d.reflabel, d.refstart, d.refend))
        if d.hyplabel is not None:
            seen[1].append((d.hyplabel, d.hypstart, d.hypend))
        if None not in (d.reflabel, d.hyplabel) and d.refstart != d.refend:
            first = similarity(
                Annotation(d.reflabel, d.refstart, d.refend), Annotation(d.hyplabel, d.hypstart, d.hypend)
            )
            assert first > 0
            chosen += first
    for document, item in zip(pair, seen, strict=True):
        content = [(a.type, a.start, a.end) for a in document.annotations if a.type != "lex"]
        assert sorted(item) == sorted(content)
    golds = [a for a in gold.annotations if a.start < a.end]
    preds = [a for a in pred.annotations if a.type != "lex" and a.start < a.end]
    assert chosen == pytest.approx(best(golds, preds), abs=1e-9)


@given(sides(flat=False))
def test_tables_add_up(pair):
    gold, pred = pair
    for unpaired in ("alone", "clash"):
        result = tables(gold, pred, unpaired_overlap=unpaired)
        for table in result.names:
            rows = list(result.table(table).dicts())
            *labels, together = rows
            for name in FIVE:
                assert sum(row[name] for row in labels) == together[name]
            if unpaired == "alone":
                assert together["refclash"] == together["hypclash"]
            for row in rows:
                assert row["reftotal"] == row["match"] + row["refclash"] + row["missing"]
                assert row["hyptotal"] == row["match"] + row["hypclash"] + row["spurious"]
                if table == "tag":
                    for side in ("ref", "hyp"):
                        assert sum(row[side + kind] for kind in CLASHES) == row[f"{side}clash"]
        if unpaired == "alone":
            totals = Counter(a.type for a in gold.annotations)
            assert {row["tag"]: row["reftotal"] for row in result.tag.dicts() if row["tag"] != "<all>"} == {
                row["tag"]: totals[row["tag"]] for row in result.tag.dicts() if row["tag"] != "<all>"
            }
            confusion = result.confusability
            at = {label: place for place, label in enumerate(confusion.labels)}
            for label in confusion.labels:
                assert confusion.counts[at[label]][at[label]] == result.tag[label]["match"]


@given(sides())
def test_swapping_the_sides_mirrors_the_tables(pair):
    gold, pred = pair
    there, back = tables(gold, pred), tables(pred, gold)
    for table in ("pseudo_token", "character"):
        mirrored = {label: (m, h, s, r, i) for label, (m, r, i, h, s) in five(there, table).items()}
        assert five(back, table) == mirrored


@given(sides(flat=False), st.randoms())
def test_the_order_of_annotations_in_a_file_means_nothing(pair, rng):
    gold, pred = pair
    shuffled = [Document(d.text, rng.sample(list(d.annotations), len(d.annotations))) for d in pair]
    first, second = (
        spanrs.score(gold, pred, matcher=mat.Mat(), on_error="skip", details=True),
        spanrs.score(*shuffled, matcher=mat.Mat(), on_error="skip", details=True),
    )
    assert first.to_dict() == second.to_dict()
    assert first.counts.to_bytes() == second.counts.to_bytes()
    assert mat.tables(first).to_dict() == mat.tables(second).to_dict()


@given(st.lists(sides(flat=False), max_size=4))
def test_results_of_parts_add_up(pairs):
    golds, preds = [gold for gold, _ in pairs], [pred for _, pred in pairs]
    whole = mat.tables(mat_cases.lenient(golds, preds), by_document=True)
    if not pairs:
        assert whole.tag["<all>"]["fmeasure"] == 1.0
        return
    first, *rest = [
        spanrs.score([gold], [pred], matcher=mat.Mat(), on_error="skip") for gold, pred in pairs
    ]
    total = mat.tables(first.merge(*rest), by_document=True)
    assert total.counts == whole.counts
    assert [row for name, row in total.files] == [row for name, row in whole.files]


# The first example waits for the other process.
@settings(deadline=None)
@given(st.lists(sides(flat=False), min_size=1, max_size=6), st.randoms(), st.sampled_from(UNPAIRED))
def test_shards_that_are_stored_and_merged_in_any_order_count_the_same(other_process, pairs, rng, unpaired):
    named = [tuple(replace(d, id=f"d{at}") for d in pair) for at, pair in enumerate(pairs)]
    matcher = mat.Mat(unpaired_overlap=unpaired)

    def scored(documents) -> Result:
        golds, preds = zip(*documents, strict=True)
        return spanrs.score(golds, preds, matcher=matcher, on_error="skip")

    whole = scored(named)
    rng.shuffle(named)
    shards = []
    while named:
        cut = rng.randint(1, len(named))
        shards.append(Result.from_bytes(scored(named[:cut]).to_bytes()))
        named = named[cut:]
    rng.shuffle(shards)
    # Some of them have been merged earlier.
    cut = rng.randrange(len(shards))
    first, *rest = shards[cut:]
    rest += [shards[0].merge(*shards[1:cut])] if cut else []
    # Options of the matcher are interpreted in one case and only stored in the other.
    if rng.random() < 0.5:
        merged = other_process(Result.merge, first, *rest)
    else:
        merged = Result.from_bytes(
            other_process(merging.merged, [item.to_bytes() for item in (first, *rest)])
        )
    assert merged.counts.to_bytes() == whole.counts.to_bytes()
    assert merged.signature == whole.signature
    assert merged.matcher == whole.matcher
    of_merged, of_whole = (
        mat.tables(result, by_document=True, confidence=20) for result in (merged, whole)
    )
    assert of_merged.counts == of_whole.counts
    assert repr(of_merged.spreads) == repr(of_whole.spreads)
    assert sorted(of_merged.files, key=str) == sorted(of_whole.files, key=str)


@given(sides())
def test_ignored_labels_and_classes(pair):
    gold, pred = pair
    left = [Document(d.text, [a for a in d.annotations if a.type != "A"]) for d in pair]
    ignored = tables(gold, pred, ignore=["A"])
    assert ignored.counts == tables(*left).counts
    renamed = [
        Document(d.text, [a._replace(type={"B": "A"}.get(a.type, a.type)) for a in d.annotations])
        for d in pair
    ]
    assert tables(gold, pred, classes={"A": ["B"]}).counts == tables(*renamed).counts


def test_the_manual_counts_nine_pseudo_tokens():
    text = "the future President of the United States"
    gold = Document(text, [Annotation("NP", 11, 40)])
    pred = Document(text, [Annotation("NP", 3, 32)])
    row = tables(gold, pred).pseudo_token["NP"]
    assert row["test pseudo-toks"] == 9
    assert (row["spurious"], row["match"], row["missing"]) == (1, 4, 2)
