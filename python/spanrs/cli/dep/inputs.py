"""Models and files of ``spanrs dep``."""

from __future__ import annotations

import click

from spanrs import _spanrs
from spanrs.cli import console
from spanrs.dep.installed import read, resolve
from spanrs.dep.model_files import is_model
from spanrs.errors import ModelError


def open_file(path: str, format_name: str = "auto", *, raw: bool = False) -> _spanrs.SyntaxFile:
    """Open a file; ``-`` is standard input. With ``raw`` a detected format may be raw text."""
    return _spanrs.SyntaxFile(console.source(path), None if format_name == "auto" else format_name, raw)


def load_model(path: str, *, parser: bool) -> _spanrs.DepModel:
    """Read an installed model or a model file with a tagger, and with a parser if needed."""
    if path.lower().removesuffix(".gz").endswith(".json"):
        raise click.UsageError(f"{path} looks like JSON; convert it with: spanrs dep import {path} -o OUT")
    if path.endswith((".conllu", ".conll", ".txt")):
        raise click.UsageError(f"{path} is not a model; the model is the first argument")
    model = read(path)
    if parser and not model.has_parser:
        raise ModelError(f"{path} has no parser; use spanrs dep tag instead")
    if not model.has_tagger:
        raise ModelError(f"{path} has no tagger")
    return model


def is_model_input(name: str) -> bool:
    """Return whether an argument is a model rather than a file of trees."""
    return name != "-" and is_model(resolve(name))
