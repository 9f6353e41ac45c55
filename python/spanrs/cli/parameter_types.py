"""Types of options: conversion of command-line text to Python values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click import FloatRange, IntRange

from spanrs import _spanrs

__all__ = [
    "BOUNDS",
    "COLUMN",
    "COLUMNS",
    "EQUIVALENCE_CLASS",
    "ERROR_COUNT",
    "LABELS",
    "LIBRARY_MATCHER",
    "MATCHER",
    "NAMES",
    "NUMBERS",
    "PATH",
    "TASK_LINK",
    "FloatRange",
    "IntRange",
    "choice",
]

#: Largest column number.
LAST_COLUMN = 10**6
NO_COLUMN = "{!r} is not a column; give a column number (from 0) or, for CoNLL-U, a column name"
#: Number of errors that ``--errors`` without a value lists.
LISTED = 20
#: Measures of ``--fail-under``.
MEASURES = ("precision", "recall", "f1", "accuracy")


def choice(*choices: str, case_sensitive: bool = True) -> click.Choice[str]:
    """Return a type that accepts one of several words."""
    return click.Choice(choices, case_sensitive=case_sensitive)


def several_columns(value: str | int) -> Any:
    """Parse the number or CoNLL-U name of a column; return a tuple for several columns, separated by commas."""
    names = [name.strip() for name in str(value).split(",")]
    if "" in names:
        raise click.BadParameter(NO_COLUMN.format(value))
    columns = tuple(map(_number_or_name, names))
    return columns[0] if len(columns) == 1 else columns


def one_column(value: str | int) -> Any:
    """Parse the number or CoNLL-U name of one column."""
    if "," in str(value):
        raise click.BadParameter(NO_COLUMN.format(value))
    return several_columns(value)


def _number_or_name(text: str) -> int | str:
    try:
        number = int(text)
    except ValueError:
        return text
    if abs(number) > LAST_COLUMN:
        raise click.BadParameter(f"{number} is not a valid column number")
    return number


def names(text: str | list[str]) -> list[str]:
    """Parse a comma-separated list of names."""
    if isinstance(text, list):
        return text
    parts = [name.strip() for name in text.split(",")]
    if "" in parts:
        raise click.BadParameter(f"{text!r} is not a comma-separated list of names")
    return parts


def labels(text: str | list[str]) -> list[str]:
    """Parse a comma-separated list of names like MATScore: empty names are ignored."""
    return text if isinstance(text, list) else [name.strip() for name in text.split(",") if name.strip()]


def numbers(value: str | list[float]) -> list[float]:
    """Parse a comma-separated list of numbers."""
    if isinstance(value, list):
        return value
    try:
        return [float(part) for part in value.split(",")]
    except ValueError:
        message = f"{value!r} is not a comma-separated list of numbers, such as 0.1,0.3"
        raise click.BadParameter(message) from None


def bound(value: str | tuple[str, float]) -> tuple[str, float]:
    """Parse a measure and its lower bound, a fraction."""
    if isinstance(value, tuple):
        return value
    measure, equals, text = value.partition("=")
    if not equals or measure not in MEASURES:
        message = f"{value!r} is not MEASURE=BOUND, such as f1=0.8; measures are {', '.join(MEASURES)}"
        raise click.BadParameter(message)
    try:
        number = float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a number; bounds are fractions, such as 0.8") from None
    if not 0 <= number <= 1:
        hint = f"; for {number:g} % write {measure}={number / 100:g}" if 1 < number <= 100 else ""
        raise click.BadParameter(f"bounds are fractions from 0 to 1, not {text}{hint}")
    return measure, number


class _Matcher(click.ParamType):  # type: ignore[type-arg]  # generic only in new versions of click
    """The name of a matcher; matchers are registered at run time."""

    name = "name"

    def __init__(self, *more: str) -> None:
        self.more = more

    @property
    def choices(self) -> list[str]:
        """The accepted names."""
        return [*_spanrs.matchers(), *self.more]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the name."""
        if value not in self.choices:
            hint = "; only spanrs score accepts mat" if value == "mat" else ""
            names = ", ".join(self.choices)
            self.fail(f"unknown matcher {value!r}; expected one of {names}{hint}", param, ctx)
        return str(value)


class _ErrorCount(click.ParamType):  # type: ignore[type-arg]  # generic only in new versions of click
    """A number of errors; explains what happens if a file follows the option."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse the number."""
        if not isinstance(value, int) and not str(value).isdecimal():
            message = f"{value!r} is not a number of errors; write --errors={LISTED}, or put --errors after the files"
            self.fail(message, param, ctx)
        return int(value)


def task_link(template: str) -> str:
    """Check the address of tasks in an annotation tool."""
    # Lazy: only used by a few commands.
    from spanrs.crowd.task_links import check_template

    try:
        return check_template(template)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


COLUMN = click.types.FuncParamType(one_column)
COLUMNS = click.types.FuncParamType(several_columns)
LABELS = click.types.FuncParamType(labels)
NAMES = click.types.FuncParamType(names)
NUMBERS = click.types.FuncParamType(numbers)
BOUNDS = click.types.FuncParamType(bound)
MATCHER = _Matcher("mat")
LIBRARY_MATCHER = _Matcher()
ERROR_COUNT = _ErrorCount()
PATH = click.Path(path_type=Path)
TASK_LINK = click.types.FuncParamType(task_link)
#: A label, and the labels that are counted as this label.
EQUIVALENCE_CLASS = (str, LABELS)
