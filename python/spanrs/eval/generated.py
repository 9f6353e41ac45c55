"""Scoring of generated answers, and of strings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, islice, zip_longest
from typing import Any, NamedTuple, TypeAlias

from spanrs.errors import AlignmentError, with_code
from spanrs.eval.characters import Characters
from spanrs.eval.document_pairs import paired_documents
from spanrs.eval.matcher import Matcher, listed
from spanrs.eval.result import Result
from spanrs.eval.settings import with_setting
from spanrs.eval.strings import Strings
from spanrs.io import Annotation, Corpus, Document, read
from spanrs.io.answer_options import AnswerOptions
from spanrs.io.answer_pairs import AnswerPairs, pair_answers
from spanrs.io.answer_records import AnswerRecord, answer_records
from spanrs.io.answer_types import TypeNames
from spanrs.io.generated import AnswerCounts, grounded, mentions_of
from spanrs.io.generated_documents import generated_documents
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.io.string_table import StringTable
from spanrs.io.text_units import UNPLACED, TextUnit, has_sentences, text_units

#: A type and a string.
Pair: TypeAlias = tuple[str, str]
#: Number of texts processed at once.
BATCH = 256


def is_generated(corpus: Corpus) -> bool:
    """Return whether a corpus consists of generated answers."""
    return any(part.format == "generated" for part in corpus.parts)


class MentionedText(NamedTuple):
    """A text with its gold annotations, and the mentions of its answers."""

    text: str
    gold: Sequence[tuple[str, int, int]]
    """Type, first character, one past the last."""
    pred: Sequence[Pair]
    """Type and string of each mention, in the order of the answers."""


class _Side(NamedTuple):
    """The mentions of one side of a text."""

    placed: list[Annotation]
    """Mentions with a place in the text."""
    strings: list[Pair]
    """Type and string of mentions without a place."""


@dataclass
class TextPairs:
    """Texts with the annotations of both sides; each iteration reads both sides again.

    Mentions without a place in the text are annotations of strings that are appended to the text of both sides, each on
    a line of its own, so that equal strings match and others are errors.

    Attributes
    ----------
    gold, pred : Corpus
        The two sides.
    strings : Strings or None
        If strings are compared, the text of each pair consists of the strings of both sides only.
    options : AnswerOptions
        How mentions are read.
    """

    gold: Corpus
    pred: Corpus
    strings: Strings | None
    options: AnswerOptions
    counts: AnswerCounts = field(default_factory=AnswerCounts)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[Document, Document]]:
        self.counts, self.notes, self.warnings = AnswerCounts(), [], []
        pairs = self.sides()
        if self.strings is not None and self.strings.within == "document":
            pairs = _joined(pairs)
        for at, (unit, gold, pred) in enumerate(pairs):
            name = unit.document.id if unit.document.id is not None else str(at)
            yield self._documents(name, unit.document.text, gold, pred)

    def sides(self) -> Iterator[tuple[TextUnit, _Side, _Side]]:
        """Yield each text with both sides."""
        return self._generated() if is_generated(self.pred) else self._annotated()

    def _documents(self, name: str, text: str, gold: _Side, pred: _Side) -> tuple[Document, Document]:
        """Return the two documents of a text, with the strings that have no place in it."""
        if self.strings is None:
            table = StringTable(text)
            keys = [[(ty, string, string) for ty, string in side.strings] for side in (gold, pred)]
        else:
            table = StringTable("")
            everything = [[(a.type, text[a.start : a.end]) for a in side.placed] for side in (gold, pred)]
            keys = [
                self.strings.keys([*strings, *side.strings])
                for strings, side in zip(everything, (gold, pred), strict=True)
            ]
        places = [table.places(side) for side in keys]
        sides = [
            [*(side.placed if self.strings is None else ()), *(Annotation(*place) for place in of_side)]
            for side, of_side in zip((gold, pred), places, strict=True)
        ]
        return Document(table.text, sides[0], name), Document(table.text, sides[1], name)

    def _generated(self) -> Iterator[tuple[TextUnit, _Side, _Side]]:
        """Yield each text with the gold side and the mentions of its answers."""
        paired = self._pairs()
        options = self.options
        names = TypeNames(options, sorted(paired.facts.types))
        pairs = iter(paired)
        while some := list(islice(pairs, BATCH)):
            texts = [pair.unit.document.text for pair in some]
            mentions = mentions_of([pair.record for pair in some], texts, names, self.counts)
            if self.strings is None:
                found = grounded(texts, mentions, options, self.counts)
                sides = [_side(of_text, options) for of_text in found]
            else:
                sides = [_Side([], [(m.type, m.text) for m in of_text]) for of_text in mentions]
            for pair, side in zip(some, sides, strict=True):
                yield pair.unit, _gold_side(pair.unit, options), side
        self.notes += names.notes()
        self.warnings += [*self.counts.warnings(self.pred.parts[0].shown), *names.warnings()]

    def _pairs(self) -> AnswerPairs:
        paired = pair_answers(self.gold, _records(self.pred))
        if paired.note is not None:
            self.notes.append(paired.note)
        return paired

    def _annotated(self) -> Iterator[tuple[TextUnit, _Side, _Side]]:
        """Yield each text with the annotations of two annotated sides."""
        if has_sentences(self.gold) and has_sentences(self.pred):
            golds, preds = (text_units(corpus, by_sentence=True) for corpus in (self.gold, self.pred))
            for at, (gold, pred) in enumerate(zip_longest(golds, preds)):
                if gold is None or pred is None or gold.document.text != pred.document.text:
                    message = f"sentence {at} of gold and pred differs; strings are compared by sentence"
                    raise with_code(AlignmentError(message), "texts", self.gold.parts[0].path)
                yield gold, _gold_side(gold, self.options), _gold_side(pred, self.options)
            return
        gold_part, pred_part = (
            corpus.parts[0] if len(corpus.parts) == 1 else Part("", corpus.parts, "joined")
            for corpus in (self.gold, self.pred)
        )
        both = self.gold, self.pred
        for name, gold_document, pred_document in paired_documents(
            both, (gold_part, pred_part), self.notes, self.warnings, texts="ignore"
        ):
            gold_unit = TextUnit(replace(gold_document, id=name), name)
            yield gold_unit, _strings_of(gold_document), _strings_of(pred_document)


def _records(corpus: Corpus) -> Iterator[AnswerRecord]:
    for part in corpus.parts:
        yield from answer_records(part, corpus.options)


def _side(mentions: Sequence, options: AnswerOptions) -> _Side:  # type: ignore[type-arg]
    """Return grounded mentions as a side."""
    placed = [Annotation(m.type, m.start, m.end) for m in mentions if m.stage is not None]
    strings = [(m.type, m.text) for m in mentions if m.stage is None]
    return _Side(placed, strings if options.ungrounded == "keep" else [])


def _gold_side(unit: TextUnit, options: AnswerOptions) -> _Side:
    """Return the annotations of a text; strings of gold that are not in the text are in its metadata."""
    document = unit.document
    strings = [(ty, string) for ty, string in document.metadata.get(UNPLACED, ())]
    return _Side(list(document.annotations), strings if options.ungrounded == "keep" else [])


def _strings_of(document: Document) -> _Side:
    """Return the strings of a document, whose text may differ from that of the other side."""
    content = [a for a in document.annotations if a.is_content]
    strings = [(a.type, document.text[a.start : a.end]) for a in content]
    return _Side([], [*strings, *((ty, string) for ty, string in document.metadata.get(UNPLACED, ()))])


def _joined(
    pairs: Iterator[tuple[TextUnit, _Side, _Side]],
) -> Iterator[tuple[TextUnit, _Side, _Side]]:
    """Join the strings of the sentences of each document."""
    for group, run in groupby(pairs, key=lambda pair: pair[0].group):
        golds: list[Pair] = []
        preds: list[Pair] = []
        for unit, gold, pred in run:
            text = unit.document.text
            golds += [*((a.type, text[a.start : a.end]) for a in gold.placed), *gold.strings]
            preds += [*((a.type, text[a.start : a.end]) for a in pred.placed), *pred.strings]
        yield TextUnit(Document("", id=group), group), _Side([], golds), _Side([], preds)


class PairSide:
    """The documents of one side of pairs, for a part in memory.

    Both sides are read in parallel by one pass over the pairs.
    """

    def __init__(self, shared: _Shared, at: int) -> None:
        self._shared, self._at = shared, at

    def __iter__(self) -> Iterator[Document]:
        return self._shared.documents(self._at)


class _Shared:
    """One pass over pairs for both sides."""

    def __init__(self, pairs: TextPairs) -> None:
        self._pairs = pairs
        self._waiting: tuple[list[Document], list[Document]] = ([], [])
        self._started = [False, False]
        self._pass: Iterator[tuple[Document, Document]] = iter(())

    def documents(self, side: int) -> Iterator[Document]:
        """Yield the documents of a side; a new pass begins when a side is read again."""
        if self._started == [False, False] or self._started[side]:
            self._pass, self._waiting = iter(self._pairs), ([], [])
            self._started = [False, False]
        self._started[side] = True
        running, waiting = self._pass, self._waiting
        while True:
            if not waiting[side]:
                pair = next(running, None)
                if pair is None:
                    return
                waiting[0].append(pair[0])
                waiting[1].append(pair[1])
            yield waiting[side].pop(0)


def text_pairs(gold: Corpus, pred: Corpus, matcher: Matcher) -> TextPairs | None:
    """Return the texts of both sides if pred is generated or strings are compared; None for all other corpora."""
    strings = matcher if isinstance(matcher, Strings) else None
    if any(isinstance(part.source, PairSide) for part in gold.parts):
        return None
    if strings is None and not (is_generated(gold) or is_generated(pred)):
        return None
    if is_generated(gold):
        gold = _gold_of_answers(gold, needs_texts=strings is None)
    options = pred.options.answers
    if isinstance(matcher, Characters):
        # A string that is not in the text masks nothing.
        options = replace(options, ungrounded="drop")
    return TextPairs(gold, pred, strings, options)


def _gold_of_answers(gold: Corpus, *, needs_texts: bool) -> Corpus:
    """Return gold that consists of answers as a corpus of documents; an answer that cannot be read is an error."""
    read = partial(generated_documents, options=gold.options, is_gold=True, needs_texts=needs_texts)
    parts = tuple(replace(part, source=_Documents(read, part), format="documents") for part in gold.parts)
    return Corpus(parts, ReadOptions())


class _Documents(NamedTuple):
    """The documents of a part, read again in each iteration."""

    read: Callable[[Part], Iterator[Document]]
    part: Part

    def __iter__(self) -> Iterator[Any]:
        return self.read(self.part)


def as_documents(pairs: TextPairs) -> tuple[Corpus, Corpus]:
    """Return both sides of pairs as corpora of documents."""
    shared = _Shared(pairs)
    gold, pred = (
        Corpus(
            (replace(corpus.parts[0], name="", source=PairSide(shared, at), format="documents"),),
            ReadOptions(),
        )
        for at, corpus in enumerate((pairs.gold, pairs.pred))
    )
    return gold, pred


def mentioned_texts(gold: Corpus, pred: Corpus) -> Iterator[MentionedText]:
    """Yield the texts with their gold annotations and the mentions of the answers; ungrounded gold is left out."""
    pairs = text_pairs(gold, pred, Strings())
    for unit, gold_side, pred_side in () if pairs is None else pairs.sides():
        spans = [(a.type, a.start, a.end) for a in gold_side.placed]
        yield MentionedText(unit.document.text, spans, pred_side.strings)


def answer_settings(options: AnswerOptions, *, of_strings: bool = False) -> dict[str, str]:
    """Return the settings of answers for signatures; strings are not grounded."""
    settings = {"off_schema": options.off_schema}
    if options.types is not None:
        settings["schema"] = listed(options.types)
    if options.type_names:
        settings["type_names"] = ",".join(
            f"{listed([name])}={listed([ty])}" for name, ty in sorted(options.type_names.items())
        )
    if of_strings:
        return settings
    settings |= {"ungrounded": options.ungrounded, "occurrences": options.occurrences}
    settings["stages"] = "+".join(options.stages)
    if "fuzzy" in options.stages:
        settings["threshold"] = f"{options.threshold:g}"
    if options.diacritics:
        settings["diacritics"] = "ignored"
    return settings


def described(result: Result, pairs: TextPairs) -> Result:
    """Add the settings and the numbers of answers to a result."""
    settings = dict(result.settings)
    if pairs.strings is not None:
        # Strings have no tags.
        settings = {name: value for name, value in settings.items() if name not in ("scheme", "reading")}
    evidence = result.evidence
    if is_generated(pairs.pred):
        for name, value in answer_settings(pairs.options, of_strings=pairs.strings is not None).items():
            settings = with_setting(settings, name, value)
        evidence = replace(evidence, answers=pairs.counts.to_dict())
    evidence = replace(
        evidence,
        warnings=tuple(dict.fromkeys((*evidence.warnings, *pairs.warnings))),
        notes=tuple(dict.fromkeys((*evidence.notes, *pairs.notes))),
    )
    return replace(result, settings=settings, evidence=evidence)


def strings_in_memory(side: Any) -> Any:
    """Return answers or strings in memory as a corpus; all other values unchanged.

    Parameters
    ----------
    side : object
        A list with, for each text, an answer (str), a mapping of types to strings, or pairs of type and string.
    """
    if not isinstance(side, (list, tuple)) or not side:
        return side
    first = side[0]
    if isinstance(first, str) and os.path.exists(first):
        return side
    if not isinstance(first, (str, Mapping, list, tuple)):
        return side
    return read([{"answer": _as_answer(item)} for item in side], format="generated")


def _as_answer(item: Any) -> Any:
    """Return the strings of a text as an answer that is read without doubt.

    Raises
    ------
    TypeError
        If an item is not a pair of type and string.
    """
    if isinstance(item, (str, Mapping)):
        return item
    for pair in item:
        if not (
            isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(x, str) for x in pair)
        ):
            raise TypeError(
                f"the strings of a text must be pairs of type and string (str, str), not {pair!r}; pass answers as str"
            )
    return [{"type": ty, "text": string} for ty, string in item]
