"""Data of pairwise comparisons of systems: values, differences and p-values."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from statistics import stdev
from typing import Any, NamedTuple

from spanrs._spanrs import Systems
from spanrs.eval import settings as settings_of
from spanrs.eval.details import ErrorList, FileDetails
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.evidence import Detail
from spanrs.eval.measures import Measure, Ratio


class Interval(NamedTuple):
    """Confidence interval."""

    low: float
    """Lower bound."""
    high: float
    """Upper bound."""


@dataclass(frozen=True)
class McNemar:
    """McNemar's exact test (1947) on the gold spans that only one of two systems predicted correctly."""

    only_a: int
    """Number of gold spans without an error only in ``a``."""
    only_b: int
    """Number of gold spans without an error only in ``b``."""
    p_value: float
    """Two-sided binomial p-value."""


@dataclass(frozen=True)
class System:
    """A system in a comparison."""

    value: float
    """Value of the measure; with several seeds the mean."""
    interval: Interval
    """Percentile interval of the value over documents; with several seeds the interval of the mean over seeds and
    documents."""
    per_type: dict[str, float]
    """The same measure for each type; types that occur in no system are omitted."""
    seeds: tuple[float, ...] = ()
    """The value for each seed; one value if there is one result."""

    @property
    def deviation(self) -> float:
        """Standard deviation over seeds; NaN for one seed."""
        return stdev(self.seeds) if len(self.seeds) > 1 else math.nan


@dataclass(frozen=True)
class Difference:
    """Difference between two systems in one measure."""

    difference: float
    """Value of ``a`` minus value of ``b``."""
    interval: Interval
    """Percentile interval of the difference; both systems are resampled together. With several seeds the interval over
    seeds and documents; NaN with fewer than three seeds of either system."""
    p_value: float
    """Two-sided p-value: of the paired test for two single results, of the test over seeds and documents for at least
    three seeds of both systems; else NaN."""
    p_holm: float
    """The p-value after Holm's correction for all pairs of systems; for a type, for all pairs and types."""


@dataclass(frozen=True)
class Pair:
    """Comparison of two systems."""

    a: str
    b: str
    difference: float
    interval: Interval
    p_value: float
    p_holm: float
    mcnemar: McNemar | None
    """McNemar's test; None if the results have no complete list of errors (score with ``errors=True``)."""
    per_type: dict[str, Difference] = field(repr=False)
    """The difference for each type."""

    def is_significant(self, level: float = 0.95) -> bool:
        """Return whether the corrected p-value is at most one minus the confidence level."""
        return self.p_holm <= 1 - level


@dataclass(frozen=True)
class PairedComparison:
    """Several systems compared with each other; base class of :class:`spanrs.eval.Comparison`.

    Attributes
    ----------
    measure : Measure or Ratio
        The compared measure.
    systems : dict of str to System
        The systems in the given order.
    pairs : list of Pair
        All pairs of systems, or all pairs with the baseline as ``b``.
    level : float
        Confidence level of intervals.
    documents : int
        Number of resampled documents or sentences.
    settings : dict of str to str
        Settings of the comparison; :attr:`signature` has the same settings in one line.
    results : dict of str to Evaluation
        The compared results; those of a system with several seeds are called ``NAME/1``, ``NAME/2`` and so on.
    error_lists : dict of str to ErrorList or None
        The errors of each system, with the sentence numbers of the first system; None if the errors are not complete,
        or if there are several seeds.
    """

    measure: Measure | Ratio
    systems: dict[str, System]
    pairs: list[Pair]
    level: float
    documents: int
    settings: dict[str, str]
    results: dict[str, Evaluation] = field(repr=False)
    error_lists: dict[str, ErrorList | None] = field(repr=False)

    @property
    def signature(self) -> str:
        """Settings of the comparison in one line."""
        return settings_of.signature(self.settings)

    def pair(self, a: str, b: str) -> Pair:
        """Return the comparison of two systems, in the order given to :func:`compare`; a baseline is ``b``.

        Raises
        ------
        KeyError
            If there is no such pair.
        """
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
        raise KeyError(
            f"there is no pair ({a!r}, {b!r}); systems must be in the order given to compare, with the baseline last"
        )

    @property
    def has_seeds(self) -> bool:
        """Whether a system has several seeds."""
        return any(len(system.seeds) > 1 for system in self.systems.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain dictionaries, lists, strings and numbers; NaN becomes None."""
        pairs = []
        for pair in self.pairs:
            plain = asdict(pair)
            plain["interval"] = list(pair.interval)
            plain["per_type"] = {
                name: asdict(difference) | {"interval": list(difference.interval)}
                for name, difference in pair.per_type.items()
            }
            pairs.append(plain)
        systems = {
            name: asdict(system)
            | {
                "interval": list(system.interval),
                "seeds": list(system.seeds),
                "deviation": system.deviation,
            }
            for name, system in self.systems.items()
        }
        numbers = {"measure": self.measure.title, "level": self.level, "documents": self.documents}
        everything = {"systems": systems, "pairs": pairs, **numbers, "signature": self.signature}
        everything["short_signature"] = settings_of.short_signature(self.settings)
        plain_values: dict[str, Any] = _without_nan(everything)
        return plain_values

    def to_json(self, indent: int | None = None) -> str:
        """Return :meth:`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)


def complete_errors(result: Evaluation) -> ErrorList | None:
    """Return the errors in a result if all errors were kept and each span has a unique position.

    Positions are not unique for nested layers (several columns of tags), because the same bounds may occur in two
    layers, and for several span files, because the sentences of each file are numbered separately.
    """
    errors = result.errors
    if errors is None or not errors.is_complete or "columns" in result.settings:
        return None
    if "format" in result.settings and any(error.path is not None for error in errors):
        return None
    return errors


def aligned_errors(results: Mapping[str, Evaluation], systems: Systems) -> dict[str, ErrorList | None]:
    """Return the complete errors of results with the sentence numbers of the first result.

    Documents are identified by their keys and may be in a different order in each result, as may the gold spans in a
    sentence. The indices of gold spans are replaced by numbers that are the same in all systems.

    Parameters
    ----------
    results : mapping of str to Evaluation
        The results.
    systems : Systems
        The documents of the results, aligned by key.
    """
    complete = {name: complete_errors(result) for name, result in results.items()}
    numbers = {name: systems.sentence_numbers(at) for at, name in enumerate(results)}
    # Column files with equal gold data have equal indices.
    if all(
        numbers[name] is None and isinstance(errors.errors, FileDetails)
        for name, errors in complete.items()
        if errors is not None
    ):
        return complete
    gold: dict[tuple[Any, ...], int] = {}
    return {
        name: None if errors is None else replace(errors, errors=_aligned(errors, numbers[name], gold))
        for name, errors in complete.items()
    }


def _aligned(errors: ErrorList, numbers: Any, gold: dict[tuple[Any, ...], int]) -> list[Detail]:
    """Replace sentence numbers, and replace the index of each gold span by its number in ``gold``, adding new spans."""
    numbered: dict[tuple[int, int], int] = {}
    repeated: Counter[tuple[Any, ...]] = Counter()
    aligned = []
    for error in errors:
        sentence = error.sentence if numbers is None else int(numbers[error.sentence])
        index = error.gold_index
        if index is not None:
            if (sentence, index) not in numbered:
                place = (sentence, error.gold)
                numbered[sentence, index] = gold.setdefault((*place, repeated[place]), len(gold))
                repeated[place] += 1
            index = numbered[sentence, index]
        aligned.append(error._replace(sentence=sentence, gold_index=index))
    return aligned


def gold_spans(errors: ErrorList) -> dict[tuple[int, Any], int]:
    """Return the gold spans with errors, by sentence and index, each with the index of its last error."""
    places = enumerate((error.sentence, error.gold_index) for error in errors)
    return {place: at for at, place in places if place[1] is not None}


def pred_spans(errors: ErrorList) -> dict[tuple[int, Any], int]:
    """Return the pred spans with errors, by sentence and span, each with the index of its last error."""
    places = enumerate((error.sentence, error.pred) for error in errors)
    return {place: at for at, place in places if place[1] is not None}


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
