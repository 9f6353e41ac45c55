"""The spans that a matcher compares: renamed, and without characters that do not count."""

from __future__ import annotations

from typing import Any

from spanrs.eval.counted_text import CountedText
from spanrs.eval.evidence import Detail
from spanrs.eval.inputs import are_spans, spans_as_tuples
from spanrs.eval.matcher import Matcher
from spanrs.io import Document
from spanrs.tags.types import Span

#: What to do with options that change spans if there are only tags.
ADVICE = "documents with annotations, or tagged files with align='characters' (--align characters)"
#: Maximum number of characters of context on each side of an error.
CONTEXT = 60


def of_document(matcher: Matcher, document: Document) -> list[tuple[Any, ...]]:
    """Return the spans of a document that a matcher compares, with the numbers of characters that count."""
    spans = matcher.renamed(document.spans())
    counted = matcher.counted(document.text)
    return spans if counted is None else counted.spans(spans)


def of_memory(matcher: Matcher, gold: Any, pred: Any) -> tuple[Any, Any]:
    """Return the sentences of both sides that a matcher compares, for sentences in memory.

    Raises
    ------
    ValueError
        If the options of the matcher need texts, or change spans although the sides have tags.
    """
    if not matcher.changes_spans:
        return gold, pred
    if matcher.needs_texts or not are_spans(gold, pred):
        needed = "skip=" if matcher.needs_texts else "level="
        raise ValueError(f"{needed} cannot be used with sentences in memory; it needs {ADVICE}")
    golds, preds = (
        [matcher.renamed(list(spans)) for spans in spans_as_tuples(side)] for side in (gold, pred)
    )
    return golds, preds


def check_files(matcher: Matcher, shown: str) -> None:
    """Refuse files of tags if the options of the matcher change spans.

    Raises
    ------
    ValueError
    """
    if matcher.changes_spans:
        raise ValueError(f"{shown}: skip= and level= (--skip, --level) need {ADVICE}")


def in_text(error: Detail, documents: tuple[Document, Document], matcher: Matcher) -> Detail:
    """Return an error of masks with offsets in the texts, and with the text around its spans."""
    gold, pred = (
        None if span is None else _in_text(span, matcher.counted(document.text))
        for span, document in zip((error.gold, error.pred), documents, strict=True)
    )
    span, document = (gold, documents[0]) if gold is not None else (pred, documents[1])
    if span is None:
        return error
    first, end = context(document.text, span.start, span.end)
    return error._replace(gold=gold, pred=pred, first=first, tokens=(document.text[first:end],))


def context(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of a range with the words around it on the same line."""
    first, last = max(0, start - CONTEXT), min(len(text), end + CONTEXT)
    before, after = text[first:start], text[end:last]
    line = before.rfind("\n") + 1
    word = before.find(" ") + 1 if first > 0 and not line else line
    stop = after.find("\n")
    if stop < 0:
        space = after.rfind(" ")
        stop = space if last < len(text) and space >= 0 else len(after)
    return first + word, end + stop


def _in_text(span: Span, counted: CountedText | None) -> Span:
    if counted is None:
        return span
    start, end = counted.bounds(span.start, span.end)
    return Span(span.type, start, end, None)
