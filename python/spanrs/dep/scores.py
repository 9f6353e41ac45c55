"""The table of measures of trees."""

from __future__ import annotations

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


def score_table(result: Result, *, per_label: bool = False) -> list[Table]:
    """Give the measures in per cent, and with ``per_label`` LAS by label."""
    table = Table(["metric", "precision", "recall", "F1", "gold words"])
    for name, title in MEASURES.items():
        score = result[name].micro
        numbers = (score.precision, score.recall, score.f1)
        table.add_row(title, *(f"{100 * number:.2f}" for number in numbers), f"{score.support:.0f}")
    if not per_label:
        return [table]
    labels = Table(["label", "precision", "recall", "F1", "gold words"])
    by_label = result["las"].per_type
    for name in sorted(by_label, key=lambda name: (-by_label[name].support, name)):
        score = by_label[name]
        numbers = (score.precision, score.recall, score.f1)
        labels.add_row(name, *(f"{100 * number:.2f}" for number in numbers), f"{score.support:.0f}")
    return [table, labels]
