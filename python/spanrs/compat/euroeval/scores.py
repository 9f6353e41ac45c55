"""F1 of lower-case tags by seqeval, which takes ``o`` for a span."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

from spanrs.compat.euroeval.tags import KEYS
from spanrs.compat.seqeval.metrics import f1_score

Sentences = Sequence[Sequence[str]]


def evaluate(
    golds: Sentences, preds: Sentences, types: Iterable[str] = tuple(KEYS.values())
) -> dict[str, float]:
    """Score predicted tags.

    Parameters
    ----------
    golds, preds : sequence of sequences of str
        Gold tags in any case, and the tags of :func:`extract_tags`.
    types : iterable of str
        The types of the data set, in lower case. Other predicted types become ``misc``, or ``o`` if ``misc`` is not
        among the types.

    Returns
    -------
    dict
        ``micro_f1_no_misc``, without spans of type ``misc``, and ``micro_f1``. They are 1 if all tags of both
        sides are ``o``.

    Raises
    ------
    ValueError
        If the numbers of sentences or tags differ.

    Notes
    -----
    The tags are in lower case, so seqeval reads every sequence of tags of one type as one span, and ``o`` as a tag of
    type ``_``. Source: EuroEval at commit f37841c (MIT licence).

    Examples
    --------
    >>> evaluate([["B-LOC", "B-ORG"]], [["o", "b-org"]])
    {'micro_f1_no_misc': 0.5, 'micro_f1': 0.5}
    >>> evaluate([["O", "O"]], [["o", "o"]])
    {'micro_f1_no_misc': 1.0, 'micro_f1': 1.0}
    """
    lengths = [len(gold) for gold in golds], [len(pred) for pred in preds]
    if lengths[0] != lengths[1]:
        raise ValueError(
            "golds and preds must have the same numbers of sentences and of tags in each sentence"
        )
    schema = set(types)
    gold = [[tag.lower() for tag in tags] for tags in golds]
    pred = [[_in_schema(tag, schema) for tag in tags] for tags in preds]
    return {
        "micro_f1_no_misc": _f1(_without_misc(gold), _without_misc(pred)),
        "micro_f1": _f1(gold, pred),
    }


def _in_schema(tag: str, schema: set[str]) -> str:
    prefix, dash, type_ = tag.partition("-")
    if not dash or type_ in schema:
        return tag
    return f"{prefix}-misc" if "misc" in schema else "o"


def _without_misc(sentences: Iterable[Sequence[str]]) -> list[list[str]]:
    return [["o" if tag[1:] == "-misc" else tag for tag in tags] for tags in sentences]


def _f1(golds: list[list[str]], preds: list[list[str]]) -> float:
    if all(tag == "o" for side in (golds, preds) for tags in side for tag in tags):
        return 1.0
    with warnings.catch_warnings():
        # Each tag in lower case is reported, and F1 is 0 without spans.
        warnings.simplefilter("ignore")
        return float(f1_score(golds, preds))
