"""Counts of equal items, and the measures in per cent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

MATCHES = ("normal", "set", "multimatch")


def check_match(match: str) -> str:
    """Return the name of a way of matching, or raise ValueError."""
    if match not in MATCHES:
        raise ValueError(f"unknown match {match!r}; choose one of {', '.join(MATCHES)}")
    return match


class Metric:
    """Sums of the counts of sentences.

    Parameters
    ----------
    match : {"normal", "set", "multimatch"}
        ``normal``: each gold item answers one predicted item. ``set``: equal items of a side are merged.
        ``multimatch``: a gold item answers any number of equal predicted items, and all of them count.

    Raises
    ------
    ValueError
        If the way of matching is unknown.
    """

    def __init__(self, match: str = "normal") -> None:
        self.match = check_match(match)
        self.tp = self.gold = self.pred = 0.0

    def count(self, golds: Sequence[Hashable], preds: Sequence[Hashable]) -> None:
        """Add the items of a sentence.

        Parameters
        ----------
        golds, preds : sequence of hashable
            The items of both sides.
        """
        gold, pred = Counter(golds), Counter(preds)
        if self.match == "set":
            gold, pred = Counter(set(golds)), Counter(set(preds))
        self.gold += gold.total()
        self.pred += pred.total()
        if self.match == "multimatch":
            self.tp += sum(number for item, number in pred.items() if item in gold)
        else:
            self.tp += (gold & pred).total()

    def figures(self, prefix: str) -> dict[str, float]:
        """Return counts, precision, recall and F1; measures are in per cent, and 0 if they are undefined.

        Parameters
        ----------
        prefix : str
            What the names begin with.

        Returns
        -------
        dict
            Name -> figure.
        """
        precision = self.tp / self.pred if self.pred else 0.0
        recall = self.tp / self.gold if self.gold else 0.0
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
        return {
            f"{prefix}tp": self.tp,
            f"{prefix}gold": self.gold,
            f"{prefix}pred": self.pred,
            f"{prefix}P": precision * 100,
            f"{prefix}R": recall * 100,
            f"{prefix}F1": f1 * 100,
        }
