"""The table of measures of trees."""

from __future__ import annotations

from spanrs.eval import Result
from spanrs.eval.tables import percents
from spanrs.report.table import Table

#: Measures in the order of the CoNLL 2018 evaluation, followed by the measures without punctuation.
MEASURES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "feats": "UFeats",
    "all_tags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
    "uas_no_punct": "UAS without punctuation",
    "las_no_punct": "LAS without punctuation",
}


def main_label(label: str) -> str:
    """Return a label without its subtype, as compared by LAS: ``nmod`` for ``nmod:poss``."""
    return label.partition(":")[0]


def score_tables(result: Result, *, per_label: bool = False) -> list[Table]:
    """Return the measures in per cent, and with ``per_label`` LAS by label; undefined measures are ``-``."""
    table = Table(["metric", "precision", "recall", "F1", "gold"])
    for name, title in MEASURES.items():
        score = result[name].shown.micro
        table.add_row(title, *percents(score), f"{score.support:.0f}")
    if not per_label or result["las"].unscored is not None:
        return [table]
    labels = Table(["label", "precision", "recall", "F1", "gold words"])
    by_label = result["las"].per_type
    for name in sorted(by_label, key=lambda name: (-by_label[name].support, name)):
        labels.add_row(name, *percents(by_label[name]), f"{by_label[name].support:.0f}")
    return [table, labels]
