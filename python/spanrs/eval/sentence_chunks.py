"""Parallel iteration over the sentences of two sides in any formats."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import AlignmentError, FormatError, with_code
from spanrs.io import Corpus
from spanrs.io.corpus import CHUNK
from spanrs.io.parts import TAGGED, Part
from spanrs.io.sentence import Sentence
from spanrs.io.sentences import is_long, sentences_of

#: Maximum number of examples of differing tokens.
EXAMPLES = 5


class Chunk(NamedTuple):
    """A chunk of sentences of both sides."""

    gold: list[Any]
    """Tags or spans of each sentence."""
    pred: list[Any]
    tokens: list[Any]
    """Tokens of gold."""
    sentences: list[Sentence]
    """The sentences of gold."""
    differing: int
    """Number of differing tokens."""
    examples: list[str]
    """Descriptions of the first differing tokens."""
    without_tokens: str | None
    """The side without tokens, if only one side has tokens; tokens are then not compared."""


class Side(NamedTuple):
    """Settings for locating the sentences of a side in messages."""

    name: str
    has_lines: bool
    """Whether sentences are located by lines, as opposed to rows of a table."""
    has_token_rows: bool
    """Whether each row is a token."""

    def place(self, sentence: Sentence, token: int = 0) -> str:
        """Return the location of a sentence or one of its tokens."""
        line = (sentence.line or 0) + token * self.has_token_rows
        return f"{self.name}:{line}" if self.has_lines else f"{self.name}: row {line}"


def _side(corpus: Corpus, part: Part) -> Side:
    is_table = part.kind == "table"
    return Side(
        part.shown, not is_table or part.format == "csv", is_table and is_long(part, corpus.options)
    )


def sentence_chunks(
    corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None], align: str
) -> Iterator[Chunk]:
    """Yield chunks of parallel sentences: as tags if both sides have tags, otherwise as spans.

    Schemes are detected first, which requires another pass over the corpora.

    Raises
    ------
    spanrs.errors.AlignmentError
        If one side has more sentences or tokens, or tokens differ under ``refuse``; the message has the locations.
    """
    gold, pred = parts
    schemes = decided_schemes(corpora, parts)
    pairs: Iterator[tuple[Any, Any]]
    layers = [("gold", "pred")] if pred is None else []
    side = _side(corpora[0], gold)
    sides = side, side if pred is None else _side(corpora[1], pred)
    with ExitStack() as files:
        golds = files.enter_context(closing(_sentences(corpora[0], gold, schemes[0])))
        if pred is None:
            pairs = _both_in_each(golds, gold)
        else:
            preds = files.enter_context(closing(_sentences(corpora[1], pred, schemes[1])))
            pairs = zip_longest(golds, preds)
        while rows := list(islice(pairs, CHUNK)):
            yield _chunk(rows, layers, sides, align)


def _both_in_each(sentences: Iterator[Sentence], part: Part) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield each sentence paired with itself, for parts that contain both sides.

    Raises
    ------
    spanrs.errors.FormatError
        If a sentence has no columns of gold and pred.
    """
    for sentence in sentences:
        if not {"gold", "pred"} <= set(sentence.layers):
            message = (
                f"{part.shown}: there are no columns of gold and pred; choose them with gold= and pred=, or also pass "
                "the file of pred"
            )
            raise with_code(FormatError(message), "columns", part.path)
        yield sentence, sentence


def decided_schemes(
    corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]
) -> tuple[str | None, str | None]:
    """Detect the schemes of two parts; the scheme of gold is preferred for pred."""
    gold, pred = parts
    layers = ("gold", "pred") if pred is None else (None, None)
    scheme = _of(corpora[0], gold).likely_scheme(None, layers[0]) if has_tags(gold) else None
    pred_or_gold = gold if pred is None else pred
    if not has_tags(pred_or_gold):
        return scheme, scheme
    return scheme, _of(corpora[1], pred_or_gold).likely_scheme(scheme, layers[1])


def with_decided_schemes(
    scorer: _spanrs.Scorer, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]
) -> tuple[Corpus, Corpus]:
    """Detect the schemes of two parts, set the schemes in the scorer, and return the corpora with these schemes."""
    scheme, pred_scheme = decided_schemes(corpora, parts)
    if scheme is not None and (parts[1] is None or has_tags(parts[1])):
        scorer.set_schemes(scheme, None if pred_scheme == scheme else pred_scheme)
    gold, pred = (
        replace(corpus, options=replace(corpus.options, scheme=side_scheme or corpus.options.scheme))
        for corpus, side_scheme in zip(corpora, (scheme, pred_scheme), strict=True)
    )
    return gold, pred


def _of(corpus: Corpus, part: Part) -> Corpus:
    """Return the corpus of one part, or of the parts that a joined part contains."""
    return replace(corpus, parts=part.source if part.format == "joined" else (part,))


def has_tags(part: Part) -> bool:
    """Return whether the sentences of a part may have tags in a scheme."""
    if part.format == "joined":
        return any(map(has_tags, part.source))
    return part.kind in TAGGED


def _sentences(corpus: Corpus, part: Part, scheme: str | None) -> Generator[Sentence]:
    """Yield the sentences of a part, with tags in the given scheme."""
    options = corpus.options
    make = partial(Sentence, scheme=scheme or "BIO", reading=options.reading, dialect=options.dialect)
    yield from sentences_of(part, options, make)


def _chunk(
    rows: list[tuple[Any, Any]], layers: list[tuple[str, str]], sides: tuple[Side, Side], align: str
) -> Chunk:
    golds, preds, tokens, sentences = [], [], [], []
    differing = 0
    examples: list[str] = []
    for gold, pred in rows:
        if gold is None or pred is None:
            longer, side = (gold, "gold") if pred is None else (pred, "pred")
            where = sides[side != "gold"].place(longer)
            message = (
                f"{where}: {side} has more sentences than the other side; both must have the same sentences"
            )
            raise with_code(AlignmentError(message), "sentences", longer.path, longer.line)
        _check_pair(gold, pred, sides, both=bool(layers))
        differences = _differing(gold, pred, sides)
        if differences and align == "refuse":
            message = f"{differences[0]}; both sides must have the same tokens, or pass align='report' (--align report)"
            raise with_code(AlignmentError(message), "tokens", gold.path, gold.line)
        differing += len(differences) if align == "report" else 0
        examples += differences[: EXAMPLES - len(examples)] if align == "report" else []
        (gold_layer, pred_layer) = layers[0] if layers else (gold.layers[0], pred.layers[0])
        if gold.tags and pred.tags:
            golds.append(gold.tags[gold_layer])
            preds.append(pred.tags[pred_layer])
        else:
            golds.append([_plain(span) for span in gold.spans[gold_layer]])
            preds.append([_plain(span) for span in pred.spans[pred_layer]])
        tokens.append(gold.tokens)
        sentences.append(gold)
    lacking = [side for side, part in zip(("gold", "pred"), rows[0], strict=True) if part.tokens is None]
    return Chunk(
        golds, preds, tokens, sentences, differing, examples, lacking[0] if len(lacking) == 1 else None
    )


def _check_pair(gold: Sentence, pred: Sentence, sides: tuple[Side, Side], *, both: bool) -> None:
    """Refuse sides with several layers, and pairs of sentences from different documents.

    Raises
    ------
    spanrs.errors.AlignmentError, spanrs.errors.FormatError
    """
    for sentence, name, side in ((gold, sides[0].name, "gold"), (pred, sides[1].name, "pred")):
        if not both and len(sentence.layers) > 1:
            message = (
                f"{name}: {side} has columns of {' and '.join(sentence.layers)}; "
                f"choose one with spanrs.read(...)['{sentence.layers[-1]}'] or tags="
            )
            raise with_code(FormatError(message), "columns", sentence.path)
    places = sides[0].place(gold), sides[1].place(pred)
    if gold.document != pred.document and None not in (gold.document, pred.document):
        message = (
            f"{places[0]}: the sentence belongs to document {gold.document!r} in gold and to {pred.document!r} "
            f"in pred ({places[1]}); both sides must have the same documents in the same order"
        )
        raise with_code(AlignmentError(message), "documents", gold.path, gold.line)
    for part, partner, at in ((gold, pred, 0), (pred, gold, 1)):
        spans = (
            ()
            if part.tokens is None or partner.tokens is not None or partner.tags
            else partner.spans.values()
        )
        beyond = next(
            (span for layer in spans for span in layer if span.end > len(part.tokens or ())), None
        )
        if beyond is not None:
            message = (
                f"{places[1 - at]}: the span {beyond.type} of tokens {beyond.start} to {beyond.end - 1} "
                f"ends beyond the sentence, which has {len(part.tokens or ())} tokens ({places[at]}); both "
                "sides must have the same sentences"
            )
            raise with_code(AlignmentError(message), "tokens", partner.path, partner.line)
    if (
        (gold.tokens is None or pred.tokens is None)
        and None not in (gold.id, pred.id)
        and gold.id != pred.id
    ):
        message = (
            f"{places[0]}: sentence {gold.id!r} of gold is paired with {pred.id!r} of pred "
            f"({places[1]}); without tokens, both sides must have the same sentence names in the same order"
        )
        raise with_code(AlignmentError(message), "sentences", gold.path, gold.line)


def _plain(span: Any) -> tuple[Any, ...]:
    return tuple(span[:3]) if span.tokens is None else (*span[:3], list(span.tokens))


def _differing(gold: Sentence, pred: Sentence, sides: tuple[Side, Side]) -> list[str]:
    """Describe differing tokens; sentences of different lengths are an error.

    Raises
    ------
    spanrs.errors.AlignmentError
    """
    if gold is pred or gold.tokens is None or pred.tokens is None:
        return []
    places = sides[0].place(gold), sides[1].place(pred)
    if len(gold.tokens) != len(pred.tokens):
        message = (
            f"{places[0]}: the sentence has {len(gold.tokens)} tokens in gold and {len(pred.tokens)} in pred "
            f"({places[1]}); both sides must have the same tokens, or pass align='characters' (--align characters)"
        )
        raise with_code(AlignmentError(message), "tokens", gold.path, gold.line)
    return [
        f"{sides[0].place(gold, at)}: gold has token `{gold_token}`, "
        f"but {sides[1].place(pred, at)} (pred) has token `{pred_token}`"
        for at, (gold_token, pred_token) in enumerate(zip(gold.tokens, pred.tokens, strict=True))
        if gold_token != pred_token
    ]
