"""The figures of MUC-5 and of SemEval-2013, under their own names, from results of partial matching."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanrs.eval.result import Result

#: Criterion of :class:`spanrs.Partial` -> the evaluation schema of SemEval-2013 task 9.1.
SCHEMAS = {"strict": "strict", "bounds": "exact", "overlap": "partial", "type": "type"}


class Muc5(NamedTuple):
    """The figures of MUC-5; fractions without a denominator are 0.

    Source: Chinchor and Sundheim 1993, "MUC-5 evaluation metrics".
    """

    correct: int
    """COR: responses equal to the key."""
    partial: int
    """PAR: responses judged as partially correct; half credit."""
    incorrect: int
    """INC: other responses that are matched with a key."""
    spurious: int
    """SPU: responses without a key."""
    missing: int
    """MIS: keys without a response."""

    @property
    def possible(self) -> int:
        """POS: number of keys, COR + INC + PAR + MIS."""
        return self.correct + self.incorrect + self.partial + self.missing

    @property
    def actual(self) -> int:
        """ACT: number of responses, COR + INC + PAR + SPU."""
        return self.correct + self.incorrect + self.partial + self.spurious

    @property
    def recall(self) -> float:
        """REC: (COR + PAR / 2) / POS."""
        return _share(self.correct + 0.5 * self.partial, self.possible)

    @property
    def precision(self) -> float:
        """PRE: (COR + PAR / 2) / ACT."""
        return _share(self.correct + 0.5 * self.partial, self.actual)

    @property
    def undergeneration(self) -> float:
        """UND: MIS / POS."""
        return _share(self.missing, self.possible)

    @property
    def overgeneration(self) -> float:
        """OVG: SPU / ACT."""
        return _share(self.spurious, self.actual)

    @property
    def substitution(self) -> float:
        """SUB: (INC + PAR / 2) / (COR + PAR + INC)."""
        return _share(self.incorrect + 0.5 * self.partial, self.correct + self.partial + self.incorrect)

    @property
    def error_per_response_fill(self) -> float:
        """ERR: (INC + PAR / 2 + MIS + SPU) / (COR + PAR + INC + MIS + SPU)."""
        wrong = self.incorrect + 0.5 * self.partial + self.missing + self.spurious
        return _share(wrong, self.possible + self.spurious)

    def f_measure(self, beta: float = 1.0) -> float:
        """F: the weighted harmonic mean of precision and recall; ``beta`` is the relative importance of recall.

        MUC-5 reports P&R (1), 2P&R (0.5) and P&2R (2).
        """
        squared = beta * beta
        precision, recall = self.precision, self.recall
        return _share((squared + 1) * precision * recall, squared * precision + recall)


def muc5(result: Result, criterion: str = "overlap", *, per_type: bool = False) -> Muc5 | dict[str, Muc5]:
    """Return the figures of MUC-5 for a result of partial matching.

    Parameters
    ----------
    result : Result
        A result of ``spanrs.score(..., matcher="partial")``.
    criterion : str
        ``overlap`` gives half credit for spans that overlap, as MUC-5 does; ``strict``, ``bounds`` and ``type`` have no
        partially correct responses.
    per_type : bool
        Whether to return a dict with the figures of each type; each type is matched separately.

    Raises
    ------
    ValueError
        If the result is of another matcher, or the criterion is unknown.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.eval.muc import muc5
    >>> gold, pred = [["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "B-ORG", "O"]]
    >>> figures = muc5(spanrs.score(gold, pred, matcher="partial"))
    >>> figures
    Muc5(correct=0, partial=1, incorrect=0, spurious=1, missing=1)
    >>> figures.recall, figures.undergeneration, figures.error_per_response_fill
    (0.25, 0.5, 0.8333333333333334)
    """
    _check(result)
    if criterion not in SCHEMAS:
        raise ValueError(f"unknown criterion {criterion!r}; expected one of {', '.join(SCHEMAS)}")
    view = result[criterion]
    if per_type:
        return {name: _figures(outcomes) for name, outcomes in view.per_type.outcomes.items()}
    return _figures(view.outcomes)


def semeval2013(result: Result) -> dict[str, dict[str, float]]:
    """Return the figures of SemEval-2013 task 9.1 for a result of partial matching.

    Parameters
    ----------
    result : Result
        A result of ``spanrs.score(..., matcher="partial")``.

    Returns
    -------
    dict
        For each schema, ``strict``, ``exact``, ``partial`` and ``type``, the counts ``COR``, ``INC``, ``PAR``, ``MIS``,
        ``SPU``, ``POS`` and ``ACT``, and ``precision``, ``recall`` and ``F1``: credit is COR + PAR / 2 in ``partial``
        and COR in the other schemas, which have no partially correct answers. Source: Segura-Bedmar et al. 2013.

    Raises
    ------
    ValueError
        If the result is of another matcher.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.eval.muc import semeval2013
    >>> result = spanrs.score([["B-PER", "I-PER"]], [["B-PER", "O"]], matcher="partial")
    >>> semeval2013(result)["partial"]["F1"], semeval2013(result)["type"]["COR"]
    (0.5, 1)
    """
    _check(result)
    figures = {}
    for criterion, schema in SCHEMAS.items():
        muc = _figures(result[criterion].outcomes)
        figures[schema] = {
            "COR": muc.correct,
            "INC": muc.incorrect,
            "PAR": muc.partial,
            "MIS": muc.missing,
            "SPU": muc.spurious,
            "POS": muc.possible,
            "ACT": muc.actual,
            "precision": muc.precision,
            "recall": muc.recall,
            "F1": muc.f_measure(),
        }
    return figures


def _check(result: Result) -> None:
    if set(result.matcher.criteria) != set(SCHEMAS):
        raise ValueError(f"these figures need partial matching, not the matcher {result.matcher.name}")


def _figures(outcomes: Mapping[str, int]) -> Muc5:
    names = ("correct", "partial", "incorrect", "spurious", "missed")
    return Muc5(*(outcomes[name] for name in names))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
