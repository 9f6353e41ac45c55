"""Gold and pred may be any source of labelled text; contradictory arguments are refused with advice."""

from __future__ import annotations

import io
import re

import pyarrow as pa
import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError
from spanrs.io import Annotation, Document

TAGS = [["B-A", "O"], ["O"]]
TABLE = pa.table({"gold": TAGS, "pred": TAGS})
CORPUS = spanrs.read("examples/gold.conll")
DOCUMENT = Document("a b", [Annotation("X", 0, 1)])


def text_file():
    return io.StringIO("a O\n")


def stream():
    return io.BytesIO(b"a B-X\n")


REFUSED = {
    "a list of str": (
        lambda: spanrs.score(["B-A"], ["B-A"]),
        TypeError,
        "one str; for the tags of one sentence pass",
    ),
    "a list of str beside sentences": (
        lambda: spanrs.score(TAGS, ["B-A"]),
        TypeError,
        "pred, sentence 0: .*one str",
    ),
    "bytes": (lambda: spanrs.score(b"a O\n", b"a O\n"), TypeError, r"as io\.BytesIO\(content\)"),
    "sets": (lambda: spanrs.score({"a"}, {"b"}), TypeError, "a set has no order"),
    "a mapping of systems": (
        lambda: spanrs.score(TAGS, {"a": TAGS}),
        TypeError,
        r"spanrs\.compare\(gold, \{name: pred\}\)",
    ),
    "a text file": (lambda: spanrs.score(text_file(), text_file()), TypeError, r"binary mode \('rb'\)"),
    "one stream twice": (
        lambda: [spanrs.score(one, one) for one in [stream()]],
        TypeError,
        "open the file twice",
    ),
    "one reader twice": (
        lambda: [spanrs.score(one, one) for one in [TABLE.to_reader()]],
        TypeError,
        "open the file twice",
    ),
    "one side in memory": (
        lambda: spanrs.score(TAGS),
        TypeError,
        "pred is missing; only a file or table can contain both sides, not list in memory",
    ),
    "a file beside lists": (
        lambda: spanrs.score("examples/gold.conll", TAGS),
        TypeError,
        r"gold is a source for spanrs.read, but pred is a list in memory; .*spanrs\.read\(gold\)",
    ),
    "a corpus and options": (
        lambda: spanrs.score(CORPUS, CORPUS, separator="tab"),
        TypeError,
        r"both sides are already corpora; pass separator to spanrs\.read",
    ),
    "an unknown option": (
        lambda: spanrs.score(TAGS, TAGS, sheme="BIO"),
        TypeError,
        "unknown option 'sheme'",
    ),
    "an option of files for lists": (
        lambda: spanrs.score(TAGS, TAGS, separator="tab"),
        TypeError,
        "separator is an option for files and tables",
    ),
    "an option that the format has no use for": (
        lambda: spanrs.read("examples/gold.conll", annotator="ann"),
        TypeError,
        "annotator does not apply to columns",
    ),
    "one document": (lambda: spanrs.score(DOCUMENT), TypeError, "contains one side; pass gold and pred"),
    "schemes that contradict each other": (
        lambda: spanrs.score(
            spanrs.read("examples/gold.conll", reading="strict"), spanrs.read("examples/pred.conll")
        ),
        ValueError,
        "gold was read with reading='strict' and pred with reading='conlleval'",
    ),
    "pairs of str": (
        lambda: spanrs.score([[("a", "O")]], [[("a", "O")]]),
        TypeError,
        "got the pair .*pass only the tags",
    ),
    "a generator of paths": (
        lambda: spanrs.read(iter(["a"])),
        TypeError,
        "a source must be a path, .* a list of paths",
    ),
    "an empty list of sources": (lambda: spanrs.read([]), ValueError, "the list of sources is empty"),
    "an unknown format": (
        lambda: spanrs.read("examples/gold.conll", format="conll"),
        ValueError,
        "expected auto or one of columns",
    ),
    "an unknown reading option": (
        lambda: spanrs.read("examples/gold.conll", colums=1),
        TypeError,
        "unknown reading option 'colums'",
    ),
    "both sides in one table where one is meant": (
        lambda: spanrs.score(TABLE, TABLE),
        FormatError,
        "columns of gold and pred; choose one",
    ),
    "a column that is not there": (
        lambda: spanrs.score(TABLE, gold="x"),
        FormatError,
        "no column 'x'; the columns are gold, pred",
    ),
    "a table without tags": (
        lambda: spanrs.score(pa.table({"a": TAGS, "b": TAGS})),
        FormatError,
        "no column of tags or spans among a, b; choose the columns with tokens= and tags=",
    ),
    "a table of one side": (
        lambda: spanrs.score(pa.table({"tags": TAGS})),
        FormatError,
        "no columns of gold and pred among tags",
    ),
    "tags beside documents": (
        lambda: spanrs.score("examples/gold.conll", DOCUMENT),
        AlignmentError,
        r"align='characters' \(--align characters\)",
    ),
    "characters of lists": (
        lambda: spanrs.score(TAGS, TAGS, align="characters"),
        ValueError,
        "needs tokens or texts",
    ),
    "systems without gold": (
        lambda: spanrs.compare(TAGS, [TAGS]),
        TypeError,
        r"write compare\(gold, \{'a': pred\}\)",
    ),
    "options of scores that are there": (
        lambda: spanrs.compare({"a": spanrs.score(TAGS, TAGS)}, scheme="BIO"),
        TypeError,
        "results are already scored; scheme is an option of spanrs.score",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_sides_that_contradict_themselves_are_refused(case):
    run, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message) as caught:
        run()
    assert "\n" not in str(caught.value)


def test_spans_may_be_dicts():
    spans = [[{"type": "A", "start": 0, "end": 1}], []]
    assert spanrs.score(spans, spans).totals == (1, 0, 0)
    assert spanrs.score(spans, [[("A", 0, 1)], []], errors=True).totals == (1, 0, 0)
    holes = [[{"type": "A", "start": 0, "end": 3, "tokens": [0, 2]}]]
    assert spanrs.score(holes, [[("A", 0, 3, [0, 2])]]).totals == (1, 0, 0)
    with pytest.raises(TypeError, match="with an exclusive end"):
        spanrs.score([[{"label": "A", "start_offset": 0, "end_offset": 1}]], spans[:1])


def test_a_side_may_be_in_another_scheme(tmp_path):
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    gold.write_text("a B-X\nb I-X\n\nc O\n" * 20)
    pred.write_text("a B-X\nb E-X\n\nc O\n" * 20)
    for sides in ((gold, pred), (spanrs.read(gold, scheme="BIO"), spanrs.read(pred, scheme="IOBES"))):
        result = spanrs.score(*sides)
        assert (result.settings["scheme"], result.settings["pred_scheme"], result.micro.f1) == (
            "BIO",
            "IOBES",
            1.0,
        )


def test_the_same_corpus_gives_the_same_counts(tmp_path):
    """Counts of a path, a data frame and lists are byte-identical."""
    import pandas as pd
    import polars as pl

    gold, pred = [["B-A", "I-A", "O"], ["O"], ["I-B"]], [["B-A", "O", "O"], ["B-B"], ["I-B"]]
    words = [["x", "y", "z"], ["x"], ["y"]]
    path = tmp_path / "both"
    path.write_text(
        "\n".join(
            "".join(f"{w} {g} {p}\n" for w, g, p in zip(*row, strict=True))
            for row in zip(words, gold, pred, strict=True)
        )
    )
    columns = {"gold": gold, "pred": pred}
    expected = spanrs.score(gold, pred, by=[1, 1, 1]).counts
    sources = [
        path,
        pa.table(columns),
        pl.DataFrame(columns),
        pd.DataFrame(columns),
    ]
    stream = io.BytesIO(path.read_bytes())
    assert spanrs.score(stream, by="sentence").counts.to_bytes() == expected.to_bytes()
    for source in sources:
        assert spanrs.score(source, by="sentence").counts.to_bytes() == expected.to_bytes()
        assert spanrs.score(source, by="sentence", threads=4).counts.to_bytes() == expected.to_bytes()


def test_files_are_paired_by_name_or_by_stem(tmp_path):
    for side in ("gold", "pred"):
        (tmp_path / side / "sub").mkdir(parents=True)
        for name in ("a", "sub/b", "c"):
            (tmp_path / side / f"{name}.{side}.conll").write_text(f"{name[-1]} B-{name[-1].upper()}\n")
    result = spanrs.score(tmp_path / "gold", tmp_path / "pred", by="document")
    assert [row.name for row in result.documents] == [
        "a.gold.conll:0",
        "c.gold.conll:0",
        "sub/b.gold.conll:0",
    ]
    assert result.totals == (3, 0, 0)
    (tmp_path / "gold" / "d.gold.conll").write_text("d B-D\n")
    with pytest.raises(
        AlignmentError, match=re.escape("pred has no file for d.gold.conll; files are paired by name")
    ):
        spanrs.score(tmp_path / "gold", tmp_path / "pred")
    (tmp_path / "pred" / "c.pred.conll").write_text("other B-C\n")
    skipping = spanrs.score(tmp_path / "gold", tmp_path / "pred", on_error="skip")
    assert skipping.totals == (2, 0, 0)
    assert (
        skipping.evidence.skipped[0].message.rpartition("/")[2].startswith("d.gold.conll: pred has no file")
    )
    assert any("gold has token `c`" in item.message for item in skipping.evidence.skipped)


def test_what_cannot_be_aligned_is_counted_and_listed():
    gold = Document(
        "Ada -LRB- born 1815 -RRB- wrote it", [Annotation("PER", 0, 3), Annotation("YEAR", 15, 19)]
    )
    pred = Document("Ada (born 1815) wrote", [Annotation("PER", 0, 3), Annotation("YEAR", 10, 14)])
    assert spanrs.score(gold, pred, align="characters").totals == (2, 0, 0)
    more = Document(gold.text, [*gold.annotations, Annotation("X", 32, 34)])
    result = spanrs.score(more, pred, align="characters", errors=True)
    assert result.totals == (2, 0, 1)
    assert result.notes == [
        "1 of 3 spans of gold cannot be aligned with the other text and count as errors: X 'it' "
        "(0: characters 32 to 34)"
    ]
    [error] = result.errors
    assert (error.outcome, error.gold) == ("missed", spanrs.Span("X", 32, 34))
    assert error.tokens == ("Ada -LRB- born 1815 -RRB- wrote it",)
    assert "align:characters" in result.signature


def test_documents_are_paired_by_id_then_text_then_order():
    def named(text, id_=None, label="X"):
        return Document(text, [Annotation(label, 0, 1)], id_)

    gold = [named("a b", "1"), named("c d", "2")]
    assert spanrs.score(gold, gold[::-1]).totals == (2, 0, 0)
    assert spanrs.score(gold, [named("c d"), named("a b")]).totals == (2, 0, 0)
    twice = [named("a b"), named("a b", label="Y")]
    assert spanrs.score(twice, twice).totals == (2, 0, 0)
    with pytest.raises(AlignmentError, match="1 document of gold is unpaired, the first is 2"):
        spanrs.score(gold, gold[:1])
    with pytest.raises(AlignmentError, match=r"the text of document 1 differs .* at character 2"):
        spanrs.score([named("a b", "1")], [named("a c", "1")])
