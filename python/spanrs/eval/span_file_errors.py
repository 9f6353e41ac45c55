"""Lists of errors of span files, and of column files with stacked tags.

The compiled half scores these files without keeping the spans. Errors are found in a second pass, in blocks of
sentences, so that memory does not grow with the files.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat
from typing import NamedTuple, TypeAlias, cast

from spanrs import _spanrs
from spanrs.errors import FormatError, SpanrsError
from spanrs.eval.details import (
    ErrorKind,
    ErrorList,
    errors_to_keep,
    find_errors,
    kind_of,
    with_tokens,
)
from spanrs.eval.evidence import Detail
from spanrs.eval.matchers import Cell, Matcher, criteria
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer
from spanrs.io import Columns
from spanrs.tags.types import Dialect

#: Type, start, end, and the tokens of a discontinuous span.
SpanTuple: TypeAlias = tuple[str, int, int] | tuple[str, int, int, tuple[int, ...]]

#: Sentences scored at once.
BLOCK = 4096
#: Parts of speech of punctuation, as in ``spanrs::span_files``.
PUNCTUATION = frozenset(
    [
        *("$.", "$,", "$(", "PUNCT", "PUNKT", "KOMMA", "COMMA", "KLAMMER", ".", ",", ":", "(", ")", '"'),
        *("‘", "“", "’", "”", "``", "''", "-LRB-", "-RRB-"),
    ]
)


class TokenValues(NamedTuple):
    """A column of a sentence."""

    line: int
    """Line of the first token, from 1."""
    tokens: list[str]
    """The tokens; empty strings for a file of one column."""
    values: list[str]
    """The value of each token."""


class FileSentence(NamedTuple):
    """The spans of a sentence of a file."""

    spans: list[SpanTuple]
    """In the order of the file."""
    lines: Mapping[SpanTuple, int]
    """The line of each span, from 1."""
    tokens: Sequence[str] | None
    """The tokens; None where the file has none."""


class Layout(NamedTuple):
    """How files are read."""

    columns: Columns
    """Columns of files with stacked tags."""
    pos_column: int | None
    """Column of the parts of speech whose punctuation is left out; None to keep it."""
    exclude: Collection[str]
    """Types that are left out."""


def read_values(source: _spanrs.Source, columns: Columns) -> Iterator[TokenValues]:
    r"""Read the column of tags of a column file, a sentence at a time, whatever its values are.

    Examples
    --------
    >>> import io
    >>> from spanrs.eval.span_file_errors import read_values
    >>> from spanrs.io import Columns
    >>> from spanrs.io.sources import open_source
    >>> next(read_values(open_source(io.BytesIO(b"a ART O\nb NN B-X\n")), Columns(tag=1))).values
    ['ART', 'NN']
    """
    with tempfile.TemporaryFile() as out:
        # Under TOKEN the value of each token is a span of its own, and O none.
        reader = ("TOKEN", "conlleval", Dialect())
        _spanrs.spans_file(source, out, columns.as_options(), reader, None)
        out.seek(0)
        for line in out:
            row = json.loads(line)
            values = ["O"] * len(row["tokens"])
            for span in row["spans"]:
                values[span["start"]] = span["type"]
            yield TokenValues(row["line"], row["tokens"], values)


class SpanFileErrors:
    """Finds the errors of pairs of files.

    Parameters
    ----------
    matcher : Matcher
        How spans are matched.
    errors : bool or int
        Errors to keep of each kind; True keeps all.
    layout : Layout
        How files are read.
    """

    def __init__(self, matcher: Matcher, errors: bool | int, layout: Layout) -> None:
        self._matcher, self._most, self._layout = matcher, errors_to_keep(errors), layout
        self._cells: Counter[Cell] = Counter()
        self._numbers: Counter[ErrorKind] = Counter()
        self._errors: list[Detail] = []
        self._sentences = 0
        self._failure = ""

    def add(
        self, gold: _spanrs.Source, pred: _spanrs.Source, formats: Sequence[str], path: str | None
    ) -> None:
        """Find the errors of two files of these formats; ``path`` is how the pair is called, if there are several."""
        if self._failure:
            return
        self._sentences = 0
        try:
            pairs = self._pairs(gold, pred, formats)
            while block := list(islice(pairs, BLOCK)):
                self._add_block(block, path)
        except SpanrsError as error:
            # The files were scored, so a page without the list is better than none.
            self._failure = str(error)

    def attach(self, result: Result) -> Result:
        """Add the errors to the result of the same files, or a note if the numbers of both differ."""
        if not self._failure and self._cells != _span_cells(result):
            self._failure = "reading the files again gives other numbers"
        if self._failure:
            notes = (*result.evidence.notes, f"errors are not listed: {self._failure}")
            return replace(result, evidence=replace(result.evidence, notes=notes))
        return replace(
            result, error_list=ErrorList(result.criterion.name, self._errors, dict(self._numbers))
        )

    def _pairs(
        self, gold: _spanrs.Source, pred: _spanrs.Source, formats: Sequence[str]
    ) -> Iterator[tuple[FileSentence, FileSentence]]:
        """Yield the sentences of both sides."""
        layout = self._layout
        files = list(zip((gold, pred), formats, strict=True))
        masks = (_punctuation(file, layout) for file, form in files if form == "stacked")
        # Gold says what is punctuation, if it has parts of speech.
        mask = next((found for found in masks if found is not None), repeat(None))
        golds, preds = (
            _span_sentences(file) if form == "spans" else _stacked_sentences(file, layout.columns)
            for file, form in files
        )
        stacked = [form == "stacked" for form in formats]
        for ignored, *pair in zip(mask, golds, preds, strict=False):
            kept = (
                self._kept(side if ignored is None or not masked else _without(side, ignored))
                for side, masked in zip(pair, stacked, strict=True)
            )
            yield next(kept), next(kept)

    def _kept(self, sentence: FileSentence) -> FileSentence:
        spans = [span for span in sentence.spans if span[0] not in self._layout.exclude]
        return sentence._replace(spans=spans)

    def _add_block(self, block: Sequence[tuple[FileSentence, FileSentence]], path: str | None) -> None:
        golds, preds = ([side.spans for side in sides] for sides in zip(*block, strict=True))
        if any(golds) or any(preds):
            scorer = Scorer("BIO", matcher=self._matcher, max_violations=0)
            scorer.update(golds, preds)
            found = scorer.result()
            self._cells.update(_span_cells(found))
            lists = _spanrs.span_lists_of_tuples(golds, preds, True)
            for error in find_errors(*lists, scorer.matcher, found.criterion, None):
                self._add_error(error, block[error.sentence], path)
        self._sentences += len(block)

    def _add_error(self, error: Detail, pair: tuple[FileSentence, FileSentence], path: str | None) -> None:
        kind = kind_of(error)
        self._numbers[kind] += 1
        if self._most is not None and self._numbers[kind] > self._most:
            return
        side, span = (pair[0], error.gold) if error.gold is not None else (pair[1], error.pred)
        assert span is not None  # An outcome is of a span of one side at least.
        key = cast("SpanTuple", span[:3] if span.tokens is None else tuple(span))
        tokens = next((one.tokens for one in pair if one.tokens), None)
        if tokens is not None:
            error = with_tokens(error, tokens)
        line = side.lines.get(key)
        self._errors.append(error._replace(sentence=error.sentence + self._sentences, line=line, path=path))


def _span_cells(result: Result) -> Counter[Cell]:
    """Return the cells of spans, without those that count sentences."""
    corpus = criteria(result.matcher.name)["corpus"].index
    return Counter({(*cell[:4], 0): int(cell[4]) for cell in result.cells if cell[0] != corpus})


def _span_sentences(source: _spanrs.Source) -> Iterator[FileSentence]:
    """Read a span file, which was scored and so is well-formed."""
    sentence = FileSentence([], {}, None)
    is_open = False
    for number, line in enumerate(io.BytesIO(source.contents()), 1):
        text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        if not text.strip(" \t"):
            if is_open:
                yield sentence
                sentence, is_open = FileSentence([], {}, None), False
            continue
        is_open = True
        name, begin, end, listed = text.split("\t")
        start, stop = int(begin) - 1, int(end)
        tokens = sorted({int(token) - 1 for token in listed.split(",")} if listed.strip() else ())
        span = _span(name, start, stop, tokens or range(start, stop))
        sentence.spans.append(span)
        cast("dict[SpanTuple, int]", sentence.lines).setdefault(span, number)
    if is_open:
        yield sentence


def _span(name: str, start: int, end: int, tokens: Sequence[int]) -> SpanTuple:
    """Make a span, which has its tokens listed where it lacks some between its bounds."""
    return (name, start, end) if len(tokens) == end - start else (name, start, end, tuple(tokens))


def _stacked_sentences(source: _spanrs.Source, columns: Columns) -> Iterator[FileSentence]:
    """Read a column file with stacked tags."""
    for row in read_values(source, columns._replace(second=None)):
        spans: list[SpanTuple] = [(name, start, end) for name, start, end in stacked_spans(row.values)]
        # Token lines follow each other, but comments with a prefix may stand between them.
        lines = {
            span: row.line + (span[1] if columns.comments in ("auto", "none") else 0) for span in spans
        }
        yield FileSentence(spans, lines, row.tokens if any(row.tokens) else None)


def stacked_spans(tags: Sequence[str]) -> list[tuple[str, int, int]]:
    """Read the spans of stacked tags, in the order in which they end.

    Examples
    --------
    >>> from spanrs.eval.span_file_errors import stacked_spans
    >>> stacked_spans(["B-S|B-NP", "I-S", "O"])
    [('NP', 0, 1), ('S', 0, 2)]
    """
    opened: list[tuple[str, int, int]] = []
    ended: list[tuple[str, int, int]] = []

    def end_to(levels: int) -> None:
        while len(opened) > levels:
            ended.append(opened.pop())

    def end_from_outside() -> None:
        ended.extend(opened)
        opened.clear()

    for at, tag in enumerate(tags):
        if tag in ("O", "_", ""):
            end_from_outside()
            continue
        parts = tag.removesuffix("|").split("|")
        end_to(len(parts))
        for level, part in enumerate(parts):
            name = part[2:]
            if part.startswith("B-"):
                if level == 0:
                    end_from_outside()
                end_to(level)
                opened.append((name, at, at + 1))
            else:
                opened[level] = (name, opened[level][1], at + 1)
    end_from_outside()
    return ended


def _punctuation(source: _spanrs.Source, layout: Layout) -> Iterator[list[bool]] | None:
    """Yield which tokens of each sentence are punctuation; None where the file has no parts of speech."""
    if layout.pos_column is None or layout.pos_column == layout.columns.tag:
        return None
    rows = read_values(source, layout.columns._replace(tag=layout.pos_column, second=None))
    try:
        first = list(islice(rows, 1))
    except FormatError as error:
        if error.code == "no_column":
            return None
        raise
    return ([value in PUNCTUATION for value in row.values] for row in chain(first, rows))


def _without(sentence: FileSentence, ignored: Sequence[bool]) -> FileSentence:
    """Take tokens out of spans; spans without other tokens are left out."""
    spans: list[SpanTuple] = []
    lines: dict[SpanTuple, int] = {}
    for span in sentence.spans:
        tokens = [at for at in range(span[1], min(span[2], len(ignored))) if not ignored[at]]
        if tokens:
            new = _span(span[0], tokens[0], tokens[-1] + 1, tokens)
            spans.append(new)
            lines.setdefault(new, sentence.lines[span])
    return FileSentence(spans, lines, sentence.tokens)
