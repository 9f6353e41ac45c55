"""Corpora: re-iterable sequences of documents and sentences from any source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from spanrs import _spanrs
from spanrs.errors import AlignmentError, SchemeError, warn, with_code
from spanrs.io.document import Document
from spanrs.io.documents import core_documents, counted_documents, plain_documents
from spanrs.io.losses import Losses
from spanrs.io.options import ReadOptions
from spanrs.io.parts import TAGGED, Part
from spanrs.io.sentence import LAYER, Sentence
from spanrs.io.sentences import columns_of, is_long, sentences_of
from spanrs.io.texts import sentences_of_document
from spanrs.tags.types import is_auto

#: Number of sentences per batch.
CHUNK = 10_000


@dataclass(frozen=True)
class Corpus:
    r"""Labelled text from files, tables or documents in memory. Returned by :func:`spanrs.read`.

    A corpus does not store the data; each iteration reads the sources again. Corpora of files can be pickled; another
    process reads the files from the same paths.

    Attributes
    ----------
    parts : tuple of Part
        The files, streams and tables, in order; the files of a directory are sorted by name.
    options : ReadOptions
        The reading options.

    Examples
    --------
    >>> import pathlib, tempfile, spanrs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.conll")
    ...     _ = path.write_text("EU B-ORG\nrejects O\n\nRio B-LOC\n", encoding="utf-8")
    ...     corpus = spanrs.read(path)
    ...     [sentence.tokens for sentence in corpus], corpus.scheme
    ([['EU', 'rejects'], ['Rio']], 'BIO')
    """

    parts: tuple[Part, ...]
    options: ReadOptions

    def __iter__(self) -> Iterator[Sentence]:
        """Yield the sentences.

        Text without sentence boundaries is split at line breaks. The tokens are taken from the file, if the file
        contains tokens; otherwise the tokenizer in the options splits the text.

        Raises
        ------
        OSError, spanrs.errors.SpanrsError
            If a source cannot be read.
        """
        scheme = self.scheme if self.has_tags else "BIO"
        make: Callable[..., Sentence] = partial(
            Sentence, scheme=scheme, reading=self.options.reading, dialect=self.options.dialect
        )
        for part in self.parts:
            if part.kind == "documents":
                losses = Losses()
                for document in self._documents_of(part):
                    yield from sentences_of_document(document, self.options.tokenizer, part.path, losses)
                warn(f"{part.shown}: {message}" for message in losses.messages())
            else:
                yield from sentences_of(part, self.options, make)

    @property
    def documents(self) -> Iterator[Document]:
        """Iterator over the documents: texts with annotations at character offsets.

        Tokens of column files and tables are joined by a space, sentences by a line feed; the tokens are annotations of
        type ``lex``.
        """
        corpus = self.decided() if self.has_tags else self
        for part in self.parts:
            yield from corpus._documents_of(part)

    def _documents_of(self, part: Part) -> Iterator[Document]:
        losses: list[str] = []
        yield from plain_documents(self.core_documents(part, drop_root=True), part, losses)
        warn(losses)

    def core_documents(self, part: Part, *, drop_root: bool = False) -> Iterator[_spanrs.Document]:
        """Yield the documents of a part as objects of the compiled module."""
        return core_documents(part, self._decided(part), drop_root=drop_root)

    def layered_documents(
        self, part: Part, not_read: list[str] | None = None, *, unannotated: bool = False
    ) -> Iterator[_spanrs.Document]:
        """Yield the documents of a part with all their layers, unless the options select a layer; then warn.

        Warnings are about items that could not be read; they are appended to ``not_read`` if it is given. With
        ``unannotated``, tasks of Label Studio without annotations are documents without layers.
        """
        losses: list[str] = []
        documents = core_documents(
            part, self._decided(part), all_layers=True, drop_root=True, unannotated=unannotated
        )
        yield from counted_documents(documents, part, losses)
        if not_read is None:
            warn(losses)
        else:
            not_read += losses

    def _decided(self, part: Part) -> ReadOptions:
        """Return the options with the detected scheme, for parts with tags."""
        scheme = self.scheme if part.kind in TAGGED else self.options.scheme
        return replace(self.options, scheme=scheme)

    @property
    def has_tags(self) -> bool:
        """Whether the corpus has tags in a scheme, as opposed to spans."""
        return any(part.kind in TAGGED for part in self.parts)

    @property
    def scheme(self) -> str:
        """The scheme of the tags; with ``scheme="auto"``, the tags are read to detect the scheme.

        One scheme is detected for all layers and files: the scheme with the fewest violations. If all tags are ``O``,
        the scheme is BIO.

        Raises
        ------
        OSError, spanrs.errors.SpanrsError
            If a file cannot be read, or most tags follow no scheme.
        """
        return self.likely_scheme(None)

    def likely_scheme(self, expected: str | None, layer: str | None = None) -> str:
        """Return the scheme of the tags or of one layer; ``expected`` unless the tags clearly follow another scheme."""
        if not is_auto(self.options.scheme):
            return _spanrs.scheme_name(self.options.scheme)
        evidence = _spanrs.SchemeEvidence(self.options.dialect)
        for part in self.parts:
            self._add_evidence(evidence, part, layer)
        if not evidence.labelled:
            return expected or "BIO"
        try:
            return evidence.decide(expected)[0]
        except SchemeError as error:
            # The detector does not know the name of the file.
            shown, path = self.parts[0].shown, self.parts[0].path
            raise with_code(SchemeError(f"{shown}: {error}"), error.code, path) from None

    def _add_evidence(self, evidence: _spanrs.SchemeEvidence, part: Part, layer: str | None) -> None:
        if part.kind == "rows":
            for name, tag in columns_of(part, self.options).tags.items():
                if layer in (None, name):
                    evidence.add_file(part.opened(keep=True), self.options.columns(tag), None)
        elif part.kind in TAGGED:
            sentences = sentences_of(part, self.options, Sentence)
            tags = (
                list(layer_tags)
                for sentence in sentences
                for name, layer_tags in sentence.tags.items()
                if layer in (None, name)
            )
            while chunk := list(islice(tags, CHUNK)):
                evidence.add_sentences(chunk)

    def decided(self) -> Corpus:
        """Return the corpus with the detected scheme, to avoid detecting the scheme again."""
        return replace(self, options=replace(self.options, scheme=self.scheme))

    @property
    def layers(self) -> list[str]:
        """Return the names of the layers: of tags in the first part, of annotations in all parts."""
        part = self.parts[0]
        if part.kind in TAGGED and part.format != "csv":
            return list(columns_of(part, self.options).tags)
        if part.kind == "documents":
            from spanrs.io.documents import layer_names

            named = [layer_names(part, self.options) for part in self.parts if part.kind == "documents"]
            names = dict.fromkeys(name for layers in named for name in layers)
            return [name for name in names if name != LAYER] or [LAYER]
        first = next(iter(self), None)
        return [LAYER] if first is None else first.layers

    def __getitem__(self, layer: str) -> Corpus:
        """Return the corpus restricted to one layer: a column of tags, an annotator, or a span group.

        Raises
        ------
        KeyError
            If there is no such layer; the message lists the layers.
        """
        part = self.parts[0]
        layers = self.layers
        if layer not in layers:
            raise KeyError(f"there is no layer {layer!r}; the layers are {', '.join(layers) or 'unnamed'}")
        if part.kind == "documents":
            return self.of_layer(layer)
        if layers == [LAYER]:
            return self
        column: Any = layer
        if part.kind == "rows" or not is_long(part, self.options):
            column = columns_of(part, self.options).tags[layer]
        return replace(self, options=replace(self.options, tags=column, gold=None, pred=None))

    def of_layer(self, name: str) -> Corpus:
        """Return the corpus restricted to an annotator, an annotation set or a span group, without reading it."""
        from spanrs.io.documents import LAYERED

        option = "layer" if self.parts[0].format in LAYERED else "annotator"
        return replace(self, options=self.options.with_layer(option, name))

    @property
    def size(self) -> int:
        """Total size of the files, in bytes."""
        return sum(part.size() for part in self.parts)

    def require_one(self, what: str) -> Part:
        """Return the only part of the corpus.

        Raises
        ------
        spanrs.errors.AlignmentError
            If the corpus has several parts.
        """
        if len(self.parts) > 1:
            message = f"{what} accepts one file, not {len(self.parts)}"
            raise with_code(AlignmentError(message), "files", self.parts[1].path)
        return self.parts[0]

    def __repr__(self) -> str:
        names = ", ".join(os.path.basename(part.shown) for part in self.parts[:3])
        more = f" and {len(self.parts) - 3} more" if len(self.parts) > 3 else ""
        formats = "+".join(dict.fromkeys(part.format for part in self.parts))
        return f"Corpus({names}{more}; {formats})"

    def facts(self) -> dict[str, Any]:
        """Return how the sources are interpreted, as plain values: ``parts``, ``layers``, ``scheme``, ``options``.

        Each of ``parts`` has a ``path`` and a ``format``; ``scheme`` is None if there are no tags; ``options`` are the
        options of :func:`spanrs.read` that differ from their defaults.
        """
        return {
            "parts": [{"path": part.shown, "format": part.format} for part in self.parts],
            "layers": self.layers,
            "scheme": self.scheme if self.has_tags else None,
            "options": {name: str(value) for name, value in self.options.given().items()},
        }
