"""A target file beside a system file."""

from __future__ import annotations

import sys
from itertools import zip_longest
from os import PathLike
from typing import Any

from spanrs.compat.faireval.compare import compare_spans
from spanrs.compat.faireval.readers import annotation_stats, get_sentences, get_spans
from spanrs.compat.faireval.results import add_dict


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
