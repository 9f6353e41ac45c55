"""The text and the LaTeX table of conlleval.pl, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spanrs.compat.conlleval.rules import ACCURACY, MEASURES, SIZES

#: type -> spans of gold, of pred, of both
Types = Mapping[bytes, Sequence[int]]

HEADING = rb"        & Precision &  Recall  & F$_{\beta=1} \\\hline"


def measures(gold: int, pred: int, both: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 in per cent, each 0 where it is not defined.

    Multiplied and divided in the order of the script, so that the last digit is the same.
    """
    precision = 100 * both / pred if pred else 0.0
    recall = 100 * both / gold if gold else 0.0
    both_measures = precision + recall
    return precision, recall, 2 * precision * recall / both_measures if both_measures > 0 else 0.0


def _listed(types: Types) -> Iterator[tuple[bytes, tuple[int, int, int]]]:
    """Yield the rows of the report: types in the order of their bytes.

    The script skips the second of two equal names only where the first is true to perl, so the empty type
    has two rows if both sides have spans of it.
    """
    for name in sorted(types):
        gold, pred, both = types[name][:3]
        if gold or pred:
            yield name, (gold, pred, both)
            if not name and gold and pred:
                yield name, (gold, pred, both)


def text(tokens: int, equal: int, types: Types) -> bytes:
    """Return the report of ``tokens`` tokens, ``equal`` of them with equal tags."""
    total = _total(types)
    lines = [(SIZES % (tokens, *total)).encode()]
    if tokens:
        lines.append(((ACCURACY + MEASURES) % (100 * equal / tokens, *measures(*total))).encode() + b"\n")
    for name, counts in _listed(types):
        row = (MEASURES % measures(*counts)).encode()
        lines.append(b"%17s: %b  %d\n" % (name, row, counts[1]))
    return b"".join(lines)


def latex(types: Types) -> bytes:
    """Return the table of the option ``-l``."""
    row = rb"%-7s &  %6.2f\%% & %6.2f\%% & %6.2f \\"
    rows = [row % (name, *measures(*counts)) for name, counts in _listed(types)]
    total = row % (b"Overall", *measures(*_total(types)))
    return b"\n".join([HEADING, *rows]) + b"\\hline\n" + total + b"\\hline\n"


def _total(types: Types) -> tuple[int, int, int]:
    gold, pred, both = (sum(row[place] for row in types.values()) for place in range(3))
    return gold, pred, both
