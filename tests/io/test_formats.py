"""Every format of documents holds what its row in the table of formats says; everything else is listed."""

from __future__ import annotations

import pytest

import spanrs
from annotation_project import documents, facts, projected, read_back
from spanrs.errors import FormatError
from spanrs.io.write_documents import FORMATS, ONE_A_FILE


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
        found.sort(
            key=lambda document: order[(document["name"] or document["id"]).replace("a_b_ c", "a/b: c")]
        )
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
