"""The guides and the README show what their commands and examples give."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

import plot_records  # noqa: E402
import run_guides  # noqa: E402
import take_pictures  # noqa: E402

#: The Makefile needs a POSIX shell, and so do the commands of the guides.
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the commands of the guides are for a POSIX shell"
)


def texts(svg: str) -> list[str]:
    """Return the texts of a picture: names, numbers and labels, without positions, which depend on fonts."""
    return re.findall(r"<!-- (.*?) -->", svg) + re.findall(r"<text[^>]*>(?:<tspan[^>]*>)?([^<]*)", svg)


@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", run_guides.GUIDES, ids=lambda page: page.stem)
def test_pages_show_the_output_of_their_commands(page):
    done = run_guides.run(page)
    assert done.failures == []
    assert done.text == page.read_text(encoding="utf-8"), (
        f"run make docs-update, and look at the changes of {page.name}"
    )
    for name, picture in done.images.items():
        kept = (run_guides.IMAGES / name).read_text(encoding="utf-8")
        assert texts(kept) == texts(picture) != [], f"{name}: run make docs-update"
    pictures = json.loads(take_pictures.LIST.read_text(encoding="utf-8"))
    for picture, (guide, report) in take_pictures.PICTURES.items():
        if guide == page.stem:
            digest = take_pictures.digest(done.files[report])
            assert digest == pictures[picture], (
                f"{report} has changed: run make pictures, and look at {picture}"
            )


def test_images_of_pages_exist():
    for page in [*run_guides.GUIDES, *DOCS.glob("*.md")]:
        for image in re.findall(r"!\[[^]]*\]\(([^)]*)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / image).is_file(), (page.name, image)


def test_benchmarks_are_those_of_the_records():
    assert plot_records.PAGE.read_text(encoding="utf-8") == plot_records.page(), "run make docs-update"
    for name, plot in plot_records.plots().items():
        assert texts((run_guides.IMAGES / name).read_text(encoding="utf-8")) == texts(plot), (
            "run make docs-update"
        )


def test_output_that_differs_is_found(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ echo a \\\n> b\nwrong\n$ printf 'c \\n\\nd'\n```\n\n"
        "```python\n>>> 1 + 1\n3\n>>> for n in (1, 2):\n...     print(n)\n>>> 1 / 0\n\n```\n"
        "<!-- needs: no_such_module -->\n```console\n$ echo left\nas it is\n```\n",
        encoding="utf-8",
    )
    done = run_guides.run(page)
    assert done.text == (
        "```console\n$ echo a \\\n> b\na b\n$ printf 'c \\n\\nd'\nc\n\nd\n```\n\n"
        "```python\n>>> 1 + 1\n2\n>>> for n in (1, 2):\n...     print(n)\n1\n2\n>>> 1 / 0\n\n```\n"
        "<!-- needs: no_such_module -->\n```console\n$ echo left\nas it is\n```\n"
    )
    [failure] = done.failures
    assert "ZeroDivisionError" in failure


def test_commands_that_crash_are_failures(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ false\n$ no-such-command\n$ python -c 'raise OSError(1)'\n```\n", encoding="utf-8"
    )
    missing, crashed = run_guides.run(page).failures
    assert "no-such-command: exit status 127" in missing
    assert "OSError: 1" in crashed
