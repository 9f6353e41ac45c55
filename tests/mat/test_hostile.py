"""Malformed files: a message with the location, and the other pairs are scored."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

import mat_cases
import spanrs
from spanrs import mat
from spanrs.errors import FormatError, LimitError
from spanrs.io import Annotation, Document

GOOD = {"signal": "Bob saw Rome", "asets": [{"type": "PER", "attrs": [], "annots": [[0, 3]]}]}


def pair(folder: Path, name: str, data: bytes) -> None:
    """A valid pair, and one with the given pred."""
    for side in ("ref", "hyp"):
        (folder / side).mkdir(parents=True, exist_ok=True)
        (folder / side / f"good{Path(name).suffix}").write_bytes(good(name))
        (folder / side / name).write_bytes(good(name))
    (folder / "hyp" / name).write_bytes(data)


def good(name: str) -> bytes:
    if name.endswith(".xml"):
        return b"<doc><PER>Bob</PER> saw Rome</doc>"
    return json.dumps(GOOD).encode()


def bomb() -> bytes:
    """Ten levels of ten: a gigabyte if expanded."""
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    return (
        f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a0 "lol">{levels}]><doc><PER>&a9;</PER></doc>'.encode()
    )


def sets(*annots: object, **more: object) -> bytes:
    return json.dumps(
        {**GOOD, **more, "asets": [{"type": "PER", "attrs": [], "annots": list(annots)}]}
    ).encode()


BAD = {
    "entities.xml": (bomb(), ":1:22 (the document type declares entities"),
    "deep.xml": (b"<a>" * 10**5 + b"</a>" * 10**5, "more than 1000 nested elements"),
    "deep_open.xml": (b"<a>" * 10**5, "more than 1000 nested elements"),
    "malformed.xml": (b"<doc>\n<PER>Bob</doc>", ":2:9 (this is not XML"),
    "latin.xml": (
        "<doc>\n<PER>Bob</PER> saw R\xf4me</doc>".encode("latin-1"),
        ":2:21 (not UTF-8: byte 0xF4",
    ),
    "nul.xml": (b"<doc>a\0b</doc>", ":1:7 (a control character"),
    "deep.json": (b'{"signal": "a", "metadata": ' + b"[" * 10**5, ":1:"),
    "deep_closed.json": (b'{"signal": "a", "metadata": ' + b"[" * 10**5 + b"]" * 10**5 + b"}", "differ"),
    "deep_rows.json": (b'{"signal": "a", "asets": [{"type": "A", "annots": ' + b"[" * 10**5, ":1:"),
    "lone.json": (rb'{"signal": "a \ud800 b"}', ":1:21 (this is not MAT-JSON: "),
    "lone_low.json": (rb'{"signal": "a \udc00 b"}', ":1:"),
    "version.json": (sets(version=3), "MAT-JSON version is later than version 2: 3"),
    "not.json": (b"this is no JSON", ":1:2 (this is not MAT-JSON"),
    "empty.json": (b"", ":1 (this is not MAT-JSON: EOF while parsing a value)"),
    "utf16.json": (json.dumps(GOOD).encode("utf-16"), ":1 (the file is UTF-16"),
    "latin.json": (b'{"signal":\n "R\xf4me"}', ":2:4 (not UTF-8: byte 0xF4"),
    "fraction.json": (sets([0, 3], [1.5, 3]), "annotation 1 of PER does not begin with two whole numbers"),
    "negative.json": (sets([-1, 3]), "annotation 0 of PER does not begin with two whole numbers"),
    "text.json": (
        json.dumps({**GOOD, "signal": "Bob saw Romulus"}).encode(),
        "the texts differ from character 11 on",
    ),
}


@pytest.mark.parametrize("name", list(BAD))
def test_a_bad_file_is_named_and_the_others_are_scored(tmp_path, name):
    data, message = BAD[name]
    pair(tmp_path, name, data)
    kind = "xml-inline" if name.endswith(".xml") else "mat-json"
    with pytest.warns(UserWarning, match="not everything was scored"):
        scored = spanrs.score(
            tmp_path / "ref",
            tmp_path / "hyp",
            matcher=mat.Mat(content=["PER"]),
            on_error="skip",
            format=kind,
        )
    [skipped] = scored.evidence.skipped
    result = mat.tables(scored)
    assert skipped.pair
    assert skipped.file == str(tmp_path / "hyp" / name)
    assert message in skipped.message
    assert str(tmp_path / "hyp" / name) in skipped.message
    assert result.tag["PER"]["match"] == 1
    assert result.tag["PER"]["test docs"] == 1


def test_annotations_beyond_the_text_are_left_out_and_named(tmp_path):
    pair(tmp_path, "far.json", sets([0, 3], [4, 99], [0, 10**30], [7, 5]))
    with pytest.warns(UserWarning, match="not everything was scored"):
        scored = spanrs.score(
            tmp_path / "ref", tmp_path / "hyp", matcher=mat.Mat(content=["PER"]), on_error="skip"
        )
    result = mat.tables(scored)
    assert [item.message.split(": ")[1] for item in result.skipped] == [
        "PER 4-99 reaches beyond the text of 12 characters",
        "PER 0-4294967295 reaches beyond the text of 12 characters",
        "PER 7-5 ends before it begins",
    ]
    assert not any(item.pair for item in result.skipped)
    assert result.tag["PER"]["match"] == 2


def test_entities_are_refused_with_their_place(tmp_path):
    file = tmp_path / "bomb.xml"
    file.write_bytes(bomb())
    with pytest.raises(FormatError, match="declares entities") as raised:
        list(spanrs.read(file, format="xml-inline").documents)
    assert raised.value.code == "entities"
    assert (raised.value.line, raised.value.column) == (1, 22)


# Not getrusage, whose peak is inherited from the process that started this one.
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_entities_are_refused_in_little_memory(tmp_path):
    file = tmp_path / "bomb.xml"
    file.write_bytes(bomb())
    code = (
        "import spanrs, sys\n"
        "size = lambda: int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "read = lambda path: list(spanrs.read(path, format='xml-inline').documents)\n"
        "before = size()\n"
        "try: read(sys.argv[1])\n"
        "except spanrs.SpanrsError: print(size() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) <= 16 << 10


def test_annotations_that_all_overlap_are_refused(tmp_path):
    text = "a" * 2000
    many = {"signal": text, "asets": [{"type": "A", "annots": [[n, 2000 - n] for n in range(900)]}]}
    file = tmp_path / "many.json"
    file.write_text(json.dumps(many), encoding="utf-8")
    corpus = spanrs.read(file)
    result = mat.tables(mat_cases.lenient(corpus, corpus))
    assert "too many annotations overlap one another from character 0 on" in result.skipped[0].message
    assert result.tag["<all>"]["test docs"] == 0
    some = {"signal": text, "asets": [{"type": "A", "annots": [[n, 2000 - n] for n in range(300)]}]}
    file.write_text(json.dumps(some), encoding="utf-8")
    result = mat.tables(spanrs.score(file, file, matcher=mat.Mat(), on_error="skip", format="mat-json"))
    assert result.tag["A"]["match"] == 300


def test_pieces_that_cannot_be_are_left_out():
    for pieces in ([(3, 1), (5, 6)], [(0, 1), (2, 99)]):
        document = Document("abc def", [Annotation("X", 0, 3, {}, pieces)])
        result = mat.tables(mat_cases.lenient(document, document, mat.Mat(pieces="split")))
        assert "X 0-3 has a piece outside of its bounds" in result.skipped[0].message
        assert result.tag["<all>"]["match"] == 0
    with pytest.raises(ValueError, match="offsets count characters from 0"):
        spanrs.score(
            Document("a", [Annotation("X", 0, 1, {}, [(-1, 1)])]),
            Document("a"),
            matcher=mat.Mat(),
            on_error="skip",
        )


def test_an_unpaired_surrogate_of_memory_is_skipped():
    result = mat_cases.lenient(Document("a\ud800"), Document("a"))
    assert "an unpaired surrogate" in result.evidence.skipped[0].message


def test_annotations_within_one_that_covers_everything(tmp_path):
    """A root element connects everything to one group, whose pairing must not take quadratic time."""
    for side, off in (("ref", 0), ("hyp", 1)):
        body = "".join(
            f"<A>{'x' * 4}</A>{'y' * (2 + off)}" if n % 5 else "y" * (6 + off) for n in range(30_000)
        )
        text = "".join(c for c in body)
        (tmp_path / side).write_text(f"<doc>{text}</doc>", encoding="utf-8")
    matcher = mat.Mat(content=["doc", "A"], tables=["tag"])
    result = spanrs.score(
        tmp_path / "ref", tmp_path / "ref", matcher=matcher, on_error="skip", format="xml-inline"
    )
    assert mat.tables(result).tag["A"]["match"] == 24_000
    gold = Document(
        "x" * 200_000,
        [Annotation("R", 0, 200_000), *(Annotation("A", n, n + 3) for n in range(0, 200_000, 5))],
    )
    pred = Document(
        "x" * 200_000,
        [Annotation("R", 0, 200_000), *(Annotation("A", n + 1, n + 4) for n in range(0, 199_995, 10))],
    )
    row = mat.tables(spanrs.score(gold, pred, matcher=mat.Mat(tables=["tag"]), on_error="skip")).tag["A"]
    assert (row["refundermark"] + row["refoverlap"], row["missing"]) == (
        20_000 - 1 + (row["missing"] == 20_000),
        row["missing"],
    )


def test_onions_are_no_trouble():
    n = 250
    text = "x" * (2 * n)
    gold = Document(text, [Annotation("A", i, 2 * n - i) for i in range(n - 1)])
    pred = Document(text, [Annotation("A", i + 1, 2 * n - i) for i in range(n - 1)])
    result = mat.tables(spanrs.score(gold, pred, matcher=mat.Mat(tables=["tag"]), on_error="skip"))
    assert result.tag["A"]["refclash"] == n - 1


def test_a_hundred_thousand_annotations_in_a_chain_are_no_trouble(tmp_path):
    ends = [[2 * n, 2 * n + 3] for n in range(50_000)]
    begins = [[2 * n + 1, 2 * n + 4] for n in range(50_000)]
    for name, annots in (("ref", ends), ("hyp", begins)):
        created = {"signal": "a" * 100_010, "asets": [{"type": "A", "annots": annots}]}
        (tmp_path / name).write_text(json.dumps(created), encoding="utf-8")
    result = spanrs.score(
        tmp_path / "ref", tmp_path / "hyp", matcher=mat.Mat(), on_error="skip", format="mat-json"
    )
    assert mat.tables(result).tag["A"]["reftotal"] == 50_000


@pytest.mark.parametrize(
    ("format_", "error"),
    [("fake-xml-inline", FormatError), ("doccano", FormatError), ("xml-inline", LimitError)],
)
def test_codes_and_places_reach_python(tmp_path, format_, error):
    file = tmp_path / "x"
    file.write_text("<a>" * 2000, encoding="utf-8")
    with pytest.raises(error) as raised:
        list(spanrs.read(file, format=format_).documents)
    assert raised.value.path == str(file)
    assert raised.value.line == 1


def test_encodings_are_pythons(tmp_path):
    file = tmp_path / "x.xml"
    file.write_bytes("<d><A>Zürich</A></d>".encode("utf-16"))
    [document] = spanrs.read(file, format="xml-inline", encoding="utf-16").documents
    assert document.text == "Zürich"
    with pytest.raises(FormatError, match=r"x\.xml:1: the file is not ascii"):
        list(spanrs.read(file, format="xml-inline", encoding="ascii").documents)
    for wrong in ("klingon", "rot13"):
        with pytest.raises(ValueError, match=f"unknown encoding '{wrong}'"):
            list(spanrs.read(file, format="xml-inline", encoding=wrong).documents)
    packed = tmp_path / "x.gz"
    packed.write_bytes(gzip.compress("Zürich".encode("latin-1")))
    [document] = spanrs.read(packed, format="raw", encoding="latin-1").documents
    assert document.text == "Zürich"
