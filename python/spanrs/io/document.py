"""A text with annotations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from spanrs import _spanrs

#: The type of annotations that are tokens.
TOKEN = "lex"


class Annotation(NamedTuple):
    """A labelled stretch of a text.

    Attributes
    ----------
    type : str
        What it is.
    start, end : int
        First character and one past the last, from 0; characters are code points, as in Python's strings.
    attributes : mapping of str to str
        What else is said of it.
    pieces : sequence of (int, int)
        Start and end of each piece of an annotation that is not one stretch; empty for the others.

    Examples
    --------
    >>> from spanrs.io import Annotation
    >>> Annotation("PERSON", 0, 3).type
    'PERSON'
    """

    type: str
    start: int
    end: int
    attributes: Mapping[str, str] = {}
    pieces: Sequence[tuple[int, int]] = ()

    @property
    def is_content(self) -> bool:
        """False for tokens, zones and MAT's administrative annotations."""
        return self.type not in _spanrs.NO_CONTENT


class Relation(NamedTuple):
    """A labelled link between two annotations of a document.

    Attributes
    ----------
    type : str
        What it is.
    source, target : int
        Positions, from 0, of the annotations that it comes from and goes to.

    Examples
    --------
    >>> from spanrs.io import Annotation, Document, Relation
    >>> document = Document(
    ...     "Bob ate fish",
    ...     [Annotation("PER", 0, 3), Annotation("FOOD", 8, 12)],
    ...     relations=[Relation("eats", 0, 1)],
    ... )
    >>> document.annotations[document.relations[0].target].type
    'FOOD'
    """

    type: str
    source: int
    target: int


@dataclass(frozen=True)
class Document:
    """A text with annotations.

    Attributes
    ----------
    text : str
        The text.
    annotations : sequence of Annotation
        In the order of the file. Tokens are annotations of type ``lex``.
    id : str or None
        What its file calls it, where the file holds several documents.
    left_out : sequence of str
        What of the file could not be kept, such as annotations that reach beyond the text.
    relations : sequence of Relation
        Links between annotations, in the order of the file.

    Examples
    --------
    >>> from spanrs.io import Annotation, Document
    >>> document = Document("Bob ate.", [Annotation("PERSON", 0, 3)])
    >>> [document.text[a.start : a.end] for a in document.annotations]
    ['Bob']
    """

    text: str
    annotations: Sequence[Annotation] = ()
    id: str | None = None
    left_out: Sequence[str] = ()
    relations: Sequence[Relation] = ()

    def spans(self, types: Collection[str] | None = None) -> list[tuple[Any, ...]]:
        """Return the annotations as :func:`spanrs.score` takes spans, with characters for tokens.

        Parameters
        ----------
        types : collection of str, optional
            Which types; all but tokens, zones and MAT's own if not given.

        Returns
        -------
        list of (str, int, int) or (str, int, int, list of int)
            Type, first character, one past the last; for annotations of several pieces also all characters
            they cover.

        Examples
        --------
        >>> import spanrs
        >>> from spanrs.io import Annotation, Document
        >>> gold = Document("Bob saw Rome", [Annotation("PER", 0, 3), Annotation("LOC", 8, 12)])
        >>> pred = Document("Bob saw Rome", [Annotation("PER", 0, 7), Annotation("LOC", 8, 12)])
        >>> spanrs.score([gold.spans()], [pred.spans()], matcher="fair").outcomes["bel"]
        1
        """
        found: list[tuple[Any, ...]] = []
        for a in self.annotations:
            if a.type in types if types is not None else a.is_content:
                covered = [at for first, last in a.pieces for at in range(first, last)]
                found.append((a.type, a.start, a.end, covered) if covered else (a.type, a.start, a.end))
        return found
