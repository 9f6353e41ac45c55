"""The small treebanks of three languages, and their division into a training part and a held-out part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "dep" / "treebanks"
LANGUAGES = ("en", "es", "ja")
#: Documents from this number on, counted from 1, are held out.
HELD_OUT = 5


class Row(NamedTuple):
    """A line of CoNLL-U: a word or a multiword token."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    deps: str
    misc: str


class Sentence(NamedTuple):
    """Comments and rows of a sentence."""

    comments: dict[str, str]
    rows: list[Row]

    @property
    def words(self) -> list[Row]:
        """The rows of words, without the rows of multiword tokens."""
        return [row for row in self.rows if "-" not in row.id]

    def surface(self) -> Iterator[Row]:
        """Yield the rows of surface tokens: multiword tokens, and words outside of them."""
        last = 0
        for row in self.rows:
            first, _, end = row.id.partition("-")
            if int(first) > last:
                yield row
                last = int(end or first)


def path(language: str) -> Path:
    """Return the file of a language."""
    return FOLDER / f"{language}.conllu"


def sentences(text: str) -> list[Sentence]:
    """Parse CoNLL-U without the code under test."""
    found = []
    for block in text.rstrip("\n").split("\n\n"):
        lines = block.split("\n")
        comments = dict(line[2:].partition(" = ")[::2] for line in lines if line.startswith("#"))
        rows = [Row(*line.split("\t")) for line in lines if not line.startswith("#")]
        found.append(Sentence(comments, rows))
    return found


def split(language: str) -> tuple[str, str]:
    """Return the training part and the held-out part of a treebank as CoNLL-U."""
    text = path(language).read_text(encoding="utf-8")
    at = text.index(f"# newdoc id = {language}-{HELD_OUT}\n")
    return text[:at], text[at:]


def raw_text(text: str) -> str:
    """Return the text of a treebank: paragraphs separated by blank lines."""
    paragraphs: list[str] = []
    for sentence in sentences(text):
        if "newpar id" in sentence.comments:
            paragraphs.append("")
        for row in sentence.surface():
            paragraphs[-1] += row.form + ("" if "SpaceAfter=No" in row.misc.split("|") else " ")
    return "\n\n".join(paragraph.rstrip() for paragraph in paragraphs) + "\n"
