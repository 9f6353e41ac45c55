"""Random column files, given to every function that reads files from every kind of source.

The oracle is the plain file read by one thread. Everything that a function returns, writes or refuses has to be the
same from any other source. A source of another kind (row groups of a table, say) is an entry in :data:`SOURCES`.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

import spanrs
from spanrs import tags
from spanrs.errors import SpanrsWarning
from spanrs.eval import score_readings
from spanrs.io import Columns

#: First buffer of the reader in bytes (rust/spanrs-io/src/lines.rs).
CHUNK = 256 << 10
#: Tokens of the first sample for `auto` (rust/spanrs-eval/src/auto_scheme.rs).
SAMPLE = 1 << 16
#: Files of less than twice this size are not cut for threads (rust/spanrs/src/score_parts.rs).
PART = 4 << 20

PREFIXES = {"IOB": "BI", "BIO": "BI", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU", "BMES": "BMES"}
READINGS = ("conlleval", "strict", "discard", "seqeval", "refuse")
TYPES = ("PER", "LOC", "ORG")


class Corpus(NamedTuple):
    """Files of gold and pred; a file with both has no pred."""

    gold: bytes
    pred: bytes | None
    scheme: str
    """The scheme from which most tags were drawn."""


def sentence_rows(rng: random.Random, scheme: str, noise: float) -> list[tuple[str, str, str]]:
    """Return tokens with tags of gold and pred; a share of ``noise`` is drawn from all schemes."""
    rows = []
    for _ in range(rng.choice((1, 2, 3, 5, 8, 13))):
        letters = "BIESLUM" if rng.random() < noise else PREFIXES[scheme]
        gold = "O" if rng.random() < 0.5 else f"{rng.choice(letters)}-{rng.choice(TYPES)}"
        pred = gold if rng.random() < 0.8 else f"{rng.choice(letters)}-{rng.choice(TYPES)}"
        token = rng.choice(("w", "Rio", "Köln", "日本", "#", "x" * rng.randint(1, 40)))
        rows.append((token, gold, pred))
    return rows


#: The text of some sentences: gold, pred, and both.
Block = tuple[str, str, str]


def block(rng: random.Random, scheme: str, sentences: int, noise: float, padding: str = "") -> Block:
    """Return the text of random sentences, now and then with a comment or a document before."""
    texts: tuple[list[str], list[str], list[str]] = ([], [], [])
    for _ in range(sentences):
        kind = rng.random()
        before = "-DOCSTART- O\n\n" if kind < 0.03 else "# a comment of five words\n" if kind < 0.06 else ""
        rows = sentence_rows(rng, scheme, noise)
        texts[0].append(before + "".join(f"{token}{padding} {gold}\n" for token, gold, _ in rows))
        texts[1].append(before + "".join(f"{token}{padding} {pred}\n" for token, _, pred in rows))
        both = before.replace(" O", " O O") + "".join(f"{w}{padding} {g} {p}\n" for w, g, p in rows)
        texts[2].append(both)
    return tuple("\n".join(side) + "\n" for side in texts)  # type: ignore[return-value]


def make_corpus(rng: random.Random, size: str) -> Corpus:
    """Return a corpus of a size: small, chunks, sample or parts, each about the boundary of that name."""
    scheme = rng.choice(list(PREFIXES))
    noise = rng.choice((0.0, 0.0, 0.02, 0.3))
    blocks = [block(rng, scheme, rng.randint(1, 12), noise)]
    if size == "small":
        parts = blocks
    else:
        padding = "x" * 400 if size == "parts" else ""
        blocks += [block(rng, scheme, 40, noise, padding) for _ in range(20)]
        # The last part is in another scheme: the sample of `auto` does not show it.
        late = block(rng, rng.choice(list(PREFIXES)), rng.choice((0, 300)), noise)
        parts = []
        target = {
            "chunks": CHUNK * rng.choice((1, 1, 2, 4)),
            "sample": SAMPLE * 9,
            "parts": PART * rng.choice((2, 3)),
        }[size]
        length = 0
        while length < target:
            parts.append(rng.choice(blocks))
            length += len(parts[-1][0])
        parts += [late, blocks[0]]
    texts = ["\n".join(part[side] for part in parts) for side in range(3)]
    if rng.random() < 0.4:
        return Corpus(_bounded(rng, texts[2], size), None, scheme)
    gold, pred = (_bounded(rng, text, size) for text in texts[:2])
    if rng.random() < 0.1:
        pred = _damaged(rng, pred)
    return Corpus(gold, pred, scheme)


def _bounded(rng: random.Random, text: str, size: str) -> bytes:
    """Encode a file; blank lines at its start move a line end to the end of a chunk, or near it."""
    data = text.encode()
    if size == "small" or rng.random() < 0.3:
        return data.replace(b"\n", b"\r\n") if rng.random() < 0.1 else data
    ends = data.rfind(b"\n", 0, CHUNK)
    return b"\n" * max(CHUNK - ends - 1 + rng.choice((-2, -1, 0, 1)), 0) + data


def _damaged(rng: random.Random, data: bytes) -> bytes:
    """Return a file with a fault at a random line: another token, a line less, bytes that are not UTF-8."""
    lines = data.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        lines[at] = b"other" + lines[at]
    elif kind == 1:
        del lines[at]
    else:
        lines[at] = b"\xff" + lines[at]
    return b"".join(lines)


class Pieces:
    """A binary file object that cannot go back and returns fewer bytes than it is asked for."""

    def __init__(self, data: bytes, name: str = "") -> None:
        self.name = name
        self._rest, self._rng = io.BytesIO(data), random.Random(len(data))

    def read(self, size: int = -1) -> bytes:
        """Read some bytes."""
        few = self._rng.choice((1, 7, 4096, 65536, 1 << 20))
        return self._rest.read(few if size < 0 else min(size, few))


@contextmanager
def _path(data: bytes, path: Path, pack: Callable[[bytes], bytes] = bytes) -> Iterator[str]:
    path.write_bytes(pack(data))
    yield str(path)


@contextmanager
def _file(data: bytes, path: Path, **options: Any) -> Iterator[Any]:
    path.write_bytes(data)
    with path.open("rb", **options) as file:
        yield file


@contextmanager
def _stream(data: bytes, path: Path, make: Callable[[bytes], Any]) -> Iterator[Any]:
    yield make(data)


def _behind(data: bytes) -> io.BytesIO:
    """Return a stream that stands behind bytes that are not meant."""
    stream = io.BytesIO(b"not meant\n" + data)
    stream.seek(10)
    return stream


def _feed(data: bytes, descriptor: int) -> None:
    """Write to a pipe until all is written or nobody reads."""
    try:
        with open(descriptor, "wb") as pipe:
            pipe.write(data)
    except BrokenPipeError:
        pass


@contextmanager
def _pipe(data: bytes, path: Path) -> Iterator[Any]:
    read, write = os.pipe()
    writer = threading.Thread(target=_feed, args=(data, write))
    writer.start()
    try:
        with open(read, "rb") as pipe:
            yield pipe
    finally:
        writer.join()


@contextmanager
def _fifo(data: bytes, path: Path) -> Iterator[str]:
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: _feed(data, os.open(path, os.O_WRONLY)))
    writer.start()
    try:
        yield str(path)
    finally:
        # A writer waits for a reader, if the job did not open the pipe.
        while writer.is_alive():
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            writer.join(0.01)
        path.unlink()


def _members(data: bytes) -> bytes:
    """Compress as gzip with several members, which do not end at lines."""
    cut = len(data) // 3
    return b"".join(gzip.compress(part, 1) for part in (data[:cut], data[cut:]))


def _zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


#: Each takes the bytes of a file and a path that may be written to, and gives a source while it is entered.
SOURCES: dict[str, Callable[[bytes, Path], AbstractContextManager[Any]]] = {
    "path": _path,
    "gzip": partial(_path, pack=partial(gzip.compress, compresslevel=1)),
    "gzip of two members": partial(_path, pack=_members),
    "zstd": partial(_path, pack=_zstd),
    "file object": _file,
    "unbuffered file object": partial(_file, buffering=0),
    "BytesIO": partial(_stream, make=io.BytesIO),
    "BytesIO behind its start": partial(_stream, make=_behind),
    "BytesIO of zstd": partial(_stream, make=lambda data: io.BytesIO(_zstd(data))),
    "GzipFile": partial(
        _stream, make=lambda data: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(data, 1)))
    ),
    "short reads": partial(_stream, make=Pieces),
    "pipe": _pipe,
    "named pipe": _fifo,
}


def facts(result: spanrs.Result) -> dict[str, Any]:
    """Return everything that a result knows."""
    return {
        "counts": result.counts.to_bytes(),
        "settings": result.settings,
        "evidence": result.evidence,
        "errors": result.error_list,
        "dictionary": result.to_dict(),
    }


def _score(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    return facts(spanrs.score_files(gold, pred, **options))


def _score_list(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    """Score two systems, of which the other is gold without its tags."""
    other = Pieces(options.pop("other"), "other")
    return [facts(result) for result in spanrs.score_files(gold, [other, pred], **options).values()]


def _readings(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    options = {
        name: value for name, value in options.items() if name in ("scheme", "by_sentence", "matcher")
    }
    return {name: facts(result) for name, result in score_readings(gold, pred, **options).items()}


def _spans(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    return list(tags.read_spans_file(gold, options["scheme"], options["reading"]))


def _convert(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    out = io.BytesIO()
    tags.convert_file(gold, out, options["scheme"], "IOBES", "conlleval")
    return out.getvalue()


def _stacked(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    """Score as stacked tags, which plain tags in BIO are."""
    layout = {"columns": Columns(tag=1), "ignore_punct": False}
    return facts(spanrs.score_span_files(gold, pred, errors=options["errors"], **layout))


#: What is done with the sources, and how often.
JOBS: dict[str, tuple[int, Callable[[Any, Any, dict[str, Any]], Any]]] = {
    "score_files": (8, _score),
    "score_files of two preds": (2, _score_list),
    "score_readings": (1, _readings),
    "score_span_files": (2, _stacked),
    "validate_file": (1, lambda gold, pred, options: tags.validate_file(gold, options["scheme"])),
    "detect_scheme_file": (1, lambda gold, pred, options: tags.detect_scheme_file(gold)),
    "convert_file": (1, _convert),
    "read_spans_file": (1, _spans),
}


def draw_options(rng: random.Random, corpus: Corpus) -> dict[str, Any]:
    """Draw how a corpus is scored."""
    rows = rng.choice(({}, {}, {"by_document": True}, {"by_sentence": True}))
    return {
        "scheme": rng.choice(("auto", "auto", corpus.scheme)),
        "reading": rng.choice(READINGS) if rng.random() < 0.5 else "conlleval",
        "matcher": rng.choice(("exact", "exact", "partial", "fair")),
        "errors": rng.choice((False, False, 3, True)),
        "on_misaligned": rng.choice(("refuse", "refuse", "report", "ignore")),
        **rows,
    }


def outcome(function: Callable[[], Any], names: list[str]) -> Any:
    """Return what a function returns or raises, without the names of its files."""

    def unnamed(value: object) -> str:
        text = repr(value)
        for name in (*names, "<stream>", "<stdin>"):
            text = text.replace(name, "FILE")
        return text

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        try:
            return unnamed(function())
        except Exception as error:  # Whatever is raised must be the same.
            places = [getattr(error, name, None) for name in ("code", "line", "column", "other_line")]
            return unnamed((type(error).__name__, str(error), *places))


def run_job(job: str, corpus: Corpus, kinds: tuple[str, str], options: dict[str, Any], folder: Path) -> Any:
    """Run a job with sources of these kinds for gold and pred."""
    options = dict(options)
    if job == "score_files of two preds":
        options["other"] = corpus.gold
    else:
        options.pop("other", None)
    paths = folder / "gold", folder / "pred"
    with ExitStack() as stack:
        gold = stack.enter_context(SOURCES[kinds[0]](corpus.gold, paths[0]))
        pred = None
        if corpus.pred is not None:
            pred = stack.enter_context(SOURCES[kinds[1]](corpus.pred, paths[1]))
        return outcome(lambda: JOBS[job][1](gold, pred, options), [str(path) for path in paths])


def draw_job(rng: random.Random, corpus: Corpus) -> str:
    """Draw a job that the corpus fits."""
    two_sided = [
        name
        for name in JOBS
        if corpus.pred is not None or ("span_files" not in name and "preds" not in name)
    ]
    return rng.choices(two_sided, [JOBS[name][0] for name in two_sided])[0]


class Difference(NamedTuple):
    """What differs from the plain file, read by one thread."""

    job: str
    kinds: tuple[str, str]
    options: dict[str, Any]
    expected: str
    got: str

    def __str__(self) -> str:
        """Show where the two begin to differ."""
        both = zip(self.expected, self.got, strict=False)
        at = next((at for at, (one, other) in enumerate(both) if one != other), 0)
        around = slice(max(at - 80, 0), at + 200)
        return (
            f"{self.job} {self.kinds} {self.options}\n  expected ...{self.expected[around]}\n"
            f"  got      ...{self.got[around]}"
        )


def differences(
    rng: random.Random, corpus: Corpus, folder: Path, variants: int, kinds: list[str] | None = None
) -> Iterator[Difference | None]:
    """Compare a job on a corpus with ``variants`` draws of sources and threads; give None for each that is equal."""
    job, options = draw_job(rng, corpus), draw_options(rng, corpus)
    expected = run_job(job, corpus, ("path", "path"), options, folder)
    for _ in range(variants):
        drawn = rng.choice(kinds or list(SOURCES)), rng.choice(kinds or list(SOURCES))
        given = options | {"threads": rng.randint(1, 8)}
        got = run_job(job, corpus, drawn, given, folder)
        yield None if got == expected else Difference(job, drawn, given, expected, got)


def command_differences(rng: random.Random, corpus: Corpus, folder: Path) -> Iterator[Difference | None]:
    """Compare ``spanrs score`` of standard input, a pipe or a redirected file, with that of the plain file."""
    options = draw_options(rng, corpus)
    paths = [folder / "gold"] if corpus.pred is None else [folder / "gold", folder / "pred"]
    for path, data in zip(paths, corpus[:2], strict=False):
        path.write_bytes(data or b"")
    arguments = ["--json", "--scheme", options["scheme"], "--reading", options["reading"]]
    arguments += ["--matcher", options["matcher"], "--on-misaligned", options["on_misaligned"]]
    arguments += ["--errors=3"] if options["errors"] else []

    def command(names: list[str], threads: int, **stdin: Any) -> str:
        line = [sys.executable, "-m", "spanrs", "score", *names, *arguments, "--threads", str(threads)]
        done = subprocess.run(line, capture_output=True, check=False, timeout=300, **stdin)
        result = json.loads(done.stdout) if done.stdout.strip() else None
        return outcome(lambda: (done.returncode, result, done.stderr.decode()), [*map(str, paths), "'-'"])

    expected = command([str(path) for path in paths], 1, stdin=subprocess.DEVNULL)
    names = [str(path) for path in paths]
    side = rng.randrange(len(paths))
    data = paths[side].read_bytes()
    names[side] = "-"
    kinds = ("standard input", "path") if side == 0 else ("path", "standard input")
    given = options | {"threads": rng.choice((2, 3))}
    pack = rng.choice((bytes, partial(gzip.compress, compresslevel=1), _zstd))
    piped = command(names, given["threads"], input=pack(data))
    yield None if piped == expected else Difference("spanrs score", kinds, given, expected, piped)
    with paths[side].open("rb") as file:
        redirected = command(names, given["threads"], stdin=file)
    yield (
        None if redirected == expected else Difference("spanrs score <", kinds, given, expected, redirected)
    )
