"""Spans of gold, of pred and of both, by type: one pass of the core over both sides."""

from __future__ import annotations

from typing import Any, TypeAlias

from spanrs import _spanrs
from spanrs.compat.seqeval._entities import read_entities, warn_of_unknown
from spanrs.compat.seqeval.scheme import CORE_SCHEMES, Entities, core_name, core_reads
from spanrs.tags.types import Dialect

#: type -> (spans of gold, spans of pred, spans of both)
Counts: TypeAlias = dict[str, tuple[int, int, int]]

#: Scheme detection looks at this many sentences; it does not pay for fewer.
_SAMPLE = 64


def default_counts(y_true: Any, y_pred: Any, suffix: bool, *, alike: bool) -> Counts:
    """Count the spans of default mode; warn of unknown tags.

    ``alike`` says that both sides are lists of lists of the same shape.
    """
    found = _default_in_core(y_true, y_pred, bool(suffix)) if alike else None
    if found is None:
        return _of_spans(*([*read_entities(side, suffix)] for side in (y_true, y_pred)))
    counts, tags = found
    for tag in tags:
        warn_of_unknown(tag, suffix)
    return counts


def _default_in_core(y_true: Any, y_pred: Any, suffix: bool) -> tuple[Counts, list[str]] | None:
    """Return counts and the distinct tags; None for tags that need the fallback.

    For tags spelt `prefix-type` with the letters of their scheme, `conlleval` equals default mode, and it is
    the faster reading.
    """
    try:
        dialect = Dialect(suffix=suffix)
        scheme = _spanrs.detect(y_true[:_SAMPLE], dialect)[0] if len(y_true) > _SAMPLE else ""
        # Default mode does not know the letters of BILOU.
        if scheme in CORE_SCHEMES and scheme != "BILOU":
            types, tags, *_ = _exact(y_true, y_pred, scheme, "conlleval", dialect)
            if core_reads(tags, CORE_SCHEMES[scheme], suffix):
                return _present(types), tags
        counts, tags = _spanrs.seqeval_counts(y_true, y_pred, suffix)
    except (TypeError, ValueError):
        return None
    # An empty tag is an error in seqeval.
    return None if "" in tags else (_present(counts), tags)


def _exact(
    y_true: Any, y_pred: Any, scheme: str, reading: str, dialect: Dialect
) -> tuple[Counts, list[str], int, int, int]:
    """Match exactly; return the counts of types, and the distinct tags."""
    scorer = _spanrs.Scorer(("exact", 0.0, False), (None, []), scheme, None, reading, dialect, 0, False)
    scorer.update_lists(y_true, y_pred, None)
    return scorer.tag_state()


def strict_counts(y_true: Any, y_pred: Any, scheme: Any, suffix: bool, *, alike: bool) -> Counts:
    """Count the spans of strict mode; ``alike`` as for :func:`default_counts`."""
    name = core_name(scheme)
    if name is not None and alike:
        try:
            dialect = Dialect(suffix=bool(suffix))
            types, tags, *_ = _exact(y_true, y_pred, name, "seqeval-strict", dialect)
            if core_reads(tags, scheme, suffix):
                return _present(types)
        except (TypeError, ValueError):
            pass
    return entity_counts(*(Entities(side, scheme, suffix) for side in (y_true, y_pred)))


def entity_counts(gold: Entities, pred: Entities) -> Counts:
    """Count spans that have been read."""
    sides = (
        [(e.tag, e.sent_id, e.start, e.end) for row in side.entities for e in row] for side in (gold, pred)
    )
    return _of_spans(*sides)


def _present(counts: Counts) -> Counts:
    """Leave out types without spans."""
    return {name: row for name, row in counts.items() if row[0] or row[1]}


def _of_spans(gold: list[Any], pred: list[Any]) -> Counts:
    gold_spans, pred_spans = set(gold), set(pred)
    counts: dict[str, list[int]] = {}
    for place, spans in enumerate((gold_spans, pred_spans, gold_spans & pred_spans)):
        for span in spans:
            counts.setdefault(span[0], [0, 0, 0])[place] += 1
    return {name: (row[0], row[1], row[2]) for name, row in counts.items()}
