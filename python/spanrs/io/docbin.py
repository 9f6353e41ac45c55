"""spaCy's DocBin, read by spaCy."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from spanrs.errors import FormatError
from spanrs.io.document import Annotation, Document

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["read_docbin"]


def read_docbin(path: str | os.PathLike[str]) -> list[Document]:
    """Give the documents of a ``.spacy`` file.

    Parameters
    ----------
    path : str or os.PathLike
        A file that ``spacy.tokens.DocBin`` wrote.

    Returns
    -------
    list of Document
        Tokens are annotations of type ``lex``, white space among them where spaCy has tokens for it; behind
        them come the entities (``doc.ents``). Span groups are passed over.

    Raises
    ------
    ImportError
        Where spaCy is not installed (``pip install 'spanrs[spacy]'``).
    FormatError
        Where spaCy cannot read the file.

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
        docs = DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab)
        return [_document(doc) for doc in docs]
    except MemoryError:
        raise
    # Damaged data brings whatever the first thing that does not fit brings.
    except Exception as error:
        raise _damaged(os.fspath(path), error) from error
    finally:
        # The unpacker stops the collector, and does not start it again where it fails.
        if collecting:
            gc.enable()


def _document(doc: Doc) -> Document:
    tokens = (Annotation("lex", token.idx, token.idx + len(token)) for token in doc)
    return Document(doc.text, [*tokens, *_entities(doc)])


def _entities(doc: Doc) -> Iterator[Annotation]:
    for span in doc.ents:
        yield Annotation(span.label_, span.start_char, span.end_char)


def _damaged(path: str, error: Exception) -> FormatError:
    said = (" ".join(str(error).split()) or type(error).__name__)[:200]
    message = f"{path}: spaCy cannot read this as a DocBin; write it again with DocBin.to_disk ({said})"
    told = FormatError(message)
    told.code, told.path = "bad_document", path
    return told
