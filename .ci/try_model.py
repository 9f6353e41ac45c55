"""Install a model and spanrs from a folder of wheels into a new virtual environment without network, and use the model.

Run as ``unshare --net python .ci/try_model.py en_ewt test.conllu --wheels wheels`` with the standard library alone. The
scores on the files, which should not be the training data, are printed in Markdown.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

#: Loads the model, and prints the files of spanrs and of the model, and the version of the model.
USE = """
import sys, spanrs, spanrs.dep
(model,) = [model for model in spanrs.dep.models() if model.name == sys.argv[1]]
spanrs.dep.load(model.name)
print(spanrs.__file__, model.path, model.version, sep="\\n")
"""


def check_network() -> None:
    """Exit with a message if there is a network."""
    for host in ("1.1.1.1", "pypi.org"):
        try:
            socket.create_connection((host, 443), timeout=10).close()
        except OSError as error:
            print(f"no connection to {host}: {error}", file=sys.stderr)
        else:
            raise SystemExit(f"{host} can be reached; run this with: unshare --net")


def environment() -> dict[str, str]:
    """Return the environment without variables that refer to another Python or copy of the package."""
    removed = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    kept = {key: value for key, value in os.environ.items() if key not in removed}
    return kept | {"PYTHONUTF8": "1", "NO_COLOR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(command: Sequence[str | Path], folder: Path) -> str:
    """Run a command in a folder and return its output; exit with a message if it fails."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=folder,
        env=environment(),
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}")
    return done.stdout


def try_model(name: str, wheels: Path, files: list[Path]) -> None:
    """Install and use a model; exit with a message if a step fails."""
    with tempfile.TemporaryDirectory(prefix="spanrs-model-") as folder:
        room = Path(folder).resolve()
        venv.create(room / "venv", with_pip=True)
        scripts = room / "venv" / ("Scripts" if os.name == "nt" else "bin")
        distribution = f"spanrs-model-{name.replace('_', '-')}"
        offline = ("--no-index", "--find-links", wheels.resolve())
        run([scripts / "python", "-m", "pip", "install", "--quiet", *offline, distribution], room)
        package, model, version = run([scripts / "python", "-c", USE, name], room).splitlines()
        for path in (package, model):
            if not Path(path).resolve().is_relative_to(room):
                raise SystemExit(f"{path} is not in the new environment")
        print(f"## {distribution} {version}\n\n```text")
        facts = run([scripts / "spanrs", "dep", "info", name], room)
        print(f"{facts.rstrip()}\n```")
        for file in files:
            if not run([scripts / "spanrs", "dep", "parse", name, file.resolve()], room).strip():
                raise SystemExit(f"{file} is parsed without output")
            for option in ((),) if "segmenter: none" in facts else ((), ("--raw",)):
                evaluate = [
                    scripts / "spanrs",
                    "dep",
                    "eval",
                    file.resolve(),
                    name,
                    "--to",
                    "markdown",
                    *option,
                ]
                title = f"{file.name}, from {'text' if option else 'words'}"
                print(f"\n### Scores on {title}\n\n{run(evaluate, room).strip()}")


def main() -> int:
    """Try the model of the command line and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", help="name of the model, such as en_ewt")
    parser.add_argument(
        "--wheels", type=Path, required=True, help="folder with the model, spanrs and its dependencies"
    )
    parser.add_argument("files", nargs="*", type=Path, help="CoNLL-U files to score")
    options = parser.parse_args()
    check_network()
    try_model(options.name, options.wheels, options.files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
