"""Corpora of noisy annotators, for tests."""

from __future__ import annotations

import numpy as np

from spanrs.crowd import CrowdCorpus

TEMPLATE = "U:%x[0,0]\nU:%x[-1,0]\nB"
WORDS = {"Ada": "B-PER", "Bob": "B-PER", "Rome": "B-LOC", "sleeps": "O", "in": "O", "and": "O"}


def noisy(seed, flips, *, sentences=40, missing=0.0):
    """Sentences whose labels are determined by the words, replaced with a probability by each annotator; and the
    truth."""
    rng = np.random.default_rng(seed)
    words, labels = list(WORDS), ["O", "B-PER", "B-LOC"]
    texts, answers, truth = [], [], []
    for _ in range(sentences):
        tokens = [words[at] for at in rng.integers(len(words), size=rng.integers(2, 6))]
        gold = [WORDS[word] for word in tokens]
        mapping = {}
        for number, flip in enumerate(flips):
            if rng.random() >= missing:
                mapping[f"a{number}"] = [
                    labels[rng.integers(3)] if rng.random() < flip else label for label in gold
                ]
        texts.append(tokens)
        answers.append(mapping)
        truth.append(gold)
    names = [f"a{number}" for number in range(len(flips))]
    return CrowdCorpus(texts, answers, annotators=names), truth


def right(item, truth):
    """Count the tokens with the correct label."""
    return sum(a == b for x, y in zip(item, truth, strict=True) for a, b in zip(x, y, strict=True))
