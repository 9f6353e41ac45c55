"""The options of the comparison of trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from spanrs.eval.matcher import Matcher
from spanrs.eval.matchers import register

#: Columns of CoNLL-U by criterion.
COLUMNS = {
    "upos": ("UPOS",),
    "xpos": ("XPOS",),
    "feats": ("FEATS",),
    "lemmas": ("LEMMA",),
    "uas": ("HEAD",),
    "uas_no_punct": ("HEAD",),
    "las": ("HEAD", "DEPREL"),
    "las_no_punct": ("HEAD", "DEPREL"),
    "clas": ("HEAD", "DEPREL"),
    "mlas": ("HEAD", "DEPREL", "UPOS", "FEATS"),
    "all_tags": ("UPOS", "XPOS", "FEATS"),
    "blex": ("HEAD", "DEPREL", "LEMMA"),
}
_ALL_COLUMNS = tuple(dict.fromkeys(column for columns in COLUMNS.values() for column in columns))
#: Reason why criteria of copied columns are not scored.
COPIED = "pred has a copied column"


@dataclass(frozen=True)
class Dep(Matcher):
    """Aligns words by their characters, and compares heads, labels and tags.

    Criteria: ``las`` (head and label), ``uas`` (head), ``las_no_punct`` and ``uas_no_punct`` (without words whose
    gold label is ``punct`` or ``P``), ``clas`` (content words), ``mlas`` (content words with their tags, features and
    function words), ``blex`` (content words with their lemmas), ``upos``, ``xpos``, ``feats``, ``all_tags`` (these
    three together), ``lemmas``, ``tokens``, ``sentences`` and ``words`` (the segmentation).

    Parameters
    ----------
    subtypes : bool
        Compare labels with their subtypes (``nmod:poss``); the CoNLL 2018 shared task ignores subtypes.

    Notes
    -----
    Source: Zeman et al., CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies,
    section 4.
    """

    name: str = field(default="dep", init=False)
    subtypes: bool = False
    columns: ClassVar[tuple[str, ...] | None] = ("right", "mislabelled", "wrong", "missed", "spurious")

    def settings(self) -> dict[str, str]:
        """Return the settings for signatures."""
        return super().settings() | ({"subtypes": "true"} if self.subtypes else {})

    def unscored(self, corpus: Mapping[str, int]) -> dict[str, str]:
        """Return the criteria whose columns are empty on one side or copied by pred, with the reason."""
        reasons: dict[str, str] = {}
        for column in _ALL_COLUMNS:
            for side, words in (("pred", "pred_words"), ("gold", "words")):
                without = corpus.get(f"{side}_without_{column.lower()}", 0)
                # A file has trees in all sentences, or in none: with other files merged in, UAS has no meaning.
                if 0 < without == corpus.get(words, 0) or (without and column == "HEAD"):
                    what = "labels" if column == "DEPREL" else column
                    reasons.setdefault(column, f"{side} has no {what}")
        reasons = dict.fromkeys(copied_columns(corpus), COPIED) | reasons
        return {
            criterion: next(reasons[column] for column in columns if column in reasons)
            for criterion, columns in COLUMNS.items()
            if not reasons.keys().isdisjoint(columns)
        }


def copied_columns(corpus: Mapping[str, int]) -> list[str]:
    """Return the columns that pred copied in at least one sentence."""
    return [column for column in _ALL_COLUMNS if corpus.get(f"copied_{column.lower()}", 0)]


register("dep", Dep, {"subtypes": bool})

#: Options that follow the definitions of the shared task.
DEFAULT = Dep()
