"""Training data and monitoring of taggers and parsers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, cast

from spanrs import _spanrs
from spanrs.dep.parse import Parse
from spanrs.errors import FormatError, as_integer, with_code
from spanrs.io import Corpus
from spanrs.io.sources import Source, open_source

#: Files in CoNLL-U, or sentences: a path, a binary file object, a corpus, or a sequence of Parse or of paths.
Sentences: TypeAlias = Source | Corpus | Sequence[Parse] | Sequence[Source]


class Epoch(NamedTuple):
    """Statistics of a pass over the training data."""

    model: int
    """Number of the model, from 1."""
    epoch: int
    """Number of the pass, from 1."""
    accuracy: float
    """Fraction of words with the correct tag or head during the pass."""
    dev: dict[str, float]
    """Scores of the averaged weights on the development data; empty without development data."""
    features: int
    """Number of features with a weight."""

    def __str__(self) -> str:
        scores = "".join(f"  {name.upper()} {100 * value:.2f}" for name, value in self.dev.items())
        return f"train {100 * self.accuracy:.2f}{scores}"


def treebank_of(data: Sentences, trees: str | None) -> _spanrs.Treebank:
    """Pass sentences to the compiled module; ``trees``: ``one`` root, ``many`` roots, or None if not needed."""
    treebank = _spanrs.Treebank()
    items: Iterable[Any]
    if isinstance(data, Corpus):
        items = _parts_of(data)
    elif isinstance(data, (str, os.PathLike, _spanrs.Source)) or hasattr(data, "read"):
        items = [data]
    else:
        if not isinstance(data, Iterable):
            raise TypeError(
                "sentences must be a path, a binary file object, a Corpus, or a sequence of spanrs.dep.Parse or paths, "
                f"not {type(data).__name__}"
            )
        items = data
    memory: list[tuple[Any, ...]] = []
    for at, item in enumerate(items):
        if isinstance(item, Parse):
            if trees is not None and len(item) and not len(item.heads):
                raise ValueError(f"sentence {at} has no tree")
            columns = (item.xpos, item.upos, item.heads.tolist(), item.labels, item.feats, item.lemmas)
            memory.append((item.words, *columns))
        elif isinstance(item, (str, os.PathLike, _spanrs.Source)) or hasattr(item, "read"):
            treebank.read(_spanrs.SyntaxFile(item, None), trees)
        else:
            raise TypeError(
                f"sentence {at} is a {type(item).__name__}; pass a path in CoNLL-U, or sentences as spanrs.dep.Parse"
            )
    treebank.extend(memory, trees)
    if not len(treebank):
        raise ValueError("there are no sentences to train on")
    return treebank


def files_of(data: Sentences) -> list[_spanrs.Source]:
    """Return the files of training data, which can be read more than once.

    Raises
    ------
    TypeError
        If the data are sentences in memory, which have no text.
    """
    if isinstance(data, Corpus):
        return _parts_of(data)
    is_file = isinstance(data, (str, os.PathLike, _spanrs.Source)) or hasattr(data, "read")
    items: list[Any] = [data] if is_file else list(cast("Iterable[Any]", data))
    if any(isinstance(item, Parse) for item in items):
        raise TypeError("sentences in memory have no text; pass files in CoNLL-U")
    return [open_source(item, keep=True) for item in items]


def _parts_of(corpus: Corpus) -> list[Any]:
    """Return the files of a corpus of trees.

    Raises
    ------
    spanrs.errors.FormatError
        If a file has another format.
    """
    for part in corpus.parts:
        if part.format not in ("conllu", "columns"):
            message = f"{part.shown}: {part.format} has no trees; pass CoNLL-U, or columns of word, tag, head, label"
            raise with_code(FormatError(message), "wrong_format", part.path)
    return [part.opened(keep=True) for part in corpus.parts]


def check_patience(patience: int | None, dev: object) -> None:
    """Validate ``patience`` of ``fit``."""
    if patience is not None:
        as_integer(patience, "patience", 1)
        if dev is None:
            raise ValueError("patience needs development data; pass dev")


def check_words(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return sentences as lists of words; refuse a string in place of a list of words."""
    checked = []
    for at, words in enumerate(sentences):
        if isinstance(words, str):
            raise TypeError(f"sentence {at} is a str; pass a list of words, such as {words.split()[:3]!r}")
        checked.append([str(word) if isinstance(word, str) else _not_a_word(at, word) for word in words])
    return checked


def _not_a_word(sentence: int, word: object) -> str:
    raise TypeError(f"sentence {sentence} has a word that is a {type(word).__name__}, not a str: {word!r}")


@dataclass
class Monitor:
    """Scores the development data and shows progress after each pass, and stops if there is no improvement."""

    score: Callable[[_spanrs.DepModel], dict[str, float]] | None
    show: Callable[[int, str], None]
    history: list[Epoch]
    patience: int | None
    epochs: int
    #: The score that must improve.
    criterion: str
    best: float = -1.0
    since: int = 0
    model: int = 0
    #: Number of passes before the first model that select weights.
    selection: int = 0

    def __call__(self, state: dict[str, Any], compiled: _spanrs.DepModel | None) -> int:
        """Record a pass. Return 0 to stop, 1 to continue, or 2 to continue and keep the weights as the best weights."""
        model, epoch = state["model"], state["epoch"]
        if model == 0:
            self.show(
                epoch, f"selection of weights  train {100 * state['correct'] / max(state['words'], 1):.2f}"
            )
            return 1
        if model != self.model:
            self.model, self.best, self.since = model, -1.0, 0
        dev = self.score(compiled) if self.score is not None and compiled is not None else {}
        features = state["parser"][1] or state["tagger"][1]
        self.history.append(Epoch(model, epoch, state["correct"] / max(state["words"], 1), dev, features))
        self.show(self.selection + (model - 1) * self.epochs + epoch, str(self.history[-1]))
        if self.patience is None:
            return 1
        if dev[self.criterion] > self.best:
            self.best, self.since = dev[self.criterion], 0
            return 2
        self.since += 1
        return int(self.since < self.patience)
