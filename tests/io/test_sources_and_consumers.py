"""All sources of labelled text with all functions that accept them: they work, or are refused with advice."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import spanrs
from corpus_sources import OF_TEXT, OPTIONS, SENTENCES, SOURCES, WITHOUT_TOKENS, tags, tokens
from spanrs.crf import CRF
from spanrs.crowd import crowd_corpus
from spanrs.errors import SpanrsError, SpanrsWarning

#: Result of spans in memory.
EXPECTED = spanrs.score(tags("gold"), tags("pred"))
#: These sources have the same tags as in memory; others have spans.
OF_TAGS = (
    "columns",
    "CoNLL-U",
    "CSV",
    "CSV in long form",
    "Parquet",
    "Arrow",
    "directory",
    "pattern",
    "open file",
)


@pytest.fixture(params=SOURCES)
def name(request):
    """The name of a source."""
    if request.param == "DuckDB":
        pytest.importorskip("duckdb", reason="DuckDB is not installed")
    if request.param == "Hugging Face":
        pytest.importorskip("datasets", reason="datasets is not installed")
    if request.param == "DocBin":
        pytest.importorskip("spacy", reason="spaCy is not installed")
    return request.param


@pytest.fixture
def sides(name, tmp_path):
    """Gold and pred as the source, and their reading options."""
    with warnings.catch_warnings():
        # Items that a format cannot represent are listed, as tested elsewhere.
        warnings.simplefilter("ignore", SpanrsWarning)
        created = [SOURCES[name](tmp_path, side) for side in ("gold", "pred")]
    return *created, OPTIONS.get(name, {})


def test_score(name, sides):
    gold, pred, options = sides
    result = spanrs.score(gold, pred, **options)
    assert result.totals == EXPECTED.totals
    assert {ty: score.f1 for ty, score in result.per_type.items()} == {
        ty: score.f1 for ty, score in EXPECTED.per_type.items()
    }
    assert result.outcomes == EXPECTED.outcomes
    if name in OF_TAGS:
        assert result.accuracy == EXPECTED.accuracy


#: Read by the compiled reader, which reports after a megabyte.
OF_BYTES = ("columns", "CoNLL-U", "open file", "layers", "span file", "stacked")


def test_progress(name, sides):
    gold, pred, options = sides
    done = []
    spanrs.score(gold, pred, progress=done.append, **options)
    assert done == sorted(done)
    if name in OF_BYTES:
        return
    assert done
    assert done[0] > 0

    def stop(_):
        raise KeyboardInterrupt

    gold, pred, options = sides
    with pytest.raises(KeyboardInterrupt):
        spanrs.score(gold, pred, progress=stop, **options)


def test_errors(name, sides):
    gold, pred, options = sides
    result = spanrs.score(gold, pred, errors=True, **options)
    assert result.errors.outcomes == {"missed": 3, "spurious": 3, "mistyped": 3}
    shown = [error.tokens[error.gold.start - error.first : error.gold.end - error.first] for error in result.errors
             if error.gold is not None and error.tokens and name not in OF_TEXT]  # fmt: skip
    if name not in (*OF_TEXT, *WITHOUT_TOKENS):
        assert [" ".join(words) for words in shown] == ["New York", "Ada"] * 3


def test_compare(name, sides, tmp_path):
    gold, pred, options = sides
    unit = "document" if name in OF_TEXT else "sentence"
    if name == "open file":
        # A stream can be read once, so the second system needs another one.
        with pytest.raises(SpanrsError):
            spanrs.compare(gold, {"a": pred, "b": gold}, by=unit, samples=20, **options)
        return
    comparison = spanrs.compare(gold, {"a": pred, "b": gold}, by=unit, samples=20, **options)
    assert (comparison.systems["a"].value, comparison.systems["b"].value) == (EXPECTED.micro.f1, 1.0)
    assert comparison.documents == len(SENTENCES)


def test_crf_train(name, sides):
    gold, _, options = sides
    corpus = spanrs.read(gold, **options)
    if name in WITHOUT_TOKENS:
        with pytest.raises(
            spanrs.errors.FormatError, match="no tokens to train on; choose the column of tokens"
        ):
            CRF().fit(corpus)
        return
    crf = CRF(max_iter=30).fit(corpus)
    assert crf.predict(tokens()[:3]) == tags("gold")[:3]


def test_agreement(name, sides, tmp_path):
    gold, pred, options = sides
    first, second = (spanrs.read(side, **options) for side in (gold, pred))
    if first.parts[0].path is None or len(first.parts) > 1:
        # Annotators are separate files or layers of one file; in memory they are scored against each other.
        assert spanrs.score(first, second).micro.f1 == EXPECTED.micro.f1
        return
    pair = spanrs.read([Path(first.parts[0].path), Path(second.parts[0].path)], **options)
    if name in WITHOUT_TOKENS:
        with pytest.raises(spanrs.errors.FormatError, match="no tokens"):
            spanrs.agreement(pair)
        return
    assert spanrs.agreement(pair).pairs[0].f1 == pytest.approx(EXPECTED.micro.f1)


@pytest.mark.parametrize("form", ["label-studio", "prodigy"])
def test_agreement_of_the_annotators_of_an_export(form, tmp_path):
    import json

    rows = list(zip(tokens(), tags("gold"), tags("pred"), strict=True))
    path = tmp_path / "export"
    records = []
    for at, (words, *pair) in enumerate(rows):
        text = " ".join(words)
        starts = [len(" ".join(words[:token])) + bool(token) for token in range(len(words))]
        bounds = [
            [
                (span.type, starts[span.start], starts[span.end - 1] + len(words[span.end - 1]))
                for span in spanrs.tags.tags_to_spans(values)
            ]
            for values in pair
        ]
        text = f"{text} {at}"
        if form == "prodigy":
            records += [
                {
                    "text": text,
                    "spans": [{"label": t, "start": s, "end": e} for t, s, e in values],
                    "_annotator_id": who,
                }
                for who, values in zip(("ann", "eve"), bounds, strict=True)
            ]
            continue
        annotations = [
            {
                "completed_by": who,
                "result": [
                    {"type": "labels", "value": {"start": s, "end": e, "labels": [t], "text": text[s:e]}}
                    for t, s, e in values
                ],
            }
            for who, values in zip(("ann", "eve"), bounds, strict=True)
        ]
        records.append({"id": at, "data": {"text": text}, "annotations": annotations})
    lines = json.dumps(records) if form == "label-studio" else "\n".join(map(json.dumps, records))
    path.write_text(lines, encoding="utf-8")
    corpus = spanrs.read(path)
    assert (corpus.parts[0].format, corpus.layers) == (form, ["ann", "eve"])
    assert spanrs.agreement(path).pairs[0].f1 == pytest.approx(EXPECTED.micro.f1)
    assert spanrs.score(corpus["ann"], corpus["eve"]).totals == EXPECTED.totals
    assert crowd_corpus(corpus).annotators == ["ann", "eve"]
    with pytest.raises(KeyError, match="no layer 'bob'; the layers are ann, eve"):
        corpus["bob"]


def test_columns_against_spans_of_characters(tmp_path):
    gold, pred = SOURCES["columns"](tmp_path, "gold"), SOURCES["doccano"](tmp_path, "pred")
    with pytest.raises(spanrs.errors.AlignmentError, match="align='characters'"):
        spanrs.score(gold, pred)
    whole = spanrs.read(pred)
    joined = spanrs.Document(
        "\n".join(document.text for document in whole.documents),
        _shifted(list(whole.documents)),
    )
    assert spanrs.score(gold, joined, align="characters").totals == EXPECTED.totals


def _shifted(documents):
    collected, at = [], 0
    for document in documents:
        collected += [a._replace(start=a.start + at, end=a.end + at) for a in document.annotations]
        at += len(document.text) + 1
    return collected
