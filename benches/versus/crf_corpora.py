"""Corpora for the comparison of conditional random fields, and attributes computed by Python code.

The functions of attributes are written as in the tutorials of python-crfsuite, without duplicate work per token.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from spanrs.crf import CRF

ROOT = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("SPANRS_SHARED", ROOT.parent / "shared")) / "data"

Token = tuple[str, str]


class Part(NamedTuple):
    """Sentences with their labels."""

    tokens: list[list[Token]]
    labels: list[list[str]]

    def first(self, sentences: int | None) -> Part:
        """Only so many sentences; None for all."""
        return Part(self.tokens[:sentences], self.labels[:sentences])

    @property
    def size(self) -> int:
        """Number of tokens."""
        return sum(map(len, self.labels))


class Data(NamedTuple):
    """A corpus."""

    name: str
    train: Part
    dev: Part


def shape(word: str) -> str:
    """Upper case as X, other letters as x, digits as 0; runs reduced to one."""
    out = ""
    for c in word:
        mark = "X" if c.isupper() else "x" if c.isalpha() else "0" if c.isnumeric() else c
        if out[-1:] != mark:
            out += mark
    return out


def part(path: Path, row: Callable[[list[str]], tuple[Token, str] | None]) -> Part:
    """Read tab-separated lines; sentences end at blank lines."""
    actual = Part([], [])
    sentence: list[tuple[Token, str]] = []
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        if line.strip():
            given = row(line.split("\t"))
            if given is not None:
                sentence.append(given)
        elif sentence:
            actual.tokens.append([token for token, _ in sentence])
            actual.labels.append([label for _, label in sentence])
            sentence = []
    return actual


def wnut17(sentences: int | None = None) -> Data:
    """Words and their shapes; named entities."""

    def row(cells: list[str]) -> tuple[Token, str]:
        return (cells[0], shape(cells[0])), cells[1]

    folder = DATA / "wnut17"
    files = [folder / "wnut17train.conll", folder / "emerging.dev.conll"]
    train, dev = (part(file, row) for file in files)
    return Data("WNUT17", train.first(sentences), dev)


def ewt(sentences: int | None = None) -> Data:
    """Words and UPOS; XPOS."""

    def row(cells: list[str]) -> tuple[Token, str] | None:
        # Comments, multiword tokens and empty nodes have no integer id.
        return ((cells[1], cells[3]), cells[4]) if cells[0].isdigit() else None

    files = [DATA / "ud_ewt" / f"en_ewt-ud-{name}.conllu" for name in ("train", "dev")]
    train, dev = (part(file, row) for file in files)
    return Data("EWT XPOS", train.first(sentences), dev)


CORPORA = {"wnut17": wnut17, "ewt": ewt}


def chunking(sentence: Sequence[Token]) -> list[list[str]]:
    """Return the attributes of the built-in template `chunking`, as Python code usually computes them."""
    before, after = [("_B-2", "_B-2"), ("_B-1", "_B-1")], [("_B+1", "_B+1"), ("_B+2", "_B+2")]
    padded = [*before, *sentence, *after]
    out = []
    for at in range(2, len(padded) - 2):
        (w2, p2), (w1, p1), (w, p), (v1, q1), (v2, q2) = padded[at - 2 : at + 3]
        token = [
            f"U:w[-2]={w2}",
            f"U:w[-1]={w1}",
            f"U:w[0]={w}",
            f"U:w[1]={v1}",
            f"U:w[2]={v2}",
            f"U:w[-1]|w[0]={w1}|{w}",
            f"U:w[0]|w[1]={w}|{v1}",
            f"U:pos[-2]={p2}",
            f"U:pos[-1]={p1}",
            f"U:pos[0]={p}",
            f"U:pos[1]={q1}",
            f"U:pos[2]={q2}",
            f"U:pos[-2]|pos[-1]={p2}|{p1}",
            f"U:pos[-1]|pos[0]={p1}|{p}",
            f"U:pos[0]|pos[1]={p}|{q1}",
            f"U:pos[1]|pos[2]={q1}|{q2}",
            f"U:pos[-2]|pos[-1]|pos[0]={p2}|{p1}|{p}",
            f"U:pos[-1]|pos[0]|pos[1]={p1}|{p}|{q1}",
            f"U:pos[0]|pos[1]|pos[2]={p}|{q1}|{q2}",
            "U:bias",
        ]
        out.append(token)
    return out


def kind(word: str) -> str:
    """Return the category of a token, as the macro %kind does."""
    if re.match(r"https?://|www\.", word, re.IGNORECASE):
        return "url"
    if re.match(r"@\w", word):
        return "mention"
    if re.match(r"#\w", word):
        return "hashtag"
    if any(c.isnumeric() for c in word):
        return "number" if all(c.isnumeric() or c in "+-.,:/%$€£" for c in word) else "has_digit"
    upper = sum(map(str.isupper, word))
    if upper:
        letters = sum(map(str.isalpha, word))
        if upper == letters and letters > 1:
            return "all_caps"
        return "init_cap" if upper == 1 and word[0].isupper() else "mixed_case"
    if any(map(str.islower, word)):
        return "lower_case"
    if not word or any(map(str.isalpha, word)):
        return "other"
    return "punctuation" if re.fullmatch(PUNCTUATION, word) else "symbol"


#: ASCII, quotation marks and General Punctuation, as far as they occur in the corpora.
PUNCTUATION = r"[!-/:-@\[-`{-~¡§«¶·»¿\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u3011]+"


def around(values: list[str], at: int, distance: int) -> str:
    """Return the value at a distance from a token, with marks before and after the sentence."""
    place = at + distance
    if place < 0:
        return f"_B{place}"
    return values[place] if place < len(values) else f"_B+{place - len(values) + 1}"


def affixes(word: str, longest: int) -> list[str]:
    """Return prefixes and suffixes of a token."""
    sizes = range(1, min(len(word), longest) + 1)
    return [f"U:prefix{n}={word[:n]}" for n in sizes] + [f"U:suffix{n}={word[-n:]}" for n in sizes]


def ner(sentence: Sequence[Token]) -> list[list[str]]:
    """Return the attributes of the built-in template `ner`."""
    words = [word for word, _ in sentence]
    lower, kinds = [word.lower() for word in words], [kind(word) for word in words]
    shapes = [shape(word) for word in words]
    out = []
    for at, word in enumerate(words):
        l1, values, r1 = (around(lower, at, distance) for distance in (-1, 0, 1))
        s1, s, t1 = (around(shapes, at, distance) for distance in (-1, 0, 1))
        k2, k1, k, m1, m2 = (around(kinds, at, distance) for distance in (-2, -1, 0, 1, 2))
        token = [
            "U:bias",
            f"U:w[0]={word}",
            f"U:lower[-1]={l1}",
            f"U:lower[0]={values}",
            f"U:lower[1]={r1}",
            *affixes(word, 4),
            f"U:short_shape[-1]={s1}",
            f"U:short_shape[0]={s}",
            f"U:short_shape[1]={t1}",
            f"U:short_shape[-1..1]={s1}|{s}|{t1}",
            f"U:length[0]={len(word)}",
            f"U:kind[-2]={k2}",
            f"U:kind[-1]={k1}",
            f"U:kind[0]={k}",
            f"U:kind[1]={m1}",
            f"U:kind[2]={m2}",
            f"U:kind[-1..1]={k1}|{k}|{m1}",
            f"U:kind[first,0,last]={kinds[0]}|{k}|{kinds[-1]}",
            f"U:lower[-1]|kind[0]={l1}|{k}",
            f"U:kind[0]|lower[1]={k}|{r1}",
        ]
        out.append(token)
    return out


def pos(sentence: Sequence[Token]) -> list[list[str]]:
    """Return the attributes of the built-in template `pos`."""
    words = [word for word, _ in sentence]
    lower, kinds = [word.lower() for word in words], [kind(word) for word in words]
    shapes = [shape(word) for word in words]
    out = []
    for at, word in enumerate(words):
        l2, l1, values, r1, r2 = (around(lower, at, distance) for distance in (-2, -1, 0, 1, 2))
        k1, k, m1 = (around(kinds, at, distance) for distance in (-1, 0, 1))
        before, after = around(words, at, -1), around(words, at, 1)
        token = [
            "U:bias",
            f"U:w[0]={word}",
            f"U:lower[-2]={l2}",
            f"U:lower[-1]={l1}",
            f"U:lower[0]={values}",
            f"U:lower[1]={r1}",
            f"U:lower[2]={r2}",
            f"U:lower[-2..-1]={l2}|{l1}",
            f"U:lower[-1..0]={l1}|{values}",
            f"U:lower[0..1]={values}|{r1}",
            f"U:lower[1..2]={r1}|{r2}",
            *affixes(word, 5),
            f"U:shape[0]={full_shape(word)}",
            f"U:short_shape[-1]={around(shapes, at, -1)}",
            f"U:short_shape[0]={shapes[at]}",
            f"U:short_shape[1]={around(shapes, at, 1)}",
            f"U:kind[0]={k}",
            f"U:has_digit={'true' if re.search(r'[0-9]', word) else 'false'}",
            f"U:has_hyphen={'true' if '-' in word else 'false'}",
            f"U:has_upper={'true' if any(map(str.isupper, word)) else 'false'}",
            f"U:length[0]={len(word)}",
            f"U:kind[-1..1]={k1}|{k}|{m1}",
            f"U:kind[first,0,last]={kinds[0]}|{k}|{kinds[-1]}",
        ]
        # Marks of the borders count as tokens here.
        if at == 0 or len(before) >= 3:
            token.append(f"U:suffix3[-1]={before if at == 0 else before[-3:]}")
        if at == len(words) - 1 or len(after) >= 3:
            token.append(f"U:suffix3[1]={after if at == len(words) - 1 else after[-3:]}")
        out.append(token)
    return out


def full_shape(word: str) -> str:
    """Upper case as X, other letters as x, digits as 0."""
    marks = ("X" if c.isupper() else "x" if c.isalpha() else "0" if c.isnumeric() else c for c in word)
    return "".join(marks)


#: Functions by built-in template.
ATTRIBUTES = {"chunking": chunking, "ner": ner, "pos": pos}


def check_attributes(data: Data, template: str) -> None:
    """Check that the Python code and the template give the same attributes."""
    sentences, labels = data.dev.tokens, data.dev.labels
    columns = inputs(sentences, template)
    crf = CRF(template=template, algorithm="lbfgs", max_iter=1, progress=False)
    model = crf.fit(columns, labels)._trained()
    for sentence, values in zip(sentences, columns, strict=True):
        native = [{name for name, *_ in token} for token in model.known_features(values)]
        assert [set(token) for token in ATTRIBUTES[template](sentence)] == native, sentence


def inputs(sentences: list[list[Token]], template: str) -> list[list[Token]] | list[list[str]]:
    """Return sentences with the columns that a built-in template reads."""
    if template == "chunking":
        return sentences
    return [[word for word, _ in sentence] for sentence in sentences]
