"""Gold and pred in different schemes, and warnings about suspicious data."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanrs
from spanrs import tags

SCHEMES = ["BIO", "IOB", "IOE2", "IOBES", "BILOU", "BMES"]
SPANS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from(["A", "B"])), max_size=4)


def laid_out(rows):
    """Consecutive spans with gaps, and a sufficient sentence length."""
    spans, at = [], 0
    for gap, length, name in rows:
        start = at + gap
        at = start + length
        spans.append((name, start, at))
    return spans, at + 1


@given(
    st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=4),
    st.sampled_from(SCHEMES),
    st.sampled_from(SCHEMES),
)
def test_well_formed_tags_count_as_in_one_scheme(pairs, gold_scheme, pred_scheme):
    sides = {name: ([], []) for name in ("one", "two")}
    for gold, pred in pairs:
        (gold_spans, n), (pred_spans, m) = laid_out(gold), laid_out(pred)
        for name, item in (("one", gold_scheme), ("two", pred_scheme)):
            sides[name][0].append(tags.spans_to_tags(gold_spans, max(n, m), gold_scheme))
            sides[name][1].append(tags.spans_to_tags(pred_spans, max(n, m), item))
    for matcher in ("exact", "fair"):
        expected = spanrs.score(*sides["one"], scheme=gold_scheme, matcher=matcher)
        got = spanrs.score(*sides["two"], scheme=gold_scheme, matcher=matcher, pred_scheme=pred_scheme)
        for name in expected.matcher.criteria:
            assert got[name].to_dict() == expected[name].to_dict()
        assert got.confusion == expected.confusion
        assert got.violations["pred"].count == 0
    expected = spanrs.score(*sides["one"], matcher="partial", scheme=gold_scheme)
    got = spanrs.score(*sides["two"], matcher="partial", scheme=gold_scheme, pred_scheme=pred_scheme)
    assert got.to_dict()["criteria"] == expected.to_dict()["criteria"]


# As often as there must be violations of a scheme that has all the prefixes.
GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"]] * 5
BILOU = [["B-PER", "L-PER", "O", "U-LOC"], ["O", "U-ORG"]] * 5
OUTSIDE = [["O"] * len(row) for row in GOLD]


@pytest.mark.parametrize("swapped", [False, True])
def test_another_scheme_of_pred_is_found_out(swapped, tmp_path):
    gold, pred = (BILOU, GOLD) if swapped else (GOLD, BILOU)
    schemes = ("BILOU", "BIO") if swapped else ("BIO", "BILOU")
    names = sorted({tag for side in (gold, pred) for row in side for tag in row})
    ids = [[names.index(tag) for row in side for tag in row] for side in (gold, pred)]
    sizes = [len(row) for row in gold]
    for name, side in (("gold", gold), ("pred", pred)):
        text = "\n\n".join("\n".join(f"w{at} {tag}" for at, tag in enumerate(row)) for row in side)
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    results = {
        "lists": spanrs.score(gold, pred),
        "ids": spanrs.score(*map(np.array, ids), vocabulary=names, lengths=sizes),
        "arrow": spanrs.score(pa.array(gold), pa.array(pred)),
        "files": spanrs.score(tmp_path / "gold", tmp_path / "pred"),
        "documents": spanrs.score(gold, pred, by=[5, 5]),
        "fair": spanrs.score(gold, pred, matcher="fair"),
    }
    for name, result in results.items():
        assert (result.settings["scheme"], result.settings["pred_scheme"]) == schemes, name
        assert result.totals == (15, 0, 0), name
        assert result.evidence.pred_detection.startswith(schemes[1]), name
        assert result.warnings == [], name
    assert results["lists"].accuracy == 1.0
    partial = spanrs.score(gold, pred, matcher="partial")
    assert partial["strict"].micro.f1 == 1.0
    assert partial.settings["pred_scheme"] == schemes[1]


@pytest.mark.parametrize("reading", ["conlleval", "strict", "discard"])
def test_malformed_bio_is_not_taken_for_iob(reading):
    gold, pred = [["B-PER", "O"]] * 50, [["I-PER", "O"]] * 50
    result = spanrs.score(gold, pred, scheme="auto", reading=reading)
    assert (
        result.to_dict() | {"detection": None}
        == spanrs.score(gold, pred, scheme="BIO", reading=reading).to_dict()
    )
    for options in ({}, {"scheme": "BIO"}):
        with pytest.raises(spanrs.errors.SchemeError, match="Illegal Start"):
            spanrs.score(gold, pred, reading="refuse", **options)
    # Little data without a prefix of another scheme is no evidence.
    assert "pred_scheme" not in spanrs.score([["B-A", "L-A"], ["U-A"]], [["B-A", "I-A"], ["B-A"]]).settings


def test_the_order_of_merging_does_not_matter():
    parts = []
    for pred in (OUTSIDE, BILOU):
        scorer = spanrs.Scorer()
        scorer.update(GOLD, pred)
        parts.append(scorer)
    assert parts[0].result().signature.split("|")[1:3] == ["scheme:BIO", "pred_scheme:auto"]
    first, second = (part.result() for part in parts)
    for merged in (first.merge(second), second.merge(first)):
        assert (merged.totals, merged.settings["pred_scheme"]) == ((15, 0, 15), "BILOU")
    parts[0].merge(parts[0])
    parts[0].update(GOLD, BILOU)
    assert parts[0].result().totals == (15, 0, 30)
    named = spanrs.Scorer(pred_scheme="BILOU")
    named.update([["O"]], [["O"]])
    with pytest.raises(spanrs.errors.SchemeError, match="different settings cannot be merged"):
        named.result().merge(spanrs.score(GOLD, GOLD))
    assert named.result().merge(second).settings["pred_scheme"] == "BILOU"


def test_malformed_predictions_stay_in_the_scheme_of_gold():
    gold = [["B-A", "I-A", "O", "B-B"]] * 40
    pred = [*gold[:-3], *[["O", "I-A", "O", "I-B"]] * 3]
    result = spanrs.score(gold, pred)
    assert "pred_scheme" not in result.settings
    # Most are malformed, but not in a way that another scheme explains.
    mixed = [["B-A", "X-A", "O", "E-B"]] * 40
    with pytest.warns(
        spanrs.SpanrsWarning, match="80 violations of BIO among 120 tags of pred other than O"
    ):
        assert "pred_scheme" not in spanrs.score(gold, mixed).settings
    # A named scheme applies to both sides, and the warning mentions it.
    with pytest.warns(spanrs.SpanrsWarning, match="the first: Unknown Tag: L-PER is not a tag"):
        assert spanrs.score(GOLD, BILOU, scheme="BIO").micro.f1 == 0.0


def test_batches_keep_the_schemes_that_were_found():
    scorer = spanrs.Scorer()
    scorer.update([["O"]], [["O"]])
    assert scorer.result().signature.split("|")[1] == "scheme:auto"
    scorer.update(GOLD, OUTSIDE)
    scorer.update(GOLD, BILOU)
    # Earlier batches are not read again; they had no spans.
    assert scorer.result().settings["pred_scheme"] == "BILOU"
    assert scorer.result().totals == (15, 0, 15)
    second = spanrs.Scorer()
    second.update([["O"]], [["O"]])
    second.merge(scorer)
    assert second.result().totals == (15, 0, 15)
    second.update(GOLD, BILOU)
    assert second.result().totals == (30, 0, 15)
    merged = spanrs.score([["O"]], [["O"]]).merge(scorer.result())
    assert merged.signature == scorer.result().signature


@pytest.mark.parametrize(
    ("gold", "pred", "options", "message"),
    [
        (GOLD, OUTSIDE, {}, "all 30 tags of pred are O"),
        (OUTSIDE, GOLD, {}, "all 30 tags of gold are O"),
        ([["B-LABEL_1", "O"]], [["B-LABEL_1", "O"]], {}, "types like LABEL_1"),
        ([["B-1", "O"]], [["B-1", "O"]], {}, "types like 1 "),
        (
            [["I-A", "B-A", "O"]],
            [["B-A", "I-A", "O"]],
            {"scheme": "BIO"},
            "1 violation of BIO among 2 tags of gold",
        ),
    ],
)
def test_what_is_conspicuous_is_said(gold, pred, options, message):
    for matcher in ("exact", "fair", "partial"):
        with pytest.warns(spanrs.SpanrsWarning, match=message) as caught:
            result = spanrs.score(gold, pred, matcher=matcher, **options)
        assert any(message in warning for warning in result.warnings)
        assert caught[0].filename == __file__
        assert message in str(result.to_dict()["warnings"])


@pytest.mark.parametrize(("kind", "matcher"), [("columns", "exact"), ("spans", "exact"), ("spans", "fair")])
def test_warnings_of_files_name_the_caller(kind, matcher):
    gold, pred = b"A\t1\t1\t1\n" * 5, b"B\t1\t1\t1\n" * 5
    if kind == "columns":
        gold, pred = b"a B-A\n" * 5, b"a B-B\n" * 5
    with pytest.warns(
        spanrs.SpanrsWarning, match="their types are different: A in gold, B in pred"
    ) as caught:
        spanrs.score(io.BytesIO(gold), io.BytesIO(pred), matcher=matcher)
    assert [item.filename for item in caught] == [__file__]


def test_ordinary_data_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert spanrs.score(GOLD, GOLD).warnings == []


def test_nothing_to_score_gives_a_warning():
    for matcher, match in (("exact", "no tokens"), ("fair", "no sentences"), ("partial", "no sentences")):
        with pytest.warns(spanrs.SpanrsWarning, match=match):
            spanrs.score([], [], matcher=matcher)


def test_many_spans_of_which_none_is_correct_give_a_warning():
    gold, pred = [["B-A", "O"] * 5], [["O", "B-A"] * 5]
    with pytest.warns(
        spanrs.SpanrsWarning, match="none of the 5 gold spans is among the 5 pred spans; check that gold"
    ):
        spanrs.score(gold, pred)
    with pytest.warns(spanrs.SpanrsWarning, match="their types are different: A in gold, B in pred"):
        spanrs.score(gold, [["B-B", "O"] * 5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spanrs.score([["B-A", "O"] * 4], [["O", "B-A"] * 4])


def test_sentences_that_are_none_give_a_warning():
    def score(text):
        return spanrs.score(io.BytesIO(text), io.BytesIO(text))

    with pytest.warns(spanrs.SpanrsWarning, match="all 1000 tokens are one sentence; are blank lines"):
        score(b"a B-A\n" * 1000)
    with pytest.warns(spanrs.SpanrsWarning, match="each of 20 sentences has one token"):
        score(b"a B-A\n\n" * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score(b"a B-A\n" * 999)
        score(b"a B-A\n\n" * 19)


def test_tokens_may_differ_if_that_is_asked_for():
    gold, pred = b"a B-A\nb O\n\nc O\n", b"a B-A\nx O\n\ny O\n"

    def score(how, pred=pred):
        return spanrs.score(io.BytesIO(gold), io.BytesIO(pred), align=how)

    with pytest.raises(spanrs.errors.AlignmentError, match=r"token `b`.*token `x`.*--align report"):
        score("refuse")
    with pytest.warns(spanrs.SpanrsWarning, match="2 of 3 tokens differ"):
        reported = score("report")
    assert reported.signature.endswith("|align:report|differing_tokens:2|version:0.1.0")
    assert reported.notes[0] == "tokens differ: <stream>:2: `b`, <stream>:2: `x`"
    assert reported.merge(reported).signature.split("|")[-2] == "differing_tokens:4"
    ignored = score("ignore")
    assert (ignored.totals, ignored.warnings) == ((1, 0, 0), [])
    assert "differing_tokens" not in ignored.signature
    for how in ("report", "ignore"):
        with pytest.raises(spanrs.errors.AlignmentError, match="must have the same sentences"):
            score(how, b"a B-A\n\nx O\ny O\n")
    with pytest.raises(spanrs.errors.SchemeError, match="different settings cannot be merged"):
        reported.merge(ignored)
    with pytest.raises(ValueError, match="refuse, report, ignore or characters"):
        score("perhaps")


def test_layers_of_tags_are_counted_together(nested):
    text = b"1\tEU\tB-ORG\tO\n2\tof\tI-ORG\tO\n3\tRome\tI-ORG\tB-LOC\n\n1\tBob\tO\tB-ORG\n"
    wrong = text.replace(b"B-LOC", b"O")
    for matcher in ("exact", "fair"):
        result = spanrs.score(
            io.BytesIO(text), io.BytesIO(wrong), tokens=1, tags=(2, 3), matcher=matcher, by="document"
        )
        assert result.totals == (2, 0, 1)
        assert result.sentences == 2
        assert [row.sentences for row in result.documents] == [2]
        assert "columns:2,3" in result.signature
        assert result.warnings == []
    with pytest.warns(spanrs.SpanrsWarning, match="column 3 has tags of the same types"):
        single = spanrs.score(io.BytesIO(text), io.BytesIO(wrong), tokens=1, tags=2)
    assert single.warnings == [
        "<stream>: column 3 has tags of the same types, which are not read; layers of nested annotations "
        "are read together by spanrs score (--column 2,3, in Python tags=(2, 3))"
    ]
    with pytest.raises(ValueError, match="gold= and pred= accept one column each"):
        spanrs.score(io.BytesIO(text), tokens=1, gold=(2, 3))
    with pytest.raises(ValueError, match="one column of tags"):
        spanrs.io.validate(io.BytesIO(text), tokens=1, tags=(2, 3))
    sides = spanrs.score(nested.path, nested.path, tokens=1, tags=(2, 3))
    alone = [spanrs.score(nested.path, nested.path, tokens=1, tags=tag) for tag in (2, 3)]
    assert sides.totals == (sum(result.totals.tp for result in alone), 0, 0)
    assert (sides.sentences, sides.tokens) == (nested.sentences, 2 * nested.tokens)
    assert [len(result.warnings) for result in alone] == [1, 1]


def test_prefixes_of_another_scheme_decide_even_where_violations_are_few():
    gold = [["S-A", "O"]] * 40 + [["B-A", "I-A", "E-A"]]
    pred = [["S-A", "O"]] * 40 + [["B-A", "M-A", "E-A"]]
    result = spanrs.score(gold, pred)
    assert (result.settings["pred_scheme"], result.micro.f1) == ("BMES", 1.0)
    # A single malformed tag is an error, not evidence of another scheme.
    result = spanrs.score([["B-A", "I-A"]] * 40, [["B-A", "I-A"]] * 39 + [["B-A", "E-A"]])
    assert "pred_scheme" not in result.settings


def test_partial_matching_warns_of_what_scoring_warns_of():
    def warnings_of(gold, pred, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return spanrs.score(gold, pred, matcher="partial", **options).warnings

    iobes = [["B-PER", "E-PER", "O", "S-LOC"]] * 6
    actual = warnings_of(iobes, iobes, scheme="BIO")
    assert [message.split(" among ")[0] for message in actual] == ["12 violations of BIO"] * 2
    assert "with a prefix" in warnings_of([["B-A"]], [["B-A"]], scheme="TOKEN")[0]
    forgotten = [[("LABEL_1", 0, 1)]]
    assert "LABEL_1" in warnings_of(forgotten, forgotten)[0]
    gold, pred = [[("PER", 0, 1)]] * 6, [[("per", 0, 1)]] * 6
    assert "their types are different: PER in gold, per in pred" in warnings_of(gold, pred)[0]
    assert warnings_of(GOLD, GOLD) == warnings_of(gold, gold) == []
    scorer = spanrs.Scorer(scheme="BIO", matcher="partial")
    for _ in range(2):
        scorer.update(iobes, iobes)
    assert scorer.result().warnings[0].startswith("24 violations of BIO among 36 tags of gold")


def test_fair_matching_warns_where_types_have_nothing_in_common():
    gold, pred = [["B-PER", "O"] * 5], [["B-per", "O"] * 5]
    with pytest.warns(spanrs.SpanrsWarning, match="their types are different: PER in gold, per in pred"):
        spanrs.score(gold, pred, matcher="fair")
    with pytest.warns(spanrs.SpanrsWarning, match="no spans of the scored types"):
        spanrs.score(gold, gold, matcher=spanrs.Fair(types=["per"]))
    assert spanrs.score(gold, gold).with_types(["per"]).warnings == [
        "there are no spans of the scored types"
    ]


def test_numbers_are_types_among_others_and_forgotten_names_by_themselves():
    assert spanrs.score([["B-1", "O", "B-V"]], [["B-1", "O", "B-V"]]).warnings == []
    with pytest.warns(spanrs.SpanrsWarning, match="types like 1 look like ids"):
        spanrs.score([["B-1", "O", "B-2"]], [["B-1", "O", "B-2"]])


def test_types_with_white_space_around_them_give_a_warning():
    lines = ["B-PER O B-LOC\n", "O B-PER O\n"]
    unstripped = [line.split(" ") for line in lines]
    with pytest.warns(spanrs.SpanrsWarning, match=r"the type 'LOC\\n' begins or ends with white space"):
        spanrs.score([line.split() for line in lines], unstripped, scheme="BIO")


def test_numbers_that_are_read_as_tokens_give_a_warning():
    def score(text, **options):
        source = (io.BytesIO(text) for _ in range(2))
        return spanrs.score(*source, **options)

    text = b"1\tEU\tB-ORG\n2\tof\tO\n\n1\tBob\tB-PER\n2\tate\tO\n3\tit\tO\n"
    message = (
        "<stream>: column 0 is read as the tokens but contains their numbers; specify the column of the tokens "
        "(--token-column 1, in Python tokens=1)"
    )
    assert score(text).warnings == [message]
    assert score(text, tokens=1).warnings == []
    layers = text.replace(b"\n", b"\tO\n").replace(b"\tO\n\tO\n", b"\tO\n\n").replace(b"\n\tO\n", b"\n\n")
    assert score(layers, tags=(2, 3)).warnings == [message]
    assert score(layers, tags=(2, 3), tokens=1).warnings == []
    assert score(text.replace(b"2\tof", b"5\tof")).warnings == []


def test_sides_are_what_they_should_be():
    with pytest.raises(TypeError, match="expected sentences of tags, got None"):
        spanrs.score(None, [["O"]])
    with pytest.raises(FileNotFoundError, match=r"a\.conll"):
        spanrs.score("a.conll", "b.conll")
