"""Explanation of a predicted label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs._spanrs import CrfModel
from spanrs.errors import escaped

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Reason(NamedTuple):
    """The contribution of a feature to the label of a token."""

    feature: str
    """Name of the attribute, or ``label -> label`` of a transition."""
    value: float
    """Value of the attribute; 1 for transitions."""
    weight: float
    """Weight of the feature for the label, times the value."""
    margin: float
    """``weight`` minus the same product for the alternative; a positive margin supports the label."""


class Explanation(NamedTuple):
    """The features that decided the label of a token."""

    token: int
    """Index of the token, from 0."""
    label: str
    """The predicted label."""
    probability: float
    """The marginal probability of the label."""
    alternative: str | None
    """The most probable other label; None if there is only one label."""
    reasons: list[Reason]
    """Features and transitions to the labels of the neighbours, in descending order of the absolute margin."""

    def __str__(self) -> str:
        head = f"{self.token} {self.label} ({100 * self.probability:.1f} %)"
        if self.alternative is not None:
            head += f", not {self.alternative}"
        lines = [f"  {reason.margin:+8.3f}  {reason.feature}" for reason in self.reasons]
        return "\n".join(map(escaped, [head, *lines]))


def explain(
    model: CrfModel, sequence: Any, labels: Sequence[str], marginals: npt.NDArray[np.float64], n: int
) -> list[Explanation]:
    """Explain each label of a sequence by its ``n`` most important reasons."""
    import numpy as np

    names = model.labels()
    ids = {name: at for at, name in enumerate(names)}
    steps = {(source, target): weight for source, target, weight in model.transitions()}
    explanations = []
    for token, features in enumerate(model.known_features(sequence)):
        label = labels[token]
        best = ids[label]
        others = np.delete(np.arange(len(names)), best)
        second = int(others[np.argmax(marginals[token][others])]) if len(others) else None

        def reason(name: str, value: float, weight: float, other: float) -> Reason:
            return Reason(name, value, weight * value, (weight - other) * value)

        reasons = [
            reason(name, value, row[best], 0.0 if second is None else row[second])
            for name, value, row in features
        ]
        alternative = None if second is None else names[second]
        neighbours = []
        if token > 0:
            neighbours.append((f"{labels[token - 1]} -> {label}", (labels[token - 1], label), 1))
        if token + 1 < len(labels):
            neighbours.append((f"{label} -> {labels[token + 1]}", (label, labels[token + 1]), 0))
        for name, pair, place in neighbours:
            other = 0.0
            if alternative is not None:
                changed = (pair[0], alternative) if place else (alternative, pair[1])
                other = steps.get(changed, 0.0)
            reasons.append(reason(name, 1.0, steps.get(pair, 0.0), other))
        reasons = [r for r in reasons if r.margin != 0 or r.weight != 0]
        reasons.sort(key=lambda r: (-abs(r.margin), r.feature))
        probability = float(marginals[token][best])
        explanations.append(Explanation(token, label, probability, alternative, reasons[:n]))
    return explanations
