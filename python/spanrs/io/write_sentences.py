"""Writers of sentences: column files, CoNLL-U, stacked tags, span files and tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import IO, Any

from spanrs.errors import FormatError, SchemeError, with_code
from spanrs.io.corpus import CHUNK, Corpus
from spanrs.io.losses import Counted, Losses, without_crossing
from spanrs.io.options import ReadOptions
from spanrs.io.sentence import LAYER, Sentence
from spanrs.io.sentences import DUMMIES
from spanrs.io.table_columns import (
    DOCUMENT_NAMES,
    POSITION_NAMES,
    SENTENCE_NAMES,
    TOKEN_NAMES,
    simple_name,
)
from spanrs.tags.spans import spans_to_tags
from spanrs.tags.types import Span

#: Characters that end a field or a line of a column file.
BREAKS = ("\t", "\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
#: Prefixes of lines that are comments or document boundaries in column files.
NO_TOKENS = ("# ", "-DOCSTART-")
#: Line of a span file for a sentence without spans.
NO_SPANS = "NONE\t999\t999\t999\n"
#: Names of the columns of a table that are not layers; readers recognise these names.
COLUMN_NAMES = (*TOKEN_NAMES, *DOCUMENT_NAMES, *SENTENCE_NAMES, *POSITION_NAMES)


def flat(spans: Sequence[Span], losses: Losses, place: str) -> list[Span]:
    """Return spans that do not share tokens; of overlapping spans, keep the first to start, then the longest."""
    kept: list[Span] = []
    end = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.tokens is not None:
            losses.add("spans with holes", place)
        elif span.start < end:
            losses.add("spans that share tokens with others", place)
        else:
            kept.append(span)
            end = span.end
    return kept


class Tags:
    """Converts the layers of sentences to tags in a scheme.

    Parameters
    ----------
    corpus : Corpus
        The corpus of the sentences; tags that are already in the scheme are kept unchanged.
    scheme : str
        The scheme to write.
    losses : Losses
        Counts the spans that tags cannot represent.
    """

    def __init__(self, corpus: Corpus, scheme: str, losses: Losses) -> None:
        self.scheme = scheme
        self._is_own = corpus.has_tags and corpus.scheme == scheme
        self._options, self._losses = corpus.options, losses

    def of(self, sentence: Sentence, layer: str, place: str) -> list[str]:
        """Return the tags of a layer, converted from its spans if necessary.

        Raises
        ------
        spanrs.errors.SchemeError
            If the scheme cannot represent the spans.
        """
        layer_tags = sentence.tags.get(layer)
        if layer_tags is not None and self._is_own:
            return list(layer_tags)
        spans = flat(sentence.spans[layer], self._losses, place)
        try:
            return spans_to_tags(spans, len(sentence), self.scheme, dialect=self._options.dialect)
        except SchemeError as error:
            raise with_code(SchemeError(f"{place}: {error}"), error.code) from None

    def read_options(self) -> dict[str, Any]:
        """Return the reading options for the written tags."""
        defaults = ReadOptions()
        options: dict[str, Any] = {"scheme": self.scheme}
        if self._options.reading != defaults.reading:
            options["reading"] = self._options.reading
        if self._options.dialect != defaults.dialect:
            options["dialect"] = self._options.dialect
        return options


def _words(sentence: Sentence, place: str) -> Sequence[str]:
    """Return the tokens of a sentence; each must fit in one column of a line.

    Raises
    ------
    spanrs.errors.FormatError
        If there are no tokens, or a token does not fit.
    """
    if sentence.tokens is None:
        message = (
            f"{place} has no tokens, which this format requires; write parquet, arrow or spans instead"
        )
        raise with_code(FormatError(message), "no_tokens")
    for at, token in enumerate(sentence.tokens):
        _check_field(token, f"{place}, token {at}")
    return sentence.tokens


def _check_field(text: str, place: str) -> None:
    if not text or text != text.strip() or any(mark in text for mark in BREAKS):
        message = f"{place}: {text!r} cannot be written in one column of a line"
        raise with_code(FormatError(message), "bad_value")


def _check_type(name: str, place: str) -> None:
    _check_field(name, f"{place}: the type")
    if name in DUMMIES:
        message = f"{place}: the type {name!r} marks sentences without spans in this format; rename it"
        raise with_code(FormatError(message), "bad_value")


def _column_words(sentence: Sentence, place: str) -> Sequence[str]:
    """Return the tokens of a sentence for a column file; refuse tokens that look like comments or document boundaries.

    Raises
    ------
    spanrs.errors.FormatError
    """
    words = _words(sentence, place)
    for at, word in enumerate(words):
        if word.startswith(NO_TOKENS):
            message = (
                f"{place}, token {at}: a line that begins with {word!r} may be read as a comment or a document "
                "boundary; write conllu, csv, parquet or arrow instead"
            )
            raise with_code(FormatError(message), "bad_value")
    return words


def _numbered(corpus: Corpus) -> Iterator[tuple[str, Sentence]]:
    """Yield the sentences with their locations for messages.

    Raises
    ------
    spanrs.errors.FormatError
        If the parts of the corpus have different layers.
    """
    first: Sentence | None = None
    layers: list[str] = []
    for at, sentence in enumerate(corpus):
        if first is None:
            first, layers = sentence, sentence.layers
        elif sentence.layers != layers:
            message = (
                f"{sentence.path or f'sentence {at}'} has the layers {', '.join(sentence.layers)}, but "
                f"{first.path or 'sentence 0'} has {', '.join(layers)}; write each to a separate file, "
                "or read the same columns from all files with tags="
            )
            raise with_code(FormatError(message), "layers", sentence.path)
        yield f"sentence {at}", sentence


def _sentences(corpus: Corpus, losses: Losses) -> Iterator[tuple[str, Sentence]]:
    """Yield the sentences that are not empty, with their locations for messages."""
    for place, sentence in _numbered(corpus):
        if sentence.tokens is not None and not len(sentence.tokens):
            losses.add("empty sentences", place)
            continue
        yield place, sentence


def _begins(sentence: Sentence, before: str | None) -> str | None:
    """Return the line that begins a new document before a sentence, or None within a document.

    Raises
    ------
    spanrs.errors.FormatError
        If a sentence without a document follows a sentence with a document, and would be read as part of that document.
    """
    if sentence.document is None and before is not None:
        message = f"a sentence without a document follows document {before!r}; give all sentences a document, or none"
        raise with_code(FormatError(message), "documents")
    if sentence.document is None or sentence.document == before:
        return None
    _check_field(sentence.document, "document name")
    return f"# newdoc id = {sentence.document}\n"


def _tagged(
    corpus: Corpus,
    out: IO[bytes],
    tags: Tags,
    losses: Losses,
    words_of: Callable[[Sentence, str], Sequence[str]],
) -> Iterator[tuple[str, list[str], list[tuple[str, ...]]]]:
    """Write the lines between sentences; yield the location, layers and rows (token, tags) of each sentence."""
    layers: list[str] = []
    document = None
    for place, sentence in _sentences(corpus, losses):
        layers = layers or sentence.layers
        words = words_of(sentence, place)
        columns = [tags.of(sentence, layer, place) for layer in layers]
        line = _begins(sentence, document)
        document = sentence.document
        if line is not None:
            out.write(line.encode())
        yield place, layers, list(zip(words, *columns, strict=True))
        out.write(b"\n")


def write_columns(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write one token per line: the token and a tag for each layer, separated by tabs."""
    tags = Tags(corpus, scheme, losses)
    layers: list[str] = []
    count = 0
    for place, layers, rows in _tagged(corpus, out, tags, losses, _column_words):  # noqa: B007 - used below
        for fields in rows:
            for field in fields[1:]:
                _check_field(field, place)
            out.write(("\t".join(fields) + "\n").encode())
        count += 1
    read = tags.read_options()
    if len(layers) > 1:
        sides = dict(zip(layers, range(1, len(layers) + 1), strict=True))
        read |= sides if set(layers) == {"gold", "pred"} else {"tags": tuple(sides.values())}
    return count, read


def write_conllu(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write CoNLL-U, with the tags in the column MISC: ``NER=B-PER``."""
    tags = Tags(corpus, scheme, losses)
    names: list[str] = []
    keys: list[str] = []
    count = 0
    for place, names, rows in _tagged(corpus, out, tags, losses, _words):
        keys = keys or _keys(names)
        for at, (word, *row) in enumerate(rows, start=1):
            for tag in row:
                if tag.split() != [tag] or "|" in tag or "=" in tag:
                    message = f"{place}: the tag {tag!r} cannot be written in the column MISC"
                    raise with_code(FormatError(message), "bad_value")
            misc = "|".join(f"{key}={tag}" for key, tag in zip(keys, row, strict=True))
            out.write(f"{at}\t{word}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n".encode())
        count += 1
    read = tags.read_options()
    if keys:
        sides = dict(zip(names, keys, strict=True))
        are_sides = set(names) == {"gold", "pred"}
        read |= sides if are_sides else {"tags": keys[0] if len(keys) == 1 else tuple(keys)}
    return count, read


def _keys(layers: Sequence[str]) -> list[str]:
    """Return the key of each layer in the column MISC.

    Raises
    ------
    spanrs.errors.FormatError
        If two layers have the same key.
    """
    if list(layers) == [LAYER]:
        return ["NER"]
    keys: dict[str, str] = {}
    for layer in layers:
        key = "".join(mark if mark.isalnum() else "_" for mark in layer)
        key = f"Layer{key}" if key.isdecimal() else key
        if key in keys:
            message = (
                f"the layers {keys[key]!r} and {layer!r} have the same key {key!r} in the column MISC; "
                f"write each to a separate file: corpus[{layer!r}]"
            )
            raise with_code(FormatError(message), "layers")
        keys[key] = layer
    return list(keys)


def write_stacked(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write stacked tags in BIO, the outermost first: ``I-S|B-NP``."""
    del scheme  # Stacked tags are always BIO.
    count = 0
    for place, sentence in _sentences(corpus, losses):
        words = _column_words(sentence, place)
        layer = _only_layer(sentence, losses, place)
        stacks: list[list[str]] = [[] for _ in words]
        for span in _nested(sentence.spans[layer], losses, place):
            _check_type(span.type, place)
            if "|" in span.type:
                message = f"{place}: the type {span.type!r} cannot be written in stacked tags"
                raise with_code(FormatError(message), "bad_value")
            for token in range(span.start, span.end):
                stacks[token].append(f"{'B' if token == span.start else 'I'}-{span.type}")
        for word, stack in zip(words, stacks, strict=True):
            out.write(f"{word}\t{'|'.join(stack) or 'O'}\n".encode())
        out.write(b"\n")
        count += 1
        if sentence.document is not None:
            losses.add("names of documents", place)
    return count, {}


def _only_layer(sentence: Sentence, losses: Losses, place: str) -> str:
    """Return the first layer; count other layers as losses."""
    first, *unwritten = sentence.layers
    for _ in unwritten:
        losses.add("further layers", place)
    return first


def _nested(spans: Sequence[Span], losses: Losses, place: str) -> list[Span]:
    """Return contiguous spans that are nested or disjoint, outer spans before inner ones."""
    contiguous = [span for span in spans if span.tokens is None]
    for _ in range(len(spans) - len(contiguous)):
        losses.add("spans with holes", place)
    return without_crossing(contiguous, losses, "spans that cross others", place)


def write_span_lines(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write one span per line: type, first token, last token, tokens; tokens are numbered from 1."""
    del scheme
    count = 0
    for place, sentence in _sentences(corpus, losses):
        layer = _only_layer(sentence, losses, place)
        for span in sentence.spans[layer]:
            _check_type(span.type, place)
            tokens = range(span.start, span.end) if span.tokens is None else span.tokens
            numbers = ", ".join(str(token + 1) for token in tokens)
            out.write(f"{span.type}\t{span.start + 1}\t{span.end}\t{numbers}\n".encode())
        if not sentence.spans[layer]:
            out.write(NO_SPANS.encode())
        out.write(b"\n")
        if sentence.tokens is not None:
            losses.add("sentences whose tokens are not written", place)
        if sentence.document is not None:
            losses.add("names of documents", place)
        count += 1
    return count, {}


def write_csv(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write one row per token: document (if named), sentence, token, and a tag for each layer."""
    tags = Tags(corpus, scheme, losses)
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text, lineterminator="\n")
    layers: list[str] = []
    count, named = 0, False
    try:
        for place, sentence in _sentences(corpus, losses):
            if not layers:
                layers, named = sentence.layers, sentence.document is not None
                _check_layers(layers)
                names = [*(["document"] if named else []), "sentence", "token"]
                rows.writerow([*names, *(["tag"] if layers == [LAYER] else layers)])
            if named != (sentence.document is not None):
                message = f"{place}: only some sentences have a document; either all sentences or none may have one"
                raise with_code(FormatError(message), "documents")
            words = _words(sentence, place)
            columns = [tags.of(sentence, layer, place) for layer in layers]
            first = [sentence.document or "", str(count)] if named else [str(count)]
            for fields in zip(words, *columns, strict=True):
                _check_cells(fields[1:], place)
                rows.writerow([*first, *fields])
            count += 1
    finally:
        text.detach()
    return count, tags.read_options() | _layer_options(layers)


def _check_layers(layers: Sequence[str]) -> None:
    """Refuse layer names that readers of tables recognise as other columns.

    Raises
    ------
    spanrs.errors.FormatError
    """
    for layer in layers:
        # The default layer has a fixed column in each format.
        if layer != LAYER and simple_name(layer) in COLUMN_NAMES:
            message = (
                f"a column called {layer!r} is not read as a layer; rename the column, or write only this layer, "
                f"corpus[{layer!r}], as columns or conllu"
            )
            raise with_code(FormatError(message), "layers")


def _layer_options(layers: Sequence[str]) -> dict[str, Any]:
    """Return the reading options for the layers of a table."""
    usual = list(layers) in ([], [LAYER]) or set(layers) == {"gold", "pred"}
    return {} if usual else {"tags": tuple(layers)}


def _check_cells(tags: Iterable[str], place: str) -> None:
    """Refuse tags with white space, which the reader splits into several tags.

    Raises
    ------
    spanrs.errors.FormatError
    """
    for tag in tags:
        if tag.split() != [tag]:
            message = f"{place}: the tag {tag!r} cannot be written in a cell of CSV; write parquet or arrow instead"
            raise with_code(FormatError(message), "bad_value")


def write_tag_records(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write JSON Lines: one object per sentence, with its document (if named), tokens, and the tags of each layer."""
    tags = Tags(corpus, scheme, losses)
    layers: list[str] = []
    count = 0
    named = False
    for place, sentence in _sentences(corpus, losses):
        if not layers:
            layers = sentence.layers
            _check_layers(layers)
        if sentence.tokens is None:
            losses.add("sentences without tokens", place)
            continue
        record: dict[str, Any] = {} if sentence.document is None else {"document": sentence.document}
        named |= sentence.document is not None
        record["tokens"] = list(sentence.tokens)
        for layer in layers:
            record["tags" if layer == LAYER else layer] = tags.of(sentence, layer, place)
        out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        count += 1
    return count, tags.read_options() | ({"documents": "document"} if named else {}) | _layer_options(
        layers
    )


def write_table(kind: str) -> Callable[[Corpus, IO[bytes], str, Losses], Counted]:
    """Return the writer of Parquet or Arrow: one row per sentence, with lists of tokens and of tags or spans."""

    def write(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise ImportError(
                "Parquet and Arrow files need pyarrow; run pip install 'spanrs[arrow]'"
            ) from error
        numbered = _numbered(corpus)
        begin = list(islice(numbered, 1))
        first = begin[0][1] if begin else None
        layers = [LAYER] if first is None else first.layers
        _check_layers(layers)
        as_tags = first is None or bool(first.tags)
        schema = _table_schema(pyarrow, layers, as_tags=as_tags)
        tags = Tags(corpus, scheme, losses)
        count, named = 0, False
        sentences = chain(begin, numbered)
        make = parquet.ParquetWriter if kind == "parquet" else pyarrow.ipc.new_file
        with make(out, schema) as writer:
            while rows := list(islice(sentences, CHUNK)):
                columns = _table_columns(rows, layers, tags if as_tags else None)
                named |= any(sentence.document is not None for _, sentence in rows)
                writer.write_table(pyarrow.table(columns, schema=schema))
                count += len(rows)
        read = tags.read_options() if as_tags else {}
        if named:
            read["documents"] = "document"
        return count, read | _layer_options(layers)

    return write


def _table_schema(pyarrow: Any, layers: Iterable[str], *, as_tags: bool) -> Any:
    string = pyarrow.string()
    span = pyarrow.struct(
        [
            ("type", string),
            ("start", pyarrow.int64()),
            ("end", pyarrow.int64()),
            ("tokens", pyarrow.list_(pyarrow.int64())),
        ]
    )
    item = string if as_tags else span
    fields = [("document", string), ("tokens", pyarrow.list_(string))]
    return pyarrow.schema([*fields, *((layer, pyarrow.list_(item)) for layer in layers)])


def _table_columns(
    rows: Sequence[tuple[str, Sentence]], layers: Sequence[str], tags: Tags | None
) -> Mapping[str, list[Any]]:
    """Return the columns of sentences: tags, or spans if ``tags`` is None."""
    columns: dict[str, list[Any]] = {
        "document": [sentence.document for _, sentence in rows],
        "tokens": [None if sentence.tokens is None else list(sentence.tokens) for _, sentence in rows],
    }
    for layer in layers:
        if tags is not None:
            columns[layer] = [tags.of(sentence, layer, place) for place, sentence in rows]
            continue
        columns[layer] = [
            [
                span._asdict() | {"tokens": span.tokens and list(span.tokens)}
                for span in sentence.spans[layer]
            ]
            for _, sentence in rows
        ]
    return columns


#: Writers by format.
FORMATS: dict[str, Callable[[Corpus, IO[bytes], str, Losses], Counted]] = {
    "columns": write_columns,
    "conllu": write_conllu,
    "stacked": write_stacked,
    "spans": write_span_lines,
    "csv": write_csv,
    "jsonl-tags": write_tag_records,
    "parquet": write_table("parquet"),
    "arrow": write_table("arrow"),
}
