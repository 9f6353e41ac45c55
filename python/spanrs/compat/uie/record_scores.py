"""Scores of entities, relations and events, by strings and by offsets of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spanrs.compat.uie.metrics import Metric, check_match
from spanrs.compat.uie.records import Record, TaskSchema, read_record

KINDS = ("offset", "string")
#: Task -> what is compared.
CRITERIA = {
    "entity": ("ent",),
    "relation": ("rel-strict", "rel-boundary"),
    "event": ("evt-trigger", "evt-role"),
}


def gold_items(
    gold: Mapping[str, Sequence[Mapping[str, Any]]], kind: str = "string"
) -> dict[str, list[Any]]:
    """Return the items of a gold record that are compared.

    Parameters
    ----------
    gold : mapping
        Lists ``entity``, ``relation`` and ``event`` of mappings with ``type``. Entities and events have ``text`` and
        ``offset``, the 0-based positions of all tokens; relations and events have ``args``, which are like entities.
    kind : {"string", "offset"}
        The representation of a span.

    Returns
    -------
    dict
        For each criterion (``ent``, ``rel-strict``, ``rel-boundary``, ``evt-trigger``, ``evt-role``) the items.

    Raises
    ------
    ValueError
        If the kind is unknown, or a relation has not two arguments.
    KeyError
        If a mapping lacks a key.

    Examples
    --------
    >>> gold = {"entity": [{"type": "person", "text": "Anna", "offset": [0]}], "relation": [], "event": []}
    >>> gold_items(gold, "offset")["ent"]
    [('person', (0,))]
    """
    if kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}; choose one of {', '.join(KINDS)}")

    def span(of: Mapping[str, Any]) -> Any:
        return of["text"] if kind == "string" else tuple(of["offset"])

    relations = []
    for relation in gold["relation"]:
        if len(relation["args"]) != 2:
            raise ValueError(
                f"a gold relation {relation['type']!r} has {len(relation['args'])} args; give two"
            )
        first, second = relation["args"]
        relations.append((relation["type"], first["type"], span(first), second["type"], span(second)))
    return {
        "ent": [(entity["type"], span(entity)) for entity in gold["entity"]],
        "rel-strict": relations,
        "rel-boundary": [relation[::2] for relation in relations],
        "evt-trigger": [(event["type"], span(event)) for event in gold["event"]],
        "evt-role": [
            (event["type"], arg["type"], span(arg)) for event in gold["event"] for arg in event["args"]
        ],
    }


def _pred_items(record: Record, kind: str) -> dict[str, list[Any]]:
    relations, events = record["relation"][kind], record["event"][kind]
    return {
        "ent": record["entity"][kind],
        "rel-strict": relations,
        "rel-boundary": [relation[::2] for relation in relations],
        "evt-trigger": [(event["type"], event["trigger"]) for event in events],
        "evt-role": [(event["type"], *role) for event in events for role in event["roles"]],
    }


def evaluate_records(
    texts: Sequence[str],
    golds: Sequence[Mapping[str, Sequence[Mapping[str, Any]]]],
    preds: Sequence[str],
    schema: TaskSchema,
    *,
    map_: str = "first",
    deduplicate: bool = True,
    match: str = "normal",
) -> dict[str, dict[str, float]]:
    """Score predicted answers against gold records.

    Parameters
    ----------
    texts : sequence of str
        The texts, with blanks between the tokens.
    golds : sequence of mappings
        The gold records; see :func:`gold_items`.
    preds : sequence of str
        The predicted answers.
    schema : TaskSchema
        The types and roles of predictions that are kept.
    map_ : {"first", "closest", "longer_first"}
        How spans are mapped to tokens; see :func:`read_record`.
    deduplicate : bool
        Whether equal relations of an answer are merged.
    match : {"normal", "set", "multimatch"}
        ``normal``: each gold item answers one predicted item. ``set``: equal items of a side are merged.
        ``multimatch``: equal predicted items all count, so that recall may exceed 100.

    Returns
    -------
    dict
        For each of ``entity``, ``relation`` and ``event`` counts and measures in per cent, by strings and by offsets.

    Raises
    ------
    ValueError
        If the numbers of texts, golds and preds differ, or an option is unknown.

    Notes
    -----
    Source: UIE at commit c88dd08 (CC BY-NC-SA 4.0 licence); reproduced from recorded outputs.

    Examples
    --------
    >>> gold = {"entity": [{"type": "person", "text": "Anna", "offset": [0]}], "relation": [], "event": []}
    >>> answer = "<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_1> <extra_id_1>"
    >>> scores = evaluate_records(["Anna slept"], [gold], [answer], TaskSchema(entities=["person"]))
    >>> scores["entity"]["offset-ent-F1"], scores["event"]["string-evt-role-F1"]
    (100.0, 0.0)
    """
    if not len(texts) == len(golds) == len(preds):
        raise ValueError("texts, golds and preds must have one element for each sentence")
    check_match(match)
    names = [(kind, name) for kind in KINDS for task in CRITERIA.values() for name in task]
    metrics = {name: Metric(match) for name in names}
    for text, gold, answer in zip(texts, golds, preds, strict=True):
        record = read_record(answer, text, schema, map_, deduplicate=deduplicate)
        for kind in KINDS:
            gold_side, pred_side = gold_items(gold, kind), _pred_items(record, kind)
            for name, golden in gold_side.items():
                metrics[kind, name].count(golden, pred_side[name])
    return {
        task: {
            key: value
            for kind in KINDS
            for name in criteria
            for key, value in metrics[kind, name].figures(f"{kind}-{name}-").items()
        }
        for task, criteria in CRITERIA.items()
    }
