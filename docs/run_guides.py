"""Runs the commands and examples of the guides, and writes their output into the guides: `make guides`.

A guide is a page in `docs/guides`; the README is treated in the same way. Its blocks are run in order, in a temporary
folder with a copy of `examples`:

- In a block `console`, lines that begin with `$` are commands of a shell; the lines below a command are its output.
- In a block `python`, lines that begin with `>>>` are examples of `doctest`.
- A block below `<!-- needs: MODULE -->` is left as it is where the module is not installed.
- An image of the page that a command wrote (`--plot types.svg`) is copied to `docs/images`.

`tests/docs` runs all guides and compares the output with the pages.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import itertools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
GUIDES = [*sorted((DOCS / "guides").glob("*.md")), ROOT / "README.md"]
IMAGES = DOCS / "images"
BLOCK = re.compile(
    r"^(?:<!-- needs: (\w+) -->\n)?```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
IMAGE = re.compile(r"!\[[^]]*\]\([^)]*?([\w.-]+\.svg)\)")
#: The environment of the commands: the width of a page, no colours, and these settings only.
ENVIRONMENT = MappingProxyType(
    {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C", "PYTHONUTF8": "1"}
)


#: Exit statuses above are those of a shell: a command that does not exist, or was ended by a signal.
MOST_STATUS = 125


@dataclass(slots=True)
class Run:
    """A page after its commands and examples were run.

    Parameters
    ----------
    text : str
        The page with the output of its commands and examples.
    failures : list of str
        Reports of commands that crashed, and of examples of Python that raised an exception.
    images : dict of str to str
        Name and content of each image of the page that a command wrote.
    files : dict of str to bytes
        Name and content of each page that a command wrote (`-o report.html`).
    """

    text: str
    failures: list[str] = field(default_factory=list)
    images: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


def run(path: Path) -> Run:
    """Run a page in a temporary folder.

    Parameters
    ----------
    path : Path
        The page.

    Returns
    -------
    Run
        The page as it should be, and what its commands wrote.
    """
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples")
        done = Run("")
        namespace: dict[str, object] = {}
        parts, end = [], 0
        for block in BLOCK.finditer(text):
            module, kind, body = block.groups()
            if module and importlib.util.find_spec(module) is None:
                continue
            if kind == "console":
                body, failures = _console(body, folder)
                done.failures += failures
            elif ">>>" in body:
                body, failures = _python(body, namespace, path, text[: block.start()].count("\n") + 1)
                done.failures += failures
            parts += [text[end : block.start(3)], body]
            end = block.end(3)
        done.text = "".join([*parts, text[end:]])
        for image in IMAGE.findall(text):
            if (folder / image).exists():
                done.images[image] = (folder / image).read_text(encoding="utf-8")
        done.files = {page.name: page.read_bytes() for page in folder.glob("*.html")}
    return done


def _console(body: str, folder: Path) -> tuple[str, list[str]]:
    """Return a block of commands with their output, and the reports of commands that crashed."""
    written, failures = [], []
    for command in _commands(body):
        program = command.removeprefix("$ ").replace("\n> ", "\n")
        environment = {
            **{name: os.environ[name] for name in ("HOME", "SYSTEMROOT") if name in os.environ},
            **ENVIRONMENT,
            "PATH": os.pathsep.join(
                [sysconfig.get_path("scripts"), str(Path(sys.executable).parent), os.environ["PATH"]]
            ),
            "PYTHONPATH": str(ROOT / "python"),
        }
        shell = subprocess.run(
            ["bash", "-c", program],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output = shell.stdout.decode()
        # Commands may fail on purpose, but with a message.
        if shell.returncode > MOST_STATUS or "Traceback (most recent call last)" in output:
            failures.append(f"{command}: exit status {shell.returncode}\n{output}")
        # Trailing spaces would be removed by editors.
        lines = [line.rstrip() for line in output.splitlines()]
        written.append("\n".join([command, *lines]).rstrip() + "\n")
    return "".join(written), failures


def _commands(body: str) -> Iterator[str]:
    """Yield the commands of a block, with the lines that continue them (`> `) and without their output."""
    for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE)[1:]:
        first, *lines = part.splitlines()
        continued = itertools.takewhile(lambda line: line.startswith("> "), lines)
        yield "\n".join([first, *continued])


class _Runner(doctest.DocTestRunner):
    """Collects the output of examples that differs from the page, and reports exceptions."""

    def __init__(self) -> None:
        super().__init__()
        self.outputs: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:  # noqa: ARG002
        """Collect the output of an example."""
        self.outputs.append((example, re.sub(r"(?m)^[ \t]*$(?=\n)", "<BLANKLINE>", got)))


def _python(body: str, namespace: dict[str, object], path: Path, line: int) -> tuple[str, list[str]]:
    """Run the examples of a block in the namespace of the page; return the block and the reports of exceptions."""
    test = doctest.DocTestParser().get_doctest(body, namespace, path.name, str(path), line)
    reports: list[str] = []
    runner = _Runner()
    runner.run(test, out=reports.append, clear_globs=False)
    namespace.update(test.globs)
    lines = body.splitlines(keepends=True)
    for example, output in reversed(runner.outputs):
        start = example.lineno + example.source.count("\n")
        lines[start : start + example.want.count("\n")] = output.splitlines(keepends=True)
    return "".join(lines), ["".join(reports)] if reports else []


def main() -> None:
    """Write the output of all guides, or of those that are named, and their images."""
    names = sys.argv[1:]
    failures = []
    for path in GUIDES:
        if names and path.stem not in names:
            continue
        done = run(path)
        failures += done.failures
        path.write_text(done.text, encoding="utf-8")
        IMAGES.mkdir(exist_ok=True)
        for name, content in done.images.items():
            (IMAGES / name).write_text(content, encoding="utf-8")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
