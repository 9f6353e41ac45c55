"""Configuration files of FairEval, as documented."""

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

#: FairEval's names of the evaluations -> names in spanrs.
METHODS = {name: name for name in ("traditional", "fair", "weighted")} | {"exact": "traditional"}
FOCUS = {"target": "gold", "gold": "gold", "system": "pred", "pred": "pred"}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass
class FairConfig:
    """Settings of a configuration file; see :func:`read_fair_config`."""

    gold: Path | None = None  # File or directory (target_in).
    pred: Path | None = None  # File or directory (system_in).
    out: Path | None = None  # File or directory for the result (eval_out); None for standard output.
    into: bool = (
        False  # Whether the result is written to a file in the directory `out`, which is created if needed.
    )
    types: list[str] | None = None  # Types to evaluate (labels); None for all types.
    exclude: list[str] = field(default_factory=lambda: list(EXCLUDED))
    ignore_punct: bool = True  # Whether to exclude punctuation in files with parts of speech.
    focus: str = "gold"  # gold (target) or pred (system).
    methods: list[str] = field(default_factory=lambda: list(dict.fromkeys(METHODS.values())))
    weights: Weights = field(default_factory=lambda: PAPER)


def read_fair_config(path: str | Path) -> FairConfig:
    r"""Read a configuration file of FairEval: lines ``key = value``, blank lines, and comments after ``#``.

    An empty value, like a missing key, means the default. Paths are relative to the current directory or, if neither
    ``target_in`` nor ``system_in`` exists there, to the directory of the file. Unknown or duplicate keys and invalid
    values raise FormatError with the line.

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
            _refuse(path, number, f"{text!r} is not a setting; write key = value")
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, 1)
            hint = f"did you mean {close[0]}?" if close else f"the keys are {', '.join(_KEYS)}"
            _refuse(path, number, f"unknown key {key!r}; {hint}")
        if key in lines:
            _refuse(path, number, f"{key} is set here and on line {lines[key][0]}; keep only one")
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
    """Return the base directory of the paths in a configuration file."""
    inputs = [settings[key] for key in ("target_in", "system_in") if settings.get(key)]
    folder = Path(path).parent
    in_working_directory, beside_file = (
        any((start / name).exists() for name in inputs) for start in (Path(), folder)
    )
    return folder if beside_file and not in_working_directory else Path()


def apply(config: FairConfig, key: str, value: str, folder: Path | None = None) -> None:
    """Set one key, like a line of a configuration file in ``folder``; raises ValueError for invalid values."""
    vars(config).update(_KEYS[key](value, Path() if folder is None else folder))


def _refuse(path: str | Path, line: int, message: str) -> NoReturn:
    raise with_code(FormatError(f"{path}:{line}: {message}"), "config", str(path), line)


def names(text: str) -> list[str]:
    """Return the distinct names in a comma-separated list; raises ValueError if there are no names."""
    items = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not items:
        raise ValueError(f"{text!r} contains no names; write names separated by commas")
    return items


def methods(text: str) -> list[str]:
    """Return the named evaluations in display order."""
    asked = [name.lower() for name in names(text)]
    for name in asked:
        if name not in METHODS and name != "all":
            choices = "traditional, fair, weighted, all"
            raise ValueError(f"unknown evaluation {name!r}; choose one or more of {choices}")
    wanted = {METHODS[name] for name in (METHODS if "all" in asked else asked)}
    return [name for name in METHODS if name in wanted]


def focus(text: str) -> str:
    """Return the focus in spanrs' terms."""
    if text.lower() not in FOCUS:
        raise ValueError(f"unknown focus {text!r}; write target (or gold) or system (or pred)")
    return FOCUS[text.lower()]


def _truth(text: str) -> bool:
    if text.lower() not in _TRUTH:
        raise ValueError(f"{text!r} is neither True nor False")
    return _TRUTH[text.lower()]


def _out(value: str, folder: Path) -> dict[str, Any]:
    out = None if value in ("cmd", "-") else folder / value
    return {"out": out, "into": value.endswith(("/", os.sep)) or (folder / value).is_dir()}


#: Key -> function that converts the value to settings, given the directory of paths.
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
