"""Hostile inputs: an error with its location, with little time and memory, and without partial output."""

from __future__ import annotations

import gc
import json
import os
import zlib

import pyarrow as pa
import pytest
from pyarrow import parquet

import spanrs
from spanrs import mat
from spanrs.cli.group import group
from spanrs.cli.matscore import command as matscore
from spanrs.cli.run import run
from spanrs.crowd import read_table
from spanrs.dep.parser import import_published
from spanrs.errors import AlignmentError, FormatError, LimitError

MIB = 1 << 20
GOOD = {"signal": "a b", "asets": [{"type": "PER", "attrs": [], "annots": [[0, 1]]}]}
DEEP = "[" * 100_000 + "]" * 100_000
ENTITIES = '<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>\n'


def write_links(folder):
    """Write a file in a directory with a link to its parent."""
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.conll").write_text("Rio B-LOC\n")
    (folder / "sub" / "up").symlink_to("..")


@pytest.mark.parametrize("format_", ["mat-json", "xml-inline", "raw", "doccano", "prodigy", "label-studio"])
@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_expansion_of_documents_is_limited(tmp_path, format_, codec):
    path = tmp_path / "bomb"
    path.write_bytes(pa.Codec(codec).compress(b" " * (18 * MIB), asbytes=True))
    with pytest.raises(LimitError, match="expands more than 100 times") as caught:
        list(spanrs.read(path, format=format_).documents)
    assert (caught.value.code, caught.value.path) == ("expansion", str(path))


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_compressed_endless_line_is_refused_and_the_output_is_left_alone(tmp_path, codec, capsys):
    path, out = tmp_path / "bomb", tmp_path / "out"
    path.write_bytes(pa.Codec(codec).compress(b"x" * (17 * MIB), asbytes=True))
    out.write_text("old")
    assert run(group, ["convert", "--scheme", "bio", "--to-scheme", "io", str(path), "-o", str(out)]) == 2
    assert capsys.readouterr().err.startswith(f"spanrs: error: {path}:1: the line is longer than")
    assert out.read_text() == "old"
    assert {file.name for file in tmp_path.iterdir()} == {"bomb", "out"}


@pytest.mark.parametrize("codec", [None, "gzip", "zstd"])
def test_expansion_of_docbin_is_limited(tmp_path, codec):
    path = tmp_path / "bomb.spacy"
    data = zlib.compress(b"\xc6" + (20 * MIB).to_bytes(4, "big") + b"\0" * (20 * MIB))
    path.write_bytes(data if codec is None else pa.Codec(codec).compress(data, asbytes=True))
    for most in (None, 900):
        with pytest.raises(LimitError, match=f"expands more than {most or 100} times") as caught:
            list(spanrs.read(path, format="spacy", limits=spanrs.io.Limits(expansion=most)).documents)
        assert (caught.value.code, caught.value.path) == ("expansion", str(path))
    with pytest.raises(FormatError, match="spaCy cannot read this as a DocBin"):
        list(spanrs.read(path, format="spacy", limits=spanrs.io.Limits(expansion=1100)).documents)
    assert gc.isenabled()


@pytest.mark.parametrize(
    "read", [import_published, read_table, mat.read_task], ids=["parser.py", "answers", "task"]
)
@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_expansion_of_models_answers_and_tasks_is_limited(tmp_path, read, codec):
    path = tmp_path / "bomb.csv"
    data = b"document,annotator,token,label\n" + b" " * (18 * MIB)
    path.write_bytes(pa.Codec(codec).compress(data, asbytes=True))
    with pytest.raises(LimitError, match="expands more than 100 times") as caught:
        read(path)
    assert (caught.value.code, caught.value.path) == ("expansion", str(path))


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_compressed_answers_are_read(tmp_path, codec):
    path = tmp_path / "answers.csv"
    data = b"document,annotator,token,label\nd,x,Rio,B-LOC\n"
    path.write_bytes(pa.Codec(codec).compress(data, asbytes=True))
    assert len(read_table(path).annotations) == 1
    path.write_bytes(path.read_bytes()[:-9])
    for read in (import_published, read_table, mat.read_task):
        with pytest.raises(FormatError, match="the compressed data is damaged or cut off"):
            read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{ENTITIES}<tasks/>", ":1:1: the document type declares entities"),
        ("<tasks>" + "<task>" * 1000, ":1:602: more than 100 nested elements"),
    ],
    ids=["entities", "nesting"],
)
def test_hostile_task_is_refused_with_its_place(tmp_path, text, message, capsys):
    task, good = tmp_path / "task.xml", tmp_path / "good.json"
    task.write_text(text)
    good.write_text(json.dumps(GOOD))
    with pytest.raises((FormatError, LimitError)) as caught:
        mat.read_task(task)
    assert str(caught.value).startswith(f"{task}{message}")
    command = ["score", "--matcher", "mat", str(good), str(good), "-o", str(tmp_path / "out")]
    assert run(group, [*command, "--task", str(task)]) == 2
    assert f"{task}{message}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    missing = str(tmp_path / "none.xml")
    assert run(group, [*command, "--task", "T", "--task-path", missing]) == 2
    assert f"{missing}: no such file" in capsys.readouterr().err


def test_entities_of_xml_without_a_root_are_text(tmp_path):
    path = tmp_path / "d.xml"
    path.write_text(f"{ENTITIES}<PER>&b;</PER>")
    [document] = spanrs.read(path, format="fake-xml-inline").documents
    assert "&b;" in document.text


def test_external_entities_are_not_read(tmp_path):
    (tmp_path / "secret").write_text("secret")
    path = tmp_path / "d.xml"
    path.write_text('<!DOCTYPE d SYSTEM "secret">\n<d>&x;</d>')
    with pytest.raises(FormatError, match=":2:4: &x; is not an XML entity"):
        list(spanrs.read(path, format="xml-inline").documents)


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("label-studio", '[{"data": {"text": "a"}, "annotations": [], "x": %s}]'),
        ("label-studio", '[{"data": {"text": "a", "x": %s}, "annotations": [{"result": []}]}]'),
        ("label-studio", "%s"),
        ("prodigy", '{"text": "a", "spans": [], "meta": %s}'),
        ("prodigy", "%s"),
        ("doccano", "%s"),
        ("doccano", '{"text": "a", "label": [], "meta": %s}'),
        ("mat-json", "%s"),
    ],
)
def test_deeply_nested_json_is_refused_with_its_line(tmp_path, format_, text):
    path = tmp_path / "deep.json"
    path.write_text(text.replace("%s", DEEP))
    with pytest.raises(FormatError) as caught:
        list(spanrs.read(path, format=format_).documents)
    assert (caught.value.path, caught.value.line) == (str(path), 1)


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("mat-json", '{"signal": "a", "asets": [], "metadata": %s}'),
    ],
)
def test_deeply_nested_json_that_is_not_used_is_skipped(tmp_path, format_, text):
    path = tmp_path / "deep.json"
    path.write_text(text.replace("%s", DEEP))
    assert [document.text for document in spanrs.read(path, format=format_).documents] == ["a"]


def test_links_to_a_folder_above_are_not_followed_in_directories(tmp_path):
    for side in ("gold", "pred"):
        write_links(tmp_path / side)
    result = spanrs.score(tmp_path / "gold", tmp_path / "pred")
    assert (result.sentences, result.totals) == (1, (1, 0, 0))
    assert (
        spanrs.score(tmp_path / "gold" / "sub", tmp_path / "pred" / "sub", format="stacked").sentences == 1
    )


def test_links_to_a_folder_above_are_not_followed_by_patterns(tmp_path):
    for side in ("gold", "pred"):
        write_links(tmp_path / side)
        # With two links, following them would not terminate.
        (tmp_path / side / "sub" / "again").symlink_to("..")
    for pattern in ("**/*.conll", "**/**/a.conll", "**"):
        patterns = [str(tmp_path / side / pattern) for side in ("gold", "pred")]
        assert spanrs.score(*patterns).sentences == 1


def test_links_to_files_are_found_by_patterns(tmp_path):
    write_links(tmp_path / "gold")
    (tmp_path / "gold" / "b.conll").symlink_to("sub/a.conll")
    (tmp_path / "gold" / ".hidden").mkdir()
    (tmp_path / "gold" / ".hidden" / "c.conll").touch()
    for pattern in ("gold", "gold/**", "gold/**/*.conll", "**/*.conll"):
        parts = spanrs.read(tmp_path / pattern).parts
        assert [os.path.basename(part.name) for part in parts] == ["b.conll", "a.conll"]


def test_ring_of_links_is_named(tmp_path, capsys):
    ring = tmp_path / "ring"
    ring.symlink_to("ring")
    for command in (["validate", str(ring)], ["score", str(ring), str(ring)]):
        assert run(group, command) == 2
        assert f"{ring}: Too many levels of symbolic links" in capsys.readouterr().err
    folders = ["--dir", str(tmp_path), "--ref_dir", str(tmp_path)]
    assert run(matscore, ["--content_annotations", "PER", *folders]) == 2
    assert f"{ring} (Too many levels of symbolic links" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["nowhere", "b.conll"])
def test_broken_link_in_directories_is_named(tmp_path, target, capsys):
    folders = [str(tmp_path / side) for side in ("gold", "pred")]
    for side in ("gold", "pred"):
        write_links(tmp_path / side)
        (tmp_path / side / "b.conll").symlink_to(target)
    for kind in ("auto", "stacked"):
        with pytest.raises(OSError, match=r"b\.conll"):
            spanrs.score(*folders, format=kind)
    for sides in (folders, [f"{folder}/*.conll" for folder in folders]):
        assert run(group, ["score", *sides]) == 2
        assert f"{tmp_path / 'gold' / 'b.conll'}: " in capsys.readouterr().err


@pytest.mark.parametrize("target", ["nowhere", "b.json"])
@pytest.mark.parametrize("sides", [("gold",), ("pred",), ("gold", "pred")])
def test_broken_link_skips_its_pair(tmp_path, target, sides):
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        for name in ("a.json", "b.json"):
            (tmp_path / side / name).write_text(json.dumps(GOOD))
    for side in sides:
        (tmp_path / side / "b.json").unlink()
        (tmp_path / side / "b.json").symlink_to(target)
    with pytest.warns(UserWarning, match="not everything was scored"):
        scored = spanrs.score(
            tmp_path / "gold",
            tmp_path / "pred",
            matcher=mat.Mat(content=["PER"]),
            on_error="skip",
            format="mat-json",
        )
    assert mat.tables(scored).tag["PER"]["match"] == 1
    [skipped] = scored.evidence.skipped
    assert "Couldn't open " in skipped.message
    assert f"{os.sep}b.json (" in skipped.message


def write_documents(folder):
    folder.mkdir()
    (folder / "a.conll").write_text("Rio B-LOC B-LOC\n")
    return folder / "a.conll"


def test_shards_of_one_name_are_not_merged(tmp_path, capsys):
    saved = []
    for name in ("1", "2"):
        path = write_documents(tmp_path / name)
        saved.append(str(tmp_path / f"{name}.counts"))
        assert run(group, ["score", str(path), "--by-document", "--save", saved[-1]]) == 0
    capsys.readouterr()
    out = tmp_path / "out"
    assert run(group, ["merge", *saved, "-o", str(out)]) == 2
    assert "both contain a.conll:0, which would be counted twice" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("threads", [1, 2])
def test_listed_shards_of_one_name_are_told_apart_by_their_paths(tmp_path, threads):
    paths = [write_documents(tmp_path / name) for name in ("1", "2")]
    result = spanrs.score(spanrs.read(paths), by="document", threads=threads)
    assert [row.name for row in result.documents] == [f"{path}:0" for path in paths]
    with pytest.raises(AlignmentError, match="counted twice") as caught:
        spanrs.score(spanrs.read([paths[0], paths[0]]), by="document", threads=threads)
    assert (caught.value.code, caught.value.path) == ("documents", str(paths[0]))
    assert spanrs.score(spanrs.read(paths), threads=threads).sentences == 2


def test_document_id_twice_in_one_file_skips_the_pair(tmp_path):
    line = json.dumps({"id": "k", "text": "ab", "label": [[0, 2, "PER"]]}) + "\n"
    for side, count in (("gold", 1), ("pred", 2)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.jsonl").write_text(line * count)
        (tmp_path / side / "b.jsonl").write_text(line)
    with pytest.warns(UserWarning, match="not everything was scored"):
        scored = spanrs.score(
            tmp_path / "gold",
            tmp_path / "pred",
            matcher=mat.Mat(content=["PER"]),
            on_error="skip",
            format="doccano",
        )
    [skipped] = scored.evidence.skipped
    assert skipped.file == str(tmp_path / "pred" / "a.jsonl")
    assert "id 'k' occurs twice" in skipped.message


def test_same_document_id_in_two_files_is_two_documents(tmp_path):
    line = json.dumps({"id": "k", "text": "ab", "label": [[0, 2, "PER"]]}) + "\n"
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            (tmp_path / side / name).write_text(line)
    scored = spanrs.score(
        tmp_path / "gold",
        tmp_path / "pred",
        matcher=mat.Mat(content=["PER"]),
        on_error="skip",
        format="doccano",
    )
    assert mat.tables(scored).tag["PER"]["match"] == 2


def test_scheme_of_a_table_does_not_depend_on_its_row_groups(tmp_path, monkeypatch):
    from spanrs.io import tables

    monkeypatch.setattr(tables, "BATCH_BYTES", 1 << 16)
    # The first 14 of 30 sentences are only well-formed as IOB, the others only as BIO.
    sentences = [["I-X", "I-X", "O"]] * 14 + [["B-X", "I-X", "O"]] * 16
    table = pa.table({"gold": sentences, "pred": sentences})
    schemes = set()
    for size in (30, 1):
        parquet.write_table(table, tmp_path / "t.parquet", row_group_size=size)
        schemes.add(spanrs.score(tmp_path / "t.parquet").settings["scheme"])
    assert len(schemes) == 1


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero")
@pytest.mark.parametrize(
    "command", [["validate"], ["spans"], ["convert", "--scheme", "bio", "--to-scheme", "io"]]
)
def test_endless_device_is_refused_at_its_first_line(command, capsys):
    assert run(group, [*command, "/dev/zero"]) == 2
    assert capsys.readouterr().err.startswith("spanrs: error: /dev/zero:1: the line is longer than")


@pytest.mark.parametrize("schemes", [("auto", "BIO"), ("auto", "IOBES"), ("auto", "auto"), ("BIO", "auto")])
@pytest.mark.parametrize("tags", ["B-X B-X", "O B-X", "B-X O", "I-X I-X", "S-X S-X", "O O"])
def test_shards_without_tags_merge_whichever_scheme_is_named(tmp_path, schemes, tags):
    lines = [f"w {tags}\n", "w O O\n"]
    whole = tmp_path / "whole"
    for at, texts in enumerate(
        ([lines[0], lines[1]], [lines[1], lines[0]], [lines[1], lines[1], lines[0]])
    ):
        whole.write_text("\n".join(texts))
        folder = tmp_path / f"{at}"
        folder.mkdir()
        for name, text in zip("abc", texts, strict=False):
            (folder / name).write_text(text)
        expected, merged = (
            spanrs.score(path, scheme=schemes[0], pred_scheme=schemes[1]) for path in (whole, folder)
        )
        assert (merged.settings, merged.totals) == (expected.settings, expected.totals)


@pytest.mark.parametrize("before", ["", "document,annotator,token,label\n", 'document,annotator,token,"\n'])
def test_long_field_of_an_answers_table_is_refused_with_its_place(tmp_path, before):
    path = tmp_path / "answers.csv"
    path.write_text(before + "x" * 200_000 + "\n")
    with pytest.raises(FormatError, match="field larger than field limit") as caught:
        read_table(path)
    assert (caught.value.path, caught.value.line) == (str(path), 1 + before.count("\n"))


def test_long_types_are_written_as_csv(tmp_path, capsys):
    path = tmp_path / "a.conll"
    tag = "B-" + "X" * 200_000
    path.write_text(f"Rio {tag} {tag}\n")
    (tmp_path / "b.conll").write_text(f"Rio {tag}\n")
    files = [str(tmp_path / name) for name in ("b.conll", "a.conll", "b.conll")]
    assert run(group, ["score", *files, "--to", "csv"]) == 0
    assert capsys.readouterr().out.count(tag[2:]) == 2
