"""The command ``FairEval.py --config FILE``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from spanrs import _spanrs
from spanrs.compat.faireval.config import read_config
from spanrs.compat.faireval.output import ReplacingFile, output_results
from spanrs.compat.faireval.readers import annotation_stats, get_sentences, get_spans
from spanrs.compat.faireval.scores import Evaluation, add_dict, calculate_results, compare_spans
from spanrs.errors import SpanrsError


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate according to the file ``--config``; return the exit status, which is 1 if there is nothing to evaluate.

    >>> main(["--config", os.devnull])
    ERROR: Cannot evaluate without target AND system file(s). Quitting.
    1
    """
    parser = argparse.ArgumentParser(description="Count errors of labelled spans traditionally and fairly.")
    parser.add_argument("--config", required=True, help="configuration file")
    return evaluate(read_config(parser.parse_args(argv).config))


def evaluate(config: dict[str, Any] | None) -> int:
    """Evaluate with the settings of :func:`~spanrs.compat.faireval.read_config`; return the exit status.

    The file of results is not written if an input file cannot be read.
    """
    if config is None:
        return 1
    config["data_stats"] = {}
    results: dict[str, Any] = {part: {"traditional": {}, "fair": {}} for part in ("overall", "per_label")}
    results["conf"] = {}
    try:
        system_files = {os.path.basename(path): path for path in config["system_files"]}
        pairs = [(path, system_files.get(os.path.basename(path))) for path in config["target_files"]]
        if not any(system_file for _, system_file in pairs):
            words = "no target file has the same name as a system file; files are paired by name"
            sys.stderr.write(f"{words}: nothing is counted\n")
        for target_file, system_file in pairs:
            if system_file is not None:
                results = count_pair(target_file, system_file, config, results)
        output_results(calculate_results(results, **config), **config)
    except BaseException:
        if isinstance(config["eval_out"], ReplacingFile):
            config["eval_out"].discard()
        raise
    return 0


def count_pair(
    target_file: str, system_file: str, config: dict[str, Any], eval_dict: dict[str, Any]
) -> dict[str, Any]:
    """Add the errors in a pair of files to ``eval_dict`` in place; ``eval_dict`` is initially ``{}``.

    Labels are counted in ``data_stats`` of the settings, if present. Excess sentences of one file are not counted, and
    are reported by a message on standard error.
    """
    whole = _span_files(target_file, system_file, config)
    if whole is not None:
        return add_dict(eval_dict, whole)
    pairs = zip_longest(get_sentences(target_file), get_sentences(system_file))
    for number, (target_lines, system_lines) in enumerate(pairs):
        if target_lines is None or system_lines is None:
            short = target_file if target_lines is None else system_file
            words = f"{short} ends after {number} sentences"
            sys.stderr.write(f"{words}: the rest of the other file is not counted\n")
            break
        target, system = get_spans(target_lines, **config), get_spans(system_lines, **config)
        annotation_stats(target, **config)
        eval_dict = add_dict(eval_dict, compare_spans(target, system, config.get("focus", "target")))
    return eval_dict


def _span_files(target_file: str, system_file: str, config: dict[str, Any]) -> Evaluation | None:
    """Count two well-formed span files in the compiled module; None for other files.

    Other files are read sentence by sentence, with FairEval's treatment of errors.
    """
    for path in (target_file, system_file):
        with open(path, "rb") as file:
            if file.read(1) in (b"", b"\xef", b"\x1f", b"\x28"):
                # Empty files, and files with a byte order mark or compression, which the compiled module would remove.
                return None
    labels = config.get("labels", [])
    only = {"keep": None if "all" in labels else list(labels), "exclude": list(config.get("exclude", []))}
    sides = ((target_file, {"format": "strict"}), (system_file, {"format": "strict"}))
    try:
        counted = _spanrs.faireval_files(*sides, only)
    except SpanrsError:
        return None
    types = counted["types"]
    stats = config.get("data_stats", {})
    for name in counted["gold_types"]:
        # Traditional counts: spans with and without an equal span on the other side.
        stats[name] = stats.get(name, 0) + types[name][0] + types[name][2]
    at = {name: place for place, name in enumerate(types)}
    pairs = [
        (kind, at[target], at[system], n)
        for kind, error in enumerate(("le", "lbe"))
        for target, system, n in counted[error]
    ]
    return _spanrs.fair_evaluation(list(types), list(types.values()), pairs, config.get("focus", "target"))
