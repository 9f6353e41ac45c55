"""Training parameters: names, types and defaults for each algorithm."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import chain

Value = int | float | bool | str
#: Parameters with their stored values.
Values = dict[str, int | float | str]


@dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm, stored as the type of its default."""

    default: int | float | str
    help: str
    least: float | None = 0
    """Minimum value accepted by the compiled module."""
    kind: type[Value] | None = None
    """The type that ``Trainer.get`` returns, if it differs from the type of the default."""

    def parse(self, name: str, value: object) -> int | float | str:
        """Convert a value to the stored type; raises ValueError if a number is required."""
        text = str(int(value) if isinstance(value, bool) else value)
        try:
            try:
                return type(self.default)(text)
            except ValueError:
                return int(float(text))
        except (ValueError, OverflowError):
            raise ValueError(f"Bad value for parameter {name}: {value!r} is not a number") from None

    def shown(self, stored: float | str) -> Value:
        """Convert a stored value to the value that ``Trainer.get`` returns."""
        return (self.kind or type(self.default))(stored)


_MODEL = {
    "feature.minfreq": Parameter(
        0.0, "Minimum frequency of features; less frequent features are ignored.", None
    ),
    "feature.possible_states": Parameter(
        0, "Generate a feature for each attribute and label, including pairs that do not occur.", None, bool
    ),
    "feature.possible_transitions": Parameter(
        0, "Generate a feature for each pair of labels, including pairs that do not occur.", None, bool
    ),
}
_C2 = {"c2": Parameter(1.0, "Coefficient of the L2 regulariser.")}
_PERIOD = {"period": Parameter(10, "Number of iterations over which the improvement is measured.", 1)}
_DELTA = "Stop when the relative improvement over `period` iterations is below this value."
_ONLINE = {
    "max_iterations": Parameter(100, "Maximum number of passes over the data."),
    "epsilon": Parameter(0.0, "Stop when the mean loss is below this value.", None),
}
_EPSILON = "Stop when the ratio of the norms of gradient and weights is below this value."
_LINE_SEARCH = "Line search: 'MoreThuente', 'Backtracking' or 'StrongBacktracking'."

#: Algorithm -> name -> parameter, in the order of ``Trainer.params``.
PARAMETERS: dict[str, dict[str, Parameter]] = {
    "lbfgs": {
        **_MODEL,
        "c1": Parameter(0.0, "Coefficient of the L1 regulariser."),
        **_C2,
        "max_iterations": Parameter(2**31 - 1, "Maximum number of iterations."),
        "num_memories": Parameter(6, "Number of vector pairs that approximate the Hessian.", 1),
        "epsilon": Parameter(1e-5, _EPSILON),
        **_PERIOD,
        "delta": Parameter(1e-5, _DELTA),
        "linesearch": Parameter("MoreThuente", _LINE_SEARCH),
        "max_linesearch": Parameter(20, "Maximum number of trials of a line search.", 1),
    },
    "l2sgd": {
        **_MODEL,
        **_C2,
        "max_iterations": Parameter(1000, "Maximum number of passes over the data."),
        **_PERIOD,
        "delta": Parameter(1e-6, _DELTA),
        "calibration.eta": Parameter(0.1, "First learning rate tried."),
        "calibration.rate": Parameter(2.0, "Factor between the learning rates tried."),
        # python-crfsuite returns this integer as a float.
        "calibration.samples": Parameter(1000, "Number of sequences for trying a learning rate.", 1, float),
        "calibration.candidates": Parameter(10, "Number of improving learning rates to try.", 1),
        "calibration.max_trials": Parameter(20, "Maximum number of learning rates to try.", 1),
    },
    "averaged-perceptron": {
        **_MODEL,
        **_ONLINE,
        "epsilon": Parameter(0.0, "Stop when the fraction of wrong labels is below this value.", None),
    },
    "passive-aggressive": {
        **_MODEL,
        "type": Parameter(1, "Slack: 0 for none (PA), 1 for linear (PA-I), 2 for quadratic (PA-II)."),
        "c": Parameter(1.0, "Maximum step (PA-I), or inverse penalty on large steps (PA-II)."),
        "error_sensitive": Parameter(1, "Let the margin grow with the number of wrong labels.", None, bool),
        "averaging": Parameter(1, "Average the weights over all updates.", None, bool),
        **_ONLINE,
    },
    "arow": {
        **_MODEL,
        "variance": Parameter(1.0, "Initial variance of each weight."),
        "gamma": Parameter(1.0, "Trade-off between loss and change of the weights."),
        **_ONLINE,
    },
}
ALIASES = {"ap": "averaged-perceptron", "pa": "passive-aggressive"}
_CORE_NAMES = {name: alias for alias, name in ALIASES.items()}

#: Names of parameters in the compiled module and in sklearn-crfsuite, if the names differ by more than the dot.
_OTHER_NAMES = {
    "max_iterations": "max_iter",
    "feature.minfreq": "min_freq",
    "feature.possible_states": "all_possible_states",
    "feature.possible_transitions": "all_possible_transitions",
    "type": "pa_type",
}
#: Name in the compiled module -> name in this module.
NAMES = {_OTHER_NAMES.get(name, name.replace(".", "_")): name for name in chain(*PARAMETERS.values())}
#: Default value of each option of the compiled trainer, which has a single line search.
_OPTIONS: dict[str, Value] = {"seed": 0} | {
    option: parameters[name].shown(parameters[name].default)
    for parameters in PARAMETERS.values()
    for option, name in NAMES.items()
    if name in parameters and name != "linesearch"
}


def defaults(algorithm: str) -> Values:
    """Return the default values of all parameters of an algorithm."""
    return {name: parameter.default for name, parameter in PARAMETERS[algorithm].items()}


def core_options(algorithm: str, values: Values) -> dict[str, Value]:
    """Return the algorithm and its options for the compiled module."""
    options = _OPTIONS | {"algorithm": _CORE_NAMES.get(algorithm, algorithm)}
    for option, name in NAMES.items():
        stored = values.get(name, "")
        if not isinstance(stored, str):
            parameter = PARAMETERS[algorithm][name]
            least = stored if parameter.least is None else parameter.least
            options[option] = parameter.shown(max(stored, least))
    options["calibration_samples"] = int(options["calibration_samples"])
    if algorithm == "lbfgs":
        if options["max_iter"] == 0:
            # In liblbfgs 0 means no limit, and a negative number stops after one iteration.
            options["max_iter"] = 1 if values["max_iterations"] else sys.maxsize
    elif algorithm != "l2sgd":
        # The callback of the trainer applies CRFsuite's stopping criterion, which differs from the criterion of the
        # compiled module.
        options["epsilon"] = -1.0
    return options
