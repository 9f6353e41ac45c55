"""``spanrs dep info``."""

from __future__ import annotations

import json
from typing import Any

import click

from spanrs.dep.tagger import load


@click.command()
@click.argument("model_path", metavar="MODEL")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(model_path: str, as_json: bool) -> None:
    """Show what MODEL holds."""
    model = load(model_path)
    tagger, parser = model.sizes()
    tags = model.tags()
    facts: dict[str, Any] = {
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
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    if facts["tagger"]:
        click.echo(
            f"tagger: {facts['tagger']['xpos']} XPOS and {facts['tagger']['upos']} UPOS tags, {tagger} features"
        )
    if facts["parser"]:
        labels = model.labels()
        roots = "one root" if model.single_root else "any number of roots"
        click.echo(f"parser: {len(labels) or 'no'} labels, {parser} features, {roots}")
        if labels:
            click.echo(f"labels: {' '.join(labels)}")
    for name, value in facts["metadata"].items():
        click.echo(f"{name}: {json.dumps(value, ensure_ascii=False)}")
