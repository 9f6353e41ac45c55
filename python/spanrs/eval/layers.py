"""Layers of nested annotations: several columns of tags for the same tokens, as in GermEval 2014."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from spanrs.eval import fair_result, result
from spanrs.eval.checks import Checks
from spanrs.eval.fair_result import FairResult
from spanrs.eval.result import Result, Violations

ResultT = TypeVar("ResultT", Result, FairResult)


def combine_layers(results: Sequence[ResultT], columns: Sequence[int | str]) -> ResultT:
    """Add the results of layers of the same files.

    Spans are matched within their layer and counted together. Sentences and documents count once; tokens, which
    have a tag in each layer, count once a layer.
    """
    first = results[0]
    combined: Any = (result.combine if isinstance(first, Result) else fair_result.combine)(list(results))
    combined._tallies.sentences = first.sentences
    # Each layer warns that the others are not read; what all say is about the file. Tokens were compared once a layer.
    of_file = (m for m in first._noticed.warnings if all(m in other._noticed.warnings for other in results))
    noticed = replace(first._noticed, warnings=tuple(of_file))
    # Sentences are those of the same file, so they keep their numbers.
    violations = {
        side: Violations(
            found.count,
            sorted(
                (place for layer in results for place in layer.violations[side].first),
                key=lambda place: place.sentence,
            ),
        )
        for side, found in combined.violations.items()
    }
    documents = []
    for rows in zip(*(layer._documents for layer in results), strict=True):
        # Fair results name their documents.
        named = isinstance(first, FairResult)
        layers = [row[1] if named else row for row in rows]
        total = type(layers[0])()
        for tallies in layers:
            total.add(tallies)
        total.sentences = layers[0].sentences
        documents.append((rows[0][0], total) if named else total)
    settings = dict(combined.settings)
    version = settings.pop("version")
    settings |= {"columns": ",".join(map(str, columns)), "version": version}
    combined = replace(
        combined, settings=settings, violations=violations, _documents=documents, _noticed=noticed
    )
    if isinstance(first, Result):
        combined._tallies.checks = _once(combined._tallies.checks, first._tallies.checks)
    else:
        combined = replace(combined, _checks=_once(combined._checks, first._checks))
    typed: ResultT = combined
    return typed


def _once(checks: Checks, first: Checks) -> Checks:
    """Count once what was compared once a layer."""
    return replace(checks, differing=first.differing, unaligned=first.unaligned)
