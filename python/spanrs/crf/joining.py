"""Sequences that join tokens, features and dense rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from spanrs._spanrs import CrfItems
from spanrs.crf.dense_rows import is_arrow, misaligned, row_count, rows_of_sequences
from spanrs.errors import AlignmentError, SpanrsError, with_code

if TYPE_CHECKING:
    from spanrs.crf.dense_rows import Rows


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

    def __init__(self, tokens: Any, features: Any, dense: Rows | None) -> None:
        self.tokens, self.features, self.dense = tokens, features, dense
        if tokens is not None or features is not None:
            self._len = len(features if tokens is None else tokens)
        else:
            self._len = row_count(dense)

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
        all sequences, or a pair of such a matrix and the lengths of the sequences; with lengths, an array (sequences,
        tokens, columns) may have padding. A matrix is an array of NumPy, of
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
    rows = None if dense is None else list(rows_of_sequences(dense, lengths))
    parts = {"X": tokens, "features": own, "dense": rows}
    given = {name: part for name, part in parts.items() if part is not None}
    if not given:
        raise TypeError("there are no sequences: X is None; pass tokens, features or dense rows")
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
    _refuse_single(X)
    return X if features is None and dense is None else join(X, features=features, dense=dense)


def joined_lazily(X: Any, features: Iterable[Any] | None, dense: Any) -> Any:
    """Return X joined as by :func:`joined_if_given`, one at a time if there is a matrix for each sequence."""
    _refuse_single(X)
    if dense is None and features is None:
        if X is None:
            raise TypeError("there are no sequences: X is None; pass tokens, features or dense rows")
        return X
    if dense is None or isinstance(dense, tuple) or hasattr(dense, "shape") or is_arrow(dense):
        return join(X, features=features, dense=dense)
    return _join_each(X, features, dense)


def _refuse_single(X: Any) -> None:
    if isinstance(X, JoinedTokens):
        raise TypeError(
            "X is a single sequence; pass a list of sequences, or use a method such as predict_single"
        )


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
        raise misaligned(message, at)
    if sequence.dense is not None and (found := row_count(sequence.dense)) != len(sequence):
        padded = "; cut off the padding" if found > len(sequence) else ""
        raise misaligned(f"sequence {at}: {len(sequence)} tokens, but {found} dense rows{padded}", at)
