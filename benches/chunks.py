"""Noun phrase chunks of a UD treebank, by rules over XPOS: a chunking task for simulated annotators.

A chunk is a run of determiners, numbers, adjectives and nouns that ends with a noun or number; pronouns are chunks of
their own; a possessive ending begins a new chunk, as in CoNLL-2000.

    python -m benches.chunks EWT.conllu OUT [SENTENCES]

writes a column file: token, XPOS, tag.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

NOUNS = {"NN", "NNS", "NNP", "NNPS", "CD"}
BEFORE = {"DT", "PDT", "PRP$", "WP$", "JJ", "JJR", "JJS", "POS"} | NOUNS
ALONE = {"PRP", "WP", "EX"}


def tags(xpos: list[str]) -> list[str]:
    """Return the BIO tags of a sentence.

    >>> tags(["DT", "NN", "VBZ", "PRP", "JJ"])
    ['B-NP', 'I-NP', 'O', 'B-NP', 'O']
    """
    collected = ["O"] * len(xpos)
    at = 0
    while at < len(xpos):
        if xpos[at] in ALONE:
            collected[at] = "B-NP"
            at += 1
            continue
        end = at
        while end < len(xpos) and xpos[end] in BEFORE and (end == at or xpos[end] != "POS"):
            end += 1
        last = max((place for place in range(at, end) if xpos[place] in NOUNS), default=-1)
        if last >= at:
            collected[at : last + 1] = ["B-NP"] + ["I-NP"] * (last - at)
        at = max(end, at + 1)
    return collected


def sentences(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Return words and XPOS of each sentence."""
    words: list[str] = []
    xpos: list[str] = []
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        fields = line.split("\t")
        if not line and words:
            yield words, xpos
            words, xpos = [], []
        elif len(fields) == 10 and fields[0].isdigit():
            words.append(fields[1].replace(" ", "_"))
            xpos.append(fields[4])


def main(source: str, target: str, most: str = "1000000") -> None:
    """Write the column file."""
    with Path(target).open("w", encoding="utf-8") as out:
        for (words, xpos), _ in zip(sentences(Path(source)), range(int(most)), strict=False):
            rows = zip(words, xpos, tags(xpos), strict=True)
            out.write("".join("\t".join(row) + "\n" for row in rows) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
