"""All examples in documentation and docstrings are executed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import spanrs

ROOT = Path(__file__).parent.parent
#: The examples of the page for Rust run with the Rust tests; here its links are checked.
PAGES = [ROOT / "README.md", ROOT / "rust" / "spanrs" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = [m.name for m in pkgutil.walk_packages(spanrs.__path__, "spanrs.")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_say_what_happens(page):
    failed, _ = doctest.testfile(
        str(page), module_relative=False, encoding="utf-8", globs={"spanrs": spanrs}
    )
    assert failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_say_what_happens(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", ["make_readings", "make_formats"])
def test_generated_tables_are_current(name, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    module = importlib.import_module(name)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "run make docs-update"


def test_links_between_pages_lead_somewhere():
    import re

    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), (page.name, target)
