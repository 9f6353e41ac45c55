"""Adds the parts of two corpora to a scorer, whatever their formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import AlignmentError, FormatError, SchemeError, SpanrsError, with_code
from spanrs.eval.document_pairs import paired_documents
from spanrs.eval.documents import document_name
from spanrs.io import Corpus, tables
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.io.sentence import Sentence
from spanrs.io.sentences import Layout, columns_of, is_long, sentences_of
from spanrs.io.span_columns import first_null, holds_spans, is_list, span_tuples

#: Sentences that are added at once where they are Python objects.
CHUNK = 10_000
#: Examples of differing tokens that are kept.
EXAMPLES = 5


@dataclass(frozen=True)
class Adding:
    """A scorer, and how parts are added to it."""

    scorer: _spanrs.Scorer
    """The compiled scorer."""
    update: Callable[..., None]
    """Adds sentences in memory: gold, pred, documents, and reading options of ids."""
    align: str
    """What to do where tokens differ: ``refuse``, ``report`` or ``ignore``."""
    by: str | None
    """What a row of counts is: ``document``, ``sentence``, or None for no rows."""
    threads: int
    progress: Callable[[int], object] | None = None
    finder: _spanrs.ErrorFinder | None = None
    """Finds the errors of column files and files of spans."""
    named: bool = False
    """Parts are several, and their names stand with their errors."""
    notes: list[str] = field(default_factory=list)
    """Gets what is assumed about the sides."""
    losses: list[str] = field(default_factory=list)
    """Gets what of the sides could not be kept, which is warned of."""


class Added(NamedTuple):
    """What is to be said of parts that were added."""

    settings: dict[str, str]
    """Settings of the formats, for the signature."""
    has_errors: bool
    """True where the finder has the errors; else they are to be found in another pass."""


def add_parts(adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]) -> Added:
    """Add two parts that belong together, or one that holds both sides.

    Parameters
    ----------
    adding : Adding
        The scorer.
    corpora : (Corpus, Corpus)
        Those of the parts, for their reading options.
    parts : (Part, Part or None)
        Gold and pred; without pred the part of gold holds both.

    Raises
    ------
    OSError, spanrs.errors.SpanrsError
        Where a part cannot be read, and where the sides do not fit each other.
    """
    gold, pred = parts
    kinds = {gold.kind} if pred is None else {gold.kind, pred.kind}
    if kinds == {"rows"}:
        _add_rows(adding, corpora, parts)
        return Added({}, adding.finder is not None)
    if pred is not None and kinds <= {"spans", "rows"} and "stacked" in (gold.format, pred.format):
        # A side without nested spans has nothing that shows that its tags are stacked.
        pair = gold, pred
        gold, pred = (replace(part, format="stacked") if part.kind == "rows" else part for part in pair)
        kinds = {"spans"}
    if pred is not None and kinds == {"spans"} and adding.by != "sentence":
        return Added(_add_span_files(adding, corpora, (gold, pred)), adding.finder is not None)
    if pred is not None and kinds == {"documents"}:
        if adding.by == "sentence":
            raise ValueError("documents of text have no sentences on both sides; by is 'document'")
        _add_documents(adding, corpora, (gold, pred))
        return Added({}, False)
    if pred is None and not is_long(gold, corpora[0].options):
        add_table(adding, gold, corpora[0].options)
        return Added({}, False)
    if "documents" in kinds:
        message = (
            f"{gold.shown} ({gold.format}) and {pred.shown if pred else ''} ({pred.format if pred else ''}) have other "
            "tokens; compare their spans in the text with align='characters' (--align characters)"
        )
        raise with_code(AlignmentError(message), "formats", gold.path)
    if "spans" in kinds:
        _check_by_sentence(corpora)
    _add_sentences(adding, corpora, (gold, pred))
    return Added({}, False)


def _check_by_sentence(corpora: tuple[Corpus, Corpus]) -> None:
    """Refuse to leave punctuation out sentence by sentence: which it is depends on both sides.

    Raises
    ------
    ValueError
    """
    if any(corpus.options.punct_column is not None for corpus in corpora):
        raise ValueError("punct_column goes with rows of documents; leave out by='sentence'")


def _add_rows(adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]) -> None:
    gold, pred = parts
    of_gold, of_pred = (corpus.options for corpus in corpora)
    if pred is None:
        layout = columns_of(gold, of_gold).tags
        # A directory may hold tables too, which have other columns.
        first = of_gold.columns(layout.get("gold", -2), layout.get("pred", -1)).as_options()
        columns = first, first
    else:
        columns = (
            of_gold.columns(of_gold.layers()[0]).as_options(),
            of_pred.columns(of_pred.layers()[0]).as_options(),
        )
    adding.scorer.update_files(
        gold.opened(keep=True),
        None if pred is None else pred.opened(keep=True),
        columns,
        adding.finder,
        adding.align,
        adding.by == "sentence",
        adding.threads,
        adding.progress,
    )


def _add_span_files(
    adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part]
) -> dict[str, str]:
    sources = []
    for part, corpus in zip(parts, corpora, strict=True):
        options = corpus.options
        columns = options.columns(options.layers()[0], options.punct_column).as_options()
        sources.append((part.opened(keep=True), part.format, columns, options.punct_column is not None))
    golds, preds = sources
    gold = parts[0]
    own = gold.name or gold.path
    name = None if own is None else document_name(own)
    wanted = None
    if adding.finder is not None:
        wanted = adding.finder, gold.path if adding.named else None
    adding.scorer.update_span_files(golds, preds, name, wanted, adding.progress)
    settings = {"format": "+".join(sorted({part.format for part in parts}))}
    if "stacked" in settings["format"]:
        column = corpora[0].options.punct_column
        settings["punct"] = "kept" if column is None else f"ignored by column {column}"
    return settings


def add_table(adding: Adding, part: Part, options: ReadOptions, layout: Layout | None = None) -> None:
    """Add a table with a row for each sentence and a column for each side.

    Raises
    ------
    spanrs.errors.FormatError
        For damaged files, columns of another type, and spans that cannot be.
    spanrs.errors.AlignmentError
        Where a sentence is null or of two lengths, and where a document goes on after another one has begun.
    TypeError
        For columns of integers without ``vocabulary``.
    """
    layout = columns_of(part, options) if layout is None else layout
    if adding.by == "document" and layout.documents is None:
        message = f"{part.shown}: no column names the documents; name it with documents="
        raise with_code(FormatError(message), "columns", part.path)
    if not {"gold", "pred"} <= layout.tags.keys():
        there = ", ".join(tables.column_types(part))
        message = f"{part.shown}: there are no columns of gold and pred among {there}; name them with gold= and pred="
        raise with_code(FormatError(message), "columns", part.path)
    if adding.by != "document":
        layout = layout._replace(documents=None)
    runs = DocumentRuns(adding.scorer, adding.update)
    for golds, preds, rows, documents in table_sides(part, layout):
        read = id_options(part, options, layout)
        with _located(part, rows):
            if adding.by == "sentence":
                adding.update(golds, preds, [1] * len(rows), **read)
            elif adding.by is None:
                adding.update(golds, preds, None, **read)
            elif part.format == "table" and not tables.is_one_shot(part.source):
                # All rows are there, so that no document goes on, and all of them say which scheme they are in.
                adding.update(golds, preds, documents, **read)
            else:
                runs.update(golds, preds, documents, **read)
    runs.end()


def id_options(part: Part, options: ReadOptions, layout: Layout) -> dict[str, Any]:
    """Return the vocabulary and other options of integers in a table."""
    names = options.vocabulary
    if names is None:
        names = _joined_labels(part, layout)[0]
    return {} if names is None else {"vocabulary": names, "ignore_index": options.ignore_index}


def _joined_labels(part: Part, layout: Layout) -> tuple[list[str] | None, list[int] | None]:
    """Return the labels of gold and pred together, and the places of pred's in them if they are others than gold's."""
    gold, pred = (tables.class_labels(part, str(layout.tags[side])) for side in ("gold", "pred"))
    if gold is None or pred is None or gold == pred:
        return gold if gold is not None else pred, None
    both = list(dict.fromkeys((*gold, *pred)))
    return both, [both.index(name) for name in pred]


def table_sides(
    part: Part, layout: Layout, extra: str | None = None
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield gold, pred, the range of rows, and the names of documents or an extra column, batch by batch."""
    places = _joined_labels(part, layout)[1]
    gold, pred = (str(layout.tags[side]) for side in ("gold", "pred"))
    other = layout.documents if extra is None else extra
    names = [gold, pred] if other is None else [gold, pred, other]
    row = 0
    for batch in tables.batches(
        part, names, whole=part.format == "table" and not tables.is_one_shot(part.source)
    ):
        rows = range(row, row + batch.num_rows)
        with _located(part, rows):
            golds, preds = _sides(batch, gold, pred, row)
            if places is not None:
                preds = _renumbered(preds, places)
            values = None
            if extra is not None:
                values = batch.column(extra).to_pylist()
            elif other is not None:
                values = _documents(batch.column(other), other)
        yield golds, preds, rows, values
        row = rows.stop


def _renumbered(column: Any, places: Sequence[int]) -> Any:
    """Return a list column of ids with the place of each; ids beyond them, such as the ignored one, stay."""
    import numpy as np
    import pyarrow
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    offsets = pyarrow.array(np.concatenate(([0], np.cumsum(lengths))), pyarrow.int32())
    ids = pc.list_flatten(column)
    if isinstance(ids, pyarrow.ChunkedArray):
        ids = ids.combine_chunks()
    is_known = pc.and_(pc.greater_equal(ids, 0), pc.less(ids, len(places)))
    taken = pc.take(pyarrow.array(places, ids.type), pc.if_else(is_known, ids, 0))
    found = pyarrow.ListArray.from_arrays(offsets, pc.if_else(is_known, taken, ids))
    return pyarrow.chunked_array([found])


def _sides(batch: Any, gold_name: str, pred_name: str, row: int) -> tuple[Any, Any]:
    """Return gold and pred of a batch; the batch begins at this row."""
    columns = {name: batch.column(name) for name in (gold_name, pred_name)}
    for name, column in columns.items():
        if not is_list(column.type):
            message = f"the column {name!r} is of type {column.type}; it must hold one list a sentence"
            raise with_code(FormatError(message), "columns")
        if column.null_count:
            raise _misaligned(f"the sentence in row {row + first_null(column)} of {name!r} is null")
    gold, pred = columns[gold_name], columns[pred_name]
    spans = [holds_spans(column.type) for column in (gold, pred)]
    if any(spans):
        if not all(spans):
            message = f"one of {gold_name!r} and {pred_name!r} holds spans, the other one does not"
            raise with_code(FormatError(message), "columns")
        return span_tuples(gold, gold_name), span_tuples(pred, pred_name)
    _check_lengths(gold, pred, row)
    _check_nulls(gold, pred, row)
    return gold, pred


def _check_lengths(gold: Any, pred: Any, row: int) -> None:
    """Refuse sentences of two lengths, with the row in the table."""
    import numpy as np
    import pyarrow.compute as pc

    golds, preds = (pc.list_value_length(side).to_numpy(zero_copy_only=False) for side in (gold, pred))
    different = np.flatnonzero(golds != preds)
    if different.size:
        at = int(different[0])
        raise _misaligned(f"row {row + at}: gold has {golds[at]} tags, pred has {preds[at]}")


def _check_nulls(gold: Any, pred: Any, row: int) -> None:
    """Refuse tags of pred that are null, but where gold is null too; the lengths of sentences are equal."""
    import numpy as np
    import pyarrow.compute as pc
    from pyarrow import types

    tags = pc.list_flatten(pred)
    # Tokens with an ignored id in gold are left out as well, which is known further down.
    if not tags.null_count or types.is_integer(gold.type.value_type):
        return
    at = pc.and_(tags.is_null(), pc.list_flatten(gold).is_valid()).index(True).as_py()
    if at >= 0:
        ends = np.cumsum(pc.list_value_length(gold).to_numpy(zero_copy_only=False))
        sentence = int(np.searchsorted(ends, at, side="right"))
        token = at - (int(ends[sentence - 1]) if sentence else 0)
        message = (
            f"row {row + sentence}: pred has no tag at token {token}; a null in gold leaves the token out"
        )
        raise with_code(SchemeError(message), "unknown_id")


def _documents(column: Any, name: str) -> list[str]:
    if column.null_count:
        message = f"sentence {first_null(column)} has no document: {name!r} is null"
        raise with_code(FormatError(message), "columns")
    return [str(value) for value in column.to_pylist()]


@contextmanager
def _located(part: Part, rows: range) -> Iterator[None]:
    """Say in which file and rows an error is."""
    try:
        yield
    except (SpanrsError, ValueError, OverflowError) as error:
        if part.path is None:
            raise
        where = f"{part.path}: rows {rows.start} to {rows.stop - 1}"
        if not isinstance(error, SpanrsError):
            raise with_code(FormatError(f"{where}: {error}"), "spans", part.path) from error
        error.path = part.path
        error.args = (f"{where}: {error}",)
        raise


def _misaligned(message: str) -> AlignmentError:
    return with_code(AlignmentError(message), "shape")


class DocumentRuns:
    """Adds batches to a scorer, with documents that go on in the next batch.

    Parameters
    ----------
    scorer : _spanrs.Scorer
        The compiled scorer, made by document.
    update : callable
        Adds sentences: gold, pred, names of documents, options of ids.
    """

    def __init__(self, scorer: _spanrs.Scorer, update: Callable[..., None]) -> None:
        self._scorer, self._update = scorer, update
        #: The document that may go on, and those that cannot.
        self._open: str | None = None
        self._ended: set[str] = set()

    def update(self, gold: Any, pred: Any, names: list[str], **read: Any) -> None:
        """Add sentences, with the name of the document of each."""
        if not names:
            return
        if names[0] != self._open:
            self.end()
        first = next((at for at, name in enumerate(names) if name != self._open), len(names))
        self._add(gold, pred, 0, first, read)
        if first == len(names):
            return
        self.end()
        last = len(names) - 1
        while last > first and names[last - 1] == names[-1]:
            last -= 1
        if last > first:
            found = dict.fromkeys(names[first:last])
            self._check(found)
            # Refuses documents that go on within these sentences.
            self._update(gold[first:last], pred[first:last], names[first:last], **read)
            self._ended.update(found)
        self._check([names[-1]])
        self._open = names[-1]
        self._add(gold, pred, last, len(names), read)

    def end(self) -> None:
        """End the document that may go on."""
        if self._open is not None:
            self._scorer.end_document(self._open)
            self._ended.add(self._open)
            self._open = None

    def _add(self, gold: Any, pred: Any, start: int, end: int, read: dict[str, Any]) -> None:
        if end > start:
            self._update(gold[start:end], pred[start:end], None, **read)

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._ended:
                error = AlignmentError(
                    f"document {name!r} goes on after another one has begun; sort the sentences by document"
                )
                raise with_code(error, "documents")


class Chunk(NamedTuple):
    """Sentences of both sides."""

    gold: list[Any]
    """Tags or spans of each sentence."""
    pred: list[Any]
    tokens: list[Any]
    """Tokens of gold."""
    sentences: list[Sentence]
    """The sentences of gold."""
    differing: int
    """Tokens that differ."""
    examples: list[str]
    """The first of them, with their places."""


def sentence_chunks(
    corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None], align: str
) -> Iterator[Chunk]:
    """Yield the sentences of two parts side by side, as tags where both have such, else as spans.

    Schemes are found out before: the corpora are read once more for that.

    Raises
    ------
    spanrs.errors.AlignmentError
        Where one side has more sentences or tokens, or tokens differ under ``refuse``; with the places.
    """
    gold, pred = parts
    schemes = decided_schemes(corpora, parts)
    golds = _sentences(corpora[0], gold, schemes[0])
    pairs: Iterator[tuple[Any, Any]]
    if pred is None:
        layers = [("gold", "pred")]
        pairs = _both_in_each(golds, gold)
    else:
        layers = []
        pairs = zip_longest(golds, _sentences(corpora[1], pred, schemes[1]))
    shown = gold.shown, (gold if pred is None else pred).shown
    while rows := list(islice(pairs, CHUNK)):
        yield _chunk(rows, layers, shown, align)


def _both_in_each(sentences: Iterator[Sentence], part: Part) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield each sentence as both sides.

    Raises
    ------
    spanrs.errors.FormatError
        Where it has no columns of gold and pred.
    """
    for sentence in sentences:
        if not {"gold", "pred"} <= set(sentence.layers):
            message = (
                f"{part.shown}: there are no columns of gold and pred; name them with gold= and pred=, or pass the "
                "file of pred as well"
            )
            raise with_code(FormatError(message), "columns", part.path)
        yield sentence, sentence


def decided_schemes(
    corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]
) -> tuple[str | None, str | None]:
    """Return the schemes of two parts; that of pred is gold's, unless its tags are clearly in another one."""
    gold, pred = parts
    scheme = replace(corpora[0], parts=(gold,)).likely_scheme(None) if _has_tags(gold) else None
    if pred is None or not _has_tags(pred):
        return scheme, scheme
    return scheme, replace(corpora[1], parts=(pred,)).likely_scheme(scheme)


def _has_tags(part: Part) -> bool:
    return part.kind in ("rows", "table")


def _sentences(corpus: Corpus, part: Part, scheme: str | None) -> Iterator[Sentence]:
    """Yield the sentences of a part, with tags in this scheme."""
    options = corpus.options
    make = partial(Sentence, scheme=scheme or "BIO", reading=options.reading, dialect=options.dialect)
    return sentences_of(part, options, make)


def _chunk(
    rows: list[tuple[Any, Any]], layers: list[tuple[str, str]], shown: tuple[str, str], align: str
) -> Chunk:
    golds, preds, tokens, sentences = [], [], [], []
    differing = 0
    examples: list[str] = []
    for gold, pred in rows:
        if gold is None or pred is None:
            longer, side = (gold, "gold") if pred is None else (pred, "pred")
            where = f"{shown[side != 'gold']}:{longer.line}"
            message = (
                f"{where}: {side} goes on, and the other side has ended; both must hold the same sentences"
            )
            raise with_code(AlignmentError(message), "sentences", longer.path, longer.line)
        _check_pair(gold, pred, shown, both=bool(layers))
        found = _differing(gold, pred, shown)
        if found and align == "refuse":
            message = (
                f"{found[0]}; both sides must hold the same tokens, or name align='report' (--align report)"
            )
            raise with_code(AlignmentError(message), "tokens", gold.path, gold.line)
        differing += len(found) if align == "report" else 0
        examples += found[: EXAMPLES - len(examples)] if align == "report" else []
        (gold_layer, pred_layer) = layers[0] if layers else (gold.layers[0], pred.layers[0])
        if gold.tags and pred.tags:
            golds.append(gold.tags[gold_layer])
            preds.append(pred.tags[pred_layer])
        else:
            golds.append([_plain(span) for span in gold.spans[gold_layer]])
            preds.append([_plain(span) for span in pred.spans[pred_layer]])
        tokens.append(gold.tokens)
        sentences.append(gold)
    return Chunk(golds, preds, tokens, sentences, differing, examples)


def _check_pair(gold: Sentence, pred: Sentence, shown: tuple[str, str], *, both: bool) -> None:
    """Refuse sentences of several layers where each side has one, and those of other documents.

    Raises
    ------
    spanrs.errors.AlignmentError, spanrs.errors.FormatError
    """
    for sentence, name, side in ((gold, shown[0], "gold"), (pred, shown[1], "pred")):
        if not both and len(sentence.layers) > 1:
            message = (
                f"{name}: {side} has columns of {' and '.join(sentence.layers)}; "
                f"choose one: spanrs.read(...)['{sentence.layers[-1]}'], or name it with tags="
            )
            raise with_code(FormatError(message), "columns", sentence.path)
    if gold.document != pred.document and None not in (gold.document, pred.document):
        message = (
            f"{shown[0]}:{gold.line}: the sentence is of document {gold.document!r} in gold and of {pred.document!r} "
            f"in pred ({shown[1]}:{pred.line}); both sides must hold the same documents in the same order"
        )
        raise with_code(AlignmentError(message), "documents", gold.path, gold.line)


def _plain(span: Any) -> tuple[Any, ...]:
    return tuple(span[:3]) if span.tokens is None else (*span[:3], list(span.tokens))


def _differing(gold: Sentence, pred: Sentence, shown: tuple[str, str]) -> list[str]:
    """Describe the tokens that differ; sentences of other lengths are an error.

    Raises
    ------
    spanrs.errors.AlignmentError
    """
    if gold is pred or gold.tokens is None or pred.tokens is None:
        return []
    places = [f"{name}:{own.line}" for name, own in zip(shown, (gold, pred), strict=True)]
    if len(gold.tokens) != len(pred.tokens):
        message = (
            f"{places[0]}: the sentence has {len(gold.tokens)} tokens in gold and {len(pred.tokens)} in pred "
            f"({places[1]}); both sides must hold the same tokens, or name align='characters' (--align characters)"
        )
        raise with_code(AlignmentError(message), "tokens", gold.path, gold.line)
    return [
        f"{places[0]}: gold has token `{one}`, but {places[1]} (pred) has token `{other}`"
        for one, other in zip(gold.tokens, pred.tokens, strict=True)
        if one != other
    ]


def _add_sentences(adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]) -> None:
    """Add sentences of any formats as Python objects."""
    scheme, pred_scheme = decided_schemes(corpora, parts)
    if scheme is not None and (parts[1] is None or _has_tags(parts[1])):
        adding.scorer.set_schemes(scheme, None if pred_scheme == scheme else pred_scheme)
    # They are not searched for again.
    decided = zip(corpora, (scheme, pred_scheme), strict=True)
    gold, pred = (
        replace(corpus, options=replace(corpus.options, scheme=own or corpus.options.scheme))
        for corpus, own in decided
    )
    corpora = gold, pred
    runs = DocumentRuns(adding.scorer, adding.update)
    for chunk in sentence_chunks(corpora, parts, adding.align):
        if adding.by == "document":
            # What stands before the first document, and what has none, is the first one.
            names = [sentence.document or "0" for sentence in chunk.sentences]
            runs.update(chunk.gold, chunk.pred, names)
        else:
            by = [1] * len(chunk.gold) if adding.by == "sentence" else None
            adding.update(chunk.gold, chunk.pred, by)
        if chunk.differing:
            adding.scorer.add_differing(chunk.differing, chunk.examples)
    runs.end()


def _add_documents(adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part]) -> None:
    """Add documents with their annotations as spans of characters."""
    pairs = paired_documents(
        corpora, parts, adding.notes, adding.losses, compare_texts=adding.align == "refuse"
    )
    while some := list(islice(pairs, CHUNK)):
        golds, preds = [gold.spans() for _, gold, _ in some], [pred.spans() for _, _, pred in some]
        names = None if adding.by is None else [name for name, _, _ in some]
        adding.update(golds, preds, names)
