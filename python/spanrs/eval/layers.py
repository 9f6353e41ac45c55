"""Results of layers of nested annotations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spanrs.eval.evidence import merge_evidence
from spanrs.eval.matcher import criteria
from spanrs.eval.result import Result
from spanrs.eval.settings import merged_settings, with_setting

#: Counts that are equal in all layers and must not be summed.
ONCE = ("sentences", "differing_tokens", "unaligned_files")


def spans_of(result: Result) -> float:
    """Return the total number of gold and pred spans."""
    tp, fp, fn = result[result.matcher.support].totals
    return 2 * tp + fp + fn


def join_layers(results: Sequence[Result], columns: Sequence[object]) -> Result:
    """Add the results of layers of nested annotations: several columns of tags for the same tokens, as in GermEval.

    Spans are matched within their layer and counted together. Sentences and documents are counted once; tokens are
    counted once per layer, because each token has a tag in each layer.
    """
    first = results[0]
    settings: Any = first.settings
    counts = first.counts
    corpus = criteria(first.matcher.name)["corpus"]
    again = [at for at, name in enumerate(corpus.outcomes) if name not in ONCE]
    for result in results[1:]:
        settings = merged_settings(settings, result.settings)
        counts = counts.join(result.counts, corpus.index, again)
    layers = [result.evidence for result in results]
    merged = merge_evidence(layers, [0] * len(layers))
    evidence = replace(
        merged,
        # All layers have the same sentences, so sentence numbers are unchanged.
        located={
            side: sorted(places, key=lambda place: place.sentence)
            for side, places in merged.located.items()
        },
        # Tokens were compared once per layer.
        differing=layers[0].differing,
        # Warnings about the file occur in all layers. Each layer also has warnings about the columns of other layers.
        warnings=tuple(m for m in layers[0].warnings if all(m in layer.warnings for layer in layers)),
    )
    settings = with_setting(settings, "columns", ",".join(map(str, columns)))
    errors = first.errors
    lists = [result.errors for result in results[1:]]
    if errors is not None and None not in lists:
        errors = errors.merge(
            [layer_errors for layer_errors in lists if layer_errors is not None], [0] * len(results)
        )
    return replace(first, counts=counts, settings=settings, evidence=evidence, errors=errors)
