"""Scoring of gold and pred from any source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack, overload

from spanrs import _spanrs
from spanrs.errors import warn
from spanrs.eval import inputs
from spanrs.eval.compared_spans import of_memory
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
from spanrs.eval.generated import strings_in_memory
from spanrs.eval.matcher import Matcher
from spanrs.eval.matchers import as_matcher, document_scorer
from spanrs.eval.readings import score_readings
from spanrs.eval.result import Result
from spanrs.eval.scorer import MAX_VIOLATIONS, Scorer
from spanrs.eval.settings import with_setting
from spanrs.eval.sides import Corpora, Side, corpora_of
from spanrs.eval.strings import is_strings
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
    gold, pred : Corpus, any source accepted by :func:`spanrs.read`, or sentences in memory
        Files are read in chunks, so that memory does not grow with their size, and their tokens are compared. Files in
        directories and patterns are paired by name. Without ``pred``, gold contains both sides: a table with the
        columns ``gold`` and ``pred``, or a column file whose last two columns are gold and pred; other columns are
        chosen with ``gold=`` and ``pred=``.

        In memory, both sides are sentences of tags or spans; they must have the same sentences with the same numbers of
        tokens:

        - Lists, tuples, generators or pandas columns of sentences, each a list, tuple, array or generator of tags.
          Lists and tuples are read in place.
        - Spans (type, start, end[, tokens]) or dicts with these keys; spans may be nested, overlapping or repeated.
          Tokens are numbered from 0, and ends are exclusive; discontinuous spans have a collection of token indices.
        - With ``vocabulary``, arrays of ids, shape (sentences, tokens), or (tokens,) with ``lengths``: NumPy arrays,
          and arrays that NumPy can view without a copy (torch, JAX and others on the CPU).
        - Arrow list columns (pyarrow, Polars, pandas) with one list per sentence, of strings, of a dictionary type, or,
          with ``vocabulary``, of integers. A null in gold excludes the token.
    matcher : str or Matcher
        ``exact``; ``partial`` or :class:`spanrs.Partial`; ``fair`` or :class:`spanrs.Fair`; ``characters`` or
        :class:`spanrs.Characters`; ``strings`` or :class:`spanrs.Strings`, also for lists of answers or strings in
        memory; for documents also :class:`spanrs.mat.Mat`.
    scheme : str, optional
        IOB, BIO, IOE1, IOE2, IOBES, BILOU, BMEWO, BMES, IO or TOKEN, in any usual spelling, or ``auto``: the scheme
        with the fewest violations in gold, never TOKEN. By default the scheme of the gold corpus. Not used for spans.
    pred_scheme : str, optional
        The scheme of pred, if it differs; spans are compared, so schemes may differ. ``auto`` (the default if
        ``scheme`` is ``auto``): the scheme of gold, unless a tenth of pred's tags other than ``O`` violate this scheme
        and hardly any tag violates another scheme.
    reading : str or sequence of str, optional
        Interpretation of malformed tags, as for :func:`spanrs.tags.tags_to_spans`; by default the reading of the
        corpus. For files, several readings, or ``"all"`` for all readings of the scheme except ``refuse``, give a
        result for each reading: the files are read once for the first reading and once for all others.
    by : str, or iterable of int or str, optional
        Unit of the rows of counts, for intervals and comparisons: ``document`` or ``sentence``. For sentences in
        memory: the number of sentences in each document, in order, 1 or more, or the document name of each sentence.
    document_weights : sequence of float, optional
        Weight of each document, as for :meth:`Result.with_document_weights`. Without ``by``, every sentence is a
        document.
    align : str
        What to do if tokens or texts of the two sides differ: ``refuse`` raises an error, ``report`` counts differences
        in the result and its signature, ``ignore`` does not compare tokens; in these cases, the numbers and lengths of
        sentences must agree. ``characters`` compares spans by their characters in the text, regardless of tokens: spans
        that cannot be aligned are errors of their side, and are counted and listed.
    pairing : Pairing
        Rules for pairing the files in directories.
    on_error : str
        ``raise``, or ``skip`` to skip files that cannot be scored: ``result.evidence.skipped`` lists the skipped files
        with the reasons.
    errors : bool or int
        Whether to keep the errors under the matcher's default criterion in ``result.errors``: True for all errors, or
        the maximum number of errors of each kind. Errors in files have lines and tokens.
    details : bool
        Whether to keep the outcome of each span under each criterion, for sentences in memory and for
        :class:`spanrs.mat.Mat`.
    tokens : iterable of sequences of str, int or str, optional
        For sentences in memory, the tokens of each sentence, shown with errors; otherwise a column, as for
        :func:`spanrs.read`.
    max_violations : int
        Maximum number of violations to keep per side; all violations are counted.
    threads : int or None
        Number of threads for ids, Arrow columns, large uncompressed column files and several files; 0 and None mean
        one per processor. The result does not depend on the number of threads. Lists are read by one thread.
    progress : callable, optional
        Called periodically with the number of bytes read so far, after decompression; with several files, the number of
        bytes in completed files. For tables, the bytes of columns are counted; for documents, the characters of texts.
        With ``auto``, the count may restart.
    store : path, optional
        Path of a file to which the result is written. Until all files are scored, the results of completed files are
        stored in a directory next to this path, so that an interrupted run can be continued: a file is scored again
        only if its content or the options have changed.
    **options
        Options of :func:`spanrs.read` for sides that are not yet read, such as ``format``, ``tags``, ``gold`` and
        ``pred`` (the columns of the sides), ``documents``, ``annotator``, ``separator``. For sentences in memory:
        ``vocabulary``, ``ignore_index`` (tokens whose gold id has this value are ignored on both sides), ``lengths``
        (number of tokens in each sentence; padding is ignored) and ``mask`` (the tokens to score, with the same shape
        as the ids).

    Returns
    -------
    Result, or dict of str to Result
        The result, with measures, counts, violations and signature; with several readings, a result for each reading.

    Raises
    ------
    OSError
        If a file cannot be opened.
    spanrs.errors.AlignmentError
        If the sentences or tokens of the two sides differ; raised at the first difference, with both locations.
    spanrs.errors.FormatError
        For malformed files and tables, with the location.
    spanrs.errors.SchemeError
        For unknown names, ids outside the vocabulary, or malformed tags under ``refuse``.
    spanrs.errors.LimitError
        If the input exceeds a limit, or has too many overlapping spans for optimal partial matching.
    TypeError
        For ambiguous or contradictory sides, or options that do not apply to the sides.
    ValueError
        For values out of range, a number of weights that differs from the number of documents, or spans without tokens.

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
    if is_strings(matcher):
        gold, pred = strings_in_memory(gold), strings_in_memory(pred)
    corpora = corpora_of(gold, pred, arguments)
    several = reading == "all" or isinstance(reading, (list, tuple))
    if corpora is None:
        if is_strings(matcher):
            raise TypeError(
                "the strings matcher compares texts; pass files, documents, or for each text its answer (str) or its "
                "pairs of type and string"
            )
        if several:
            raise ValueError("several readings are only supported for files; call score for each reading")
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
    """Turn off buffering for streams that were opened by this call and are read only once."""
    parts = [part for corpus in corpora if corpus is not None for part in corpus.parts]
    if not any(isinstance(part.source, _spanrs.Source) for part in parts):
        return
    options = options.of_corpora(corpora)
    schemes = options.scheme or "auto", options.pred_scheme or options.scheme or "auto"
    if any(map(is_auto, schemes)) or options.align == "characters":
        # Detection and alignment require more passes.
        return
    if document_scorer(options.matcher) is not None or any(part.kind != "rows" for part in parts):
        return
    for side, corpus in zip(sides, corpora, strict=True):
        if corpus is not None and not isinstance(side, Corpus) and len(corpus.options.layers()) == 1:
            for part in corpus.parts:
                if isinstance(part.source, _spanrs.Source):
                    part.source.read_once()


def _check_memory(**given: Any) -> None:
    """Refuse options for files if both sides are sentences in memory.

    Raises
    ------
    TypeError
    """
    usual = {"pairing": Pairing(), "on_error": "raise", "progress": None, "store": None}
    for name, value in given.items():
        if value is not usual[name] and value != usual[name]:
            raise TypeError(f"{name} is an option for files, but gold and pred are sentences in memory")


def _align_of_memory(align: str) -> str:
    if align == "characters":
        raise ValueError(
            "align='characters' needs tokens or texts, but sentences in memory consist of tags"
        )
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
    gold, pred = of_memory(scorer.matcher, gold, pred)
    by_sentence = isinstance(by, str) and by == "sentence"
    if by_sentence or (is_weighted and by is None):
        gold = inputs.reiterable(gold)
        by = [1] * inputs.count_sentences(gold, lengths)
    scorer.update_sentences(gold, pred, by, **arguments)
    result = scorer.taken()
    if scorer.matcher.unit is not None:
        is_spans = "vocabulary" not in arguments and inputs.are_spans(gold, pred)
        unit = "positions" if is_spans else scorer.matcher.unit
        result = replace(result, settings=with_setting(result.settings, "unit", unit))
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
