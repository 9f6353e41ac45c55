"""Tables of generated answers: what was read, what was found in the texts, and by which stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spanrs.io.answer_options import STAGES
from spanrs.io.generated import STATED
from spanrs.report.numbers import amount
from spanrs.report.table import Table

#: Name of each number of answers in tables.
_OF_ANSWERS = {
    "unreadable": "could not be read, and count as empty",
    "repaired": "were repaired, or cut out of other text",
}
#: Name of each number of mentions in tables.
_OF_MENTIONS = {
    "off_schema": "of types that are not in the schema",
    STATED: "at the place that the answer states",
    "exact": "found: the same characters",
    "case": "found: other case or white space",
    "unicode": "found: other forms of characters",
    "fuzzy": "found: a similar string",
    "part": "found within a word",
    "repeated": "listed more often than they occur",
    "ungrounded": "not in the text",
}


def answers_table(answers: Mapping[str, int]) -> Table:
    """Return the numbers and shares of answers and their mentions; see :class:`spanrs.eval.Evidence`."""
    table = Table(["", "number", "%"], title="Answers")
    for name, row, whole in _rows(answers):
        table.add_row(name, amount(row), f"{100 * row / whole:.1f}" if whole else "-")
    return table


def _rows(answers: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """Yield a name, a number, and the number of which it is a share."""
    yield "answers", answers["answers"], answers["answers"]
    if answers["unanswered"]:
        texts = answers["answers"] + answers["unanswered"]
        yield "texts without an answer, which count as empty", answers["unanswered"], texts
    for name, shown in _OF_ANSWERS.items():
        if answers[name] or name == "unreadable":
            yield f"  {shown}", answers[name], answers["answers"]
    if answers["faults"]:
        yield "items that could not be read", answers["faults"], answers["faults"] + answers["mentions"]
    yield "mentions", answers["mentions"], answers["mentions"]
    is_grounded = any(answers[name] for name in (STATED, *STAGES, "repeated", "ungrounded"))
    for name, shown in _OF_MENTIONS.items():
        always = name == "off_schema" or (is_grounded and name in ("exact", "ungrounded"))
        if answers[name] or always:
            yield f"  {shown}", answers[name], answers["mentions"]
