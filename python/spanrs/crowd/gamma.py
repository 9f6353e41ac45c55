"""The agreement measure gamma for units of several annotators."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.errors import as_integer, as_number
from spanrs.threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: The units of each annotator: annotator -> (type, start, end).
_Document = Mapping[Any, "Iterable[tuple[Any, int, int]]"]
#: The units of each annotator as (start, end, number of the type), by name of the annotator, and the length.
_Numbered = tuple[dict[Any, list[tuple[int, int, int]]], int]


@dataclass(frozen=True)
class DocumentGamma:
    """Agreement of the annotators of a document; NaN without units or with fewer than two annotators."""

    gamma: float
    observed: float
    """Disorder of the best alignment."""
    expected: float
    """Mean disorder of the best alignments of the random continua."""


@dataclass(frozen=True)
class Gamma:
    """Agreement of the annotators of a project."""

    gamma: float
    """``1 - observed / expected``, at most 1; NaN if the expected disorder is 0 or undefined."""
    observed: float
    """Mean of the disorders of the documents, weighted by the mean numbers of units per annotator."""
    expected: float
    """Mean of the expected disorders, with the same weights."""
    expected_error: float
    """Standard error of the expected disorder; NaN for one sample."""
    samples: int
    """Number of random continua of each document."""
    documents: tuple[DocumentGamma, ...]
    """Agreement in each document, in the given order."""
    pairs: dict[tuple[Any, Any], float]
    """Gamma of each pair of annotators with a document in common, if requested."""


def gamma(
    documents: Sequence[_Document],
    *,
    lengths: Sequence[int] | None = None,
    samples: int | None = None,
    precision: float = 0.02,
    seed: int = 0,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
    sampler: str = "shuffle",
    pairs: bool = False,
    threads: int | None = None,
) -> Gamma:
    """Compute gamma, which measures the agreement on both the positions and the types of units.

    Units may overlap, and each annotator may have any number of units. The units of all annotators are aligned such
    that the disorder, the mean dissimilarity of aligned units, is smallest; gamma compares this observed disorder with
    the mean disorder of random documents. The alignment is exact.

    Parameters
    ----------
    documents : sequence of mappings
        For each document, the units of each annotator who saw it, as triples (type, start, end) with positions from 0
        and exclusive ends. An annotator who marked nothing has an empty list.
    lengths : sequence of int, optional
        Number of positions of each document; by default the largest end of its units.
    samples : int, optional
        Number of random continua of each document. By default 30, then as many as `precision` requires.
    precision : float
        Relative error of the expected disorder at 95 % confidence, if `samples` is not given.
    seed : int
        Seed of the random continua; the same seed gives the same result for any number of threads.
    alpha, beta : float
        Weights of the positional dissimilarity, ``((|s1 - s2| + |e1 - e2|) / (length1 + length2)) ** 2``, and of the
        categorical dissimilarity, which is 1 for different types.
    delta_empty : float
        Dissimilarity of a unit and no unit; the unit of all dissimilarities.
    sampler : {"shuffle", "statistical"}
        How random continua are drawn: by shifting the units of random annotators, as in the paper, or from normal
        distributions of the lengths and gaps of units, as pygamma-agreement does by default.
    pairs : bool
        Whether to compute gamma for each pair of annotators as well.
    threads : int, optional
        Number of threads; by default one for each processor.

    Returns
    -------
    Gamma
        Gamma and the disorders of the project and of each document.

    Raises
    ------
    TypeError
        If a document is not a mapping, or if a position is not an integer.
    ValueError
        If a unit is empty or exceeds its document, or if an option has an invalid value.
    spanrs.errors.LimitError
        If a document has too many possible alignments, as with many annotators whose units are all close together.

    Notes
    -----
    For several documents both disorders are means over the documents, weighted by the mean number of units per
    annotator; for one document this is the definition of the paper. Documents without units or with fewer than two
    annotators are skipped. The problem is NP-hard for three and more annotators; it is solved by dynamic programming
    with bounds, in time that is usually proportional to the number of units.

    References
    ----------
    Mathet, Widlöcher and Métivier 2015, "The unified and holistic method gamma (γ) for inter-annotator agreement
    measure and alignment", Computational Linguistics 41(3).

    Examples
    --------
    >>> from spanrs.crowd.gamma import gamma
    >>> ann = [("PER", 0, 2), ("LOC", 5, 8)]
    >>> ben = [("PER", 0, 2), ("LOC", 6, 8)]
    >>> result = gamma([{"ann": ann, "ben": ben}], lengths=[20])
    >>> round(result.observed, 3), result.gamma > 0.9
    (0.02, True)
    >>> gamma([{"ann": ann, "ben": ann}]).gamma
    1.0
    """
    numbered = _numbered(documents, lengths)
    options = {
        "alpha": as_number(alpha, "alpha"),
        "beta": as_number(beta, "beta"),
        "delta_empty": as_number(delta_empty, "delta_empty"),
        "samples": None if samples is None else as_integer(samples, "samples", 1),
        "precision": as_number(precision, "precision"),
        "seed": as_integer(seed, "seed", 0),
        "sampler": sampler,
        "threads": thread_count(threads),
    }
    total, observed, expected, error, drawn, by_document = _measure(numbered, options)
    return Gamma(
        gamma=total,
        observed=observed,
        expected=expected,
        expected_error=error,
        samples=drawn,
        documents=tuple(DocumentGamma(*disorders) for disorders in by_document),
        pairs=_pairs(numbered, options) if pairs else {},
    )


def _numbered(documents: Sequence[_Document], lengths: Sequence[int] | None) -> list[_Numbered]:
    """Check documents, number their types, and sort annotators by name, so that their order does not matter."""
    if lengths is not None and len(lengths) != len(documents):
        message = (
            f"there are {len(documents)} documents, but {len(lengths)} lengths; give one for each document"
        )
        raise ValueError(message)
    numbers: dict[Any, int] = {}
    result = []
    for at, document in enumerate(documents):
        if not isinstance(document, Mapping):
            message = f"document {at} is {type(document).__name__}, but must be a mapping from annotators to units"
            raise TypeError(message)
        by_annotator = {}
        for name in sorted(document, key=str):
            place = f"document {at}, annotator {name!r}"
            by_annotator[name] = [
                _unit(unit, f"{place}, unit {n}", numbers) for n, unit in enumerate(document[name])
            ]
        if lengths is None:
            ends = (end for units in by_annotator.values() for _, end, _ in units)
            length = max(ends, default=0)
        else:
            length = as_integer(lengths[at], f"the length of document {at}", 0)
        result.append((by_annotator, length))
    return result


def _unit(unit: tuple[Any, int, int], place: str, numbers: dict[Any, int]) -> tuple[int, int, int]:
    try:
        type_, start, end = unit
    except (TypeError, ValueError):
        message = f"{place} must be a triple (type, start, end), not {unit!r}"
        raise ValueError(message) from None
    number = numbers.setdefault(type_, len(numbers))
    return as_integer(start, f"{place}: start", 0), as_integer(end, f"{place}: end", 0), number


def _measure(
    documents: list[_Numbered], options: dict[str, Any]
) -> tuple[float, float, float, float, int, list[tuple[float, float, float]]]:
    return _spanrs.gamma([(list(units.values()), length) for units, length in documents], options)


def _pairs(documents: list[_Numbered], options: dict[str, Any]) -> dict[tuple[Any, Any], float]:
    """Return gamma for each pair of annotators, over the documents that both saw."""
    common: dict[tuple[Any, Any], list[_Numbered]] = {}
    for units, length in documents:
        for first, second in itertools.combinations(units, 2):
            both = {first: units[first], second: units[second]}
            common.setdefault((first, second), []).append((both, length))
    return {names: _measure(shared, options)[0] for names, shared in common.items()}
