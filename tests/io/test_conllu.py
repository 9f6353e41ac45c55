"""CoNLL-U, byte order marks, and what documents of several annotators bring."""

from __future__ import annotations

import gzip
import io
import json

import pytest

import spanrs
from spanrs import tags
from spanrs.io import Columns

HEAD = b"# newdoc id = a\n# sent_id = 1\n# text = Vamonos al mar\n"
WORDS = (
    b"1-2\tVamonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    b"1\tVamos\tir\tVERB\tV\t_\t0\troot\t_\t_\n"
    b"2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\tSpaceAfter=No|NER=B-PER\n"
    b"2.1\tde\t_\t_\t_\t_\t_\t_\t_\tNER=B-NONE\n"
    b"3\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\tNER=I-PER\n\n"
)
TEXT = HEAD + WORDS + b"# text = Rio\n1\tRio\tRio\tPROPN\tN\t_\t0\troot\t_\tNER=B-LOC\n"


def spans(text, columns, scheme="BIO"):
    return [
        [(span.type, span.start, span.end) for span in sentence]
        for sentence in tags.read_spans_file(io.BytesIO(text), scheme, columns=columns)
    ]


def test_columns_have_names_and_misc_has_keys():
    assert spans(TEXT, Columns(tag="NER")) == [[("PER", 1, 3)], [("LOC", 0, 1)]]
    assert spans(TEXT, Columns(tag="NER", format="conllu")) == spans(TEXT, Columns(tag="NER"))
    named = [("VERB", 0, 1), ("PRON", 1, 2), ("NOUN", 2, 3)]
    for column in ("upos", "UPOS", 3):
        assert spans(TEXT, Columns(tag=column), "TOKEN")[0] == named
    for missing in ("ner", "Missing", "UPOSS"):
        with pytest.raises(spanrs.errors.FormatError, match=f"no word has the key {missing} in MISC"):
            spans(TEXT, Columns(tag=missing))


def test_tokens_are_forms_of_words():
    other = TEXT.replace(b"Rio\tRio", b"Bahia\tRio")
    with pytest.raises(spanrs.errors.AlignmentError, match=r"token `Rio`.*token `Bahia`"):
        spanrs.score_files(io.BytesIO(TEXT), io.BytesIO(other), columns=Columns(tag="NER"))
    lemmas = Columns(tag="NER", token="LEMMA")
    assert spanrs.score_files(io.BytesIO(TEXT), io.BytesIO(other), columns=lemmas).micro.f1 == 1.0
    # Ranges and empty nodes are written by some and not by others.
    without = b"".join(
        line for line in TEXT.splitlines(True) if line.split(b"\t")[0] not in (b"1-2", b"2.1")
    )
    result = spanrs.score_files(
        io.BytesIO(TEXT), io.BytesIO(without), columns=Columns(tag="NER"), by_document=True
    )
    assert (result.micro.f1, result.tokens, len(result.documents)) == (1.0, 4, 1)


def test_gold_and_pred_may_be_keys_of_one_file():
    both = TEXT.replace(b"NER=B-PER", b"NER=B-PER|PRED=B-LOC").replace(
        b"NER=I-PER", b"NER=I-PER|PRED=I-LOC"
    )
    result = spanrs.score_files(io.BytesIO(both), columns=Columns(tag="NER", second="PRED"))
    assert result.counts == (0, 1, 2)
    assert result.confusion["PER"]["LOC"] == 1


def test_misc_that_holds_tags_alone_is_read_without_a_name():
    text = TEXT.replace(b"SpaceAfter=No|NER=", b"").replace(b"NER=", b"").replace(b"SpaceAfter=No", b"_")
    assert spans(text, Columns()) == [[("PER", 1, 3)], [("LOC", 0, 1)]]
    with pytest.raises(
        spanrs.errors.FormatError, match=r"key of MISC \(found: SpaceAfter, NER\)"
    ) as caught:
        spans(TEXT, Columns())
    assert caught.value.code == "no_column"
    with pytest.raises(spanrs.errors.FormatError, match="columns have names only in CoNLL-U"):
        spans(b"a O\n", Columns(tag="NER"))


def test_conversion_changes_values_of_keys():
    target = io.BytesIO()
    tags.convert_file(io.BytesIO(TEXT), target, "BIO", "IOBES", columns=Columns(tag="NER"))
    expected = TEXT.replace(b"NER=I-PER", b"NER=E-PER").replace(b"NER=B-LOC", b"NER=S-LOC")
    assert target.getvalue() == expected


def test_plain_columns_with_ten_columns_are_not_conllu():
    line = b"\t".join([b"Bob", *[b"x"] * 8, b"B-PER"]) + b"\n"
    assert spans(line, Columns()) == [[("PER", 0, 1)]]
    numbered = b"1\tBob\tx\tx\tx\tx\tno head\tx\tx\tB-PER\n"
    assert spans(numbered, Columns()) == [[("PER", 0, 1)]]
    # Whoever names the format is believed.
    assert len(spans(WORDS, Columns(format="columns"))[0]) == 0


def test_a_mark_before_the_first_line_is_kept_and_a_token_is_a_token():
    mark = "\ufeff".encode()
    for text in (mark + b"a B-A\n", mark + b"# newdoc\n\na B-A\n", mark + b"\n\na B-A\n"):
        target = io.BytesIO()
        tags.convert_file(io.BytesIO(text), target, "BIO", "IOBES")
        assert target.getvalue() == text.replace(b"B-A", b"S-A")
    for blank in (b" ", b"\t"):
        token = mark + blank + b"B-A\nb" + blank + b"O\n"
        assert spans(token, Columns()) == [[("A", 0, 1)]]
        with pytest.raises(spanrs.errors.AlignmentError, match="token `\ufeff`"):
            spanrs.score_files(io.BytesIO(token), io.BytesIO(token.replace(mark, b"x")))


def test_one_of_several_annotators_is_chosen(tmp_path):
    region = {"type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}
    annotations = [
        {"completed_by": 7, "result": [region]},
        {"completed_by": {"id": 8, "email": "ann@example.org"}, "result": []},
        {"completed_by": 9, "was_cancelled": True, "result": [region, region]},
    ]
    task = {"id": 1, "data": {"text": "Bob ate"}, "annotations": annotations}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task]), encoding="utf-8")

    def read(annotator=None, kind="label-studio"):
        return spanrs.io.read_documents(path, kind, annotator=annotator)

    [first] = read()
    assert len(first.annotations) == 1
    assert "1 other annotator" in first.left_out[0]
    for name, found in (("7", 1), ("8", 0), (8, 0), ("ann@example.org", 0)):
        [document] = read(name)
        assert (len(document.annotations), list(document.left_out)) == (found, [])
    # Users have numbers, so numbers are no places; annotation 9 was cancelled.
    for nobody in ("9", "bob", "0"):
        with pytest.raises(spanrs.errors.FormatError, match=f'no annotator "{nobody}"; the file has 7, 8'):
            read(nobody)
    # Places are those of users in the order in which the file has them, whatever the order within a task.
    named = [{"completed_by": name, "result": [region] * (name == "ann")} for name in ("ann", "bob")]
    tasks = [task | {"annotations": named}, task | {"id": 2, "annotations": named[::-1]}]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    for place, found in ((0, 1), (1, 0), ("ann", 1)):
        assert [len(document.annotations) for document in read(place)] == [found, found]
    for annotation in named:
        del annotation["completed_by"]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    assert [len(document.annotations) for document in read(0)] == [1, 0]
    task["annotations"][1]["ground_truth"] = True
    path.write_text(json.dumps([task]), encoding="utf-8")
    [truth] = read()
    assert (truth.annotations, list(truth.left_out)) == ([], [])
    # JSON_MIN has a record for each annotation.
    records = [{"id": 3, "text": "Bob ate", "annotator": name} for name in ("ann", "bob")]
    path.write_text(json.dumps(records), encoding="utf-8")
    with pytest.raises(
        spanrs.errors.FormatError, match=r"task 3 was annotated twice \(annotators ann, bob\)"
    ):
        read()
    assert len(read("bob")) == len(read(1)) == 1

    record = {"text": "Bob ate", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
    records = [record | {"_annotator_id": "ann"}, record | {"_session_id": "bob", "spans": []}]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    with pytest.raises(
        spanrs.errors.FormatError, match=r"records of 2 annotators \(ann, bob\) for the same texts"
    ):
        read(kind="prodigy")
    for name, found in (("ann", 1), ("bob", 0), ("0", 1), ("1", 0)):
        [document] = read(name, "prodigy")
        assert len(document.annotations) == found
    with pytest.raises(spanrs.errors.FormatError, match='no annotator "2"; the file has ann, bob'):
        read("2", "prodigy")
    unnamed = [{"text": "Bob ate", "_input_hash": 5}] * 2
    path.write_text("\n".join(map(json.dumps, unnamed)), encoding="utf-8")
    with pytest.raises(
        spanrs.errors.FormatError, match=r":2: the same input as on line 1, and no annotators"
    ):
        read(kind="prodigy")
    # Each of several annotators may have had texts of their own.
    records[1]["text"] = "Ann ate"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert len(read(kind="prodigy")) == 2
    with pytest.raises(ValueError, match="not in doccano"):
        read("ann", "doccano")


def test_compressed_documents_expand_so_far(tmp_path):
    path = tmp_path / "d.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"signal": " " * (18 << 20), "asets": []}).encode()))
    with pytest.raises(spanrs.errors.LimitError, match="expands more than 100 times") as caught:
        spanrs.io.read_documents(path, "mat-json")
    assert caught.value.code == "expansion"
    assert len(spanrs.io.read_documents(path, "mat-json", max_expansion=2000)[0].text) == 18 << 20
    path.write_bytes(gzip.compress(json.dumps({"signal": " " * (15 << 20), "asets": []}).encode()))
    assert len(spanrs.io.read_documents(path, "mat-json")) == 1


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1251", "utf-16"])
def test_a_declared_encoding_is_followed(encoding, tmp_path):
    text = f"<?xml version='1.0' encoding='{encoding}'?>\n<doc><A>\u0434\xe9</A></doc>"
    text = text.replace("\u0434" if encoding == "ISO-8859-1" else "\xe9", "")
    path = tmp_path / "d.xml"
    path.write_bytes(text.encode(encoding))
    [document] = spanrs.io.read_documents(path, "xml-inline")
    assert document.text == text.split("<A>")[1].split("</A>")[0]
    with pytest.raises(ValueError, match="host names"):
        spanrs.io.read_documents(path, "xml-inline", encoding="idna")


def test_scoring_nothing_is_an_error(tmp_path):
    for name in ("gold", "pred"):
        (tmp_path / name).write_text('{"signal": "Bob", "asets": []}', encoding="utf-8")
    with pytest.raises(
        spanrs.errors.FormatError, match="the document has no annotations to score on either side"
    ):
        spanrs.mat.score(tmp_path / "gold", tmp_path / "pred")
    assert (
        spanrs.mat.score(tmp_path / "gold", tmp_path / "pred", lenient=True).tag["<all>"]["fmeasure"] == 1.0
    )
    (tmp_path / "pred").write_text("[]", encoding="utf-8")
    with pytest.raises(spanrs.errors.FormatError, match="all pairs were skipped") as caught:
        spanrs.mat.score(tmp_path / "gold", tmp_path / "pred")
    assert caught.value.code == "nothing_scored"
