"""The pages of the site are complete, and broken links are found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

import build  # noqa: E402


def test_links_between_pages_become_those_of_the_site():
    page = DOCS / "guides" / "fair.md"
    text = "[a](../fair.md#files) [b](#here) [c](https://example.org) [d](../../CHANGELOG.md) [e](../../Makefile)\n"
    example = "```sh\n[a](nowhere.md)\n```\n"
    assert build.rewrite_links(text + example, page) == (
        "[a](../fair.md#files) [b](#here) [c](https://example.org) [d](../project/CHANGELOG.md) "
        f"[e]({build.repository()}Makefile)\n{example}"
    )
    with pytest.raises(ValueError, match=r"docs/guides/fair.md: the link to nowhere.md leads nowhere"):
        build.rewrite_links("[a](nowhere.md)", page)


def test_broken_links_and_resources_from_the_network_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="#top">a</a><a href="b.html#there">b</a><a href="b.html#gone">c</a>'
        '<a href="c.html">d</a><a href="https://example.org">e</a><img src="https://example.org/i.png">'
        '<link rel="stylesheet" href="//example.org/s.css"><img src="data:image/png;base64,AA==">',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text('<p id="there">B</p>', encoding="utf-8")
    assert list(build.broken_links(tmp_path)) == [
        "a.html: b.html#gone leads nowhere",
        "a.html: c.html leads nowhere",
        "a.html: https://example.org/i.png is loaded from the network",
        "a.html: //example.org/s.css is loaded from the network",
    ]


def test_every_page_is_in_the_table_of_contents():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in [*DOCS.glob("*.md"), *(DOCS / "guides").glob("*.md")]:
        name = page.relative_to(DOCS).with_suffix("").as_posix()
        assert name == "index" or name.startswith("from-") or f"\n{name}\n" in index, name
