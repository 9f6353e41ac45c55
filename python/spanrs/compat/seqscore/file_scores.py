"""The texts of scores of files: tables, the format of conlleval, and delimited columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import mean, stdev
from typing import Any

from spanrs.compat.seqscore.scoring import AccuracyScore, ClassificationScore, convert_score
from spanrs.compat.seqscore.util import PathType

FORMAT_PRETTY = "pretty"
FORMAT_CONLLEVAL = "conlleval"
FORMAT_DELIM = "delim"
SUPPORTED_SCORE_FORMATS = (FORMAT_PRETTY, FORMAT_CONLLEVAL, FORMAT_DELIM)
ALL_TYPES = "ALL"


def format_table(
    rows: Sequence[Sequence[Any]],
    header: Sequence[str],
    total: Sequence[Any] | None = None,
    *,
    floatfmt: str = "g",
    intfmt: str = "",
) -> str:
    """Return a table in the syntax of GitHub; raises ImportError if tabulate is not installed.

    ``total`` is a last row below a line.
    """
    try:
        from tabulate import SEPARATING_LINE, tabulate
    except ImportError as error:
        raise ImportError(
            "tables of seqscore need tabulate; run pip install 'spanrs[seqscore]', or choose --score-format delim"
        ) from error
    last = [] if total is None else [SEPARATING_LINE, total]
    return str(tabulate([*rows, *last], header, tablefmt="github", floatfmt=floatfmt, intfmt=intfmt))


def format_output_conlleval(class_scores: ClassificationScore, acc_scores: AccuracyScore) -> str:
    """Return scores like conlleval.pl.

    >>> score = ClassificationScore(true_pos=1, false_pos=1)
    >>> score.type_scores["LOC"].add(1, 1, 0)
    >>> print(format_output_conlleval(score, AccuracyScore(hits=9, total=10)))
    processed 10 tokens with 1 phrases; found: 2 phrases; correct: 1.
    accuracy:  90.00%; precision:  50.00%; recall: 100.00%; FB1:  66.67
                  LOC: precision:  50.00%; recall: 100.00%; FB1:  66.67  2
    """

    def measures(score: ClassificationScore) -> str:
        precision, recall, f1 = (100 * value for value in (score.precision, score.recall, score.f1))
        return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"

    all_ = class_scores
    return "\n".join(
        [
            f"processed {acc_scores.total} tokens with {all_.total_ref} phrases; "
            f"found: {all_.total_pos} phrases; correct: {all_.true_pos}.",
            f"accuracy: {100 * acc_scores.accuracy:6.2f}%; {measures(all_)}",
            *(
                f"{name.rjust(17)}: {measures(score)}  {score.total_pos}"
                for name, score in sorted(all_.type_scores.items())
            ),
        ]
    )


def format_output_table(
    class_scores: ClassificationScore, full_precision: bool
) -> tuple[list[str], list[list[Any]]]:
    """Return the header and the rows of a table of scores: all types together, then each type."""
    header = ["Type", "Precision", "Recall", "F1", "Reference", "Predicted", "Correct"]
    rows = []
    for name, score in [(ALL_TYPES, class_scores), *sorted(class_scores.type_scores.items())]:
        measures = (
            convert_score(value, full_precision) for value in (score.precision, score.recall, score.f1)
        )
        rows.append([name, *measures, score.total_ref, score.total_pos, score.true_pos])
    return header, rows


class FileScores:
    """Collects the scores of files and prints them; ``several`` adds the names of files, means and errors."""

    def __init__(self, output_format: str, delim: str, full_precision: bool, *, several: bool) -> None:
        self.format = output_format
        self.delim = delim
        self.full_precision = full_precision
        self.several = several
        self._paths: list[PathType] = []
        self._scores: list[ClassificationScore] = []
        self._texts: list[str] = []

    def add(self, path: PathType, score: ClassificationScore, accuracy: AccuracyScore) -> None:
        """Add the scores of a file."""
        self._paths.append(path)
        self._scores.append(score)
        self._texts.append(self._text(path, score, accuracy))

    def _text(self, path: PathType, score: ClassificationScore, accuracy: AccuracyScore) -> str:
        if self.format == FORMAT_CONLLEVAL:
            return format_output_conlleval(score, accuracy)
        if self.format not in SUPPORTED_SCORE_FORMATS:
            raise ValueError(f"Unrecognized output format: {self.format}")
        header, rows = format_output_table(score, self.full_precision)
        if self.format == FORMAT_PRETTY:
            if self.full_precision:
                raise ValueError("Cannot use full_precision with pretty formatting")
            return format_table(rows, header, floatfmt="6.2f")
        if self.several:
            header, rows = ["File", *header], [[path, *row] for row in rows]
        # The header is that of the first file.
        return self._joined(rows if self._texts else [header, *rows])

    def _joined(self, rows: Iterable[Sequence[Any]]) -> str:
        return "\n".join(self.delim.join(map(str, row)) for row in rows)

    def print(self) -> None:
        """Print all scores."""
        means, errors = self._statistics() if self.several else ({}, {})
        if self.format == FORMAT_DELIM:
            rows = [
                [what, name, "NA", "NA", convert_score(value, self.full_precision), "NA", "NA", "NA"]
                for what, values in (("SE", errors), ("Mean", means))
                for name, value in values.items()
            ]
            print("\n".join([*self._texts, self._joined(rows)] if rows else self._texts))  # noqa: T201
        elif not self.several:
            print(self._texts[0])  # noqa: T201
        else:
            for path, text in zip(self._paths, self._texts, strict=True):
                print(path, text, "", sep="\n")  # noqa: T201
            print("Summary", self._summary(means, errors), sep="\n")  # noqa: T201

    def _statistics(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return the mean F1 and its standard error, by type and of all types together, which come last."""
        by_type: dict[str, list[float]] = {}
        for score in self._scores:
            for name, of_type in score.type_scores.items():
                by_type.setdefault(name, []).append(of_type.f1)
        means = {name: mean(values) for name, values in by_type.items()}
        errors = {name: stdev(values) / sqrt(len(values)) for name, values in by_type.items()}
        values = [score.f1 for score in self._scores]
        # A type may be called ALL; it is replaced.
        means[ALL_TYPES], errors[ALL_TYPES] = mean(values), stdev(values) / sqrt(len(values))
        return means, errors

    def _summary(self, means: dict[str, float], errors: dict[str, float]) -> str:
        first = self._scores[0]
        rows = [
            [name, 100 * means[name], 100 * errors[name], score.total_ref]
            for name in [ALL_TYPES, *sorted(means.keys() - {ALL_TYPES})]
            for score in [first if name == ALL_TYPES else first.type_scores[name]]
        ]
        return format_table(rows, ["Type", "Mean F1", "SE", "Reference"], floatfmt="6.2f")

    def print_errors(self, score: ClassificationScore) -> None:
        """Print the counts of the spurious and missed spans of one file, the most frequent ones first."""
        if self.several:
            raise ValueError("Outputting error counts is only available for a single prediction file")
        if self.format == FORMAT_CONLLEVAL:
            raise ValueError(f"Format {self.format!r} is not supported with error counts")
        kinds = (("FP", score.false_pos_examples), ("FN", score.false_neg_examples))
        # Of examples whose tokens are joined to the same text, only the last is printed.
        counts = {
            (kind, example.type, " ".join(example.tokens)): count
            for kind, examples in kinds
            for example, count in examples.items()
        }
        rows = [(count, *example) for example, count in counts.items()]
        rows.sort(key=lambda row: (-row[0], row[3]))
        header = ["Count", "Error", "Type", "Tokens"]
        if self.format == FORMAT_PRETTY:
            print(format_table(rows, header))  # noqa: T201
        elif self.format == FORMAT_DELIM:
            print(self._joined([header, *rows]))  # noqa: T201
