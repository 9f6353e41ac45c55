"""DocBin files of spaCy: content and invalid files."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin, Span

import spanrs
from spanrs import mat
from spanrs.errors import FormatError, SpanrsWarning
from spanrs.io.docbin import read_docbin

VOCAB = spacy.blank("en").vocab


def written(path, docs, **options):
    DocBin(docs=docs, **options).to_disk(path)
    return path


def rows(document):
    return [(a.type, a.start, a.end) for a in document.annotations]


def test_tokens_come_first_and_offsets_count_code_points(tmp_path):
    words = ["\U0001f600", "\xe9t\xe9", "New", "York", "\n", "."]
    spaces = [True, False, True, False, False, False]
    doc = Doc(VOCAB, words, spaces, ents=["O", "B-X", "B-LOC", "I-LOC", "O", "O"])
    doc.spans["sc"] = [Span(doc, 0, 2, label="GROUP")]
    doc.user_data["id"] = "kept by spaCy"
    changed = Doc(VOCAB, ["Bob"], ents=["B-Person of a type that only this file knows"])
    path = written(tmp_path / "two.spacy", [doc, changed, Doc(VOCAB)], store_user_data=True)
    first, second, third = read_docbin(path)
    assert first.text == "\U0001f600 \xe9t\xe9New York\n." == doc.text
    lex = [("lex", 0, 1), ("lex", 2, 5), ("lex", 5, 8), ("lex", 9, 13), ("lex", 13, 14), ("lex", 14, 15)]
    assert rows(first) == [*lex, ("X", 2, 5), ("LOC", 5, 13)]
    assert first.text[5:13] == "New York"
    assert rows(second) == [("lex", 0, 3), ("Person of a type that only this file knows", 0, 3)]
    assert (third.text, rows(third), third.id, third.left_out) == ("", [], None, ())


def test_a_bin_without_docs_has_no_documents(tmp_path):
    assert read_docbin(str(written(tmp_path / "none.spacy", []))) == []


def unpacked(path):
    return srsly.msgpack_loads(zlib.decompress(path.read_bytes()))


def packed(message):
    return zlib.compress(srsly.msgpack_dumps(message))


def test_damaged_files_are_named(tmp_path):
    path = written(tmp_path / "d.spacy", [Doc(VOCAB, ["Bob", "ate"], ents=["B-PER", "O"])])
    whole, message = path.read_bytes(), unpacked(path)
    damaged = [
        b"",
        b"Bob ate\n",
        whole[:-9],
        zlib.compress(b"\xc1"),
        zlib.compress(srsly.msgpack_dumps(message)[:-30]),
        packed([1, 2]),
        packed({}),
        packed(message | {"tokens": message["tokens"][:-3]}),
        packed(message | {"strings": []}),
        packed(message | {"spaces": b"", "flags": [{}]}),
        packed(message | {"attrs": [10**6]}),
        packed(message | {"flags": []}),
        packed(message | {"cats": 3}),
    ]
    assert gc.isenabled()
    for data in damaged:
        path.write_bytes(data)
        with pytest.raises(FormatError) as told:
            read_docbin(path)
        assert str(told.value).startswith(
            f"{path}: spaCy cannot read this as a DocBin; write it again with DocBin.to_disk ("
        )
        assert "\n" not in str(told.value)
        assert (told.value.code, told.value.path) == ("bad_document", str(path))
        assert gc.isenabled()


def test_what_the_system_refuses_stays_its_own(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_docbin(tmp_path / "none.spacy")
    with pytest.raises(IsADirectoryError):
        read_docbin(tmp_path)


def test_without_spacy_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ImportError, match=r"pip install 'spanrs\[spacy\]'"):
        read_docbin(tmp_path / "any.spacy")


def test_spacy_is_imported_where_it_is_needed():
    from subprocess import run

    code = "import sys, spanrs.io.docbin; assert 'spacy' not in sys.modules"
    assert run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def layered(tmp_path):
    """Return a file with 3 entities, and the span groups sc (3 spans that overlap) and empty."""
    first = Doc(VOCAB, ["New", "York", "City"], ents=["B-LOC", "I-LOC", "B-X"])
    first.spans["sc"] = [
        Span(first, 0, 2, label="A"),
        Span(first, 0, 3, label="B"),
        Span(first, 0, 3, label="A"),
    ]
    first.spans["empty"] = []
    second = Doc(VOCAB, ["Bob"], ents=["B-PER"])
    return written(tmp_path / "layered.spacy", [first, second])


def types(documents):
    return [[(a.type, a.start, a.end) for a in d.annotations if a.type != "lex"] for d in documents]


def test_span_groups_that_are_not_read_are_said(layered):
    with pytest.warns(SpanrsWarning) as caught:
        documents = list(spanrs.read(layered, format="spacy").documents)
    assert types(documents) == [[("LOC", 0, 8), ("X", 9, 13)], [("PER", 0, 3)]]
    assert [str(warning.message) for warning in caught] == [
        f"{layered}: read only the entities, not the span groups sc (3 spans); choose a layer with "
        "layer= (--layer)"
    ]


def test_layer_is_chosen_without_a_warning(layered):
    with warnings.catch_warnings():
        warnings.simplefilter("error", SpanrsWarning)
        of_layer = {
            name: types(list(spanrs.read(layered, format="spacy", layer=name).documents))
            for name in ("ents", "sc", "empty")
        }
    assert of_layer == {
        "ents": [[("LOC", 0, 8), ("X", 9, 13)], [("PER", 0, 3)]],
        "sc": [[("A", 0, 8), ("B", 0, 13), ("A", 0, 13)], []],
        "empty": [[], []],
    }


def test_files_without_span_groups_have_no_warning(tmp_path):
    doc = Doc(VOCAB, ["Bob"], ents=["B-PER"])
    doc.spans["empty"] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", SpanrsWarning)
        assert types(read_docbin(written(tmp_path / "d.spacy", [doc]))) == [[("PER", 0, 3)]]
        assert read_docbin(written(tmp_path / "none.spacy", []), "sc") == []


def test_span_group_that_is_not_there_is_refused(layered):
    with pytest.raises(FormatError) as told:
        list(spanrs.read(layered, format="spacy", layer="SC").documents)
    assert str(told.value) == (
        f"{layered}: no document has the span group 'SC'; the layers are ents, empty (0 spans), sc (3 spans)"
    )
    assert told.value.code == "no_layer"
    with pytest.raises(TypeError, match="layer does not apply to raw; omit it"):
        list(spanrs.read(layered, format="raw", layer="sc").documents)
    with pytest.raises(TypeError, match="layer must be a str"):
        list(spanrs.read(layered, format="spacy", layer=3).documents)


def test_mat_scores_the_layers_that_are_named(layered):
    options = {"format": "spacy", "layer": "sc"}
    result = spanrs.score(layered, layered, matcher=mat.Mat(), on_error="skip", **options)
    assert (result.totals, sorted(result.per_type)) == ((3, 0, 0), ["A", "B"])


def test_command_has_layers(layered):
    command = [sys.executable, "-m", "spanrs", "score", "--matcher", "mat", layered, layered, "--json"]
    plain = subprocess.run(command, capture_output=True, text=True, check=True)
    assert plain.stderr.count("not the span groups sc (3 spans)") == 1
    named = [*command, "--layer", "sc"]
    chosen = subprocess.run(named, capture_output=True, text=True, check=True)
    assert "span group" not in chosen.stderr
    assert '"A"' in chosen.stdout
    assert '"A"' not in plain.stdout


def test_docs_in_memory_have_the_layers_of_files(layered):
    docs = list(DocBin().from_disk(layered).get_docs(VOCAB))
    with pytest.warns(
        SpanrsWarning, match=r"<spacy>: read only the entities, not the span groups sc \(3 spans\)"
    ):
        assert types(spanrs.read(docs).documents) == [[("LOC", 0, 8), ("X", 9, 13)], [("PER", 0, 3)]]
    groups = [[("A", 0, 8), ("B", 0, 13), ("A", 0, 13)], []]
    assert types(spanrs.read(docs, layer="sc").documents) == groups
    corpus = spanrs.read(docs)
    assert corpus.layers == ["ents", "empty", "sc"]
    assert types(corpus["sc"].documents) == groups
    assert spanrs.score(docs, docs, layer="sc", matcher="partial").micro.f1 == 1
    with pytest.raises(FormatError, match="<spacy>: no document has the span group 'SC'"):
        list(spanrs.read(docs, layer="SC"))
    result = spanrs.score(docs[1], docs[1], matcher=mat.Mat(), on_error="skip")
    assert result.totals == (1, 0, 0)
