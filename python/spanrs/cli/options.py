"""Converts reading options of the commands to arguments of the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import click

from spanrs.cli._generated import READ_ARGUMENTS
from spanrs.io.answer_options import STAGES, AnswerOptions
from spanrs.io.columns import Columns
from spanrs.io.options import Limits, ReadOptions
from spanrs.tags.types import Dialect

F = TypeVar("F", bound=Callable[..., Any])

#: Reading options that are passed on if they are given.
PASSED = (
    "document_column",
    "position_column",
    "punct_column",
    "annotator",
    "layer",
    "trim",
    "offsets",
    "inclusive_ends",
    "encoding",
)
#: Options for answers of models, besides their texts.
ANSWERS = (
    "schema",
    "type_names",
    "off_schema",
    "ungrounded",
    "unanswered",
    "occurrences",
    "stages",
    "threshold",
    "diacritics",
)
#: Parameters for the layout of column files, as in :class:`spanrs.io.columns.Columns`.
LAYOUT = ("separator", "comments", "token", "tag")
#: Argument of :func:`spanrs.read` for each parameter of a command.
ARGUMENTS = {parameter: argument for parameter, argument, _ in READ_ARGUMENTS}


def given(name: str) -> bool:
    """Return whether a parameter of the command was given, on the command line or otherwise."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source is not click.core.ParameterSource.DEFAULT


def flag(name: str) -> str:
    """Return the long name of the option of a parameter of the command."""
    return next(
        param.opts[-1] for param in click.get_current_context().command.params if param.name == name
    )


def refuse(names: Iterable[str], mode: str) -> None:
    """Refuse options that were given but have no effect with another option, ``mode``."""
    for name in filter(given, names):
        raise click.UsageError(f"{flag(name)} cannot be combined with {mode}")


def refuse_without(needed: str, names: Iterable[str]) -> None:
    """Refuse options that were given without an option that they require."""
    if not given(needed):
        for name in filter(given, names):
            raise click.UsageError(f"{flag(name)} requires {flag(needed)}")


def read_arguments(function: F) -> F:
    """Pass the reading options that were given as the dict ``read``, keyed as in :func:`spanrs.read`."""

    @wraps(function)
    def wrapped(
        *args: Any,
        format_name: str,
        tag_separator: str,
        suffix: bool,
        max_expansion: int | None,
        **parameters: Any,
    ) -> Any:
        read = {ARGUMENTS[name]: parameters.pop(name) for name in PASSED}
        defaults = ReadOptions.__dataclass_fields__
        read = {name: value for name, value in read.items() if value not in (None, defaults[name].default)}
        read |= column_arguments(_pop_columns(parameters))
        read |= _answer_arguments(parameters)
        if format_name != "auto":
            read["format"] = format_name
        dialect = Dialect(separator=tag_separator, suffix=suffix)
        if dialect != Dialect():
            read["dialect"] = dialect
        if max_expansion is not None:
            read["limits"] = Limits(expansion=max_expansion)
        return function(*args, read=read, **parameters)

    return wrapped  # type: ignore[return-value]  # click takes any callable


def _answer_arguments(parameters: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for answers of models, if the command has them, and return them as arguments."""
    if "texts" not in parameters:
        return {}
    texts = parameters.pop("texts")
    options = {name: parameters.pop(name) for name in ANSWERS}
    names: dict[str, str] = {}
    for text in options["type_names"]:
        name, equals, ty = text.partition("=")
        if not (name and equals and ty):
            raise click.UsageError(f"--type-name needs NAME=TYPE, not {text!r}")
        names[name] = ty
    changed = {
        "types": [ty for part in options.pop("schema") for ty in part] or None,
        "type_names": names,
        "stages": [stage for part in options.pop("stages") for stage in part] or STAGES,
    }
    try:
        answers = AnswerOptions(**options | changed)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    read: dict[str, Any] = {} if texts is None else {"texts": texts}
    return read if answers == AnswerOptions() else read | {"answers": answers}


def with_reading(read: dict[str, Any], reading: str | None) -> dict[str, Any]:
    """Return reading options with ``--reading``, if it was given; else the library's default applies."""
    return read if reading is None else read | {"reading": reading}


def columns(function: F) -> F:
    """Pass the layout of column files as ``columns``."""

    @wraps(function)
    def wrapped(*args: Any, format_name: str, **parameters: Any) -> Any:
        return function(*args, columns=_pop_columns(parameters)._replace(format=format_name), **parameters)

    return wrapped  # type: ignore[return-value]  # click takes any callable


def _pop_columns(parameters: dict[str, Any]) -> Columns:
    return Columns(**{name: parameters.pop(name) for name in LAYOUT})


def column_arguments(columns: Columns) -> dict[str, Any]:
    """Return the settings that differ from the default columns, as arguments of :func:`spanrs.read`."""
    values = {name: getattr(columns, name) for name in LAYOUT}
    default = Columns()
    return {ARGUMENTS[name]: value for name, value in values.items() if value != getattr(default, name)}


class SideOptions(NamedTuple):
    """Reading options that apply only to gold or only to pred."""

    column: Any = None
    annotator: str | None = None

    def arguments(self, tags: str) -> dict[str, Any]:
        """Return the options as arguments of :func:`spanrs.read`; ``tags`` is the argument for the tag column."""
        named = {tags: self.column, "annotator": self.annotator}
        return {name: value for name, value in named.items() if value is not None}
