"""Training with short messages (sklearn_crfsuite.trainer)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanrs.compat.pycrfsuite import Trainer

_HEADERS = ("Label", "Precision", "Recall", "F1", "Support")


class LinePerIterationTrainer(Trainer):
    """A trainer that prints one line for each iteration, and a table of scores if sequences are held out.

    Parameters
    ----------
    algorithm, params, verbose
        As for :class:`spanrs.compat.pycrfsuite.Trainer`.
    """

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002
        """Print what is known of an iteration."""
        line = f"Iter {info['num']:<3} time={info['time']:<5.2f} loss={info['loss']:<8.2f} "
        if "active_features" in info:
            line += f"active={info['active_features']:<5} "
        if "avg_precision" in info:
            line += (
                f"precision={info['avg_precision']:0.3f}  recall={info['avg_recall']:0.3f}  "
                f"F1={info['avg_f1']:0.3f}  "
                f"Acc(item/seq)={info['item_accuracy_float']:0.3f} {info['instance_accuracy_float']:0.3f}  "
            )
        if "feature_norm" in info:
            line += f"feature_norm={info['feature_norm']:<8.2f}"
        print(line.strip())  # noqa: T201

    def on_optimization_end(self, log: str) -> None:
        """Print the scores of each label after the last iteration."""
        info = (self.logparser and self.logparser.last_iteration) or {}
        scores = info.get("scores")
        if scores:
            table = score_table(
                [
                    (label, score.precision, score.recall, score.f1 or 0.0, score.ref)
                    for label, score in sorted(scores.items())
                ]
            )
            width = len(table.partition("\n")[0])
            print("=" * width, table, "-" * width, sep="\n")  # noqa: T201
        super().on_optimization_end(log)


def score_table(rows: Sequence[tuple[str, float | None, float | None, float, int]]) -> str:
    """Return a table of scores as text.

    Parameters
    ----------
    rows : sequence of (str, float, float, float, int)
        Label, precision, recall, F1 and support; None for scores without a value.

    Examples
    --------
    >>> from spanrs.compat.sklearn_crfsuite.trainer import score_table
    >>> print(score_table([("PER", 0.5, 0.25, 1 / 3, 4)]))
    Label      Precision    Recall     F1    Support
    -------  -----------  --------  -----  ---------
    PER            0.500     0.250  0.333          4
    """
    cells = [
        (label, *("" if score is None else f"{score:0.3f}" for score in scores), str(support))
        for label, *scores, support in rows
    ]
    widths = [
        max(len(header) + 2, *(len(row[column]) for row in cells)) for column, header in enumerate(_HEADERS)
    ]
    lines = [_HEADERS, tuple("-" * width for width in widths), *cells]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
