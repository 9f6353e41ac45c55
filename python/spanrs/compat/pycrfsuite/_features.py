"""Features of sequences as accepted by python-crfsuite, and exceptions for invalid features."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from spanrs._spanrs import CrfItems
from spanrs.errors import ModelError

T = TypeVar("T")


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

    Values may be NaN and infinite.
    """
    if isinstance(sequence, ItemSequence):
        return sequence._items
    return read(partial(CrfItems, any_value=True), sequence)


def read(reader: Callable[[Any], T], sequence: Iterable[Any] | ItemSequence) -> T:
    """Call a function of the compiled module with features, as :func:`crf_items` does.

    The exceptions are subclasses of the exceptions of python-crfsuite.
    """
    features: Any = sequence
    if isinstance(sequence, ItemSequence):
        features = sequence._items
    elif isinstance(sequence, np.ndarray):
        features = [list(token) if isinstance(token, str) else token for token in sequence]
    try:
        return reader(features)
    except ModelError as error:
        raise _as_in_python_crfsuite(error) from error


def unconverted(sequence: Any) -> Any:
    """Return a sequence that can be iterated over twice, without conversion."""
    if isinstance(sequence, ItemSequence):
        return sequence._items
    return sequence if isinstance(sequence, (list, tuple)) else crf_items(sequence)


def _as_in_python_crfsuite(error: ModelError) -> Exception:
    cause = error.__cause__
    if isinstance(cause, UnicodeEncodeError):
        return cause
    if isinstance(cause, TypeError):
        return FeatureTypeError(*error.args)
    return FeatureOverflowError(*error.args) if isinstance(cause, OverflowError) else error
