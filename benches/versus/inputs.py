"""The corpus in other shapes: ids, more of it, part of it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from benches.versus.corpus import VOCABULARY

Sentences = list[list[str]]
Ids = npt.NDArray[Any]

NUMBERS = {tag: i for i, tag in enumerate(VOCABULARY)}


def flat_ids(tags: Sentences, kind: npt.DTypeLike = np.int64) -> Ids:
    """Ids of all tokens, one sentence behind the other."""
    return np.array([NUMBERS[tag] for row in tags for tag in row], dtype=kind)


def padded_ids(tags: Sentences) -> Ids:
    """Ids, a row a sentence, -100 behind its end."""
    out = np.full((len(tags), max(map(len, tags))), -100)
    for row, sentence in zip(out, tags, strict=True):
        row[: len(sentence)] = [NUMBERS[tag] for tag in sentence]
    return out


def lengths(tags: Sentences) -> npt.NDArray[np.int64]:
    """Tokens of each sentence."""
    return np.array([len(sentence) for sentence in tags], dtype=np.int64)


def copies(tags: Sentences, times: int) -> Sentences:
    """So many times the sentences, each a list of its own, as they would be in a larger corpus."""
    return [sentence.copy() for _ in range(times) for sentence in tags]


def first(tags: Sentences, tokens: int) -> Sentences:
    """Whole sentences from the start, of this many tokens at least where there are as many."""
    taken = 0
    for at, sentence in enumerate(tags):
        if taken >= tokens:
            return tags[:at]
        taken += len(sentence)
    return tags


def own_strings(tags: Sentences) -> Sentences:
    """The same tags, each an object of its own, as a reader of files makes them."""
    return [[tag.encode().decode() for tag in sentence] for sentence in tags]


def one_sentence(tags: Sentences, tokens: int | None = None) -> Sentences:
    """The corpus, or so many tokens of it, without its borders of sentences."""
    return [list(itertools.islice((tag for sentence in tags for tag in sentence), tokens))]
