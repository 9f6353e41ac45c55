"""Common mistakes of callers raise an error with advice and never yield a misleading score."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pytest

import spanrs
from spanrs import Result, mat
from spanrs.errors import AlignmentError, FormatError, SchemeError
from spanrs.eval import Measure, Ratio
from spanrs.eval.matchers import from_dict
from spanrs.eval.tables import tables
from spanrs.io import Document

A = [["B-A"]]
RESULT = spanrs.score(A * 2, [*A, ["O"]], scheme="BIO", by=[1, 1])

REFUSED = {
    "names of too few sentences": (
        lambda: spanrs.score(A * 3, A * 3, by=["a", "b"]),
        AlignmentError,
        "gives the document of 2 sentences, but there are 3",
    ),
    "measures by name": (lambda: RESULT.bootstrap(["micro"]), TypeError, "Measure or Ratio, not str"),
    "no samples": (
        lambda: RESULT.bootstrap(samples=0),
        ValueError,
        "samples must be an integer of at least 1",
    ),
    "an outcome of another matcher": (
        lambda: RESULT.bootstrap(Ratio({"tp": 1}, {"match": 1})),
        ValueError,
        "no outcome 'tp'; expected one of match, missed",
    ),
    "a ratio of nothing": (lambda: RESULT.bootstrap(Ratio({}, {})), ValueError, "in the denominator"),
    "an unknown measure": (
        lambda: Measure("macro"),
        ValueError,
        "unknown measure 'macro'; expected one of precision, recall, f1",
    ),
    "a matcher of documents by its name": (
        lambda: spanrs.score(A, A, matcher="mat"),
        ValueError,
        r"expected one of exact, partial, fair, characters, strings(, dep)?; pass spanrs.mat.Mat\(\)",
    ),
    "a change of the scores of types": (
        lambda: RESULT.per_type.update({}),
        AttributeError,
        "no attribute 'update'",
    ),
    "training on a number": (
        lambda: spanrs.dep.Parser().fit(3),
        TypeError,
        "sentences must be a path.* not int",
    ),
    "training on lists": (
        lambda: spanrs.crowd.BSCSeq().fit([["a"]]),
        TypeError,
        "as a spanrs.crowd.CrowdCorpus",
    ),
    "an unknown average": (
        lambda: Measure("f1", average="type"),
        ValueError,
        "unknown average 'type'; expected one of micro, macro, weighted",
    ),
    "an average of one type": (
        lambda: Measure("f1", average="macro", type="A"),
        ValueError,
        "average='macro' is over all types; omit average or type",
    ),
    "a negative beta": (
        lambda: Measure(beta=-1),
        ValueError,
        "beta must be a number of at least 0, not -1",
    ),
    "a beta that is no number": (
        lambda: Measure(beta=float("nan")),
        ValueError,
        "beta must be a number of at least 0, not nan",
    ),
    "a bool as a number": (lambda: Measure(beta=True), TypeError, "beta must be a number, not bool"),
    "a bool as an integer": (
        lambda: RESULT.bootstrap(samples=True),
        TypeError,
        "samples must be an integer, not bool",
    ),
    "bools as weights": (
        lambda: RESULT.with_document_weights(np.array([True, False])),
        TypeError,
        "weight 0 must be a number, not bool",
    ),
    "bools as weights of errors": (
        lambda: spanrs.Fair(weights={"LE": {"FP": True}}),
        ValueError,
        "FP is True; weights must be finite numbers",
    ),
    "types that are numbers": (
        lambda: spanrs.Fair(types=[1]),
        TypeError,
        "types must contain types as str",
    ),
    "iteration": (lambda: list(RESULT), TypeError, "not iterable"),
    "the end of a document": (lambda: spanrs.Scorer().end_document(), TypeError, 'by="document"'),
    "json without state": (
        lambda: spanrs.Result.from_json(RESULT.to_json(state=False)),
        FormatError,
        "with its state; write it with Result.to_json",
    ),
    "tags where texts are wanted": (
        lambda: spanrs.score(A, A, matcher=mat.Mat(), on_error="skip"),
        TypeError,
        "the mat matcher compares texts; pass files or spanrs.io.Document objects",
    ),
    "texts that differ": (
        lambda: spanrs.score(Document("Bob", []), Document("Rob", []), matcher=mat.Mat(), on_error="skip"),
        FormatError,
        "nothing was scored: all pairs were skipped",
    ),
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_has_no_meaning_is_refused(call):
    run, kind, message = REFUSED[call]
    with pytest.raises(kind, match=message):
        run()


@pytest.mark.parametrize(
    "pair",
    [
        ([], ["A"]),
        ({"A": None}, {"A": ""}),
        (["A,B"], ["A", "B"]),
        ({"A": "B,C=D"}, {"A": "B", "C": "D"}),
        (["[]"], []),
    ],
    ids=str,
)
def test_other_types_have_another_signature(pair):
    first, second = (RESULT.with_types(types) for types in pair)
    assert first.signature != second.signature
    with pytest.raises(SchemeError, match="different settings cannot be merged"):
        first.merge(second)


def test_options_that_differ_a_little_have_another_signature():
    first, second = (spanrs.Partial(min_overlap=share).settings() for share in (1 / 3, 0.33333333))
    assert first != second
    assert spanrs.Fair(types=["A,B"]).settings() != spanrs.Fair(types=["A", "B"]).settings()
    assert RESULT.with_types({}).signature == RESULT.signature


def test_numbers_of_numpy_are_options():
    result = spanrs.score(A, A, matcher=spanrs.Partial(min_overlap=np.float32(0.25)))
    assert spanrs.Result.from_json(result.to_json()).matcher == spanrs.Partial(min_overlap=0.25)


def test_one_measure_is_a_column():
    assert RESULT.bootstrap(Measure(), samples=3).values.shape == (3, 1)
    assert "span" in RESULT
    assert "bounds" not in RESULT


@pytest.mark.parametrize("documents", [["x", "y"], [1, 1]], ids=["names", "sizes"])
def test_sentences_before_named_documents_are_a_document(documents):
    scorer = spanrs.Scorer(scheme="BIO", by="document")
    scorer.update(A * 3, A * 3)
    scorer.update(A * 2, A * 2, by=documents)
    scorer.update(A, A)
    assert [row.sentences for row in scorer.result().documents] == [3, 1, 1, 1]


@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_dummies_of_span_files_are_no_spans(matcher):
    gold = b"PER\t1\t2\t1, 2\n\nEMPTY\t999\t999\t999\n\nNONE\t1\t1\t1\n"
    pred = b"EMPTY\t999\t999\t999\n\nEMPTY\t999\t999\t999\n\nNONE\t1\t1\t1\n"
    result = spanrs.score(io.BytesIO(gold), io.BytesIO(pred), matcher=matcher)
    assert (result.micro.f1, result.micro.support) == (0, 1)
    assert "|exclude:EMPTY,NONE|" in f"|{result.signature}|"


def test_notebooks_show_some_of_many_documents():
    many = spanrs.score(A * 1000, A * 1000, scheme="BIO", by=[1] * 1000)
    shown = many._repr_html_()
    assert "<td>and 800 more</td>" in shown
    assert shown.count("<tr>") < 220
    assert many.to_markdown(documents=True).count("\n|") > 1000


def test_matchers_with_options_are_never_without():
    plain = spanrs.score(A, [["B-B"]], matcher=spanrs.eval.Matcher("fair"))
    assert plain.signature == spanrs.score(A, [["B-B"]], matcher="fair").signature
    assert plain.micro == spanrs.score(A, [["B-B"]], matcher="fair").micro


def test_options_of_matchers_nobody_knows_are_kept():
    options = {"name": "mat 2", "depth": 3}
    assert from_dict(options).to_dict() == options
    assert hash(from_dict(options)) == hash(from_dict(options))


@pytest.mark.parametrize("align", ["report", "ignore"])
def test_tokens_that_differ_are_those_of_a_document(tmp_path, align):
    gold, pred, tags = tmp_path / "gold", tmp_path / "pred", tmp_path / "tags"
    gold.write_text("a B-A\n\n-DOCSTART- O\n\nb O\n", "utf-8")
    pred.write_text("x B-A\n\n-DOCSTART- O\n\ny O\n", "utf-8")
    tags.write_text("B-A\n\nO\n\nO\n", "utf-8")
    scorer = spanrs.Scorer(scheme="BIO", by="document", align=align)
    for side in (pred, pred):
        scorer.update(gold, side)
        stored = spanrs.Result.from_bytes(scorer.result().to_bytes())
        assert stored.to_dict() == scorer.result().to_dict()
    rows = [(row.sentences, row.totals.tp) for row in scorer.result().documents]
    assert sum(sentences for sentences, _ in rows) == scorer.result().sentences
    assert spanrs.Result.from_json(scorer.result().to_json()).counts == scorer.result().counts


def test_counts_that_differ_are_not_equal():
    first, second = (spanrs.score(A, pred, scheme="BIO") for pred in (A, [["O"]]))
    assert first.counts != second.counts
    assert first.counts == spanrs.score(A, A, scheme="BIO").counts


@pytest.mark.parametrize("show", [tables, Result.to_csv, Result.to_html, Result.to_dict])
def test_no_criteria_are_all_and_one_name_is_refused(show):
    result = spanrs.score(A, A, matcher="partial")
    assert str(show(result, criteria=[])) != ""
    with pytest.raises((TypeError, KeyError), match=r"criteria must be a sequence|no criterion 's'"):
        show(result, criteria="strict")


def test_rows_of_bounds_alone_are_refused_where_there_are_none():
    for show in (tables, Result.to_dict):
        with pytest.raises(SchemeError):
            show(spanrs.score(A, A, matcher="partial"), untyped=True)


def test_details_of_arrow_columns_need_every_token():
    column = pa.array([["B-A", None], ["O"]])
    assert spanrs.score(column, column, scheme="BIO").totals.tp == 1
    with pytest.raises(TypeError, match="sentence 0 has a null"):
        spanrs.score(column, column, scheme="BIO", details=True)
    filled = pa.array([["B-A", "O"], ["O"]])
    assert len(spanrs.score(filled, filled, scheme="BIO", details=True).details["span"]) == 1
    spans = spanrs.score(io.BytesIO(b"A\t1\t1\t1\n"), io.BytesIO(b"A\t1\t1\t1\n"))
    assert "scheme" not in spans.settings
