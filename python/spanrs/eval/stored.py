"""Types of values that were stored as JSON."""

from __future__ import annotations

import math
from typing import Any

#: Key of a description that stands for every key.
ANY = ""
NONE = type(None)


def check_stored(value: Any, kind: Any, name: str) -> None:
    """Refuse a value of another type than the one that is stored.

    Parameters
    ----------
    value : object
        What JSON gave.
    kind : type, list, dict or tuple
        A type, a list with the kind of all items, a dictionary with the kind of each field (:data:`ANY`: of all
        others), or a tuple of alternatives. True and False are no integers.
    name : str
        What messages call the value.

    Raises
    ------
    TypeError
        Where the types differ, or a field is not described.
    ValueError
        For numbers that are not finite.

    Examples
    --------
    >>> from spanrs.eval.stored import check_stored
    >>> check_stored({"notes": ["x"]}, {"notes": [str]}, "evidence")
    >>> check_stored({"notes": [3]}, {"notes": [str]}, "evidence")
    Traceback (most recent call last):
    TypeError: evidence: notes is int, not str
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    types = [one if isinstance(one, type) else type(one) for one in kinds]
    if type(value) not in types:
        names = " or ".join(one.__name__ for one in types)
        raise TypeError(f"{name} is {type(value).__name__}, not {names}")
    own: Any = kinds[types.index(type(value))]
    if isinstance(own, list):
        for item in value:
            check_stored(item, own[0], name)
    elif isinstance(own, dict):
        for key, item in value.items():
            if key not in own and ANY not in own:
                raise TypeError(f"{name} has no field {key!r}")
            check_stored(item, own[key] if key in own else own[ANY], f"{name}: {key}")
    elif own is float and not math.isfinite(value):
        raise ValueError(f"{name} is {value}")
