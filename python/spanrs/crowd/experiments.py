"""Experiments: how well methods recover the truth, and what a CRF trained on it is worth (Rodrigues et al. 2013, 4)."""

from __future__ import annotations

import json
import math
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs import tags
from spanrs.crf import CRF
from spanrs.crf.training import allows_single_token_sentences, scheme_of
from spanrs.crowd.aggregator import Aggregator, reliability
from spanrs.crowd.bsc import BSCSeq
from spanrs.crowd.concatenated import ConcatenatedCRF
from spanrs.crowd.crfma import CRFMA
from spanrs.crowd.cross_fitted import CrossFitted
from spanrs.crowd.dawid_skene import DawidSkene
from spanrs.crowd.hmm import HMMCrowd
from spanrs.crowd.majority import MajorityVote
from spanrs.crowd.multi_crf import MultiCRF
from spanrs.crowd.progress import iteration_display
from spanrs.errors import AlignmentError, ModelError, SchemeError, SpanrsWarning
from spanrs.eval import score
from spanrs.io import atomic_output
from spanrs.report.table import Table, as_text

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from spanrs.crowd.corpus import CrowdCorpus

#: Name of the method that is trained on the gold labels, the upper bound.
GOLD = "CRF-GOLD"
#: Documents are at most the corpus divided by this, where all annotators labelled everything.
PIECES = 10
#: The method that the others are compared with, if it takes part.
REFERENCE = "CRF-MA"


class Settings(NamedTuple):
    """Options of all CRFs in an experiment."""

    template: str | None = None
    c2: float = 1.0
    min_freq: float = 0.0
    threads: int = 1
    seed: int = 0

    def of_crf(self, corpus: CrowdCorpus) -> dict[str, Any]:
        """Give the options of a CRF, with the default template for a corpus if none was named."""
        found = {name: getattr(self, name) for name in _OF_CRF}
        found["template"] = self.template or default_template(corpus)
        return found


class _Method(NamedTuple):
    kind: Callable[..., Aggregator]
    options: Mapping[str, Any]
    #: The settings that it takes.
    settings: tuple[str, ...] = ()
    #: Whether it compares annotators, so that it needs sentences with several of them.
    compares: bool = False
    shows_progress: bool = False


_OF_CRF = ("template", "c2", "min_freq", "threads")
_METHODS: dict[str, _Method] = {
    "MVseq": _Method(MajorityVote, {"unit": "sequence"}, compares=True),
    "MVtoken": _Method(MajorityVote, {"unit": "token"}, compares=True),
    "MVseg": _Method(MajorityVote, {"unit": "segment"}, compares=True),
    "CRF-CONC": _Method(ConcatenatedCRF, {}, _OF_CRF),
    "CRF-CONC-normalized": _Method(ConcatenatedCRF, {"normalized": True}, _OF_CRF),
    "MultiCRF": _Method(MultiCRF, {}, _OF_CRF, compares=True, shows_progress=True),
    "MultiCRF-MAX": _Method(MultiCRF, {"most_likely": True}, _OF_CRF, compares=True, shows_progress=True),
    "CRF-MA": _Method(CRFMA, {}, _OF_CRF, shows_progress=True),
    "CRF-MA-exact": _Method(CRFMA, {"responsibility": "exact"}, _OF_CRF, shows_progress=True),
    "CRF-MA-sentence": _Method(CRFMA, {"responsibility": "sentence"}, _OF_CRF, shows_progress=True),
    "CRF-MA-prior": _Method(CRFMA, {"responsibility": "prior"}, _OF_CRF, shows_progress=True),
    "Dawid-Skene": _Method(DawidSkene, {"smoothing": 0.01}, compares=True),
    "HMM-crowd": _Method(HMMCrowd, {}),
    "BSC-seq": _Method(BSCSeq, {}, compares=True),
    "CrossFitted": _Method(
        CrossFitted, {}, ("template", "seed", "threads"), compares=True, shows_progress=True
    ),
}
#: Names of all methods, in the order of the tables.
METHODS = (*_METHODS, GOLD)


@dataclass(frozen=True)
class PRF:
    """Precision, recall and F1, as fractions; all three are accuracy where labels are no tags."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class MethodResult:
    """One method on one corpus."""

    method: str
    repetition: int
    """From 0."""
    truth: PRF
    """The estimated truth of the training sentences against gold."""
    test: PRF | None
    """Labels of the test sentences by a CRF trained on the estimated truth; None without a test set."""
    reliability_rmse: float | None
    """Root mean squared difference of estimated and true reliability of the annotators; None for the CRF of gold."""
    seconds: float
    """Of estimating the truth."""


class Data(NamedTuple):
    """Sentences with gold labels."""

    sentences: Sequence[Sequence[Any]]
    labels: list[list[str]]


def prf(gold: list[list[str]], pred: list[list[str]], scheme: str | None) -> PRF:
    """Score spans of a scheme; labels of tokens where the scheme is None.

    Examples
    --------
    >>> from spanrs.crowd.experiments import prf
    >>> prf([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "O"]], "BIO")
    PRF(precision=1.0, recall=0.5, f1=0.6666666666666666)
    >>> prf([["NOUN", "VERB"]], [["NOUN", "NOUN"]], None)
    PRF(precision=0.5, recall=0.5, f1=0.5)
    """
    if scheme is None:
        pairs = ((a, b) for x, y in zip(gold, pred, strict=True) for a, b in zip(x, y, strict=True))
        right = [a == b for a, b in pairs]
        accuracy = sum(right) / len(right) if right else 0.0
        return PRF(accuracy, accuracy, accuracy)
    with warnings.catch_warnings():
        # Votes may be illegal tags, and some methods find no span.
        warnings.simplefilter("ignore", SpanrsWarning)
        found = score(gold, pred, scheme=scheme).micro
    return PRF(found.precision, found.recall, found.f1)


def in_scheme(labels: list[list[str]], scheme: str | None) -> list[list[str]]:
    """Convert true labels to the scheme of the annotations.

    Raises
    ------
    spanrs.errors.SchemeError
        If one of both are tags and the other are not.

    Examples
    --------
    >>> from spanrs.crowd.experiments import in_scheme
    >>> in_scheme([["I-PER", "I-PER", "O", "I-LOC"]], "BIO")
    [['B-PER', 'I-PER', 'O', 'B-LOC']]
    """
    names = sorted({label for own in labels for label in own})
    own = scheme_of(names, labels)
    if own == scheme or names in ([], ["O"]):
        return labels
    if own is None or scheme is None:
        said = "no tags of a scheme" if own is None else f"tags of {own}"
        other = "no tags of a scheme" if scheme is None else f"tags of {scheme}"
        raise SchemeError(f"the true labels are {said}, those of the annotators are {other}")
    return tags.convert(labels, own, scheme)


def reliability_rmse(corpus: CrowdCorpus, estimated: dict[str, float], gold: list[list[str]]) -> float:
    """Give the root mean squared error of estimated reliabilities, over annotators who labelled something.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    estimated : dict of str to float
        ``reliability_`` of an aggregator.
    gold : list of list of str
        The true labels of all sentences.
    """
    true = reliability(corpus, gold)
    errors = [
        (estimated[name] - value) ** 2
        for name, value in true.items()
        if not math.isnan(value + estimated[name])
    ]
    return math.sqrt(sum(errors) / len(errors)) if errors else float("nan")


def compare(
    corpus: CrowdCorpus,
    gold: list[list[str]],
    test: Data | None = None,
    *,
    methods: Iterable[str] = METHODS,
    settings: Settings = Settings(),  # noqa: B008  # immutable
    repetition: int = 0,
    done: Callable[[str], None] | None = None,
) -> list[MethodResult]:
    """Run methods on one corpus.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    gold : list of list of str
        The true labels of its sentences, for evaluation only (and for ``CRF-GOLD``).
    test : Data, optional
        Sentences and gold labels to test the CRFs on.
    methods : iterable of str
        Some of :data:`METHODS`.
    settings : Settings
        Options of the CRFs.
    repetition : int
        Number for the results.
    done : callable, optional
        Called with the name of each method that has run.

    Returns
    -------
    list of MethodResult

    Raises
    ------
    ValueError
        For an unknown method.
    spanrs.errors.AlignmentError
        If gold labels and sentences differ in number.
    spanrs.errors.SchemeError
        If gold labels are tags and those of the annotators are not, or the other way round.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus
    >>> from spanrs.crowd.experiments import compare
    >>> gold = [["B-PER", "O"], ["B-PER", "O"]]
    >>> corpus = CrowdCorpus([["Ada", "sleeps"], ["Bob", "wakes"]], [{"ann": own, "ben": own} for own in gold])
    >>> [result] = compare(corpus, gold, methods=["MVtoken"])
    >>> result.truth.f1, result.reliability_rmse
    (1.0, 0.0)
    """
    methods = check_methods(methods)
    if list(map(len, gold)) != corpus.lengths:
        raise AlignmentError("gold labels and sentences of the corpus differ in number")
    corpus.check_labelled()
    scheme = corpus.scheme()
    gold = in_scheme(gold, scheme)
    if test is not None:
        test = Data(test.sentences, in_scheme(test.labels, scheme))
    labels = sorted({*corpus.labels, *(label for own in gold for label in own)})
    legal = scheme is not None and allows_single_token_sentences(scheme, labels)
    options = {**settings.of_crf(corpus), "scheme": scheme if legal else None}
    results = []
    with warnings.catch_warnings():
        # Labels to train on may be illegal; the paper's variant of CRF-MA is always saturated.
        warnings.simplefilter("ignore", SpanrsWarning)
        for name in methods:
            began = time.perf_counter()
            if name == GOLD:
                crf = CRF(**options).fit(corpus.sentences, gold)
                seconds = time.perf_counter() - began
                truth, rmse = crf.predict(corpus.sentences), None
                predict: Callable[[Any], list[list[str]]] | None = crf.predict
            else:
                aggregator = make_method(name, settings, corpus).fit(corpus)
                seconds = time.perf_counter() - began
                truth = aggregator.estimated_truth_
                rmse = reliability_rmse(corpus, aggregator.reliability_, gold)
                predict = getattr(aggregator, "predict", None)
                if predict is None and test is not None:
                    predict = aggregator.then_crf(**options).predict
            found = None
            if test is not None and predict is not None:
                found = prf(test.labels, predict(test.sentences), scheme)
            results.append(MethodResult(name, repetition, prf(gold, truth, scheme), found, rmse, seconds))
            if done is not None:
                done(name)
    return results


def without_comparison(methods: Iterable[str], corpus: CrowdCorpus) -> list[str]:
    """Leave out the methods that compare annotators, where each sentence has at most one.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus
    >>> from spanrs.crowd.experiments import without_comparison
    >>> without_comparison(["MVtoken", "CRF-MA"], CrowdCorpus([["a"], ["b"]], [{"x": ["A"]}, {"y": ["B"]}]))
    ['CRF-MA']
    """
    several = len(corpus.annotations) > len(corpus.labelled())
    return [name for name in methods if several or name == GOLD or not _METHODS[name].compares]


def make_method(
    name: str, settings: Settings, corpus: CrowdCorpus, progress: bool | None = False
) -> Aggregator:
    """Give an aggregator by the name of its method, which is not :data:`GOLD`.

    Parameters
    ----------
    name : str
        One of :data:`METHODS`.
    settings : Settings
        Options of CRFs.
    corpus : CrowdCorpus
        Says which template is the default.
    progress : bool, optional
        Show iterations on standard error; None means: if it is a terminal.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus
    >>> from spanrs.crowd.experiments import Settings, make_method
    >>> make_method("MVseg", Settings(), CrowdCorpus([], [])).unit
    'segment'
    """
    method = _METHODS[name]
    known = {**settings._asdict(), **settings.of_crf(corpus)}
    if method.kind is CrossFitted and has_words(corpus):
        # It has features of its own for words.
        known["template"] = settings.template
    given = {own: known[own] for own in method.settings}
    if method.shows_progress:
        given["progress"] = progress
    return method.kind(**method.options, **given)


def unused_settings(name: str) -> list[str]:
    """Give the settings that a method does not use.

    Examples
    --------
    >>> from spanrs.crowd.experiments import unused_settings
    >>> unused_settings("MVseg")
    ['template', 'c2', 'min_freq', 'threads', 'seed']
    """
    return [own for own in Settings._fields if name != GOLD and own not in _METHODS[name].settings]


def check_methods(methods: Iterable[str]) -> list[str]:
    """Give names of methods as they are written in :data:`METHODS`; case does not matter.

    Raises
    ------
    ValueError
        For an unknown method.
    """
    known = {name.lower(): name for name in METHODS}
    found = []
    for name in methods:
        if name.lower() not in known:
            message = f"no method {name!r}; there are {', '.join(METHODS)}"
            raise ValueError(message)
        if known[name.lower()] not in found:
            found.append(known[name.lower()])
    return found


def default_template(corpus: CrowdCorpus) -> str | None:
    """Give the built-in template for the tokens of a corpus; None for tokens that are features.

    ``ner`` for words with tags, ``pos`` for words with other labels, ``chunking`` for tuples of two.
    """
    if has_words(corpus):
        return "pos" if corpus.scheme() is None else "ner"
    first = next((token for own in corpus.sentences for token in own), None)
    return "chunking" if isinstance(first, tuple) and len(first) == 2 else None


def has_words(corpus: CrowdCorpus) -> bool:
    """Say whether all tokens are strings."""
    return all(isinstance(token, str) for own in corpus.sentences for token in own)


class Experiment:
    """Results of methods over repetitions.

    Parameters
    ----------
    results : list of MethodResult
        Of all methods and repetitions.
    facts : dict
        What was run: goes into JSON.
    reference : str
        Method that the others are compared with by a paired t-test over the repetitions.

    Examples
    --------
    >>> from spanrs.crowd.experiments import PRF, Experiment, MethodResult
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
        """Names of the methods, in the order in which they ran."""
        return list(dict.fromkeys(result.method for result in self.results))

    @property
    def repetitions(self) -> int:
        """Number of repetitions."""
        return len({result.repetition for result in self.results})

    def values(self, method: str, part: str, measure: str = "f1") -> list[float]:
        """Give the values of a measure by repetition; ``part`` is ``truth`` or ``test``."""
        found = (getattr(result, part) for result in self.results if result.method == method)
        return [getattr(own, measure) for own in found if own is not None]

    def p_value(self, method: str, part: str) -> float | None:
        """Give the p-value of the paired t-test of F1 against the reference, two-sided.

        None for the reference itself, without it, and with fewer than two repetitions.

        Raises
        ------
        ImportError
            Where scipy is not installed (``pip install spanrs[stats]``).
        """
        own, other = self.values(method, part), self.values(self.reference, part)
        if method == self.reference or len(own) != len(other) or len(own) < 2:
            return None
        differences = [a - b for a, b in zip(own, other, strict=True)]
        if max(differences) - min(differences) < 1e-12:
            # The t-test divides by their standard deviation.
            return 1.0 if abs(differences[0]) < 1e-12 else 0.0
        try:
            from scipy.stats import ttest_rel
        except ImportError as error:
            raise ImportError("a paired t-test needs scipy; pip install 'spanrs[stats]'") from error
        return float(ttest_rel(own, other).pvalue)

    def table(self, *, p_values: bool = True) -> Table:
        """Give a row for each method: means over repetitions in per cent, with standard deviations of F1."""
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
            own = [result for result in self.results if result.method == method]
            errors = [one.reliability_rmse for one in own if one.reliability_rmse is not None]
            cells.append(f"{100 * statistics.mean(errors):.2f}" if errors else "")
            cells.append(f"{statistics.mean(one.seconds for one in own):.1f}")
            table.add_row(method, *cells)
        return table

    def text(self, **options: Any) -> str:
        """Give the table as text."""
        return as_text([self.table(**options)])

    def to_dict(self) -> dict[str, Any]:
        """Give facts, a mean for each method (fractions), and all results."""
        methods = []
        for method in self.methods:
            own = [result for result in self.results if result.method == method]
            row: dict[str, Any] = {"method": method}
            for part in ("truth", "test"):
                row[part] = self._summary(method, part)
            errors = [one.reliability_rmse for one in own if one.reliability_rmse is not None]
            row["reliability_rmse"] = statistics.mean(errors) if errors else None
            row["seconds"] = statistics.mean(one.seconds for one in own)
            methods.append(row)
        facts = {**self.facts, "repetitions": self.repetitions, "reference": self.reference}
        return {**facts, "methods": methods, "results": [asdict(result) for result in self.results]}

    def _summary(self, method: str, part: str) -> dict[str, Any] | None:
        """Give means; with several repetitions also standard deviations and the p-value, if scipy is installed."""
        found: dict[str, Any] = {}
        for measure in ("precision", "recall", "f1"):
            values = self.values(method, part, measure)
            if not values:
                return None
            found[measure] = statistics.mean(values)
            if len(values) > 1:
                found[f"{measure}_sd"] = statistics.stdev(values)
        if len(values) > 1:
            with suppress(ImportError):
                found["p_value"] = self.p_value(method, part)
        return found

    def to_json(self) -> str:
        """Give :meth:`to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self, path: str | PathLike[str] | Path, part: str = "test") -> None:
        """Draw a box of F1 for each method, as PNG, SVG or PDF by the name of the file.

        Parameters
        ----------
        path : path
            The file to write.
        part : str
            ``truth`` or ``test``.

        Raises
        ------
        ImportError
            Where matplotlib is not installed (``pip install spanrs[plot]``).
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


def repeat(
    make: Callable[[int], CrowdCorpus],
    gold: list[list[str]],
    test: Data | None,
    *,
    repetitions: int,
    methods: Iterable[str] = METHODS,
    leave_out: bool = False,
    settings: Settings = Settings(),  # noqa: B008  # immutable
    facts: dict[str, Any] | None = None,
    progress: bool | None = None,
) -> Experiment:
    """Run methods on several corpora of the same sentences.

    Parameters
    ----------
    make : callable
        Gives the corpus for a number, which is the seed of the settings and up.
    gold, test, methods, settings
        As in :func:`compare`.
    repetitions : int
        Number of corpora.
    leave_out : bool
        Leave out methods that compare annotators where no sentence has several; otherwise they are an error.
    facts : dict, optional
        Of the experiment.
    progress : bool, optional
        Show methods on standard error; by default if it is a terminal.

    Returns
    -------
    Experiment
    """
    if repetitions < 1:
        raise ValueError(f"repetitions is {repetitions}; it must be at least 1")
    methods = check_methods(methods)
    results: list[MethodResult] = []
    known: list[MethodResult] = []
    with iteration_display(progress, "repetitions", repetitions) as show:
        for number in range(repetitions):
            show(number, "")
            seed = settings.seed + number
            # The CRF of the gold labels does not depend on the annotators.
            wanted = [name for name in methods if not (known and name == GOLD)]
            corpus = make(seed)
            if without_comparison(wanted, corpus) != wanted and not leave_out:
                left = [name for name in wanted if name not in without_comparison(wanted, corpus)]
                message = f"each sentence has one annotator at most, which {', '.join(left)} cannot use"
                raise ModelError(message)
            wanted = without_comparison(wanted, corpus)
            found = compare(
                corpus,
                gold,
                test,
                methods=wanted,
                settings=settings._replace(seed=seed),
                repetition=number,
                done=partial(show, number),
            )
            known = known or [result for result in found if result.method == GOLD]
            if number:
                found += [MethodResult(**{**vars(one), "repetition": number}) for one in known]
            results += found
    return Experiment(results, facts or {})


def one_annotator_each(corpus: CrowdCorpus, seed: int) -> CrowdCorpus:
    """Give the corpus with one annotator of each document, drawn at random (Rodrigues et al. 2013, table 6).

    Neighbouring sentences with the same annotators are taken for a document, of at most a tenth of the corpus.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    annotators: list[list[int]] = [[] for _ in range(len(corpus))]
    for own in corpus.annotations:
        annotators[own.sentence].append(own.annotator)
    chosen: dict[int, int] = {}
    for document in corpus.documents(max(1, len(corpus) // PIECES)):
        known = annotators[document[0]]
        if known:
            chosen |= dict.fromkeys(document, known[int(rng.integers(len(known)))])
    kept = [own for own in corpus.annotations if chosen[own.sentence] == own.annotator]
    return corpus.replaced(annotations=kept)
