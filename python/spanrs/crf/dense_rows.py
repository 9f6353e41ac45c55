"""Rows of numbers of tokens, such as word embeddings, in all forms that users have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from spanrs.errors import AlignmentError, SpanrsError, with_code

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    #: The dense rows of a sequence: all numbers, or number of columns, ends, columns and values of compressed rows.
    Rows = npt.NDArray[np.float32] | tuple[int, list[int], npt.NDArray[np.uint32], npt.NDArray[np.float32]]

#: Columns are numbered in 32 bits.
_MAX_COLUMNS = 2**32 - 1


def rows_of_sequences(dense: Any, lengths: list[int] | None) -> Iterator[Rows]:
    """Yield the rows of each sequence; ``lengths`` are the numbers of tokens, if they are known.

    Raises
    ------
    spanrs.errors.AlignmentError
        If the numbers of rows or columns do not fit.
    TypeError, ValueError
        If there are no matrices of numbers.
    """
    if isinstance(dense, tuple) and len(dense) == 2 and _are_lengths(dense[1]):
        yield from _with_lengths(dense[0], _lengths(dense[1]), lengths)
    elif is_arrow(dense):
        matrix, in_array = _of_arrow(dense)
        yield from _divided(_matrix(matrix, "dense"), _known(lengths) if in_array is None else in_array)
    elif _is_sparse(dense) or (hasattr(dense, "ndim") and dense.ndim == 2):
        yield from _divided(_matrix(dense, "dense"), _known(lengths))
    elif getattr(dense, "ndim", 3) != 3 and dense.dtype.kind != "O":
        raise TypeError(f"dense must have 2 dimensions (tokens, columns), not {dense.ndim}")
    else:
        yield from _of_matrices(dense)


def _with_lengths(dense: Any, lengths: list[int], expected: list[int] | None) -> Iterator[Rows]:
    """Yield the rows of sequences of these lengths, which must be those of the tokens."""
    if expected is not None and lengths != expected:
        pairs = enumerate(zip(lengths, expected, strict=False))
        at = next((at for at, pair in pairs if pair[0] != pair[1]), None)
        if at is None:
            message = f"dense has the lengths of {len(lengths)} sequences, but there are {len(expected)}"
            raise with_code(AlignmentError(message), "shape")
        raise misaligned(
            f"sequence {at}: {expected[at]} tokens, but its length in dense is {lengths[at]}", at
        )
    if isinstance(dense, (list, tuple)) or getattr(dense, "ndim", 2) == 3:
        # A matrix for each sequence, which may have padding.
        if len(dense) != len(lengths):
            message = f"dense has {len(dense)} matrices, but the lengths of {len(lengths)} sequences"
            raise with_code(AlignmentError(message), "shape")
        yield from _of_matrices(matrix[:length] for matrix, length in zip(dense, lengths, strict=True))
    else:
        yield from _divided(_matrix(dense, "dense"), lengths)


def _of_matrices(dense: Iterable[Any]) -> Iterator[Rows]:
    width = None
    for at, rows in enumerate(dense):
        matrix = _matrix(_of_arrow(rows)[0] if is_arrow(rows) else rows, f"dense[{at}]")
        if matrix.shape[0] and width is None:
            width = matrix.shape[1]
        if matrix.shape[0] and matrix.shape[1] != width:
            message = f"sequence {at}: its dense rows have {matrix.shape[1]} columns, those before {width}"
            raise misaligned(message, at)
        yield _one(matrix)


def _are_lengths(lengths: Any) -> bool:
    """Whether the second entry of a pair has lengths, instead of being the matrix of a second sequence."""
    import numpy as np

    if _is_sparse(lengths) or is_arrow(lengths):
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


def is_arrow(rows: Any) -> bool:
    """Return whether an object is an Arrow array or table, of any library."""
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


def _divided(matrix: Any, lengths: Sequence[int]) -> Iterator[Rows]:
    """Yield the rows of each sequence of a matrix."""
    if matrix.shape[0] != sum(lengths):
        message = f"dense has {matrix.shape[0]} rows, but the sequences have {sum(lengths)} tokens"
        raise with_code(AlignmentError(message), "shape")
    end = 0
    for length in lengths:
        yield _one(matrix[end : end + length])
        end += length


def _one(matrix: Any) -> Rows:
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


def misaligned(message: str, at: int) -> SpanrsError:
    """Return the error for a sequence whose parts have different lengths."""
    error = with_code(AlignmentError(message), "shape")
    error.sentence = at
    return error


def row_count(rows: Any) -> int:
    """Return the number of rows of a sequence; 0 for None."""
    if rows is None:
        return 0
    return len(rows[1]) if isinstance(rows, tuple) else len(rows)
