"""One training: feature generation, optimisation, and CRFsuite's messages about them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from spanrs._spanrs import CrfItems, CrfModel, CrfTrainer
from spanrs.compat.pycrfsuite._errors import OVERFLOW, CRFSuiteError
from spanrs.compat.pycrfsuite._holdout import holdout_report
from spanrs.compat.pycrfsuite._model_file import empty_model
from spanrs.compat.pycrfsuite._parameters import core_options
from spanrs.errors import ModelError


class LabelledSequence(NamedTuple):
    """A sequence with its labels and its group."""

    group: int
    items: CrfItems
    labels: list[str]


class TrainedModel(NamedTuple):
    """Content of a model file, with the numbers of active and of all features and attributes."""

    content: bytes
    features: tuple[int, int]
    attributes: tuple[int, int]
    labels: int


#: What is said first of each algorithm: its name, and names of values with the parameters.
_INTRODUCTIONS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "lbfgs": (
        "L-BFGS optimization",
        (
            *((name, name) for name in ("c1", "c2", "num_memories", "max_iterations", "epsilon")),
            ("stop", "period"),
            ("delta", "delta"),
            ("linesearch", "linesearch"),
            ("linesearch.max_iterations", "max_linesearch"),
        ),
    ),
    "l2sgd": (
        "Stochastic Gradient Descent (SGD)",
        tuple((name, name) for name in ("c2", "max_iterations", "period", "delta")),
    ),
    "averaged-perceptron": (
        "Averaged perceptron",
        tuple((name, name) for name in ("max_iterations", "epsilon")),
    ),
    "passive-aggressive": (
        "Passive Aggressive",
        tuple(
            (name, name)
            for name in ("type", "c", "error_sensitive", "averaging", "max_iterations", "epsilon")
        ),
    ),
    "arow": (
        "Adaptive Regularization of Weights (AROW)",
        tuple((name, name) for name in ("variance", "gamma", "max_iterations", "epsilon")),
    ),
}
_PROGRESS = [*(character for tens in range(10) for character in (str(tens), *"....")), "10", "\n"]


class TrainingRun:
    """One training, with the messages of CRFsuite."""

    def __init__(
        self,
        algorithm: str,
        values: dict[str, int | float | str],
        train_data: list[LabelledSequence],
        dev: list[LabelledSequence] | None,
        say: Callable[..., None],
    ) -> None:
        self._algorithm = algorithm
        self._values = values
        self._train_data = train_data
        self._dev = dev
        self._say = say
        self._labels: list[str] = []
        self._losses: list[float] = []
        self._clock = time.process_time()

    def train(self) -> TrainedModel:
        """Train and return the model."""
        begin = time.process_time()
        corpus = CrfTrainer(None)
        corpus.extend(
            [sequence.items for sequence in self._train_data],
            [sequence.labels for sequence in self._train_data],
            None,
        )
        features = self._generate_features(corpus)
        self._introduce()
        self._clock = time.process_time()
        attributes = corpus.sizes()[2]
        if self._train_data:
            model = self._optimize(corpus)
            trained = TrainedModel(
                model.to_crfsuite(),
                (len(model.states()) + len(model.transitions()), features),
                (len(model.attributes()), attributes),
                len(self._labels),
            )
        else:
            trained = TrainedModel(empty_model(), (0, 0), (0, 0), 0)
            if self._algorithm == "lbfgs":
                self._say("L-BFGS terminated with error code (-1020)\n")
        if self._algorithm == "l2sgd" and self._losses:
            self._say(f"Loss: {min(self._losses):f}\n")
        self._say(f"Total seconds required for training: {time.process_time() - begin:.3f}\n", "\n")
        return trained

    def _generate_features(self, corpus: CrfTrainer) -> int:
        begin = time.process_time()
        values = self._values
        self._say(
            "Feature generation\n",
            "type: CRF1d\n",
            f"feature.minfreq: {values['feature.minfreq']:f}\n",
            f"feature.possible_states: {values['feature.possible_states']:d}\n",
            f"feature.possible_transitions: {values['feature.possible_transitions']:d}\n",
            *_PROGRESS,
        )
        if self._train_data and self._dev:
            # Labels that only occur in held-out sequences belong to the model in CRFsuite.
            known = set(corpus.labels())
            new = [label for label in dict.fromkeys(_all_labels(self._dev)) if label not in known]
            corpus.extend([[{}] for _ in new], [[label] for label in new], [0.0 for _ in new])
        self._labels = corpus.labels()
        features = count_features(self._train_data, len(self._labels), values)
        self._say(
            f"Number of features: {features}\n",
            f"Seconds required: {time.process_time() - begin:.3f}\n",
            "\n",
        )
        return features

    def _introduce(self) -> None:
        title, names = _INTRODUCTIONS[self._algorithm]
        self._say(
            f"{title}\n",
            *(f"{name}: {_shown(self._values[parameter])}\n" for name, parameter in names),
            "\n",
        )
        if self._algorithm == "l2sgd":
            self._say("Calibrating the learning rate (eta)\n")
            calibration = {
                name: self._values[name] for name in self._values if name.startswith("calibration.")
            }
            samples = int(calibration["calibration.samples"])
            calibration["calibration.samples"] = min(samples, len(self._train_data))
            self._say(*(f"{name}: {_shown(value)}\n" for name, value in calibration.items()), "\n")

    def _optimize(self, corpus: CrfTrainer) -> CrfModel:
        name, options = core_options(self._algorithm, self._values)
        dev = None if self._dev is None else [sequence.items for sequence in self._dev]
        try:
            model, reason = corpus.train(name, options, 1, None, dev, None, self._after_iteration, False)
        except ModelError as error:
            if error.code == "not_finite":
                raise CRFSuiteError(OVERFLOW) from error
            raise
        self._say(*self._ending(reason))
        return model

    def _after_iteration(
        self, state: tuple[int, float, float | None, int, int], dev_labels: list[list[str]] | None
    ) -> int:
        """Report an iteration; return 0 if the criterion of an online algorithm is met."""
        iteration, loss, gradient_norm, active, evaluations = state
        self._losses.append(loss)
        sgd = self._algorithm == "l2sgd"
        lines = [f"***** {'Epoch' if sgd else 'Iteration'} #{iteration} *****\n", f"Loss: {loss:f}\n"]
        if gradient_norm is not None:
            lines += [
                f"Error norm: {gradient_norm:f}\n",
                f"Active features: {active}\n",
                f"Line search trials: {evaluations}\n",
            ]
        if sgd:
            before = iteration - 1 - int(self._values["period"])
            if before >= 0 and loss:
                lines.append(f"Improvement ratio: {(self._losses[before] - loss) / loss:f}\n")
            lines.append(f"Total number of feature updates: {iteration * len(self._train_data)}\n")
        now = time.process_time()
        lines.append(f"Seconds required for this iteration: {now - self._clock:.3f}\n")
        self._clock = now
        if self._dev is not None and dev_labels is not None:
            lines += holdout_report(self._labels, [sequence.labels for sequence in self._dev], dev_labels)
        self._say(*lines, "\n")
        return 0 if self._converged(loss) else 1

    def _converged(self, loss: float) -> bool:
        """Apply CRFsuite's criterion of the online algorithms; the others stop in the core."""
        if self._algorithm in ("lbfgs", "l2sgd"):
            return False
        epsilon = float(self._values["epsilon"])
        if self._algorithm == "averaged-perceptron":
            return loss / sum(len(sequence.labels) for sequence in self._train_data) < epsilon
        mean = loss / len(self._train_data)
        return mean <= epsilon if self._algorithm == "arow" else mean < epsilon

    def _ending(self, reason: str) -> list[str]:
        if self._algorithm == "lbfgs":
            texts = {
                # liblbfgs: 2 if the start is the optimum, -998 if the line search takes too long.
                "converged": "resulted in convergence"
                if self._losses
                else "terminated with error code (2)",
                "delta": "terminated with the stopping criteria",
                "max_iterations": "terminated with the maximum number of iterations",
                "line_search": "terminated with error code (-998)",
            }
            return [f"L-BFGS {texts[reason]}\n"]
        if self._algorithm == "l2sgd":
            limit = "stopping criteria" if reason == "delta" else "maximum number of iterations"
            return [f"SGD terminated with the {limit}\n"]
        return ["Terminated with the stopping criterion\n", "\n"] if reason == "stopped" else []


def _shown(value: float | str) -> str:
    return f"{value:f}" if isinstance(value, float) else str(value)


def _all_labels(sequences: list[LabelledSequence]) -> Iterator[str]:
    for sequence in sequences:
        yield from sequence.labels


def count_features(
    sequences: list[LabelledSequence], labels: int, values: Mapping[str, int | float | str]
) -> int:
    """Count the features that training generates: those whose values sum to the least frequency."""
    states: dict[str, Counter[str]] = {}
    transitions: Counter[tuple[str, str]] = Counter()
    for sequence in sequences:
        for label, items in zip(sequence.labels, sequence.items.items(), strict=True):
            states.setdefault(label, Counter()).update(items)
        transitions.update(zip(sequence.labels, sequence.labels[1:], strict=False))
    least = float(values["feature.minfreq"])
    if least > 0:
        # Pairs that do not occur have the frequency 0.
        found = sum(count >= least for own in states.values() for count in own.values())
        return found + sum(count >= least for count in transitions.values())
    found = sum(map(len, states.values()))
    if values["feature.possible_states"]:
        found = len(set().union(*states.values())) * labels
    return found + (labels**2 if values["feature.possible_transitions"] else len(transitions))
