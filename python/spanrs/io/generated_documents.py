"""Documents read from generated answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanrs.errors import FormatError, warn, with_code
from spanrs.io.answer_pairs import merged_records, pair_answers
from spanrs.io.answer_records import AnswerRecord, answer_records
from spanrs.io.answer_types import TypeNames
from spanrs.io.document import Annotation, Document
from spanrs.io.generated import AnswerCounts, grounded_answers
from spanrs.io.grounding import GroundedMention
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.io.text_units import UNPLACED


def generated_documents(
    part: Part, options: ReadOptions, *, is_gold: bool = False, is_grounded: bool = True
) -> Iterator[Document]:
    """Yield a document for each text, with its mentions at their places.

    Parameters
    ----------
    part : Part
        A file of answers.
    options : ReadOptions
        ``texts``: the corpus of the texts, if the records do not contain them; ``answers``: how mentions are read.
    is_gold : bool
        Whether answers that cannot be read are errors.
    is_grounded : bool
        Whether mentions are grounded; otherwise they have no place, and records need no texts.

    Yields
    ------
    Document
        Mentions that were not found are in the metadata, as ``ungrounded``: a list of types and strings.

    Raises
    ------
    spanrs.errors.FormatError
        If a record has no text, or an answer of gold cannot be read.
    spanrs.errors.AlignmentError
        If records and texts do not fit.
    """
    counts = AnswerCounts()
    names = TypeNames(options.answers)
    records = answer_records(part, options)
    if options.texts is not None:
        paired = pair_answers(options.texts, records, unanswered=options.answers.unanswered)
        if paired.note is not None:
            warn([paired.note])
        rows = (
            (pair.record._replace(id=pair.unit.document.id), pair.unit.document.text) for pair in paired
        )
    else:
        rows = ((record, _text(record, needs=is_grounded)) for record in merged_records(list(records)))
    results = grounded_answers(
        rows, names, options.answers, counts, is_gold=is_gold, is_grounded=is_grounded
    )
    for record, text, mentions in results:
        yield _document(record, text, mentions)
    warn(f"{part.shown}: {line}" for line in (*counts.warnings(), *names.warnings()))


def _text(record: AnswerRecord, *, needs: bool) -> str:
    if record.text is None and needs:
        message = (
            f"{record.place}: the record has no text, in which mentions could be found; pass the texts with texts=, "
            "score it against a corpus, or compare strings with matcher='strings'"
        )
        raise with_code(FormatError(message), "no_text", None)
    return record.text or ""


def _document(record: AnswerRecord, text: str, mentions: Sequence[GroundedMention]) -> Document:
    annotations = [
        Annotation(m.type, m.start, m.end) for m in mentions if m.start is not None and m.end is not None
    ]
    unplaced = [[m.type, m.text] for m in mentions if m.stage is None]
    return Document(text, annotations, record.id, metadata={UNPLACED: unplaced} if unplaced else {})
