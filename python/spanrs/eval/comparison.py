"""Comparison of systems on the same documents: paired tests, intervals and corrected p-values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from os import PathLike
from typing import Any

from spanrs._spanrs import Systems
from spanrs.errors import AlignmentError, SchemeError, SpanrsWarning, with_code
from spanrs.eval import comparison_tables
from spanrs.eval import settings as settings_of
from spanrs.eval.corpora import default_unit
from spanrs.eval.details import ErrorList
from spanrs.eval.measures import Measure, Ratio
from spanrs.eval.paired import (
    Difference,
    Interval,
    McNemar,
    Pair,
    PairedComparison,
    System,
    aligned_errors,
)
from spanrs.eval.resampling import check_level, check_measures, check_numbers
from spanrs.eval.result import Result
from spanrs.eval.scoring import score
from spanrs.eval.seeds import difference_of_seeds, mean_of_seeds
from spanrs.eval.sides import corpora_of
from spanrs.io import Corpus, read
from spanrs.io.options import NAMES
from spanrs.report.table import Table, as_latex, as_markdown, as_text

#: Paired tests.
TESTS = ("randomisation", "bootstrap")
#: Settings of pred, which may differ between compared results.
OF_PRED = ("pred_scheme", "columns")
#: Options of :func:`spanrs.read` that are not also options of scoring.
LAYOUT = NAMES - {"scheme", "reading"}


@dataclass(frozen=True, repr=False)
class Comparison(PairedComparison):
    """Several systems compared with each other. Returned by :func:`spanrs.compare`.

    ``systems``, ``pairs`` and :meth:`pair` give the numbers; ``str`` shows the numbers as tables.
    """

    def tables(self, *, by_type: bool = False) -> list[Table]:
        """Return the printed tables; ``by_type`` adds the differences for each type."""
        return comparison_tables.tables(self, by_type=by_type)

    def to_csv(self) -> str:
        """Return the pairs as CSV, with a row for each pair, and for each pair and type; differences are fractions."""
        return comparison_tables.csv_text(self)

    def to_markdown(self, *, by_type: bool = False) -> str:
        """Return the tables as Markdown, an explanation of the tests, and the signature.

        Parameters
        ----------
        by_type : bool
            Same as for :meth:`tables`.
        """
        lines = [comparison_tables.explanation(self), f"`{self.signature}`"]
        return as_markdown(self.tables(by_type=by_type), lines)

    def to_latex(self, *, by_type: bool = False) -> str:
        """Return the tables as LaTeX ``tabular`` environments for booktabs, the best system in bold.

        Parameters
        ----------
        by_type : bool
            Same as for :meth:`tables`.
        """
        lines = [comparison_tables.explanation(self), self.signature]
        return as_latex(self.tables(by_type=by_type), lines)

    def to_html(self, *, title: str = "Comparison of systems") -> str:
        """Return a self-contained HTML report; see :func:`spanrs.eval.comparison_page.comparison_page`."""
        from spanrs.eval.comparison_page import comparison_page

        return comparison_page(self, title=title)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {system.value:.4f}" for name, system in self.systems.items())
        return f"<Comparison {self.measure.title} {values}, {self.signature}>"

    def __str__(self) -> str:
        return as_text(comparison_tables.shown_parts(self))

    def _repr_html_(self) -> str:
        # Lazy: only used in notebooks.
        from spanrs.report.notebook import as_fragment

        return as_fragment(comparison_tables.shown_parts(self))


def compare(
    gold: Mapping[str, Result | Sequence[Result]] | Any,
    preds: Mapping[str, Any] | None = None,
    /,
    *,
    measure: str | Measure | Ratio | None = None,
    baseline: str | None = None,
    test: str = "randomisation",
    samples: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    **options: Any,
) -> Comparison:
    """Test whether the differences between systems are significant.

    Parameters
    ----------
    gold : any input of :func:`spanrs.score`, or mapping of str to Result or to a list of Result
        Gold, against which each of ``preds`` is scored. Alternatively, the results of at least two systems by name,
        which must have rows of the same documents: scored with ``by=``, against the same gold, with the same settings.
        A list has the results of one system with different random seeds: ``{"a": [r1, r2, r3], "b": [r4, r5, r6]}``.
    preds : mapping of str to any input of :func:`spanrs.score`
        The systems by name.
    measure : str, Measure or Ratio, optional
        The measure to compare, or its name as for :class:`Measure`, by default micro F1 of the matcher's criterion.
    baseline : str, optional
        Compare each other system with this one instead of all pairs, which corrects p-values for fewer tests.
    test : str
        ``randomisation``: approximate randomisation; ``bootstrap``: paired bootstrap, whose p-value is the share of
        resamples in which the difference deviates from the observed difference by at least the observed difference.
        Pairs with several seeds are tested over seeds and documents instead; see Notes.
    samples : int
        Number of exchanges or resamples of the test, and of resamples of the intervals. The smallest possible p-value
        is ``1 / (samples + 1)``.
    seed : int
        Random seed. The same seed gives the same values for any number of threads.
    level : float
        Confidence level of the intervals.
    threads : int
        Number of threads, 1 or more.
    progress : callable, optional
        Called periodically with the number of resamples and exchanges completed so far. The total is ``samples`` for
        all systems, plus ``samples`` for each pair of single results under ``randomisation``.
    **options
        With ``preds``, options of :func:`spanrs.score`. By default, ``errors`` is True, and ``by`` is ``document`` if
        a side consists of texts with annotations or spans are aligned by characters, otherwise ``sentence``.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        For fewer than two systems or documents, an unknown test or baseline, and numbers out of range.
    TypeError
        If results are compared and scoring options are given.
    spanrs.errors.AlignmentError
        If a document of one system is missing from another, a system has a document twice, or gold data differ.
    spanrs.errors.SchemeError
        If the results were made with different settings.

    Notes
    -----
    The tests of single results are two-sided and count the observed difference as one of the samples:
    p = (n + 1) / (samples + 1). Holm's method (1979) corrects for the number of pairs. McNemar's test is reported in
    addition; it counts gold spans, which are not independent within a sentence.

    With several seeds the value of a system is the mean over seeds. The difference between two systems is tested by a
    t-test whose variance has a part for the seeds of each system and one for the documents
    (:mod:`spanrs.eval.seeds`), so a significant difference holds for new seeds and new documents. There is no p-value
    with fewer than three seeds of either system, for types that are in neither gold nor the predictions of a seed, and
    if neither seeds nor documents vary. McNemar's test and lists of errors are omitted.

    Sources: Noreen 1989; Yeh 2000, "More accurate tests for the statistical significance of result differences";
    Berg-Kirkpatrick et al. 2012, "An empirical investigation of statistical significance in NLP".

    Examples
    --------
    >>> import spanrs
    >>> gold = [["B-PER", "O"]] * 20
    >>> systems = {"a": [["B-PER", "O"]] * 20, "b": [["B-PER", "O"]] * 12 + [["O", "O"]] * 8}
    >>> pair = spanrs.compare(gold, systems).pair("a", "b")
    >>> round(pair.difference, 2), pair.p_value < 0.05
    (0.25, True)
    """
    if test not in TESTS:
        raise ValueError(f"unknown test {test!r}; expected one of {', '.join(TESTS)}")
    check_level(level)
    check_numbers(samples, seed, threads)
    seeds = _by_seed(_scored(gold, preds, options))
    results = {name: result for of_system in seeds.values() for name, result in of_system.items()}
    _check_results(seeds, results)
    _warn_of_equal_seeds(seeds)
    names = list(seeds)
    if baseline is not None and baseline not in seeds:
        raise ValueError(f"there is no system {baseline!r} to compare with; there are {', '.join(names)}")
    first = next(iter(results.values()))
    types = _types(results)
    settings = _common_settings(results)
    compared_measure = Measure(measure) if isinstance(measure, str) else measure or Measure()
    check_measures([compared_measure])
    if compared_measure.criterion is None and len(first.matcher.criteria) > 1:
        # The settings contain the compared criterion if the matcher has several criteria.
        compared_measure = replace(compared_measure, criterion=first.matcher.criterion)
    compared = (
        types
        if isinstance(compared_measure, Measure)
        and compared_measure.average == "micro"
        and compared_measure.type is None
        else []
    )
    measures: list[Measure | Ratio] = [compared_measure]
    if isinstance(compared_measure, Measure):
        measures += [replace(compared_measure, type=ty) for ty in compared]
    compiled = [measure.compiled(first.matcher) for measure in measures]
    places = [
        (a, b)
        for a, b in combinations(range(len(names)), 2)
        if baseline is None or baseline in (names[a], names[b])
    ]
    if baseline is not None:
        places = [(b, a) if names[a] == baseline else (a, b) for a, b in places]
    systems = Systems([result.counts for result in results.values()], list(results))
    numbers = _Numbers(systems, results, compiled, (test, samples, seed, threads, progress), level)
    groups = _grouped(seeds)
    bounds = (0.0, 1.0) if isinstance(compared_measure, Measure) else (-math.inf, math.inf)
    by_name = {name: _system(numbers, members, compared, bounds) for name, members in groups.items()}
    error_lists = aligned_errors(results, systems)
    # The results of several seeds have other names than their system.
    errors = {name: error_lists.get(name) for name in names}
    comparable = dict(zip(names, _comparable_errors(errors, compared_measure), strict=True))
    pairs = _pairs(numbers, groups, [(names[a], names[b]) for a, b in places], compared, comparable)
    if len(results) > len(names):
        singles = [name for name in names if len(seeds[name]) == 1]
        test = f"seeds,{test}" if any({pair.a, pair.b} <= {*singles} for pair in pairs) else "seeds"
    documents = len(systems)
    unit = "sentences" if first.by_sentence else "documents"
    title = settings_of.quoted(compared_measure.title)
    for name, shown in (
        ("measure", title),
        ("test", test),
        ("samples", samples),
        ("seed", seed),
        ("level", f"{level:g}"),
        *([("baseline", settings_of.quoted(baseline))] if baseline is not None else []),
    ):
        settings = settings_of.with_setting(settings, name, str(shown))
    settings = settings_of.with_setting(settings, unit, str(documents))
    return Comparison(compared_measure, by_name, pairs, level, documents, settings, dict(results), errors)


def _by_seed(scored: Mapping[str, Result | Sequence[Result]]) -> dict[str, dict[str, Result]]:
    """Return the results of each system by name: ``NAME``, or ``NAME/1`` and so on for several seeds."""
    if not isinstance(scored, Mapping):
        raise TypeError(f"results must be a mapping of names to results, not {type(scored).__name__}")
    seeds: dict[str, dict[str, Result]] = {}
    for name, results in scored.items():
        if not isinstance(results, (list, tuple)):
            seeds[name] = {name: results}  # type: ignore[dict-item]  # checked below
        elif results:
            single = len(results) == 1
            seeds[name] = {
                name if single else f"{name}/{at}": result for at, result in enumerate(results, 1)
            }
        else:
            raise ValueError(f"{name} has no results")
    return seeds


def _scored(
    gold: Any, preds: Mapping[str, Any] | None, options: dict[str, Any]
) -> Mapping[str, Result | Sequence[Result]]:
    """Return the results of the systems: the given results, or the results of scoring each system against gold."""
    if preds is None:
        if options:
            raise TypeError(
                f"results are already scored; {next(iter(options))} is an option of spanrs.score"
            )
        return gold  # type: ignore[no-any-return]  # checked below
    if not isinstance(preds, Mapping):
        raise TypeError(
            f"preds must be a mapping of names to inputs of spanrs.score, not {type(preds).__name__}; write "
            "compare(gold, {'a': pred})"
        )
    if hasattr(gold, "read") and not isinstance(gold, Corpus):
        gold = read(gold, **{name: value for name, value in options.items() if name in NAMES})
    elif isinstance(gold, Iterator):
        gold = list(gold)
    for name, pred in preds.items():
        if (
            isinstance(pred, (list, tuple))
            and pred
            and all(isinstance(one, (str, PathLike)) for one in pred)
        ):
            raise TypeError(
                f"{name} is a list of paths; score each seed first: compare({{{name!r}: [spanrs.score(gold, path, "
                "by='sentence') for path in paths], ...})"
            )
    return {name: _score_system(gold, pred, options) for name, pred in preds.items()}


def _score_system(gold: Any, pred: Any, options: dict[str, Any]) -> Result:
    """Score one system by sentence or document, with its errors."""
    reading = {name: value for name, value in options.items() if name in LAYOUT}
    corpora = corpora_of(gold, pred, reading)
    usual: dict[str, Any] = {"by": "sentence", "errors": True}
    if corpora is not None:
        gold, pred = corpora
        usual["by"] = default_unit(corpora, options.get("align"))
        options = {name: value for name, value in options.items() if name not in LAYOUT}
    result: Result = score(gold, pred, **usual | options)
    return result


class _Numbers:
    """Values, resampled values and p-values of systems."""

    def __init__(
        self,
        systems: Systems,
        results: Mapping[str, Result],
        compiled: list[dict[str, Any]],
        options: tuple[str, int, int, int, Callable[[int], object] | None],
        level: float,
    ) -> None:
        import numpy as np

        self.test, self.samples, self.seed, self.threads, self.progress = options
        self.level, self.tails = level, [(1 - level) / 2, (1 + level) / 2]
        self.systems, self.compiled = systems, compiled
        self.values = np.array([result.counts.measures(compiled) for result in results.values()])
        self.done = 0
        self.drawn = systems.bootstrap(compiled, self.samples, self.seed, self.threads, self._told())

    def _told(self) -> Callable[[int], object] | None:
        """Return a progress callback that adds the samples of earlier calls."""
        before, progress = self.done, self.progress
        self.done += self.samples
        return None if progress is None else lambda done: progress(before + done)

    def interval(self, values: Any) -> Interval:
        """Return the percentile interval of resampled values."""
        import numpy as np

        defined = values[~np.isnan(values)]
        return (
            Interval(*map(float, np.quantile(defined, self.tails)))
            if len(defined)
            else Interval(*[math.nan] * 2)
        )

    def p_values(self, a: int, b: int) -> list[float]:
        """Return the p-value of each measure for two systems; NaN for a type that is missing in either system."""
        import numpy as np

        observed = self.values[a] - self.values[b]
        if self.test == "randomisation":
            options = (self.samples, self.seed, self.threads, self._told())
            as_large = np.array(self.systems.randomise((a, b), self.compiled, *options), float)
            drawn = float(self.samples)
        else:
            deviations = np.abs(self.drawn[:, a] - self.drawn[:, b] - observed)
            as_large = (deviations >= np.abs(observed) - 1e-12).sum(axis=0)
            drawn = (~np.isnan(deviations)).sum(axis=0)
        p = (as_large + 1) / (drawn + 1)
        return [float(value) for value in np.where(np.isnan(observed), np.nan, p)]


def _warn_of_equal_seeds(seeds: Mapping[str, Mapping[str, Result]]) -> None:
    """Warn if all results of a system with several seeds have equal counts."""
    for name, of_system in seeds.items():
        stored = [result.counts.to_bytes() for result in of_system.values()]
        if len(stored) > 1 and len(set(stored)) == 1:
            message = f"the {len(stored)} seeds of {name} have equal counts; are they copies of one result?"
            warnings.warn(message, SpanrsWarning, stacklevel=3)


def _grouped(seeds: Mapping[str, Mapping[str, Result]]) -> dict[str, list[int]]:
    """Return the numbers of the results of each system."""
    groups, start = {}, 0
    for name, of_system in seeds.items():
        groups[name] = list(range(start, start + len(of_system)))
        start += len(of_system)
    return groups


def _system(numbers: _Numbers, members: list[int], types: list[str], bounds: tuple[float, float]) -> System:
    """Return the numbers of a system with one result or several seeds; intervals of means end at the bounds."""
    import numpy as np

    values = numbers.values[members]
    if len(members) == 1:
        value, interval = float(values[0, 0]), numbers.interval(numbers.drawn[:, members[0], 0])
    else:
        estimate = mean_of_seeds(values[:, 0], numbers.drawn[:, members, 0])
        low, high = estimate.interval(numbers.level)
        value, interval = estimate.value, Interval(max(low, bounds[0]), min(high, bounds[1]))
    # The mean over the seeds that have the type.
    counts = (~np.isnan(values[:, 1:])).sum(axis=0)
    means = np.where(counts > 0, np.nansum(values[:, 1:], axis=0) / np.maximum(counts, 1), np.nan)
    per_type = dict(zip(types, map(float, means), strict=True))
    return System(value, interval, per_type, tuple(map(float, values[:, 0])))


def _differences(numbers: _Numbers, a: list[int], b: list[int]) -> list[tuple[float, Interval, float]]:
    """Return the difference, interval and p-value of each measure for two systems."""
    import numpy as np

    if len(a) == len(b) == 1:
        observed = numbers.values[a[0]] - numbers.values[b[0]]
        drawn = numbers.drawn[:, a[0]] - numbers.drawn[:, b[0]]
        p_values = numbers.p_values(a[0], b[0])
        return [(float(observed[at]), numbers.interval(drawn[:, at]), p) for at, p in enumerate(p_values)]
    rows = []
    for at in range(numbers.values.shape[1]):
        sides = (
            (numbers.values[a, at], numbers.drawn[:, a, at]),
            (numbers.values[b, at], numbers.drawn[:, b, at]),
        )
        if np.isnan(numbers.values[[*a, *b], at]).any():
            # A type that is in neither gold nor the predictions of some seed.
            rows.append((math.nan, Interval(math.nan, math.nan), math.nan))
            continue
        estimate = difference_of_seeds(*sides)
        rows.append((estimate.value, estimate.interval(numbers.level), estimate.p_value()))
    return rows


def _pairs(
    numbers: _Numbers,
    groups: Mapping[str, list[int]],
    names: list[tuple[str, str]],
    types: list[str],
    errors: Mapping[str, ErrorList | None],
) -> list[Pair]:
    """Compare pairs of systems, given by name."""
    rows = [_differences(numbers, groups[a], groups[b]) for a, b in names]
    corrected = holm([row[0][2] for row in rows])
    of_types = iter(holm([p for row in rows for _, _, p in row[1:]]))
    pairs = []
    for (a, b), (whole, *row), p_holm in zip(names, rows, corrected, strict=True):
        per_type = {
            ty: Difference(*numbers_of, next(of_types)) for ty, numbers_of in zip(types, row, strict=True)
        }
        pairs.append(Pair(a, b, *whole, p_holm, _mcnemar(errors[a], errors[b]), per_type))
    return pairs


def holm(p_values: Iterable[float]) -> list[float]:
    """Correct p-values for multiple tests (Holm 1979). NaN stays NaN and is not counted.

    Examples
    --------
    >>> from spanrs.eval.comparison import holm
    >>> holm([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    p_values = list(p_values)
    order = sorted((p, at) for at, p in enumerate(p_values) if not math.isnan(p))
    corrected = [math.nan] * len(p_values)
    largest = 0.0
    for rank, (p, at) in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p))
        corrected[at] = largest
    return corrected


def mcnemar_p(only_a: int, only_b: int) -> float:
    """Return the two-sided p-value of McNemar's exact test.

    Examples
    --------
    >>> from spanrs.eval.comparison import mcnemar_p
    >>> mcnemar_p(1, 5)
    0.21875
    """
    n = only_a + only_b
    smaller = range(min(only_a, only_b) + 1)
    if n > 1000:
        # For larger numbers, exact binomial coefficients are slow to compute.
        tail = sum(math.exp(_log_choose(n, k) - n * math.log(2)) for k in smaller)
    else:
        tail = sum(math.comb(n, k) for k in smaller) / 2**n
    return min(1.0, 2 * tail)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _comparable_errors(
    errors: Mapping[str, ErrorList | None], measure: Measure | Ratio
) -> list[ErrorList | None]:
    """Return the errors of the systems; None if the measure has a type or another criterion."""
    if measure.type is not None:
        return [None] * len(errors)
    return [
        error_list if error_list is not None and measure.criterion in (None, error_list.criterion) else None
        for error_list in errors.values()
    ]


def _mcnemar(a: ErrorList | None, b: ErrorList | None) -> McNemar | None:
    """Count the gold spans that only one of two systems predicted correctly, and test the difference."""
    if a is None or b is None:
        return None
    import numpy as np

    wrong_a, wrong_b = a.gold_places(), b.gold_places()
    only_a, only_b = len(np.setdiff1d(wrong_b, wrong_a)), len(np.setdiff1d(wrong_a, wrong_b))
    return McNemar(only_a, only_b, mcnemar_p(only_a, only_b))


def _check_results(seeds: Mapping[str, object], results: Mapping[str, Result]) -> None:
    """Raise an error if the results cannot be compared."""
    if len(seeds) < 2:
        raise ValueError("a comparison needs at least two systems")
    if len(results) < sum(map(len, seeds.values())):  # type: ignore[arg-type]
        raise ValueError("a system is called like a result of another system; rename one of them")
    for name, result in results.items():
        if not isinstance(result, Result):
            raise TypeError(f"{name} is a {type(result).__name__}, not a result of spanrs.score")
        if result.document_weights is not None:
            raise ValueError(f"{name} has document weights; compare the results without weights")
        if len(result.counts) < 2:
            raise ValueError(
                f"a test needs rows of at least two documents, but {name} has {len(result.counts)}; "
                'score with by="sentence" or by="document"'
            )


def _common_settings(results: Mapping[str, Result]) -> dict[str, str]:
    """Return the settings shared by all results; refuse results with different settings or different gold data."""
    (first_name, first), *others = results.items()
    of_pred = {name: first.settings[name] for name in OF_PRED if name in first.settings}
    common = {name: value for name, value in first.settings.items() if name not in OF_PRED}
    support = {name: score.support for name, score in first[first.matcher.support].per_type.items()}
    support = {name: n for name, n in support.items() if n}
    for name, result in others:
        settings = {key: value for key, value in result.settings.items() if key not in OF_PRED}
        if settings != common or result.by_sentence != first.by_sentence:
            signatures = f"{first.signature} and {result.signature}"
            message = f"{first_name} and {name} have different settings: {signatures}"
            raise with_code(SchemeError(message), "signature")
        gold_spans = {ty: score.support for ty, score in result[result.matcher.support].per_type.items()}
        sizes = (result.sentences, result.tokens) == (first.sentences, first.tokens)
        if {ty: n for ty, n in gold_spans.items() if n} != support or not sizes:
            message = f"{first_name} and {name} were scored against different gold data"
            try:
                # The error names the first document that only one result has, or whose gold differs.
                Systems([first.counts, result.counts], [first_name, name])
            except AlignmentError as error:
                message += f": {error}"
            raise with_code(AlignmentError(message), "documents")
    return common | (of_pred if all(r.settings == first.settings for r in results.values()) else {})


def _types(results: Mapping[str, Result]) -> list[str]:
    """Return the types that occur for any system."""
    return sorted({name for result in results.values() for name in result.per_type})
