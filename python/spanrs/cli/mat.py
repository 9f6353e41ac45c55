"""``spanrs mat``, which is also ``MATScore``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from spanrs.cli import console, options
from spanrs.cli.output import Output, Rendered, output_options
from spanrs.cli.run import CONTEXT
from spanrs.io import Limits, Pairing, atomic_output
from spanrs.io.columns import Columns
from spanrs.io.options import DOCUMENT_FORMATS, ReadOptions
from spanrs.mat import Mat, MatTables, tables
from spanrs.mat.confidence import SAMPLES
from spanrs.mat.csv_files import CONFUSABILITY, DETAILS, FILES, Sheet, detail_rows
from spanrs.mat.files import FilePair, Side, two_directories, two_files, without_hypothesis
from spanrs.mat.matcher import PIECES, TABLES, UNPAIRED
from spanrs.mat.scoring import Sink, refuse_nothing, score_pairs
from spanrs.mat.task import Task, find_task, read_task
from spanrs.mat.text import cell_text, render
from spanrs.report.table import Table

#: File types by MATScore's names: column files are ``conll``.
FILE_TYPES = (*DOCUMENT_FORMATS, "conll")
#: Minimum number of pairs for a progress bar.
MANY = 100


class _Manual(click.Command):
    """A command whose usage errors are MATScore's: message, usage, and status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            console.echo(f"{error.message}\n\n{ctx.get_usage()}\nTry {ctx.command_path} --help.", err=True)
            raise click.exceptions.Exit(1) from None


def names(text: str) -> list[str]:
    """Give the names of a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


@click.command(cls=_Manual, context_settings=CONTEXT | {"allow_extra_args": True})
@click.option(
    "--task", metavar="NAME|PATH", help="Use the tags of a task: a task.xml or its folder, or a name."
)
@click.option(
    "--task_path",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Where the task of that name is: a task.xml, its folder, or a folder of such folders. Repeatable.",
)
@click.option(
    "--content_annotations", type=names, metavar="ANN,ANN,...", help="Labels to score. Ignored with --task."
)
@click.option(
    "--token_annotations", type=names, metavar="ANN,ANN,...", help="Labels of tokens. Ignored with --task."
)
@click.option(
    "--equivalence_class",
    type=(str, names),
    multiple=True,
    metavar="EQUIVLABEL OLDLABEL,OLDLABEL,...",
    help="Score several labels as one. Repeatable.",
)
@click.option("--ignore", type=names, metavar="LABEL,LABEL,...", help="Labels to leave out.")
@click.option("--file", type=click.Path(path_type=Path), help="The hypothesis file.")
@click.option("--dir", type=click.Path(path_type=Path), help="A directory of hypothesis files.")
@click.option(
    "--file_re",
    metavar="RE",
    help="Which files of --dir: fits the whole basename. Nested repetitions, such as (a+)+$, can take very long; "
    "Ctrl-C ends them.",
)
@click.option("--file_type", type=click.Choice(FILE_TYPES), default="mat-json")
@click.option("--encoding", help="Of the hypothesis, if its file type has none of its own.")
@click.option(
    "--annotator",
    metavar="NAME|INDEX",
    help="Whose annotations of Label Studio or Prodigy are the hypothesis.",
)
@click.option(
    "--layer", metavar="NAME", help="Which annotations of spaCy are the hypothesis: ents, or a span group."
)
@click.option("--ref_file", type=click.Path(path_type=Path), help="The reference file.")
@click.option("--ref_dir", type=click.Path(path_type=Path), help="A directory of reference files.")
@click.option(
    "--ref_fsuff_off", metavar="SUFF", help="Take this off a hypothesis' name to find its reference,"
)
@click.option("--ref_fsuff_on", metavar="SUFF", help="and then put this on.")
@click.option("--ref_file_type", type=click.Choice(FILE_TYPES), default="mat-json")
@click.option("--ref_encoding", help="Of the reference, if its file type has none of its own.")
@click.option("--ref_annotator", metavar="NAME|INDEX", help="Whose annotations are the reference.")
@click.option("--ref_layer", metavar="NAME", help="Which annotations of spaCy are the reference.")
@click.option(
    "--max_expansion",
    type=click.IntRange(1),
    help="How many times its size a compressed file may expand; 100 if not given, counted from 16 MiB on.",
)
@click.option(
    "--xml_input_is_overlay", is_flag=True, help="Elements a task does not declare stay in the text."
)
@click.option("--xml_translate_all", is_flag=True, help="All elements are annotations, declared or not.")
@click.option("--ref_xml_input_is_overlay", is_flag=True, help="The same for the reference.")
@click.option("--ref_xml_translate_all", is_flag=True, help="The same for the reference.")
@click.option("--tag_span_details", "kinds", is_flag=True, help="Columns for the seven kinds of clashes.")
@click.option("--details", is_flag=True, help="A table of all pairs of annotations.")
@click.option("--confusability", is_flag=True, help="A table of labels against labels.")
@click.option("--by_token", is_flag=True, help="A table of tokens.")
@click.option("--by_pseudo_token", is_flag=True, help="A table of pseudo-tokens.")
@click.option("--by_character", is_flag=True, help="A table of characters.")
@click.option("--by_document", is_flag=True, help="Rows for each document as well.")
@click.option("--compute_confidence_data", is_flag=True, help="Mean, variance, deviation of the measures.")
@click.option("--samples", type=click.IntRange(1), default=SAMPLES, help="For confidence.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, help="For confidence.")
@click.option("--csv_output_dir", type=click.Path(path_type=Path), help="Write CSV files there.")
@click.option("--no_csv_formulas", is_flag=True, help="Values, not formulas.")
@click.option("--oo_separator", is_flag=True, help="Formulas for OpenOffice and LibreOffice.")
@output_options()
@click.option("--xlsx", type=click.Path(path_type=Path), help="Write a workbook with formulas there.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page with all documents there.")
@click.option("--percent", is_flag=True, help="Measures in per cent, as MAT 1.3 printed them.")
@click.option(
    "--unpaired_overlap",
    type=click.Choice(UNPAIRED),
    default="alone",
    help="Annotations that overlap others without a partner are missing or spurious, or clash.",
)
@click.option(
    "--pieces",
    type=click.Choice(PIECES),
    default="cover",
    help="How annotations of several pieces are scored.",
)
@options.scheme()
@options.reading()
@options.file_format
@options.places
@click.option("--lenient", is_flag=True, help="Status 0 even if something was skipped.")
@click.option("--threads", type=click.IntRange(1, 1024), default=1)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> None:
    """Score annotated documents as MITRE's MATScore does.

    Compares a hypothesis with a reference, file by file: by tag, and on request by token, pseudo-token and
    character. With --csv_output_dir tables are printed only if --to or -o is given. Exit status: 0 all well; 1
    something was skipped, or the options do not go together; 2 an option or a value is unknown, or nothing could
    be done.
    """
    if context.args:
        raise click.UsageError(f"There are no arguments without an option: {' '.join(context.args)}.")
    output: Output = given["output"]
    if output.to == "html":
        if given["html"] is not None:
            raise click.UsageError("--html and --to html write the same page; name one.")
        given["html"] = console.standard_output() if output.to_stdout else Path(str(output.path))
    matcher = _matcher(given)
    pairs, notes = _pairs(given, matcher.known_task)
    _check_outputs(given, pairs)
    for message in (*matcher.messages(), *notes):
        console.echo(message, err=True)
    shown = _score(pairs, matcher, given)
    _write(shown, given)
    what = _lost(shown)
    if what and not given["lenient"]:
        console.echo(f"spanrs: {what} (see above), hence status 1; --lenient gives 0", err=True)
        context.exit(1)


def _score(pairs: list[FilePair], matcher: Mat, given: dict[str, Any]) -> MatTables:
    """Score and return the tables; output that is streamed per pair is written on the way."""
    out = given["csv_output_dir"]
    # Where details go to a CSV file only, they go there pair by pair.
    kept = given["details"] and (_prints(given) or given["xlsx"] is not None)
    with ExitStack() as stack:
        sinks: list[Sink] = []
        if given["details"] and not kept:
            file = stack.enter_context(atomic_output(out / DETAILS))
            add = detail_rows(file)
            sinks.append(lambda scored: add(scored.details()))
        if given["html"] is not None:
            from spanrs.mat.page import Page

            sides = (given["file"] or given["dir"], given["ref_file"] or given["ref_dir"])
            page = stack.enter_context(Page("{} against {}".format(*sides)))
            sinks.append(page.add)
        result = score_pairs(
            pairs,
            matcher,
            threads=given["threads"],
            details=kept,
            sinks=sinks,
            tell=lambda skipped: console.echo(skipped.message, err=True),
            progress=stack.enter_context(console.progress_bar(len(pairs), MANY)),
        )
        if not given["lenient"]:
            refuse_nothing(result, printed=True)
        shown = tables(
            result,
            confidence=given["samples"] if given["compute_confidence_data"] else 0,
            **{name: given[name] for name in ("kinds", "percent", "by_document", "seed", "threads")},
        )
        # Messages of the matcher are the first notes.
        for note in shown.notes[len(matcher.messages()) :]:
            console.echo(note, err=True)
        if given["html"] is not None:
            with atomic_output(given["html"]) as target:
                page.write(shown, target)
    return shown


def _lost(result: MatTables) -> str | None:
    """Say what was not scored; None where everything was."""
    if not result.counts.documents:
        return "nothing was scored"
    skipped = sum(one.pair for one in result.skipped)
    if skipped:
        return "1 pair was skipped" if skipped == 1 else f"{skipped} pairs were skipped"
    return "annotations were left out" if result.skipped else None


def _check_outputs(given: dict[str, Any], pairs: list[FilePair]) -> None:
    """Refuse what could not be written at the end, and what would be written over an input."""
    out: Path | None = given["csv_output_dir"]
    if out is not None and not out.is_dir():
        raise click.UsageError(f"--csv_output_dir {out}: there is no such directory.")
    outputs = [] if out is None else [out / name for name in (*FILES.values(), DETAILS, CONFUSABILITY)]
    for option in ("xlsx", "html"):
        path: Any = given[option]
        if isinstance(path, Path):
            if not path.parent.is_dir() or path.is_dir():
                raise click.UsageError(f"--{option} {path}: the directory is not there, or this is one.")
            outputs.append(path)
    if given["xlsx"] is not None:
        from spanrs.mat.xlsx import writer

        writer()
    read = console.overwritten(outputs, (Path(file) for pair in pairs for file in (pair.pred, pair.gold)))
    if read is not None:
        raise click.UsageError(f"{read} is read; write somewhere else.")
    given["output"].check(path for pair in pairs for path in (pair.pred, pair.gold))


def _write(result: MatTables, given: dict[str, Any]) -> None:
    """Write everything but the page."""
    out: Path | None = given["csv_output_dir"]
    confusability: bool = given["confusability"]
    if out is not None:
        formulas = None if given["no_csv_formulas"] else "openoffice" if given["oo_separator"] else "excel"
        result.to_csv(out, formulas=formulas, confusability=confusability)
    if given["xlsx"] is not None:
        result.to_xlsx(given["xlsx"])
    output: Output = given["output"]
    # The page has been written, because documents are added to it one by one.
    if _prints(given) and output.to != "html":
        output.write(lambda to: _rendered(result, confusability, to))


def _prints(given: dict[str, Any]) -> bool:
    """Say whether tables are written besides the CSV files."""
    output: Output = given["output"]
    return given["csv_output_dir"] is None or output.named or output.path is not None


def _rendered(result: MatTables, confusability: bool, to: str) -> Rendered:
    """Give the tables in a format; text is laid out as MATScore lays it out."""
    if to == "json":
        return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False)
    sheets = result.sheets(confusability)
    return render(sheets) if to == "text" else _tables(sheets, to)


def _tables(sheets: Iterable[Sheet], to: str) -> Iterator[Table | str]:
    """Give sheets as tables; numbers in CSV are not rounded."""
    for _, title, sheet in sheets:
        table = Table(sheet.columns, title=title)
        for row in sheet.rows:
            table.add_row(
                *(str(cell) if to == "csv" and cell is not None else cell_text(cell) for cell in row)
            )
        yield table


def _matcher(given: dict[str, Any]) -> Mat:
    """Give the matcher the options ask for."""
    classes: dict[str, list[str]] = {}
    for label, old in given["equivalence_class"]:
        classes.setdefault(label.strip(), []).extend(old)
    if given["task"] is None:
        unused = ("task_path", "xml_input_is_overlay", "ref_xml_input_is_overlay")
        _say_ignored(given, unused, "without --task")
    if given["csv_output_dir"] is None:
        _say_ignored(given, ("no_csv_formulas", "oo_separator"), "without --csv_output_dir")
    # Outside of the block below, which turns errors into conflicts of options: a damaged file is none.
    task = _task(given["task"], list(given["task_path"]))
    try:
        return Mat(
            task=task,
            content=given["content_annotations"],
            tokens=given["token_annotations"],
            classes=classes,
            ignore=given["ignore"] or (),
            tables=[table for table in TABLES[1:] if given[f"by_{table}"]],
            unpaired_overlap=given["unpaired_overlap"],
            pieces=given["pieces"],
        )
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None


def _say_ignored(given: dict[str, Any], options: Sequence[str], why: str) -> None:
    """Say which options do nothing."""
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
        f"Unknown task {name!r}. Name a task.xml or its folder, or say with --task_path where the task is."
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
    _say_ignored(given, unused, f"with --{kind}")
    if kind == "dir":
        for option in ("dir", "ref_dir"):
            if not given[option].is_dir():
                raise click.UsageError(f"--{option} {given[option]}: there is no such directory.")
    sides = _side(given, "ref_", gold), _side(given, "", pred)
    if kind == "file":
        return [two_files(*sides, task)], []
    pairing = Pairing(given["file_re"], given["ref_fsuff_off"], given["ref_fsuff_on"])
    pairs, alone = two_directories(*sides, task, pairing)
    return pairs, without_hypothesis(alone)


def _side(given: dict[str, Any], side: str, path: Path) -> Side:
    """Return how the files of a side are read; ``side`` begins the names of its options."""
    kind = given[f"{side}file_type"]
    for option in ("xml_input_is_overlay", "xml_translate_all"):
        if given[side + option] and kind != "xml-inline":
            raise click.UsageError(
                f"unenabled option --{side}{option}: it goes with --{side}file_type xml-inline."
            )
    columns: Columns = given["columns"]
    read = {name: given[side + name] for name in ("encoding", "annotator", "layer")}
    read |= {name: given[name] for name in ("scheme", "reading")} | options.column_arguments(columns)
    if kind == "conll":
        # CoNLL-U is detected unless --format is given.
        kind, read["format"] = "columns", columns.format
    if given[f"{side}xml_translate_all"]:
        read["elements"] = "all"
    read["overlay"] = given[f"{side}xml_input_is_overlay"]
    # Not those of `read`, which refuses options that a file type has no use for.
    return Side(path, kind, ReadOptions(limits=Limits(expansion=given["max_expansion"]), **read))
