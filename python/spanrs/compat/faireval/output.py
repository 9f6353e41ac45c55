"""What FairEval writes."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

COLUMNS = {
    "traditional": ["TP", "FP", "FN"],
    "fair": ["TP", "FP", "LE", "BE", "LBE", "FN"],
}
MEASURES = ("Prec", "Rec", "F1")


def output_results(eval_dict: dict[str, Any], **config: Any) -> None:
    """Write counts and measures as tables with tabs.

    Parameters
    ----------
    eval_dict : dict
        From :func:`~spanrs.compat.faireval.calculate_results`.
    **config
        ``eval_out``: a file to write to, standard output if it is missing; a text file other than the
        standard streams is closed afterwards. ``eval_method``: the versions. ``weights``: their error
        types are the columns of ``weighted``. ``data_stats``: from
        :func:`~spanrs.compat.faireval.annotation_stats`.

    Raises
    ------
    KeyError
        For versions without results.

    Examples
    --------
    >>> import io
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
    # All text is made before any is written, so that what cannot be shown is not shown by half.
    text = "".join(f"{line}\n" for line in _lines(eval_dict, methods, config))
    out.write(text)
    standard = (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)
    if isinstance(out, io.TextIOWrapper) and not any(out is stream for stream in standard):
        out.close()


def _lines(results: dict[str, Any], methods: list[str], config: dict[str, Any]) -> Iterator[str]:
    for version in methods:
        yield from ("", f"### {version.title()} evaluation:")
        columns = _columns(version, config.get("weights"))
        yield _row(["Label", *columns, *MEASURES])
        by_label = sorted(results["per_label"][version].items())
        for label, counts in [*by_label, ("overall", results["overall"][version])]:
            yield _row([label, *(counts.get(column, 0) for column in columns), *_measures(counts)])
    yield from ("", "### Comparison:", _row(["Version", *MEASURES]))
    for version in methods:
        yield _row([version.title(), *_measures(results["overall"][version])])
    yield from ("", "### Confusion matrix:")
    yield from _confusion(results.get("conf", {}))
    yield from ("", "### Target data stats:", _row(["Label", "Freq", "%"]))
    stats = config.get("data_stats") or {}
    total = sum(stats.values())
    for label, count in stats.items():
        yield _row([label, count, _percent(count / total)])


def _columns(version: str, weights: Mapping[str, Any] | None) -> list[str]:
    if version == "weighted" and weights:
        return list(weights)
    return COLUMNS["traditional" if version == "traditional" else "fair"]


def _confusion(conf: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    labels = sorted({*conf, *(column for row in conf.values() for column in row)})
    yield _row(["Target\\System", *labels])
    for label in labels:
        row = conf.get(label, {})
        yield _row([label, *(row.get(column, 0) for column in labels)])


def _measures(counts: Mapping[str, float]) -> list[str]:
    return [_percent(counts[measure]) for measure in MEASURES]


def _percent(share: float) -> str:
    return f"{100 * share:04.2f}"


def _row(cells: Iterable[object]) -> str:
    return "\t".join(map(str, cells))
