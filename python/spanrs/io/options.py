"""Reading options, shared by all formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypedDict

from spanrs import _spanrs
from spanrs.errors import SchemeError, as_integer, check_name, check_text, with_code
from spanrs.io.answer_options import AnswerOptions
from spanrs.io.columns import Columns
from spanrs.tags.types import IGNORE_INDEX, Dialect, Vocabulary, as_ignore_index, is_auto

if TYPE_CHECKING:
    import numpy.typing as npt

#: A column: its index (from 0; negative values count from the end) or its name.
Column: TypeAlias = int | str

#: Formats for texts with annotations at character offsets.
DOCUMENT_FORMATS = (
    "mat-json",
    "xml-inline",
    "fake-xml-inline",
    "raw",
    "brat",
    "doccano",
    "prodigy",
    "label-studio",
    "label-studio-min",
    "label-studio-csv",
    "webanno-tsv",
    "uima-xmi",
    "gate-xml",
    "bioc-xml",
    "bioc-json",
    "pubtator",
    "jsonl-spans",
    "csv-spans",
    "spacy",
)
#: Names of file formats that can be written.
WRITTEN = (
    "columns",
    "conllu",
    "stacked",
    "spans",
    *DOCUMENT_FORMATS,
    "parquet",
    "arrow",
    "csv",
    "jsonl-tags",
)
#: Names of file formats, which ``format`` accepts besides ``auto``.
FORMATS = (*WRITTEN, "generated")

#: Characters removed from both ends of annotations.
TRIMS = ("nothing", "spaces", "punctuation")
#: Units of offsets.
OFFSETS = ("format", "utf-16", "bytes")


class Limits(NamedTuple):
    """Limits that protect memory from malformed and hostile files.

    Examples
    --------
    >>> import spanrs
    >>> spanrs.io.Limits(line_bytes=1 << 20).line_bytes
    1048576
    """

    line_bytes: int | None = None
    """Maximum length of a line of a column file, in bytes; None for 16 MiB."""
    expansion: int | None = None
    """Largest ratio of decompressed to compressed bytes, once the output exceeds 16 MiB; None for 100."""


class LayoutArguments(TypedDict, total=False):
    """Layout options of :func:`spanrs.read`; functions that accept a source pass these options on."""

    format: str
    tags: Column | tuple[Column, ...] | None
    gold: Column | None
    pred: Column | None
    position: str | None
    documents: str | None
    annotator: str | int | None
    layer: str | None
    missing: str
    dialect: Dialect
    separator: str
    comments: str
    encoding: str | None
    punct_column: Column | None
    elements: Sequence[str] | str | None
    overlay: bool
    trim: str
    offsets: str
    inclusive_ends: bool
    tokenizer: Callable[[str], Iterable[tuple[int, int]]] | None
    vocabulary: Vocabulary | None
    ignore_index: int
    lengths: Iterable[int] | None
    mask: npt.ArrayLike | None
    limits: Limits
    texts: Any
    answers: AnswerOptions


class ReadArguments(LayoutArguments, total=False):
    """The options of :func:`spanrs.read`."""

    tokens: Any
    scheme: str
    reading: str


#: The default of all answers.
_ANSWERS = AnswerOptions()


@dataclass(frozen=True)
class ReadOptions:
    """Validated options of :func:`spanrs.read`, where their meaning is documented."""

    format: str = "auto"
    tokens: Any = None
    tags: Any = None
    gold: Column | None = None
    pred: Column | None = None
    position: str | None = None
    documents: str | None = None
    annotator: str | int | None = None
    layer: str | None = None
    missing: str = "?"
    scheme: str = "auto"
    reading: str = "conlleval"
    dialect: Dialect = Dialect()
    separator: str = "auto"
    comments: str = "auto"
    encoding: str | None = None
    punct_column: Column | None = None
    elements: Any = None
    overlay: bool = False
    trim: str = "nothing"
    offsets: str = "format"
    inclusive_ends: bool = False
    tokenizer: Any = None
    vocabulary: Any = None
    ignore_index: int = IGNORE_INDEX
    lengths: Any = None
    mask: Any = None
    limits: Limits = Limits()
    texts: Any = None
    answers: AnswerOptions = _ANSWERS

    def __post_init__(self) -> None:
        check_format(self.format)
        for name in ("scheme", "reading", "missing", "separator", "comments"):
            check_name(getattr(self, name), name, "auto")
        for name, choices in (("trim", TRIMS), ("offsets", OFFSETS)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        if not is_auto(self.scheme):
            _spanrs.scheme_name(self.scheme)
        if self.reading not in _spanrs.readings():
            readings = ", ".join(_spanrs.readings())
            message = f"unknown reading `{self.reading}`; expected one of {readings}"
            raise with_code(SchemeError(message), "unknown_reading")
        if isinstance(self.gold, tuple) or isinstance(self.pred, tuple):
            raise ValueError(
                "gold= and pred= accept one column each; to score several layers, pass two files and tags=(...)"
            )
        for name in ("gold", "pred", "punct_column"):
            check_column(getattr(self, name), name)
        if not isinstance(self.dialect, tuple):
            raise TypeError(f"dialect must be a spanrs.tags.Dialect, not {type(self.dialect).__name__}")
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits must be a spanrs.io.Limits, not {type(self.limits).__name__}")
        if not isinstance(self.answers, AnswerOptions):
            raise TypeError(f"answers must be a spanrs.io.AnswerOptions, not {type(self.answers).__name__}")
        if self.limits.line_bytes is not None:
            as_integer(self.limits.line_bytes, "limits: line_bytes")
        as_ignore_index(self.ignore_index)
        if self.has_tokens:
            raise TypeError(
                f"tokens must be a column index (from 0) or a column name, not {type(self.tokens).__name__}"
            )
        self.layers()

    @property
    def has_tokens(self) -> bool:
        """Whether ``tokens`` contains token lists, as opposed to a column."""
        return not isinstance(self.tokens, (int, str, type(None)))

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        defaults = ReadOptions.__dataclass_fields__
        return {
            name: value
            for name, value in vars(self).items()
            if value is not defaults[name].default and value != defaults[name].default
        }

    def layers(self) -> tuple[Column, ...]:
        """Return the columns of tags of a column file, one for each layer.

        Raises
        ------
        TypeError
            If a value is not a column index or name.
        ValueError
            If a column is given twice.
        """
        tags = self.tags if isinstance(self.tags, tuple) else (-1 if self.tags is None else self.tags,)
        for tag in tags:
            check_column(tag, "tags")
        if len(set(tags)) < len(tags):
            raise ValueError(f"tags= contains a column twice: {', '.join(map(str, tags))}")
        return tags

    def columns(self, tag: Column = -1, second: Column | None = None) -> Columns:
        """Return the layout of a column file for the given columns of tags."""
        return Columns(
            separator=self.separator,
            comments=self.comments,
            token=0 if self.tokens is None else self.tokens,
            tag=tag,
            second=second,
            line_bytes=self.limits.line_bytes,
            format=self.format if self.format in ("columns", "conllu") else "auto",
        )

    def with_layer(self, option: str, name: str) -> ReadOptions:
        """Return the options for one layer of documents; ``option`` is ``annotator`` or ``layer``."""
        return replace(self, **{option: name})  # type: ignore[arg-type]  # both are names


#: Names of the options.
NAMES = frozenset(field.name for field in fields(ReadOptions))


def read_options(arguments: Mapping[str, Any]) -> ReadOptions:
    """Validate the options of :func:`spanrs.read`.

    Raises
    ------
    TypeError
        If an option is unknown (the message lists the options), or a value has the wrong type.
    ValueError
        For values out of range.
    """
    if not arguments:
        return _DEFAULTS
    unknown = [name for name in arguments if name not in NAMES]
    if unknown:
        raise TypeError(
            f"unknown reading option {unknown[0]!r}; expected one of {', '.join(sorted(NAMES))}"
        )
    return ReadOptions(**arguments)


def check_format(name: object) -> None:
    """Refuse a format that does not exist."""
    check_name(name, "format", "columns")
    if name != "auto" and name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; expected auto or one of {', '.join(FORMATS)}")


def check_column(column: object, name: str) -> None:
    """Refuse a value that is not a column index, a column name, or None."""
    if column is None:
        return
    if isinstance(column, str):
        check_text(column, name)
    elif isinstance(column, bool) or not hasattr(column, "__index__"):
        kind = type(column).__name__
        raise TypeError(
            f"{name} must be a column index (from 0) or, in CoNLL-U and tables, a column name, not {kind}"
        )
    else:
        as_integer(column, name, -(2**63))


#: Options shared by all calls without arguments.
_DEFAULTS = ReadOptions()
