"""The command ``spanrs`` with its subcommands."""

from __future__ import annotations

import click

from spanrs import __version__
from spanrs.cli.lazy import LazyGroup
from spanrs.cli.run import CONTEXT

#: Command -> what it does. The modules are imported only when they are needed.
COMMANDS = {
    "score": "Score tagged files: precision, recall, F1 of spans.",
    "compare": "Compare systems: which differences are significant.",
    "merge": "Merge counts that spanrs score --save wrote.",
    "fair": "Evaluate spans fairly: every mistake once, as what it is.",
    "read": "Show what is understood of a file: format, layers, scheme.",
    "validate": "List the tags that do not conform to their scheme.",
    "convert": "Convert the tags of a file from one scheme to another.",
    "spans": "Write the spans of a tagged file as JSON Lines.",
    "mat": "Score annotated documents as MITRE's MATScore does.",
    "conlleval": "Write what conlleval.pl writes, byte for byte.",
    "crf": "Train conditional random fields, and tag files with them.",
    "crowd": "Learn from the labels of many annotators.",
    "dep": "Train part-of-speech taggers and dependency parsers, and annotate files with them.",
}


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT,
    commands_help=COMMANDS,
    modules={name: f"spanrs.cli.{name}" for name in COMMANDS},
)
@click.version_option(__version__, prog_name="spanrs")
def group() -> None:
    """Work with labelled spans of text."""
