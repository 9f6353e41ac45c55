"""The estimator (sklearn_crfsuite.estimator)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from spanrs.compat.pycrfsuite import Tagger, Trainer
from spanrs.compat.pycrfsuite._dumpparser import ParsedDump
from spanrs.compat.pycrfsuite._logparser import TrainLogParser
from spanrs.compat.pycrfsuite._parameters import NAMES
from spanrs.compat.sklearn_crfsuite._fileresource import FileResource
from spanrs.compat.sklearn_crfsuite.compat import BaseEstimator
from spanrs.compat.sklearn_crfsuite.metrics import flat_accuracy_score
from spanrs.compat.sklearn_crfsuite.trainer import LinePerIterationTrainer

CrfT = TypeVar("CrfT", bound="CRF")

#: Parameters of the estimator that are not passed to the trainer.
_OWN = frozenset(("algorithm", "verbose", "model_filename", "keep_tempfiles", "trainer_cls"))
_ACTIVE = "attributes with a non-zero weight"


def _of_model(summary: str, value: Callable[[ParsedDump], Any]) -> property:
    """Create a property of the model, which is None before training."""

    def get(self: CRF) -> Any:
        if self.tagger_ is not None and self._info_cached is None:
            self._info_cached = self.tagger_.info()
        return None if self._info_cached is None else value(self._info_cached)

    return property(get, doc=summary)


@dataclass(eq=False, repr=False)
class CRF(BaseEstimator):
    """A conditional random field as a scikit-learn estimator, which supports pickling, cloning and parameter search.

    For all training parameters, None means the default of the algorithm. All values of ``linesearch`` use the same line
    search. ``training_log_`` contains the parsed messages of training. All attributes of the model are None before
    :meth:`fit`.

    >>> X = [[{"word": "Rome"}, {"word": "is"}]]
    >>> crf = CRF(c2=0.01).fit(X, [["LOC", "O"]])
    >>> crf.classes_, crf.num_attributes_
    (['LOC', 'O'], 2)
    """

    algorithm: str | None = None
    min_freq: float | None = None
    all_possible_states: bool | None = None
    all_possible_transitions: bool | None = None
    c1: float | None = None
    c2: float | None = None
    max_iterations: int | None = None
    num_memories: int | None = None
    epsilon: float | None = None
    period: int | None = None
    delta: float | None = None
    linesearch: str | None = None
    max_linesearch: int | None = None
    calibration_eta: float | None = None
    calibration_rate: float | None = None
    calibration_samples: int | None = None
    calibration_candidates: int | None = None
    calibration_max_trials: int | None = None
    pa_type: int | None = None
    c: float | None = None
    error_sensitive: bool | None = None
    averaging: bool | None = None
    variance: float | None = None
    gamma: float | None = None
    verbose: bool = False
    model_filename: str | None = None
    keep_tempfiles: bool = False
    trainer_cls: type[Trainer] | None = None

    def __post_init__(self) -> None:
        self.modelfile = FileResource(self.model_filename, self.keep_tempfiles, ".crfsuite", "model")
        self.training_log_: TrainLogParser | None = None
        self._tagger: Tagger | None = None
        self._info_cached: ParsedDump | None = None

    def fit(self: CrfT, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> CrfT:  # noqa: N803
        """Train the model; ``X_dev`` and ``y_dev`` are scored after each iteration."""
        if (X_dev is None) != (y_dev is None):
            raise ValueError("Pass both X_dev and y_dev to use the holdout data")
        if self._tagger is not None:
            self._tagger.close()
        self._tagger = self._info_cached = None
        path = self.modelfile.refresh()
        values = {name: value for name, value in self.get_params().items() if name not in _OWN}
        params = {NAMES.get(name, name): value for name, value in values.items() if value is not None}
        make = self.trainer_cls or LinePerIterationTrainer
        trainer = make(algorithm=self.algorithm, params=params, verbose=self.verbose)
        self._append(trainer, X, y, 0, "training")
        if X_dev is not None:
            self._append(trainer, X_dev, y_dev, 1, "dev")
        trainer.train(path, holdout=-1 if X_dev is None else 1)
        self.training_log_ = trainer.logparser
        return self

    def _append(self, trainer: Trainer, inputs: Any, labels: Any, group: int, name: str) -> None:
        pairs: Any = zip(inputs, labels, strict=True)
        if self.verbose:
            with contextlib.suppress(ModuleNotFoundError):
                from tqdm import tqdm  # type: ignore[import-untyped, unused-ignore]

                pairs = tqdm(pairs, f"loading {name} data to CRFsuite", len(inputs), leave=True)
        for xseq, yseq in pairs:
            trainer.append(xseq, yseq, group)
        if self.verbose:
            print()  # noqa: T201

    def predict(self, X: Iterable[Any]) -> npt.NDArray[np.object_]:  # noqa: N803
        """Return the labels of sequences."""
        return np.array(self._fitted()._tag_all(X), dtype=object)

    def predict_single(self, xseq: Any) -> list[str]:
        """Return the labels of a sequence."""
        return self._fitted().tag(xseq)

    def predict_marginals(self, X: Iterable[Any]) -> npt.NDArray[np.object_]:  # noqa: N803
        """Return the marginal probabilities of labels of sequences, as a dict for each token."""
        return np.array(self._fitted()._all_marginals(X), dtype=object)

    def predict_marginals_single(self, xseq: Sequence[Any]) -> list[dict[str, float]]:
        """Return the marginal probabilities of labels of a sequence, as a dict for each token."""
        return self._fitted()._all_marginals([xseq])[0]

    def score(self, X: Any, y: Any) -> Any:  # noqa: N803
        """Return the fraction of correct tokens."""
        return flat_accuracy_score(y, self.predict(X))

    def _fitted(self) -> Tagger:
        if self.tagger_ is None:
            raise AttributeError("the model is not trained; call fit first, or pass model_filename")
        return self.tagger_

    @property
    def tagger_(self) -> Tagger | None:
        """The tagger of the trained model, or None."""
        if self._tagger is None and self.modelfile.name is not None:
            tagger = Tagger()
            tagger.open(self.modelfile.name)
            self._tagger, self._info_cached = tagger, None
        return self._tagger

    @property
    def classes_(self) -> list[str] | None:
        """Labels."""
        return None if self.tagger_ is None else self.tagger_.labels()

    size_ = _of_model("Size of the model file in bytes.", lambda info: int(info.header["size"]))
    num_attributes_ = _of_model(f"Number of {_ACTIVE}.", lambda info: int(info.header["num_attrs"]))
    attributes_ = _of_model(f"{_ACTIVE.capitalize()}.", lambda info: list(info.attributes))
    state_features_ = _of_model("Weights by attribute and label.", attrgetter("state_features"))
    transition_features_ = _of_model("Weights by label and next label.", attrgetter("transitions"))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_tagger": None, "_info_cached": None}
