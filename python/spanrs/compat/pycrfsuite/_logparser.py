"""Reading of the messages of training (pycrfsuite._logparser)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NamedTuple


class LabelScore(NamedTuple):
    """Scores of a label on held-out sequences; None for a label that does not occur there."""

    match: int
    model: int
    ref: int
    precision: float | None
    recall: float | None
    f1: float | None


_DECIMAL = r"(\d+\.\d+)"
_SECONDS = re.compile(rf"Seconds required: {_DECIMAL}")
_FEATURES = re.compile(r"Number of features: (\d+)")
_TOTAL = re.compile(rf"Total seconds required for training: {_DECIMAL}")
_HEAD = re.compile(r"\*{5} (?:Iteration|Epoch) #(\d+) \*{5}\n")
_PROGRESS = re.compile(r"10|\d|\.")
_VALUES: tuple[tuple[str, re.Pattern[str], type[float]], ...] = (
    ("loss", re.compile(rf"Loss: {_DECIMAL}"), float),
    ("feature_norm", re.compile(rf"Feature norm: {_DECIMAL}"), float),
    ("error_norm", re.compile(rf"Error norm: {_DECIMAL}"), float),
    ("active_features", re.compile(r"Active features: (\d+)"), int),
    ("linesearch_trials", re.compile(r"Line search trials: (\d+)"), int),
    ("linesearch_step", re.compile(rf"Line search step: {_DECIMAL}"), float),
    ("time", re.compile(rf"Seconds required for this iteration: {_DECIMAL}"), float),
)
_TRIPLE = rf"{_DECIMAL}, {_DECIMAL}, {_DECIMAL}"
_AVERAGES = re.compile(rf"Macro-average precision, recall, F1: \({_TRIPLE}\)")
_ACCURACY = re.compile(r"(Item|Instance) accuracy: (\d+) / (\d+)")
_SCORES = re.compile(rf"\s{{4}}(.+): \((\d+), (\d+), (\d+)\) \((?:{_TRIPLE}|\*{{6}}, \*{{6}}, \*{{6}})\)")


class TrainLogParser:
    r"""Progress of training, from its messages.

    ``log`` has all messages, ``events`` the name of each event with the range of its messages, ``iterations``
    a dict for each iteration; seconds are of CPU.

    >>> from spanrs.compat.pycrfsuite._logparser import TrainLogParser
    >>> parser = TrainLogParser()
    >>> messages = ["Feature generation\n", "Number of features: 2\n", "Seconds required: 0.001\n"]
    >>> [parser.feed(message) for message in messages]
    ['start', None, 'featgen_end']
    >>> parser.featgen_num_features
    2
    """

    def __init__(self) -> None:
        self.state: str | None = None
        self.featgen_percent = -2
        self.featgen_num_features: int | None = None
        self.featgen_seconds: float | None = None
        self.training_seconds: float | None = None
        self.storing_seconds: float | None = None
        self.iterations: list[dict[str, Any]] = []
        self.last_iteration: dict[str, Any] | None = None
        self.log: list[str] = []
        self.events: list[tuple[str, int, int]] = []

    def feed(self, line: str) -> str | None:
        """Read a message; return the name of the event that it completes."""
        self.log.append(line)
        first = self.state is None
        event = "start" if first else None
        if self.state in (None, "STARTING"):
            self.state = "FEATGEN" if line.startswith("Feature generation") else "STARTING"
        else:
            event = getattr(self, f"_in_{str(self.state).lower()}")(line)
        if event is not None:
            begin = 0 if first else self.events[-1][2]
            # These are known from the first message of what follows.
            end = len(self.log) - (event in ("prepared", "optimization_end"))
            self.events.append((event, begin, end))
        return event

    @property
    def last_log(self) -> str:
        """Messages of the last event."""
        _, begin, end = self.events[-1]
        return "".join(self.log[begin:end])

    def _in_featgen(self, line: str) -> str | None:
        if _PROGRESS.fullmatch(line):
            self.featgen_percent += 2
            return "featgen_progress"
        if found := _FEATURES.match(line):
            self.featgen_num_features = int(found[1])
        elif found := _SECONDS.match(line):
            self.featgen_seconds = float(found[1])
            self.state = "AFTER_FEATGEN"
            return "featgen_end"
        return None

    def _in_after_featgen(self, line: str) -> str | None:
        if self._begins_iteration(line):
            return "prepared"
        if "terminated with error" in line:
            self.state = "AFTER_ITERATION"
            return "prepare_error"
        return None

    def _begins_iteration(self, line: str) -> bool:
        found = _HEAD.match(line)
        if found is None:
            return False
        self.state = "ITERATION"
        self.last_iteration = {"num": int(found[1]), "scores": {}}
        self.iterations.append(self.last_iteration)
        return True

    def _in_iteration(self, line: str) -> str | None:
        if self._begins_iteration(line):
            return None
        if line == "\n":
            self.state = "AFTER_ITERATION"
            return "iteration"
        info = self.last_iteration
        assert info is not None
        for name, pattern, kind in _VALUES:
            if found := pattern.match(line):
                info[name] = kind(found[1])
        if found := _AVERAGES.match(line):
            info |= zip(("avg_precision", "avg_recall", "avg_f1"), map(float, found.groups()), strict=True)
        elif (found := _ACCURACY.match(line)) and int(found[3]):
            name = f"{found[1].lower()}_accuracy"
            info[name] = Fraction(int(found[2]), int(found[3]))
            info[f"{name}_float"] = float(info[name])
        elif found := _SCORES.match(line):
            label, *counts = found.groups()[:4]
            scores = (None if value is None else float(value) for value in found.groups()[4:])
            info["scores"][label] = LabelScore(*map(int, counts), *scores)
        return None

    def _in_after_iteration(self, line: str) -> str | None:
        if self._begins_iteration(line):
            return None
        if found := _TOTAL.match(line):
            self.training_seconds = float(found[1])
        if line.startswith("Storing the model"):
            self.state = "STORING"
            return "optimization_end"
        return None

    def _in_storing(self, line: str) -> str | None:
        if line == "\n":
            return "end"
        if found := _SECONDS.match(line):
            self.storing_seconds = float(found[1])
        return None
