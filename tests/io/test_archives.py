"""Zip archives are read like directories, with limits."""

from __future__ import annotations

import io
import zipfile

import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError, LimitError
from spanrs.io import Annotation, Document, Limits, Relation, archives

BOB = Document("Bob saw Rome", [Annotation("PER", 0, 3)])


def packed(files: dict[str, bytes]) -> bytes:
    """Return an archive of files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


def xmi(document: Document, folder) -> dict[str, bytes]:
    """Return the two files of a document, as INCEpTION packs them."""
    folder.mkdir(exist_ok=True)
    spanrs.write(document, folder / "x.xmi", to="uima-xmi")
    return {
        "CURATION_USER.xmi": (folder / "x.xmi").read_bytes(),
        "TypeSystem.xml": (folder / "x.typesystem.xml").read_bytes(),
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "export.zip"


def test_files_of_an_archive_are_read_like_those_of_a_directory(path, tmp_path):
    files = {
        "brat/a.ann": b"T1\tPER 0 3\tBob\n",
        "brat/a.txt": b"Bob saw Rome",
        "b.jsonl": b'{"text": "Ann", "label": [[0, 3, "PER"]]}\n',
        "__MACOSX/b.jsonl": b"x",
        ".hidden": b"x",
        "cas/x.xmi": xmi(BOB, tmp_path / "cas")["CURATION_USER.xmi"],
        "cas/TypeSystem.xml": xmi(BOB, tmp_path / "cas")["TypeSystem.xml"],
    }
    path.write_bytes(packed(files))
    corpus = spanrs.read(path)
    assert [(part.name, part.format) for part in corpus.parts] == [
        ("b.jsonl", "doccano"),
        ("brat/a.ann", "brat"),
        ("cas/x.xmi", "uima-xmi"),
    ]
    for _ in range(2):  # An archive is opened again for each pass.
        assert [document.spans() for document in corpus.documents] == [[("PER", 0, 3)]] * 3
    assert spanrs.score(path, path, matcher="exact").totals.tp == 3


def test_annotators_of_a_project_are_layers_of_its_documents(path, tmp_path):
    ann = Document(
        BOB.text, [*BOB.annotations, Annotation("LOC", 8, 12)], relations=[Relation("sees", 0, 1)]
    )
    files = {
        "exportedproject.json": b"{}",
        "source/one.txt": b"Bob saw Rome",
        "annotation/one.txt/ann.zip": packed(xmi(ann, tmp_path / "ann")),
        "annotation/one.txt/bob.zip": packed(xmi(Document(BOB.text), tmp_path / "bob")),
        "annotation/one.txt/INITIAL_CAS.zip": packed(xmi(Document(BOB.text), tmp_path / "initial")),
        "curation/two.txt/CURATION_USER.zip": packed(xmi(BOB, tmp_path / "two")),
    }
    path.write_bytes(packed(files))
    corpus = spanrs.read(path)
    assert corpus.layers == ["ann", "bob", "CURATION_USER"]
    with pytest.raises(FormatError, match="no annotator 'eve'; the project has ann, bob, CURATION_USER"):
        spanrs.read(path, annotator="eve")
    assert spanrs.crowd.crowd_corpus(path).annotators == ["ann", "bob", "CURATION_USER"]
    [one] = corpus["ann"].documents
    assert (one.name, one.spans()) == ("one.txt", [("PER", 0, 3), ("LOC", 8, 12)])
    assert [relation.type for relation in one.relations] == ["sees"]
    with pytest.raises(FormatError, match=r"one\.txt has several annotators \(ann, bob\); choose one"):
        list(corpus.documents)
    spanrs.write(corpus, tmp_path / "all.json", to="label-studio")
    assert spanrs.read(tmp_path / "all.json").layers == ["ann", "bob", "CURATION_USER"]
    files["annotation/one.txt/bob.zip"] = packed(xmi(Document("other"), tmp_path / "other"))
    path.write_bytes(packed(files))
    with pytest.raises(AlignmentError, match="the texts of the annotators ann and bob differ"):
        spanrs.write(spanrs.read(path), tmp_path / "b.json", to="label-studio")


def nested(depth: int) -> bytes:
    content = packed({"a.jsonl": b'{"text": "a", "label": []}'})
    for _ in range(depth):
        content = packed({"inner.zip": content})
    return content


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (packed({}), FormatError, "the archive contains no files"),
        (packed({"folder/": b""}), FormatError, "the archive contains no files"),
        (packed({"a.jsonl": b"{}"})[:-9], FormatError, "this is not a valid zip archive"),
        (nested(3), LimitError, "more than 3 levels of archives"),
        (packed({"a.pdf": b"%PDF-1.4\0"}), FormatError, "a.pdf"),
        (
            packed({"a.jsonl": b'{"text": "' + b"a" * (40 << 20) + b'", "label": []}'}),
            LimitError,
            "a.jsonl.*expands more than 100 times",
        ),
        (packed({"x.xmi": b"<xmi:XMI xmlns:xmi='http://www.omg.org/XMI'/>"}), FormatError, "x.xmi"),
        (packed({"exportedproject.json": b"{}"}), FormatError, "has no annotated documents"),
    ],
)
def test_bad_archives_are_refused(path, content, error, message):
    path.write_bytes(content)
    with pytest.raises(error, match=message) as raised:
        list(spanrs.read(path).documents)
    assert str(raised.value).startswith(str(path))


def test_expansion_is_allowed_by_an_option(path):
    path.write_bytes(packed({"a.jsonl": b'{"text": "' + b"a" * (20 << 20) + b'", "label": []}'}))
    [document] = spanrs.read(path, limits=Limits(expansion=10**6)).documents
    assert len(document.text) == 20 << 20


def test_the_number_of_files_is_limited(path, monkeypatch):
    monkeypatch.setattr(archives, "FILES", 1)
    path.write_bytes(packed({"a": b"", "b": b""}))
    with pytest.raises(LimitError, match="the archive has 2 files, and 1 is the limit"):
        spanrs.read(path)


def test_a_file_twice_is_refused(path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a", b"x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a", b"y")
    path.write_bytes(content.getvalue())
    with pytest.raises(FormatError, match="a: the archive contains this file twice"):
        spanrs.read(path)
