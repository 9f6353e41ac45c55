"""The segmenter: sentences, tokens and words of raw text."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs.dep.model_files import ModelEstimator, part_of
from spanrs.dep.parse import Parse, Token
from spanrs.dep.training import Sentences, files_of
from spanrs.report.progress import iteration_display

#: Reason why a segmenter cannot be trained.
ALL_SPACED = "every token is followed by a space, according to MISC (SpaceAfter=No) and # text"


class Segmenter(ModelEstimator):
    """Divides text into sentences, tokens and words; learnt from the text of a treebank.

    Three averaged perceptrons decide which gaps between characters end a token, which tokens end a sentence, and
    of which words a token consists. Blank lines always end a sentence; other line ends are white space.

    Parameters
    ----------
    epochs : int
        Number of passes over the training data.
    models : int
        Number of models trained with consecutive seeds, whose averaged weights are summed.
    seed : int, optional
        Random seed for shuffling the paragraphs; None keeps the order of the data.
    progress : bool, optional
        Show the training on standard error; None shows it only if standard error is a terminal.

    Attributes
    ----------
    paragraphs_ : int
        Number of paragraphs of the training data.

    Examples
    --------
    >>> from spanrs.dep import Segmenter
    >>> segmenter = Segmenter().fit("examples/dep/train.conllu")
    >>> [sentence.words for sentence in segmenter.segment("They ate pizza. We slept.")]
    [('They', 'ate', 'pizza', '.'), ('We', 'slept', '.')]
    """

    _components: ClassVar[tuple[str, ...]] = ("segmenter",)
    _not_saved: ClassVar[tuple[str, ...]] = ("progress",)

    def __init__(
        self, *, epochs: int = 5, models: int = 3, seed: int | None = 0, progress: bool | None = None
    ) -> None:
        self.epochs = epochs
        self.models = models
        self.seed = seed
        self.progress = progress

    def fit(self, train: Sentences) -> Segmenter:
        """Train the segmenter.

        Parameters
        ----------
        train : path, binary file object, Corpus, or sequence of paths
            A treebank in CoNLL-U in which ``SpaceAfter=No``, or else ``# text``, says where no space follows. Comments
            ``# newpar`` and ``# newdoc`` begin paragraphs.

        Raises
        ------
        ValueError
            If a parameter is invalid, or nothing can be learnt about tokens because all are followed by spaces.
        spanrs.errors.FormatError
            If a line is malformed, or a comment ``# text`` differs from the tokens; the error contains the line.
        """
        paragraphs = paragraphs_of(train)
        if not paragraphs.has_attached_tokens():
            raise ValueError(ALL_SPACED)
        return self._fit(paragraphs)

    def _fit(self, paragraphs: _spanrs.Paragraphs) -> Segmenter:
        """Train on paragraphs of the compiled module."""
        self._check_params()
        self.paragraphs_ = len(paragraphs)
        with iteration_display(self.progress, "segmenter", 1) as show:
            passes = {"epochs": self.epochs, "seed": self.seed, "models": self.models}
            model = _spanrs.dep_train_segmenter(paragraphs, {}, passes)
            metadata = json.dumps({"segmenter": self._saved_params()})
            self._model = _spanrs.DepModel.join(model, None, None, None, metadata)
            show(1, "")
        return self

    @classmethod
    def _of(cls, model: _spanrs.DepModel) -> Segmenter:
        """Return the segmenter of a compiled model."""
        metadata = json.loads(model.metadata)
        segmenter = cls._with_params_of(metadata, "segmenter")
        own = {name: metadata[name] for name in cls._components if name in metadata}
        segmenter._model = part_of(model, cls._components, own)
        return segmenter

    def segment(self, text: str, *, lines: bool = False) -> list[Parse]:
        """Divide a text into sentences.

        Parameters
        ----------
        text : str
            The text. Blank lines separate paragraphs.
        lines : bool
            End a sentence at every line end.

        Returns
        -------
        list of Parse
            The sentences, with ``words`` and ``tokens``, which have offsets in ``text``.
        """
        return segmented(self._compiled, text, lines=lines)


def paragraphs_of(train: Sentences) -> _spanrs.Paragraphs:
    """Read the text of a treebank."""
    paragraphs = _spanrs.Paragraphs()
    for file in files_of(train):
        paragraphs.read(_spanrs.SyntaxFile(file, None))
    return paragraphs


def segmented(model: _spanrs.DepModel, text: str, *, lines: bool = False) -> list[Parse]:
    """Divide a text into sentences with the segmenter of a model."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}")
    sentences = []
    for found in model.segment(text, lines):
        words: list[str] = []
        tokens: list[Token] = []
        for start, end, space_after, forms in found:
            own = range(len(words), len(words) + len(forms))
            tokens.append(Token(text[start:end], start, end, own, space_after))
            words += forms
        sentences.append(Parse(words, tokens=tokens))
    return sentences


def with_values(sentence: Parse, **values: Any) -> Parse:
    """Return a sentence with the columns that were predicted for its words."""
    return Parse(sentence.words, tokens=sentence.tokens, **values)
