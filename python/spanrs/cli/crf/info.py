"""``spanrs crf info``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from spanrs.cli import options
from spanrs.cli.crf.features import model_card, read_model
from spanrs.crf import templates


@click.command()
@click.argument("model_path", metavar="MODEL")
@click.option(
    "--top", type=options.COUNT, default=10, help="Features to list for each label, and transitions."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(model_path: str, top: int, as_json: bool) -> None:
    """Show labels, sizes, template, model card and the heaviest weights of MODEL."""
    crf = read_model(model_path)
    metadata = crf.metadata_
    states, transitions = crf.state_features_, crf.transition_features_
    by_label: dict[str, list[tuple[str, float]]] = {label: [] for label in crf.classes_}
    for (attribute, label), weight in states.items():
        by_label[label].append((attribute, weight))
    heaviest = {label: _heaviest(own, top) for label, own in by_label.items()}
    steps = _heaviest(transitions.items(), top)
    attributes = len({attribute for attribute, _ in states})
    text = None if crf.template is None else str(crf.template)
    if as_json:
        everything = {
            "labels": crf.classes_,
            "attributes": attributes,
            "features": len(states),
            "transitions": len(transitions),
            "scheme": metadata.get("scheme"),
            "template": text,
            "card": metadata.get("card"),
            "heaviest_transitions": [
                {"from": source, "to": target, "weight": weight} for (source, target), weight in steps
            ],
            "heaviest_features": {
                label: [{"attribute": attribute, "weight": weight} for attribute, weight in own]
                for label, own in heaviest.items()
            },
        }
        click.echo(json.dumps(everything, ensure_ascii=False, allow_nan=False))
        return
    sizes = f"{len(states)} features of {attributes} attributes, {len(transitions)} transitions"
    rows = [
        ("labels", f"{len(crf.classes_)}: {', '.join(crf.classes_)}"),
        ("weights", sizes),
        ("scheme", metadata.get("scheme") or "none: any sequence of labels"),
        ("template", _template_name(text)),
        *_card_rows(model_card(crf, model_path)),
    ]
    for name, value in rows:
        click.echo(f"{name:<12}{value}")
    if steps and top:
        click.echo("\ntransitions")
        for (source, target), weight in steps:
            click.echo(f"{weight:+10.3f}  {source} -> {target}")
    for label, own in heaviest.items():
        if own:
            click.echo(f"\nfeatures of {label}")
            for attribute, weight in own:
                click.echo(f"{weight:+10.3f}  {attribute}")


def _heaviest(weights: Iterable[tuple[Any, float]], top: int) -> list[tuple[Any, float]]:
    return sorted(weights, key=lambda pair: (-abs(pair[1]), pair[0]))[:top]


def _template_name(text: str | None) -> str:
    if text is None:
        return "none: attributes come from a program"
    built_in = [name for name, own in templates().items() if own == text]
    lines = sum(line[:1] in ("U", "u") for line in text.splitlines())
    return f"{built_in[0] if built_in else 'of its own'}, {lines} attributes for each token"


def _card_rows(card: dict[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in card.items():
        if isinstance(value, dict):
            pairs = (f"{key} {_shown(own)}" for key, own in value.items() if own not in (None, [], False))
            yield name, ", ".join(pairs)
        elif value is not None and name != "template":
            yield name, _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4f}".rstrip("0")
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
