"""The command line of seqscore."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any, TypeVar

import click

from spanrs.compat import seqscore
from spanrs.compat.seqscore.conll import (
    FORMAT_DELIM,
    SUPPORTED_SCORE_FORMATS,
    LineSpec,
    ingest_conll_file,
    repair_conll_file,
    score_conll_files,
    validate_conll_file,
    write_docs_using_encoding,
)
from spanrs.compat.seqscore.encoding import (
    DEFAULT_OUTSIDE,
    REPAIR_NONE,
    SUPPORTED_ENCODINGS,
    SUPPORTED_REPAIR_METHODS,
)
from spanrs.compat.seqscore.file_scores import format_table
from spanrs.compat.seqscore.model import AnnotatedSequence
from spanrs.compat.seqscore.processing import modify_types
from spanrs.compat.seqscore.writing import open_output

F = TypeVar("F", bound=Callable[..., Any])
Documents = list[list[AnnotatedSequence]]
_ENCODINGS = click.Choice(SUPPORTED_ENCODINGS)


@click.group(
    help=f"Provides scoring and analysis tools for NER/chunking files (version {seqscore.__version__})"
)
@click.version_option(seqscore.__version__)
def cli() -> None:
    """Group of the commands."""


def _all_of(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Combine decorators; options are listed in this order."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


_INPUT = _all_of(
    click.option("--file-encoding", default="UTF-8", show_default=True),
    click.option(
        "--allow-comment-lines", is_flag=True, help="allow comment lines starting with # before sequences"
    ),
    click.option(
        "--ignore-document-boundaries", is_flag=True, help="ignore any document boundaries in the input"
    ),
    click.option(
        "--token-index",
        default=0,
        show_default=True,
        type=int,
        help="index of the input field to use for the token",
    ),
    click.option(
        "--label-index",
        default=-1,
        show_default=True,
        type=int,
        help="index of the input field to use for the label",
    ),
)
_FILE = _all_of(click.argument("file", type=click.Path(dir_okay=False)), _INPUT)
_FILES = _all_of(
    click.argument("file", type=click.Path(dir_okay=False), nargs=-1, required=True),
    _INPUT,
)
_OUTPUT_FILE = click.argument("output_file")
_REPAIR = click.option(
    "--repair-method",
    type=click.Choice(SUPPORTED_REPAIR_METHODS),
    default=REPAIR_NONE,
    show_default=True,
)
_LABELS = click.option("--labels", required=True, type=_ENCODINGS)
_LABELS_BIO = click.option("--labels", default="BIO", show_default=True, type=_ENCODINGS)
_OUTPUT_DELIM = click.option(
    "--output-delim",
    default="\t",
    help="the delimiter to be used for output (has no effect on input) [default: tab]",
)
_DISCARD = click.option(
    "--discard-extra-fields",
    is_flag=True,
    help="discard any fields other than the token and label when writing output files",
)
_QUIET = click.option(
    "--quiet",
    "-q",
    is_flag=True,
    help="do not log the repairs performed and suppress other non-critical messages",
)


@cli.command(help="validate labels")
@_FILES
@_LABELS
@_QUIET
def validate(*, file: tuple[str, ...], labels: str, quiet: bool, **reading: Any) -> None:
    """Print the errors in the labels of files; the exit status is 1 if there are errors."""
    failed = False
    for name in file:
        spec, encoding, options = _split(reading)
        result = validate_conll_file(name, labels, encoding, spec, **options)
        sizes = f"{result.n_tokens} tokens, {result.n_sequences} sequences, and {result.n_docs} document(s)"
        if result.errors:
            failed = True
            print(f"Encountered {len(result.errors)} errors in {sizes} in {name}")  # noqa: T201
            if not quiet:
                print(*(error.msg for error in result.errors), sep="\n")  # noqa: T201
        elif not quiet:
            print(f"No errors found in {sizes} in {name}")  # noqa: T201
    if failed:
        sys.exit(1)


@cli.command(help="repair invalid label transitions")
@_FILE
@_OUTPUT_FILE
@click.option("--repair-method", type=click.Choice(SUPPORTED_REPAIR_METHODS))
@_LABELS
@_OUTPUT_DELIM
@_DISCARD
@_QUIET
def repair(
    *,
    file: str,
    output_file: str,
    repair_method: str | None,
    labels: str,
    output_delim: str,
    discard_extra_fields: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Write a file with repaired labels."""
    if repair_method == REPAIR_NONE:
        raise click.UsageError(f"Cannot repair with repair strategy {repair_method!r}")
    spec, encoding, options = _split(reading)
    docs = repair_conll_file(file, labels, repair_method, encoding, spec, quiet=quiet, **options)
    delim = _tab(output_delim)
    write_docs_using_encoding(
        docs, labels, encoding, delim, spec, output_file, discard_extra_fields=discard_extra_fields
    )


@cli.command(help="convert between mention encodings")
@_FILE
@_OUTPUT_FILE
@_OUTPUT_DELIM
@_DISCARD
@click.option("--input-labels", required=True, type=_ENCODINGS)
@click.option("--output-labels", required=True, type=_ENCODINGS)
def convert(
    *,
    file: str,
    output_file: str,
    output_delim: str,
    discard_extra_fields: bool,
    input_labels: str,
    output_labels: str,
    **reading: Any,
) -> None:
    """Write a file with labels in another encoding."""
    spec, encoding, options = _split(reading)
    docs = ingest_conll_file(file, input_labels, encoding, spec, **options)
    delim = _tab(output_delim)
    write_docs_using_encoding(
        docs, output_labels, encoding, delim, spec, output_file, discard_extra_fields=discard_extra_fields
    )


@cli.command(help="transform entity types by keeping/removing/mapping")
@_FILE
@_OUTPUT_FILE
@_LABELS_BIO
@click.option(
    "--keep-types", default="", help="entity types to keep, comma-separated [example: PER,LOC,ORG]"
)
@click.option(
    "--remove-types", default="", help="entity types to remove, comma-separated [example: MISC,DATE]"
)
@click.option(
    "--type-map",
    type=click.Path(dir_okay=False),
    help="a JSON file containing types to be modified, in the format of a dict with keys as the target type and values"
    " as the source type [example file: {'MISC': ['WorkOfArt', 'Event']}]",
)
@_OUTPUT_DELIM
@_DISCARD
def process(
    *,
    file: str,
    output_file: str,
    labels: str,
    keep_types: str,
    remove_types: str,
    type_map: str | None,
    output_delim: str,
    discard_extra_fields: bool,
    **reading: Any,
) -> None:
    """Write a file with selected and renamed types."""
    spec, encoding, options = _split(reading)
    kept, removed, renamed = _types(keep_types), _types(remove_types), _type_map(type_map, encoding)
    if kept and removed:
        raise click.UsageError("Cannot specify both keep-types and remove-types")
    if not (kept or removed or type_map):
        raise click.UsageError("Must specify at least one of keep-types, remove-types, or type-map")
    docs = ingest_conll_file(file, labels, encoding, spec, **options)
    try:
        docs = modify_types(docs, kept, removed, renamed)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    delim = _tab(output_delim)
    write_docs_using_encoding(
        docs, labels, encoding, delim, spec, output_file, discard_extra_fields=discard_extra_fields
    )


@cli.command(help="show counts for all the mentions contained in a file")
@_FILES
@click.option("--output-file", default=None, help="path to write output to [default: stdout]")
@_REPAIR
@_LABELS_BIO
@_OUTPUT_DELIM
@_QUIET
def count(
    *,
    file: tuple[str, ...],
    output_file: str | None,
    repair_method: str,
    labels: str,
    output_delim: str,
    quiet: bool,
    **reading: Any,
) -> None:
    """Print the number of each mention, the most frequent ones first."""
    files = _read(file, labels, repair_method, reading, quiet=quiet)
    delim = _tab(output_delim)
    if delim != "\t":
        print(  # noqa: T201
            "Warning: Using a delimiter other than tab is not recommended as fields are not quoted",
            file=sys.stderr,
        )
    counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for _, docs in files:
        for sequence in _sequences(docs):
            counts.update((mention.type, sequence.mention_tokens(mention)) for mention in sequence.mentions)
    output = open_output(output_file, reading["file_encoding"]) if output_file else nullcontext(sys.stdout)
    with output as lines:
        for (type_, tokens), number in counts.most_common():
            print(number, type_, " ".join(tokens), sep=delim, file=lines)


@cli.command(help="show counts of the documents, sentences, and entity types")
@_FILES
@_REPAIR
@_LABELS_BIO
@_QUIET
def summarize(
    *, file: tuple[str, ...], repair_method: str, labels: str, quiet: bool, **reading: Any
) -> None:
    """Print the numbers of documents and sentences, and of the mentions of each type."""
    types: Counter[str] = Counter()
    documents = sentences = 0
    for name, docs in _read(file, labels, repair_method, reading, quiet=quiet):
        types.update(mention.type for sequence in _sequences(docs) for mention in sequence.mentions)
        number = sum(map(len, docs))
        documents, sentences = documents + len(docs), sentences + number
        if not quiet:
            print(f"File {name!r} contains {len(docs)} document(s) and {number} sentences")  # noqa: T201
    if not quiet and len(file) > 1:
        print(f"Total {documents} document(s) and {sentences} sentences")  # noqa: T201
    total = "TOTAL", types.total()
    print(format_table(sorted(types.items()), ["Entity Type", "Count"], total, intfmt=","))  # noqa: T201


@cli.command(help="score a file and report performance or an error count table")
@_FILES
@click.option("--reference", required=True)
@_LABELS
@_REPAIR
@click.option(
    "--score-format", default="pretty", type=click.Choice(SUPPORTED_SCORE_FORMATS), show_default=True
)
@click.option(
    "--delim",
    default="\t",
    help="the delimiter to be used for delimited output (has no effect on input) [default: tab]",
)
@click.option(
    "--error-counts",
    is_flag=True,
    help="whether to output counts of false positives and negatives instead of scores",
)
@click.option(
    "--full-precision",
    is_flag=True,
    help="whether to output floating values at full precision instead of multiplying by 100 and rounding half even at"
    " two decimal places",
)
@_QUIET
def score(
    *,
    file: tuple[str, ...],
    reference: str,
    labels: str,
    repair_method: str,
    score_format: str,
    delim: str,
    error_counts: bool,
    full_precision: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Print the scores of files."""
    spec, encoding, options = _split(reading)
    if full_precision and score_format != FORMAT_DELIM:
        raise click.UsageError(f"Can only use full-precision with score-format {FORMAT_DELIM}")
    if error_counts and len(file) > 1:
        raise click.UsageError("Cannot use error-counts with multiple files to be scored")
    score_conll_files(
        file,
        reference,
        labels,
        _method(repair_method),
        encoding,
        spec,
        output_format=score_format,
        delim=_tab(delim),
        error_counts=error_counts,
        full_precision=full_precision,
        quiet=quiet,
        **options,
    )


@cli.command(help="extract text from a file")
@_FILES
@_LABELS_BIO
@_OUTPUT_FILE
def extract_text(*, file: tuple[str, ...], labels: str, output_file: str, **reading: Any) -> None:
    """Write the tokens of each sequence to a line, with an empty line between documents."""
    spec, encoding, options = _split(reading)
    docs = [doc for name in file for doc in ingest_conll_file(name, labels, encoding, spec, **options)]
    with open_output(output_file, "utf8") as output:
        texts = ("".join(" ".join(sequence) + "\n" for sequence in doc) for doc in docs)
        output.write("\n".join(texts))


def _split(reading: dict[str, Any]) -> tuple[LineSpec, str, dict[str, Any]]:
    """Split the options of reading: the columns, the encoding of the file, and the keyword arguments."""
    options = dict(reading)
    spec = LineSpec(options.pop("token_index"), options.pop("label_index"))
    return spec, options.pop("file_encoding"), options


def _read(
    names: Iterable[str], labels: str, repair_method: str, reading: dict[str, Any], *, quiet: bool
) -> Iterator[tuple[str, Documents]]:
    """Iterate over the names and the documents of files; the options are checked before the first file."""
    spec, encoding, options = _split(reading)
    options |= {"repair": _method(repair_method), "quiet": quiet}
    return ((name, ingest_conll_file(name, labels, encoding, spec, **options)) for name in names)


def _sequences(docs: Documents) -> Iterator[AnnotatedSequence]:
    return (sequence for doc in docs for sequence in doc)


def _method(repair_method: str) -> str | None:
    return None if repair_method == REPAIR_NONE else repair_method


def _tab(delim: str) -> str:
    r"""Return a tab for ``tab`` and ``\t``."""
    return "\t" if delim == "tab" else delim.replace(r"\t", "\t")


def _types(text: str) -> set[str]:
    types = {name.strip() for name in text.split(",") if name.strip()}
    if DEFAULT_OUTSIDE in types:
        raise click.UsageError(f"Cannot specify the outside type {DEFAULT_OUTSIDE} in keep/remove types")
    return types


def _type_map(path: str | None, encoding: str) -> dict[str, list[str]]:
    """Read new names of types -> lists of old names from a JSON file."""
    if not path:
        return {}
    try:
        with open(path, encoding=encoding) as file:
            names = json.load(file)
    except FileNotFoundError as error:
        raise click.UsageError(f"Could not open type map file {path!r}") from error
    except json.JSONDecodeError as error:
        raise click.UsageError(f"Type map provided in file {path!r} is not valid JSON") from error
    if not isinstance(names, dict):
        raise click.UsageError(f"Type map provided in file {path!r} is not a dictionary")

    def check(kind: str, value: object) -> None:
        where = f"{kind} {value!r} in type map {path!r} is"
        if not isinstance(value, str) or not value:
            raise click.UsageError(f"{where} not a non-empty string")
        if value == DEFAULT_OUTSIDE:
            raise click.UsageError(f"{where} the outside type {DEFAULT_OUTSIDE}")

    for new, olds in names.items():
        check("Key", new)
        if not isinstance(olds, list):
            raise click.UsageError(f"Value {olds!r} in type map {path!r} is not a list")
        for old in olds:
            check("Value", old)
    return names


if __name__ == "__main__":
    cli()
