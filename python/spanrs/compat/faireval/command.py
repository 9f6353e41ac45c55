"""The command ``FairEval.py --config FILE``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from spanrs.compat.faireval import pairs
from spanrs.compat.faireval.config import read_config
from spanrs.compat.faireval.files import ReplacingFile
from spanrs.compat.faireval.output import output_results
from spanrs.compat.faireval.results import calculate_results


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate as a configuration file says.

    Parameters
    ----------
    argv : list of str, optional
        Arguments, ``--config FILE``; those of the process if it is None.

    Returns
    -------
    int
        Exit status: 1 where there is nothing to evaluate, which was said then.

    Raises
    ------
    OSError, UnicodeDecodeError, IndexError, ValueError
        For files that cannot be read. A file of results is then not written.
    """
    parser = argparse.ArgumentParser(description="Count errors of labelled spans traditionally and fairly.")
    parser.add_argument("--config", required=True, help="configuration file")
    return evaluate(read_config(parser.parse_args(argv).config))


def evaluate(config: dict[str, Any] | None) -> int:
    """Evaluate as :func:`~spanrs.compat.faireval.read_config` says; give the exit status.

    Parameters
    ----------
    config : dict or None
        None where there is nothing to evaluate, which was said then.

    Returns
    -------
    int
        1 for None, else 0.

    Raises
    ------
    OSError, UnicodeDecodeError, IndexError, ValueError
        As :func:`main`.
    """
    if config is None:
        return 1
    try:
        _evaluate(config)
    except BaseException:
        if isinstance(config["eval_out"], ReplacingFile):
            config["eval_out"].discard()
        raise
    return 0


def _evaluate(config: dict[str, Any]) -> None:
    config["data_stats"] = {}
    results: dict[str, Any] = {
        part: {"traditional": {}, "fair": {}} if part != "conf" else {}
        for part in ("overall", "per_label", "conf")
    }
    system_files = {os.path.basename(path): path for path in config["system_files"]}
    both = [(path, system_files.get(os.path.basename(path))) for path in config["target_files"]]
    if not any(system_file for _, system_file in both):
        sys.stderr.write(
            "no target file has the name of a system file, by which files are paired: nothing is counted\n"
        )
    for target_file, system_file in both:
        if system_file is not None:
            results = pairs.count_pair(target_file, system_file, config, results)
    output_results(calculate_results(results, **config), **config)
