"""Experiments: accuracy of estimated truths, and of CRFs trained on estimates (Rodrigues et al. 2013, section 4)."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from spanrs.crowd.dawid_skene import DawidSkene, OneCoinDawidSkene
from spanrs.crowd.hmm import HMMCrowd
from spanrs.crowd.mace import MACE
from spanrs.crowd.majority import MajorityVote
from spanrs.crowd.multi_crf import MultiCRF
from spanrs.crowd.results import PRF, Experiment, MethodResult
from spanrs.errors import AlignmentError, ModelError, SchemeError, SpanrsWarning, with_code
from spanrs.eval import score
from spanrs.report.progress import iteration_display

if TYPE_CHECKING:
    from spanrs.crowd.corpus import CrowdCorpus

#: Name of the method that is trained on the gold labels, the upper bound.
GOLD = "CRF-GOLD"
#: Minimum number of documents into which the corpus is divided.
PIECES = 10


class Settings(NamedTuple):
    """Options for all CRFs in an experiment; with None, the defaults of the estimators apply."""

    template: str | None = None
    c2: float | None = None
    min_freq: float | None = None
    threads: int | None = 1
    seed: int = 0

    def of_crf(self, corpus: CrowdCorpus) -> dict[str, Any]:
        """Return the parameters of a CRF, with the default template of the corpus if no template is set."""
        options = {name: getattr(self, name) for name in _OF_CRF}
        options["template"] = self.template or corpus.default_template()
        return {name: value for name, value in options.items() if value is not None or name == "threads"}


class _Method(NamedTuple):
    kind: Callable[..., Aggregator]
    options: Mapping[str, Any]
    #: Settings that the method uses.
    settings: tuple[str, ...] = ()
    #: Whether the method needs sentences with several annotators.
    compares: bool = False


_OF_CRF = ("template", "c2", "min_freq", "threads")
_METHODS: dict[str, _Method] = {
    "MVseq": _Method(MajorityVote, {"unit": "sequence"}, compares=True),
    "MVtoken": _Method(MajorityVote, {"unit": "token"}, compares=True),
    "MVseg": _Method(MajorityVote, {"unit": "segment"}, compares=True),
    "CRF-CONC": _Method(ConcatenatedCRF, {}, _OF_CRF),
    "CRF-CONC-normalized": _Method(ConcatenatedCRF, {"normalized": True}, _OF_CRF),
    "MultiCRF": _Method(MultiCRF, {}, _OF_CRF, compares=True),
    "MultiCRF-MAX": _Method(MultiCRF, {"most_likely": True}, _OF_CRF, compares=True),
    "CRF-MA": _Method(CRFMA, {}, _OF_CRF),
    "CRF-MA-exact": _Method(CRFMA, {"responsibility": "exact"}, _OF_CRF),
    "CRF-MA-sentence": _Method(CRFMA, {"responsibility": "sentence"}, _OF_CRF),
    "CRF-MA-prior": _Method(CRFMA, {"responsibility": "prior"}, _OF_CRF),
    "Dawid-Skene": _Method(DawidSkene, {}, compares=True),
    "one-coin": _Method(OneCoinDawidSkene, {}, compares=True),
    "MACE": _Method(MACE, {}, compares=True),
    "HMM-crowd": _Method(HMMCrowd, {}),
    "BSC-seq": _Method(BSCSeq, {}, compares=True),
    "CrossFitted": _Method(CrossFitted, {}, ("template", "c2", "seed", "threads"), compares=True),
}
#: Names of all methods, in the order of the tables.
METHODS = (*_METHODS, GOLD)


class Data(NamedTuple):
    """Sentences with gold labels."""

    sentences: Sequence[Sequence[Any]]
    labels: list[list[str]]


def prf(gold: list[list[str]], pred: list[list[str]], scheme: str | None) -> PRF:
    """Score spans read in a scheme, or labels of tokens if the scheme is None.

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
        # Votes may be illegal tags, and some methods predict no spans.
        warnings.simplefilter("ignore", SpanrsWarning)
        micro = score(gold, pred, scheme=scheme).micro
    return PRF(micro.precision, micro.recall, micro.f1)


def in_scheme(labels: list[list[str]], scheme: str | None) -> list[list[str]]:
    """Convert true labels to the scheme of the annotations.

    Raises
    ------
    spanrs.errors.SchemeError
        If only one side has tags.

    Examples
    --------
    >>> from spanrs.crowd.experiments import in_scheme
    >>> in_scheme([["I-PER", "I-PER", "O", "I-LOC"]], "BIO")
    [['B-PER', 'I-PER', 'O', 'B-LOC']]
    """
    names = sorted({label for row in labels for label in row})
    own_scheme = scheme_of(names, labels)
    if own_scheme == scheme or names in ([], ["O"]):
        return labels
    if own_scheme is None or scheme is None:
        true = "not tags of a scheme" if own_scheme is None else f"tags of {own_scheme}"
        given = "not tags of a scheme" if scheme is None else f"tags of {scheme}"
        raise SchemeError(f"the true labels are {true}, but the labels of the annotators are {given}")
    return tags.convert(labels, own_scheme, scheme)


def reliability_rmse(corpus: CrowdCorpus, estimated: dict[str, float], gold: list[list[str]]) -> float:
    """Return the root mean squared error of estimated reliabilities, over annotators with annotations.

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


def run_methods(
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
        The true labels of the sentences, for evaluation only (and for ``CRF-GOLD``).
    test : Data, optional
        Sentences and gold labels for testing the CRFs.
    methods : iterable of str
        Names from :data:`METHODS`.
    settings : Settings
        Options for the CRFs.
    repetition : int
        Index of the repetition, for the results.
    done : callable, optional
        Called with the name of each method that has run.

    Returns
    -------
    list of MethodResult

    Raises
    ------
    ValueError
        If a method is unknown.
    spanrs.errors.AlignmentError
        If gold labels and corpus differ in the number of sentences, or in the length of a sentence.
    spanrs.errors.SchemeError
        If only the gold labels or only the annotations are tags.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus
    >>> from spanrs.crowd.experiments import run_methods
    >>> gold = [["B-PER", "O"], ["B-PER", "O"]]
    >>> corpus = CrowdCorpus([["Ada", "sleeps"], ["Bob", "wakes"]], [{"ann": labels, "ben": labels} for labels in gold])
    >>> [result] = run_methods(corpus, gold, methods=["MVtoken"])
    >>> result.truth.f1, result.reliability_rmse
    (1.0, 0.0)
    """
    methods = check_methods(methods)
    if list(map(len, gold)) != corpus.lengths:
        raise AlignmentError("gold labels and corpus differ in the number of sentences or tokens")
    corpus.check_labelled()
    scheme = corpus.scheme()
    gold = in_scheme(gold, scheme)
    if test is not None:
        test = Data(test.sentences, in_scheme(test.labels, scheme))
    check_overlap(corpus.labels, gold, "gold")
    if test is not None:
        check_overlap(corpus.labels, test.labels, "test")
    labels = sorted({*corpus.labels, *(label for row in gold for label in row)})
    legal = scheme is not None and allows_single_token_sentences(scheme, labels)
    options = {**settings.of_crf(corpus), "scheme": scheme if legal else None}
    results = []
    with warnings.catch_warnings():
        # Training labels may be illegal, and CRF-MA-exact is always saturated.
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
                truth = aggregator.labels_
                rmse = reliability_rmse(corpus, aggregator.reliability_, gold)
                predict = getattr(aggregator, "predict", None)
                if predict is None and test is not None:
                    predict = aggregator.then_crf(**options).predict
            test_scores = None
            if test is not None and predict is not None:
                test_scores = prf(test.labels, predict(test.sentences), scheme)
            results.append(
                MethodResult(name, repetition, prf(gold, truth, scheme), test_scores, rmse, seconds)
            )
            if done is not None:
                done(name)
    return results


def check_overlap(annotated: Sequence[str], labels: list[list[str]], what: str) -> None:
    """Raise an error if annotators used none of the true labels, probably because of a wrong column.

    Raises
    ------
    spanrs.errors.AlignmentError
        If no label is used on both sides; the message contains examples of both.
    """
    true = {label for row in labels for label in row} - {"O"}
    given = set(annotated) - {"O"}
    if true and given and not true & given:
        shown = [", ".join(sorted(names)[:5]) for names in (true, given)]
        message = f"no label of {what} ({shown[0]}) was used by annotators ({shown[1]}); check the column of labels"
        raise with_code(AlignmentError(message), "labels")


def without_comparison(methods: Iterable[str], corpus: CrowdCorpus) -> list[str]:
    """Omit the methods that compare annotators if no sentence has several annotators.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus
    >>> from spanrs.crowd.experiments import without_comparison
    >>> without_comparison(["MVtoken", "CRF-MA"], CrowdCorpus([["a"], ["b"]], [{"x": ["A"]}, {"y": ["B"]}]))
    ['CRF-MA']
    """
    several = len(corpus.annotations) + len(corpus.known) > len(corpus.labelled())
    return [name for name in methods if several or name == GOLD or not _METHODS[name].compares]


def make_method(
    name: str, settings: Settings, corpus: CrowdCorpus, progress: bool | None = False
) -> Aggregator:
    """Return the aggregator of a method other than :data:`GOLD`.

    Parameters
    ----------
    name : str
        One of :data:`METHODS`.
    settings : Settings
        Options for CRFs.
    corpus : CrowdCorpus
        The corpus, which determines the default template.
    progress : bool, optional
        Show iterations on standard error; None shows them only if standard error is a terminal.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus
    >>> from spanrs.crowd.experiments import Settings, make_method
    >>> make_method("MVseg", Settings(), CrowdCorpus([], [])).unit
    'segment'
    """
    method = _METHODS[name]
    values = {**settings._asdict(), **settings.of_crf(corpus)}
    if method.kind is CrossFitted and corpus.has_words():
        # CrossFitted has a different default template for words.
        values["template"] = settings.template
    # Without c2 and min_freq, the defaults of the aggregator apply.
    given = {
        name: values[name]
        for name in method.settings
        if values[name] is not None or name not in ("c2", "min_freq")
    }
    aggregator = method.kind(**method.options, **given)
    return aggregator.set_params(progress=progress) if hasattr(aggregator, "progress") else aggregator


def methods_with(setting: str) -> list[str]:
    """Return the methods that use a setting.

    Examples
    --------
    >>> from spanrs.crowd.experiments import methods_with
    >>> methods_with("seed")
    ['CrossFitted']
    """
    return [name for name, method in _METHODS.items() if setting in method.settings]


def methods_with_tables() -> list[str]:
    """Return the methods that estimate the probabilities of answers (:meth:`Aggregator.answer_tables`).

    Examples
    --------
    >>> from spanrs.crowd.experiments import methods_with_tables
    >>> methods_with_tables()
    ['Dawid-Skene', 'one-coin', 'MACE', 'HMM-crowd', 'BSC-seq', 'CrossFitted']
    """
    plain = Aggregator._answer_tables
    return [name for name, method in _METHODS.items() if method.kind._answer_tables is not plain]  # type: ignore[attr-defined]


def check_methods(methods: Iterable[str]) -> list[str]:
    """Return the canonical names of methods, which are case-insensitive.

    Raises
    ------
    ValueError
        If a method is unknown.
    """
    names = {name.lower(): name for name in METHODS}
    checked = []
    for name in methods:
        if name.lower() not in names:
            message = f"unknown method {name!r}; the methods are {', '.join(METHODS)}"
            raise ValueError(message)
        if names[name.lower()] not in checked:
            checked.append(names[name.lower()])
    return checked


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
        Returns the corpus for a seed; seeds are consecutive, starting with the seed in the settings.
    gold, test, methods, settings
        Same as in :func:`run_methods`.
    repetitions : int
        Number of corpora.
    leave_out : bool
        Omit methods that compare annotators if no sentence has several annotators, instead of raising an error.
    facts : dict, optional
        Facts about the experiment, for JSON.
    progress : bool, optional
        Show methods on standard error; None shows them only if standard error is a terminal.

    Returns
    -------
    Experiment
    """
    if repetitions < 1:
        raise ValueError(f"repetitions must be at least 1, not {repetitions}")
    methods = check_methods(methods)
    results: list[MethodResult] = []
    gold_results: list[MethodResult] = []
    with iteration_display(progress, "repetitions", repetitions) as show:
        for number in range(repetitions):
            show(number, "")
            seed = settings.seed + number
            # The CRF trained on gold labels does not depend on the annotators.
            wanted = [name for name in methods if not (gold_results and name == GOLD)]
            corpus = make(seed)
            if without_comparison(wanted, corpus) != wanted and not leave_out:
                left = [name for name in wanted if name not in without_comparison(wanted, corpus)]
                message = (
                    "each sentence has at most one annotator, but these methods compare annotators: "
                    f"{', '.join(left)}"
                )
                raise ModelError(message)
            wanted = without_comparison(wanted, corpus)
            repetition_results = run_methods(
                corpus,
                gold,
                test,
                methods=wanted,
                settings=settings._replace(seed=seed),
                repetition=number,
                done=partial(show, number),
            )
            gold_results = gold_results or [
                result for result in repetition_results if result.method == GOLD
            ]
            if number:
                repetition_results += [
                    MethodResult(**{**vars(result), "repetition": number}) for result in gold_results
                ]
            results += repetition_results
    return Experiment(results, facts or {})


def one_annotator_each(corpus: CrowdCorpus, seed: int) -> CrowdCorpus:
    """Return the corpus with one annotator of each document, drawn at random (Rodrigues et al. 2013, table 6).

    Adjacent sentences with the same annotators are treated as a document, of at most a tenth of the corpus.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    annotators: list[list[int]] = [[] for _ in range(len(corpus))]
    for annotation in corpus.annotations:
        annotators[annotation.sentence].append(annotation.annotator)
    chosen: dict[int, int] = {}
    for document in corpus.documents(max(1, len(corpus) // PIECES)):
        candidates = annotators[document[0]]
        if candidates:
            chosen |= dict.fromkeys(document, candidates[int(rng.integers(len(candidates)))])
    kept = [
        annotation
        for annotation in corpus.annotations
        if chosen[annotation.sentence] == annotation.annotator
    ]
    return corpus.replaced(annotations=kept)
