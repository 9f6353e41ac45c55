"""Writers of sentences: column files, CoNLL-U, stacked tags, span files and tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from spanrs.errors import FormatError, SchemeError, with_code
from spanrs.io.corpus import Corpus
from spanrs.io.losses import Losses
from spanrs.io.sentence import LAYER, Sentence
from spanrs.tags.spans import write_tags
from spanrs.tags.types import Span

#: What writers return: the number of sentences, and options to read the file with.
Counted = tuple[int, dict[str, Any]]
#: Characters that end a field or a line of a column file.
BREAKS = ("\t", "\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
#: Line of a span file for a sentence without spans.
NO_SPANS = "NONE\t999\t999\t999\n"
#: Rows of a table that are written at once.
BATCH = 10_000


def flat(spans: Sequence[Span], losses: Losses, place: str) -> list[Span]:
    """Return spans that do not share a token; of others the first and longest."""
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
    """Gives the layers of sentences as tags in a scheme.

    Parameters
    ----------
    corpus : Corpus
        Whose tags are read in its scheme.
    scheme : str
        The scheme to write.
    losses : Losses
        Gets the spans that tags cannot express.
    """

    def __init__(self, corpus: Corpus, scheme: str, losses: Losses) -> None:
        self.scheme = scheme
        self._is_own = corpus.has_tags and corpus.scheme == scheme
        self._dialect, self._losses = corpus.options.dialect, losses

    def of(self, sentence: Sentence, layer: str, place: str) -> list[str]:
        """Return the tags of a layer: those that it has, or its spans as tags.

        Raises
        ------
        spanrs.errors.SchemeError
            For spans that the scheme cannot express.
        """
        own = sentence.tags.get(layer)
        if own is not None and self._is_own:
            return list(own)
        spans = flat(sentence.spans[layer], self._losses, place)
        try:
            return write_tags(spans, len(sentence), self.scheme, dialect=self._dialect)
        except SchemeError as error:
            raise with_code(SchemeError(f"{place}: {error}"), error.code) from None

    def read_options(self) -> dict[str, Any]:
        """Return the reading options for the scheme that was written."""
        return {} if self.scheme == "BIO" else {"scheme": self.scheme}


def _words(sentence: Sentence, place: str) -> Sequence[str]:
    """Return the tokens of a sentence, which must be one field of a line each.

    Raises
    ------
    spanrs.errors.FormatError
    """
    if sentence.tokens is None:
        message = f"{place} has no tokens, which the format needs; write it as parquet, arrow or spans"
        raise with_code(FormatError(message), "no_tokens")
    for at, token in enumerate(sentence.tokens):
        _check_field(token, f"{place}, token {at}")
    return sentence.tokens


def _check_field(text: str, place: str) -> None:
    if not text or text != text.strip() or any(mark in text for mark in BREAKS):
        message = f"{place}: {text!r} cannot be written in one column of a line"
        raise with_code(FormatError(message), "bad_value")


def _sentences(corpus: Corpus, losses: Losses) -> Iterator[tuple[str, Sentence]]:
    """Yield the sentences that are not empty, with their places for messages."""
    for at, sentence in enumerate(corpus):
        place = f"sentence {at}"
        if sentence.tokens is not None and not len(sentence.tokens):
            losses.add("empty sentences", place)
            continue
        yield place, sentence


def _begins(sentence: Sentence, before: str | None) -> str | None:
    """Return the line that begins the document of a sentence, where it is another one than before.

    Raises
    ------
    spanrs.errors.FormatError
        For a sentence without a document behind one that has one: it would be read as part of that.
    """
    if sentence.document is None and before is not None:
        message = f"a sentence without a document follows document {before!r}; name the documents of all or of none"
        raise with_code(FormatError(message), "documents")
    if sentence.document is None or sentence.document == before:
        return None
    _check_field(sentence.document, "the name of a document")
    return f"# newdoc id = {sentence.document}\n"


def _tagged(
    corpus: Corpus, out: IO[bytes], tags: Tags, losses: Losses
) -> Iterator[tuple[str, list[str], list[tuple[str, ...]]]]:
    """Write the lines between sentences; yield place, layers, and (token, tag of each layer) of each sentence."""
    layers: list[str] = []
    document = None
    for place, sentence in _sentences(corpus, losses):
        layers = layers or sentence.layers
        words = _words(sentence, place)
        columns = [tags.of(sentence, layer, place) for layer in layers]
        line = _begins(sentence, document)
        document = sentence.document
        if line is not None:
            out.write(line.encode())
        yield place, layers, list(zip(words, *columns, strict=True))
        out.write(b"\n")


def write_columns(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write a token per line: the token and a tag for each layer, separated by tabs."""
    tags = Tags(corpus, scheme, losses)
    layers: list[str] = []
    count = 0
    for place, layers, rows in _tagged(corpus, out, tags, losses):  # noqa: B007 - used below
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
    for place, names, rows in _tagged(corpus, out, tags, losses):
        keys = ["NER"] if names == [LAYER] else [_key(name) for name in names]
        for at, (word, *row) in enumerate(rows, start=1):
            for tag in row:
                if set(tag) & set("|= "):
                    message = f"{place}: the tag {tag!r} cannot be written in the column MISC"
                    raise with_code(FormatError(message), "bad_value")
            misc = "|".join(f"{key}={tag}" for key, tag in zip(keys, row, strict=True))
            out.write(f"{at}\t{word}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n".encode())
        count += 1
    read = tags.read_options()
    if keys:
        sides = dict(zip(names, keys, strict=True))
        both = set(names) == {"gold", "pred"}
        read |= sides if both else {"tags": keys[0] if len(keys) == 1 else tuple(keys)}
    return count, read


def _key(layer: str) -> str:
    """Return the key of MISC for a layer."""
    key = "".join(mark if mark.isalnum() else "_" for mark in layer)
    return f"Layer{key}" if key.isdecimal() else key


def write_stacked(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write stacked tags in BIO, the outermost first: ``I-S|B-NP``."""
    del scheme  # Stacked tags are BIO.
    count = 0
    for place, sentence in _sentences(corpus, losses):
        words = _words(sentence, place)
        layer = _only_layer(sentence, losses, place)
        stacks: list[list[str]] = [[] for _ in words]
        for span in _nested(sentence.spans[layer], losses, place):
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
    """Return the first layer; others are left out."""
    first, *others = sentence.layers
    for _ in others:
        losses.add("further layers", place)
    return first


def _nested(spans: Sequence[Span], losses: Losses, place: str) -> list[Span]:
    """Return spans each of which is within or beside every other one, the outermost first."""
    kept: list[Span] = []
    open_ends: list[int] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while open_ends and open_ends[-1] <= span.start:
            open_ends.pop()
        if span.tokens is not None:
            losses.add("spans with holes", place)
        elif open_ends and span.end > open_ends[-1]:
            losses.add("spans that cross others", place)
        else:
            kept.append(span)
            open_ends.append(span.end)
    return kept


def write_span_lines(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write a span a line: type, first token, last token, tokens; tokens from 1."""
    del scheme
    count = 0
    for place, sentence in _sentences(corpus, losses):
        layer = _only_layer(sentence, losses, place)
        for span in sentence.spans[layer]:
            _check_field(span.type, f"{place}: the type")
            tokens = range(span.start, span.end) if span.tokens is None else span.tokens
            numbers = ", ".join(str(token + 1) for token in tokens)
            out.write(f"{span.type}\t{span.start + 1}\t{span.end}\t{numbers}\n".encode())
        if not sentence.spans[layer]:
            out.write(NO_SPANS.encode())
        out.write(b"\n")
        if sentence.tokens is not None:
            losses.add("sentences whose tokens are not written", place)
        count += 1
    return count, {}


def write_csv(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
    """Write a row a token: document if there are such, sentence, token, and a tag for each layer."""
    tags = Tags(corpus, scheme, losses)
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text, lineterminator="\n")
    layers: list[str] = []
    count, named = 0, False
    try:
        for place, sentence in _sentences(corpus, losses):
            if not layers:
                layers, named = sentence.layers, sentence.document is not None
                names = [*(["document"] if named else []), "sentence", "token"]
                rows.writerow([*names, *_csv_names(layers)])
            if named != (sentence.document is not None):
                message = f"{place}: some sentences have a document, and others have none; name those of all or of none"
                raise with_code(FormatError(message), "documents")
            words = _words(sentence, place)
            columns = [tags.of(sentence, layer, place) for layer in layers]
            first = [sentence.document or "", str(count)] if named else [str(count)]
            for fields in zip(words, *columns, strict=True):
                rows.writerow([*first, *fields])
            count += 1
    finally:
        text.detach()
    read = tags.read_options()
    if len(layers) > 1 and set(layers) != {"gold", "pred"}:
        read["tags"] = tuple(layers)
    return count, read


def _csv_names(layers: Sequence[str]) -> list[str]:
    return ["tag"] if list(layers) == [LAYER] else list(layers)


def write_table(kind: str) -> Callable[[Corpus, IO[bytes], str, Losses], Counted]:
    """Return the writer of Parquet or Arrow: a row a sentence, lists of tokens and of tags or spans."""

    def write(corpus: Corpus, out: IO[bytes], scheme: str, losses: Losses) -> Counted:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise ImportError(
                "Parquet and Arrow files need pyarrow; pip install 'spanrs[arrow]'"
            ) from error
        first = next(iter(corpus), None)
        layers = [LAYER] if first is None else first.layers
        as_tags = first is None or bool(first.tags)
        schema = _table_schema(pyarrow, layers, as_tags=as_tags)
        tags = Tags(corpus, scheme, losses)
        count, named = 0, False
        make = parquet.ParquetWriter if kind == "parquet" else pyarrow.ipc.new_file
        with make(out, schema) as writer:
            for rows in _batches(corpus):
                columns = _table_columns(rows, layers, tags if as_tags else None)
                named |= any(sentence.document is not None for sentence in rows)
                writer.write_table(pyarrow.table(columns, schema=schema))
                count += len(rows)
        read = tags.read_options() if as_tags else {}
        if named:
            read["documents"] = "document"
        if len(layers) > 1 and set(layers) != {"gold", "pred"}:
            read["tags"] = tuple(layers)
        return count, read

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
    rows: Sequence[Sentence], layers: Sequence[str], tags: Tags | None
) -> Mapping[str, list[Any]]:
    """Return the columns of sentences: tags, or spans where ``tags`` is None."""
    columns: dict[str, list[Any]] = {
        "document": [sentence.document for sentence in rows],
        "tokens": [None if sentence.tokens is None else list(sentence.tokens) for sentence in rows],
    }
    for layer in layers:
        if tags is not None:
            columns[layer] = [tags.of(sentence, layer, "a sentence") for sentence in rows]
            continue
        columns[layer] = [
            [
                span._asdict() | {"tokens": span.tokens and list(span.tokens)}
                for span in sentence.spans[layer]
            ]
            for sentence in rows
        ]
    return columns


def _batches(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    rows: list[Sentence] = []
    for sentence in sentences:
        rows.append(sentence)
        if len(rows) == BATCH:
            yield rows
            rows = []
    if rows:
        yield rows


#: Writers by format: (corpus, file, scheme, losses) to the number of sentences and options to read with.
FORMATS: dict[str, Callable[[Corpus, IO[bytes], str, Losses], Counted]] = {
    "columns": write_columns,
    "conllu": write_conllu,
    "stacked": write_stacked,
    "spans": write_span_lines,
    "csv": write_csv,
    "parquet": write_table("parquet"),
    "arrow": write_table("arrow"),
}
