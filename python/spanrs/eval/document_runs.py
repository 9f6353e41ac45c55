"""Support for documents that continue from one batch of sentences to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spanrs import _spanrs
from spanrs.errors import AlignmentError, with_code


class DocumentRuns:
    """Adds batches to a scorer; documents may continue in the next batch.

    Parameters
    ----------
    scorer : _spanrs.Scorer
        The compiled scorer, with per-document rows.
    update : callable
        Called to add sentences, with gold, pred, document names and options for ids.
    """

    def __init__(self, scorer: _spanrs.Scorer, update: Callable[..., None]) -> None:
        self._scorer, self._update = scorer, update
        #: The document that may continue, and the documents that have ended.
        self._open: str | None = None
        self._ended: set[str] = set()

    def update(self, gold: Any, pred: Any, names: list[str], **read: Any) -> None:
        """Add sentences, each with the name of its document."""
        if not names:
            return
        if names[0] != self._open:
            self.end()
        first = next((at for at, name in enumerate(names) if name != self._open), len(names))
        self._add(gold, pred, 0, first, read)
        if first == len(names):
            return
        self.end()
        last = len(names) - 1
        while last > first and names[last - 1] == names[-1]:
            last -= 1
        if last > first:
            complete = dict.fromkeys(names[first:last])
            self._check(complete)
            # Raises for documents that are not contiguous within these sentences.
            self._update(gold[first:last], pred[first:last], names[first:last], **read)
            self._ended.update(complete)
        self._check([names[-1]])
        self._open = names[-1]
        self._add(gold, pred, last, len(names), read)

    def end(self) -> None:
        """End the document that may continue."""
        if self._open is not None:
            self._scorer.end_document(self._open)
            self._ended.add(self._open)
            self._open = None

    def _add(self, gold: Any, pred: Any, start: int, end: int, read: dict[str, Any]) -> None:
        if end > start:
            self._update(gold[start:end], pred[start:end], None, **read)

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._ended:
                error = AlignmentError(
                    f"document {name!r} is not contiguous; sort the sentences by document"
                )
                raise with_code(error, "documents")
