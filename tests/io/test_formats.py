"""Every format of documents holds what its row in the table of formats says; everything else is listed."""

from __future__ import annotations

import pytest
from annotation_project import documents

import spanrs
from spanrs import _spanrs
from spanrs.errors import FormatError
from spanrs.io import Document
from spanrs.io.documents import of_memory
from spanrs.io.write_documents import FORMATS, ONE_A_FILE

#: Replacements of characters that a format does not allow in types; otherwise types are unchanged.
SIMPLER_TYPES = {"brat", "xml-inline", "webanno-tsv", "pubtator"}


def facts(document: Document, form: str) -> dict:
    """Return the content of a document in a form that does not depend on the order of annotations."""

    def span(at: int) -> tuple:
        a = document.annotations[at]
        kind = a.type if form not in SIMPLER_TYPES or a.type.isalpha() else "?"
        attributes = sorted((name, str(value)) for name, value in a.attributes.items())
        return a.layer, a.start, a.end, kind, tuple(map(tuple, a.pieces)), attributes

    return {
        "text": document.text,
        "id": document.id,
        "name": document.name,
        "metadata": dict(document.metadata),
        # An annotation without the name of an annotator is a layer in some formats.
        "layers": [] if _is_unnamed(document) else list(document.layers),
        # spaCy has tokens of white space.
        "spans": sorted(
            map(
                span,
                (
                    at
                    for at, a in enumerate(document.annotations)
                    if not document.text[a.start : a.end].isspace()
                ),
            )
        ),
        "relations": sorted((r.type, span(r.source), span(r.target)) for r in document.relations),
    }


def _is_unnamed(document: Document) -> bool:
    return [(layer.name, layer.answer in ("given", "empty")) for layer in document.layers] == [(None, True)]


def projected(project: list[Document], form: str) -> list[Document]:
    """Return what the format holds of the documents."""
    projection = _spanrs.Projection(form)
    found = [projection.project(core, "") for core in of_memory(project)]
    return [Document(**core.plain()) for core in found if core is not None]


def read_back(target, written) -> list[Document]:
    options = {name: value for name, value in written.options.items() if name != "layer"}
    corpus = spanrs.read(target, **options)
    return [Document(**core.plain()) for part in corpus.parts for core in corpus.layered_documents(part)]


@pytest.mark.filterwarnings("ignore::spanrs.SpanrsWarning")
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_holds_what_the_table_says(form, tmp_path):
    if form == "spacy":
        pytest.importorskip("spacy", reason="spaCy is not installed")
    project = documents()
    target = tmp_path / "project"
    written = spanrs.write(project, target, to=form)
    expected = [facts(document, form) for document in projected(project, form)]
    found = [facts(document, form) for document in read_back(target, written)]
    if form in ONE_A_FILE:
        # Files are sorted by name; their names are the names or the ids of the documents.
        order = {document["name"] or document["id"]: at for at, document in enumerate(expected)}
        found.sort(key=lambda document: order[(document["name"] or "").replace("a_b_ c", "a/b: c")])
    for one, other in zip(found, expected, strict=True):
        if form in ONE_A_FILE:
            # The name of a file is the name of its document.
            one["name"] = other["name"]
        assert one == other
    # Documents that were read can be written again, with the same result.
    again = tmp_path / "again"
    second = spanrs.write(spanrs.read(target, **written.options), again, to=form)
    if target.is_dir():
        files = sorted(path.name for path in target.iterdir())
        assert files == sorted(path.name for path in again.iterdir())
        assert [(target / name).read_bytes() for name in files] == [
            (again / name).read_bytes() for name in files
        ]
    elif form != "spacy":
        assert again.read_bytes() == target.read_bytes()
    assert second.documents == written.documents


@pytest.mark.parametrize("form", FORMATS)
def test_losses_are_refused_and_leave_no_file(form, tmp_path):
    if form == "spacy":
        pytest.importorskip("spacy", reason="spaCy is not installed")
    with pytest.raises(FormatError, match=f"{form} cannot represent everything.*--lossy") as refused:
        spanrs.write(documents(), tmp_path / "project", to=form, lossy=False)
    assert refused.value.code == "lossy"
    assert list(tmp_path.iterdir()) == []
