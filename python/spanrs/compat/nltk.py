"""``nltk.tag``: the averaged perceptron tagger of NLTK, with the same interface and JSON files, and ``pos_tag``.

Training, tags, confidences and files are identical to NLTK 3.10; pretrained models of NLTK can be loaded from a
directory. NLTK's own model is a separate download; here :func:`pos_tag` and ``PerceptronTagger()`` use an installed
model of spanrs (:func:`spanrs.dep.models`), so their tags are those of that model.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from spanrs import _spanrs
from spanrs.dep import Parse, Tagger
from spanrs.dep.installed import default_model, may_be_name, resolve
from spanrs.errors import ModelError, ModelNotFoundError
from spanrs.io.output import atomic_output

__all__ = ["PerceptronTagger", "pos_tag", "pos_tag_sents"]

Folder: TypeAlias = str | PathLike[str] | None
#: Prefix of the file names.
TAGGER_JSON = "averaged_perceptron_tagger"
#: Minimum frequency of words in the dictionary of unambiguous words.
MIN_COUNT = 20
#: The files of a model.
PARTS = ("weights", "tagdict", "classes")
#: The languages of NLTK's ``pos_tag``, and the first part of names of models.
LANGUAGES = {"eng": "en", "rus": "ru"}
#: Tags of the Penn Treebank, and of its extension in UD English, by tag of Petrov et al. 2012.
UNIVERSAL = {
    ".": "# $ '' ( ) , -LRB- -RRB- . : `` HYPH NFP",
    "ADJ": "JJ JJR JJS",
    "ADP": "IN",
    "ADV": "RB RBR RBS WRB",
    "CONJ": "CC",
    "DET": "DT EX PDT WDT",
    "NOUN": "NN NNP NNPS NNS",
    "NUM": "CD",
    "PRON": "PRP PRP$ WP WP$",
    "PRT": "POS RP TO",
    "VERB": "MD VB VBD VBG VBN VBP VBZ",
    "X": "ADD AFX FW GW LS SYM UH XX",
}
_UNIVERSAL_OF = {xpos: tag for tag, row in UNIVERSAL.items() for xpos in row.split()}
#: Tags of Petrov et al. 2012 by UPOS.
_PETROV_OF = {
    **{tag: tag for tag in ("ADJ", "ADP", "ADV", "DET", "NOUN", "NUM", "PRON", "VERB", "X")},
    "AUX": "VERB",
    "CCONJ": "CONJ",
    "PART": "PRT",
    "PROPN": "NOUN",
    "PUNCT": ".",
    "SCONJ": "ADP",
}


class PerceptronTagger:
    """Greedy averaged perceptron tagger (Honnibal 2013), with the interface of ``nltk.tag.PerceptronTagger``.

    NLTK searches for its model in its data directories. In this class ``loc`` is the directory with the three JSON
    files; without ``loc``, ``load=True`` loads the only installed model of the language (:func:`spanrs.dep.models`),
    whose features have no names, so ``weights`` is empty and ``save_to_json`` is refused.

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
            self._model = _tagger(_file_of_class(lang))._compiled
        elif load:
            self.load_from_json(lang, loc)

    @property
    def tagdict(self) -> dict[str, str]:
        """The tag of each frequent unambiguous word."""
        return {} if self._model is None else dict(self._model.tagdict())

    @property
    def classes(self) -> set[str]:
        """The tags."""
        if self._model is None:
            return set()
        tags = self._model.tags()
        return {xpos for xpos, _ in tags if xpos} or {upos for _, upos in tags}

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


def pos_tag(
    tokens: Sequence[str],
    tagset: str | None = None,
    lang: str = "eng",
    *,
    model: str | PathLike[str] | None = None,
) -> list[tuple[str, str]]:
    """Tag a sentence with an installed model, like ``nltk.pos_tag``.

    Parameters
    ----------
    tokens : sequence of str
        The words.
    tagset : str, optional
        ``universal`` for the twelve tags of Petrov et al. 2012, from the tags of the Penn Treebank as in NLTK, and from
        UPOS for other treebanks; by default the tags of the treebank (XPOS), or UPOS for a model without XPOS.
    lang : str
        ``eng`` or ``rus``, as in NLTK. Selects the model unless ``model`` is given.
    model : str or path, optional
        Name of an installed model, or path of a model file, of any language; by default the only installed model of
        ``lang``.

    Returns
    -------
    list of (str, str)
        The words and their tags.

    Raises
    ------
    spanrs.errors.ModelNotFoundError
        If no model of the language is installed. The class is also a ``LookupError``, which NLTK raises.
    spanrs.errors.ModelError
        If several models of the language are installed and ``model`` does not select one.
    NotImplementedError
        If ``lang`` is another language and ``model`` is not given.
    TypeError
        If a str is passed in place of a list of words.
    ValueError
        If ``tagset`` is another name, or is ``universal`` and the model has neither UPOS nor Penn Treebank tags.

    Notes
    -----
    The model is located and read in the first call, and kept in memory for later calls; a file that has changed is read
    again.

    Examples
    --------
    >>> from spanrs.compat.nltk import pos_tag
    >>> pos_tag(["They", "ate"], model="en_ewt")  # doctest: +SKIP
    [('They', 'PRP'), ('ate', 'VBD')]
    """
    if isinstance(tokens, str):
        raise TypeError("tokens: expected a list of strings, got a string")
    return pos_tag_sents([tokens], tagset, lang, model=model)[0]


def pos_tag_sents(
    sentences: Iterable[Sequence[str]],
    tagset: str | None = None,
    lang: str = "eng",
    *,
    model: str | PathLike[str] | None = None,
) -> list[list[tuple[str, str]]]:
    """Tag sentences with an installed model, like ``nltk.pos_tag_sents``; see :func:`pos_tag`."""
    if tagset not in {None, "", "universal"}:
        raise ValueError(f"tagset must be None or 'universal', not {tagset!r}")
    rows = [sentence if isinstance(sentence, str) else list(sentence) for sentence in sentences]
    tagger = _tagger(_find(model, lang))
    xpos = {tag for tag, _ in tagger.tags if tag}
    has_upos = any(upos for _, upos in tagger.tags)
    mapping: Mapping[str, str] = {}
    column = "xpos" if xpos else "upos"
    if tagset:
        # Other treebanks use some of the names of the Penn Treebank for other classes.
        is_penn = bool(xpos) and xpos <= _UNIVERSAL_OF.keys()
        column = "xpos" if is_penn or not has_upos else "upos"
        if column == "xpos" and not is_penn:
            raise ValueError(
                "tagset='universal' needs a model with UPOS, or with the tags of the Penn Treebank"
            )
        mapping = _UNIVERSAL_OF if column == "xpos" else _PETROV_OF
    tags = tagger.tag_batch(rows, column=column)
    if tagset:
        tags = [[mapping.get(tag, "X") for tag in row] for row in tags]
    return [list(zip(row, predicted, strict=True)) for row, predicted in zip(rows, tags, strict=True)]


def _file_of_class(lang: str) -> Path:
    """Return the file of the model that ``PerceptronTagger()`` loads."""
    try:
        return default_model(LANGUAGES.get(lang, lang))
    except ModelNotFoundError as error:
        files = f"{TAGGER_JSON}_{lang}.*.json"
        raise ModelNotFoundError(
            f"{error}; or specify the directory of {files} with loc=, or pass load=False and call train"
        ) from None


def _find(model: str | PathLike[str] | None, lang: str) -> Path:
    """Return the file of a model, by default of the only installed model of a language."""
    if model is not None and not may_be_name(model):
        return Path(model)
    return _find_installed(model, lang)


@functools.cache
def _find_installed(model: str | None, lang: str) -> Path:
    """Find an installed model once: the search reads the metadata of all distributions, which is slow."""
    if model is not None:
        return resolve(model)
    if lang not in LANGUAGES:
        raise NotImplementedError(
            f"lang must be {' or '.join(LANGUAGES)}, as in NLTK, not {lang!r}; choose a model of another language with "
            "model="
        )
    return default_model(LANGUAGES[lang])


def _tagger(path: Path) -> Tagger:
    """Read the tagger of a model file, unless the file was read before."""
    return _cached_tagger(path.absolute(), path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _cached_tagger(path: Path, _changed: int) -> Tagger:
    return Tagger.load(path)
