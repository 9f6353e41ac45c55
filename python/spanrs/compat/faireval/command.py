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
from spanrs.compat.faireval.scores import calculate_results


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate as the file of ``--config`` says; give the exit status, which is 1 if there is nothing to evaluate.

    >>> import os
    >>> from spanrs.compat.faireval import main
    >>> main(["--config", os.devnull])
    ERROR: Cannot evaluate without target AND system file(s). Quitting.
    1
    """
    parser = argparse.ArgumentParser(description="Count errors of labelled spans traditionally and fairly.")
    parser.add_argument("--config", required=True, help="configuration file")
    return evaluate(read_config(parser.parse_args(argv).config))


def evaluate(config: dict[str, Any] | None) -> int:
    """Evaluate as :func:`~spanrs.compat.faireval.read_config` says; give the exit status.

    A file of results is not written if a file cannot be read.
    """
    if config is None:
        return 1
    config["data_stats"] = {}
    results: dict[str, Any] = {part: {"traditional": {}, "fair": {}} for part in ("overall", "per_label")}
    results["conf"] = {}
    try:
        system_files = {os.path.basename(path): path for path in config["system_files"]}
        both = [(path, system_files.get(os.path.basename(path))) for path in config["target_files"]]
        if not any(system_file for _, system_file in both):
            words = "no target file has the name of a system file, by which files are paired"
            sys.stderr.write(f"{words}: nothing is counted\n")
        for target_file, system_file in both:
            if system_file is not None:
                results = pairs.count_pair(target_file, system_file, config, results)
        output_results(calculate_results(results, **config), **config)
    except BaseException:
        if isinstance(config["eval_out"], ReplacingFile):
            config["eval_out"].discard()
        raise
    return 0
