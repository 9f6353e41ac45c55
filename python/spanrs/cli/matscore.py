"""The script ``MATScore``: the command line of MATScore 1.3."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from spanrs.cli import console
from spanrs.cli._generated_matscore import matscore
from spanrs.cli.described import Command
from spanrs.cli.mat_report import MatReport, check_csv_directory, skipped_phrase
from spanrs.cli.output import Output
from spanrs.cli.run import CONTEXT
from spanrs.io import Pairing
from spanrs.io.options import Limits, ReadOptions
from spanrs.mat import Mat
from spanrs.mat.confidence import SAMPLES
from spanrs.mat.files import FilePair, Side, two_directories, two_files, without_hypothesis
from spanrs.mat.matcher import TABLES
from spanrs.mat.task import Task, find_task, read_task


class _Manual(Command):
    """A command that reports usage errors like MATScore: message, usage, and status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            console.echo(f"{error.message}\n\n{ctx.get_usage()}\nTry {ctx.command_path} --help.", err=True)
            raise click.exceptions.Exit(1) from None


@partial(matscore, cls=_Manual, context_settings=CONTEXT | {"allow_extra_args": True})
@click.pass_context
def command(context: click.Context, /, **given: Any) -> None:
    """Score annotated documents as MITRE's MATScore does.

    Compares a hypothesis with a reference, file by file: by tag, and optionally by token, pseudo-token and character.
    Exit status: 0 success; 1 something was skipped, or options contradict each other; 2 an option or a value is
    unknown, or nothing could be scored. More outputs and formats: spanrs score --matcher mat.
    """
    if context.args:
        raise click.UsageError(f"There are no arguments without an option: {' '.join(context.args)}.")
    matcher = _matcher(given)
    pairs, notes = _pairs(given, matcher.known_task)
    check_csv_directory("--csv_output_dir", given["csv_output_dir"])
    report = MatReport(
        Output(named=False),
        "",
        details=given["details"],
        confusability=given["confusability"],
        kinds=given["kinds"],
        samples=SAMPLES if given["compute_confidence_data"] else 0,
        csv_directory=given["csv_output_dir"],
        formulas=None if given["no_csv_formulas"] else "openoffice" if given["oo_separator"] else "excel",
        lenient=given["lenient"],
    )
    try:
        report.check(pairs, "--csv_output_dir")
    except click.UsageError as error:
        raise click.UsageError(f"{error.message}.") from None
    for message in (*matcher.messages(), *notes):
        console.echo(message, err=True)
    shown = report.score(pairs, matcher)
    report.write(shown)
    what = skipped_phrase(shown)
    if what and not given["lenient"]:
        console.echo(f"spanrs: {what} (see above), hence status 1; --lenient gives 0", err=True)
        context.exit(1)


def _matcher(given: dict[str, Any]) -> Mat:
    """Create the matcher from the options."""
    classes: dict[str, list[str]] = {}
    for label, old in given["equivalence_class"]:
        classes.setdefault(label.strip(), []).extend(old)
    if given["task"] is None:
        unused = ("task_path", "xml_input_is_overlay", "ref_xml_input_is_overlay")
        _report_ignored(given, unused, "without --task")
    if given["csv_output_dir"] is None:
        _report_ignored(given, ("no_csv_formulas", "oo_separator"), "without --csv_output_dir")
    # The task is read outside of the block below, because a damaged file is not an error in the options.
    task = _task(given["task"], list(given["task_path"]))
    try:
        return Mat(
            task=task,
            content=given["content_annotations"],
            tokens=given["token_annotations"],
            classes=classes,
            ignore=given["ignore"] or (),
            tables=[table for table in TABLES[1:] if given[f"by_{table}"]],
        )
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None


def _report_ignored(given: dict[str, Any], options: Sequence[str], why: str) -> None:
    """Print a message for each option without effect."""
    for option in options:
        if given[option] not in (None, False, ()):
            console.echo(f"Ignoring --{option} {why}.", err=True)


def _task(name: str | None, places: list[Path]) -> Task | None:
    if name is None:
        return None
    if places:
        return find_task(name, places)
    if Path(name).exists():
        return read_task(name)
    raise click.UsageError(
        f"Unknown task {name!r}. Give a task.xml or its directory, or give the location of the task with --task_path."
    )


def _pairs(given: dict[str, Any], task: Task | None) -> tuple[list[FilePair], list[str]]:
    """Return the file pairs selected by the options, and messages about unpaired files."""
    if given["file"] is None and given["dir"] is None:
        raise click.UsageError("One of --file or --dir must be specified.")
    if given["file"] is not None and given["dir"] is not None:
        raise click.UsageError("Only one of --file or --dir can be specified.")
    kind, unused = "dir", ["ref_file"]
    if given["file"] is not None:
        kind, unused = "file", ["ref_dir", "ref_fsuff_off", "ref_fsuff_on", "file_re"]
    pred, gold = given[kind], given[f"ref_{kind}"]
    if gold is None:
        raise click.UsageError(f"--{kind} requires --ref_{kind}.")
    _report_ignored(given, unused, f"with --{kind}")
    if kind == "dir":
        for option in ("dir", "ref_dir"):
            if not given[option].is_dir():
                raise click.UsageError(f"--{option} {given[option]}: the directory does not exist.")
    sides = _side(given, "ref_", gold), _side(given, "", pred)
    if kind == "file":
        return [two_files(*sides, task)], []
    pairing = Pairing(given["file_re"], given["ref_fsuff_off"], given["ref_fsuff_on"])
    pairs, alone = two_directories(*sides, task, pairing)
    return pairs, without_hypothesis(alone)


def _side(given: dict[str, Any], side: str, path: Path) -> Side:
    """Return the reading options of a side; ``side`` is the prefix of the option names."""
    kind = given[f"{side}file_type"]
    for option in ("xml_input_is_overlay", "xml_translate_all"):
        if given[side + option] and kind != "xml-inline":
            raise click.UsageError(
                f"unenabled option --{side}{option}: it requires --{side}file_type xml-inline."
            )
    read = {name: given[side + name] for name in ("encoding", "annotator", "layer")}
    if kind == "conll":
        # The type conll also includes CoNLL-U, which is detected.
        kind, read["format"] = "columns", "auto"
    if given[f"{side}xml_translate_all"]:
        read["elements"] = "all"
    read["overlay"] = given[f"{side}xml_input_is_overlay"]
    # Unlike `read`, MATScore accepts options that do not apply to the file type.
    return Side(path, kind, ReadOptions(limits=Limits(expansion=given["max_expansion"]), **read))
