"""Documents: texts with annotations that point into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


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
