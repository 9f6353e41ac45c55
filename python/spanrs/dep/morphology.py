"""Morphological features and lemmas."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs.dep.model_files import ModelEstimator, part_of
from spanrs.dep.training import Epoch, Monitor, Sentences, check_words, treebank_of
from spanrs.report.progress import iteration_display


class Morphology(ModelEstimator):
    """Predicts the morphological features and the lemmas of tagged words.

    An averaged perceptron chooses the features among those that occur with the tags of the word in the training data.
    Another chooses the edit script from the form to the lemma; exceptions are looked up. A part of the model is missing
    if its column is empty in the training data.

    Parameters
    ----------
    epochs : int
        Number of passes over the sentences, from which features are learnt.
    lemma_epochs : int
        Number of passes over the different words, from which lemmas are learnt.
    models : int
        Number of models trained with consecutive seeds, whose averaged weights are summed.
    seed : int, optional
        Random seed for shuffling the sentences; None keeps the order of the data.
    progress : bool, optional
        Show the passes on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    history_ : list of Epoch
        Statistics of each pass.

    Notes
    -----
    Source of the edit scripts: Chrupała 2008, "Towards a machine-learning architecture for lexical functional grammar
    parsing".

    Examples
    --------
    >>> from spanrs.dep import Morphology
    >>> morphology = Morphology().fit("examples/dep/train.conllu")
    >>> morphology.analyse(["We", "ordered", "pizzas"], xpos=["PRP", "VBD", "NNS"], upos=["PRON", "VERB", "NOUN"])
    ([], ['we', 'order', 'pizza'])
    """

    _components: ClassVar[tuple[str, ...]] = ("morphology",)
    _not_saved: ClassVar[tuple[str, ...]] = ("progress",)

    def __init__(
        self,
        *,
        epochs: int = 10,
        lemma_epochs: int = 10,
        models: int = 3,
        seed: int | None = 0,
        progress: bool | None = None,
    ) -> None:
        self.epochs = epochs
        self.lemma_epochs = lemma_epochs
        self.models = models
        self.seed = seed
        self.progress = progress

    def fit(self, train: Sentences) -> Morphology:
        """Train on gold tags; :class:`Pipeline` trains on predicted tags.

        Parameters
        ----------
        train : path, binary file object, Corpus, or sequence of paths
            Sentences with tags, and with morphological features, lemmas or both.

        Raises
        ------
        ValueError
            If a parameter is invalid, or there are neither features nor lemmas.
        spanrs.errors.FormatError
            If a line is malformed; the error contains the line.
        """
        treebank = treebank_of(train, None)
        if not any(treebank.has_morphology()):
            raise ValueError("there are no morphological features and no lemmas to learn")
        return self._fit(treebank, treebank)

    def _fit(self, gold: _spanrs.Treebank, tagged: _spanrs.Treebank) -> Morphology:
        """Train on sentences of the compiled module; ``tagged`` has the tags to learn from."""
        self._check_params()
        self.history_: list[Epoch] = []
        feats, lemmas = gold.has_morphology()
        passes = (self.epochs if feats else 0) + (self.lemma_epochs if lemmas else 0)
        options: dict[str, Any] = {"lemma_epochs": self.lemma_epochs}
        with iteration_display(self.progress, "morphology", passes * self.models) as show:
            monitor = Monitor(
                None, lambda _, text: show(len(self.history_), text), self.history_, None, 0, ""
            )
            model = _spanrs.dep_train_morphology(
                gold,
                tagged,
                options,
                {"epochs": self.epochs, "seed": self.seed, "models": self.models},
                monitor,
            )
        metadata = json.dumps({"morphology": self._saved_params()})
        self._model = _spanrs.DepModel.join(None, None, model, None, metadata)
        return self

    def analyse(
        self, words: Sequence[str], *, xpos: Sequence[str] = (), upos: Sequence[str] = ()
    ) -> tuple[list[str], list[str]]:
        """Return the morphological features and the lemmas of a tagged sentence.

        Parameters
        ----------
        words : sequence of str
            The words.
        xpos, upos : sequence of str
            The tags of each word, those that the model was trained on; empty if unknown.

        Returns
        -------
        feats : list of str
            Features such as ``Case=Nom|Number=Sing``, or ``_``; empty if the model does not predict them.
        lemmas : list of str
            Empty if the model does not predict them.

        Raises
        ------
        TypeError
            If a str is passed in place of a list of words or tags.
        ValueError
            If the numbers of tags and words differ.
        """
        (checked,) = check_words([words])
        for name, tags in (("xpos", xpos), ("upos", upos)):
            if isinstance(tags, str):
                raise TypeError(f"{name} is a str; pass a list of tags, such as {tags.split()[:3]!r}")
        rows = [list(row) if len(row) else [""] * len(checked) for row in (xpos, upos)]
        for name, row in zip(("xpos", "upos"), rows, strict=True):
            if len(row) != len(checked):
                raise ValueError(f"{len(row)} tags in {name} for {len(checked)} words")
        ((*_, feats, lemmas),) = self._compiled.annotate([checked], [(rows[0], rows[1])], False, 1)
        return feats, lemmas

    @classmethod
    def _of(cls, model: _spanrs.DepModel) -> Morphology:
        """Return the morphology of a compiled model."""
        metadata = json.loads(model.metadata)
        morphology = cls._with_params_of(metadata, "morphology")
        own = {name: metadata[name] for name in cls._components if name in metadata}
        morphology._model = part_of(model, cls._components, own)
        return morphology
