"""Common mistakes: sources that could be misread, and items that cannot be kept."""

import io
import json

import pyarrow
import pyarrow.parquet
import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError, SchemeError, SpanrsWarning
from spanrs.io import Annotation, Document

GOLD = "EU B-ORG\nx O\n\nRio B-LOC\n"
BOTH = "sentence,token,gold,pred\n1,EU,B-ORG,O\n1,x,O,O\n2,Rio,B-LOC,O\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def record(text, labels, **more):
    return json.dumps({"text": text, "label": labels, **more}) + "\n"


@pytest.mark.parametrize("align", ["refuse", "characters"])
def test_a_table_of_both_sides_is_no_side(tmp_path, align):
    gold, sides = write(tmp_path / "gold.conll", GOLD), write(tmp_path / "both.csv", BOTH)
    with pytest.raises(FormatError, match=r"columns of gold and pred|layers: gold, pred"):
        spanrs.score(gold, sides, align=align)
    assert spanrs.score(gold, spanrs.read(sides)["pred"], align=align).totals == (0, 0, 2)
    assert spanrs.score(sides).totals == (0, 0, 2)


def test_labels_in_another_order_are_read_by_their_own_names():
    datasets = pytest.importorskip("datasets", reason="Hugging Face datasets is not installed")
    names = {"gold": ["O", "B-PER", "I-PER", "B-LOC"], "pred": ["B-LOC", "O", "I-PER", "B-PER", "B-X"]}
    features = {
        side: datasets.Sequence(datasets.ClassLabel(names=values)) for side, values in names.items()
    }
    ids = {"gold": [[1, 2, 0], [3, 0]], "pred": [[3, 2, 1], [1, 4]]}
    labelled = datasets.Dataset.from_dict(ids, features=datasets.Features(features))
    result = spanrs.score(labelled, errors=True)
    assert result.totals == (1, 1, 1)
    assert {(e.gold or e.pred).type for e in result.errors} == {"LOC", "X"}


def test_several_layers_are_kept_in_documents(tmp_path):
    path = write(tmp_path / "a.conll", "EU B-ORG B-X\nx O B-Y\n")
    layers = spanrs.read(path, tags=(1, 2))
    [document] = layers.documents
    assert [a.type for a in document.annotations if a.is_content] == ["ORG", "X", "Y"]
    with pytest.raises(ValueError, match="compares one layer"):
        spanrs.score(layers, layers, align="characters")


def test_annotations_that_do_not_fit_are_warned_of(tmp_path):
    gold = write(tmp_path / "gold.jsonl", record("Ada met Bob", [[0, 3, "PER"], [8, 30, "PER"]]))
    pred = write(tmp_path / "pred.jsonl", record("Ada met Bob", [[0, 3, "PER"]]))
    for align in ("refuse", "characters"):
        with pytest.warns(SpanrsWarning, match=r"not read: PER 8-30 reaches beyond the text"):
            result = spanrs.score(gold, pred, align=align)
        assert any("not read: PER 8-30" in warning for warning in result.warnings)
    with pytest.warns(SpanrsWarning, match="not read: PER 8-30"):
        spanrs.write(gold, tmp_path / "a.conll", to="columns")


def test_other_annotators_are_warned_of(tmp_path):
    region = {"type": "labels", "from_name": "l", "to_name": "t"}
    regions = [region | {"value": {"start": at, "end": at + 3, "labels": ["PER"]}} for at in (0, 8)]
    task = {
        "id": 1,
        "data": {"text": "Ada met Bob"},
        "annotations": [
            {"id": 1, "completed_by": 1, "result": regions},
            {"id": 2, "completed_by": 2, "result": regions[:1]},
        ],
    }
    path = write(tmp_path / "l.json", json.dumps([task]))
    with pytest.warns(SpanrsWarning, match="1 other annotator is not read"):
        list(spanrs.read(path))


@pytest.mark.parametrize("column", ["tags", "tag"])
def test_documents_of_tables_agree(column):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    tags = (["B-X"], ["O"]) if column == "tags" else ("B-X", "O")
    gold = pandas.DataFrame({"document": ["a", "b"], column: tags})
    with pytest.raises(AlignmentError, match="document 'a' in gold and to 'b' in pred"):
        spanrs.score(gold, gold.iloc[::-1])
    assert spanrs.score(gold, gold).totals == (1, 0, 0)


def test_the_root_of_xml_is_no_annotation_unless_it_is_named(tmp_path):
    gold = write(tmp_path / "gold.xml", "<doc><PER>Ada</PER> met Bob</doc>")
    pred = write(tmp_path / "pred.xml", "<doc>Ada met <PER>Bob</PER></doc>")
    assert spanrs.score(gold, pred).totals == (0, 1, 1)
    assert spanrs.score(gold, pred, elements="all").totals == (1, 1, 1)


def test_tags_of_a_sentence_in_one_cell_are_refused():
    source = io.BytesIO(b"text,labels\nEU in,B-ORG O\nRio de,B-LOC I-LOC\n")
    with pytest.raises(FormatError, match="'B-ORG O' contains white space"):
        list(spanrs.read(source))


def test_equal_texts_without_ids_are_paired_by_order_with_a_note(tmp_path):
    labelled, empty = record("Ada", [[0, 3, "PER"]]), record("Ada", [])
    gold, pred = (
        write(tmp_path / "g.jsonl", labelled + empty),
        write(tmp_path / "p.jsonl", empty + labelled),
    )
    assert "without ids that have the same text" in " ".join(spanrs.score(gold, pred).evidence.notes)


@pytest.mark.parametrize("name", ["sentence_idx", "Sentence #", "sent", "SentenceID", "sentence id", "sid"])
def test_usual_names_of_sentences_are_known(name):
    source = io.BytesIO(f"{name},word,tag\n1,EU,I-ORG\n2,Rio,I-ORG\n".encode())
    assert [sentence.tokens for sentence in spanrs.read(source)] == [["EU"], ["Rio"]]


def test_columns_of_one_name_are_refused():
    with pytest.raises(FormatError, match="several columns are called 'tag'"):
        list(spanrs.read(io.BytesIO(b"token,tag,tag\nEU,B-ORG,O\n")))


def test_annotations_that_are_widened_are_counted(tmp_path):
    path = write(tmp_path / "a.jsonl", record("Adas", [[0, 3, "PER"]]))
    with pytest.warns(SpanrsWarning, match="annotations that are widened to whole tokens: 1"):
        [sentence] = spanrs.read(path)
    assert sentence.spans["tags"] == [("PER", 0, 1, None)]


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
@pytest.mark.parametrize("opened", ["file", "memory"])
def test_tables_are_read_from_streams(tmp_path, format_, opened):
    table = pyarrow.table({"gold": [["B-X", "O"], ["B-Y"]], "pred": [["B-X", "O"], ["O"]]})
    path = tmp_path / "a"
    if format_ == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with pyarrow.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    with path.open("rb") as file:
        source = file if opened == "file" else io.BytesIO(file.read())
        assert spanrs.score(source).totals == (1, 0, 1)


@pytest.mark.parametrize(
    ("to", "name"),
    [("doccano", "jsonl"), ("prodigy", "jsonl"), ("label-studio", "json"), ("xml-inline", "xml")],
)
@pytest.mark.filterwarnings("ignore::spanrs.errors.SpanrsWarning")
def test_long_records_are_recognised(tmp_path, to, name):
    text = " ".join(f"word{at}" for at in range(20_000))
    written = spanrs.write(Document(text, [Annotation("X", 0, 5)]), tmp_path / f"a.{name}", to=to)
    assert spanrs.read(tmp_path / f"a.{name}").parts[0].format == written.format


def test_files_are_paired_without_the_suffix_that_all_have(tmp_path):
    for side, names in (("gold", ("doc.1", "doc.2")), ("pred", ("doc.1", "doc.2"))):
        (tmp_path / side).mkdir()
        for name in names:
            write(tmp_path / side / f"{name}.{side}.conll", GOLD)
    assert spanrs.score(tmp_path / "gold", tmp_path / "pred").totals == (4, 0, 0)
    write(tmp_path / "gold" / "v1.0.gold.conll", GOLD)
    write(tmp_path / "pred" / "v1.1.pred.conll", GOLD)
    with pytest.raises(AlignmentError, match=r"v1\.0"):
        spanrs.score(tmp_path / "gold", tmp_path / "pred")


def test_the_scheme_is_that_of_all_tags(tmp_path):
    paths = [
        write(tmp_path / "a", "x O\n"),
        write(tmp_path / "b", "EU U-ORG\nx O\nNew B-LOC\nYork L-LOC\n"),
    ]
    assert spanrs.read(paths).scheme == "BILOU"
    csv = write(tmp_path / "c.csv", "token,tag\nEU,U-ORG\nx,O\nNew,B-LOC\nYork,L-LOC\n")
    assert spanrs.score(csv, csv).settings["scheme"] == "BILOU"


def test_documents_of_tables_are_rows_as_those_of_files(tmp_path):
    lines = "-DOCSTART- O\n\nEU B-ORG\n\n-DOCSTART- O\n\nRio B-LOC\n"
    gold = write(tmp_path / "a.conll", lines)
    csv = write(tmp_path / "a.csv", "document,token,tag\n0,EU,B-ORG\n1,Rio,O\n")
    rows = spanrs.score(gold, csv, by="document").documents
    assert [(row.name, row.totals) for row in rows] == [("0", (1, 0, 0)), ("1", (0, 0, 1))]
    plain = write(tmp_path / "b.csv", "token,tag\nEU,B-ORG\n\nRio,B-LOC\n")
    assert [row.name for row in spanrs.score(plain, plain, by="document").documents] == ["0"]


def test_texts_that_have_nothing_in_common_are_warned_of(tmp_path):
    gold = write(tmp_path / "g.jsonl", record("zzz yyy xxx www", [[0, 3, "PER"]]))
    pred = write(tmp_path / "p.jsonl", record("Ada met Bob in Rio", [[0, 3, "PER"]]))
    with pytest.warns(SpanrsWarning, match="1 of 1 documents of gold have less than half"):
        spanrs.score(gold, pred, align="characters")


@pytest.mark.parametrize("option", ["scheme", "reading"])
def test_unknown_schemes_and_readings_are_refused_where_they_are_named(option):
    with pytest.raises(SchemeError, match=f"unknown {option} `nope`"):
        spanrs.read(io.BytesIO(b"EU O\n"), **{option: "nope"})


@pytest.mark.parametrize("options", [{"scheme": "BIO"}, {}, {"scheme": "BIO", "errors": True}])
def test_streams_are_kept_only_where_they_are_read_again(options):
    gold, pred = GOLD.encode(), GOLD.replace("B-LOC", "O").encode()
    assert spanrs.score(io.BytesIO(gold), io.BytesIO(pred), **options).totals == (1, 0, 1)
    corpus = spanrs.read(io.BytesIO(gold))
    for _ in range(2):
        assert spanrs.score(corpus, io.BytesIO(pred), **options).totals == (1, 0, 1)


def test_sentences_without_tokens_agree():
    gold = io.BytesIO(b"sentence_id,tag\na,B-X\nb,O\n")
    pred = io.BytesIO(b"sentence_id,tag\nb,O\na,B-X\n")
    with pytest.raises(AlignmentError, match="sentence 'a' of gold is paired with 'b' of pred"):
        spanrs.score(gold, pred)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ('"\tO\tO\nfoo\tB-PER\tO\n"\tO\tO\n', r":3: a quoted cell extends to line 5"),
        ('"\tO\tO\nfoo\tB-PER\tO\nsays"\tO\tO\n', r":3: a quoted cell extends to line 5"),
        ('"\tO\tO\nfoo\tB-PER\tO\n', r":3: a cell .* is not closed"),
        ('"\tO\tO\nfoo\tB-PER\tO\n"x\tO\tO\n', r":3: a cell .* is not closed"),
    ],
)
def test_tokens_that_are_quotation_marks_do_not_swallow_rows(tmp_path, rows, expected):
    path = tmp_path / "both.tsv"
    path.write_text("token\tgold\tpred\nEU\tB-ORG\tB-ORG\n" + rows)
    with pytest.raises(FormatError, match=expected):
        spanrs.score(path)
    path.write_text('token\tgold\tpred\n""""\tO\tO\nfoo\tB-PER\tO\n""""\tO\tO\n')
    assert spanrs.score(path).totals == (0, 0, 1)


@pytest.mark.parametrize("header", ["w x", "0 1"])
def test_an_unknown_header_of_a_column_file_is_warned_of(tmp_path, header):
    path = write(tmp_path / "a.conll", header + "\n" + "Ada B-PER\nran O\n\n" * 100)
    warning = spanrs.score(path, path).warnings[0]
    assert warning.startswith(f"the first tag of gold, {header[-1]!r}, is the only unknown tag")


@pytest.mark.parametrize("columns", [{"pred": 3}, {"gold": 3}, {"gold": -1}, {"gold": 2, "pred": 2}])
def test_one_column_is_not_both_sides(tmp_path, columns):
    path = write(tmp_path / "four.conll", "Ada NNP B-PER O\nran VBD O O\n")
    with pytest.raises(ValueError, match="gold and pred are the same column"):
        spanrs.score(path, **columns)
    assert spanrs.score(path, gold=2, pred=3).totals == (0, 0, 1)
