"""``spanrs read``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from spanrs.cli import _generated, console, options
from spanrs.cli.output import Output, table_output
from spanrs.cli.run import explained
from spanrs.io import Corpus, Sentence
from spanrs.io import read as read_corpus
from spanrs.io.documents import ANNOTATED
from spanrs.report.table import Table

#: Maximum number of files that are listed.
LISTED = 20
#: Maximum number of tokens shown for a sentence.
SHOWN = 30


@_generated.read
@options.read_arguments
@table_output
def command(
    files: tuple[str, ...],
    scheme: str,
    reading: str | None,
    read: dict[str, Any],
    sentences: int,
    output: Output,
) -> None:
    """Show how FILE is interpreted: format, layers, scheme, and the first sentences.

    FILE is any input accepted as GOLD by other commands: a file, a directory, a quoted pattern, or "-" for standard
    input.
    """
    output.check(files)
    source = console.source(files[0]) if len(files) == 1 else [console.source(name) for name in files]
    with explained():
        corpus = _read(source, options.with_reading(read | {"scheme": scheme}, reading))
    with explained(), console.quiet():
        facts = corpus.facts()
        first = list(islice(_of_one(corpus, facts["layers"]), sentences))
    output.write({"text": lambda: _parts(corpus, facts, first), "json": lambda: _json(facts, first)})


def _read(source: Any, arguments: dict[str, Any]) -> Corpus:
    """Read a source; ``scheme="auto"`` is omitted, because schemes do not apply to all formats."""
    usual = {"scheme": "auto"}
    return read_corpus(
        source, **{name: value for name, value in arguments.items() if usual.get(name) != value}
    )


def _of_one(corpus: Corpus, layers: list[str]) -> Corpus:
    """Restrict a corpus of several annotators to the annotations of the first annotator."""
    has_annotators = corpus.parts[0].format in ANNOTATED and corpus.options.annotator is None
    return corpus[layers[0]] if has_annotators and len(layers) > 1 else corpus


def _parts(corpus: Corpus, facts: dict[str, Any], first: list[Sentence]) -> Iterator[Table | str]:
    table = Table(["file", "format"], left=2, title="Files")
    for part in facts["parts"][:LISTED]:
        table.add_row(part["path"], part["format"])
    yield table
    if len(facts["parts"]) > LISTED:
        yield f"and {len(facts['parts']) - LISTED} more"
    yield ""
    yield f"layers    {', '.join(facts['layers'])}"
    if facts["scheme"] is not None:
        how = (
            "given by --scheme"
            if corpus.options.scheme != "auto"
            else "the scheme with the fewest violations"
        )
        yield f"scheme    {facts['scheme']} ({how})"
    for at, sentence in enumerate(first):
        yield ""
        yield _sentence(at, sentence)
    yield ""
    yield from _advice(corpus, facts)


def _sentence(at: int, sentence: Sentence) -> Table:
    """Return a sentence as a table with a row per token, or per span if there are no tokens."""
    where = "" if sentence.line is None else f", line {sentence.line}"
    document = "" if sentence.document is None else f", document {sentence.document}"
    title = f"sentence {at}{where}{document}"
    if sentence.tokens is None and not sentence.tags:
        table = Table([title, "start", "end"], left=1, title=title)
        for layer in sentence.spans.values():
            for span in layer[:SHOWN]:
                table.add_row(span.type, str(span.start), str(span.end))
        return table
    layers = sentence.layers
    table = Table([title, *layers], left=1 + len(layers), title=title)
    for token in range(min(len(sentence), SHOWN)):
        word = "" if sentence.tokens is None else sentence.tokens[token]
        table.add_row(word, *(_cell(sentence, layer, token) for layer in layers))
    if len(sentence) > SHOWN:
        table.add_row(f"and {len(sentence) - SHOWN} more tokens", *("" for _ in layers))
    return table


def _cell(sentence: Sentence, layer: str, token: int) -> str:
    """Return the tag of a token, or the types of the spans that contain the token."""
    if sentence.tags:
        return sentence.tags[layer][token]
    inside = [span.type for span in sentence.spans[layer] if span.start <= token < span.end]
    return ", ".join(inside) or "-"


def _advice(corpus: Corpus, facts: dict[str, Any]) -> Iterator[str]:
    """Yield hints about choosing a layer."""
    layers = facts["layers"]
    kind = corpus.parts[0].kind
    if set(layers) == {"gold", "pred"}:
        yield "the file contains gold and pred; score it with: spanrs score FILE"
    elif kind == "documents" and len(layers) > 1:
        option = "layer" if corpus.parts[0].format == "spacy" else "annotator"
        yield f"select one layer, for example with --{option} {layers[0]}"


def _json(facts: dict[str, Any], first: list[Sentence]) -> str:
    rows = [
        {
            "tokens": None if sentence.tokens is None else list(sentence.tokens),
            "tags": {layer: list(tags) for layer, tags in sentence.tags.items()},
            "spans": {layer: [span._asdict() for span in spans] for layer, spans in sentence.spans.items()},
            "document": sentence.document,
            "path": sentence.path,
            "line": sentence.line,
        }
        for sentence in first
    ]
    return json.dumps(facts | {"sentences": rows}, ensure_ascii=False)
