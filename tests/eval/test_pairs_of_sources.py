"""Pairs of sources that differ in format, scheme, tokenization or document boundaries: pairing, notes and warnings."""

from __future__ import annotations

import io
import json

import pyarrow
import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError, SpanrsWarning
from spanrs.io import Annotation, Document

GOLD = "".join(f"Ada{i} B-PER\nin O\nRio B-LOC\n. O\n\n" for i in range(10))
RECORDS = [
    {"id": i, "text": f"Ada{i} in Rio.", "label": [[0, 4, "PER"], [8, 11, "LOC"]]} for i in range(10)
]


def stream(text):
    return io.BytesIO(text.encode())


def rows(sentences):
    """A column file with these columns of tags."""
    return stream(
        "".join("".join(f"w{at} {tags}\n" for at, tags in enumerate(values)) + "\n" for values in sentences)
    )


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def records(tmp_path):
    return write(tmp_path / "pred.jsonl", "".join(json.dumps(record) + "\n" for record in RECORDS))


@pytest.fixture
def brat(tmp_path):
    folder = tmp_path / "brat"
    for record in RECORDS:
        lines = [
            f"T{number} {ty} {start} {end}\t{record['text'][start:end]}\n".replace(" ", "\t", 1)
            for number, (start, end, ty) in enumerate(record["label"])
        ]
        write(folder / f"d{record['id']}.txt", record["text"])
        write(folder / f"d{record['id']}.ann", "".join(lines))
    return folder


def test_columns_of_one_table_have_schemes_of_their_own(tmp_path):
    pairs = [("B-PER", "B-PER"), ("I-PER", "E-PER"), ("O", "O"), ("B-LOC", "S-LOC")]
    table = "sentence,token,gold,pred\n" + "".join(
        f"{i},w{at},{gold},{pred}\n" for i in range(30) for at, (gold, pred) in enumerate(pairs)
    )
    result = spanrs.score(write(tmp_path / "both.csv", table))
    assert result.totals == (60, 0, 0)
    assert (result.settings["scheme"], result.settings["pred_scheme"]) == ("BIO", "IOBES")


@pytest.mark.parametrize("align", ["refuse", "characters"])
def test_the_scheme_of_gold_holds_for_pred_under_every_alignment(align):
    gold = [["B-X", "I-X", "B-X", "O"]] * 50
    pred = [["I-X", "I-X", "B-X", "O"]] * 50
    result = spanrs.score(rows(gold), rows(pred), reading="strict", align=align)
    assert result.totals == (50, 0, 50)
    assert result.settings["scheme"] == "BIO"


def test_a_stream_of_batches_is_read_again_to_detect_the_scheme_of_pred():
    table = pyarrow.table({"gold": [["B-X", "O"]] * 100, "pred": [["S-X", "O"]] * 100})
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))
    assert spanrs.score(reader, scheme="BIO", pred_scheme="auto").totals == (100, 0, 0)


def test_scorers_read_spans_and_tags_in_their_scheme_and_reading(tmp_path):
    tags = write(tmp_path / "pred.conll", "a B-X\nb B-X\n\na I-X\nb O\n")
    spans = write(tmp_path / "gold.spans", "X\t1\t2\t1, 2\n\nX\t1\t1\t1\n\n")
    for options in ({"scheme": "IO"}, {"reading": "strict", "scheme": "BIO"}):
        scorer = spanrs.Scorer(**options)
        with pytest.warns(SpanrsWarning, match="gold has no tokens"):
            scorer.update(spans, tags)
        assert scorer.result().totals == spanrs.score(spans, tags, **options).totals


def test_layers_whose_pred_columns_differ_in_scheme():
    layers = [["B-X B-Y", "I-X I-Y", "O O"]] * 20, [["B-X B-Y", "I-X E-Y", "O O"]] * 20
    result = spanrs.score(*map(rows, layers), tags=(1, 2))
    assert result.totals == (20, 20, 20)
    assert "violations of BIO" in result.warnings[0]


def test_lists_of_tables_and_streams_are_sources():
    tables = [pyarrow.table({"tags": [["B-X"]]})]
    assert spanrs.score(tables, tables).totals == (1, 0, 0)
    assert spanrs.score([stream(GOLD)], [stream(GOLD)]).totals == (20, 0, 0)


@pytest.mark.parametrize("marker", ["▁{}", "Ġ{}", "##{}"])
def test_markers_of_subword_tokenizers_do_not_move_spans(marker):
    pred = GOLD.replace("in O", f"{marker.format('in')} O").replace("Rio", marker.format("Rio"))
    assert spanrs.score(stream(GOLD), stream(pred), align="characters").totals == (20, 0, 0)


def test_documents_that_are_cut_differently_are_aligned_as_one_text(tmp_path, records):
    result = spanrs.score(write(tmp_path / "gold.conll", GOLD), records, align="characters")
    assert result.totals == (20, 0, 0)
    assert "gold has 1, pred has 10" in result.evidence.notes[0]
    with pytest.raises(AlignmentError, match="unpaired"):
        spanrs.score(tmp_path / "gold.conll", records, align="characters", by="document")


def test_a_file_of_documents_is_paired_with_a_directory_of_them(records, brat):
    for gold, pred in ((records, brat), (brat, records), (brat, brat)):
        result = spanrs.score(gold, pred, by="document", errors=True)
        assert result.totals == (20, 0, 0)
        assert len(result.documents) == 10
    assert spanrs.score(brat / "d1.txt", brat / "d1.ann").totals == (2, 0, 0)
    (brat / "d9.ann").unlink()
    (brat / "d9.txt").unlink()
    with pytest.raises(AlignmentError, match="unpaired"):
        spanrs.score(records, brat)


def test_files_of_two_lists_are_paired_by_name_else_by_order(tmp_path):
    tags = {"a": "x B-X\n", "b": "y O\n"}
    folders = {
        folder: [write(tmp_path / folder / f"{name}.conll", text) for name, text in tags.items()]
        for folder in ("gold", "pred")
    }
    result = spanrs.score(spanrs.read(folders["gold"]), spanrs.read(folders["pred"][::-1]))
    assert (result.totals, result.evidence.notes) == ((1, 0, 0), ())
    rest = [write(tmp_path / "pred" / f"{name}{name}.conll", text) for name, text in tags.items()]
    result = spanrs.score(spanrs.read(folders["gold"]), spanrs.read(rest))
    assert result.totals == (1, 0, 0)
    assert "paired by their order" in result.evidence.notes[0]
    with pytest.raises(AlignmentError, match=r"no file for b\.conll"):
        spanrs.score(spanrs.read(folders["gold"]), spanrs.read([*rest, folders["pred"][0]]))


def test_the_only_files_of_two_directories_are_paired_with_a_note(tmp_path):
    for folder, name in (("gold", "train.conll"), ("pred", "test.conll")):
        write(tmp_path / folder / name, "x B-X\n")
    result = spanrs.score(tmp_path / "gold", tmp_path / "pred")
    assert "although their names differ" in result.evidence.notes[0]
    (tmp_path / "pred" / "test.conll").rename(tmp_path / "pred" / "train.pred.conll")
    assert spanrs.score(tmp_path / "gold", tmp_path / "pred").evidence.notes == ()


def test_spans_beyond_the_sentence_of_the_other_side_are_refused(tmp_path):
    gold = write(tmp_path / "gold.conll", "a B-X\nb O\n")
    pred = write(tmp_path / "pred.spans", "X\t1\t9\t1, 2, 3, 4, 5, 6, 7, 8, 9\n\n")
    for sides in ((gold, pred), (pred, gold)):
        with pytest.raises(AlignmentError, match=r"pred\.spans:1: the span X of tokens 0 to 8 ends beyond"):
            spanrs.score(*sides)


def test_texts_that_differ_are_reported():
    gold, pred = (Document(text, [Annotation("PER", 0, 3)]) for text in ("Ada ran", "Zzz zzz"))
    with pytest.raises(AlignmentError, match="differs"):
        spanrs.score(gold, pred)
    result = spanrs.score(gold, pred, align="report")
    assert result.totals == (1, 0, 0)
    assert "number of documents whose texts differ: 1, the first" in result.warnings[0]
    assert spanrs.score(gold, pred, align="ignore").warnings == []


def test_annotations_that_are_left_out_are_told_beside_other_warnings():
    document = Document("Ada ran", [Annotation("PER", 0, 30)])
    warnings = spanrs.score(document, document).warnings
    assert len(warnings) == 2
    assert "reaches beyond the text" in warnings[1]


def test_a_directory_of_columns_and_of_spans_is_no_table_of_two_sides(tmp_path):
    write(tmp_path / "a.conll", "a B-X B-X\n")
    write(tmp_path / "b.spans", "X\t1\t1\t1\n\n")
    with pytest.raises(FormatError, match="contains one side"):
        spanrs.score(tmp_path)


def test_files_that_are_left_out_beside_a_single_file_are_counted(tmp_path):
    for name in ("a", "b", "c"):
        write(tmp_path / "gold" / f"{name}.conll", "x B-PER\n\n")
    pred = write(tmp_path / "a.conll", "x B-PER\n\n")
    for sides in ((tmp_path / "gold", pred), (pred, tmp_path / "gold")):
        result = spanrs.score(*sides)
        assert result.micro.support == 1
        assert "are paired by name; files that are not scored: 2" in result.notes[0]
