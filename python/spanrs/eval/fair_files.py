"""Fair evaluation of files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from spanrs import _spanrs
from spanrs.errors import AlignmentError, warn
from spanrs.eval.checks import Noticed
from spanrs.eval.fair_result import FairResult
from spanrs.eval.fair_scorer import EXCLUDED, Fairness
from spanrs.eval.fair_tallies import FairTallies
from spanrs.eval.fair_weights import Weights
from spanrs.io import Columns, Source

FORMATS = ("auto", "spans", "stacked")


def fair_files(
    gold: Source,
    pred: Source,
    *,
    file_format: str = "auto",
    columns: Columns = Columns(),
    pos_column: int = 1,
    ignore_punct: bool = True,
    weights: str | Weights = "paper",
    focus: str = "gold",
    types: Collection[str] | None = None,
    exclude: Collection[str] = EXCLUDED,
    by_document: bool = False,
    progress: Callable[[int], object] | None = None,
) -> FairResult:
    r"""Evaluate files fairly: span files, column files with stacked tags, or directories of them.

    Files are read in chunks, so memory does not grow with them. Files of two directories are paired by
    name. Columns of plain tags in any scheme are read by :func:`spanrs.score_files` with
    ``matcher="fair"``.

    Parameters
    ----------
    gold, pred : path or binary file object
        Two files, or two directories; plain, gzip or zstd.
    file_format : str
        ``spans``: one span a line, blank lines between sentences; four columns separated by tabs: type,
        first token, last token, tokens separated by commas. Tokens count from 1; where none are given the
        span has all between its bounds. ``stacked``: one token a line, tags in BIO, the outermost first:
        ``I-S|B-NP``; ``O``, ``_`` and nothing stand outside. ``auto``: what the first lines look like.
    columns : Columns
        Where things stand in column files.
    pos_column : int
        Column of the parts of speech there, from 0; negative from the last.
    ignore_punct : bool
        Leave out the tokens of column files whose part of speech is punctuation in STTS, UPOS or PTB. What
        is left of their spans counts.
    weights, focus, types, exclude
        As for :func:`spanrs.fair`.
    by_document : bool
        Keep a row of counts for each pair of files.
    progress : callable, optional
        Called now and then with the bytes read so far, after decompression.

    Returns
    -------
    FairResult

    Raises
    ------
    OSError
        Where a file cannot be opened.
    spanrs.errors.AlignmentError
        Where a file has no partner, and where the sentences or tokens of two files are not the same.
    spanrs.errors.FormatError
        Where a file is not what it should be, with the place: columns, numbers of tokens, tokens outside
        their span, stacked tags that overlap.
    ValueError
        For weights that cannot be, an unknown focus or format.

    Notes
    -----
    Source: FairEval (Ortmann 2022), as documented; docs/compare.md says where that is not what it does.

    Examples
    --------
    >>> import io, spanrs
    >>> gold = io.BytesIO(b"PER\t1\t2\t1, 2\n\nLOC\t4\t4\t4\n")
    >>> pred = io.BytesIO(b"PER\t1\t1\t1\n\nORG\t4\t4\t4\n")
    >>> spanrs.fair_files(gold, pred).counts
    FairCounts(tp=0, fp=0, fn=0, le=1, be=1, lbe=0, bes=1, bel=0, beo=0)
    """
    if pred is gold and hasattr(gold, "read"):
        message = "gold and pred are one file object; open the file twice"
        raise TypeError(message)
    if file_format not in FORMATS:
        message = f"unknown format {file_format!r}; one of {', '.join(FORMATS)}"
        raise ValueError(message)
    how = Fairness(weights, focus, types, exclude)
    options = columns._replace(second=pos_column if ignore_punct else columns.second).as_options()
    form = None if file_format == "auto" else file_format
    tallies = FairTallies()
    documents: list[tuple[str | None, FairTallies]] = []
    formats: set[str] = set()
    found: list[str] = []
    done = _Done(progress)
    for name, golds, preds in pair(gold, pred):
        sides = ((golds, form, options, ignore_punct), (preds, form, options, ignore_punct))
        state = _spanrs.fair_files(*sides, how.only, None if progress is None else done)
        done.end_file()
        formats.update(state["formats"])
        found += state["file_warnings"]
        counted = FairTallies.from_state(state)
        tallies.add(counted)
        if by_document:
            documents.append((name, counted))
    settings = {"format": "+".join(sorted(formats))}
    if "stacked" in formats:
        settings["punct"] = f"ignored by column {pos_column}" if ignore_punct else "kept"
    settings = how.settings(settings | {"version": _spanrs.__version__})
    result = replace(how.result(tallies, settings, documents), _noticed=Noticed(warnings=tuple(found)))
    warn(result.warnings)
    return result


class _Done:
    """Tells how much of several files is read."""

    def __init__(self, progress: Callable[[int], object] | None) -> None:
        self._progress = progress
        self._before = self._now = 0

    def __call__(self, read: int) -> None:
        self._now = read
        if self._progress is not None:
            self._progress(self._before + read)

    def end_file(self) -> None:
        self._before += self._now
        self._now = 0


def _is_path(source: Source) -> bool:
    return isinstance(source, (str, PathLike))


def pair(gold: Source, pred: Source) -> Iterable[tuple[str | None, Any, Any]]:
    """Give the name, gold and pred of each pair of files."""
    folders = [Path(side) if _is_path(side) and Path(side).is_dir() else None for side in (gold, pred)]  # type: ignore[arg-type]
    if folders == [None, None]:
        return [(str(gold) if _is_path(gold) else None, gold, pred)]
    files = [_files(side, folder) for side, folder in zip((gold, pred), folders, strict=True)]
    golds, preds = files
    # One file against a directory is meant for the file of its name.
    if None in folders:
        names = set(golds) if folders[0] is None else set(preds)
        golds = {name: path for name, path in golds.items() if name in names}
        preds = {name: path for name, path in preds.items() if name in names}
    for side, mine, others, where in (("gold", golds, preds, pred), ("pred", preds, golds, gold)):
        lone = sorted(set(mine) - set(others))
        if lone:
            more = f" and {len(lone) - 3} more" if len(lone) > 3 else ""
            error = AlignmentError(
                f"{mine[lone[0]]}: no file of that name in {where}; {side} has no partner for "
                f"{', '.join(lone[:3])}{more}"
            )
            error.code = "unpaired_files"
            error.path = str(mine[lone[0]])
            raise error
    if not golds:
        error = AlignmentError(f"{gold}: no files to pair with those of {pred}")
        error.code = "unpaired_files"
        raise error
    return [(name, golds[name], preds[name]) for name in sorted(golds)]


def _files(side: Source, folder: Path | None) -> dict[str, Path]:
    if folder is None:
        if not _is_path(side):
            message = "a directory is paired with a directory, or with a file that has a name"
            raise TypeError(message)
        return {Path(side).name: Path(side)}  # type: ignore[arg-type]  # a path, as was seen
    # Hidden files are those of editors and systems.
    return {
        path.name: path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")
    }
