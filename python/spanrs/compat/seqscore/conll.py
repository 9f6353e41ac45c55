"""Reading of column files as in seqscore: with all columns and the line of each token."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple, TextIO, TypeAlias

from spanrs.compat.seqscore.encoding import Encoding, EncodingError, get_encoding
from spanrs.compat.seqscore.model import AnnotatedSequence, SequenceProvenance
from spanrs.compat.seqscore.validation import InvalidLabelError, validate_labels

DOCSTART = "-DOCSTART-"


class CoNLLFormatError(Exception):
    """A line without columns or in an invalid position."""


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


Labels: TypeAlias = tuple[str, ...]
#: The number and columns of a line.
_Line: TypeAlias = tuple[int, Labels]


def _columns(line: str, number: int, name: str) -> tuple[str, ...]:
    parts = line.split("\t" if "\t" in line else " ")
    if len(parts) > 1:
        return tuple(parts)
    if line.startswith("#"):
        raise CoNLLFormatError(
            f"Line {number} of {name} does not appear to be delimited and begins with #. "
            f"Perhaps you want to use the --allow-comment-lines flag? Line contents: {line!r}"
        )
    raise CoNLLFormatError(f"Line {number} of {name} is not delimited by space or tab: {line!r}")


def _sequences(
    lines: TextIO, name: str, spec: LineSpec, *, comments: bool
) -> Iterator[tuple[list[_Line], str | None]]:
    """Yield the lines of each sequence with the preceding comments; a document boundary is an empty list of lines."""
    sequence: list[_Line] = []
    comment: str | None = None
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip(" \n")
        if comments and line.startswith("#") and not sequence:
            comment = f"{comment}\n{line}" if comment else line
            continue
        if not line.strip():
            if sequence:
                yield sequence, comment
                sequence, comment = [], None
            continue
        columns = _columns(line, number, name)
        # Both columns must exist, also on document boundaries.
        token, _ = columns[spec.token_index], columns[spec.ner_label_index]
        if token != DOCSTART:
            sequence.append((number, columns))
        elif sequence:
            place = f"at line {number} of {name} in the middle of a sequence"
            raise CoNLLFormatError(f"Encountered {DOCSTART} {place}")
        else:
            yield [], None
    if sequence:
        yield sequence, comment


class _Ingester(NamedTuple):
    encoding: Encoding
    spec: LineSpec
    name: str
    repair: str | None
    quiet: bool

    def annotate(self, lines: list[_Line], comment: str | None) -> AnnotatedSequence:
        numbers, rows = zip(*lines, strict=True)
        tokens = tuple(row[self.spec.token_index] for row in rows)
        labels = self._valid(tokens, tuple(row[self.spec.ner_label_index] for row in rows), numbers)
        try:
            mentions = self.encoding.decode_labels(labels)
        except AssertionError as error:
            # A mention without a type is valid but cannot be decoded.
            words = "Encountered an error decoding this sequence despite passing validation: "
            raise ValueError(words + " ".join(labels)) from error
        return AnnotatedSequence(
            tokens=tokens,
            labels=labels,
            mentions=tuple(mentions),
            token_fields=rows,
            provenance=SequenceProvenance(numbers[0], self.name),
            comment=comment,
        )

    def _valid(self, tokens: Labels, labels: Labels, numbers: Sequence[int]) -> Labels:
        """Return the labels, repaired if requested."""
        places: dict[str, Any] = {"tokens": tokens, "line_nums": numbers, "source_name": self.name}
        try:
            validation = validate_labels(labels, self.encoding, repair=self.repair, **places)
        except InvalidLabelError as error:
            if not tokens[0].startswith("#"):
                raise
            message = (
                f"{error} The first token {tokens[0]!r} of this sentence starts with '#'."
                " If it's a comment, consider enabling --allow-comment-lines."
            )
            raise InvalidLabelError(error.label, message) from error
        if validation.is_valid():
            return labels
        states = validation.invalid_state_errors()
        messages = "\n".join(error.msg for error in states or validation.errors)
        if states:
            raise EncodingError(
                f"Stopping due to invalid label(s) in sequence at line {numbers[0]} of {self.name}:\n{messages}"
                f"\nThe above labels are not valid for the chunk encoding {type(self.encoding).__name__}."
                "\nCorrect your data or specify the correct encoding using --labels."
            )
        if not self.repair:
            raise EncodingError(f"Stopping due to validation errors in {self.name}:\n{messages}")
        if not self.quiet:
            print(  # noqa: T201  # a message of seqscore
                f"Validation errors in sequence beginning at line {numbers[0]} of {self.name}:\n{messages}\n"
                f"Used method {self.repair} to repair:\nOld: {labels}\nNew: {validation.repaired_labels}",
                file=sys.stderr,
            )
        return validation.repaired_labels


def ingest_conll_file(
    input_path: str | PathLike[str],
    mention_encoding_name: str,
    file_encoding: str,
    line_spec: LineSpec,
    *,
    repair: str | None = None,
    ignore_document_boundaries: bool,
    allow_comment_lines: bool,
    quiet: bool = False,
) -> list[list[AnnotatedSequence]]:
    """Read the annotated sequences of a column file, document by document.

    Columns are separated by tabs if the line contains a tab, else by single spaces. Repairs are printed to standard
    error, unless ``quiet``. Comments are lines before a sequence that begin with ``#``. CoNLLFormatError is raised for
    lines with one column and for document boundaries within a sequence, EncodingError for invalid labels.
    """
    encoding = get_encoding(mention_encoding_name)
    if repair and repair not in encoding.supported_repair_methods():
        raise ValueError(
            f"Cannot repair mention encoding {mention_encoding_name} using method {repair}.\n"
            'Set --repair-method to "none" for this encoding.'
        )
    name = str(input_path)
    ingester = _Ingester(encoding, line_spec, name, repair, quiet)
    documents: list[list[AnnotatedSequence]] = [[]]
    with open(input_path, encoding=file_encoding) as lines:
        for sequence, comment in _sequences(lines, name, line_spec, comments=allow_comment_lines):
            if sequence:
                documents[-1].append(ingester.annotate(sequence, comment))
            elif documents[-1] and not ignore_document_boundaries:
                documents.append([])
    return [document for document in documents if document]
