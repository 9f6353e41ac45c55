"""Maps the spots of an answer to entities, relations and events, as strings and as offsets of tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from spanrs.compat.uie.structure import Schema, Spot, read_pred

MAPS = ("closest", "first", "longer_first")

#: First and last token of a span.
Bounds = tuple[int, int]
#: Task -> ``offset`` and ``string`` -> items.
Record = dict[str, dict[str, list[Any]]]


class TaskSchema(NamedTuple):
    """Types by task, and roles.

    Parameters
    ----------
    entities, events : collection of str
        Types of entities and of event triggers.
    roles : collection of str
        Types of relations, and roles of event arguments.
    """

    entities: Collection[str] = ()
    events: Collection[str] = ()
    roles: Collection[str] = ()

    def of_answers(self) -> Schema:
        """Return the types of both tasks, and the roles."""
        return Schema((*self.entities, *self.events), self.roles)


class _Tokens:
    """Finds spans in the tokens of a sentence."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = list(tokens)
        self._places: dict[str, list[int]] = {}
        for at, token in enumerate(self._tokens):
            self._places.setdefault(token, []).append(at)
        self._found: dict[str, list[Bounds]] = {}
        self._pairs: dict[tuple[str, str], tuple[Bounds, Bounds]] = {}

    def find(self, span: str) -> list[Bounds]:
        """Return the occurrences of the words of a span, from left to right."""
        if span not in self._found:
            words = span.split(" ")
            size = len(words)
            starts = self._places.get(words[0], ())
            self._found[span] = [
                (start, start + size - 1) for start in starts if self._tokens[start : start + size] == words
            ]
        return self._found[span]

    def find_closest(self, span: str, origin: Bounds) -> Bounds:
        """Return the occurrence that begins closest to the beginning of the origin; of two the left one."""
        places = self.find(span)
        at = bisect_left(places, (origin[0], 0))
        return min(places[max(at - 1, 0) : at + 1], key=lambda place: abs(place[0] - origin[0]))

    def find_closest_pair(self, span: str, other: str) -> tuple[Bounds, Bounds]:
        """Return the occurrences of two spans whose beginnings are closest; of several the leftmost ones."""
        if (span, other) not in self._pairs:
            pairs = ((place, self.find_closest(other, place)) for place in self.find(span))
            self._pairs[span, other] = min(pairs, key=lambda pair: abs(pair[0][0] - pair[1][0]))
        return self._pairs[span, other]


class _Occurrences:
    """Gives each of several equal spans an occurrence of its own."""

    def __init__(self, tokens: _Tokens) -> None:
        self._tokens = tokens
        self._rest: dict[tuple[str, str], Iterator[Bounds]] = {}

    def rest(self, span: str, type_: str = "") -> Iterator[Bounds]:
        """Return the occurrences that are not used yet by spans of the type."""
        return self._rest.setdefault((type_, span), iter(self._tokens.find(span)))


def _offset(bounds: Bounds) -> tuple[int, ...]:
    return tuple(range(bounds[0], bounds[1] + 1))


def _entity_offsets(entities: Iterable[tuple[str, str]], tokens: _Tokens, map_: str) -> list[Any]:
    occurrences = _Occurrences(tokens)
    # Token -> last token of the widest entity that covers it.
    reach: dict[int, int] = {}
    offsets = []
    for type_, span in entities:
        for bounds in occurrences.rest(span, type_):
            if map_ == "longer_first" and reach.get(bounds[0], -1) >= bounds[1]:
                continue
            offset = _offset(bounds)
            reach.update((token, max(reach.get(token, -1), bounds[1])) for token in offset)
            offsets.append((type_, offset))
            break
    return offsets


def _relation_offsets(
    relations: Iterable[tuple[str, str, str, str, str]], tokens: _Tokens, map_: str, deduplicate: bool
) -> list[Any]:
    offsets = []
    for relation, type_, span, other_type, other_span in relations:
        firsts, seconds = tokens.find(span), tokens.find(other_span)
        if firsts and seconds:
            pair = firsts[0], seconds[0]
            if map_ == "closest":
                pair = tokens.find_closest_pair(span, other_span)
            offsets.append((relation, type_, _offset(pair[0]), other_type, _offset(pair[1])))
        elif map_ == "closest":
            # As in the original, the remaining relations are lost.
            break
    return list(dict.fromkeys(offsets)) if deduplicate else offsets


def _event_offsets(events: Iterable[dict[str, Any]], tokens: _Tokens, map_: str) -> list[Any]:
    occurrences = _Occurrences(tokens)
    offsets = []
    for event in events:
        places = tokens.find(event["trigger"])
        if not places:
            continue
        trigger = next(occurrences.rest(event["trigger"]), None)
        if trigger is None:
            break
        roles = []
        for role, span in event["roles"]:
            found = tokens.find(span)
            if found:
                place = tokens.find_closest(span, trigger) if map_ == "closest" else found[0]
                roles.append((role, _offset(place)))
        offsets.append({"type": event["type"], "roles": roles, "trigger": _offset(trigger)})
    return offsets


def _strings(spots: Sequence[Spot], schema: TaskSchema, map_: str) -> dict[str, list[Any]]:
    entities = [spot for spot in spots if spot.type in schema.entities]
    # Of several types of a span the last one.
    types = {spot.span: spot.type for spot in entities}
    relations = [
        (role, spot.type, spot.span, types.get(span, spot.type), span)
        for spot in entities
        for role, span in spot.roles
    ]
    # Arguments that are no entities are dropped, unless there are no entities.
    events = [
        {
            "trigger": spot.span,
            "type": spot.type,
            "roles": [(role, span) for role, span in spot.roles if not types or span in types],
        }
        for spot in spots
        if spot.type in schema.events
    ]
    if map_ == "longer_first":
        entities.sort(key=lambda spot: len(spot.span), reverse=True)
    return {
        "entity": [(spot.type, spot.span) for spot in entities if spot.span],
        "relation": relations,
        "event": events,
    }


def read_record(
    answer: str, text: str, schema: TaskSchema, map_: str = "first", *, deduplicate: bool = True
) -> Record:
    """Read a predicted answer, and map its spans to tokens of the text.

    Parameters
    ----------
    answer : str
        The answer in the structured extraction language.
    text : str
        The text, with blanks between the tokens.
    schema : TaskSchema
        The types and roles that are kept.
    map_ : {"first", "closest", "longer_first"}
        ``first``: the first occurrence of each span; equal entities take successive occurrences. ``closest``: the
        arguments closest to each other or to the trigger. ``longer_first``: long entities take their occurrences
        first, and no entity lies within another one.
    deduplicate : bool
        Whether equal relations are merged.

    Returns
    -------
    dict
        For each of ``entity``, ``relation`` and ``event``, lists ``offset`` and ``string``. An offset is a tuple of the
        0-based positions of all tokens of the span.

    Raises
    ------
    ValueError
        If the map is unknown.

    Notes
    -----
    Source: UIE at commit c88dd08 (CC BY-NC-SA 4.0 licence); reproduced from recorded outputs.

    Examples
    --------
    >>> schema = TaskSchema(entities=["person", "organization"], roles=["work for"])
    >>> answer = "<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_0> work for <extra_id_5> Acme Inc"
    >>> record = read_record(answer, "Anna joined Acme Inc", schema)
    >>> record["relation"]["string"]
    [('work for', 'person', 'Anna', 'person', 'Acme Inc')]
    >>> record["relation"]["offset"]
    [('work for', 'person', (0,), 'person', (2, 3))]
    """
    if map_ not in MAPS:
        raise ValueError(f"unknown map_ {map_!r}; choose one of {', '.join(MAPS)}")
    strings = _strings(read_pred(answer, schema.of_answers(), text), schema, map_)
    tokens = _Tokens(text.split())
    offsets = {
        "entity": _entity_offsets(strings["entity"], tokens, map_),
        "relation": _relation_offsets(strings["relation"], tokens, map_, deduplicate),
        "event": _event_offsets(strings["event"], tokens, map_),
    }
    return {task: {"offset": offsets[task], "string": strings[task]} for task in strings}
