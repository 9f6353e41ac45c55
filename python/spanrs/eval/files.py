"""Scoring whole files of tags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, overload

from spanrs import _spanrs
from spanrs.errors import FormatError, as_integer, warn, with_code
from spanrs.eval.details import errors_to_keep, file_error_finder, file_error_list
from spanrs.eval.evidence import merge_evidence
from spanrs.eval.matchers import Matcher, criteria
from spanrs.eval.result import Result
from spanrs.eval.scorer import MAX_VIOLATIONS, Scorer
from spanrs.eval.settings import merged_settings, with_setting
from spanrs.eval.warnings import FORGOTTEN
from spanrs.io import Columns, Source
from spanrs.io.sources import check_source, open_source, source_name
from spanrs.tags.files import odd_sentences
from spanrs.tags.types import Dialect, is_auto

#: Number of violations that have to be unknown tags for a file to be taken for one of tokens alone.
UNKNOWN_TAGS = 10
#: What is counted once for several layers of tags of the same tokens.
ONCE = ("sentences", "differing_tokens", "unaligned_files")


@overload
def score_files(gold: Source, pred: Source | None = ..., *args: Any, **options: Any) -> Result: ...
@overload
def score_files(
    gold: Source, pred: list[Source] | tuple[Source, ...], *args: Any, **options: Any
) -> dict[str, Result]: ...
def score_files(
    gold: Source,
    pred: Source | Sequence[Source] | None = None,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    matcher: str | Matcher = "exact",
    columns: Columns = Columns(),
    pred_columns: Columns | None = None,
    dialect: Dialect = Dialect(),
    max_violations: int = MAX_VIOLATIONS,
    by_document: bool = False,
    by_sentence: bool = False,
    errors: bool | int = False,
    pred_scheme: str | None = None,
    on_misaligned: str = "refuse",
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Result | dict[str, Result]:
    r"""Score a column file against another, several against one, or two columns of one file.

    Files are read in chunks, so memory does not grow with them. Tokens are compared; documents are those
    of gold (``-DOCSTART-`` lines and ``# newdoc`` comments).

    Parameters
    ----------
    gold : path or binary file object
        Plain, gzip or zstd.
    pred : path or binary file object, or a list of them
        Each of several is scored by itself. Without ``pred``, gold holds both: its tags in ``columns.tag``, those of
        pred in ``columns.second`` (the last column, where neither is named).
    scheme, pred_scheme, reading, matcher, dialect, max_violations
        As for :func:`spanrs.score`. ``auto`` looks at the beginning of gold first.
    columns : Columns
        Where things stand in gold, and in pred too unless ``pred_columns`` says otherwise. Several columns of
        tags are layers of nested annotations: spans are matched within their layer and counted together.
    pred_columns : Columns, optional
        Where things stand in pred.
    by_document : bool
        Keep a row of counts for each document.
    by_sentence : bool
        Keep a row of counts for each sentence instead, for intervals and comparisons.
    errors : bool or int
        Keep the errors for ``result.errors``, with their lines and tokens: all, or that many of each kind.
    on_misaligned : str
        What to do where tokens of gold and pred differ: ``refuse`` is an error, ``report`` counts them in the
        result and its signature, ``ignore`` does not compare them. Sentences and their lengths must agree in
        any case.
    threads : int
        Threads for large uncompressed column files, which are cut between sentences; 0 is one a processor. The result
        does not depend on it. Files with rows of documents are read by one thread.
    progress : callable, optional
        Called now and then with the bytes read so far, after decompression; ``auto`` may begin anew.

    Returns
    -------
    Result, or dict of str to Result
        Its violations carry lines. For a list of pred a result for each, by its path as it was given.

    Raises
    ------
    OSError
        Where a file cannot be opened.
    spanrs.errors.AlignmentError
        At the first token or sentence that differs, with both places.
    spanrs.errors.FormatError, spanrs.errors.LimitError
        Where a file is no column file, with the place; also where it has tokens and no tags.
    spanrs.errors.SchemeError
        For unknown names, and malformed tags under ``refuse``.
    ValueError
        Where two files of a list have one name, and for ``by_document`` together with ``by_sentence``.

    Examples
    --------
    >>> import io, spanrs
    >>> both = io.BytesIO(b"EU B-ORG B-ORG\nrejects O O\n\nRio B-LOC O\n")
    >>> spanrs.score_files(both).totals
    Totals(tp=1, fp=0, fn=1)
    """
    most_errors = errors_to_keep(errors)
    of_pred = columns if pred_columns is None else pred_columns
    options: dict[str, Any] = {
        "scheme": scheme,
        "reading": reading,
        "matcher": matcher,
        "pred_scheme": pred_scheme,
        "on_misaligned": on_misaligned,
        "dialect": dialect,
        "max_violations": as_integer(max_violations, "max_violations"),
        "by_document": by_document or by_sentence,
        "threads": threads,
    }
    if by_document and by_sentence:
        raise ValueError("rows are of documents or of sentences; name by_document or by_sentence")
    kept = FilesOptions(by_sentence, bool(errors), most_errors, progress)
    named: dict[str, Any] = {"": pred}
    if isinstance(pred, (list, tuple)):
        named = {}
        for one in pred:
            check_source(one)
            name = source_name(one)
            if named.setdefault(name, one) is not one:
                raise ValueError(f"{name} is named twice")
    if hasattr(gold, "read") and any(one is gold for one in named.values()):
        raise TypeError("gold and pred are one file object; open the file twice")
    # For ``auto`` the beginning is read first.
    auto = is_auto(scheme) or is_auto(pred_scheme or "")
    rereads = auto or len(_layers(columns)) > 1
    opened = open_source(gold, keep=rereads or len(named) > 1)
    results = {
        name: _score_pair(
            opened,
            None if one is None else open_source(one, keep=rereads),
            columns,
            of_pred,
            kept,
            **options,
        )
        for name, one in named.items()
    }
    for result in results.values():
        warn(result.warnings)
    return results if isinstance(pred, (list, tuple)) else results[""]


class FilesOptions(NamedTuple):
    """What is kept of files besides counts."""

    by_sentence: bool
    errors: bool
    most_errors: int | None
    progress: Callable[[int], object] | None


def _score_pair(
    gold: _spanrs.Source,
    pred: _spanrs.Source | None,
    columns: Columns,
    pred_columns: Columns,
    kept: FilesOptions,
    **options: Any,
) -> Result:
    """Score a file with a scorer of these options for each layer of tags; the others are as for :func:`score_files`."""
    layers, pred_layers = _layers(columns), _layers(pred_columns)
    if pred is None and len(layers) > 1:
        raise ValueError(
            "layers of tags are scored of two files; one file holds one column of gold and one of pred"
        )
    if len(layers) != len(pred_layers):
        raise ValueError(f"gold has {len(layers)} columns of tags, pred has {len(pred_layers)}")
    if pred is None:
        layers = [last_two_columns(layers[0])]

    def score_layer(at: int, **schemes: str) -> Result:
        # _refuse_tokens_as_tags needs some examples.
        most = options["max_violations"]
        scorer = Scorer(**(options | schemes | {"max_violations": max(most, UNKNOWN_TAGS)}))
        files = (gold, pred, layers[at], pred_layers[at], kept.progress)
        finder = None
        if kept.errors:
            finder = file_error_finder(scorer.matcher, kept.most_errors)
        scorer.update_files(*files, by_sentence=kept.by_sentence, errors=finder)
        result = replace(scorer.result(), by_sentence=kept.by_sentence)
        _refuse_tokens_as_tags(result, gold, pred)
        result = replace(result, evidence=result.evidence.first(most))
        if finder is not None:
            found = file_error_list(finder.finish(), scorer.matcher, kept.most_errors)
            result = replace(result, error_list=found)
        return result

    with _explaining_one_column(both=pred is None):
        results = [score_layer(at) for at in range(len(layers))]
    # The layer with most spans says in which schemes all of them are.
    largest = max(results, key=_spans).settings
    schemes = {name: largest[name] for name in ("scheme", "pred_scheme") if name in largest}
    for at, result in enumerate(results):
        if {name: result.settings.get(name) for name in schemes} != schemes:
            results[at] = score_layer(at, **schemes)
    first = results[0]
    odd = odd_sentences(gold.name, first.sentences, first.tokens)
    joined = join_layers(results, [layer.tag for layer in layers]) if len(layers) > 1 else first
    warnings = tuple(dict.fromkeys((*joined.evidence.warnings, *odd)))
    return replace(joined, evidence=replace(joined.evidence, warnings=warnings))


@contextmanager
def _explaining_one_column(*, both: bool) -> Iterator[None]:
    """Replace the error about the default column -2 by one that says that the file has one column.

    ``both`` tells that one file holds gold and pred.
    """
    try:
        yield
    except FormatError as error:
        if not both or error.code != "no_column" or "no column -2: " not in str(error):
            raise
        message = (
            f"{error.path}:{error.line}: the file has one column, and one file with gold and pred has three or more: "
            "tokens, gold, pred; name the file of pred as well, or the separator of the columns"
        )
        raise with_code(FormatError(message), error.code, error.path, error.line) from None


def _refuse_tokens_as_tags(result: Result, gold: _spanrs.Source, pred: _spanrs.Source | None) -> None:
    """Refuse a side whose tags are tokens, because its file has one column.

    A file of tags alone is one column, too, so that only the tags tell. Their scores would be 0, which looks like
    those of a bad model.

    Raises
    ------
    spanrs.errors.FormatError
        Where a file has one column, and a side has no span although most of its tags are not ``O``, and the first of
        them are no tags of the scheme.
    """
    numbers = result._unweighted_corpus
    if not numbers.get("unaligned_files"):
        return
    for side, source in (("gold", gold), ("pred", pred)):
        labelled, found = numbers[f"{side}_labelled"], result.violations[side]
        first = [place.violation for place in found.first]
        unknown = bool(first) and all(violation.kind == "Unknown Tag" for violation in first)
        tp, fp, fn = result[result.criterion.support].totals
        spans = tp + (fn if side == "gold" else fp)
        if (
            source is None
            or not unknown
            or spans
            or labelled * 2 <= numbers["tokens"]
            or found.count < labelled
        ):
            continue
        if any(FORGOTTEN.fullmatch(violation.current) for violation in first):
            # Labels without their names; there is a warning of their own.
            continue
        name, line = source.name, found.first[0].line
        scheme = result.settings.get(f"{side}_scheme", result.settings["scheme"])
        message = (
            f"{name}:{line}: no column of tags: {side} has no span, its first tags other than O are none of {scheme} "
            f"(`{first[0].current}`), and gold or pred has one column, which is read as tags; "
            "give a file with tokens and tags"
        )
        raise with_code(FormatError(message), "no_column", name, line)


def last_two_columns(columns: Columns) -> Columns:
    """Return where both sides are in one file: the last two columns, unless others are named."""
    if columns.second is not None:
        return columns
    return columns._replace(tag=-2 if columns.tag == -1 else columns.tag, second=-1)


def _layers(columns: Columns) -> list[Columns]:
    """Give the columns of each layer of tags."""
    if not isinstance(columns, Columns):
        raise TypeError(
            f"columns is a spanrs.io.Columns, such as Columns(tag=2), not {type(columns).__name__}"
        )
    tags = columns.tag if isinstance(columns.tag, tuple) else (columns.tag,)
    for tag in tags:
        columns._replace(tag=tag).as_options()
    if len(set(tags)) < len(tags):
        raise ValueError(f"a column of tags is named twice: {', '.join(map(str, tags))}")
    return [columns._replace(tag=tag) for tag in tags]


def _spans(result: Result) -> float:
    """Give the number of spans of gold and pred together."""
    tp, fp, fn = result[result.criterion.support].totals
    return 2 * tp + fp + fn


def join_layers(results: Sequence[Result], columns: Sequence[object]) -> Result:
    """Add the results of layers of nested annotations: several columns of tags for the same tokens, as in GermEval.

    Spans are matched within their layer and counted together. Sentences and documents count once; tokens, which
    have a tag in each layer, count once a layer.
    """
    first = results[0]
    settings: Any = first.settings
    counts = first.counts
    corpus = criteria(first.matcher.name)["corpus"]
    again = [at for at, name in enumerate(corpus.outcomes) if name not in ONCE]
    for result in results[1:]:
        settings = merged_settings(settings, result.settings)
        counts = counts.join(result.counts, corpus.index, again)
    layers = [result.evidence for result in results]
    merged = merge_evidence(layers, [0] * len(layers))
    evidence = replace(
        merged,
        # Sentences are those of the same file, so they keep their numbers.
        located={
            side: sorted(places, key=lambda place: place.sentence)
            for side, places in merged.located.items()
        },
        # Tokens were compared once a layer.
        differing=layers[0].differing,
        # Each layer warns that the others are not read; what all say is about the file.
        warnings=tuple(m for m in layers[0].warnings if all(m in other.warnings for other in layers)),
    )
    settings = with_setting(settings, "columns", ",".join(map(str, columns)))
    errors = first.error_list
    lists = [result.error_list for result in results[1:]]
    if errors is not None and None not in lists:
        errors = errors.merge([one for one in lists if one is not None], [0] * len(results))
    return replace(first, counts=counts, settings=settings, evidence=evidence, error_list=errors)
