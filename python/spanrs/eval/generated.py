"""Scoring of generated answers, and of strings."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby, zip_longest
from operator import attrgetter
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
from spanrs.io.appended_strings import AppendedStrings
from spanrs.io.generated import AnswerCounts, grounded_answers
from spanrs.io.generated_documents import generated_documents
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.io.text_units import UNPLACED, TextUnit, has_sentences, text_units

#: A type and a string.
Pair: TypeAlias = tuple[str, str]


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

    text: str
    """The text of the side, which may differ from that of the other side if strings are compared."""
    placed: list[Annotation]
    """Mentions with a place in the text."""
    strings: list[Pair]
    """Type and string of mentions without a place."""

    def placed_strings(self) -> list[Pair]:
        """Return the type and the string of each placed mention; fragments are joined by a space."""
        return [
            (a.type, " ".join(self.text[start:end] for start, end in a.pieces or [(a.start, a.end)]))
            for a in self.placed
        ]

    @classmethod
    def joined(cls, sides: Sequence[_Side], text: str) -> _Side:
        """Join the sides of consecutive texts, which are separated by a line feed in ``text``."""
        placed: list[Annotation] = []
        strings: list[Pair] = []
        offset = 0
        for side in sides:
            placed += [
                a._replace(
                    start=a.start + offset,
                    end=a.end + offset,
                    pieces=[(start + offset, end + offset) for start, end in a.pieces],
                )
                for a in side.placed
            ]
            strings += side.strings
            offset += len(side.text) + 1
        return cls(text, placed, strings)


class _Pair(NamedTuple):
    """A text with both sides."""

    id: str | None
    group: str
    """Key of the document to which the text belongs."""
    text: str
    gold: _Side
    pred: _Side


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
        How the mentions of pred are read.
    keeps_unplaced : bool
        Whether mentions without a place count.
    by_document : bool
        Whether the sentences of a document are one text.
    """

    gold: Corpus
    pred: Corpus
    strings: Strings | None
    options: AnswerOptions
    keeps_unplaced: bool = True
    by_document: bool = False
    counts: AnswerCounts = field(default_factory=AnswerCounts)
    gold_options: AnswerOptions | None = None
    schema: tuple[str, ...] | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[Document, Document]]:
        self.counts, self.notes, self.warnings = AnswerCounts(), [], []
        pairs = self.sides()
        if self.by_document or (self.strings is not None and self.strings.within == "document"):
            pairs = _joined(pairs)
        names: set[str] = set()
        for at, pair in enumerate(pairs):
            name = pair.id if pair.id is not None and pair.id not in names else str(at)
            while name in names:
                name += "'"
            names.add(name)
            yield self._documents(name, pair)

    @cached_property
    def paired(self) -> AnswerPairs:
        """The texts with the records of their answers."""
        records = (record for part in self.pred.parts for record in answer_records(part, self.pred.options))
        return pair_answers(self.gold, records, unanswered=self.options.unanswered)

    @property
    def is_by_sentence(self) -> bool:
        """Whether the texts are sentences."""
        if is_generated(self.pred):
            return self.paired.by_sentence
        return has_sentences(self.gold) and has_sentences(self.pred)

    def sides(self) -> Iterator[_Pair]:
        """Yield each text with both sides."""
        return self._generated() if is_generated(self.pred) else self._annotated()

    def _documents(self, name: str, pair: _Pair) -> tuple[Document, Document]:
        """Return the two documents of a text, with the strings that have no place in it."""
        sides = pair.gold, pair.pred
        if self.strings is None:
            table = AppendedStrings(pair.text)
            keys = [[(ty, string, string) for ty, string in side.strings] for side in sides]
        else:
            table = AppendedStrings("")
            keys = [self.strings.keys([*side.placed_strings(), *side.strings]) for side in sides]
        places = [table.places(side) for side in keys]
        annotations = [
            [*(side.placed if self.strings is None else ()), *(Annotation(*place) for place in of_side)]
            for side, of_side in zip(sides, places, strict=True)
        ]
        return Document(table.text, annotations[0], name), Document(table.text, annotations[1], name)

    def _generated(self) -> Iterator[_Pair]:
        """Yield each text with the gold side and the mentions of its answers."""
        names = TypeNames(self.options, sorted(self.paired.facts.types))
        self.schema = names.types
        # The units are kept until the batch is grounded.
        units: deque[TextUnit] = deque()

        def rows() -> Iterator[tuple[AnswerRecord, str]]:
            for unit, record in self.paired:
                units.append(unit)
                yield record, unit.document.text

        results = grounded_answers(
            rows(), names, self.options, self.counts, is_grounded=self.strings is None
        )
        keeps = self.keeps_unplaced and self.options.ungrounded == "keep"
        for _, text, mentions in results:
            unit = units.popleft()
            placed = [
                Annotation(m.type, m.start, m.end)
                for m in mentions
                if m.start is not None and m.end is not None
            ]
            strings = [(m.type, m.text) for m in mentions if m.stage is None]
            pred = _Side(text, placed, strings if keeps or self.strings is not None else [])
            yield _Pair(unit.document.id, unit.group, text, self._side(unit.document), pred)
        if self.paired.note is not None:
            self.notes.append(self.paired.note)
        self.notes += names.notes()
        self.warnings += [*self.counts.warnings(), *names.warnings()]

    def _annotated(self) -> Iterator[_Pair]:
        """Yield each text with the annotations of two annotated sides."""
        if has_sentences(self.gold) and has_sentences(self.pred):
            golds, preds = (text_units(corpus, by_sentence=True) for corpus in (self.gold, self.pred))
            for at, (gold, pred) in enumerate(zip_longest(golds, preds)):
                if gold is None or pred is None or gold.document.text != pred.document.text:
                    message = f"sentence {at} of gold and pred differs; strings are compared by sentence"
                    raise with_code(AlignmentError(message), "texts", self.gold.parts[0].path)
                sides = self._side(gold.document), self._side(pred.document)
                yield _Pair(gold.document.id, gold.group, gold.document.text, *sides)
            return
        gold_part, pred_part = (
            corpus.parts[0] if len(corpus.parts) == 1 else Part("", corpus.parts, "joined")
            for corpus in (self.gold, self.pred)
        )
        # Strings are compared regardless of the texts.
        texts = "refuse" if self.strings is None else "ignore"
        parts, both = (gold_part, pred_part), (self.gold, self.pred)
        for name, gold_document, pred_document in paired_documents(
            both, parts, self.notes, self.warnings, texts=texts
        ):
            sides = self._side(gold_document), self._side(pred_document)
            yield _Pair(name, name, gold_document.text, *sides)

    def _side(self, document: Document) -> _Side:
        """Return the annotations of a document; mentions without a place are in its metadata."""
        strings = [(ty, string) for ty, string in document.metadata.get(UNPLACED, ())]
        content = [a for a in document.annotations if a.is_content]
        return _Side(document.text, content, strings if self.keeps_unplaced else [])


def _joined(pairs: Iterator[_Pair]) -> Iterator[_Pair]:
    """Join the sentences of each document."""
    for group, run in groupby(pairs, key=attrgetter("group")):
        sentences = list(run)
        text = "\n".join(pair.text for pair in sentences)
        sides = (
            _Side.joined([getattr(pair, side) for pair in sentences], text) for side in ("gold", "pred")
        )
        yield _Pair(group, group, text, *sides)


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
        self._waiting: tuple[deque[Document], deque[Document]] = (deque(), deque())
        self._started = [False, False]
        self._pass: Iterator[tuple[Document, Document]] = iter(())

    def documents(self, side: int) -> Iterator[Document]:
        """Yield the documents of a side; a new pass begins when a side is read again."""
        if self._started == [False, False] or self._started[side]:
            self._pass, self._waiting = iter(self._pairs), (deque(), deque())
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
            yield waiting[side].popleft()


def text_pairs(
    gold: Corpus, pred: Corpus, matcher: Matcher, *, by_document: bool = False
) -> TextPairs | None:
    """Return the texts of both sides if a side is generated or strings are compared; None for all other corpora.

    Raises
    ------
    ValueError
        If pred has texts of its own, although gold has the texts.
    """
    strings = matcher if isinstance(matcher, Strings) else None
    if any(isinstance(part.source, PairSide) for part in gold.parts):
        return None
    if strings is None and not (is_generated(gold) or is_generated(pred)):
        return None
    if pred.options.texts is not None:
        raise ValueError("texts= applies to reading answers; if they are scored, gold has the texts")
    gold_options = None
    if is_generated(gold):
        gold_options = gold.options.answers
        gold = _gold_of_answers(gold, is_grounded=strings is None)
    # A string that is not in the text does not mask any character.
    keeps = not isinstance(matcher, Characters)
    pairs = TextPairs(gold, pred, strings, pred.options.answers, keeps)
    pairs.gold_options = gold_options
    pairs.by_document = by_document and pairs.is_by_sentence
    return pairs


def _gold_of_answers(gold: Corpus, *, is_grounded: bool) -> Corpus:
    """Return gold that consists of answers as a corpus of documents; an answer that cannot be read is an error."""
    read_part = partial(generated_documents, options=gold.options, is_gold=True, is_grounded=is_grounded)
    parts = tuple(
        replace(part, source=_Documents(read_part, part), format="documents") for part in gold.parts
    )
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
    for pair in () if pairs is None else pairs.sides():
        spans = [(a.type, a.start, a.end) for a in pair.gold.placed]
        yield MentionedText(pair.text, spans, pair.pred.strings)


def answer_settings(
    options: AnswerOptions, schema: Collection[str] | None, *, is_grounded: bool
) -> dict[str, str]:
    """Return the settings of answers for signatures; ``schema`` are the types used."""
    settings = {"off_schema": options.off_schema}
    if schema is not None:
        settings["schema"] = listed(schema)
    if options.type_names:
        settings["type_names"] = ",".join(
            f"{listed([name])}={listed([ty])}" for name, ty in sorted(options.type_names.items())
        )
    if options.unanswered != "refuse":
        settings["unanswered"] = options.unanswered
    if not is_grounded:
        return settings
    settings |= {"ungrounded": options.ungrounded, "occurrences": options.occurrences}
    settings["stages"] = "+".join(options.stages) or "none"
    if "fuzzy" in options.stages:
        settings["threshold"] = repr(float(options.threshold)).removesuffix(".0")
    if options.diacritics:
        settings["diacritics"] = "ignored"
    return settings


def described(result: Result, pairs: TextPairs) -> Result:
    """Add the settings and the numbers of answers to a result."""
    settings = dict(result.settings)
    sides = pairs.gold, pairs.pred
    if pairs.strings is not None and not any(corpus.has_tags for corpus in sides):
        settings = {name: value for name, value in settings.items() if name not in ("scheme", "reading")}
    is_grounded = pairs.strings is None
    of_answers: dict[str, str] = {}
    evidence = result.evidence
    if is_generated(pairs.pred):
        of_answers = answer_settings(pairs.options, pairs.schema, is_grounded=is_grounded)
        evidence = replace(evidence, answers=pairs.counts.to_dict())
    if pairs.gold_options is not None:
        of_gold = answer_settings(pairs.gold_options, pairs.gold_options.types, is_grounded=is_grounded)
        of_answers |= {
            f"gold_{name}": value for name, value in of_gold.items() if of_answers.get(name) != value
        }
    for name, value in of_answers.items():
        settings = with_setting(settings, name, value)
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
        A list with, for each text, an answer (str), None for no answer, a mapping of types to strings, or a list or set
        of pairs of type and string, or of mappings with ``type`` and ``text``.
    """
    if not isinstance(side, (list, tuple)) or not side:
        return side
    first = side[0]
    if isinstance(first, str) and os.path.exists(first):
        return side
    if not (first is None or isinstance(first, (str, Mapping, list, tuple, set, frozenset))):
        return side
    return read([_as_answer(item) for item in side], format="generated")


def _as_answer(item: Any) -> Any:
    """Return the strings of a text as an answer that is read unambiguously.

    Raises
    ------
    TypeError
        If an item is not a pair of type and string.
    """
    if item is None or isinstance(item, (str, Mapping)):
        return {"answer": item}
    pairs = sorted(item) if isinstance(item, (set, frozenset)) else item
    return {"answer": [_as_mention(pair) for pair in pairs]}


def _as_mention(pair: Any) -> dict[str, str]:
    values = [pair.get("type"), pair.get("text")] if isinstance(pair, Mapping) else pair
    if not (
        isinstance(values, (list, tuple)) and len(values) == 2 and all(isinstance(x, str) for x in values)
    ):
        raise TypeError(
            f"the strings of a text must be pairs of type and string (str, str), not {pair!r}; pass answers as str"
        )
    return {"type": values[0], "text": values[1]}
