"""Cutting what is in memory into documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spanrs.errors import AlignmentError
from spanrs.eval import inputs

#: Arguments of `Scorer.update` for the sentences from one number to another.
Cut = Callable[[int, int], dict[str, Any]]


def cut(
    gold: Any, pred: Any, *, ids: bool, ignore_index: int, lengths: object, mask: object
) -> tuple[int, Cut]:
    """Give the number of sentences, and how to get at some of them."""
    if inputs.is_arrow(gold) and inputs.is_arrow(pred):
        return len(gold), lambda a, b: {"gold": gold[a:b], "pred": pred[a:b]}
    gold, pred = inputs.as_lists(gold), inputs.as_lists(pred)
    if not ids:
        golds, preds = (side if isinstance(side, Sequence) else list(side) for side in (gold, pred))
        if len(golds) != len(preds):
            message = f"gold has {len(golds)} sentences, pred has {len(preds)}"
            raise AlignmentError(message)
        return len(golds), lambda a, b: {"gold": golds[a:b], "pred": preds[a:b]}
    g, p, sizes = inputs.as_batch(gold, pred, ignore_index, lengths, mask)
    if g.shape != p.shape:
        message = f"gold is of shape {g.shape}, pred of {p.shape}"
        raise AlignmentError(message)
    if sizes is None:
        if g.ndim == 1:
            g, p = g[None], p[None]
        return len(g), lambda a, b: {"gold": g[a:b], "pred": p[a:b]}
    import numpy as np

    borders = np.concatenate([[0], np.cumsum(sizes)])
    return len(sizes), lambda a, b: {
        "gold": g[borders[a] : borders[b]],
        "pred": p[borders[a] : borders[b]],
        "lengths": sizes[a:b],
    }


def borders(documents: Iterable[int] | None, sentences: int) -> list[tuple[int, int]]:
    """Give the first sentence of each document and the one behind its last."""
    sizes = [1] * sentences if documents is None else [int(size) for size in documents]
    if sum(sizes) != sentences or any(size < 1 for size in sizes):
        message = (
            f"documents must be numbers of sentences from 1 up that add up to {sentences}, "
            f"not to {sum(sizes)}"
        )
        raise AlignmentError(message)
    ends, end = [], 0
    for size in sizes:
        ends.append((end, end + size))
        end += size
    return ends
