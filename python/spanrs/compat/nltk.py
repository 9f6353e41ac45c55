"""``nltk.tag.perceptron``: the averaged perceptron tagger of NLTK, with the same interface and JSON files.

Training, tags, confidences and files are identical to NLTK 3.10; pretrained models of NLTK can be loaded from a
directory.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from spanrs import _spanrs
from spanrs.dep import Parse, Tagger
from spanrs.errors import ModelError
from spanrs.io.output import atomic_output

__all__ = ["PerceptronTagger"]

Folder: TypeAlias = str | PathLike[str] | None
#: Prefix of the file names.
TAGGER_JSON = "averaged_perceptron_tagger"
#: Minimum frequency of words in the dictionary of unambiguous words.
MIN_COUNT = 20
#: The files of a model.
PARTS = ("weights", "tagdict", "classes")


class PerceptronTagger:
    """Greedy averaged perceptron tagger (Honnibal 2013), with the interface of ``nltk.tag.PerceptronTagger``.

    NLTK searches for models in its data directories; in this class ``loc`` is the directory with the three JSON files,
    and is required by ``load=True``.

    Examples
    --------
    >>> tagger = PerceptronTagger(load=False)
    >>> tagger.train([[("today", "NN"), ("is", "VBZ"), ("good", "JJ"), ("day", "NN")]])
    >>> tagger.tag(["today"])
    [('today', 'NN')]
    """

    def __init__(self, load: bool = True, lang: str = "eng", loc: Folder = None) -> None:
        self.lang = lang
        self._model: _spanrs.DepModel | None = None
        if load and loc is None:
            files = f"{TAGGER_JSON}_{lang}.*.json"
            raise ModelError(
                f"specify the directory of {files} with loc=, or pass load=False and call train"
            )
        if load:
            self.load_from_json(lang, loc)

    @property
    def tagdict(self) -> dict[str, str]:
        """The tag of each frequent unambiguous word."""
        return {} if self._model is None else dict(self._model.tagdict())

    @property
    def classes(self) -> set[str]:
        """The tags."""
        return set() if self._model is None else {xpos for xpos, _ in self._model.tags()}

    @property
    def weights(self) -> dict[str, dict[str, float]]:
        """Feature -> {tag: weight}; weights of 0 are omitted."""
        return {} if self._model is None else {name: dict(row) for name, row in self._model.named_weights()}

    def tag(
        self, tokens: Sequence[str], return_conf: bool = False, use_tagdict: bool = True
    ) -> list[tuple[str, str]] | list[tuple[str, str, float]]:
        """Tag a sentence: return pairs (token, tag), or with ``return_conf`` triples (token, tag, confidence)."""
        if self._model is None:
            raise ModelError("the tagger has no weights; call train or load_from_json")
        words = list(tokens)
        tags, confidences = self._model.tag_with_confidence(words, use_tagdict)
        if return_conf:
            return list(zip(words, tags, confidences, strict=True))
        return list(zip(words, tags, strict=True))

    def tag_sents(self, sentences: Iterable[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """Tag sentences."""
        return [self.tag(sentence) for sentence in sentences]  # type: ignore[misc]

    def train(
        self, sentences: Iterable[Sequence[tuple[str, str]]], save_loc: Folder = None, nr_iter: int = 5
    ) -> None:
        """Train on sentences of (word, tag) pairs, and save the weights if ``save_loc`` names a directory.

        As in NLTK, the first pass is in the order of the sentences, and Python's global random generator shuffles the
        sentences after each pass; call ``random.seed`` first for reproducible training.
        """
        parses = [Parse([word for word, _ in row], xpos=[tag for _, tag in row]) for row in sentences]
        # The compiled tagger is trained in one epoch over the sentences of all passes, so every word occurs nr_iter
        # times as often.
        order: list[Parse] = []
        for _ in range(nr_iter):
            order += parses
            random.shuffle(parses)
        tagger = Tagger.published(epochs=1, seed=None, min_count=MIN_COUNT * nr_iter, progress=False)
        self._model = tagger.fit(order)._compiled
        if save_loc is not None:
            self.save_to_json(self.lang, save_loc)

    def save_to_json(self, lang: str = "xxx", loc: Folder = None) -> None:
        """Write the three JSON files of a language to a directory, which is created if needed."""
        if self._model is None:
            raise ModelError("the tagger has no weights to save")
        if not self._model.named_weights() and self._model.sizes()[0]:
            raise ModelError("the features of this tagger have no names, but NLTK requires names")
        folder = Path(f"{TAGGER_JSON}_{lang}" if loc is None else loc)
        folder.mkdir(parents=True, exist_ok=True)
        contents = {"weights": self.weights, "tagdict": self.tagdict, "classes": sorted(self.classes)}
        for part, path in _files(folder, lang):
            with atomic_output(path) as out:
                out.write(json.dumps(contents[part]).encode())

    def load_from_json(self, lang: str = "eng", loc: Folder = None) -> None:
        """Read the three JSON files of a language from a directory."""
        folder = Path(f"{TAGGER_JSON}_{lang}" if loc is None else loc)
        contents = [path.read_bytes() for _, path in _files(folder, lang)]
        try:
            self._model = _spanrs.DepModel.from_nltk(*contents)
        except ModelError as error:
            raise ModelError(f"{folder}: {error}") from None


def _files(folder: Path, lang: str) -> Iterator[tuple[str, Path]]:
    """Yield the name and the path of each part of a model."""
    for part in PARTS:
        yield part, folder / f"{TAGGER_JSON}_{lang}.{part}.json"
