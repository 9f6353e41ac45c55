"""A target file beside a system file."""

from __future__ import annotations

import sys
from itertools import zip_longest
from os import PathLike
from typing import Any

from spanrs import _spanrs
from spanrs.compat.faireval.compare import Evaluation, compare_spans
from spanrs.compat.faireval.readers import annotation_stats, get_sentences, get_spans
from spanrs.compat.faireval.results import add_dict
from spanrs.errors import SpanrsError
from spanrs.io import Columns


def count_pair(
    target_file: str | PathLike[str],
    system_file: str | PathLike[str],
    config: dict[str, Any],
    eval_dict: dict[str, Any],
) -> dict[str, Any]:
    """Count the errors of a file, sentence by sentence.

    Where one file has more sentences they are not counted, and a line on standard error says so.

    Parameters
    ----------
    target_file, system_file : str or path
        Files as :func:`~spanrs.compat.faireval.get_sentences` reads them.
    config : dict
        From :func:`~spanrs.compat.faireval.read_config`; labels are counted into its ``data_stats``, if
        that is there.
    eval_dict : dict
        What other files gave, ``{}`` at first; it is changed.

    Returns
    -------
    dict
        `eval_dict`.

    Raises
    ------
    OSError, UnicodeDecodeError, IndexError
        As from :func:`~spanrs.compat.faireval.get_sentences` and :func:`~spanrs.compat.faireval.get_spans`.
    """
    focus = config.get("focus", "target")
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
        target = get_spans(target_lines, **config)
        system = get_spans(system_lines, **config)
        annotation_stats(target, **config)
        eval_dict = add_dict(eval_dict, compare_spans(target, system, focus))
    return eval_dict


def _span_files(
    target_file: str | PathLike[str], system_file: str | PathLike[str], config: dict[str, Any]
) -> Evaluation | None:
    """Count two span files in which nothing is wrong, in the compiled half; None for all others.

    What that refuses FairEval may read in a way of its own, sentence by sentence.
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
    names = list(found["types"])
    rows = list(found["types"].values())
    if "data_stats" in config:
        stats = config["data_stats"]
        for name in found["gold_types"]:
            # Spans that have an equal traditionally, and spans that have none.
            row = found["types"][name]
            stats[name] = stats.get(name, 0) + row[0] + row[2]
    at = {name: place for place, name in enumerate(names)}
    pairs = [
        (kind, at[target], at[system], n)
        for kind, error in enumerate(("le", "lbe"))
        for target, system, n in found[error]
    ]
    return _spanrs.fair_evaluation(names, rows, pairs, config.get("focus", "target"))
