"""Models and files of ``spanrs dep``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from spanrs import _spanrs
from spanrs.cli import console
from spanrs.dep.tagger import load
from spanrs.errors import ModelError

F = TypeVar("F", bound=Callable[..., Any])

#: How sentences are written.
FORMATS = ("auto", "conllu", "four-columns", "word-tag", "tokens")

#: The format of input files.
input_format = click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="auto",
    help="conllu: CoNLL-U or CoNLL-X; four-columns: form, tag, head, label (parser.py); word-tag: They/PRP "
    "ate/VBD; tokens: tokens separated by spaces, a sentence a line. auto detects it.",
)
#: Number of threads; 0 is one per processor.
threads = click.option(
    "--threads",
    type=click.IntRange(0, 1024),
    default=1,
    help="Worker threads; 0: one per processor. The output does not depend on it.",
)


def open_file(path: str, format_name: str = "auto") -> _spanrs.SyntaxFile:
    """Open a file; ``-`` is standard input."""
    return _spanrs.SyntaxFile(console.source(path), None if format_name == "auto" else format_name)


def load_model(path: str, *, parser: bool) -> _spanrs.DepModel:
    """Read a model file with a parser, or with a tagger."""
    if path.lower().removesuffix(".gz").endswith(".json"):
        raise click.UsageError(f"{path} looks like JSON; convert it with: spanrs dep import {path} OUT")
    if path.endswith((".conllu", ".conll", ".txt")):
        raise click.UsageError(f"{path} is not a model; name the model first")
    model = load(path)
    if parser and not model.has_parser:
        raise ModelError(f"{path} has no parser; spanrs dep tag takes it")
    if not parser and not model.has_tagger:
        raise ModelError(f"{path} has no tagger")
    return model
