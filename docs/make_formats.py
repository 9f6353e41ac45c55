"""Generates the table of formats in `convert.md`: `python docs/make_formats.py`."""

from __future__ import annotations

from pathlib import Path

from generated_block import replace_block

from spanrs import _spanrs
from spanrs.io.write_documents import FORMATS as DOCUMENT_FORMATS
from spanrs.io.write_sentences import FORMATS as SENTENCE_FORMATS

PAGE = Path(__file__).parent / "convert.md"
BEGIN = "<!-- made by docs/make_formats.py -->"
COLUMNS = (
    "nested",
    "overlap",
    "discontinuous",
    "empty spans",
    "relations",
    "attributes",
    "annotators",
    "answers",
    "tokens",
    "text",
    "id",
    "metadata",
)
#: Names of the facts in columns with another name.
NAMES = {"nested": "overlap", "empty spans": "empty"}
#: Cells for attributes and metadata.
VALUES = {
    "no": "",
    "concepts": "identifier, mentions",
    "text": "text",
    "flags": "text, true",
    "typed": "yes",
}
#: Cells for values that are not yes or no.
WORDS = {
    "nested": {"no": "", "nested": "yes", "any": "yes"},
    "overlap": {"no": "", "nested": "", "any": "yes"},
    "attributes": VALUES,
    "metadata": VALUES,
    "id": {"no": "", "filename": "name of the file", "yes": "yes"},
    "relations": {"no": "", "concepts": "of concepts", "yes": "yes"},
    "answers": {"no": "", "empty": "empty", "skipped": "empty, skipped", "all": "yes"},
    "tokens": {
        "no": "",
        "yes": "yes",
        "forrelations": "yes, required for relations",
        "whole": "required",
        "within": "required, spans may split them",
    },
    "text": {
        "whole": "yes",
        "onebreak": "one line break",
        "lines": "from tokens, lines",
        "tokens": "from tokens",
    },
}


def cells(holds: dict[str, object]) -> list[str]:
    """Return the cells of a format."""
    values = []
    for column in COLUMNS:
        value = holds[NAMES.get(column, column)]
        word = WORDS.get(column, {True: "yes", False: ""})
        values.append(word[value])
    return values


def table() -> str:
    """Return the table as Markdown."""
    lines = [
        f"| format | documents in a file | {' | '.join(COLUMNS)} |",
        "|---|---|" + "---|" * len(COLUMNS),
    ]
    facts = {entry["name"]: entry for entry in _spanrs.document_formats()}
    for name in sorted((*DOCUMENT_FORMATS, *SENTENCE_FORMATS)):
        entry = facts[name]
        number = "many" if entry["suffix"] is None else f"one (`{entry['suffix']}`)"
        lines.append(f"| `{name}` | {number} | {' | '.join(cells(entry['holds']))} |")
    return "\n".join(lines)


def page() -> str:
    """Return the page with the current table."""
    return replace_block(PAGE.read_text(encoding="utf-8"), BEGIN, table())


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
