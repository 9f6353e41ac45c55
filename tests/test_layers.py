"""Dependencies point down, and importing is cheap."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUST = {
    "spanrs-base": set(),
    "spanrs-tags": {"spanrs-base"},
    "spanrs-io": {"spanrs-base"},
    "spanrs-eval": {"spanrs-base", "spanrs-tags"},
    "spanrs-jobs": {"spanrs-base", "spanrs-tags", "spanrs-io", "spanrs-eval"},
    "spanrs-py": {"spanrs-base", "spanrs-tags", "spanrs-io", "spanrs-eval", "spanrs-jobs"},
}
#: Rooms that a room may import from; `errors` and `_spanrs` are open to all.
PYTHON = {
    "errors": {"tags"},
    "io": set(),
    "tags": {"io"},
    "eval": {"io", "tags", "report"},
    "mat": {"io", "eval", "report"},
    "report": {"eval", "io", "mat", "tags"},
    "compat": {"io", "tags", "eval", "report"},
    "integrations": {"io", "tags", "eval", "report", "compat"},
    "cli": {"io", "tags", "eval", "mat", "report", "compat"},
}


def test_crates_depend_downwards():
    command = ["cargo", "metadata", "--format-version=1", "--no-deps", "--offline"]
    found = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    got = {
        package["name"]: {
            d["name"] for d in package["dependencies"] if d["name"] in RUST and d["kind"] is None
        }
        for package in found["packages"]
    }
    assert got == RUST
    for package in found["packages"]:
        names = {d["name"] for d in package["dependencies"]}
        assert not names & {"pyo3", "numpy"} or package["name"] == "spanrs-py"


def imports(path: Path) -> set[str]:
    """The rooms of spanrs that a module imports."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        rooms |= {name.split(".")[1] for name in names if name.startswith("spanrs.")}
    return rooms - {"__version__"}


def test_every_room_is_known():
    found = {p.stem for p in (ROOT / "python" / "spanrs").iterdir() if p.suffix in ("", ".py")}
    assert found - {"__init__", "__pycache__", "py"} - set(PYTHON) == set()


def test_packages_import_downwards():
    for room, allowed in PYTHON.items():
        place = ROOT / "python" / "spanrs" / room
        modules = place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
        for module in modules:
            extra = imports(module) - allowed - {room, "errors", "_spanrs"}
            assert not extra, (module, extra)


def test_importing_loads_nothing_heavy():
    code = "import sys, spanrs; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "rich", "click", "json"} & set(done.stdout.split())


def test_files_are_small():
    for folder, ending in (("rust", "*.rs"), ("python", "*.py")):
        for path in (ROOT / folder).rglob(ending):
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 600, path
