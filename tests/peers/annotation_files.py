"""Files of annotation tools: written by spanrs for the tools' packages, and by the packages for spanrs.

The programs in `annotation_tools` read and write files with the package of a tool. An input is a format with the files
that spanrs writes for the documents of `annotation_project`, or a format alone, for which a program writes files with
documents of its own. The output has what the package reads from the files, and problems that it reports.
"""

from __future__ import annotations

import base64
import random
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spanrs
from annotation_project import documents

PROGRAMS = Path(__file__).parent / "annotation_tools"


def written_files(form: str) -> dict[str, str]:
    """Return the files that spanrs writes for the project, by name; a file that is not text is in base 64."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", spanrs.SpanrsWarning)
        target = Path(folder, "project")
        spanrs.write(documents(), target, to=form)
        files = sorted(target.iterdir()) if target.is_dir() else [target]
        return {
            path.name: base64.b64encode(path.read_bytes()).decode()
            if form == "spacy"
            else path.read_bytes().decode()
            for path in files
        }


def inputs(*forms: str, own: bool = True) -> Callable[[random.Random], list[Any]]:
    """Return a function for the inputs of formats; with `own`, the package writes files, too."""

    def made(_: random.Random) -> list[Any]:
        return [
            case for form in forms for case in ([form, written_files(form)], *([[form]] if own else []))
        ]

    return made


def program(name: str) -> str:
    """Return the source of a program."""
    return (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
