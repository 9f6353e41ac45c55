"""Which documents of two files belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spanrs import _spanrs
from spanrs.errors import SpanrsError
from spanrs.eval.evidence import Skipped
from spanrs.mat.files import FilePair


class UnreadableFileError(Exception):
    """A file could not be read: which side (``target`` or ``reference``), the file, and the error."""


class DocumentPairs:
    """The documents of two files that belong together, read side by side.

    Those that have the same id at the same place are given at once and forgotten. From the first that have not on,
    documents are held until both files have ended: only then is it known whether all ids are given and differ, so that
    ids pair the rest, or whether the order does.

    Attributes
    ----------
    paired : int
        Number of pairs that were given.
    missing : list of Skipped
        At the end, documents without partner.
    refused : list of Skipped
        At the end, why no pair of the two files counts; those that were given do not either.
    """

    def __init__(self, pair: FilePair) -> None:
        self.paired = 0
        self.missing: list[Skipped] = []
        self.refused: list[Skipped] = []
        self._pair = pair
        self._golds = _Side("reference", pair.gold)
        self._preds = _Side("target", pair.pred)

    def __iter__(self) -> Iterator[tuple[_spanrs.Document, _spanrs.Document]]:
        """Read the files.

        Raises
        ------
        UnreadableFileError
            Where one of them cannot be read.
        """
        golds, preds = self._golds, self._preds
        # Pred is opened first: its errors come first.
        pred_reader = preds.reading(self._pair.read_pred)
        gold_reader = golds.reading(self._pair.read_gold)
        while True:
            pred, gold = next(pred_reader, None), next(gold_reader, None)
            if pred is None and gold is None:
                break
            if gold is None or pred is None or golds.held or preds.held or self._undecided(gold, pred):
                golds.hold(gold)
                preds.hold(pred)
            else:
                yield self._given(gold, pred)
        yield from self._rest()

    def _undecided(self, gold: _spanrs.Document, pred: _spanrs.Document) -> bool:
        """Say whether two documents at the same place may belong to others."""
        return gold.id != pred.id and self._golds.unique and self._preds.unique

    def _given(
        self, gold: _spanrs.Document, pred: _spanrs.Document
    ) -> tuple[_spanrs.Document, _spanrs.Document]:
        self.paired += 1
        return gold, pred

    def _rest(self) -> Iterator[tuple[_spanrs.Document, _spanrs.Document]]:
        """Give the pairs among the documents that are held."""
        golds, preds = self._golds, self._preds
        by_order = not (golds.unique and preds.unique) or golds.count == preds.count == 1
        if by_order and golds.count == preds.count:
            for gold, pred in zip(golds.held, preds.held, strict=True):
                yield self._given(gold, pred)
        elif by_order:
            doubled = golds.doubled or preds.doubled
            ids = f", and id {doubled!r} is there twice" if doubled else ""
            gold_file, pred_file = self._pair.gold, self._pair.pred
            why = f"{gold_file} has {golds.count} documents and {pred_file} {preds.count}{ids}; skipping pair."
            self.refused.append(Skipped(pred_file, why, pair=True))
        else:
            golds_of = {document.id: document for document in golds.held}
            preds_of = {document.id: document for document in preds.held}
            for file, others, other, documents in (
                (self._pair.gold, golds_of, self._pair.pred, preds_of),
                (self._pair.pred, preds_of, self._pair.gold, golds_of),
            ):
                for id_ in documents:
                    if id_ not in others:
                        why = f"Couldn't find document {id_!r} of {other} in {file}; skipping pair."
                        self.missing.append(Skipped(file, why, pair=True))
            for id_, pred in preds_of.items():
                if id_ in golds_of:
                    yield self._given(golds_of[id_], pred)

    def name(self, at: int, id_: str | None) -> str:
        """Give what details call the pair at a place, whose document of pred has this id."""
        file = self._pair.name
        if self._golds.count == self._preds.count == 1:
            return file or (id_ or "")
        own = id_ or str(at)
        return f"{file}#{own}" if file else own


class _Side:
    """What is known of the documents of one file."""

    def __init__(self, side: str, file: str) -> None:
        self.side, self.file = side, file
        self.count = 0
        self.held: list[_spanrs.Document] = []
        self.unique = True
        self.doubled: str | None = None
        self._ids: set[str] = set()

    def reading(self, read: Callable[[], Iterator[_spanrs.Document]]) -> Iterator[_spanrs.Document]:
        """Read the file and note what its documents are called."""
        try:
            for document in read():
                self._note(document.id)
                yield document
        except (OSError, UnicodeEncodeError, SpanrsError) as error:
            raise UnreadableFileError(self.side, self.file, error) from error

    def _note(self, id_: str | None) -> None:
        self.count += 1
        if id_ is None:
            self.unique = False
        elif id_ not in self._ids:
            self._ids.add(id_)
        else:
            self.unique = False
            self.doubled = self.doubled or id_

    def hold(self, document: _spanrs.Document | None) -> None:
        """Keep a document until both files have ended."""
        if document is not None:
            self.held.append(document)
