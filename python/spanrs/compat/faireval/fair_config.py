"""Configuration files of FairEval, read as they are documented."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from spanrs.compat.faireval.config import key_values
from spanrs.errors import FormatError, with_code
from spanrs.eval.fair_weights import PAPER, Weights, as_weights
from spanrs.eval.matchers import EXCLUDED
from spanrs.io.sources import read_text

#: What FairEval calls the evaluations, and what they are called here.
METHODS = {name: name for name in ("traditional", "fair", "weighted")} | {"exact": "traditional"}
FOCUS = {"target": "gold", "gold": "gold", "system": "pred", "pred": "pred"}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass
class FairConfig:
    """What a configuration file asks for; see :func:`read_fair_config`."""

    gold: Path | None = None  # File or directory (target_in).
    pred: Path | None = None  # File or directory (system_in).
    out: Path | None = None  # File or directory for the result (eval_out); None for standard output.
    into: bool = False  # The result goes to a file in the directory `out`, which may be made for it.
    types: list[str] | None = None  # Types to look at (labels); None for all.
    exclude: list[str] = field(default_factory=lambda: list(EXCLUDED))
    ignore_punct: bool = True  # Leave out punctuation of files that have parts of speech.
    focus: str = "gold"  # gold (target) or pred (system).
    methods: list[str] = field(default_factory=lambda: list(dict.fromkeys(METHODS.values())))
    weights: Weights = field(default_factory=lambda: PAPER)


def read_fair_config(path: str | Path) -> FairConfig:
    r"""Read a configuration file of FairEval: lines ``key = value``, blank ones, and comments after ``#``.

    A value that is left empty is the default, as is a key that is left out. Paths are relative to the current
    directory, or if neither ``target_in`` nor ``system_in`` is there, to the file's. Keys that are unknown or there
    twice, and values that cannot be, are a FormatError with the line.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "ner.config")
    ...     _ = path.write_text("target_in = gold.csv\nsystem_in = pred.csv\nfocus = system\n")
    ...     read_fair_config(path).focus
    'pred'
    """
    config = FairConfig()
    lines: dict[str, tuple[int, str]] = {}
    for number, text, key, value in key_values(read_text(path).splitlines()):
        if value is None:
            _refuse(path, number, f"{text!r} is no setting; write key = value")
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, 1)
            hint = f"did you mean {close[0]}?" if close else f"the keys are {', '.join(_KEYS)}"
            _refuse(path, number, f"unknown key {key!r}; {hint}")
        if key in lines:
            _refuse(path, number, f"{key} is set here and on line {lines[key][0]}; keep one of them")
        lines[key] = number, value
    folder = base(path, {key: value for key, (_, value) in lines.items()})
    for key, (number, value) in lines.items():
        if value:
            try:
                apply(config, key, value, folder)
            except ValueError as error:
                _refuse(path, number, f"{key}: {error}")
    return config


def base(path: str | Path, settings: Mapping[str, str]) -> Path:
    """Give the folder from which the paths of a configuration file are meant."""
    inputs = [settings[key] for key in ("target_in", "system_in") if settings.get(key)]
    folder = Path(path).parent
    here, there = (any((start / name).exists() for name in inputs) for start in (Path(), folder))
    return folder if there and not here else Path()


def apply(config: FairConfig, key: str, value: str, folder: Path | None = None) -> None:
    """Set one key, as a line of a file in that folder does; ValueError for values that cannot be."""
    vars(config).update(_KEYS[key](value, Path() if folder is None else folder))


def _refuse(path: str | Path, line: int, message: str) -> NoReturn:
    raise with_code(FormatError(f"{path}:{line}: {message}"), "config", str(path), line)


def names(text: str) -> list[str]:
    """Give the names that commas separate, each once; ValueError where there is none."""
    found = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not found:
        raise ValueError(f"{text!r} names nothing; write names, separated by commas")
    return found


def methods(text: str) -> list[str]:
    """Give the evaluations that are named, in the order in which they are shown."""
    asked = [name.lower() for name in names(text)]
    for name in asked:
        if name not in METHODS and name != "all":
            known = "traditional, fair, weighted, all"
            raise ValueError(f"unknown evaluation {name!r}; one or more of {known}")
    wanted = {METHODS[name] for name in (METHODS if "all" in asked else asked)}
    return [name for name in METHODS if name in wanted]


def focus(text: str) -> str:
    """Give the focus in our words."""
    if text.lower() not in FOCUS:
        raise ValueError(f"unknown focus {text!r}; target (or gold) or system (or pred)")
    return FOCUS[text.lower()]


def _truth(text: str) -> bool:
    if text.lower() not in _TRUTH:
        raise ValueError(f"{text!r} is neither True nor False")
    return _TRUTH[text.lower()]


def _out(value: str, folder: Path) -> dict[str, Any]:
    out = None if value in ("cmd", "-") else folder / value
    return {"out": out, "into": value.endswith(("/", os.sep)) or (folder / value).is_dir()}


#: Key -> what its value, and the folder of its path, set.
_KEYS: dict[str, Callable[[str, Path], dict[str, Any]]] = {
    "target_in": lambda value, folder: {"gold": folder / value},
    "system_in": lambda value, folder: {"pred": folder / value},
    "labels": lambda value, _: {"types": None if "all" in names(value) else names(value)},
    "exclude": lambda value, _: {"exclude": list(dict.fromkeys([*names(value), *EXCLUDED]))},
    "ignore_punct": lambda value, _: {"ignore_punct": _truth(value)},
    "focus": lambda value, _: {"focus": focus(value)},
    "eval_method": lambda value, _: {"methods": methods(value)},
    "weights": lambda value, _: {"weights": as_weights(value)},
    "eval_out": _out,
}
