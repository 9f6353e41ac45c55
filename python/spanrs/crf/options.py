"""Options of the training algorithms."""

from __future__ import annotations

import math
from typing import Any

#: No limit of iterations.
UNLIMITED = 1 << 62

#: Defaults that depend on the algorithm: those of CRFsuite.
_BY_ALGORITHM: dict[str, dict[str, Any]] = {
    "lbfgs": {"max_iterations": UNLIMITED, "epsilon": 1e-5, "delta": 1e-5},
    "l2sgd": {"max_iterations": 1000, "epsilon": 0.0, "delta": 1e-6},
    "ap": {"max_iterations": 100, "epsilon": 0.0, "delta": 0.0},
    "pa": {"max_iterations": 100, "epsilon": 0.0, "delta": 0.0},
    "arow": {"max_iterations": 100, "epsilon": 0.0, "delta": 0.0},
}

#: Options with the least value each may have, and whether that value itself is allowed.
_LEAST = {
    "c1": (0.0, True),
    "c2": (0.0, True),
    "min_freq": (0.0, True),
    "epsilon": (0.0, True),
    "delta": (0.0, True),
    "c": (0.0, False),
    "variance": (0.0, False),
    "gamma": (0.0, False),
    "calibration_eta": (0.0, False),
    "calibration_rate": (1.0, False),
}
#: Options that are whole numbers, with the least value each may have.
_WHOLE = {
    "max_iterations": 1,
    "num_memories": 1,
    "period": 1,
    "max_linesearch": 1,
    "calibration_samples": 1,
    "calibration_candidates": 1,
    "calibration_max_trials": 1,
    "seed": 0,
}


def check_threads(threads: int) -> None:
    """Refuse numbers of threads below 1."""
    if threads < 1:
        raise ValueError(f"threads is {threads}; it must be at least 1")


def complete(algorithm: str, options: dict[str, Any]) -> dict[str, Any]:
    """Check options and replace None by the algorithm's default."""
    if algorithm not in _BY_ALGORITHM:
        message = f"no algorithm {algorithm!r}; there are {', '.join(_BY_ALGORITHM)}"
        raise ValueError(message)
    defaults = _BY_ALGORITHM[algorithm]
    done: dict[str, Any] = {
        name: defaults.get(name) if value is None else value for name, value in options.items()
    }
    for name, (least, allowed) in _LEAST.items():
        value = float(done[name])
        if not math.isfinite(value) or value < least or (value == least and not allowed):
            message = f"{name} is {done[name]!r}; it must be finite and {'at least' if allowed else 'above'} {least:g}"
            raise ValueError(message)
        done[name] = value
    for name, least_whole in _WHOLE.items():
        whole = int(done[name])
        if whole != done[name] or not least_whole <= whole <= UNLIMITED:
            message = f"{name} is {done[name]!r}; it must be a whole number from {least_whole} to 2**62"
            raise ValueError(message)
        done[name] = whole
    if done["pa_type"] not in (0, 1, 2):
        message = f"pa_type is {done['pa_type']!r}; it must be 0 (PA), 1 (PA-I) or 2 (PA-II)"
        raise ValueError(message)
    if done["c1"] > 0 and algorithm != "lbfgs":
        message = f"c1 (an L1 penalty) needs the algorithm lbfgs, not {algorithm}"
        raise ValueError(message)
    for name in ("all_possible_states", "all_possible_transitions", "error_sensitive", "averaging"):
        done[name] = bool(done[name])
    return done
