"""Pairing of the documents of two files."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from spanrs import _spanrs
from spanrs.errors import SpanrsError
from spanrs.eval.evidence import Skipped
from spanrs.mat.files import FilePair


class UnreadableFileError(Exception):
    """A file could not be read. The arguments are the side (``target`` or ``reference``), the file, and the error."""


class DocumentPairs:
    """Pairs of documents of two files, read in parallel.

    Documents with equal ids at the same position are paired immediately. After the first mismatch, documents are
    buffered. If an id is missing or repeated, documents are paired by order; otherwise they are paired by id once both
    files have ended, because only then all ids are known to be distinct.

    Attributes
    ----------
    paired : int
        Number of pairs yielded so far.
    missing : list of Skipped
        Unpaired documents; complete after the iteration.
    refused : list of Skipped
        Reasons why no pair of the two files is counted, including pairs already yielded; complete after the iteration.
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
            If a file cannot be read.
        """
        golds, preds = self._golds, self._preds
        # If both files are damaged at the same document, the error of pred is raised first.
        pred_reader = preds.reading(self._pair.read_pred)
        gold_reader = golds.reading(self._pair.read_gold)
        while True:
            pred, gold = next(pred_reader, None), next(gold_reader, None)
            if pred is None and gold is None:
                break
            golds.hold(gold)
            preds.hold(pred)
            by_order = not (golds.unique and preds.unique)
            while golds.held and preds.held and (by_order or golds.held[0].id == preds.held[0].id):
                yield self._pop()
            if by_order and (gold is None or pred is None):
                # The files differ in their number of documents, so no pair is counted.
                golds.held.clear()
                preds.held.clear()
        yield from self._rest()

    def _pop(self) -> tuple[_spanrs.Document, _spanrs.Document]:
        """Return the first documents of both sides as a pair."""
        self.paired += 1
        return self._golds.held.popleft(), self._preds.held.popleft()

    def _rest(self) -> Iterator[tuple[_spanrs.Document, _spanrs.Document]]:
        """Yield the pairs among the buffered documents, after both files have ended."""
        golds, preds = self._golds, self._preds
        if golds.count == preds.count == 1 and golds.held:
            yield self._pop()
        elif not (golds.unique and preds.unique):
            if golds.count == preds.count:
                return
            doubled = golds.doubled or preds.doubled
            ids = f", and the id {doubled!r} occurs twice" if doubled else ""
            gold_file, pred_file = self._pair.gold, self._pair.pred
            why = f"{gold_file} has {golds.count} documents and {pred_file} {preds.count}{ids}; skipping pair."
            self.refused.append(Skipped(pred_file, why, pair=True))
        else:
            golds_of = {document.id: document for document in golds.held}
            preds_of = {document.id: document for document in preds.held}
            for file, documents_of_file, opposite, documents in (
                (self._pair.gold, golds_of, self._pair.pred, preds_of),
                (self._pair.pred, preds_of, self._pair.gold, golds_of),
            ):
                for id_ in documents:
                    if id_ not in documents_of_file:
                        why = f"Couldn't find document {id_!r} of {opposite} in {file}; skipping pair."
                        self.missing.append(Skipped(file, why, pair=True))
            for id_, pred in preds_of.items():
                if id_ in golds_of:
                    self.paired += 1
                    yield golds_of[id_], pred

    def name(self, at: int, id_: str | None) -> str:
        """Return the name of pair number ``at`` in the details, given the id of its pred document."""
        file = self._pair.name
        if self._golds.count == self._preds.count == 1:
            return file or (id_ or "")
        document = id_ or str(at)
        return f"{file}#{document}" if file else document


class _Side:
    """The documents read so far from one file."""

    def __init__(self, side: str, file: str) -> None:
        self.side, self.file = side, file
        self.count = 0
        self.held: deque[_spanrs.Document] = deque()
        self.unique = True
        self.doubled: str | None = None
        self._ids: set[str] = set()

    def reading(self, read: Callable[[], Iterator[_spanrs.Document]]) -> Iterator[_spanrs.Document]:
        """Read the file and note the ids of its documents."""
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
        """Buffer a document."""
        if document is not None:
            self.held.append(document)
