"""``spanrs dep``: train taggers and dependency parsers, and annotate files with them."""

from __future__ import annotations

import click

from spanrs.cli.lazy import LazyGroup
from spanrs.cli.run import CONTEXT

#: Command -> what it does.
COMMANDS = {
    "train": "Train a tagger and a parser on a treebank.",
    "parse": "Tag and parse files.",
    "tag": "Tag files.",
    "eval": "Compare trees with gold trees, or parse gold text and compare.",
    "draw": "Draw trees as text or SVG.",
    "info": "Show what a model holds.",
    "import": "Convert a model of parser.py from JSON.",
    "templates": "Print the feature templates of the parser.",
}
#: Commands whose modules have other names.
_MODULES = {"eval": "evaluate", "import": "import_model", "parse": "annotate", "tag": "annotate"}
_ATTRIBUTES = {"tag": "tag", "parse": "parse"}
MODULES = {name: f"spanrs.cli.dep.{_MODULES.get(name, name)}" for name in COMMANDS}


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT,
    commands_help=COMMANDS,
    modules=MODULES,
    attributes=_ATTRIBUTES,
)
def command() -> None:
    """Train part-of-speech taggers and dependency parsers, and annotate files with them.

    spanrs dep train train.conllu --dev dev.conllu -o model, then spanrs dep parse model raw.txt.
    """
