"""What Hugging Face evaluate asks of a metric whose predictions and references are sentences of tags."""

from __future__ import annotations

from typing import Any


def metric_info(description: str, inputs: str) -> Any:
    """Return an ``evaluate.MetricInfo``.

    Parameters
    ----------
    description : str
        What the metric computes.
    inputs : str
        The arguments of ``compute`` and its result.
    """
    import datasets
    import evaluate

    tags = datasets.Sequence(datasets.Value("string", id="label"), id="sequence")
    return evaluate.MetricInfo(
        description=description,
        citation="",
        inputs_description=inputs,
        features=datasets.Features({"predictions": tags, "references": tags}),
    )
