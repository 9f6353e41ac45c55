"""Scoring corpora of many files: shards."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.errors import AlignmentError, FormatError, SpanrsError, SpanrsWarning, with_code
from spanrs.eval.evidence import Skipped
from spanrs.eval.result import Result
from spanrs.eval.settings import UNDECIDED
from spanrs.io import atomic_output
from spanrs.io.parts import Part
from spanrs.io.sources import same_file
from spanrs.tags.types import is_auto
from spanrs.threads import thread_count

if TYPE_CHECKING:
    from concurrent.futures import Future

#: Suffix of the directory that contains the results of single shards until all shards are scored.
PARTS = ".parts"
#: File that identifies the directory.
MARKER = "spanrs-shards"
#: Number of results merged at once.
FAN_IN = 32
#: Number of shards per thread that may be scored before an earlier shard is finished.
WINDOW = 8
#: First bytes of a stored shard result, followed by a line of JSON with the digests of its files and the options.
MAGIC = b"spanrs shard 1\n"


class Shard(NamedTuple):
    """A gold file and the corresponding pred file."""

    name: str
    """The shard's name in keys of documents, violations and errors."""
    gold: Part
    """Gold, or the part that contains both sides."""
    pred: Part | None
    """Pred; None if gold contains both sides."""

    def parts(self) -> list[Part]:
        """Return the parts of the shard."""
        return [part for part in (self.gold, self.pred) if part is not None]


#: Function that scores a shard, given the two schemes and a progress callback.
ShardScorer = Callable[[Shard, str, "str | None", Callable[[int], object]], Result]


def as_shard(result: Result, name: str, pred: str | None = None) -> Result:
    """Prefix the documents, violations and errors in a result with the file name, so that the result can be merged.

    Violations of pred are located in the file ``pred`` (in the folder of ``name``), if it is given.
    """
    names = {"gold": name, "pred": name}
    if pred is not None:
        names["pred"] = os.path.join(os.path.dirname(name), os.path.basename(pred))
    located = {
        side: [replace(place, path=names[side]) for place in places]
        for side, places in result.evidence.located.items()
    }
    errors = result.errors
    if errors is not None:
        errors = replace(errors, errors=[error._replace(path=name) for error in errors.errors])
    return replace(
        result,
        # A span file is one document with the name of the file.
        counts=result.counts if result.counts.documents() == [name] else result.counts.prefixed(name),
        evidence=replace(result.evidence, located=located),
        errors=errors,
    )


def score_shards(
    score: ShardScorer,
    shards: Sequence[Shard],
    options: Any,
    settings: Mapping[str, Any],
    store: str | os.PathLike[str] | None = None,
) -> tuple[Result, list[Skipped]]:
    """Score shards separately, and merge the results in order.

    Parameters
    ----------
    score : callable
        Function that scores a shard.
    shards : sequence of Shard
        At least one shard.
    options : ScoreOptions
        Options of :func:`spanrs.score`: schemes, threads, progress, errors, on_error. With ``auto``, the scheme is
        detected from the first shard that has a tag other than ``O``.
    settings : mapping
        The options that affect the results.
    store : path, optional
        Same as for :func:`spanrs.score`.

    Returns
    -------
    Result
        The merged result. ``result.to_bytes()`` is the same for any number of threads, and if shards are scored on
        different machines and merged in this order.
    list of Skipped
        The shards that could not be scored, with ``on_error="skip"``.

    Raises
    ------
    OSError, spanrs.errors.SpanrsError
        Same as :func:`spanrs.score`. Stored results are kept.
    spanrs.errors.AlignmentError
        If documents of several shards have the same key, because the shards have the same name.
    """
    if not shards:
        raise ValueError("there are no files to score")
    threads = thread_count(options.threads)
    cache = None
    if store is not None:
        for shard in shards:
            _check_store(os.fspath(store), shard)
        cache = _ShardCache(Path(f"{os.fspath(store)}{PARTS}"), settings)
    job = _ShardJob(score, cache, options)
    with warnings.catch_warnings():
        # The warnings of the merged result are issued at the end.
        warnings.simplefilter("ignore", SpanrsWarning)
        results = _score_all(job, shards, options.scheme, options.pred_scheme, threads)
        whole = _merge(_refuse_equal_names(shards, results))
    if store is not None and cache is not None:
        cache.finish(whole, Path(os.fspath(store)))
    return whole, job.skipped


def _check_store(store: str, shard: Shard) -> None:
    """Refuse to write the store over an input or into an input directory, where the next run would read it."""
    for part in shard.parts():
        if part.path is None:
            continue
        below = Path(store).resolve()
        if same_file(store, part.path):
            raise ValueError(f"{store} is also an input; choose another path for the counts")
        if part.name and part.path.replace(os.sep, "/").endswith(part.name):
            root = part.path[: len(part.path) - len(part.name)] or "."
            if below.is_relative_to(Path(root).resolve()):
                raise ValueError(
                    f"{store} is in the input directory {root}; choose another path for the counts"
                )


class _ShardCache:
    """Results of single shards, stored in a directory."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self.settings = json.dumps(settings, sort_keys=True, default=repr)
        if folder.exists() and not (folder / MARKER).is_file():
            raise FileExistsError(
                errno.EEXIST, "is not a store of spanrs; choose another path", str(folder)
            )

    def _path(self, shard: Shard) -> Path:
        # Lazy: only needed with a store.
        import hashlib

        digest = hashlib.sha256(shard.name.encode("utf-8", "surrogateescape")).hexdigest()
        return self.folder / f"{digest[:24]}.shard"

    def header(self, shard: Shard, schemes: tuple[str, str | None]) -> bytes:
        """Return the header that identifies the result of a shard by the content of its files and the options."""
        # Lazy: see _path.
        import hashlib

        files = []
        for part in shard.parts():
            if part.path is None:
                raise ValueError(f"{part.shown} is not a file, so its result cannot be stored; omit store")
            for path in part.paths():
                with open(path, "rb") as file:
                    # Size and modification time are not sufficient, because a copy may have the same.
                    files.append([path, hashlib.file_digest(file, "sha256").hexdigest()])
        header = {"name": shard.name, "files": files, "schemes": schemes, "settings": self.settings}
        return MAGIC + json.dumps(header).encode() + b"\n"

    def load(self, shard: Shard, header: bytes) -> Result | None:
        """Return the result of a shard if a result with this header is stored."""
        try:
            stored = self._path(shard).read_bytes()
            return Result.from_bytes(stored[len(header) :]) if stored.startswith(header) else None
        except (FileNotFoundError, FormatError):
            return None

    def keep(self, shard: Shard, header: bytes, result: Result) -> None:
        """Store the result of a shard atomically."""
        self._make_folder()
        with atomic_output(self._path(shard)) as out:
            out.write(header + result.to_bytes())

    def _make_folder(self) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / MARKER).touch()

    def finish(self, result: Result, path: Path) -> None:
        """Write the result of all shards and remove the directory."""
        self._make_folder()
        # The directory may also contain temporary files of a killed process.
        whole = self.folder / "whole"
        with atomic_output(whole) as out:
            out.write(result.to_bytes())
        whole.replace(path)
        for pattern in ("*.shard", ".*.tmp", MARKER):
            for file in self.folder.glob(pattern):
                file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()  # Files of other programs are kept.


class _ShardJob:
    """Scores single shards, or loads their results."""

    def __init__(self, score: ShardScorer, cache: _ShardCache | None, options: Any) -> None:
        self.score, self.cache = score, cache
        self.keeps_errors: bool = options.errors
        self.skips: bool = options.on_error == "skip"
        self.progress: Callable[[int], object] | None = options.progress
        self.stop = threading.Event()
        self.done = 0
        self.skipped: list[Skipped] = []

    def _check(self, _bytes: int) -> None:
        if self.stop.is_set():
            raise KeyboardInterrupt

    def run(self, shard: Shard, scheme: str, pred_scheme: str | None) -> Result | Skipped:
        """Score a shard, or load its result; if shards may be skipped, an error is returned."""
        try:
            return self._run(shard, scheme, pred_scheme)
        except (SpanrsError, OSError) as error:
            if not self.skips:
                raise
            place = getattr(error, "filename", None)
            said = f"{place}: {error.strerror}" if isinstance(error, OSError) and place else str(error)
            return Skipped(shard.gold.shown, said, pair=True)

    def _run(self, shard: Shard, scheme: str, pred_scheme: str | None) -> Result:
        header, before = b"", None
        if self.cache is not None:
            before = _file_states(shard)
            header = self.cache.header(shard, (scheme, pred_scheme))
            # Lists of errors are not stored.
            stored = None if self.keeps_errors else self.cache.load(shard, header)
            if stored is not None:
                return stored
        result = as_shard(
            self.score(shard, scheme, pred_scheme, self._check),
            shard.name,
            None if shard.pred is None else shard.pred.path,
        )
        # A file that has changed in the meantime is scored again by the next run.
        if self.cache is not None and _file_states(shard) == before:
            self.cache.keep(shard, header, result)
        return result

    def report(self, shard: Shard) -> None:
        """Report the number of bytes processed."""
        self.done += sum(part.size() for part in shard.parts())
        if self.progress is not None:
            self.progress(self.done)

    def kept(self, shard: Shard, scored: Result | Skipped) -> Iterator[tuple[Shard, Result]]:
        """Yield the result of a shard, unless it was skipped."""
        if isinstance(scored, Skipped):
            self.skipped.append(scored)
        else:
            yield shard, scored


def _file_states(shard: Shard) -> list[tuple[int, ...]]:
    """Return numbers that change if a file of a shard is modified or replaced."""
    statuses = (os.stat(path) for part in shard.parts() for path in part.paths())
    return [(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns) for status in statuses]


def _score_all(
    job: _ShardJob, shards: Sequence[Shard], scheme: str, pred_scheme: str | None, threads: int
) -> Iterator[tuple[Shard, Result]]:
    """Score shards one by one until the scheme is detected, then the others in threads; yield the results in order."""
    rest = iter(shards)
    while not names_schemes(scheme, pred_scheme) and (shard := next(rest, None)) is not None:
        result = job.run(shard, scheme, pred_scheme)
        job.report(shard)
        yield from job.kept(shard, result)
        if isinstance(result, Skipped):
            continue
        if has_no_scheme(result):
            break
        scheme, pred_scheme = found_schemes(result, scheme, pred_scheme)
    if threads == 1:
        for shard in rest:
            yield from job.kept(shard, job.run(shard, scheme, pred_scheme))
            job.report(shard)
    else:
        yield from _in_threads(job, rest, scheme, pred_scheme, threads)


def _refuse_equal_names(
    shards: Sequence[Shard], results: Iterable[tuple[Shard, Result]]
) -> Iterator[Result]:
    """Yield the results of shards; refuse documents with the same key in shards with the same name."""
    counts = Counter(shard.name for shard in shards)
    seen: dict[str, str] = {}
    for shard, result in results:
        # Shards with unique names have unique keys, which need not be stored.
        if counts[shard.name] > 1:
            check_repeated(shard.gold.shown, result, seen)
        yield result


def check_repeated(path: str, result: Result, seen: dict[str, str]) -> bool:
    """Refuse a result with documents of an earlier result, because these documents would be counted twice.

    Parameters
    ----------
    path : str
        Path of the result.
    result : Result
        The result; its documents are added to ``seen``.
    seen : dict of str to str
        Path of the result that contains each earlier document, by document key.

    Returns
    -------
    bool
        Whether the result has documents with names.

    Raises
    ------
    spanrs.errors.AlignmentError
        With both paths.
    """
    keys = [key for key in result.counts.documents() if isinstance(key, str)]
    repeated = next((key for key in keys if key in seen), None)
    if repeated is not None:
        message = (
            f"{seen[repeated]} and {path} both contain {repeated}, which would be counted twice; give each shard its "
            "own name with spanrs score --shard-name"
        )
        raise with_code(AlignmentError(message), "documents", path)
    seen.update(dict.fromkeys(keys, path))
    return bool(keys)


def names_schemes(scheme: str, pred_scheme: str | None) -> bool:
    """Return whether both schemes are given, so that they need not be detected."""
    return not any(is_auto(name) for name in (scheme, pred_scheme or ""))


def has_no_scheme(result: Result) -> bool:
    """Return whether a result was computed from spans, which have no scheme."""
    return result.tokens == 0 and any(result.totals)


def found_schemes(result: Result, scheme: str, pred_scheme: str | None) -> tuple[str, str | None]:
    """Return the schemes for the next shards, given a result and the schemes with which it was scored.

    Schemes detected separately could differ, and such results cannot be merged. The first shard with a tag other than
    ``O`` determines the schemes; earlier shards have no such tag, so their results are the same under every scheme.
    """
    detected = result.settings.get("scheme", UNDECIDED)
    if detected == UNDECIDED:
        return scheme, pred_scheme
    return detected, result.settings.get("pred_scheme")


def _in_threads(
    job: _ShardJob, shards: Iterator[Shard], scheme: str, pred_scheme: str | None, threads: int
) -> Iterator[tuple[Shard, Result]]:
    """Score shards in threads, in a sliding window, so that few results wait for an earlier result."""
    # Importing this module registers at-fork functions, which must not happen while a fork waits for an import of
    # spanrs.
    from concurrent.futures import ThreadPoolExecutor, wait

    pool = ThreadPoolExecutor(threads)
    window: deque[tuple[Shard, Future[Result | Skipped]]] = deque()
    try:
        while True:
            for shard in islice(shards, WINDOW * threads - len(window)):
                window.append((shard, pool.submit(job.run, shard, scheme, pred_scheme)))
            if not window:
                return
            shard, future = window.popleft()
            while not future.done():
                # The timeout lets the main thread handle signals.
                wait([future], timeout=0.2)
            yield from job.kept(shard, future.result())
            job.report(shard)
    finally:
        job.stop.set()
        pool.shutdown(cancel_futures=True)


def _merge(results: Iterable[Result]) -> Result:
    """Merge results in order, in groups of adjacent results, so that memory is bounded by the merged result.

    Raises
    ------
    spanrs.errors.FormatError
        If all shards were skipped.
    """
    levels: list[tuple[int, Result]] = []
    for result in results:
        levels.append((0, result))
        while len(levels) >= FAN_IN and levels[-FAN_IN][0] == levels[-1][0]:
            group = [result for _, result in levels[-FAN_IN:]]
            rank = levels[-1][0] + 1
            del levels[-FAN_IN:]
            levels.append((rank, group[0].merge(*group[1:])))
    if not levels:
        raise with_code(FormatError("nothing was scored: all files were skipped"), "nothing_scored")
    first, *others = (result for _, result in levels)
    return first.merge(*others)
