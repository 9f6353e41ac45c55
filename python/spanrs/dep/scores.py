"""The table of measures of trees."""

from __future__ import annotations

from collections.abc import Collection

from spanrs.eval import Result
from spanrs.report.table import Table

#: Measures in the order of the CoNLL 2018 evaluation, and after them those without punctuation.
MEASURES = {
    "upos": "UPOS",
    "xpos": "XPOS",
    "feats": "UFeats",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "uas_no_punct": "UAS without punctuation",
    "las_no_punct": "LAS without punctuation",
}
#: Measures that need labels.
LABELLED = ("las", "clas", "mlas", "las_no_punct")


def missing(result: Result) -> dict[str, str]:
    """Give the measures that say nothing, and why: what pred does not annotate at all."""
    reasons: dict[str, str] = {}
    for criterion, what, measures in (
        ("las", "labels", LABELLED),
        ("upos", "UPOS", ()),
        ("xpos", "XPOS", ()),
    ):
        annotated = {
            name for row in result[criterion].confusion.values() for name in row if name is not None
        }
        if annotated <= {"_", ""}:
            reasons |= dict.fromkeys(measures or (criterion,), f"pred has no {what}")
    if "upos" in reasons:
        reasons.setdefault("mlas", reasons["upos"])
    return reasons


def score_tables(result: Result, *, per_label: bool = False, copied: Collection[str] = ()) -> list[Table]:
    """Give the measures in per cent, and with ``per_label`` LAS by label.

    Measures that say nothing are ``-``: what pred does not annotate, and what was ``copied`` from gold.
    """
    empty = {*missing(result), *copied}
    table = Table(["metric", "precision", "recall", "F1", "gold words"])
    for name, title in MEASURES.items():
        score = result[name].micro
        numbers = (score.precision, score.recall, score.f1)
        shown = ["-"] * 3 if name in empty else [f"{100 * number:.2f}" for number in numbers]
        table.add_row(title, *shown, f"{score.support:.0f}")
    if not per_label or "las" in empty:
        return [table]
    labels = Table(["label", "precision", "recall", "F1", "gold words"])
    by_label = result["las"].per_type
    for name in sorted(by_label, key=lambda name: (-by_label[name].support, name)):
        score = by_label[name]
        numbers = (score.precision, score.recall, score.f1)
        labels.add_row(name, *(f"{100 * number:.2f}" for number in numbers), f"{score.support:.0f}")
    return [table, labels]
