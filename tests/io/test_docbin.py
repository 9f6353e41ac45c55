"""DocBin files of spaCy: what is in them, and what is not one."""

from __future__ import annotations

import gc
import sys
import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin, Span

from spanrs.errors import FormatError
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
    other = Doc(VOCAB, ["Bob"], ents=["B-Person of a type that only this file knows"])
    path = written(tmp_path / "two.spacy", [doc, other, Doc(VOCAB)], store_user_data=True)
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
