"""Supervision of training: development data, and weights of sequences and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

from spanrs.errors import AlignmentError, ModelError, SpanrsError, as_number, warn


def check_dev(X_dev: Sequence[Any], y_dev: Sequence[Sequence[str]]) -> None:
    """Check that development data have one label, a string, for each token."""
    if len(X_dev) != len(y_dev):
        raise AlignmentError(f"X_dev has {len(X_dev)} sequences, but y_dev {len(y_dev)}")
    if not len(X_dev):
        raise ModelError("the development data have no sequences")
    for at, (tokens, labels) in enumerate(zip(X_dev, y_dev, strict=True)):
        if hasattr(tokens, "__len__") and len(tokens) != len(labels):
            raise AlignmentError(
                f"development sequence {at}: {len(tokens)} tokens, but {len(labels)} labels"
            )
        if not all(isinstance(label, str) for label in labels):
            raise ModelError(f"development sequence {at}: labels must be strings")


class TrainingData(NamedTuple):
    """What a CRF is trained on."""

    X: Any
    """Sequences of tokens."""
    y: list[Any]
    """Labels of each sequence."""
    X_dev: Any = None
    """Sequences of the development data; None without development data."""
    y_dev: Sequence[Sequence[str]] | None = None
    """Their labels."""
    weights: list[float] | None = None
    """Weight of each sequence; None if all are 1."""
    template: str | None = None
    """Text of the template."""
    numbers: list[int] | None = None
    """Number of each sequence of X before some were held out; None if none were."""
    dev_numbers: list[int] | None = None
    """The same for X_dev."""

    def certain(self) -> list[Any]:
        """Return the labels of the sequences that have one label for each token."""
        return [labels for labels in self.y if all(isinstance(label, str) for label in labels)]

    @contextmanager
    def original_numbers(self) -> Iterator[None]:
        """Give the sequence of an error the number that it has for the caller."""
        try:
            yield
        except SpanrsError as error:
            at = getattr(error, "sentence", None)
            if self.numbers is None or at is None:
                raise
            message = str(error)
            numbers = self.dev_numbers if message.startswith("development ") else self.numbers
            if numbers is None:
                raise
            number = numbers[at]
            message = message.removeprefix("development ")
            error.args = (message.replace(f"sequence {at}:", f"sequence {number}:", 1),)
            setattr(error, "sentence", number)  # noqa: B010 - only some errors have the attribute.
            raise


def held_out(
    X: Iterable[Any], y: Iterable[Any], weights: list[float] | None, fraction: float, seed: int
) -> TrainingData:
    """Hold out a random fraction of the sequences as development data, at least one.

    Raises
    ------
    ModelError
        If there are fewer than two sequences, or if a label of a sequence that is held out is not a string.
    """
    X, y = list(X), list(y)
    for name, values in (("y", y), ("sample_weight", weights)):
        if values is not None and len(values) != len(X):
            raise AlignmentError(f"X has {len(X)} sequences, but {name} {len(values)}")
    if len(X) < 2:
        raise ModelError("validation_fraction needs at least two sequences")
    number = min(max(1, round(fraction * len(X))), len(X) - 1)
    chosen = set(Random(seed).sample(range(len(X)), number))
    for at in sorted(chosen):
        if not all(isinstance(label, str) for label in y[at]):
            raise ModelError(
                f"sequence {at} is held out as development data, so its labels must be strings; "
                "pass X_dev and y_dev"
            )

    def part(values: list[Any], held: bool) -> list[Any]:
        return [value for at, value in enumerate(values) if (at in chosen) == held]

    for at in sorted(chosen):
        if hasattr(X[at], "__len__") and len(X[at]) != len(y[at]):
            raise AlignmentError(f"sequence {at}: {len(X[at])} tokens, but {len(y[at])} labels")
    return TrainingData(
        part(X, False),
        part(y, False),
        part(X, True),
        part(y, True),
        None if weights is None else part(weights, False),
        numbers=part(list(range(len(X))), False),
        dev_numbers=part(list(range(len(X))), True),
    )


def class_weights(
    given: Mapping[str, float] | str,
    labels: Sequence[str],
    targets: Sequence[Sequence[Any]],
    *,
    must_occur: bool = True,
) -> list[float]:
    """Return the class weight of each label; warn about labels that do not occur, unless they need not.

    Raises
    ------
    ValueError
        For a weight that is not above 0, or a string other than ``balanced``.
    """
    if isinstance(given, str):
        if given != "balanced":
            raise ValueError(f"class_weight must be a dict or 'balanced', not {given!r}")
        counts = Counter(label for labels in targets for label in labels if isinstance(label, str))
        total = sum(counts.values())
        return [total / (len(counts) * counts[label]) if counts[label] else 1.0 for label in labels]
    if not isinstance(given, Mapping):
        raise TypeError(f"class_weight must be a dict or 'balanced', not {given!r}")
    unknown = [label for label in given if label not in labels]
    if unknown and must_occur:
        shown = ", ".join(labels[:20])
        warn([f"class_weight has the label {unknown[0]!r}, which does not occur; labels are {shown}"])
    weights = {
        label: as_number(weight, f"class_weight of {label}", above=True) for label, weight in given.items()
    }
    return [weights.get(label, 1.0) for label in labels]


def convert_weights(weights: Iterable[float] | None) -> list[float] | None:
    """Return the weights of the training sequences as floats.

    Raises
    ------
    TypeError
        If a weight is not a number.
    """
    if weights is None:
        return None
    if isinstance(weights, str | bytes) or not isinstance(weights, Iterable):
        raise TypeError(f"sample_weight must have a number for each sequence, not {weights!r}")
    given = []
    for at, weight in enumerate(weights):
        try:
            if isinstance(weight, str | bytes):
                raise TypeError
            given.append(float(weight))
        except (TypeError, ValueError):
            raise TypeError(f"sample_weight of sequence {at} must be a number, not {weight!r}") from None
    return given
