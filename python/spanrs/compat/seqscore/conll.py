"""Column files as in seqscore: reading with all columns and the line of each token, validation, writing, scoring."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, TextIO

from spanrs.compat.seqscore.encoding import Encoding, EncodingError, get_encoding
from spanrs.compat.seqscore.file_scores import (
    ALL_TYPES,
    FORMAT_CONLLEVAL,
    FORMAT_DELIM,
    FORMAT_PRETTY,
    SUPPORTED_SCORE_FORMATS,
    FileScores,
    format_output_conlleval,
    format_output_table,
)
from spanrs.compat.seqscore.model import AnnotatedSequence, Mention, SequenceProvenance
from spanrs.compat.seqscore.scoring import compute_scores
from spanrs.compat.seqscore.util import PathType
from spanrs.compat.seqscore.validation import (
    InvalidLabelError,
    SequenceValidationResult,
    ValidationResult,
    validate_labels,
)
from spanrs.compat.seqscore.writing import (
    DOCSTART,
    EMPTY_OTHER_FIELD,
    LineSpec,
    write_doc_raw,
    write_doc_using_encoding,
    write_docs_raw,
    write_docs_using_encoding,
)

__all__ = [
    "ALL_TYPES",
    "DOCSTART",
    "EMPTY_OTHER_FIELD",
    "FORMAT_CONLLEVAL",
    "FORMAT_DELIM",
    "FORMAT_PRETTY",
    "SUPPORTED_SCORE_FORMATS",
    "CoNLLFormatError",
    "CoNLLIngester",
    "LineSpec",
    "format_output_conlleval",
    "format_output_table",
    "ingest_conll_file",
    "repair_conll_file",
    "score_conll_files",
    "validate_conll_file",
    "write_doc_raw",
    "write_doc_using_encoding",
    "write_docs_raw",
    "write_docs_using_encoding",
]


class CoNLLFormatError(Exception):
    """A line without columns or in an invalid position."""


class MissingColumnError(CoNLLFormatError, IndexError):
    """A line without the column of the token or of the label; seqscore raises an IndexError without a place."""


class _CoNLLToken(NamedTuple):
    text: str
    label: str
    is_docstart: bool
    line_num: int
    orig_fields: tuple[str, ...]

    @classmethod
    def from_line(cls, line: str, line_num: int, source_name: str, line_spec: LineSpec) -> _CoNLLToken:
        """Split a line without trailing spaces at tabs or, if there are none, at single spaces."""
        columns = tuple(line.split("\t" if "\t" in line else " "))
        if len(columns) > 1:
            # Both columns must exist, also on document boundaries.
            try:
                text, label = columns[line_spec.token_index], columns[line_spec.ner_label_index]
            except IndexError:
                raise MissingColumnError(
                    f"Line {line_num} of {source_name} has {len(columns)} columns, so --token-index "
                    f"{line_spec.token_index} and --label-index {line_spec.ner_label_index} do not exist: {line!r}"
                ) from None
            return cls(text, label, text == DOCSTART, line_num, columns)
        if line.startswith("#"):
            raise CoNLLFormatError(
                f"Line {line_num} of {source_name} does not appear to be delimited and begins with #. "
                f"Perhaps you want to use the --allow-comment-lines flag? Line contents: {line!r}"
            )
        raise CoNLLFormatError(
            f"Line {line_num} of {source_name} is not delimited by space or tab: {line!r}"
        )


class _Lines(NamedTuple):
    """The lines of a sequence, with the preceding comments."""

    numbers: list[int]
    rows: list[tuple[str, ...]]
    comment: str | None = None


@dataclass(frozen=True)
class CoNLLIngester:
    r"""Reader of column files, from text files that are already open.

    Comments are lines before a sequence that begin with ``#``; they are errors without ``allow_comment_lines``.
    Lines with the token ``-DOCSTART-`` separate documents, unless ``ignore_document_boundaries``.

    >>> import io
    >>> ingester = CoNLLIngester(get_encoding("BIO"), LineSpec(0, -1))
    >>> [[sequence]] = ingester.ingest(io.StringIO("Rome B-LOC\nfell O\n"), "memory", None)
    >>> sequence.mentions
    (Mention(span=Span(start=0, end=1), type='LOC'),)
    """

    encoding: Encoding
    line_spec: LineSpec
    allow_comment_lines: bool = field(default=False, kw_only=True)
    ignore_document_boundaries: bool = field(default=False, kw_only=True)

    def ingest(
        self, source: TextIO, source_name: str, repair: str | None, *, quiet: bool = False
    ) -> list[list[AnnotatedSequence]]:
        """Return the annotated sequences of each document.

        Repairs are printed to standard error, unless ``quiet``. Raises CoNLLFormatError for lines with one column and
        for document boundaries within a sequence, EncodingError for invalid labels.
        """
        documents: list[list[AnnotatedSequence]] = []
        for document in self._documents(source, source_name):
            annotated = []
            for numbers, rows, comment in document:
                tokens, labels = self._columns(rows)
                mentions = None if "" in tokens else self.encoding.well_formed_mentions(labels)
                if mentions is None:
                    places: dict[str, Any] = {
                        "tokens": tokens,
                        "line_nums": numbers,
                        "source_name": source_name,
                    }
                    labels = self._valid_labels(labels, places, repair, quiet=quiet)
                    mentions = self._decoded(labels)
                place = SequenceProvenance(numbers[0], source_name)
                annotated.append(
                    AnnotatedSequence(
                        tokens=tokens,
                        labels=labels,
                        mentions=tuple(mentions),
                        token_fields=tuple(rows),
                        provenance=place,
                        comment=comment,
                    )
                )
            documents.append(annotated)
        return documents

    def validate(self, source: TextIO, source_name: str) -> list[list[SequenceValidationResult]]:
        """Return the errors in the labels of the sequences of each document."""
        results = []
        for document in self._documents(source, source_name):
            of_document = []
            for numbers, rows, _ in document:
                tokens, labels = self._columns(rows)
                of_document.append(validate_labels(labels, self.encoding, tokens=tokens, line_nums=numbers))
            results.append(of_document)
        return results

    def _columns(self, rows: list[tuple[str, ...]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the tokens and the labels of rows."""
        token, label = self.line_spec.token_index, self.line_spec.ner_label_index
        return tuple(row[token] for row in rows), tuple(row[label] for row in rows)

    def _documents(self, source: TextIO, source_name: str) -> Iterator[Iterator[_Lines]]:
        """Yield the sequences of each document, lazily; all of a document must be taken."""
        sequences = self._parse_file(source, source_name, parse_comments=self.allow_comment_lines)

        def rest(first: _Lines) -> Iterator[_Lines]:
            yield first
            for lines in sequences:
                if lines is not None:
                    yield lines
                elif not self.ignore_document_boundaries:
                    return

        for lines in sequences:
            if lines is not None:
                yield rest(lines)

    def _decoded(self, labels: tuple[str, ...]) -> list[Mention]:
        try:
            return self.encoding.decode_labels(labels)
        except AssertionError as error:
            # A mention without a type is valid but cannot be decoded.
            words = "Encountered an error decoding this sequence despite passing validation: "
            raise ValueError(words + " ".join(labels)) from error

    def _valid_labels(
        self, labels: tuple[str, ...], places: dict[str, Any], repair: str | None, *, quiet: bool
    ) -> tuple[str, ...]:
        """Return the labels, repaired if requested; ``places`` are arguments of :func:`validate_labels`."""
        tokens, numbers, source_name = places["tokens"], places["line_nums"], places["source_name"]
        try:
            validation = validate_labels(labels, self.encoding, repair=repair, **places)
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
                f"Stopping due to invalid label(s) in sequence at line {numbers[0]} of {source_name}:\n{messages}"
                f"\nThe above labels are not valid for the chunk encoding {type(self.encoding).__name__}."
                "\nCorrect your data or specify the correct encoding using --labels."
            )
        if not repair:
            raise EncodingError(f"Stopping due to validation errors in {source_name}:\n{messages}")
        if not quiet:
            print(  # noqa: T201  # a message of seqscore
                f"Validation errors in sequence beginning at line {numbers[0]} of {source_name}:\n{messages}\n"
                f"Used method {repair} to repair:\nOld: {labels}\nNew: {validation.repaired_labels}",
                file=sys.stderr,
            )
        return validation.repaired_labels

    def _parse_file(
        self, input_file: TextIO, source_name: str, *, parse_comments: bool = False
    ) -> Iterator[_Lines | None]:
        """Yield the lines of each sequence; None for a document boundary."""
        token_index, label_index = self.line_spec.token_index, self.line_spec.ner_label_index
        numbers: list[int] = []
        rows: list[tuple[str, ...]] = []
        comment: str | None = None
        for number, raw in enumerate(input_file, 1):
            line = raw.rstrip(" \n")
            if parse_comments and line.startswith("#") and not rows:
                comment = f"{comment}\n{line}" if comment else line
                continue
            if not line.strip():
                if rows:
                    yield _Lines(numbers, rows, comment)
                    numbers, rows, comment = [], [], None
                continue
            columns = tuple(line.split("\t" if "\t" in line else " "))
            try:
                # Both columns must exist, also on document boundaries.
                text, _ = columns[token_index], columns[label_index]
            except IndexError:
                text = ""
            if len(columns) < 2 or not text:
                # Raises the error of a line without columns.
                text = _CoNLLToken.from_line(line, number, source_name, self.line_spec).text
            if text != DOCSTART:
                numbers.append(number)
                rows.append(columns)
            elif rows:
                place = f"at line {number} of {source_name} in the middle of a sequence"
                raise CoNLLFormatError(f"Encountered {DOCSTART} {place}")
            else:
                # Comments belong to the next sequence.
                yield None
        if rows:
            yield _Lines(numbers, rows, comment)

    @staticmethod
    def _check_sequence(sequence: Sequence[_CoNLLToken]) -> None:
        """Refuse a document boundary that is followed by tokens."""
        if sequence[0].is_docstart and len(sequence) > 1:
            raise ValueError(f"Returned {DOCSTART} as part of a sequence at line {sequence[0].line_num}")


def ingest_conll_file(
    input_path: PathType,
    mention_encoding_name: str,
    file_encoding: str,
    line_spec: LineSpec,
    *,
    repair: str | None = None,
    ignore_document_boundaries: bool,
    allow_comment_lines: bool,
    quiet: bool = False,
) -> list[list[AnnotatedSequence]]:
    """Read the annotated sequences of a file, document by document; see :meth:`CoNLLIngester.ingest`."""
    encoding = get_encoding(mention_encoding_name)
    if repair and repair not in encoding.supported_repair_methods():
        raise ValueError(
            f"Cannot repair mention encoding {mention_encoding_name} using method {repair}.\n"
            'Set --repair-method to "none" for this encoding.'
        )
    ingester = CoNLLIngester(
        encoding,
        line_spec,
        allow_comment_lines=allow_comment_lines,
        ignore_document_boundaries=ignore_document_boundaries,
    )
    with open(input_path, encoding=file_encoding) as source:
        return ingester.ingest(source, str(input_path), repair, quiet=quiet)


def repair_conll_file(
    input_file: PathType,
    mention_encoding_name: str,
    repair: str | None,
    file_encoding: str,
    line_spec: LineSpec,
    *,
    ignore_document_boundaries: bool,
    allow_comment_lines: bool,
    quiet: bool,
) -> list[list[AnnotatedSequence]]:
    """Read a file with repairs; the same as :func:`ingest_conll_file`."""
    return ingest_conll_file(
        input_file,
        mention_encoding_name,
        file_encoding,
        line_spec,
        repair=repair,
        ignore_document_boundaries=ignore_document_boundaries,
        allow_comment_lines=allow_comment_lines,
        quiet=quiet,
    )


def validate_conll_file(
    input_path: str,
    mention_encoding_name: str,
    file_encoding: str,
    line_spec: LineSpec,
    *,
    ignore_document_boundaries: bool,
    allow_comment_lines: bool,
) -> ValidationResult:
    """Return the errors in the labels of a file, and the numbers of tokens, sequences and documents."""
    ingester = CoNLLIngester(
        get_encoding(mention_encoding_name),
        line_spec,
        allow_comment_lines=allow_comment_lines,
        ignore_document_boundaries=ignore_document_boundaries,
    )
    with open(input_path, encoding=file_encoding) as source:
        documents = ingester.validate(source, input_path)
    results = list(chain.from_iterable(documents))
    return ValidationResult(
        errors=tuple(error for result in results for error in result.errors),
        n_tokens=sum(result.n_tokens for result in results),
        n_sequences=len(results),
        n_docs=len(documents),
    )


def score_conll_files(  # noqa: PLR0917  # as in seqscore
    pred_files: Sequence[PathType],
    reference_file: PathType,
    mention_encoding_name: str,
    repair: str | None,
    file_encoding: str,
    line_spec: LineSpec,
    *,
    ignore_document_boundaries: bool,
    allow_comment_lines: bool,
    output_format: str,
    delim: str,
    error_counts: bool = False,
    full_precision: bool = False,
    quiet: bool = False,
) -> None:
    """Print the scores of files, or the counts of the errors of one file.

    ``output_format`` is pretty, conlleval or delim; with several files, the mean and standard error of F1 follow. The
    format pretty needs tabulate (``pip install 'spanrs[seqscore]'``), ``full_precision`` the format delim.
    """
    if not pred_files:
        raise AssertionError("List of files to score cannot be empty")

    def read(path: PathType) -> list[list[AnnotatedSequence]]:
        return ingest_conll_file(
            path,
            mention_encoding_name,
            file_encoding,
            line_spec,
            repair=repair,
            ignore_document_boundaries=ignore_document_boundaries,
            allow_comment_lines=allow_comment_lines,
            quiet=quiet,
        )

    reference = read(reference_file)
    scores = FileScores(output_format, delim, full_precision, several=len(pred_files) > 1)
    for path in pred_files:
        of_file = compute_scores(read(path), reference, count_fp_fn_examples=error_counts)
        if error_counts:
            scores.print_errors(of_file[0])
            return
        scores.add(path, *of_file)
    scores.print()
