"""``spanrs dep import``."""

from __future__ import annotations

import click

from spanrs.cli import console
from spanrs.dep.parser import import_published
from spanrs.dep.tagger import save


@click.command()
@click.argument("model_path", metavar="MODEL.json[.gz]")
@click.argument("output", metavar="OUT")
def command(model_path: str, output: str) -> None:
    """Convert the weights of parser.py from JSON to a model file.

    MODEL.json has the members parser (feature -> {move: weight}), tagger (feature -> {tag: weight}), tagdict and
    classes.
    """
    console.check_output(output, (model_path,))
    save(import_published(model_path), output)
