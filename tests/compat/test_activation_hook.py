"""The hook of an environment: activation in worker processes and other interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from spanrs.compat import _hook, _hook_file
from spanrs.compat._activation import VERSIONS

WORKERS = """
import multiprocessing, sys

def names(_):
    import pycrfsuite, seqeval.metrics
    return seqeval.metrics.__name__, pycrfsuite.__name__

if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, *pool.map(names, [0])[0])
    import joblib
    print("loky", *joblib.Parallel(2, backend="loky")(joblib.delayed(names)(at) for at in range(2))[0])
"""
NAMES = "import iobes, seqeval; print(iobes.__name__, seqeval.__name__)"


class Environment:
    """A virtual environment with the packages of this one."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=os.name != "nt")
        self.python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
        paths = {"base": str(folder), "platbase": str(folder)}
        self.site = Path(sysconfig.get_path("purelib", "venv", paths))
        standard = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
        paths = [
            path for path in sys.path if os.path.isdir(path) and os.path.realpath(path) not in standard
        ]
        (self.site / "packages.pth").write_text("".join(f"{path}\n" for path in paths))

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {
            key: value for key, value in os.environ.items() if key != "SPANRS_ACTIVATE"
        } | variables
        command = [self.python, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.site.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def created(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture
def environment(created):
    yield created
    (created.site / _hook_file.NAME).unlink(missing_ok=True)


def test_workers_import_what_the_hook_names(environment, tmp_path):
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    methods = ("spawn", "forkserver", "loky")
    done = environment.run(str(script))
    assert done.stdout.splitlines() == [f"{method} seqeval.metrics pycrfsuite" for method in methods], (
        done.stderr
    )
    assert environment.run("-m", "spanrs.compat", "install-hook", "seqeval", "pycrfsuite").returncode == 0
    ours = "spanrs.compat.seqeval.metrics spanrs.compat.pycrfsuite"
    assert environment.run(str(script)).stdout.splitlines() == [f"{method} {ours}" for method in methods]


def test_removal_leaves_the_environment_as_it_was(environment):
    before = environment.files()
    assert environment.run("-m", "spanrs.compat", "install-hook", "seqeval").returncode == 0
    assert environment.files().keys() == before.keys() | {"spanrs_activate.pth"}
    again = environment.run("-m", "spanrs.compat", "install-hook", "iobes")
    assert again.stdout.startswith("wrote ")
    assert environment.run("-c", NAMES).stdout == "spanrs.compat.iobes seqeval\n"
    assert environment.run("-m", "spanrs.compat", "remove-hook").returncode == 0
    assert environment.files() == before
    assert environment.run("-c", NAMES).stdout == "iobes seqeval\n"
    missing = environment.run("-m", "spanrs.compat", "remove-hook")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "there is no hook" in missing.stderr


def test_the_variable_names_packages_where_the_hook_is(environment):
    assert environment.run("-c", NAMES, SPANRS_ACTIVATE="seqeval").stdout == "iobes seqeval\n"
    assert environment.run("-m", "spanrs.compat", "install-hook").returncode == 0
    assert environment.run("-c", NAMES).stdout == "iobes seqeval\n"
    sides = "spanrs.compat.iobes spanrs.compat.seqeval\n"
    for names in ("seqeval,iobes", "iobes seqeval", " iobes , seqeval"):
        assert environment.run("-c", NAMES, SPANRS_ACTIVATE=names).stdout == sides
    done = environment.run("-c", NAMES, SPANRS_ACTIVATE="seqeval,nereval")
    assert done.stdout == "iobes spanrs.compat.seqeval\n"
    assert "spanrs does not replace ['nereval']; it replaces conlleval" in done.stderr
    assert environment.run("-m", "spanrs.compat", "install-hook", "seqeval").returncode == 0
    assert environment.run("-c", NAMES, SPANRS_ACTIVATE="").stdout == "iobes seqeval\n"


def test_unknown_packages_are_refused(environment):
    before = environment.files()
    done = environment.run("-m", "spanrs.compat", "install-hook", "seqeval", "nereval")
    assert done.returncode == 1
    assert "'nereval'; it replaces conlleval" in done.stderr
    assert environment.files() == before


def test_starting_an_interpreter_imports_nothing(environment):
    environment.run("-m", "spanrs.compat", "install-hook", *VERSIONS)
    code = "import sys; print([name for name in sys.modules if name.startswith(('spanrs', 'numpy', 'typing'))])"
    assert environment.run("-S", "-c", code).stdout == "[]\n"
    assert environment.run("-c", code.replace(", 'typing'", "")).stdout == "[]\n"
    code = "import importlib.metadata as m, sys; m.version('numpy'); print('spanrs' in sys.modules)\n"
    code += "print(m.version('sklearn_crfsuite'), m.metadata('seqeval')['Summary'])"
    done = environment.run("-c", code)
    assert done.stdout == "False\n0.5.0 spanrs.compat.seqeval\n"


def test_calls_come_after_the_hook(environment):
    environment.run("-m", "spanrs.compat", "install-hook", "seqeval")
    code = (
        "from spanrs import compat; print(compat.activate('seqeval').names); compat.deactivate('seqeval');"
    )
    assert environment.run("-c", code + NAMES).stdout == "()\niobes seqeval\n"


def test_the_hook_outlives_spanrs(environment):
    environment.run("-m", "spanrs.compat", "install-hook", "seqeval", "iobes")
    gone = "import sys; sys.modules['spanrs'] = None;"
    done = environment.run("-c", gone + NAMES)
    assert done.stdout == "iobes seqeval\n"
    assert done.stderr.count("the hook of spanrs cannot import spanrs") == 1
    assert environment.run("-c", gone + "print(1)").stderr == ""


def test_an_environment_that_cannot_be_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(_hook_file.sysconfig, "get_path", lambda name: str(tmp_path / name / "missing"))
    assert _hook_file.main(["install-hook", "seqeval"]) == 1
    assert "missing" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_hook_in_this_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setenv("SPANRS_ACTIVATE", "nereval")
    before = list(sys.meta_path)
    _hook.install(["seqeval"], {"seqeval": "seqeval"}, {"seqeval": "seqeval"})
    assert sys.meta_path == before
    assert "'nereval'" in capsys.readouterr().err
    monkeypatch.delenv("SPANRS_ACTIVATE")
    _hook.install(["seqeval"], {"seqeval": "seqeval"}, {"seqeval": "seqeval"})
    assert len(sys.meta_path) == len(before) + 1
    assert sys.meta_path[0].find_spec("json") is None
