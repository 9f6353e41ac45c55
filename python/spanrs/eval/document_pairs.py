"""Which documents of two files belong together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from spanrs import _spanrs
from spanrs.errors import AlignmentError, LimitError, with_code
from spanrs.io import Corpus, Document
from spanrs.io.documents import plain_document
from spanrs.io.parts import Part

#: Documents of one side that wait for their partners, at most.
WAITING = 100_000


def paired_documents(
    corpora: tuple[Corpus, Corpus],
    parts: tuple[Part, Part],
    notes: list[str],
    *,
    compare_texts: bool = True,
) -> Iterator[tuple[str, Document, Document]]:
    """Yield the documents of two parts that belong together, in the order of gold's partners.

    Documents are paired by their ids; where one side has none, by their texts where these are unique, else by order.

    Parameters
    ----------
    corpora, parts : pairs
        Gold and pred.
    notes : list of str
        Gets what is assumed about the pairs.
    compare_texts : bool
        Refuse documents whose texts differ.

    Yields
    ------
    name : str
        The id of the document, else its number, from 0.
    gold, pred : Document

    Raises
    ------
    spanrs.errors.AlignmentError
        Where a document has no partner, an id occurs twice, or texts differ.
    spanrs.errors.LimitError
        Where more than 100,000 documents wait for their partners, because the sides are in other orders.
    """
    gold, pred = (corpus.core_documents(part) for corpus, part in zip(corpora, parts, strict=True))
    names = parts[0].shown, parts[1].shown
    for at, (one, other) in enumerate(_pairs(gold, pred, names, notes)):
        name = one.id if one.id is not None else other.id
        if compare_texts and one.text != other.text:
            where = _first_difference(one.text, other.text)
            message = (
                f"{names[0]}: the text of document {name if name is not None else at} differs from that of {names[1]} "
                f"at character {where}; compare their spans with align='characters' (--align characters)"
            )
            raise with_code(AlignmentError(message), "texts", parts[0].path)
        yield str(at) if name is None else name, plain_document(one), plain_document(other)


def _first_difference(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _pairs(
    gold: Iterator[_spanrs.Document],
    pred: Iterator[_spanrs.Document],
    names: tuple[str, str],
    notes: list[str],
) -> Iterator[tuple[_spanrs.Document, _spanrs.Document]]:
    """Pair documents: those at the same position with one key at once, others when their partner comes."""
    waiting: tuple[dict[str, deque[_spanrs.Document]], dict[str, deque[_spanrs.Document]]] = ({}, {})
    numbers = [0, 0]
    seen: tuple[set[str], set[str]] = (set(), set())
    while True:
        one, other = next(gold, None), next(pred, None)
        if one is None and other is None:
            break
        for side, document in enumerate((one, other)):
            if document is None:
                continue
            numbers[side] += 1
            _check_id(document, seen[side], names[side])
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
                f"{names[0]} and {names[1]}: more than {WAITING} documents wait for a partner of the same id or text; "
                "bring both files into one order"
            )
            raise with_code(LimitError(message), "documents", names[0])
    golds, preds = ([document for own in side.values() for document in own] for side in waiting)
    by_text = {document.text: document for document in preds}
    if len({d.text for d in golds}) == len(golds) == len(by_text) == len(preds) and all(
        document.text in by_text for document in golds
    ):
        # One side has ids, the other none or others.
        yield from ((document, by_text[document.text]) for document in golds)
        return
    if len(golds) == len(preds) and (len(golds) == 1 or not any(d.id for d in (*golds, *preds))):
        if len(golds) > 1:
            notes.append(
                f"documents of {names[0]} and {names[1]} are paired by their order, as they have no ids"
            )
        yield from zip(golds, preds, strict=True)
        return
    if golds or preds:
        raise _unpaired(golds, preds, names, numbers)


def _check_id(document: _spanrs.Document, seen: set[str], name: str) -> None:
    """Refuse an id that was there before.

    Raises
    ------
    spanrs.errors.AlignmentError
    """
    if document.id is None:
        return
    if document.id in seen:
        message = f"{name}: the id {document.id!r} is there twice; ids of documents must differ"
        raise with_code(AlignmentError(message), "documents", name)
    seen.add(document.id)


def _unpaired(
    golds: list[_spanrs.Document], preds: list[_spanrs.Document], names: tuple[str, str], numbers: list[int]
) -> AlignmentError:
    """Return the error for documents without a partner."""
    side, mine, other = ("gold", golds, names[1]) if golds else ("pred", preds, names[0])
    shown = mine[0].id if mine[0].id is not None else f"{mine[0].text[:40]!r}"
    have = "documents of {} have" if len(mine) > 1 else "document of {} has"
    message = (
        f"{other}: {len(mine)} {have.format(side)} no partner, the first is {shown}; there are {numbers[0]} documents "
        f"in gold and {numbers[1]} in pred"
    )
    return with_code(AlignmentError(message), "documents", other)


def _key(document: _spanrs.Document) -> str:
    """Return what tells a document: its id, or its text."""
    return f"id {document.id}" if document.id is not None else f"text {document.text}"
