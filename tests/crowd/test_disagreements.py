"""Documents by the disagreement of their annotators, and the links to their tasks."""

from __future__ import annotations

import json

import pytest

from spanrs.crowd import AnnotatorScore, CrowdCorpus, MajorityVote, MarkedSpan, crowd_corpus, disagreements
from spanrs.crowd.disagreements import review
from spanrs.crowd.excerpts import GAP, SHORT, segments, windows_around
from spanrs.crowd.page import page
from spanrs.crowd.task_links import check_template, fill_template
from spanrs.errors import FormatError

TEXTS = {
    "agreed": "Rome is far.",
    "disputed": "The University of Oslo met Ada.",
    "empty": "Nothing here.",
    "single": "Paris.",
    "skipped": "Skipped.",
    "type": "Turin fell.",
}
SPANS = {
    ("agreed", "ann"): [("LOC", "Rome")],
    ("agreed", "ben"): [("LOC", "Rome")],
    ("disputed", "ann"): [("ORG", "University of Oslo"), ("PER", "Ada")],
    ("disputed", "ben"): [("ORG", "University of Oslo")],
    ("empty", "ann"): [],
    ("empty", "ben"): [],
    ("single", "ann"): [("LOC", "Paris")],
    ("skipped", "ann"): [],
    ("type", "ann"): [("LOC", "Turin")],
    ("type", "ben"): [("PER", "Turin")],
}


def label_studio(tmp_path):
    """A project in which two annotators saw four documents, one saw another one, and a document was skipped."""
    tasks = []
    for number, (name, text) in enumerate(TEXTS.items(), 1):
        annotations = [
            {
                "completed_by": {"email": who},
                "was_cancelled": name == "skipped",
                "result": [
                    {
                        "id": f"{number}-{at}",
                        "from_name": "label",
                        "to_name": "text",
                        "type": "labels",
                        "value": {
                            "start": text.index(words),
                            "end": text.index(words) + len(words),
                            "labels": [type_],
                        },
                    }
                    for at, (type_, words) in enumerate(spans)
                ],
            }
            for (document, who), spans in SPANS.items()
            if document == name
        ]
        tasks.append({"id": number, "data": {"text": text, "name": name}, "annotations": annotations})
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path):
    return crowd_corpus(label_studio(tmp_path))


def test_documents_are_ordered_by_disagreement(corpus):
    found = review(corpus, [(corpus, MajorityVote().fit(corpus))])
    assert [row.name for row in found.disputed] == ["type", "disputed"]
    # Documents on which all agree; those without spans are last.
    assert [row.name for row in found.agreed] == ["agreed", "empty"]
    assert [row.name for row in found.single] == ["single"]
    assert found.unseen == 1


def test_a_disagreement_has_the_document_its_numbers_and_its_reasons(corpus):
    first, second = disagreements(corpus, MajorityVote().fit(corpus))
    assert (first.index, first.id, first.name, first.label) == (5, "6", "type", "type")
    assert (first.disagreement, first.confidence, first.priority) == (1.0, 0.5, 0.75)
    assert first.reasons == ['ann marked "Turin" as LOC, ben as PER']
    # F1 of 1 of 2 and 1 of 1 spans.
    assert second.disagreement == pytest.approx(1 / 3)
    assert second.reasons == ['only ann marked "Ada" as PER']
    assert second.answers["ben"] == {MarkedSpan("ORG", 4, 22)}
    assert disagreements(corpus, MajorityVote().fit(corpus), 1) == [first]


def test_estimates_may_be_given_and_may_overlap(corpus):
    estimates = [[] for _ in corpus.texts]
    estimates[1] = [("ORG", 4, 22, 0.25), ("LOC", 18, 22, 0.5)]
    vote = MajorityVote().fit(corpus)
    rows = {row.name: row for row in disagreements(corpus, vote, estimates=estimates)}
    # The estimate lacks Rome in the first document.
    assert rows["agreed"].is_contradicted
    kinds = [(dispute.start, dispute.kinds) for dispute in rows["disputed"].disputes]
    assert kinds == [(18, ("estimate",)), (27, ("missing",))]
    assert rows["disputed"].disputes[0].estimate == {MarkedSpan("LOC", 18, 22): 0.5}
    # Estimates are widened to whole tokens, like answers; the second text has no estimate, so nothing contradicts it.
    estimates = [[("LOC", 0, 3, 1.0)], None, *[[]] * 4]
    rows = {row.name: row for row in disagreements(corpus, vote, estimates=estimates)}
    assert "agreed" not in rows
    assert [dispute.kinds for dispute in rows["disputed"].disputes] == [("missing",)]
    assert rows["disputed"].disputes[0].estimate is None
    assert rows["disputed"].disputes[0].dissenters == 1
    text = page(
        corpus, vote, title="t", estimates=estimates, ranking=[AnnotatorScore("zoe", 1, 2, 0.5, None)]
    )
    assert '"answers":[[[],[]],[[1]' in text
    assert "<bdi>zoe</bdi>" in text
    estimates = [[] for _ in corpus.texts]
    estimates[1] = [("ORG", 4, 22, 0.25), ("LOC", 18, 22, 0.5)]
    assert '"50 %"' in page(corpus, vote, title="t", estimates=estimates)
    with pytest.raises(ValueError, match="estimates of 1 documents, but the corpus has 6"):
        disagreements(corpus, vote, estimates=[[]])


def test_layers_of_types_are_joined():
    answers = [{"ann": ["B-ORG", "I-ORG"], "ben": ["B-ORG", "I-ORG"]}]
    inner = [{"ann": ["O", "B-LOC"], "ben": ["O", "O"]}]
    layers = [CrowdCorpus([["Oslo", "University"]], labels) for labels in (answers, inner)]
    pairs = [(layer, MajorityVote().fit(layer)) for layer in layers]
    [row] = disagreements(layers[0], pairs)
    assert row.answers["ann"] == {MarkedSpan("ORG", 0, 15), MarkedSpan("LOC", 5, 15)}
    assert row.answers["ben"] == {MarkedSpan("ORG", 0, 15)}
    assert row.confidence == 0.5
    text = page(layers[0], pairs, title="layers")
    assert text.index("<h3>ORG</h3>") < text.index("<h3>LOC</h3>")


def test_spans_are_widened_to_the_tokens_that_the_aggregator_saw(tmp_path):
    records = [
        {
            "text": "in Rome, yes",
            "spans": [{"start": start, "end": end, "label": "LOC"}],
            "_annotator_id": who,
        }
        for who, start, end in (("ann", 3, 7), ("ben", 4, 6))
    ]
    path = tmp_path / "prodigy.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    corpus = crowd_corpus(path)
    assert disagreements(corpus, MajorityVote().fit(corpus)) == []


def test_sentences_of_columns_are_documents():
    corpus = CrowdCorpus(
        [["Ada", "Li"], ["x"]], [{"a": ["B-PER", "I-PER"], "b": ["B-PER", "O"]}, {"a": ["O"]}]
    )
    [row] = disagreements(corpus, MajorityVote().fit(corpus))
    assert (row.label, row.text, row.id) == ("sentence 0", "Ada Li", None)
    assert row.reasons == ['bounds of PER differ: a "Ada Li", b "Ada"']


def test_labels_that_are_not_tags_are_compared_by_token():
    corpus = CrowdCorpus(
        [["a", "b"]] * 2, [{"x": ["N", "V"], "y": ["N", "N"]}, {"x": ["N", "V"], "y": ["N", "V"]}]
    )
    vote = MajorityVote().fit(corpus)
    [row] = disagreements(corpus, vote)
    assert (row.disagreement, row.reasons) == (0.5, ['x marked "b" as V, y as N'])
    text = page(corpus, vote, title="POS")
    assert "Sentence 0: least certain label 50.0 %" in text
    assert text.count('class="differs"') == 1


def test_the_page_says_how_many_documents_it_leaves_out(corpus):
    vote = MajorityVote().fit(corpus)
    text = page(corpus, vote, title="t", most=1)
    assert (
        "2 documents have disputes, on 2 documents all annotators agree; the 1 with the highest priority"
        in text
    )
    assert '"label":"type"' in text
    assert '"label":"disputed"' not in text
    assert "1 document was not seen by any annotator" in text
    assert "1 document was seen by only one annotator" in text


def test_the_size_of_the_page_is_bounded(tmp_path):
    text = "word " * 100_000
    spans = [{"start": at, "end": at + 4, "label": "X"} for at in range(0, 400_000, 500)]
    records = [{"text": text, "spans": own, "_annotator_id": who} for who, own in (("a", spans), ("b", []))]
    path = tmp_path / "prodigy.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    corpus = crowd_corpus(path)
    content = page(corpus, MajorityVote().fit(corpus), title="t")
    assert "with 100 of 800 disputes" in content
    assert len(content) < 300_000


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("javascript:alert({id})", "not an address of http or https"),
        ("data:text/html,{id}", "not an address of http or https"),
        ("//example.org/{id}", "not an address of http or https"),
        ("https:///{id}", "not an address of http or https"),
        ("java\nscript:{id}", "white space"),
        ("https://example.org\\@evil.org/{id}", "backslash"),
        ("https://{id}/", "field in the name of the host"),
        ("https://x@{name}:80/{id}", "field in the name of the host"),
        ("https://example.org/", "no valid field"),
        ("https://example.org/{task}", "unknown field {task}"),
        ("https://example.org/{id}{", "no valid field"),
        ("https://[example.org/{id}", "not an address"),
    ],
)
def test_links_that_are_refused(corpus, link, message):
    with pytest.raises(ValueError, match="link") as caught:
        page(corpus, MajorityVote().fit(corpus), title="t", link=link)
    assert message in str(caught.value)


def test_links_are_filled_and_escaped(corpus):
    vote = MajorityVote().fit(corpus)
    text = page(corpus, vote, title="t", link='https://labels.example.org/data?task={id}&x="><b>')
    assert "https://labels.example.org/data?task=4&amp;x=&#34;&gt;&lt;b&gt;" in text
    assert '"link":"https://labels.example.org/data?task=6&' not in text
    assert 'task=6\\u0026x=\\"\\u003e\\u003cb\\u003e' in text
    assert fill_template("https://e.org/{id}/{name}", "../ä?#&", "\ud800") == (
        "https://e.org/..%2F%C3%A4%3F%23%26/%ED%A0%80"
    )
    assert check_template("http://localhost:8080/#/{name}") == "http://localhost:8080/#/{name}"


def test_a_link_requires_documents_with_ids(tmp_path):
    columns = CrowdCorpus([["a"]], [{"x": ["B-A"], "y": ["O"]}])
    with pytest.raises(FormatError, match=r"no document has a value for \{id\}"):
        page(columns, MajorityVote().fit(columns), title="t", link="https://example.org/{id}")
    records = [{"text": "a", "spans": [], "_annotator_id": who} for who in "xy"]
    path = tmp_path / "prodigy.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    prodigy = crowd_corpus(path)
    with pytest.raises(FormatError, match=r"no document has a value for \{name\}"):
        page(prodigy, MajorityVote().fit(prodigy), title="t", link="https://example.org/{name}")


@pytest.mark.parametrize("length", [0, 10, SHORT, SHORT + 1, 5000])
@pytest.mark.parametrize("ranges", [[], [(0, 1)], [(2, 5), (300, 310), (590, 600)], [(599, 600)]])
def test_segments_are_the_whole_text_and_show_the_ranges(length, ranges):
    text = ("some words\nand more words " * 300)[:length]
    ranges = [(start, end) for start, end in ranges if end <= length]
    parts = segments(length, windows_around(text, ranges))
    assert "".join(text[part.start : part.end] for part in parts) == text
    for start, end in ranges:
        assert any(part.is_shown and part.start <= start and end <= part.end for part in parts)
    assert all(part.is_shown or part.end - part.start > GAP for part in parts)
