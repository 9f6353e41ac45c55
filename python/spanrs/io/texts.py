"""Conversion between tokenized sentences and text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from spanrs.errors import AlignmentError, FormatError, with_code
from spanrs.io.document import TOKEN, Annotation, Document
from spanrs.io.losses import Losses
from spanrs.io.sentence import LAYER, Sentence
from spanrs.io.tokenizer import lines, tokenize
from spanrs.tags.types import Span

#: Function that splits a text into tokens: (start, end) in characters, ascending.
Tokenizer = Callable[[str], Iterable[tuple[int, int]]]


def documents_of_sentences(
    sentences: Iterable[Sentence], shown: str, *, merge_layers: bool = False
) -> Iterator[Document]:
    """Join sentences into texts: a space between tokens, a line feed between sentences.

    Sentences of a document must be adjacent; sentences without a document form one document. The tokens are annotations
    of type ``lex``, which precede the spans; with ``merge_layers``, the spans of all layers are included.

    Raises
    ------
    spanrs.errors.AlignmentError
        If a sentence has no tokens and therefore no text.
    spanrs.errors.FormatError
        If there are several layers, unless ``merge_layers`` is given.
    """
    group: list[Sentence] = []
    for sentence in sentences:
        if sentence.tokens is None:
            message = (
                f"{shown}: there are no tokens to join to a text; choose the column of tokens with tokens="
            )
            raise with_code(AlignmentError(message), "no_tokens", shown)
        if len(sentence.layers) > 1 and not merge_layers:
            message = (
                f"{shown}: there are several layers: {', '.join(sentence.layers)}; "
                f"choose one with spanrs.read(...)['{sentence.layers[-1]}'] or tags="
            )
            raise with_code(FormatError(message), "layers", shown)
        if group and sentence.document != group[-1].document:
            yield _joined(group)
            group = []
        group.append(sentence)
    if group:
        yield _joined(group)


def _joined(sentences: Sequence[Sentence]) -> Document:
    parts: list[str] = []
    tokens: list[Annotation] = []
    annotations: list[Annotation] = []
    at = 0
    for sentence in sentences:
        starts, ends = [], []
        for token in sentence.tokens or ():
            starts.append(at)
            at += len(token)
            ends.append(at)
            at += 1
        parts.append(" ".join(sentence.tokens or ()))
        tokens += [
            Annotation(TOKEN, start, end) for start, end in zip(starts, ends, strict=True) if start < end
        ]
        annotations += [_placed(span, starts, ends) for layer in sentence.spans.values() for span in layer]
        at += not starts
    return Document("\n".join(parts), [*tokens, *annotations], sentences[0].document)


def _placed(span: Span, starts: Sequence[int], ends: Sequence[int]) -> Annotation:
    """Convert a span of tokens to an annotation at character offsets."""
    if span.tokens is None:
        return Annotation(span.type, starts[span.start], ends[span.end - 1])
    pieces: list[tuple[int, int]] = []
    before = None
    for token in sorted(span.tokens):
        if before is not None and token == before + 1:
            pieces[-1] = pieces[-1][0], ends[token]
        else:
            pieces.append((starts[token], ends[token]))
        before = token
    return Annotation(span.type, pieces[0][0], pieces[-1][1], {}, pieces if len(pieces) > 1 else ())


def sentences_of_document(
    document: Document,
    tokenizer: Tokenizer | None = None,
    path: str | None = None,
    losses: Losses | None = None,
) -> Iterator[Sentence]:
    """Split a text into tokenized sentences, one per line.

    Parameters
    ----------
    document : Document
        The document; annotations of type ``lex``, if any, are the tokens, unless ``tokenizer`` is given.
    tokenizer : callable, optional
        Function that splits a text into tokens, by default :func:`spanrs.io.tokenizer.tokenize`.
    path : str, optional
        Attribute ``path`` of the sentences.
    losses : Losses, optional
        Records annotations that cross a line break (split), cover no token, or are widened to token boundaries.

    Yields
    ------
    Sentence
        A sentence whose spans cover every token that overlaps the annotation.

    Raises
    ------
    ValueError
        If a tokenizer returns tokens that are empty, not ascending, or outside the text.
    """
    tokens = _tokens(document, tokenizer)
    spans = sorted((a for a in document.annotations if a.is_content), key=lambda a: (a.start, -a.end))
    starts, ends = [start for start, _ in tokens], [end for _, end in tokens]
    if losses is not None:
        _note_losses(document, spans, (starts, ends), losses)
    at = following = 0
    # Annotations that begin on an earlier line and may continue.
    active: list[Annotation] = []
    for start, end in lines(document.text):
        first, at = at, bisect_left(starts, end, at)
        while following < len(spans) and spans[following].start < end:
            active.append(spans[following])
            following += 1
        active = [a for a in active if a.end > start]
        if at == first:
            continue
        covered = [_covered(a, starts, ends, (first, at)) for a in active]
        yield Sentence(
            [document.text[begin:stop] for begin, stop in tokens[first:at]],
            None,
            {LAYER: [span for span in covered if span is not None]},
            document=document.id,
            path=path,
        )


def tokens_of_lines(document: Document, tokenizer: Tokenizer | None = None) -> list[list[tuple[int, int]]]:
    """Return the tokens of each line that has tokens, as :func:`sentences_of_document` does.

    Returns
    -------
    list of list of (int, int)
        First character of each token, from 0, and one past the last.
    """
    tokens = _tokens(document, tokenizer)
    starts, split, at = [start for start, _ in tokens], [], 0
    for _, end in lines(document.text):
        first, at = at, bisect_left(starts, end, at)
        if at > first:
            split.append(tokens[first:at])
    return split


def _tokens(document: Document, tokenizer: Tokenizer | None) -> list[tuple[int, int]]:
    """Return the tokens of a document: of the tokenizer if there is one, else its own, else of the built-in one."""
    # Some tokenizers emit white-space tokens.
    words = (a for a in document.annotations if a.type == TOKEN)
    lex = sorted({(a.start, a.end) for a in words if document.text[a.start : a.end].strip()})
    return lex if lex and tokenizer is None else _checked(document.text, tokenizer or tokenize)


def _note_losses(
    document: Document, spans: Sequence[Annotation], tokens: tuple[list[int], list[int]], losses: Losses
) -> None:
    """Record annotations that tokenized sentences cannot represent exactly."""
    place = f"document {document.id}" if document.id is not None else f"the text {document.text[:40]!r}"
    bounds = {*tokens[0], *tokens[1]}
    for annotation in spans:
        if bisect_right(tokens[1], annotation.start) >= bisect_left(tokens[0], annotation.end):
            losses.add("annotations without a token", place)
        elif len(document.text[annotation.start : annotation.end].splitlines()) > 1:
            losses.add("annotations that are split at a line break", place)
        elif not {annotation.start, annotation.end} <= bounds:
            losses.add("annotations that are widened to whole tokens", place)


def _checked(text: str, tokenizer: Tokenizer) -> list[tuple[int, int]]:
    tokens = [(int(start), int(end)) for start, end in tokenizer(text)]
    before = 0
    for start, end in tokens:
        if not before <= start < end <= len(text):
            raise ValueError(
                f"the tokenizer returned token {(start, end)} after character {before} of a text of {len(text)} "
                "characters; tokens must be non-empty, ascending and within the text"
            )
        before = end
    return tokens


def _covered(
    annotation: Annotation, starts: Sequence[int], ends: Sequence[int], line: tuple[int, int]
) -> Span | None:
    """Return the span of the tokens in a line that overlap an annotation; None if there are no such tokens."""
    covered: list[int] = []
    for begin, stop in annotation.pieces or [(annotation.start, annotation.end)]:
        first = max(bisect_right(ends, begin), line[0])
        covered += range(first, min(bisect_left(starts, stop), line[1]))
    if not covered:
        return None
    covered = sorted({at - line[0] for at in covered})
    first, last = covered[0], covered[-1]
    whole = len(covered) == last - first + 1
    return Span(annotation.type, first, last + 1, None if whole else tuple(covered))
