"""Finds the columns of tables and CSV files: columns from the options, otherwise columns with usual names."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from spanrs.errors import FormatError, with_code
from spanrs.io.options import ReadOptions
from spanrs.io.sentence import LAYER

#: Usual column names in the form of :func:`simple_name`, in order of preference.
TOKEN_NAMES = ("token", "tokens", "word", "words", "form", "text")
TAG_NAMES = (
    "tag",
    "tags",
    "ner",
    "nertag",
    "nertags",
    "nerlabel",
    "nerlabels",
    "label",
    "labels",
    "entity",
    "entities",
    "bio",
    "biotag",
    "biotags",
    "iob",
    "iob2",
    "iobtag",
    "iobtags",
    "bilou",
    "iobes",
)
SPAN_NAMES, GOLD_NAMES, PRED_NAMES = ("spans",), ("gold",), ("pred",)
DOCUMENT_NAMES = ("document", "documentid", "doc", "docid", "file", "filename", "documentname", "docname")
SENTENCE_NAMES = (
    "sentence",
    "sentenceid",
    "sentenceidx",
    "sentenceindex",
    "sentencenumber",
    "sentenceno",
    "sentencenr",
    "sent",
    "sentid",
    "sentidx",
    "sentindex",
    "sentnumber",
    "sentno",
    "sentnr",
    "sentnum",
    "sid",
)
#: Names of columns that may contain sentence numbers or something else.
POSSIBLE_SENTENCE_NAMES = (
    "id",
    "idx",
    "index",
    "group",
    "groupid",
    "seq",
    "seqid",
    "sequence",
    "sequenceid",
    "line",
    "lineid",
    "lineno",
    "sample",
    "sampleid",
    "example",
    "exampleid",
    "segment",
    "segmentid",
    "utterance",
    "utteranceid",
    "sentences",
    "sents",
)
POSITION_NAMES = (
    "position",
    "tokenid",
    "tokenidx",
    "tokenindex",
    "tokennumber",
    "tokenno",
    "tokenposition",
)


class TableColumns(NamedTuple):
    """Indices of the columns of a table."""

    tags: dict[str, int]
    """Tags or spans by layer."""
    token: int | None
    document: int | None


def table_columns(
    names: Sequence[str], options: ReadOptions, shown: str, lists: Container[str] = ()
) -> TableColumns:
    """Find the columns of tags, tokens and documents of a table.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    options : ReadOptions
        Reading options. Columns specified in the options must exist; other columns are found by their usual names.
    shown : str
        Name of the table in messages.
    lists : container of str
        The columns that contain lists. If these include a column of tags, columns of single values are ignored.

    Raises
    ------
    spanrs.errors.FormatError
        If a column from the options does not exist, or if no column or several columns have usual names of tags.
    """
    tags = _tag_columns(names, options, shown, lists)
    has_lists = any(names[place] in lists for place in tags.values())
    candidates = [name if not has_lists or name in lists else "" for name in names]
    return TableColumns(
        tags,
        find_column(options.tokens, candidates if options.tokens is None else names, TOKEN_NAMES, shown),
        find_column(options.documents, names, DOCUMENT_NAMES, shown),
    )


def _tag_columns(
    names: Sequence[str], options: ReadOptions, shown: str, lists: Container[str]
) -> dict[str, int]:
    """Return the columns of tags or spans by layer."""
    if isinstance(options.tags, tuple):
        return {str(tag): column_place(tag, names, shown) for tag in options.tags}
    if options.tags is not None:
        return {LAYER: column_place(options.tags, names, shown)}
    gold = find_column(options.gold, names, GOLD_NAMES, shown)
    pred = find_column(options.pred, names, PRED_NAMES, shown)
    if gold is not None and pred is not None:
        return {"gold": gold, "pred": pred}
    if options.gold is not None or options.pred is not None:
        return {LAYER: pred if gold is None else gold}  # type: ignore[dict-item]  # one of them is named
    usual = {*TAG_NAMES, *SPAN_NAMES, *GOLD_NAMES, *PRED_NAMES}
    places = [at for at, name in enumerate(names) if simple_name(name) in usual]
    places = [at for at in places if names[at] in lists] or places
    if len(places) == 1:
        return {LAYER: places[0]}
    if places:
        # Equal names can only be distinguished by index.
        find_column(None, [names[at] for at in places], [simple_name(names[places[0]])], shown)
        shown_names = " and ".join(repr(names[at]) for at in places)
        message = (
            f"{shown}: columns {shown_names} may {'both' if len(places) == 2 else 'all'} contain the tags; "
        )
        message += "choose one with tags="
    else:
        message = (
            f"{shown}: no column of tags or spans among {', '.join(names)}; "
            "choose the columns with tokens= and tags=, or gold= and pred="
        )
    raise with_code(FormatError(message), "columns", shown)


def simple_name(name: str) -> str:
    """Return the letters and digits of a column name in lower case: ``sentenceid`` for ``Sentence ID``."""
    return "".join(filter(str.isalnum, name)).lower()


def find_column(asked: Any, names: Sequence[str], usual: Sequence[str], shown: str) -> int | None:
    """Return the index of the requested column, otherwise of the first column with a usual name; None if not found.

    Raises
    ------
    spanrs.errors.FormatError
        If the requested column does not exist, or several columns have the same name.
    """
    if asked is not None:
        return column_place(asked, names, shown)
    simple = [simple_name(name) for name in names]
    name = next((name for name in usual if name in simple), None)
    if name is None:
        return None
    if simple.count(name) > 1:
        message = f"{shown}: several columns are called {names[simple.index(name)]!r}; give the index of one of them"
        raise with_code(FormatError(message), "columns", shown)
    return simple.index(name)


def column_place(asked: int | str, names: Sequence[str], shown: str) -> int:
    """Return the index of a column given by name or index.

    Raises
    ------
    spanrs.errors.FormatError
        If the column does not exist, or its name is not unique.
    """
    if isinstance(asked, int):
        at = asked + len(names) if asked < 0 else asked
        if 0 <= at < len(names):
            return at
    elif asked in names:
        if names.count(asked) > 1:
            message = f"{shown}: several columns are called {asked!r}; give the index of one of them"
            raise with_code(FormatError(message), "columns", shown)
        return names.index(asked)
    message = f"{shown}: there is no column {asked!r}; the columns are {', '.join(map(str, names))}"
    raise with_code(FormatError(message), "columns", shown)
