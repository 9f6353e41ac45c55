"""Install a distribution into a new virtual environment and score the example files there.

Run as ``python .ci/try_install.py dist/spanrs-*.whl`` with the standard library alone. The command runs in a directory
with only the examples, and must print the output shown in the README.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = ["spanrs", "score", "examples/gold.conll", "examples/pred.conll"]


def expected() -> str:
    """Return the output of the command according to the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(rf"```sh\n{re.escape(' '.join(COMMAND))}\n```\n\n```text\n(.*?)```", text, re.DOTALL)
    if match is None:
        raise SystemExit(f"README.md does not show the output of {' '.join(COMMAND)}")
    return match[1]


def environment() -> dict[str, str]:
    """Return the environment without variables that refer to another Python or copy of the package."""
    removed = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYO3_PYTHON", "COLUMNS")
    kept = {key: value for key, value in os.environ.items() if key not in removed}
    return kept | {"PYTHONUTF8": "1", "NO_COLOR": "1"}


def try_install(package: Path, pip: list[str]) -> None:
    """Install and run one package; exit with a message if that fails or prints something else."""
    with tempfile.TemporaryDirectory(prefix="spanrs-") as folder:
        room = Path(folder)
        venv.create(room / "venv", with_pip=True)
        scripts = room / "venv" / ("Scripts" if os.name == "nt" else "bin")
        start = time.monotonic()
        subprocess.run(
            [
                scripts / "python",
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                *pip,
                package,
            ],
            env=environment(),
            cwd=room,
            check=True,
        )
        print(f"{package.name}: installed in {time.monotonic() - start:.0f} s")
        shutil.copytree(ROOT / "examples", room / "work" / "examples")
        done = subprocess.run(
            [scripts / COMMAND[0], *COMMAND[1:]],
            env=environment(),
            cwd=room / "work",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        # Standard error comes first in the README; how the two are interleaved in a pipe is not fixed.
        got, wanted = sorted(done.stdout.splitlines()), sorted(expected().splitlines())
        if done.returncode or got != wanted:
            difference = "\n".join(
                difflib.unified_diff(wanted, got, "README.md", package.name, lineterm="")
            )
            raise SystemExit(f"{package.name}: exit status {done.returncode}\n{difference}")
        print(f"{package.name}: {' '.join(COMMAND)} prints what the README shows")


def main() -> int:
    """Try the packages of the command line and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="+", type=Path)
    parser.add_argument(
        "--pip", action="append", default=[], help="an option for pip install, such as numpy==1.26.*"
    )
    options = parser.parse_args()
    for package in options.packages:
        try_install(package.resolve(), options.pip)
    return 0


if __name__ == "__main__":
    sys.exit(main())
