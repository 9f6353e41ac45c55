"""The base class of matchers, and names in signatures."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, ClassVar, TypeAlias, TypeVar

from spanrs import _spanrs
from spanrs.eval.arguments import is_iterable
from spanrs.eval.counted_text import CountedText
from spanrs.eval.criterion import Criterion

#: (criterion, outcome, gold type, pred type, count)
Cell: TypeAlias = tuple[int, int, str | None, str | None, float]
#: Indices of outcomes, and the weights of their sum as (TP, FP, FN).
Term: TypeAlias = tuple[list[int], tuple[float, float, float]]
#: Matches names that must be quoted in signatures.
QUOTED = re.compile(r'[,=|;"\n]|^\[\]$')


@cache
def criteria(matcher: str) -> Mapping[str, Criterion]:
    """Return the criteria of a matcher by name."""
    return {criterion.name: criterion for criterion in _spanrs.criteria(matcher)}


@cache
def _questions(matcher: str) -> Mapping[str, Criterion]:
    """Return the public criteria of a matcher, without the companion criteria for per-type measures."""
    named = criteria(matcher)
    by_type = {c.per_type for c in named.values() if c.per_type != c.name}
    return {name: c for name, c in named.items() if name != "corpus" and name not in by_type}


@dataclass(frozen=True)
class Matcher:
    """A matcher without options, by name, such as ``exact``."""

    name: str
    #: Outcomes that are sums of other outcomes.
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    #: Outcomes in the order of tables, if this differs from the order of the compiled module.
    columns: ClassVar[tuple[str, ...] | None] = None
    #: Outcomes excluded from the confusion matrix.
    unconfused: ClassVar[tuple[str, ...]] = ()

    @property
    def criteria(self) -> Mapping[str, Criterion]:
        """The criteria by name."""
        return _questions(self.name)

    @property
    def criterion(self) -> str:
        """The default criterion, whose measures are those of the result."""
        return next(iter(self.criteria))

    @property
    def support(self) -> str:
        """The criterion that defines the support of the default criterion."""
        return self.criteria[self.criterion].support

    def shown(self, cells: Sequence[Cell]) -> list[str]:
        """Return the names of the criteria that tables show."""
        del cells
        return list(self.criteria)

    def unscored(self, corpus: Mapping[str, int]) -> dict[str, str]:
        """Return the criteria with undefined measures and the reasons; ``corpus`` contains the corpus totals."""
        del corpus
        return {}

    @property
    def axis(self) -> str | None:
        """Side to whose type errors between types are attributed, or None for the criterion's default."""
        return None

    def terms(self, criterion: Criterion) -> list[Term] | None:
        """Return outcome weights that replace those of the criterion, or None to keep them."""
        del criterion
        return None

    @property
    def needs_texts(self) -> bool:
        """Whether only documents can be scored, because the options are about their texts."""
        return False

    @property
    def changes_spans(self) -> bool:
        """Whether spans are changed before they are compared, which is not possible for tags."""
        return self.needs_texts

    @property
    def unit(self) -> str | None:
        """What is counted, unless the units are spans: the setting ``unit`` of results for tags."""
        return None

    def counted(self, text: str) -> CountedText | None:
        """Return the characters of a text that count, or None if all characters count."""
        del text
        return None

    def renamed(self, spans: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return spans with the types that are compared."""
        return spans

    def options(self) -> dict[str, Any]:
        """Return the options for the compiled module."""
        return {"name": self.name}

    def filter(self) -> dict[str, Collection[str] | None]:
        """Return the types to count for the compiled module: ``keep`` (None for all) and ``exclude``."""
        return {}

    def settings(self) -> dict[str, str]:
        """Return the settings of the matcher, for signatures."""
        return {"matcher": self.name}

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain values for :func:`from_dict`."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }


def listed(names: Iterable[str]) -> str:
    """Join names for a signature; names with special characters are quoted as in JSON."""
    quoted = (
        json.dumps(name, ensure_ascii=False) if QUOTED.search(name) or not name else name for name in names
    )
    return ",".join(quoted) or "[]"


T = TypeVar("T")


def find_criterion(values: Mapping[str, T], name: str, matcher: Matcher) -> T:
    """Look up a criterion by name, or raise a KeyError that lists the criteria."""
    if name not in values:
        raise KeyError(
            f"the {matcher.name} matcher has no criterion {name!r}; expected one of {', '.join(values)}"
        )
    return values[name]


def as_type_names(name: str, given: Collection[str] | None) -> tuple[str, ...] | None:
    """Return given types sorted, or raise a TypeError that names the argument."""
    if isinstance(given, str):
        raise TypeError(f"{name} must be a collection of types, not a str; pass [{given!r}]")
    if given is None:
        return None
    if not is_iterable(given):
        raise TypeError(f"{name} must be a collection of types, not {type(given).__name__}")
    # An iterator can be read only once.
    given = list(given)
    for ty in given:
        if not isinstance(ty, str):
            raise TypeError(f"{name} must contain types as str, not {type(ty).__name__}")
    return tuple(sorted(set(given)))
