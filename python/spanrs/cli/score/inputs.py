"""Inputs of ``spanrs score``: gold and each pred, from any source."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from spanrs.cli import console
from spanrs.cli.options import SideOptions
from spanrs.cli.run import describe, explained, print_message
from spanrs.errors import AlignmentError, SpanrsError
from spanrs.eval import Result, score
from spanrs.eval.corpora import default_unit
from spanrs.io import Corpus, atomic_output, read
from spanrs.io.parts import shared_suffix
from spanrs.io.paths import is_several
from spanrs.io.reader import read_both


def score_all(
    gold: str,
    preds: tuple[str, ...],
    renames: dict[str, str | None],
    sides: tuple[SideOptions, SideOptions],
    **given: Any,
) -> dict[str, Result]:
    """Score each PRED; if there are several, report and skip each PRED that cannot be scored."""
    results = {}
    for name in preds or (gold,):
        try:
            result = _score(gold, name if preds else None, sides, **given)
            for absent in sorted(set(renames) - set(result.per_type)):
                print_message("note", f"no span has type {absent}")
            results[name] = result.with_types(renames) if renames else result
        except (SpanrsError, OSError) as error:
            # An error in gold would occur for every pred. Alignment errors also have the path of gold, but concern one
            # pred.
            path = getattr(error, "path", None) or getattr(error, "filename", None)
            of_gold = path == gold and not isinstance(error, AlignmentError)
            if len(preds) < 2 or of_gold or str(error).startswith("gold: "):
                raise
            print_message("error", f"{describe(error)}; skipping {name}")
    return results


def check_pattern(gold: str, preds: tuple[str, ...]) -> None:
    """Refuse the files of two unquoted patterns that the shell has expanded.

    Raises
    ------
    click.UsageError
        If several files in the directory of GOLD are followed by as many files in another directory, or if the second
        half of the files has the names of the first half with another suffix.
    """
    folder = os.path.dirname(gold)
    same = [name for name in preds if os.path.dirname(name) == folder]
    elsewhere = [name for name in preds if os.path.dirname(name) != folder]
    if same and elsewhere and preds[: len(same)] == tuple(same) and len(elsewhere) == len(same) + 1:
        suffix = os.path.splitext(gold)[1]
        patterns = [os.path.join(os.path.dirname(name), f"*{suffix}") for name in (gold, elsewhere[0])]
        raise click.UsageError(
            f"{len(preds) + 1} files in two directories: to pair the files of two patterns, quote the patterns: "
            f"'{patterns[0]}' '{patterns[1]}'"
        )
    files = [gold, *preds]
    half = len(files) // 2
    sides = files[:half], files[half:]
    suffixes = [shared_suffix(side) for side in sides]
    names = [
        [path.removesuffix(suffix) for path in side] for side, suffix in zip(sides, suffixes, strict=True)
    ]
    if half > 1 and names[0] == names[1]:
        patterns = [os.path.join(folder, f"*{suffix}") for suffix in suffixes]
        raise click.UsageError(
            f"{len(files)} files, and both halves have the same names: to pair the files of two patterns, quote the "
            f"patterns: '{patterns[0]}' '{patterns[1]}'"
        )


def check_both_several(gold: str, pred: str) -> None:
    """Refuse a directory or pattern beside a single file, with which only one file would be compared."""
    several = [path for path in (gold, pred) if is_several(path)]
    if len(several) == 1:
        single = pred if several == [gold] else gold
        message = f"{several[0]} is several files and {single} is one; give two files or two directories"
        raise click.UsageError(message)


def read_sides(
    gold: str, pred: str | None, sides: tuple[SideOptions, SideOptions], arguments: dict[str, Any]
) -> tuple[Corpus, Corpus | None]:
    """Read GOLD and PRED; ``sides`` are the options that apply only to gold or only to pred."""
    if pred is not None:
        check_both_several(gold, pred)
    names = ("gold", "pred") if pred is None else ("tags", "tags")
    of_sides = [arguments | side.arguments(name) for name, side in zip(names, sides, strict=True)]
    if pred is None:
        return read(console.source(gold), **of_sides[0] | of_sides[1]), None
    return read_both((console.source(gold), of_sides[0]), (console.source(pred), of_sides[1]))


def _score(gold: str, pred: str | None, sides: tuple[SideOptions, SideOptions], **given: Any) -> Result:
    """Score a file, a table, or the files of a directory or pattern."""
    save, shard_name = given.pop("save"), given.pop("shard_name")
    with explained():
        corpora = read_sides(gold, pred, sides, given.pop("read"))
    if given.pop("needs_rows") and given["by"] is None:
        given["by"] = default_unit(corpora, given["align"])
    several = is_several(gold)
    size = sum(corpus.size for corpus in corpora if corpus is not None)
    with console.quiet(), console.progress_bar(size, console.LARGE, in_bytes=True) as bar, explained():
        result: Result = score(*corpora, progress=bar, store=save if several else None, **given)
    if save is not None and not several:
        # Lazy: rarely used.
        from spanrs.eval.shards import as_shard

        with atomic_output(save) as out:
            out.write(
                as_shard(result, shard_name or Path(gold).name, None if pred == "-" else pred).to_bytes()
            )
    return result
