"""Adds two corpora of any formats to a scorer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from spanrs import _spanrs
from spanrs.errors import AlignmentError, FormatError, with_code
from spanrs.eval.compared_spans import check_files, of_document
from spanrs.eval.document_pairs import paired_documents
from spanrs.eval.document_runs import DocumentRuns
from spanrs.eval.documents import document_name
from spanrs.eval.matcher import Matcher
from spanrs.eval.sentence_chunks import sentence_chunks, with_decided_schemes
from spanrs.eval.table_sides import id_options, located, table_sides
from spanrs.io import Corpus, tables
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.io.sentences import Layout, columns_of, is_long
from spanrs.progress import Meter

#: Number of documents added at once.
DOCUMENTS = 256


@dataclass(frozen=True)
class Adding:
    """A scorer with the options for adding parts."""

    scorer: _spanrs.Scorer
    """The compiled scorer."""
    update: Callable[..., None]
    """Called to add sentences in memory, with gold, pred, documents and the options for ids."""
    align: str
    """What to do if tokens differ: ``refuse``, ``report`` or ``ignore``."""
    by: str | None
    """Unit of the rows of counts: ``document``, ``sentence``, or None for totals only."""
    threads: int
    progress: Callable[[int], object] | None = None
    finder: _spanrs.ErrorFinder | None = None
    """Finds the errors in column files and span files."""
    matcher: Matcher = field(default_factory=lambda: Matcher("exact"))
    """The matcher, which may change the spans of documents."""
    named: bool = False
    """Whether errors carry the path, because there are several parts."""
    notes: list[str] = field(default_factory=list)
    """Receives notes, such as how documents were paired."""
    losses: list[str] = field(default_factory=list)
    """Receives warnings about skipped annotations."""


class Added(NamedTuple):
    """Results of adding parts, besides counts."""

    settings: dict[str, str]
    """Settings that depend on the format, for the signature."""
    has_errors: bool
    """Whether ``finder`` collected the errors; otherwise a second pass is needed."""


def add_parts(adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]) -> Added:
    """Add two paired parts, or one part that contains both sides.

    Parameters
    ----------
    adding : Adding
        The scorer.
    corpora : (Corpus, Corpus)
        The corpora of the parts, for their reading options.
    parts : (Part, Part or None)
        Gold and pred; if pred is None, the gold part contains both sides.

    Raises
    ------
    OSError, spanrs.errors.SpanrsError
        If a part cannot be read, or the sides do not match.
    """
    gold, pred = parts
    if any(part is not None and part.format == "generated" for part in parts):
        raise TypeError(
            "answers of models are scored by spanrs.score, which finds their mentions in the texts"
        )
    kinds = {gold.kind} if pred is None else {gold.kind, pred.kind}
    if kinds != {"documents"}:
        check_files(adding.matcher, gold.shown)
    if kinds == {"rows"}:
        _add_rows(adding, corpora, parts)
        return Added({}, adding.finder is not None)
    if pred is not None and kinds <= {"spans", "rows"} and "stacked" in (gold.format, pred.format):
        # The format of a side without nested spans is not recognisable as stacked.
        pair = gold, pred
        gold, pred = (replace(part, format="stacked") if part.kind == "rows" else part for part in pair)
        kinds = {"spans"}
    if pred is not None and kinds == {"spans"} and adding.by != "sentence":
        return Added(_add_span_files(adding, corpora, (gold, pred)), adding.finder is not None)
    if pred is not None and kinds == {"documents"}:
        if adding.by == "sentence":
            raise ValueError(
                "texts with annotations have no sentences; use by='document' (--by-document, or --unit document "
                "of spanrs compare)"
            )
        _add_documents(adding, corpora, (gold, pred))
        return Added({}, False)
    if pred is None and gold.kind not in ("table", "records"):
        message = f"{gold.shown} ({gold.format}) contains one side; pass gold and pred"
        raise with_code(FormatError(message), "formats", gold.path)
    if pred is None and gold.kind == "table" and not is_long(gold, corpora[0].options):
        add_table(adding, gold, corpora[0].options)
        return Added({}, False)
    if "documents" in kinds:
        message = (
            f"{gold.shown} ({gold.format}) and {pred.shown if pred else ''} ({pred.format if pred else ''}) have "
            "different tokens; compare spans by their characters with align='characters' (--align characters)"
        )
        raise with_code(AlignmentError(message), "formats", gold.path)
    if "spans" in kinds:
        _check_by_sentence(corpora)
    _add_sentences(adding, corpora, (gold, pred))
    return Added({}, False)


def _check_by_sentence(corpora: tuple[Corpus, Corpus]) -> None:
    """Refuse ``punct_column`` with per-sentence rows.

    Raises
    ------
    ValueError
    """
    if any(corpus.options.punct_column is not None for corpus in corpora):
        raise ValueError("punct_column cannot be combined with by='sentence'")


def _add_rows(adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]) -> None:
    gold, pred = parts
    of_gold, of_pred = (corpus.options for corpus in corpora)
    if pred is None:
        layout = columns_of(gold, of_gold).tags
        # The options may not contain the default columns if the first file of a directory is a table.
        first = of_gold.columns(layout.get("gold", -2), layout.get("pred", -1))
        columns = first, first
    else:
        columns = (
            of_gold.columns(of_gold.layers()[0]),
            of_pred.columns(of_pred.layers()[0]),
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
        columns = options.columns(options.layers()[0], options.punct_column)
        reading = {
            "format": part.format,
            "columns": columns,
            "ignore_punct": options.punct_column is not None,
        }
        sources.append((part.opened(keep=True), reading))
    golds, preds = sources
    gold = parts[0]
    document = gold.name or gold.path
    name = None if document is None else document_name(document)
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
        For damaged files, columns of a wrong type, and impossible spans.
    spanrs.errors.AlignmentError
        If a sentence is null or differs in length between the sides, or the sentences of a document are not contiguous.
    TypeError
        For columns of integers without ``vocabulary``.
    """
    layout = columns_of(part, options) if layout is None else layout
    if adding.by == "document" and layout.documents is None:
        message = f"{part.shown}: there is no column of document names; choose one with documents="
        raise with_code(FormatError(message), "columns", part.path)
    if not {"gold", "pred"} <= layout.tags.keys():
        there = ", ".join(tables.column_types(part))
        message = f"{part.shown}: there are no columns of gold and pred among {there}; choose them with gold= and pred="
        raise with_code(FormatError(message), "columns", part.path)
    if adding.by != "document":
        layout = layout._replace(documents=None)
    runs = DocumentRuns(adding.scorer, adding.update)
    meter = Meter(adding.progress)
    for golds, preds, rows, documents in table_sides(part, layout):
        read = id_options(part, options, layout)
        with located(part, rows):
            if adding.by == "sentence":
                adding.update(golds, preds, [1] * len(rows), **read)
            elif adding.by is None:
                adding.update(golds, preds, None, **read)
            elif part.format == "table" and not tables.is_one_shot(part.source):
                # The table is complete: no document continues in a later batch, and the scheme is detected from all
                # rows.
                adding.update(golds, preds, documents, **read)
            else:
                runs.update(golds, preds, documents, **read)
        meter.add(sum(getattr(side, "nbytes", 0) for side in (golds, preds)))
    runs.end()


def _add_sentences(adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part | None]) -> None:
    """Add sentences of any formats as Python objects."""
    corpora = with_decided_schemes(adding.scorer, corpora, parts)
    runs = DocumentRuns(adding.scorer, adding.update)
    meter = Meter(adding.progress)
    without_tokens = None
    for chunk in sentence_chunks(corpora, parts, adding.align):
        if adding.by == "document":
            # Sentences without a document name belong to document 0.
            names = [sentence.document or "0" for sentence in chunk.sentences]
            runs.update(chunk.gold, chunk.pred, names)
        else:
            by = [1] * len(chunk.gold) if adding.by == "sentence" else None
            adding.update(chunk.gold, chunk.pred, by)
        if chunk.differing:
            adding.scorer.add_differing(chunk.differing, chunk.examples)
        without_tokens = without_tokens or chunk.without_tokens
        meter.add(sum(sum(map(len, tokens)) for tokens in chunk.tokens if tokens is not None))
    if without_tokens is not None:
        adding.losses.append(
            f"{without_tokens} has no tokens, so tokens are not compared, and sentences are paired by their order"
        )
    runs.end()


def _add_documents(adding: Adding, corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part]) -> None:
    """Add documents with their annotations as spans of characters."""
    pairs = paired_documents(corpora, parts, adding.notes, adding.losses, texts=adding.align)
    meter = Meter(adding.progress)
    while some := list(islice(pairs, DOCUMENTS)):
        golds = [of_document(adding.matcher, gold) for _, gold, _ in some]
        preds = [of_document(adding.matcher, pred) for _, _, pred in some]
        names = None if adding.by is None else [name for name, _, _ in some]
        adding.update(golds, preds, names)
        meter.add(sum(len(gold.text) + len(pred.text) for _, gold, pred in some))
