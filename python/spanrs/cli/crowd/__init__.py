"""``spanrs crowd``: learning from the labels of many annotators."""

from __future__ import annotations

import click

from spanrs.cli._generated import SUMMARIES
from spanrs.cli.lazy import LazyGroup
from spanrs.cli.run import CONTEXT

COMMANDS = SUMMARIES["crowd"]
MODULES = {name: f"spanrs.cli.crowd.{name}" for name in COMMANDS}


@click.group(cls=LazyGroup, context_settings=CONTEXT, commands_help=COMMANDS, modules=MODULES)
def command() -> None:
    """Learn from the labels of many annotators.

    A file of annotations has one token per line, followed by the label of each annotator (? if there is none), and an
    empty line after each sentence. Other inputs: a column file for each annotator, or a table (.csv, .parquet, .arrow)
    with the columns annotator, document, token, label.
    """
