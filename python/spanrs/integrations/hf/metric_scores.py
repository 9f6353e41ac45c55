"""Computation of the scores for the metric of ``evaluate``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from spanrs.errors import SchemeError

#: predictions, references, and options by name -> results
Mode: TypeAlias = Callable[..., dict[str, Any]]


def metric_path(name: str = "seqeval") -> str:
    """Return the path of a metric, for ``evaluate.load``.

    Parameters
    ----------
    name : {'seqeval', 'poseval', 'faireval'}
        The metric whose arguments and results it has: ``seqeval``, ``poseval`` or ``hpi-dhc/FairEval``.

    Returns
    -------
    str
        A Python file in the package; nothing is downloaded.

    Raises
    ------
    ValueError
        If there is no such metric.

    Examples
    --------
    >>> from spanrs.integrations import hf
    >>> hf.metric_path("poseval").rpartition("/")[2]
    'spanrs_poseval.py'
    """
    folder = Path(__file__).parent / "metric"
    names = sorted(path.stem.removeprefix("spanrs_") for path in folder.glob("spanrs_*.py"))
    if name not in names:
        raise ValueError(f"there is no metric {name!r}; choose from {', '.join(map(repr, names))}")
    return (folder / f"spanrs_{name}.py").as_posix()


def seqeval_scores(
    predictions: Any, references: Any, *, suffix: bool, scheme: Any, strict: bool, zero_division: Any
) -> dict[str, Any]:
    """Return the scores of the metric ``seqeval``, under the same keys."""
    from spanrs.compat.seqeval import _scores
    from spanrs.compat.seqeval._counting import default_counts, strict_counts
    from spanrs.compat.seqeval.metrics import accuracy_score
    from spanrs.compat.seqeval.metrics.v1 import check_shapes
    from spanrs.compat.seqeval.scheme import auto_detect

    alike = check_shapes(references, predictions)
    if strict:
        cls = seqeval_scheme(scheme) or auto_detect(references, suffix)
        counts = strict_counts(references, predictions, cls, suffix, alike=alike)
    else:
        counts = default_counts(references, predictions, suffix, alike=alike)
    names = ("precision", "recall", "f1", "number")
    by_type = _scores.scores(counts, zero_division=zero_division)
    results: dict[str, Any] = {
        name: dict(zip(names, row, strict=True))
        for name, *row in zip(sorted(counts), *by_type, strict=True)
    }
    overall = _scores.scores(counts, "micro", zero_division=zero_division)
    for name, value in zip(names[:3], overall[:3], strict=True):
        results[f"overall_{name}"] = value
    results["overall_accuracy"] = accuracy_score(references, predictions)
    return results


#: Modes of fair evaluation: the criteria of the matcher.
FAIR = ("fair", "weighted", "traditional")
#: Counts that are returned in addition to the measures.
FAIR_OUTCOMES = ("tp", "fp", "fn", "le", "be", "lbe")


def fair_scores(
    predictions: Any, references: Any, *, mode: str, suffix: bool, scheme: Any, weights: Any
) -> dict[str, Any]:
    """Return fair scores with the keys of the metric ``seqeval``, and the counts."""
    import spanrs
    from spanrs.compat.seqeval.metrics import accuracy_score

    weight_options = {} if weights is None else {"weights": weights}
    result = spanrs.score(
        references,
        predictions,
        matcher=spanrs.Fair(exclude=(), **weight_options),
        scheme="auto" if scheme is None else scheme,
        dialect=spanrs.tags.Dialect(suffix=suffix),
    )

    view = result[mode]

    def row(score: Any, outcomes: Any, prefix: str) -> dict[str, Any]:
        measures = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
        numbers = {name.upper(): outcomes[name] for name in FAIR_OUTCOMES if name in outcomes}
        return {prefix + name: value for name, value in (measures | numbers).items()}

    results: dict[str, Any] = {
        name: row(score, view.per_type.outcomes.get(name, {}), "") | {"number": score.support}
        for name, score in view.per_type.items()
    }
    return (
        results
        | row(view.micro, view.outcomes, "overall_")
        | {"overall_accuracy": accuracy_score(references, predictions)}
    )


def _default(predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
    return seqeval_scores(predictions, references, strict=False, **options)


def _strict(predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
    return seqeval_scores(predictions, references, strict=True, **options)


#: Scoring function of each mode; all accept suffix, scheme and zero_division.
MODES: dict[str | None, Mode] = {None: _default, "strict": _strict}


def compute(
    predictions: Any,
    references: Any,
    *,
    suffix: bool = False,
    scheme: Any = None,
    mode: str | None = None,
    zero_division: Any = "warn",
    weights: Any = "paper",
) -> dict[str, Any]:
    """Score in one of the modes.

    Parameters
    ----------
    predictions, references : list of list of str
        Pred and gold: sentences of tags.
    suffix : bool
        Whether the prefix follows the type.
    scheme : str, optional
        The scheme in strict mode, under any of its usual names: IOB1, IOB2 or BIO, IOE1, IOE2, IOBES, BILOU. By default
        the scheme is detected from ``references``.
    mode : str, optional
        None reads tags like conlleval, ``'strict'`` reads tags according to the scheme. ``'fair'``, ``'weighted'`` and
        ``'traditional'`` are criteria of :class:`spanrs.Fair`, which accepts every scheme.
    zero_division : {'warn', 0, 1}
        Value of a measure whose denominator is 0; always 0 in the fair modes.
    weights : str or mapping
        Weights for the mode ``'weighted'``, as for :class:`spanrs.Fair`.

    Returns
    -------
    dict
        For each type a dict of ``precision``, ``recall``, ``f1``, ``number``; and ``overall_precision``,
        ``overall_recall``, ``overall_f1``, ``overall_accuracy``. In the fair modes the dict also contains the counts
        ``TP``, ``FP``, ``FN`` and, except for ``'traditional'``, ``LE``, ``BE``, ``LBE``.

    Raises
    ------
    ValueError
        If the mode or the scheme is unknown, or the shapes of the sides differ.

    Examples
    --------
    >>> from spanrs.integrations.hf.metric_scores import compute
    >>> compute([["B-PER", "O"]], [["B-PER", "O"]])["overall_f1"]
    np.float64(1.0)
    """
    if mode in FAIR:
        return fair_scores(
            predictions, references, mode=mode, suffix=suffix, scheme=scheme, weights=weights
        )
    if mode not in MODES:
        modes = ", ".join(repr(name) for name in (*MODES, *FAIR))
        message = f"unknown mode {mode!r}; choose from {modes}"
        raise ValueError(message)
    if scheme is not None:
        seqeval_scheme(scheme)
    return MODES[mode](predictions, references, suffix=suffix, scheme=scheme, zero_division=zero_division)


def seqeval_scheme(name: Any) -> Any:
    """Return the class of the scheme with this name, or None if the name is None."""
    from spanrs import _spanrs
    from spanrs.compat.seqeval.scheme import CORE_SCHEMES, Token

    if name is None or (isinstance(name, type) and issubclass(name, Token)):
        return name
    try:
        return CORE_SCHEMES[_spanrs.scheme_name(name)]
    except (KeyError, SchemeError):
        choices = ", ".join(cls.__name__ for cls in CORE_SCHEMES.values())
        message = f"strict mode has no scheme {name!r}; choose from {choices}"
        raise ValueError(message) from None
