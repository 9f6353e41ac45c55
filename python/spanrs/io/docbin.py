"""Reads spaCy documents: DocBin files and Docs in memory."""

from __future__ import annotations

import gc
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.errors import FormatError, LimitError, warn, with_code
from spanrs.io.document import TOKEN, Annotation, Document, Layer

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

__all__ = ["read_docbin"]

#: Name of the layer of entities.
ENTITIES = "ents"
#: Name of the span group of overlapping spans without a layer.
UNNAMED = "spans"
#: Selects the entities and all span groups.
ALL = "*"
#: Maximum decompression ratio, and decompressed size in bytes from which the limit applies, as for other formats.
EXPANSION = 100
EXPANSION_FREE = 16 << 20
#: Number of bytes decompressed at once to measure the decompressed size.
CHUNK = 1 << 16


def read_docbin(
    source: str | os.PathLike[str] | _spanrs.Source,
    layer: str | None = None,
    max_expansion: int | None = None,
) -> list[Document]:
    """Read the documents of a ``.spacy`` file.

    Parameters
    ----------
    source : path, or an opened source
        A file written by ``spacy.tokens.DocBin``.
    layer : str, optional
        Name of the layer to read: ``ents`` (``doc.ents``) or a span group (a key of ``doc.spans``). By default the
        entities, with a warning if there are span groups.
    max_expansion : int, optional
        Maximum decompression ratio, by default 100; applies once the output exceeds 16 MiB.

    Returns
    -------
    list of Document
        The documents. Tokens are annotations of type ``lex``, including white-space tokens of spaCy; the annotations
        of the layer follow. A document without the span group has no annotations.

    Raises
    ------
    ImportError
        If spaCy is not installed (``pip install 'spanrs[spacy]'``).
    FormatError
        If spaCy cannot read the file, or no document has the span group.
    LimitError
        If the file has more than 1 GiB or expands too much.

    Examples
    --------
    >>> import tempfile, spacy
    >>> from spacy.tokens import Doc, DocBin
    >>> from spanrs.io.docbin import read_docbin
    >>> doc = Doc(spacy.blank("en").vocab, ["Bob", "ate"], ents=["B-PER", "O"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     DocBin(docs=[doc]).to_disk(folder + "/one.spacy")
    ...     [document] = read_docbin(folder + "/one.spacy")
    >>> [(a.type, a.start, a.end) for a in document.annotations]
    [('lex', 0, 3), ('lex', 4, 7), ('PER', 0, 3)]
    """
    path, docs = _docs(source, max_expansion)
    try:
        groups = _sizes(docs)
        documents = [_document(doc, layer) for doc in docs]
    # spaCy raises exceptions of many types for damaged data.
    except Exception as error:
        raise _damaged(path, error) from error
    _check_layer(path, layer, groups, documents=len(docs))
    return documents


def is_doc(value: object) -> bool:
    """Return whether a value is a spaCy ``Doc``; a ``Span`` also has ``ents``, but not ``spans``."""
    return hasattr(value, "ents") and hasattr(value, "spans")


def read_docs(docs: Sequence[Any], layer: str | None, shown: str) -> list[Document]:
    """Convert spaCy Docs in memory like :func:`read_docbin`; Documents are returned unchanged.

    Raises
    ------
    FormatError
        If no Doc has the span group.
    """
    _check_layer(shown, layer, _sizes(docs), documents=len(docs))
    return [doc if isinstance(doc, Document) else _document(doc, layer) for doc in docs]


def docbin_layers(
    source: str | os.PathLike[str] | _spanrs.Source | list[Any], max_expansion: int | None = None
) -> list[str]:
    """Return the layers of a ``.spacy`` file or of Docs: ``ents``, and the names of the span groups.

    Raises
    ------
    ImportError, FormatError, LimitError
        Same as :func:`read_docbin`.
    """
    docs = source if isinstance(source, list) else _docs(source, max_expansion)[1]
    return [ENTITIES, *sorted(_sizes(docs))]


def _docs(
    source: str | os.PathLike[str] | _spanrs.Source, max_expansion: int | None
) -> tuple[str, list[Doc]]:
    """Return the name of a file and its Docs."""
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError as error:
        message = "reading a .spacy file needs spaCy; run pip install 'spanrs[spacy]'"
        raise ImportError(message) from error
    opened = source if isinstance(source, _spanrs.Source) else _spanrs.Source(source, False)
    path, data = opened.name, opened.contents(max_expansion)
    collecting = gc.isenabled()
    try:
        _check_expansion(data, path, EXPANSION if max_expansion is None else max_expansion)
        return path, list(DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab))
    except (MemoryError, LimitError):
        raise
    # spaCy raises exceptions of many types for damaged data.
    except Exception as error:
        raise _damaged(path, error) from error
    finally:
        # The unpacker disables the garbage collector and does not re-enable it on failure.
        if collecting:
            gc.enable()


def _check_expansion(data: bytes, path: str, most: int) -> None:
    """Refuse data that expands by a factor of more than ``most`` and beyond 16 MiB; spaCy itself has no limit."""
    limit = max(len(data) * most, EXPANSION_FREE)
    decoder = zlib.decompressobj()
    expanded = 0
    for start in range(0, len(data), CHUNK):
        waiting = data[start : start + CHUNK]
        while waiting and not decoder.eof:
            expanded += len(decoder.decompress(waiting, CHUNK))
            waiting = decoder.unconsumed_tail
            if expanded > limit:
                message = (
                    f"{path}: the compressed data expands more than {most} times, the limit; raise the limit "
                    "(--max_expansion), or decompress the file if you trust it"
                )
                raise with_code(LimitError(message), "expansion", path)


def _sizes(docs: Iterable[Any]) -> Counter[str]:
    """Return the number of spans in each span group of Docs; Documents have no span groups."""
    sizes: Counter[str] = Counter()
    for doc in filter(is_doc, docs):
        for name, group in doc.spans.items():
            sizes[name] += len(group)
    return sizes


def _check_layer(path: str, layer: str | None, groups: Counter[str], documents: int) -> None:
    """Warn about span groups that are not read, and refuse a layer that does not exist."""
    shown = groups if layer is not None else +groups
    sizes = ", ".join(f"{name} ({size} span{'s' * (size != 1)})" for name, size in sorted(shown.items()))
    if layer is None and sizes:
        message = f"{path}: read only the entities, not the span groups {sizes}; choose a layer with layer= (--layer)"
        warn([message])
    elif layer not in (None, ALL, ENTITIES, *groups) and documents:
        layers = ", ".join(filter(None, (ENTITIES, sizes)))
        message = f"{path}: no document has the span group {layer!r}; the layers are {layers}"
        raise with_code(FormatError(message), "no_layer", path)


def _document(doc: Doc, layer: str | None) -> Document:
    annotations = [Annotation(TOKEN, token.idx, token.idx + len(token)) for token in doc]
    groups: dict[str | None, Sequence[Span]] = {None: doc.ents}
    if layer == ALL:
        # A document without entities and with a group has only the group.
        groups = {None: doc.ents} if doc.ents or not doc.spans else {}
        unnamed = not doc.ents and list(doc.spans) == [UNNAMED]
        groups |= {None if unnamed else name: list(group) for name, group in doc.spans.items()}
    elif layer not in (None, ENTITIES):
        groups = {layer: list(doc.spans[layer]) if layer in doc.spans else []}
    for number, group in enumerate(groups.values()):
        annotations += [
            Annotation(span.label_, span.start_char, span.end_char, _attributes(span), (), number)
            for span in group
        ]
    layers = [Layer(name, "given" if group else "empty") for name, group in groups.items()]
    facts = doc.user_data
    return Document(
        doc.text,
        annotations,
        _text_fact(facts.get("id")),
        name=_text_fact(facts.get("name")),
        metadata=_metadata(facts.get("metadata")),
        layers=layers if layer == ALL and [layer.name for layer in layers] != [None] else (),
    )


def _attributes(span: Span) -> dict[str, str]:
    """Return the knowledge base id and the id of a span, if it has them."""
    return {name: value for name, value in (("kb_id", span.kb_id_), ("span_id", span.id_)) if value}


def _text_fact(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _metadata(value: object) -> dict[str, Any]:
    return {str(name): fact for name, fact in value.items()} if isinstance(value, dict) else {}


def _damaged(path: str, error: Exception) -> FormatError:
    reason = (" ".join(str(error).split()) or type(error).__name__)[:200]
    message = f"{path}: spaCy cannot read this as a DocBin; write it again with DocBin.to_disk ({reason})"
    told = FormatError(message)
    told.code, told.path = "bad_document", path
    return told
