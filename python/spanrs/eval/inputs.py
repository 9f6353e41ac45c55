"""Conversion of gold and pred in memory to the arguments of the compiled module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from spanrs.errors import AlignmentError, SchemeError, with_code
from spanrs.eval.arguments import NOT_IN_ORDER, is_iterable
from spanrs.tags.ids import as_ids

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def is_arrow(column: object) -> bool:
    """Return whether a value is an Arrow column (pyarrow, Polars, pandas), as opposed to other sequences."""
    if not (hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__")):
        return False
    # As an Arrow column, a pandas column of Python lists would be copied first; lists are read in place.
    return str(getattr(column, "dtype", "")) != "object"


def as_lists(column: object) -> object:
    """Convert an Arrow column to lists; return other values unchanged."""
    if not is_arrow(column):
        return column
    for name in ("to_pylist", "to_list"):
        if hasattr(column, name):
            return getattr(column, name)()
    raise TypeError(
        f"{type(column).__name__} can only be read as an Arrow column; convert the other side to an Arrow column, "
        "too, or convert this side to a list"
    )


def without_nulls(column: object) -> object:
    """Convert an Arrow column without nulls to lists; return other inputs unchanged."""
    if is_arrow(column):
        column = as_lists(column)
        for at, sentence in enumerate(cast("list[Any]", column)):
            if sentence is None or None in sentence:
                raise TypeError(f"details need all tokens, but sentence {at} has a null; fill nulls with O")
    return column


def as_batch(
    gold: object, pred: object, ignore_index: int, lengths: object, mask: object
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.int64] | None]:
    """Return the ids of both sides as arrays, and the lengths of sentences if the arrays are flat.

    In gold, padding and tokens outside the mask become ``ignore_index``.
    """
    import numpy as np

    golds, preds = _ids("gold", gold), _ids("pred", pred)
    sizes = None if lengths is None else as_lengths(lengths)
    chosen = None if mask is None else _as_mask(mask)
    if chosen is not None and chosen.shape != golds.shape:
        raise AlignmentError(f"the mask has the shape {chosen.shape}, but gold has {golds.shape}")
    if sizes is not None and golds.ndim == 2:
        if sizes.shape != golds.shape[:1] or (sizes < 0).any() or (sizes > golds.shape[1]).any():
            raise AlignmentError(
                f"gold has {golds.shape[0]} sentences, padded to {golds.shape[1]} tokens: lengths must be "
                f"{golds.shape[0]} numbers from 0 to {golds.shape[1]}"
            )
        within = np.arange(golds.shape[1]) < sizes[:, None]
        chosen = within if chosen is None else chosen & within
        sizes = None
    if chosen is not None:
        golds = _signed(golds, chosen, sizes)
        golds = golds.astype(np.promote_types(golds.dtype, np.min_scalar_type(ignore_index)))
        golds[~chosen] = ignore_index
    return golds, preds, sizes


def _as_mask(mask: object) -> npt.NDArray[np.bool_]:
    array = as_ids(mask, "mask")
    if array.dtype.kind not in "biuf":
        # Any string except the empty string would be true.
        raise TypeError(f"a mask must contain bool or numbers, not {array.dtype}")
    return array.astype(bool)


def _ids(side: str, ids: object) -> npt.NDArray[Any]:
    array = as_ids(ids, side)
    if array.dtype.kind not in "iu":
        raise TypeError(f"ids must be integers, but {side} contains {array.dtype}")
    return array


def _signed(
    ids: npt.NDArray[Any], chosen: npt.NDArray[Any], sizes: npt.NDArray[np.int64] | None
) -> npt.NDArray[Any]:
    """Return ids in a type that can be promoted to a type that can represent any ``ignore_index``."""
    import numpy as np

    if ids.dtype != np.uint64:
        return ids
    large = chosen & (ids > np.iinfo(np.int64).max)
    if large.any():
        first = int(np.flatnonzero(large)[0])
        # A one-dimensional array is one sentence, or is split by the lengths.
        starts = np.arange(0, ids.size, ids.shape[-1]) if sizes is None else np.cumsum(sizes) - sizes
        sentence = np.searchsorted(starts, first, side="right") - 1
        token = first - starts[sentence]
        message = f"gold has id {ids.reshape(-1)[first]} at sentence {sentence}, token {token}, which is out of range"
        raise with_code(SchemeError(message), "unknown_id")
    return np.where(chosen, ids, 0).astype(np.int64)


def as_lengths(lengths: object) -> npt.NDArray[np.int64]:
    """Return the lengths of sentences as an array."""
    import numpy as np

    is_array = hasattr(lengths, "__array__") or hasattr(lengths, "__dlpack__")
    if isinstance(lengths, NOT_IN_ORDER) or not (is_array or is_iterable(lengths)):
        raise TypeError(f"lengths must be one integer per sentence, not {type(lengths).__name__}")
    if not isinstance(lengths, Sequence) and not is_array:
        lengths = list(cast("Iterable[int]", lengths))
    sizes = as_ids(lengths, "lengths")
    if sizes.dtype.kind not in "iu":
        raise TypeError(f"lengths must be integers, not {sizes.dtype}")
    if sizes.ndim != 1:
        raise AlignmentError(f"lengths must have one dimension, not {sizes.ndim}")
    if sizes.size and sizes.max() > np.iinfo(np.int64).max:
        raise AlignmentError(f"lengths contain {sizes.max()}, which exceeds the maximum number of tokens")
    return sizes.astype(np.int64, copy=False)


def sentences_of_tokens(tokens: object, sentences: int) -> list[Sequence[str]]:
    """Return the tokens as one sequence per sentence.

    Raises
    ------
    TypeError
        For values that are not sequences of sequences, and for a str instead of a sequence.
    spanrs.errors.AlignmentError
        If the number of sequences is not ``sentences``.
    """
    if isinstance(tokens, NOT_IN_ORDER) or not (is_iterable(tokens) or is_arrow(tokens)):
        raise TypeError(f"tokens must be a sequence of str per sentence, not {type(tokens).__name__}")
    texts: list[Any] = list(cast("Iterable[Any]", as_lists(tokens)))
    if len(texts) != sentences:
        raise AlignmentError(f"there are {sentences} sentences, but tokens for {len(texts)}")
    for at, text in enumerate(texts):
        if isinstance(text, NOT_IN_ORDER) or not hasattr(text, "__len__"):
            raise TypeError(f"tokens, sentence {at}: expected a sequence of str, not {type(text).__name__}")
    return texts


def reiterable(side: Any, *, sentences: bool = False) -> Any:
    """Replace an iterator by a list, so that it can be read twice.

    With ``sentences``, also replace sentences that are iterators or arrays of strings.

    Values that are not iterable are refused by the compiled module.
    """
    side = list(side) if isinstance(side, Iterator) else side
    if not sentences:
        return side
    side = _without_arrays_of_str(side)
    if isinstance(side, (list, tuple)):
        return [_without_arrays_of_str(reiterable(sentence)) for sentence in side]
    return side


def _without_arrays_of_str(side: Any) -> Any:
    """Convert an array of strings to a list, because sides are read several times; return other values unchanged."""
    kind = getattr(getattr(side, "dtype", None), "kind", None)
    return side.tolist() if kind in ("U", "O") and hasattr(side, "tolist") else side


def are_spans(gold: object, pred: object) -> bool:
    """Return whether both sides contain spans, judging by the first item of each side.

    Raises
    ------
    TypeError
        If spans are not given as one list per sentence, dictionaries have other keys, or only one side contains spans.
    """
    kinds = {
        name: kind
        for name, side in (("gold", gold), ("pred", pred))
        if (kind := _holds_spans(name, side)) is not None
    }
    if len(set(kinds.values())) > 1:
        tags = "gold" if kinds["pred"] else "pred"
        raise TypeError(
            f"{tags} has tags, but the other side has spans; convert the tags: "
            f"[spanrs.tags.tags_to_spans(sentence) for sentence in {tags}]"
        )
    return any(kinds.values())


def _holds_spans(name: str, side: object) -> bool | None:
    """Return whether the first item of a side is a span; None if there are no items, or no lists."""
    for at, sentence in enumerate(side if isinstance(side, (list, tuple)) else ()):
        if isinstance(sentence, Mapping) and _bound_keys(sentence) is not None:
            raise TypeError(
                f"{name}: expected a list of spans for each sentence, got {_dict_advice(sentence)}"
            )
        for item in sentence if isinstance(sentence, (list, tuple)) else ():
            if sorted(type(part).__name__ for part in sentence[:3]) == ["int", "int", "str"]:
                raise TypeError(f"expected a list of spans for each sentence, got the span {sentence!r}")
            if isinstance(item, Mapping) and not _is_span(item):
                raise TypeError(
                    f"{name}, sentence {at}: expected tags or spans (type, start, end), got {_dict_advice(item)}"
                )
            if isinstance(item, (list, tuple)) and [type(part) for part in item] == [str, str]:
                raise TypeError(
                    f"{name}, sentence {at}: expected tags or spans (type, start, end), got the pair {item!r}; "
                    "pass only the tags"
                )
            # Sentences nested one level too deep are not spans.
            return isinstance(item, (tuple, Mapping)) or (isinstance(item, list) and len(item) > 2)
    return None


def _is_span(item: Mapping[Any, Any]) -> bool:
    """Return whether a dict has the fields of a span."""
    return {"type", "start", "end"} <= item.keys() <= {"type", "start", "end", "tokens", "text"}


def spans_as_tuples(side: Any) -> Any:
    """Return spans that are dicts (``type``, ``start``, ``end`` and optionally ``tokens``) as tuples.

    Raises
    ------
    TypeError
        If dicts and tuples are mixed, or dicts have other keys.
    """
    if not isinstance(side, (list, tuple)):
        return side
    first = next(
        (sentence[0] for sentence in side if isinstance(sentence, (list, tuple)) and sentence), None
    )
    if not isinstance(first, Mapping):
        return side
    converted = []
    for at, sentence in enumerate(side):
        for item in sentence:
            if not isinstance(item, Mapping) or not _is_span(item):
                shown = _dict_advice(item) if isinstance(item, Mapping) else repr(item)
                raise TypeError(f"sentence {at}: expected a span with type, start and end, got {shown}")
        fields = ("type", "start", "end", "tokens")
        converted.append(
            [tuple(item[name] for name in fields if item.get(name) is not None) for item in sentence]
        )
    return converted


#: Possible keys of the type and of the bounds in spans that are dictionaries.
TYPE_KEYS = ("type", "label", "entity_group", "entity", "entity_type")
BOUND_KEYS = (
    ("start", "end"),
    ("start_offset", "end_offset"),
    ("start_char", "end_char"),
    ("begin", "end"),
)


def _bound_keys(span: Mapping[Any, Any]) -> tuple[str, str] | None:
    """Return the keys of the start and the end of a span; None for other dictionaries."""
    return next((keys for keys in BOUND_KEYS if all(key in span for key in keys)), None)


def _dict_advice(span: Mapping[Any, Any]) -> str:
    """Describe a dictionary given instead of a span, and explain how to convert it."""
    text = f"the dict {dict(span)!r}"
    key = next((key for key in TYPE_KEYS if key in span), None)
    bounds = _bound_keys(span)
    if key is None or bounds is None:
        return f"{text}; a span is (type, start, end) with an exclusive end"
    start, end = bounds
    return f"{text}; convert it by (d[{key!r}], d[{start!r}], d[{end!r}]), with an exclusive end"


def count_sentences(side: Any, lengths: object) -> int:
    """Return the number of sentences of a side that has a length."""
    if lengths is not None:
        return len(as_lengths(lengths))
    if not hasattr(side, "__len__"):
        raise TypeError(
            f"document weights need columns with a length, but {type(side).__name__} has none; "
            "pass a column of pyarrow, Polars or pandas, or pass by="
        )
    # One-dimensional ids are one sentence.
    if len(getattr(side, "shape", ())) == 1 and getattr(getattr(side, "dtype", None), "kind", "O") != "O":
        return 1
    return len(side)
