"""``spanrs crf info``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from spanrs.cli import _generated
from spanrs.cli.crf.features import model_card, read_model
from spanrs.cli.crf.lexicons import lexicon_rows
from spanrs.cli.output import Output, table_output
from spanrs.crf import CRF, templates
from spanrs.crf.lexicons import lexicons_of
from spanrs.report.table import Table


@_generated.crf_info
@table_output
def command(model_path: str, top: int, output: Output) -> None:
    """Show labels, sizes, template, model card and the heaviest weights of MODEL."""
    output.check([model_path])
    crf = read_model(model_path)
    states, transitions = crf.state_features_, crf.transition_features_
    by_label: dict[str, list[tuple[str, float]]] = {label: [] for label in crf.classes_}
    for (attribute, label), weight in states.items():
        by_label[label].append((attribute, weight))
    facts = _Facts(
        crf,
        model_path,
        attributes=len({attribute for attribute, _ in states}),
        features={label: _heaviest(weights, top) for label, weights in by_label.items()},
        transitions=_heaviest(transitions.items(), top),
    )
    shown = {"json": facts.json, "text": facts.text}
    output.write(lambda to: shown.get(to, facts.tables)())


class _Facts(NamedTuple):
    """Facts shown about a model."""

    crf: CRF
    path: str
    attributes: int
    """Number of attributes."""
    features: dict[str, list[tuple[str, float]]]
    """The heaviest attributes of each label, with their weights."""
    transitions: list[tuple[tuple[str, str], float]]
    """The heaviest transitions, with their weights."""

    def json(self) -> str:
        metadata = self.crf.metadata_
        everything = {
            "labels": self.crf.classes_,
            "attributes": self.attributes,
            "features": len(self.crf.state_features_),
            "transitions": len(self.crf.transition_features_),
            "dense_columns": len(self.crf.dense_weights_),
            "own_features": metadata.get("own_features", False),
            "scheme": metadata.get("scheme"),
            "temperature": self.crf.temperature_,
            "template": metadata.get("template"),
            "lexicons": dict(lexicon_rows(lexicons_of(self.crf._trained()))),
            "card": metadata.get("card"),
            "heaviest_transitions": [
                {"from": source, "to": target, "weight": weight}
                for (source, target), weight in self.transitions
            ],
            "heaviest_features": {
                label: [{"attribute": attribute, "weight": weight} for attribute, weight in weights]
                for label, weights in self.features.items()
            },
        }
        return json.dumps(everything, ensure_ascii=False, allow_nan=False)

    def text(self) -> str:
        lines = [f"{name:<12}{value}" for name, value in self._rows()]
        if self.transitions:
            lines += ["", "transitions"]
            lines += [
                f"{weight:+10.3f}  {source} -> {target}" for (source, target), weight in self.transitions
            ]
        for label, weights in self.features.items():
            if weights:
                lines += ["", f"features of {label}"]
                lines += [f"{weight:+10.3f}  {attribute}" for attribute, weight in weights]
        return "\n".join(lines)

    def tables(self) -> list[Table]:
        model = Table(["property", "value"], left=2, title="Model")
        for name, value in self._rows():
            model.add_row(name, value)
        transitions = Table(["from", "to", "weight"], left=2, title="Transitions")
        for (source, target), weight in self.transitions:
            transitions.add_row(source, target, f"{weight:.3f}")
        features = Table(["label", "attribute", "weight"], left=2, title="Features")
        for label, weights in self.features.items():
            for attribute, weight in weights:
                features.add_row(label, attribute, f"{weight:.3f}")
        return [table for table in (model, transitions, features) if table.rows]

    def _rows(self) -> Iterator[tuple[str, str]]:
        crf = self.crf
        states, transitions = len(crf.state_features_), len(crf.transition_features_)
        yield "labels", f"{len(crf.classes_)}: {', '.join(crf.classes_)}"
        yield "weights", f"{states} features of {self.attributes} attributes, {transitions} transitions"
        if len(crf.dense_weights_):
            yield "dense rows", f"{len(crf.dense_weights_)} columns; pass dense= in Python"
        if crf.metadata_.get("own_features"):
            yield "features", "beside those of the tokens; pass features= in Python"
        yield "scheme", crf.metadata_.get("scheme") or "none: any sequence of labels"
        if crf.temperature_ != 1:
            yield "temperature", f"{crf.temperature_:.4g}"
        yield "template", _template_name(crf.metadata_.get("template"))
        for name, described in lexicon_rows(lexicons_of(crf._trained())):
            yield "lexicon", f"{name}: {described}"
        yield from _card_rows(model_card(crf, self.path))


def _heaviest(weights: Iterable[tuple[Any, float]], top: int) -> list[tuple[Any, float]]:
    return sorted(weights, key=lambda pair: (-abs(pair[1]), pair[0]))[:top]


def _template_name(text: str | None) -> str:
    if text is None:
        return "none: attributes come from a program"
    built_in = [name for name, built_in_text in templates().items() if built_in_text == text]
    lines = sum(line[:1] in ("U", "u") for line in text.splitlines())
    return f"{built_in[0] if built_in else 'custom'}, {lines} attributes for each token"


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
