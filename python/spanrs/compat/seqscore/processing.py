"""Selection and renaming of the types of mentions."""

from __future__ import annotations

from collections.abc import Iterable

from spanrs.compat.seqscore.model import AnnotatedSequence


class TypeMapper:
    """Renames types, then keeps or removes types.

    Parameters
    ----------
    keep_types, remove_types : iterable of str
        The new names of types; at most one of the two may be non-empty.
    type_map : dict
        New names -> lists of old names.

    >>> TypeMapper([], [], {"MISC": ["WORK", "EVENT"]}).type_map
    {'WORK': 'MISC', 'EVENT': 'MISC'}
    """

    def __init__(
        self, keep_types: Iterable[str], remove_types: Iterable[str], type_map: dict[str, list[str]]
    ) -> None:
        self.keep_types, self.remove_types = set(keep_types), set(remove_types)
        if self.keep_types and self.remove_types:
            raise ValueError("Cannot specify both keep_types and remove_types")
        self.type_map: dict[str, str] = {}
        for new, olds in type_map.items():
            for old in olds:
                if not (new and old):
                    raise AssertionError
                if old in self.type_map:
                    raise ValueError(f"Multiple mappings specified for type {old!r} in type map")
                self.type_map[old] = new

    def map_types(self, sequence: AnnotatedSequence) -> AnnotatedSequence:
        """Return the sequence with renamed and selected mentions; its labels do not change."""
        renamed = (
            mention.with_type(self.type_map.get(mention.type, mention.type))
            for mention in sequence.mentions
        )
        return sequence.with_mentions([mention for mention in renamed if self._keeps(mention.type)])

    def _keeps(self, type_: str) -> bool:
        return type_ not in self.remove_types and (not self.keep_types or type_ in self.keep_types)


def modify_types(
    docs: list[list[AnnotatedSequence]],
    keep_types: set[str],
    remove_types: set[str],
    type_map: dict[str, list[str]],
) -> list[list[AnnotatedSequence]]:
    """Apply a :class:`TypeMapper` to all documents."""
    mapper = TypeMapper(keep_types, remove_types, type_map)
    return [[mapper.map_types(sequence) for sequence in doc] for doc in docs]
