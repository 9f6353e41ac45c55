"""Kinds of gold and pred: corpora, sources for :func:`spanrs.read`, or sentences in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

from spanrs import _spanrs
from spanrs.eval.inputs import is_arrow
from spanrs.io import Corpus, Document
from spanrs.io.docbin import is_doc
from spanrs.io.documents import ANNOTATED
from spanrs.io.options import NAMES
from spanrs.io.parts import TAGGED
from spanrs.io.reader import read_both, read_stream, refuse
from spanrs.io.tables import is_table

#: Gold or pred: a corpus, a source for :func:`spanrs.read`, or sentences in memory.
Side: TypeAlias = Any

#: Reading options that apply to sentences in memory.
OF_MEMORY = ("scheme", "reading", "dialect", "vocabulary", "ignore_index", "lengths", "mask")


class Corpora(NamedTuple):
    """Two corpora, or one corpus that contains both sides."""

    gold: Corpus
    pred: Corpus | None


def corpora_of(gold: Side, pred: Side, arguments: Mapping[str, Any]) -> Corpora | None:
    """Return the corpora of two sides; None for sentences in memory.

    Parameters
    ----------
    gold, pred : object
        Same as for :func:`spanrs.score`.
    arguments : mapping
        Reading options by name, which are applied to each side that is not yet a corpus.

    Raises
    ------
    TypeError
        For ambiguous or contradictory sides, options that apply to no side, or unknown options; the message suggests
        what to pass instead.
    """
    for name in arguments:
        if name not in NAMES:
            raise TypeError(
                f"unknown option {name!r}; it is neither an argument of score nor of spanrs.read"
            )
    if pred is None:
        return _both_in_one(gold, arguments)
    if (
        gold is pred
        and (hasattr(gold, "read") or hasattr(gold, "read_next_batch"))
        and not isinstance(gold, Corpus)
    ):
        raise TypeError("gold and pred are the same file object; open the file twice")
    readable = [is_readable("gold", gold), is_readable("pred", pred)]
    if not any(readable):
        _check_memory(arguments)
        return None
    if not all(readable):
        side, partner = ("gold", "pred") if readable[0] else ("pred", "gold")
        kind = type(pred if readable[0] else gold).__name__
        raise TypeError(
            f"{side} is a source for spanrs.read, but {partner} is a {kind} in memory; pass two files, tables or "
            f"documents, or the sentences of both: [sentence.tags['tags'] for sentence in spanrs.read({side})]"
        )
    if isinstance(gold, Corpus) and isinstance(pred, Corpus) and arguments:
        raise TypeError(
            f"both sides are already corpora; pass {', '.join(arguments)} to spanrs.read instead"
        )
    for name in ("gold", "pred"):
        if arguments.get(name) is not None:
            raise TypeError(
                f"{name}= selects a column in a single source with both sides; for two sources select the column with "
                f"tags=, or read each side with spanrs.read({name}, tags=...)"
            )
    return Corpora(*read_both((gold, arguments), (pred, arguments)))


def with_schemes(
    corpora: tuple[Corpus, Corpus], schemes: tuple[str, str], reading: str
) -> tuple[Corpus, Corpus]:
    """Apply the schemes and the reading to corpora whose tags are read in Python."""
    gold, pred = (
        corpus
        if (scheme, reading) == (corpus.options.scheme, corpus.options.reading)
        else replace(corpus, options=replace(corpus.options, scheme=scheme, reading=reading))
        for corpus, scheme in zip(corpora, schemes, strict=True)
    )
    return gold, pred


def _both_in_one(side: Side, arguments: Mapping[str, Any]) -> Corpora:
    """Return the corpus of a single source that contains gold and pred."""
    if not is_readable("gold", side):
        raise TypeError(
            f"pred is missing; only a file or table can contain both sides, not {type(side).__name__} in memory"
        )
    if isinstance(side, Corpus) and arguments:
        raise TypeError(f"gold is already a corpus; pass {', '.join(arguments)} to spanrs.read instead")
    corpus = read_stream(side, arguments)
    options = corpus.options
    part = corpus.parts[0]
    if part.kind == "rows" and (options.gold is None or options.pred is None):
        if isinstance(options.tags, tuple):
            raise ValueError(
                "several layers need two files; in a file with both sides, each side has a single column"
            )
        # By default gold is in the second to last column and pred in the last.
        gold = options.gold
        if gold is None:
            gold = options.tags if options.tags not in (None, -1) else -2 if options.pred is None else -1
        pred = -1 if options.pred is None else options.pred
        corpus = replace(corpus, options=replace(options, gold=gold, pred=pred, tags=None))
    elif part.kind not in TAGGED:
        names = [name for name in corpus.layers if name]
        advice = ""
        if names[1:]:
            gold_name, pred_name = names[:2]
            advice = (
                f"; its layers are {', '.join(names)}: score(corpus[{gold_name!r}], corpus[{pred_name!r}])"
            )
            if part.format in ANNOTATED:
                advice += f", on the command line --gold-annotator {gold_name} --pred-annotator {pred_name}"
        raise TypeError(
            f"{part.shown} ({part.format}) contains one side; pass gold and pred, two files or corpora{advice}"
        )
    return Corpora(corpus, None)


def is_readable(side: str, value: Side) -> bool:
    """Return whether a value is a source for :func:`spanrs.read`, as opposed to sentences in memory.

    Raises
    ------
    TypeError
        For values of other types.
    """
    # Lists are checked first, because small lists are scored often.
    if isinstance(value, (list, tuple)):
        if not value:
            return False
        first = value[0]
        if isinstance(first, (list, tuple)):
            return False
        if isinstance(first, str):
            raise TypeError(
                f"{side}, sentence 0: expected a sequence of tags, got one str; for the tags of one sentence pass "
                f"[{side}], for several files pass spanrs.read({side})"
            )
        is_source = isinstance(first, (PathLike, Document)) or hasattr(first, "read") or is_doc(first)
        return is_source or (is_table(first) and not is_column(first))
    if isinstance(value, (Corpus, str, PathLike, _spanrs.Source, Document)):
        return True
    if isinstance(value, (bytes, bytearray, set, frozenset, Mapping)):
        refuse(value)
    if hasattr(value, "read") and not hasattr(value, "read_next_batch"):
        return True
    return (is_table(value) and not is_column(value)) or is_doc(value)


def is_column(value: object) -> bool:
    """Return whether a value is a single Arrow column, as opposed to a table."""
    return is_arrow(value) and not (
        hasattr(value, "columns") or hasattr(value, "column_names") or hasattr(value, "schema")
    )


def _check_memory(arguments: Mapping[str, Any]) -> None:
    """Refuse options for files if both sides are in memory; ``tokens`` is allowed, as the tokens of the sentences."""
    for name in arguments:
        if name not in OF_MEMORY and name != "tokens":
            raise TypeError(
                f"{name} is an option for files and tables, but gold and pred are sentences in memory"
            )
