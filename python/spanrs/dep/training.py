"""What the training of taggers and parsers has in common."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from spanrs import _spanrs
from spanrs.dep.parse import Parse
from spanrs.errors import FormatError, with_code
from spanrs.io import Corpus
from spanrs.io.sources import Source, check_source

#: Files in CoNLL-U, or sentences: a path, a binary file object, a corpus, or a sequence of Parse or of paths.
Sentences: TypeAlias = Source | Corpus | Sequence[Parse] | Sequence[Source]


class Epoch(NamedTuple):
    """What is known after a pass over the training data."""

    model: int
    """Number of the model, from 1."""
    epoch: int
    """Number of the pass, from 1."""
    accuracy: float
    """Share of the words with the right tag or head during the pass."""
    dev: dict[str, float]
    """Scores of the averaged weights on the development data; empty without."""
    features: int
    """Number of features with a weight."""

    def __str__(self) -> str:
        scores = "".join(f"  {name.upper()} {100 * value:.2f}" for name, value in self.dev.items())
        return f"train {100 * self.accuracy:.2f}{scores}"


def treebank_of(data: Sentences, trees: str | None) -> _spanrs.Treebank:
    """Give sentences to the compiled half; ``trees`` is None, ``one`` or ``many`` (roots)."""
    treebank = _spanrs.Treebank()
    items: Iterable[Any]
    if isinstance(data, Corpus):
        items = _parts_of(data)
    elif isinstance(data, (str, os.PathLike, _spanrs.Source)) or hasattr(data, "read"):
        items = [data]
    else:
        if not isinstance(data, Iterable):
            check_source(data)
        items = data
    memory: list[tuple[Any, ...]] = []
    for at, one in enumerate(items):
        if isinstance(one, Parse):
            if trees is not None and len(one) and not len(one.heads):
                raise ValueError(f"sentence {at} has no tree")
            memory.append((one.words, one.xpos, one.upos, one.heads.tolist(), one.labels))
        elif isinstance(one, (str, os.PathLike, _spanrs.Source)) or hasattr(one, "read"):
            treebank.read(_spanrs.SyntaxFile(one, None), trees)
        else:
            raise TypeError(
                f"sentence {at} is a {type(one).__name__}; give a path in CoNLL-U, or sentences as spanrs.dep.Parse"
            )
    treebank.extend(memory, trees)
    if not len(treebank):
        raise ValueError("there are no sentences to learn from")
    return treebank


def _parts_of(corpus: Corpus) -> list[Any]:
    """Return the files of a corpus of trees.

    Raises
    ------
    spanrs.errors.FormatError
        For files of other formats.
    """
    for part in corpus.parts:
        if part.format not in ("conllu", "columns"):
            message = f"{part.shown}: {part.format} has no trees; give CoNLL-U, or columns of word, tag, head, label"
            raise with_code(FormatError(message), "wrong_format", part.path)
    return [part.opened(keep=True) for part in corpus.parts]


def check_count(name: str, value: object, least: int = 1) -> int:
    """Check that a value is an integer of at least ``least``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or int(value) < least:
        raise ValueError(f"{name} must be an integer from {least}, not {value!r}")
    return int(value)


def check_words(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """Give sentences as lists of words; refuse a string where a list of words belongs."""
    found = []
    for at, words in enumerate(sentences):
        if isinstance(words, str):
            raise TypeError(
                f"sentence {at} is one str; give a list of words, such as {words.split()[:3]!r}"
            )
        found.append([str(word) if isinstance(word, str) else _not_a_word(at, word) for word in words])
    return found


def _not_a_word(sentence: int, word: object) -> str:
    raise TypeError(f"sentence {sentence} has a word that is a {type(word).__name__}, not a str: {word!r}")


@dataclass
class Monitor:
    """Called after each pass: scores the development data, shows progress, and stops without improvement."""

    score: Callable[[_spanrs.DepModel], dict[str, float]] | None
    show: Callable[[int, str], None]
    history: list[Epoch]
    patience: int | None
    epochs: int
    #: Which score decides.
    criterion: str
    best: float = -1.0
    since: int = 0
    model: int = 0

    def __call__(self, state: dict[str, Any], compiled: _spanrs.DepModel | None) -> int:
        """Record a pass. Return 0 to stop, 1 to continue, 2 to continue and keep the weights as the best."""
        model, epoch = state["model"], state["epoch"]
        if model != self.model:
            self.model, self.best, self.since = model, -1.0, 0
        dev = self.score(compiled) if self.score is not None and compiled is not None else {}
        features = state["parser"][1] or state["tagger"][1]
        self.history.append(Epoch(model, epoch, state["correct"] / max(state["words"], 1), dev, features))
        self.show((model - 1) * self.epochs + epoch, str(self.history[-1]))
        if self.patience is None:
            return 1
        if dev[self.criterion] > self.best:
            self.best, self.since = dev[self.criterion], 0
            return 2
        self.since += 1
        return int(self.since < self.patience)
