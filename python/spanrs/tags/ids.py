"""Conversion and validation of integer tag ids with a vocabulary."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from spanrs import _spanrs
from spanrs.errors import AlignmentError, SchemeError, Violation
from spanrs.tags.types import (
    IGNORE_INDEX,
    Converter,
    Dialect,
    Reader,
    Vocabulary,
    as_ignore_index,
    as_vocabulary,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class SpanArrays(NamedTuple):
    """Spans as columns: element ``i`` of every array belongs to span ``i``."""

    sentence: npt.NDArray[np.int64]
    """Index of the sentence, from 0."""
    type_id: npt.NDArray[np.int64]
    """Index into ``types``."""
    start: npt.NDArray[np.int64]
    """Index of the first token; ignored tokens are counted."""
    end: npt.NDArray[np.int64]
    """One past the last token; ignored tokens are counted."""
    types: list[str]
    """Names of the types, indexed by type id."""


def ids_to_spans(
    ids: npt.ArrayLike,
    vocabulary: Vocabulary,
    scheme: str = "BIO",
    reading: str = "conlleval",
    *,
    ignore_index: int = IGNORE_INDEX,
    dialect: Dialect = Dialect(),
) -> SpanArrays:
    """Convert integer tag ids to spans.

    Parameters
    ----------
    ids : array of int, shape (tokens,) or (sentences, tokens)
        Ids of tags.
    vocabulary : sequence of str, or mapping
        The tag of each id: in order, or as label2id or id2label.
    scheme, reading, dialect
        Same as for :func:`tags_to_spans`.
    ignore_index : int
        Tokens with this id are ignored, and spans continue across ignored tokens, as required for word pieces in
        Hugging Face models.

    Returns
    -------
    SpanArrays
        One item per span.

    Raises
    ------
    spanrs.errors.SchemeError
        For an id outside the vocabulary; the message contains the location.

    Examples
    --------
    >>> from spanrs import tags
    >>> spans = tags.ids_to_spans([[-100, 1, -100, 2, 0]], ["O", "B-PER", "I-PER"])
    >>> spans.start.tolist(), spans.end.tolist(), spans.types[spans.type_id[0]]
    ([1], [4], 'PER')
    """
    array = as_ids(ids)
    ignore_index = as_ignore_index(ignore_index)
    columns, types = _spanrs.read_ids(
        array, as_vocabulary(vocabulary), Reader(scheme, reading, dialect), ignore_index
    )
    return SpanArrays(*columns, types)


def as_ids(ids: object, name: str = "ids") -> npt.NDArray[Any]:
    """Return an array that the compiled module can read in place; ``name`` is the name of the argument in messages."""
    import numpy as np

    if hasattr(ids, "__dlpack__") and not hasattr(ids, "__array__"):
        ids = np.from_dlpack(cast("Any", ids))
    # If `numpy.ma` has not been imported, there are no masked arrays.
    masked_array: Any = getattr(sys.modules.get("numpy.ma"), "MaskedArray", ())
    if isinstance(ids, masked_array):
        message = f"{name}: the mask of a masked array would be lost; pass its data, and mask=~array.mask"
        raise TypeError(message)
    try:
        array = np.asarray(cast("Any", ids))
        if array.dtype == object and array.ndim == 1 and not any(isinstance(row, str) for row in array):
            # An array of rows, such as a column of a data frame.
            array = np.stack([as_ids(row, name) for row in array]) if array.size else array
    except ValueError as error:
        # NumPy's message only mentions shapes.
        message = (
            f"{name}: the sentences have different lengths; pad them with ignore_index, or pass all ids as a "
            "one-dimensional array with lengths="
        )
        raise AlignmentError(message) from error
    if array.ndim == 0:
        message = f"{name}: expected an array of integers, not {type(ids).__name__} without dimensions"
        raise TypeError(message)
    array = np.ascontiguousarray(array)
    if array.size == 0:
        # NumPy converts empty lists to arrays of float.
        return array.astype(np.int64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _sentences(
    ids: npt.ArrayLike, vocabulary: Vocabulary, ignore_index: int
) -> tuple[npt.NDArray[Any], list[npt.NDArray[Any]], list[list[str]]]:
    """Return the positions and the tags of the tokens that are not ignored."""
    import numpy as np

    array = np.atleast_2d(as_ids(ids))
    if array.dtype.kind not in "iu":
        message = f"ids must be integers, not {array.dtype}"
        raise TypeError(message)
    ignore_index = as_ignore_index(ignore_index)
    if array.ndim > 2:
        message = f"ids must have 1 or 2 dimensions (sentences, tokens), not {array.ndim}"
        raise AlignmentError(message)
    vocabulary = as_vocabulary(vocabulary)
    kept = array != ignore_index
    bad = np.argwhere(kept & ((array < 0) | (array >= len(vocabulary))))
    if len(bad):
        sentence, token = bad[0]
        message = (
            f"the array has id {array[sentence, token]} at sentence {sentence}, token {token}, "
            f"but the vocabulary has {len(vocabulary)} tags"
        )
        error = SchemeError(message)
        error.code = "unknown_id"
        raise error
    places = [np.flatnonzero(row) for row in kept]
    tags = [[vocabulary[i] for i in row[place]] for row, place in zip(array, places, strict=True)]
    return array, places, tags


def validate_ids(
    ids: npt.ArrayLike,
    vocabulary: Vocabulary,
    scheme: str = "BIO",
    *,
    ignore_index: int = IGNORE_INDEX,
    dialect: Dialect = Dialect(),
) -> list[list[Violation]]:
    """List the violations in integer tag ids.

    Parameters
    ----------
    ids, vocabulary, ignore_index
        Same as for :func:`ids_to_spans`.
    scheme, dialect
        Same as for :func:`tags_to_spans`.

    Returns
    -------
    list of list of Violation
        One list per sentence; ignored tokens are counted in indices.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.validate_ids([[-100, 2, 0]], ["O", "B-PER", "I-PER"])[0][0].index
    1
    """
    _, places, sentences = _sentences(ids, vocabulary, ignore_index)
    rows = _spanrs.validate(sentences, Reader(scheme, dialect=dialect))
    return [
        [replace(violation, index=int(place[violation.index])) for violation in violations]
        for place, violations in zip(places, rows, strict=True)
    ]


def convert_ids(
    ids: npt.ArrayLike,
    vocabulary: Vocabulary,
    source: str,
    target: str,
    reading: str | None = None,
    *,
    ignore_index: int = IGNORE_INDEX,
    dialect: Dialect = Dialect(),
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Convert integer tag ids from one scheme to another.

    Parameters
    ----------
    ids, vocabulary, ignore_index
        Same as for :func:`ids_to_spans`.
    source, target, reading, dialect
        Same as for :func:`convert`.

    Returns
    -------
    ids : array of int64, shape of the input
        Ignored tokens keep ``ignore_index``.
    vocabulary : list of str
        The tag of each new id: all tags of the target scheme for the types of the old vocabulary.

    Examples
    --------
    >>> from spanrs import tags
    >>> ids, vocabulary = tags.convert_ids([[1, -100, 2]], ["O", "B-PER", "I-PER"], "BIO", "IOBES")
    >>> ids.tolist(), vocabulary
    ([[1, -100, 3]], ['O', 'B-PER', 'I-PER', 'E-PER', 'S-PER'])
    """
    import numpy as np

    array, places, sentences = _sentences(ids, vocabulary, ignore_index)
    converted = _spanrs.convert_batch(sentences, Converter(source, target, reading, dialect))
    types: dict[str, None] = {}
    for tag in as_vocabulary(vocabulary):
        spans = _spanrs.read_spans([tag], Reader(source, dialect=dialect))
        types.update((row[0], None) for row in spans)
    new = {tag: i for i, tag in enumerate(_spanrs.tags_of(target, list(types), dialect))}
    out = np.full(array.shape, ignore_index, dtype=np.int64)
    for row, place, tags in zip(out, places, converted, strict=True):
        row[place] = [new.setdefault(tag, len(new)) for tag in tags]
    return out.reshape(np.shape(ids)), list(new)
