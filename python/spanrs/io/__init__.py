"""Reading and writing: whatever holds labelled text becomes a corpus.

- :func:`read`: files, directories, tables and documents as a :class:`Corpus` of :class:`Document` and
  :class:`Sentence`.
- :func:`write`: a corpus in any format that can hold it.
- :func:`detect_scheme`, :func:`validate`, :func:`convert`: tags of a corpus.
"""

from spanrs.io.corpus import Corpus
from spanrs.io.document import Annotation, Document, Relation
from spanrs.io.options import Limits
from spanrs.io.output import atomic_output
from spanrs.io.parts import Pairing, pair_parts
from spanrs.io.reader import read
from spanrs.io.sentence import Sentence
from spanrs.io.sources import Source
from spanrs.io.tagged_files import FileReport, convert, detect_scheme, validate
from spanrs.io.writer import Written, write

__all__ = [
    "Annotation",
    "Corpus",
    "Document",
    "FileReport",
    "Limits",
    "Pairing",
    "Relation",
    "Sentence",
    "Source",
    "Written",
    "atomic_output",
    "convert",
    "detect_scheme",
    "pair_parts",
    "read",
    "validate",
    "write",
]
