"""Known answers of some documents or sentences, from a file or an annotator."""

from __future__ import annotations

import json

import pytest

import spanrs
from spanrs.crowd import consensus, crowd_corpus, crowd_layers, read_table
from spanrs.errors import AlignmentError, FormatError, ModelError, SchemeError, SpanrsWarning
from spanrs.io import Annotation, Document, Layer

TEXTS = ("Bob saw Rome", "Eve left", "Ada met Bob\nin Oslo")
BOB = Annotation("PER", 0, 3)


def lines(path, *records):
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def record(text, *spans, **more):
    return {"text": text, "label": [list(span) for span in spans]} | more


@pytest.fixture
def export(tmp_path):
    """An export of three annotators, of whom two mark the first word of each text, and one skips the first text."""
    documents = []
    for at, text in enumerate(TEXTS, 1):
        layers = [Layer("ann"), Layer("ben"), Layer("cy", "empty" if at > 1 else "skipped")]
        spans = [BOB, BOB._replace(layer=1)]
        documents.append(Document(text, spans, str(at), name=f"d{at}", layers=layers))
    spanrs.write(documents, tmp_path / "export.json", to="label-studio")
    return tmp_path / "export.json"


def known_of(corpus):
    """The known labels by sentence."""
    return {at: [corpus.labels[label] for label in row] for at, row in corpus.known.items()}


@pytest.mark.filterwarnings("ignore:.*not an answer")
def test_documents_are_paired_by_id_or_name_or_text(tmp_path, export):
    gold = record(TEXTS[2], (8, 11, "PER"), (15, 19, "LOC"))
    labels = {2: ["O", "O", "B-PER"], 3: ["O", "B-LOC"]}
    for more in ({"id": 3}, {"id": 77}, {}, {"id": "x", "name": "d3"}):
        corpus = crowd_corpus(export, known=lines(tmp_path / "gold.jsonl", gold | more))
        assert known_of(corpus) == labels
    # White space may differ, but never the order decides.
    moved = record("Ada  met Bob in Oslo", (9, 12, "PER"), (16, 20, "LOC"))
    corpus = crowd_corpus(export, known=lines(tmp_path / "gold.jsonl", moved))
    assert known_of(corpus) == labels
    document = consensus(export, "MVtoken", known=tmp_path / "gold.jsonl").documents[2]
    assert [(a.type, a.start, a.end) for a in document.annotations] == [("PER", 8, 11), ("LOC", 15, 19)]
    assert {a.attributes["confidence"] for a in document.annotations} == {1.0}


@pytest.mark.filterwarnings("ignore:.*not an answer")
def test_known_documents_without_annotations_are_known_negatives(tmp_path, export):
    result = consensus(export, "MVtoken", known=lines(tmp_path / "gold.jsonl", record(TEXTS[0])))
    assert known_of(result.corpora[0]) == {0: ["O", "O", "O"]}
    assert result.documents[0].annotations == []
    assert [document.layers[0].answer for document in result.documents] == ["empty", "given", "given"]
    # Without the known answer, two annotators of two decide.
    assert len(consensus(export, "MVtoken").documents[0].annotations) == 1


@pytest.mark.filterwarnings("ignore:.*not an answer")
def test_known_documents_need_no_annotators(tmp_path, export):
    known = lines(tmp_path / "gold.jsonl", record(TEXTS[0], (0, 3, "PER")))
    assert consensus(export, "MVtoken", known=known, min_annotators=3).without_consensus == []
    assert consensus(export, "MVtoken", min_annotators=3).without_consensus == [0]


@pytest.mark.filterwarnings("ignore:.*not an answer")
def test_known_answers_may_overlap_and_have_other_types(tmp_path, export):
    spans = [(0, 12, "EVENT"), (0, 3, "PER"), (8, 12, "LOC")]
    known = lines(tmp_path / "gold.jsonl", record(TEXTS[0], *spans))
    layers = crowd_layers(export, known=known)
    assert [sorted({label[2:] for label in layer.labels} - {""}) for layer in layers] == [
        ["EVENT"],
        ["LOC", "PER"],
    ]
    document = consensus(export, "BSC-seq", known=known).documents[0]
    assert sorted((a.start, a.end, a.type) for a in document.annotations) == sorted(spans)


@pytest.mark.filterwarnings("ignore:.*not an answer")
def test_gold_of_other_formats(tmp_path, export):
    gold = Document(TEXTS[0], [BOB, Annotation("LOC", 8, 12)], "1", name="d1")
    expected = {0: ["B-PER", "O", "B-LOC"]}
    for form in ("brat", "label-studio", "gate-xml", "mat-json", "csv-spans"):
        spanrs.write([gold], tmp_path / form, to=form)
        assert known_of(crowd_corpus(export, known=tmp_path / form)) == expected
    assert known_of(crowd_corpus(export, known=[gold])) == expected
    (tmp_path / "gold.conll").write_text("Bob B-PER\nsaw O\nRome B-LOC\n", encoding="utf-8")
    assert known_of(crowd_corpus(export, known=tmp_path / "gold.conll")) == expected


@pytest.mark.filterwarnings("ignore:.*not an answer")
def test_documents_that_are_not_paired(tmp_path, export):
    other = record("Zoe slept", (0, 3, "PER"), id=9)
    with pytest.warns(
        SpanrsWarning, match=r"1 of 2 known documents are not in .*export\.json, the first: 9"
    ):
        crowd_corpus(export, known=lines(tmp_path / "gold.jsonl", record(TEXTS[0]), other))
    with pytest.raises(
        AlignmentError, match="is among the 1 known documents: neither ids nor texts are equal"
    ):
        crowd_corpus(export, known=lines(tmp_path / "gold.jsonl", other))
    wrong = record("Bob saw Paris", id=1)
    with pytest.raises(AlignmentError, match="document 1: its text differs from the text of d1 in"):
        crowd_corpus(export, known=lines(tmp_path / "gold.jsonl", record(TEXTS[1]), wrong))
    twice = [record(TEXTS[0], (0, 3, "PER")), record(TEXTS[0], (0, 3, "ORG"))]
    with pytest.raises(AlignmentError, match="document d1 has two different true annotations"):
        crowd_corpus(export, known=lines(tmp_path / "gold.jsonl", *twice))
    crowd_corpus(export, known=lines(tmp_path / "gold.jsonl", twice[0], twice[0]))


@pytest.mark.filterwarnings("ignore:.*not an answer")
def test_skipped_gold_is_unknown(tmp_path, export):
    gold = [
        Document(TEXTS[0], [], "1", layers=[Layer("boss", "skipped")]),
        Document(TEXTS[1], [], "2", layers=[Layer("boss", "empty")]),
    ]
    spanrs.write(gold, tmp_path / "gold.json", to="prodigy")
    assert set(crowd_corpus(export, known=tmp_path / "gold.json").known) == {1}


@pytest.mark.filterwarnings("ignore:.*not an answer")
def test_an_annotator_may_be_known(tmp_path, export):
    result = consensus(export, "MVtoken", known_annotator="cy")
    assert result.corpora[0].annotators == ["ann", "ben"]
    assert set(result.corpora[0].known) == {1, 2, 3}
    assert [len(document.annotations) for document in result.documents] == [1, 0, 0]
    assert crowd_corpus(export, annotators=["ann"], known_annotator="cy").annotators == ["ann"]
    with pytest.raises(FormatError, match="no annotator eve"):
        crowd_corpus(export, known_annotator="eve")
    # With a gold file, the annotator is one of its annotators.
    gold = [Document(TEXTS[0], [BOB._replace(layer=1)], "1", layers=[Layer("x", "empty"), Layer("y")])]
    spanrs.write(gold, tmp_path / "gold.json", to="label-studio")
    for name, label in (("x", "O"), ("y", "B-PER")):
        corpus = crowd_corpus(export, known=tmp_path / "gold.json", known_annotator=name)
        assert known_of(corpus)[0][0] == label


def test_annotators_without_a_shared_document_are_compared_by_known_answers(tmp_path):
    ann = lines(tmp_path / "ann.jsonl", record("Bob saw", (0, 3, "PER")), record("Ada ran"))
    ben = lines(tmp_path / "ben.jsonl", record("Eve left", (0, 3, "PER")))
    with pytest.raises(AlignmentError, match="no two annotators have a document in common"):
        crowd_corpus([ann, ben])
    with pytest.warns(SpanrsWarning, match="3 of 3 sentences have one annotator"):
        assert set(crowd_corpus([ann, ben], known=ann).known) == {0, 1}


COLUMNS = "Bob B-PER O\nsaw O O\n\nEve O O\nleft O O\n\nBob O O\nsaw O O\n"


@pytest.fixture
def columns(tmp_path):
    path = tmp_path / "answers.txt"
    path.write_text(COLUMNS, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("gold", "known"),
    [
        # All sentences, some unknown: paired by order.
        (
            "Bob B-PER\nsaw O\n\nEve ?\nleft ?\n\nBob O\nsaw O\n",
            {0: ["B-PER", "O"], 2: ["O", "O"]},
        ),
        # A subset is paired by tokens.
        ("Eve B-PER\nleft O\n", {1: ["B-PER", "O"]}),
        ("Bob S-PER\nsaw O\n", {0: ["B-PER", "O"], 2: ["B-PER", "O"]}),
        ("Bob B-PER\nsaw O\n\nBob B-PER\nsaw O\n", {0: ["B-PER", "O"], 2: ["B-PER", "O"]}),
    ],
)
def test_sentences(tmp_path, columns, gold, known):
    (tmp_path / "gold.conll").write_text(gold, encoding="utf-8")
    corpus = crowd_corpus(columns, known=tmp_path / "gold.conll")
    assert known_of(corpus) == known
    assert corpus.annotators == ["1", "2"]
    result = consensus(columns, "MVtoken", known=tmp_path / "gold.conll", min_annotators=3)
    assert result.labels == [known.get(at) for at in range(3)]


def test_sentences_of_tables_and_known_columns(tmp_path, columns):
    corpus = crowd_corpus(columns, known_annotator="1")
    assert known_of(corpus) == {0: ["B-PER", "O"], 1: ["O", "O"], 2: ["O", "O"]}
    assert (corpus.annotators, len(corpus.annotations)) == (["2"], 3)
    rows = {"annotator": ["x", "y"], "document": ["d", "d"], "token": ["Bob"] * 2, "label": ["O", "B-PER"]}
    corpus = crowd_corpus(read_table(rows), known_annotator="y")
    assert known_of(corpus) == {0: ["B-PER"]}


@pytest.mark.parametrize(
    ("gold", "error", "message"),
    [
        ("Zoe O\nslept O\n", AlignmentError, "no sentence of the annotations is among the known sentences"),
        ("Bob B-PER\nsaw O\n\nBob O\nsaw O\n", AlignmentError, "sentences 0 and 1 have the same tokens"),
        ("Bob B-PER\nsaw ?\n\nEve O\nleft O\n", ModelError, "only a part of the sentence is labelled"),
        ("Bob NOUN\nsaw VERB\n", SchemeError, "the known labels are not tags of a scheme"),
    ],
)
def test_sentences_that_cannot_be_known(tmp_path, columns, gold, error, message):
    (tmp_path / "gold.conll").write_text(gold, encoding="utf-8")
    with pytest.raises(error, match=message):
        crowd_corpus(columns, known=tmp_path / "gold.conll")


def test_some_known_sentences_are_absent(tmp_path, columns):
    (tmp_path / "gold.conll").write_text("Eve O\nleft O\n\nZoe O\n", encoding="utf-8")
    with pytest.warns(SpanrsWarning, match="1 of 2 known sentences are not among the annotated sentences"):
        assert set(crowd_corpus(columns, known=tmp_path / "gold.conll").known) == {1}
