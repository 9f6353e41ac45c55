"""What ``spanrs score`` reads: files of tags, tables, directories of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click

from spanrs.cli import console
from spanrs.cli.run import describe, print_message
from spanrs.errors import AlignmentError, SpanrsError
from spanrs.eval import Result, score_files, score_shards, score_table_files
from spanrs.eval.shards import as_shard, find_shards, is_several
from spanrs.eval.table_files import is_table_file
from spanrs.io import Columns, atomic_output


class TableColumns(NamedTuple):
    """Names of the columns of a table."""

    gold: str
    pred: str
    document: str | None
    token: str | None


def score_all(
    gold: str,
    preds: tuple[str, ...],
    renames: dict[str, str | None],
    table: TableColumns,
    **given: Any,
) -> dict[str, Result]:
    """Score each PRED; of several, report those that cannot be scored."""
    results = {}
    for name in preds or (gold,):
        try:
            result = _score(gold, name if preds else None, table, **given)
            for absent in sorted(set(renames) - set(result.per_type)):
                print_message("note", f"no span has type {absent}")
            results[name] = result.with_types(renames) if renames else result
        except (SpanrsError, OSError) as error:
            # What is wrong with gold is wrong for every pred; only misaligned tokens are named by their place there.
            path = getattr(error, "path", None) or getattr(error, "filename", None)
            of_gold = path == gold and not isinstance(error, AlignmentError)
            if len(preds) < 2 or of_gold or str(error).startswith("gold: "):
                raise
            print_message("error", f"{describe(error)}; {name} is left out")
    return results


def _score(gold: str, pred: str | None, table: TableColumns, **given: Any) -> Result:
    """Score a file, a table, or the files of a directory or pattern."""
    save, threads, shard_name = (given.pop(name) for name in ("save", "threads", "shard_name"))
    several = [path for path in (gold, pred) if path is not None and is_several(path)]
    if several:
        if pred is not None and len(several) == 1:
            other = pred if several == [gold] else gold
            message = f"{several[0]} is several files and {other} is one; name two files or two directories"
            raise click.UsageError(message)
        return _score_several(gold, pred, table, save=save, threads=threads, **given)
    if is_table(gold):
        if pred is not None:
            raise click.UsageError(
                f"{gold} is a table; it holds both sides, in --gold-column and --pred-column"
            )
        result = _score_table(gold, table, threads=threads, **given)
    else:
        paths = (gold,) if pred is None else (gold, pred)
        result = console.score_quietly(score_files, *paths, threads=threads, **given)
    if save is not None:
        with atomic_output(save) as out:
            out.write(as_shard(result, shard_name or Path(gold).name).to_bytes())
    return result


def is_table(path: str) -> bool:
    """Say whether a path is that of a Parquet or Arrow file."""
    return path != "-" and Path(path).is_file() and is_table_file(path)


def _score_several(
    gold: str, pred: str | None, table: TableColumns, *, save: str | None, threads: int, **given: Any
) -> Result:
    shards = find_shards(gold, pred)
    if pred is None and is_table(shards[0].gold):
        given = _table_options(given) | {
            "gold_column": table.gold,
            "pred_column": table.pred,
            "document_column": table.document,
            "token_column": table.token,
        }
    paths = [Path(path) for shard in shards for path in (shard.gold, shard.pred) if path is not None]
    size = sum(path.stat().st_size for path in paths)
    with console.quiet(), console.progress_bar(size, console.LARGE, in_bytes=True) as bar:
        return score_shards(shards, save=save, threads=threads, progress=bar, **given)


def _score_table(path: str, table: TableColumns, *, threads: int, **given: Any) -> Result:
    with console.quiet():
        return score_table_files(
            path,
            table.gold,
            table.pred,
            documents=table.document,
            tokens=table.token,
            threads=threads,
            **_table_options(given),
        )


def _table_options(given: dict[str, Any]) -> dict[str, Any]:
    """Leave out the options of column files, and refuse those that a table cannot follow."""
    if given.get("columns", Columns())._replace(tag=-1, second=None) != Columns():
        raise click.UsageError("options about columns of text files do not go with tables")
    if given.get("by_document"):
        raise click.UsageError("the documents of a table are named by --document-column")
    left_out = ("columns", "pred_columns", "on_misaligned", "by_document")
    return {name: value for name, value in given.items() if name not in left_out}
