"""The scores of spaCy's scorer, and spaCy's conversions between IOB and BILUO.

spaCy is imported only if documents are passed as pairs instead of Examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

__all__ = ["biluo_to_iob", "get_ner_prf", "iob_to_biluo", "score_spans", "tags_to_entities"]

#: spaCy adds this to denominators to avoid division by 0.
TINY = 1e-100

#: True and false positives, false negatives.
Counts = list[int]
#: Type, first token, and end of a span.
SpanKey = tuple[str, int, int]


class Sides(NamedTuple):
    """Gold and pred of an example, as spans of the tokens of the reference."""

    gold: list[SpanKey]
    pred: list[SpanKey]
    #: Types of all predicted spans: a type is listed even if none of its spans can be aligned.
    labels: list[str]


def as_examples(examples: Iterable[Any]) -> Iterator[Any]:
    """Yield Examples; pairs of Docs are (predicted, reference)."""
    for example in examples:
        if isinstance(example, tuple):
            from spacy.training import Example

            yield Example(*example)
        else:
            yield example


def _measures(counts: Sequence[int]) -> dict[str, float]:
    tp, fp, fn = counts
    precision, recall = tp / (tp + fp + TINY), tp / (tp + fn + TINY)
    return {"p": precision, "r": recall, "f": 2 * ((precision * recall) / (precision + recall + TINY))}


def _scores(attr: str, total: Counts, by_type: dict[str, Counts] | None) -> dict[str, Any]:
    """Return the measures by name; all are None if there are no spans."""
    has_spans = any(total)
    measures: dict[str, Any] = _measures(total) if has_spans else dict.fromkeys("prf")
    named = {f"{attr}_{name}": value for name, value in measures.items()}
    if by_type is not None:
        types = {name: _measures(counts) for name, counts in by_type.items()}
        named[f"{attr}_per_type"] = types if has_spans else None
    return named


def score_spans(
    examples: Iterable[Any],
    attr: str,
    *,
    getter: Callable[[Any, str], Iterable[Any]] = getattr,
    has_annotation: Callable[[Any], bool] | None = None,
    labeled: bool = True,
    allow_overlap: bool = False,
    **cfg: Any,  # noqa: ARG001  # ignored, as in spaCy
) -> dict[str, Any]:
    """Return the dictionary of ``spacy.scorer.Scorer.score_spans``.

    Parameters
    ----------
    examples : iterable of Example, or of pairs of Doc
        Pairs are (predicted, reference).
    attr : str
        Name of the attribute with the spans, for example ``ents``.
    getter : callable
        Called as ``getter(doc, attr)``; returns the spans.
    has_annotation : callable, optional
        Called with a Doc; returns whether the Doc is annotated. References that are not annotated are skipped.
    labeled : bool
        Whether to compare labels; if False, only boundaries are compared.
    allow_overlap : bool
        Whether predicted spans may overlap when tokens are aligned.

    Returns
    -------
    dict
        ``{attr}_p``, ``{attr}_r``, ``{attr}_f`` and, if labeled, ``{attr}_per_type``; None if neither side has spans.

    Examples
    --------
    >>> import spacy
    >>> from spacy.tokens import Doc
    >>> from spanrs.integrations.spacy import score_spans
    >>> vocab = spacy.blank("en").vocab
    >>> gold = Doc(vocab, words=["Grace", "Hopper"], ents=["B-PER", "I-PER"])
    >>> score_spans([(gold, gold)], "ents")
    {'ents_p': 1.0, 'ents_r': 1.0, 'ents_f': 1.0, 'ents_per_type': {'PER': {'p': 1.0, 'r': 1.0, 'f': 1.0}}}
    """
    sides = (
        aligned_spans(
            example, attr, getter=getter, has_annotation=has_annotation, allow_overlap=allow_overlap
        )
        for example in as_examples(examples)
    )
    return span_scores(sides, attr, labeled=labeled)


def span_scores(sides: Iterable[Sides | None], attr: str, *, labeled: bool = True) -> dict[str, Any]:
    """Return the dictionary of :func:`score_spans` for spans from :func:`aligned_spans`."""
    total = [0, 0, 0]
    by_type: defaultdict[str, Counts] = defaultdict(lambda: [0, 0, 0])
    for side in sides:
        if side is None:
            continue
        for label in side.labels:
            by_type[label]
        gold, pred = set(side.gold), set(side.pred)
        if labeled:
            for place, matched in enumerate((pred & gold, pred - gold, gold - pred)):
                total[place] += len(matched)
                for label, _, _ in matched:
                    by_type[label][place] += 1
        else:
            bounds, gold_bounds = ({span[1:] for span in spans} for spans in (pred, gold))
            for place, alike in enumerate(
                (bounds & gold_bounds, bounds - gold_bounds, gold_bounds - bounds)
            ):
                total[place] += len(alike)
    return _scores(attr, total, dict(by_type) if labeled else None)


def aligned_spans(
    example: Any,
    attr: str,
    *,
    getter: Callable[[Any, str], Iterable[Any]] = getattr,
    has_annotation: Callable[[Any], bool] | None = None,
    allow_overlap: bool = False,
) -> Sides | None:
    """Return the distinct spans of an example, or None if its reference is not annotated.

    The parameters are those of :func:`score_spans`.
    """
    pred_doc, gold_doc = example.predicted, example.reference
    if has_annotation is not None and not has_annotation(gold_doc):
        return None
    is_annotated = has_annotation is None or has_annotation(pred_doc)
    spans = list(getter(pred_doc, attr)) if is_annotated else []
    aligned = example.get_aligned_spans_x2y(spans, allow_overlap) if is_annotated else []
    gold, pred = (sorted(set(map(_labelled, side))) for side in (getter(gold_doc, attr), aligned))
    return Sides(gold, pred, [span.label_ for span in spans])


def _labelled(span: Any) -> SpanKey:
    return span.label_, span.start, span.end


def get_ner_prf(examples: Iterable[Any], **kwargs: Any) -> dict[str, Any]:  # noqa: ARG001
    """Return the dictionary of ``spacy.scorer.get_ner_prf``: scores of entities on annotated tokens.

    Parameters
    ----------
    examples : iterable of Example, or of pairs of Doc
        Same as for :func:`score_spans`. References without annotations are skipped, and so are predicted entities on
        tokens without annotation.
    **kwargs
        Ignored.

    Returns
    -------
    dict
        ``ents_p``, ``ents_r``, ``ents_f``, ``ents_per_type``.

    Examples
    --------
    >>> import spacy
    >>> from spacy.tokens import Doc
    >>> from spanrs.integrations.spacy import get_ner_prf
    >>> vocab = spacy.blank("en").vocab
    >>> gold = Doc(vocab, words=["Grace", "Hopper"], ents=["B-PER", "I-PER"])
    >>> pred = Doc(vocab, words=["Grace", "Hopper"], ents=["B-PER", "O"])
    >>> get_ner_prf([(pred, gold)])["ents_f"]
    0.0
    """
    return entity_scores(map(aligned_entities, as_examples(examples)))


def entity_scores(sides: Iterable[Sides | None]) -> dict[str, Any]:
    """Return the dictionary of :func:`get_ner_prf` for entities from :func:`aligned_entities`."""
    by_type: defaultdict[str, Counts] = defaultdict(lambda: [0, 0, 0])
    for side in sides:
        if side is None:
            continue
        for label in side.labels:
            by_type[label]
        missed = set(side.gold)
        for key in side.pred:
            by_type[key[0]][0 if key in missed else 1] += 1
            missed.discard(key)
        for label, _, _ in missed:
            by_type[label][2] += 1
    total = [sum(counts[place] for counts in by_type.values()) for place in range(3)]
    return _scores("ents", total, dict(by_type))


def aligned_entities(example: Any) -> Sides | None:
    """Return the entities of an example, or None if its reference is not annotated.

    Predicted entities are on the tokens of the reference, from the first to the last aligned token; entities on tokens
    that are not aligned or not annotated are omitted.
    """
    gold_doc = example.reference
    if not gold_doc.has_annotation("ENT_IOB"):
        return None
    aligned, pred = example.alignment.x2y, []
    for span in example.predicted.ents:
        places = aligned[span.start : span.end]
        if not len(places):
            continue
        start, end = int(places[0]), int(places[-1]) + 1
        if all(token.ent_iob for token in gold_doc[start:end]):
            pred.append((span.label_, start, end))
    return Sides(
        [_labelled(span) for span in gold_doc.ents], pred, [span.label_ for span in example.predicted.ents]
    )


def tags_to_entities(tags: Iterable[str | None]) -> list[tuple[str, int, int]]:
    """Return the entities of BILUO tags as ``spacy.training.iob_utils.tags_to_entities`` does.

    Parameters
    ----------
    tags : iterable of str or None
        BILUO tags; ``-`` or None for tokens without annotation.

    Returns
    -------
    list of tuple
        (type, first token, last token), tokens from 0. A token without annotation is an entity of type ``""``. An
        entity that contains such a token is discarded.

    Raises
    ------
    ValueError
        For I or L without a preceding B, and for unknown tags.

    Examples
    --------
    >>> from spanrs.integrations.spacy import tags_to_entities
    >>> tags_to_entities(["B-PER", "L-PER", "-", "O", "U-LOC"])
    [('PER', 0, 1), ('', 2, 2), ('LOC', 4, 4)]
    """
    tags = list(tags)
    entities: list[tuple[str, int, int]] = []
    start: int | None = None
    for at, tag in enumerate(tags):
        letter = "-" if tag is None else tag[:1]
        if letter == "-":
            if start is None:
                entities.append(("", at, at))
            start = None
        elif letter == "B":
            start = at
        elif letter in ("I", "L"):
            if start is None:
                message = (
                    f"[E067] Invalid BILUO tag sequence: Got a tag starting with {letter} without a "
                    f"preceding 'B' (beginning of an entity). Tag sequence:\n{tags[: at + 1]}"
                )
                raise ValueError(message)
            if letter == "L":
                entities.append((str(tag)[2:], start, at))
                start = None
        elif letter == "U":
            entities.append((str(tag)[2:], at, at))
        elif letter != "O":
            message = f"[E068] Invalid BILUO tag: '{tag}'."
            raise ValueError(message)
    return entities


def iob_to_biluo(tags: Iterable[str]) -> list[str]:
    """Convert IOB tags to BILUO as ``spacy.training.iob_to_biluo`` does.

    Parameters
    ----------
    tags : iterable of str
        IOB tags; any tag other than ``O`` may begin an entity, regardless of its prefix.

    Returns
    -------
    list of str
        BILUO tags of the same tokens.

    Raises
    ------
    ValueError
        If a tag of a single token has no type.

    Examples
    --------
    >>> from spanrs.integrations.spacy import iob_to_biluo
    >>> iob_to_biluo(["B-PER", "I-PER", "O", "I-LOC"])
    ['B-PER', 'L-PER', 'O', 'U-LOC']
    """
    tags = list(tags)
    written: list[str] = []
    at = 0
    while at < len(tags):
        first = tags[at]
        at += 1
        if first == "O":
            written.append(first)
            continue
        inner, last = "I" + first[1:], "L" + first[1:]
        end = at
        while end < len(tags) and tags[end] in (inner, last):
            end += 1
        label = first[2:]
        if end > at:
            written += [f"B-{label}", *[f"I-{label}"] * (end - at - 1), f"L-{label}"]
        elif label:
            written.append(f"U-{label}")
        else:
            message = f"[E177] Ill-formed IOB input detected: {first}"
            raise ValueError(message)
        at = end
    return written


def biluo_to_iob(tags: Iterable[str | None]) -> list[str | None]:
    """Convert BILUO tags to IOB as ``spacy.training.biluo_to_iob`` does.

    Parameters
    ----------
    tags : iterable of str or None
        BILUO tags; None is kept.

    Examples
    --------
    >>> from spanrs.integrations.spacy import biluo_to_iob
    >>> biluo_to_iob(["B-PER", "L-PER", None, "U-LOC"])
    ['B-PER', 'I-PER', None, 'B-LOC']
    """
    return [_iob(tag) for tag in tags]


def _iob(tag: str | None) -> str | None:
    return None if tag is None else tag.replace("U-", "B-", 1).replace("L-", "I-", 1)
