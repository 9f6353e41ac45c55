"""A training run: feature generation, optimisation, and CRFsuite's messages."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, compress
from typing import Any, ClassVar, TypeAlias

from spanrs._spanrs import CrfModel, CrfTrainer
from spanrs.compat.pycrfsuite._dumpparser import empty_model
from spanrs.compat.pycrfsuite._parameters import Values, core_options
from spanrs.errors import ModelError
from spanrs.io import atomic_output

Rows: TypeAlias = Sequence[Sequence[str]]
#: Messages of CRFsuite's status codes, from the lowest code.
_MESSAGES = ["Unknown error occurred", "Insufficient memory", "Unsupported operation", "Incompatible data"]
_MESSAGES += ["Internal error", "Overflow", "Not implemented"]
_OVERFLOW = -(2**31) + 5

#: First message of each algorithm: its name, and the names of its parameters.
_INTRODUCTIONS = {
    "lbfgs": (
        "L-BFGS optimization",
        "c1 c2 num_memories max_iterations epsilon stop delta linesearch linesearch.max_iterations",
    ),
    "l2sgd": ("Stochastic Gradient Descent (SGD)", "c2 max_iterations period delta"),
    "averaged-perceptron": ("Averaged perceptron", "max_iterations epsilon"),
    "passive-aggressive": ("Passive Aggressive", "type c error_sensitive averaging max_iterations epsilon"),
    "arow": ("Adaptive Regularization of Weights (AROW)", "variance gamma max_iterations epsilon"),
}
#: Names in the first message that differ from the names of parameters.
_SHOWN_AS = {"stop": "period", "linesearch.max_iterations": "max_linesearch"}
_PROGRESS = [*(character for tens in range(10) for character in (str(tens), *"....")), "10", "\n"]


class CRFSuiteError(Exception):
    """Training failed with ``code``, a status of CRFsuite."""

    _messages: ClassVar[dict[int, str]] = dict(enumerate(_MESSAGES, -(2**31)))

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(self._messages.get(code, "Unexpected error"))

    def __reduce__(self) -> tuple[type[CRFSuiteError], tuple[int]]:
        return type(self), (self.code,)


@dataclass
class TrainingData:
    """Sequences with the labels and the group of each."""

    corpus: CrfTrainer = field(default_factory=partial(CrfTrainer, None, any_value=True))
    labels: list[list[str]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)

    def part(self, kept: list[bool]) -> TrainingData:
        """Copy some of the sequences; labels and attributes keep their numbers."""
        labels, groups = list(compress(self.labels, kept)), list(compress(self.groups, kept))
        return TrainingData(self.corpus.part(kept), labels, groups)


class TrainingRun:
    """A training run with the messages of CRFsuite; a group of sequences may be held out."""

    def __init__(
        self,
        algorithm: str,
        values: Values,
        data: TrainingData,
        holdout: int,
        message: Callable[[str], None],
    ) -> None:
        self._algorithm, self._values, self._message = algorithm, values, message
        held_out = [0 <= holdout == group for group in data.groups]
        self._data = data.part([not held for held in held_out])
        self._dev = None if holdout < 0 else data.part(held_out)
        self._labels = data.corpus.labels()
        self._losses: list[float] = []
        self._clock = 0.0
        if self._dev is not None:
            self._say(f"Holdout group: {holdout + 1}\n", "\n")

    def _say(self, *messages: str) -> None:
        for message in messages:
            self._message(message)

    def train(self, path: str) -> None:
        """Train a model, and write it unless the path is empty."""
        begin = time.process_time()
        features = self._generate_features()
        self._introduce()
        self._clock = time.process_time()
        attributes, labels = self._data.corpus.sizes()[2], len(self._labels)
        content = empty_model()
        numbers = dict.fromkeys(("features", "attributes", "labels"), (0, 0))
        if self._data.labels:
            model = self._optimize()
            content = model.to_crfsuite()
            _, active, states = model.sizes()
            numbers["features"] = states + len(model.transitions()), features
            numbers |= {"attributes": (active, attributes), "labels": (labels, labels)}
        elif self._algorithm == "lbfgs":
            self._say("L-BFGS terminated with error code (-1020)\n")
        if self._algorithm == "l2sgd" and self._losses:
            self._say(f"Loss: {min(self._losses):f}\n")
        self._say(f"Total seconds required for training: {time.process_time() - begin:.3f}\n", "\n")
        if path:
            self._store(path, content, numbers)

    def _store(self, path: str, content: bytes, numbers: dict[str, tuple[int, int]]) -> None:
        begin = time.process_time()
        with atomic_output(path) as file:
            file.write(content)
        self._say("Storing the model\n")
        for name, (active, total) in numbers.items():
            self._say(f"Number of active {name}: {active} ({total})\n")
        parts = ("labels", "attributes", "feature references for transitions")
        for part in (*parts, "feature references for attributes"):
            self._say(f"Writing {part}\n")
        self._say(f"Seconds required: {time.process_time() - begin:.3f}\n", "\n")

    def _generate_features(self) -> int:
        begin = time.process_time()
        values = self._values
        shown = _lines({name: value for name, value in values.items() if name.startswith("feature.")})
        self._say("Feature generation\n", "type: CRF1d\n", *shown, *_PROGRESS)
        features = self._data.corpus.generate_features(core_options(self._algorithm, values))
        seconds = time.process_time() - begin
        self._say(f"Number of features: {features}\n", f"Seconds required: {seconds:.3f}\n", "\n")
        return features

    def _introduce(self) -> None:
        title, names = _INTRODUCTIONS[self._algorithm]
        values = {name: self._values[_SHOWN_AS.get(name, name)] for name in names.split()}
        self._say(f"{title}\n", *_lines(values), "\n")
        if self._algorithm == "l2sgd":
            calibration = {name: value for name, value in self._values.items() if "calibration" in name}
            samples = int(calibration["calibration.samples"])
            calibration["calibration.samples"] = min(samples, len(self._data.labels))
            self._say("Calibrating the learning rate (eta)\n", *_lines(calibration), "\n")

    def _optimize(self) -> CrfModel:
        options = core_options(self._algorithm, self._values)
        dev = None if self._dev is None else self._dev.corpus
        try:
            model, reason = self._data.corpus.train(
                options, 1, None, dev, None, self._after_iteration, False
            )
        except ModelError as error:
            if error.code == "not_finite":
                raise CRFSuiteError(_OVERFLOW) from error
            raise
        self._say(*self._ending(reason))
        return model

    def _after_iteration(
        self,
        state: dict[str, Any],
        dev_labels: list[list[str]] | None,
    ) -> int:
        """Report an iteration; return 0 if the stopping criterion of an online algorithm is met."""
        iteration, loss, gradient_norm = state["iteration"], state["loss"], state["gradient_norm"]
        self._losses.append(loss)
        sgd = self._algorithm == "l2sgd"
        lines = [f"***** {'Epoch' if sgd else 'Iteration'} #{iteration} *****\n", f"Loss: {loss:f}\n"]
        lines.append(f"Feature {'L2-norm' if sgd else 'norm'}: {state['weight_norm']:f}\n")
        if gradient_norm is not None:
            lines.append(f"Error norm: {gradient_norm:f}\n")
            lines += [
                f"Active features: {state['active']}\n",
                f"Line search trials: {state['evaluations']}\n",
            ]
            lines.append(f"Line search step: {state['step']:f}\n")
        if sgd:
            before = iteration - 1 - int(self._values["period"])
            if before >= 0 and loss:
                lines.append(f"Improvement ratio: {(self._losses[before] - loss) / loss:f}\n")
            lines.append(f"Total number of feature updates: {iteration * len(self._data.labels)}\n")
        now = time.process_time()
        lines.append(f"Seconds required for this iteration: {now - self._clock:.3f}\n")
        self._clock = now
        if self._dev is not None and dev_labels is not None:
            lines += holdout_report(self._labels, self._dev.labels, dev_labels)
        self._say(*lines, "\n")
        return 0 if self._converged(loss) else 1

    def _converged(self, loss: float) -> bool:
        """Apply CRFsuite's stopping criterion of online algorithms; other algorithms stop in the compiled module."""
        if self._algorithm in ("lbfgs", "l2sgd"):
            return False
        epsilon = float(self._values["epsilon"])
        if self._algorithm == "averaged-perceptron":
            return loss / sum(map(len, self._data.labels)) < epsilon
        mean = loss / len(self._data.labels)
        return mean <= epsilon if self._algorithm == "arow" else mean < epsilon

    def _ending(self, reason: str) -> list[str]:
        if self._algorithm == "lbfgs":
            texts = {
                "converged": "resulted in convergence",
                "delta": "terminated with the stopping criteria",
                "max_iterations": "terminated with the maximum number of iterations",
                "line_search": "terminated with error code (-998)",
            }
            # liblbfgs returns 2 if the initial weights are optimal, and -998 (above) if the line search takes too long.
            at_once = reason == "converged" and not self._losses
            return [f"L-BFGS {'terminated with error code (2)' if at_once else texts[reason]}\n"]
        if self._algorithm == "l2sgd":
            limit = "stopping criteria" if reason == "delta" else "maximum number of iterations"
            return [f"SGD terminated with the {limit}\n"]
        return ["Terminated with the stopping criterion\n", "\n"] if reason == "stopped" else []


def _lines(values: Values) -> list[str]:
    return [
        f"{name}: {value:f}\n" if isinstance(value, float) else f"{name}: {value}\n"
        for name, value in values.items()
    ]


def holdout_report(labels: Sequence[str], gold: Rows, pred: Rows) -> Iterator[str]:
    """Yield CRFsuite's lines about held-out sequences; a label that does not occur in gold has 0 in averages."""
    ref, model = Counter(chain(*gold)), Counter(chain(*pred))
    match = Counter(a for a, b in zip(chain(*gold), chain(*pred), strict=True) if a == b)
    yield "Performance by label (#match, #model, #ref) (precision, recall, F1):\n"
    sums = [0.0, 0.0, 0.0]
    for label in labels:
        counts = f"    {label}: ({match[label]}, {model[label]}, {ref[label]})"
        if not ref[label]:
            yield f"{counts} (******, ******, ******)\n"
            continue
        precision = match[label] / model[label] if model[label] else 0.0
        recall = match[label] / ref[label]
        f1 = 2 * precision * recall / (precision + recall) if match[label] else 0.0
        yield f"{counts} ({precision:.4f}, {recall:.4f}, {f1:.4f})\n"
        sums = [total + score for total, score in zip(sums, (precision, recall, f1), strict=True)]
    averages = ", ".join(f"{total / max(len(labels), 1):f}" for total in sums)
    yield f"Macro-average precision, recall, F1: ({averages})\n"
    sequences = sum(list(a) == list(b) for a, b in zip(gold, pred, strict=True)), len(gold)
    for name, (right, total) in (("Item", (match.total(), ref.total())), ("Instance", sequences)):
        yield f"{name} accuracy: {right} / {total} ({right / total if total else 0.0:.4f})\n"
