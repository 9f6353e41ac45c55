"""Draw a reproducible sample of the project's sentences for a review of their language.

Run ``python tools/draw_sentences.py [--number 60] [--seed 36] [PATH ...]``. Equal numbers of sentences are drawn from
the documents, from Python docstrings and comments, from messages, and from Rust comments. PATHs restrict the sample to
files whose path begins with one of them.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SEED = 36
#: Minimum number of words; shorter messages and table cells are names or numbers.
MIN_WORDS = 4
KINDS = ("docs", "python", "messages", "rust")
#: File patterns for each suffix; messages are taken from Python and Rust files.
SOURCES = {
    ".md": ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/*.md"),
    ".py": ("python/spanrs/**/*.py",),
    ".rs": ("rust/*/src/**/*.rs",),
}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`(\[])")
_BLOCK = re.compile(r"(```|~~~).*?^\s*\1", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"\s*(?:[-*#]+|\d+\.)\s")
#: A NumPy section heading with its underline, or the name and type of a parameter.
_HEADING = re.compile(r"^ *(?:[A-Z][A-Za-z ]+\n *-{3,}|[\w*`][\w*, `]* : .*)$", re.MULTILINE)
_DOCTEST = re.compile(r"^ *>>>.*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
_RUST = re.compile(
    r"""(?P<comment>//[^\n]*)|b?r(?P<hashes>#*)"(?P<raw>.*?)"(?P=hashes)|"(?P<text>(?:\\.|[^"\\])*)"|'(?:\\.[^']*|[^'\\])'""",
    re.DOTALL,
)


class Sentence(NamedTuple):
    """A sentence with its location."""

    path: str
    line: int
    kind: str
    text: str


def paragraphs(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs, list items and table cells of a text, with their line numbers.

    Code blocks, doctests and section headings must already be blanked.
    """
    start, parts = line, list[str]()
    indent = 0
    for number, content in enumerate([*text.split("\n"), ""], line):
        is_cell = content.lstrip().startswith("|")
        depth = len(content) - len(content.lstrip())
        if parts and (not content.strip() or _ITEM.match(content) or is_cell or depth != indent):
            yield start, " ".join(parts)
            parts = []
        if is_cell:
            yield from ((number, cell.strip()) for cell in content.split("|"))
        elif content.strip():
            if not parts:
                start = number
            marker = _ITEM.match(content)
            indent = len(marker[0]) if marker else depth
            parts.append(content[len(marker[0]) if marker else 0 :].strip())


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """Blank the matches of a pattern, keeping the line numbers."""
    return pattern.sub(lambda match: "\n" * match[0].count("\n"), text)


def sentences(text: str, line: int, path: str, kind: str) -> Iterator[Sentence]:
    """Split a text into sentences, each with the line number of its paragraph."""
    for pattern in (_BLOCK, _DOCTEST, _HEADING):
        text = _blanked(pattern, text)
    for at, paragraph in paragraphs(text, line):
        for sentence in _SENTENCE_END.split(paragraph):
            words = [word for word in sentence.split() if re.search("[A-Za-z]{2}", word)]
            if len(words) >= (MIN_WORDS if kind in ("docs", "messages") else 2):
                yield Sentence(path, at, kind, sentence)


def python_sentences(source: str, path: str) -> Iterator[Sentence]:
    """Yield the sentences in docstrings, comments and messages of a Python module."""
    tree = ast.parse(source)
    docstrings: set[int] = set()
    parts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            parts.update(map(id, ast.walk(node)))
            parts.discard(id(node))
    for node in ast.walk(tree):
        if id(node) in parts or not isinstance(node, (ast.Constant, ast.JoinedStr)):
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(_shown(value) for value in node.values)
        elif isinstance(node.value, str):
            text = node.value
        else:
            continue
        yield from sentences(text, node.lineno, path, "python" if id(node) in docstrings else "messages")
    comments: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments.append((token.start[0], token.string))
    yield from _comment_sentences(comments, path, "python")


def _shown(value: ast.expr) -> str:
    """Return a part of an f-string as in the source."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    return "{" + ast.unparse(value.value if isinstance(value, ast.FormattedValue) else value) + "}"


def _comment_sentences(comments: list[tuple[int, str]], path: str, kind: str) -> Iterator[Sentence]:
    """Join adjacent comment lines and yield their sentences."""
    blocks: list[tuple[int, list[str]]] = []
    for line, comment in comments:
        text = re.sub(r"^(?:#:?|//[/!]?) ?", "", comment)
        if blocks and line == blocks[-1][0] + len(blocks[-1][1]):
            blocks[-1][1].append(text)
        elif not re.match(r"noqa|ruff:|type:|fmt:|!", text):
            blocks.append((line, [text]))
    for line, lines in blocks:
        yield from sentences("\n".join(lines), line, path, kind)


def rust_sentences(source: str, path: str) -> Iterator[Sentence]:
    """Yield the sentences in comments and messages of a Rust file, without the tests."""
    source = re.split(r"^#\[cfg\(test\)\]\nmod \w+ \{", source, maxsplit=1, flags=re.MULTILINE)[0]
    comments: list[tuple[int, str]] = []
    line, end = 1, 0
    for match in _RUST.finditer(source):
        line += source.count("\n", end, match.start())
        end = match.start()
        if match["comment"] is not None:
            comments.append((line, match["comment"]))
        elif match["text"] is not None:
            yield from sentences(re.sub(r"\\\n\s*", "", match["text"]), line, path, "messages")
    yield from _comment_sentences(comments, path, "rust")


def all_sentences(prefixes: list[str]) -> list[Sentence]:
    """Return the distinct sentences of the project, ordered by path and line."""
    population: list[Sentence] = []
    for suffix, patterns in SOURCES.items():
        for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)}):
            name = path.relative_to(ROOT).as_posix()
            if path.name == "tests.rs" or (prefixes and not name.startswith(tuple(prefixes))):
                continue
            text = path.read_text(encoding="utf-8")
            if suffix == ".md":
                population += sentences(text, 1, name, "docs")
            else:
                population += (python_sentences if suffix == ".py" else rust_sentences)(text, name)
    return list({sentence.text: sentence for sentence in sorted(population)}.values())


def draw(population: list[Sentence], number: int, seed: int) -> list[Sentence]:
    """Draw a number of sentences without replacement, an equal share of each kind."""
    generator = random.Random(seed)
    drawn: list[Sentence] = []
    for at, kind in enumerate(KINDS):
        stratum = [sentence for sentence in population if sentence.kind == kind]
        share = number // len(KINDS) + (at < number % len(KINDS))
        drawn += sorted(generator.sample(stratum, min(share, len(stratum))))
    return drawn


def main() -> None:
    """Print the sample."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=60, help="sentences to draw (default: 60)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"random seed (default: {SEED})")
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="prefixes of paths, relative to the project"
    )
    arguments = parser.parse_args()
    for sentence in draw(all_sentences(arguments.paths), arguments.number, arguments.seed):
        print(f"{sentence.path}:{sentence.line}: [{sentence.kind}] {sentence.text}")


if __name__ == "__main__":
    main()
