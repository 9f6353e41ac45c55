"""The part-of-speech tagger."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from spanrs import _spanrs
from spanrs.dep.training import (
    Epoch,
    Monitor,
    Sentences,
    check_count,
    check_words,
    treebank_of,
)
from spanrs.errors import ModelError
from spanrs.io.output import atomic_output
from spanrs.report.progress import iteration_display
from spanrs.threads import thread_count

#: Features of a tagger: those of parser.py and NLTK, or spanrs' own.
FEATURES = ("rich", "published")


class Tagger:
    """A part-of-speech tagger: an averaged perceptron that decides greedily, from left to right.

    Parameters
    ----------
    features : str
        ``rich``: affixes, shapes, neighbours and their known tags. ``published``: the 14 features of parser.py and
        NLTK.
    epochs : int
        Passes over the training data.
    models : int
        Models that are trained with consecutive seeds; their averaged weights are added up.
    seed : int, optional
        Seed of the order of sentences; None keeps the order of the data.
    min_count : int
        A word is looked up instead of tagged if it occurs at least this often...
    min_share : float
        ...and at least this share of its occurrences have its most frequent tag.
    margin : int
        Learn from right guesses, too, whose score is less than this above the second best; 0 learns from mistakes only.
    progress : bool, optional
        Show the passes on standard error; None means if it is a terminal.

    Attributes
    ----------
    history_ : list of Epoch
        The passes of the last :meth:`fit`.

    Notes
    -----
    Source: Collins 2002, "Discriminative training methods for hidden Markov models"; the published features and the
    dictionary of unambiguous words are those of Honnibal's parser.py.

    Examples
    --------
    >>> from spanrs.dep import Parse, Tagger
    >>> train = [Parse(["They", "ate", "pizza"], xpos=["PRP", "VBD", "NN"])] * 3
    >>> Tagger(epochs=2).fit(train).tag(["They", "ate"])
    ['PRP', 'VBD']
    """

    def __init__(
        self,
        *,
        features: str = "rich",
        epochs: int = 12,
        models: int = 1,
        seed: int | None = 0,
        min_count: int = 100,
        min_share: float = 0.995,
        margin: int = 50,
        progress: bool | None = None,
    ) -> None:
        if features not in FEATURES:
            raise ValueError(f"unknown features {features!r}; one of {', '.join(FEATURES)}")
        if not 0 < min_share <= 1:
            raise ValueError(f"min_share is a share above 0 and at most 1, not {min_share}")
        self.features = features
        self.epochs = check_count("epochs", epochs)
        self.models = check_count("models", models)
        self.seed = None if seed is None else check_count("seed", seed, 0)
        self.min_count = check_count("min_count", min_count)
        self.min_share = float(min_share)
        self.margin = check_count("margin", margin, 0)
        self.progress = progress
        self.history_: list[Epoch] = []
        self._model: _spanrs.DepModel | None = None

    @classmethod
    def published(cls, **options: Any) -> Tagger:
        """Give a tagger with the features and the training of NLTK's ``PerceptronTagger``."""
        defaults: dict[str, Any] = {
            "features": "published",
            "epochs": 5,
            "min_count": 20,
            "min_share": 0.97,
            "margin": 0,
        }
        return cls(**(defaults | options))

    @property
    def compiled(self) -> _spanrs.DepModel:
        """The trained model.

        Raises
        ------
        spanrs.errors.ModelError
            Before :meth:`fit` or :meth:`load`.
        """
        if self._model is None:
            raise ModelError("the tagger is not trained; call fit() or load()")
        return self._model

    def options(self) -> dict[str, Any]:
        """Return the options for the compiled module."""
        return {
            "features": self.features,
            "min_count": self.min_count,
            "min_share": self.min_share,
            "margin": self.margin,
            "keep_names": self.features == "published",
        }

    def passes(self) -> dict[str, int | None]:
        """Return epochs, seed and number of models for the compiled module."""
        return {"epochs": self.epochs, "seed": self.seed, "models": self.models}

    def fit(self, train: Sentences, dev: Sentences | None = None, *, patience: int | None = None) -> Tagger:
        """Learn from tagged sentences.

        Parameters
        ----------
        train : path, binary file object, Corpus, or sequence of Parse or paths
            Sentences with XPOS, UPOS, or both.
        dev : as train, optional
            Development data, scored after each pass.
        patience : int, optional
            Stop after this many passes without a better score on ``dev``, and keep the best weights.

        Raises
        ------
        ValueError
            Where there is nothing to learn from, and for ``patience`` without ``dev``.
        spanrs.errors.FormatError
            With line, for what is not in the format.
        """
        return self._fit(
            treebank_of(train, None), None if dev is None else treebank_of(dev, None), patience
        )

    def _fit(
        self, train: _spanrs.Treebank, dev: _spanrs.Treebank | None, patience: int | None = None
    ) -> Tagger:
        """Learn from sentences of the compiled half."""
        if patience is not None:
            check_count("patience", patience)
            if dev is None:
                raise ValueError("patience needs development data")
        sentences = [] if dev is None else dev.sentences()
        if dev is not None and not any(any(xpos) or any(upos) for _, xpos, upos, *_ in sentences):
            raise ValueError("the development data have no tags")

        def score(model: _spanrs.DepModel) -> dict[str, float]:
            found = model.annotate([words for words, *_ in sentences], None, False, 1)
            return tag_scores([(xpos, upos) for _, xpos, upos, *_ in sentences], found)

        self.history_ = []
        with iteration_display(self.progress, "tagger", self.epochs * self.models) as show:
            criterion = "xpos" if any(any(xpos) for _, xpos, *_ in sentences) else "upos"
            monitor = Monitor(
                None if dev is None else score, show, self.history_, patience, self.epochs, criterion
            )
            model = _spanrs.dep_train_tagger(train, self.options(), self.passes(), monitor, dev is not None)
        self._model = _spanrs.DepModel.join(model, None, json.dumps({"tagger": self.settings()}))
        return self

    def settings(self) -> dict[str, Any]:
        """Give the options that are stored with a model."""
        names = ("features", "epochs", "models", "seed", "min_count", "min_share", "margin")
        return {name: getattr(self, name) for name in names}

    def tag(self, words: Sequence[str], *, column: str | None = None) -> list[str]:
        """Tag a sentence.

        Parameters
        ----------
        words : sequence of str
            The words.
        column : str, optional
            ``xpos`` (the tags of the treebank) or ``upos`` (universal tags); the first that the model has.

        Raises
        ------
        TypeError
            For a str instead of a list of words.
        ValueError
            For tags that the model does not have.
        """
        return self.tag_batch([words], column=column, threads=1)[0]

    def tag_batch(
        self, sentences: Sequence[Sequence[str]], *, column: str | None = None, threads: int | None = 1
    ) -> list[list[str]]:
        """Tag sentences; as :meth:`tag`, with ``threads`` (None: one per processor)."""
        at = self._column(column)
        found = self.compiled.annotate(check_words(sentences), None, False, thread_count(threads))
        return [list(tags[at]) for tags in found]

    def _column(self, name: str | None) -> int:
        """Give the index of the tags among what the compiled half gives."""
        known = [
            column
            for at, column in enumerate(("xpos", "upos"))
            if any(tags[at] for tags in self.compiled.tags())
        ]
        if name is None:
            name = known[0]
        if name not in known:
            raise ValueError(f"the model has no {name!r} tags; it has {', '.join(known)}")
        return ("xpos", "upos").index(name)

    @property
    def tags(self) -> list[tuple[str, str]]:
        """The pairs of tags (XPOS, UPOS) that the model can give."""
        return self.compiled.tags()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file (safetensors with JSON metadata)."""
        save(self.compiled, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Tagger:
        """Read a model file; that of a parser has a tagger, too.

        Raises
        ------
        spanrs.errors.ModelError
            For files that are no model, damaged, or without a tagger.
        OSError
            Where the file cannot be read.
        """
        model = load(path)
        if not model.has_tagger:
            raise ModelError(f"{path} has no tagger")
        return cls.of(model)

    @classmethod
    def of(cls, model: _spanrs.DepModel) -> Tagger:
        """Give a tagger of a compiled model."""
        tagger: Tagger = with_options(cls, model, "tagger")
        tagger._model = model
        return tagger


def with_options(make: Any, model: _spanrs.DepModel, part: str) -> Any:
    """Make an estimator with the options that are stored with a model.

    Raises
    ------
    spanrs.errors.ModelError
        For options that cannot be.
    """
    options = json.loads(model.metadata).get(part, {})
    try:
        return make(**options)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the options of the {part} in the model are damaged: {error}") from None


def tag_scores(gold: Sequence[tuple[list[str], list[str]]], found: Sequence[Any]) -> dict[str, float]:
    """Give the accuracy of tags by column, for those that gold has."""
    scores = {}
    for at, column in enumerate(("xpos", "upos")):
        right = total = 0
        for own, pred in zip(gold, found, strict=True):
            if any(own[at]):
                total += len(own[at])
                right += sum(map(str.__eq__, own[at], pred[at]))
        if total:
            scores[column] = right / total
    return scores


def save(model: _spanrs.DepModel, path: str | PathLike[str]) -> None:
    """Write a model file, whole or not at all."""
    with atomic_output(path) as out:
        out.write(model.to_bytes())


def load(path: str | PathLike[str]) -> _spanrs.DepModel:
    """Read a model file."""
    data = Path(path).read_bytes()
    try:
        return _spanrs.DepModel.from_bytes(data)
    except ModelError as error:
        error.path = str(path)
        error.args = (f"{path}: {error}",)
        raise


def is_model(path: str | PathLike[str]) -> bool:
    """Say whether a file begins as a model file does: with the length of a header, and its brace."""
    with open(path, "rb") as file:  # named pipes have no stat
        head = file.read(9)
    return len(head) == 9 and head[8:9] == b"{" and head[4:8] == b"\0\0\0\0"
