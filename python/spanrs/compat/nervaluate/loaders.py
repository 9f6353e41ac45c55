"""Documents to entities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from spanrs import _spanrs
from spanrs.compat.nervaluate.entities import Entity


class DataLoader(ABC):
    """Makes lists of entities, one a document, from some form of data."""

    @abstractmethod
    def load(self, data: Any) -> list[list[Entity]]:
        """Load data."""


def entities(spans: _spanrs.SpanLists) -> list[list[Entity]]:
    """Give spans as entities, whose ends are inclusive."""
    return [
        [Entity(label, start, end - 1) for label, start, end in document] for document in spans.documents()
    ]


def read_conll(data: str) -> _spanrs.SpanLists:
    """Read text in columns, or refuse it."""
    if not isinstance(data, str):
        message = "ConllLoader expects string input"
        raise ValueError(message)
    return _spanrs.nervaluate_conll(data)


def read_list(data: list[list[str]]) -> _spanrs.SpanLists:
    """Read lists of tags, or refuse them."""
    return _spanrs.nervaluate_tags(data, False)


class ConllLoader(DataLoader):
    """Loads text with a tab between token and tag; an empty line ends a document."""

    def load(self, data: str) -> list[list[Entity]]:
        """Load a text.

        Raises
        ------
        ValueError
            For lines without a tab, and tags that begin an entity with neither ``B-`` nor ``I-``.
        """
        return entities(read_conll(data))


class ListLoader(DataLoader):
    """Loads lists of tags."""

    def load(self, data: list[list[str]]) -> list[list[Entity]]:
        """Load lists.

        Raises
        ------
        ValueError
            For what are no lists of lists of str, and tags that begin an entity with neither ``B-`` nor
            ``I-``.
        """
        return entities(read_list(data))


class DictLoader(DataLoader):
    """Loads lists of dictionaries with ``label``, ``start`` and ``end``, which is inclusive."""

    def load(self, data: list[list[dict[str, Any]]]) -> list[list[Entity]]:
        """Load dictionaries.

        Raises
        ------
        ValueError
            For what are no lists of lists of such dictionaries.
        OverflowError
            For offsets beyond 2**51.
        """
        return entities(_spanrs.nervaluate_dicts(data))


#: How the loaders above read, for those who do not need entities.
READ = {ConllLoader: read_conll, ListLoader: read_list, DictLoader: _spanrs.nervaluate_dicts}


class Documents:
    """One side: compact until somebody looks at its entities, which may then be changed."""

    def __init__(self, spans: _spanrs.SpanLists | None, loaded: Any = None) -> None:
        self._spans = spans
        self._entities = loaded

    @classmethod
    def load(cls, loader: DataLoader, data: Any) -> Documents:
        """Load data."""
        read: Any = READ.get(type(loader))
        return cls(None, loader.load(data)) if read is None else cls(read(data))

    def __len__(self) -> int:
        return len(self._entities if self._spans is None else self._spans)

    def entities(self) -> Any:
        """Give the entities; from now on the list is what counts."""
        if self._spans is not None:
            self._entities, self._spans = entities(self._spans), None
        return self._entities

    def spans(self) -> _spanrs.SpanLists:
        """Give the spans as they are now."""
        return _spanrs.nervaluate_entities(self._entities) if self._spans is None else self._spans
