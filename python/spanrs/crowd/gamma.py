"""The agreement measure gamma for units of several annotators."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import as_integer, as_number
from spanrs.threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The units of each annotator: annotator -> (type, start, end).
_Document = Mapping[Any, "Iterable[tuple[Any, int, int]]"]
#: A span of the compiled module: type, start, end, no pieces.
_Span = tuple[str, int, int, tuple[()]]


@dataclass(frozen=True)
class DocumentGamma:
    """Agreement of the annotators of a document; NaN without units or with fewer than two annotators."""

    gamma: float
    observed: float
    """Disorder of the best alignment."""
    expected: float
    """Mean disorder of the best alignments of the random continua."""
    weight: float
    """Mean number of units per annotator."""


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
    """Agreement in each document that several annotators saw, in the given order."""
    pairs: Mapping[tuple[Any, Any], float] = field(default_factory=dict)
    """Gamma of each pair of annotators with a document in common, if requested."""


class GammaOptions(NamedTuple):
    """Options of gamma.

    Examples
    --------
    >>> from spanrs.crowd import GammaOptions
    >>> GammaOptions(beta=0.0).beta
    0.0
    """

    alpha: float = 1.0
    """Weight of the positional dissimilarity, ``((|s1 - s2| + |e1 - e2|) / (length1 + length2)) ** 2``."""
    beta: float = 1.0
    """Weight of the categorical dissimilarity, which is 1 for different types."""
    delta_empty: float = 1.0
    """Dissimilarity of a unit and no unit; the unit of all dissimilarities."""
    sampler: str = "shuffle"
    """How random documents are drawn: ``shuffle`` shifts the units of random annotators, as in the paper;
    ``statistical`` draws from normal distributions of lengths and gaps, as pygamma-agreement does by default."""
    samples: int | None = None
    """Number of random continua of each document. By default 30, then as many as ``precision`` requires."""
    precision: float = 0.02
    """Relative error of the expected disorder at 95 % confidence, if ``samples`` is not given."""

    def checked(self, seed: int, threads: int) -> dict[str, Any]:
        """Return the options of the compiled module; ranges are checked there.

        Raises
        ------
        TypeError
            If an option is not a number.
        """
        return {
            "alpha": as_number(self.alpha, "alpha"),
            "beta": as_number(self.beta, "beta"),
            "delta_empty": as_number(self.delta_empty, "delta_empty"),
            "samples": None if self.samples is None else as_integer(self.samples, "samples", 1),
            "precision": as_number(self.precision, "precision"),
            "seed": seed,
            "sampler": self.sampler,
            "threads": threads,
        }


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
    options = GammaOptions(alpha, beta, delta_empty, sampler, samples, precision)
    checked = options.checked(as_integer(seed, "seed", 0), thread_count(threads))
    names = _ordered({name for document in _mappings(documents) for name in document})
    numbers = {name: at for at, name in enumerate(names)}
    project = _spanrs.AgreementProject(True)
    spans = [
        {name: _spans(units, f"document {at}, annotator {name!r}") for name, units in document.items()}
        for at, document in enumerate(documents)
    ]
    for at, (answers, length) in enumerate(zip(spans, _lengths(spans, lengths), strict=True)):
        for name, marked in answers.items():
            _check_ends(marked, length, f"document {at}, annotator {name!r}")
        project.add_spans(length, [(numbers[name], marked) for name, marked in answers.items()])
    result = measure_gamma(project, checked)
    if not pairs:
        return result
    common = sorted(
        {pair for document in documents for pair in itertools.combinations(_ordered(document), 2)}, key=str
    )
    of_pairs = {
        (first, second): measure_gamma(project, checked, pair=(numbers[first], numbers[second])).gamma
        for first, second in common
    }
    return replace(result, pairs=of_pairs)


def measure_gamma(
    project: _spanrs.AgreementProject,
    options: dict[str, Any],
    *,
    pair: tuple[int, int] | None = None,
    ty: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Gamma:
    """Return gamma of a compiled project that keeps its units, or of a pair of annotators, or of a type.

    ``options`` are those of :meth:`GammaOptions.checked`.
    """
    values = project.gamma(options, pair, ty, progress)
    documents = tuple(DocumentGamma(*document) for document in values.pop("documents"))
    return Gamma(documents=documents, **values)


def _ordered(names: Iterable[Any]) -> list[Any]:
    return sorted(names, key=str)


def _mappings(documents: Sequence[_Document]) -> Sequence[_Document]:
    for at, document in enumerate(documents):
        if not isinstance(document, Mapping):
            message = f"document {at} is {type(document).__name__}, but must be a mapping from annotators to units"
            raise TypeError(message)
    return documents


def _lengths(
    documents: Sequence[Mapping[Any, Sequence[_Span]]], lengths: Sequence[int] | None
) -> list[int]:
    """Return the length of each document."""
    if lengths is None:
        ends = ((span[2] for spans in answers.values() for span in spans) for answers in documents)
        return [max(of_document, default=0) for of_document in ends]
    if len(lengths) != len(documents):
        message = (
            f"there are {len(documents)} documents, but {len(lengths)} lengths; give one for each document"
        )
        raise ValueError(message)
    return [as_integer(length, f"the length of document {at}", 0) for at, length in enumerate(lengths)]


def _spans(units: Iterable[tuple[Any, int, int]], place: str) -> list[_Span]:
    """Return spans of the compiled module."""
    spans: list[_Span] = []
    for number, unit in enumerate(units):
        where = f"{place}, unit {number}"
        try:
            type_, start, end = unit
        except (TypeError, ValueError):
            message = f"{where} must be a triple (type, start, end), not {unit!r}"
            raise ValueError(message) from None
        start, end = as_integer(start, f"{where}: start", 0), as_integer(end, f"{where}: end", 0)
        if start >= end:
            message = f"{where} is {start}..{end}; units must have a length of at least 1"
            raise ValueError(message)
        spans.append((str(type_), start, end, ()))
    return spans


def _check_ends(spans: Sequence[_Span], length: int, place: str) -> None:
    for number, (_, start, end, _) in enumerate(spans):
        if end > length:
            message = (
                f"{place}, unit {number} is {start}..{end}, but the length of the document is {length}"
            )
            raise ValueError(message)
