"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("SPANRS_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with recorded outputs and real corpora, which is not part of the project."""
    if not (SHARED / "golden").is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"no golden files at {SHARED}: they must be there in CI")
        pytest.skip(f"no golden files at {SHARED}; set SPANRS_SHARED")
    return SHARED


@pytest.fixture(scope="session")
def evaluators(shared: Path) -> Path:
    """Recorded outputs of the evaluators."""
    return shared / "golden" / "evaluators"


@pytest.fixture(scope="session")
def wnut(shared: Path) -> Path:
    """The WNUT 2017 shared task."""
    return shared / "data" / "wnut17"
