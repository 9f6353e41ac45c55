"""Character-based scoring of two sides with different tokenizations of the same text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.eval.details import ErrorList, find_errors, first_of_each_kind
from spanrs.eval.document_pairs import paired_documents
from spanrs.eval.matchers import Matcher
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer
from spanrs.eval.settings import with_setting
from spanrs.io import Corpus, Document
from spanrs.io.parts import Part
from spanrs.progress import Meter
from spanrs.tags.types import Span

if TYPE_CHECKING:
    from spanrs._spanrs import Criterion

#: Maximum number of examples of unaligned spans.
EXAMPLES = 3
#: Maximum characters of text in an example.
SHOWN = 40
#: Position after every text, for unaligned spans.
BEHIND = 1 << 31

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
        """Return a note with their number and examples."""
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

    White space, and the spellings of quotation marks, dashes and brackets that tokenizers change, do not count. Where
    the texts differ otherwise they are aligned; a span that begins or ends where the other side has nothing cannot be
    aligned, counts as an error of its side, and is listed in the notes.

    Parameters
    ----------
    corpora, parts : pairs
        Gold and pred. Tokens of column files and tables are joined to text.
    scorer : Scorer
        What the documents are added to.
    by : str, optional
        ``document`` for a row of counts for each document.
    errors : bool
        Keep the errors; their spans are characters of the texts.
    most_errors : int, optional
        Of each kind; None for all.
    progress : callable, optional
        Called after each document with the characters of both sides so far.

    Raises
    ------
    ValueError
        For rows of sentences.
    OSError, spanrs.errors.SpanrsError
        As :func:`spanrs.score`.
    """
    if by == "sentence":
        raise ValueError(
            "align='characters' compares documents, as their sentences may differ; say by='document' (--by-document)"
        )
    unaligned = {"gold": _Unaligned(), "pred": _Unaligned()}
    numbers = {"gold": 0, "pred": 0}
    notes: list[str] = []
    losses: list[str] = []
    criterion = scorer.matcher.criteria[scorer.matcher.criterion]
    found: list[ErrorList] = []
    others, at = 0, -1
    pairs = paired_documents(corpora, parts, notes, losses, texts="ignore")
    meter = Meter(progress)
    for at, (name, gold, pred) in enumerate(pairs):
        alignment = _spanrs.align_texts(gold.text, pred.text)
        plain = {"gold": gold.spans(), "pred": pred.spans()}
        placed = {}
        alone = alignment.unaligned()
        others += 2 * sum(stretch[1] - stretch[0] for stretch in alone) > len(gold.text)
        sides = (("gold", gold, alignment.gold), ("pred", pred, alignment.pred))
        for parity, (side, document, place) in enumerate(sides):
            stretches = [(stretch[2 * parity], stretch[2 * parity + 1]) for stretch in alone]
            numbers[side] += len(plain[side])
            placed[side] = _placed((plain[side], document, name), place, stretches, unaligned[side], parity)
        names = None if by is None else [name]
        scorer.update_sentences([placed["gold"]], [placed["pred"]], names)
        if errors:
            own = _errors((placed, plain), (gold, pred), scorer.matcher, criterion, most_errors)
            errors_of = [error._replace(path=name, sentence=at) for error in own.errors]
            found.append(replace(own, errors=errors_of))
        meter.add(len(gold.text) + len(pred.text))
    result = scorer.taken()
    for side, counted in unaligned.items():
        notes += counted.note(side, numbers[side])
    if others:
        losses.append(
            f"{others} of {at + 1} documents of gold have less than half of their text in common with pred; are "
            "they the same documents?"
        )
    settings = with_setting(result.settings, "align", "characters")
    evidence = result.evidence
    evidence = replace(evidence, warnings=(*evidence.warnings, *losses), notes=(*evidence.notes, *notes))
    result = replace(result, settings=settings, evidence=evidence)
    if errors:
        whole = ErrorList(criterion.name, most=most_errors).merge(found, [0] * (len(found) + 1))
        kept = first_of_each_kind(whole.errors, most_errors)
        result = replace(result, error_list=replace(whole, errors=kept))
    return result


def _placed(
    side: tuple[Sequence[Plain], Document, str],
    place: Any,
    stretches: Sequence[tuple[int, int]],
    unaligned: _Unaligned,
    parity: int,
) -> list[Plain]:
    """Map spans to the common axis; a span that cannot be aligned gets a unique position after all text.

    Parameters
    ----------
    side : (spans, document, name)
        The spans of a document; one of several pieces keeps its holes if all pieces can be aligned.
    place : callable
        Gives the places of stretches of characters on the axis; None for one that cannot be aligned.
    stretches : sequence of (int, int)
        Characters of the text that the other text lacks, ascending.
    unaligned : _Unaligned
        Gets the spans that cannot be aligned.
    parity : int
        0 for gold, 1 for pred, so that places behind all others are never the same.
    """
    spans, document, name = side
    pieces = [_pieces(span) for span in spans]
    places = iter(place([piece for own in pieces for piece in own]))
    starts = [start for start, _ in stretches]
    found: list[Plain] = []
    for span, own in zip(spans, pieces, strict=True):
        bounds = [next(places) for _ in own]
        at = bisect_right(starts, span[1]) - 1
        is_alone = at >= 0 and span[2] <= stretches[at][1]
        known = [bound for bound in bounds if bound is not None]
        if is_alone or len(known) < len(bounds):
            unaligned.add(span, document, name)
            start = BEHIND + 2 * len(found) + parity
            found.append((span[0], start, start + 1))
        elif len(known) == 1:
            found.append((span[0], *known[0]))
        else:
            covered = [at for start, end in known for at in range(start, end)]
            found.append((span[0], covered[0], covered[-1] + 1, covered))
    return found


def _pieces(span: Plain) -> list[tuple[int, int]]:
    """Return the stretches of characters of a span."""
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
    criterion: Criterion,
    most: int | None,
) -> ErrorList:
    """List the errors of a document, with their spans as characters of its texts."""
    placed, plain = spans
    lists = _spanrs.span_lists_of_tuples([placed["gold"]], [placed["pred"]], True)
    found = find_errors(*lists, matcher, criterion, most)
    errors = []
    for error in found.errors:
        gold = None if error.gold_index is None else _as_span(plain["gold"][error.gold_index])
        pred = None if error.pred_index is None else _as_span(plain["pred"][error.pred_index])
        own, document = (gold, documents[0]) if gold is not None else (pred, documents[1])
        first, text = (0, ()) if own is None else (own.start, (document.text[own.start : own.end],))
        errors.append(error._replace(gold=gold, pred=pred, first=first, tokens=text))
    return replace(found, errors=errors)


def _as_span(span: Plain) -> Span:
    return Span(span[0], span[1], span[2], tuple(span[3]) if len(span) > 3 else None)
