"""The part-of-speech tagger."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs.dep.model_files import ModelEstimator, part_of
from spanrs.dep.training import (
    Epoch,
    Monitor,
    Sentences,
    check_patience,
    check_words,
    treebank_of,
)
from spanrs.errors import as_number
from spanrs.report.progress import iteration_display
from spanrs.threads import thread_count

#: Feature sets.
FEATURES = ("rich", "published")


class Tagger(ModelEstimator):
    """A greedy part-of-speech tagger with an averaged perceptron.

    Words are tagged from left to right, and uncertain words once more from right to left.

    Parameters
    ----------
    features : str
        ``rich``: affixes, shapes, neighbours and the tags of previous words. ``published``: the 14 features of
        parser.py and NLTK.
    epochs : int
        Number of passes over the training data.
    models : int
        Number of models trained with consecutive seeds, of whose averaged weights the mean is taken.
    seed : int, optional
        Random seed for shuffling the sentences; None keeps the order of the data.
    min_count : int
        Minimum frequency of a word in the dictionary of unambiguous words, whose tags are looked up instead of
        predicted.
    min_share : float
        Minimum fraction of occurrences of such a word with its most frequent tag, above 0 and at most 1.
    margin : int
        Also update for correct predictions whose score exceeds the second best by less than this margin; 0 only updates
        for errors.
    max_weights : int
        Maximum number of weights, 0 for all; see :class:`Parser`. The published features keep all weights.
    dropout : float
        Fraction of the features of a word that are ignored in training, chosen at random for each word and pass; at
        least 0 and less than 1.
    recheck : int
        Words whose best score exceeds the second best by less than this value are tagged in both directions and get the
        tags with the largest sum of the scores; 0 for one direction. No effect on the published features.
    progress : bool, optional
        Show the passes on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    dev_ : dict of str to float
        Accuracy of XPOS and UPOS on the development data; empty without development data.
    history_ : list of Epoch
        Statistics of each pass.

    Notes
    -----
    Source: Collins 2002, "Discriminative training methods for hidden Markov models"; the published features and the
    dictionary of unambiguous words are taken from Honnibal's parser.py.

    Examples
    --------
    >>> from spanrs.dep import Parse, Tagger
    >>> train = [Parse(["They", "ate", "pizza"], xpos=["PRP", "VBD", "NN"])] * 3
    >>> Tagger(epochs=2).fit(train).tag(["They", "ate"])
    ['PRP', 'VBD']
    """

    _choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"features": FEATURES}
    _components: ClassVar[tuple[str, ...]] = ("tagger",)
    _former: ClassVar[Mapping[str, Any]] = {"max_weights": 0, "dropout": 0.0, "recheck": 0}

    def __init__(
        self,
        *,
        features: str = "rich",
        epochs: int = 14,
        models: int = 5,
        seed: int | None = 0,
        min_count: int = 100,
        min_share: float = 0.995,
        margin: int = 50,
        max_weights: int = 600_000,
        dropout: float = 0.2,
        recheck: int = 50,
        progress: bool | None = None,
    ) -> None:
        self.features = features
        self.epochs = epochs
        self.models = models
        self.seed = seed
        self.min_count = min_count
        self.min_share = min_share
        self.margin = margin
        self.max_weights = max_weights
        self.dropout = dropout
        self.recheck = recheck
        self.progress = progress

    def _check_params(self) -> None:
        super()._check_params()
        if as_number(self.min_share, "min_share", above=True) > 1:
            raise ValueError(f"min_share must be a number of at most 1, not {self.min_share!r}")
        if as_number(self.dropout, "dropout") >= 1:
            raise ValueError(f"dropout must be a number less than 1, not {self.dropout!r}")

    @classmethod
    def published(cls, **options: Any) -> Tagger:
        """Return a tagger with the features and the training of NLTK's ``PerceptronTagger``."""
        defaults: dict[str, Any] = {
            "features": "published",
            "epochs": 5,
            "models": 1,
            "min_count": 20,
            "min_share": 0.97,
            "margin": 0,
            "max_weights": 0,
            "dropout": 0.0,
            "recheck": 0,
        }
        return cls(**(defaults | options))

    def _options(self) -> dict[str, Any]:
        """Return the options for the compiled module."""
        return {
            "features": self.features,
            "min_count": self.min_count,
            "min_share": self.min_share,
            "margin": self.margin,
            "max_weights": self.max_weights,
            "dropout": self.dropout,
            "recheck": self.recheck,
            "keep_names": self.features == "published",
        }

    def _passes(self) -> dict[str, int | None]:
        """Return epochs, seed and number of models for the compiled module."""
        return {"epochs": self.epochs, "seed": self.seed, "models": self.models}

    def fit(self, train: Sentences, dev: Sentences | None = None, *, patience: int | None = None) -> Tagger:
        """Train the tagger.

        Parameters
        ----------
        train : path, binary file object, Corpus, or sequence of Parse or paths
            Sentences with XPOS, UPOS, or both.
        dev : as train, optional
            Development data, scored after each pass.
        patience : int, optional
            Stop after this number of passes without improvement on ``dev``, and keep the best weights.

        Raises
        ------
        ValueError
            If a parameter is invalid, there are no tagged sentences, or ``patience`` is set without ``dev``.
        spanrs.errors.FormatError
            If a line is malformed; the error contains the line.
        """
        return self._fit(
            treebank_of(train, None), None if dev is None else treebank_of(dev, None), patience
        )

    def _fit(
        self, train: _spanrs.Treebank, dev: _spanrs.Treebank | None, patience: int | None = None
    ) -> Tagger:
        """Train on sentences of the compiled module."""
        self._check_params()
        check_patience(patience, dev)
        sentences = [] if dev is None else dev.sentences()
        if dev is not None and not any(any(xpos) or any(upos) for _, xpos, upos, *_ in sentences):
            raise ValueError("the development data have no tags")

        def score(model: _spanrs.DepModel) -> dict[str, float]:
            return tag_scores(sentences, model)

        self.history_: list[Epoch] = []
        with iteration_display(self.progress, "tagger", self.epochs * self.models) as show:
            criterion = "xpos" if any(any(xpos) for _, xpos, *_ in sentences) else "upos"
            monitor = Monitor(
                None if dev is None else score, show, self.history_, patience, self.epochs, criterion
            )
            model = _spanrs.dep_train_tagger(
                train, self._options(), self._passes(), monitor, dev is not None
            )
        self._model = _spanrs.DepModel.join(
            None, model, None, None, json.dumps({"tagger": self._saved_params()})
        )
        self.dev_: dict[str, float] = {} if dev is None else score(model)
        return self

    def _score(self, dev: _spanrs.Treebank) -> dict[str, float]:
        """Return the accuracy of tags by column."""
        return tag_scores(dev.sentences(), self._compiled)

    def tag(self, words: Sequence[str], *, column: str | None = None) -> list[str]:
        """Tag a sentence.

        Parameters
        ----------
        words : sequence of str
            The words.
        column : str, optional
            ``xpos`` (the tags of the treebank) or ``upos`` (universal tags); by default ``xpos`` if the model has XPOS.

        Raises
        ------
        TypeError
            If a str is passed in place of a list of words.
        ValueError
            If the model does not have these tags.
        """
        return self.tag_batch([words], column=column, threads=1)[0]

    def tag_batch(
        self, sentences: Sequence[Sequence[str]], *, column: str | None = None, threads: int | None = 1
    ) -> list[list[str]]:
        """Tag sentences with a number of threads (None or 0 for all processors); see :meth:`tag`."""
        at = self._column(column)
        annotations = self._compiled.annotate(check_words(sentences), None, False, thread_count(threads))
        return [list(tags[at]) for tags in annotations]

    def _column(self, name: str | None) -> int:
        """Return the index of a column of tags in the output of the compiled module."""
        columns = [
            column
            for at, column in enumerate(("xpos", "upos"))
            if any(tags[at] for tags in self._compiled.tags())
        ]
        if name is None:
            name = columns[0]
        if name not in columns:
            raise ValueError(f"the model has no {name!r} tags; it has {', '.join(columns)}")
        return ("xpos", "upos").index(name)

    @property
    def tags(self) -> list[tuple[str, str]]:
        """The pairs of tags (XPOS, UPOS) of the model."""
        return self._compiled.tags()

    @classmethod
    def _of(cls, model: _spanrs.DepModel) -> Tagger:
        """Return the tagger of a compiled model."""
        metadata = json.loads(model.metadata)
        tagger = cls._with_params_of(metadata, "tagger")
        own = {name: metadata[name] for name in ("tagger",) if name in metadata}
        tagger._model = part_of(model, cls._components, own)
        return tagger


def tag_scores(gold: Sequence[tuple[Any, ...]], model: _spanrs.DepModel) -> dict[str, float]:
    """Return the accuracy of the tags of a model by column, for the columns of gold."""
    pred = model.annotate([words for words, *_ in gold], None, False, 1)
    scores = {}
    for at, column in enumerate(("xpos", "upos")):
        right = total = 0
        for (_, *expected), predicted in zip(gold, pred, strict=True):
            if any(expected[at]):
                total += len(expected[at])
                right += sum(map(str.__eq__, expected[at], predicted[at]))
        if total:
            scores[column] = right / total
    return scores
