"""The published tagger and parser in plain Python: the oracle of the tests, and the peer of the benchmark.

Written from the description of parser.py without optimisation, so that each line can be compared with it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

SHIFT, RIGHT, LEFT = 0, 1, 2
MOVES = (SHIFT, RIGHT, LEFT)
START = ["-START-", "-START2-"]
END = ["-END-", "-END2-"]


class Perceptron:
    """Averaged perceptron over feature strings."""

    def __init__(self, classes: Sequence[Any] = ()) -> None:
        self.classes = set(classes)
        self.weights: dict[str, dict[Any, float]] = {}
        self.totals: dict[tuple[str, Any], float] = defaultdict(float)
        self.stamps: dict[tuple[str, Any], int] = defaultdict(int)
        self.updates = 0

    def score(self, features: dict[str, int]) -> dict[Any, float]:
        scores = dict.fromkeys(self.classes, 0.0)
        for feature, value in features.items():
            if value == 0 or feature not in self.weights:
                continue
            for label, weight in self.weights[feature].items():
                scores[label] += value * weight
        return scores

    def predict(self, features: dict[str, int]) -> Any:
        scores = self.score(features)
        return max(self.classes, key=lambda label: (scores[label], label))

    def update(self, truth: Any, guess: Any, features: dict[str, int]) -> None:
        self.updates += 1
        if truth == guess:
            return
        for feature in features:
            weights = self.weights.setdefault(feature, {})
            for label, step in ((truth, 1.0), (guess, -1.0)):
                weight = weights.get(label, 0.0)
                key = feature, label
                self.totals[key] += (self.updates - self.stamps[key]) * weight
                self.stamps[key] = self.updates
                weights[label] = weight + step

    def average(self) -> None:
        for feature, weights in self.weights.items():
            averaged = {}
            for label, weight in weights.items():
                key = feature, label
                total = self.totals[key] + (self.updates - self.stamps[key]) * weight
                rounded = round(total / float(self.updates), 3)
                if rounded:
                    averaged[label] = rounded
            self.weights[feature] = averaged


def normal_form(word: str) -> str:
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    if word[:1].isdigit():
        return "!DIGITS"
    return word.lower()


class Tagger:
    """The tagger of parser.py."""

    def __init__(self) -> None:
        self.model = Perceptron()
        self.tagdict: dict[str, str] = {}

    def start_training(self, sentences: Sequence[tuple[list[str], list[str], list[Any]]]) -> None:
        counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for words, tags, _ in sentences:
            for word, tag in zip(words, tags, strict=True):
                counts[word][tag] += 1
                self.model.classes.add(tag)
        for word, frequencies in counts.items():
            tag, mode = max(frequencies.items(), key=lambda item: item[1])
            n = sum(frequencies.values())
            if n >= 20 and mode / n >= 0.97:
                self.tagdict[word] = tag

    def walk(self, words: Sequence[str], gold: Sequence[str] | None = None) -> list[str]:
        previous, before = START
        tags = []
        context = START + [normal_form(word) for word in words] + END
        for at, word in enumerate(words):
            tag = self.tagdict.get(word)
            if not tag:
                features = self.features(at, word, context, previous, before)
                tag = self.model.predict(features)
                if gold is not None:
                    self.model.update(gold[at], tag, features)
            tags.append(tag)
            previous, before = tag, previous
        return tags

    @staticmethod
    def features(at: int, word: str, context: list[str], previous: str, before: str) -> dict[str, int]:
        values = context[at + 2]
        names = [
            "bias",
            f"i suffix {word[-3:]}",
            f"i pref1 {word[:1]}",
            f"i-1 tag {previous}",
            f"i-2 tag {before}",
            f"i tag+i-2 tag {previous} {before}",
            f"i word {values}",
            f"i-1 tag+i word {previous} {values}",
            f"i-1 word {context[at + 1]}",
            f"i-1 suffix {context[at + 1][-3:]}",
            f"i-2 word {context[at]}",
            f"i+1 word {context[at + 3]}",
            f"i+1 suffix {context[at + 3][-3:]}",
            f"i+2 word {context[at + 4]}",
        ]
        return dict.fromkeys(names, 1)


class State:
    """Heads and children of a parse under construction."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.heads: list[int | None] = [None] * (n - 1)
        self.lefts: list[list[int]] = [[] for _ in range(n + 1)]
        self.rights: list[list[int]] = [[] for _ in range(n + 1)]

    def add(self, head: int, child: int) -> None:
        self.heads[child] = head
        (self.lefts if child < head else self.rights)[head].append(child)


def valid_moves(i: int, n: int, depth: int) -> list[int]:
    valid = {SHIFT: i + 1 < n, RIGHT: depth >= 2, LEFT: depth >= 1}
    return [move for move in MOVES if valid[move]]


def transition(move: int, i: int, stack: list[int], state: State) -> int:
    if move == SHIFT:
        stack.append(i)
        return i + 1
    if move == RIGHT:
        state.add(stack[-2], stack.pop())
    else:
        state.add(i, stack.pop())
    return i


def gold_moves(n0: int, n: int, stack: list[int], gold: Sequence[Any]) -> list[int]:
    def between(target: int, others: Sequence[int]) -> bool:
        return any(gold[word] == target or gold[target] == word for word in others)

    valid = valid_moves(n0, n, len(stack))
    if not stack or (SHIFT in valid and gold[n0] == stack[-1]):
        return [SHIFT]
    if gold[stack[-1]] == n0:
        return [LEFT]
    costly = {move for move in MOVES if move not in valid}
    if len(stack) >= 2 and gold[stack[-1]] == stack[-2]:
        costly.add(LEFT)
    if SHIFT not in costly and between(n0, stack):
        costly.add(SHIFT)
    if between(stack[-1], range(n0 + 1, n - 1)):
        costly |= {LEFT, RIGHT}
    return [move for move in MOVES if move not in costly]


def features(
    words: Sequence[str], tags: Sequence[str], n0: int, stack: list[int], state: State
) -> dict[str, int]:
    n = len(words)

    def of_stack(data: Sequence[str]) -> list[str]:
        return ([data[at] for at in reversed(stack[-3:])] + ["", "", ""])[:3]

    def of_buffer(data: Sequence[str]) -> list[str]:
        return ([data[at] for at in range(n0, min(n0 + 3, n))] + ["", "", ""])[:3]

    def of_children(word: int, children: list[list[int]], data: Sequence[str]) -> tuple[int, str, str]:
        values = children[word] if word != -1 else []
        first = data[values[-1]] if values else ""
        second = data[values[-2]] if len(values) > 1 else ""
        return len(values), first, second

    s0 = stack[-1] if stack else -1
    w_s0, w_s1, w_s2 = of_stack(words)
    t_s0, t_s1, t_s2 = of_stack(tags)
    w_n0, w_n1, w_n2 = of_buffer(words)
    t_n0, t_n1, t_n2 = of_buffer(tags)
    v_n0b, w_n0b1, w_n0b2 = of_children(n0, state.lefts, words)
    _, t_n0b1, t_n0b2 = of_children(n0, state.lefts, tags)
    v_s0b, w_s0b1, w_s0b2 = of_children(s0, state.lefts, words)
    _, t_s0b1, t_s0b2 = of_children(s0, state.lefts, tags)
    v_s0f, w_s0f1, w_s0f2 = of_children(s0, state.rights, words)
    _, t_s0f1, t_s0f2 = of_children(s0, state.rights, tags)
    distance = min(n0 - s0, 5)

    collected = ["bias"]
    all_words = (w_n0, w_n1, w_n2, w_s0, w_s1, w_s2, w_n0b1, w_n0b2, w_s0b1, w_s0b2, w_s0f1, w_s0f2)
    all_tags = (t_n0, t_n1, t_n2, t_s0, t_s1, t_s2, t_n0b1, t_n0b2, t_s0b1, t_s0b2, t_s0f1, t_s0f2)
    collected += [f"w={word}" for word in all_words if word]
    collected += [f"t={tag}" for tag in all_tags if tag]
    pairs = ((w_n0, t_n0), (w_n1, t_n1), (w_n2, t_n2), (w_s0, t_s0))
    collected += [f"{at} w={word}, t={tag}" for at, (word, tag) in enumerate(pairs) if word or tag]
    collected += [
        f"s0w={w_s0},  n0w={w_n0}",
        f"wn0tn0-ws0 {w_n0}/{t_n0} {w_s0}",
        f"wn0tn0-ts0 {w_n0}/{t_n0} {t_s0}",
        f"ws0ts0-wn0 {w_s0}/{t_s0} {w_n0}",
        f"ws0-ts0 tn0 {w_s0}/{t_s0} {t_n0}",
        f"wt-wt {w_s0}/{t_s0} {w_n0}/{t_n0}",
        f"tt s0={t_s0} n0={t_n0}",
        f"tt n0={t_n0} n1={t_n1}",
    ]
    trigrams = (
        (t_n0, t_n1, t_n2),
        (t_s0, t_n0, t_n1),
        (t_s0, t_s1, t_n0),
        (t_s0, t_s0f1, t_n0),
        (t_s0, t_s0f1, t_n0),
        (t_s0, t_n0, t_n0b1),
        (t_s0, t_s0b1, t_s0b2),
        (t_s0, t_s0f1, t_s0f2),
        (t_n0, t_n0b1, t_n0b2),
        (t_s0, t_s1, t_s1),
    )
    collected += [f"ttt-{at} {a} {b} {c}" for at, (a, b, c) in enumerate(trigrams) if a or b or c]
    numbered = (
        (w_s0, v_s0f),
        (w_s0, v_s0b),
        (w_n0, v_n0b),
        (t_s0, v_s0f),
        (t_s0, v_s0b),
        (t_n0, v_n0b),
        (w_s0, distance),
        (w_n0, distance),
        (t_s0, distance),
        (t_n0, distance),
        ("t" + t_n0 + t_s0, distance),
        ("w" + w_n0 + w_s0, distance),
    )
    collected += [f"val/d-{at} {text} {n}" for at, (text, n) in enumerate(numbered) if text or n != 0]
    return dict.fromkeys(collected, 1)


class Parser:
    """The parser of parser.py with its tagger."""

    def __init__(self) -> None:
        self.model = Perceptron(MOVES)
        self.tagger = Tagger()

    def parse(self, words: Sequence[str]) -> tuple[list[str], list[int | None]]:
        """Parse padded words: `<start>`, the words, `ROOT`."""
        tags = self.tagger.walk(words)
        n = len(words)
        i, stack, state = 2, [1], State(n)
        while stack or i + 1 < n:
            scores = self.model.score(features(words, tags, i, stack, state))
            move = max(valid_moves(i, n, len(stack)), key=lambda move: scores[move])
            i = transition(move, i, stack, state)
        return tags, state.heads

    def train_one(self, words: Sequence[str], gold: Sequence[Any]) -> int:
        tags = self.tagger.walk(words)
        n = len(words)
        i, stack, state = 2, [1], State(n)
        while stack or i + 1 < n:
            actual = features(words, tags, i, stack, state)
            scores = self.model.score(actual)
            guess = max(valid_moves(i, n, len(stack)), key=lambda move: scores[move])
            right = gold_moves(i, n, stack, gold)
            best = max(right, key=lambda move: scores[move])
            self.model.update(best, guess, actual)
            i = transition(guess, i, stack, state)
        return sum(1 for values, head in zip(state.heads, gold, strict=True) if values == head)

    def train(
        self, sentences: list[tuple[list[str], list[str], list[Any]]], passes: int, shuffle: bool = False
    ) -> list[list[int]]:
        """Train on padded (words, tags, heads); give the counts of each pass."""
        self.tagger.start_training(sentences)
        log = []
        for at in range(passes):
            if shuffle:
                random.shuffle(sentences)
            correct = total = 0
            for words, tags, heads in sentences:
                correct += self.train_one(words, heads)
                if at < 5:
                    self.tagger.walk(words, tags)
                total += len(words)
            log.append(
                [
                    correct,
                    total,
                    self.model.updates,
                    self.tagger.model.updates,
                    len(self.model.weights),
                    len(self.tagger.model.weights),
                ]
            )
            if at == 4:
                self.tagger.model.average()
        self.model.average()
        return log
