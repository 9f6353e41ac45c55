"""Commands that install and remove the hook of an environment."""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from spanrs.compat._activation import DISTRIBUTIONS, MODULES, VERSIONS, check_names
from spanrs.io import atomic_output

NAME = "spanrs_activate.pth"


def hook_text(packages: Sequence[str]) -> str:
    """Return the content of a hook: one line, which site executes when an interpreter starts.

    >>> hook_text(["seqeval"]).startswith("import os;")
    True
    """
    tops = {package: MODULES.get(package, package) for package in VERSIONS}
    distributions = {package: DISTRIBUTIONS.get(package, package) for package in VERSIONS}
    source = files("spanrs.compat").joinpath("_hook.py").read_text(encoding="utf-8")
    source += f"\n\ninstall({list(packages)!r}, {tops!r}, {distributions!r})\n"
    # Interpreters without packages to activate do not compile the source.
    needed = "" if packages else "os.environ.get('SPANRS_ACTIVATE') and "
    return f"import os; {needed}exec({source!a}, {{'__name__': 'spanrs_hook'}})\n"


def install_hook(packages: Sequence[str], path: Path) -> None:
    """Write or replace the hook; raises ValueError for packages that spanrs does not replace."""
    check_names(packages)
    with atomic_output(path) as file:
        file.write(hook_text(packages).encode("ascii"))


def main(argv: Sequence[str] | None = None) -> int:
    """Install or remove the hook of this environment; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m spanrs.compat", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    install = commands.add_parser(
        "install-hook", help="activate packages in every interpreter of this environment"
    )
    words = "packages to activate (default: the packages named by the environment variable SPANRS_ACTIVATE)"
    install.add_argument("names", metavar="NAME", nargs="*", help=words)
    commands.add_parser("remove-hook", help="remove the hook of this environment")
    options = parser.parse_args(argv)
    path = Path(sysconfig.get_path("purelib")) / NAME
    try:
        if options.command == "install-hook":
            install_hook(options.names, path)
            print(f"wrote {path}")  # noqa: T201
        else:
            if not path.exists():
                raise ValueError(f"there is no hook: {path} does not exist")
            path.unlink()
            print(f"removed {path}")  # noqa: T201
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0
