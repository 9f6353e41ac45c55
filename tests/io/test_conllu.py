"""CoNLL-U, byte order marks, and documents of several annotators."""

from __future__ import annotations

import gzip
import io
import json

import pytest

import spanrs
from spanrs.mat.files import corpus_pairs
from spanrs.mat.scoring import score_pairs

HEAD = b"# newdoc id = a\n# sent_id = 1\n# text = Vamonos al mar\n"
WORDS = (
    b"1-2\tVamonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    b"1\tVamos\tir\tVERB\tV\t_\t0\troot\t_\t_\n"
    b"2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\tSpaceAfter=No|NER=B-PER\n"
    b"2.1\tde\t_\t_\t_\t_\t_\t_\t_\tNER=B-NONE\n"
    b"3\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\tNER=I-PER\n\n"
)
TEXT = HEAD + WORDS + b"# text = Rio\n1\tRio\tRio\tPROPN\tN\t_\t0\troot\t_\tNER=B-LOC\n"


def spans(text, **options):
    return [
        [(span.type, span.start, span.end) for span in sentence.spans["tags"]]
        for sentence in spanrs.read(io.BytesIO(text), **{"scheme": "BIO"} | options)
    ]


def test_columns_have_names_and_misc_has_keys():
    assert spans(TEXT, tags="NER") == [[("PER", 1, 3)], [("LOC", 0, 1)]]
    assert spans(TEXT, tags="NER", format="conllu") == spans(TEXT, tags="NER")
    named = [("VERB", 0, 1), ("PRON", 1, 2), ("NOUN", 2, 3)]
    for column in ("upos", "UPOS", 3):
        assert spans(TEXT, tags=column, scheme="TOKEN")[0] == named
    for missing in ("ner", "Missing", "UPOSS"):
        with pytest.raises(spanrs.errors.FormatError, match=f"no word has the key {missing} in MISC"):
            spans(TEXT, tags=missing)


def test_tokens_are_forms_of_words():
    second = TEXT.replace(b"Rio\tRio", b"Bahia\tRio")
    with pytest.raises(spanrs.errors.AlignmentError, match=r"token `Rio`.*token `Bahia`"):
        spanrs.score(io.BytesIO(TEXT), io.BytesIO(second), tags="NER")
    lemmas = {"tags": "NER", "tokens": "LEMMA"}
    assert spanrs.score(io.BytesIO(TEXT), io.BytesIO(second), **lemmas).micro.f1 == 1.0
    # Multiword tokens and empty nodes are optional.
    without = b"".join(
        line for line in TEXT.splitlines(True) if line.split(b"\t")[0] not in (b"1-2", b"2.1")
    )
    result = spanrs.score(io.BytesIO(TEXT), io.BytesIO(without), tags="NER", by="document")
    assert (result.micro.f1, result.tokens, len(result.documents)) == (1.0, 4, 1)


def test_gold_and_pred_may_be_keys_of_one_file():
    sides = TEXT.replace(b"NER=B-PER", b"NER=B-PER|PRED=B-LOC").replace(
        b"NER=I-PER", b"NER=I-PER|PRED=I-LOC"
    )
    result = spanrs.score(io.BytesIO(sides), gold="NER", pred="PRED")
    assert result.totals == (0, 1, 2)
    assert result.confusion["PER"]["LOC"] == 1


def test_misc_that_holds_tags_alone_is_read_without_a_name():
    text = TEXT.replace(b"SpaceAfter=No|NER=", b"").replace(b"NER=", b"").replace(b"SpaceAfter=No", b"_")
    assert spans(text) == [[("PER", 1, 3)], [("LOC", 0, 1)]]
    with pytest.raises(
        spanrs.errors.FormatError, match=r"key of MISC \(found: SpaceAfter, NER\)"
    ) as caught:
        spans(TEXT)
    assert caught.value.code == "no_column"
    with pytest.raises(spanrs.errors.FormatError, match="columns have names only in CoNLL-U"):
        spans(b"a O\n", tags="NER")


def test_conversion_changes_values_of_keys():
    target = io.BytesIO()
    spanrs.io.convert(io.BytesIO(TEXT), target, "IOBES", scheme="BIO", tags="NER")
    expected = TEXT.replace(b"NER=I-PER", b"NER=E-PER").replace(b"NER=B-LOC", b"NER=S-LOC")
    assert target.getvalue() == expected


def test_plain_columns_with_ten_columns_are_not_conllu():
    line = b"\t".join([b"Bob", *[b"x"] * 8, b"B-PER"]) + b"\n"
    assert spans(line) == [[("PER", 0, 1)]]
    numbered = b"1\tBob\tx\tx\tx\tx\tno head\tx\tx\tB-PER\n"
    assert spans(numbered) == [[("PER", 0, 1)]]
    # A named format is not checked.
    assert len(spans(WORDS, format="columns")[0]) == 0


def test_a_mark_before_the_first_line_is_kept_and_a_token_is_a_token():
    mark = "\ufeff".encode()
    for text in (mark + b"a B-A\n", mark + b"# newdoc\n\na B-A\n", mark + b"\n\na B-A\n"):
        target = io.BytesIO()
        spanrs.io.convert(io.BytesIO(text), target, "IOBES", scheme="BIO")
        assert target.getvalue() == text.replace(b"B-A", b"S-A")
    for blank in (b" ", b"\t"):
        token = mark + blank + b"B-A\nb" + blank + b"O\n"
        assert spans(token) == [[("A", 0, 1)]]
        with pytest.raises(spanrs.errors.AlignmentError, match="token `\\\\ufeff`"):
            spanrs.score(io.BytesIO(token), io.BytesIO(token.replace(mark, b"x")))


def test_compressed_documents_expand_so_far(tmp_path):
    path = tmp_path / "d.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"signal": " " * (18 << 20), "asets": []}).encode()))
    with pytest.raises(spanrs.errors.LimitError, match="expands more than 100 times") as caught:
        list(spanrs.read(path, format="mat-json").documents)
    assert caught.value.code == "expansion"
    [document] = spanrs.read(path, format="mat-json", limits=spanrs.io.Limits(expansion=2000)).documents
    assert len(document.text) == 18 << 20
    path.write_bytes(gzip.compress(json.dumps({"signal": " " * (15 << 20), "asets": []}).encode()))
    assert len(list(spanrs.read(path, format="mat-json").documents)) == 1


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1251", "utf-16"])
def test_a_declared_encoding_is_followed(encoding, tmp_path):
    text = f"<?xml version='1.0' encoding='{encoding}'?>\n<doc><A>\u0434\xe9</A></doc>"
    text = text.replace("\u0434" if encoding == "ISO-8859-1" else "\xe9", "")
    path = tmp_path / "d.xml"
    path.write_bytes(text.encode(encoding))
    [document] = spanrs.read(path, format="xml-inline").documents
    assert document.text == text.split("<A>")[1].split("</A>")[0]
    with pytest.raises(ValueError, match="host names"):
        list(spanrs.read(path, format="xml-inline", encoding="idna").documents)


def test_scoring_nothing_is_an_error(tmp_path):
    for name in ("gold", "pred"):
        (tmp_path / name).write_text('{"signal": "Bob", "asets": []}', encoding="utf-8")
    with pytest.raises(
        spanrs.errors.FormatError, match="the document has no annotations to score on either side"
    ):
        spanrs.score(
            tmp_path / "gold",
            tmp_path / "pred",
            matcher=spanrs.mat.Mat(),
            on_error="skip",
            format="mat-json",
        )
    sides = (spanrs.read(tmp_path / side, format="mat-json") for side in ("gold", "pred"))
    result = score_pairs(corpus_pairs(*sides, None)[0], spanrs.mat.Mat())
    assert spanrs.mat.tables(result).tag["<all>"]["fmeasure"] == 1.0
    (tmp_path / "pred").write_text("[]", encoding="utf-8")
    with pytest.raises(spanrs.errors.FormatError, match="all pairs were skipped") as caught:
        spanrs.score(
            tmp_path / "gold",
            tmp_path / "pred",
            matcher=spanrs.mat.Mat(),
            on_error="skip",
            format="mat-json",
        )
    assert caught.value.code == "nothing_scored"


def conllu(*ids):
    """Return a sentence whose lines have these ids."""
    return "".join(f"{number}\tw\t_\tX\t_\t_\t0\troot\t_\tNER=B-A\n" for number in ids).encode() + b"\n"


@pytest.mark.parametrize(
    ("ids", "line"),
    [
        (["1-1", "1"], 1),
        (["1", "2", "3-2", "3"], 3),
        (["1", "1-1", "2"], 2),
        (["2-1", "1"], 1),
        (["010-9"], 1),
    ],
)
def test_multiword_token_of_fewer_than_two_words_is_refused_with_its_line(ids, line):
    text = conllu(*ids)
    readers = [
        lambda: spanrs.score(io.BytesIO(text), io.BytesIO(text), tags="NER"),
        lambda: spanrs.io.validate(io.BytesIO(text), tags="NER", format="conllu"),
        lambda: spanrs.io.convert(
            io.BytesIO(text), io.BytesIO(), "IOBES", scheme="BIO", tags="NER", format="conllu"
        ),
        lambda: spanrs.dep.read_conllu(io.BytesIO(text), format="conllu"),
    ]
    for read in readers:
        with pytest.raises(spanrs.errors.FormatError, match="multiword token") as caught:
            read()
        assert (caught.value.code, caught.value.line) == ("wrong_format", line)


def test_ids_and_heads_have_no_sign():
    for text in (conllu("+1"), conllu("1").replace(b"\t0\t", b"\t+0\t")):
        with pytest.raises(spanrs.errors.FormatError, match=r"\+[01]"):
            spanrs.dep.read_conllu(io.BytesIO(text), format="conllu")


def test_multiword_tokens_of_two_words_are_read():
    text = conllu("1-2", "1", "2", "3")
    assert len(spanrs.dep.read_conllu(io.BytesIO(text), format="conllu")[0]) == 3
    totals = spanrs.score(io.BytesIO(text), io.BytesIO(text), tags="NER").totals
    assert totals.tp == 3
