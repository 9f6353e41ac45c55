"""Lists errors in a second pass, for tables, documents, and sides of different formats."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from spanrs.errors import SpanrsWarning
from spanrs.eval.compared_spans import context, in_text, of_document
from spanrs.eval.details import (
    ErrorList,
    IdOptions,
    find_errors,
    first_of_each_kind,
    reader_of,
    span_lists,
    with_tokens,
)
from spanrs.eval.document_pairs import paired_documents
from spanrs.eval.evidence import Detail
from spanrs.eval.matcher import Matcher
from spanrs.eval.result import Result
from spanrs.eval.sentence_chunks import sentence_chunks
from spanrs.eval.table_sides import id_options, table_sides
from spanrs.io import Corpus, Document
from spanrs.io.parts import Part
from spanrs.io.sentences import columns_of, is_long
from spanrs.tags.types import Dialect, as_vocabulary


def list_errors(
    corpora: tuple[Corpus, Corpus],
    parts: tuple[Part, Part | None],
    result: Result,
    *,
    reading: str,
    dialect: Dialect,
    align: str,
    most: int | None,
) -> ErrorList:
    """Read scored parts again, and list the errors."""
    lists = [ErrorList(result.matcher.criterion, most=most)]
    offsets = [0]
    sentence = 0
    reader = reader_of(result.settings, reading, dialect)
    for golds, preds, texts, documents, ids in _batches_again(corpora, parts, align, result.matcher):
        with warnings.catch_warnings():
            # These warnings are already in the result.
            warnings.simplefilter("ignore", SpanrsWarning)
            spans = span_lists(golds, preds, reader, ids)
        errors_of_batch = find_errors(*spans, result.matcher, most)
        if texts is not None:
            errors = [
                error if texts[error.sentence] is None else with_tokens(error, texts[error.sentence])
                for error in errors_of_batch.errors
            ]
            errors_of_batch = replace(errors_of_batch, errors=errors)
        if documents is not None:
            errors_of_batch = replace(
                errors_of_batch,
                errors=[_in_text(error, documents, result.matcher) for error in errors_of_batch.errors],
            )
        lists.append(errors_of_batch)
        offsets.append(sentence)
        sentence += len(golds)
    whole = lists[0].merge(lists[1:], offsets)
    return replace(whole, errors=first_of_each_kind(whole.errors, most))


def _in_text(
    error: Detail, documents: Sequence[tuple[str, Document, Document]], matcher: Matcher
) -> Detail:
    """Add the document name to an error, and the text around its gold span, or its pred span without a gold span."""
    name, gold, pred = documents[error.sentence]
    if matcher.unit is not None:
        return in_text(error, (gold, pred), matcher)._replace(path=name)
    span, document = (error.gold, gold) if error.gold is not None else (error.pred, pred)
    if span is None:
        return error._replace(path=name)
    first, end = context(document.text, span.start, span.end)
    return error._replace(path=name, first=first, tokens=(document.text[first:end],))


def _batches_again(
    corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None], align: str, matcher: Matcher
) -> Iterator[tuple[Any, Any, Any, Any, IdOptions]]:
    """Yield gold, pred, tokens, pairs of documents with their names, and options for ids, batch by batch."""
    gold, pred = parts
    options = corpora[0].options
    none = IdOptions(None, options.ignore_index, None, None)
    if pred is None and gold.kind == "table" and not is_long(gold, options):
        layout = columns_of(gold, options)
        ids = id_options(gold, options, layout)
        options_of_ids = IdOptions(
            as_vocabulary(ids["vocabulary"]) if ids else None, options.ignore_index, None, None
        )
        extra = None if layout.tokens is None else str(layout.tokens)
        for golds, preds, _, texts in table_sides(gold, layout._replace(documents=None), extra):
            lists = [side if isinstance(side, list) else side.to_pylist() for side in (golds, preds)]
            if options_of_ids.vocabulary is not None:
                lists = [_padded(side, options.ignore_index) for side in lists]
            yield lists[0], lists[1], texts, None, options_of_ids
        return
    if pred is not None and gold.kind == pred.kind == "documents":
        pairs = list(
            paired_documents(
                corpora, (gold, pred), [], [], texts="refuse" if align == "refuse" else "ignore"
            )
        )
        yield (
            [of_document(matcher, p[1]) for p in pairs],
            [of_document(matcher, p[2]) for p in pairs],
            None,
            pairs,
            none,
        )
        return
    for chunk in sentence_chunks(corpora, parts, align):
        has_tokens = any(tokens is not None for tokens in chunk.tokens)
        yield chunk.gold, chunk.pred, chunk.tokens if has_tokens else None, None, none


def _padded(sentences: list[list[int | None]], ignore_index: int) -> list[list[int]]:
    """Pad sentences of ids to equal length with ``ignore_index``, which also replaces nulls."""
    longest = max(map(len, sentences), default=0)
    return [
        [ignore_index if id_ is None else id_ for id_ in row] + [ignore_index] * (longest - len(row))
        for row in sentences
    ]
