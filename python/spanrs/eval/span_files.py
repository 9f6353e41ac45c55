"""Scoring files of spans: span files, and column files with stacked tags."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from spanrs import _spanrs
from spanrs.errors import AlignmentError, warn, with_code
from spanrs.eval.details import errors_to_keep, file_error_finder, file_error_list
from spanrs.eval.documents import document_name
from spanrs.eval.fair_weights import Weights
from spanrs.eval.matchers import EXCLUDED, Fair, Matcher, listed
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer
from spanrs.io import Columns, Source
from spanrs.io.sources import is_file_or_broken_link, open_source, same_file

FORMATS = ("auto", "spans", "stacked")


def score_span_files(
    gold: Source,
    pred: Source,
    *,
    matcher: str | Matcher = "exact",
    file_format: str = "auto",
    columns: Columns = Columns(),
    pos_column: int = 1,
    ignore_punct: bool = True,
    by_document: bool = False,
    errors: bool | int = False,
    progress: Callable[[int], object] | None = None,
) -> Result:
    r"""Score files of spans: span files, column files with stacked tags, or directories of them.

    Files are read in chunks, so memory does not grow with them. Files of two directories are paired by
    name. Columns of plain tags in any scheme are read by :func:`spanrs.score_files`.

    Parameters
    ----------
    gold, pred : path or binary file object
        Two files, or two directories; plain, gzip or zstd.
    matcher : str or Matcher
        As for :func:`spanrs.score`. Spans of the types ``NONE`` and ``EMPTY``, the dummies of such files, are not
        looked at; :class:`spanrs.Fair` may exclude others.
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
    by_document : bool
        Keep a row of counts for each pair of files, by name.
    errors : bool or int
        Keep the errors under the matcher's criterion for ``result.errors``, with their lines, and tokens where a file
        has them: all, or that many of each kind.
    progress : callable, optional
        Called now and then with the bytes read so far, after decompression.

    Returns
    -------
    Result

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
        For an unknown format.

    Examples
    --------
    >>> import io, spanrs
    >>> gold = io.BytesIO(b"PER\t1\t2\t1, 2\n\nLOC\t4\t4\t4\n")
    >>> pred = io.BytesIO(b"PER\t1\t2\t1, 2\n\nORG\t4\t4\t4\n")
    >>> result = spanrs.score_span_files(gold, pred, errors=True)
    >>> result.totals
    Totals(tp=1, fp=1, fn=1)
    >>> [(error.outcome, error.gold.type, error.pred.type, error.line) for error in result.errors]
    [('mistyped', 'LOC', 'ORG', 3)]
    """
    if pred is gold and hasattr(gold, "read"):
        raise TypeError("gold and pred are one file object; open the file twice")
    if file_format not in FORMATS:
        raise ValueError(f"unknown format {file_format!r}; one of {', '.join(FORMATS)}")
    scorer = Scorer("BIO", matcher=matcher, max_violations=0, by_document=by_document)
    settings = scorer.matcher.settings()
    if not isinstance(scorer.matcher, Fair):
        # FairEval's files have dummies where a side has no spans.
        scorer._filter = (None, list(EXCLUDED))
        scorer.reset()
        settings["exclude"] = listed(sorted(EXCLUDED))
    options = columns._replace(second=pos_column if ignore_punct else columns.second).as_options()
    form = None if file_format == "auto" else file_format
    most_errors = errors_to_keep(errors)
    finder = file_error_finder(scorer.matcher, most_errors) if errors else None
    pairs = pair_files(gold, pred)
    formats: set[str] = set()
    notes = []
    before = 0
    for document, *files in pairs:
        if all(isinstance(file, (str, PathLike)) for file in files) and same_file(*files):
            notes.append(f"gold and pred are the same file, {files[1]}")
        watch = _Progress(progress, before)
        golds, preds = ((open_source(file), form, options, ignore_punct) for file in files)
        told = None if progress is None else watch
        wanted = None if finder is None else (finder, str(files[0]) if len(pairs) > 1 else None)
        found = scorer._scorer.update_span_files(golds, preds, document, wanted, told)[:2]
        formats.update(found)
        before = watch.read
    settings["format"] = "+".join(sorted(formats))
    if "stacked" in formats:
        settings["punct"] = f"ignored by column {pos_column}" if ignore_punct else "kept"
    settings["version"] = _spanrs.__version__
    result = scorer.result()
    evidence = replace(result.evidence, notes=(*result.evidence.notes, *notes))
    result = replace(result, settings=settings, evidence=evidence)
    if finder is not None:
        errors_found = file_error_list(finder.finish(), scorer.matcher, most_errors)
        result = replace(result, error_list=errors_found)
    warn(result.warnings)
    return result


class _Progress:
    """Adds the bytes of earlier files to those of the current one."""

    def __init__(self, progress: Callable[[int], object] | None, before: int) -> None:
        self._progress, self._before = progress, before
        self.read = before

    def __call__(self, read: int) -> None:
        self.read = self._before + read
        if self._progress is not None:
            self._progress(self.read)


def fair_files(
    gold: Source,
    pred: Source,
    *,
    weights: str | Weights = "paper",
    focus: str = "gold",
    types: Collection[str] | None = None,
    exclude: Collection[str] = EXCLUDED,
    **options: Any,
) -> Result:
    r"""Evaluate files of spans fairly; short for :func:`score_span_files` with ``matcher=Fair(...)``.

    Parameters
    ----------
    gold, pred, **options
        As for :func:`score_span_files`.
    weights, focus, types, exclude
        As for :class:`spanrs.Fair`.

    Returns
    -------
    Result

    Notes
    -----
    Source: FairEval (Ortmann 2022), as documented; docs/compare.md says where that is not what it does.

    Examples
    --------
    >>> import io, spanrs
    >>> gold = io.BytesIO(b"PER\t1\t2\t1, 2\n\nLOC\t4\t4\t4\n")
    >>> pred = io.BytesIO(b"PER\t1\t1\t1\n\nORG\t4\t4\t4\n")
    >>> {name: n for name, n in spanrs.fair_files(gold, pred).outcomes.items() if n}
    {'le': 1, 'be': 1, 'bes': 1}
    """
    matcher = Fair(weights=weights, focus=focus, types=types, exclude=exclude)
    return score_span_files(gold, pred, matcher=matcher, **options)


def pair_files(gold: Source, pred: Source) -> list[tuple[str | None, Any, Any]]:
    """Give the name of the document, gold and pred of each pair of files."""
    paths = [Path(side) for side in (gold, pred) if isinstance(side, (str, PathLike))]
    if not any(path.is_dir() for path in paths):
        return [(document_name(str(gold)) if isinstance(gold, (str, PathLike)) else None, gold, pred)]
    if len(paths) < 2:
        raise TypeError("a directory is paired with a directory, or with a file that has a name")
    golds, preds = _files(*paths), _files(*reversed(paths))
    for side, mine, others, where in (("gold", golds, preds, pred), ("pred", preds, golds, gold)):
        lone = sorted(set(mine) - set(others))
        if lone:
            more = f" and {len(lone) - 3} more" if len(lone) > 3 else ""
            error = AlignmentError(
                f"{mine[lone[0]]}: no file of that name in {where}; {side} has no partner for "
                f"{', '.join(lone[:3])}{more}"
            )
            raise with_code(error, "unpaired_files", str(mine[lone[0]]))
    if not golds:
        error = AlignmentError(f"{gold}: no files to pair with those of {pred}")
        raise with_code(error, "unpaired_files")
    return [(document_name(name), golds[name], preds[name]) for name in sorted(golds)]


def _files(side: Path, other: Path) -> dict[str, Path]:
    """Give the files of one side by name."""
    if not side.is_dir():
        return {side.name: side}
    # One file against a directory is meant for the file of its name.
    entries = side.iterdir() if other.is_dir() else [side / other.name]
    # Hidden files are those of editors and systems.
    return {
        path.name: path
        for path in entries
        if is_file_or_broken_link(path) and not path.name.startswith(".")
    }
