"""Loaders of entities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from spanrs import _spanrs
from spanrs.compat.nervaluate.entities import Entity


class DataLoader(ABC):
    """Base class of loaders, which convert data to a list of entities for each document."""

    @abstractmethod
    def load(self, data: Any) -> list[list[Entity]]:
        """Load data."""


def _entities(spans: _spanrs.SpanLists) -> list[list[Entity]]:
    """Return spans as entities, whose ends are inclusive."""
    return [[Entity(label, start, end - 1) for label, start, end in row] for row in spans.sentences()]


def _read_conll(data: str) -> _spanrs.SpanLists:
    if not isinstance(data, str):
        raise ValueError("ConllLoader expects string input")
    return _spanrs.nervaluate_conll(data)


class _SpanLoader(DataLoader):
    """Loads data with a compiled reader; raises ValueError for data of another type."""

    @staticmethod
    @abstractmethod
    def read(data: Any, /) -> _spanrs.SpanLists:
        """Read data into spans."""

    def load(self, data: Any) -> list[list[Entity]]:
        """Load data."""
        return _entities(self.read(data))


class ConllLoader(_SpanLoader):
    """Loads text with a tab between token and tag; an empty line ends a document."""

    read = staticmethod(_read_conll)


class ListLoader(_SpanLoader):
    """Loads lists of tags."""

    read = staticmethod(lambda data: _spanrs.nervaluate_tags(data, False))


class DictLoader(_SpanLoader):
    """Loads lists of dictionaries with ``label``, ``start`` and inclusive ``end``."""

    read = staticmethod(_spanrs.nervaluate_dicts)


class Documents:
    """One side of an evaluation, stored compactly until the entities are accessed, because callers may change them."""

    def __init__(self, spans: _spanrs.SpanLists | None, loaded: Any = None) -> None:
        self._spans = spans
        self._entities = loaded

    @classmethod
    def load(cls, loader: DataLoader, data: Any) -> Documents:
        """Load data; built-in loaders create no entities."""
        if isinstance(loader, _SpanLoader) and type(loader).load is _SpanLoader.load:
            return cls(loader.read(data))
        return cls(None, loader.load(data))

    def __len__(self) -> int:
        return len(self._entities if self._spans is None else self._spans)

    def entities(self) -> Any:
        """Return the entities; afterwards evaluations use this list."""
        if self._spans is not None:
            self._entities, self._spans = _entities(self._spans), None
        return self._entities

    def spans(self) -> _spanrs.SpanLists:
        """Return the current spans."""
        return _spanrs.nervaluate_entities(self._entities) if self._spans is None else self._spans
