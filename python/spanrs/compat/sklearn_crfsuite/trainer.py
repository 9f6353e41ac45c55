"""Training with short messages (sklearn_crfsuite.trainer)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanrs.compat.pycrfsuite import Trainer

_HEADERS = ("Label", "Precision", "Recall", "F1", "Support")
#: Names of the values of an iteration, and the text that is printed if the values are available.
_PARTS = {
    "num": "Iter {num:<3} time={time:<5.2f} loss={loss:<8.2f} ",
    "active_features": "active={active_features:<5} ",
    "avg_precision": "precision={avg_precision:0.3f}  recall={avg_recall:0.3f}  F1={avg_f1:0.3f}  "
    "Acc(item/seq)={item_accuracy_float:0.3f} {instance_accuracy_float:0.3f}  ",
    "feature_norm": "feature_norm={feature_norm:<8.2f}",
}


class LinePerIterationTrainer(Trainer):
    """A trainer that prints one line for each iteration, and a table of scores if sequences are held out."""

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002
        """Print the values of an iteration."""
        line = "".join(text.format(**info) for name, text in _PARTS.items() if name in info)
        print(line.strip())  # noqa: T201

    def on_optimization_end(self, log: str) -> None:
        """Print the scores of each label after the last iteration."""
        info = (self.logparser and self.logparser.last_iteration) or {}
        scores = sorted(info.get("scores", {}).items())
        if scores:
            table = score_table([(name, s.precision, s.recall, s.f1 or 0.0, s.ref) for name, s in scores])
            width = len(table.partition("\n")[0])
            print("=" * width, table, "-" * width, sep="\n")  # noqa: T201
        super().on_optimization_end(log)


def score_table(rows: Sequence[tuple[str, float | None, float | None, float, int]]) -> str:
    """Return a table of labels, precision, recall, F1 and support as text; None is shown as an empty cell.

    >>> print(score_table([("PER", 0.5, 0.25, 1 / 3, 4)]))
    Label      Precision    Recall     F1    Support
    -------  -----------  --------  -----  ---------
    PER            0.500     0.250  0.333          4
    """
    cells = [
        (label, *("" if score is None else f"{score:0.3f}" for score in scores), str(support))
        for label, *scores, support in rows
    ]
    columns = zip(_HEADERS, zip(*cells, strict=True), strict=True)
    widths = [max(len(header) + 2, *map(len, column)) for header, column in columns]
    lines = [_HEADERS, tuple("-" * width for width in widths), *cells]
    first, *number_widths = widths
    return "\n".join(
        "  ".join([row[0].ljust(first), *map(str.rjust, row[1:], number_widths)]) for row in lines
    )
