"""Confidence intervals by resampling documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

from spanrs._spanrs import Systems
from spanrs.caching import cached_property
from spanrs.errors import as_integer
from spanrs.eval.arguments import is_iterable
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.measures import Measure, Ratio, f1_measures

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Kinds of bootstrap intervals.
METHODS = ("percentile", "bca")


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Values of measures over resampled corpora (Efron 1979).

    Attributes
    ----------
    measures : list of Measure or Ratio
        The measures, one per column.
    values : array of float, shape (samples, measures)
        Resampled values; NaN if a type does not occur in a resample.
    estimates : array of float, shape (measures,)
        Values for the corpus itself.
    """

    measures: list[Measure | Ratio]
    values: npt.NDArray[np.float64]
    estimates: npt.NDArray[np.float64]
    _systems: Systems = field(repr=False)
    _compiled: list[dict[str, Any]] = field(repr=False)

    @cached_property
    def _jackknife(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
        return self._systems.jackknife(self._compiled)

    def interval(
        self, measure: Measure | Ratio, level: float = 0.95, method: str = "percentile"
    ) -> tuple[float, float]:
        """Return the confidence interval of a measure.

        Parameters
        ----------
        measure : Measure or Ratio
            One of the resampled measures.
        level : float
            Confidence level, between 0 and 1.
        method : str
            ``percentile``, or ``bca``: bias-corrected and accelerated (Efron 1987), which requires an additional
            evaluation for each distinct document.

        Returns
        -------
        (float, float)
            Lower and upper bound. NaN under ``bca`` if the interval is undefined, because all resampled values lie on
            one side of the estimate.

        Raises
        ------
        TypeError
            If ``measure`` is not a Measure or Ratio, for example its title.
        ValueError
            For a measure that was not resampled, an unknown method, or a level that is not between 0 and 1.

        Examples
        --------
        >>> import spanrs
        >>> from spanrs.eval import Measure
        >>> gold, pred = [["B-A"]] * 4, [["B-A"]] * 2 + [["O"]] * 2
        >>> result = spanrs.score(gold, pred, by=[1] * 4)
        >>> recall = Measure("recall")
        >>> low, high = result.bootstrap([recall], samples=100).interval(recall)
        >>> 0 <= low <= 0.5 <= high <= 1
        True
        """
        import numpy as np

        check_level(level)
        if method not in METHODS:
            raise ValueError(f"unknown method {method!r}; expected one of {', '.join(METHODS)}")
        if not isinstance(measure, (Measure, Ratio)):
            raise TypeError(f"measure must be a spanrs.eval.Measure or Ratio, not {measure!r}")
        if measure not in self.measures:
            titles = ", ".join(resampled.title for resampled in self.measures)
            raise ValueError(f"{measure.title} was not resampled; expected one of {titles}")
        at = self.measures.index(measure)
        values = self.values[:, at]
        values = values[~np.isnan(values)]
        tails = [(1 - level) / 2, (1 + level) / 2]
        if not len(values):
            return math.nan, math.nan
        if method == "bca" and values.min() < values.max():
            bias = _bias(values, float(self.estimates[at]))
            acceleration = _acceleration(*self._omissions(at))
            tails = [_adjusted(tail, bias, acceleration) for tail in tails]
        if any(map(math.isnan, tails)):
            return math.nan, math.nan
        low, high = np.quantile(values, tails)
        return float(low), float(high)

    def _omissions(self, at: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the jackknife values of a measure without each group of equal documents, and the group sizes."""
        import numpy as np

        sizes, values = self._jackknife
        column = values[:, 0, at]
        defined = ~np.isnan(column)
        return column[defined], sizes[defined].astype(float)


def _bias(values: npt.NDArray[np.float64], estimate: float) -> float:
    """Return the bias correction z0 (Efron 1987, equation 4.1); ties are counted as one half."""
    from statistics import NormalDist

    share = ((values < estimate).mean() + (values <= estimate).mean()) / 2
    return NormalDist().inv_cdf(share) if 0 < share < 1 else math.nan


def _acceleration(values: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64]) -> float:
    """Return the acceleration from the jackknife values (Efron 1987, equation 7.3)."""
    if not sizes.sum():
        return math.nan
    deviations = (values * sizes).sum() / sizes.sum() - values
    squares = float((sizes * deviations**2).sum())
    return float((sizes * deviations**3).sum()) / (6 * squares**1.5) if squares else 0.0


def _adjusted(tail: float, bias: float, acceleration: float) -> float:
    """Return the tail probability of the BCa interval that replaces ``tail`` of the percentile interval."""
    if math.isnan(bias) or math.isnan(acceleration):
        return math.nan
    from statistics import NormalDist

    normal = NormalDist()
    z = bias + normal.inv_cdf(tail)
    return normal.cdf(bias + z / (1 - acceleration * z))


def bootstrap(
    result: Evaluation,
    measures: Measure | Ratio | Sequence[Measure | Ratio] | None = None,
    *,
    samples: int = 10_000,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Bootstrap:
    """Resample the documents of a result; see :meth:`spanrs.Result.bootstrap`."""
    if len(result.counts) < 2:
        raise ValueError(
            "resampling needs at least two documents; score with by='document' or by='sentence'"
        )
    check_numbers(samples, seed, threads)
    if result.document_weights is not None:
        raise ValueError("resampling does not support document weights; use the result without weights")
    if isinstance(measures, (Measure, Ratio)):
        measures = [measures]
    wanted = check_measures(f1_measures(list(result.per_type)) if measures is None else measures)
    compiled = [measure.compiled(result.matcher) for measure in wanted]
    systems = Systems([result.counts], ["the result"])
    values = systems.bootstrap(compiled, samples, seed, threads, progress)[:, 0]
    return Bootstrap(wanted, values, result.counts.measures(compiled), systems, compiled)


def check_numbers(samples: int, seed: int, threads: int) -> None:
    """Raise an error for numbers out of range."""
    for name, value, least in (("samples", samples, 1), ("threads", threads, 1), ("seed", seed, 0)):
        as_integer(value, name, least)


def check_level(level: Any) -> None:
    """Raise an error for a confidence level that is not between 0 and 1."""
    if not isinstance(level, Real):
        raise TypeError(f"level must be between 0 and 1, not {type(level).__name__}")
    if not 0 < float(level) < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")


def check_measures(measures: Any) -> list[Measure | Ratio]:
    """Return measures as a list; raise an error for other values."""
    if not is_iterable(measures):
        raise TypeError(f"measures must be spanrs.eval.Measure or Ratio, not {type(measures).__name__}")
    checked: list[Measure | Ratio] = list(measures)
    if not checked:
        raise ValueError(
            "measures is empty; pass at least one, or omit it for micro F1, macro F1 and F1 of each type"
        )
    for measure in checked:
        if not isinstance(measure, (Measure, Ratio)):
            raise TypeError(f"measures must be spanrs.eval.Measure or Ratio, not {type(measure).__name__}")
    return checked
