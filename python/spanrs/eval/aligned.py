"""Character-based scoring of two sides with different tokenizations of the same text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spanrs import _spanrs
from spanrs.errors import AlignmentError
from spanrs.eval.compared_spans import context
from spanrs.eval.counted_text import CountedText
from spanrs.eval.details import ErrorList, find_errors, first_of_each_kind
from spanrs.eval.document_pairs import UNPAIRED, documents_of, paired_documents
from spanrs.eval.matcher import Matcher
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer
from spanrs.eval.sentence_chunks import with_decided_schemes
from spanrs.eval.settings import with_setting
from spanrs.io import Annotation, Corpus, Document
from spanrs.io.parts import Part
from spanrs.progress import Meter
from spanrs.tags.types import Span

#: Maximum number of unaligned spans shown as examples.
EXAMPLES = 3
#: Maximum number of characters of text in an example.
SHOWN = 40
#: Value of ``most_errors`` that means that no errors are listed.
NO_ERRORS = -1
#: First positions of unaligned spans of gold and pred, after every text; positions have 32 bits.
BEHIND = (1 << 31, 3 << 30)
#: Number of positions for the unaligned spans of a side.
ROOM = 1 << 30

#: A span in the form of the compiled module.
Plain = tuple[Any, ...]


@dataclass
class _Unaligned:
    """Spans of a side that cannot be aligned."""

    number: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, span: Plain, document: Document, name: str) -> None:
        """Record a span."""
        self.number += 1
        if len(self.first) < EXAMPLES:
            text = document.text[span[1] : span[2]][:SHOWN]
            self.first.append(f"{span[0]} {text!r} ({name}: characters {span[1]} to {span[2]})")

    def note(self, side: str, all_spans: int) -> list[str]:
        """Return a note with the number of unaligned spans and examples."""
        if not self.number:
            return []
        more = f" and {self.number - len(self.first)} more" if self.number > len(self.first) else ""
        return [
            f"{self.number} of {all_spans} spans of {side} cannot be aligned with the other text and count as errors: "
            f"{', '.join(self.first)}{more}"
        ]


def score_aligned(
    corpora: tuple[Corpus, Corpus],
    parts: tuple[Part, Part],
    scorer: Scorer,
    *,
    by: str | None,
    errors: bool,
    most_errors: int | None,
    progress: Callable[[int], object] | None = None,
) -> Result:
    """Score two parts by the characters of their spans.

    Differences in white space, and in the quotation marks, dashes and brackets that tokenizers change, are ignored. If
    the texts differ otherwise, they are aligned. A span that begins or ends in text without a counterpart on the other
    side cannot be aligned, is counted as an error of its side, and is listed in the notes.

    Parameters
    ----------
    corpora, parts : pairs
        Gold and pred. Tokens of column files and tables are joined into text.
    scorer : Scorer
        The scorer to which the documents are added.
    by : str, optional
        ``document`` for a row of counts for each document.
    errors : bool
        Whether to keep the errors; the bounds of their spans are character offsets in the texts.
    most_errors : int, optional
        Maximum number of errors of each kind; None for all.
    progress : callable, optional
        Called after each document with the number of characters of both sides so far.

    Raises
    ------
    ValueError
        If per-sentence rows are requested.
    OSError, spanrs.errors.SpanrsError
        Same as :func:`spanrs.score`.
    """
    if by == "sentence":
        raise ValueError(
            "align='characters' compares documents, because their sentences may differ; "
            "use by='document' (--by-document)"
        )
    meter = Meter(progress)
    corpora = with_decided_schemes(scorer.compiled, corpora, parts)
    try:
        added = _Aligned(scorer, by, most_errors if errors else NO_ERRORS)
        added.add(paired_documents(corpora, parts, added.notes, added.losses, texts="ignore"), meter)
    except AlignmentError as error:
        if by is not None or error.code != UNPAIRED:
            raise
        scorer.reset()
        corpora = with_decided_schemes(scorer.compiled, corpora, parts)
        added = _Aligned(scorer, by, most_errors if errors else NO_ERRORS)
        (gold, golds), (pred, preds) = (
            _whole(documents_of(corpus, part, added.losses))
            for corpus, part in zip(corpora, parts, strict=True)
        )
        added.notes.append(
            f"documents cannot be paired by id or text (gold has {golds}, pred has {preds}), so each side is aligned "
            "as one text"
        )
        added.add([("0", gold, pred)], meter)
    return added.result()


def _whole(documents: Iterable[Document]) -> tuple[Document, int]:
    """Join documents into one; return the joined document and the number of documents."""
    texts: list[str] = []
    annotations: list[Annotation] = []
    at = 0
    for document in documents:
        annotations += [
            annotation._replace(
                start=annotation.start + at,
                end=annotation.end + at,
                pieces=[(start + at, end + at) for start, end in annotation.pieces],
            )
            for annotation in document.annotations
        ]
        texts.append(document.text)
        at += len(document.text) + 1
    return Document("\n".join(texts), annotations), len(texts)


class _Aligned:
    """Aligned pairs of documents that are added to a scorer.

    Parameters
    ----------
    scorer : Scorer
    by : str, optional
        ``document`` for a row of counts for each document.
    most_errors : int, optional
        Maximum number of errors of each kind to keep: None for all, :data:`NO_ERRORS` for none.
    """

    def __init__(self, scorer: Scorer, by: str | None, most_errors: int | None) -> None:
        self.scorer, self.by, self.most_errors = scorer, by, most_errors
        self.notes: list[str] = []
        self.losses: list[str] = []
        self.unaligned = {"gold": _Unaligned(), "pred": _Unaligned()}
        self.numbers = {"gold": 0, "pred": 0}
        self.errors: list[ErrorList] = []
        self.documents = 0
        #: Number of pairs of documents that have less than half of their text in common.
        self.unlike = 0

    def add(self, pairs: Iterable[tuple[str, Document, Document]], meter: Meter) -> None:
        """Add pairs of documents with their names."""
        for name, gold, pred in pairs:
            matcher = self.scorer.matcher
            alignment = _spanrs.align_texts(gold.text, pred.text)
            plain = {"gold": matcher.renamed(gold.spans()), "pred": matcher.renamed(pred.spans())}
            placed = {}
            alone = alignment.unaligned()
            self.unlike += 2 * sum(stretch[1] - stretch[0] for stretch in alone) > len(gold.text)
            sides = (("gold", gold, alignment.gold), ("pred", pred, alignment.pred))
            for parity, (side, document, place) in enumerate(sides):
                stretches = [(stretch[2 * parity], stretch[2 * parity + 1]) for stretch in alone]
                self.numbers[side] += len(plain[side])
                of_side = plain[side], document, name
                placed[side] = _placed(of_side, place, stretches, self.unaligned[side], parity)
            _number_counted(matcher, sides, placed, plain)
            names = None if self.by is None else [name]
            self.scorer.update_sentences([placed["gold"]], [placed["pred"]], names)
            if self.most_errors != NO_ERRORS:
                of_pair = (placed, plain), (gold, pred)
                document_errors = _errors(*of_pair, self.scorer.matcher, self.most_errors)
                errors = [
                    error._replace(path=name, sentence=self.documents) for error in document_errors.errors
                ]
                self.errors.append(replace(document_errors, errors=errors))
            self.documents += 1
            meter.add(len(gold.text) + len(pred.text))

    def result(self) -> Result:
        """Return the result with notes, warnings and errors; the scorer must not be used afterwards."""
        result = self.scorer.taken()
        for side, counted in self.unaligned.items():
            self.notes += counted.note(side, self.numbers[side])
        if self.unlike:
            self.losses.append(
                f"{self.unlike} of {self.documents} documents of gold have less than half of their text in common with "
                "pred; check that both sides have the same documents"
            )
        evidence = result.evidence
        evidence = replace(
            evidence,
            warnings=(*evidence.warnings, *self.losses),
            notes=(*evidence.notes, *self.notes),
        )
        settings = with_setting(result.settings, "align", "characters")
        if self.scorer.matcher.unit is not None:
            settings = with_setting(settings, "unit", "characters")
        result = replace(result, settings=settings, evidence=evidence)
        if self.most_errors == NO_ERRORS:
            return result
        no_errors = ErrorList(self.scorer.matcher.criterion, most=self.most_errors)
        whole = no_errors.merge(self.errors, [0] * (len(self.errors) + 1))
        kept = first_of_each_kind(whole.errors, self.most_errors)
        return replace(result, errors=replace(whole, errors=kept))


def _placed(
    side: tuple[Sequence[Plain], Document, str],
    place: Any,
    stretches: Sequence[tuple[int, int]],
    unaligned: _Unaligned,
    parity: int,
) -> list[Plain]:
    """Map spans to the common character axis; a span that cannot be aligned gets a unique position after all text.

    Parameters
    ----------
    side : (spans, document, name)
        The spans of a document; a discontinuous span keeps its gaps if all fragments can be aligned.
    place : callable
        Maps ranges of characters to the axis; returns None for a range that cannot be aligned.
    stretches : sequence of (int, int)
        Ranges of characters that do not occur in the other text, ascending.
    unaligned : _Unaligned
        Receives the spans that cannot be aligned.
    parity : int
        0 for gold, 1 for pred, so that the positions of unaligned spans never coincide.
    """
    spans, document, name = side
    pieces = [_pieces(span) for span in spans]
    places = iter(place([piece for span_pieces in pieces for piece in span_pieces]))
    starts = [start for start, _ in stretches]
    placed: list[Plain] = []
    behind = BEHIND[parity]
    last = behind + ROOM - 2 * len(spans) - 2
    for span, span_pieces in zip(spans, pieces, strict=True):
        bounds = [next(places) for _ in span_pieces]
        at = bisect_right(starts, span[1]) - 1
        is_alone = at >= 0 and span[2] <= stretches[at][1]
        aligned = [bound for bound in bounds if bound is not None]
        if is_alone or len(aligned) < len(bounds):
            unaligned.add(span, document, name)
            # The length matters only where characters are counted; neighbours do not touch.
            length = sum(end - start for start, end in span_pieces)
            length = length if behind + length < last else 1
            placed.append((span[0], behind, behind + length))
            behind += length + 1
        elif len(aligned) == 1:
            placed.append((span[0], *aligned[0]))
        else:
            covered = [at for start, end in aligned for at in range(start, end)]
            placed.append((span[0], covered[0], covered[-1] + 1, covered))
    return placed


def _number_counted(
    matcher: Matcher,
    sides: Iterable[tuple[str, Document, Any]],
    placed: dict[str, list[Plain]],
    plain: dict[str, list[Plain]],
) -> None:
    """Replace positions on the common axis by numbers of those that count; drop spans without any."""
    runs = [(BEHIND[0], BEHIND[1] + ROOM)]
    for _, document, place in sides:
        counted = matcher.counted(document.text)
        if counted is None:
            return
        runs += [run for run in place(counted.runs) if run is not None]
    axis = CountedText.of_runs(runs)
    for side, spans in placed.items():
        numbered = [axis.spans([span]) for span in spans]
        plain[side] = [span for span, kept in zip(plain[side], numbered, strict=True) if kept]
        placed[side] = [kept[0] for kept in numbered if kept]


def _pieces(span: Plain) -> list[tuple[int, int]]:
    """Return the ranges of characters of a span."""
    if len(span) < 4:
        return [(span[1], span[2])]
    pieces: list[tuple[int, int]] = []
    for at in sorted(span[3]):
        if pieces and pieces[-1][1] == at:
            pieces[-1] = pieces[-1][0], at + 1
        else:
            pieces.append((at, at + 1))
    return pieces


def _errors(
    spans: tuple[dict[str, list[Plain]], dict[str, list[Plain]]],
    documents: tuple[Document, Document],
    matcher: Matcher,
    most: int | None,
) -> ErrorList:
    """List the errors in a document; the bounds of spans are character offsets in the texts."""
    placed, plain = spans
    lists = _spanrs.span_lists_of_tuples([placed["gold"]], [placed["pred"]], True)
    located = find_errors(*lists, matcher, most)
    errors = []
    for error in located.errors:
        gold = None if error.gold_index is None else _as_span(plain["gold"][error.gold_index])
        pred = None if error.pred_index is None else _as_span(plain["pred"][error.pred_index])
        shown, document = (gold, documents[0]) if gold is not None else (pred, documents[1])
        first, end = (0, 0) if shown is None else context(document.text, shown.start, shown.end)
        text = () if shown is None else (document.text[first:end],)
        errors.append(error._replace(gold=gold, pred=pred, first=first, tokens=text))
    return replace(located, errors=errors)


def _as_span(span: Plain) -> Span:
    return Span(span[0], span[1], span[2], tuple(span[3]) if len(span) > 3 else None)
