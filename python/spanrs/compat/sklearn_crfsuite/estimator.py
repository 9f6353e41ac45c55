"""The estimator (sklearn_crfsuite.estimator)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from spanrs.compat.pycrfsuite import Tagger, Trainer
from spanrs.compat.pycrfsuite._dumpparser import ParsedDump
from spanrs.compat.pycrfsuite._logparser import TrainLogParser
from spanrs.compat.sklearn_crfsuite._fileresource import FileResource
from spanrs.compat.sklearn_crfsuite.compat import BaseEstimator
from spanrs.compat.sklearn_crfsuite.trainer import LinePerIterationTrainer

CrfT = TypeVar("CrfT", bound="CRF")

#: Parameters of the estimator that have another name in the trainer.
_TRAINER_NAMES = {
    "min_freq": "feature.minfreq",
    "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions",
    "calibration_eta": "calibration.eta",
    "calibration_rate": "calibration.rate",
    "calibration_samples": "calibration.samples",
    "calibration_candidates": "calibration.candidates",
    "calibration_max_trials": "calibration.max_trials",
    "pa_type": "type",
}
#: Parameters that are not the trainer's.
_OWN = frozenset(("algorithm", "verbose", "model_filename", "keep_tempfiles", "trainer_cls"))


class CRF(BaseEstimator):
    """A conditional random field with the interface of scikit-learn; it can be pickled, cloned and searched.

    None means the default of the algorithm for all parameters of training.

    Parameters
    ----------
    algorithm : {"lbfgs", "l2sgd", "ap", "pa", "arow"} or None
        Training algorithm; None for "lbfgs".
    min_freq : float or None
        Leave out features that are less frequent.
    all_possible_states, all_possible_transitions : bool or None
        Have features also for pairs of attributes and labels, or of labels, that do not occur.
    c1, c2 : float or None
        Coefficients of the L1 and L2 regularisers: both for lbfgs, ``c2`` for l2sgd.
    max_iterations : int or None
        Largest number of iterations.
    num_memories : int or None
        Vector pairs of lbfgs.
    epsilon : float or None
        Criterion of convergence of all but l2sgd.
    period : int or None
        Iterations over which lbfgs and l2sgd measure the improvement.
    delta : float or None
        They stop if it is below this.
    linesearch : str or None
        Accepted; without effect.
    max_linesearch : int or None
        Largest number of trials of a line search of lbfgs.
    calibration_eta, calibration_rate : float or None
        First learning rate that l2sgd tries, and the factor between those it tries.
    calibration_samples, calibration_candidates, calibration_max_trials : int or None
        Sequences that a learning rate is tried on, number of improving rates, and of all rates.
    pa_type : {0, 1, 2} or None
        Slack of pa: none, linear or quadratic.
    c : float or None
        Aggressiveness of pa.
    error_sensitive, averaging : bool or None
        Whether pa counts wrong labels in the margin, and averages weights.
    variance, gamma : float or None
        Variance of weights at the start, and trade-off of arow.
    verbose : bool
        Print progress.
    model_filename : str or None
        A model file to use, and to write in :meth:`fit`; None for a temporary file.
    keep_tempfiles : bool
        Do not remove temporary files.
    trainer_cls : type or None
        Class of the trainer; None for :class:`~spanrs.compat.sklearn_crfsuite.trainer.LinePerIterationTrainer`.

    Attributes
    ----------
    training_log_ : TrainLogParser or None
        What the messages of training said.

    Examples
    --------
    >>> from spanrs.compat.sklearn_crfsuite import CRF
    >>> X = [[{"word": "Rome"}, {"word": "is"}]]
    >>> crf = CRF(c2=0.01).fit(X, [["LOC", "O"]])
    >>> crf.classes_, crf.num_attributes_
    (['LOC', 'O'], 2)
    """

    def __init__(  # noqa: PLR0917
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: int | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | None = None,
        keep_tempfiles: bool = False,
        trainer_cls: type[Trainer] | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
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
        self.verbose = verbose
        self.model_filename = model_filename
        self.keep_tempfiles = keep_tempfiles
        self.trainer_cls = trainer_cls
        self.modelfile = FileResource(model_filename, keep_tempfiles, suffix=".crfsuite", prefix="model")
        self.training_log_: TrainLogParser | None = None
        self._tagger: Tagger | None = None
        self._info_cached: ParsedDump | None = None

    def fit(
        self: CrfT,
        X: Any,  # noqa: N803
        y: Any,
        X_dev: Any = None,  # noqa: N803
        y_dev: Any = None,
    ) -> CrfT:
        """Train.

        Parameters
        ----------
        X : sequence of sequence
            Features of the tokens of each sequence.
        y : sequence of sequence of str
            Labels of the tokens of each sequence.
        X_dev, y_dev : sequence or None
            Sequences that are scored after each iteration.

        Raises
        ------
        ValueError
            If only one of ``X_dev`` and ``y_dev`` is given, or numbers of sequences or labels differ.
        """
        if (X_dev is None) != (y_dev is None):
            message = "Pass both X_dev and y_dev to use the holdout data"
            raise ValueError(message)
        if self._tagger is not None:
            self._tagger.close()
        self._tagger = self._info_cached = None
        self.modelfile.refresh()
        trainer = self._trainer()
        self._append(trainer, X, y, 0, "training")
        if X_dev is not None:
            self._append(trainer, X_dev, y_dev, 1, "dev")
        assert self.modelfile.name is not None
        trainer.train(self.modelfile.name, holdout=-1 if X_dev is None else 1)
        self.training_log_ = trainer.logparser
        return self

    def _trainer(self) -> Trainer:
        values = {name: value for name, value in self.get_params().items() if name not in _OWN}
        return (self.trainer_cls or LinePerIterationTrainer)(
            algorithm=self.algorithm,
            params={
                _TRAINER_NAMES.get(name, name): value for name, value in values.items() if value is not None
            },
            verbose=self.verbose,
        )

    def _append(self, trainer: Trainer, inputs: Any, labels: Any, group: int, name: str) -> None:
        pairs: Iterable[tuple[Any, Any]] = zip(inputs, labels, strict=True)
        if self.verbose:
            pairs = _with_progress(pairs, f"loading {name} data to CRFsuite", len(inputs))
        for xseq, yseq in pairs:
            trainer.append(xseq, yseq, group)
        if self.verbose:
            print()  # noqa: T201

    def predict(self, X: Iterable[Any]) -> npt.NDArray[np.object_]:  # noqa: N803
        """Return the labels of sequences.

        Parameters
        ----------
        X : iterable of sequence
            Features of the tokens of each sequence.
        """
        return np.array(self._fitted()._tag_all(X), dtype=object)

    def predict_single(self, xseq: Any) -> list[str]:
        """Return the labels of a sequence.

        Parameters
        ----------
        xseq : sequence
            Features of its tokens.
        """
        return self._fitted().tag(xseq)

    def predict_marginals(self, X: Iterable[Any]) -> npt.NDArray[np.object_]:  # noqa: N803
        """Return the marginal probabilities of labels of sequences.

        Parameters
        ----------
        X : iterable of sequence
            Features of the tokens of each sequence.
        """
        return np.array(self._fitted()._all_marginals(X), dtype=object)

    def predict_marginals_single(self, xseq: Sequence[Any]) -> list[dict[str, float]]:
        """Return the marginal probabilities of labels of a sequence: a dict for each token.

        Parameters
        ----------
        xseq : sequence
            Features of its tokens.
        """
        return self._fitted()._all_marginals([xseq])[0]

    def score(self, X: Any, y: Any) -> Any:  # noqa: N803
        """Return the share of correct tokens.

        Parameters
        ----------
        X : sequence of sequence
            Features of the tokens of each sequence.
        y : sequence of sequence of str
            Labels of the tokens of each sequence.
        """
        from spanrs.compat.sklearn_crfsuite.metrics import flat_accuracy_score

        return flat_accuracy_score(y, self.predict(X))

    def _fitted(self) -> Tagger:
        tagger = self.tagger_
        if tagger is None:
            message = "the model is not trained: call fit first, or name a model file"
            raise AttributeError(message)
        return tagger

    @property
    def tagger_(self) -> Tagger | None:
        """The tagger; None before :meth:`fit`, as of all attributes of the model."""
        if self._tagger is None and self.modelfile.name is not None:
            tagger = Tagger()
            tagger.open(self.modelfile.name)
            self._tagger = tagger
            self._info_cached = None
        return self._tagger

    @property
    def classes_(self) -> list[str] | None:
        """Labels."""
        return None if self.tagger_ is None else self.tagger_.labels()

    @property
    def size_(self) -> int | None:
        """Size of the model file in bytes."""
        return None if self._info is None else int(self._info.header["size"])

    @property
    def num_attributes_(self) -> int | None:
        """Number of attributes with a weight that is not zero."""
        return None if self._info is None else int(self._info.header["num_attrs"])

    @property
    def attributes_(self) -> list[str] | None:
        """Attributes with a weight that is not zero."""
        return None if self._info is None else sorted(self._info.attributes, key=self._number)

    def _number(self, attribute: str) -> int:
        assert self._info is not None
        return int(self._info.attributes[attribute])

    @property
    def state_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights by attribute and label."""
        return None if self._info is None else self._info.state_features

    @property
    def transition_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights by label and next label."""
        return None if self._info is None else self._info.transitions

    @property
    def _info(self) -> ParsedDump | None:
        if self.tagger_ is not None and self._info_cached is None:
            self._info_cached = self.tagger_.info()
        return self._info_cached

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_tagger": None, "_info_cached": None}


def _with_progress(pairs: Iterable[tuple[Any, Any]], title: str, total: int) -> Iterable[tuple[Any, Any]]:
    try:
        from tqdm import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError:
        return pairs
    bar: Iterable[tuple[Any, Any]] = tqdm(pairs, title, total, leave=True)
    return bar
