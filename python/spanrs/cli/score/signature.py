"""``--like``: options recorded in a signature."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click

from spanrs import __version__, _spanrs
from spanrs.cli._generated import SIGNATURE_PARAMETERS
from spanrs.cli.run import print_message
from spanrs.errors import SchemeError, with_code
from spanrs.eval.settings import UNDECIDED, parse_signature

#: Settings of a signature that are not options: they record properties of the data, or the version.
FOUND = ("differing_tokens", "unit", "version")
#: Settings that are numbers.
NUMBERS = ("min_overlap", "beta", "iou_threshold")
#: A name in a list: either quoted as in JSON, or unquoted and without commas.
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|[^,=;"]+')


@dataclass
class Like:
    """Settings recorded in a signature."""

    options: dict[str, Any] = field(default_factory=dict)
    """Options of the command by name."""
    dialect: dict[str, Any] = field(default_factory=dict)
    """Fields of the dialect."""
    columns: tuple[int | str, ...] | None = None
    """Layers of tags."""
    exclude: list[str] | None = None
    """Types that the fair matcher excludes."""
    types: list[list[str] | dict[str, str | None]] = field(default_factory=list)
    """Types to keep, or new names of types, in the order in which they were applied."""
    answers: dict[str, Any] = field(default_factory=dict)
    """Options of answers of models, as for :class:`spanrs.io.AnswerOptions`."""


def read_like(text: str) -> Like:
    """Parse a signature, long or short.

    Raises
    ------
    spanrs.errors.SchemeError
        For text that is not a signature.
    click.UsageError
        For signatures of other commands, and for settings that cannot be used again.

    Examples
    --------
    >>> from spanrs.cli.score.signature import read_like
    >>> read_like("m:exact|s:BIO|r:strict|v:0.1.0").options
    {'matcher': 'exact', 'scheme': 'BIO', 'reading': 'strict'}
    """
    try:
        return _like(parse_signature(text))
    except (ValueError, KeyError) as error:
        if isinstance(error, SchemeError):
            raise
        message = f"{text!r} has a setting that cannot be read: {error}"
        raise with_code(SchemeError(message), "signature") from None


def _like(settings: dict[str, str]) -> Like:
    """Distribute the settings of a signature over the fields of a :class:`Like`."""
    if settings["matcher"] == "mat":
        raise click.UsageError(
            "--like does not set the options of --matcher mat; give --matcher mat and its options instead"
        )
    if settings["matcher"] not in _spanrs.matchers():
        matchers = ", ".join(_spanrs.matchers())
        raise click.UsageError(
            f"--like: spanrs score has no matcher {settings['matcher']}; expected one of {matchers}"
        )
    if settings["version"] != __version__:
        print_message(
            "note",
            f"the signature was written by version {settings['version']}, but this is version {__version__}",
        )
    like = Like()
    fair = settings["matcher"] == "fair"
    # A signature without ``exclude`` excludes no types, whereas None excludes FairEval's placeholder types.
    like.exclude = [] if fair else None
    for name, value in settings.items():
        if name in SIGNATURE_PARAMETERS:
            like.options[name] = float(value) if name in NUMBERS else value
        elif name in PARSED:
            option, parse = PARSED[name]
            (like.answers if name in ANSWERS else like.options)[option] = parse(value)
        elif name == "exclude":
            like.exclude = _names(value)
        elif name == "types":
            like.types = [_types(phrase) for phrase in _split(value, ";")]
        elif name == "columns":
            like.columns = tuple(
                int(column) if column.lstrip("-").isdecimal() else column for column in value.split(",")
            )
        elif name in ("separator", "suffix", "bare_is_type", "unknown_is_outside"):
            like.dialect[name] = _dialect_value(name, value)
        elif name not in FOUND:
            raise click.UsageError(f"--like: {name}:{value} is not a setting of spanrs score")
    if like.options.get("scheme") == UNDECIDED:
        del like.options["scheme"]
    return like


def _dialect_value(name: str, value: str) -> str | bool:
    if name != "separator":
        return value == "true"
    return str(json.loads(value)) if value.startswith('"') else value


def _names(text: str) -> list[str]:
    return [] if text == "[]" else [_unquoted(name) for name in _NAME.findall(text)]


def _unquoted(name: str) -> str:
    return str(json.loads(name)) if name.startswith('"') else name


def _types(phrase: str) -> list[str] | dict[str, str | None]:
    """Parse names of types to keep, or pairs ``old=new``."""
    pairs = [_split(pair, "=") for pair in _split(phrase, ",")]
    if all(len(pair) == 1 for pair in pairs):
        return _names(phrase)
    return {_unquoted(old): _unquoted(new) if new else None for old, new in pairs}


def _parents(value: str) -> dict[str, str | None]:
    """Parse pairs ``old=new``: the parents of types, or the types of names."""
    parents = _types(value)
    if not isinstance(parents, dict) or None in parents.values():
        raise ValueError(value)
    return parents


#: Settings of answers of models: the field of :class:`AnswerOptions`, and the function that parses the value.
ANSWERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "off_schema": ("off_schema", str),
    "schema": ("types", _names),
    "type_names": ("type_names", _parents),
    "unanswered": ("unanswered", str),
    "ungrounded": ("ungrounded", str),
    "occurrences": ("occurrences", str),
    "stages": ("stages", lambda value: [] if value == "none" else value.split("+")),
    "threshold": ("threshold", float),
    "diacritics": ("diacritics", lambda value: value == "ignored"),
}
#: Settings of masks: the parameter of the command, and the function that parses the value.
MASKS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "skip": ("skip", lambda value: (_names(value),)),
    "hierarchy": ("hierarchy", _parents),
    "level": ("level_of_types", int),
}


PARSED = ANSWERS | MASKS


def _split(text: str, at: str) -> list[str]:
    """Split text at a character, except within quotes."""
    pattern = rf'((?:"(?:[^"\\]|\\.)*"|[^"{at}])*)(?:{at}|$)'
    parts = re.findall(pattern, text)
    # The pattern also matches the empty text at the end.
    return parts[:-1] if len(parts) > 1 and not text.endswith(at) else parts
