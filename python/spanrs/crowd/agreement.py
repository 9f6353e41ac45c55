"""Agreement between annotators."""

from __future__ import annotations

import bisect
import itertools
import json
import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.crowd.reading import crowd_corpus
from spanrs.errors import ModelError, SpanrsWarning
from spanrs.eval import score
from spanrs.io import atomic_output
from spanrs.report.table import Table, as_text

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

NAN = float("nan")
#: Maximum number of pairs of annotators in a table.
MOST_PAIRS = 100


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of two annotators on the sentences that both labelled."""

    annotators: tuple[str, str]
    sentences: int
    tokens: int
    f1: float
    """F1 of spans, which is symmetric; NaN if labels are not tags, or if there are no spans."""
    f1_by_type: dict[str, float]
    """F1 of each type that at least one of the two annotators used."""
    kappa: float
    """Cohen's kappa of the labels of tokens; NaN if both annotators gave all tokens the same label."""


class Unit(NamedTuple):
    """A span in the concatenation of all tokens."""

    start: int
    end: int
    """Exclusive."""
    type: str


class Agreement:
    """Agreement between all annotators of a corpus.

    Parameters
    ----------
    corpus : CrowdCorpus, or a source that :func:`spanrs.crowd.crowd_corpus` accepts
        The annotations, or their source.

    Attributes
    ----------
    pairs : list of PairAgreement
        Agreement of each pair of annotators with a sentence in common.
    fleiss_kappa : float
        Fleiss' kappa (1971) of the tokens with at least two labels; tokens may have different numbers of labels.
    alpha : float
        Krippendorff's alpha for nominal data on the same labels.
    unitized_alpha : float
        Krippendorff's alpha for unitizing (1995; 2004, section 11.6) of the spans in the concatenation of the sentences
        that all annotators labelled. NaN if there are no such sentences, or if labels are not tags.
    unitized_alpha_by_type : dict of str to float
        Krippendorff's alpha for unitizing for each type.

    Raises
    ------
    spanrs.errors.ModelError
        If no token has labels of two annotators.

    Examples
    --------
    >>> from spanrs.crowd import Agreement, CrowdCorpus
    >>> answers = [{"ann": ["B-PER", "O", "O"], "ben": ["B-PER", "O", "B-PER"]}]
    >>> agreement = Agreement(CrowdCorpus([["Ada", "met", "Bob"]], answers))
    >>> round(agreement.pairs[0].f1, 3), round(agreement.pairs[0].kappa, 3), round(agreement.alpha, 3)
    (0.667, 0.4, 0.444)
    """

    def __init__(self, corpus: Any) -> None:
        corpus = crowd_corpus(corpus)
        self.annotators = list(corpus.annotators)
        counts = corpus.vote_counts()
        counts = counts[counts.sum(axis=1) > 1]
        if not len(counts):
            raise ModelError("no token has labels of two annotators, so there is no agreement to measure")
        self.fleiss_kappa = fleiss_kappa(counts)
        self.alpha = krippendorff_alpha(counts)
        self.pairs = _pairs(corpus)
        self.unitized_alpha, self.unitized_alpha_by_type = _unitized(corpus)
        self._has_spans = corpus.scheme() is not None

    def by_annotator(self) -> dict[str, tuple[float, float]]:
        """Return each annotator's mean F1 and kappa over all pairs, weighted by common tokens; NaN if undefined."""
        means = {}
        for name in self.annotators:
            pairs = [pair for pair in self.pairs if name in pair.annotators]
            means[name] = (
                _mean([(pair.f1, pair.tokens) for pair in pairs]),
                _mean([(pair.kappa, pair.tokens) for pair in pairs]),
            )
        return means

    def by_type(self) -> dict[str, float]:
        """Return the mean F1 of the pairs for each type, weighted by common tokens."""
        types = sorted({name for pair in self.pairs for name in pair.f1_by_type})
        return {
            name: _mean([(pair.f1_by_type.get(name, NAN), pair.tokens) for pair in self.pairs])
            for name in types
        }

    def __repr__(self) -> str:
        return f"<Agreement of {len(self.annotators)} annotators, alpha {self.alpha:.4f}>"

    def _repr_html_(self) -> str:
        # Lazy: only used in notebooks.
        from spanrs.report.notebook import as_fragment

        return as_fragment(self.tables(MOST_PAIRS))

    def tables(self, most_pairs: int | None = None, *, fractions: bool = False) -> list[Table | str]:
        """Return tables of the totals, annotators, types and pairs.

        With ``fractions``, cells are unrounded numbers, F1 is a fraction, and cells of undefined measures are empty.
        """
        percent, number = (_fraction, _fraction) if fractions else (_percent, _number)
        parts: list[Table | str] = []
        whole = Table(["measure", "value"])
        whole.add_row("F1 of spans, mean of pairs", percent(_mean([(p.f1, p.tokens) for p in self.pairs])))
        kappas = [(p.kappa, p.tokens) for p in self.pairs]
        whole.add_row("Cohen's kappa, mean of pairs", number(_mean(kappas)))
        whole.add_row("Fleiss' kappa", number(self.fleiss_kappa))
        whole.add_row("Krippendorff's alpha, tokens", number(self.alpha))
        unitized = number(self.unitized_alpha)
        if not (fractions or self._has_spans):
            unitized = "not defined: labels are not tags"
        elif not (fractions or self.unitized_alpha_by_type):
            unitized = "not defined: no sentence with spans was labelled by all annotators"
        whole.add_row("Krippendorff's alpha, spans", unitized)
        people = Table(["annotator", "F1", "kappa"])
        for name, (f1, kappa) in self.by_annotator().items():
            people.add_row(name, percent(f1), number(kappa))
        parts += [whole, "\n", people]
        types = self.by_type()
        if types:
            table = Table(["type", "F1", "alpha"])
            for name, f1 in types.items():
                of_type = self.unitized_alpha_by_type.get(name)
                table.add_row(name, percent(f1), "" if of_type is None else number(of_type))
            parts += ["\n", table]
        pairs = Table(["annotator 1", "annotator 2", "sentences", "tokens", "F1", "kappa"], left=2)
        shown = self.pairs[:most_pairs]
        for pair in shown:
            pairs.add_row(
                *pair.annotators,
                str(pair.sentences),
                str(pair.tokens),
                percent(pair.f1),
                number(pair.kappa),
            )
        parts += ["\n", pairs]
        if len(shown) < len(self.pairs):
            parts.append(f"and {len(self.pairs) - len(shown)} more pairs; --json lists all pairs")
        return parts

    def text(self) -> str:
        """Return the tables as text."""
        return as_text(self.tables())

    def to_dict(self) -> dict[str, Any]:
        """Return all measures as a dict, with None for NaN."""
        people = self.by_annotator().items()
        return {
            "fleiss_kappa": _known(self.fleiss_kappa),
            "krippendorff_alpha": _known(self.alpha),
            "unitized_alpha": _known(self.unitized_alpha),
            "unitized_alpha_by_type": {
                name: _known(value) for name, value in self.unitized_alpha_by_type.items()
            },
            "annotators": [
                {"annotator": name, "f1": _known(f1), "kappa": _known(kappa)}
                for name, (f1, kappa) in people
            ],
            "types": {name: _known(value) for name, value in self.by_type().items()},
            "pairs": [
                {
                    "annotators": list(pair.annotators),
                    "sentences": pair.sentences,
                    "tokens": pair.tokens,
                    "f1": _known(pair.f1),
                    "f1_by_type": {name: _known(value) for name, value in pair.f1_by_type.items()},
                    "kappa": _known(pair.kappa),
                }
                for pair in self.pairs
            ],
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
            ``f1`` or ``kappa``; by default F1, or kappa if labels are not tags.

        Raises
        ------
        ImportError
            If matplotlib is not installed (``pip install spanrs[plot]``).
        ValueError
            If the measure is unknown, or is F1 although labels are not tags.
        """
        from spanrs.report.plots import heat_map, plot_format

        measure = measure or ("f1" if self._has_spans else "kappa")
        if measure not in ("f1", "kappa"):
            message = f"measure must be f1 or kappa, not {measure!r}"
            raise ValueError(message)
        if measure == "f1" and not self._has_spans:
            raise ValueError("labels are not tags, so F1 of spans is undefined; use measure='kappa'")
        places = {name: at for at, name in enumerate(self.annotators)}
        rows = [[NAN] * len(places) for _ in places]
        for pair in self.pairs:
            a, b = (places[name] for name in pair.annotators)
            rows[a][b] = rows[b][a] = getattr(pair, measure)
        label = "F1 of spans" if measure == "f1" else "Cohen's kappa"
        picture = heat_map(self.annotators, rows, label, plot_format(path))
        with atomic_output(path) as out:
            out.write(picture)


def cohen_kappa(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64], labels: int) -> float:
    """Return Cohen's kappa (1960) of two labellings of the same tokens; NaN if the expected agreement is 1.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.agreement import cohen_kappa
    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2)
    0.5
    """
    import numpy as np

    total = len(first)
    if not total:
        return NAN
    shares = [
        np.bincount(annotator_labels, minlength=labels) / total for annotator_labels in (first, second)
    ]
    expected = float(shares[0] @ shares[1])
    observed = float((first == second).mean())
    return (observed - expected) / (1.0 - expected) if expected < 1.0 else NAN


def fleiss_kappa(counts: npt.NDArray[np.int64]) -> float:
    """Return Fleiss' kappa (1971) from counts of labels (token, label); NaN if there is only one label.

    Tokens may have different numbers of labels: each token has the same weight in the observed agreement, and the
    expected agreement uses the relative frequencies of all labels.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.agreement import fleiss_kappa
    >>> fleiss_kappa(np.array([[3, 0], [0, 3], [3, 0], [0, 3]]))
    1.0
    """
    sizes = counts.sum(axis=1)
    agreed = ((counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))).mean()
    shares = counts.sum(axis=0) / counts.sum()
    expected = float(shares @ shares)
    return float((agreed - expected) / (1.0 - expected)) if expected < 1.0 else NAN


def krippendorff_alpha(counts: npt.NDArray[np.int64]) -> float:
    """Return Krippendorff's alpha for nominal data from counts of labels (token, label), at least two per token.

    The result is NaN if there is only one label.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.agreement import krippendorff_alpha
    >>> round(krippendorff_alpha(np.array([[2, 0], [1, 1], [0, 2]])), 3)
    0.444
    """
    sizes = counts.sum(axis=1)
    total = counts.sum()
    observed = ((sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1)).sum() / total
    sums = counts.sum(axis=0)
    expected = (float(total) ** 2 - float((sums.astype(float) ** 2).sum())) / (float(total) * (total - 1))
    return float(1.0 - observed / expected) if expected > 0 else NAN


def unitized_alpha(units: list[list[Unit]], length: int) -> float:
    """Return Krippendorff's alpha for unitizing (1995) for units of several annotators in ``length`` tokens.

    Disagreement is summed over types, as in Krippendorff (2004, section 11.6). The result is NaN if there are no units.

    Parameters
    ----------
    units : list of lists of Unit
        The units of each annotator; units of one type do not overlap.
    length : int
        Number of tokens.

    Examples
    --------
    >>> from spanrs.crowd.agreement import Unit, unitized_alpha
    >>> same = [Unit(2, 5, "PER")]
    >>> unitized_alpha([same, same], 20), unitized_alpha([same, [Unit(10, 13, "PER")]], 20) < 0
    (1.0, True)
    """
    observed = expected = 0.0
    for name in sorted({unit.type for annotator_units in units for unit in annotator_units}):
        sections = [
            _Sections([unit for unit in annotator_units if unit.type == name], length)
            for annotator_units in units
        ]
        observed += _observed(sections, length)
        expected += _expected(sections, length)
    return 1.0 - observed / expected if expected > 0 else NAN


class _Sections:
    """The units of one type by one annotator, and the gaps between them."""

    def __init__(self, units: list[Unit], length: int) -> None:
        self.units = sorted((unit.start, unit.end) for unit in units)
        self.starts = [start for start, _ in self.units]
        ends = [0, *(end for _, end in self.units)]
        starts = [*self.starts, length]
        self.gaps = [start - end for end, start in zip(ends, starts, strict=True) if start > end]

    def disagreement(self, start: int, end: int) -> float:
        """Return the disagreement between these sections and a unit by another annotator."""
        at = bisect.bisect_right(self.starts, start)
        # The previous unit may overlap the given unit.
        at -= at > 0 and self.units[at - 1][1] > start
        total, overlaps = 0.0, False
        while at < len(self.units) and self.units[at][0] < end:
            other = self.units[at]
            total += (start - other[0]) ** 2 + (end - other[1]) ** 2
            overlaps = True
            at += 1
        # A unit within a gap contributes its squared length.
        return total if overlaps else float((end - start) ** 2)


def _observed(sections: list[_Sections], length: int) -> float:
    """Return the observed disagreement of one type."""
    total = 0.0
    for first, second in itertools.permutations(sections, 2):
        # A unit within a gap of the other annotator contributes in both orders of the pair.
        for start, end in first.units:
            total += second.disagreement(start, end)
        for start, end in second.units:
            if not _overlaps(first, start, end):
                total += float((end - start) ** 2)
    return total / (len(sections) * (len(sections) - 1) * length**2)


def _overlaps(sections: _Sections, start: int, end: int) -> bool:
    at = bisect.bisect_right(sections.starts, start)
    before = at > 0 and sections.units[at - 1][1] > start
    return before or (at < len(sections.units) and sections.units[at][0] < end)


def _expected(sections: list[_Sections], length: int) -> float:
    """Return the expected disagreement of one type for randomly placed units."""
    lengths = [end - start for annotator in sections for start, end in annotator.units]
    gaps = sorted(gap for annotator in sections for gap in annotator.gaps)
    # Item n is the total length of the n longest gaps.
    sums = [0, *itertools.accumulate(reversed(gaps))]
    total = 0.0
    for size in lengths:
        longer = len(gaps) - bisect.bisect_left(gaps, size)
        total += (len(lengths) - 1) / 3 * (2 * size**3 - 3 * size**2 + size)
        total += size**2 * (sums[longer] - longer * (size - 1))
    raters = len(sections) * length
    places = raters * (raters - 1) - sum(size * (size - 1) for size in lengths)
    return 2.0 / length * total / places if places > 0 else 0.0


class _Answers(NamedTuple):
    """The labels of one annotator in all sentences that the annotator labelled."""

    sentences: npt.NDArray[np.int64]
    """Indices of the sentences, ascending."""
    lengths: npt.NDArray[np.int64]
    """Number of tokens of each sentence."""
    labels: npt.NDArray[np.int64]
    """Labels of all tokens of these sentences."""

    def of(self, sentences: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the labels of the tokens of some of the sentences."""
        import numpy as np

        chosen = np.isin(self.sentences, sentences, assume_unique=True)
        return self.labels[np.repeat(chosen, self.lengths)]


def _answers(corpus: CrowdCorpus) -> list[_Answers]:
    import numpy as np

    votes, lengths, numbers = corpus.ordered_votes()
    ordered = sorted(corpus.annotations, key=lambda annotation: annotation.annotator)
    sentences = np.array([annotation.sentence for annotation in ordered], dtype=np.int64)
    ends, tokens = np.cumsum(numbers), np.cumsum([0, *lengths])
    places = [(end - number, end) for number, end in zip(numbers, ends, strict=True)]
    return [
        _Answers(sentences[start:end], lengths[start:end], votes.label[tokens[start] : tokens[end]])
        for start, end in places
    ]


def _pairs(corpus: CrowdCorpus) -> list[PairAgreement]:
    import numpy as np

    names, answers, pairs = corpus.annotators, _answers(corpus), []
    scheme = corpus.scheme()
    for first, second in itertools.combinations(range(len(names)), 2):
        left, right = answers[first], answers[second]
        common = np.intersect1d(left.sentences, right.sentences, assume_unique=True)
        if not len(common):
            continue
        labels = left.of(common), right.of(common)
        f1, by_type = NAN, dict[str, float]()
        if scheme is not None:
            lengths = left.lengths[np.isin(left.sentences, common, assume_unique=True)]
            f1, by_type = _span_f1(corpus, labels, lengths, scheme)
        kappa = cohen_kappa(*labels, len(corpus.labels))
        pair = names[first], names[second]
        pairs.append(PairAgreement(pair, len(common), len(labels[0]), f1, by_type, kappa))
    return pairs


def _span_f1(
    corpus: CrowdCorpus,
    labels: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    lengths: npt.NDArray[np.int64],
    scheme: str,
) -> tuple[float, dict[str, float]]:
    with warnings.catch_warnings():
        # Tags may be illegal, and annotators may have no spans.
        warnings.simplefilter("ignore", SpanrsWarning)
        result = score(*labels, scheme=scheme, vocabulary=corpus.labels, lengths=lengths)
    f1 = result.micro.f1 if any(result.totals) else NAN
    return f1, {name: scores.f1 for name, scores in result.per_type.items()}


def _unitized(corpus: CrowdCorpus) -> tuple[float, dict[str, float]]:
    """Return Krippendorff's alpha of all spans, and of each type, over the sentences that all annotators labelled."""
    from spanrs import tags

    scheme = corpus.scheme()
    active = sorted({annotation.annotator for annotation in corpus.annotations})
    if scheme is None or len(active) < 2:
        return NAN, {}
    place = {annotator: at for at, annotator in enumerate(active)}
    whole = [
        everyone
        for _, group in itertools.groupby(corpus.annotations, key=lambda annotation: annotation.sentence)
        if len(everyone := list(group)) == len(active)
    ]
    named = [
        [corpus.labels[label] for label in annotation.labels]
        for everyone in whole
        for annotation in everyone
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        spans = iter(tags.tags_to_spans(named, scheme) if named else [])
    lines: list[list[Unit]] = [[] for _ in active]
    length = 0
    for everyone in whole:
        for annotation in everyone:
            lines[place[annotation.annotator]] += [
                Unit(length + span.start, length + span.end, span.type) for span in next(spans)
            ]
        length += len(everyone[0].labels)
    if not length:
        return NAN, {}
    by_type: dict[str, float] = {}
    for name in sorted({unit.type for line in lines for unit in line}):
        by_type[name] = unitized_alpha(
            [[unit for unit in line if unit.type == name] for line in lines], length
        )
    return unitized_alpha(lines, length), by_type


def _mean(values: list[tuple[float, int]]) -> float:
    """Return the weighted mean of the values that are not NaN."""
    finite = [(value, weight) for value, weight in values if not math.isnan(value)]
    total = sum(weight for _, weight in finite)
    return sum(value * weight for value, weight in finite) / total if total else NAN


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _fraction(value: float) -> str:
    return "" if math.isnan(value) else str(value)


def _number(value: float) -> str:
    return "not defined" if math.isnan(value) else f"{value:.3f}"


def _percent(value: float) -> str:
    return "not defined" if math.isnan(value) else f"{100 * value:.2f}"
