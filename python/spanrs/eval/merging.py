"""Results added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from spanrs.errors import SchemeError
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.evidence import merge_evidence
from spanrs.eval.settings import merged_settings

EvaluationT = TypeVar("EvaluationT", bound=Evaluation)


def merge_evaluations(results: Sequence[EvaluationT]) -> EvaluationT:
    """Add results, in order."""
    first = results[0]
    settings = first.settings
    offsets, sentences = [], 0
    for result in results:
        if not isinstance(result, Evaluation):
            raise TypeError(f"results merge with results, not with {type(result).__name__}")
        settings = merged_settings(settings, result.settings)
        if result.counts.by_document != first.counts.by_document:
            error = SchemeError("results with documents do not merge with results without")
            error.code = "signature"
            raise error
        offsets.append(sentences)
        sentences += result._unweighted_corpus.get("sentences", 0)
    details: dict[str, list[Any]] | None = None
    if all(result.details is not None for result in results):
        details = {name: [] for name in first.details or ()}
        for result, offset in zip(results, offsets, strict=True):
            for name, found in (result.details or {}).items():
                details[name] += [_shifted(detail, offset) for detail in found] if offset else found
    weights = None
    if all(result.document_weights is not None for result in results):
        weights = tuple(weight for result in results for weight in result.document_weights or ())
    return replace(
        first,
        counts=first.counts.merge([result.counts for result in results[1:]]),
        settings=settings,
        evidence=merge_evidence([result.evidence for result in results], offsets),
        details=details,
        document_weights=weights,
    )


def _shifted(detail: Any, offset: int) -> Any:
    return detail._replace(sentence=detail.sentence + offset) if hasattr(detail, "sentence") else detail
