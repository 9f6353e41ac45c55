"""Parser of training messages (pycrfsuite._logparser)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NamedTuple


class LabelScore(NamedTuple):
    """Scores of a label on held-out sequences; measures are None for labels that do not occur."""

    match: int
    model: int
    ref: int
    precision: float | None
    recall: float | None
    f1: float | None


_DECIMAL = r"(\d+\.\d+)"
_TRIPLE = rf"{_DECIMAL}, {_DECIMAL}, {_DECIMAL}"
_HEAD = r"\*{5} (?:Iteration|Epoch) #(\d+) \*{5}\n"
#: State -> pattern of a message, the next state, the event, and the name of the value in the message.
_RULES: dict[str, tuple[tuple[str, str, str | None, str | None], ...]] = {
    "FEATGEN": (
        (r"(?:10|\d|\.)\Z", "FEATGEN", "featgen_progress", None),
        (r"Number of features: (\d+)", "FEATGEN", None, "featgen_num_features"),
        (rf"Seconds required: {_DECIMAL}", "AFTER_FEATGEN", "featgen_end", "featgen_seconds"),
    ),
    "AFTER_FEATGEN": (
        (_HEAD, "ITERATION", "prepared", None),
        (r"(?s:.*)terminated with error", "AFTER_ITERATION", "prepare_error", None),
    ),
    "ITERATION": ((_HEAD, "ITERATION", None, None), (r"\n\Z", "AFTER_ITERATION", "iteration", None)),
    "AFTER_ITERATION": (
        (_HEAD, "ITERATION", None, None),
        (rf"Total seconds required for training: {_DECIMAL}", "AFTER_ITERATION", None, "training_seconds"),
        (r"Storing the model", "STORING", "optimization_end", None),
    ),
    "STORING": (
        (r"\n\Z", "STORING", "end", None),
        (rf"Seconds required: {_DECIMAL}", "STORING", None, "storing_seconds"),
    ),
}
#: Patterns of the values of an iteration.
_VALUES = {
    f"Loss: {_DECIMAL}": "loss",
    f"Feature norm: {_DECIMAL}": "feature_norm",
    f"Error norm: {_DECIMAL}": "error_norm",
    r"Active features: (\d+)": "active_features",
    r"Line search trials: (\d+)": "linesearch_trials",
    f"Line search step: {_DECIMAL}": "linesearch_step",
    f"Seconds required for this iteration: {_DECIMAL}": "time",
}
_AVERAGES = re.compile(rf"Macro-average precision, recall, F1: \({_TRIPLE}\)")
_ACCURACY = re.compile(r"(Item|Instance) accuracy: (\d+) / (\d+)")
_SCORES = re.compile(rf"\s{{4}}(.+): \((\d+), (\d+), (\d+)\) \((?:{_TRIPLE}|\*{{6}}, \*{{6}}, \*{{6}})\)")


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


class TrainLogParser:
    r"""Progress of training, parsed from the messages.

    ``log`` contains all messages, ``events`` the name of each event with the range of its messages, and ``iterations``
    a dict for each iteration; seconds are CPU time.

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
        """Read a message; return the name of the event that the message completes, or None."""
        self.log.append(line)
        first = self.state is None
        event = "start" if first else None
        if self.state in (None, "STARTING"):
            self.state = "FEATGEN" if line.startswith("Feature generation") else "STARTING"
        else:
            event = self._read(line)
        if event is not None:
            begin = 0 if first else self.events[-1][2]
            # The end of these events is detected by the first message of the next event.
            end = len(self.log) - (event in ("prepared", "optimization_end"))
            self.events.append((event, begin, end))
        return event

    @property
    def last_log(self) -> str:
        """Messages of the last event."""
        _, begin, end = self.events[-1]
        return "".join(self.log[begin:end])

    def _read(self, line: str) -> str | None:
        for pattern, state, event, name in _RULES[self.state or ""]:
            if match := re.match(pattern, line):
                self.state = state
                if pattern == _HEAD:
                    self.last_iteration = {"num": int(match[1]), "scores": {}}
                    self.iterations.append(self.last_iteration)
                elif event == "featgen_progress":
                    self.featgen_percent += 2
                if name is not None:
                    setattr(self, name, _number(match[1]))
                return event
        if self.state == "ITERATION":
            assert self.last_iteration is not None
            self._read_values(line, self.last_iteration)
        return None

    def _read_values(self, line: str, info: dict[str, Any]) -> None:
        for pattern, name in _VALUES.items():
            if match := re.match(pattern, line):
                info[name] = _number(match[1])
        if match := _AVERAGES.match(line):
            info |= zip(("avg_precision", "avg_recall", "avg_f1"), map(float, match.groups()), strict=True)
        elif (match := _ACCURACY.match(line)) and int(match[3]):
            name = f"{match[1].lower()}_accuracy"
            info[name] = Fraction(int(match[2]), int(match[3]))
            info[f"{name}_float"] = float(info[name])
        elif match := _SCORES.match(line):
            label, *counts = match.groups()[:4]
            scores = (None if value is None else float(value) for value in match.groups()[4:])
            info["scores"][label] = LabelScore(*map(int, counts), *scores)
