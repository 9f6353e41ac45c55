"""Measures of agreement as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spanrs.eval.paired import Interval

NAN = float("nan")
#: Measures of a pair and of an annotator, in the order of the compiled module.
PAIR = ("f1", "overlap_f1", "untyped_f1", "kappa")
#: Measures of all annotators.
WHOLE = (*PAIR, "fleiss_kappa", "alpha", "unitized_alpha")
#: Measures of a type.
TYPE = ("f1", "overlap_f1", "kappa", "alpha", "unitized_alpha")

Intervals = Mapping[str, Interval | None]


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of two annotators on the documents that both saw."""

    annotators: tuple[str, str]
    documents: int
    """Number of common documents."""
    positions: int
    """Number of tokens or characters of these documents."""
    f1: float
    """F1 of equal spans of equal types, which is symmetric; NaN if there are no spans."""
    overlap_f1: float
    """F1 of overlapping spans of equal types."""
    untyped_f1: float
    """F1 of equal spans of any types."""
    kappa: float
    """Cohen's kappa of tokens or characters; NaN if both annotators gave all of them the same label."""
    f1_by_type: Mapping[str, float] = field(default_factory=dict)
    """F1 of each type that at least one of the two annotators used."""
    intervals: Intervals = field(default_factory=dict)
    """By measure; None if undefined."""
    gamma: float = NAN
    """Gamma of the two annotators, if requested."""


@dataclass(frozen=True)
class AnnotatorAgreement:
    """Means over the pairs of an annotator, weighted by common positions; NaN if undefined."""

    annotator: str
    f1: float
    overlap_f1: float
    untyped_f1: float
    kappa: float
    intervals: Intervals = field(default_factory=dict)


@dataclass(frozen=True)
class TypeAgreement:
    """Agreement on one type; NaN if undefined."""

    type: str
    f1: float
    """Mean over pairs, weighted by common positions."""
    overlap_f1: float
    kappa: float
    """Mean of Cohen's kappa of whether a position has the type."""
    alpha: float
    """Krippendorff's alpha of whether a position has the type."""
    unitized_alpha: float
    intervals: Intervals = field(default_factory=dict)
    gamma: float = NAN
    """Gamma of the units of this type, if requested."""


@dataclass(frozen=True)
class DocumentAgreement:
    """Agreement on one document; NaN if undefined."""

    document: str
    """Name or id of the document, or the beginning of its text; the index of a sentence of a column file."""
    index: int
    """Index of the document, from 0."""
    annotators: int
    """Number of annotators who saw the document."""
    positions: int
    """Number of tokens or characters."""
    f1: float
    overlap_f1: float
    untyped_f1: float
    kappa: float
    fleiss_kappa: float
    alpha: float
    unitized_alpha: float
    gamma: float = NAN
    """Gamma, if requested."""


class Measures:
    """The measures of a project; see :class:`spanrs.crowd.Agreement`."""

    annotators: list[str]
    types: list[str]
    positions: str
    has_spans: bool
    compared: int
    alone: int
    unseen: int
    f1: float
    overlap_f1: float
    untyped_f1: float
    kappa: float
    fleiss_kappa: float
    alpha: float
    unitized_alpha: float
    gamma: float
    gamma_samples: int | None
    pairs: list[PairAgreement]
    by_annotator: list[AnnotatorAgreement]
    by_type: list[TypeAgreement]
    by_document: list[DocumentAgreement]
    intervals: Intervals
    level: float
    samples: int
