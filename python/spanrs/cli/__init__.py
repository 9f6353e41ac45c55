"""The command line: ``spanrs score``, ``fair``, ``mat``, ``validate``, ``convert``, ``spans`` and so on.

Exit status: 0 all well; 1 ``validate`` found violations, ``score`` left a PRED out, ``mat`` had to skip
something, or its options do not go together; 2 the input or the command line is wrong, said in one line on
standard error, with nothing written.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``spanrs``."""
    _run("spanrs.cli.group", "group", "spanrs")


def mat_main() -> None:
    """Run ``MATScore``."""
    _run("spanrs.cli.mat", "command", "MATScore")


def _run(module: str, command: str, name: str) -> None:
    # Imports take long enough to be interrupted, so they are inside, and nothing heavy is imported above.
    try:
        import importlib

        from spanrs.cli.run import run

        status = run(getattr(importlib.import_module(module), command), name=name)
    except KeyboardInterrupt:
        sys.stderr.write("spanrs: error: interrupted\n")
        status = 130
    sys.exit(status)
