"""The evaluator, its result and its errors."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from spanrs.compat.presidio_evaluator.matching import Tally, match_spans
from spanrs.compat.presidio_evaluator.token_spans import OUTSIDE, token_spans

#: The type of all spans in the pass without types.
PII = "PII"
LEVELS = ("both", "entity", "pii")


@dataclass
class PIIEvaluationMetrics:
    """Measures and counts of a type."""

    precision: float = 0.0
    recall: float = 0.0
    f_beta: float = 0.0
    num_predicted: int = 0
    num_annotated: int = 0
    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0


@dataclass
class ModelError:
    """An error: ``FN``, ``FP`` or ``WrongEntity``, with the types and the text of a span."""

    error_type: str
    annotation: str
    prediction: str
    full_text: str
    token: str
    start: int
    end: int


@dataclass
class EvaluationResult:
    """Counts and measures, by type and regardless of type (``pii_``)."""

    results: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of (gold type, pred type); ``O`` for none."""
    model_errors: list[ModelError] = field(default_factory=list)
    per_type: dict[str, PIIEvaluationMetrics] = field(default_factory=dict)
    n: int | None = None
    """Number of gold spans."""
    pii_precision: float | None = None
    pii_recall: float | None = None
    pii_f: float | None = None
    pii_predicted: int = 0
    pii_annotated: int = 0
    pii_true_positives: int = 0
    pii_false_positives: int = 0
    pii_false_negatives: int = 0


class SpanEvaluator:
    """Compare spans of tokens by intersection over union.

    Parameters
    ----------
    skip_words : collection of str
        Words that do not count, in lower case. The package's own list is the default of the package; here it must be
        passed, such as ``presidio_evaluator.evaluation.get_skip_words()``.
    iou_threshold : float
        Smallest intersection over union of a match.
    char_based : bool
        Whether to compare characters; otherwise tokens.
    **options
        Options of the package that do not affect the evaluator: ``model``, ``verbose``, ``entities_to_keep``,
        ``generic_entities``.

    Raises
    ------
    ValueError
        If ``skip_words`` is not given.

    Examples
    --------
    >>> from spanrs.compat.presidio_evaluator import SpanEvaluator
    >>> table = {"sentence_id": [0, 0], "token": ["Eva", "ran"], "start_indices": [0, 4]}
    >>> table |= {"annotation": ["NAME", "O"], "prediction": ["NAME", "NAME"]}
    >>> result = SpanEvaluator(skip_words=[], iou_threshold=0.4).calculate_score_on_df(table)
    >>> result.per_type["NAME"].recall, result.pii_f
    (1.0, 1.0)
    """

    def __init__(
        self,
        *,
        skip_words: Collection[str] | None = None,
        iou_threshold: float = 0.9,
        char_based: bool = True,
        **options: Any,
    ) -> None:
        unknown = set(options) - {"model", "verbose", "entities_to_keep", "generic_entities"}
        if unknown:
            raise TypeError(f"unknown option {min(unknown)!r} of SpanEvaluator")
        if skip_words is None:
            raise ValueError(
                "pass skip_words=, for example [] or presidio_evaluator.evaluation.get_skip_words(); the default list "
                "belongs to the package"
            )
        self.skip_words = frozenset(skip_words)
        self.iou_threshold = iou_threshold
        self.char_based = char_based

    def calculate_score_on_df(
        self, results_df: Mapping[str, Any], beta: float = 2, level: str = "both"
    ) -> EvaluationResult:
        """Score a table of tokens.

        Parameters
        ----------
        results_df : pandas.DataFrame or mapping of str to sequence
            The columns ``sentence_id``, ``token``, ``start_indices`` (first character of the token in its sentence),
            ``annotation`` and ``prediction`` (types, or ``O``).
        beta : float
            Weight of recall in F.
        level : str
            ``entity`` (by type), ``pii`` (regardless of type) or ``both``.

        Raises
        ------
        ValueError
            For another level.
        """
        if level not in LEVELS:
            raise ValueError(f"unknown level {level!r}; expected one of {', '.join(LEVELS)}")
        sentences = _sentences(results_df)
        result = EvaluationResult()
        if level in ("both", "entity"):
            typed = self._tally(sentences, {}, result, is_typed=True)
            result.per_type = {name: _metrics(tally, beta) for name, tally in typed.items()}
            result.n = sum(tally.annotated for tally in typed.values())
        if level in ("both", "pii"):
            untyped = self._tally(sentences, {OUTSIDE: OUTSIDE}, result, is_typed=False)
            pii = _metrics(untyped[PII], beta)
            result.pii_precision, result.pii_recall, result.pii_f = pii.precision, pii.recall, pii.f_beta
            result.pii_predicted, result.pii_annotated = pii.num_predicted, pii.num_annotated
            result.pii_true_positives, result.pii_false_positives = pii.true_positives, pii.false_positives
            result.pii_false_negatives = pii.false_negatives
        return result

    def _tally(
        self,
        sentences: list[tuple[list[str], list[int], list[str], list[str]]],
        names: Mapping[str, str],
        result: EvaluationResult,
        *,
        is_typed: bool,
    ) -> dict[str, Tally]:
        """Count all sentences; ``names`` are the tags that are kept in the pass without types."""
        tallies: dict[str, Tally] = defaultdict(Tally)
        for tokens, starts, *sides in sentences:
            gold, pred = (
                token_spans(
                    tokens,
                    starts,
                    tags if is_typed else [names.get(tag, PII) for tag in tags],
                    self.skip_words,
                )
                for tags in sides
            )
            for event in match_spans(gold, pred, self.iou_threshold, by_character=self.char_based):
                event.add_to(tallies)
                if not (is_typed or event.is_alone):
                    continue
                result.results.update(event.confusion)
                result.model_errors += [
                    ModelError(
                        kind,
                        OUTSIDE if kind == "FP" else event.gold_type,
                        OUTSIDE if kind == "FN" else event.pred_type,
                        span.text,
                        " ".join(token for _, token in span.kept),
                        span.start,
                        span.end,
                    )
                    for kind, span in event.errors
                ]
        return tallies


def _sentences(table: Mapping[str, Any]) -> list[tuple[list[str], list[int], list[str], list[str]]]:
    """Return the columns of each sentence, in the order of their numbers."""
    names = ("token", "start_indices", "annotation", "prediction")
    sentences: dict[Any, tuple[list[str], list[int], list[str], list[str]]] = {}
    for number, *row in zip(table["sentence_id"], *(table[name] for name in names), strict=True):
        columns = sentences.setdefault(number, ([], [], [], []))
        tokens, starts, gold, pred = columns
        tokens.append(row[0])
        starts.append(row[1])
        gold.append(row[2])
        pred.append(row[3])
    return [sentences[number] for number in sorted(sentences)]


def _metrics(tally: Tally, beta: float) -> PIIEvaluationMetrics:
    precision = tally.tp / tally.predicted if tally.predicted else math.nan
    recall = tally.tp / tally.annotated if tally.annotated else math.nan
    below = ((beta**2) * precision) + recall
    f = ((1 + beta**2) * precision * recall) / below if below else math.nan
    return PIIEvaluationMetrics(
        precision, recall, f, tally.predicted, tally.annotated, tally.tp, tally.fp, tally.fn
    )
