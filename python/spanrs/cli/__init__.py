"""The command line: ``spanrs score``, ``compare``, ``validate``, ``convert`` and so on, and ``MATScore``.

Exit status: 0 success; 1 ``validate`` found violations, ``score`` skipped a PRED, or a measure is lower than
``--fail-under``; 2 the input or the command line is invalid: the error is one line on standard error, and no output
is written.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``spanrs``."""
    _run("spanrs.cli.group", "group", "spanrs")


def mat_main() -> None:
    """Run ``MATScore``."""
    _run("spanrs.cli.matscore", "command", "MATScore")


def _run(module: str, command: str, name: str) -> None:
    # Imported here, so that Ctrl-C during the slow imports is handled; the module itself imports nothing slow.
    try:
        import importlib

        from spanrs.cli.run import run

        status = run(getattr(importlib.import_module(module), command), name=name)
    except KeyboardInterrupt:
        sys.stderr.write("spanrs: error: interrupted\n")
        status = 130
    sys.exit(status)
