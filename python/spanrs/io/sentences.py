"""Iteration over the sentences of a part of a corpus, in any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO, TextIOWrapper
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import AlignmentError, FormatError, warn, with_code
from spanrs.io import tables
from spanrs.io.csv_rows import Row, csv_rows, without_header
from spanrs.io.encodings import recoded
from spanrs.io.long_form import LongForm, TokenRows, long_form
from spanrs.io.options import Column, ReadOptions
from spanrs.io.parts import Part
from spanrs.io.sentence import LAYER, Sentence
from spanrs.io.span_columns import holds_spans, is_list, is_string, span_tuples
from spanrs.io.table_columns import TableColumns, table_columns
from spanrs.tags.types import Span, as_vocabulary

#: Types in span files that mark a sentence without spans.
DUMMIES = ("NONE", "EMPTY")


class Layout(NamedTuple):
    """The columns of a part that are read."""

    tags: Mapping[str, Column]
    """The columns of tags or spans by layer."""
    tokens: Column | None
    """The column of tokens; None if there is no such column, or the format determines it."""
    documents: str | None = None
    """The column of a table with the document name of each sentence."""
    vocabulary: Any = None
    """The ``vocabulary`` option, for columns of integers."""


def columns_of(part: Part, options: ReadOptions) -> Layout:
    """Return the column layout of a part: columns from the options, otherwise columns with usual names.

    Raises
    ------
    spanrs.errors.FormatError
        If a table has no column of tags, or several possible columns of tags.
    """
    if part.kind == "rows":
        if options.gold is not None or options.pred is not None:
            gold = -2 if options.gold is None else options.gold
            pred = -1 if options.pred is None else options.pred
            return Layout({"gold": gold, "pred": pred}, options.tokens)
        places = options.layers()
        names = [LAYER] if len(places) == 1 else [str(place) for place in places]
        return Layout(dict(zip(names, places, strict=True)), options.tokens)
    if part.kind == "records":
        keys = dict(_spanrs.TagRecords.keys(part.opened(keep=True)))
        names, lists = list(keys), {name for name, is_a_list in keys.items() if is_a_list}
        layout = _layout(table_columns(names, options, part.shown, lists), names, options)
        # Each record of a dataset is an example of its own.
        has_id = layout.documents is None and "id" in names
        return layout._replace(documents="id") if has_id else layout
    types = tables.column_types(part)
    names = list(types)
    lists = {name for name, data_type in types.items() if is_list(data_type)}
    columns = table_columns(names, options, part.shown, lists)
    return _layout(columns, names, options)


def _layout(columns: TableColumns, names: Sequence[str], options: ReadOptions) -> Layout:
    return Layout(
        {layer: names[place] for layer, place in columns.tags.items()},
        None if columns.token is None else names[columns.token],
        None if columns.document is None else names[columns.document],
        options.vocabulary,
    )


def is_long(part: Part, options: ReadOptions) -> bool:
    """Return whether a table has a row for each token, as opposed to a row for each sentence.

    Raises
    ------
    spanrs.errors.FormatError
        If one column of tags contains lists and another does not.
    """
    if part.format == "csv":
        return True
    if part.kind == "records":
        return False
    types = tables.column_types(part)
    lists = {name: is_list(types[str(name)]) for name in columns_of(part, options).tags.values()}
    if len(set(lists.values())) > 1:
        flat = next(name for name, is_one in lists.items() if not is_one)
        message = (
            f"the column {flat!r} is of type {types[str(flat)]}; it must contain one list per sentence"
        )
        raise tables.table_error(part.shown, message, "columns")
    return not next(iter(lists.values()))


def sentences_of(part: Part, options: ReadOptions, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    """Yield the sentences of a column file, span file or table.

    Parameters
    ----------
    part : Part
        A part of any kind except ``documents``.
    options : ReadOptions
        Columns and other options.
    make : callable
        Creates a sentence from its fields.
    """
    if part.kind == "rows":
        yield from _column_sentences(part, options, make)
    elif part.kind == "spans":
        yield from _span_sentences(part, options, make)
    elif part.kind == "records":
        yield from _record_sentences(part, options, make)
    elif is_long(part, options):
        yield from _long_sentences(part, options, make)
    else:
        yield from _list_sentences(part, options, make)


def _column_sentences(
    part: Part, options: ReadOptions, make: Callable[..., Sentence]
) -> Iterator[Sentence]:
    layers = columns_of(part, options).tags
    columns = options.columns(next(iter(layers.values())))
    reader = _spanrs.SentenceReader(part.opened(keep=True), columns, list(layers.values()), None)
    document: str | None = None
    # Unnamed documents are numbered from 0, as in the rows of counts.
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
    columns = options.columns(options.layers()[0], options.punct_column)
    reading = {
        "format": part.format,
        "columns": columns,
        "ignore_punct": options.punct_column is not None,
    }
    for chunk in _spanrs.SpanReader((part.opened(keep=True), reading), None):
        for tokens, rows, line in chunk:
            spans = [
                Span(row[0], row[1], row[2], tuple(row[3]) if len(row) > 3 else None)
                for row in rows
                if row[0] not in DUMMIES
            ]
            yield make(tokens, None, {LAYER: spans}, path=part.path, line=line)


def _record_sentences(
    part: Part, options: ReadOptions, make: Callable[..., Sentence]
) -> Iterator[Sentence]:
    layout = columns_of(part, options)
    vocabulary = None if options.vocabulary is None else as_vocabulary(options.vocabulary)
    layers, keys = list(layout.tags), [str(key) for key in layout.tags.values()]
    tokens_key = None if layout.tokens is None else str(layout.tokens)
    records = _spanrs.TagRecords(
        part.opened(keep=True), {"tokens": tokens_key, "tags": keys, "document": layout.documents}
    )
    for tokens, tags, document, line in records:
        for at, layer_tags in enumerate(tags):
            if layer_tags and isinstance(layer_tags[0], int):
                if vocabulary is None:
                    raise TypeError(
                        f"{part.shown}: the tags under {keys[at]!r} are integers; give their names with vocabulary="
                    )
                tags[at] = [_tag(vocabulary, tag, part.shown, keys[at]) for tag in layer_tags]
        named = dict(zip(layers, tags, strict=True))
        yield make(tokens, named, document=document, path=part.path, line=line)


def _long_sentences(part: Part, options: ReadOptions, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    if part.format == "csv":
        yield from _csv_sentences(part, options, make)
        return
    names = list(tables.column_types(part))
    form = long_form(names, options, part.shown)
    vocabularies = {layer: _vocabulary(part, names[place], options) for layer, place in form.tags.items()}
    form = replace(
        form,
        vocabularies={
            layer: vocabulary for layer, vocabulary in vocabularies.items() if vocabulary is not None
        },
    )
    yield from _sentences(form.sentences(_table_rows(part, names, form)), part, make)


def _csv_sentences(part: Part, options: ReadOptions, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    with _opened_csv(part, options) as file:
        try:
            names, has_header, rows = csv_rows(file, part.shown, options)
            if not has_header:
                options = without_header(options, len(names))
            form = long_form(names, options, part.shown, is_csv=True)
            if form.token is None and len(form.columns()) < len(names):
                header = ", ".join(names)
                warn([f"{part.shown}: no column of tokens among {header}; to read tokens, pass tokens="])
            if options.vocabulary is not None:
                vocabulary = as_vocabulary(options.vocabulary)
                form = replace(form, vocabularies=dict.fromkeys(form.tags, vocabulary))
            yield from _sentences(form.sentences(rows), part, make)
        except UnicodeDecodeError:
            binary: Any = file.buffer
            binary.seek(0)
            _refuse_encoding(binary.read(), part.shown, options.encoding)
            raise


def _opened_csv(part: Part, options: ReadOptions) -> TextIOWrapper:
    """Open a CSV file as a stream; compressed files and streams are read into memory."""
    encoding = options.encoding or "utf-8"
    path = tables.plain_path(part)
    if path is not None:
        return open(path, encoding=encoding, newline="")
    contents = part.opened(keep=True).contents(options.limits.expansion)
    return TextIOWrapper(BytesIO(contents), encoding, newline="")


def _refuse_encoding(data: bytes, shown: str, encoding: str | None) -> None:
    """Raise the error for text in another encoding, with the line."""
    if encoding is not None:
        recoded(data, shown, encoding)
        return
    try:
        data.decode()
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        message = f"{shown}:{line}: the file is not UTF-8; convert it, or pass encoding="
        raise with_code(FormatError(message), "encoding", shown, line) from None


def _sentences(rows: Iterator[TokenRows], part: Part, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    for tokens, tags, document, name, number in rows:
        yield make(tokens, tags, document=document, id=name, path=part.path, line=number)


def _table_rows(part: Part, names: Sequence[str], form: LongForm) -> Iterator[Row | None]:
    """Yield the rows of a table; cells of columns that are not read are None."""
    wanted = [names[place] for place in form.columns()]
    number = 0
    for batch in tables.batches(part, wanted):
        columns = [
            batch.column(name).to_pylist() if name in wanted else [None] * batch.num_rows for name in names
        ]
        yield from enumerate(zip(*columns, strict=True), number)
        number += batch.num_rows


def _list_sentences(part: Part, options: ReadOptions, make: Callable[..., Sentence]) -> Iterator[Sentence]:
    layout = columns_of(part, options)
    are_spans = _check_types(part, layout)
    columns = [*layout.tags.values(), layout.tokens, layout.documents]
    row = 0
    for batch in tables.batches(part, [str(name) for name in columns if name is not None]):
        layers = {
            layer: layer_values(part, str(name), batch.column(name), options, row)
            for layer, name in layout.tags.items()
        }
        tokens, documents = (
            [None] * batch.num_rows if name is None else batch.column(name).to_pylist()
            for name in (layout.tokens, layout.documents)
        )
        for at in range(batch.num_rows):
            values = {layer: sentences[at] for layer, sentences in layers.items()}
            _check_row(part, row + at, tokens[at], values, are_spans=are_spans)
            yield make(
                tokens[at],
                None if are_spans else values,
                {layer: [Span(*span) for span in spans] for layer, spans in values.items()}
                if are_spans
                else None,
                document=None if documents[at] is None else str(documents[at]),
                path=part.path,
                line=row + at,
            )
        row += batch.num_rows


def _check_types(part: Part, layout: Layout) -> bool:
    """Return whether the layers of a table are spans, as opposed to tags.

    Raises
    ------
    spanrs.errors.FormatError
        If there are layers of both kinds, or the tokens are not lists of strings.
    """
    from pyarrow import types

    column_types = tables.column_types(part)
    spans = {str(name): holds_spans(column_types[str(name)]) for name in layout.tags.values()}
    if len(set(spans.values())) > 1:
        names = " and ".join(
            f"{name!r} ({'spans' if are_spans else 'tags'})" for name, are_spans in spans.items()
        )
        raise tables.table_error(
            part.shown, f"columns {names} cannot be read together; choose one with tags=", "columns"
        )
    if layout.tokens is not None:
        token_type = column_types[str(layout.tokens)]
        items = token_type.value_type if is_list(token_type) else None
        items = items.value_type if items is not None and types.is_dictionary(items) else items
        if items is None or not (is_string(items) or types.is_null(items)):
            message = (
                f"the column {layout.tokens!r} is of type {token_type}; it must contain lists of strings; "
                "choose the column of tokens with tokens="
            )
            raise tables.table_error(part.shown, message, "columns")
    return next(iter(spans.values()))


def _check_row(part: Part, row: int, tokens: Any, values: Mapping[str, Any], *, are_spans: bool) -> None:
    """Refuse null tokens, a number of tags that differs from the number of tokens, and spans out of range.

    Raises
    ------
    spanrs.errors.AlignmentError
    """
    message = None
    if tokens is not None and None in tokens:
        message = f"token {tokens.index(None)} is null"
    for layer in values.values():
        if are_spans:
            message = message or _misplaced_span(layer, tokens)
        elif tokens is not None and len(layer) != len(tokens):
            message = message or f"{len(tokens)} tokens but {len(layer)} tags"
    if message is not None:
        raise with_code(AlignmentError(f"{part.shown}: row {row}: {message}"), "shape", part.path)


def _misplaced_span(spans: Sequence[tuple[Any, ...]], tokens: Sequence[str] | None) -> str | None:
    """Return a message for the first span that is empty or out of range."""
    for span in spans:
        kind, start, end = span[:3]
        inside = span[3] if len(span) > 3 else (start,)
        is_inside = bool(inside) and start <= min(inside) and max(inside) < end
        if start < 0 or not is_inside or (tokens is not None and end > len(tokens)):
            size = "" if tokens is None else f" in a sentence of {len(tokens)} tokens"
            return (
                f"the span {kind!r} from {start} to {end} is empty or out of range{size}; spans have token "
                "indices, with an exclusive end"
            )
    return None


def _vocabulary(part: Part, name: str, options: ReadOptions) -> list[str] | None:
    """Return the tags of the integers of a column, if they are known."""
    names = options.vocabulary if options.vocabulary is not None else tables.class_labels(part, name)
    return None if names is None else as_vocabulary(names)


def layer_values(part: Part, name: str, column: Any, options: ReadOptions, row: int) -> list[Any]:
    """Return the tags or spans of each sentence of a list column; ``row`` is the row of the first sentence.

    Raises
    ------
    spanrs.errors.AlignmentError
        If a sentence is null.
    spanrs.errors.FormatError
        If a tag is null, or an integer is not in the vocabulary.
    TypeError
        If tags are integers and there is no vocabulary.
    """
    if holds_spans(column.type):
        return span_tuples(column, name, row)
    vocabulary = _vocabulary(part, name, options)
    sentences: list[Any] = column.to_pylist()
    for at, sentence in enumerate(sentences):
        if sentence is None:
            message = f"{part.shown}: row {row + at} of the column {name!r} is null"
            raise with_code(AlignmentError(message), "shape", part.path)
        if vocabulary is not None:
            sentences[at] = [_tag(vocabulary, tag, part.shown, name) for tag in sentence]
            continue
        for tag in sentence:
            if not isinstance(tag, str):
                if isinstance(tag, int):
                    raise TypeError(
                        f"{part.shown}: the column {name!r} contains integers; give their tags with vocabulary="
                    )
                message = f"row {row + at} of the column {name!r} has {tag!r} instead of a tag"
                raise tables.table_error(part.shown, message, "columns")
    return sentences


def _tag(vocabulary: Sequence[str], tag: Any, shown: str, name: str) -> str:
    if isinstance(tag, int) and 0 <= tag < len(vocabulary):
        return vocabulary[tag]
    message = f"{shown}: the column {name!r} has {tag!r}, which is not in the vocabulary of {len(vocabulary)} tags"
    raise with_code(FormatError(message), "unknown_id", shown)
