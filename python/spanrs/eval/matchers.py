"""Matchers and their options."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs.eval.arguments import is_number
from spanrs.eval.characters import FIELDS as CHARACTERS_FIELDS
from spanrs.eval.characters import Characters
from spanrs.eval.criterion import Criterion
from spanrs.eval.fair_weights import PAPER, Weights, as_weights, phrase
from spanrs.eval.matcher import Matcher, Term, as_type_names, listed
from spanrs.eval.stored import ANY, NONE, check_stored
from spanrs.eval.strings import Strings
from spanrs.io.sentences import DUMMIES

#: Sides to whose type an error between types can be attributed.
FOCUSES = ("gold", "pred")
MATCHINGS = ("greedy", "optimal")
#: Types excluded from fair matching by default: FairEval's placeholder types.
EXCLUDED = DUMMIES


@dataclass(frozen=True)
class Partial(Matcher):
    """Partial matching: overlapping spans are paired and judged under four criteria.

    A pair is correct under ``strict`` if bounds and types are equal, under ``bounds`` if bounds are equal, under
    ``overlap`` if bounds are equal (other pairs receive half the credit), and under ``type`` if types are equal. For
    the measures of a type, only spans of this type are paired: a gold span that is predicted with another type is
    missed for the gold type and spurious for the pred type.

    Parameters
    ----------
    matching : str
        ``greedy``: each pred span in turn is paired with the first available gold span, as in nervaluate 1.2.1.
        ``optimal``: the pairs with the largest total credit, regardless of the order of the spans.
    min_overlap : float
        Minimum overlap as a fraction of the gold span, from 0 to 1; 0 means one shared token.

    Raises
    ------
    ValueError
        If ``matching`` is unknown, or ``min_overlap`` is not between 0 and 1.

    Examples
    --------
    >>> import spanrs
    >>> gold, pred = [[("PER", 0, 2), ("LOC", 3, 5)]], [[("PER", 0, 1), ("ORG", 3, 5)]]
    >>> result = spanrs.score(gold, pred, matcher=spanrs.Partial(matching="optimal"))
    >>> [result[name].micro.f1 for name in ("strict", "bounds", "overlap", "type")]
    [0.0, 0.5, 0.75, 0.5]
    """

    name: str = field(default="partial", init=False)
    matching: str = "greedy"
    min_overlap: float = 0.0

    def __post_init__(self) -> None:
        if self.matching not in MATCHINGS:
            raise ValueError(f"unknown matching {self.matching!r}; expected one of {', '.join(MATCHINGS)}")
        if not is_number(self.min_overlap):
            raise TypeError(
                f"min_overlap must be a number from 0 to 1, not {type(self.min_overlap).__name__}"
            )
        # NumPy scalars are not JSON numbers.
        object.__setattr__(self, "min_overlap", float(self.min_overlap))
        if not 0.0 <= self.min_overlap <= 1.0:
            raise ValueError(
                f"min_overlap must be a fraction of the gold span, from 0 to 1, not {self.min_overlap}"
            )

    def options(self) -> dict[str, Any]:
        """Return the options for the compiled module."""
        return {
            "name": self.name,
            "min_overlap": 100.0 * self.min_overlap,
            "optimal": self.matching == "optimal",
        }

    def settings(self) -> dict[str, str]:
        """Return the settings of the matcher, for signatures."""
        return super().settings() | {
            "matching": self.matching,
            "min_overlap": repr(self.min_overlap).removesuffix(".0"),
        }


@dataclass(frozen=True)
class Fair(Matcher):
    """Fair matching: every error is counted once, as labelling error, boundary error, both, or unmatched span.

    Criteria: ``fair`` (a near miss is half a false positive and half a false negative), ``weighted`` (errors are
    weighted by ``weights``), ``traditional`` (a near miss is a false positive and a false negative).

    Parameters
    ----------
    weights : str or mapping
        Weights of each kind of error as TP, FP and FN under ``weighted``: ``paper`` (suggested in the paper:
        boundary errors are half right), ``default`` (same as ``fair``), formulas such as
        ``"LE = 0.5 FP + 0.5 FN, BE = 0.5 TP + 0.5 FN"``, or ``{"LE": {"FP": 0.5, "FN": 0.5}, ...}``.
    focus : str
        Side (``gold`` or ``pred``) to whose type errors between types are attributed in per-type measures.
    types : collection of str, optional
        Types to score; all by default.
    exclude : collection of str
        Types to exclude; replaces the default ``NONE`` and ``EMPTY``.

    Raises
    ------
    TypeError, ValueError
        For invalid weights, an unknown focus, or a single str as types.

    Notes
    -----
    Source: Ortmann, Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans, LREC 2022. The order of matching
    and the handling of ties follow FairEval.

    Examples
    --------
    >>> import spanrs
    >>> gold, pred = [["B-PER", "I-PER"]], [["B-PER", "O"]]
    >>> result = spanrs.score(gold, pred, matcher=spanrs.Fair(weights="BES = 0.9 TP + 0.1 FN"))
    >>> result["weighted"].micro.recall
    0.9
    """

    name: str = field(default="fair", init=False)
    weights: str | Weights = "paper"
    focus: str = "gold"
    types: Collection[str] | None = None
    exclude: Collection[str] = EXCLUDED
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {"be": ("bes", "bel", "beo")}
    columns: ClassVar[tuple[str, ...] | None] = ("tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo")
    unconfused: ClassVar[tuple[str, ...]] = ("tp",)

    def __post_init__(self) -> None:
        if self.focus not in FOCUSES:
            raise ValueError(f"unknown focus {self.focus!r}; expected one of {', '.join(FOCUSES)}")
        object.__setattr__(self, "weights", as_weights(self.weights))
        object.__setattr__(self, "types", as_type_names("types", self.types))
        object.__setattr__(self, "exclude", as_type_names("exclude", self.exclude))

    def __hash__(self) -> int:
        return hash((self.focus, self.types, self.exclude, phrase(self.error_weights)))

    @property
    def error_weights(self) -> Weights:
        """The weights as a mapping."""
        return PAPER if isinstance(self.weights, str) else self.weights

    @property
    def criterion(self) -> str:
        """The default criterion, whose measures are those of the result."""
        return "fair"

    @property
    def axis(self) -> str:
        """Side to whose type errors between types are attributed: the focus."""
        return self.focus

    def terms(self, criterion: Criterion) -> list[Term] | None:
        """Return outcome weights that replace those of the criterion, or None to keep them."""
        if criterion.name != "weighted":
            return None
        # The terms keep the order of the weights, because sums of fractions depend on the order.
        terms = []
        for kind, parts in self.error_weights.items():
            names = self.groups.get(kind.lower(), (kind.lower(),))
            tp, fp, fn = (float(parts.get(part, 0)) for part in ("TP", "FP", "FN"))
            terms.append(([criterion.outcomes.index(name) for name in names], (tp, fp, fn)))
        return terms

    def filter(self) -> dict[str, Collection[str] | None]:
        """Return the types to count for the compiled module: ``keep`` (None for all) and ``exclude``."""
        return {"keep": self.types, "exclude": self.exclude}

    def settings(self) -> dict[str, str]:
        """Return the settings of the matcher, for signatures."""
        settings = super().settings() | {"focus": self.focus, "weights": phrase(self.error_weights)}
        if self.types is not None:
            settings["types"] = listed(self.types)
        if self.exclude:
            settings["exclude"] = listed(self.exclude)
        return settings


@dataclass(frozen=True)
class Unregistered(Matcher):
    """A stored matcher whose package is not imported; its options are kept unchanged."""

    given: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the stored options."""
        return {"name": self.name} | dict(self.given)


_MAKERS: dict[str, tuple[Callable[..., Matcher], Mapping[str, Any]]] = {
    "characters": (Characters, CHARACTERS_FIELDS),
    "strings": (Strings, {"counting": str, "normalization": str, "within": str}),
    "partial": (Partial, {"matching": str, "min_overlap": (int, float)}),
    "fair": (
        Fair,
        {"weights": {ANY: {ANY: (int, float)}}, "focus": str, "types": (NONE, [str]), "exclude": [str]},
    ),
}


def register(name: str, make: Callable[..., Matcher], fields: Mapping[str, Any]) -> None:
    """Register a matcher of another package for :func:`from_dict`; ``fields`` gives the types for ``check_stored``."""
    _MAKERS[name] = make, fields


#: Functions that score the documents of two corpora, by matcher name.
_DOCUMENT_SCORERS: dict[str, Callable[..., Any]] = {}


def register_documents(name: str, score: Callable[..., Any]) -> None:
    """Register the function that scores documents for a matcher that needs texts.

    Parameters
    ----------
    name : str
        Name of the matcher.
    score : callable
        Called with the corpora and the options of :func:`spanrs.score`; returns a result.
    """
    _DOCUMENT_SCORERS[name] = score


def document_scorer(matcher: Matcher) -> Callable[..., Any] | None:
    """Return the function that scores documents for a matcher that needs texts; None for other matchers."""
    return _DOCUMENT_SCORERS.get(matcher.name)


def as_matcher(matcher: str | Matcher, *, of_texts: bool = False) -> Matcher:
    """Return a matcher by its name, with default options.

    Parameters
    ----------
    matcher : str or Matcher
        The matcher.
    of_texts : bool
        Whether to accept matchers that need texts.

    Raises
    ------
    TypeError, ValueError
        For other values.
    """
    names = [*_spanrs.matchers(), *(_DOCUMENT_SCORERS if of_texts else ())]
    if isinstance(matcher, Matcher):
        if type(matcher) is Matcher and matcher.name in _MAKERS and matcher.name in names:
            return from_dict({"name": matcher.name})
        if matcher.name not in names:
            raise TypeError(
                f"the {matcher.name} matcher compares texts; pass files or spanrs.io.Document objects to spanrs.score"
            )
        return matcher
    if not isinstance(matcher, str):
        raise TypeError(
            f"matcher must be a name or an object such as spanrs.Fair(), not {type(matcher).__name__}"
        )
    if matcher not in names:
        advice = "; pass spanrs.mat.Mat()" if matcher == "mat" else ""
        documented = ", ".join(name for name in names if name == "exact" or name in _MAKERS)
        raise ValueError(f"unknown matcher {matcher!r}; expected one of {documented}{advice}")
    return from_dict({"name": matcher})


def from_dict(options: Mapping[str, Any]) -> Matcher:
    """Return the matcher from the result of :meth:`Matcher.to_dict`; :class:`Unregistered` for an unknown name."""
    fields = dict(options)
    name = fields.pop("name")
    if name in _MAKERS:
        return _MAKERS[name][0](**fields)
    return Unregistered(name, fields) if fields else Matcher(name)


def from_stored(options: dict[str, Any]) -> Matcher:
    """Return the matcher from stored options.

    Raises
    ------
    TypeError, LookupError, ValueError
        For unknown fields, and fields with wrong types or invalid values.
    """
    name = options["name"]
    check_stored(name, str, "matcher: name")
    if name in _MAKERS:
        check_stored(options, {"name": str, **_MAKERS[name][1]}, f"matcher {name}")
    else:
        # Options of unregistered matchers are not checked.
        json.dumps(options, allow_nan=False)
    return from_dict(options)
