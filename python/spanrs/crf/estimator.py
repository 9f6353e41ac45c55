"""The CRF estimator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs._spanrs import CrfSentences, CrfTrainer
from spanrs.crf.labeller import SequenceLabeller
from spanrs.crf.lexicons import LexiconLike, bind_lexicons, check_lexicons
from spanrs.crf.templates import template_text
from spanrs.crf.training import (
    Iteration,
    TrainingMonitor,
    allows_single_token_sentences,
    check_dev,
    check_single_tokens,
    convert_weights,
    corpus_data,
    dev_scorer,
    progress_display,
    scheme_of,
    warn_of_constant_model,
    warn_of_lost_labels,
    warn_of_unknown_labels,
    warn_of_violations,
)
from spanrs.errors import ModelError
from spanrs.estimator import as_json
from spanrs.io.training import is_corpus, tagged
from spanrs.threads import thread_count


class CRF(SequenceLabeller):
    """A linear-chain conditional random field (Lafferty, McCallum and Pereira 2001), as a scikit-learn estimator.

    Parameters
    ----------
    template : str or path, optional
        Feature template: the name of a built-in template (see :func:`templates`), a path, or the text of a template.
        Tokens of X are then strings, or tuples with a string for each column. Without a template, tokens are dicts or
        lists of features; the default for a corpus is ``ner``, or ``pos`` if the labels are not tags.
    lexicons : dict, optional
        The :class:`Gazetteer` or :class:`Clusters` of each name in the template, or their file; a file must be in the
        layout of ``read``. A built-in template gets lines for the lexicons. The model contains the lexicons.
    algorithm : str
        ``sdca`` (dual coordinate ascent, finished by L-BFGS), ``lbfgs`` (OWL-QN in both if c1 > 0), ``l2sgd``, ``ap``
        (averaged perceptron), ``pa`` (passive-aggressive), ``arow``.
    c1, c2 : float
        Coefficients of the L1 norm and of the sum of squared weights (``sdca``, ``lbfgs``; ``l2sgd`` only uses c2).
    tol : float
        Tolerance of ``sdca`` with c1=0: the largest distance of the objective to its minimum, as a fraction of it.
    max_iter : int, optional
        Maximum number of iterations; None for the default of the algorithm: no limit for ``sdca`` and
        ``lbfgs``, 1000 for ``l2sgd``, else 100.
    min_freq : float
        Minimum frequency of a feature: the sum of its values, weighted by sequence.
    all_possible_states, all_possible_transitions : bool
        Also generate features that do not occur in the corpus.
    scheme : str, optional
        Decode only tag sequences that are legal in this scheme. ``auto`` detects the scheme, and does not constrain
        labels that are not tags; None never constrains.
    threads : int, optional
        Number of threads; None or 0 for all processors. Passes of ``sdca`` use two. Results are equal for any number.
    patience : int, optional
        Stop after this number of iterations without improvement on development data, and keep the best weights.
    keep_on_interrupt : bool
        If Ctrl-C interrupts training after an iteration, keep the current (with ``patience``, the best) weights and
        raise no exception. With c1 > 0, weights of the first 60 iterations of ``sdca`` are not sparse.
    progress : bool, optional
        Show loss and score on development data on standard error; None shows both only if standard error is a terminal,
        or with ``verbose``.
    verbose : bool
        Show progress even if standard error is not a terminal.
    model_filename : str or path, optional
        File to which ``fit`` writes the model in the format of :meth:`save`. An unfitted estimator reads its model from
        this file.
    num_memories, epsilon, period, delta, max_linesearch
        Options of ``sdca`` and ``lbfgs``, as in CRFsuite; ``l2sgd`` also uses ``period`` and ``delta``, and ``ap``,
        ``pa`` and ``arow`` use ``epsilon``.
    calibration_eta, calibration_rate, calibration_samples, calibration_candidates, calibration_max_trials
        Options of ``l2sgd``: calibration of the learning rate.
    pa_type, c, error_sensitive, averaging
        Options of ``pa``.
    variance, gamma
        Options of ``arow``.
    seed : int
        Random seed for shuffling the sequences, except for ``lbfgs``.

    Attributes
    ----------
    classes_ : list of str
        The labels, in the order of their first occurrence.
    history_ : list of Iteration
        Statistics of each training iteration.
    stopped_ : str
        Reason for the end of training: ``converged``, ``delta``, ``max_iterations``, ``line_search``, ``stopped``
        (patience) or ``interrupted``.
    state_features_ : dict of (str, str) to float
        Weight by attribute and label; weights of 0 are omitted.
    transition_features_ : dict of (str, str) to float
        Weight by label and next label.

    Examples
    --------
    >>> from spanrs.crf import CRF
    >>> X = [[["word=Ada", "first"], ["word=sleeps"]], [["word=Bob", "first"], ["word=sleeps"]]]
    >>> y = [["B-PER", "O"], ["B-PER", "O"]]
    >>> crf = CRF(c2=0.1).fit(X, y)
    >>> crf.predict([[["word=Eve", "first"], ["word=sleeps"]]])
    [['B-PER', 'O']]
    >>> CRF(template="ner").fit([["Ada", "sleeps"]], [["B-PER", "O"]]).predict([["Ada", "sleeps"]])
    [['B-PER', 'O']]
    """

    #: Template and scheme are stored as separate metadata, and lexicons beside the metadata.
    _not_saved: ClassVar = (
        "template",
        "lexicons",
        "scheme",
        "threads",
        "progress",
        "verbose",
        "model_filename",
    )
    #: Parameters that are not passed to the training algorithm.
    _not_training: ClassVar = (*_not_saved, "patience", "keep_on_interrupt")

    def __init__(
        self,
        *,
        template: str | PathLike[str] | None = None,
        lexicons: Mapping[str, LexiconLike] | None = None,
        algorithm: str = "sdca",
        c1: float = 0.0,
        c2: float = 1.0,
        tol: float = 1e-4,
        max_iter: int | None = None,
        min_freq: float = 0.0,
        all_possible_states: bool = False,
        all_possible_transitions: bool = True,
        scheme: str | None = "auto",
        threads: int | None = 1,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
        progress: bool | None = None,
        verbose: bool = False,
        model_filename: str | PathLike[str] | None = None,
        num_memories: int = 20,
        epsilon: float | None = None,
        period: int = 10,
        delta: float | None = None,
        max_linesearch: int = 20,
        calibration_eta: float = 0.1,
        calibration_rate: float = 2.0,
        calibration_samples: int = 1000,
        calibration_candidates: int = 10,
        calibration_max_trials: int = 20,
        pa_type: int = 1,
        c: float = 1.0,
        error_sensitive: bool = True,
        averaging: bool = True,
        variance: float = 1.0,
        gamma: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.template = template
        self.lexicons = lexicons
        self.algorithm = algorithm
        self.c1 = c1
        self.c2 = c2
        self.tol = tol
        self.max_iter = max_iter
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.scheme = scheme
        self.threads = threads
        self.patience = patience
        self.keep_on_interrupt = keep_on_interrupt
        self.progress = progress
        self.verbose = verbose
        self.model_filename = model_filename
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma
        self.seed = seed

    def fit(
        self,
        X: Any,
        y: Iterable[Any] | None = None,
        X_dev: Any = None,
        y_dev: Sequence[Sequence[str]] | None = None,
        *,
        sample_weight: Iterable[float] | None = None,
        start: CRF | None = None,
    ) -> CRF:
        """Train the model.

        Parameters
        ----------
        X : iterable of sequences, or a corpus
            A sequence is a list of tokens: dicts or lists of features; with a template, strings or tuples of strings.
            A :class:`spanrs.Corpus`, or any source that :func:`spanrs.read` accepts, contains tokens and tags; in this
            case omit ``y``.
        y : iterable of sequences
            A label for each token: a string, a set of allowed labels or None for any label (partial labels), or a dict
            of probabilities that sum to 1 (soft labels).
        X_dev, y_dev : sequences, optional
            Development data, scored after each iteration; a corpus contains both.
        sample_weight : iterable of float, optional
            A weight of at least 0 for each sequence. For ``sdca`` and ``lbfgs`` the weight 2 is equivalent to two
            copies of the sequence; online algorithms multiply their steps by the weight.
        start : CRF, optional
            A fitted estimator whose weights are the initial weights (warm start).

        Returns
        -------
        CRF
            The estimator itself.

        Raises
        ------
        spanrs.errors.AlignmentError
            If X and y, or a sequence and its labels, differ in length.
        spanrs.errors.ModelError
            If features, labels or weights are invalid; the message has the index of the sequence.
        """
        self._check_params()
        text = None if self.template is None else template_text(self.template)
        if is_corpus(X):
            X, y, text = corpus_data(X, y, text)
        elif y is None:
            raise TypeError("y is missing; pass the labels of the sequences, or a corpus or path as X")
        if is_corpus(X_dev):
            X_dev, y_dev = tagged(X_dev)
        options = self._options()
        if self.patience is not None and (X_dev is None or y_dev is None):
            raise ValueError("patience needs development data; pass X_dev and y_dev")
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev must be passed together")
        threads = thread_count(self.threads)
        if start is not None and not isinstance(start, CRF):
            raise TypeError(f"start must be a fitted CRF, such as the result of CRF.load, not {start!r}")
        if X_dev is not None and y_dev is not None and not isinstance(X_dev, CrfSentences):
            X_dev = list(X_dev)
            check_dev(X_dev, y_dev)
        text, lexicons = bind_lexicons(text, self.lexicons)
        trainer = CrfTrainer(text, lexicons=lexicons)
        targets, weights = list(y), convert_weights(sample_weight)
        trainer.extend(X, targets, weights)
        hard = [sequence for sequence in targets if all(isinstance(label, str) for label in sequence)]
        scheme = self._scheme(trainer.labels(), hard)
        if y_dev is not None:
            warn_of_unknown_labels(trainer.labels(), y_dev)
        facts = {"template": text, "scheme": scheme, "params": self._saved_params()}
        metadata = json.dumps({key: value for key, value in facts.items() if value})
        if start is not None:
            warn_of_lost_labels(start.classes_, trainer.labels())
        score_name, scorer = ("", None) if y_dev is None else dev_scorer(y_dev)
        shown = True if self.progress is None and self.verbose else self.progress
        with progress_display(shown, score_name) as show:
            monitor = TrainingMonitor(
                score=scorer,
                patience=self.patience,
                show=show,
                limit=options["max_iter"],
                period=options["period"],
                delta=options["delta"],
            )
            model, self.stopped_ = trainer.train(
                options,
                threads,
                None if start is None else start._trained(),
                X_dev,
                scheme,
                monitor,
                self.keep_on_interrupt,
            )
        self.history_: list[Iteration] = monitor.history
        if self.stopped_ == "line_search" and not self.history_ and start is None:
            raise ModelError(
                f"{self.algorithm} cannot lower the loss from weights of 0; the usual reasons are very large feature "
                "values (above 1e30; scale them) and very large c1 or c2"
            )
        self._model = model.with_metadata(metadata)
        if self.model_filename is not None:
            self.save(self.model_filename)
        warn_of_constant_model(self._model, self.min_freq)
        return self

    def _check_params(self) -> None:
        super()._check_params()
        check_lexicons(self.lexicons)
        self._options()

    def _options(self, **more: Any) -> dict[str, Any]:
        """Return the options of the training algorithm with defaults; TypeError or ValueError for wrong values."""
        names = [name for name in self.get_params() if name not in self._not_training]
        if self.patience is not None and self.algorithm == "sdca" and self.c1:
            # Early stopping must not keep weights of the iterations without the L1 norm.
            more["algorithm"] = "lbfgs"
        return _spanrs.crf_options({name: as_json(getattr(self, name)) for name in names} | more)

    def _scheme(self, labels: Sequence[str], sequences: Sequence[Sequence[str]]) -> str | None:
        if self.scheme == "auto":
            # Labels that occur only as sets or with probabilities do not indicate a scheme.
            certain = {label for sequence in sequences for label in sequence}
            name = scheme_of(labels, sequences) if certain.issuperset(labels) else None
            legal = name is not None and allows_single_token_sentences(name, labels)
            return name if legal else None
        name = None if self.scheme is None else _spanrs.scheme_name(self.scheme)
        if name is not None:
            check_single_tokens(name, labels)
        warn_of_violations(name, sequences)
        return name
