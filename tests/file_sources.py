"""Random column files, passed to all functions that read files, from every kind of source.

The oracle is the plain file read by one thread. Results, outputs and errors must be equal for all other sources. A
source of another kind (row groups of a table, say) is an entry in :data:`SOURCES`. Corpora cut into several files are
compared with the whole by :func:`shard_differences`.
"""

from __future__ import annotations

import gzip
import io
import os
import random
import re
import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

import spanrs
from json_output import only_system
from spanrs import tags
from spanrs.errors import SpanrsWarning
from spanrs.io.columns import Columns

#: First buffer of the reader in bytes (rust/spanrs-io/src/lines.rs).
CHUNK = 256 << 10
#: Tokens of the first sample for `auto` (rust/spanrs-eval/src/auto_scheme.rs).
SAMPLE = 1 << 16
#: Files of less than twice this size are not cut for threads (rust/spanrs/src/score_parts.rs).
PART = 4 << 20

#: Prefixes of each scheme; tags of TOKEN have none.
PREFIXES = {
    "IOB": ("B-", "I-"),
    "BIO": ("B-", "I-"),
    "IOE1": ("I-", "E-"),
    "IOE2": ("I-", "E-"),
    "IOBES": ("B-", "I-", "E-", "S-"),
    "BILOU": ("B-", "I-", "L-", "U-"),
    "BMES": ("B-", "M-", "E-", "S-"),
    "BMEWO": ("B-", "M-", "E-", "W-"),
    "IO": ("I-",),
    "TOKEN": ("",),
}
READINGS = ("conlleval", "strict", "discard", "refuse", "ncrfpp", "seqeval", "seqeval-strict")
TYPES = ("PER", "LOC", "ORG")
#: Tags that are malformed in every scheme but TOKEN, or have an unusual type.
MALFORMED = ("X-PER", "B", "B-", "-PER", "PER", "b-PER", "O-PER", "I-A-B", "S-日本", "LABEL_3", "_", "-")
#: Keys of MISC that hold the tags of gold and pred in CoNLL-U.
MISC_KEYS = ("NER", "Pred")
#: Layouts of the files, and how often each is drawn.
LAYOUTS = {"columns": 6, "tabs": 1, "CoNLL-U": 3}
MATCHERS = {
    "exact": "exact",
    "partial": "partial",
    "partial, optimal": spanrs.Partial(matching="optimal"),
    "partial, min_overlap": spanrs.Partial(min_overlap=0.5),
    "head": "head",
    "fair": "fair",
    "fair, pred": spanrs.Fair(weights="default", focus="pred"),
}


class Corpus(NamedTuple):
    """Files of gold and pred; a file with both has no pred."""

    gold: bytes
    pred: bytes | None
    scheme: str
    """The scheme from which most tags were drawn."""
    layout: str = "columns"
    """One of :data:`LAYOUTS`."""
    traits: tuple[str, ...] = ()
    """Other random properties: line ends, byte order marks, malformed tags, corruption."""

    def columns(self) -> Columns:
        """Return the columns of tokens and tags."""
        if self.layout != "CoNLL-U":
            return Columns()
        return Columns(token=1, tag=MISC_KEYS[0], second=MISC_KEYS[1] if self.pred is None else None)


def reading_options(columns: Columns) -> dict[str, Any]:
    """Return a layout as options of :func:`spanrs.read`; one file that holds both sides has a second column."""
    options: dict[str, Any] = {"format": columns.format}
    if columns.token != 0:
        options["tokens"] = columns.token
    if columns.second is not None:
        return options | {"gold": columns.tag, "pred": columns.second}
    return options | ({"tags": columns.tag} if columns.tag != -1 else {})


def sentence_rows(
    rng: random.Random, scheme: str, noise: float, malformed: float = 0.0
) -> list[tuple[str, str, str]]:
    """Return tokens with tags of gold and pred.

    A share of ``noise`` has prefixes of all schemes, and a share of ``malformed`` is drawn from :data:`MALFORMED`.
    """

    def draw_tag(prefixes: tuple[str, ...]) -> str:
        if malformed and rng.random() < malformed:
            return rng.choice(MALFORMED)
        return f"{rng.choice(prefixes)}{rng.choice(TYPES)}"

    rows = []
    for _ in range(rng.choice((1, 2, 3, 5, 8, 13))):
        prefixes = ("B-", "I-", "E-", "S-", "L-", "U-", "M-") if rng.random() < noise else PREFIXES[scheme]
        gold = "O" if rng.random() < 0.5 else draw_tag(prefixes)
        pred = gold if rng.random() < 0.8 else draw_tag(prefixes)
        token = rng.choice(("w", "Rio", "Köln", "日本", "#", "x" * rng.randint(1, 40)))
        rows.append((token, gold, pred))
    return rows


#: The text of some sentences: gold, pred, and both.
Block = tuple[str, str, str]


def block(
    rng: random.Random, scheme: str, sentences: int, shares: tuple[float, float], style: tuple[str, str]
) -> Block:
    """Return the text of random sentences, some preceded by a comment or a document line.

    ``shares`` are those of :func:`sentence_rows`; ``style`` is a layout and what follows each token.
    """
    layout, padding = style
    texts: tuple[list[str], list[str], list[str]] = ([], [], [])
    for _ in range(sentences):
        rows = sentence_rows(rng, scheme, *shares)
        kind = rng.random()
        if layout == "CoNLL-U":
            for side, text in enumerate(_conllu_texts(rng, rows, padding)):
                before = "# newdoc\n" if kind < 0.03 else "# text = a comment\n" if kind < 0.06 else ""
                texts[side].append(before + text)
            continue
        separator = "\t" if layout == "tabs" else " "
        before = f"-DOCSTART-{separator}O\n\n" if kind < 0.03 else ""
        if 0.03 <= kind < 0.06:
            before = "# a comment of five words\n"
        for side, which in enumerate(((1,), (2,), (1, 2))):
            first = before.replace(f"{separator}O", f"{separator}O" * len(which))
            lines = [separator.join([row[0] + padding, *(row[at] for at in which)]) + "\n" for row in rows]
            texts[side].append(first + "".join(lines))
    return tuple("\n".join(side) + "\n" for side in texts)  # type: ignore[return-value]


def _conllu_texts(rng: random.Random, rows: list[tuple[str, str, str]], padding: str) -> list[str]:
    """Return a sentence as CoNLL-U with the tags of gold, of pred, and of both in MISC."""
    texts: list[list[str]] = [[], [], []]
    for number, (token, gold, pred) in enumerate(rows, 1):
        rest = rng.choice(("", "", "", "SpaceAfter=No", "Gloss=x"))
        more = rng.random()
        for side, pairs in enumerate(
            (
                ((MISC_KEYS[0], gold),),
                ((MISC_KEYS[0], pred),),
                ((MISC_KEYS[0], gold), (MISC_KEYS[1], pred)),
            )
        ):
            # A word without the key is outside.
            values = [f"{key}={tag}" for key, tag in pairs if tag != "O" or number % 2]
            misc = "|".join([*values, rest] if number % 3 else [rest, *values]).strip("|") or "_"
            if more < 0.02:
                texts[side].append(f"{number}-{number + 1}\t{token}" + "\t_" * 8 + "\n")
            texts[side].append(f"{number}\t{token}{padding}" + "\t_" * 4 + f"\t0\troot\t_\t{misc}\n")
            if more > 0.98:
                texts[side].append(f"{number}.1\t{token}" + "\t_" * 8 + "\n")
    return ["".join(text) for text in texts]


def make_corpus(rng: random.Random, size: str) -> Corpus:
    """Return a corpus of a size: small, chunks, sample or parts, each about the boundary of that name."""
    scheme = rng.choice(list(PREFIXES))
    layout = rng.choices(list(LAYOUTS), list(LAYOUTS.values()))[0]
    shares = rng.choice((0.0, 0.0, 0.02, 0.3)), rng.choice((0.0, 0.0, 0.0, 0.01, 0.2))
    traits = ["malformed tags"] if shares[1] else []
    blocks = [block(rng, scheme, rng.randint(1, 12), shares, (layout, ""))]
    if size == "small":
        parts = blocks
    else:
        style = layout, "x" * 400 if size == "parts" else ""
        blocks += [block(rng, scheme, 40, shares, style) for _ in range(20)]
        # The last part is in another scheme: the sample of `auto` does not show it.
        late = block(rng, rng.choice(list(PREFIXES)), rng.choice((0, 300)), shares, (layout, ""))
        parts = []
        target = {
            "chunks": CHUNK * rng.choice((1, 1, 2, 4)),
            "sample": SAMPLE * (40 if layout == "CoNLL-U" else 9),
            "parts": PART * rng.choice((2, 3)),
        }[size]
        length = 0
        while length < target:
            parts.append(rng.choice(blocks))
            length += len(parts[-1][0])
        parts += [late, blocks[0]]
    texts = ["\n".join(part[side] for part in parts) for side in range(3)]
    sides = [texts[2]] if rng.random() < 0.4 else texts[:2]
    files = []
    for text in sides:
        data, more = _encode(rng, text, size)
        files.append(data)
        traits += more
    if len(files) == 1:
        return Corpus(files[0], None, scheme, layout, tuple(traits))
    if rng.random() < 0.1:
        files[1] = _damaged(rng, files[1])
        traits.append("damage")
    return Corpus(files[0], files[1], scheme, layout, tuple(traits))


def _encode(rng: random.Random, text: str, size: str) -> tuple[bytes, list[str]]:
    """Encode a file, and name its line ends and marks.

    Blank lines at the start move a line end to the end of a chunk, or near it.
    """
    data, traits = text.encode(), []
    if size != "small" and rng.random() < 0.7:
        ends = data.rfind(b"\n", 0, CHUNK)
        data = b"\n" * max(CHUNK - ends - 1 + rng.choice((-2, -1, 0, 1)), 0) + data
    kind = rng.random()
    if kind < 0.1:
        data = data.replace(b"\n", b"\r\n")
        traits.append("CRLF")
    elif kind < 0.13:
        half = data.find(b"\n", len(data) // 2) + 1
        data = data[:half] + data[half:].replace(b"\n", b"\r\n")
        traits.append("LF, then CRLF")
    if rng.random() < 0.1:
        data = b"\xef\xbb\xbf" + data
        traits.append("BOM")
    if rng.random() < 0.1:
        data = data.rstrip(b"\r\n")
        traits.append("no last line end")
    return data, traits


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
    """A binary file object that is not seekable and returns fewer bytes than requested."""

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
    """Return a stream positioned after unrelated bytes."""
    stream = io.BytesIO(b"not meant\n" + data)
    stream.seek(10)
    return stream


def _feed(data: bytes, descriptor: int) -> None:
    """Write to a pipe until everything is written or the reader has closed it."""
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
    """Return all content of a result."""
    return {
        "counts": result.counts.to_bytes(),
        "settings": result.settings,
        "evidence": result.evidence,
        "errors": result.errors,
        "dictionary": result.to_dict(),
    }


def _score(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    return facts(score_columns(gold, pred, options))


def score_columns(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    """Score column files whose layout is among the options."""
    rest = {name: value for name, value in options.items() if name != "columns"}
    return spanrs.score(gold, pred, **reading_options(options["columns"]), **rest)


def score_several(pairs: list[tuple[str, str | None]], options: dict[str, Any]) -> spanrs.Result:
    """Score several pairs of files together, or several files that hold both sides."""
    layout = reading_options(options["columns"])
    sides = [[pair[at] for pair in pairs] for at in range(1 if pairs[0][1] is None else 2)]
    rest = {name: value for name, value in options.items() if name != "columns"}
    return spanrs.score(*(spanrs.read(side, **layout) for side in sides), **rest)


def _readings(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    accepted = (
        "scheme",
        "pred_scheme",
        "by",
        "matcher",
        "columns",
        "align",
        "max_violations",
    )
    options = {name: value for name, value in options.items() if name in accepted and value != "document"}
    actual = score_columns(gold, pred, options | {"reading": "all"})
    return {name: facts(result) for name, result in actual.items()}


def _spans(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    return list(
        tags.read_spans_file(gold, options["scheme"], options["reading"], columns=options["columns"])
    )


def _convert(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    out = io.BytesIO()
    # A target and a reading, or a refusal of malformed tags, that depend on the options alone.
    target = list(PREFIXES)[len(repr(options["reading"])) % 8]
    reading = None if options["reading"] == "refuse" else options["reading"]
    tags.convert_file(gold, out, options["scheme"], target, reading, columns=options["columns"])
    return out.getvalue()


def _validate(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    return tags.validate_file(gold, options["scheme"], columns=options["columns"])


def _stacked(gold: Any, pred: Any, options: dict[str, Any]) -> Any:
    """Score as stacked tags, which plain tags in BIO are."""
    accepted = {name: options[name] for name in ("matcher", "errors")}
    return facts(spanrs.score(gold, pred, format="stacked", tags=1, **accepted))


#: Jobs and their frequencies.
JOBS: dict[str, tuple[int, Callable[[Any, Any, dict[str, Any]], Any]]] = {
    "score": (10, _score),
    "score by all readings": (1, _readings),
    "score stacked tags": (2, _stacked),
    "validate_file": (1, _validate),
    "detect_scheme_file": (
        1,
        lambda gold, pred, options: tags.detect_scheme_file(gold, columns=options["columns"]),
    ),
    "convert_file": (1, _convert),
    "read_spans_file": (1, _spans),
}


def draw_options(
    rng: random.Random, corpus: Corpus, drawn: Counter[tuple[str, str]] | None = None
) -> dict[str, Any]:
    """Draw how a corpus is scored, and count the choices in ``drawn``."""
    matcher = rng.choice(("exact", "exact", *MATCHERS))
    # The corpus is well-formed in its scheme, but any scheme can be named.
    scheme = rng.choice(("auto", "auto", "auto", corpus.scheme, corpus.scheme, rng.choice(list(PREFIXES))))
    chosen = {
        "scheme": scheme,
        "pred_scheme": rng.choice((None, None, None, "auto", corpus.scheme, rng.choice(list(PREFIXES)))),
        "reading": rng.choice(READINGS) if rng.random() < 0.7 else "conlleval",
        "errors": rng.choice((False, False, 3, True)),
        "align": rng.choice(("refuse", "refuse", "report", "ignore")),
        "max_violations": rng.choice((10, 10, 0, 1000)),
    }
    rows = rng.choice((None, None, "document", "sentence"))
    # auto detects the layout; if it is named, the file is not inspected.
    named = rng.choice(("auto", "auto", "conllu" if corpus.layout == "CoNLL-U" else "columns"))
    columns = corpus.columns()._replace(format=named)
    if drawn is not None:
        drawn.update({(name, str(value)): 1 for name, value in chosen.items()})
        rest = {"matcher": matcher, "rows": rows, "layout": corpus.layout, "format": named}
        rest["pred"] = "second column" if corpus.pred is None else "second file"
        drawn.update({(name, str(value)): 1 for name, value in rest.items()})
        drawn.update({("trait", trait): 1 for trait in corpus.traits or ("none",)})
    return chosen | {"matcher": MATCHERS[matcher], "columns": columns} | ({"by": rows} if rows else {})


def outcome(function: Callable[[], Any], names: list[str]) -> Any:
    """Return the result or exception of a function, without file names."""

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
    paths = folder / "gold", folder / "pred"
    with ExitStack() as stack:
        gold = stack.enter_context(SOURCES[kinds[0]](corpus.gold, paths[0]))
        pred = None
        if corpus.pred is not None:
            pred = stack.enter_context(SOURCES[kinds[1]](corpus.pred, paths[1]))
        return outcome(lambda: JOBS[job][1](gold, pred, options), [str(path) for path in paths])


def draw_job(rng: random.Random, corpus: Corpus) -> str:
    """Draw a job that is applicable to the corpus."""
    two_sided = [name for name in JOBS if corpus.pred is not None or "stacked" not in name]
    return rng.choices(two_sided, [JOBS[name][0] for name in two_sided])[0]


class Difference(NamedTuple):
    """A difference from the plain file read by one thread."""

    job: str
    kinds: tuple[str, str]
    options: dict[str, Any]
    expected: str
    got: str

    def __str__(self) -> str:
        """Show the first difference."""
        sides = zip(self.expected, self.got, strict=False)
        at = next((at for at, (first, item) in enumerate(sides) if first != item), 0)
        around = slice(max(at - 80, 0), at + 200)
        return (
            f"{self.job} {self.kinds} {self.options}\n  expected ...{self.expected[around]}\n"
            f"  got      ...{self.got[around]}"
        )


def differences(
    rng: random.Random,
    corpus: Corpus,
    folder: Path,
    variants: int,
    kinds: list[str] | None = None,
    *,
    drawn: Counter[tuple[str, str]] | None = None,
) -> Iterator[Difference | None]:
    """Compare a job on a corpus with ``variants`` draws of sources and threads; give None for each that is equal."""
    job, options = draw_job(rng, corpus), draw_options(rng, corpus, drawn)
    expected = run_job(job, corpus, ("path", "path"), options, folder)
    if drawn is not None:
        drawn[("function", job)] += 1
        drawn[("outcome", _kind_of_outcome(expected))] += 1
    for _ in range(variants):
        sources = rng.choice(kinds or list(SOURCES)), rng.choice(kinds or list(SOURCES))
        given = options | {"threads": rng.randint(1, 8)}
        if drawn is not None:
            drawn[("threads", str(given["threads"]))] += 1
            drawn.update(("source", kind) for kind in sources[: 1 if corpus.pred is None else 2])
        got = run_job(job, corpus, sources, given, folder)
        yield None if got == expected else Difference(job, sources, given, expected, got)


def _kind_of_outcome(text: str) -> str:
    """Return the class and the code of an error, or that there is a result."""
    error = re.match(r"\('(\w+)', ", text)
    code = re.search(r", '(\w+)', \S+, \S+, \S+\)$", text)
    return "result" if error is None else f"{error[1]} {code[1] if code else ''}".strip()


def split_sentences(data: bytes) -> list[bytes]:
    """Split a column file before sentences, so that the pieces joined are the file.

    A document line, and a sentence of lines that all begin with ``#``, stay with the sentence behind them.
    """
    pieces: list[bytes] = []
    for piece in re.findall(rb"(?s).+?(?:\n(?:\r?\n)+|$)", data):
        content = piece.removeprefix(b"\xef\xbb\xbf").strip()
        if pieces and (not content or not _has_token(pieces[-1])):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return pieces


def _has_token(piece: bytes) -> bool:
    # In a file of which all lines begin with #, comments and tokens look the same.
    lines = piece.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return any(line.strip() and not line.startswith((b"#", b"-DOCSTART-")) for line in lines)


def _sums(result: spanrs.Result) -> dict[str, Any]:
    """Return the content that does not depend on the split into files."""
    sums = {name: value for name, value in result.to_dict().items() if name not in PER_FILE}
    return sums | {"violations": {side: item.count for side, item in result.violations.items()}}


#: Content of a result that names locations or quotes a sample.
PER_FILE = {
    "violations", "detection", "pred_detection", "warnings", "notes", "errors", "documents", "unscored"
}  # fmt: skip


def shard_differences(
    rng: random.Random, corpus: Corpus, folder: Path, drawn: Counter[tuple[str, str]] | None = None
) -> Iterator[Difference | None]:
    """Compare several files with the whole corpus, and with themselves: compressed, in threads, and listed."""
    options = draw_options(rng, corpus, drawn)
    sides = [split_sentences(side) for side in corpus[:2] if isinstance(side, bytes)]
    count = min(map(len, sides))
    cuts = sorted(rng.sample(range(1, count), min(rng.choice((1, 2, 5, 20)), count - 1)))
    pairs, names = [], []
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, None], strict=True)):
        texts = [b"".join(side[start:end]) for side in sides]
        paths = [folder / f"shard {number} of {side}" for side in ("gold", "pred")[: len(sides)]]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text)
            names.append(str(path))
        pairs.append((*map(str, paths), None)[:2])
    expected = outcome(lambda: facts(score_several(pairs, options)), names)
    if drawn is not None:
        drawn[("function", "score of several files")] += 1
        drawn[("files", str(len(pairs)))] += 1
        drawn[("outcome of files", _kind_of_outcome(expected))] += 1
    for name in names:
        text = Path(name).read_bytes()
        pack = rng.choice((bytes, partial(gzip.compress, compresslevel=1), _members, _zstd))
        Path(name).write_bytes(pack(text))
    given = options | {"threads": rng.randint(1, 8)}
    got = outcome(lambda: facts(score_several(pairs, given)), names)
    yield (
        None
        if got == expected
        else Difference("score of several files", ("files", "files"), given, expected, got)
    )
    # auto is decided by the first shard with a tag, so the whole can have another scheme, and a fault another line.
    if options["scheme"] == "auto" or options["pred_scheme"] == "auto" or options.get("by") == "document":
        return
    whole = [folder / "gold", folder / "pred"][: len(sides)]
    for path, side in zip(whole, corpus[:2], strict=False):
        path.write_bytes(side or b"")

    def sums(function: Callable[[], spanrs.Result]) -> Any:
        actual = outcome(lambda: _sums(function()), [*names, *map(str, whole)])
        # Of two faults, the whole file may encounter the other one first.
        return "error" if actual.startswith("('") else actual

    expected = sums(lambda: score_columns(*[*whole, None][:2], options))
    got = sums(lambda: score_several(pairs, given))
    yield None if got == expected else Difference("sums of shards", ("path", "files"), given, expected, got)


#: Options of ``spanrs score`` for those of Python, apart from columns and matchers.
SWITCHES = {
    "scheme": "--scheme",
    "pred_scheme": "--pred-scheme",
    "reading": "--reading",
    "align": "--align",
    "max_violations": "--max-violations",
    "matcher": "--matcher",
}


def command_differences(rng: random.Random, corpus: Corpus, folder: Path) -> Iterator[Difference | None]:
    """Compare ``spanrs score`` of standard input, a pipe or a redirected file, with that of the plain file."""
    options = draw_options(rng, corpus)
    paths = [folder / "gold"] if corpus.pred is None else [folder / "gold", folder / "pred"]
    for path, data in zip(paths, corpus[:2], strict=False):
        path.write_bytes(data or b"")
    if not isinstance(options["matcher"], str):
        options["matcher"] = options["matcher"].name
    arguments = ["--json"]
    for name, switch in SWITCHES.items():
        arguments += [switch, str(options[name])] if options[name] is not None else []
    arguments += [f"--by-{options['by']}"] if "by" in options else []
    columns = options["columns"]
    arguments += ["--format", columns.format, f"--token-column={columns.token}"]
    if columns.second is None:
        arguments += [f"--column={columns.tag}"]
    else:
        arguments += ["--gold-column", str(columns.tag), "--pred-column", str(columns.second)]
    arguments += ["--errors=3"] if options["errors"] else []

    def command(names: list[str], threads: int, **stdin: Any) -> str:
        line = [sys.executable, "-m", "spanrs", "score", *names, *arguments, "--threads", str(threads)]
        done = subprocess.run(line, capture_output=True, check=False, timeout=300, **stdin)
        result = only_system(done.stdout) if done.stdout.strip() else None
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
