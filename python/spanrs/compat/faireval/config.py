"""Configuration files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import Any

from spanrs.compat.faireval.output import open_results, say
from spanrs.eval.fair_weights import FAIR, ITSELF

METHODS = ["traditional", "fair", "weighted"]
INPUTS = {"target_in": "target_files", "system_in": "system_files"}
PATHS = (*INPUTS, "eval_out")
_ERROR_TYPE = re.compile(r"\s*(\w+)\s*=")
# A sign or a final dot is not part of a number.
_PARTS = {name: re.compile(rf"(\d*\.?\d+)\s*\*?\s*{name}") for name in ("TP", "FP", "FN")}
NEITHER = "Error: '{} = {}' is not a file/directory."


def read_config(config_file: str | PathLike[str]) -> dict[str, Any] | None:
    """Read a configuration file, and write the settings to the output; returns None if a side has no files.

    Invalid values are reported and skipped; unknown keys and lines without ``=`` raise ValueError. A file of results
    only exists after it is closed.

    >>> read_config(os.devnull)
    ERROR: Cannot evaluate without target AND system file(s). Quitting.
    """
    return resolve_settings(read_items(config_file))


def resolve_settings(
    items: Iterable[tuple[str, str, str]], folders: Mapping[str, str] | None = None
) -> dict[str, Any] | None:
    """Implement :func:`read_config`, given the location, key and value of each setting.

    Paths are relative to the directory in ``folders`` for their key, if there is one; messages show paths as given.
    """
    config: dict[str, Any] = {}
    for place, key, value in items:
        read = READERS.get(key)
        if read is None:
            raise ValueError(f"{place}: unknown key {key!r}; the keys are {', '.join(READERS)}")
        if key in INPUTS:
            say(f"{key}: {value}")
            config[key] = value
        folder = "" if folders is None or key not in PATHS or value == "cmd" else folders.get(key, "")
        # A name without a directory is not changed, because FairEval distinguishes names from paths.
        read_value = read(key, os.path.join(folder, value) if folder not in ("", ".") else value)
        if read_value is None:
            continue
        name = INPUTS.get(key, key)
        if name in config:
            say(f"WARNING: duplicate config item '{name}' found.")
        config[name] = read_value
    if not all(name in config for name in INPUTS.values()):
        say("ERROR: Cannot evaluate without target AND system file(s). Quitting.")
        return None
    out = config.get("eval_out", sys.stdout)
    config["eval_out"] = open_results(out) if isinstance(out, str) else out
    config.setdefault("labels", ["all"])
    methods = config.setdefault("eval_method", list(METHODS))
    if "weighted" in methods and not config.get("weights"):
        methods[:] = dict.fromkeys([*methods, "fair"])
        methods.remove("weighted")
    hidden = (*INPUTS.values(), "eval_out")
    lines = [f"{key}: {config[key]}\n" for key in sorted(config) if key not in hidden]
    config["eval_out"].write("".join(["### Evaluation settings:\n", *lines, "\n"]))
    return config


def key_values(lines: Iterable[str]) -> Iterator[tuple[int, str, str, str | None]]:
    """Yield the number, text, key and value (None without ``=``) of each line that is neither blank nor a comment."""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text and not text.startswith("#"):
            key, equals, value = text.partition("=")
            yield number, text, key.strip(), value.strip() if equals else None


def read_items(path: str | PathLike[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the location, key and value of the lines of a file."""
    with open(path, encoding="utf-8") as lines:
        for number, text, key, value in key_values(lines):
            place = f"{os.fspath(path)}:{number}"
            if value is None:
                raise ValueError(f"{place}: expected 'key = value', not {text!r}")
            yield place, key, value


def _inputs(key: str, value: str) -> list[str] | None:
    path = os.path.normpath(value)
    if os.path.isdir(value):
        # Sorted, because the order of directory entries depends on the file system.
        return [os.path.join(path, name) for name in sorted(os.listdir(value))]
    if os.path.isfile(value):
        return [path]
    say(NEITHER.format(key, value))
    return None


def _eval_out(key: str, value: str) -> Any:
    if os.path.isdir(value):
        return os.path.join(os.path.normpath(value), "eval.csv")
    if os.path.isfile(value):
        return os.path.normpath(value)
    if value == "cmd":
        return sys.stdout
    folder = os.path.split(value)[0]
    if not os.path.isdir(folder):
        try:
            os.makedirs(folder)
        except OSError:
            say(NEITHER.format(key, value))
            return None
    return value


def _labels(key: str, value: str) -> list[str]:
    labels = list(dict.fromkeys(item for item in map(str.strip, value.split(",")) if item))
    return [*labels, "NONE", "EMPTY"] if key == "exclude" else labels


def _eval_method(_key: str, value: str) -> list[str]:
    items = METHODS if value == "all" else [item.strip() for item in value.split(",")]
    methods = [method for method in METHODS if method in items]
    if not methods:
        say("WARNING: No evaluation method specified. Applying all methods.")
    return methods or list(METHODS)


def parse_weights(text: str) -> dict[str, dict[str, float]]:
    """Parse ``default`` or formulas such as ``LE = 0.5 FP + 0.5 FN, BES = 0.5 * TP``; print warnings.

    TP, FP and FN count as one TP, FP or FN unless a formula overrides the weights. Without formulas the weights of the
    fair version are used.

    >>> parse_weights("BES = 0.5 TP + 0 FP + .5FN")["BES"]
    {'TP': 0.5, 'FP': 0.0, 'FN': 0.5}
    """
    weights: dict[str, dict[str, float]] = {}
    for formula in text.split(",") if text != "default" else ():
        match = _ERROR_TYPE.match(formula)
        if match is None:
            say(f"WARNING: No error type found in weight formula '{formula}'.")
            continue
        parts: dict[str, float] = {}
        for name, pattern in _PARTS.items():
            weight = pattern.search(formula)
            if weight is None:
                say(f"WARNING: Missing weight for {name} for error type {match[1]}. Set to 0.")
            # A missing weight is an int, because the settings are printed, in FairEval with 0 instead of 0.0.
            parts[name] = 0 if weight is None else float(weight[1])
        weights[match[1]] = parts
    if not weights and text != "default":
        say("WARNING: No valid weights found. Using default weights.")
    usual = ITSELF if weights else FAIR
    return weights | {name: dict(parts) for name, parts in usual.items() if name not in weights}


#: Key -> reader of its value; a reader returns None to skip the value.
READERS: dict[str, Callable[[str, str], Any]] = {
    "target_in": _inputs,
    "system_in": _inputs,
    "labels": _labels,
    "exclude": _labels,
    "ignore_punct": lambda _, value: value.lower() != "false",
    "focus": lambda _, value: "system" if value.lower() == "system" else "target",
    "eval_method": _eval_method,
    "weights": lambda _, value: parse_weights(value),
    "eval_out": _eval_out,
}
