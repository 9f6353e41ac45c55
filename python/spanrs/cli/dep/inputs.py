"""Models and files of ``spanrs dep``."""

from __future__ import annotations

import click

from spanrs import _spanrs
from spanrs.cli import console
from spanrs.dep.tagger import load
from spanrs.errors import ModelError

#: Formats of sentences.
FORMATS = ("auto", "conllu", "four-columns", "word-tag", "tokens")


def check_format(name: str) -> None:
    """Refuse formats other than :data:`FORMATS`."""
    if name not in FORMATS:
        raise click.UsageError(
            f"--format {name} is not supported by this command; expected one of {', '.join(FORMATS)}"
        )


def open_file(path: str, format_name: str = "auto") -> _spanrs.SyntaxFile:
    """Open a file; ``-`` is standard input."""
    return _spanrs.SyntaxFile(console.source(path), None if format_name == "auto" else format_name)


def load_model(path: str, *, parser: bool) -> _spanrs.DepModel:
    """Read a model file with a parser, or with a tagger."""
    if path.lower().removesuffix(".gz").endswith(".json"):
        raise click.UsageError(f"{path} looks like JSON; convert it with: spanrs dep import {path} -o OUT")
    if path.endswith((".conllu", ".conll", ".txt")):
        raise click.UsageError(f"{path} is not a model; the model is the first argument")
    model = load(path)
    if parser and not model.has_parser:
        raise ModelError(f"{path} has no parser; use spanrs dep tag instead")
    if not parser and not model.has_tagger:
        raise ModelError(f"{path} has no tagger")
    return model
