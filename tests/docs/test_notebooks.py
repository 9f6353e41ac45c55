"""The notebooks show what their cells give."""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
pytest.importorskip("nbclient")

import nbformat  # noqa: E402
import run_notebooks  # noqa: E402

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the outputs are those of Linux on x86-64",
)


def outputs(notebook):
    """Return the outputs of each cell by type; pictures without the numbers of their elements."""
    return [
        [
            {
                kind: "".join(content)
                for kind, content in output.get("data", {"text": output.get("text", "")}).items()
            }
            for output in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", run_notebooks.NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_show_the_output_of_their_cells(path):
    kept = nbformat.read(path, as_version=4)
    assert kept == run_notebooks.cleaned(nbformat.read(path, as_version=4)), "run make docs-update"
    assert outputs(run_notebooks.run(path)) == outputs(kept), "run make docs-update"


def test_errors_and_results_have_a_form_for_notebooks():
    html = [
        output.data["text/html"]
        for path in run_notebooks.NOTEBOOKS
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert sum(page.startswith("<iframe srcdoc=") for page in html) == 2
    assert sum("<table" in page and "iframe" not in page for page in html) == 4
    assert not any(re.search(r"(src|href)=.https?:", page) for page in html)
