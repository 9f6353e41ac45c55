"""The tables of `.ci/coverage.py` on Python."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parent.parent


def load():
    spec = importlib.util.spec_from_file_location("coverage_record", ROOT / ".ci" / "coverage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def summary(lines, run_lines, branches, taken):
    keys = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    return {"summary": dict(zip(keys, (lines, run_lines, branches, taken), strict=True))}


def test_files_are_summed_by_package_and_the_worst_are_listed():
    module = load()
    files = {
        "python/spanrs/io/reader.py": summary(100, 90, 10, 5),
        "python\\spanrs\\io\\csv.py": summary(50, 50, 0, 0),
        "/elsewhere/python/spanrs/crowd/files.py": summary(10, 5, 4, 4),
        "python/spanrs/lazy.py": summary(0, 0, 0, 0),
    }
    packages, worst = module.python_tables({"files": files, "meta": {"version": "7"}})
    assert packages.splitlines()[2:] == [
        "| crowd | 10 | 5 | 50.0 | 4 | 4 | 100.0 |",
        "| io | 150 | 140 | 93.3 | 10 | 5 | 50.0 |",
        "| other files | 0 | 0 |  | 0 | 0 |  |",
        "| all | 160 | 145 | 90.6 | 14 | 9 | 64.3 |",
    ]
    assert worst.splitlines()[2:4] == [
        "| io/reader.py | 100 | 10 | 90.0 | 5 |",
        "| crowd/files.py | 10 | 5 | 50.0 | 0 |",
    ]


def test_tests_that_are_left_out_exist():
    for test in load().DESELECTED:
        path, name = test.split("::")
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")
