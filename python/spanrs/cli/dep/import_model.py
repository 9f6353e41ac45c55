"""``spanrs dep import``."""

from __future__ import annotations

from spanrs.cli import _generated, console
from spanrs.cli.output_files import check_model_output, check_outputs
from spanrs.dep import Parser


@_generated.dep_import
def command(model_path: str, output_path: str) -> None:
    """Convert the weights of parser.py from JSON to a model file.

    MODEL.json has the members parser (feature -> {move: weight}), tagger (feature -> {tag: weight}), tagdict and
    classes.
    """
    check_outputs([("-o", output_path)], [model_path])
    check_model_output(output_path)
    Parser.from_published(model_path).save(console.target(output_path))
