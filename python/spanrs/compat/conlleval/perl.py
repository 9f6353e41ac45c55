"""The text and the LaTeX table of conlleval.pl, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

#: type -> spans of gold, of pred, of both
Types = Mapping[bytes, Sequence[int]]

HEADING = rb"        & Precision &  Recall  & F$_{\beta=1} \\\hline"


def measures(gold: int, pred: int, both: int) -> tuple[float, float, float]:
    """Give precision, recall and F1 in per cent, each 0 where it is not defined.

    Parameters
    ----------
    gold, pred, both : int
        Spans of gold, of pred, of both.

    Returns
    -------
    tuple of float
        Multiplied and divided in the order of the script, so that the last digit is the same.
    """
    precision = 100 * both / pred if pred else 0.0
    recall = 100 * both / gold if gold else 0.0
    both_measures = precision + recall
    return precision, recall, 2 * precision * recall / both_measures if both_measures > 0 else 0.0


def listed(types: Types) -> Iterator[tuple[bytes, tuple[int, int, int]]]:
    """Give the rows of the report: types in the order of their bytes.

    The script passes over the second of two equal names only where the first is true to perl, so the
    empty type stands twice if both sides have spans of it.
    """
    for name in sorted(types):
        gold, pred, both = types[name][:3]
        if gold or pred:
            yield name, (gold, pred, both)
            if not name and gold and pred:
                yield name, (gold, pred, both)


def text(tokens: int, equal: int, types: Types) -> bytes:
    """Give the report.

    Parameters
    ----------
    tokens, equal : int
        Tokens, and those of them with equal tags.
    types : mapping of bytes
        To spans of gold, of pred, of both.

    Returns
    -------
    bytes
        As conlleval.pl writes them.
    """
    total = _total(types)
    lines = [b"processed %d tokens with %d phrases; found: %d phrases; correct: %d.\n" % (tokens, *total)]
    row = b"precision: %6.2f%%; recall: %6.2f%%; FB1: %6.2f"
    if tokens:
        accuracy = b"accuracy: %6.2f%%; " % (100 * equal / tokens)
        lines.append(accuracy + row % measures(*total) + b"\n")
    for name, counts in listed(types):
        lines.append(b"%17s: " % name + row % measures(*counts) + b"  %d\n" % counts[1])
    return b"".join(lines)


def latex(types: Types) -> bytes:
    """Give the table of the option ``-l``; see :func:`text`."""
    row = rb"%-7s &  %6.2f\%% & %6.2f\%% & %6.2f \\"
    rows = [row % (name, *measures(*counts)) for name, counts in listed(types)]
    total = row % (b"Overall", *measures(*_total(types)))
    return b"\n".join([HEADING, *rows]) + b"\\hline\n" + total + b"\\hline\n"


def _total(types: Types) -> tuple[int, int, int]:
    gold, pred, both = (sum(row[place] for row in types.values()) for place in range(3))
    return gold, pred, both
