"""Runs the notebooks and writes their output into them: `make docs-update`.

Notebooks are run in their folder of a temporary copy of `docs/notebooks` and `examples`, and are stored without what differs
from run to run.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def run(path: Path) -> Any:
    """Run a notebook.

    Parameters
    ----------
    path : Path
        The notebook.

    Returns
    -------
    NotebookNode
        The notebook with the output of its cells.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell raises an exception.
    """
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "docs" / "notebooks"
        folder.mkdir(parents=True)
        shutil.copytree(ROOT / "examples", Path(name) / "examples")
        # The kernel inherits the environment.
        python_path = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "python"), python_path]))
        try:
            resources = {"metadata": {"path": str(folder)}}
            NotebookClient(notebook, timeout=300, resources=resources).execute()
        finally:
            if python_path is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = python_path
    return cleaned(notebook)


def cleaned(notebook: Any) -> Any:
    """Remove times, and versions of the interpreter and its packages, from a notebook."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(notebook.cells, 1):
        cell.metadata = {}
        cell.id = f"cell-{number}"
    return notebook


def main() -> None:
    """Run all notebooks, or those that are named, and store their output."""
    names = sys.argv[1:]
    for path in NOTEBOOKS:
        if not names or path.stem in names:
            nbformat.write(run(path), path)


if __name__ == "__main__":
    main()
