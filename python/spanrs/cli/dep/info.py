"""``spanrs dep info``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from spanrs.cli import _generated
from spanrs.cli.output import Output, table_output
from spanrs.dep.installed import read
from spanrs.report.table import Table


@_generated.dep_info
@table_output
def command(model_path: str, output: Output) -> None:
    """Show the contents of MODEL, a file or the name of an installed model."""
    output.check([model_path])
    model = read(model_path)
    tagger, parser = model.sizes()
    tags = model.tags()
    predicts = {"FEATS": model.has_feats, "LEMMA": model.has_lemmas}
    facts: dict[str, Any] = {
        "segmenter": model.has_segmenter,
        "morphology": [column for column, is_there in predicts.items() if is_there],
        "tagger": None
        if not model.has_tagger
        else {
            "features": tagger,
            "xpos": len({xpos for xpos, _ in tags if xpos}),
            "upos": len({upos for _, upos in tags if upos}),
        },
        "parser": None
        if not model.has_parser
        else {"features": parser, "labels": model.labels(), "single_root": model.single_root},
        "metadata": json.loads(model.metadata),
    }
    shown = {
        "json": lambda: json.dumps(facts, ensure_ascii=False),
        "text": lambda: "\n".join(_lines(facts)),
    }
    output.write(lambda to: shown.get(to, lambda: [_table(facts)])())


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the facts about a model as lines of text; components that it does not have are ``none``."""
    yield f"segmenter: {'sentences, tokens and words of raw text' if facts['segmenter'] else 'none'}"
    yield f"morphology: {' and '.join(facts['morphology']) or 'none'}"
    tagger = "{xpos} XPOS and {upos} UPOS tags, {features} features"
    yield f"tagger: {tagger.format(**facts['tagger']) if facts['tagger'] else 'none'}"
    if facts["parser"] is None:
        yield "parser: none"
    else:
        labels = facts["parser"]["labels"]
        roots = "one root" if facts["parser"]["single_root"] else "any number of roots"
        yield f"parser: {len(labels) or 'no'} labels, {facts['parser']['features']} features, {roots}"
        if labels:
            yield f"labels: {' '.join(labels)}"
    for name, value in facts["metadata"].items():
        yield f"{name}: {json.dumps(value, ensure_ascii=False)}"


def _table(facts: dict[str, Any]) -> Table:
    table = Table(["property", "value"], left=2)
    for line in _lines(facts):
        table.add_row(*line.split(": ", 1))
    return table
