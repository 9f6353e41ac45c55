"""Sentences with tags and trees."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanrs import _spanrs
from spanrs.dep.drawing import draw, to_svg
from spanrs.errors import escaped
from spanrs.io.sources import Source, check_source

if TYPE_CHECKING:
    import numpy.typing as npt


#: Attributes of a parse with a text for each word.
_COLUMNS = ("labels", "xpos", "upos", "feats", "lemmas")


class Token(NamedTuple):
    """A token of a text, which consists of one or several words."""

    text: str
    """The characters of the token."""
    start: int
    """Index of the first character in the text, from 0."""
    end: int
    """Index after the last character."""
    words: range
    """Indices of its words in the sentence, from 0; more than one for a multiword token."""
    space_after: bool
    """Whether white space or the end of the text follows."""


@dataclass(frozen=True, eq=False)
class Parse:
    """A sentence with its tags and its dependency tree.

    Parameters
    ----------
    words : sequence of str
        The forms.
    heads : array of int, shape (words,)
        The head of each word: the number of a word, from 1, or 0 for the root. Empty if there is no tree.
    labels : sequence of str
        The label of the arc to each head; empty for an unlabelled tree.
    xpos, upos : sequence of str
        The tags of the treebank and the universal tags; empty if unknown.
    feats : sequence of str
        The morphological features of each word, such as ``Case=Nom|Number=Sing``, ``_`` for a word without features;
        empty if unknown.
    lemmas : sequence of str
        The lemmas; empty if unknown.
    tokens : sequence of Token
        The tokens of a sentence that was found in a text; empty for a sentence that was given as words.

    Raises
    ------
    ValueError
        If lengths differ, or a head is outside of the sentence.

    Examples
    --------
    >>> from spanrs.dep import Parse
    >>> parse = Parse(["They", "ate"], [2, 0], ["nsubj", "root"])
    >>> parse.arcs
    [(2, 'nsubj', 1), (0, 'root', 2)]
    >>> parse.to_conllu().splitlines()[0].split()
    ['1', 'They', '_', '_', '_', '_', '2', 'nsubj', '_', '_']
    """

    words: Sequence[str]
    heads: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    labels: Sequence[str] = ()
    xpos: Sequence[str] = ()
    upos: Sequence[str] = ()
    feats: Sequence[str] = ()
    lemmas: Sequence[str] = ()
    tokens: Sequence[Token] = ()

    def __post_init__(self) -> None:
        if isinstance(self.words, str):
            raise TypeError(f"words is a str; pass a list of words, such as {self.words.split()[:3]!r}")
        object.__setattr__(self, "words", tuple(self.words))
        heads = np.asarray(self.heads if len(self.heads) else np.zeros(0, np.int32))
        if heads.dtype.kind not in "iu":
            raise ValueError(f"heads must be integers, not {heads.dtype}")
        object.__setattr__(self, "heads", heads)
        object.__setattr__(self, "tokens", tuple(self.tokens))
        for name in ("heads", *_COLUMNS):
            given = getattr(self, name)
            if name != "heads":
                given = tuple(given)
                object.__setattr__(self, name, given)
            if len(given) not in (0, len(self.words)):
                raise ValueError(f"{len(given)} {name} for {len(self.words)} words")
        outside = (self.heads < 0) | (self.heads > len(self.words))
        if outside.any():
            at = int(outside.argmax())
            raise ValueError(
                f"word {at + 1} has head {self.heads[at]}; heads are words from 1 to {len(self.words)}, "
                "or 0 for the root"
            )
        object.__setattr__(self, "heads", self.heads.astype(np.int32, copy=False))

    def __len__(self) -> int:
        return len(self.words)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parse):
            return NotImplemented
        same = all(getattr(self, name) == getattr(other, name) for name in ("words", "tokens", *_COLUMNS))
        return same and np.array_equal(self.heads, other.heads)

    __hash__ = None  # type: ignore[assignment]

    @property
    def arcs(self) -> list[tuple[int, str, int]]:
        """The arcs as (head, label, dependent), by dependent; words from 1, 0 for the root."""
        labels = self.labels or ("",) * len(self)
        return [
            (int(head), label, at)
            for at, (head, label) in enumerate(zip(self.heads, labels, strict=False), 1)
        ]

    def to_conllu(self) -> str:
        """Return the sentence in CoNLL-U, followed by an empty line.

        The text and the multiword tokens are written if the parse has tokens.

        Raises
        ------
        ValueError
            If a word, tag or label contains a tab or line end, or a word is empty, which CoNLL-U does not allow.
        """
        for text in (*self.words, *(text for name in _COLUMNS for text in getattr(self, name))):
            if "\t" in text or "\n" in text or "\r" in text:
                raise ValueError(f"{text!r} contains a tab or line end, which CoNLL-U does not allow")
        if "" in self.words:
            raise ValueError(f"word {self.words.index('') + 1} is empty; use _ in CoNLL-U")

        def column(name: str) -> Sequence[object]:
            values = getattr(self, name)
            return [value if value != "" else "_" for value in values] if len(values) else ["_"] * len(self)

        names = ("words", "lemmas", "upos", "xpos", "feats", "heads", "labels")
        before, misc = self._token_lines()
        lines = [
            before.get(at, "") + "\t".join(map(str, (at + 1, *fields, "_", misc.get(at, "_")))) + "\n"
            for at, fields in enumerate(zip(*map(column, names), strict=True))
        ]
        return "".join([*lines, "\n"])

    def _token_lines(self) -> tuple[dict[int, str], dict[int, str]]:
        """Return the lines before words and MISC of words, by the index of the word."""
        before: dict[int, str] = {}
        misc: dict[int, str] = {}
        for token in self.tokens:
            first, spacing = token.words.start, "_" if token.space_after else "SpaceAfter=No"
            if len(token.words) == 1:
                misc[first] = spacing
            else:
                ids = f"{first + 1}-{token.words.stop}"
                before[first] = f"{ids}\t{' '.join(token.text.split())}" + "\t_" * 7 + f"\t{spacing}\n"
        if self.tokens:
            before[0] = f"# text = {self.text}\n" + before.get(0, "")
        return before, misc

    @property
    def text(self) -> str:
        """The text of the sentence: tokens with a space where white space separates them, or the words with spaces."""
        if not self.tokens:
            return " ".join(self.words)
        parts = [" ".join(token.text.split()) + " " * token.space_after for token in self.tokens]
        return "".join(parts).rstrip()

    def __str__(self) -> str:
        return draw(self) if len(self.heads) else escaped(self.text)

    def _repr_svg_(self) -> str:
        return to_svg(self)


def read_conllu(source: Source, *, format: str | None = None) -> list[Parse]:  # noqa: A002  # name of the option
    """Read sentences with their trees; ``heads`` are empty if no word of the file has a head.

    Parameters
    ----------
    source : path or binary file object
        CoNLL-U or CoNLL-X, or the four columns of parser.py; plain, gzip or zstd.
    format : str, optional
        ``conllu``, ``four-columns``, ``word-tag`` or ``tokens``; detected if not given. The last two have no trees.

    Raises
    ------
    spanrs.errors.FormatError
        If a line is malformed, or heads are not a tree; the error contains the line.
    OSError
        If the file cannot be read.

    Notes
    -----
    Comments, multiword tokens and empty nodes are skipped; ``spanrs dep parse`` keeps them.
    """
    check_source(source)
    file = _spanrs.SyntaxFile(source, format)
    treebank = _spanrs.Treebank()
    has_trees = treebank.read(file, "many", True)
    return [
        Parse(
            words,
            np.array(heads if has_trees else [], np.int32),
            known(labels),
            known(xpos),
            known(upos),
            [value or "_" for value in known(feats)],
            [lemma or "_" for lemma in known(lemmas)],
        )
        for words, xpos, upos, heads, labels, feats, lemmas in treebank.sentences()
    ]


def parse_conllu(text: str) -> list[Parse]:
    """Read sentences from a string in CoNLL-U.

    Examples
    --------
    >>> from spanrs.dep import Parse, parse_conllu
    >>> parse = Parse(["They", "ate"], [2, 0], ["nsubj", "root"], xpos=["PRP", "VBD"])
    >>> parse_conllu(parse.to_conllu()) == [parse]
    True
    """
    return read_conllu(io.BytesIO(text.encode()), format="conllu")


def known(values: list[str]) -> list[str]:
    """Return the values, or an empty list if all are empty."""
    return values if any(values) else []
