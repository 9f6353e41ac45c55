"""Features of sequences as accepted by python-crfsuite, and exceptions for invalid features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from spanrs._spanrs import CrfItems
from spanrs.errors import ModelError


class FeatureTypeError(ModelError, TypeError):
    """A feature or its value has an unsupported type."""


class FeatureOverflowError(ModelError, OverflowError):
    """An integer value exceeds the range of floats."""


class ItemSequence:
    """The features of a sequence, converted once for any number of calls.

    >>> ItemSequence([["foo"], {"bar": {"baz": 1, "word": "x"}}]).items()
    [{'foo': 1.0}, {'bar:baz': 1.0, 'bar:word:x': 1.0}]
    """

    _items: CrfItems

    def __init__(self, pyseq: Iterable[Any] | ItemSequence) -> None:
        self._items = crf_items(pyseq)

    def items(self) -> list[dict[str, float]]:
        """Return the features of each token, by name."""
        return self._items.items()

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def crf_items(sequence: Iterable[Any] | ItemSequence) -> CrfItems:
    """Convert features; in an array, the features of a token that is a string are its characters.

    Values may be NaN and infinite. The exceptions are subclasses of the exceptions of python-crfsuite.
    """
    if isinstance(sequence, ItemSequence):
        return sequence._items
    if isinstance(sequence, np.ndarray):
        sequence = [list(token) if isinstance(token, str) else token for token in sequence]
    try:
        return CrfItems(sequence, any_value=True)
    except ModelError as error:
        raise _as_in_python_crfsuite(error) from error


def unconverted(sequence: Any) -> Any:
    """Return a sequence that can be iterated over twice, without conversion."""
    if isinstance(sequence, ItemSequence):
        return sequence._items
    return sequence if isinstance(sequence, (list, tuple)) else crf_items(sequence)


def check_names(items: CrfItems, labels: Iterable[str]) -> None:
    """Refuse names that CRFsuite's files cannot represent, before training."""
    label = next((label for label in labels if "\0" in label), None)
    for kind, name in (("label", label), ("attribute", items.name_with_nul())):
        if name is not None:
            raise ValueError(
                f"{kind} {name!r} contains a NUL character, which model files cannot represent"
            )


def _as_in_python_crfsuite(error: ModelError) -> Exception:
    cause = error.__cause__
    if isinstance(cause, UnicodeEncodeError):
        return cause
    if isinstance(cause, TypeError):
        return FeatureTypeError(*error.args)
    return FeatureOverflowError(*error.args) if isinstance(cause, OverflowError) else error
