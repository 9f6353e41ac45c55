"""The tests in the source archives of the replaced packages, with the packages and with spanrs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

from peers.environment import ROOT, Environment, source

PLUGIN = ROOT / "tests" / "peers" / "plugin"


class Suite(NamedTuple):
    """Tests of a package; ``needs`` are other packages that the tests import."""

    package: str
    activated: str
    needs: tuple[str, ...] = ()


SUITES = {
    "seqeval": Suite("seqeval==1.2.2", "seqeval", ("scikit-learn",)),
    "nervaluate": Suite("nervaluate==1.2.1", "nervaluate", ("pandas",)),
    "nervaluate-0": Suite("nervaluate==0.2.0", "nervaluate=0.2", ("pandas",)),
    "seqscore": Suite("seqscore==0.9.0", "seqscore", ("tabulate",)),
    "python-crfsuite": Suite("python-crfsuite==0.9.12", "pycrfsuite"),
    "sklearn-crfsuite": Suite(
        "sklearn-crfsuite==0.5.0", "sklearn_crfsuite pycrfsuite", ("scikit-learn", "tabulate", "tqdm")
    ),
}


def run(name: str) -> bool:
    """Print the number of passed tests with the package, with spanrs beside it, and with spanrs alone.

    Returns whether every test that passes with the package passes with spanrs.
    """
    suite = SUITES[name]
    both = Environment(f"suite-{name}", (suite.package, *suite.needs, "pytest"), spanrs=True)
    alone = Environment(f"suite-{name}-alone", (*suite.needs, "pytest"), spanrs=True)
    original = _outcomes(suite, both, activated=False)
    passed = {test for test, outcome in original.items() if outcome == "passed"}
    results = {"package": original}
    for label, environment in (("spanrs beside it", both), ("spanrs alone", alone)):
        results[label] = _outcomes(suite, environment, activated=True)
    counts = "; ".join(
        f"{label}: {sum(outcome == 'passed' for outcome in outcomes.values())} of {len(outcomes)}"
        for label, outcomes in results.items()
    )
    print(f"{suite.package}: {counts}", flush=True)
    lost = {
        f"{label}: {test}"
        for label, outcomes in results.items()
        for test in passed
        if outcomes.get(test) != "passed"
    }
    for line in sorted(lost):
        print(f"  lost with {line}")
    return bool(passed) and not lost


def run_iobes() -> bool:
    """Run the golden cases and the differential tests of iobes, whose archive has no tests; return whether all pass."""
    tests = [f"compat/test_{name}_iobes_compat.py" for name in ("golden", "differential")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=ROOT / "tests",
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"iobes==1.5.1: golden cases and differential tests: {done.stdout.splitlines()[-1]}", flush=True)
    return done.returncode == 0


def _outcomes(suite: Suite, environment: Environment, *, activated: bool) -> dict[str, str]:
    """Run the tests in an environment; return the outcome of each."""
    environment.create()
    with tempfile.TemporaryDirectory() as folder:
        # Only the tests are copied, so that the package in the archive is not imported.
        shutil.copytree(source(suite.package) / "tests", Path(folder, "tests"))
        variables = dict(os.environ)
        plugin = []
        if activated:
            variables |= {"PEERS_ACTIVATED": suite.activated, "PYTHONPATH": str(PLUGIN)}
            plugin = ["-p", "activate_peer"]
        report = Path(folder, "report.xml")
        options = ["-q", "-p", "no:cacheprovider", f"--junitxml={report}", *plugin, "tests"]
        done = environment.run("-m", "pytest", *options, cwd=folder, env=variables)
        if not report.exists():
            raise SystemExit(f"{suite.package}: pytest failed:\n{done.stdout}{done.stderr}")
        outcomes = {}
        for case in ET.parse(report).iter("testcase"):  # written by pytest
            failed = any(case.find(tag) is not None for tag in ("failure", "error", "skipped"))
            outcomes[f"{case.get('classname')}.{case.get('name')}"] = "failed" if failed else "passed"
        return outcomes
