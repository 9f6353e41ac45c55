"""``spanrs dep``: train models from text to dependency trees, and annotate files with them."""

from __future__ import annotations

import click

from spanrs.cli._generated import SUMMARIES
from spanrs.cli.lazy import LazyGroup
from spanrs.cli.run import CONTEXT

COMMANDS = SUMMARIES["dep"]
#: Modules of the commands whose names differ from the module name.
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
    """Train models from text to dependency trees, and annotate files or raw text with them.

    spanrs dep train train.conllu --dev dev.conllu -o model, then spanrs dep parse model raw.txt.
    """
