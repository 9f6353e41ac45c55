"""Written files are read as the same corpus; items that a format cannot represent are listed."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spanrs
from annotation_project import projected, read_back
from spanrs.errors import SpanrsWarning
from spanrs.io import Annotation, Document, Relation, Sentence, write_sentences
from spanrs.io.write_documents import FORMATS, ONE_A_FILE
from spanrs.tags import Span

#: Characters of tokens: letters, characters with a special meaning in a format, and characters beyond the basic plane.
CHARACTERS = st.sampled_from("aäB9<&\"'|=#,;_-O😀\u0301日")
WORDS = st.text(CHARACTERS, min_size=1, max_size=4)
TYPES = st.sampled_from(["PER", "LOC", "X-Y", "Ö"])
ROW_FORMATS = sorted(write_sentences.FORMATS)
TEXT_FORMATS = sorted(FORMATS)


@st.composite
def flat_spans(draw, length):
    """Draw spans that do not share tokens."""
    borders = sorted(draw(st.sets(st.integers(0, length), max_size=6)))
    pairs = zip(borders[::2], borders[1::2], strict=False)
    return [Span(draw(TYPES), start, end) for start, end in pairs]


@st.composite
def sentences(draw):
    """Draw sentences with spans, in documents with names or without."""
    named = draw(st.booleans())
    collected = []
    for at in range(draw(st.integers(1, 4))):
        words = draw(st.lists(WORDS, min_size=1, max_size=7))
        collected.append((words, draw(flat_spans(len(words))), f"doc {at // 2}" if named else None))
    return collected


def as_documents(rows) -> list[Document]:
    """Join drawn sentences to documents."""
    collected: dict[object, list] = {}
    for words, spans, name in rows:
        collected.setdefault(name, []).append((words, spans))
    documents = []
    for name, row in collected.items():
        text, annotations, tokens = "", [], []
        for words, spans in row:
            starts, ends = [], []
            text += "\n" if text else ""
            for word in words:
                text += "" if not starts else " "
                starts.append(len(text))
                text += word
                ends.append(len(text))
            tokens += [Annotation("lex", start, end) for start, end in zip(starts, ends, strict=True)]
            annotations += [Annotation(s.type, starts[s.start], ends[s.end - 1]) for s in spans]
        documents.append(Document(text, [*tokens, *annotations], name))
    return documents


def written(source, path, to):
    """Write and read again; return the summary and the corpus."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        actual = spanrs.write(source, path, to=to)
    return actual, spanrs.read(path, **actual.options)


def values(corpus) -> list:
    """The content of a corpus, without locations."""
    return [
        (
            None if item.tokens is None else list(item.tokens),
            {k: sorted(v) for k, v in item.spans.items()},
            item.document,
        )
        for item in corpus
    ]


@pytest.mark.parametrize("to", ROW_FORMATS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=sentences())
def test_sentences_come_back(to, tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("written") / "file"
    corpus = spanrs.read(as_documents(rows))
    documents_read, back = written(corpus, path, to)
    expected = [(list(words), {"tags": sorted(spans)}, name) for words, spans, name in rows]
    lost = " ".join(documents_read.left_out)
    if "tokens are not written" in lost:
        expected = [(None, spans, None) for _, spans, _ in expected]
    if "ids of documents" in lost:
        expected = [(words, spans, None) for words, spans, _ in expected]
    assert values(back) == expected
    assert back.parts[0].format == to
    # Writing it again produces the same file.
    again = path.with_name("again")
    _, second = written(back, again, to)
    assert values(second) == expected
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("to", TEXT_FORMATS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=sentences())
def test_documents_come_back(to, tmp_path_factory, rows):
    if to == "spacy":
        pytest.importorskip("spacy", reason="spaCy is not installed")
    documents = as_documents(rows)
    folder = tmp_path_factory.mktemp("written")
    path = folder / ("one" + ONE_A_FILE.get(to, "") if len(documents) == 1 else "many")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        actual = spanrs.write(documents, path, to=to)
    assert sorted(map(_facts, read_back(path, actual))) == sorted(map(_facts, projected(documents, to)))


def _facts(document: Document):
    # spaCy has tokens of white space.
    shown = (a for a in document.annotations if not document.text[a.start : a.end].isspace())
    spans = sorted((a.layer, a.start, a.end, a.type == "lex") for a in shown)
    return document.text, spans


def test_what_a_format_cannot_hold_is_listed(tmp_path):
    crossing = Document(
        "a b c d", [Annotation("X", 0, 3), Annotation("Y", 2, 5), Annotation("Z", 0, 1)], "name"
    )
    with pytest.warns(SpanrsWarning, match="not written to columns: .*share characters with others: 2"):
        actual = spanrs.write(crossing, tmp_path / "a.conll")
    assert actual.left_out == ["annotations that share characters with others: 2, first in document name"]
    with pytest.warns(SpanrsWarning, match="annotations that cross others: 1, first in document name"):
        spanrs.write(crossing, tmp_path / "a.xml")
    with pytest.warns(SpanrsWarning, match="annotations that cross others: 1, first in document name"):
        spanrs.write(crossing, tmp_path / "a", to="stacked")
    rich = Document(
        "Bob ate fish",
        [Annotation("PER", 0, 3, {"sure": "yes"}), Annotation("FOOD", 8, 12)],
        relations=[Relation("eats", 0, 1)],
    )
    with pytest.warns(SpanrsWarning, match="attributes of annotations: 1"):
        actual = spanrs.write(rich, tmp_path / "doccano", to="doccano")
    [back] = spanrs.read(tmp_path / "doccano").documents
    assert back.relations == (Relation("eats", 0, 1),)
    actual = spanrs.write(rich, tmp_path / "b.ann")
    assert actual.left_out == []
    [back] = spanrs.read(tmp_path / "b.ann").documents
    assert (back.relations, back.annotations[0].attributes) == ((Relation("eats", 0, 1),), {"sure": "yes"})


@pytest.mark.parametrize(
    ("token", "to"),
    [("a\tb", "columns"), ("", "columns"), ("a\nb", "conllu"), (" a", "stacked"), ("a\u2028", "spans")],
)
def test_tokens_that_are_no_field_are_refused_and_nothing_is_written(token, to, tmp_path):
    import pyarrow

    table = pyarrow.table({"tokens": [["x"], [token]], "tags": [["O"], ["O"]]})
    path = tmp_path / "out"
    if to == "spans":
        spanrs.write(table, path, to=to)
        return
    with pytest.raises(
        spanrs.errors.FormatError, match=r"sentence 1, token 0: .* cannot be written in one column"
    ):
        spanrs.write(table, path, to=to)
    assert list(tmp_path.iterdir()) == []


def test_formats_are_named_or_told_by_the_name(tmp_path):
    document = Document("a b", [Annotation("X", 0, 1)])
    assert spanrs.write(document, tmp_path / "a.parquet").format == "parquet"
    with pytest.raises(
        ValueError, match=r"cannot infer the format from '.*a\.json'; pass to= with one of columns"
    ):
        spanrs.write(document, tmp_path / "a.json")
    with pytest.raises(ValueError, match="cannot write the format 'raw'"):
        spanrs.write(document, tmp_path / "a", to="raw")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(FileExistsError, match="not empty"):
        spanrs.write([document, document], tmp_path / "full", to="brat")


def test_sentences_compare_by_what_they_hold():
    first = Sentence(["a"], {"tags": ["B-X"]}, document="d")
    assert first == Sentence(("a",), {"tags": ("B-X",)}, document="d", line=7)
    assert first != Sentence(["a"], {"tags": ["O"]}, document="d")
    assert first.spans == {"tags": [Span("X", 0, 1)]}
    assert len(first) == 1
    with pytest.raises(TypeError, match="unknown"):
        len(Sentence(None, spans={"tags": []}))
