"""Training parameters: names, types and defaults for each algorithm."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Number = int | float
Value = int | float | bool | str


def _flag(value: Number) -> bool:
    return bool(int(value))


@dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm.

    Attributes
    ----------
    default : int, float or str
        Its default; the type is the one it is stored as.
    help : str
        Its description.
    option : str or None
        The option of the trainer of the core; None for those it does not have.
    shown : callable
        Converts the stored value into the one that ``Trainer.get`` returns.
    least : int, float or None
        The least value that the core accepts.
    """

    default: int | float | str
    help: str
    option: str | None
    shown: Callable[[Any], Value]
    least: Number | None = None

    def parse(self, name: str, value: object) -> int | float | str:
        """Convert a value that was set.

        Raises
        ------
        ValueError
            If it is not a number where one is needed.
        """
        text = str(int(value) if isinstance(value, bool) else value)
        if isinstance(self.default, str):
            return text
        try:
            if isinstance(self.default, float):
                return float(text)
            try:
                return int(text)
            except ValueError:
                return int(float(text))
        except (ValueError, OverflowError):
            message = f"Bad value for parameter {name}: {value!r} is not a number"
            raise ValueError(message) from None


def _integer(default: int, text: str, option: str, least: int = 0) -> Parameter:
    return Parameter(default, text, option, int, least)


def _real(default: float, text: str, option: str, least: float | None = 0.0) -> Parameter:
    return Parameter(default, text, option, float, least)


def _switch(default: int, text: str, option: str) -> Parameter:
    return Parameter(default, text, option, _flag)


_MODEL = {
    "feature.minfreq": _real(0.0, "Features that are less frequent are left out.", "min_freq", None),
    "feature.possible_states": _switch(
        0,
        "Have a feature for each attribute and label, also for pairs that do not occur.",
        "all_possible_states",
    ),
    "feature.possible_transitions": _switch(
        0,
        "Have a feature for each pair of labels, also for pairs that do not occur.",
        "all_possible_transitions",
    ),
}
_C2 = _real(1.0, "Coefficient of the L2 regulariser.", "c2")
_PERIOD = _integer(10, "Number of iterations over which the improvement is measured.", "period", 1)
_DELTA = "Stop when the relative improvement over that many iterations is below this."
_ONLINE = _integer(100, "Largest number of passes over the data.", "max_iterations")
_MEAN_LOSS = _real(0.0, "Stop when the mean loss is below this.", "epsilon", None)

#: Algorithm -> name -> parameter, in the order of ``Trainer.params``.
PARAMETERS: dict[str, dict[str, Parameter]] = {
    "lbfgs": {
        **_MODEL,
        "c1": _real(0.0, "Coefficient of the L1 regulariser.", "c1"),
        "c2": _C2,
        "max_iterations": _integer(2**31 - 1, "Largest number of iterations.", "max_iterations"),
        "num_memories": _integer(
            6, "Number of vector pairs that approximate the Hessian.", "num_memories", 1
        ),
        "epsilon": _real(
            1e-5, "Stop when the norm of the gradient is below this times that of the weights.", "epsilon"
        ),
        "period": _PERIOD,
        "delta": _real(1e-5, _DELTA, "delta"),
        "linesearch": Parameter(
            "MoreThuente", "Line search: 'MoreThuente', 'Backtracking' or 'StrongBacktracking'.", None, str
        ),
        "max_linesearch": _integer(20, "Largest number of trials of a line search.", "max_linesearch", 1),
    },
    "l2sgd": {
        **_MODEL,
        "c2": _C2,
        "max_iterations": _integer(1000, "Largest number of passes over the data.", "max_iterations"),
        "period": _PERIOD,
        "delta": _real(1e-6, _DELTA, "delta"),
        "calibration.eta": _real(0.1, "First learning rate tried.", "calibration_eta"),
        "calibration.rate": _real(2.0, "Factor between the learning rates tried.", "calibration_rate"),
        # python-crfsuite gives this integer as a float.
        "calibration.samples": Parameter(
            1000, "Number of sequences a learning rate is tried on.", "calibration_samples", float, 1
        ),
        "calibration.candidates": _integer(
            10, "Number of improving learning rates to try.", "calibration_candidates", 1
        ),
        "calibration.max_trials": _integer(
            20, "Largest number of learning rates tried.", "calibration_max_trials", 1
        ),
    },
    "averaged-perceptron": {
        **_MODEL,
        "max_iterations": _ONLINE,
        "epsilon": _real(0.0, "Stop when the share of wrong labels is below this.", "epsilon", None),
    },
    "passive-aggressive": {
        **_MODEL,
        "type": _integer(
            1, "Slack: 0 for none (PA), 1 for linear (PA-I), 2 for quadratic (PA-II).", "pa_type"
        ),
        "c": _real(1.0, "Largest step (PA-I), or how little large steps cost (PA-II).", "c"),
        "error_sensitive": _switch(
            1, "Let the margin grow with the number of wrong labels.", "error_sensitive"
        ),
        "averaging": _switch(1, "Average the weights over all updates.", "averaging"),
        "max_iterations": _ONLINE,
        "epsilon": _MEAN_LOSS,
    },
    "arow": {
        **_MODEL,
        "variance": _real(1.0, "Variance of each weight at the start.", "variance"),
        "gamma": _real(1.0, "Trade-off between loss and change of the weights.", "gamma"),
        "max_iterations": _ONLINE,
        "epsilon": _MEAN_LOSS,
    },
}

ALIASES = {"ap": "averaged-perceptron", "pa": "passive-aggressive"}
_CORE_NAMES = {name: alias for alias, name in ALIASES.items()}

#: Everything that the trainer of the core must be given.
_OPTIONS: dict[str, Value] = {
    parameter.option: parameter.shown(parameter.default)
    for algorithm in PARAMETERS.values()
    for parameter in algorithm.values()
    if parameter.option is not None
} | {"seed": 0}


def defaults(algorithm: str) -> dict[str, int | float | str]:
    """Return the values of all parameters of an algorithm before any is set."""
    return {name: parameter.default for name, parameter in PARAMETERS[algorithm].items()}


def core_options(algorithm: str, values: dict[str, int | float | str]) -> tuple[str, dict[str, Value]]:
    """Return the name of the algorithm and its options in the core.

    Examples
    --------
    >>> from spanrs.compat.pycrfsuite._parameters import core_options, defaults
    >>> name, options = core_options("passive-aggressive", defaults("passive-aggressive"))
    >>> name, options["pa_type"], options["averaging"]
    ('pa', 1, True)
    """
    options = dict(_OPTIONS)
    for name, parameter in PARAMETERS[algorithm].items():
        if parameter.option is not None:
            stored = values[name]
            assert not isinstance(stored, str)
            if parameter.least is not None:
                stored = max(stored, parameter.least)
            options[parameter.option] = parameter.shown(stored)
    options["calibration_samples"] = int(options["calibration_samples"])
    if algorithm == "lbfgs":
        if options["max_iterations"] == 0:
            # liblbfgs: no limit, and at least one iteration otherwise.
            options["max_iterations"] = 1 if values["max_iterations"] else sys.maxsize
    elif algorithm != "l2sgd":
        # The trainer applies CRFsuite's criterion, which differs from that of the core, in its callback.
        options["epsilon"] = -1.0
    return _CORE_NAMES.get(algorithm, algorithm), options
