"""``spanrs crf``: train linear-chain conditional random fields, and tag files with them."""

from __future__ import annotations

import click

from spanrs.cli._generated import SUMMARIES
from spanrs.cli.lazy import LazyGroup
from spanrs.cli.run import CONTEXT

COMMANDS = SUMMARIES["crf"]
MODULES = {name: f"spanrs.cli.crf.{'evaluate' if name == 'eval' else name}" for name in COMMANDS}


@click.group(cls=LazyGroup, context_settings=CONTEXT, commands_help=COMMANDS, modules=MODULES)
def command() -> None:
    """Train conditional random fields, and tag files with them.

    spanrs crf train gold.conll --dev dev.conll -o model, then spanrs crf tag model raw.conll.
    """
