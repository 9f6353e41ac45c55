"""Pairing of the documents of two files."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from spanrs.errors import AlignmentError, LimitError, with_code
from spanrs.io import Corpus, Document
from spanrs.io.documents import plain_documents
from spanrs.io.parts import Part

#: Code of the error for unpaired documents if at most one side has ids.
UNPAIRED = "unpaired_documents"
#: Maximum number of unpaired documents in memory.
WAITING = 100_000


def paired_documents(
    corpora: tuple[Corpus, Corpus],
    parts: tuple[Part, Part],
    notes: list[str],
    losses: list[str],
    *,
    texts: str = "refuse",
) -> Iterator[tuple[str, Document, Document]]:
    """Yield pairs of documents of two parts.

    Documents are paired by their ids, and documents without ids by their texts. The remaining documents are paired by
    their texts if the texts are unique, otherwise by their order if there are no ids.

    Parameters
    ----------
    corpora, parts : pairs
        Gold and pred.
    notes : list of str
        Receives assumptions about the pairs.
    losses : list of str
        Receives messages about skipped items of the parts.
    texts : str
        What to do if texts differ: ``refuse``, ``report`` (in ``losses``) or ``ignore``.

    Yields
    ------
    name : str
        The id of the document, otherwise its number, from 0.
    gold, pred : Document

    Raises
    ------
    spanrs.errors.AlignmentError
        If a document is unpaired, an id occurs twice, or texts differ.
    spanrs.errors.LimitError
        If more than 100,000 documents are unpaired at once, because the order of the sides differs.
    """
    names = parts[0].shown, parts[1].shown
    gold, pred = (documents_of(corpus, part, losses) for corpus, part in zip(corpora, parts, strict=True))
    differing, first = 0, ""
    for at, (gold_document, pred_document) in enumerate(_pairs(gold, pred, names, notes)):
        name = gold_document.id if gold_document.id is not None else pred_document.id
        if texts == "report" and gold_document.text != pred_document.text:
            differing += 1
            first = first or f"{name if name is not None else at}"
        if texts == "refuse" and gold_document.text != pred_document.text:
            where = _first_difference(gold_document.text, pred_document.text)
            message = (
                f"{names[0]}: the text of document {name if name is not None else at} differs from that of {names[1]} "
                f"at character {where}; compare their spans with align='characters' (--align characters)"
            )
            raise with_code(AlignmentError(message), "texts", parts[0].path)
        yield str(at) if name is None else name, gold_document, pred_document
    if differing:
        losses.append(
            f"number of documents whose texts differ: {differing}, the first is {first}; spans are still compared "
            "by their offsets"
        )


def documents_of(corpus: Corpus, part: Part, losses: list[str]) -> Iterator[Document]:
    """Yield the documents of a part, or of the parts that a joined part contains."""
    for single in part.source if part.format == "joined" else (part,):
        if single.format == "documents" and not isinstance(single.source, list):
            # A stream of documents that this package made needs no checks.
            yield from single.source
            continue
        yield from plain_documents(corpus.core_documents(single, drop_root=True), single, losses)


def _first_difference(left: str, right: str) -> int:
    pairs = zip(left, right, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _pairs(
    gold: Iterator[Document],
    pred: Iterator[Document],
    names: tuple[str, str],
    notes: list[str],
) -> Iterator[tuple[Document, Document]]:
    """Pair documents by key while reading both sides in parallel."""
    waiting: tuple[dict[str, deque[Document]], dict[str, deque[Document]]] = ({}, {})
    arrived = [_Arrived(name) for name in names]
    while True:
        gold_document, pred_document = next(gold, None), next(pred, None)
        if gold_document is None and pred_document is None:
            break
        for side, document in enumerate((gold_document, pred_document)):
            if document is None:
                continue
            arrived[side].add(document)
            theirs = waiting[1 - side]
            key = _key(document)
            if key in theirs:
                partner = theirs[key].popleft()
                if not theirs[key]:
                    del theirs[key]
                yield (document, partner) if side == 0 else (partner, document)
            else:
                waiting[side].setdefault(key, deque()).append(document)
        if sum(map(len, waiting)) > WAITING:
            message = (
                f"{names[0]} and {names[1]}: more than {WAITING} documents are unpaired at once; "
                "sort both files in the same order"
            )
            raise with_code(LimitError(message), "documents", names[0])
    if any(side.has_equal_texts for side in arrived):
        notes.append(
            f"documents of {names[0]} and {names[1]} without ids that have the same text are paired by their order"
        )
    golds, preds = (
        [document for waiting_documents in side.values() for document in waiting_documents]
        for side in waiting
    )
    yield from _left(golds, preds, names, notes, [side.number for side in arrived])


def _left(
    golds: list[Document],
    preds: list[Document],
    names: tuple[str, str],
    notes: list[str],
    numbers: list[int],
) -> Iterable[tuple[Document, Document]]:
    """Pair the documents whose keys differ: by text, or by order if no document has an id.

    Raises
    ------
    spanrs.errors.AlignmentError
    """
    by_text = {document.text: document for document in preds}
    if len({d.text for d in golds}) == len(golds) == len(by_text) == len(preds) and all(
        document.text in by_text for document in golds
    ):
        # Only one side has ids, or the ids differ.
        return [(document, by_text[document.text]) for document in golds]
    if len(golds) != len(preds) or (len(golds) > 1 and any(d.id for d in (*golds, *preds))):
        raise _unpaired(golds, preds, names, numbers)
    if len(golds) > 1:
        notes.append(
            f"documents of {names[0]} and {names[1]} are paired by their order, because they have no ids"
        )
    return zip(golds, preds, strict=True)


class _Arrived:
    """Documents read so far from one side."""

    def __init__(self, name: str) -> None:
        # Lazy: rarely used.
        from hashlib import blake2b

        self._digest = blake2b
        self.number = 0
        self.has_equal_texts = False
        self._name = name
        self._keys: set[bytes] = set()

    def add(self, document: Document) -> None:
        """Count a document.

        Raises
        ------
        spanrs.errors.AlignmentError
            For a repeated id.
        """
        self.number += 1
        # Keeping the texts would keep the whole corpus in memory.
        key = self._digest(_key(document).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in self._keys:
            self._keys.add(key)
        elif document.id is None:
            self.has_equal_texts = True
        else:
            message = f"{self._name}: the id {document.id!r} occurs twice; ids of documents must be unique"
            raise with_code(AlignmentError(message), "documents", self._name)


def _unpaired(
    golds: list[Document], preds: list[Document], names: tuple[str, str], numbers: list[int]
) -> AlignmentError:
    """Return the error for unpaired documents."""
    side, mine, lacking = ("gold", golds, names[1]) if golds else ("pred", preds, names[0])
    shown = mine[0].id if mine[0].id is not None else f"{mine[0].text[:40]!r}"
    have = "documents of {} are" if len(mine) > 1 else "document of {} is"
    message = (
        f"{lacking}: {len(mine)} {have.format(side)} unpaired, the first is {shown}; there are {numbers[0]} "
        f"documents in gold and {numbers[1]} in pred"
    )
    have_ids = all(any(document.id is not None for document in documents) for documents in (golds, preds))
    return with_code(AlignmentError(message), "documents" if have_ids else UNPAIRED, lacking)


def _key(document: Document) -> str:
    """Return the key by which documents are paired: the id, otherwise the text."""
    return f"id {document.id}" if document.id is not None else f"text {document.text}"
