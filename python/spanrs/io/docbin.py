"""spaCy's DocBin, read by spaCy."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spanrs.errors import FormatError, warn, with_code
from spanrs.io.document import Annotation, Document

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

__all__ = ["read_docbin"]


#: The layer of the entities.
ENTITIES = "ents"


def read_docbin(path: str | os.PathLike[str], layer: str | None = None) -> list[Document]:
    """Give the documents of a ``.spacy`` file.

    Parameters
    ----------
    path : str or os.PathLike
        A file that ``spacy.tokens.DocBin`` wrote.
    layer : str, optional
        The annotations: ``ents`` (``doc.ents``) or a span group (``doc.spans``) by its name. If not given these are the
        entities, with a warning where there are span groups.

    Returns
    -------
    list of Document
        Tokens are annotations of type ``lex``, white space among them where spaCy has tokens for it; behind
        them come the annotations of the layer. A document without the span group has none.

    Raises
    ------
    ImportError
        Where spaCy is not installed (``pip install 'spanrs[spacy]'``).
    FormatError
        Where spaCy cannot read the file, and where no document has the span group.

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
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError as error:
        message = "a .spacy file is read by spaCy; pip install 'spanrs[spacy]'"
        raise ImportError(message) from error
    data = Path(path).read_bytes()
    collecting = gc.isenabled()
    try:
        docs = list(DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab))
        groups = _sizes(docs)
        documents = [_document(doc, layer) for doc in docs]
    except MemoryError:
        raise
    # Damaged data brings whatever the first thing that does not fit brings.
    except Exception as error:
        raise _damaged(os.fspath(path), error) from error
    finally:
        # The unpacker stops the collector, and does not start it again where it fails.
        if collecting:
            gc.enable()
    _check_layer(os.fspath(path), layer, groups, documents=len(docs))
    return documents


def _sizes(docs: Iterable[Doc]) -> Counter[str]:
    """Give the number of spans of each span group."""
    sizes: Counter[str] = Counter()
    for doc in docs:
        for name, group in doc.spans.items():
            sizes[name] += len(group)
    return sizes


def _check_layer(path: str, layer: str | None, groups: Counter[str], documents: int) -> None:
    """Warn of span groups that nobody asked for, and refuse one that is not there."""
    shown = groups if layer is not None else +groups
    listed = ", ".join(f"{name} ({size} span{'s' * (size != 1)})" for name, size in sorted(shown.items()))
    if layer is None and listed:
        message = f"{path}: the entities are read, and not the span groups {listed}; layer (--layer) names one, or ents"
        warn([message])
    elif layer not in (None, ENTITIES, *groups) and documents:
        layers = ", ".join(filter(None, (ENTITIES, listed)))
        message = f"{path}: no document has the span group {layer!r}; layers are {layers}"
        raise with_code(FormatError(message), "no_layer", path)


def _document(doc: Doc, layer: str | None) -> Document:
    tokens = (Annotation("lex", token.idx, token.idx + len(token)) for token in doc)
    spans: Sequence[Span] = doc.ents
    if layer not in (None, ENTITIES):
        spans = list(doc.spans[layer]) if layer in doc.spans else []
    annotations = (Annotation(span.label_, span.start_char, span.end_char) for span in spans)
    return Document(doc.text, [*tokens, *annotations])


def _damaged(path: str, error: Exception) -> FormatError:
    said = (" ".join(str(error).split()) or type(error).__name__)[:200]
    message = f"{path}: spaCy cannot read this as a DocBin; write it again with DocBin.to_disk ({said})"
    told = FormatError(message)
    told.code, told.path = "bad_document", path
    return told
