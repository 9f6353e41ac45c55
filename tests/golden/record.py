"""Records the small set of golden cases; README.md in this directory describes their origin.

``make golden`` runs it. With ``--regression`` it also writes the records of spanrs itself, for the peers
that PyPI does not have, once the comparisons with the larger set pass.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from golden import inputs, mat, peers, regression

HERE = Path(__file__).parent
EVALUATORS = HERE / "evaluators"


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write a .jsonl.gz file unless its content is unchanged."""
    data = "".join(dump(row) + "\n" for row in rows).encode()
    if not path.exists() or gzip.decompress(path.read_bytes()) != data:
        path.write_bytes(gzip.compress(data, 9, mtime=0))
        print("written", path.relative_to(HERE))


def write_json(path: Path, value: Any) -> None:
    path.write_text(dump(value) + "\n", encoding="utf-8")


def check_larger_set() -> None:
    """Run the comparisons with the larger set; raises CalledProcessError where one fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-k", regression.LARGER, *regression.TESTS]
    environment = os.environ | {"SPANRS_REQUIRE_SHARED": "1"}
    subprocess.run(command, cwd=HERE.parent.parent, env=environment, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--regression", action="store_true", help="write the records of spanrs as well")
    args = parser.parse_args()
    # iobes and seqeval warn of every malformed tag.
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    EVALUATORS.mkdir(exist_ok=True)
    for name, rows in peers.ROWS.items():
        write_rows(EVALUATORS / f"{name}.jsonl.gz", rows())
    write_json(EVALUATORS / "iobes_api.json", peers.iobes_api())
    (HERE / "data" / "nested.tsv").write_text("\n".join(inputs.nested_corpus()), encoding="utf-8")
    if args.regression:
        check_larger_set()
        for name, rows in regression.ROWS.items():
            write_rows(EVALUATORS / f"regression_{name}.jsonl.gz", rows())
        write_json(EVALUATORS / "regression_faireval_overlap_type.json", regression.overlap_types())
        regression.write_span_files(HERE / "data" / "regression_faireval")
        mat.write(HERE / "regression_mat")


if __name__ == "__main__":
    main()
