"""Validation of arguments: types and document weights."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set

from spanrs.errors import is_bool

#: Largest weight of a document.
MAX_WEIGHT = 1e15
#: Iterables that are not sequences of values: strings, bytes, and collections without a meaningful order.
NOT_IN_ORDER = (str, bytes, Mapping, Set)


def as_types(
    types: Mapping[str, str | None] | Collection[str],
) -> Mapping[str, str | None] | frozenset[str]:
    """Return a mapping of types unchanged, and a collection of types as a set.

    Raises
    ------
    TypeError
        For a single str, values that are not iterable, and types that are not str.
    """
    if isinstance(types, str):
        raise TypeError(f"types must be a mapping or a collection of types, not a str; pass [{types!r}]")
    if not is_iterable(types):
        raise TypeError(f"types must be a mapping or a collection of types, not {type(types).__name__}")
    given = types if isinstance(types, Mapping) else list(types)
    new = [name for name in given.values() if name is not None] if isinstance(given, Mapping) else []
    for name in (*given, *new):
        if not isinstance(name, str):
            raise TypeError(f"types must be str, not {type(name).__name__}")
    return given if isinstance(given, Mapping) else frozenset(given)


def as_document_weights(weights: Iterable[float], documents: int) -> tuple[float, ...]:
    """Return the weights of a given number of documents.

    Raises
    ------
    TypeError
        For values that are not iterable, and weights that are not numbers.
    ValueError
        For a wrong number of weights, and for weights that are negative, not finite or above ``MAX_WEIGHT``.
    """
    if isinstance(weights, NOT_IN_ORDER) or not is_iterable(weights):
        raise TypeError(f"weights must be one number per document, not {type(weights).__name__}")
    given = list(weights)
    if len(given) != documents:
        raise ValueError(f"{documents} documents need {documents} weights, not {len(given)}")
    for at, weight in enumerate(given):
        if not is_number(weight):
            raise TypeError(f"weight {at} must be a number, not {type(weight).__name__}")
        # Larger weights could overflow to inf.
        if not 0 <= weight <= MAX_WEIGHT:
            raise ValueError(f"a weight must be a number from 0 to {MAX_WEIGHT:g}, not {_short(weight)}")
    return tuple(float(weight) for weight in given)


def is_iterable(value: object) -> bool:
    """Return whether a value can be iterated; zero-dimensional arrays cannot."""
    try:
        iter(value)  # type: ignore[call-overload]  # refused if it cannot
    except TypeError:
        return False
    return True


def is_number(value: object) -> bool:
    """Return whether a value is a scalar number from Python or another package; bools and arrays are not."""
    return hasattr(value, "__float__") and not is_bool(value) and getattr(value, "shape", ()) == ()


def _short(weight: float) -> str:
    text = str(weight) if isinstance(weight, float) or -(10**30) < weight < 10**30 else "a larger one"
    return text[:40]
