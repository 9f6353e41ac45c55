"""conlleval.py by Sampo Pyysalo: lines in, counts out, a report like that of conlleval.pl."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import IO

from spanrs.compat.conlleval.perl import measures
from spanrs.compat.conlleval.rules import FormatError, count_lines, ends, parse_tag, starts

__all__ = [
    "ANY_SPACE",
    "EvalCounts",
    "FormatError",
    "end_of_chunk",
    "evaluate",
    "main",
    "parse_args",
    "parse_tag",
    "report",
    "start_of_chunk",
]

#: The delimiter that stands for white space.
ANY_SPACE = "<SPACE>"


class EvalCounts:
    """What was counted: spans and tokens, and spans by type."""

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
    """Count lines that end in a gold and a pred tag.

    Parameters
    ----------
    iterable : iterable of str
        One token a line; empty lines and lines whose first column is ``options.boundary`` are borders of
        sentences.
    options : argparse.Namespace, optional
        As :func:`parse_args` gives them. ``otag`` is not looked at, as in the original.

    Returns
    -------
    EvalCounts
        Spans and tokens.

    Raises
    ------
    FormatError
        Where a line has another number of columns than the first, or fewer than three.

    Examples
    --------
    >>> from spanrs.compat.conlleval import spyysalo
    >>> counts = spyysalo.evaluate(["x B-PER B-PER", "y I-PER O"])
    >>> counts.found_correct, counts.correct_chunk, counts.correct_tags
    (1, 0, 1)
    """
    if options is None:
        options = parse_args([])
    delimiter = None if options.delimiter == ANY_SPACE else options.delimiter
    tokens, equal, rows = count_lines(iterable, delimiter, options.boundary, "O", trim=True)
    counts = EvalCounts()
    counts.token_counter, counts.correct_tags = tokens, equal
    for name, (gold, pred, both, *_) in rows.items():
        for by_type, n in (
            (counts.t_found_correct, gold),
            (counts.t_found_guessed, pred),
            (counts.t_correct_chunk, both),
        ):
            if n:
                by_type[name] = n
        counts.found_correct += gold
        counts.found_guessed += pred
        counts.correct_chunk += both
    return counts


def _row(gold: int, pred: int, both: int) -> str:
    precision, recall, fb1 = measures(gold, pred, both)
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {fb1:6.2f}"


def report(counts: EvalCounts, out: IO[str] | None = None) -> None:
    """Write counts in the form of conlleval.pl.

    Parameters
    ----------
    counts : EvalCounts
        What :func:`evaluate` gave.
    out : text file, optional
        Standard output if not given.

    Examples
    --------
    >>> from spanrs.compat.conlleval import spyysalo
    >>> spyysalo.report(spyysalo.evaluate(["x O B-PER"]))
    processed 1 tokens with 0 phrases; found: 1 phrases; correct: 0.
    accuracy:   0.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00
                  PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
    """
    out = sys.stdout if out is None else out
    c = counts
    out.write(
        f"processed {c.token_counter} tokens with {c.found_correct} phrases; "
        f"found: {c.found_guessed} phrases; correct: {c.correct_chunk}.\n"
    )
    if c.token_counter > 0:
        accuracy = 100.0 * c.correct_tags / c.token_counter
        out.write(
            f"accuracy: {accuracy:6.2f}%; {_row(c.found_correct, c.found_guessed, c.correct_chunk)}\n"
        )
    for name in sorted({*c.t_found_correct, *c.t_found_guessed}):
        gold, pred = c.t_found_correct.get(name, 0), c.t_found_guessed.get(name, 0)
        out.write(f"{name:>17}: {_row(gold, pred, c.t_correct_chunk.get(name, 0))}  {pred}\n")


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Say whether a span ends between two tokens, by prefixes and types."""
    return ends(prev_tag, tag, prev_type, type_, "O")


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Say whether a span starts between two tokens, by prefixes and types."""
    return starts(prev_tag, tag, prev_type, type_, "O")


def main(argv: Sequence[str]) -> None:
    """Evaluate the file named on a command line, or standard input; ``argv[0]`` is the program."""
    args = parse_args(argv[1:])
    if args.file is None:
        counts = evaluate(sys.stdin, args)
    else:
        with open(args.file) as lines:
            counts = evaluate(lines, args)
    report(counts)
