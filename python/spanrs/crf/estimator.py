"""The estimator."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs._spanrs import CrfItems, CrfModel, CrfSentences, CrfTrainer
from spanrs.crf.explanation import Explanation, explain
from spanrs.crf.parameters import Parameters
from spanrs.crf.scoring import Labellings
from spanrs.crf.templates import template_text
from spanrs.crf.training import (
    Iteration,
    TrainingMonitor,
    allows_single_token_sentences,
    check_dev,
    check_single_tokens,
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
from spanrs.io.output import atomic_output
from spanrs.io.training import is_corpus, tagged
from spanrs.threads import thread_count

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Estimator parameters that are not passed to the training algorithm.
_OWN = (
    *("template", "scheme", "threads", "patience"),
    *("keep_on_interrupt", "progress", "verbose", "model_filename"),
)
#: Parameters that a model file does not hold, or holds in another form.
_NOT_STORED = ("template", "scheme", "threads", "progress", "verbose", "model_filename")
#: Magic bytes of a CRFsuite model file.
_CRFSUITE = b"lCRF"


class CRF(Parameters):
    """A linear-chain conditional random field (Lafferty, McCallum and Pereira 2001), as a scikit-learn estimator.

    Parameters
    ----------
    template : str or path, optional
        Features by a template: a built-in one (see :func:`templates`), a file, or the text. The tokens of X are then
        strings, or tuples of strings, one for each column. Without a template they are dicts or lists of features.
    algorithm : str
        ``lbfgs`` (OWL-QN where c1 is above 0), ``l2sgd``, ``ap`` (averaged perceptron), ``pa`` (passive-aggressive)
        or ``arow``.
    c1, c2 : float
        Coefficients of the L1 norm and of the sum of squared weights (``lbfgs``; ``l2sgd`` knows c2 only).
    max_iterations : int, optional
        None for the default of the algorithm: no limit for ``lbfgs``, 1000 for ``l2sgd``, else 100.
    min_freq : float
        Features whose values, times the weights of their sequences, sum to less are left out.
    all_possible_states, all_possible_transitions : bool
        Features that do not occur in the corpus get weights as well.
    scheme : str, optional
        Decode legal tags of this scheme only. ``auto`` detects the scheme; labels that are not tags are decoded
        without a constraint, as with None.
    threads : int, optional
        Number of threads of ``lbfgs`` and of decoding; None for all processors. Results do not depend on it.
    patience : int, optional
        Stop when the score on development data has not improved for this many iterations, and keep the best weights.
    keep_on_interrupt : bool
        Ctrl-C ends training with the best weights so far, instead of raising KeyboardInterrupt.
    progress : bool, optional
        Show loss and score on development data on standard error; None if that is a terminal, or if ``verbose``.
    verbose : bool
        Show progress, also if standard error is not a terminal.
    model_filename : str or path, optional
        File to which ``fit`` writes the model, as :meth:`save` does. An estimator that is not fitted reads its model
        from there.
    num_memories, epsilon, period, delta, max_linesearch
        Options of ``lbfgs``, as in CRFsuite; the last three are used by others too.
    calibration_eta, calibration_rate, calibration_samples, calibration_candidates, calibration_max_trials
        Options of ``l2sgd``: how the learning rate is chosen.
    pa_type, c, error_sensitive, averaging
        Options of ``pa``.
    variance, gamma
        Options of ``arow``.
    seed : int
        Seed of the order of sequences in online algorithms.

    Attributes
    ----------
    classes_ : list of str
        The labels, in the order in which they first occurred.
    history_ : list of Iteration
        The course of training.
    stopped_ : str
        Why it ended: ``converged``, ``delta``, ``max_iterations``, ``line_search``, ``stopped`` (patience) or
        ``interrupted``.
    state_features_ : dict of (str, str) to float
        Weight by attribute and label; weights of 0 are left out.
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

    def __init__(
        self,
        *,
        template: str | PathLike[str] | None = None,
        algorithm: str = "lbfgs",
        c1: float = 0.0,
        c2: float = 1.0,
        max_iterations: int | None = None,
        min_freq: float = 0.0,
        all_possible_states: bool = False,
        all_possible_transitions: bool = True,
        scheme: str | None = None,
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
        self.algorithm = algorithm
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
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
        self._model: CrfModel | None = None

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
        """Train.

        Parameters
        ----------
        X : iterable of sequences, or a corpus
            A sequence is a list of tokens: dicts or lists of features, or strings (tuples of strings) for a template.
            A :class:`spanrs.Corpus`, or what :func:`spanrs.read` takes, has tokens and tags; ``y`` is not given then.
        y : iterable of sequences
            A label for each token. Besides a string it may be a set of allowed labels or None for any (partial
            labels), or a dict of probabilities that sum to 1 (soft labels).
        X_dev, y_dev : sequences, optional
            Development data, scored after each iteration; a corpus has both.
        sample_weight : iterable of float, optional
            A weight of at least 0 for each sequence. For ``lbfgs`` 2 is the same sequence twice; online algorithms
            multiply their steps by it.
        start : CRF, optional
            A trained model to begin with (warm start), instead of weights of 0.

        Returns
        -------
        CRF
            Itself.

        Raises
        ------
        spanrs.errors.AlignmentError
            If X and y, or a sequence and its labels, differ in length.
        spanrs.errors.ModelError
            For features, labels or weights that are not as above; with the index of the sequence.
        """
        text = None if self.template is None else template_text(self.template)
        if is_corpus(X):
            X, y, text = corpus_data(X, y, text)
        elif y is None:
            raise TypeError("y is missing: labels of the sequences, unless X is a corpus or a path")
        if is_corpus(X_dev):
            X_dev, y_dev = tagged(X_dev)
        options = _spanrs.crf_options(self._options())
        if self.patience is not None and (X_dev is None or y_dev is None):
            raise ValueError("patience needs development data: X_dev and y_dev")
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev are given together")
        if self.patience is not None and self.patience < 1:
            raise ValueError(f"patience is {self.patience}; it must be at least 1")
        threads = thread_count(self.threads)
        if start is not None and not isinstance(start, CRF):
            raise TypeError(f"start is {start!r}; it must be a trained CRF, such as CRF.load gives")
        if X_dev is not None and y_dev is not None and not isinstance(X_dev, CrfSentences):
            X_dev = list(X_dev)
            check_dev(X_dev, y_dev)
        trainer = CrfTrainer(text)
        targets = list(y)
        weights = None if sample_weight is None else [float(weight) for weight in sample_weight]
        trainer.extend(X, targets, weights)
        hard = [sequence for sequence in targets if all(isinstance(label, str) for label in sequence)]
        scheme = self._scheme(trainer.labels(), hard)
        if y_dev is not None:
            warn_of_unknown_labels(trainer.labels(), y_dev)
        facts = {"template": text, "scheme": scheme, "params": self._stored_params()}
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
                limit=options["max_iterations"],
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
                "lbfgs cannot lower the loss from weights of 0, so nothing is learnt; very large values of features "
                "(above 1e10, say) are the usual reason: scale them"
            )
        self._model = model.with_metadata(metadata)
        if self.model_filename is not None:
            self.save(self.model_filename)
        warn_of_constant_model(self._model, self.min_freq)
        return self

    def predict(self, X: Iterable[Any], *, known: Iterable[Any] | None = None) -> list[list[str]]:
        """Give the best labels of sequences (Viterbi); of equal labellings the one whose last label is lowest.

        Parameters
        ----------
        X : iterable of sequences
            As in :meth:`fit`. Features that did not occur in training are ignored.
        known : iterable of sequences, optional
            Labels that are given: for each token a label, a set of allowed ones, or None.

        Returns
        -------
        list of list of str
            NumPy makes an array of lists of it.

        Raises
        ------
        spanrs.errors.ModelError
            If the model is not trained, if ``known`` contains a label that the model does not have, or if no labelling
            is allowed.
        """
        return Labellings(self._trained().tag(X, False, known, thread_count(self.threads)))

    def predict_single(self, x: Any) -> list[str]:
        """Give the best labels of one sequence."""
        return self.predict([x])[0]

    def predict_posterior(self, X: Iterable[Any]) -> list[list[str]]:
        """Give the label of largest marginal probability of each token; neighbours need not be legal."""
        return Labellings(self._trained().tag(X, True, None, thread_count(self.threads)))

    def predict_proba(self, X: Iterable[Any]) -> list[npt.NDArray[np.float64]]:
        """Give marginal probabilities: an array (tokens, labels) for each sequence, columns as ``classes_``."""
        return self._trained().marginals(X, thread_count(self.threads))

    def predict_marginals(self, X: Iterable[Any]) -> list[list[dict[str, float]]]:
        """Give marginal probabilities as a dict by label for each token."""
        labels = self.classes_
        return [
            [dict(zip(labels, map(float, row), strict=True)) for row in rows]
            for rows in self.predict_proba(X)
        ]

    def predict_marginals_single(self, x: Any) -> list[dict[str, float]]:
        """Give the marginal probabilities of one sequence."""
        return self.predict_marginals([x])[0]

    def predict_n_best(self, x: Any, n: int) -> list[tuple[list[str], float]]:
        """Give the ``n`` best labellings of one sequence with their probabilities, best first.

        Examples
        --------
        >>> from spanrs.crf import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["A", "B"]])
        >>> first, second = crf.predict_n_best([["a"], ["b"]], 2)
        >>> first[0], first[1] > second[1]
        (['A', 'B'], True)
        """
        if n < 1:
            raise ValueError(f"n is {n}; it must be at least 1")
        return self._trained().n_best(x, n)

    def probability(self, x: Any, labels: Sequence[str]) -> float:
        """Give the probability of a labelling: 0 if it violates the scheme."""
        return self._trained().probabilities([x], [list(labels)])[0]

    def score(
        self,
        X: Iterable[Any],
        y: Sequence[Sequence[str]],
        sample_weight: Iterable[float] | None = None,
    ) -> float:
        """Give the share of tokens whose label is right; for F1 of spans see :func:`spanrs.score`.

        Weights are those of sequences.
        """
        pred = self.predict(X)
        if len(pred) != len(y):
            raise ValueError(f"{len(pred)} sequences, but {len(y)} sequences of labels")
        weights = [1.0] * len(pred) if sample_weight is None else list(sample_weight)
        if len(weights) != len(pred):
            raise ValueError(f"{len(pred)} sequences, but {len(weights)} weights")
        right = total = 0.0
        for own, gold, weight in zip(pred, y, weights, strict=True):
            if len(own) != len(gold):
                raise ValueError(f"{len(own)} tokens, but {len(gold)} labels")
            if not all(isinstance(label, str) for label in gold):
                raise ModelError("score needs one label, a string, for each token")
            right += weight * sum(map(str.__eq__, own, gold))
            total += weight * len(gold)
        return right / total if total else 0.0

    def explain(self, x: Any, n: int = 10) -> list[Explanation]:
        """Say what decided each label of a sequence.

        Parameters
        ----------
        x : sequence
            As in :meth:`fit`.
        n : int
            Most reasons for each token.

        Returns
        -------
        list of Explanation
            One for each token; as text it is a small table.

        Examples
        --------
        >>> from spanrs.crf import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["A", "B"]])
        >>> [(e.label, e.reasons[0].feature) for e in crf.explain([["a"], ["b"]])]
        [('A', 'A -> B'), ('B', 'A -> B')]
        """
        if n < 1:
            raise ValueError(f"n is {n}; it must be at least 1")
        x = x if isinstance(x, CrfItems) else list(x)
        return explain(self._trained(), x, self.predict_single(x), self.predict_proba([x])[0], n)

    @property
    def classes_(self) -> list[str]:
        """The labels, in the order in which they first occurred."""
        return self._trained().labels()

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """Weight by attribute and label."""
        return {(attribute, label): weight for attribute, label, weight in self._trained().states()}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """Weight by label and next label."""
        return {(source, target): weight for source, target, weight in self._trained().transitions()}

    @property
    def metadata_(self) -> dict[str, Any]:
        """Metadata stored with the model: template, scheme and model card."""
        found: dict[str, Any] = json.loads(self._trained().metadata())
        return found

    def describe(self, facts: Mapping[str, Any]) -> None:
        """Add facts to the metadata that :meth:`save` writes: a model card. They must be JSON values."""
        self._model = self._trained().with_metadata(json.dumps({**self.metadata_, "card": dict(facts)}))

    def save(self, target: str | PathLike[str] | IO[bytes]) -> None:
        """Write the model: safetensors with JSON metadata. Nothing is left behind if it fails."""
        data = self._trained().to_bytes()
        with atomic_output(target) as file:
            file.write(data)

    def save_crfsuite(self, target: str | PathLike[str] | IO[bytes]) -> None:
        """Write the model as CRFsuite does; metadata such as the template is lost."""
        data = self._trained().to_crfsuite()
        with atomic_output(target) as file:
            file.write(data)

    @classmethod
    def load(
        cls,
        source: str | PathLike[str] | bytes | IO[bytes],
        *,
        template: str | PathLike[str] | None = None,
        scheme: str | None = None,
    ) -> CRF:
        """Read a model: a file that :meth:`save` wrote, or one of CRFsuite.

        Parameters
        ----------
        source : path, bytes or file object
            The file.
        template : str or path, optional
            The template of the model's features, for models that do not hold theirs (those of CRFsuite).
        scheme : str, optional
            Decode legal tags of this scheme only; for such models as well.

        Returns
        -------
        CRF
            With its training parameters, except ``threads`` and ``progress``. ``scheme`` is the scheme that was found,
            ``template`` the text of the template. Files of CRFsuite have none of these.

        Raises
        ------
        spanrs.errors.ModelError
            If the file is damaged, or no model.

        Examples
        --------
        >>> import io
        >>> from spanrs.crf import CRF
        >>> file = io.BytesIO()
        >>> CRF().fit([[["a"]]], [["A"]]).save(file)
        >>> CRF.load(file.getvalue()).predict([[["a"]]])
        [['A']]
        """
        if isinstance(source, bytes):
            data, name = source, None
        elif isinstance(source, (str, PathLike)):
            data, name = Path(source).read_bytes(), str(source)
        else:
            data, name = source.read(), getattr(source, "name", None)
        if not isinstance(data, bytes):
            raise TypeError("a model is bytes; open the file with mode 'rb'")
        try:
            read = CrfModel.from_crfsuite if data[:4] == _CRFSUITE else CrfModel.from_bytes
            model = read(data)
        except ModelError as error:
            if name is not None:
                error.args = (f"{name}: {error}",)
                error.path = str(name)
            raise
        return cls._of(model)._with_template_and_scheme(template, scheme)

    @classmethod
    def _of(cls, model: CrfModel) -> CRF:
        """Make an estimator of a model, with the parameters in its metadata."""
        facts = json.loads(model.metadata())
        params = facts.get("params", {})
        if not isinstance(params, dict):
            raise ModelError("the parameters in the model's metadata are no object")
        crf = cls()
        known = crf.get_params()
        # Later versions may have others.
        params = {
            name: value for name, value in params.items() if name in known and name not in _NOT_STORED
        }
        crf.set_params(**params)
        crf.set_params(template=facts.get("template"), scheme=facts.get("scheme"))
        crf._model = model
        return crf

    def _with_template_and_scheme(
        self, template: str | PathLike[str] | None = None, scheme: str | None = None
    ) -> CRF:
        """Return a copy with another template or scheme; None keeps the current one, the scheme ``none`` is no scheme.

        Raises
        ------
        spanrs.errors.SchemeError
            If a label is not a valid tag of the scheme.
        """
        facts, new = self.metadata_, copy.copy(self)
        if template is not None:
            facts["template"] = new.template = template_text(template)
        if scheme is not None and scheme.strip().lower() == "none":
            facts["scheme"] = new.scheme = None
        elif scheme is not None:
            facts["scheme"] = new.scheme = _spanrs.scheme_name(scheme)
            check_single_tokens(new.scheme, self.classes_)
        if template is not None or scheme is not None:
            new._model = self._trained().with_metadata(json.dumps(facts))
        return new

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_model"] = None if self._model is None else self._model.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state["_model"]
        self.__dict__.update(state, _model=None if data is None else CrfModel.from_bytes(data))

    def _trained(self) -> CrfModel:
        if self._model is None and self.model_filename is not None and Path(self.model_filename).exists():
            self._model = type(self).load(self.model_filename)._model
        if self._model is None:
            raise ModelError("the CRF is not trained; call fit, or CRF.load")
        return self._model

    def _stored_params(self) -> dict[str, Any]:
        """Parameters of training that are not the defaults, for the metadata."""
        return {
            # NumPy's scalars are no JSON.
            name: value.item() if hasattr(value, "item") else value
            for name, value in self.changed_params().items()
            if name not in _NOT_STORED
        }

    def _options(self) -> dict[str, Any]:
        return {name: value for name, value in self.get_params().items() if name not in _OWN}

    def _scheme(self, labels: Sequence[str], sequences: Sequence[Sequence[str]]) -> str | None:
        if self.scheme == "auto":
            name = scheme_of(labels, sequences)
            legal = name is not None and allows_single_token_sentences(name, labels)
            return name if legal else None
        name = None if self.scheme is None else _spanrs.scheme_name(self.scheme)
        if name is not None:
            check_single_tokens(name, labels)
        warn_of_violations(name, sequences)
        return name
