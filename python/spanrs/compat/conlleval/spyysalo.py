"""conlleval.py by Sampo Pyysalo: evaluation of lines, and a report in the format of conlleval.pl."""

from __future__ import annotations

import argparse
import io
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import IO, NamedTuple

from spanrs.compat.conlleval import rules
from spanrs.compat.conlleval.perl import measures

# The original module also has these names.
from spanrs.compat.conlleval.rules import FormatError, end_of_chunk, parse_tag, start_of_chunk  # noqa: F401

#: The delimiter that means white space.
ANY_SPACE = "<SPACE>"


class EvalCounts:
    """Counts of spans and tokens, and counts of spans by type."""

    def __init__(self) -> None:
        self.correct_chunk = 0
        self.correct_tags = 0
        self.found_correct = 0
        self.found_guessed = 0
        self.token_counter = 0
        self.t_correct_chunk: defaultdict[str, int] = defaultdict(int)
        self.t_found_correct: defaultdict[str, int] = defaultdict(int)
        self.t_found_guessed: defaultdict[str, int] = defaultdict(int)


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the options: ``boundary``, ``delimiter``, ``otag``, ``file``."""
    parser = argparse.ArgumentParser(
        description="evaluate tagging results using CoNLL criteria",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("-b", "--boundary", metavar="STR", default="-X-", help="sentence boundary")
    add("-d", "--delimiter", metavar="CHAR", default=ANY_SPACE, help="character delimiting items in input")
    add("-o", "--otag", metavar="CHAR", default="O", help="alternative outside tag")
    add("file", nargs="?", default=None)
    return parser.parse_args(argv)


def evaluate(iterable: Iterable[str], options: argparse.Namespace | None = None) -> EvalCounts:
    """Count lines that end in a gold and a pred tag; ``options.otag`` is ignored, as in the original."""
    if options is None:
        options = parse_args([])
    delimiter = None if options.delimiter == ANY_SPACE else options.delimiter
    counts = EvalCounts()
    counted = rules.count_lines(iterable, delimiter, options.boundary, "O", trim=True)
    counts.token_counter, counts.correct_tags, rows = counted
    by_type = (counts.t_found_correct, counts.t_found_guessed, counts.t_correct_chunk)
    for name, row in rows.items():
        for side, n in zip(by_type, row, strict=False):
            if n:
                side[name] = n
    counts.found_correct, counts.found_guessed, counts.correct_chunk = (sum(s.values()) for s in by_type)
    return counts


class Metrics(NamedTuple):
    """Correct, spurious and missed spans, with precision, recall and F1 (0 if undefined)."""

    tp: int
    fp: int
    fn: int
    prec: float
    rec: float
    fscore: float


def calculate_metrics(correct: int, guessed: int, total: int) -> Metrics:
    """Return the measures for numbers of correct, predicted and gold spans.

    >>> calculate_metrics(1, 2, 1)
    Metrics(tp=1, fp=1, fn=0, prec=0.5, rec=1.0, fscore=0.6666666666666666)
    """
    precision = correct / guessed if guessed else 0
    recall = correct / total if total else 0
    both = precision + recall
    fscore = 2 * precision * recall / both if both else 0
    return Metrics(correct, guessed - correct, total - correct, precision, recall, fscore)


def metrics(counts: EvalCounts) -> tuple[Metrics, dict[str, Metrics]]:
    """Return the measures of all spans, and of each type."""
    sides = (counts.t_correct_chunk, counts.t_found_guessed, counts.t_found_correct)
    types = dict.fromkeys((*counts.t_found_correct, *counts.t_found_guessed))
    by_type = {name: calculate_metrics(*(side.get(name, 0) for side in sides)) for name in types}
    return calculate_metrics(counts.correct_chunk, counts.found_guessed, counts.found_correct), by_type


def report_notprint(counts: EvalCounts, out: IO[str] | None = None) -> list[str]:  # noqa: ARG001
    """Return the lines of :func:`report`; a function of many copies of the script, which ignore ``out``."""
    text = io.StringIO()
    report(counts, text)
    return text.getvalue().splitlines(keepends=True)


def return_report(input_file: str) -> list[str]:
    """Return the lines of the report of a UTF-8 file; a function of many copies of the script."""
    with open(input_file, encoding="utf-8") as lines:
        return report_notprint(evaluate(lines))


def report(counts: EvalCounts, out: IO[str] | None = None) -> None:
    """Write a report like the report of conlleval.pl, by default to standard output.

    Examples
    --------
    >>> report(evaluate(["x O B-PER"]))
    processed 1 tokens with 0 phrases; found: 1 phrases; correct: 0.
    accuracy:   0.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00
                  PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
    """
    out = sys.stdout if out is None else out
    total = (counts.found_correct, counts.found_guessed, counts.correct_chunk)
    out.write(rules.SIZES % (counts.token_counter, *total))
    if counts.token_counter > 0:
        accuracy = 100.0 * counts.correct_tags / counts.token_counter
        out.write(f"{rules.ACCURACY % accuracy}{rules.MEASURES % measures(*total)}\n")
    by_type = (counts.t_found_correct, counts.t_found_guessed, counts.t_correct_chunk)
    for name in sorted({*counts.t_found_correct, *counts.t_found_guessed}):
        gold, pred, correct = (side.get(name, 0) for side in by_type)
        out.write(f"{name:>17}: {rules.MEASURES % measures(gold, pred, correct)}  {pred}\n")


def main(argv: Sequence[str]) -> None:
    """Evaluate the file named on a command line, or standard input; ``argv[0]`` is the program."""
    args = parse_args(argv[1:])
    if args.file is None:
        counts = evaluate(sys.stdin, args)
    else:
        with open(args.file) as lines:
            counts = evaluate(lines, args)
    report(counts)
