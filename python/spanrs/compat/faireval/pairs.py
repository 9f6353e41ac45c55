"""A target file beside a system file."""

from __future__ import annotations

import sys
from itertools import zip_longest
from os import PathLike
from typing import Any, TypeAlias

from spanrs import _spanrs
from spanrs.compat.faireval.readers import annotation_stats, get_sentences, get_spans
from spanrs.compat.faireval.scores import Evaluation, add_dict, compare_spans
from spanrs.errors import SpanrsError
from spanrs.io import Columns

Path: TypeAlias = str | PathLike[str]


def count_pair(
    target_file: Path, system_file: Path, config: dict[str, Any], eval_dict: dict[str, Any]
) -> dict[str, Any]:
    """Add the errors of a file, sentence by sentence, to those of others, which are ``{}`` at first and change.

    Labels are counted into the ``data_stats`` of the settings, if they are there. If one file has more sentences
    they are not counted, and a line on standard error says so.

    >>> import os
    >>> from spanrs.compat.faireval.pairs import count_pair
    >>> count_pair(os.devnull, os.devnull, {}, {})
    {}
    """
    whole = _span_files(target_file, system_file, config)
    if whole is not None:
        return add_dict(eval_dict, whole)
    pairs = zip_longest(get_sentences(target_file), get_sentences(system_file))
    for number, (target_lines, system_lines) in enumerate(pairs):
        if target_lines is None or system_lines is None:
            short = target_file if target_lines is None else system_file
            sys.stderr.write(
                f"{short} ends after {number} sentences: the rest of the other file is not counted\n"
            )
            break
        target, system = get_spans(target_lines, **config), get_spans(system_lines, **config)
        annotation_stats(target, **config)
        eval_dict = add_dict(eval_dict, compare_spans(target, system, config.get("focus", "target")))
    return eval_dict


def _span_files(target_file: Path, system_file: Path, config: dict[str, Any]) -> Evaluation | None:
    """Count two span files without errors in the compiled module; None for all others.

    FairEval may read those in a way of its own, sentence by sentence.
    """
    for path in (target_file, system_file):
        with open(path, "rb") as file:
            if file.read(1) in (b"", b"\xef", b"\x1f", b"\x28"):
                # Empty, with a mark, or compressed, which would be taken off.
                return None
    labels = config.get("labels", [])
    only = (None if "all" in labels else list(labels), list(config.get("exclude", [])))
    options = Columns().as_options()
    sides = ((target_file, "strict", options, False), (system_file, "strict", options, False))
    try:
        found = _spanrs.faireval_files(*sides, only)
    except SpanrsError:
        return None
    types = found["types"]
    stats = config.get("data_stats", {})
    for name in found["gold_types"]:
        # Spans that have an equal traditionally, and spans that have none.
        stats[name] = stats.get(name, 0) + types[name][0] + types[name][2]
    at = {name: place for place, name in enumerate(types)}
    pairs = [
        (kind, at[target], at[system], n)
        for kind, error in enumerate(("le", "lbe"))
        for target, system, n in found[error]
    ]
    return _spanrs.fair_evaluation(list(types), list(types.values()), pairs, config.get("focus", "target"))
