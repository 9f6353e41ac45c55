"""``spanrs crf tag``."""

from __future__ import annotations

import click

from spanrs.cli import _generated, console, options
from spanrs.cli.crf.features import load_model, tokens_of_model
from spanrs.cli.options import given
from spanrs.cli.output_files import check_outputs
from spanrs.cli.run import print_message
from spanrs.errors import FormatError, with_code
from spanrs.io import atomic_output
from spanrs.io.columns import Columns
from spanrs.threads import thread_count


@_generated.crf_tag
@options.columns
def command(
    model_path: str,
    files: tuple[str, ...],
    output_path: str | None,
    template: str | None,
    features: tuple[int | str, ...],
    threads: int,
    model_scheme: str | None,
    posterior: bool,
    probabilities: bool,
    columns: Columns,
) -> None:
    """Write FILE with the tags of MODEL as a new last column. MODEL or FILE may be "-" (standard input), but not both.

    With --column the tags replace the contents of that column. CoNLL-U files cannot have a new column: the tags are
    written to --column, by default the tag column of the training data if that was CoNLL-U. Comments, empty lines and
    all other columns stay unchanged. By default, columns are read as in the training data. Several FILE are written
    one after the other. Nothing is written if a file cannot be tagged.
    """
    if (model_path, *files).count("-") > 1:
        raise click.UsageError("standard input can be read once")
    check_outputs([("-o", output_path)], [model_path, *files])
    model = load_model(model_path, template, features, threads, model_scheme)
    trained = model.card.get("columns", {})
    token = tokens_of_model(model.card, {}).get("tokens")
    columns = columns if token is None else columns._replace(token=token)
    target = columns.tag if given("tag") else None
    if isinstance(target, tuple):
        raise click.UsageError("--column takes one column")
    # The tags are not read, so files need not contain tags.
    layout = columns._replace(tag=-1)
    options = {
        "extra": list(model.features),
        "target": target,
        "conllu_target": trained.get("tag") if trained.get("conllu") else None,
        "posterior": posterior,
        "probabilities": probabilities,
        "threads": thread_count(threads),
    }
    with atomic_output(console.target(output_path)) as out, console.files_bar(*files) as bar:
        sources = [(console.source(path), layout) for path in files]
        tag_files = model.crf._trained().tag_files
        try:
            reports = tag_files(sources, out, options, bar)
        except FormatError as error:
            raise _with_advice(error) from None
    for report in reports:
        for message in report["warnings"]:
            print_message("warning", message)
        if not report["has_known_attributes"]:
            model.warn_of_unknown()


def _with_advice(error: FormatError) -> FormatError:
    """Replace the advice about files of another format, which is meant for scoring."""
    if error.code != "wrong_format":
        return error
    what = str(error).split(";")[0]
    message = (
        f"{what}; only column files (one token a line) can be tagged; convert FILE with "
        "spanrs.write(FILE, 'tokens.conll') in Python"
    )
    return with_code(FormatError(message), error.code, error.path, error.line)
