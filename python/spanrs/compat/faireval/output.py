"""Output of FairEval: messages, and the file of results."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from spanrs.io import atomic_output

COLUMNS = {"traditional": ["TP", "FP", "FN"], "fair": ["TP", "FP", "LE", "BE", "LBE", "FN"]}
MEASURES = ("Prec", "Rec", "F1")


def say(text: str) -> None:
    """Print a message on standard output, as FairEval does."""
    print(text)  # noqa: T201


class ReplacingFile(io.TextIOWrapper):
    """A text file that is renamed to its path when it is closed, replacing an existing file."""

    def __init__(self, path: str) -> None:
        with contextlib.ExitStack() as output:
            super().__init__(output.enter_context(atomic_output(path)), encoding="utf-8")
            self._output = output.pop_all()

    def close(self) -> None:
        """Flush the file and rename it."""
        if not self.closed:
            with self._output:
                super().close()

    def discard(self) -> None:
        """Close the file without renaming it, so that an existing file is kept."""
        if not self.closed:
            with contextlib.suppress(InterruptedError), self._output:
                super().close()
                raise InterruptedError


def open_results(path: str) -> TextIO:
    """Open a text file for results, which is written atomically on closing.

    Devices, pipes, and files in directories that are not writable are written directly.
    """
    if not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode):
        with contextlib.suppress(OSError):
            return ReplacingFile(path)
    return open(path, "w", encoding="utf-8")


def output_results(eval_dict: dict[str, Any], **config: Any) -> None:
    """Write counts and measures as tab-separated tables to ``eval_out`` or standard output.

    A text file is closed afterwards, unless it is one of the standard streams. The error types of ``weights`` are
    the columns of ``weighted``.

    >>> from spanrs.compat.faireval import calculate_results, compare_spans, output_results
    >>> result = compare_spans([["PER", 1, 1, {1}]], [["PER", 1, 1, {1}], ["LOC", 3, 3, {3}]])
    >>> text = io.StringIO()
    >>> output_results(calculate_results(result, eval_method=["fair"]), eval_method=["fair"], eval_out=text)
    >>> print(text.getvalue().partition("### Comparison")[0].expandtabs())
    <BLANKLINE>
    ### Fair evaluation:
    Label   TP      FP      LE      BE      LBE     FN      Prec    Rec     F1
    LOC     0       1       0       0       0       0       0.00    0.00    0.00
    PER     1       0       0       0       0       0       100.00  100.00  100.00
    overall 1       1       0       0       0       0       50.00   100.00  66.67
    <BLANKLINE>
    <BLANKLINE>
    """
    out: TextIO = config.get("eval_out") or sys.stdout
    methods = config.get("eval_method", ["traditional", "fair"])
    # All text is formatted before the first write, so that errors leave no partial output.
    text = "".join("\t".join(map(str, row)) + "\n" for row in _rows(eval_dict, methods, config))
    out.write(text)
    standard = (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)
    if isinstance(out, io.TextIOWrapper) and not any(out is stream for stream in standard):
        out.close()


def _rows(results: dict[str, Any], methods: list[str], config: dict[str, Any]) -> Iterator[list[Any]]:
    for version in methods:
        yield from ([], [f"### {version.title()} evaluation:"])
        columns = COLUMNS["traditional" if version == "traditional" else "fair"]
        if version == "weighted" and config.get("weights"):
            columns = list(config["weights"])
        yield ["Label", *columns, *MEASURES]
        by_label = sorted(results["per_label"][version].items())
        for label, counts in [*by_label, ("overall", results["overall"][version])]:
            yield [label, *(counts.get(column, 0) for column in columns), *_measures(counts)]
    yield from ([], ["### Comparison:"], ["Version", *MEASURES])
    for version in methods:
        yield [version.title(), *_measures(results["overall"][version])]
    conf = results.get("conf", {})
    labels = sorted({*conf, *(column for row in conf.values() for column in row)})
    yield from ([], ["### Confusion matrix:"], ["Target\\System", *labels])
    for label in labels:
        yield [label, *(conf.get(label, {}).get(column, 0) for column in labels)]
    yield from ([], ["### Target data stats:"], ["Label", "Freq", "%"])
    stats = config.get("data_stats") or {}
    total = sum(stats.values())
    for label, count in stats.items():
        yield [label, count, _percent(count / total)]


def _measures(counts: Mapping[str, float]) -> list[str]:
    return [_percent(counts[measure]) for measure in MEASURES]


def _percent(share: float) -> str:
    return f"{100 * share:04.2f}"
