"""Scoring corpora of many files: shards."""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import json
import os
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import AlignmentError, FormatError, SpanrsWarning, warn, with_code
from spanrs.eval.files import score_files
from spanrs.eval.matchers import as_matcher
from spanrs.eval.result import Result
from spanrs.eval.settings import UNDECIDED
from spanrs.eval.table_files import is_table_file, score_table_files
from spanrs.io import Columns, atomic_output
from spanrs.io.sources import is_file_or_broken_link
from spanrs.tags.types import is_auto

if TYPE_CHECKING:
    from concurrent.futures import Future

#: Ending of the folder in which the results of single shards wait until all are scored.
PARTS = ".parts"
#: File that says what the folder is.
MARKER = "spanrs-shards"
#: Results that are merged at once.
FAN_IN = 32
#: Shards for each thread that may be scored before an earlier one is done.
WINDOW = 8
#: First bytes of the result of a shard, before a line of JSON that says what was scored how.
MAGIC = b"spanrs shard 1\n"


class Shard(NamedTuple):
    """A file of gold and the file of pred that belongs to it."""

    name: str
    """Its name in keys of documents, violations and errors."""
    gold: str
    """Path of gold, or of the file that holds both sides."""
    pred: str | None
    """Path of pred; None where gold holds both sides."""

    def paths(self) -> list[str]:
        """Return the paths of its files."""
        return [path for path in (self.gold, self.pred) if path is not None]


def is_several(path: str) -> bool:
    """Say whether a path means several files: a directory or a pattern.

    Examples
    --------
    >>> from spanrs.eval.shards import is_several
    >>> is_several("gold/*.conll"), is_several("gold.conll")
    (True, False)
    """
    return os.path.isdir(path) or (glob.has_magic(path) and not os.path.exists(path))


def find_shards(gold: str, pred: str | None = None) -> list[Shard]:
    """Pair the files of two directories or patterns.

    Parameters
    ----------
    gold, pred : str
        Directories, which are searched with their subdirectories, or patterns such as ``gold/*.conll``. Files are
        paired by their path below the directory, or below the part of the pattern that has no wildcard. Files and
        directories that begin with a dot are left out.

    Returns
    -------
    list of Shard
        Ordered by name.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    spanrs.errors.AlignmentError
        Where one side has a file that the other lacks.
    """
    golds = _files(gold)
    if pred is None:
        return [Shard(name, path, None) for name, path in sorted(golds.items())]
    preds = _files(pred)
    for side, other, own, others in (("pred", pred, golds, preds), ("gold", gold, preds, golds)):
        lacking = sorted(own.keys() - others.keys())
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            message = f"{other}: {side} has no file {lacking[0]}{more}; files are paired by name"
            raise with_code(AlignmentError(message), "files")
    return [Shard(name, path, preds[name]) for name, path in sorted(golds.items())]


def _files(path: str) -> dict[str, str]:
    """Return the files that a directory or pattern means, by their path below it, with forward slashes."""
    if os.path.isdir(path):
        root, pattern = Path(path), ["**"]
    else:
        parts = Path(path).parts
        literal = list(takewhile(lambda part: not glob.has_magic(part), parts))
        root, pattern = Path(*literal), list(parts[len(literal) :])
    found = [file for file in _matches(root, pattern) if is_file_or_broken_link(file)]
    names = {file.relative_to(root).as_posix(): str(file) for file in found}
    names = {
        name: file for name, file in names.items() if not any(p.startswith(".") for p in name.split("/"))
    }
    if not names:
        raise FileNotFoundError(
            2, "there is no file in it" if os.path.isdir(path) else "no file matches", path
        )
    return names


def _matches(root: Path, pattern: list[str]) -> Iterator[Path]:
    """Yield what matches the parts of a pattern below a directory.

    As ``glob.glob`` with ``recursive``, except that ``**`` does not follow links to directories, which may be loops.
    """
    before = list(takewhile(lambda part: part != "**", pattern))
    starts = (
        [root / found for found in glob.glob(os.path.join(*before), root_dir=root)] if before else [root]
    )
    if before == pattern:
        yield from starts
        return
    after = pattern[len(before) + 1 :] or ["*"]
    for start in starts:
        for folder, folders, _ in os.walk(start):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from _matches(Path(folder), after)


def as_shard(result: Result, name: str) -> Result:
    """Prefix the documents, violations and errors of a result with the name of its file, so that it can be merged."""
    located = {
        side: [replace(place, path=name) for place in places]
        for side, places in result.evidence.located.items()
    }
    errors = result.error_list
    if errors is not None:
        errors = replace(errors, errors=[error._replace(path=name) for error in errors.errors])
    return replace(
        result,
        counts=result.counts.prefixed(name),
        evidence=replace(result.evidence, located=located),
        error_list=errors,
    )


def score_shards(
    gold: str | os.PathLike[str] | Iterable[Any],
    pred: str | os.PathLike[str] | None = None,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    save: str | os.PathLike[str] | None = None,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    **options: Any,
) -> Result:
    r"""Score the files of two directories or patterns, each against the one of the same name, and merge the results.

    Parameters
    ----------
    gold, pred : path, pattern, or iterable of shards
        As for :func:`find_shards`; or shards, each a path, a pair of paths or a :class:`Shard`. Column files, Parquet
        or Arrow files; without ``pred`` each file holds both sides.
    scheme : str
        As for :func:`spanrs.score`. ``auto`` is decided by the first shard that has a tag other than ``O``.
    save : path, optional
        Write the result there. Until all shards are scored, those that are done wait in a folder beside it, so that
        a run that was interrupted continues where it was: shards are scored again only if the content of a file or the
        options changed, which takes one more pass through each file.
    threads : int
        Shards that are scored at the same time. The result does not depend on it.
    progress : callable, optional
        Called with the number of bytes of the shards that are done.
    reading, **options
        As for :func:`spanrs.score_files`; for tables ``gold_column``, ``pred_column``, ``document_column`` and
        ``token_column``.

    Returns
    -------
    Result
        The merged results, in the order of the names. ``result.to_bytes()`` is the same for any number of threads,
        and for shards that were scored on other machines and merged in this order.

    Raises
    ------
    OSError, spanrs.errors.SpanrsError
        As :func:`spanrs.score_files` and :func:`find_shards`. What was saved stays.
    spanrs.errors.AlignmentError
        Where documents of several shards have one key, because the shards have one name.

    Examples
    --------
    >>> import pathlib, spanrs, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a", "b"):
    ...         _ = pathlib.Path(folder, name).write_text("Rio B-LOC B-LOC\n", encoding="utf-8")
    ...     spanrs.score_shards(folder).totals
    Totals(tp=2, fp=0, fn=0)
    """
    if threads < 1:
        raise ValueError(f"threads is an integer of at least 1, not {threads}")
    if isinstance(gold, (str, os.PathLike)):
        shards = find_shards(os.fspath(gold), None if pred is None else os.fspath(pred))
    else:
        shards = [_as_shard(one) for one in gold]
    if not shards:
        raise ValueError("there is no shard to score")
    store = None
    if save is not None:
        for path in (gold, pred):
            _check_save(os.fspath(save), path)
        store = _ShardCache(Path(f"{os.fspath(save)}{PARTS}"), options | {"reading": reading})
    job = _ShardScorer(store, options | {"reading": reading}, progress)
    with warnings.catch_warnings():
        # Those of the whole are given at the end.
        warnings.simplefilter("ignore", SpanrsWarning)
        results = _score_all(job, shards, scheme, options.get("pred_scheme"), threads)
        whole = _merge(_refuse_equal_names(shards, results))
    if store is not None:
        store.finish(whole, Path(os.fspath(save)))  # type: ignore[arg-type]  # there is no store without it
    warn(whole.warnings)
    return whole


def _as_shard(shard: Shard | str | os.PathLike[str] | tuple[Any, Any]) -> Shard:
    """Take a shard, a path, or a pair of paths; its name is then the base name of gold."""
    if isinstance(shard, Shard):
        return shard
    pair = (shard, None) if isinstance(shard, (str, os.PathLike)) else tuple(shard)
    if len(pair) != 2:
        raise TypeError(f"a shard is a path, or a pair of gold and pred, not {shard!r}")
    gold, pred = (None if path is None else os.fspath(path) for path in pair)
    if gold is None:
        raise TypeError("a shard has no gold file")
    return Shard(os.path.basename(gold), gold, pred)


def _check_save(save: str, source: object) -> None:
    """Refuse to save into a directory that is scored: the counts would be a shard of the next run."""
    is_folder = isinstance(source, (str, os.PathLike)) and os.path.isdir(source)
    if is_folder and Path(save).resolve().is_relative_to(Path(str(source)).resolve()):
        raise ValueError(f"{save} is in {source}, which is scored; save the counts elsewhere")


class _ShardCache:
    """Results of single shards, stored in a folder."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        self.folder = folder
        own = options | {"version": _spanrs.__version__}
        own["matcher"] = as_matcher(own.get("matcher", "exact")).to_dict()
        self.options = json.dumps(own, sort_keys=True, default=repr)
        if folder.exists() and not (folder / MARKER).is_file():
            raise FileExistsError(
                errno.EEXIST, "is no folder of spanrs; name another file to save to", str(folder)
            )

    def _path(self, shard: Shard) -> Path:
        digest = hashlib.sha256(shard.name.encode("utf-8", "surrogateescape")).hexdigest()
        return self.folder / f"{digest[:24]}.shard"

    def header(self, shard: Shard, schemes: tuple[str, str | None]) -> bytes:
        """Return what the result of a shard depends on: the content of its files, and the options."""
        files = []
        for path in shard.paths():
            with open(path, "rb") as file:
                # Copied files may have the size and the time of others.
                files.append([path, hashlib.file_digest(file, "sha256").hexdigest()])
        known = {"name": shard.name, "files": files, "schemes": schemes, "options": self.options}
        return MAGIC + json.dumps(known).encode() + b"\n"

    def load(self, shard: Shard, header: bytes) -> Result | None:
        """Return the result of a shard if it is stored with this header."""
        try:
            stored = self._path(shard).read_bytes()
            return Result.from_bytes(stored[len(header) :]) if stored.startswith(header) else None
        except (FileNotFoundError, FormatError):
            return None

    def keep(self, shard: Shard, header: bytes, result: Result) -> None:
        """Store the result of a shard, whole or not at all."""
        self._make_folder()
        with atomic_output(self._path(shard)) as out:
            out.write(header + result.to_bytes())

    def _make_folder(self) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / MARKER).touch()

    def finish(self, result: Result, path: Path) -> None:
        """Write the result of all shards and remove the folder."""
        self._make_folder()
        # What a killed process leaves behind is in the folder too.
        whole = self.folder / "whole"
        with atomic_output(whole) as out:
            out.write(result.to_bytes())
        whole.replace(path)
        for pattern in ("*.shard", ".*.tmp", MARKER):
            for file in self.folder.glob(pattern):
                file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()  # Files of others stay.


class _ShardScorer:
    """Scores single shards, or loads their results."""

    def __init__(
        self, store: _ShardCache | None, options: dict[str, Any], progress: Callable[[int], object] | None
    ) -> None:
        self.store, self.options, self.progress = store, options, progress
        self.stop = threading.Event()
        self.done = 0

    def _check(self, _bytes: int) -> None:
        if self.stop.is_set():
            raise KeyboardInterrupt

    def run(self, shard: Shard, scheme: str, pred_scheme: str | None) -> Result:
        """Score a shard, or load its result."""
        header, before = b"", None
        if self.store is not None:
            before = _file_states(shard)
            header = self.store.header(shard, (scheme, pred_scheme))
            # Lists of errors are not stored.
            stored = None if self.options.get("errors", False) else self.store.load(shard, header)
            if stored is not None:
                return stored
        options = self.options | {"scheme": scheme, "pred_scheme": pred_scheme, "progress": self._check}
        found = as_shard(_score_file(shard, **options), shard.name)
        # A file that was changed meanwhile is scored again by the next run.
        if self.store is not None and _file_states(shard) == before:
            self.store.keep(shard, header, found)
        return found

    def report(self, shard: Shard) -> None:
        """Tell how many bytes are done."""
        self.done += sum(map(os.path.getsize, shard.paths()))
        if self.progress is not None:
            self.progress(self.done)


def _file_states(shard: Shard) -> list[tuple[int, ...]]:
    """Return numbers that change when a file of a shard is written to or replaced."""
    statuses = map(os.stat, shard.paths())
    return [(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns) for status in statuses]


def _score_file(
    shard: Shard,
    *,
    gold_column: str = "gold",
    pred_column: str = "pred",
    document_column: str | None = None,
    token_column: str | None = None,
    **options: Any,
) -> Result:
    if shard.pred is None and is_table_file(shard.gold):
        for name in ("on_misaligned", "by_document"):
            if options.pop(name, None) not in (None, False, "refuse"):
                raise ValueError(
                    f"{shard.gold} is a table, for which there is no {name}; name document_column"
                )
        for name in ("columns", "pred_columns", "progress"):
            options.pop(name, None)
        options |= {"documents": document_column, "tokens": token_column}
        return score_table_files(shard.gold, gold_column, pred_column, **options)
    columns = options.get("columns", Columns())
    return score_files(shard.gold, shard.pred, **options | {"columns": columns})


def _score_all(
    job: _ShardScorer, shards: list[Shard], scheme: str, pred_scheme: str | None, threads: int
) -> Iterator[Result]:
    """Score shards in turn until the scheme is decided, then the others in threads; give the results in order."""
    rest = iter(shards)
    while not names_schemes(scheme, pred_scheme) and (shard := next(rest, None)) is not None:
        result = job.run(shard, scheme, pred_scheme)
        job.report(shard)
        yield result
        if has_no_scheme(result):
            break
        scheme, pred_scheme = found_schemes(result, scheme, pred_scheme)
    if threads == 1:
        for shard in rest:
            yield job.run(shard, scheme, pred_scheme)
            job.report(shard)
    else:
        yield from _in_threads(job, rest, scheme, pred_scheme, threads)


def _refuse_equal_names(shards: list[Shard], results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results of shards, and refuse documents of shards with one name that have one key."""
    counts = Counter(shard.name for shard in shards)
    seen: dict[str, str] = {}
    for shard, result in zip(shards, results, strict=True):
        # Other shards have other keys, which are many.
        if counts[shard.name] > 1:
            check_repeated(shard.gold, result, seen)
        yield result


def check_repeated(path: str, result: Result, seen: dict[str, str]) -> bool:
    """Refuse a result with documents of a result before it: they would be counted twice.

    Parameters
    ----------
    path : str
        Where the result is from.
    result : Result
        A result, whose documents are added to those seen.
    seen : dict of str to str
        Keys of the documents before it, and the path of each.

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
            f"{seen[repeated]} and {path} both have {repeated}, which would be counted twice; name shards apart with "
            "spanrs score --shard-name, or in Python with spanrs.eval.shards.Shard"
        )
        raise with_code(AlignmentError(message), "documents", path)
    seen.update(dict.fromkeys(keys, path))
    return bool(keys)


def names_schemes(scheme: str, pred_scheme: str | None) -> bool:
    """Return whether both schemes are named, so that shards need not find them out."""
    return not any(is_auto(one) for one in (scheme, pred_scheme or ""))


def has_no_scheme(result: Result) -> bool:
    """Return whether a result is of spans, which are not written in a scheme."""
    return result.tokens == 0 and any(result.totals)


def found_schemes(result: Result, scheme: str, pred_scheme: str | None) -> tuple[str, str | None]:
    """Return the schemes for the shards after a result, which was scored with these.

    Shards that found out their schemes separately could find different ones, which do not merge. The first shard with a
    tag other than ``O`` decides; those before it have no such tag and are the same under every scheme.
    """
    found = result.settings.get("scheme", UNDECIDED)
    if found == UNDECIDED:
        return scheme, pred_scheme
    return found, result.settings.get("pred_scheme")


def _in_threads(
    job: _ShardScorer, shards: Iterator[Shard], scheme: str, pred_scheme: str | None, threads: int
) -> Iterator[Result]:
    """Score shards in threads, in a window that moves over them, so that few results wait for an earlier one."""
    # It registers functions to run around a fork, which must not happen while a fork waits for an import of spanrs.
    from concurrent.futures import ThreadPoolExecutor, wait

    pool = ThreadPoolExecutor(threads)
    window: deque[tuple[Shard, Future[Result]]] = deque()
    try:
        while True:
            for shard in islice(shards, WINDOW * threads - len(window)):
                window.append((shard, pool.submit(job.run, shard, scheme, pred_scheme)))
            if not window:
                return
            shard, future = window.popleft()
            while not future.done():
                # A time limit, so that the main thread sees signals.
                wait([future], timeout=0.2)
            yield future.result()
            job.report(shard)
    finally:
        job.stop.set()
        pool.shutdown(cancel_futures=True)


def _merge(results: Iterable[Result]) -> Result:
    """Merge results in order, in groups of neighbours, so that memory follows the merged result."""
    levels: list[tuple[int, Result]] = []
    for result in results:
        levels.append((0, result))
        while len(levels) >= FAN_IN and levels[-FAN_IN][0] == levels[-1][0]:
            group = [one for _, one in levels[-FAN_IN:]]
            rank = levels[-1][0] + 1
            del levels[-FAN_IN:]
            levels.append((rank, group[0].merge(*group[1:])))
    first, *others = (result for _, result in levels)
    return first.merge(*others)
