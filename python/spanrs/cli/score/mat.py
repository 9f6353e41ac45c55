"""``spanrs score --matcher mat``: MATScore's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from spanrs.cli import console, matchers
from spanrs.cli.mat_report import MatReport, check_csv_directory, skipped_phrase
from spanrs.cli.options import SideOptions, refuse, refuse_without
from spanrs.cli.output import Output
from spanrs.cli.run import explained, print_message
from spanrs.cli.score.inputs import read_sides
from spanrs.errors import FormatError, with_code
from spanrs.eval.evidence import Skipped
from spanrs.io import Pairing
from spanrs.mat import Mat
from spanrs.mat.files import corpus_pairs, without_hypothesis
from spanrs.mat.matcher import TABLES
from spanrs.mat.task import Task, find_task, read_task

#: Parameters of spanrs score that do not apply to MATScore.
OTHERS = (
    *("untyped", "align", "like", "pred_scheme", "all_readings", "by_sentence", "errors", "max_violations"),
    *(
        "fail_under",
        "plot",
        "save",
        "shard_name",
        "short_signature",
        "intervals",
        "level",
        "interval_method",
    ),
)


def score_mat(
    files: tuple[str, tuple[str, ...]],
    sides: tuple[SideOptions, SideOptions],
    read: dict[str, Any],
    types: tuple[Sequence[str] | None, Mapping[str, str | None]],
    output: Output,
    parameters: dict[str, Any],
) -> int:
    """Score documents and write MATScore's tables; return the exit status.

    Parameters
    ----------
    files
        GOLD and PRED.
    sides, read
        Reading options for one side and for both.
    types
        The types to score (None for all), and their new names.
    output
        Format and destination of the tables.
    parameters
        The other parameters of the command.
    """
    gold, preds = files
    if len(preds) != 1:
        raise click.UsageError("--matcher mat needs one GOLD and one PRED")
    refuse(OTHERS, "--matcher mat")
    refuse_without("confidence", ["samples", "seed"])
    refuse_without("csv_directory", ["csv_formulas"])
    refuse_without("task", ["task_path"])
    options = matchers.take_options("mat", parameters)
    matcher = _matcher(options, types)
    if options.get("overlay"):
        read["overlay"] = True
    if options.get("all_elements"):
        read["elements"] = "all"
    with explained():
        corpora = read_sides(gold, preds[0], sides, read)
    pairing: Pairing = parameters["pairing"]
    pairs, unpaired = corpus_pairs(corpora[0], corpora[1] or corpora[0], matcher.known_task, pairing)
    directory: Path | None = options.get("csv_directory")
    check_csv_directory("--csv-directory", directory)
    formulas = options.get("csv_formulas", "excel")
    report = MatReport(
        output,
        f"{preds[0]} against {gold}",
        **{name: options.get(name, False) for name in ("details", "confusability", "percent")},
        kinds=options.get("clash_kinds", False),
        by_document=parameters["by_document"],
        samples=parameters["samples"] if options.get("confidence") else 0,
        seed=parameters["seed"],
        threads=parameters["threads"],
        csv_directory=directory,
        formulas=None if formulas == "none" else formulas,
        xlsx=options.get("xlsx"),
    )
    report.check(pairs, "--csv-directory")
    for message in (*matcher.messages(), *without_hypothesis(unpaired)):
        print_message("note", message)
    shown = report.score(pairs, matcher, None if parameters["on_error"] == "skip" else _refuse)
    report.write(shown)
    phrase = skipped_phrase(shown)
    if phrase is not None:
        print_message("error", f"{phrase}, see above")
    return 1 if phrase is not None else 0


def _refuse(skipped: Skipped) -> None:
    """Raise an error for a pair that cannot be scored; skipped annotations are only reported.

    Raises
    ------
    spanrs.errors.FormatError
    """
    if not skipped.pair:
        console.echo(skipped.message, err=True)
        return
    message = (
        f"{skipped.message.removesuffix('; skipping pair.')}; use --on-error skip to score the other pairs"
    )
    raise with_code(FormatError(message), "skipped", skipped.file)


def _matcher(options: dict[str, Any], types: tuple[Sequence[str] | None, Mapping[str, str | None]]) -> Mat:
    content, renames = types
    classes: dict[str, list[str]] = {}
    for old, new in renames.items():
        if new is not None:
            classes.setdefault(new, []).append(old)
    ignored = [old for old, new in renames.items() if new is None]
    return Mat(
        task=_task(options.get("task"), list(options.get("task_path", ()))),
        content=content,
        tokens=list(matchers.flattened(options["token_types"])) if "token_types" in options else None,
        classes=classes,
        ignore=[*ignored, *matchers.flattened(options.get("exclude", ()))],
        tables=[table for table in TABLES[1:] if options.get(f"by_{table}")],
        **{name: options[name] for name in ("unpaired_overlap", "pieces") if name in options},
    )


def _task(name: str | None, places: list[Path]) -> Task | None:
    if name is None:
        return None
    if places:
        return find_task(name, places)
    if not Path(name).exists():
        raise click.UsageError(
            f"--task {name}: the file does not exist; for the name of a task, give its location with --task-path"
        )
    return read_task(name)
