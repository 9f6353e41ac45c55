"""Comparison of systems that were trained with several random seeds: a test over seeds and documents.

The variance of the difference between the means of two systems has three parts: the seeds of either system, and the
documents. Results of different seeds on the same documents are correlated, so the variance over documents of a mean
over seeds does not vanish with more seeds: it is the covariance between seeds. This is the analysis of Obuchowski and
Rockette (1995) for readers and cases, with seeds as readers that are nested in systems, and the degrees of freedom of
Hillis (2014, "A marginal-mean ANOVA approach for analyzing multireader multicase radiological imaging data").
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.eval.paired import Interval

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

#: Minimum number of seeds per system for a p-value: two values say too little about their deviation.
MIN_SEEDS = 3
#: Differences in variance below this share of the largest value are rounding errors.
ROUNDING = 1e-12


class Estimate(NamedTuple):
    """A mean or a difference of means, with its variance."""

    value: float
    """The estimate."""
    variance: float
    """Variance over seeds and documents; NaN if the deviation over seeds is unknown."""
    degrees_of_freedom: float
    """Degrees of freedom; infinite if all seeds give the same value."""

    def p_value(self) -> float:
        """Return the two-sided p-value of the hypothesis that the true value is 0.

        NaN if the variance is unknown, or is 0 although the value is not, as for a type in one document.
        """
        if math.isnan(self.variance) or math.isnan(self.value):
            return math.nan
        if self.variance <= 0:
            return 1.0 if abs(self.value) <= ROUNDING else math.nan
        return student_p(self.value / math.sqrt(self.variance), self.degrees_of_freedom)

    def interval(self, level: float) -> Interval:
        """Return the confidence interval; NaN if the variance is unknown."""
        if math.isnan(self.variance) or math.isnan(self.value):
            return Interval(math.nan, math.nan)
        half = student_quantile(level, self.degrees_of_freedom) * math.sqrt(max(self.variance, 0.0))
        return Interval(self.value - half, self.value + half)


def mean_of_seeds(values: Array, resampled: Array, min_seeds: int = 2) -> Estimate:
    """Estimate the mean of a system over seeds and documents.

    Parameters
    ----------
    values : ndarray, shape (seeds,)
        The measure for each seed.
    resampled : ndarray, shape (samples, seeds)
        The measure in resamples of the documents, which are the same for all seeds.
    min_seeds : int
        With fewer seeds the variance is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.eval.seeds import mean_of_seeds
    >>> resampled = np.array([[0.7, 0.8, 0.9], [0.75, 0.85, 0.95]])
    >>> estimate = mean_of_seeds(np.array([0.7, 0.8, 0.9]), resampled)
    >>> round(estimate.value, 3), round(estimate.variance, 6)
    (0.8, 0.004583)
    """
    of_seeds = _seed_variance(values, min_seeds)
    return _estimate(float(values.mean()), [of_seeds], max(_mean_covariance(resampled, resampled), 0.0))


def difference_of_seeds(
    a: tuple[Array, Array], b: tuple[Array, Array], min_seeds: int = MIN_SEEDS
) -> Estimate:
    """Estimate the difference between the means of two systems over seeds and documents.

    Parameters
    ----------
    a, b : pair of ndarray
        Values and resampled values of each system, as for :func:`mean_of_seeds`; the documents of a resample are the
        same for both.
    min_seeds : int
        With fewer seeds of either system the variance is NaN.
    """
    (values_a, resampled_a), (values_b, resampled_b) = a, b
    covariances = _mean_covariance(resampled_a, resampled_a) + _mean_covariance(resampled_b, resampled_b)
    documents = max(covariances - 2 * _mean_covariance(resampled_a, resampled_b), 0.0)
    variances = [_seed_variance(values_a, min_seeds), _seed_variance(values_b, min_seeds)]
    return _estimate(float(values_a.mean() - values_b.mean()), variances, documents)


def _seed_variance(values: Array, min_seeds: int) -> tuple[float, int]:
    """Return the variance of the mean over seeds, and its degrees of freedom."""
    if len(values) < min_seeds:
        return math.nan, 0
    return float(values.var(ddof=1)) / len(values), len(values) - 1


def _estimate(value: float, variances: list[tuple[float, int]], documents: float) -> Estimate:
    """Combine the variances of seeds and documents.

    The degrees of freedom are those of Satterthwaite, for the variances of seeds alone: there are many documents.
    """
    variance = sum(of_seeds for of_seeds, _ in variances) + documents
    uncertainty = sum(of_seeds**2 / freedom for of_seeds, freedom in variances if of_seeds > ROUNDING**2)
    return Estimate(value, variance, variance**2 / uncertainty if uncertainty else math.inf)


def _mean_covariance(resampled_a: Array, resampled_b: Array) -> float:
    """Return the mean covariance over documents between different seeds; for one seed, its variance."""
    import numpy as np

    defined = ~(np.isnan(resampled_a).any(axis=1) | np.isnan(resampled_b).any(axis=1))
    a, b = resampled_a[defined], resampled_b[defined]
    if len(a) < 2:
        return 0.0
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    product = a.sum(axis=1) @ b.sum(axis=1)
    pairs = a.shape[1] * b.shape[1]
    if resampled_a is resampled_b and a.shape[1] > 1:
        product -= (a * a).sum()
        pairs -= a.shape[1]
    return float(product / pairs / (len(a) - 1))


def student_p(t: float, degrees_of_freedom: float) -> float:
    """Return the two-sided p-value of Student's t.

    Examples
    --------
    >>> from spanrs.eval.seeds import student_p
    >>> round(student_p(2.776445, 4), 6)
    0.05
    """
    if math.isinf(degrees_of_freedom):
        return math.erfc(abs(t) / math.sqrt(2))
    return _incomplete_beta(degrees_of_freedom / 2, 0.5, degrees_of_freedom / (degrees_of_freedom + t * t))


def student_quantile(level: float, degrees_of_freedom: float) -> float:
    """Return the t that a share of ``level`` of the absolute values does not exceed.

    Examples
    --------
    >>> from spanrs.eval.seeds import student_quantile
    >>> round(student_quantile(0.95, 4), 4)
    2.7764
    """
    low, high = 0.0, math.inf
    t = NormalDist().inv_cdf((1 + level) / 2)
    # Newton's method; a step that leaves the known interval is replaced.
    for _ in range(100):
        excess = student_p(t, degrees_of_freedom) - (1 - level)
        low, high = (t, high) if excess > 0 else (low, t)
        step = excess / (2 * _student_density(t, degrees_of_freedom))
        if not low < t + step < high:
            step = (2 * t if math.isinf(high) else (low + high) / 2) - t
        t += step
        if abs(step) <= 1e-12 * t:
            break
    return t


def _student_density(t: float, degrees_of_freedom: float) -> float:
    if math.isinf(degrees_of_freedom):
        return NormalDist().pdf(t)
    half = (degrees_of_freedom + 1) / 2
    log = (
        math.lgamma(half)
        - math.lgamma(degrees_of_freedom / 2)
        - half * math.log1p(t * t / degrees_of_freedom)
    )
    return math.exp(log) / math.sqrt(degrees_of_freedom * math.pi)


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function by its continued fraction (Abramowitz and Stegun 26.5.8)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    # From the last coefficient to the first; the number that is needed grows like the square root of the larger one.
    fraction = 1.0
    for step in range(40 + int(4 * math.sqrt(max(a, b))), 0, -1):
        half, is_odd = divmod(step, 2)
        if is_odd:
            coefficient = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            coefficient = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        fraction = 1 + coefficient / fraction
    return front / (a * fraction)
