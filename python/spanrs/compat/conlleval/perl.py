"""The text and the LaTeX table of conlleval.pl, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spanrs.compat.conlleval.rules import ACCURACY, MEASURES, SIZES

#: type -> number of gold, pred and correct spans
Types = Mapping[bytes, Sequence[int]]

HEADING = rb"        & Precision &  Recall  & F$_{\beta=1} \\\hline"


def measures(gold: int, pred: int, correct: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 in per cent; undefined measures are 0.

    Operations are in the order of the script, so that the last digit is the same.
    """
    precision = 100 * correct / pred if pred else 0.0
    recall = 100 * correct / gold if gold else 0.0
    both_measures = precision + recall
    return precision, recall, 2 * precision * recall / both_measures if both_measures > 0 else 0.0


def _rows(types: Types) -> Iterator[tuple[bytes, tuple[int, int, int]]]:
    """Yield the rows of the report: types in byte order.

    The script removes duplicate names only if they are true in Perl, so the empty type has two rows if both sides have
    spans of this type.
    """
    for name in sorted(types):
        gold, pred, correct = types[name][:3]
        if gold or pred:
            yield name, (gold, pred, correct)
            if not name and gold and pred:
                yield name, (gold, pred, correct)


def text(tokens: int, equal: int, types: Types) -> bytes:
    """Return the report; ``tokens`` is the number of tokens, ``equal`` the number of tokens with equal tags."""
    total = _total(types)
    lines = [(SIZES % (tokens, *total)).encode()]
    if tokens:
        lines.append(((ACCURACY + MEASURES) % (100 * equal / tokens, *measures(*total))).encode() + b"\n")
    for name, counts in _rows(types):
        row = (MEASURES % measures(*counts)).encode()
        lines.append(b"%17s: %b  %d\n" % (name, row, counts[1]))
    return b"".join(lines)


def latex(types: Types) -> bytes:
    """Return the table of the option ``-l``."""
    row = rb"%-7s &  %6.2f\%% & %6.2f\%% & %6.2f \\"
    rows = [row % (name, *measures(*counts)) for name, counts in _rows(types)]
    total = row % (b"Overall", *measures(*_total(types)))
    return b"\n".join([HEADING, *rows]) + b"\\hline\n" + total + b"\\hline\n"


def _total(types: Types) -> tuple[int, int, int]:
    gold, pred, correct = (sum(row[place] for row in types.values()) for place in range(3))
    return gold, pred, correct
