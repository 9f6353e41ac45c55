"""Sequences that join tokens, features and dense rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from spanrs._spanrs import CrfItems
from spanrs.errors import AlignmentError, SpanrsError, with_code

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    #: The dense rows of a sequence: all numbers, or number of columns, ends, columns and values of compressed rows.
    _Rows = npt.NDArray[np.float32] | tuple[int, list[int], npt.NDArray[np.uint32], npt.NDArray[np.float32]]


#: Columns are numbered in 32 bits.
_MAX_COLUMNS = 2**32 - 1


class JoinedTokens:
    """A sequence of tokens with features and dense rows; :func:`join` creates it.

    Attributes
    ----------
    tokens : sequence or None
        Strings or tuples of strings for a template; dicts or lists of features without a template.
    features : sequence or None
        Features of the same tokens, beside those of ``tokens``.
    dense : array of float32 of shape (tokens, columns), tuple or None
        A row of numbers for each token; a tuple has the number of columns, and ends, columns and values of
        compressed rows.
    """

    __slots__ = ("_len", "dense", "features", "tokens")

    def __init__(self, tokens: Any, features: Any, dense: _Rows | None) -> None:
        self.tokens, self.features, self.dense = tokens, features, dense
        if tokens is not None or features is not None:
            self._len = len(features if tokens is None else tokens)
        else:
            self._len = _row_count(dense)

    def __len__(self) -> int:
        return self._len

    def __repr__(self) -> str:
        parts = [name for name in ("tokens", "features", "dense") if getattr(self, name) is not None]
        return f"<JoinedTokens of {len(self)} tokens: {', '.join(parts)}>"


def join(
    X: Iterable[Any] | None = None, *, features: Iterable[Any] | None = None, dense: Any = None
) -> list[JoinedTokens]:
    """Join what is known about the tokens of each sequence.

    All methods of :class:`CRF` accept the result as X. ``fit`` and the methods that predict for many sequences join
    their arguments ``features`` and ``dense`` themselves; join sequences for ``X_dev``, for cross-validation, and for
    methods of one sequence.

    Parameters
    ----------
    X : iterable of sequences, optional
        Strings or tuples of strings for a template; dicts or lists of features without a template.
    features : iterable of sequences, optional
        Features of the same tokens, dicts or lists, beside those of a template.
    dense : matrices, optional
        A row of numbers for each token, such as a word embedding: a matrix for each sequence, a matrix of the rows of
        all sequences, or a pair of such a matrix and the lengths of the sequences. A matrix is an array of NumPy, of
        shape (tokens, columns), or anything that NumPy converts to one; a sparse matrix of SciPy; or a list array of
        Arrow, whose lists are rows or (for nested lists) sequences of rows. Numbers are rounded to 32 bits.

    Returns
    -------
    list of JoinedTokens
        A sequence for each sequence of the arguments.

    Raises
    ------
    spanrs.errors.AlignmentError
        If the arguments differ in the number of sequences, or a sequence in the number of tokens.
    TypeError
        If ``dense`` does not contain matrices of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crf import CRF, join
    >>> X, y = [["Ada", "sleeps"], ["Bob"]], [["B-PER", "O"], ["B-PER"]]
    >>> vectors = np.array([[1.0, 0.5], [0.0, 0.5], [1.0, 0.4]])
    >>> crf = CRF(template="ner").fit(X, y, dense=vectors)
    >>> crf.predict_single(join([["Eve"]], dense=[[[1.0, 0.3]]])[0])
    ['B-PER']
    """
    tokens = None if X is None else [_sized(x) for x in X]
    own = None if features is None else [_sized(x) for x in features]
    known = tokens if tokens is not None else own
    lengths = None if known is None else [len(x) for x in known]
    rows = None if dense is None else list(_rows(dense, lengths))
    parts = {"X": tokens, "features": own, "dense": rows}
    given = {name: part for name, part in parts.items() if part is not None}
    if not given:
        raise TypeError("pass tokens, features or dense rows")
    numbers = {name: len(part) for name, part in given.items()}
    if len(set(numbers.values())) > 1:
        counts = ", ".join(f"{name} has {number}" for name, number in numbers.items())
        raise with_code(AlignmentError(f"the numbers of sequences differ: {counts}"), "shape")
    number = next(iter(numbers.values()))
    joined = [
        JoinedTokens(*(None if part is None else part[at] for part in (tokens, own, rows)))
        for at in range(number)
    ]
    for at, sequence in enumerate(joined):
        _check_lengths(at, sequence)
    return joined


def joined_if_given(X: Any, features: Iterable[Any] | None, dense: Any) -> Any:
    """Return X, joined with features and dense rows if there are any."""
    return X if features is None and dense is None else join(X, features=features, dense=dense)


def joined_lazily(X: Any, features: Iterable[Any] | None, dense: Any) -> Any:
    """Return X joined as by :func:`joined_if_given`, one at a time if there is a matrix for each sequence."""
    if dense is None and features is None:
        return X
    if dense is None or isinstance(dense, tuple) or hasattr(dense, "shape") or _is_arrow(dense):
        return join(X, features=features, dense=dense)
    return _join_each(X, features, dense)


def _join_each(X: Any, features: Iterable[Any] | None, dense: Iterable[Any]) -> Iterator[JoinedTokens]:
    parts = {"X": X, "features": features, "dense": dense}
    given = {name: iter(part) for name, part in parts.items() if part is not None}
    end = object()
    for at in count():
        values = {name: next(part, end) for name, part in given.items()}
        ended = [name for name, value in values.items() if value is end]
        if len(ended) == len(values):
            return
        if ended:
            message = f"the numbers of sequences differ: {ended[0]} has {at}, others have more"
            raise with_code(AlignmentError(message), "shape")
        lists = {name: None if name not in values else [values[name]] for name in parts}
        with _numbered(at):
            (joined,) = join(lists["X"], features=lists["features"], dense=lists["dense"])
        yield joined


@contextmanager
def _numbered(at: int) -> Iterator[None]:
    """Give the only sequence of an error its number."""
    try:
        yield
    except SpanrsError as error:
        error.args = (str(error).replace("sequence 0:", f"sequence {at}:", 1),)
        if getattr(error, "sentence", None) is not None:
            setattr(error, "sentence", at)  # noqa: B010 - only some errors have the attribute.
        raise


def _sized(sequence: Any) -> Any:
    """Return a sequence of tokens that has a length."""
    if isinstance(sequence, (list, tuple, CrfItems)):
        return sequence
    if isinstance(sequence, JoinedTokens):
        raise TypeError("a sequence is joined already; join all parts at once")
    if isinstance(sequence, str):
        raise TypeError(f"a sequence is {sequence!r}, a string; it must be a list of tokens")
    return list(sequence)


def _check_lengths(at: int, sequence: JoinedTokens) -> None:
    if sequence.features is not None and len(sequence.features) != len(sequence):
        message = f"sequence {at}: {len(sequence)} tokens, but features of {len(sequence.features)}"
        raise _misaligned(message, at)
    if sequence.dense is not None and (found := _row_count(sequence.dense)) != len(sequence):
        padded = "; cut off the padding" if found > len(sequence) else ""
        raise _misaligned(f"sequence {at}: {len(sequence)} tokens, but {found} dense rows{padded}", at)


def _misaligned(message: str, at: int) -> SpanrsError:
    error = with_code(AlignmentError(message), "shape")
    error.sentence = at
    return error


def _row_count(rows: Any) -> int:
    if rows is None:
        return 0
    return len(rows[1]) if isinstance(rows, tuple) else len(rows)


def _rows(dense: Any, lengths: list[int] | None) -> Iterator[_Rows]:
    """Yield the rows of each sequence."""
    if isinstance(dense, tuple) and len(dense) == 2 and _are_lengths(dense[1]):
        dense, own = dense[0], _lengths(dense[1])
        if lengths is not None and own != lengths:
            at = next(
                (at for at, pair in enumerate(zip(own, lengths, strict=False)) if pair[0] != pair[1]), None
            )
            if at is None:
                message = f"dense has the lengths of {len(own)} sequences, but there are {len(lengths)}"
                raise with_code(AlignmentError(message), "shape")
            message = f"sequence {at}: {lengths[at]} tokens, but its length in dense is {own[at]}"
            raise _misaligned(message, at)
        lengths = own
        yield from _divided(_matrix(dense, "dense"), lengths)
        return
    if _is_arrow(dense):
        matrix, own_lengths = _of_arrow(dense)
        matrix = _matrix(matrix, "dense")
        if own_lengths is None:
            yield from _divided(matrix, _known(lengths))
        else:
            yield from _divided(matrix, own_lengths)
    elif _is_sparse(dense) or (hasattr(dense, "ndim") and dense.ndim == 2):
        yield from _divided(_matrix(dense, "dense"), _known(lengths))
    elif getattr(dense, "ndim", 3) != 3 and dense.dtype.kind != "O":
        raise TypeError(f"dense must have 2 dimensions (tokens, columns), not {dense.ndim}")
    else:
        width = None
        for at, rows in enumerate(dense):
            matrix = _matrix(_of_arrow(rows)[0] if _is_arrow(rows) else rows, f"dense[{at}]")
            if matrix.shape[0] and width is None:
                width = matrix.shape[1]
            if matrix.shape[0] and matrix.shape[1] != width:
                message = (
                    f"sequence {at}: its dense rows have {matrix.shape[1]} columns, those before {width}"
                )
                raise _misaligned(message, at)
            yield _one(matrix)


def _are_lengths(lengths: Any) -> bool:
    """Whether the second entry of a pair has lengths, instead of being the matrix of a second sequence."""
    import numpy as np

    if _is_sparse(lengths) or _is_arrow(lengths):
        return False
    try:
        return bool(np.ndim(lengths) == 1)
    except ValueError:
        # Rows of different lengths.
        return False


def _known(lengths: list[int] | None) -> list[int]:
    if lengths is None:
        raise TypeError("one matrix for all sequences needs their lengths; pass dense=(matrix, lengths)")
    return lengths


def _lengths(lengths: Any) -> list[int]:
    import numpy as np

    numbers = np.asarray(lengths)
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise TypeError(f"the lengths of sequences must be integers, not {numbers.dtype}")
    if (numbers < 0).any():
        raise ValueError(f"sequence {int((numbers < 0).argmax())} has a negative length")
    return [int(number) for number in numbers]


def _is_sparse(rows: Any) -> bool:
    """Whether an object is a sparse matrix of SciPy."""
    return hasattr(rows, "tocsr") and hasattr(rows, "shape")


def _is_arrow(rows: Any) -> bool:
    return hasattr(rows, "__arrow_c_array__") or hasattr(rows, "__arrow_c_stream__")


def _matrix(rows: Any, name: str) -> Any:
    """Return rows as an array of 32-bit numbers with two dimensions, or as a sparse matrix of such rows."""
    import numpy as np

    if _is_sparse(rows):
        if len(rows.shape) != 2:
            raise TypeError(f"{name} must have 2 dimensions (tokens, columns), not {len(rows.shape)}")
        if rows.shape[0] and not rows.shape[1]:
            raise ValueError(f"{name} has no columns")
        if rows.shape[1] > _MAX_COLUMNS:
            raise ValueError(f"{name} has {rows.shape[1]} columns; at most {_MAX_COLUMNS} are possible")
        rows = rows.tocsr()
        if rows.dtype.kind not in "fiub":
            raise TypeError(f"{name} must have numbers, not {rows.dtype}")
        return rows
    if hasattr(rows, "detach"):
        # A tensor of PyTorch that may need gradients, or be on another device.
        rows = rows.detach().cpu()
    if np.ma.is_masked(rows):
        raise ValueError(f"{name} has masked values; each token needs a row of numbers")
    array = np.asarray(rows)
    if array.dtype.kind not in "fiub" and array.size:
        raise TypeError(f"{name} must have numbers, not {array.dtype}; its rows must have the same length")
    if array.size == 0 and array.ndim < 2:
        return np.zeros((0, 0), np.float32)
    if array.ndim != 2:
        raise TypeError(f"{name} must have 2 dimensions (tokens, columns), not {array.ndim}")
    if array.shape[0] and not array.shape[1]:
        raise ValueError(f"{name} has no columns")
    with np.errstate(over="ignore"):
        # Numbers beyond the range of 32 bits become infinite, and are refused with their place.
        return np.ascontiguousarray(array, np.float32)


def _divided(matrix: Any, lengths: Sequence[int]) -> Iterator[_Rows]:
    """Yield the rows of each sequence of a matrix."""
    if matrix.shape[0] != sum(lengths):
        message = f"dense has {matrix.shape[0]} rows, but the sequences have {sum(lengths)} tokens"
        raise with_code(AlignmentError(message), "shape")
    end = 0
    for length in lengths:
        yield _one(matrix[end : end + length])
        end += length


def _one(matrix: Any) -> _Rows:
    """Return the rows of a sequence in the form that the compiled module reads."""
    import numpy as np

    if not _is_sparse(matrix):
        rows: npt.NDArray[np.float32] = matrix
        return rows
    with np.errstate(over="ignore"):
        values = matrix.data.astype(np.float32)
    return matrix.shape[1], matrix.indptr[1:].tolist(), matrix.indices.astype(np.uint32), values


def _of_arrow(rows: Any) -> tuple[Any, list[int] | None]:
    """Return the rows of an Arrow array or table as a matrix, and the lengths of its sequences if it has them."""
    import numpy as np
    import pyarrow as pa

    if hasattr(rows, "__arrow_c_stream__") and not isinstance(rows, pa.ChunkedArray):
        table = pa.table(rows) if hasattr(rows, "columns") else None
        if table is not None:
            _refuse_nulls(table)
            return np.column_stack([column.to_numpy() for column in table.columns]), None
        rows = pa.chunked_array(rows)
    array = rows.combine_chunks() if isinstance(rows, pa.ChunkedArray) else pa.array(rows)
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    if not _is_list(array.type):
        raise TypeError(
            f"dense must be a list array of Arrow, with a list of numbers for each token, not {array.type}"
        )
    _refuse_nulls(array)
    inner = array.flatten()
    if not _is_list(inner.type):
        return _of_lists(array), None
    lengths = [int(length) for length in array.value_lengths().to_numpy()]
    _refuse_nulls(inner)
    return _of_lists(inner), lengths


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _of_lists(array: Any) -> Any:
    """Return an array of lists of numbers as a matrix."""
    numbers = array.flatten()
    _refuse_nulls(numbers)
    lengths = set(array.value_lengths().to_numpy().tolist())
    if len(lengths) > 1:
        raise with_code(
            AlignmentError(f"dense rows have {min(lengths)} to {max(lengths)} columns"), "shape"
        )
    return numbers.to_numpy(zero_copy_only=False).reshape(len(array), -1 if len(array) else 0)


def _refuse_nulls(array: Any) -> None:
    nulls = getattr(array, "null_count", None)
    if nulls is None:
        nulls = sum(column.null_count for column in array.columns)
    if nulls:
        raise ValueError(f"dense has {nulls} nulls; each token needs a row of numbers")
