"""Results as plain dictionaries, lists, strings and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from spanrs.eval.evaluation import Evaluation
from spanrs.eval.scores import measures_dict


def plain(result: Evaluation, *, untyped: bool, criteria: Sequence[str] | None) -> dict[str, Any]:
    """Give everything; see :meth:`spanrs.Result.to_dict`."""
    everything: dict[str, Any] = {"matcher": result.matcher.to_dict(), "criterion": result.criterion.name}
    everything |= measures_dict(result)
    if len(result.matcher.criteria) > 1:
        everything["criteria"] = {
            name: result[name].to_dict() for name in criteria or result.matcher.criteria
        }
    everything |= {
        "confusion": [
            {"gold": gold, "pred": pred, "count": n} for gold, pred, n in result.confusion.triples()
        ],
        "accuracy": result.accuracy,
        "sentences": result.sentences,
        "tokens": result.tokens,
        "violations": {side: found.to_dict() for side, found in result.violations.items()},
        "detection": result.detection,
        "pred_detection": result.pred_detection,
        "warnings": result.warnings,
        "notes": result.notes,
        "signature": result.signature,
    }
    if untyped:
        everything["untyped"] = asdict(result.untyped)
        everything["untyped_counts"] = result.untyped_totals._asdict()
    if result.documents:
        everything["documents"] = [
            {
                "document": row.document,
                "name": row.name,
                "sentences": row.sentences,
                "tokens": row.tokens,
                "counts": row.totals._asdict(),
                "outcomes": row.outcomes,
                "micro": asdict(row.micro),
            }
            for row in result.documents
        ]
    if result.details is not None:
        everything["details"] = {
            name: [_plain_detail(detail) for detail in details] for name, details in result.details.items()
        }
    return everything


def _plain_detail(detail: Any) -> dict[str, Any]:
    found: dict[str, Any] = detail._asdict()
    for side in ("gold", "pred"):
        if found.get(side) is not None:
            found[side] = found[side]._asdict()
    return found
