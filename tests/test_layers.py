"""Dependencies point downwards, and imports are fast."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import spanrs

ROOT = Path(__file__).parent.parent
RUST = {
    "spanrs-base": set(),
    "spanrs-tags": {"spanrs-base"},
    "spanrs-io": {"spanrs-base"},
    "spanrs-eval": {"spanrs-base", "spanrs-tags"},
    "spanrs-arrow": {"spanrs-base", "spanrs-tags", "spanrs-eval"},
    "spanrs-crf": {"spanrs-base"},
    "spanrs-dep": {"spanrs-base"},
    "spanrs-compat": {"spanrs-base", "spanrs-tags", "spanrs-eval"},
    "spanrs": {
        "spanrs-base",
        "spanrs-tags",
        "spanrs-io",
        "spanrs-eval",
        "spanrs-arrow",
        "spanrs-crf",
        "spanrs-dep",
        "spanrs-compat",
    },
    "spanrs-py": {"spanrs"},
}
#: Rooms that a room may import from; `errors`, `caching`, `lazy`, `progress`, `threads`, `estimator` and `_spanrs` are
#: open to all. Those of a room come before it, so that there is no way back.
PYTHON = {
    "errors": set(),
    "caching": set(),
    "lazy": set(),
    "progress": set(),
    "threads": set(),
    "estimator": set(),
    "tags": set(),
    "io": {"tags"},
    "report": set(),
    "eval": {"io", "tags", "report"},
    "mat": {"io", "tags", "eval", "report"},
    "crf": {"io", "tags", "eval", "report"},
    "dep": {"io", "eval", "report"},
    "crowd": {"io", "tags", "eval", "crf", "report"},
    "compat": {"io", "tags", "eval", "report", "crf", "dep"},
    "integrations": {"io", "tags", "eval", "report", "dep", "compat"},
    "cli": {"io", "tags", "eval", "mat", "crf", "dep", "crowd", "report", "compat"},
}


def test_crates_depend_downwards():
    command = ["cargo", "metadata", "--format-version=1", "--no-deps", "--offline"]
    parsed = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    got = {
        package["name"]: {
            d["name"] for d in package["dependencies"] if d["name"] in RUST and d["kind"] is None
        }
        for package in parsed["packages"]
    }
    assert got == RUST
    for package in parsed["packages"]:
        names = {d["name"] for d in package["dependencies"]}
        assert not names & {"pyo3", "numpy"} or package["name"] == "spanrs-py"


def test_evaluation_alone_needs_few_packages():
    command = ["cargo", "tree", "--package=spanrs", "--no-default-features", "--features=eval", "--offline"]
    options = ["--edges=normal", "--prefix=none", "--format={p}"]
    tree = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    packages = {line.split()[0] for line in tree.splitlines() if line}
    assert "spanrs-eval" in packages
    assert not packages & {"regex", "safetensors", "quick-xml", "tempfile", "flate2", "zstd", "spanrs-crf"}
    assert len(packages) <= 36


def imported(path: Path) -> set[str]:
    """The dotted names that a module imports, including imports in functions and for type checking."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.split(".")[0] == "spanrs"}


def imports(path: Path) -> set[str]:
    """The rooms of spanrs that a module imports."""
    return {name.split(".")[1] for name in imported(path) if "." in name} - {"__version__"}


def modules() -> dict[str, Path]:
    """All modules by their dotted names."""
    collected = {}
    for path in (ROOT / "python").rglob("*.py"):
        parts = path.relative_to(ROOT / "python").with_suffix("").parts
        collected[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return collected


def test_no_imports_go_in_a_circle():
    expected = modules()
    graph = {}
    for name, path in expected.items():
        targets = {item if item in expected else item.rpartition(".")[0] for item in imported(path)}
        # The package itself imports nothing until it is asked to, and stands here for its compiled half.
        graph[name] = (targets & set(expected)) - {name, "spanrs"}
    graph.pop("spanrs")
    # Modules are taken away once everything they import is gone; what is left is in a circle, or imports one.
    while leaves := {name for name, targets in graph.items() if not targets & set(graph)}:
        graph = {name: targets for name, targets in graph.items() if name not in leaves}
    assert graph == {}


def test_rooms_have_an_order():
    rooms = list(PYTHON)
    assert all(rooms.index(below) < at for at, room in enumerate(rooms) for below in PYTHON[room])


def test_every_room_is_known():
    actual = {p.stem for p in (ROOT / "python" / "spanrs").iterdir() if p.suffix in ("", ".py")}
    assert actual - {"__init__", "__main__", "__pycache__", "py"} - set(PYTHON) == set()


def test_packages_import_downwards():
    for room, allowed in PYTHON.items():
        place = ROOT / "python" / "spanrs" / room
        modules = place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
        for module in modules:
            extra = (
                imports(module)
                - allowed
                - {room, "errors", "caching", "lazy", "progress", "threads", "estimator", "_spanrs"}
            )
            assert not extra, (module, extra)
    for base in ("errors", "caching", "lazy", "progress"):
        assert imports(ROOT / "python" / "spanrs" / f"{base}.py") == set()
    assert imports(ROOT / "python" / "spanrs" / "__main__.py") == {"cli"}


@pytest.mark.parametrize("package", ["eval", "io", "mat", "tags", "dep", "crf", "crowd"])
def test_packages_list_only_public_names(package):
    module = getattr(spanrs, package)
    if "__dir__" in vars(module):
        assert {name for name in dir(module) if not name.startswith("__")} == set(module.__all__)


def test_only_public_names_are_listed_and_all_of_them_are_there():
    code = (
        "import spanrs; found = {name: getattr(spanrs, name) for name in dir(spanrs)};"
        "import spanrs.cli.run, spanrs.report.table;"
        "print(*(name for name in dir(spanrs) if not name.startswith('__')));"
        "print(*(name for name in set(dir(spanrs)) - set(found)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, later = done.stdout.split("\n")[:2]
    assert {*names.split(), "__version__"} == {*spanrs.__all__, "eval"}
    assert later == ""
    packages = {p.stem for p in (ROOT / "python" / "spanrs").iterdir() if p.is_dir()}
    assert packages - {"__pycache__", "cli", "report"} <= set(dir(spanrs))


def test_importing_loads_nothing_heavy():
    code = "import sys, spanrs; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "rich", "click", "json"} & set(done.stdout.split())


def test_files_are_small():
    for folder, ending in (("rust", "*.rs"), ("python", "*.py")):
        for path in (ROOT / folder).rglob(ending):
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 600, path
