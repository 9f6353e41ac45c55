"""Comparison of trees."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TypeAlias

from spanrs import _spanrs
from spanrs.dep.matcher import DEFAULT, Dep
from spanrs.dep.parse import Parse
from spanrs.eval import Result
from spanrs.eval.evidence import Evidence
from spanrs.io.sources import Source

#: A file in CoNLL-U, or sentences.
Trees: TypeAlias = Source | Sequence[Parse]


def evaluate(
    gold: Trees, pred: Trees, matcher: Dep = DEFAULT, *, any_roots: bool = False, documents: bool = False
) -> Result:
    """Compare trees and tags as the CoNLL 2018 shared task does.

    Parameters
    ----------
    gold, pred : path, binary file object, or sequence of Parse
        The same text on both sides; words and sentences may be cut differently.
    matcher : Dep
        How labels are compared.
    any_roots : bool
        Accept sentences with several roots, as parser.py gives them; the shared task refuses them.
    documents : bool
        Keep a row of counts for each sentence, for intervals and comparisons.

    Returns
    -------
    Result
        ``result.micro`` is LAS, ``result["uas"].micro`` UAS, and so on for the criteria of :class:`Dep`. Precision
        divides by the words of pred, recall by those of gold; both are the accuracy if the words are the same.

    Raises
    ------
    spanrs.errors.FormatError
        With line, for what is not in the format, heads that are not a tree with one root, and files without words.
    spanrs.errors.AlignmentError
        Where the characters of the two sides differ.
    OSError
        Where a file cannot be read.

    Examples
    --------
    >>> from spanrs.dep import Parse, evaluate
    >>> gold = [Parse(["They", "ate", "pizza"], [2, 0, 2], ["nsubj", "root", "obj"])]
    >>> pred = [Parse(["They", "ate", "pizza"], [2, 0, 1], ["nsubj", "root", "obj"])]
    >>> result = evaluate(gold, pred)
    >>> round(result["uas"].micro.f1, 3)
    0.667
    """
    counts = _spanrs.dep_evaluate(_source(gold), _source(pred), any_roots, matcher.subtypes, documents)
    return Result(counts, matcher.settings() | {"version": _spanrs.__version__}, matcher, Evidence(), None)


def _source(trees: Trees) -> Source:
    """Give trees as something that is read."""
    if isinstance(trees, Sequence) and not isinstance(trees, str):
        for at, parse in enumerate(trees):
            if not isinstance(parse, Parse):
                raise TypeError(f"sentence {at} is a {type(parse).__name__}, not a Parse")
        text = "".join(parse.to_conllu() for parse in trees if len(parse))
        stream = io.BytesIO(text.encode())
        stream.name = "<sentences>"
        return stream
    return trees
