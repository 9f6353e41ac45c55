"""Cached attributes without a lock, which are safe to fork."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801  # the name of the class in functools that this class replaces
    """Compute an attribute on first access and store it in the ``__dict__`` of the object.

    Up to Python 3.11, :class:`functools.cached_property` shares one lock among all objects of a class. A process forked
    while another thread computes such an attribute inherits the acquired lock and waits forever. Without a lock
    two threads may both compute the attribute, so the value must be a pure function of the object.

    Parameters
    ----------
    compute : callable
        Called with the object; returns the value.

    Examples
    --------
    >>> from spanrs.caching import cached_property
    >>> class Square:
    ...     def __init__(self, side):
    ...         self.side = side
    ...
    ...     @cached_property
    ...     def area(self):
    ...         print("computed")
    ...         return self.side**2
    >>> square = Square(3)
    >>> square.area, square.area
    computed
    (9, 9)
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object, owner: type | None = None) -> Self | T:
        if instance is None:
            return self
        # Assigned unconditionally: an attribute of a base class may have stored its value under this name.
        value: T = self._compute(instance)
        instance.__dict__[self._name] = value
        return value
