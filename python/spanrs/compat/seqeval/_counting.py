"""Counts of gold, pred and correct spans by type, in one pass of the compiled module over both sides.

The Python implementation of default mode handles input other than lists of lists of str. For such input seqeval nearly
always raises an error, which depends on the order of seqeval's steps; this order is reproduced here.
"""

from __future__ import annotations

import contextlib
from itertools import chain
from typing import Any

from spanrs import _spanrs
from spanrs.compat.seqeval._scores import Counts, warn
from spanrs.compat.seqeval.scheme import CORE_SCHEMES, Entities, core_name, core_reads
from spanrs.tags.types import Dialect

#: Minimum number of sentences for scheme detection, which saves no time for fewer sentences.
_SAMPLE = 64


def default_counts(y_true: Any, y_pred: Any, suffix: bool, *, alike: bool) -> Counts:
    """Count the spans of default mode; warn about unknown tags.

    ``alike`` means that both sides are lists of lists of the same shape.
    """
    if alike:
        with contextlib.suppress(TypeError, ValueError):
            counts, tags = _default_in_core(y_true, y_pred, bool(suffix))
            # An empty tag is an error in seqeval.
            if "" not in tags:
                for tag in tags:
                    warn_of_unknown(tag, suffix)
                return counts
    return _of_spans(*([*read_entities(side, suffix)] for side in (y_true, y_pred)))


def _default_in_core(y_true: Any, y_pred: Any, suffix: bool) -> tuple[Counts, list[str]]:
    """Return the counts and the distinct tags.

    For tags of the form ``prefix-type`` with the letters of their scheme, the reading ``conlleval`` equals default mode
    and is faster. Default mode does not support the prefixes of BILOU.
    """
    dialect = Dialect(suffix=suffix)
    scheme = _spanrs.detect(y_true[:_SAMPLE], dialect)[0] if len(y_true) > _SAMPLE else ""
    if scheme in CORE_SCHEMES and scheme != "BILOU":
        counts, tags = _exact(y_true, y_pred, scheme, "conlleval", dialect)
        if core_reads(tags, CORE_SCHEMES[scheme], suffix):
            return counts, tags
    counts, tags = _spanrs.seqeval_counts(y_true, y_pred, suffix)
    return _present(counts), tags


def _exact(gold: Any, pred: Any, scheme: str, reading: str, dialect: Dialect) -> tuple[Counts, list[str]]:
    """Match spans exactly; return the counts of types that have spans, and the distinct tags."""
    scorer = _spanrs.Scorer({}, {"scheme": scheme, "reading": reading, "dialect": dialect})
    scorer.update_lists(gold, pred, None)
    types, tags, *_ = scorer.tag_state()
    return _present(types), tags


def strict_counts(y_true: Any, y_pred: Any, scheme: Any, suffix: bool, *, alike: bool) -> Counts:
    """Count the spans of strict mode; ``alike`` has the same meaning as for :func:`default_counts`."""
    name = core_name(scheme)
    if name is not None and alike:
        with contextlib.suppress(TypeError, ValueError):
            types, tags = _exact(y_true, y_pred, name, "seqeval-strict", Dialect(suffix=bool(suffix)))
            if core_reads(tags, scheme, suffix):
                return types
    return entity_counts(*(Entities(side, scheme, suffix) for side in (y_true, y_pred)))


def entity_counts(gold: Entities, pred: Entities) -> Counts:
    """Count decoded spans."""
    sides = (gold, pred)
    return _of_spans(*([(e.tag, e.sent_id, e.start, e.end) for e in chain(*s.entities)] for s in sides))


def _present(counts: Counts) -> Counts:
    """Remove types without spans."""
    return {name: row for name, row in counts.items() if row[0] or row[1]}


def _of_spans(gold: list[Any], pred: list[Any]) -> Counts:
    gold_spans, pred_spans = set(gold), set(pred)
    counts: dict[str, list[int]] = {}
    for place, spans in enumerate((gold_spans, pred_spans, gold_spans & pred_spans)):
        for span in spans:
            counts.setdefault(span[0], [0, 0, 0])[place] += 1
    return {name: (row[0], row[1], row[2]) for name, row in counts.items()}


#: Tags that cause no warning, and the prefixes (with ``suffix``, the suffixes) that other tags must have.
_BARE = ["O", "B", "I", "E", "S"]
_HEADS = ("B-", "I-", "E-", "S-")
_TAILS = ("-B", "-I", "-E", "-S")


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Return whether a span ends between two tokens, by prefixes and types; whether one is open is not checked."""
    if prev_tag in ("E", "S") or (prev_tag in ("B", "I") and tag in ("B", "S", "O")):
        return True
    return prev_tag not in ("O", ".") and prev_type != type_


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Return whether a span begins at a token, according to its tag and the previous tag."""
    if tag in ("B", "S") or (tag in ("E", "I") and prev_tag in ("E", "S", "O")):
        return True
    return tag not in ("O", ".") and prev_type != type_


def warn_of_unknown(tag: Any, suffix: bool) -> None:
    """Warn if a tag has none of the prefixes of default mode."""
    if tag in _BARE:
        return
    if not (tag.endswith(_TAILS) if suffix else tag.startswith(_HEADS)):
        warn(f"{tag} seems not to be NE tag.", UserWarning, "seqeval.metrics.sequence_labeling")


def read_entities(seq: Any, suffix: bool) -> list[tuple[Any, int, int]]:
    """Return the spans of any input, or raise the same error as seqeval."""
    if any(isinstance(part, list) for part in seq):
        seq = [tag for part in seq for tag in part + ["O"]]  # noqa: RUF005
    entities, begin = [], 0
    before, before_type = "O", ""
    for at, tag in enumerate(seq + ["O"]):  # noqa: RUF005
        warn_of_unknown(tag, suffix)
        if suffix:
            prefix, type_ = tag[-1], tag[:-1].rsplit("-", maxsplit=1)[0] or "_"
        else:
            prefix, type_ = tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"
        if end_of_chunk(before, prefix, before_type, type_):
            entities.append((before_type, begin, at - 1))
        if start_of_chunk(before, prefix, before_type, type_):
            begin = at
        before, before_type = prefix, type_
    return entities
