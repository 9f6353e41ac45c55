"""Conversion of Arrow columns of spans (lists of structs)."""

from __future__ import annotations

from itertools import accumulate, pairwise, starmap
from typing import Any, TypeAlias

from spanrs.errors import AlignmentError, FormatError, with_code

#: Spans of one side, as :func:`spanrs.score` accepts them.
SpanTuples: TypeAlias = list[list[tuple[Any, ...]]]

#: Possible names of the field with the type of a span; the first existing field is read.
TYPE_FIELDS = ("type", "label")


def is_list(data_type: Any) -> bool:
    """Return whether an Arrow type is one of the list types."""
    from pyarrow import types

    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    # The oldest supported pyarrow has no list views.
    return any(getattr(types, test)(data_type) for test in tests if hasattr(types, test))


def holds_spans(data_type: Any) -> bool:
    """Return whether an Arrow type is a list of structs."""
    from pyarrow import types

    return is_list(data_type) and types.is_struct(data_type.value_type)


def is_string(data_type: Any) -> bool:
    """Return whether an Arrow type is one of the string types."""
    from pyarrow import types

    tests = ("is_string", "is_large_string", "is_string_view")
    return any(getattr(types, test)(data_type) for test in tests if hasattr(types, test))


def span_tuples(column: Any, side: str, first: int = 0) -> SpanTuples:
    """Convert a column of ``list<struct<type, start, end>>`` to lists of (type, start, end).

    Parameters
    ----------
    column : pyarrow.Array or pyarrow.ChunkedArray
        One list of structs per sentence. The fields are ``type`` or ``label`` (a string), ``start`` and ``end``
        (integers), and optionally ``tokens`` (a list of integers, or null).
    side : str
        Name of the column, for messages.
    first : int
        Row of the first sentence, for messages.

    Returns
    -------
    list of list of tuple
        The spans of each sentence, as (type, start, end), or (type, start, end, tokens) if discontinuous.

    Raises
    ------
    spanrs.errors.FormatError
        If a field is missing, has another type, or is null.
    spanrs.errors.AlignmentError
        If a sentence is null.

    Notes
    -----
    Fields are converted as columns, and each distinct type becomes one str object.

    Examples
    --------
    >>> import pyarrow
    >>> from spanrs.io.span_columns import span_tuples
    >>> span_tuples(pyarrow.array([[{"type": "PER", "start": 0, "end": 2}], []]), "gold")
    [[('PER', 0, 2)], []]
    """
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    spans: SpanTuples = []
    for chunk in chunks:
        spans += _chunk(chunk, side, first + len(spans))
    return spans


def _chunk(chunk: Any, side: str, offset: int) -> SpanTuples:
    """Convert one array; ``offset`` is the number of sentences before the array."""
    import pyarrow.compute as pc

    if chunk.null_count:
        at = offset + first_null(chunk)
        error = AlignmentError(f"sentence {at} of {side} is null")
        error.sentence = at
        raise with_code(error, "shape")
    spans = chunk.flatten()
    names = spans.type.names
    type_field = next((name for name in TYPE_FIELDS if name in names), None)
    if type_field is None or not {"start", "end"} <= set(names):
        raise _wrong(
            side, f"has structs of {', '.join(names)}; spans need the fields type (or label), start and end"
        )
    if spans.null_count:
        raise _wrong(side, "has a null instead of a span")
    fields = [
        _strings(pc.struct_field(spans, type_field), side, type_field),
        *(_integers(pc.struct_field(spans, name), side, name) for name in ("start", "end")),
    ]
    tuples: list[tuple[Any, ...]] = list(zip(*fields, strict=True))
    if "tokens" in names:
        tokens = _lists(pc.struct_field(spans, "tokens"), side)
        tuples = [
            span if token_list is None else (*span, token_list)
            for span, token_list in zip(tuples, tokens, strict=True)
        ]
    return _cut(tuples, pc.list_value_length(chunk))


def first_null(column: Any) -> int:
    """Return the index of the first null in an array."""
    return int(column.is_null().index(True).as_py())


def _strings(field: Any, side: str, name: str) -> list[str]:
    import pyarrow
    from pyarrow import types

    if not types.is_dictionary(field.type):
        if not is_string(field.type):
            raise _wrong(side, f"has {name} of {field.type}, which must be a string")
        field = field.cast(pyarrow.large_string()).dictionary_encode()
    if not field.null_count:
        values = field.dictionary.to_pylist()
        strings = list(map(values.__getitem__, field.indices.to_numpy().tolist()))
        # The values of a dictionary may also be null.
        if all(isinstance(value, str) for value in values) or None not in strings:
            return strings
    raise _wrong(side, f"has a span whose {name} is null")


def _integers(field: Any, side: str, name: str) -> list[int]:
    from pyarrow import types

    if not types.is_integer(field.type):
        raise _wrong(side, f"has {name} of {field.type}, which must be an integer")
    if field.null_count:
        raise _wrong(side, f"has a span whose {name} is null")
    numbers: list[int] = field.to_numpy().tolist()
    return numbers


def _lists(field: Any, side: str) -> list[list[int] | None]:
    """Convert the tokens of each span; None for a contiguous span."""
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_null(field.type):
        return [None] * len(field)
    if not is_list(field.type):
        raise _wrong(side, f"has tokens of {field.type}, which must be a list of integers")
    numbers = _integers(field.flatten(), side, "tokens")
    token_lists: list[Any] = _cut(numbers, pc.fill_null(pc.list_value_length(field), 0))
    if field.null_count:
        is_valid = field.is_valid().to_pylist()
        token_lists = [
            token_list if valid else None for token_list, valid in zip(token_lists, is_valid, strict=True)
        ]
    return token_lists


def _cut(items: list[Any], lengths: Any) -> list[list[Any]]:
    """Split a list into lists with the given lengths."""
    ends = accumulate(lengths.to_numpy(zero_copy_only=False).tolist(), initial=0)
    return [items[piece] for piece in starmap(slice, pairwise(ends))]


def _wrong(side: str, what: str) -> FormatError:
    return with_code(FormatError(f"the column {side!r} {what}"), "columns")
