"""A text with annotations."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spanrs import _spanrs

#: Type of the annotations that mark tokens.
TOKEN = "lex"


class Annotation(NamedTuple):
    """A labelled span of characters.

    Attributes
    ----------
    type : str
        The label.
    start, end : int
        First character and one past the last, from 0; characters are code points, as in Python strings.
    attributes : mapping of str to str
        Further attributes, by name. Readers return values as text; writers also accept numbers, booleans, lists and
        dicts.
    pieces : sequence of (int, int)
        Start and end of each fragment of a discontinuous annotation; empty for a contiguous annotation.
    layer : int
        Index into ``Document.layers``; 0 for a document without layers.

    Examples
    --------
    >>> from spanrs.io import Annotation
    >>> Annotation("PERSON", 0, 3).type
    'PERSON'
    """

    type: str
    start: int
    end: int
    attributes: Mapping[str, Any] = {}
    pieces: Sequence[tuple[int, int]] = ()
    layer: int = 0

    @property
    def is_content(self) -> bool:
        """Whether the annotation is content: false for tokens, zones and MAT's administrative annotations."""
        return self.type not in _spanrs.NO_CONTENT


class Layer(NamedTuple):
    """One set of annotations of a text: by one annotator, or an annotation set of GATE, or a span group of spaCy.

    Attributes
    ----------
    name : str or None
        Name of the annotator or set; None if the file does not contain it.
    answer : str
        ``given``; ``empty`` (the text was seen, and nothing in it was annotated); ``skipped`` (also ignored or
        cancelled); ``rejected``.

    Examples
    --------
    >>> from spanrs.io import Layer
    >>> Layer("ann@example.org", "empty").answer
    'empty'
    """

    name: str | None
    answer: str = "given"


class Relation(NamedTuple):
    """A labelled link between two annotations of a document.

    Attributes
    ----------
    type : str
        The label.
    source, target : int
        Indices into ``Document.annotations``.

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
        Annotations in the order of the file. Tokens are annotations of type ``lex``. Tuples ``(type, start, end)`` and
        dicts ``{"type": ..., "start": ..., "end": ...}``, also with ``label`` for ``type``, are converted.
    id : str or None
        The document's id in the file, for formats with several documents per file.
    left_out : sequence of str
        Messages about items that were not read, such as annotations that extend beyond the text.
    relations : sequence of Relation
        Links between annotations, in the order of the file. Tuples ``(type, source, target)`` and dicts are converted.
    name : str or None
        Name for users, such as the name of the original file. Unlike ids, names need not be unique.
    metadata : mapping of str to object
        Further facts about the document, by name: values of JSON.
    layers : sequence of Layer
        The annotators, annotation sets or span groups; empty for formats without them.

    Raises
    ------
    TypeError
        If the text is not a str, or an annotation or relation cannot be converted.

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
    name: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    layers: Sequence[Layer] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"the text of a document must be a str, not {type(self.text).__name__}")
        for name, kind in (("annotations", Annotation), ("relations", Relation)):
            values = getattr(self, name)
            if not all(_is_valid(value, kind) for value in values):
                converted = [_converted(value, kind, at) for at, value in enumerate(values)]
                object.__setattr__(self, name, converted)  # The dataclass is frozen.

    def spans(self, types: Collection[str] | None = None) -> list[tuple[Any, ...]]:
        """Return the annotations as spans for :func:`spanrs.score`, with character offsets instead of token indices.

        Parameters
        ----------
        types : collection of str, optional
            Types to return. By default all types except tokens, zones and MAT's administrative annotations.

        Returns
        -------
        list of (str, int, int) or (str, int, int, list of int)
            Type, first character, one past the last; discontinuous annotations also have the list of characters that
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
        spans: list[tuple[Any, ...]] = []
        for a in self.annotations:
            if a.type in types if types is not None else a.is_content:
                covered = [at for first, last in a.pieces for at in range(first, last)]
                spans.append((a.type, a.start, a.end, covered) if covered else (a.type, a.start, a.end))
        return spans


def _is_valid(value: Any, kind: type[Any]) -> bool:
    """Return whether a value is of the given type and contains a str and two integers."""
    return (
        isinstance(value, kind)
        and isinstance(value[0], str)
        and hasattr(value[1], "__index__")
        and hasattr(value[2], "__index__")
    )


def _converted(value: Any, kind: type[Any], at: int) -> Any:
    """Convert a tuple or a dict to an annotation or a relation.

    Raises
    ------
    TypeError
    """
    item = value
    with contextlib.suppress(TypeError):
        if isinstance(value, Mapping):
            item = kind(**{"type" if name == "label" else name: item for name, item in value.items()})
        elif type(value) in (tuple, list):  # Named tuples such as Span have other fields.
            item = kind(*value)
    if not _is_valid(item, kind):
        name, fields = kind.__name__, ", ".join(kind._fields[:3])
        message = (
            f"{name.lower()} {at} of a document is {value!r}; expected {name}({fields}), or a tuple or dict of these "
            "fields: a str and two integers"
        )
        raise TypeError(message)
    return item
