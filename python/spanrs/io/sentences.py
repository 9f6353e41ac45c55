"""The sentences of a part of a corpus, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import AlignmentError, FormatError, warn, with_code
from spanrs.io import long_form, tables
from spanrs.io.encodings import recoded
from spanrs.io.options import Column, ReadOptions
from spanrs.io.parts import Part
from spanrs.io.sentence import LAYER, Sentence
from spanrs.io.span_columns import holds_spans, is_list, span_tuples
from spanrs.tags.types import Span, as_vocabulary

#: Types of the lines of span files that stand for a sentence without spans.
DUMMIES = ("NONE", "EMPTY")


class Layout(NamedTuple):
    """The columns of a part that are read."""

    tags: Mapping[str, Column]
    """The columns of tags or spans by layer."""
    tokens: Column | None
    """The column of tokens; None where there is none, or the format knows."""
    documents: str | None = None
    """The column of a table that names the document of a sentence."""


def columns_of(part: Part, options: ReadOptions) -> Layout:
    """Return the column layout of a part: named columns, else those found by their usual names.

    Raises
    ------
    spanrs.errors.FormatError
        Where a table has none of the usual names and none was given.
    """
    if part.kind == "rows":
        if options.gold is not None or options.pred is not None:
            gold = -2 if options.gold is None else options.gold
            pred = -1 if options.pred is None else options.pred
            return Layout({"gold": gold, "pred": pred}, options.tokens)
        places = options.layers()
        names = [LAYER] if len(places) == 1 else [str(place) for place in places]
        return Layout(dict(zip(names, places, strict=True)), options.tokens)
    types = tables.column_types(part)
    found = partial(_find, types, part.shown)
    tokens = found(options.tokens, long_form.TOKEN_NAMES)
    documents = found(options.documents, long_form.DOCUMENT_NAMES)
    if isinstance(options.tags, tuple):
        named = {str(tag): found(tag, ()) for tag in options.tags}
        return Layout({layer: tag for layer, tag in named.items() if tag is not None}, tokens, documents)
    of_gold, of_pred = found(options.gold, long_form.GOLD_NAMES), found(options.pred, long_form.PRED_NAMES)
    if options.tags is None and of_gold is not None and of_pred is not None:
        return Layout({"gold": of_gold, "pred": of_pred}, tokens, documents)
    usual = (*long_form.TAG_NAMES, "spans", *long_form.GOLD_NAMES, *long_form.PRED_NAMES)
    only = found(options.tags, usual)
    if only is None:
        there = ", ".join(types)
        message = (
            f"there is no column of tags or spans among {there}; name it with tags=, or gold= and pred="
        )
        raise tables.table_error(part.shown, message, "columns")
    return Layout({LAYER: only}, tokens, documents)


def _find(types: Mapping[str, Any], shown: str, asked: Any, usual: Sequence[str]) -> str | None:
    """Return the name of the column that is asked for, or the first usual one."""
    names = list(types)
    if asked is not None:
        return names[long_form.column_place(asked, names, shown)]
    place = long_form.usual_place(names, usual, shown)
    return None if place is None else names[place]


def is_long(part: Part, options: ReadOptions) -> bool:
    """Return whether a table has a row for each token, as opposed to each sentence.

    Raises
    ------
    spanrs.errors.FormatError
        Where one of its columns of tags holds lists and another does not.
    """
    if part.format == "csv":
        return True
    types = tables.column_types(part)
    lists = {name: is_list(types[str(name)]) for name in columns_of(part, options).tags.values()}
    if len(set(lists.values())) > 1:
        flat = next(name for name, is_one in lists.items() if not is_one)
        message = f"the column {flat!r} is of type {types[str(flat)]}; it must hold one list a sentence"
        raise tables.table_error(part.shown, message, "columns")
    return not next(iter(lists.values()))


def sentences_of(part: Part, options: ReadOptions, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    """Yield the sentences of a part with rows or spans.

    Parameters
    ----------
    part : Part
        Column files, files of spans, or tables.
    options : ReadOptions
        How it is read.
    make : callable
        Makes a sentence of its fields.
    """
    if part.kind == "rows":
        yield from _column_sentences(part, options, make)
    elif part.kind == "spans":
        yield from _span_sentences(part, options, make)
    elif is_long(part, options):
        yield from _long_sentences(part, options, make)
    else:
        yield from _list_sentences(part, options, make)


def _column_sentences(
    part: Part, options: ReadOptions, make: Callable[..., Sentence]
) -> Iterator[Sentence]:
    layers = columns_of(part, options).tags
    columns = options.columns(next(iter(layers.values()))).as_options()
    reader = _spanrs.SentenceReader(part.opened(keep=True), columns, list(layers.values()), None)
    document: str | None = None
    # As rows of counts name documents: those without a name by their number, from 0.
    number = -1
    for chunk in reader:
        for tokens, tags, line, name in chunk:
            if name is not None or number < 0:
                number += 1
            if name is not None:
                document = name or str(number)
            named = dict(zip(layers, tags, strict=True))
            yield make(tokens, named, document=document, path=part.path, line=line)
    warn(reader.warnings())


def _span_sentences(part: Part, options: ReadOptions, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    columns = options.columns(options.layers()[0], options.punct_column).as_options()
    ignore_punct = options.punct_column is not None
    source = part.opened(keep=True), part.format, columns, ignore_punct
    for chunk in _spanrs.SpanReader(source, None):
        for tokens, rows, line in chunk:
            spans = [
                Span(row[0], row[1], row[2], tuple(row[3]) if len(row) > 3 else None)
                for row in rows
                if row[0] not in DUMMIES
            ]
            yield make(tokens, None, {LAYER: spans}, path=part.path, line=line)


def _long_sentences(part: Part, options: ReadOptions, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    if part.format == "csv":
        data = part.opened(keep=True).contents(options.limits.expansion)
        if options.encoding is not None:
            data = recoded(data, part.shown, options.encoding)
        names, rows = long_form.csv_rows(data, part.shown, options.separator)
        form = long_form.long_form(names, long_form.without_header(options, names), part.shown)
    else:
        names = list(tables.column_types(part))
        form = long_form.long_form(names, options, part.shown)
        rows = _table_rows(part, names, form)
    for tokens, tags, document, name, number in form.sentences(rows):
        yield make(tokens, tags, document=document, id=name, path=part.path, line=number)


def _table_rows(
    part: Part, names: Sequence[str], form: long_form.LongForm
) -> Iterator[long_form.Row | None]:
    """Yield the rows of a table; columns that are not read are None."""
    wanted = [names[place] for place in form.columns()]
    number = 0
    for batch in tables.batches(part, wanted):
        columns = [batch.column(name).to_pylist() if name in wanted else None for name in names]
        for at in range(batch.num_rows):
            values = tuple(None if column is None else column[at] for column in columns)
            yield long_form.Row(number + at, values)
        number += batch.num_rows


def _list_sentences(part: Part, options: ReadOptions, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    layout = columns_of(part, options)
    asked = [*layout.tags.values(), layout.tokens, layout.documents]
    row = 0
    for batch in tables.batches(part, [str(name) for name in asked if name is not None]):
        layers = {
            layer: layer_values(part, str(name), batch.column(name), options)
            for layer, name in layout.tags.items()
        }
        tokens, documents = (
            None if name is None else batch.column(name).to_pylist()
            for name in (layout.tokens, layout.documents)
        )
        for at in range(batch.num_rows):
            own = {layer: values[at] for layer, (values, _) in layers.items()}
            _check_row(part, row + at, None if tokens is None else tokens[at], own, layers)
            are_spans = any(is_spans for _, is_spans in layers.values())
            yield make(
                None if tokens is None else tokens[at],
                None if are_spans else own,
                {layer: [Span(*span) for span in spans] for layer, spans in own.items()}
                if are_spans
                else None,
                document=None if documents is None or documents[at] is None else str(documents[at]),
                path=part.path,
                line=row + at,
            )
        row += batch.num_rows


def _check_row(
    part: Part, row: int, tokens: Any, own: Mapping[str, Any], layers: Mapping[str, tuple[Any, bool]]
) -> None:
    """Refuse tokens that are null, and tags of another number.

    Raises
    ------
    spanrs.errors.AlignmentError
    """
    if tokens is None:
        return
    if None in tokens:
        raise with_code(
            AlignmentError(f"{part.shown}: row {row} has a token that is null"), "shape", part.path
        )
    for layer, (_, are_spans) in layers.items():
        if not are_spans and len(own[layer]) != len(tokens):
            message = f"{part.shown}: row {row} has {len(tokens)} tokens and {len(own[layer])} tags"
            raise with_code(AlignmentError(message), "shape", part.path)


def layer_values(part: Part, name: str, column: Any, options: ReadOptions) -> tuple[list[Any], bool]:
    """Return the tags or spans of each sentence of a list column, and whether they are spans.

    Raises
    ------
    spanrs.errors.AlignmentError
        Where a sentence is null.
    spanrs.errors.FormatError
        Where a tag is null, or an integer is in no vocabulary.
    TypeError
        For integers without a vocabulary.
    """
    if holds_spans(column.type):
        return span_tuples(column, name), True
    names = options.vocabulary if options.vocabulary is not None else tables.class_labels(part, name)
    known = None if names is None else as_vocabulary(names)
    sentences = column.to_pylist()
    for at, sentence in enumerate(sentences):
        if sentence is None:
            raise with_code(
                AlignmentError(f"{part.shown}: sentence {at} of the column {name!r} is null"), "shape"
            )
        if known is not None:
            sentences[at] = [_tag(known, tag, part.shown, name) for tag in sentence]
            continue
        for tag in sentence:
            if not isinstance(tag, str):
                if isinstance(tag, int):
                    raise TypeError(
                        f"{part.shown}: the column {name!r} holds integers; name their tags with vocabulary="
                    )
                message = f"sentence {at} of the column {name!r} has {tag!r} in place of a tag"
                raise tables.table_error(part.shown, message, "columns")
    return sentences, False


def _tag(known: Sequence[str], tag: Any, shown: str, name: str) -> str:
    if isinstance(tag, int) and 0 <= tag < len(known):
        return known[tag]
    message = f"{shown}: the column {name!r} has {tag!r}, which is in no vocabulary of {len(known)} tags"
    raise with_code(FormatError(message), "unknown_id", shown)
