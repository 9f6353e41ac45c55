"""The matcher of masks: which characters of gold spans are not covered by pred spans."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from spanrs.caching import cached_property
from spanrs.errors import as_number
from spanrs.eval.arguments import is_iterable
from spanrs.eval.counted_text import CountedText, counted_text, normalised_word
from spanrs.eval.matcher import Matcher, listed
from spanrs.eval.stored import ANY, NONE
from spanrs.eval.type_hierarchy import TypeHierarchy

#: Characters of a text that count.
COUNTS = ("words", "all")
#: Types of the options in stored results.
FIELDS: Mapping[str, Any] = {
    "beta": (int, float),
    "iou_threshold": (int, float),
    "skip": [str],
    "count": str,
    "hierarchy": (NONE, {ANY: str}),
    "level": (NONE, int),
}


@dataclass(frozen=True)
class Characters(Matcher):
    """Masks of personal data: leaked characters, characters with another type, and over-masked characters.

    Criteria: ``characters`` (by type: a character with another type is a false positive and a false negative),
    ``masked`` (regardless of type: what is covered does not leak), ``spans`` (gold spans covered by the pred spans of
    one type together, with at least ``iou_threshold``), ``untyped_spans`` (the same for stretches of covered
    characters, regardless of type). The units are characters for documents and for ``align="characters"``, tokens for
    tags; the setting ``unit`` of the result names them. Overlapping and nested spans count a character once for each
    type.

    Parameters
    ----------
    beta : float
        Weight of recall relative to precision in the F measure of tables and pages, greater than 0. Leaks usually
        weigh more than over-masking.
    iou_threshold : float
        Smallest intersection over union of a gold span and the pred spans that cover it together, greater than 0 and
        at most 1.
    skip : collection of str
        Words of a text that do not count, such as ``["the", "Mr."]``, regardless of case and of punctuation at their
        ends.
    count : str
        Characters of a text that count: ``words`` (no white space, and no punctuation at the ends of words, which
        leak nothing), or ``all``. Without texts, all positions count.
    hierarchy : mapping of str to str, optional
        The parent of each type, such as ``{"GIVEN_NAME": "PERSON", "PERSON": "PII"}``; tables then have rows for
        parents, too.
    level : int, optional
        Level of the hierarchy at which spans are compared: types below are replaced by their ancestors. 0 for the
        roots, 1 for their children. By default, types are compared as they are.

    Raises
    ------
    TypeError, ValueError
        For values out of range, words with white space, a hierarchy with a cycle, or a level without a hierarchy.

    Examples
    --------
    >>> import spanrs
    >>> gold, pred = [[("PER", 0, 10), ("LOC", 15, 20)]], [[("PER", 0, 4), ("PER", 5, 10), ("ORG", 15, 18)]]
    >>> result = spanrs.score(gold, pred, matcher=spanrs.Characters())
    >>> result.outcomes["leaked"], result.outcomes["mistyped"], result["masked"].outcomes["leaked"]
    (3, 3, 3)
    >>> result["spans"].outcomes
    {'match': 1, 'mistyped': 0, 'missed': 1, 'spurious': 1}
    """

    name: str = field(default="characters", init=False)
    beta: float = 2.0
    iou_threshold: float = 0.9
    skip: Collection[str] = ()
    count: str = "words"
    hierarchy: Mapping[str, str] | None = None
    level: int | None = None
    #: Outcomes that tables show first.
    columns: ClassVar[tuple[str, ...] | None] = (
        "match",
        "mistyped",
        "leaked",
        "over_masked",
        "missed",
        "spurious",
        "missed_type",
        "extra_type",
    )

    def __post_init__(self) -> None:
        for name in ("beta", "iou_threshold"):
            # NumPy scalars are not JSON numbers.
            object.__setattr__(self, name, as_number(getattr(self, name), name, above=True))
        if self.iou_threshold > 1.0:
            raise ValueError(
                f"iou_threshold must be greater than 0 and at most 1, not {self.iou_threshold:g}"
            )
        if self.count not in COUNTS:
            raise ValueError(f"unknown count {self.count!r}; expected one of {', '.join(COUNTS)}")
        object.__setattr__(self, "skip", _as_words(self.skip))
        hierarchy = None if self.hierarchy is None else TypeHierarchy(self.hierarchy)
        object.__setattr__(self, "hierarchy", None if hierarchy is None else dict(hierarchy.parents))
        if self.level is not None:
            if hierarchy is None:
                raise ValueError("level= is a level of the hierarchy; pass hierarchy=, too")
            hierarchy.check_level(self.level)

    def __hash__(self) -> int:
        parents = tuple(sorted((self.hierarchy or {}).items()))
        return hash((self.beta, self.iou_threshold, self.skip, self.count, parents, self.level))

    @cached_property
    def types(self) -> TypeHierarchy | None:
        """The hierarchy of types; None without a hierarchy."""
        return None if self.hierarchy is None else TypeHierarchy(self.hierarchy)

    @property
    def needs_texts(self) -> bool:
        """Whether only documents can be scored, because the options are about their texts."""
        return bool(self.skip)

    @property
    def changes_spans(self) -> bool:
        """Whether spans are changed before they are compared, which is not possible for tags."""
        return self.needs_texts or self.level is not None

    @property
    def unit(self) -> str | None:
        """What is counted: the setting ``unit`` of results for tags."""
        return "tokens"

    def counted(self, text: str) -> CountedText | None:
        """Return the characters of a text that count, or None if all characters count."""
        if self.count == "all" and not self.skip:
            return None
        return counted_text(text, tuple(self.skip), self.count)

    def renamed(self, spans: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return spans with the types that are compared: their ancestors at ``level``."""
        types = self.types
        if types is None or self.level is None:
            return spans
        return [(types.at_level(span[0], self.level), *span[1:]) for span in spans]

    def options(self) -> dict[str, Any]:
        """Return the options for the compiled module."""
        return {"name": self.name, "iou_threshold": self.iou_threshold}

    def settings(self) -> dict[str, str]:
        """Return the settings of the matcher, for signatures."""
        settings = super().settings() | {
            "beta": f"{self.beta:g}",
            "iou_threshold": f"{self.iou_threshold:g}",
            "count": self.count,
        }
        if self.skip:
            settings["skip"] = listed(self.skip)
        if self.hierarchy is not None:
            pairs = sorted(self.hierarchy.items())
            settings["hierarchy"] = ",".join(f"{listed([old])}={listed([new])}" for old, new in pairs)
        if self.level is not None:
            settings["level"] = str(self.level)
        return settings


def _as_words(skip: Collection[str]) -> tuple[str, ...]:
    """Return the words to skip, normalised and sorted."""
    if isinstance(skip, str) or not is_iterable(skip):
        shown = f"a str; pass [{skip!r}]" if isinstance(skip, str) else type(skip).__name__
        raise TypeError(f"skip must be a collection of words, not {shown}")
    words = set()
    for word in skip:
        if not isinstance(word, str):
            raise TypeError(f"skip must contain words as str, not {type(word).__name__}")
        if len(word.split()) != 1:
            raise ValueError(f"skip must contain single words, not {word!r}")
        words.add(normalised_word(word))
    return tuple(sorted(words))
