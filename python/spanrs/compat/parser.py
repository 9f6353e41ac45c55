"""parser.py: the dependency parser of Honnibal (2013), with the same interface and conventions.

Tokens are padded with ``<start>`` before the first token and ``ROOT`` after the last token; the padding also has tags.
``heads[i]`` is the head of padded token ``i``: 1 to N for words, N + 1 for ``ROOT``; ``heads[0]`` is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from typing import Any, TypeAlias

import numpy as np

from spanrs import dep
from spanrs.dep import Parse
from spanrs.dep.installed import default_model, resolve
from spanrs.dep.model_files import is_model
from spanrs.errors import ModelError, ModelNotFoundError
from spanrs.io import Source

__all__ = ["Parser", "pad_tokens", "read_conll", "read_pos", "train"]

_NO_MODEL = (
    "the parser has no model, because parser.py is distributed without parser.pickle; call load(path) with a model of "
    "'spanrs dep train --published' or with weights of parser.py as JSON, or call train()"
)
START, ROOT = "<start>", "ROOT"
#: (words, tags, heads) or (words, tags, heads, labels), padded or not.
Sentence: TypeAlias = Sequence[Sequence[Any]]
#: Heads of all padded tokens except the last: None, then a head for each word.
Heads: TypeAlias = list[int | None]


class Parser:
    """Greedy arc-hybrid parser with a tagger, with the interface of ``parser.Parser``.

    parser.py reads ``parser.pickle`` from its own directory; this file is not distributed. In this class a model is
    loaded from a path, installed (:func:`spanrs.dep.models`), or trained.

    Parameters
    ----------
    load : bool, str or path
        The path or the name of a model, as for :meth:`load`. With True, the first call of :meth:`parse` loads the only
        installed model of English, unless :meth:`load` or :meth:`train` was called; False never does.

    Examples
    --------
    >>> from spanrs.compat.parser import Parser
    >>> parser = Parser(load=False)
    >>> parser.train([(["They", "ate"], ["PRP", "VBD"], [2, 0])] * 5, nr_iter=5)
    >>> parser.parse(["They", "ate"])
    (['<start>', 'PRP', 'VBD', 'ROOT'], [None, 2, 3])
    """

    def __init__(self, load: bool | str | PathLike[str] = True) -> None:
        self._parser: dep.Parser | None = None
        self._use_installed = load is True
        if not isinstance(load, bool):
            self.load(load)

    def parse(self, words: Sequence[str]) -> tuple[list[str], Heads]:
        """Tag and parse a sentence.

        Parameters
        ----------
        words : sequence of str
            The tokens, with or without the padding ``<start>`` and ``ROOT``.

        Returns
        -------
        tags : list of str
            A tag for each padded token: N + 2 tags for N words.
        heads : list
            ``heads[i]`` is the index of the head of padded token ``i``, N + 1 for the root; ``heads[0]`` is None. The
            tree is projective; several words may be attached to the root.

        Raises
        ------
        spanrs.errors.ModelError
            If there is no model.
        TypeError
            If a str is passed in place of a list of tokens.
        """
        parser = self._trained()
        words = words if isinstance(words, str) else _unpadded(words)
        parse = parser.parse(words)
        root = len(parse) + 1
        heads: Heads = [None, *(head or root for head in parse.heads.tolist())]
        if parser._compiled.padded:
            # The tagger also predicts the tags of the padding.
            return parser._compiled.tag_with_confidence([START, *parse.words, ROOT], True)[0], heads
        tags = parse.xpos or parse.upos or ("",) * len(parse)
        return [START, *tags, ROOT], heads

    def train(
        self, sentences: Source | Iterable[Sentence | Parse], nr_iter: int = 15, *, seed: int | None = 0
    ) -> None:
        """Train tagger and parser from scratch, like parser.py.

        Parameters
        ----------
        sentences : iterable of (words, tags, heads, labels) or Parse, or path
            Sentences from :func:`read_conll`; labels are optional and ignored. Lists may be padded or not; in lists
            without padding a head is the index of a word from 1, or 0 for the root. A path names a file in CoNLL-U or
            with four columns.
        nr_iter : int
            Number of passes; the tagger is trained in the first five passes. With fewer than five passes the weights of
            the tagger are not averaged.
        seed : int, optional
            Random seed for shuffling the sentences before each pass; None keeps the order.

        Raises
        ------
        ValueError
            If lists differ in length, or there are no sentences.
        spanrs.errors.FormatError
            If a line is malformed, or heads do not form a tree; the error contains the line.

        Notes
        -----
        Non-projective trees are projectivised by lifting arcs to the head of their head; parser.py fails for such
        trees.
        """
        data: Any = sentences
        if not isinstance(data, (str, PathLike)) and not hasattr(data, "read"):
            data = [_as_parse(sentence) for sentence in data]
        self._parser = dep.Parser.published(epochs=nr_iter, seed=seed).fit(data)

    def save(self, path: str | PathLike[str]) -> None:
        """Write tagger and parser to one file, for :meth:`load` and ``spanrs dep``."""
        self._trained().save(path)

    def load(self, path: str | PathLike[str]) -> None:
        """Read a model file of spanrs, an installed model, or the weights of parser.py as JSON (see docs/dep.md).

        Parameters
        ----------
        path : str or path
            A file, or the name of an installed model as for :func:`spanrs.dep.load`.

        Raises
        ------
        spanrs.errors.ModelError
            If the file is of another format, such as a pickle, or no model of this name is installed.
        OSError
            If the file cannot be read.
        """
        name = fspath(path).lower().removesuffix(".gz")
        if name.endswith((".pickle", ".pkl")):
            raise ModelError(
                f"{path}: pickles execute code and are not supported; write the weights as JSON (docs/dep.md)"
            )
        file = resolve(path)
        read = (
            dep.Parser.load if is_model(file) or not name.endswith(".json") else dep.Parser.from_published
        )
        self._parser = read(file)

    def _trained(self) -> dep.Parser:
        if self._parser is None and self._use_installed:
            try:
                self.load(default_model("en"))
            except ModelNotFoundError as error:
                raise ModelNotFoundError(f"{_NO_MODEL}; {error}") from None
        if self._parser is None:
            raise ModelError(_NO_MODEL)
        return self._parser


def train(
    parser: Parser, sentences: Source | Iterable[Sentence | Parse], nr_iter: int, *, seed: int | None = 0
) -> None:
    """Train a parser; see :meth:`Parser.train`."""
    parser.train(sentences, nr_iter, seed=seed)


def pad_tokens(tokens: list[str]) -> None:
    """Insert ``<start>`` before and ``ROOT`` after the tokens, in place.

    Examples
    --------
    >>> from spanrs.compat.parser import pad_tokens
    >>> tokens = ["They", "ate"]
    >>> pad_tokens(tokens)
    >>> tokens
    ['<start>', 'They', 'ate', 'ROOT']
    """
    tokens.insert(0, START)
    tokens.append(ROOT)


def read_pos(loc: Source) -> Iterator[tuple[list[str], list[str]]]:
    """Yield padded words and tags from a file with one sentence per line: ``They/PRP ate/VBD``."""
    for parse in dep.read_conllu(loc, format="word-tag"):
        if len(parse):
            yield [START, *parse.words, ROOT], [START, *parse.xpos, ROOT]


def read_conll(loc: Source) -> Iterator[tuple[list[str], list[str], Heads, list[str | None]]]:
    """Yield padded words, tags, heads and labels from a file with form, tag, head, label per line, or in CoNLL-U."""
    for parse in dep.read_conllu(loc):
        size = len(parse)
        heads = [head or size + 1 for head in parse.heads.tolist()]
        labels = parse.labels or ("",) * size
        yield [START, *parse.words, ROOT], [START, *parse.xpos, ROOT], [None, *heads], [None, *labels]


def _unpadded(tokens: Sequence[Any]) -> list[Any]:
    """Remove the padding from tokens or tags, if present."""
    tokens = list(tokens)
    return tokens[1:-1] if len(tokens) > 1 and (tokens[0], tokens[-1]) == (START, ROOT) else tokens


def _as_parse(sentence: Sentence | Parse) -> Parse:
    if isinstance(sentence, Parse):
        return sentence
    words, tags, heads, *_ = sentence
    words = words if isinstance(words, str) else _unpadded(words)
    heads = [0 if head == len(words) + 1 else head for head in heads if head is not None]
    return Parse(words, np.array(heads, np.int32), xpos=_unpadded(tags))
