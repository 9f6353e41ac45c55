"""Spans of gold, of pred and of both, by type: one pass of the core over both sides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from spanrs import _spanrs
from spanrs.compat.seqeval._chunks import parts, plain_chunks, warn_of
from spanrs.compat.seqeval.scheme import Entities, core_name, core_reads
from spanrs.tags.types import Dialect

#: type -> (spans of gold, spans of pred, spans of both)
Counts: TypeAlias = dict[str, tuple[int, int, int]]

#: Sentences from which it is guessed which scheme will do; fewer are not worth guessing for.
_SAMPLE = 64
#: The letters of default mode that schemes of the core have.
_LETTERS = {"BIO": "BI", "IOB": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES"}


def default_counts(y_true: Any, y_pred: Any, suffix: bool, *, alike: bool) -> Counts:
    """Count what default mode finds; warns of tags it does not know.

    ``alike`` says that both sides are lists of lists of the same shape.
    """
    found = _default_in_core(y_true, y_pred, bool(suffix)) if alike else None
    if found is None:
        return _of_spans(*([*plain_chunks(side, suffix)] for side in (y_true, y_pred)))
    counts, tags = found
    for tag in tags:
        warn_of(tag, suffix)
    return counts


def _default_in_core(y_true: Any, y_pred: Any, suffix: bool) -> tuple[Counts, list[str]] | None:
    """Count, and give the distinct tags; None where only seqeval knows what to say of the tags.

    For tags spelt `prefix-type` with the letters of their scheme, `conlleval` comes to the same as default
    mode, and it is the faster reading.
    """
    try:
        dialect = Dialect(suffix=suffix)
        scheme = _spanrs.detect(y_true[:_SAMPLE], dialect)[0] if len(y_true) > _SAMPLE else ""
        letters = _LETTERS.get(scheme)
        if letters is not None:
            types, tags, *_ = _exact(y_true, y_pred, scheme, "conlleval", dialect)
            if _are_plain(tags, letters, suffix):
                return _present(types), tags
        counts, tags = _spanrs.seqeval_counts(y_true, y_pred, suffix)
    except (TypeError, ValueError):
        return None
    # At an empty tag seqeval gives up.
    return None if "" in tags else (_present(counts), tags)


def _exact(
    y_true: Any, y_pred: Any, scheme: str, reading: str, dialect: Dialect
) -> tuple[Counts, list[str], int, int, int]:
    """Match exactly; give the counts of types, and the distinct tags."""
    scorer = _spanrs.Scorer(("exact", 0.0, False), (None, []), scheme, None, reading, dialect, 0, False)
    scorer.update_lists(y_true, y_pred, None)
    return scorer.tag_state()


def _are_plain(tags: Iterable[str], letters: str, suffix: bool) -> bool:
    """Tell whether all tags are `O`, or a letter and a type with a `-` between them."""
    for tag in tags:
        if tag == "O":
            continue
        letter, kind = parts(tag or "?", suffix)
        whole = (f"{kind}-{letter}", f"-{letter}") if suffix else (f"{letter}-{kind}", f"{letter}-")
        if letter not in letters or tag not in (letter, *whole):
            return False
    return True


def strict_counts(y_true: Any, y_pred: Any, scheme: Any, suffix: bool, *, alike: bool) -> Counts:
    """Count what strict mode finds; ``alike`` as for :func:`default_counts`."""
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
    return _of_spans(
        *(
            [(e.tag, e.sent_id, e.start, e.end) for row in side.entities for e in row]
            for side in (gold, pred)
        )
    )


def _present(counts: Counts) -> Counts:
    """Leave out types that no span has."""
    return {name: row for name, row in counts.items() if row[0] or row[1]}


def _of_spans(gold: list[Any], pred: list[Any]) -> Counts:
    gold_spans, pred_spans = set(gold), set(pred)
    counts: dict[str, list[int]] = {}
    for place, spans in enumerate((gold_spans, pred_spans, gold_spans & pred_spans)):
        for span in spans:
            counts.setdefault(span[0], [0, 0, 0])[place] += 1
    return {name: (row[0], row[1], row[2]) for name, row in counts.items()}
