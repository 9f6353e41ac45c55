"""The CRF estimator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs._spanrs import CrfLexicon, CrfModel, CrfSentences, CrfTrainer
from spanrs.crf.joining import joined_lazily
from spanrs.crf.labeller import SequenceLabeller
from spanrs.crf.lexicons import LexiconLike, bind_lexicons, check_lexicons
from spanrs.crf.spilling import spill_options
from spanrs.crf.supervision import TrainingData, check_dev, class_weights, convert_weights, held_out
from spanrs.crf.templates import template_text
from spanrs.crf.training import (
    Iteration,
    TrainingMonitor,
    allows_single_token_sentences,
    check_single_tokens,
    continued_scheme,
    corpus_data,
    dev_scorer,
    progress_display,
    scheme_of,
    warn_of_constant_model,
    warn_of_distant_minimum,
    warn_of_lost_labels,
    warn_of_unknown_labels,
    warn_of_violations,
)
from spanrs.errors import ModelError, as_number
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
    class_weight : dict or "balanced", optional
        Cost of labelling a token of a label otherwise, by label; 1 for labels that are not in the dict. ``balanced``
        gives a label a weight in inverse proportion to its frequency, as in scikit-learn. In training, the score of the
        right label of a token is lowered by the logarithm of its weight (softmax-margin, Gimpel and Smith 2010), so a
        large weight raises the recall of a label, and its probabilities. For ``sdca``, which makes no passes then,
        ``lbfgs`` and ``l2sgd``.
    min_freq : float
        Minimum frequency of a feature: the sum of its values, weighted by sequence.
    all_possible_states, all_possible_transitions : bool
        Also generate features that do not occur in the corpus.
    scheme : str, optional
        Decode only tag sequences that are legal in this scheme. ``auto`` detects the scheme, and does not constrain
        labels that are not tags; None never constrains.
    threads : int, optional
        Number of threads; None or 0 for all processors. Passes of ``sdca`` use two. Results are equal for any number.
    validation_fraction : float, optional
        Fraction of the sequences, chosen at random by ``seed``, that ``fit`` holds out as development data.
    patience : int, optional
        Stop after this number of iterations without improvement on development data, and keep the best weights.
    max_memory : int or str, optional
        Size of the features and dense rows in memory, in bytes or with a unit (``"500 MB"``), above which ``fit`` moves
        them to a temporary file, which it reads again in each iteration. Names of features, labels and weights remain
        in memory. Results are equal. For ``sdca`` and ``lbfgs``, with at most two threads.
    spill_dir : str or path, optional
        Directory of that file; None for the directory of temporary files, which may be in memory on some systems.
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
    temperature_ : float
        The temperature of probabilities, from :meth:`calibrate`; 1 by default.
    state_features_ : dict of (str, str) to float
        Weight by attribute and label; weights of 0 are omitted.
    transition_features_ : dict of (str, str) to float
        Weight by label and next label.
    dense_weights_ : array of shape (columns, labels)
        Weights of the columns of dense rows.
    temperature_ : float
        Temperature of probabilities, 1 before :meth:`calibrate`.

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
        *("template", "lexicons", "scheme", "threads", "progress", "verbose", "model_filename"),
        *("max_memory", "spill_dir"),
    )
    #: Parameters that are not passed to the training algorithm.
    _not_training: ClassVar = (
        *_not_saved,
        *("class_weight", "validation_fraction", "patience", "keep_on_interrupt"),
    )

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
        class_weight: Mapping[str, float] | str | None = None,
        min_freq: float = 0.0,
        all_possible_states: bool = False,
        all_possible_transitions: bool = True,
        scheme: str | None = "auto",
        threads: int | None = 1,
        validation_fraction: float | None = None,
        patience: int | None = None,
        max_memory: int | str | None = None,
        spill_dir: str | PathLike[str] | None = None,
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
        self.class_weight = class_weight
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.scheme = scheme
        self.threads = threads
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.max_memory = max_memory
        self.spill_dir = spill_dir
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
        features: Iterable[Any] | None = None,
        dense: Any = None,
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
        features : iterable of sequences, optional
            Features of the tokens, dicts or lists, beside those of a template or of ``X``.
        dense : matrices, optional
            A row of numbers for each token, such as a word embedding: a matrix for each sequence, or one for all
            sequences; see :func:`join` for the forms, and for features and rows of development data. ``X`` may be None
            then. For ``sdca`` (which makes no passes then) and ``lbfgs``.
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

        Examples
        --------
        Dense rows beside a template, such as word embeddings of two columns:

        >>> import numpy as np
        >>> from spanrs.crf import CRF
        >>> X, y = [["Ada", "sleeps"], ["Bob"]], [["B-PER", "O"], ["B-PER"]]
        >>> vectors = [np.array([[1.0, 0.5], [0.0, 0.5]]), np.array([[1.0, 0.4]])]
        >>> crf = CRF(template="ner").fit(X, y, dense=vectors)
        >>> crf.predict([["Eve"]], dense=[np.array([[1.0, 0.3]])])
        [['B-PER']]
        >>> crf.dense_weights_.shape
        (2, 2)
        """
        self._check_params()
        options = self._options()
        threads = thread_count(self.threads)
        if start is not None and not isinstance(start, CRF):
            raise TypeError(f"start must be a fitted CRF, such as the result of CRF.load, not {start!r}")
        data = self._training_data(X, y, (X_dev, y_dev), (features, dense), sample_weight)
        text, lexicons = bind_lexicons(data.template, self.lexicons)
        trainer = self._trainer(data, text, lexicons)
        scheme = self._scheme(trainer.labels(), data.certain())
        if data.y_dev is not None:
            warn_of_unknown_labels(trainer.labels(), data.y_dev)
        own = trainer.has_own_features()
        initial = None
        if start is not None:
            initial = start._trained()
            warn_of_lost_labels(start.classes_, trainer.labels())
        with self._monitor(options, data.y_dev) as monitor, data.original_numbers():
            model, self.stopped_ = trainer.train(
                options, threads, initial, data.X_dev, scheme, monitor, self.keep_on_interrupt
            )
        self.history_: list[Iteration] = monitor.history
        if self.stopped_ == "line_search" and not self.history_ and start is None:
            raise ModelError(
                f"{self.algorithm} cannot lower the loss from weights of 0; the usual reasons are very large feature "
                "values (above 1e30; scale them) and very large c1 or c2"
            )
        self._keep(model, {"template": text, "scheme": scheme, "own_features": own})
        warn_of_constant_model(self._trained(), self.min_freq)
        warn_of_distant_minimum(self.history_, self.stopped_)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Iterable[Any] | None = None,
        classes: Iterable[str] | None = None,
        *,
        features: Iterable[Any] | None = None,
        dense: Any = None,
        sample_weight: Iterable[float] | None = None,
    ) -> CRF:
        """Learn from a further batch of sequences.

        What earlier batches have taught is a normal distribution of the weights: the loss of the batch is minimised
        together with the squared distance of each weight to its value before, times a coefficient that begins at ``c2``
        and grows by half the second derivative of the loss of each batch (Laplace approximation). One batch gives the
        weights of ``fit``; after several, the order matters, and the model is usually slightly worse than one that is
        fitted to all sequences. The coefficients are saved with the model.

        Parameters
        ----------
        X, y, features, dense, sample_weight
            A batch of sequences, as in :meth:`fit`. New features and labels are added to those of the model.
        classes : iterable of str, optional
            Labels that may occur in later batches. Labels that are not known from the beginning are added with
            transitions of weight 0.

        Returns
        -------
        CRF
            The estimator itself.

        Raises
        ------
        ValueError
            If the algorithm is not ``sdca`` or ``lbfgs`` (both are trained by L-BFGS), if c1 is above 0, if c2 is 0, or
            if ``patience``, ``validation_fraction`` or another template is set.
        spanrs.errors.ModelError, spanrs.errors.AlignmentError
            As for :meth:`fit`.

        Notes
        -----
        ``min_freq`` applies to each batch. ``keep_on_interrupt`` has no effect. The model keeps the lexicons of the
        first batch, and the temperature of :meth:`calibrate` is 1 again.

        Labels that come later have no evidence against them and are predicted too often at first: pass all labels as
        ``classes``, and set ``all_possible_states``, so that each batch also teaches where a label does not occur.

        A call takes time in proportion to the weights of the model, so batches should have hundreds of sequences. After
        ``fit`` the coefficients are ``c2``: the model does not know how certain its weights are, and changes more than
        after ``partial_fit`` on the same sequences.

        Examples
        --------
        >>> from spanrs.crf import CRF
        >>> crf = CRF(template="ner", c2=0.1).partial_fit([["Ada", "sleeps"]], [["B-PER", "O"]])
        >>> crf.partial_fit([["Rio", "glows"]], [["B-LOC", "O"]]).classes_
        ['B-PER', 'O', 'B-LOC']
        >>> crf.predict([["Rio", "glows"]])
        [['B-LOC', 'O']]
        """
        self._check_params()
        if self.algorithm not in ("sdca", "lbfgs"):
            raise ValueError(f"partial_fit requires the algorithm sdca or lbfgs, not {self.algorithm}")
        if self.class_weight == "balanced":
            raise ValueError(
                "partial_fit needs class_weight as a dict, because it does not know all labels"
            )
        if isinstance(classes, str):
            raise TypeError(f"classes must be a collection of labels, not the string {classes!r}")
        for name in ("validation_fraction", "patience"):
            if getattr(self, name) is not None:
                raise ValueError(f"partial_fit has no development data; set {name} to None")
        options, threads = self._options(), thread_count(self.threads)
        before = self._found()
        data = self._training_data(X, y, (None, None), (features, dense), sample_weight, partial=True)
        if before is None:
            text, lexicons = bind_lexicons(data.template, self.lexicons)
        else:
            text, lexicons = self.metadata_.get("template"), before.lexicons()
            self._check_continued(text)
        trainer = self._trainer(data, text, lexicons, before=before, classes=list(classes or ()))
        if not trainer.labels():
            raise ModelError("there is nothing to train on: no sequence has a token with a label")
        own = trainer.has_own_features()
        scheme = self._scheme(trainer.labels(), data.certain())
        if before is not None and self.scheme == "auto":
            scheme = continued_scheme(self.metadata_.get("scheme"), scheme, data.certain())
        with self._monitor(options, None) as monitor:
            model, self.stopped_ = trainer.learn(options, threads, before, monitor)
        self.history_ = monitor.history
        card = None if before is None else self.metadata_.get("card")
        own = own or (before is not None and self.metadata_.get("own_features", False))
        facts = {"card": card, "template": text, "scheme": scheme, "own_features": own}
        self._keep(model, facts)
        return self

    def _check_continued(self, template: str | None) -> None:
        """Refuse a template or lexicons that are not those of the model, which further batches do not change."""
        own = None if self.template is None else template_text(self.template)
        bound, _ = bind_lexicons(own, self.lexicons)
        if own is not None and bound != template:
            raise ValueError(
                "partial_fit cannot change the template and the names of the lexicons of the model"
            )

    def _trainer(
        self,
        data: TrainingData,
        template: str | None,
        lexicons: list[tuple[str, CrfLexicon]],
        *,
        before: CrfModel | None = None,
        classes: Sequence[str] = (),
    ) -> CrfTrainer:
        """Return a trainer with the sequences, their weights and class weights."""
        spill = spill_options(self.max_memory, self.spill_dir)
        trainer = CrfTrainer(template, lexicons=lexicons, spill=spill)
        if before is not None:
            trainer.continue_from(before)
        trainer.add_labels(list(classes))
        with data.original_numbers():
            trainer.extend(data.X, data.y, data.weights)
        if self.class_weight is not None:
            known = trainer.labels()
            weights = class_weights(self.class_weight, known, data.y, must_occur=before is None)
            trainer.set_class_weights(weights)
        return trainer

    @contextmanager
    def _monitor(
        self, options: Mapping[str, Any], y_dev: Sequence[Sequence[str]] | None
    ) -> Iterator[TrainingMonitor]:
        """Record the iterations of a training, and show them if wanted."""
        score_name, scorer = ("", None) if y_dev is None else dev_scorer(y_dev)
        shown = True if self.progress is None and self.verbose else self.progress
        with progress_display(shown, score_name) as show:
            yield TrainingMonitor(
                score=scorer,
                patience=None if y_dev is None else self.patience,
                show=show,
                limit=options["max_iter"],
                period=options["period"],
                delta=options["delta"],
            )

    def _keep(self, model: CrfModel, facts: Mapping[str, Any]) -> None:
        """Keep a trained model with these metadata, and write it to ``model_filename``."""
        metadata = {**facts, "params": self._saved_params()}
        self._model = model.with_metadata(
            json.dumps({key: value for key, value in metadata.items() if value})
        )
        if self.model_filename is not None:
            self.save(self.model_filename)

    def _training_data(
        self,
        X: Any,
        y: Iterable[Any] | None,
        dev: tuple[Any, Sequence[Sequence[str]] | None],
        beside: tuple[Iterable[Any] | None, Any],
        sample_weight: Iterable[float] | None,
        *,
        partial: bool = False,
    ) -> TrainingData:
        """Return the arguments of ``fit`` as sequences, labels and weights, with development data held out."""
        text = None if self.template is None else template_text(self.template)
        if is_corpus(X):
            X, y, text = corpus_data(X, y, text)
        elif y is None:
            raise TypeError("y is missing; pass the labels of the sequences, or a corpus or path as X")
        X = joined_lazily(X, *beside)
        X_dev, y_dev = tagged(dev[0]) if is_corpus(dev[0]) else dev
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev must be passed together")
        if partial:
            data = TrainingData(X, list(y), weights=convert_weights(sample_weight))
            return data._replace(template=text)
        if self.validation_fraction is not None:
            if X_dev is not None:
                raise ValueError("pass either X_dev and y_dev or validation_fraction")
            data = held_out(X, y, convert_weights(sample_weight), self.validation_fraction, self.seed)
        else:
            if X_dev is not None and y_dev is not None and not isinstance(X_dev, CrfSentences):
                X_dev = list(X_dev)
                check_dev(X_dev, y_dev)
            data = TrainingData(X, list(y), X_dev, y_dev, convert_weights(sample_weight))
        if self.patience is not None and data.X_dev is None:
            raise ValueError(
                "patience needs development data; pass X_dev and y_dev, or set validation_fraction"
            )
        return data._replace(template=text)

    def _check_params(self) -> None:
        super()._check_params()
        fraction = self.validation_fraction
        if fraction is not None and as_number(fraction, "validation_fraction", above=True) >= 1:
            raise ValueError(f"validation_fraction must be a number below 1, not {fraction:g}")
        if spill_options(self.max_memory, self.spill_dir) and self.algorithm not in ("sdca", "lbfgs"):
            raise ValueError(f"max_memory requires the algorithm sdca or lbfgs, not {self.algorithm}")
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
