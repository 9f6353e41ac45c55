"""Calibration error: how far probabilities are from relative frequencies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanrs._spanrs import CrfSentences
from spanrs.crf.labeller import SequenceLabeller
from spanrs.crf.spans import span_scheme
from spanrs.crf.supervision import check_dev
from spanrs.errors import as_integer
from spanrs.estimator import check_choice
from spanrs.io.training import is_corpus, tagged

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.report.table import Table

#: Log losses are computed with probabilities of at least this distance from 0 and 1, as a single wrong prediction with
#: the rounded probability 1 would make the mean infinite.
_CLIP = 1e-15


@dataclass(frozen=True)
class CalibrationBin:
    """Predictions with similar confidence."""

    lower: float
    """Smallest confidence of the bin."""
    upper: float
    """Largest confidence of the bin."""
    confidence: float
    """Mean confidence of the predictions."""
    accuracy: float
    """Fraction of the predictions that are correct."""
    count: int
    """Number of predictions."""


@dataclass(frozen=True)
class Calibration:
    """Comparison of the confidence of predictions with their accuracy; ``str`` formats it as a table."""

    of: str
    """What is predicted: ``tokens``, ``spans`` or ``sentences``."""
    count: int
    """Number of predictions; if it is 0, all numbers are NaN."""
    confidence: float
    """Mean confidence."""
    accuracy: float
    """Fraction of the predictions that are correct."""
    ece: float
    """Expected calibration error: the mean distance of confidence and accuracy in a bin, weighted by its count."""
    mce: float
    """Maximum calibration error: the largest distance in a bin. Bins with few predictions are noisy."""
    brier: float
    """Brier score: mean squared distance of the confidence from 1 for correct and from 0 for wrong predictions."""
    nll: float
    """Negative log-likelihood per prediction of being correct or wrong, in nats."""
    bins: list[CalibrationBin]
    """Bins that are not empty, in ascending order of confidence."""

    def tables(self) -> list[Table | str]:
        """Return the table of the bins, and a line with the errors."""
        # Lazy: only used to show reports.
        from spanrs.report.table import Table

        table = Table(["confidence", "mean", "accuracy", self.of], title=f"Calibration of {self.of}")
        for item in self.bins:
            mean, right = 100 * item.confidence, 100 * item.accuracy
            bounds = f"{item.lower:.2f} to {item.upper:.2f}"
            table.add_row(bounds, f"{mean:.1f}", f"{right:.1f}", str(item.count))
        table.add_row("all", f"{100 * self.confidence:.1f}", f"{100 * self.accuracy:.1f}", str(self.count))
        errors = f"ECE {100 * self.ece:.2f}  MCE {100 * self.mce:.2f}  Brier {self.brier:.4f}  NLL {self.nll:.4f}"
        return [table, errors]

    def __str__(self) -> str:
        from spanrs.report.table import as_text

        return as_text(self.tables())

    def _repr_html_(self) -> str:
        from spanrs.report.notebook import as_fragment

        return as_fragment(self.tables())


def calibration(
    crf: SequenceLabeller,
    X: Any,
    y: Sequence[Sequence[str]] | None = None,
    bins: int = 10,
    of: str = "tokens",
    *,
    strategy: str = "uniform",
    scheme: str | None = None,
) -> Calibration:
    """Compare the probabilities of predictions with how often the predictions are correct.

    Parameters
    ----------
    crf : CRF
        A fitted estimator.
    X : iterable of sequences, or a corpus
        Same as in :meth:`CRF.fit`; sequences that were used neither in training nor in :meth:`CRF.calibrate`.
    y : sequence of sequences of str
        A gold label for each token; omitted for a corpus.
    bins : int
        Number of bins.
    of : {"tokens", "spans", "sentences"}
        The predictions: the label of each token, with its marginal probability; each predicted span, with the
        probability of exactly this span; or the labelling of each sentence, with its probability.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or with the same number of predictions.
    scheme : str, optional
        For spans, the scheme of the labels; by default the scheme of the model.

    Returns
    -------
    Calibration
        Errors and bins.

    Raises
    ------
    spanrs.errors.AlignmentError
        If X and y, or a sequence and its labels, differ in length.
    spanrs.errors.SchemeError
        For spans, if the labels are not tags of a scheme.

    Notes
    -----
    Source: Naeini, Cooper and Hauskrecht (2015), "Obtaining well calibrated probabilities using Bayesian binning"; Guo
    et al. (2017), "On calibration of modern neural networks".

    Examples
    --------
    >>> from spanrs.crf import CRF, calibration
    >>> X, y = [["Ada", "sleeps"], ["Rio"], ["x"]], [["B-PER", "O"], ["B-LOC"], ["O"]]
    >>> report = calibration(CRF(template="ner", c2=0.1).fit(X, y), X, y, of="sentences")
    >>> report.count, report.accuracy, report.confidence < 1
    (3, 1.0, True)
    """
    check_choice(of, "of", ("tokens", "spans", "sentences"))
    check_choice(strategy, "strategy", ("uniform", "quantile"))
    as_integer(bins, "bins", 1)
    if is_corpus(X):
        X, y = tagged(X)
    if y is None:
        raise TypeError("y is missing; pass the labels of the sequences, or a corpus or path as X")
    X = X if isinstance(X, CrfSentences) else list(X)
    check_dev(X, y)
    if of == "spans":
        scheme = span_scheme(scheme, crf.metadata_.get("scheme"), crf.classes_)
        return _report(of, _spans(crf, X, y, scheme), bins, strategy)
    events = _tokens(crf, X, y) if of == "tokens" else _sentences(crf, X, y)
    return _report(of, events, bins, strategy)


#: Confidence of a prediction, and whether the prediction is correct.
_Events = Iterator[tuple[float, bool]]


def _tokens(crf: SequenceLabeller, X: Any, y: Sequence[Sequence[str]]) -> _Events:
    numbers = {label: at for at, label in enumerate(crf.classes_)}
    for pred, rows, gold in zip(crf.predict(X), crf.predict_proba(X), y, strict=True):
        for label, row, right in zip(pred, rows, gold, strict=True):
            yield row[numbers[label]], label == right


def _spans(crf: SequenceLabeller, X: Any, y: Sequence[Sequence[str]], scheme: str) -> _Events:
    # Lazy: only used for spans.
    from spanrs import tags

    gold = tags.tags_to_spans([list(labels) for labels in y], scheme)
    for pred, spans in zip(crf.predict_spans(X, scheme=scheme), gold, strict=True):
        right = {(span.type, span.start, span.end) for span in spans}
        for span in pred:
            yield span.probability, span[:3] in right


def _sentences(crf: SequenceLabeller, X: Any, y: Sequence[Sequence[str]]) -> _Events:
    for pred, confidence, gold in zip(crf.predict(X), crf.predict_confidence(X), y, strict=True):
        yield confidence, pred == list(gold)


def _report(of: str, events: _Events, bins: int, strategy: str) -> Calibration:
    import numpy as np

    table = np.array(list(events), dtype=float).reshape(-1, 2)
    # Stable, so that the bins of equal confidences are those of the order of the predictions.
    table = table[np.argsort(table[:, 0], kind="stable")]
    confidence, right = table.T
    count = len(table)
    if not count:
        nan = float("nan")
        return Calibration(of, 0, nan, nan, nan, nan, nan, nan, [])
    groups = [_bin(part) for part in np.split(table, _starts(confidence, bins, strategy)) if len(part)]
    gaps = [abs(group.confidence - group.accuracy) for group in groups]
    weights = [group.count for group in groups]
    likely = np.clip(np.where(right > 0, confidence, 1 - confidence), _CLIP, 1)
    return Calibration(
        of,
        count,
        float(confidence.mean()),
        float(right.mean()),
        float(np.average(gaps, weights=weights)),
        max(gaps),
        float(np.mean((confidence - right) ** 2)),
        float(-np.log(likely).mean()),
        groups,
    )


def _starts(confidence: npt.NDArray[np.float64], bins: int, strategy: str) -> npt.NDArray[np.intp]:
    """Return the index of the first prediction of each bin but the first, in ascending confidence."""
    import numpy as np

    if strategy == "quantile":
        return np.arange(1, bins) * len(confidence) // bins
    # A confidence of 1 belongs to the last bin, any other bound to the upper bin.
    return np.searchsorted(confidence, np.arange(1, bins) / bins, side="left")


def _bin(part: npt.NDArray[np.float64]) -> CalibrationBin:
    confidence, right = part.T
    low, high = float(confidence[0]), float(confidence[-1])
    return CalibrationBin(low, high, float(confidence.mean()), float(right.mean()), len(part))
