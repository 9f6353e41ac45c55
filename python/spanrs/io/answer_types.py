"""Resolution of the type names in answers to the types of a schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from spanrs.io.answer_options import OTHER, AnswerOptions

#: Usual names of the types of CoNLL 2003; used only if gold has the short type and not the name itself.
USUAL = {
    "person": "PER",
    "people": "PER",
    "organization": "ORG",
    "organisation": "ORG",
    "location": "LOC",
    "miscellaneous": "MISC",
}
#: Type of mentions without a type.
UNTYPED = "(untyped)"


class TypeNames:
    """Resolves type names in answers to the types of the schema, and counts unknown names.

    Parameters
    ----------
    options : AnswerOptions
        ``types``, ``type_names`` and ``off_schema``.
    types : collection of str, optional
        The types of gold, used if the options have no types.

    Examples
    --------
    >>> from spanrs.io import AnswerOptions
    >>> from spanrs.io.answer_types import TypeNames
    >>> names = TypeNames(AnswerOptions(), ["PER", "LOC"])
    >>> names.resolve("person"), names.resolve("loc"), names.resolve("Date")
    ('PER', 'LOC', 'Date')
    >>> names.off_schema, names.notes()
    (1, ['types of answers read as types of the schema: person as PER, loc as LOC'])
    """

    def __init__(self, options: AnswerOptions, types: Collection[str] | None = None) -> None:
        schema = types if options.types is None else options.types
        #: The types of the schema; None if there is no schema.
        self.types = None if schema is None else tuple(sorted(schema))
        self._policy = options.off_schema
        self._given: Mapping[str, str] = options.type_names
        self._known = set(self.types or ())
        #: Number of mentions of other types.
        self.off_schema = 0
        self._others: Counter[str] = Counter()
        self._assumed: dict[str, str] = {}
        self._folded: dict[str, str] = {}
        for ty in sorted(self._known, reverse=True):
            self._folded[ty.casefold()] = ty

    def resolve(self, name: str | None) -> str | None:
        """Return the type that counts for a name; None if the mention is dropped."""
        if name is None:
            # The schema has a single type.
            name = self.types[0] if self.types is not None and len(self.types) == 1 else UNTYPED
        name = self._given.get(name, name)
        if self.types is None or name in self._known:
            return name
        ty = self._folded.get(name.strip().casefold())
        if ty is None and USUAL.get(name.strip().casefold()) in self._known:
            ty = USUAL[name.strip().casefold()]
        if ty is not None:
            self._assumed[name] = ty
            return ty
        self.off_schema += 1
        self._others[name] += 1
        return {"keep": name, "drop": None, "count": OTHER}[self._policy]

    def notes(self) -> list[str]:
        """Return notes on names that were read as types of the schema."""
        if not self._assumed:
            return []
        pairs = ", ".join(f"{name} as {ty}" for name, ty in self._assumed.items())
        return [f"types of answers read as types of the schema: {pairs}"]

    def warnings(self) -> list[str]:
        """Return a warning about the most frequent names that are not in the schema."""
        if not self._others:
            return []
        shown = ", ".join(f"{name} ({n})" for name, n in self._others.most_common(5))
        more = f" and {len(self._others) - 5} more types" if len(self._others) > 5 else ""
        known = ", ".join((self.types or ())[:10]) or "none"
        return [f"mentions whose types are not in the schema: {shown}{more}; the schema has {known}"]
