"""Corpora of many files: the same bytes for any number of threads, and after an interruption."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError
from spanrs.eval import corpora
from spanrs.eval import shards as shards_of
from spanrs.io import pair_parts
from spanrs.tags import Dialect

TAGS = ["O", "B-A", "I-A", "B-B"]


def write_corpus(folder, files=12, seed=1, sentences=5):
    """Write directories of gold and pred, with subdirectories; return gold, pred and the text of each file."""
    rng = random.Random(seed)
    texts = {}
    for at in range(files):
        name = f"{'sub/' if at % 3 else ''}{'deep/' if at % 3 == 2 else ''}f{at:04d}.conll"
        for side in ("gold", "pred"):
            words = random.Random(at)
            path = folder / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = (
                f"w{words.randrange(99)} {rng.choice(TAGS)}\n" + "\n" * (n % 4 == 3)
                for n in range(4 * sentences)
            )
            path.write_text("".join(lines))
            texts.setdefault(name, []).append(path.read_text())
    return folder / "gold", folder / "pred", texts


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus")


def merged_by_hand(texts, folder, **options):
    """Score each file separately, and merge in the order of names."""
    results = []
    for name in sorted(texts):
        paths = [folder / f"{side}" for side in ("one", "two")]
        for path, text in zip(paths, texts[name], strict=True):
            path.write_text(text)
        results.append(spanrs.score(*paths, **options))
    return results[0].merge(*results[1:])


def test_counts_are_those_of_the_files_merged(corpus, tmp_path):
    gold, pred, texts = corpus
    result = spanrs.score(gold, pred, scheme="BIO", by="sentence")
    expected = merged_by_hand(texts, tmp_path, scheme="BIO", by="sentence")
    assert result.totals == expected.totals
    assert (result.sentences, result.tokens) == (expected.sentences, expected.tokens)
    assert result.confusion.triples() == expected.confusion.triples()
    rows = [(str(row.name), row.totals) for row in result.documents]
    assert [totals for _, totals in rows] == [row.totals for row in expected.documents]
    # Rows are named after their files, so that no two of them have one name.
    assert len(dict(rows)) == len(rows)
    assert all(any(name.startswith(file) for file in texts) for name, _ in rows)
    for side in ("gold", "pred"):
        for place in result.violations[side].first:
            line = (
                (gold if side == "gold" else pred)
                .joinpath(place.path)
                .read_text()
                .split("\n")[place.line - 1]
            )
            assert line.split()[1] == place.violation.current


@pytest.mark.parametrize("options", [{}, {"by": "sentence"}, {"matcher": "fair"}, {"errors": 3}], ids=str)
def test_threads_do_not_change_the_bytes(corpus, options, tmp_path):
    gold, pred, _ = corpus
    single = spanrs.score(gold, pred, **options)
    for threads in (2, 3, 16):
        several = spanrs.score(gold, pred, threads=threads, store=tmp_path / "counts", **options)
        assert several.to_bytes() == single.to_bytes() == (tmp_path / "counts").read_bytes()
        assert several.errors == single.errors
        assert several.violations == single.violations
        assert not (tmp_path / "counts.parts").exists()


def test_many_shards_are_merged_in_the_order_of_their_names(tmp_path):
    gold, pred, texts = write_corpus(tmp_path, files=150, sentences=1)
    result = spanrs.score(gold, pred, scheme="BIO", threads=2, errors=True)
    assert result.totals == merged_by_hand(texts, tmp_path, scheme="BIO").totals
    paths = [error.path for error in result.errors]
    assert paths == sorted(paths)
    assert [error.sentence for error in result.errors] == sorted(error.sentence for error in result.errors)
    for error in result.errors:
        line = gold.joinpath(error.path).read_text().split("\n")[error.line - 1]
        assert line.split()[0] in error.tokens


def test_the_first_shard_with_a_span_decides_the_scheme(tmp_path):
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a").write_text("x O\n\ny O\n")
        (tmp_path / side / "b").write_text("x S-A\ny B-A\nz E-A\n")
        # Separately it would be detected as another scheme.
        (tmp_path / side / "c").write_text("x B-A\ny B-B\n")
    for threads in (1, 2):
        result = spanrs.score(tmp_path / "gold", tmp_path / "pred", threads=threads)
        assert result.settings["scheme"] == "IOBES"


class Calls:
    """Counts the scored files."""

    def __init__(self, monkeypatch):
        self.names = []
        real = corpora._score_pair

        def counted(both, parts, *args, **options):
            self.names.append(Path(parts[0].path).name)
            return real(both, parts, *args, **options)

        monkeypatch.setattr(corpora, "_score_pair", counted)

    def take(self):
        names, self.names = sorted(self.names), []
        return names


@pytest.fixture
def interrupted(corpus, tmp_path, monkeypatch):
    """Score half of a corpus; return the corpus, the path of the counts and the counted calls."""
    gold, pred, texts = corpus
    calls = Calls(monkeypatch)
    counts = tmp_path / "counts"

    def stop(_done):
        if len(calls.names) == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spanrs.score(gold, pred, scheme="BIO", store=counts, progress=stop)
    assert not counts.exists()
    assert len(calls.take()) == 6
    return gold, pred, texts, counts, calls


def finished(gold, pred, counts, calls, **options):
    """Score the rest; check the bytes, and return the names of the files that were scored."""
    options = {"scheme": "BIO"} | options
    result = spanrs.score(gold, pred, store=counts, **options)
    scored = calls.take()
    assert counts.read_bytes() == result.to_bytes() == spanrs.score(gold, pred, **options).to_bytes()
    assert not counts.with_name("counts.parts").exists()
    return scored


@pytest.mark.parametrize("threads", [1, 3])
def test_shards_that_are_done_are_not_scored_again(interrupted, threads):
    gold, pred, texts, counts, calls = interrupted
    expected = sorted(Path(name).name for name in sorted(texts)[6:])
    assert finished(gold, pred, counts, calls, threads=threads) == expected


def test_a_copied_file_is_not_scored_again(interrupted):
    gold, pred, texts, counts, calls = interrupted
    name = sorted(texts)[0]
    os.utime(gold / name, ns=(1, 1))
    assert Path(name).name not in finished(gold, pred, counts, calls)


@pytest.mark.parametrize("kind", ["columns", "parquet"])
def test_other_content_of_the_same_size_and_time_is_scored_again(tmp_path, kind):
    folder = tmp_path / "both"
    folder.mkdir()

    def write(tag):
        if kind == "columns":
            path = folder / "a.conll"
            path.write_text(f"x B-A {tag}\n")
        else:
            path = folder / "a.parquet"
            pyarrow.parquet.write_table(pyarrow.table({"gold": [["B-A"]], "pred": [[tag]]}), path)
        os.utime(path, ns=(10**18, 10**18))
        return path.stat().st_size

    # The second shard cannot be scored, so that the first one waits.
    broken = folder / "b"
    broken.write_text("x\n")
    sizes = set()
    for tag in ("B-A", "B-B"):
        sizes.add(write(tag))
        with pytest.raises(FormatError):
            spanrs.score(folder, scheme="BIO", store=tmp_path / "counts")
    broken.unlink()
    assert len(sizes) == 1
    result = spanrs.score(folder, scheme="BIO", store=tmp_path / "counts")
    assert result.totals == (0, 1, 1)


def test_a_directory_of_parquet_files_continues(tmp_path, monkeypatch):
    folder = tmp_path / "tables"
    folder.mkdir()
    table = pyarrow.table({"gold": [["B-A", "O"]], "pred": [["B-A", "B-A"]]})
    for at in range(4):
        pyarrow.parquet.write_table(table, folder / f"{at}.parquet")
    calls = Calls(monkeypatch)
    (folder / "4.parquet").write_bytes(b"PAR1 cut PAR1")
    for _ in range(2):
        with pytest.raises(FormatError, match=r"4\.parquet"):
            spanrs.score(folder, store=tmp_path / "counts")
    assert calls.names == [f"{at}.parquet" for at in (0, 1, 2, 3, 4, 4)]


@pytest.mark.parametrize("side", ["gold", "pred"])
@pytest.mark.parametrize("how", ["size", "time"])
def test_a_changed_file_is_scored_again(interrupted, side, how):
    gold, pred, texts, counts, calls = interrupted
    name = sorted(texts)[0]
    path = (gold if side == "gold" else pred) / name
    if how == "size":
        status = path.stat()
        path.write_text(path.read_text().replace("B-A", "B-AA"))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    else:
        path.write_text(path.read_text().replace("B-B", "B-C"))
        os.utime(path, ns=(1, path.stat().st_mtime_ns + 1000))
    scored = finished(gold, pred, counts, calls)
    assert scored == sorted(Path(item).name for item in [name, *sorted(texts)[6:]])


@pytest.mark.parametrize(
    "options",
    [
        {"reading": "strict"},
        {"matcher": "fair"},
        {"matcher": spanrs.Fair(weights="LE = 1 FP")},
        {"by": "sentence"},
        {"max_violations": 1},
        {"scheme": "IOB"},
        {"align": "ignore"},
        {"dialect": Dialect(separator="_")},
        {"errors": True},
    ],
    ids=str,
)
def test_other_options_score_everything_again(interrupted, options):
    gold, pred, texts, counts, calls = interrupted
    assert len(finished(gold, pred, counts, calls, **options)) == len(texts)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "header", "other"])
def test_a_damaged_part_is_scored_again(interrupted, damage):
    gold, pred, texts, counts, calls = interrupted
    parts = sorted(counts.with_name("counts.parts").glob("*.shard"))
    assert len(parts) == 6
    stored = parts[0].read_bytes()
    parts[0].write_bytes(
        {
            "cut": stored[:-3],
            "flipped": stored[:-20] + bytes([stored[-20] ^ 1]) + stored[-19:],
            "empty": b"",
            "header": b"x" + stored[1:],
            "other": parts[1].read_bytes(),
        }[damage]
    )
    assert len(finished(gold, pred, counts, calls)) == len(texts) - 5


def test_a_file_that_cannot_be_scored_leaves_what_is_done(corpus, tmp_path, monkeypatch):
    gold, pred, texts = corpus
    calls = Calls(monkeypatch)
    last = pred / sorted(texts)[-1]
    good = last.read_text()
    last.write_text("other O\n")
    for threads in (1, 3):
        with pytest.raises(AlignmentError, match=last.name):
            spanrs.score(gold, pred, scheme="BIO", store=tmp_path / "counts", threads=threads)
        assert not (tmp_path / "counts").exists()
    calls.take()
    last.write_text(good)
    assert finished(gold, pred, tmp_path / "counts", calls) == [last.name]


def test_counts_of_an_earlier_run_stay_until_the_new_ones_are_written(interrupted):
    gold, pred, _, counts, calls = interrupted
    counts.write_bytes(b"earlier")

    def stop(_done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spanrs.score(gold, pred, scheme="BIO", store=counts, progress=stop)
    assert counts.read_bytes() == b"earlier"
    finished(gold, pred, counts, calls)


CHILD = """
import signal, sys, time
import spanrs
from spanrs.cli.run import ended_by_exception
gold, pred, counts, threads = sys.argv[1:]
def slow(done):
    print(done, flush=True)
    time.sleep(0.03)
with ended_by_exception():
    spanrs.score(gold, pred, scheme="BIO", store=counts, threads=int(threads), progress=slow)
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=str)
def test_a_run_that_is_ended_goes_on_where_it_was(tmp_path, monkeypatch, number, threads):
    gold, pred, texts = write_corpus(tmp_path, files=60, sentences=2)
    counts, parts = tmp_path / "counts", tmp_path / "counts.parts"
    arguments = [sys.executable, "-c", CHILD, str(gold), str(pred), str(counts), str(threads)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        for _ in range(7):
            assert child.stdout.readline()
        child.send_signal(number)
        child.wait(20)
    assert child.returncode != 0
    assert not counts.exists()
    stored = len(list(parts.glob("*.shard")))
    assert 6 <= stored < 60
    calls = Calls(monkeypatch)
    assert len(finished(gold, pred, counts, calls, threads=threads)) == 60 - stored
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts", "gold", "pred"]
    assert len(texts) == 60


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=str)
def test_the_command_can_be_ended_and_run_again(tmp_path, number):
    gold, pred, _ = write_corpus(tmp_path, files=2)
    # The last file is large, so that the signal comes while it is scored.
    for side in (gold, pred):
        (side / "z.conll").write_text("w B-A\nv O\nu I-A\n\n" * 1_500_000)
    (pred / "z.conll").write_text("w B-A\nv O\nu B-B\n\n" * 1_500_000)
    counts, parts = tmp_path / "counts", tmp_path / "counts.parts"
    run = "import sys; from spanrs.cli.group import group; from spanrs.cli.run import run; sys.exit(run(group))"
    options = ["--matcher", "fair", "--by-sentence", "--save", str(counts)]
    arguments = [sys.executable, "-c", run, "score", str(gold), str(pred), *options]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while len(list(parts.glob("*.shard"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    child.send_signal(number)
    out, _ = child.communicate(timeout=30)
    assert child.returncode != 0
    assert out == ""
    assert not counts.exists()
    assert len(list(parts.glob("*.shard"))) == 2
    if number != signal.SIGKILL:
        names = {path.name for path in parts.iterdir() if path.suffix != ".shard"}
        assert names == {shards_of.MARKER}, "files that are not whole"
    for side in (gold, pred):
        (side / "z.conll").write_text("w B-A\nv O\n")
    subprocess.run(arguments, check=True, capture_output=True)
    assert counts.read_bytes() == spanrs.score(gold, pred, matcher="fair", by="sentence").to_bytes()
    assert not parts.exists()


def test_files_are_paired_by_their_paths(tmp_path):
    for side in ("gold", "pred"):
        for name in ("b.conll", "sub/a.conll", "sub/deep/c.txt", ".hidden", "sub/.git/x"):
            path = tmp_path / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    names = ["b.conll", "sub/a.conll", "sub/deep/c.txt"]
    gold, pred = str(tmp_path / "gold"), str(tmp_path / "pred")

    def paired(*sides):
        parts = [spanrs.read(side, format="columns").parts for side in sides]
        actual = pair_parts(*parts)
        assert not actual.golds
        assert not actual.preds
        return actual.pairs

    assert [part.name for part in spanrs.read(gold, format="columns").parts] == names
    assert [first.name for first, _ in paired(gold, pred)] == names
    for first, item in paired(gold, pred):
        assert (first.path, item.path) == (f"{gold}/{first.name}", f"{pred}/{first.name}")
    patterns = {
        "/*.conll": ["b.conll"],
        "/**/*.conll": ["b.conll", "sub/a.conll"],
        "/sub/*.conll": ["a.conll"],
        "/*/a.conll": ["sub/a.conll"],
        "/sub/deep/[c].*": ["c.txt"],
    }
    for pattern, expected in patterns.items():
        assert [first.name for first, _ in paired(gold + pattern, pred + pattern)] == expected
    # A directory can be combined with a pattern.
    assert [first.name for first, _ in paired(f"{gold}/sub", f"{pred}/sub/**")] == [
        "a.conll",
        "deep/c.txt",
    ]


@pytest.mark.parametrize("side", ["gold", "pred"])
def test_a_file_that_a_side_lacks_is_named(corpus, side):
    gold, pred, texts = corpus
    lacking = sorted(texts)[4]
    ((gold if side == "gold" else pred) / lacking).unlink()
    with pytest.raises(AlignmentError, match=f"{side} has no file for {lacking}; files are paired by name"):
        spanrs.score(gold, pred)
    second = gold if side == "pred" else pred
    with pytest.raises(AlignmentError, match=str(second.parent / side)):
        spanrs.score(gold, pred)


def test_directories_without_files_are_refused(tmp_path):
    (tmp_path / "empty" / "sub").mkdir(parents=True)
    (tmp_path / "empty" / ".hidden").touch()
    with pytest.raises(FileNotFoundError, match="the directory has no files"):
        spanrs.score(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        spanrs.score(str(tmp_path / "*.conll"))
    with pytest.raises(ValueError, match="the list of sources is empty"):
        spanrs.read([])


def test_directories_of_tables(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    rows = [(["B-A", "O"], ["B-A", "B-B"], "x"), (["B-A"], ["O"], "x"), (["O"], ["O"], "y")]
    for name in ("a.parquet", "b"):
        columns = zip(*rows, strict=True)
        pyarrow.parquet.write_table(
            pyarrow.table(dict(zip(("g", "p", "doc"), columns, strict=True))), folder / name
        )
    options = {"gold": "g", "pred": "p", "documents": "doc", "by": "document"}
    single = spanrs.score(folder, scheme="BIO", **options)
    assert single.totals == (2, 2, 2)
    assert len(single.documents) == 4
    assert spanrs.score(folder, scheme="BIO", threads=2, **options).to_bytes() == single.to_bytes()
    with pytest.raises(FormatError, match="gold"):
        spanrs.score(folder)


def test_lists_of_shards_are_taken_as_they_are(corpus):
    gold, pred, _ = corpus
    shards = pair_parts(spanrs.read(gold).parts, spanrs.read(pred).parts).pairs

    def scored(some):
        golds, preds = (
            replace(spanrs.read(folder), parts=tuple(pair[side] for pair in some))
            for side, folder in enumerate((gold, pred))
        )
        return spanrs.score(golds, preds, scheme="BIO")

    whole = scored(shards)
    assert whole.to_bytes() == spanrs.score(gold, pred, scheme="BIO").to_bytes()
    parts = [scored(shards[a:b]) for a, b in ((0, 5), (5, 6), (6, 12))]
    assert parts[0].merge(*parts[1:]).to_bytes() == whole.to_bytes()


def test_a_folder_that_is_not_ours_is_not_touched(corpus, tmp_path):
    gold, pred, _ = corpus
    parts = tmp_path / "counts.parts"
    parts.mkdir()
    (parts / "thesis.tex").write_text("mine")
    with pytest.raises(FileExistsError, match="not a store of spanrs"):
        spanrs.score(gold, pred, scheme="BIO", store=tmp_path / "counts")
    assert [path.name for path in parts.iterdir()] == ["thesis.tex"]
    assert (parts / "thesis.tex").read_text() == "mine"


def test_counts_are_not_saved_into_a_directory_that_is_scored(corpus):
    gold, pred, _ = corpus
    for folder in (gold, pred):
        with pytest.raises(ValueError, match="choose another path for the counts"):
            spanrs.score(gold, pred, scheme="BIO", store=folder / "sub" / "counts")


def test_a_scheme_of_pred_that_is_found_out_is_that_of_all_shards(tmp_path):
    for side, last in (("gold", "I-A"), ("pred", "E-A")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a").write_text(f"x B-A\ny {last}\n\n" * 30)
        # Separately this shard would be read as BIO.
        (tmp_path / side / "b").write_text("x B-A\ny O\n\n" * 30)
    for schemes in ({"scheme": "BIO", "pred_scheme": "auto"}, {}):
        result = spanrs.score(tmp_path / "gold", tmp_path / "pred", **schemes)
        assert (result.settings["scheme"], result.settings["pred_scheme"]) == ("BIO", "IOBES")
        assert result.totals == (60, 0, 0)
