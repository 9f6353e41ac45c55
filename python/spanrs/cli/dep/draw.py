"""``spanrs dep draw``."""

from __future__ import annotations

import click

from spanrs import _spanrs
from spanrs.cli import _generated, console
from spanrs.cli.dep.inputs import load_model, open_file
from spanrs.cli.output import resolve_output
from spanrs.cli.run import print_message
from spanrs.dep import Parse, Pipeline, draw, parse_conllu, read_conllu, to_svg
from spanrs.io import atomic_output


@_generated.dep_draw
def command(
    file: str,
    model_path: str | None,
    is_text: bool,
    sentence: int | None,
    format_name: str,
    to: str | None,
    output_path: str | None,
) -> None:
    """Draw the trees of FILE (CoNLL-U), or the trees predicted by MODEL for the sentences of FILE.

    spanrs dep draw --model MODEL --text "They ate the pizza with anchovies"
    """
    output = resolve_output(to, output_path, ("text", "svg"))
    output.check([*([] if is_text else [file]), model_path])
    parses = _of_text(file, model_path) if is_text else _of_file(file, model_path, format_name)
    if sentence is not None:
        if sentence > len(parses):
            raise click.UsageError(f"--sentence {sentence}: the file has {len(parses)} sentences")
        parses = [parses[sentence - 1]]
    if not parses:
        raise click.ClickException(f"{file} contains no sentences")
    if output.to == "svg" and len(parses) > 1:
        raise click.UsageError(
            f"--to svg draws a single sentence; choose one of {len(parses)} with --sentence N"
        )
    text = to_svg(parses[0]) if output.to == "svg" else "\n\n".join(draw(parse) for parse in parses)
    if output.to_stdout:
        click.echo(text)
        return
    with atomic_output(output_path) as out:
        out.write(f"{text}\n".encode())


def _of_text(text: str, model_path: str | None) -> list[Parse]:
    """Parse the text given on the command line: one sentence of tokens if the model has no segmenter."""
    if model_path is None:
        raise click.UsageError("--text needs --model")
    if not text.split():
        raise click.UsageError("the sentence has no words")
    pipeline = Pipeline._of(load_model(model_path, parser=True))
    if "segmenter" in pipeline.components:
        return pipeline.parse_text(text)
    if running := _spanrs.running_text([text]):
        message = (
            f'{running[1]!r} is parsed as one word; put spaces between all tokens, as in "anchovies ."'
        )
        print_message("warning", message)
    return [pipeline.parse(text.split())]


def _of_file(path: str, model_path: str | None, format_name: str) -> list[Parse]:
    """Read the sentences of a file, and parse them if a model is given."""
    if model_path is not None:
        model = load_model(model_path, parser=True)
        file = open_file(path, format_name, raw=model.has_segmenter)
        parts = iter(lambda: model.annotate_file(file, {}), None)
        return parse_conllu(b"".join(parts).decode())
    parses = read_conllu(console.source(path), format=None if format_name == "auto" else format_name)
    if parses and not len(parses[0].heads):
        raise click.UsageError(f"{path} has no trees; parse it with --model MODEL")
    return parses
