"""Default mode, and the entry to strict mode (seqeval.metrics.sequence_labeling).

Default mode reads tags like conlleval, regardless of their scheme; with ``mode="strict"`` and a scheme, spans are read
according to the scheme. Every score requires one pass of the compiled module over both sides.
"""

from __future__ import annotations

import contextlib
from typing import Any, Protocol

from spanrs import _spanrs
from spanrs.compat._naming import export, named
from spanrs.compat.seqeval import _counting, _scores
from spanrs.compat.seqeval.metrics import v1
from spanrs.compat.seqeval.metrics.v1 import SCORES, Tags, check_shapes  # noqa: F401
from spanrs.compat.seqeval.metrics.v1 import classification_report as cr
from spanrs.compat.seqeval.reporters import DictReporter, StringReporter  # noqa: F401
from spanrs.compat.seqeval.scheme import Token, own_scheme

precision_recall_fscore_support_v1 = v1.precision_recall_fscore_support
end_of_chunk, start_of_chunk = _counting.end_of_chunk, _counting.start_of_chunk


def precision_recall_fscore_support(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = None,
    warn_for: Any = _scores.ALL,
    beta: float = 1.0,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    suffix: bool = False,
) -> tuple[Any, Any, Any, Any]:
    """Compute precision, recall, F-measure and support in default mode, by type in the order of names.

    ``sample_weight`` is ignored, as in seqeval; ``spanrs.score(document_weights=...)`` supports weights.
    """
    _scores.check_options(average, beta)
    counts = _counting.default_counts(y_true, y_pred, suffix, alike=check_shapes(y_true, y_pred))
    return _scores.scores(counts, average, warn_for, beta, zero_division)


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:
    """Read spans in default mode: type, first and last token, in the order of their ends.

    Sentences are concatenated with an ``O`` after each sentence, which counts as a token.

    Examples
    --------
    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    nested = _spanrs.same_shape(seq, seq)
    if nested or type(seq) is list:
        with contextlib.suppress(TypeError, ValueError):
            entities, tags = _spanrs.seqeval_entities(seq if nested else [seq], bool(suffix))
            if "" not in tags:
                for tag in tags:
                    _counting.warn_of_unknown(tag, suffix)
                return entities
    return _counting.read_entities(seq, suffix)


class ScoreFunction(Protocol):
    """Type of the functions that compute one measure."""

    def __call__(
        self,
        y_true: Tags,
        y_pred: Tags,
        *,
        average: str | None = "micro",
        suffix: bool = False,
        mode: str | None = None,
        sample_weight: Any = None,
        zero_division: Any = "warn",
        scheme: type[Token] | None = None,
    ) -> Any:
        """Compute the measure."""


def _measure(metric: str, name: str, summary: str, gives: float) -> ScoreFunction:
    """Create the function that computes one measure."""

    def score(
        y_true: Tags,
        y_pred: Tags,
        *,
        average: str | None = "micro",
        suffix: bool = False,
        mode: str | None = None,
        sample_weight: Any = None,  # noqa: ARG001
        zero_division: Any = "warn",
        scheme: Any = None,
    ) -> Any:
        options: dict[str, Any] = {"average": average, "zero_division": zero_division, "suffix": suffix}
        scheme = own_scheme(scheme)
        function: Any = precision_recall_fscore_support
        if mode == "strict" and scheme:
            function, options["scheme"] = v1.precision_recall_fscore_support, scheme
        return function(y_true, y_pred, warn_for=(metric,), **options)[_scores.ALL.index(metric)]

    summary += "\n\n``mode='strict'`` without a scheme means default mode; ``sample_weight`` is ignored."
    example = '([["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]])'
    return named(score, name, summary, example, f"np.float64({gives})")


precision_score = _measure("precision", "precision_score", "Compute the precision of spans.", 1.0)
recall_score = _measure("recall", "recall_score", "Compute the recall of spans.", 0.5)
f1_score = _measure("f-score", "f1_score", "Compute F1 of spans.", 0.6666666666666666)


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Compute the fraction of gold tokens with equal tags."""
    if outcomes := _outcomes(y_true, y_pred):
        return (outcomes[1] + outcomes[4]) / outcomes[0]
    gold, pred = _flat(y_true, y_pred)
    correct: float = sum(t == p for t, p in zip(gold, pred, strict=False))
    return correct / len(gold)


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Count tokens; a token with two different tags other than ``O`` is counted as ``FP``, not as ``FN``.

    Examples
    --------
    >>> performance_measure([["B-PER", "O", "B-ORG", "O"]], [["B-PER", "B-LOC", "O", "O"]])
    {'TP': 1, 'FP': 1, 'FN': 1, 'TN': 1}
    """
    if outcomes := _outcomes(y_true, y_pred):
        return dict(zip(("TP", "FP", "FN", "TN"), outcomes[1:], strict=True))
    pairs = list(zip(*_flat(y_true, y_pred), strict=False))
    return {
        "TP": sum(t == p for t, p in pairs if t != "O" or p != "O"),
        "FP": sum((t != p) and (p != "O") for t, p in pairs),  # noqa: PLR1714
        "FN": sum((t != "O") and (p == "O") for t, p in pairs),
        "TN": sum(t == p == "O" for t, p in pairs),
    }


def _outcomes(y_true: Any, y_pred: Any) -> tuple[int, int, int, int, int] | None:
    """Return the number of gold tokens, TP, FP, FN, TN; None if tags are not strings."""
    with contextlib.suppress(TypeError, ValueError):
        if _spanrs.same_shape(y_true, y_pred):
            return _spanrs.token_outcomes(y_true, y_pred)
        if type(y_true) in (list, tuple) and type(y_pred) in (list, tuple):
            return _spanrs.token_outcomes(*([side] for side in _flat(y_true, y_pred)))
    return None


def _flat(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return the tokens of all sentences as one sequence."""
    if any(isinstance(row, list) for row in y_true):
        return [tag for row in y_true for tag in row], [tag for row in y_pred for tag in row]
    return y_true, y_pred


def classification_report(  # noqa: PLR0917
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
) -> str | dict[str, dict[str, Any]]:
    """Build a report: one row for each type, and the three averages.

    ``mode='strict'`` without a scheme detects the scheme from ``y_true``; ``sample_weight`` is ignored. docs/compat.md
    shows a report.
    """
    if mode == "strict":
        options: dict[str, Any] = {"digits": digits, "output_dict": output_dict, "suffix": suffix}
        return cr(y_true, y_pred, zero_division=zero_division, scheme=scheme, **options)
    # Tags are read before the lengths are checked: the order determines which of two errors is raised.
    alike = _spanrs.same_shape(y_true, y_pred)
    counts = _counting.default_counts(y_true, y_pred, suffix, alike=alike)
    reporter = _scores.make_reporter(counts, digits=digits, output_dict=output_dict)
    if not alike:
        check_shapes(y_true, y_pred)
    return _scores.report(counts, reporter, zero_division)


export(globals(), also=("SCORES",))
