"""Read and write labelled text as corpora.

- :func:`read`: read files, directories, tables and documents as a :class:`Corpus` of :class:`Document` and
  :class:`Sentence`.
- :func:`write`: write a corpus in any format that can represent the corpus.
- :func:`ground`, :func:`ground_many`: find extracted strings in their texts.
- :func:`detect_scheme`, :func:`validate`, :func:`convert`: process the tags of a column file.
"""

from typing import TYPE_CHECKING

from spanrs.lazy import lazy_names

if TYPE_CHECKING:
    from spanrs.io.corpus import Corpus
    from spanrs.io.document import Annotation, Document, Layer, Relation
    from spanrs.io.grounding import GroundedMention, Grounding, ground, ground_many
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
    "GroundedMention",
    "Grounding",
    "Layer",
    "Limits",
    "Pairing",
    "Relation",
    "Sentence",
    "Source",
    "Written",
    "atomic_output",
    "convert",
    "detect_scheme",
    "ground",
    "ground_many",
    "pair_parts",
    "read",
    "validate",
    "write",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Annotation": "document",
        "Corpus": "corpus",
        "Document": "document",
        "FileReport": "tagged_files",
        "GroundedMention": "grounding",
        "Grounding": "grounding",
        "Layer": "document",
        "Limits": "options",
        "Pairing": "parts",
        "Relation": "document",
        "Sentence": "sentence",
        "Source": "sources",
        "Written": "writer",
        "atomic_output": "output",
        "convert": "tagged_files",
        "detect_scheme": "tagged_files",
        "ground": "grounding",
        "ground_many": "grounding",
        "pair_parts": "parts",
        "read": "reader",
        "validate": "tagged_files",
        "write": "writer",
    },
)
