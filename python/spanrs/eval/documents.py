"""Assignment of sentences to documents."""

from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from spanrs.errors import AlignmentError, check_text
from spanrs.eval.arguments import is_iterable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Number of sentences of each document, and the names of the documents if the documents have names.
Sizes: TypeAlias = "tuple[npt.NDArray[np.int64], list[str] | None]"


def document_sizes(documents: Iterable[int] | Iterable[str] | None) -> Sizes | None:
    """Return the sizes of documents from given sizes, or from the document name of each sentence.

    Parameters
    ----------
    documents : iterable of int, or of str
        Number of sentences in each document, in order, each 1 or more; or the document name of each sentence. The
        sentences of a document must be contiguous.

    Raises
    ------
    spanrs.errors.AlignmentError
        If the sentences of a document are not contiguous.
    TypeError
        For values of other types, and for a single str.
    """
    if documents is None:
        return None
    import numpy as np

    items = _items(documents)
    if len(items) and isinstance(items[0], str):
        names, sizes = _runs(items)
        return np.array(sizes, dtype=np.int64), names
    numbers = np.asarray(items, object if bool in set(map(type, items)) else None)
    if numbers.ndim == 1 and numbers.dtype.kind in "iu" and numbers.dtype != np.uint64:
        return numbers.astype(np.int64, copy=False), None
    return np.array([_size(item) for item in items], dtype=np.int64), None


def document_name(path: str) -> str:
    """Return the document name for a file; bytes that are not UTF-8 are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _size(item: Any) -> int:
    """Return a number of sentences as an int; the range is checked later."""
    with contextlib.suppress(TypeError):
        if not isinstance(item, bool):
            return max(-1, min(operator.index(item), 2**63 - 1))
    raise TypeError(
        "by must contain the number of sentences of each document (int), or the document name of each sentence "
        f"(str), not {type(item).__name__}"
    )


def _items(documents: Any) -> Any:
    """Return a column as a list of Python values."""
    if isinstance(documents, (str, bytes)):
        raise TypeError("by must be a sequence of one name per sentence, not a single str")
    if isinstance(documents, (Mapping, set, frozenset)):
        raise TypeError(
            "by must be the number of sentences of each document, in order, or the name of each sentence's document, "
            f"not a {type(documents).__name__}"
        )
    if not is_iterable(documents):
        raise TypeError(
            "by must be the number of sentences of each document, or the name of each sentence's document, not "
            f"{type(documents).__name__}, and {type(documents).__name__} is not iterable"
        )
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(documents, name):
            return getattr(documents, name)()
    return list(documents)


def _runs(names: Sequence[Any]) -> tuple[list[str], list[int]]:
    seen_names: list[str] = []
    sizes: list[int] = []
    seen: set[str] = set()
    for name, run in groupby(names):
        if not isinstance(name, str):
            raise TypeError(
                f"by must contain the document name of each sentence (str), but item {sum(sizes)} is of type "
                f"{type(name).__name__}"
            )
        if name in seen:
            raise AlignmentError(
                f"document {name!r} is not contiguous: it continues at sentence {sum(sizes)}; "
                "sort the sentences by document"
            )
        check_text(name, f"by, sentence {sum(sizes)}")
        seen.add(name)
        seen_names.append(name)
        sizes.append(sum(1 for _ in run))
    return seen_names, sizes
