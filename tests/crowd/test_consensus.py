"""Consensus of documents: layers of types, confidence, abstentions, and writing in the format of the export."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

import spanrs
from spanrs.crowd import MajorityVote, consensus, crowd_corpus, crowd_layers
from spanrs.crowd.consensus_files import consensus_format
from spanrs.crowd.layers import coloured
from spanrs.errors import FormatError, ModelError, SpanrsWarning
from spanrs.io import Annotation, Document, Layer, Relation
from spanrs.io.documents import plain_document

NAMES = ("ann", "ben", "cy")
TEXTS = (
    "New York City Hall employs Bob.",
    "Nothing to see here.",
    "left and right hand of Ann\nin Oslo 3.5km",
)
#: Nested spans of different types, no spans, and spans of several lines, within tokens, and with attributes.
SPANS = (
    [Annotation("ORG", 0, 18), Annotation("LOC", 0, 8), Annotation("PER", 27, 30)],
    [],
    [Annotation("SIDE", 0, 19), Annotation("PER", 23, 34), Annotation("NUM", 35, 38)],
)
EXPORTS = (
    *("label-studio", "label-studio-min", "label-studio-csv", "prodigy", "csv-spans", "gate-xml"),
    *("bioc-json", "bioc-xml"),
)
SINGLE = ("brat", "doccano", "uima-xmi", "webanno-tsv", "mat-json", "pubtator")
#: Formats in which the text of a document is one line.
ONE_LINE = ("pubtator",)


def single(answers=SPANS, texts=TEXTS):
    """The documents of one annotator."""
    rows = enumerate(zip(texts, answers, strict=True), 1)
    return [Document(text, spans, str(at), name=f"doc{at}.txt") for at, (text, spans) in rows]


def layered(answers, texts=TEXTS, names=NAMES):
    """Documents with the answers of several annotators: spans, or ``skipped`` or ``rejected``, or None for no layer."""
    documents = []
    for at, text in enumerate(texts):
        layers, annotations = [], []
        for name, given in zip(names, answers, strict=True):
            answer = given[at]
            if answer is None:
                continue
            if isinstance(answer, str):
                layers.append(Layer(name, answer))
                continue
            annotations += [a._replace(layer=len(layers)) for a in answer]
            layers.append(Layer(name, "given" if answer else "empty"))
        documents.append(Document(text, annotations, str(at + 1), name=f"doc{at + 1}.txt", layers=layers))
    return documents


def content(document):
    """The annotations of a document, without tokens."""
    return sorted(
        (a.type, a.start, a.end, tuple(map(tuple, a.pieces))) for a in document.annotations if a.is_content
    )


def read_back(path, written):
    corpus = spanrs.read(
        path, **{name: value for name, value in written.options.items() if name != "layer"}
    )
    return [plain_document(core) for part in corpus.parts for core in corpus.layered_documents(part)]


def export(path, form, answers):
    spanrs.write(layered(answers), path, to=form)
    return path


def project(tmp_path, form, answers=SPANS):
    """An export with three unanimous annotators, or a source for each annotator."""
    texts = [text.replace("\n", " ") for text in TEXTS] if form in ONE_LINE else TEXTS
    if form in EXPORTS:
        return export(tmp_path / "source", form, [answers] * 3)
    sources = {name: tmp_path / name for name in NAMES}
    for path in sources.values():
        spanrs.write(single(answers, texts), path, to=form)
    return sources


@pytest.mark.filterwarnings("ignore:not written")
@pytest.mark.parametrize("form", [*EXPORTS, *SINGLE])
def test_the_consensus_of_unanimous_annotators_is_their_annotations(tmp_path, form):
    source = project(tmp_path, form)
    result = consensus(source, "MVtoken")
    expected = [content(document) for document in single()]
    seen = [document for document in result.documents if document.layers[0].answer != "skipped"]
    if form.startswith("bioc"):
        # BioC only has annotators with annotations.
        assert [document.layers[0].answer for document in result.documents] == ["given", "skipped", "given"]
        expected.remove([])
    assert [content(document) for document in seen] == expected
    assert all(a.attributes["confidence"] == 1 for d in seen for a in d.annotations if a.is_content)
    written = result.write(tmp_path / "out")
    assert written.format == ("label-studio" if form == "label-studio-min" else form)
    back = read_back(tmp_path / "out", written)
    assert [content(document) for document in back] == expected
    if form not in ("brat", "webanno-tsv", "mat-json"):
        assert [document.id for document in back] == [document.id for document in seen]


CONFIDENT = {
    "gate-xml": ("confidence", "0.6667"),
    "csv-spans": ("confidence", "0.6667"),
    "bioc-json": ("confidence", "0.6667"),
    "bioc-xml": ("confidence", "0.6667"),
    "brat": ("note", "confidence 0.6667"),
    "uima-xmi": ("confidence", "0.6667"),
    "webanno-tsv": ("confidence", "0.6667"),
    "mat-json": ("confidence", "0.6667"),
}
DISSENT = [SPANS, SPANS, [SPANS[0][1:], *SPANS[1:]]]


@pytest.mark.filterwarnings("ignore:not written")
@pytest.mark.parametrize("form", CONFIDENT)
def test_the_confidence_is_an_attribute(tmp_path, form):
    result = consensus(export(tmp_path / "source.json", "label-studio", DISSENT), "MVtoken")
    written = result.write(tmp_path / "out", form, lossy=True)
    [city_hall] = [a for a in read_back(tmp_path / "out", written)[0].annotations if a.type == "ORG"]
    name, value = CONFIDENT[form]
    assert city_hall.attributes[name] == value


def test_the_confidence_is_the_score_of_a_region_or_span(tmp_path):
    result = consensus(export(tmp_path / "source.json", "label-studio", DISSENT), "MVtoken")
    result.write(tmp_path / "out.json")
    [annotation] = json.loads((tmp_path / "out.json").read_text())[0]["annotations"]
    scores = {region["value"]["labels"][0]: region["score"] for region in annotation["result"]}
    assert scores == {"ORG": 0.6667, "LOC": 1.0, "PER": 1.0}
    assert "completed_by" not in annotation
    result.write(tmp_path / "named.json", annotator="boss@example.org")
    [annotation] = json.loads((tmp_path / "named.json").read_text())[0]["annotations"]
    assert annotation["completed_by"] == {"email": "boss@example.org"}
    written = result.write(tmp_path / "out.jsonl", "prodigy")
    record = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert {span["label"]: span["score"] for span in record["spans"]} == scores
    assert (record["_annotator_id"], record["answer"], written.left_out) == ("consensus", "accept", [])
    written = result.write(tmp_path / "doccano.jsonl", "doccano")
    assert written.left_out == ["the confidence of annotations, which doccano has no place for: 6"]


def test_the_confidence_of_a_span_is_the_lowest_of_its_tokens():
    bob = Annotation("PER", 0, 7)
    answers = {"a": [bob], "b": [bob], "c": [Annotation("PER", 0, 3)]}
    result = consensus({name: Document("Bob Lee sat", spans) for name, spans in answers.items()}, "MVtoken")
    [annotation] = result.documents[0].annotations
    assert (annotation.start, annotation.end) == (0, 7)
    assert annotation.attributes["confidence"] == pytest.approx(2 / 3)


def test_everything_else_in_a_label_studio_export_is_kept(tmp_path):
    region = {"id": "x", "from_name": "ner", "to_name": "content", "type": "labels"}
    value = {"start": 0, "end": 3, "text": "Bob", "labels": ["PER"]}
    made = {"id": 7, "completed_by": 1, "result": [region | {"value": value}], "was_cancelled": False}
    task = {
        "id": 5,
        "data": {"content": "Bob saw Rome", "url": {"a": 1}},
        "annotations": [made, made | {"id": 8, "completed_by": 2}],
        "predictions": [{"model_version": "m", "result": []}],
        "meta": {"page": 3},
        "inner_id": 4,
        "total_annotations": 2,
        "drafts": [{"id": 1}],
    }
    unannotated = {"id": 6, "data": {"content": "Ann left"}, "annotations": []}
    skipped = {"id": 9, "data": {"content": "Eve"}, "annotations": [made | {"was_cancelled": True}]}
    path = tmp_path / "source.json"
    path.write_text(json.dumps([task, unannotated, skipped]), encoding="utf-8")
    with pytest.warns(SpanrsWarning, match="skipped or rejected by annotators, which is not an answer: 1"):
        result = consensus(path, "MVtoken")
    assert result.without_consensus == [1, 2]
    result.write(tmp_path / "out.json")
    first, second, third = json.loads((tmp_path / "out.json").read_text())
    [annotation] = first.pop("annotations")
    assert first == {
        name: task[name] for name in task if name not in ("annotations", "total_annotations", "drafts")
    }
    assert annotation["result"] == [region | {"id": "a0", "value": value, "score": 1.0}]
    assert (second, third) == (unannotated, skipped | {"annotations": []})


def test_types_with_overlapping_spans_are_in_different_layers(tmp_path):
    source = export(tmp_path / "source.json", "label-studio", [SPANS] * 3)
    layers = crowd_layers(source)
    types = [{label[2:] for label in layer.labels} - {""} for layer in layers]
    assert types == [{"LOC", "NUM", "PER", "SIDE"}, {"ORG"}]
    assert all(layer.sentences == layers[0].sentences for layer in layers)
    assert [sorted(t) for t in coloured({"a": {"b", "c"}, "b": {"a"}, "c": {"a", "d"}, "d": {"c"}})] == [
        ["a", "d"],
        ["b", "c"],
    ]
    flat = [SPANS[0][:1], [], SPANS[2][1:]]
    source = export(tmp_path / "flat.json", "label-studio", [flat, flat, [[], [], []]])
    [layer] = crowd_layers(source)
    corpus = crowd_corpus(source)
    assert (layer.labels, layer.annotations) == (corpus.labels, corpus.annotations)


def test_overlapping_spans_of_one_type_are_counted():
    spans = [Annotation("ORG", 9, 18), Annotation("ORG", 0, 18), Annotation("ORG", 0, 18)]
    answers = {name: Document(TEXTS[0], spans) for name in NAMES}
    with pytest.warns(SpanrsWarning, match="share tokens with a longer span of the same type: 3"):
        result = consensus(answers, "MVtoken")
    assert content(result.documents[0]) == [("ORG", 0, 18, ())]


def test_discontinuous_spans_keep_the_pieces_of_most_annotators():
    text = "left and right hand"
    hand = Annotation("ARM", 0, 19, {}, [(0, 4), (15, 19)])
    answers = {"a": [hand], "b": [hand], "c": [Annotation("ARM", 0, 19)]}
    result = consensus({name: Document(text, spans) for name, spans in answers.items()}, "MVtoken")
    assert content(result.documents[0]) == [("ARM", 0, 19, ((0, 4), (15, 19)))]


def test_attributes_of_more_than_half_of_the_annotators_are_kept():
    def answer(**attributes):
        return Document("Bob", [Annotation("PER", 0, 3, attributes)])

    answers = {"a": answer(sure="yes", id="1"), "b": answer(sure="yes", id="2"), "c": answer(sure="no")}
    [annotation] = consensus(answers, "MVtoken").documents[0].annotations
    assert annotation.attributes == {"sure": "yes", "confidence": 1.0}


def test_spans_that_no_annotator_marked_are_whole_tokens():
    """The vote on tokens gives a span of which each annotator marked another part."""
    text = "aa bb cc dd"
    spans = {"a": (0, 8), "b": (0, 5), "c": (0, 1), "d": (0, 4), "e": (0, 4)}
    documents = {name: Document(text, [Annotation("X", *bounds)]) for name, bounds in spans.items()}
    # Three annotators marked the first two tokens, and two of them the same characters.
    assert content(consensus(documents, "MVtoken").documents[0]) == [("X", 0, 4, ())]
    # Two of three annotators marked each of the first three tokens, but nobody marked exactly these.
    spans = {"a": (3, 7), "b": (0, 11), "c": (0, 5)}
    documents = {name: Document(text, [Annotation("X", *bounds)]) for name, bounds in spans.items()}
    assert content(consensus(documents, "MVtoken").documents[0]) == [("X", 0, 8, ())]


@pytest.mark.parametrize("form", ["label-studio", "prodigy"])
def test_skipped_and_rejected_documents_are_no_answers(tmp_path, form):
    bob = [Annotation("PER", 0, 3)]
    texts = ("Bob saw", "Bob ate", "Bob ran")
    absent = ["skipped", "skipped", []]
    other = ["rejected" if form == "prodigy" else "skipped", bob, []]
    documents = layered([absent, other, [bob, bob, bob]], texts)
    spanrs.write(documents, tmp_path / "source", to=form)
    with pytest.warns(SpanrsWarning, match="not an answer: 3"):
        result = consensus(tmp_path / "source", MajorityVote())
    # One of one, two of two, and one of three annotators marked Bob.
    assert [len(document.annotations) for document in result.documents] == [1, 1, 0]
    assert result.documents[0].annotations[0].attributes["confidence"] == 1
    assert [document.layers[0].answer for document in result.documents] == ["given", "given", "empty"]


@pytest.mark.parametrize("form", ["label-studio-min", "label-studio-csv", "csv-spans", "gate-xml"])
def test_documents_without_an_annotator_are_no_answers(tmp_path, form):
    bob = [Annotation("PER", 0, 3)]
    texts = ("Bob saw", "Bob ate")
    spanrs.write(layered([[bob, []], [None, []], [None, bob]], texts), tmp_path / "source", to=form)
    result = consensus(tmp_path / "source", "MVtoken")
    assert [len(document.annotations) for document in result.documents] == [1, 0]
    assert len(result.corpora[0].annotations) == 4


def test_a_project_without_the_file_of_an_annotator(tmp_path):
    def packed(files):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return out.getvalue()

    def cas(*spans):
        spanrs.write(Document("Bob saw Rome", spans), tmp_path / "x.xmi", to="uima-xmi")
        types = (tmp_path / "x.typesystem.xml").read_bytes()
        return packed({"user.xmi": (tmp_path / "x.xmi").read_bytes(), "TypeSystem.xml": types})

    bob, rome = Annotation("PER", 0, 3), Annotation("LOC", 8, 12)
    claim = Annotation("Claim", 0, 12, {"layer": "Claim"})
    files = {
        "exportedproject.json": b"{}",
        "annotation/one.txt/ann.zip": cas(bob, claim),
        "annotation/one.txt/ben.zip": cas(bob, claim),
        "annotation/two.txt/ann.zip": cas(rome),
        "annotation/three.txt/ann.zip": cas(),
        "annotation/three.txt/ben.zip": cas(),
    }
    (tmp_path / "project.zip").write_bytes(packed(files))
    result = consensus(tmp_path / "project.zip", "MVtoken", min_annotators=1)
    assert {d.name: content(d) for d in result.documents} == {
        "one.txt": [("Claim", 0, 12, ()), ("PER", 0, 3, ())],
        "two.txt": [("LOC", 8, 12, ())],
        "three.txt": [],
    }
    assert [a.attributes.get("layer") for a in result.documents[0].annotations if a.is_content] == [
        "Claim",
        None,
    ]
    written = result.write(tmp_path / "out")
    assert (written.format, written.left_out) == ("uima-xmi", [])
    back = {d.name: d for d in read_back(tmp_path / "out", written)}
    assert content(back["one.txt"]) == [("Claim", 0, 12, ()), ("PER", 0, 3, ())]
    assert consensus(tmp_path / "project.zip", "MVtoken", min_annotators=2).without_consensus == [
        at for at, document in enumerate(result.documents) if document.name == "two.txt"
    ]


def test_records_that_a_prompt_lacks(tmp_path):
    records = [
        {"id": at, "text": text, "label": [[0, 3, "PER"]]} for at, text in enumerate(("Bob", "Ann"), 1)
    ]

    def write(name, *lines):
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        return path

    empty = write("empty.jsonl", *({**record, "label": []} for record in records))
    lacking = write("lacking.jsonl", records[0])
    sources = [write("all.jsonl", *records), lacking, write("other.jsonl", *records), empty]
    result = consensus(sources, "MVtoken", min_annotators=4)
    assert result.without_consensus == [1]
    assert [len(d.annotations) for d in consensus(sources, "MVtoken").documents] == [1, 1]
    [_, second] = consensus(sources, "MVtoken").documents
    assert second.annotations[0].attributes["confidence"] == pytest.approx(2 / 3)
    write("lacking.jsonl", records[0], records[1] | {"label": None})
    with pytest.raises(FormatError, match="there is none of"):
        consensus(sources, "MVtoken")


@pytest.mark.parametrize("form", ["label-studio", "prodigy", "csv-spans"])
def test_documents_with_too_few_annotators(tmp_path, form):
    bob = [Annotation("PER", 0, 3)]
    source = tmp_path / "source"
    spanrs.write(layered([[bob, bob], [bob, None], [None, None]], ("Bob saw", "Bob ate")), source, to=form)
    result = consensus(source, "MVtoken", min_annotators=2)
    assert result.without_consensus == [1]
    written = result.write(tmp_path / "out", form)
    if form == "label-studio":
        assert [len(task["annotations"]) for task in json.loads((tmp_path / "out").read_text())] == [1, 0]
    elif form == "prodigy":
        answers = [json.loads(line)["answer"] for line in (tmp_path / "out").read_text().splitlines()]
        assert answers == ["accept", "ignore"]
    else:
        assert [document.id for document in read_back(tmp_path / "out", written)] == ["1"]
    result = consensus(source, "MVtoken", min_annotators=3)
    with pytest.raises(FormatError, match="no document has a consensus, so nothing is written"):
        result.write(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_sentences_stay_columns(tmp_path):
    path = tmp_path / "answers.txt"
    path.write_text("Bob B-PER B-PER\nsaw O O\n\nEve B-PER ?\n\nEve ? ?\n", encoding="utf-8")
    result = consensus(path, "MVtoken", min_annotators=2)
    assert (result.documents, result.labels) == (None, [["B-PER", "O"], None, None])
    assert consensus(path, "MVtoken").without_consensus == [2]
    written = result.write(tmp_path / "out.conll", probabilities=True)
    assert (written.sentences, written.format) == (1, "columns")
    assert (tmp_path / "out.conll").read_text() == "Bob\tB-PER\t1.0000\nsaw\tO\t1.0000\n\n"
    for name in ("out.json", "out.xml", "out.csv"):
        with pytest.raises(
            ValueError, match=r"is written as columns, but \.\w+ is the suffix of another format"
        ):
            result.write(tmp_path / name)
    with pytest.raises(ValueError, match="written as columns, not as brat"):
        result.write(tmp_path / "out", "brat")


def test_the_format_is_that_of_the_source_or_of_the_suffix(tmp_path):
    source = export(tmp_path / "source.json", "label-studio", [SPANS] * 2 + [[[], [], []]])
    corpus = crowd_layers(source)[0]
    for name, form in (("a", "label-studio"), ("a.json", "label-studio"), ("a.conll", "columns")):
        assert consensus_format(corpus, name, None) == form
    assert consensus_format(corpus, io.BytesIO(), None) == "label-studio"
    assert consensus_format(corpus, "a.jsonl", "doccano") == "doccano"
    with pytest.raises(
        ValueError, match=r"the source is label-studio, but \.jsonl is the suffix of another format"
    ):
        consensus_format(corpus, "a.jsonl", None)
    with pytest.raises(ValueError, match="unknown format 'word'"):
        consensus_format(corpus, "a", "word")
    in_memory = crowd_layers({name: single()[0] for name in NAMES})[0]
    with pytest.raises(ValueError, match="the documents have no format; choose one"):
        consensus_format(in_memory, "a", None)


def test_relations_are_counted_and_left_out():
    spans = [Annotation("PER", 0, 3), Annotation("LOC", 8, 12)]
    document = Document("Bob saw Rome", spans, relations=[Relation("visits", 0, 1)])
    with pytest.warns(SpanrsWarning, match="relations are not part of the consensus"):
        result = consensus({"a": document, "b": document}, "MVtoken")
    assert result.documents[0].relations == ()


def test_wrong_arguments():
    documents = {name: single()[0] for name in NAMES}
    with pytest.raises(ValueError, match="unknown method 'MV'"):
        consensus(documents, "MV")
    with pytest.raises(ValueError, match="CRF-GOLD is trained on true labels"):
        consensus(documents, "CRF-GOLD")
    with pytest.raises(ValueError, match="min_annotators"):
        consensus(documents, min_annotators=0)
    with pytest.raises(ValueError, match="probabilities"):
        consensus(documents, "MVtoken").write(io.BytesIO(), "doccano", probabilities=True)


def test_what_a_format_cannot_represent_is_refused(tmp_path):
    result = consensus({name: single()[0] for name in NAMES}, "MVtoken")
    with pytest.raises(FormatError, match="columns cannot represent everything"):
        result.write(tmp_path / "out.conll")
    assert list(tmp_path.iterdir()) == []
    with pytest.warns(SpanrsWarning, match="not written to columns"):
        assert result.write(tmp_path / "out.conll", lossy=True).format == "columns"


def test_exports_without_annotators(tmp_path):
    spanrs.write(single(), tmp_path / "source.jsonl", to="doccano")
    with pytest.raises(FormatError, match="doccano does not contain names of annotators"):
        consensus(tmp_path / "source.jsonl")


def test_every_aggregator_fits_every_layer(tmp_path):
    answers = [SPANS, SPANS, [SPANS[0][1:], *SPANS[1:]]]
    source = export(tmp_path / "source.json", "label-studio", answers)
    for method in ("BSC-seq", "HMM-crowd", "Dawid-Skene", "MACE", "CRF-MA"):
        result = consensus(source, method)
        assert len(result.aggregators) == 2
        for document in result.documents:
            assert all(0 <= a.attributes["confidence"] <= 1 for a in document.annotations)


def test_types_of_other_layers_do_not_repeat_a_span():
    """Annotators who disagree on the type of a span are not all believed; both types of one annotator are."""

    def answer(*spans):
        return Document("Port Ellan Town won in Oslo", [Annotation(*span) for span in spans], "1")

    nested = [("ORG", 0, 15), ("LOC", 0, 10)]
    oslo = {"ann": ("LOC", 23, 27), "ben": ("LOC", 23, 27), "cy": ("ORG", 23, 27)}
    result = consensus({name: answer(*nested, span) for name, span in oslo.items()}, "MVtoken")
    assert len(result.corpora) == 2
    found = {(a.type, a.start, a.end) for a in result.documents[0].annotations if a.is_content}
    assert found == {*nested, ("LOC", 23, 27)}
    both = {name: answer(*nested, ("LOC", 23, 27), ("ORG", 23, 27)) for name in oslo}
    found = {(a.type, a.start, a.end) for a in consensus(both, "MVtoken").documents[0].annotations}
    assert {("LOC", 23, 27), ("ORG", 23, 27)} < found


def test_known_labels_of_a_corpus_of_documents_are_used():
    """Labels from with_known and changed annotations are not those of the documents."""
    documents = [Document("Bob saw Rome", [Annotation("PER", 0, 3)], "1"), Document("Eve left", [], "2")]
    corpus = crowd_corpus({"ann": documents, "ben": documents})
    known = corpus.with_known({0: ["O", "O", "B-LOC"]})
    assert consensus(known, "MVtoken").labels[0] == ["O", "O", "B-LOC"]
    fewer = [row for row in corpus.annotations if row.annotator == 0]
    assert spanrs.agreement(corpus).annotators == ["ann", "ben"]
    with pytest.raises(ModelError, match="no document was seen by two annotators"):
        spanrs.agreement(corpus.replaced(annotations=fewer, annotators=["ann"]))


def test_attributes_of_tokens_are_not_confidences(tmp_path):
    token = Annotation("lex", 0, 3, {"confidence": "high"})
    document = Document("Bob", [token, Annotation("PER", 0, 3)], "1")
    result = consensus({"ann": [document], "ben": [document]}, "MVtoken")
    result.write(tmp_path / "out.json", "mat-json", lossy=True)
    assert '"high"' in (tmp_path / "out.json").read_text()


def write_copy(path):
    copy = path.with_name("other.jsonl")
    copy.write_bytes(path.read_bytes())
    return copy


def test_gold_of_several_annotators_is_refused(tmp_path):
    rows = [
        {"text": "Bob", "spans": [{"start": 0, "end": 3, "label": label}], "_annotator_id": name}
        for name, label in (("ann", "PER"), ("ben", "LOC"))
    ]
    path = tmp_path / "export.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(FormatError, match=r"the export has several annotators \(ann, ben\)"):
        consensus(path, "MVtoken", known=path)
    with pytest.raises(FormatError, match=r"the export has several annotators \(ann, ben\)"):
        spanrs.agreement([path, write_copy(path)])
