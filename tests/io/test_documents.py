"""Documents of every format, read and scored from Python."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import spanrs
from spanrs import io, mat
from spanrs.errors import SpanrsError
from spanrs.io import Annotation, Document
from spanrs.mat.files import corpus_pairs
from spanrs.mat.scoring import score_pairs

TEXT = "Zoë \U0001d49c saw Rome"
SPANS = [("PER", 0, 5), ("LOC", 10, 14)]
TOKENS = [(0, 3), (4, 5), (6, 9), (10, 14)]


def utf16(at: int) -> int:
    return len(TEXT[:at].encode("utf-16-le")) // 2


def write(folder: Path, name: str) -> Path:
    """The same document in each format."""
    spans = [[start, end, label] for label, start, end in SPANS]
    dicts = [{"start": start, "end": end, "label": label} for label, start, end in SPANS]
    path = folder / {"brat": "d.ann", "columns": "d.conll"}.get(name, f"d.{name}")
    match name:
        case "mat-json":
            sets = [{"type": "lex", "annots": TOKENS}]
            sets += [{"type": label, "annots": [[start, end]]} for label, start, end in SPANS]
            created = json.dumps({"signal": TEXT, "asets": sets})
        case "xml-inline" | "fake-xml-inline":
            created = "<PER>Zoë \U0001d49c</PER> saw <LOC>Rome</LOC>"
            created = f"<d>{created}</d>" if name == "xml-inline" else created
        case "raw":
            created = TEXT
        case "brat":
            (folder / "d.txt").write_text(TEXT, encoding="utf-8")
            rows = enumerate(SPANS, 1)
            created = "".join(
                f"T{n}\t{label} {start} {end}\t{TEXT[start:end]}\n" for n, (label, start, end) in rows
            )
        case "doccano":
            created = json.dumps({"id": 7, "text": TEXT, "label": spans}) + "\n"
        case "prodigy":
            tokens = [{"text": TEXT[s:e], "start": s, "end": e, "id": n} for n, (s, e) in enumerate(TOKENS)]
            created = (
                json.dumps({"text": TEXT, "spans": dicts, "tokens": tokens, "answer": "accept"}) + "\n"
            )
            created += json.dumps({"text": "x", "spans": [], "answer": "reject"}) + "\n"
        case "label-studio":
            regions = [
                {
                    "type": "labels",
                    "value": {"start": utf16(start), "end": utf16(end), "labels": [label]},
                }
                for label, start, end in SPANS
            ]
            created = json.dumps([{"id": 1, "data": {"text": TEXT}, "annotations": [{"result": regions}]}])
        case "columns":
            created = "Zoë B-PER\n\U0001d49c I-PER\nsaw O\nRome B-LOC\n\n"
    path.write_text(created, encoding="utf-8")
    return path


FORMATS = [
    "mat-json",
    "xml-inline",
    "fake-xml-inline",
    "brat",
    "doccano",
    "prodigy",
    "label-studio",
    "columns",
]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_document(tmp_path, name):
    [document] = spanrs.read(write(tmp_path, name), format=name).documents
    assert document.text == TEXT
    content = [(a.type, a.start, a.end) for a in document.annotations if a.type not in ("lex", "d")]
    assert content == SPANS
    tokens = [(a.start, a.end) for a in document.annotations if a.type == "lex"]
    assert tokens == (TOKENS if name in ("mat-json", "prodigy", "columns") else [])


@pytest.mark.parametrize("gold", FORMATS)
@pytest.mark.parametrize("pred", FORMATS)
def test_every_format_scores_against_every_other(tmp_path, gold, pred):
    (tmp_path / "gold").mkdir()
    (tmp_path / "pred").mkdir()
    scored = spanrs.score(
        spanrs.read(write(tmp_path / "gold", gold), format=gold),
        spanrs.read(write(tmp_path / "pred", pred), format=pred),
        matcher=mat.Mat(content=["PER", "LOC"], tokens=["lex"]),
        on_error="skip",
    )
    result = mat.tables(scored)
    assert result.tag["<all>"]["match"] == 2
    assert result.character["<all>"]["match"] == 9
    assert ("token" in result.names) == (pred in ("mat-json", "prodigy", "columns"))


#: Bytes used to corrupt files.
BITS = [b"<", b">", b"&", b'"', b"'", b"[", b"]", b"{", b"}", b",", b";", b"-1", b"null", b"9" * 10, b" "]
BITS += [b"\\ud83d", b"\0", b"\r\n", b"\t", b"\xff", b"<!--", b"]]>", b"<?xml?>"]


def damaged(data: bytes, rng: random.Random) -> bytes:
    created = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(created) + 1)
        match rng.randrange(4):
            case 0:
                created[at:at] = rng.choice(BITS)
            case 1:
                created[at : at + rng.randint(1, 5)] = b""
            case 2:
                created[at : at + 1] = bytes([rng.randrange(256)])
            case 3:
                created[at:at] = created[at // 2 : at // 2 + rng.randint(1, 20)]
    return bytes(created)


MAT = mat.Mat()


def lenient(gold: Any, pred: Any, matcher: mat.Mat = MAT, *, details: bool = False, **options: Any) -> Any:
    """Score two sides; empty results are allowed."""
    sides = spanrs.read(gold, **options), spanrs.read(pred, **options)
    return score_pairs(corpus_pairs(*sides, matcher.task)[0], matcher, details=details)


@pytest.mark.parametrize("name", [*FORMATS, "raw"])
def test_damaged_files_are_read_or_refused(tmp_path, name):
    file = write(tmp_path, name)
    data, rng = file.read_bytes(), random.Random(name)
    refused: list[SpanrsError] = []
    for _ in range(600):
        file.write_bytes(damaged(data, rng))
        try:
            list(spanrs.read(file, format=name).documents)
        except SpanrsError as error:
            refused.append(error)
        result = lenient(file, file, details=True, format=name)
        assert str(mat.tables(result))
        assert str(result)
    assert all(error.path is not None for error in refused)
    assert name in ("raw", "fake-xml-inline") or len(refused) > 50


def test_raw_text_has_no_annotations(tmp_path):
    file = tmp_path / "x.gz"
    file.write_bytes(gzip.compress(TEXT.encode()))
    assert list(spanrs.read(file, format="raw").documents) == [Document(TEXT, [], None, [])]


def test_documents_of_a_file_are_paired_by_their_ids(tmp_path):
    def record(number: int, label: str) -> str:
        return json.dumps({"id": number, "text": f"text {number}", "label": [[0, 4, label]]}) + "\n"

    (tmp_path / "gold").write_text("".join(record(n, "A") for n in (1, 2, 3)), encoding="utf-8")
    (tmp_path / "pred").write_text("".join(record(n, "A") for n in (3, 1, 4)), encoding="utf-8")
    sides = (tmp_path / "gold", tmp_path / "pred")
    scored = lenient(*sides, details=True, format="doccano")
    result = mat.tables(scored)
    assert result.tag["A"]["match"] == 2
    assert [d.file for d in result.details] == ["pred#3", "pred#1"]
    assert [item.message.split(" of ")[0] for item in result.skipped] == [
        "Couldn't find document '4'",
        "Couldn't find document '2'",
    ]


def test_gold_says_in_which_scheme_both_sides_are(tmp_path):
    (tmp_path / "gold").write_text("a B-PER\nb I-PER\nc O\nd B-LOC\n\na O\nb B-PER\n", encoding="utf-8")
    (tmp_path / "pred").write_text("a I-PER\nb I-PER\nc O\nd I-LOC\n\na O\nb I-PER\n", encoding="utf-8")
    sides = (tmp_path / "gold", tmp_path / "pred")

    def matches(**options: str) -> int:
        result = spanrs.score(*sides, matcher=mat.Mat(), on_error="skip", format="columns", **options)
        matched: int = mat.tables(result).tag["<all>"]["match"]
        return matched

    assert matches(scheme="BIO", reading="strict") == 0
    assert matches(scheme="BIO") == 3
    result = lenient(*sides, format="columns", scheme="BIO", reading="refuse")
    assert "Illegal Start" in result.evidence.skipped[0].message
    # Pred is clearly in another scheme.
    (tmp_path / "pred").write_text("a B-PER\nb L-PER\nc O\nd U-LOC\n\na O\nb U-PER\n", encoding="utf-8")
    assert matches(reading="strict") == 3


def test_documents_without_ids_are_paired_by_their_order(tmp_path):
    for name, text in (
        ("gold", "a B-X\n\n-DOCSTART- O\n\nb B-X\n"),
        ("pred", "a B-X\n\n-DOCSTART- O\n\nb O\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    sides = (tmp_path / "gold", tmp_path / "pred")
    scored = spanrs.score(*sides, matcher=mat.Mat(), on_error="skip", format="columns", scheme="BIO")
    result = mat.tables(scored, by_document=True)
    assert [row.name for row in scored.documents] == ["pred#0", "pred#1"]
    assert [name for name, _ in result.files] == ["pred#0", "pred#1"]
    assert (result.tag["X"]["match"], result.tag["X"]["missing"]) == (1, 1)
    (tmp_path / "pred").write_text("a B-X\n", encoding="utf-8")
    result = lenient(*sides, format="columns", scheme="BIO")
    assert "has 2 documents and" in result.evidence.skipped[0].message


def test_pieces_can_be_covered_split_or_refused():
    text = "left and right arm"
    spans = [Annotation("ARM", 0, 18, {}, [(0, 4), (15, 18)]), Annotation("ARM", 9, 18)]
    gold = Document(text, spans)
    pred = Document(text, [Annotation("ARM", 0, 4), Annotation("ARM", 15, 18), Annotation("ARM", 9, 18)])
    for pieces, matched in (("split", 3), ("cover", 1)):
        result = spanrs.score(gold, pred, matcher=mat.Mat(pieces=pieces), on_error="skip")
        assert mat.tables(result).tag["ARM"]["match"] == matched
    result = lenient(gold, pred, mat.Mat(pieces="refuse"))
    assert "ARM 0-18 consists of several pieces" in result.evidence.skipped[0].message


def test_documents_of_memory_keep_what_they_are_given():
    given = Document("ab", [Annotation("A", 0, 2, {"k": "v"}, [(0, 1), (1, 2)])], "one")
    from spanrs.io.documents import of_memory

    plain = of_memory([given])[0].plain()
    assert (plain["text"], plain["id"], plain["left_out"]) == ("ab", "one", [])
    assert plain["annotations"] == [Annotation("A", 0, 2, {"k": "v"}, ((0, 1), (1, 2)))]
    far = lenient(Document("ab", [Annotation("A", 1, 3)]), Document("ab"))
    assert "A 1-3 reaches beyond the text of 2 characters" in far.evidence.skipped[0].message
    with pytest.raises(ValueError, match="document 0: annotation A -1-2: offsets count"):
        spanrs.score(
            Document("ab", [Annotation("A", -1, 2)]), Document("ab"), matcher=mat.Mat(), on_error="skip"
        )


RELATED = {
    "brat": "T1\tPER 0 5\tZoë 𝒜\nT2\tLOC 10 14\tRome\nR1\tsaw Arg1:T1 Arg2:T2\n",
    "doccano": {
        "text": TEXT,
        "entities": [
            {"id": 4, "label": "PER", "start_offset": 0, "end_offset": 5},
            {"id": 9, "label": "LOC", "start_offset": 10, "end_offset": 14},
        ],
        "relations": [{"id": 1, "from_id": 4, "to_id": 9, "type": "saw"}],
    },
    "prodigy": {
        "text": TEXT,
        "spans": [{"start": 0, "end": 5, "label": "PER"}, {"start": 10, "end": 14, "label": "LOC"}],
        "relations": [
            {
                "head_span": {"start": 0, "end": 5, "label": "PER"},
                "child_span": {"start": 10, "end": 14, "label": "LOC"},
                "label": "saw",
            }
        ],
    },
    "label-studio": {
        "data": {"text": TEXT},
        "annotations": [
            {
                "result": [
                    {"id": "a", "type": "labels", "value": {"start": 0, "end": 6, "labels": ["PER"]}},
                    {"id": "b", "type": "labels", "value": {"start": 11, "end": 15, "labels": ["LOC"]}},
                    {"type": "relation", "from_id": "a", "to_id": "b", "labels": ["saw"]},
                ]
            }
        ],
    },
    "mat-json": {
        "signal": TEXT,
        "asets": [
            {
                "type": "PER",
                "hasID": True,
                "attrs": [{"name": "saw", "type": "annotation"}],
                "annots": [[0, 5, None, "l"]],
            },
            {"type": "LOC", "hasID": True, "annots": [[10, 14, "l"]]},
        ],
    },
}


@pytest.mark.parametrize("name", RELATED)
def test_relations_are_kept(tmp_path, name):
    created = RELATED[name]
    path = tmp_path / "d.ann"
    path.write_text(created if isinstance(created, str) else json.dumps(created), encoding="utf-8")
    (tmp_path / "d.txt").write_text(TEXT, encoding="utf-8")
    [document] = spanrs.read(path, format=name).documents
    assert [(a.type, a.start, a.end) for a in document.annotations] == SPANS
    assert document.relations == (io.Relation("saw", 0, 1),)
    assert document.left_out == []
    # Documents are written completely, and scores do not change.
    assert spanrs.score(document, document, matcher=mat.Mat(), on_error="skip").micro.f1 == 1


def test_a_relation_has_two_annotations():
    document = Document("ab", [Annotation("A", 0, 2)], relations=[io.Relation("of", 0, 1)])
    with pytest.raises(ValueError, match="document 0: relation of from annotation 0 to 1: there are 1"):
        spanrs.score(document, document, matcher=mat.Mat(), on_error="skip")


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_documents_of_a_large_file_are_read_one_by_one(tmp_path):
    record = json.dumps({"text": "a" * 1_000_000, "label": [[0, 1, "A"]]}) + "\n"
    path = tmp_path / "large.jsonl"
    with path.open("w") as file:
        for _ in range(60):
            file.write(record)
    # Not getrusage, whose peak is inherited from the process that started this one.
    program = (
        "import sys; import spanrs; from spanrs import mat\n"
        "peak = lambda: int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "score = lambda path: spanrs.score(path, path, matcher=mat.Mat(), on_error='skip', format='doccano')\n"
        "before = peak()\n"
        "result = score(sys.argv[1])\n"
        "print(result.totals[0], peak() - before)"
    )
    out = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, text=True, check=True, timeout=100
    ).stdout
    matches, kilobytes = map(int, out.split())
    assert matches == 60
    # Memory is limited to two documents of a megabyte each and their scoring, not all sixty.
    assert kilobytes < 50_000


def test_unknown_formats_name_the_known_ones(tmp_path):
    with pytest.raises(ValueError, match=r"expected auto or one of .*mat-json, xml-inline.*spacy"):
        list(spanrs.read(tmp_path, format="word").documents)
    for name in [*FORMATS, "raw", "spacy"]:
        with pytest.raises(FileNotFoundError):
            list(spanrs.read(tmp_path / "none.ann", format=name).documents)
