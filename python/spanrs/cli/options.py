"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import click

from spanrs import _spanrs
from spanrs.io.columns import Columns
from spanrs.io.options import FORMATS, Limits
from spanrs.tags.types import Dialect, schemes

F = TypeVar("F", bound=Callable[..., Any])

#: Number of items to list: what the core can count.
COUNT = click.IntRange(0, 10**9)
#: Numbers of resamples, and seeds.
SAMPLES = click.IntRange(1, 10**7)
SEED = click.IntRange(0, 2**63 - 1)
#: Numbers of columns.
MOST_COLUMNS = 10**6
NO_COLUMN = "{!r} is not a column: give its number from 0, or its name in CoNLL-U"


def several_columns(value: str | int) -> Any:
    """Give a column, by its number or by its name in CoNLL-U; a tuple of several that have commas between them."""
    names = [name.strip() for name in str(value).split(",")]
    if "" in names:
        raise click.BadParameter(NO_COLUMN.format(value))
    found = tuple(map(_number_or_name, names))
    return found[0] if len(found) == 1 else found


def column(value: str | int) -> Any:
    """Give one column, by its number or by its name in CoNLL-U."""
    if "," in str(value):
        raise click.BadParameter(NO_COLUMN.format(value))
    return several_columns(value)


def _number_or_name(text: str) -> int | str:
    try:
        number = int(text)
    except ValueError:
        return text
    if abs(number) > MOST_COLUMNS:
        raise click.BadParameter(f"{number} is not a valid column number")
    return number


def scheme(*names: str, default: str | None = "auto") -> Callable[[F], F]:
    """Give the option that names a scheme."""
    known = ", ".join(one.name for one in schemes())
    extra = "auto: the scheme the tags violate least; or " if default else ""
    usual: dict[str, Any] = {"default": default} if default else {"required": True}
    return click.option(*(names or ("--scheme",)), metavar="SCHEME", help=f"{extra}{known}.", **usual)


def reading(default: str | None = "conlleval") -> Callable[[F], F]:
    """Give the option that names a reading."""
    return click.option(
        "--reading",
        type=click.Choice(_spanrs.readings()),
        default=default,
        help="How malformed tags are read."
        + ("" if default else " If not given, malformed tags are an error."),
    )


#: Where a command writes; none and ``-`` are standard output.
output = click.option(
    "-o", "--output", type=click.Path(), help="Where to write; standard output if not given."
)
#: How a column file is laid out; it arrives among the columns.
file_format = click.option(
    "--format",
    type=click.Choice(["auto", "columns", "conllu"]),
    default="auto",
    help="Layout of column files. columns: one token a line, blank lines between sentences (CoNLL 2003 and others); "
    "conllu: CoNLL-U. auto detects it, and refuses JSON, XML and others.",
)


def columns(function: F) -> F:
    """Add the options of columns and of the spelling of tags; they arrive as columns and dialect."""

    @file_format
    @places
    @click.option("--tag-separator", default="-", help="Separator between prefix and type of a tag.")
    @click.option("--suffix", is_flag=True, help="The prefix follows the type: PER-B.")
    @wraps(function)
    def wrapped(*args: Any, tag_separator: str, suffix: bool, **given: Any) -> Any:
        return function(*args, dialect=Dialect(separator=tag_separator, suffix=suffix), **given)

    return wrapped  # type: ignore[return-value]  # click takes any callable


def reading_options(function: F) -> F:
    """Add the reading options; given values are passed as the dict ``read``, keyed as in :func:`spanrs.read`."""

    @click.option(
        "--format",
        "format_name",
        type=click.Choice(["auto", *FORMATS]),
        metavar="FORMAT",
        default="auto",
        help=f"Format of the files: {', '.join(FORMATS)}; auto detects it from their first bytes.",
    )
    @places
    @click.option("--tag-separator", default="-", help="Separator between prefix and type of a tag.")
    @click.option("--suffix", is_flag=True, help="The prefix follows the type: PER-B.")
    @click.option(
        "--document-column",
        metavar="NAME",
        help="Column of a table that names the document of a sentence.",
    )
    @click.option(
        "--position-column",
        metavar="NAME",
        help="Column of a table in long form: the position of the token.",
    )
    @click.option(
        "--punct-column",
        type=column,
        metavar="COLUMN",
        help="Column of the parts of speech, for stacked tags; punctuation is then left out.",
    )
    @click.option(
        "--annotator",
        metavar="NAME",
        help="Of Label Studio and Prodigy: the annotator whose annotations are read.",
    )
    @click.option("--layer", metavar="NAME", help="Layer of a DocBin of spaCy: ents, or a span group.")
    @click.option(
        "--encoding", metavar="NAME", help="Encoding of XML, raw text and CSV; UTF-8 if not given."
    )
    @click.option(
        "--max-expansion",
        type=click.IntRange(1),
        metavar="N",
        help="Largest expansion ratio of compressed files (100).",
    )
    @wraps(function)
    def wrapped(
        *args: Any,
        format_name: str,
        columns: Columns,
        tag_separator: str,
        suffix: bool,
        max_expansion: int | None,
        **given: Any,
    ) -> Any:
        names = {
            "document_column": "documents",
            "position_column": "position",
            "punct_column": "punct_column",
            "annotator": "annotator",
            "layer": "layer",
            "encoding": "encoding",
        }
        read = {new: given.pop(old) for old, new in names.items()}
        read = {name: value for name, value in read.items() if value is not None}
        read |= column_arguments(columns) | ({} if format_name == "auto" else {"format": format_name})
        dialect = Dialect(separator=tag_separator, suffix=suffix)
        if dialect != Dialect():
            read["dialect"] = dialect
        if max_expansion is not None:
            read["limits"] = Limits(expansion=max_expansion)
        return function(*args, read=read, **given)

    return wrapped  # type: ignore[return-value]  # click takes any callable


class SideOptions(NamedTuple):
    """Reading options of gold or of pred alone."""

    column: Any = None
    annotator: str | None = None

    def arguments(self, tags: str) -> dict[str, Any]:
        """Return them by the names of :func:`spanrs.read`; ``tags`` is what the column is called there."""
        named = {tags: self.column, "annotator": self.annotator}
        return {name: value for name, value in named.items() if value is not None}


def column_arguments(columns: Columns) -> dict[str, Any]:
    """Return what differs from the default columns, by the names of :func:`spanrs.read`."""
    names = {"separator": "separator", "comments": "comments", "token": "tokens", "tag": "tags"}
    default = Columns()
    return {
        new: getattr(columns, old)
        for old, new in names.items()
        if getattr(columns, old) != getattr(default, old)
    }


def places(function: F) -> F:
    """Add the options of columns; they arrive as columns."""

    @click.option(
        "--separator",
        default="auto",
        help="Separator between columns: auto, whitespace, tab, space, or one character.",
    )
    @click.option(
        "--column",
        "tag",
        type=several_columns,
        metavar="COLUMN",
        default=-1,
        help="Column of the tags, from 0; negative from the last. In CoNLL-U also the name of a column or a key of "
        "MISC. spanrs score takes several with commas: layers of nested annotations.",
    )
    @click.option("--token-column", "token", type=column, default=0, help="Column of the tokens.")
    @click.option(
        "--comments",
        default="auto",
        help="Comment lines to skip: auto (# before a sentence), none, or their prefix.",
    )
    @wraps(function)
    def wrapped(*args: Any, **given: Any) -> Any:
        found = {name: given.pop(name) for name in Columns._fields if name in given}
        return function(*args, columns=Columns(**found), **given)

    return wrapped  # type: ignore[return-value]  # click takes any callable


def intervals(function: F) -> F:
    """Add the options of intervals; they arrive as ``intervals``, ``level``, ``method``, ``samples`` and ``seed``."""
    from spanrs.eval.resampling import METHODS

    level = click.FloatRange(0, 1, min_open=True, max_open=True)
    for option in (
        click.option("--seed", type=SEED, default=0, help="Random seed of --intervals."),
        click.option("--samples", type=SAMPLES, default=10_000, help="Number of resamples of --intervals."),
        click.option(
            "--method", type=click.Choice(METHODS), default=METHODS[0], help="Kind of --intervals."
        ),
        click.option(
            "--level", type=level, default=0.95, help="Confidence level of --intervals; 0.95 is 95 %."
        ),
        click.option(
            "--intervals",
            is_flag=True,
            help="Confidence intervals of F1, by resampling sentences; documents with --by-document, and where a side "
            "is documents of text.",
        ),
    ):
        function = option(function)
    return function
