"""Hierarchies of types: the parent of each type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spanrs.errors import as_integer


class TypeHierarchy:
    """A forest of types.

    Parameters
    ----------
    parents : mapping of str to str
        The parent of each type that has one. Types that are only parents are roots.

    Raises
    ------
    TypeError
        For values that are not a mapping of names.
    ValueError
        For empty names, and types that are their own ancestors.

    Examples
    --------
    >>> from spanrs.eval.type_hierarchy import TypeHierarchy
    >>> types = TypeHierarchy({"GIVEN_NAME": "PERSON", "PERSON": "PII"})
    >>> types.at_level("GIVEN_NAME", 1), types.at_level("GIVEN_NAME", 0), types.at_level("CITY", 0)
    ('PERSON', 'PII', 'CITY')
    """

    def __init__(self, parents: Mapping[str, str]) -> None:
        if not isinstance(parents, Mapping):
            raise TypeError(
                f"hierarchy must be a mapping of each type to its parent, not {type(parents).__name__}"
            )
        for child, parent in parents.items():
            for name in (child, parent):
                if not isinstance(name, str):
                    raise TypeError(
                        f"hierarchy must map types to their parents, both str; {child!r} has {parent!r}"
                    )
                if not name:
                    raise ValueError(f"hierarchy has an empty name: {child!r} has the parent {parent!r}")
        self.parents = dict(parents)
        self._paths: dict[str, tuple[str, ...]] = {}
        for child in self.parents:
            self._find_path(child)

    def _find_path(self, name: str) -> tuple[str, ...]:
        """Return the types from the root to a type, and remember the paths on the way."""
        below: list[str] = []
        seen: set[str] = set()
        while name not in self._paths and name in self.parents:
            if name in seen:
                cycle = [*below[below.index(name) :], name]
                raise ValueError(
                    f"hierarchy has a cycle: {' -> '.join(cycle)}; remove one of these parents"
                )
            seen.add(name)
            below.append(name)
            name = self.parents[name]
        path = self._paths.setdefault(name, (name,))
        for child in reversed(below):
            path = self._paths[child] = (*path, child)
        return path

    def path(self, name: str) -> tuple[str, ...]:
        """Return the types from the root to a type; only the type itself if it is not in the hierarchy."""
        return self._paths.get(name, (name,))

    def at_level(self, name: str, level: int) -> str:
        """Return the ancestor of a type at a level, from 0 for roots; the type itself if it is not below the level."""
        path = self.path(name)
        return path[min(level, len(path) - 1)]

    def check_level(self, level: int) -> None:
        """Refuse a level that the hierarchy does not have.

        Raises
        ------
        TypeError, ValueError
        """
        level = as_integer(level, "level")
        deepest = max(map(len, self._paths.values()), default=1) - 1
        if level > deepest:
            raise ValueError(
                f"level must be from 0 to {deepest}, the deepest of the hierarchy, not {level}"
            )

    def tree(self, names: Iterable[str]) -> Iterator[tuple[str, int, frozenset[str]]]:
        """Yield the given types and their ancestors in the order of a tree.

        Yields
        ------
        name : str
            The type.
        depth : int
            Its level, from 0.
        members : frozenset of str
            The given types at or below the type.
        """
        paths = sorted(self.path(name) for name in set(names))
        members: dict[tuple[str, ...], set[str]] = {}
        for path in paths:
            for depth in range(len(path)):
                members.setdefault(path[: depth + 1], set()).add(path[-1])
        for path in sorted(members):
            yield path[-1], len(path) - 1, frozenset(members[path])
