"""Morphological features and lemmas."""

from __future__ import annotations

from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs.dep.training import Epoch, Monitor, Sentences, treebank_of
from spanrs.estimator import Estimator
from spanrs.report.progress import iteration_display


class Morphology(Estimator):
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
    parsing". The model is applied by :class:`Pipeline`.

    Examples
    --------
    >>> from spanrs.dep import Morphology
    >>> morphology = Morphology(epochs=5).fit("examples/dep/train.conllu")
    >>> len(morphology.history_) > 0
    True
    """

    _model: _spanrs.DepModel | None = None
    _not_saved: ClassVar[tuple[str, ...]] = ("progress",)
    _optional: ClassVar[tuple[str, ...]] = ("seed",)

    def __init__(
        self,
        *,
        epochs: int = 8,
        lemma_epochs: int = 10,
        models: int = 1,
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
            self._model = _spanrs.dep_train_morphology(
                gold,
                tagged,
                options,
                {"epochs": self.epochs, "seed": self.seed, "models": self.models},
                monitor,
            )
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None
