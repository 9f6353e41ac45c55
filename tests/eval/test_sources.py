"""Every kind of source yields the result of the plain file: a small part of benches/versus/differential_sources.py."""

from __future__ import annotations

import io
import random

import pytest

import file_sources
import spanrs
import table_sources
from spanrs.errors import FormatError
from spanrs.io.sources import open_source


@pytest.mark.parametrize("kind", file_sources.SOURCES)
def test_source_gives_what_the_plain_file_gives(kind, tmp_path):
    compared = []
    for at, size in enumerate(["small"] * 12 + ["chunks"] * 3 + ["sample"]):
        rng = random.Random(f"{kind} {at}")
        corpus = file_sources.make_corpus(rng, size)
        compared += file_sources.differences(rng, corpus, tmp_path, 3, [kind, "path"])
    assert [str(difference) for difference in compared if difference is not None] == []


@pytest.mark.parametrize("size", ["small", "chunks", "sample"])
def test_command_reads_standard_input_as_a_file(size, tmp_path):
    rng = random.Random(size)
    corpus = file_sources.make_corpus(rng, size)
    compared = list(file_sources.command_differences(rng, corpus, tmp_path))
    assert [str(difference) for difference in compared if difference is not None] == []


@pytest.mark.parametrize("rows", [None, 4, 16])
def test_row_groups_of_parquet_give_what_a_column_file_gives(rows, tmp_path, monkeypatch):
    if rows is not None:
        monkeypatch.setattr(table_sources.tables, "BATCH_ROWS", rows)
    compared = []
    for at in range(20):
        rng = random.Random(f"{rows} {at}")
        # The first batch determines the scheme.
        sentences = rng.randint(1, 90 if rows is None else rows)
        compared += table_sources.differences(rng, tmp_path, sentences, 3)
    assert [str(difference) for difference in compared if difference is not None] == []


@pytest.mark.parametrize("scheme", ["auto", "BIO"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_read_the_start_of_a_stream_again(scheme, threads):
    sides = io.BytesIO(b"wwwwwwww B-A O\n\n" * 40_000)
    result = spanrs.score(sides, scheme=scheme, threads=threads, errors=1)
    assert result.sentences == 40_000


@pytest.mark.parametrize("name", [3, "", None, b"bytes"])
def test_source_without_a_usable_name_is_a_stream(name):
    class Source(file_sources.Pieces):
        def __init__(self, data):
            super().__init__(data)
            self.name = name

    with pytest.raises(FormatError, match=r"^<stream>: "):
        spanrs.io.detect_scheme(Source(b""))
    assert open_source(Source(b"a O\n")).name == "<stream>"


@pytest.mark.parametrize("pred_tag", ["B-X", "B-Y"])
def test_documents_do_not_depend_on_the_predictions(pred_tag):
    # No blank line before the second document.
    text = "a B-X\n-DOCSTART- O\nb {}\nc O\n\nd B-X\n\n"
    sides = (io.BytesIO(text.format(tag).encode()) for tag in ("B-X", pred_tag))
    result = spanrs.score(*sides, by="document")
    assert len(result.documents) == 2
