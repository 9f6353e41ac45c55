"""Warnings about suspicious input."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from spanrs.errors import LocatedViolation, Violation
from spanrs.eval.evidence import Violations
from spanrs.eval.scores import Measured
from spanrs.io.file_advice import comments_advice

#: Matches default label names of models without label names.
FORGOTTEN = re.compile(r"(LABEL_)?[0-9]+")
#: Matches tags that begin or continue a span in most schemes and spellings.
PREFIXED = re.compile(r"[BIbi][-_:].+|.+-[BI]")
#: Violations are suspicious if more than one in ``TENTH`` tags other than ``O`` is a violation.
TENTH = 10
#: Minimum number of gold and of pred spans for a warning that none is correct.
MIN_SPANS = 5
#: Minimum number of spans with equal types and starts for a warning that all ends are off by one.
MIN_ENDS = 3


def of_tags(
    numbers: Mapping[str, int],
    violations: Mapping[str, Violations],
    types: Collection[str],
    settings: Mapping[str, str],
) -> list[str]:
    """Return warnings about tags, given the corpus totals."""
    messages = []
    tokens = numbers["tokens"]
    for side in ("gold", "pred"):
        labelled = numbers[f"{side}_labelled"]
        if tokens and not labelled:
            tags = f"all {tokens} tags of {side} are" if tokens > 1 else f"the only tag of {side} is"
            messages.append(f"{tags} O, so there are no spans to score; check the tag column")
        wrong = violations[side].count
        first = violations[side].first
        advice = comments_advice([(place.line, place.violation) for place in first])
        if wrong * TENTH > labelled > 0:
            scheme = settings.get(f"{side}_scheme", settings.get("scheme"))
            example = f", the first: {first[0].violation}" if first else ""
            noun = "violation" if wrong == 1 else "violations"
            messages.append(
                f"{wrong} {noun} of {scheme} among {labelled} tags of {side} other than O{example}; "
                + _why(side, first[0].violation if first else None)
                + ("" if advice is None else f" Or {advice}")
            )
        elif wrong == 1 and _is_header(first):
            tag = first[0].violation.current
            messages.append(
                f"the first tag of {side}, {tag!r}, is the only unknown tag; check whether the first line is a header"
            )
        elif advice is not None:
            place = f"line {first[0].line}, {first[0].violation.current!r}"
            messages.append(
                f"the first unknown tags of {side} begin sentences, the first in {place}; {advice}"
            )
    messages += _of_types(types, settings)
    if numbers["unaligned_files"]:
        messages.append("a side has tags but no tokens, so only the lengths of sentences were compared")
    if numbers["differing_tokens"]:
        # Layers are tag columns of the same tokens.
        compared = tokens // (settings.get("columns", "").count(",") + 1)
        messages.append(f"{numbers['differing_tokens']} of {compared} tokens differ between gold and pred")
    return messages


def _is_header(first: Sequence[LocatedViolation]) -> bool:
    """Return whether the first violation is an unknown tag at the beginning of the data."""
    return any(
        place.sentence == place.violation.index == 0 and place.violation.kind == "Unknown Tag"
        for place in first[:1]
    )


def _of_types(types: Collection[str], settings: Mapping[str, str]) -> Iterator[str]:
    """Yield warnings about types that look like mistakes."""
    spaced = sorted(name for name in types if name != name.strip())
    if spaced:
        yield f"the type {spaced[0]!r} begins or ends with white space; strip the lines before splitting them"
    # Numbers are suspicious only if all types are numbers.
    numbered = bool(types) and all(FORGOTTEN.fullmatch(name) for name in types)
    forgotten = sorted(name for name in types if numbered or re.fullmatch("LABEL_[0-9]+", name))
    if forgotten:
        yield f"types like {forgotten[0]} look like ids without label names; set id2label of the model"
    if "TOKEN" in (settings.get("scheme"), settings.get("pred_scheme")):
        prefixed = sorted(name for name in types if PREFIXED.fullmatch(name))
        if prefixed:
            yield f"types like {prefixed[0]} look like tags with a prefix, which the scheme TOKEN does not split"


def _why(side: str, first: Violation | None) -> str:
    """Suggest a cause of many violations, given the first violation."""
    if first is not None and FORGOTTEN.fullmatch(first.current):
        return "these look like ids without label names; set id2label of the model"
    scheme = "another scheme (pred_scheme)" if side == "pred" else "another scheme"
    if first is not None and first.kind == "Unknown Tag":
        return f"is it the right column, or is it in {scheme}?"
    return f"is it in {scheme}?"


def without_spans(sentences: int, gold: float, pred: float) -> list[str]:
    """Return a warning for each side without spans."""
    if not sentences:
        return ["there are no sentences to score"]
    sides = [side for side, spans in (("gold", gold), ("pred", pred)) if not spans]
    return [f"{side} has no spans to score; check the file and its format" for side in sides]


def without_matches(measures: Measured, *, near_misses: bool) -> list[str]:
    """Return a warning if both sides have several spans and none is correct.

    With ``near_misses``, only if the sides have no type in common, because spans may otherwise match partially.
    """
    tp, fp, fn = measures.totals
    if tp or fn < MIN_SPANS or fp < MIN_SPANS:
        return []
    of_gold = [name for name, totals in measures.per_type.totals.items() if totals.fn]
    of_pred = [name for name, totals in measures.per_type.totals.items() if totals.fp]
    if not set(of_gold) & set(of_pred):
        why = f"their types are different: {_some(of_gold)} in gold, {_some(of_pred)} in pred"
    elif near_misses:
        return []
    else:
        why = "check that gold and pred belong to the same data"
    return [f"none of the {fn} gold spans is among the {fp} pred spans; {why}"]


def of_renamed_types(measures: Measured) -> list[str]:
    """Return a warning if a type of pred looks like another name of a type of gold.

    That is, the type does not occur in gold, the type of gold does not occur in pred, and more than half of the spans
    of either have the bounds of a span of the other.
    """
    totals = measures.per_type.totals
    of_gold = {name for name, (tp, fp, fn) in totals.items() if fn and not tp and not fp}
    of_pred = {name for name, (tp, fp, fn) in totals.items() if fp and not tp and not fn}
    if not of_gold or not of_pred:
        return []
    pairs = [
        (gold, pred)
        for gold, pred, n in measures.confusion.triples()
        if gold in of_gold
        and pred in of_pred
        and n >= MIN_SPANS
        and 2 * n > totals[gold].fn
        and 2 * n > totals[pred].fp
    ]
    return [
        f"the type {pred} occurs only in pred and {gold} only in gold, often with equal bounds; if they are the same, "
        f"pass --map {pred}={gold} or call with_types({{{pred!r}: {gold!r}}}) of the result"
        for gold, pred in pairs[:1]
    ]


def of_ends(numbers: Mapping[str, int]) -> list[str]:
    """Return a warning if all ends of one side are one less than on the other side, as with inclusive ends."""
    pairs = numbers["equal_starts"]
    for outcome, side, longer in (("ends_one_less", "pred", "gold"), ("ends_one_more", "gold", "pred")):
        if pairs >= MIN_ENDS and numbers[outcome] == pairs:
            return [
                f"every end is off by one: if spans of gold and pred have equal types and starts, the end in {side} "
                f"is one less than in {longer}; ends must be exclusive, so add 1 if the ends in {side} are inclusive"
            ]
    return []


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
