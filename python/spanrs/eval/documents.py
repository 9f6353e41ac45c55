"""Cutting what is in memory into documents."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spanrs.errors import AlignmentError
from spanrs.eval import inputs

#: Arguments of `Scorer.update` for the sentences from one number to another.
Cut = Callable[[int, int], dict[str, Any]]


def split_documents(
    gold: Any, pred: Any, *, ids: bool, ignore_index: int, lengths: object, mask: object
) -> tuple[int, Cut]:
    """Give the number of sentences, and how to get at some of them."""
    if inputs.is_arrow(gold) and inputs.is_arrow(pred):
        inputs.reject_lengths_and_mask(inputs.ARROW_KNOWS, lengths, mask)
        return _sliced(gold, pred)
    gold, pred = inputs.as_lists(gold), inputs.as_lists(pred)
    if not ids:
        inputs.reject_lengths_and_mask(inputs.FOR_IDS, lengths, mask)
        return _sliced(_again(gold), _again(pred))
    g, p, sizes = inputs.as_batch(gold, pred, ignore_index, lengths, mask)
    if g.shape != p.shape:
        message = f"gold is of shape {g.shape}, pred of {p.shape}"
        raise AlignmentError(message)
    if sizes is None:
        return _sliced(*(side[None] if side.ndim == 1 else side for side in (g, p)))
    import numpy as np

    if (sizes < 0).any() or sizes.sum() != g.size:
        message = f"lengths add up to {sizes.sum()}, but there are {g.size} ids a side"
        raise AlignmentError(message)
    borders = np.concatenate([[0], np.cumsum(sizes)])
    return len(sizes), lambda a, b: {
        "gold": g[borders[a] : borders[b]],
        "pred": p[borders[a] : borders[b]],
        "lengths": sizes[a:b],
    }


def _again(side: Any) -> Any:
    """Give sentences that can be read more than once: for the scheme, and for each document."""
    rows = side if isinstance(side, Sequence) else list(side)
    if any(isinstance(row, Iterator) for row in rows):
        return [list(row) if isinstance(row, Iterator) else row for row in rows]
    return rows


def _sliced(gold: Any, pred: Any) -> tuple[int, Cut]:
    for side in (gold, pred):
        if not (hasattr(side, "__len__") and hasattr(side, "__getitem__")):
            message = (
                f"documents and weights need columns that can be sliced, and {type(side).__name__} cannot; "
                "pass a column of pyarrow, Polars or pandas"
            )
            raise TypeError(message)
    if len(gold) != len(pred):
        message = f"gold has {len(gold)} sentences, pred has {len(pred)}"
        raise AlignmentError(message)
    # Series of pandas are cut by place, whatever their index.
    golds, preds = getattr(gold, "iloc", gold), getattr(pred, "iloc", pred)
    return len(gold), lambda a, b: {"gold": golds[a:b], "pred": preds[a:b]}


def borders(documents: Iterable[int] | None, sentences: int) -> list[tuple[int, int]]:
    """Give the first sentence of each document and the one behind its last."""
    sizes = [1] * sentences if documents is None else [operator.index(size) for size in documents]
    if sum(sizes) != sentences or any(size < 1 for size in sizes):
        message = (
            f"documents must be numbers of sentences from 1 up that add up to {sentences}, "
            f"not {_some(sizes)}, which add up to {sum(sizes)}"
        )
        raise AlignmentError(message)
    ends, end = [], 0
    for size in sizes:
        ends.append((end, end + size))
        end += size
    return ends


def _some(sizes: list[int]) -> str:
    shown = ", ".join(map(str, sizes[:8]))
    return f"{shown}, ..." if len(sizes) > 8 else shown or "none"
