"""Layers of nested annotations: several columns of tags of the same tokens, as in GermEval 2014."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from spanrs.eval import fair_result, result
from spanrs.eval.fair_result import FairResult
from spanrs.eval.result import Result

Made = TypeVar("Made", Result, FairResult)


def combine_layers(results: Sequence[Made], columns: Sequence[int | str]) -> Made:
    """Add the results of layers of the same files.

    Spans are matched within their layer and counted together. Sentences and documents count once; tokens, which
    have a tag in each layer, count once a layer.
    """
    first = results[0]
    combined: Any = (result.combine if isinstance(first, Result) else fair_result.combine)(list(results))
    combined._tallies.sentences = first.sentences
    # Tokens were compared once a layer.
    noticed = first._noticed
    unread = {
        path: left
        for path, others in noticed.unread.items()
        if (left := tuple(column for column in others if column not in columns))
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
        combined, settings=settings, _documents=documents, _noticed=replace(noticed, unread=unread)
    )
    if isinstance(first, Result):
        checks = combined._tallies.checks
        combined._tallies.checks = replace(checks, differing=first._differing, unaligned=0)
    else:
        combined = replace(combined, _checks=replace(combined._checks, differing=first._differing))
    made: Made = combined
    return made
