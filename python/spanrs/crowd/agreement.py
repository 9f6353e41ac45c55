"""Agreement between annotators."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanrs.crowd.agreement_input import POSITIONS, Project, read_project
from spanrs.crowd.agreement_measures import (
    NAN,
    PAIR,
    TYPE,
    WHOLE,
    AnnotatorAgreement,
    DocumentAgreement,
    Intervals,
    Measures,
    PairAgreement,
    TypeAgreement,
)
from spanrs.crowd.agreement_tables import tables
from spanrs.crowd.gamma import Gamma, GammaOptions, measure_gamma
from spanrs.errors import LimitError, ModelError, as_integer, with_code
from spanrs.eval.paired import Interval
from spanrs.io import atomic_output
from spanrs.report.table import Table, as_text
from spanrs.threads import thread_count

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

#: Measures that :meth:`Agreement.plot` can draw.
PLOTTED = PAIR
#: Maximum number of pairs of annotators whose intervals are computed.
MOST_PAIR_INTERVALS = 2000
#: Fraction of resamples in which a measure must be defined for its interval to be reported.
LEAST_DEFINED = 0.5


class Agreement(Measures):
    """Agreement between the annotators of a project. Returned by :func:`spanrs.agreement`.

    A measure is NaN, printed as "undefined", if there is nothing to measure.

    Attributes
    ----------
    annotators, types : list of str
        Names of all annotators and types.
    positions : str
        ``tokens`` or ``characters``: what kappa, alpha, and lengths of units count.
    compared, alone, unseen : int
        Number of documents that several annotators, one annotator, and no annotator saw.
    f1, overlap_f1, untyped_f1, kappa : float
        Means over pairs of annotators, weighted by the number of common positions, as in :class:`PairAgreement`.
    fleiss_kappa : float
        Fleiss' kappa (1971); positions may have different numbers of labels.
    alpha : float
        Krippendorff's alpha for nominal data.
    unitized_alpha : float
        Krippendorff's alpha for unitizing (1995; 2004, section 11.6). Every document is a continuum.
    gamma : float
        Gamma; NaN unless requested.
    gamma_samples : int or None
        Number of random continua of each document; None unless gamma was requested.
    pairs : list of PairAgreement
        Pairs of annotators with a document in common.
    by_annotator, by_type, by_document : list
        :class:`AnnotatorAgreement` of each annotator, :class:`TypeAgreement` of each type, and
        :class:`DocumentAgreement` of each document that several annotators saw, in the order of the source.
    intervals : mapping of str to (float, float) or None
        Interval of each measure of all annotators.
    level : float
        Level of the intervals.
    samples : int
        Number of resamples.
    """

    def __init__(
        self,
        project: Project,
        *,
        samples: int,
        level: float,
        seed: int,
        threads: int,
        progress: Callable[[int], object] | None,
    ) -> None:
        if not isinstance(project, Project):
            raise TypeError("Agreement is returned by spanrs.agreement(source); call this function instead")
        values = project.compiled.values()
        self.annotators = project.annotators
        self.positions = project.positions
        self.compared, self.alone, self.unseen = values["seen"]
        if not self.compared:
            raise ModelError("no document was seen by two annotators, so there is no agreement to measure")
        self.types: list[str] = values["types"]
        self.has_spans = project.has_spans
        self.joined_units: int = values["joined"]
        self.level, self.samples, self.seed = level, samples if self.compared > 1 else 0, seed
        bounds = _Bounds(self, project, len(values["pairs"]), threads, progress)
        self.f1, self.overlap_f1, self.untyped_f1, self.kappa = values["whole"][: len(PAIR)]
        self.fleiss_kappa, self.alpha, self.unitized_alpha = values["whole"][len(PAIR) :]
        self.intervals = bounds.take(WHOLE)
        self.pairs = [
            PairAgreement(
                tuple(self.annotators[at] for at in pair["annotators"]),
                pair["documents"],
                pair["positions"],
                **_named(PAIR, pair["values"]),
                f1_by_type={self.types[number]: f1 for number, f1 in pair["types"]},
                intervals=bounds.take(PAIR) if bounds.has_pairs else {},
            )
            for pair in values["pairs"]
        ]
        measured = {at: (measures, bounds.take(PAIR)) for at, measures in enumerate(values["annotators"])}
        nothing: tuple[list[float], Intervals] = ([NAN] * len(PAIR), {})
        self.by_annotator = [
            AnnotatorAgreement(name, **_named(PAIR, measures), intervals=intervals)
            for at, name in enumerate(self.annotators)
            for measures, intervals in [measured.get(at, nothing)]
        ]
        self.by_type = [
            TypeAgreement(name, **_named(TYPE, measures), intervals=bounds.take(TYPE))
            for name, measures in zip(self.types, values["by_type"], strict=True)
        ]
        self.by_type.sort(key=lambda row: row.type)
        self.gamma, self.gamma_samples = NAN, None
        self.by_document = [
            DocumentAgreement(
                project.labels[index], index, annotators, positions, **_named(WHOLE, measures)
            )
            for index, annotators, positions, measures in values["documents"]
        ]
        if project.gamma is not None:
            self._add_gamma(project, [pair["annotators"] for pair in values["pairs"]], threads, progress)
        if project.sorts_annotators:
            self.annotators = sorted(self.annotators)
            self.by_annotator.sort(key=lambda row: row.annotator)
            self.pairs = [replace(pair, annotators=_sorted(pair.annotators)) for pair in self.pairs]
            self.pairs.sort(key=lambda pair: pair.annotators)

    def _add_gamma(
        self,
        project: Project,
        pairs: Sequence[tuple[int, int]],
        threads: int,
        progress: Callable[[int], object] | None,
    ) -> None:
        """Compute gamma of the project, of documents, pairs and types."""
        assert project.gamma is not None
        options, done = project.gamma.checked(self.seed, threads), self.samples

        def measured(**part: Any) -> Gamma:
            nonlocal done
            before, last = done, 0

            def report(number: int) -> None:
                nonlocal last
                last = number
                if progress is not None:
                    progress(before + number)

            result = measure_gamma(project.compiled, options, progress=report, **part)
            done = before + last
            return result

        try:
            whole = measured()
        except LimitError as error:
            if error.sentence is None:
                raise
            document = self.by_document[error.sentence].document
            message = f"gamma of document {document}: {error}"
            raise with_code(LimitError(message), error.code) from None
        self.gamma, self.gamma_samples = whole.gamma, whole.samples
        self.intervals = {**self.intervals, "gamma": _gamma_interval(whole, self)}
        self.by_document = [
            replace(row, gamma=document.gamma)
            for row, document in zip(self.by_document, whole.documents, strict=True)
        ]
        self.pairs = [
            replace(row, gamma=measured(pair=pair).gamma)
            for row, pair in zip(self.pairs, pairs, strict=True)
        ]
        numbers = {name: at for at, name in enumerate(self.types)}
        self.by_type = [replace(row, gamma=measured(ty=numbers[row.type]).gamma) for row in self.by_type]

    def interval(self, measure: str) -> Interval | None:
        """Return the interval of a measure of all annotators; None if undefined."""
        return self.intervals.get(measure)

    def __repr__(self) -> str:
        return f"<Agreement of {len(self.annotators)} annotators, alpha {self.alpha:.4f}>"

    def _repr_html_(self) -> str:
        # Lazy: only used in notebooks.
        from spanrs.report.notebook import as_fragment

        return as_fragment(self.tables())

    def tables(self, *, fractions: bool = False) -> list[Table | str]:
        """Return tables of all annotators, each annotator, types, pairs, and the documents with the lowest F1.

        With ``fractions``, cells are unrounded numbers, F1 is a fraction, cells of undefined measures are empty, and
        all pairs and documents are listed.
        """
        return tables(self, fractions=fractions)

    def text(self) -> str:
        """Return the tables as text."""
        return as_text(self.tables())

    def to_dict(self) -> dict[str, Any]:
        """Return all measures as a dict, with None for NaN."""
        return {
            "positions": self.positions,
            "documents": {"compared": self.compared, "alone": self.alone, "unseen": self.unseen},
            "samples": self.samples,
            "level": self.level,
            **{name: _none_for_nan(getattr(self, name)) for name in (*WHOLE, "gamma")},
            "gamma_samples": self.gamma_samples,
            "intervals": self.intervals,
            "annotators": [_record(row) for row in self.by_annotator],
            "types": [_record(row) for row in self.by_type],
            "pairs": [_record(row) for row in self.pairs],
            "by_document": [_record(row) for row in self.by_document],
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self, path: str | PathLike[str], measure: str | None = None) -> None:
        """Draw a heat map of all pairs, as PNG, SVG or PDF depending on the file name.

        Parameters
        ----------
        path : path
            The file to write.
        measure : str, optional
            ``f1``, ``overlap_f1``, ``untyped_f1`` or ``kappa``; by default F1, or kappa if labels are not tags.

        Raises
        ------
        ImportError
            If matplotlib is not installed (``pip install spanrs[plot]``).
        ValueError
            If the measure is unknown, or is F1 although labels are not tags.
        """
        from spanrs.report.plots import heat_map, plot_format

        measure = measure or ("f1" if self.has_spans else "kappa")
        if measure not in PLOTTED:
            message = f"measure must be one of {', '.join(PLOTTED)}, not {measure!r}"
            raise ValueError(message)
        if measure != "kappa" and not self.has_spans:
            raise ValueError("labels are not tags, so F1 of spans is undefined; use measure='kappa'")
        places = {name: at for at, name in enumerate(self.annotators)}
        rows = [[NAN] * len(places) for _ in places]
        for pair in self.pairs:
            a, b = (places[name] for name in pair.annotators)
            rows[a][b] = rows[b][a] = getattr(pair, measure)
        label = "Cohen's kappa" if measure == "kappa" else "F1 of spans"
        picture = heat_map(self.annotators, rows, label, plot_format(path))
        with atomic_output(path) as out:
            out.write(picture)


class _Bounds:
    """Limits of the intervals, in the order of the compiled module."""

    def __init__(
        self,
        agreement: Agreement,
        project: Project,
        pairs: int,
        threads: int,
        progress: Callable[[int], object] | None,
    ) -> None:
        self.has_pairs = pairs <= MOST_PAIR_INTERVALS
        self._at = 0
        self._limits: npt.NDArray[np.float64] | None = None
        if agreement.samples:
            values = project.compiled.resample(
                agreement.samples, agreement.seed, threads, self.has_pairs, progress
            )
            self._limits = _limits(values, agreement.level)

    def take(self, names: Sequence[str]) -> Intervals:
        """Return the intervals of the next measures."""
        if self._limits is None:
            return {}
        first = self._at
        self._at += len(names)
        rows = self._limits[:, first : self._at].T.tolist()
        return {
            name: None if math.isnan(low) else Interval(low, high)
            for name, (low, high) in zip(names, rows, strict=True)
        }


def _gamma_interval(gamma: Gamma, agreement: Agreement) -> Interval | None:
    """Return the percentile interval of gamma for resampled documents, given their disorders."""
    import numpy as np

    rows = np.array([(row.observed, row.expected, row.weight) for row in gamma.documents])
    rows = np.nan_to_num(rows)
    if not agreement.samples:
        return None
    rng = np.random.default_rng(agreement.seed)
    values = np.empty((agreement.samples, 1), dtype=np.float32)
    for at in range(agreement.samples):
        drawn = rows[rng.integers(len(rows), size=len(rows))]
        observed, expected = drawn[:, :2].T @ drawn[:, 2]
        values[at] = 1 - observed / expected if expected > 0 else NAN
    low, high = _limits(values, agreement.level)[:, 0].tolist()
    return None if math.isnan(low) else Interval(low, high)


def _limits(values: npt.NDArray[np.float32], level: float) -> npt.NDArray[np.float64]:
    """Return percentiles of each column, an array (2, columns); NaN if most of its values are NaN."""
    import numpy as np

    ordered = np.sort(values, axis=0)  # NaN is last.
    defined = (~np.isnan(values)).sum(axis=0)
    columns = np.arange(values.shape[1])
    limits = np.full((2, values.shape[1]), NAN)
    for row, share in enumerate(((1 - level) / 2, (1 + level) / 2)):
        place = share * np.maximum(defined - 1, 0)
        low = np.floor(place).astype(np.int64)
        high = np.minimum(low + 1, np.maximum(defined - 1, 0))
        part = place - low
        limits[row] = (1 - part) * ordered[low, columns] + part * ordered[high, columns]
    limits[:, defined < LEAST_DEFINED * len(values)] = NAN
    return limits


def agreement(
    source: Any,
    *,
    annotators: Sequence[str] | None = None,
    positions: str = "tokens",
    gamma: bool | GammaOptions = False,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Agreement:
    r"""Measure the agreement of the annotators of a project.

    Annotators are compared on the documents that both saw. Overlapping, nested and discontinuous spans count: F1
    compares all spans, and the label of a token or character is the set of the types of the spans that cover it.

    Parameters
    ----------
    source : CrowdCorpus, Corpus, or a source that :func:`spanrs.crowd.crowd_corpus` accepts
        An export with several annotators, or a list of sources or a mapping from names to sources, one for each
        annotator, or columns or a table in long form. Documents are paired by id, otherwise by text, otherwise by
        order. Empty documents are compared; documents that an annotator skipped or never opened are left out of the
        comparisons of that annotator.
    annotators : sequence of str, optional
        Names of the sources or columns, or the annotators of an export to compare; by default all.
    positions : str
        ``tokens`` or ``characters``: the positions of kappa and alpha, and the unit of lengths in alpha for unitizing.
        Text is split by the tokens of the document, or a tokenizer; a token has the types of the spans that overlap it.
        F1 always compares characters, or tokens for sources without text.
    gamma : bool or GammaOptions
        Whether to compute gamma, which aligns the units of all annotators (Mathet, Widlöcher and Métivier 2015); it
        takes longer than all other measures.
    samples : int
        Number of bootstrap resamples of the documents for the intervals; 0 computes no intervals.
    level : float
        Level of the percentile intervals.
    seed : int
        Random seed of the resamples. Results do not depend on the number of threads.
    threads : int, optional
        Number of threads; None and 0 mean one for each processor.
    progress : callable, optional
        Called with the number of finished resamples and, for gamma, random documents. It may raise an exception to stop
        the computation.

    Returns
    -------
    Agreement

    Raises
    ------
    spanrs.errors.ModelError
        If no document was seen by two annotators.
    spanrs.errors.LimitError
        If gamma is requested, and a document has too many possible alignments.
    spanrs.errors.FormatError, spanrs.errors.AlignmentError
        As :func:`spanrs.crowd.crowd_corpus`.
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Measures: F1 of pairs; Cohen 1960; Fleiss 1971; Krippendorff 2004, "Content Analysis", chapter 11. For alpha for
    unitizing, overlapping spans of one type by one annotator are joined, and holes of discontinuous spans are filled.
    In documents with m annotators, disagreement is divided by m - 1, as in alpha for nominal data with missing values.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.io import Annotation, Document
    >>> text = "Ada met Bob in Oslo"
    >>> ann = Document(text, [("PER", 0, 3), ("PER", 8, 11), ("LOC", 15, 19)], "1")
    >>> ben = Document(text, [("PER", 0, 3), ("PER", 4, 11), ("LOC", 15, 19)], "1")
    >>> result = spanrs.agreement({"ann": [ann], "ben": [ben]})
    >>> round(result.f1, 3), result.overlap_f1, round(result.kappa, 3)
    (0.667, 1.0, 0.688)
    """
    if positions not in POSITIONS:
        message = f"positions must be {' or '.join(POSITIONS)}, not {positions!r}"
        raise ValueError(message)
    number = as_integer(samples, "samples", 0)
    if not 0.0 < level < 1.0:
        message = f"level must be between 0 and 1, not {level!r}"
        raise ValueError(message)
    options = GammaOptions() if gamma is True else (gamma or None)
    if not (options is None or isinstance(options, GammaOptions)):
        message = f"gamma must be a bool or GammaOptions, not {gamma!r}"
        raise TypeError(message)
    return Agreement(
        read_project(source, annotators, positions, options),
        samples=number,
        level=level,
        seed=as_integer(seed, "seed", 0),
        threads=thread_count(threads),
        progress=progress,
    )


def _sorted(names: tuple[str, str]) -> tuple[str, str]:
    first, second = sorted(names)
    return first, second


def _named(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    return dict(zip(names, values, strict=True))


def _record(row: Any) -> dict[str, Any]:
    return {name: _plain(value) for name, value in vars(row).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return list(value) if isinstance(value, tuple) else _none_for_nan(value)


def _none_for_nan(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
