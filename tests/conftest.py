"""Shared fixtures: recorded outputs and corpora."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import corpora
from recordings import SMALL, Recordings

# A loaded machine is not a failure: tests do not measure time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("SPANRS_SHARED") or ROOT.parent / "shared").absolute()
#: Every comparison runs on the small set of the project, and on the larger set if it is available.
SOURCES = ["small", "shared"]


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the directory with the larger recordings and the real corpora."""
    if not (SHARED / "golden").is_dir():
        reason = "the larger recordings and the corpora are not in ../shared (or where SPANRS_SHARED says)"
        if os.environ.get("SPANRS_REQUIRE_SHARED"):
            pytest.fail(f"{reason}, and SPANRS_REQUIRE_SHARED is set: looked at {SHARED}")
        pytest.skip(reason)
    return SHARED


def _folder(request: pytest.FixtureRequest) -> tuple[Path, bool]:
    """Return the directory with recordings of the requested source, and whether it is the small set."""
    if request.param == "small":
        return SMALL, True
    return request.getfixturevalue("shared") / "golden", False


@pytest.fixture(scope="session", params=SOURCES)
def evaluators(request: pytest.FixtureRequest) -> Recordings:
    """Return recorded outputs of the evaluators."""
    folder, small = _folder(request)
    return Recordings(folder / "evaluators", small)


@pytest.fixture(scope="session", params=SOURCES)
def matscore(request: pytest.FixtureRequest) -> Recordings:
    """Return recorded cases of MATScore."""
    folder, small = _folder(request)
    return Recordings(folder / ("regression_mat" if small else "mat"), small)


@pytest.fixture(scope="session", params=SOURCES)
def submissions(request: pytest.FixtureRequest) -> corpora.Submissions:
    """Return a tagged corpus with the predictions of several systems; the larger one is WNUT 2017."""
    if request.param == "small":
        return corpora.small_submissions(SMALL / "data")
    return corpora.wnut(request.getfixturevalue("shared") / "data" / "wnut17")


@pytest.fixture(scope="session", params=SOURCES)
def nested(request: pytest.FixtureRequest) -> corpora.Nested:
    """Return a corpus with two layers of tags; the larger one is GermEval 2014."""
    if request.param == "small":
        return corpora.small_nested(SMALL / "data")
    return corpora.germeval(request.getfixturevalue("shared") / "data" / "germeval2014")


@pytest.fixture(scope="session", params=SOURCES)
def faireval_data(request: pytest.FixtureRequest) -> corpora.SpanFiles:
    """Return span files in FairEval's folders with its result files; the larger ones are FairEval's own."""
    if request.param == "small":
        return corpora.small_span_files(SMALL / "data")
    return corpora.published_span_files(request.getfixturevalue("shared"))


@pytest.fixture(scope="session")
def other_process() -> Iterator[Callable[..., Any]]:
    """Return a function that calls another one in a new process, with serialized arguments."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield lambda function, *given: pool.submit(function, *given).result()
