"""Large column files scored in parts by several threads: the result equals that of one thread."""

from __future__ import annotations

import gzip
import os
import random
import threading
from itertools import product
from pathlib import Path

import pytest

import spanrs
from spanrs.errors import SpanrsError

#: Files of less than twice this size are not cut (rust/spanrs/src/score_parts.rs).
LEAST = 4 << 20
#: Long tokens, so that files of this size have few of them.
PADDING = "x" * 420
TAGS = ["O", "O", "O", "B-A", "I-A", "B-B", "I-B"]
IO = Path("/proc/self/io")


class Corpus:
    """Sentences of tokens with tags of gold and pred."""

    def __init__(self, seed: int, parts: int = 2, tags=TAGS, late=()) -> None:
        rng = random.Random(seed)
        self.sentences = []
        size = 0
        while size < parts * LEAST * 1.06:
            # The last third contains new tags.
            expected = [*tags, *late] if size > parts * LEAST * 0.66 else tags
            sentence = []
            for _ in range(rng.randint(1, 6)):
                gold = rng.choice(expected)
                pred = gold if rng.random() < 0.7 else rng.choice(expected)
                sentence.append((f"w{rng.randrange(10**6)}{PADDING}", gold, pred))
                size += len(PADDING) + 10
            self.sentences.append(sentence)

    def text(self, side: int, between="\n", end="\n", top="", first=None) -> bytes:
        """Return a column file of a side; ``between`` is the text after a sentence, by its number."""
        lines = [top]
        for at, sentence in enumerate(self.sentences):
            if first is not None:
                lines.append(first(at))
            lines += [f"{row[0]} {row[side]}{end}" for row in sentence]
            lines.append(between(at) if callable(between) else between)
        return "".join(lines).encode()

    def both(self) -> bytes:
        """Return a file with both columns."""
        rows = (["%s %s %s\n" % row for row in sentence] + ["\n"] for sentence in self.sentences)  # noqa: UP031
        return "".join(line for row in rows for line in row).encode()


@pytest.fixture(scope="module")
def corpus():
    return Corpus(1, late=["B-Ä", "I-Ä", "B-late", "X-odd"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


def bytes_read() -> int:
    """Return the bytes that this process has read so far, page cache or not."""
    return int(IO.read_text().split()[1]) if IO.exists() else 0


def outcome(gold, pred, threads, /, **options):
    """Return all content of the result, or the error."""
    try:
        result = spanrs.score(gold, pred, threads=threads, **options)
    except SpanrsError as error:
        return type(error), str(error), error.code, getattr(error, "line", None)
    return {
        "bytes": result.to_bytes(),
        "text": str(result),
        "dictionary": result.to_dict(),
        "errors": result.errors,
        "violations": result.violations,
        "warnings": result.warnings,
        "notes": result.notes,
        "detection": (result.evidence.detection, result.evidence.pred_detection),
        "signature": result.signature,
    }


def same(gold, pred=None, threads=2, /, *, fails=False, **options):
    """Check that the result does not depend on threads; return it."""
    assert Path(gold).stat().st_size >= 2 * LEAST, "not cut"
    first = outcome(gold, pred, 1, **options)
    before = bytes_read()
    several = outcome(gold, pred, threads, **options)
    if IO.exists() and not str(gold).endswith("gz"):
        sizes = sum(Path(path).stat().st_size for path in (gold, pred) if path is not None)
        # Boundaries between parts are also searched for.
        assert bytes_read() - before > 1.2 * sizes
    assert several == first
    assert isinstance(first, tuple) == fails
    return first


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.fixture(scope="module")
def plain(corpus, folder):
    """Return paths of gold and pred as they are usually written."""
    return write(folder, "gold", corpus.text(1)), write(folder, "pred", corpus.text(2))


@pytest.mark.parametrize("reading", ["conlleval", "strict", "seqeval"])
@pytest.mark.parametrize("scheme", ["auto", "BIO", "IOBES"])
def test_schemes_and_readings(plain, scheme, reading):
    actual = same(*plain, scheme=scheme, reading=reading)
    assert actual["violations"]["gold"].count > 1000


@pytest.mark.parametrize(
    "matcher", ["exact", "partial", "fair", spanrs.Partial(matching="optimal")], ids=str
)
@pytest.mark.parametrize("rows", [{}, {"by": "sentence"}, {"by": "document"}], ids=str)
def test_matchers_and_rows(corpus, folder, matcher, rows):
    documents = {
        "top": "-DOCSTART- O\n\n",
        "between": lambda at: "\n-DOCSTART- O\n\n" if at % 50 == 7 else "\n",
    }
    paths = [write(folder, f"documents{side}", corpus.text(side, **documents)) for side in (1, 2)]
    if rows.get("by") == "document":
        # Files with rows of documents are read by one thread.
        first, second = (outcome(*paths, n, matcher=matcher, **rows) for n in (1, 2))
        assert second == first
        assert len(first["dictionary"]["documents"]) > 100
    else:
        actual = same(*paths, matcher=matcher, **rows)
        assert actual["dictionary"]["sentences"] == len(corpus.sentences)


@pytest.mark.parametrize("errors", [True, 3])
def test_errors_with_their_lines(plain, errors):
    actual = same(*plain, errors=errors, matcher="fair")
    lines = plain[0].read_bytes().decode().split("\n")
    last = actual["errors"][-1]
    assert lines[last.line - 1].split()[0] in last.tokens


@pytest.mark.parametrize("most", [0, 1, 7, 10**6])
def test_first_violations(plain, most):
    actual = same(*plain, scheme="BIO", max_violations=most)
    for side, path in zip(("gold", "pred"), plain, strict=True):
        places = actual["violations"][side]
        assert len(places.first) == min(most, places.count)
        if most > 7:
            lines = path.read_bytes().decode().split("\n")
            assert all(lines[item.line - 1].split()[1] == item.violation.current for item in places.first)


@pytest.mark.parametrize("threads", [2, 3, 4, 16, 0])
def test_numbers_of_threads(folder, threads):
    corpus = Corpus(2, parts=4, late=["B-C", "I-D"])
    paths = [write(folder, f"four{side}", corpus.text(side)) for side in (1, 2)]
    first, several = (outcome(*paths, n, by="sentence") for n in (1, threads))
    assert several == first


#: Formats of lines of gold and pred.
LAYOUTS = {
    "CR LF": [{"between": "\r\n", "end": "\r\n"}] * 2,
    "CR LF in pred": [{}, {"between": "\r\n", "end": "\r\n"}],
    "mixed line ends": [{"between": lambda at: "\r\n" if at % 3 else "\n"}] * 2,
    "several blank lines": [{"between": lambda at: "\n" * (1 + at % 4)}] * 2,
    "several blank lines in gold": [{"between": lambda at: "\n" * (1 + at % 4)}, {}],
    "several blank lines in pred": [{}, {"between": lambda at: "\r\n" * (1 + at % 4)}],
    "blank lines with spaces": [{"between": lambda at: " \t\n" if at % 5 == 0 else "\n"}] * 2,
    "all blank lines with spaces": [{"between": "  \n"}] * 2,
    "blank lines with spaces in gold": [{"between": lambda at: "  \n" if at % 5 == 0 else "\n"}, {}],
    "blank lines with spaces in pred": [{}, {"between": lambda at: "\t\n" if at == 9 else "\n"}],
    "spaces at other places": [
        {"between": lambda at: "  \n" if at == 100 else "\n"},
        {"between": lambda at: "  \n" if at == 200 else "\n"},
    ],
    "a blank line before gold": [{"top": "\n"}, {}],
    "blank lines before pred": [{}, {"top": "\r\n\n"}],
    "comments": [{"first": lambda at: f"# text = {at}\n"}] * 2,
    "comments in gold": [{"first": lambda at: f"# text = {at}\n" if at % 2 else ""}, {}],
    "comments between blank lines": [{"between": lambda at: "\n# id = 3\n\n" if at % 9 == 0 else "\n"}] * 2,
    "comments between blank lines of gold": [{"between": lambda at: "\n# id = 3\n\n"}, {}],
    "comments between blank lines of pred": [
        {},
        {"between": lambda at: "\n# id = 3\n\n" if at < 3 else "\n"},
    ],
    "documents": [{"between": lambda at: "\n-DOCSTART- -X- O\n\n" if at % 9 == 0 else "\n"}] * 2,
    "documents in gold": [{"top": "-DOCSTART- O\n\n"}, {}],
    "documents in pred": [{}, {"between": lambda at: "\n-DOCSTART- O\n\n" if at % 99 == 0 else "\n"}],
    "documents without blank lines": [{"between": lambda at: "-DOCSTART- O\n" if at % 2 else "\n"}] * 2,
    "newdoc": [{"first": lambda at: "# newdoc id = a\n" if at % 30 == 0 else ""}] * 2,
    "a byte order mark": [{"top": "\ufeff"}] * 2,
    "a byte order mark of gold": [{"top": "\ufeff"}, {}],
    "tokens U+FEFF": [{"first": lambda at: "\ufeff B-A\n"}, {"first": lambda at: "\ufeff O\n"}],
    "much white space at the end": [{"between": lambda at: "\n"}, {}],
}


@pytest.mark.parametrize("rows", [{}, {"by": "sentence"}], ids=["", "by sentence"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(corpus, folder, layout, rows):
    gold, pred = (corpus.text(side, **how) for side, how in zip((1, 2), LAYOUTS[layout], strict=True))
    if layout == "much white space at the end":
        gold += b"\n" * 5 * LEAST
    paths = write(folder, "layout.gold", gold), write(folder, "layout.pred", pred)
    actual = same(*paths, errors=2, scheme="BIO", **rows)
    sentences = actual["dictionary"]["sentences"]
    assert sentences == len(corpus.sentences)


@pytest.mark.parametrize("last", ["", "w B-A", "\nw B-A", "\r\n", "\n\n  ", "\n# a b c\n", "-DOCSTART- O"])
def test_ends_of_files(corpus, folder, last):
    paths = [write(folder, f"end{side}", corpus.text(side) + last.encode()) for side in (1, 2)]
    same(*paths, by="sentence", errors=1)
    # On one side only, it may be a sentence that is missing on the other side.
    same(paths[0], write(folder, "end", corpus.text(2)), fails="w" in last)


def changed(text: bytes, at: float, how) -> bytes:
    """Change a line at about a given fraction of a file."""
    lines = text.split(b"\n")
    place = int(len(lines) * at)
    while len(lines[place].split()) < 2:
        place += 1
    lines[place : place + 1] = how(lines[place])
    return b"\n".join(lines)


MISTAKES = {
    "another token": lambda line: [b"other " + line.split()[1]],
    "a token more": lambda line: [line, b"more O"],
    "a token less": lambda line: [],
    "a sentence is cut": lambda line: [line, b"", b"more O", b"", b"again O"],
    "a column less": lambda line: line.split()[:1],
    "a column more": lambda line: [line + b" O"],
    "a carriage return": lambda line: [b"a\rb " + line],
    "NUL": lambda line: [b"a\0b O"],
    "no UTF-8": lambda line: [b"\xff\xfe O"],
}


@pytest.mark.parametrize("align", ["refuse", "report", "ignore"])
@pytest.mark.parametrize(("mistake", "at"), list(product(MISTAKES, [0.2, 0.9])))
def test_mistakes_have_their_places(corpus, plain, mistake, at, align):
    folder = plain[0].parent
    pred = write(folder, "mistake", changed(corpus.text(2), at, MISTAKES[mistake]))
    fails = mistake != "another token" or align == "refuse"
    actual = same(plain[0], pred, fails=fails, align=align, scheme="BIO")
    if fails:
        assert str(pred) in actual[1]
    elif align == "report":
        assert "differing_tokens:1" in actual["signature"]
        assert len(actual["notes"]) == 1
    if mistake == "another token" and at == 0.9:
        same(pred, plain[0], fails=fails, align=align)


def test_the_first_of_two_mistakes_is_reported(corpus, plain, folder):
    pred = changed(corpus.text(2), 0.9, MISTAKES["another token"])
    late = same(plain[0], write(folder, "late", pred), fails=True)
    both = changed(pred, 0.3, MISTAKES["a token more"])
    early = same(plain[0], write(folder, "both", both), fails=True)
    assert early != late
    # The error of an earlier part may be after the one that ends the whole.
    assert "more" in early[1]


def test_tokens_that_differ_everywhere(corpus, plain, folder):
    lines = corpus.text(2).replace(b"w", b"v")
    pred = write(folder, "differing", lines)
    actual = same(plain[0], pred, align="report", by="sentence", matcher="partial")
    assert len(actual["notes"]) == 5
    assert f"differing_tokens:{actual['dictionary']['tokens']}" in actual["signature"]


@pytest.mark.parametrize("where", [0.01, 0.95])
def test_malformed_tags_are_refused_with_the_same_place(folder, where):
    corpus = Corpus(3, tags=["O", "B-A", "B-B"])
    text = corpus.text(1)
    gold = write(folder, "clean", text)
    accepted = same(gold, gold, reading="refuse", scheme="BIO", matcher="fair")
    assert accepted["violations"]["gold"].count == 0
    pred = write(folder, "malformed", changed(text, where, lambda line: [line.split()[0] + b" I-C"]))
    refused = same(gold, pred, fails=True, reading="refuse", scheme="BIO")
    assert "I-C" in refused[1]


def test_one_file_with_both_columns(corpus, plain, folder):
    path = write(folder, "both columns", corpus.both())
    one_file = same(path, errors=3, by="sentence")
    two_files = same(*plain, errors=3, by="sentence")
    assert one_file["dictionary"]["counts"] == two_files["dictionary"]["counts"]
    swapped = same(path, gold=2, pred=1)
    counts = two_files["dictionary"]["counts"]
    assert swapped["dictionary"]["counts"] == {"tp": counts["tp"], "fp": counts["fn"], "fn": counts["fp"]}


def test_tags_alone(corpus, folder):
    # Files of one column: long types make them large, and tokens are not compared.
    rows = [("\n".join(row[side].replace("-", f"-{PADDING}") for row in sentence)) for side in (1, 2)
            for sentence in corpus.sentences]  # fmt: skip
    half = len(rows) // 2
    texts = ["\n\n".join(part * 4).encode() + b"\n" for part in (rows[:half], rows[half:])]
    gold, pred = (write(folder, f"tags{at}", text) for at, text in enumerate(texts))
    actual = same(gold, pred, scheme="BIO", by="sentence")
    assert actual["dictionary"]["sentences"] == 4 * len(corpus.sentences)
    tokens = write(
        folder,
        "tokens",
        b"".join(b"\n" if not line else b"w " + line + b"\n" for line in texts[1].split(b"\n")),
    )
    same(gold, tokens, scheme="BIO")


def test_gold_with_more_columns_than_pred(corpus, folder):
    gold = write(folder, "wide", corpus.text(1).replace(b" ", b" NN _ "))
    pred = write(folder, "narrow", corpus.text(2).replace(PADDING.encode(), b""))
    same(gold, pred, align="ignore", errors=1)
    same(gold, pred, fails=True)


@pytest.mark.parametrize("options", [{"separator": "\t"}, {"comments": "%"}, {"tags": (1, 2)}], ids=str)
def test_column_options(corpus, folder, options):
    def line(row, side):
        tags = (row[side], row[3 - side]) if "tags" in options else (row[side],)
        return ("\t" if "separator" in options else " ").join((row[0], *tags))

    paths = []
    for side in (1, 2):
        sentences = ("\n".join(line(row, side) for row in sentence) for sentence in corpus.sentences)
        comment = "%\n\n% a b c\n" if "comments" in options else ""
        paths.append(
            write(folder, f"options{side}", "".join(f"{comment}{item}\n\n" for item in sentences).encode())
        )
    same(*paths, **options, errors=1)


def test_two_schemes(corpus, plain, folder):
    pred = write(folder, "bilou", corpus.text(2).replace(b" I-", b" U-"))
    same(plain[0], pred, scheme="BIO", pred_scheme="BILOU", by="sentence")
    same(plain[0], pred)


def test_tags_of_the_second_half_decide_the_scheme(folder):
    corpus = Corpus(4, tags=["O"], late=["S-A", "B-A", "E-A"])
    paths = [write(folder, f"late{side}", corpus.text(side)) for side in (1, 2)]
    actual = same(*paths)
    assert "scheme:IOBES" in actual["signature"]
    same(*paths, scheme="IOBES", errors=2)


def test_more_tags_than_a_block_holds(folder):
    many = [f"{prefix}-{at}" for at in range(200) for prefix in "BI"]
    corpus = Corpus(5, tags=["O", "B-1", "I-1"], late=many)
    paths = [write(folder, f"many{side}", corpus.text(side)) for side in (1, 2)]
    same(*paths, by="sentence")
    same(*paths, matcher="fair", reading="strict")


def test_compressed_files_are_read_by_one_thread(corpus, plain, folder):
    # Random bytes, so that the compressed file is large enough to be split.
    rng = random.Random(6)
    noise = b"".join(b"# id = %s\n\n" % rng.randbytes(300).hex().encode() for _ in range(28_000))
    paths = [write(folder, f"{side}.gz", gzip.compress(noise + corpus.text(side), 1)) for side in (1, 2)]
    actual = same(*paths, errors=1)
    assert actual["dictionary"]["counts"] == same(*plain, errors=1)["dictionary"]["counts"]
    assert outcome(paths[0], plain[1], 2) == outcome(paths[0], plain[1], 1)
    assert outcome(plain[0], paths[1], 2) == outcome(plain[0], paths[1], 1)


def test_scorers_go_on_after_files(plain):
    results = []
    for threads in (1, 2):
        scorer = spanrs.Scorer(scheme="BIO", by="document", threads=threads)
        scorer.update([["B-late", "O"], ["I-B"]], [["B-late", "B-A"], ["B-A"]])
        for _ in range(2):
            scorer.update(plain[0], plain[1], by="sentence")
            scorer.update([["B-new", "I-A"]], [["B-new", "B-late"]], by=["named"])
        scorer.update([["I-C"]], [["O"]])
        results.append(scorer.result())
    first, second = results
    assert second.to_bytes() == first.to_bytes()
    assert second.violations == first.violations
    assert [row.name for row in second.documents] == [row.name for row in first.documents]


def test_an_error_leaves_a_scorer_as_it_was(corpus, plain, folder):
    wrong = write(folder, "wrong", changed(corpus.text(2), 0.99, MISTAKES["another token"]))
    scorer = spanrs.Scorer(scheme="BIO", threads=2)
    scorer.update([["B-A"]], [["B-A"]])
    before = scorer.result().to_bytes()
    with pytest.raises(SpanrsError):
        scorer.update(plain[0], wrong)
    assert scorer.result().to_bytes() == before


@pytest.mark.skipif(not IO.exists(), reason="counts threads in /proc, which only Linux has")
def test_several_threads_work_on_a_large_file_and_progress_does_not_pass_its_size(corpus, folder):
    paths = [write(folder, f"large{side}", corpus.text(side) * 8) for side in (1, 2)]
    size = sum(path.stat().st_size for path in paths)
    most = {}
    for threads in (1, 2):
        told, tasks, done = [], [], threading.Event()

        def count(tasks=tasks, done=done):
            while not done.is_set():
                tasks.append(len(os.listdir("/proc/self/task")))
                done.wait(0.001)

        counter = threading.Thread(target=count)
        counter.start()
        result = spanrs.score(*paths, scheme="BIO", threads=threads, progress=told.append)
        done.set()
        counter.join()
        assert result.sentences == 8 * len(corpus.sentences)
        # Files with a failed part are read again, which would also be reported.
        assert max(told, default=0) <= size
        most[threads] = max(tasks)
    assert most[2] > most[1]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_progress_raises_ends_the_work(corpus, folder, threads):
    path = write(folder, "stopped", corpus.text(1) * 8)
    second = write(folder, "stopped other", corpus.text(2) * 8)
    called = []

    def stop(done):
        called.append(done)
        raise KeyError("enough")

    raised = False
    try:
        spanrs.score(path, second, scheme="BIO", threads=threads, progress=stop)
    except KeyError:
        raised = True
    # It is called every 50 ms; a fast machine may finish earlier.
    assert raised == bool(called)
    assert len(called) <= 1


def test_the_limit_of_tags_is_that_of_the_whole_file(folder):
    # No single part exceeds the limit of tags, but all parts together do.
    rows = (f"w B-{at}\n" + "\n" * (at % 5 == 4) for at in range((1 << 20) + 10))
    path = write(folder, "tags", "".join(rows).encode())
    actual = same(path, path, fails=True, scheme="BIO")
    assert "more than 1048576 different tags" in actual[1]
