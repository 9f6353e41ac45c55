"""The sample of sentences for review is reproducible and covers every kind of text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parent.parent / "tools" / "draw_sentences.py"
PATHS = ("docs/tags.md", "python/spanrs/io/reader.py", "rust/spanrs-tags/src/d")


def draw(*arguments: str) -> list[str]:
    command = [sys.executable, str(TOOL), *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.splitlines()


def test_samples_are_reproducible_and_cover_all_kinds():
    lines = draw("--number", "8", *PATHS)
    assert [line.split("[")[1].split("]")[0] for line in lines] == sorted(
        ["docs", "messages", "python", "rust"] * 2, key="docs python messages rust".index
    )
    assert draw("--number", "8", *PATHS) == lines != draw("--number", "8", "--seed", "1", *PATHS)


def test_locations_are_those_of_the_sentences():
    path = "python/spanrs/threads.py"
    source = (TOOL.parent.parent / path).read_text(encoding="utf-8").splitlines()
    for line in draw("--number", "100", path):
        name, number, text = line.split(":", 2)
        assert name == path
        assert text.split("] ")[1].split()[0] in source[int(number) - 1]
