"""A sentence of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spanrs.tags.spans import tags_to_spans
from spanrs.tags.types import Dialect, Span

#: Name of the only layer of a corpus without layer names.
LAYER = "tags"


class Sentence:
    r"""Tokens with layers of tags or spans. Iterating over a :class:`spanrs.Corpus` yields sentences.

    Parameters
    ----------
    tokens : sequence of str, optional
        The tokens; None for files that contain only tags or spans.
    tags : mapping of str to sequence of str, optional
        A tag for each token, by layer. A single layer of a column file is called ``tags``; the layers of a file with
        both sides are called ``gold`` and ``pred``; other layers have the name or index of the column, or the name of
        the annotator.
    spans : mapping of str to sequence of Span, optional
        Spans by layer, for sources without tags. Token indices start at 0, and ends are exclusive.
    scheme, reading, dialect
        How tags are converted to spans, as for :func:`spanrs.tags.tags_to_spans`.
    document : str, optional
        The key of the document.
    id : str, optional
        The name of the sentence, from the sentence column of a table in long form.
    path : str, optional
        The path of the file.
    line : int, optional
        The line of the first token, from 1; for tables the row, from 0.

    Examples
    --------
    >>> import io, spanrs
    >>> [sentence] = spanrs.read(io.BytesIO(b"EU B-ORG\nrejects O\n"))
    >>> sentence.tokens, sentence.tags["tags"], sentence.spans["tags"]
    (['EU', 'rejects'], ['B-ORG', 'O'], [Span(type='ORG', start=0, end=1, tokens=None)])
    """

    __slots__ = (
        "_dialect",
        "_reading",
        "_scheme",
        "_spans",
        "document",
        "id",
        "line",
        "path",
        "tags",
        "tokens",
    )

    def __init__(
        self,
        tokens: Sequence[str] | None,
        tags: Mapping[str, Sequence[str]] | None = None,
        spans: Mapping[str, Sequence[Span]] | None = None,
        *,
        scheme: str = "BIO",
        reading: str = "conlleval",
        dialect: Dialect = Dialect(),
        document: str | None = None,
        id: str | None = None,  # noqa: A002 - as in Document
        path: str | None = None,
        line: int | None = None,
    ) -> None:
        self.tokens = tokens
        self.tags: Mapping[str, Sequence[str]] = {} if tags is None else tags
        self._spans = spans
        self._scheme, self._reading, self._dialect = scheme, reading, dialect
        self.document, self.id = document, id
        self.path, self.line = path, line

    @property
    def spans(self) -> Mapping[str, Sequence[Span]]:
        """The spans by layer.

        Raises
        ------
        spanrs.errors.SchemeError
            If tags are malformed and the reading is ``refuse``.
        """
        if self._spans is None:
            self._spans = {
                layer: tags_to_spans(list(tags), self._scheme, self._reading, dialect=self._dialect)
                for layer, tags in self.tags.items()
            }
        return self._spans

    @property
    def layers(self) -> list[str]:
        """The names of the layers."""
        return list(self.tags or self.spans)

    def __len__(self) -> int:
        if self.tokens is not None:
            return len(self.tokens)
        if self.tags:
            return len(next(iter(self.tags.values())))
        raise TypeError("the file contains spans without tokens, so the length of the sentence is unknown")

    def __bool__(self) -> bool:
        """Return whether the sentence has tokens; True if the number of tokens is unknown."""
        return (self.tokens is None and not self.tags) or len(self) > 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self._values() == other._values()

    __hash__ = None  # type: ignore[assignment]  # as for lists

    def _values(self) -> tuple[Any, ...]:
        tags = {layer: list(values) for layer, values in self.tags.items()}
        spans = {} if tags else {layer: list(values) for layer, values in self.spans.items()}
        return (None if self.tokens is None else list(self.tokens)), tags, spans, self.document

    def __repr__(self) -> str:
        shown = f"tags={dict(self.tags)!r}" if self.tags else f"spans={dict(self.spans)!r}"
        return f"Sentence({self.tokens!r}, {shown})"
