"""Scoring of gold and pred in any form."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack, overload

from spanrs import _spanrs
from spanrs.errors import warn
from spanrs.eval import inputs
from spanrs.eval.corpora import ScoreOptions, score_corpora
from spanrs.eval.details import (
    ErrorList,
    IdOptions,
    errors_to_keep,
    find_errors,
    list_details,
    reader_of,
    span_lists,
    with_tokens,
)
from spanrs.eval.matchers import Matcher, as_matcher, document_scorer
from spanrs.eval.readings import score_readings
from spanrs.eval.result import Result
from spanrs.eval.scorer import MAX_VIOLATIONS, Scorer
from spanrs.eval.sides import Corpora, Side, corpora_of
from spanrs.io import Corpus, Pairing
from spanrs.io.options import LayoutArguments
from spanrs.tags.types import IGNORE_INDEX, Dialect, is_auto


@overload
def score(
    gold: Side,
    pred: Side = ...,
    /,
    *,
    matcher: str | Matcher = ...,
    scheme: str | None = ...,
    pred_scheme: str | None = ...,
    reading: str | None = ...,
    by: str | Iterable[int] | Iterable[str] | None = ...,
    document_weights: Sequence[float] | None = ...,
    align: str = ...,
    pairing: Pairing = ...,
    on_error: str = ...,
    errors: bool | int = ...,
    details: bool = ...,
    tokens: Any = ...,
    max_violations: int = ...,
    threads: int | None = ...,
    progress: Callable[[int], object] | None = ...,
    store: str | os.PathLike[str] | None = ...,
    **options: Unpack[LayoutArguments],
) -> Result: ...
@overload
def score(
    gold: Side, pred: Side = ..., /, *, reading: list[str] | tuple[str, ...], **options: Any
) -> dict[str, Result]: ...
def score(
    gold: Side,
    pred: Side = None,
    /,
    *,
    matcher: str | Matcher = "exact",
    scheme: str | None = None,
    pred_scheme: str | None = None,
    reading: str | Sequence[str] | None = None,
    by: str | Iterable[int] | Iterable[str] | None = None,
    document_weights: Sequence[float] | None = None,
    align: str = "refuse",
    pairing: Pairing = Pairing(),
    on_error: str = "raise",
    errors: bool | int = False,
    details: bool = False,
    tokens: Any = None,
    max_violations: int = MAX_VIOLATIONS,
    threads: int | None = 1,
    progress: Callable[[int], object] | None = None,
    store: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Result | dict[str, Result]:
    r"""Score pred against gold: files, directories, tables, documents or sentences in memory, with any matcher.

    Parameters
    ----------
    gold, pred : Corpus, what :func:`spanrs.read` takes, or sentences in memory
        Files are read in chunks, so that memory does not grow with them, and their tokens are compared. Files of
        directories and patterns are paired by name. Without ``pred``, gold holds both sides: a table with the columns
        ``gold`` and ``pred``, or a column file whose last two columns are gold and pred; ``gold=`` and ``pred=`` name
        others.

        In memory, sentences of tags or spans; the two sides have the same sentences with the same number of tokens:

        - Lists, tuples, generators, pandas columns of sentences, each a list, tuple, array or generator of tags. Lists
          and tuples are read in place.
        - Spans (type, start, end[, tokens]) or dicts with these keys, flat, nested, overlapping or twice the same:
          tokens from 0, ends exclusive, and where a span has not all tokens between its bounds a collection of those
          it has.
        - With ``vocabulary`` arrays of ids, shape (sentences, tokens), or (tokens,) with ``lengths``: numpy, and arrays
          that numpy can view without a copy (torch, JAX and others on the CPU).
        - Arrow list columns (pyarrow, Polars, pandas), one list a sentence, of strings, of a dictionary, or with
          ``vocabulary`` of integers. A null in gold leaves the token out.
    matcher : str or Matcher
        ``exact``; ``partial`` or :class:`spanrs.Partial`; ``fair`` or :class:`spanrs.Fair`; for documents also
        :class:`spanrs.mat.Mat`.
    scheme : str, optional
        IOB, BIO, IOE1, IOE2, IOBES, BILOU, BMEWO, BMES, IO or TOKEN, in any usual spelling, or ``auto``: the scheme
        gold violates least, never TOKEN. That of the corpus of gold if not given. Not used for spans.
    pred_scheme : str, optional
        The scheme of pred, if it differs; spans are compared, so schemes may differ. ``auto`` (the
        default where ``scheme`` is): that of gold, unless a tenth of pred's tags other than ``O`` violate it and hardly
        any another one.
    reading : str or sequence of str, optional
        What malformed tags mean, as for :func:`spanrs.tags.tags_to_spans`; that of the corpus if not given. Several of
        files, or ``"all"`` that are defined for the scheme but ``refuse``, give a result for each: the files are read
        once for the first and once for all others.
    by : str, or iterable of int or str, optional
        Unit of the rows of counts, for intervals and comparisons: ``document``, ``sentence``; for sentences in memory
        the sizes of documents in order, 1 or more, or the name of the document of each sentence.
    document_weights : sequence of float, optional
        Weight of each document, as for :meth:`Result.with_document_weights`. Without ``by`` every sentence is a
        document.
    align : str
        What to do if tokens or texts of the two sides differ: ``refuse`` is an error, ``report`` counts them in the
        result and its signature, ``ignore`` does not compare them; sentences and their lengths must agree in any case.
        ``characters`` compares spans by their characters in the text, whatever the tokens: spans that cannot be aligned
        are errors of their side, and are counted and listed.
    pairing : Pairing
        How files of directories are paired.
    on_error : str
        ``raise``, or ``skip`` to score what can be scored: ``result.evidence.skipped`` lists the files that were not,
        and why.
    errors : bool or int
        Keep the errors under the matcher's criterion for ``result.errors``: all, or that many of each kind. Those of
        files have lines and tokens.
    details : bool
        Also keep the outcome of each span under each criterion, for sentences in memory and for
        :class:`spanrs.mat.Mat`.
    tokens : iterable of sequences of str, int or str, optional
        For sentences in memory the tokens of each, to be shown with errors; else a column, as for :func:`spanrs.read`.
    max_violations : int
        Violations to keep per side; all are counted.
    threads : int or None
        Threads for ids, Arrow columns, large uncompressed column files and several files; 0 and None mean one per
        processor. The result does not depend on it. Lists are read by one thread.
    progress : callable, optional
        Called periodically with the bytes read so far, after decompression; with several files, with those of completed
        files. For tables these are the bytes of their columns, for documents the characters of their texts.
        ``auto`` may start again.
    store : path, optional
        Write the result there. Until all files are scored, those that are done wait in a folder beside it, so that a
        run that was interrupted continues where it was: a file is scored again only if its content or the options
        changed.
    **options
        Those of :func:`spanrs.read` for a side that is not read yet, such as ``format``, ``tags``, ``gold`` and
        ``pred`` (the names of columns), ``documents``, ``annotator``, ``separator``; of sentences in memory
        ``vocabulary``, ``ignore_index`` (tokens where gold has this id are left out on both sides), ``lengths`` (tokens
        of each sentence; padding after them is ignored) and ``mask`` (same shape as the ids:
        the tokens to score).

    Returns
    -------
    Result, or dict of str to Result
        Measures, counts, violations, signature; with several readings one result each.

    Raises
    ------
    OSError
        If a file cannot be opened.
    spanrs.errors.AlignmentError
        If the sentences or tokens of the two sides differ; at the first difference, with both places.
    spanrs.errors.FormatError
        For malformed files and tables, with the place.
    spanrs.errors.SchemeError
        For unknown names, ids outside the vocabulary, and malformed tags under ``refuse``.
    spanrs.errors.LimitError
        For input beyond a limit, and too many overlapping spans for optimal partial matching.
    TypeError
        For ambiguous or contradictory sides, and options that do not apply to them.
    ValueError
        For values out of range, another number of weights than documents, and spans without tokens.

    Examples
    --------
    >>> import spanrs
    >>> gold = [["O", "B-PER", "I-PER"], ["B-LOC", "O"]]
    >>> pred = [["O", "B-PER", "O"], ["B-LOC", "O"]]
    >>> spanrs.score(gold, pred).micro.f1
    0.5
    >>> ids = [[0, 1, 2], [3, 0, -100]]
    >>> spanrs.score(ids, ids, vocabulary=["O", "B-PER", "I-PER", "B-LOC"]).micro.f1
    1.0
    >>> [row.totals.tp for row in spanrs.score(gold, pred, by=["first", "second"]).documents]
    [0, 1]
    >>> import io
    >>> both = io.BytesIO(b"EU B-ORG B-ORG\nrejects O O\n\nRio B-LOC O\n")
    >>> spanrs.score(both).totals
    Totals(tp=1, fp=0, fn=1)
    """
    arguments: dict[str, Any] = dict(options)
    if tokens is not None:
        arguments["tokens"] = tokens
    corpora = corpora_of(gold, pred, arguments)
    several = reading == "all" or isinstance(reading, (list, tuple))
    if corpora is None:
        if several:
            raise ValueError("several readings are supported for files only; call score for each of them")
        scorer = Scorer(
            scheme="auto" if scheme is None else scheme,
            reading="conlleval" if reading is None else reading,  # type: ignore[arg-type]  # one
            matcher=matcher,
            pred_scheme=pred_scheme,
            vocabulary=arguments.pop("vocabulary", None),
            align=_align_of_memory(align),
            dialect=arguments.pop("dialect", Dialect()),
            max_violations=max_violations,
            by=None if by is None and document_weights is None else "document",
            threads=threads,
        )
        _check_memory(pairing=pairing, on_error=on_error, progress=progress, store=store)
        result = _score_memory(
            gold,
            pred,
            arguments,
            scorer,
            by=by,
            is_weighted=document_weights is not None,
            errors=errors,
            details=details,
        )
    else:
        asked = ScoreOptions(
            matcher=as_matcher(matcher, of_texts=True),
            scheme=scheme,
            pred_scheme=pred_scheme,
            reading=None if several else reading,  # type: ignore[arg-type]  # one
            by="document" if by is None and document_weights is not None else by,
            align=align,
            pairing=pairing,
            on_error=on_error,
            errors=bool(errors),
            most_errors=errors_to_keep(errors),
            details=details,
            max_violations=max_violations,
            threads=threads,
            progress=progress,
        )
        if not (several or errors):
            _read_once((gold, pred), corpora, asked)
        if several:
            if store is not None or on_error != "raise":
                raise ValueError("store and on_error are not supported with several readings")
            results = score_readings(corpora, None if reading == "all" else list(reading or ()), asked)
            if document_weights is None:
                return results
            weights = list(document_weights)
            return {name: result.with_document_weights(weights) for name, result in results.items()}
        result = score_corpora(corpora, asked, store)
    warn(result.warnings)
    return result if document_weights is None else result.with_document_weights(document_weights)


def _read_once(sides: tuple[Side, Side], corpora: Corpora, options: ScoreOptions) -> None:
    """Turn off buffering of streams that were opened by this call and are read only once."""
    parts = [part for corpus in corpora if corpus is not None for part in corpus.parts]
    if not any(isinstance(part.source, _spanrs.Source) for part in parts):
        return
    options = options.of_corpora(corpora)
    schemes = options.scheme or "auto", options.pred_scheme or options.scheme or "auto"
    if any(map(is_auto, schemes)) or options.align == "characters":
        # Detection and alignment take more passes.
        return
    if document_scorer(options.matcher) is not None or any(part.kind != "rows" for part in parts):
        return
    for side, corpus in zip(sides, corpora, strict=True):
        if corpus is not None and not isinstance(side, Corpus) and len(corpus.options.layers()) == 1:
            for part in corpus.parts:
                if isinstance(part.source, _spanrs.Source):
                    part.source.read_once()


def _check_memory(**given: Any) -> None:
    """Refuse options of files where both sides are sentences in memory.

    Raises
    ------
    TypeError
    """
    usual = {"pairing": Pairing(), "on_error": "raise", "progress": None, "store": None}
    for name, value in given.items():
        if value is not usual[name] and value != usual[name]:
            raise TypeError(f"{name} is an option of files, and gold and pred are sentences in memory")


def _align_of_memory(align: str) -> str:
    if align == "characters":
        raise ValueError("align='characters' needs tokens or texts, which sentences of tags in memory lack")
    return align


def _score_memory(
    gold: Side,
    pred: Side,
    arguments: dict[str, Any],
    scorer: Scorer,
    *,
    by: Any,
    is_weighted: bool,
    errors: bool | int,
    details: bool,
) -> Result:
    """Score sentences in memory."""
    most_errors = errors_to_keep(errors)
    tokens = arguments.pop("tokens", None)
    lengths = arguments["lengths"] = inputs.reiterable(arguments.get("lengths"))
    mask = arguments.get("mask")
    if details or errors:
        # Both sides are read twice.
        gold, pred = (
            inputs.reiterable(inputs.without_nulls(side), sentences=True) for side in (gold, pred)
        )
        mask = arguments["mask"] = inputs.reiterable(mask, sentences=True)
    by_sentence = by == "sentence"
    if by_sentence or (is_weighted and by is None):
        gold = inputs.reiterable(gold)
        by = [1] * inputs.count_sentences(gold, lengths)
    scorer.update_sentences(gold, pred, by, **arguments)
    result = scorer.taken()
    if by_sentence:
        result = replace(result, by_sentence=True)
    if details or errors:
        reader = reader_of(result.settings, result.settings["reading"], scorer.dialect)
        ids = IdOptions(scorer.vocabulary, arguments.get("ignore_index", IGNORE_INDEX), lengths, mask)
        lists = span_lists(gold, pred, reader, ids)
        if details:
            result = replace(result, details=list_details(*lists, scorer.matcher))
        if errors:
            error_list = find_errors(*lists, scorer.matcher, most_errors)
            result = replace(result, errors=_with_tokens(error_list, tokens, result.sentences))
    return result


def _with_tokens(errors: ErrorList, tokens: Iterable[Sequence[str]] | None, sentences: int) -> ErrorList:
    """Add the tokens of each sentence to the errors that were kept."""
    if tokens is None:
        return errors
    texts = inputs.sentences_of_tokens(tokens, sentences)
    return replace(errors, errors=[with_tokens(error, texts[error.sentence]) for error in errors])
