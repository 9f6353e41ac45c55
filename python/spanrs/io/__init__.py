"""Read and write labelled text as corpora.

- :func:`read`: read files, directories, tables and documents as a :class:`Corpus` of :class:`Document` and
  :class:`Sentence`.
- :func:`write`: write a corpus in any format that can represent the corpus.
- :func:`ground`, :func:`ground_many`: find extracted strings in their texts.
- :func:`read_answer`, :func:`read_answers`: read answers of language models as mentions.
- :func:`detect_scheme`, :func:`validate`, :func:`convert`: process the tags of a column file.
"""

from typing import TYPE_CHECKING

from spanrs.lazy import lazy_names

if TYPE_CHECKING:
    from spanrs.io.answer_options import AnswerOptions
    from spanrs.io.answers import Answer, AnswerFault, Mention, read_answer, read_answers
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
    "Answer",
    "AnswerFault",
    "AnswerOptions",
    "Corpus",
    "Document",
    "FileReport",
    "GroundedMention",
    "Grounding",
    "Layer",
    "Limits",
    "Mention",
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
    "read_answer",
    "read_answers",
    "validate",
    "write",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Annotation": "document",
        "AnswerOptions": "answer_options",
        "Answer": "answers",
        "AnswerFault": "answers",
        "Corpus": "corpus",
        "Document": "document",
        "FileReport": "tagged_files",
        "GroundedMention": "grounding",
        "Grounding": "grounding",
        "Layer": "document",
        "Limits": "options",
        "Mention": "answers",
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
        "read_answer": "answers",
        "read_answers": "answers",
        "validate": "tagged_files",
        "write": "writer",
    },
)
