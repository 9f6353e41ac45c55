"""Writing of column files as in seqscore, but all at once: after an error, the old file remains."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from spanrs.compat.seqscore.encoding import DEFAULT_OUTSIDE, Encoding, get_encoding
from spanrs.compat.seqscore.model import AnnotatedSequence, LabeledSequence
from spanrs.compat.seqscore.util import PathType

DOCSTART = "-DOCSTART-"
EMPTY_OTHER_FIELD = "-X-"


@dataclass(frozen=True)
class LineSpec:
    """The columns of token and label, numbered from 0; negative values count from the end.

    >>> LineSpec(0, -1).ner_label_index
    -1
    """

    token_index: int
    ner_label_index: int

    def __post_init__(self) -> None:
        token, label = self.token_index, self.ner_label_index
        if token == label:
            raise ValueError(f"Token index ({token}) and label index ({label}) cannot be the same")


@contextmanager
def open_output(path: PathType, encoding: str) -> Iterator[TextIO]:
    """Open a text file that replaces ``path`` only if no exception is raised."""
    from spanrs.io.output import atomic_output

    with atomic_output(path) as output:
        # Line ends are those of the operating system, as in the original.
        text = io.TextIOWrapper(output, encoding=encoding)
        yield text
        text.flush()
        text.detach()


def write_doc_raw(
    doc: Sequence[LabeledSequence],
    delim: str,
    file: TextIO,
    line_spec: LineSpec,
    *,
    output_docstart: bool,
    outside_label: str = DEFAULT_OUTSIDE,
    discard_extra_fields: bool = False,
) -> None:
    """Write a document: a line for each token, and an empty line after each sequence.

    Lines have all columns of the input with the token and label replaced; without columns, or with
    ``discard_extra_fields``, only token and label. ``output_docstart`` writes a line ``-DOCSTART-`` first.
    """

    def write(columns: tuple[str, ...] | None, token: str, label: str) -> None:
        if columns and not discard_extra_fields:
            fields = list(columns)
            fields[line_spec.token_index] = token
            fields[line_spec.ner_label_index] = label
        else:
            fields = [token, label]
        file.write(delim.join(fields) + "\n")

    if output_docstart:
        rows = doc[0].token_fields
        write((EMPTY_OTHER_FIELD,) * len(rows[0]) if rows else None, DOCSTART, outside_label)
        file.write("\n")
    for sequence in doc:
        for (token, fields), label in zip(sequence.tokens_with_fields(), sequence.labels, strict=True):
            write(fields, token, label)
        file.write("\n")


def write_doc_using_encoding(
    doc: Sequence[AnnotatedSequence],
    encoding: Encoding,
    delim: str,
    file: TextIO,
    line_spec: LineSpec,
    *,
    output_docstart: bool,
    discard_extra_fields: bool = False,
) -> None:
    """Write a document like :func:`write_doc_raw`, with the labels of the mentions in an encoding."""
    labelled = [
        LabeledSequence(
            tokens=sequence.tokens,
            labels=tuple(encoding.encode_sequence(sequence)),
            token_fields=sequence.token_fields,
            provenance=sequence.provenance,
            comment=sequence.comment,
        )
        for sequence in doc
    ]
    write_doc_raw(
        labelled,
        delim,
        file,
        line_spec,
        output_docstart=output_docstart,
        outside_label=encoding.dialect.outside,
        discard_extra_fields=discard_extra_fields,
    )


def write_docs_using_encoding(  # noqa: PLR0917  # as in seqscore
    docs: Sequence[Sequence[AnnotatedSequence]],
    mention_encoding_name: str,
    file_encoding: str,
    delim: str,
    line_spec: LineSpec,
    output_path: PathType,
    *,
    discard_extra_fields: bool = False,
    always_write_docstart: bool = False,
) -> None:
    """Write documents to a file with the labels of their mentions; boundaries only if there are several documents."""
    encoding = get_encoding(mention_encoding_name)
    with open_output(output_path, file_encoding) as file:
        for doc in docs:
            write_doc_using_encoding(
                doc,
                encoding,
                delim,
                file,
                line_spec,
                output_docstart=len(docs) > 1 or always_write_docstart,
                discard_extra_fields=discard_extra_fields,
            )


def write_docs_raw(
    docs: Sequence[Sequence[LabeledSequence]],
    file_encoding: str,
    delim: str,
    line_spec: LineSpec,
    output_path: PathType,
    *,
    outside_label: str = DEFAULT_OUTSIDE,
    discard_extra_fields: bool = False,
    always_write_docstart: bool = False,
) -> None:
    """Write documents to a file with their labels; boundaries only if there are several documents."""
    with open_output(output_path, file_encoding) as file:
        for doc in docs:
            write_doc_raw(
                doc,
                delim,
                file,
                line_spec,
                output_docstart=len(docs) > 1 or always_write_docstart,
                outside_label=outside_label,
                discard_extra_fields=discard_extra_fields,
            )
