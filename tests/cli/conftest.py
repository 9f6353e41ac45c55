"""Fixtures of the tests of commands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spanrs.cli.group import group
from spanrs.cli.run import run


@pytest.fixture
def spanrs(capsys) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process; return its status, standard output and standard error."""

    def call(*args: object) -> tuple[int, str, str]:
        status = run(group, [str(arg) for arg in args])
        out, err = capsys.readouterr()
        return status, out, err

    return call
