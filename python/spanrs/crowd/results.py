"""Results of experiments: tables, JSON, t-tests, plots."""

from __future__ import annotations

import json
import statistics
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from spanrs.io import atomic_output
from spanrs.report.table import Table, as_text

if TYPE_CHECKING:
    from os import PathLike

#: Default reference of significance tests.
REFERENCE = "CRF-MA"


@dataclass(frozen=True)
class PRF:
    """Precision, recall and F1 as fractions; all three are token accuracy if labels are not tags."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class MethodResult:
    """Result of one method on one corpus."""

    method: str
    repetition: int
    """Index of the repetition, from 0."""
    truth: PRF
    """Scores of the estimated truth of the training sentences."""
    test: PRF | None
    """Scores on the test sentences of a CRF trained on the estimated truth; None if there is no test set."""
    reliability_rmse: float | None
    """Root mean squared error of the reliability of annotators; None for the CRF trained on gold."""
    seconds: float
    """Seconds to estimate the truth."""


class Experiment:
    """Results of methods over repetitions.

    Parameters
    ----------
    results : list of MethodResult
        Results of all methods and repetitions.
    facts : dict
        Facts about the experiment, for JSON.
    reference : str
        Method with which all other methods are compared by a paired t-test over the repetitions.

    Examples
    --------
    >>> from spanrs.crowd.results import PRF, Experiment, MethodResult
    >>> half = PRF(0.5, 0.5, 0.5)
    >>> experiment = Experiment([MethodResult("MVtoken", 0, half, None, 0.1, 1.0)], {})
    >>> print(experiment.text())
    method    truth P   truth R   truth F1   reliability RMSE   seconds
    ───────────────────────────────────────────────────────────────────
    MVtoken     50.00     50.00      50.00              10.00       1.0
    """

    def __init__(
        self, results: list[MethodResult], facts: dict[str, Any], reference: str = REFERENCE
    ) -> None:
        self.results = results
        self.facts = facts
        self.reference = reference

    @property
    def methods(self) -> list[str]:
        """Names of the methods, in the order in which they were run."""
        return list(dict.fromkeys(result.method for result in self.results))

    @property
    def repetitions(self) -> int:
        """Number of repetitions."""
        return len({result.repetition for result in self.results})

    def values(self, method: str, part: str, measure: str = "f1") -> list[float]:
        """Return the values of a measure by repetition; ``part`` is ``truth`` or ``test``."""
        parts = (getattr(result, part) for result in self.results if result.method == method)
        return [getattr(prf, measure) for prf in parts if prf is not None]

    def p_value(self, method: str, part: str) -> float | None:
        """Return the p-value of the two-sided paired t-test of F1 against the reference.

        Returns None for the reference itself, without results of the reference, and for fewer than two repetitions.

        Raises
        ------
        ImportError
            If SciPy is not installed (``pip install spanrs[stats]``).
        """
        values, reference = self.values(method, part), self.values(self.reference, part)
        if method == self.reference or len(values) != len(reference) or len(values) < 2:
            return None
        differences = [a - b for a, b in zip(values, reference, strict=True)]
        if max(differences) - min(differences) < 1e-12:
            # The standard deviation, by which the t-test divides, is 0.
            return 1.0 if abs(differences[0]) < 1e-12 else 0.0
        try:
            from scipy.stats import ttest_rel
        except ImportError as error:
            raise ImportError("a paired t-test needs scipy; pip install 'spanrs[stats]'") from error
        return float(ttest_rel(values, reference).pvalue)

    def table(self, *, p_values: bool = True) -> Table:
        """Return a table of methods: means over repetitions in per cent, with standard deviations of F1."""
        parts = ["truth"] + ["test"] * any(result.test is not None for result in self.results)
        several = self.repetitions > 1
        tested = several and p_values and self.reference in self.methods
        heads = ["method"]
        for part in parts:
            heads += [f"{part} P", f"{part} R", f"{part} F1"]
            heads += [f"p vs {self.reference}"] * tested
        table = Table([*heads, "reliability RMSE", "seconds"])
        for method in self.methods:
            cells = []
            for part in parts:
                for measure in ("precision", "recall", "f1"):
                    values = self.values(method, part, measure)
                    cell = f"{100 * statistics.mean(values):.2f}"
                    if len(values) > 1 and measure == "f1":
                        cell += f" ±{100 * statistics.stdev(values):.2f}"
                    cells.append(cell)
                if tested:
                    p = self.p_value(method, part)
                    cells.append("" if p is None else f"{p:.1e}")
            results = [result for result in self.results if result.method == method]
            errors = [result.reliability_rmse for result in results if result.reliability_rmse is not None]
            cells.append(f"{100 * statistics.mean(errors):.2f}" if errors else "")
            cells.append(f"{statistics.mean(result.seconds for result in results):.1f}")
            table.add_row(method, *cells)
        return table

    def text(self, **options: Any) -> str:
        """Return the table as text."""
        return as_text([self.table(**options)])

    def to_dict(self) -> dict[str, Any]:
        """Return facts, means for each method (fractions), and all results."""
        methods = []
        for method in self.methods:
            results = [result for result in self.results if result.method == method]
            row: dict[str, Any] = {"method": method}
            for part in ("truth", "test"):
                row[part] = self._summary(method, part)
            errors = [result.reliability_rmse for result in results if result.reliability_rmse is not None]
            row["reliability_rmse"] = statistics.mean(errors) if errors else None
            row["seconds"] = statistics.mean(result.seconds for result in results)
            methods.append(row)
        facts = {**self.facts, "repetitions": self.repetitions, "reference": self.reference}
        return {**facts, "methods": methods, "results": [asdict(result) for result in self.results]}

    def _summary(self, method: str, part: str) -> dict[str, Any] | None:
        """Return means and, for several repetitions, standard deviations and (if SciPy is installed) the p-value."""
        summary: dict[str, Any] = {}
        for measure in ("precision", "recall", "f1"):
            values = self.values(method, part, measure)
            if not values:
                return None
            summary[measure] = statistics.mean(values)
            if len(values) > 1:
                summary[f"{measure}_sd"] = statistics.stdev(values)
        if len(values) > 1:
            with suppress(ImportError):
                summary["p_value"] = self.p_value(method, part)
        return summary

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self, path: str | PathLike[str], part: str = "test") -> None:
        """Draw a box plot of F1 for each method, as PNG, SVG or PDF depending on the file name.

        Parameters
        ----------
        path : path
            The file to write.
        part : str
            ``truth`` or ``test``.

        Raises
        ------
        ImportError
            If matplotlib is not installed (``pip install spanrs[plot]``).
        ValueError
            If there are no values.
        """
        from spanrs.report.plots import box_plot, plot_format

        file_format = plot_format(path)
        boxes = {method: [100 * value for value in self.values(method, part)] for method in self.methods}
        if not any(boxes.values()):
            message = f"no method has values of {part}"
            raise ValueError(message)
        picture = box_plot(boxes, f"{part} F1, {self.repetitions} repetitions", file_format)
        with atomic_output(path) as out:
            out.write(picture)
