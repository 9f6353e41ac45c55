"""Gazetteers and word clusters, which templates look up and models contain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, NoReturn, Self, TypeAlias

from spanrs import _spanrs
from spanrs._spanrs import CrfLexicon, CrfModel
from spanrs.crf.templates import template_name, templates
from spanrs.crf.training import scheme_of
from spanrs.errors import as_integer
from spanrs.io.sources import Source, open_source
from spanrs.io.training import is_corpus, tagged

#: The name of a lexicon in a template.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class _Lexicon:
    """Base class of lexicons: immutable, compared by content, and pickled as bytes."""

    __slots__ = ("_core",)
    _core: CrfLexicon

    @classmethod
    def _of(cls, core: CrfLexicon) -> Self:
        lexicon = cls.__new__(cls)
        object.__setattr__(lexicon, "_core", core)
        return lexicon

    @classmethod
    def _from_bytes(cls, data: bytes) -> Self:
        return cls._of(CrfLexicon.from_bytes(data))

    @property
    def ignore_case(self) -> bool:
        """Whether upper and lower case are the same."""
        return self._core.ignore_case()

    def __len__(self) -> int:
        return len(self._core)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return len(self) == len(other) and self._core.to_bytes() == other._core.to_bytes()

    def __hash__(self) -> int:
        return hash((type(self).__name__, len(self)))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_bytes, (self._core.to_bytes(),)


class Gazetteer(_Lexicon):
    """A list of phrases for the macro ``%in[offset,column,name]`` of templates.

    From left to right, the longest phrase that begins at a token is taken; matches do not overlap. The macro has the
    value ``S`` for a phrase of one token, ``B``, ``I`` and ``E`` for the first, inner and last tokens of a longer one,
    and ``O`` for other tokens. If the phrase has types, they follow in alphabetical order: ``B-LOC``, ``S-LOC|PER``.

    Parameters
    ----------
    phrases : iterable of str or of sequences of str, or dict of str to such iterables
        A string is divided into tokens at spaces; the tokens must be those of the sentences. A dict has the phrases of
        each type.
    ignore_case : bool
        Ignore case in matching.

    Raises
    ------
    spanrs.errors.ModelError
        If there are no phrases, or a phrase has no tokens.

    Examples
    --------
    >>> from spanrs.crf import Gazetteer
    >>> cities = Gazetteer(["New York", "Rio"])
    >>> len(cities), "New York" in cities, ["new", "york"] in cities
    (2, True, False)
    >>> list(Gazetteer({"PER": ["Ada Lovelace"], "LOC": ["Rio"]}))
    [('Ada Lovelace', 'PER'), ('Rio', 'LOC')]
    """

    __slots__ = ()

    def __init__(
        self,
        phrases: Iterable[str | Sequence[str]] | Mapping[str, Iterable[str | Sequence[str]]],
        *,
        ignore_case: bool = False,
    ) -> None:
        if isinstance(phrases, str):
            raise TypeError(
                f"phrases must be a collection of strings, not a string; Gazetteer.read({phrases!r}) reads a file"
            )
        pairs: list[tuple[list[str], str | None]]
        if isinstance(phrases, Mapping):
            for kind, group in phrases.items():
                if isinstance(group, str):
                    raise TypeError(
                        f"the phrases of {kind} must be a collection of strings, not the string {group!r}; a dict has "
                        "types as keys and lists of phrases as values"
                    )
            pairs = [(_tokens(phrase), kind) for kind, own in phrases.items() for phrase in own]
        else:
            pairs = [(_tokens(phrase), None) for phrase in phrases]
        object.__setattr__(self, "_core", CrfLexicon.gazetteer(pairs, ignore_case))

    @classmethod
    def read(cls, source: Source, *, ignore_case: bool = False) -> Self:
        r"""Read a file with a phrase on each line, as tokens separated by spaces.

        A line can also be a type, a tab and a phrase, if all lines are. The file is UTF-8 and may be compressed. Blank
        lines are ignored; there are no comments, because ``#`` begins tokens of many texts.

        Parameters
        ----------
        source : path or binary file object
            The file.
        ignore_case : bool
            Ignore case in matching.

        Raises
        ------
        spanrs.errors.FormatError
            If the file is not UTF-8 (code ``encoding``), has no phrases, or has lines of different kinds.

        Examples
        --------
        >>> import io
        >>> from spanrs.crf import Gazetteer
        >>> list(Gazetteer.read(io.BytesIO(b"PER\tAda Lovelace\nLOC\tRio\n")))
        [('Ada Lovelace', 'PER'), ('Rio', 'LOC')]
        """
        return cls._of(CrfLexicon.read_gazetteer(open_source(source), ignore_case))

    @classmethod
    def of(
        cls,
        X: Any,
        y: Iterable[Sequence[str]] | None = None,
        *,
        types: Iterable[str] | None = None,
        typed: bool = True,
        min_count: int = 1,
        leave_one_out: bool = True,
        ignore_case: bool = False,
    ) -> Self:
        """Make a gazetteer of the names in tagged sentences.

        A gazetteer of the training names matches every name of the training data, but few names of new text, so
        training would rely on it too much. Therefore, a name by default does not match in a sentence that is the only
        one with this name: training sees the gazetteer of the other sentences. ``min_count`` is the cruder remedy.

        Parameters
        ----------
        X : iterable of sequences, or a corpus
            Tokens: strings, or tuples of strings, of which the first is taken. A corpus, or any source of
            :func:`spanrs.read`, also contains the tags.
        y : iterable of sequences, optional
            The tags of the tokens; the scheme is detected.
        types : iterable of str, optional
            Types of the names; None for all types.
        typed : bool
            Keep the types, so that the macro has values such as ``B-PER``.
        min_count : int
            Minimum number of different sentences with the name.
        leave_one_out : bool
            Do not match a name in the only sentence with this name, which is recognised by a hash of its tokens.
        ignore_case : bool
            Ignore case in matching.

        Raises
        ------
        ValueError
            If the labels are not tags with types, or no name has one of the types.
        spanrs.errors.ModelError
            If no name is frequent enough.

        Examples
        --------
        >>> from spanrs.crf import Gazetteer
        >>> sentences = [["in", "Rio"], ["to", "Rio"], ["Ada", "sings"]]
        >>> tags = [["O", "B-LOC"], ["O", "B-LOC"], ["B-PER", "O"]]
        >>> list(Gazetteer.of(sentences, tags))
        [('Ada', 'PER'), ('Rio', 'LOC')]
        >>> list(Gazetteer.of(sentences, tags, min_count=2, typed=False))
        [('Rio', None)]
        """
        if is_corpus(X):
            if y is not None:
                raise TypeError("a corpus contains tags; omit y, or pass the tokens of its sentences as X")
            X, y = tagged(X)
        elif y is None:
            raise TypeError("y is missing; pass the tags of the sentences, or a corpus or path as X")
        X, sequences = _as_sequence(X), [list(tags) for tags in y]
        if len(X) != len(sequences):
            raise ValueError(f"X has {len(X)} sequences, but y {len(sequences)}")
        names = _names(
            sequences, None if types is None else {types} if isinstance(types, str) else set(types)
        )
        core = CrfLexicon.gazetteer_of(
            X, names, typed, as_integer(min_count, "min_count", 1), leave_one_out, ignore_case
        )
        return cls._of(core)

    def __iter__(self) -> Iterator[tuple[str, str | None]]:
        """Iterate over pairs of a phrase, its tokens joined by spaces, and its type."""
        return iter([(" ".join(tokens), kind) for tokens, kind in self._core.phrases()])

    def __contains__(self, phrase: object) -> bool:
        return isinstance(phrase, (str, list, tuple)) and self._core.contains(_tokens(phrase))

    def __repr__(self) -> str:
        options = (", ignoring case" if self.ignore_case else "") + (
            ", leaving one out" if self._core.leaves_one_out() else ""
        )
        return f"<Gazetteer: {_counted(len(self), 'phrase')}{options}>"


class Clusters(_Lexicon):
    """The clusters of words for the macro ``%cluster[offset,column,name]`` of templates.

    The macro has the cluster of the token as its value; the line yields no attribute if the token has none.
    ``%cluster[offset,column,name,n]`` is the first ``n`` characters of the cluster: the clusters of Brown et al. (1992)
    are bit strings, and words with a common prefix are similar.

    Parameters
    ----------
    words : dict of str to str
        The cluster of each word.
    ignore_case : bool
        Ignore case in lookups.

    Raises
    ------
    spanrs.errors.ModelError
        If there are no words, or two spellings of a word have different clusters although case is ignored.

    Examples
    --------
    >>> from spanrs.crf import Clusters
    >>> clusters = Clusters({"London": "0110", "Paris": "0111", "the": "10"})
    >>> len(clusters), clusters["London"], clusters.get("Rio")
    (3, '0110', None)
    """

    __slots__ = ()

    def __init__(self, words: Mapping[str, str], *, ignore_case: bool = False) -> None:
        if not isinstance(words, Mapping):
            raise TypeError(f"words must be a dict from words to clusters, not {type(words).__name__}")
        pairs = [
            (
                word,
                cluster if isinstance(cluster, str) else str(as_integer(cluster, f"cluster of {word!r}")),
            )
            for word, cluster in words.items()
        ]
        object.__setattr__(self, "_core", CrfLexicon.clusters(pairs, ignore_case))

    @classmethod
    def read(
        cls,
        source: Source,
        *,
        word_column: str | None = None,
        ignore_case: bool = False,
    ) -> Self:
        r"""Read a file of clusters, with a word on each line.

        The layouts are those of wcluster (``paths``: bits, word, frequency), and of word2vec, mkcls and others (word,
        cluster). Fields are separated by tabs or, if the first line has no tab, by spaces. The file is UTF-8 and may be
        compressed.

        Parameters
        ----------
        source : path or binary file object
            The file.
        word_column : str, optional
            ``first`` or ``second``: the field with the word; the other one of the two is the cluster. None recognises
            the two layouts above.
        ignore_case : bool
            Ignore case in lookups.

        Raises
        ------
        spanrs.errors.FormatError
            If the file is not UTF-8 (code ``encoding``), the layout is not clear, or a word has two clusters; a word
            may be repeated with the same cluster.

        Examples
        --------
        >>> import io
        >>> from spanrs.crf import Clusters
        >>> Clusters.read(io.BytesIO(b"0110\tLondon\t7\n10\tthe\t99\n"))["London"]
        '0110'
        """
        return cls._of(CrfLexicon.read_clusters(open_source(source), word_column, ignore_case))

    @classmethod
    def train(
        cls,
        X: Any,
        n_clusters: int = 200,
        *,
        min_count: int = 2,
        ignore_case: bool = False,
    ) -> Self:
        """Cluster the words of sentences by the words beside them (Brown et al. 1992).

        The text needs no tags; the more text, the better the clusters. Nothing is random. Time is at most proportional
        to the number of words, times the square of ``n_clusters``.

        Parameters
        ----------
        X : iterable of sequences, or a corpus
            Tokens: strings, or tuples of strings, of which the first is taken. A corpus, or any source of
            :func:`spanrs.read`, is accepted too.
        n_clusters : int
            Number of clusters, at most 4096; fewer if there are fewer words.
        min_count : int
            Minimum frequency of a word; less frequent words get no cluster, because one occurrence says little.
        ignore_case : bool
            Ignore case.

        Notes
        -----
        The algorithm is that of Liang (2005), "Semi-supervised learning for natural language".

        Examples
        --------
        >>> from spanrs.crf import Clusters
        >>> text = ["the cat eats", "the dog eats", "a cat sleeps", "a dog sleeps"]
        >>> clusters = Clusters.train([sentence.split() for sentence in text], 3)
        >>> clusters["cat"] == clusters["dog"], clusters["cat"] == clusters["the"]
        (True, False)
        """
        if is_corpus(X):
            X = _tokens_of_corpus(X)
        core = CrfLexicon.train_clusters(
            X,
            as_integer(n_clusters, "n_clusters", 1, 4096),
            as_integer(min_count, "min_count", 1),
            ignore_case,
        )
        return cls._of(core)

    def get(self, word: str) -> str | None:
        """Return the cluster of a word; None if it has none."""
        return self._core.cluster(word)

    def items(self) -> list[tuple[str, str]]:
        """Return pairs of a word and its cluster."""
        return self._core.words()

    def __getitem__(self, word: str) -> str:
        cluster = self._core.cluster(word)
        if cluster is None:
            raise KeyError(word)
        return cluster

    def __iter__(self) -> Iterator[str]:
        return iter([word for word, _ in self._core.words()])

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._core.cluster(word) is not None

    def __repr__(self) -> str:
        distinct = len({cluster for _, cluster in self._core.words()})
        options = ", ignoring case" if self.ignore_case else ""
        return f"<Clusters: {_counted(len(self), 'word')} in {_counted(distinct, 'cluster')}{options}>"


#: A lexicon, or a file whose kind follows from the macro that uses the lexicon.
LexiconLike: TypeAlias = Gazetteer | Clusters | str | PathLike[str]

_CLASSES: Mapping[str, type[Gazetteer] | type[Clusters]] = {"gazetteer": Gazetteer, "clusters": Clusters}


def check_lexicons(lexicons: object) -> None:
    """Check the type of the parameter ``lexicons``.

    Raises
    ------
    TypeError, ValueError
        If it is not a dict, or a name or a value is not valid.
    """
    if lexicons is None:
        return
    if not isinstance(lexicons, Mapping):
        raise TypeError(f"lexicons must be a dict of names to lexicons, not {type(lexicons).__name__}")
    for name, lexicon in lexicons.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError(
                f"lexicons: the name {name!r} must be a letter or _, then letters, digits, _ or -, all ASCII"
            )
        if not isinstance(lexicon, (Gazetteer, Clusters, str, PathLike)):
            raise TypeError(
                f"lexicons: {name} must be a Gazetteer, Clusters or a path, not {type(lexicon).__name__}"
            )


def bind_lexicons(
    text: str | None, lexicons: Mapping[str, LexiconLike] | None
) -> tuple[str | None, list[tuple[str, CrfLexicon]]]:
    """Return the text of a template, and its lexicons for the compiled module; files are read.

    A built-in template gets lines for the lexicons.

    Raises
    ------
    ValueError
        If the template uses a lexicon that is missing, or does not use one of the lexicons.
    spanrs.errors.FormatError
        If the template or the file of a lexicon is not valid.
    """
    lexicons = lexicons or {}
    if text is None:
        if lexicons:
            raise ValueError("lexicons need a template; pass template=, such as 'ner'")
        return None, []
    kinds = dict(_spanrs.crf_template_lexicons(text))
    for name, kind in kinds.items():
        if name not in lexicons:
            example = f"lexicons={{{name!r}: spanrs.crf.{_CLASSES[kind].__name__}.read(...)}}"
            raise ValueError(f"the template uses the lexicon {name}; pass {example}")
    is_built_in = template_name(text) in templates()
    for name in lexicons:
        if name not in kinds:
            text += _lines_for(name, lexicons[name], text, is_built_in=is_built_in)
    return text, [(name, _core_of(lexicon, kinds.get(name, ""))) for name, lexicon in lexicons.items()]


def _core_of(lexicon: LexiconLike, kind: str) -> CrfLexicon:
    """Return a lexicon, or read its file."""
    return (lexicon if isinstance(lexicon, (Gazetteer, Clusters)) else _CLASSES[kind].read(lexicon))._core


def _lines_for(name: str, lexicon: LexiconLike, text: str, *, is_built_in: bool) -> str:
    """Return the lines for a lexicon that a template does not use."""
    if not isinstance(lexicon, (Gazetteer, Clusters)):
        raise ValueError(
            f"the template does not use the lexicon {name}, so it is not clear what {fspath(lexicon)} contains; pass "
            "spanrs.crf.Gazetteer.read(...) or spanrs.crf.Clusters.read(...)"
        )
    lines = lexicon_lines(name, lexicon)
    if not is_built_in:
        raise ValueError(
            f"the template does not use the lexicon {name}; add lines such as {lines.splitlines()[0]}"
        )
    return lines if text.endswith("\n") else f"\n{lines}"


def lexicon_lines(name: str, lexicon: Gazetteer | Clusters) -> str:
    """Return the lines that a built-in template gets for a lexicon."""
    if isinstance(lexicon, Gazetteer):
        return "".join(f"U:{name}[{at}]=%in[{at},0,{name}]\n" for at in (-1, 0, 1))
    lengths = (4, 6, 10) if lexicon._core.has_bits() else ()
    lines = [f"U:{name}[{at}]=%cluster[{at},0,{name}]\n" for at in (-1, 0, 1)]
    lines += [f"U:{name}{n}[{at}]=%cluster[{at},0,{name},{n}]\n" for n in lengths for at in (-1, 0, 1)]
    return "".join(lines)


def lexicons_of(model: CrfModel) -> dict[str, Gazetteer | Clusters]:
    """Return the lexicons of a model by name."""
    return {name: _CLASSES[core.kind()]._of(core) for name, core in model.lexicons()}


def _tokens(phrase: object) -> list[str]:
    if isinstance(phrase, str):
        # Other white space, such as no-break spaces, may be part of a token.
        return [token for token in phrase.replace("\t", " ").split(" ") if token]
    tokens = list(phrase) if isinstance(phrase, (list, tuple)) else None
    if tokens is None or not all(isinstance(token, str) for token in tokens):
        raise TypeError(f"a phrase must be a string, or a list of tokens, not {phrase!r}")
    return tokens


def _as_sequence(X: Any) -> Any:
    """Return sentences that can be counted and iterated twice."""
    return X if hasattr(X, "__len__") and hasattr(X, "__getitem__") else list(X)


def _tokens_of_corpus(source: Any) -> list[list[str]]:
    from spanrs.io.corpus import Corpus
    from spanrs.io.reader import read

    corpus = source if isinstance(source, Corpus) else read(source)
    return [list(sentence.tokens) for sentence in corpus if sentence.tokens is not None]


def _names(y: list[list[str]], types: set[str] | None) -> list[tuple[int, int, int, str]]:
    """Return sentence, first token, end and type of each name."""
    from spanrs.tags import tags_to_spans

    labels = list(dict.fromkeys(label for tags in y for label in tags))
    scheme = scheme_of(labels, y)
    if scheme is None:
        shown = ", ".join(map(str, labels[:10]))
        raise ValueError(f"y must be tags such as B-PER, not {shown or 'nothing'}")
    spans = tags_to_spans(y, scheme)
    names = [(at, span.start, span.end, span.type or "") for at, own in enumerate(spans) for span in own]
    if types is not None:
        known = {name[3] for name in names}
        if unknown := sorted(types - known):
            raise ValueError(
                f"types: no name has the type {', '.join(unknown)}; the types are {', '.join(sorted(known))}"
            )
        names = [name for name in names if name[3] in types]
    return names


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
