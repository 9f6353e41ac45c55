"""Comparison of trees."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from spanrs import _spanrs
from spanrs.dep.matcher import COLUMNS, DEFAULT, Dep, copied_columns
from spanrs.dep.parse import Parse
from spanrs.errors import warn
from spanrs.eval import Result
from spanrs.eval.evidence import Evidence
from spanrs.io.sources import Source

#: A file in CoNLL-U, or sentences.
Trees: TypeAlias = Source | Sequence[Parse]
#: Minimum number of words for a warning about identical columns.
MANY_WORDS = 1000


def evaluate(
    gold: Trees, pred: Trees, matcher: Dep = DEFAULT, *, any_roots: bool = False, by: str | None = None
) -> Result:
    """Compare trees and tags with the measures of the CoNLL 2018 shared task.

    Parameters
    ----------
    gold, pred : path, binary file object, or sequence of Parse
        Trees of the same text; segmentation into words and sentences may differ.
    matcher : Dep
        Options of the comparison.
    any_roots : bool
        Accept sentences with several roots, such as the output of parser.py, which the shared task does not accept.
    by : str, optional
        ``sentence`` keeps a row of counts for each sentence, for intervals and comparisons.

    Returns
    -------
    Result
        ``result.micro`` is LAS, ``result["uas"].micro`` UAS, and so on for the criteria of :class:`Dep`. Precision
        divides by the number of words of pred, recall by the number of words of gold; both equal accuracy if the words
        are the same. ``result["lemmas"].unscored`` is the reason why a measure is undefined: the column is empty on one
        side, or pred copied the column. Undefined measures are ``-`` in tables and null in JSON.

    Raises
    ------
    spanrs.errors.FormatError
        If a line is malformed, heads are not a tree with one root, or a file has no words; the error contains the line.
    spanrs.errors.AlignmentError
        If the characters of the two sides differ.
    OSError
        If a file cannot be read.
    ValueError
        If ``by`` has another value.

    Warns
    -----
    spanrs.errors.SpanrsWarning
        If pred has columns that ``spanrs dep parse`` or ``tag`` copied from its input; comments such as
        ``# spanrs.predicted = UPOS XPOS HEAD DEPREL`` name the predicted columns. A warning is also issued if tags,
        features or lemmas equal gold in all words (at least 1000), but heads do not.

    Examples
    --------
    >>> from spanrs.dep import Parse, evaluate
    >>> gold = [Parse(["They", "ate", "pizza"], [2, 0, 2], ["nsubj", "root", "obj"])]
    >>> pred = [Parse(["They", "ate", "pizza"], [2, 0, 1], ["nsubj", "root", "obj"])]
    >>> result = evaluate(gold, pred)
    >>> round(result["uas"].micro.f1, 3)
    0.667
    >>> result["lemmas"].unscored
    'pred has no LEMMA'
    """
    if by not in (None, "sentence"):
        raise ValueError(f"by must be 'sentence' or None for trees, not {by!r}")
    by_sentence = by is not None
    counts = _spanrs.dep_evaluate(_source(gold), _source(pred), any_roots, matcher.subtypes, by_sentence)
    settings = matcher.settings() | {"version": _spanrs.__version__}
    result = Result(counts, settings, matcher, by_sentence=by_sentence)
    result = replace(result, evidence=Evidence(warnings=tuple(_warnings(result))))
    warn(result.warnings)
    return result


def _warnings(result: Result) -> Iterator[str]:
    """Yield warnings about columns that were copied, or probably copied."""
    if copied := copied_columns(result._unweighted_corpus):
        yield (
            f"pred did not predict {', '.join(copied)}, but copied them from its input; if another program has "
            "predicted them, remove the comments '# spanrs.predicted' from pred"
        )
    # Comments may be lost, and other programs do not write such comments.
    equal = [
        column
        for name, (column, *more) in COLUMNS.items()
        if not more and column != "HEAD" and result[name].unscored is None and result[name].micro.f1 == 1
    ]
    words = int(result["uas"].micro.support)
    if equal and words >= MANY_WORDS and result["uas"].micro.f1 < 1:
        yield f"{', '.join(equal)} of pred and gold are equal in all {words} words; perhaps copied from gold"


def _source(trees: Trees) -> Source:
    """Return trees as a source."""
    if isinstance(trees, Sequence) and not isinstance(trees, str):
        for at, parse in enumerate(trees):
            if not isinstance(parse, Parse):
                raise TypeError(f"sentence {at} is a {type(parse).__name__}, not a Parse")
        text = "".join(parse.to_conllu() for parse in trees if len(parse))
        stream = io.BytesIO(text.encode())
        stream.name = "<sentences>"
        return stream
    return trees
