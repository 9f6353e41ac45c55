"""Disputes: groups of overlapping spans on which the annotators of a document disagree."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spanrs.crowd.dispute_reasons import reason_for
from spanrs.crowd.marked_span import MarkedSpan

#: Kinds of disputes, with their meaning.
KINDS: Mapping[str, str] = {
    "missing": "an annotator marked nothing where another annotator marked a span",
    "type": "spans with the same bounds and different types",
    "bounds": "overlapping spans with different bounds",
    "estimate": "the estimate has a span that no annotator marked, or lacks what all annotators marked",
}


Answers = Mapping[str, Collection[MarkedSpan]]


@dataclass(frozen=True, slots=True)
class Dispute:
    """Overlapping spans on which annotators disagree, or on which the estimate contradicts them.

    Attributes
    ----------
    start, end : int
        First character of the spans and one past the last, from 0.
    kinds : tuple of str
        Kinds of the dispute, as in :data:`KINDS`.
    confidence : float
        Minimum confidence of the estimate between ``start`` and ``end``.
    answers : mapping of str to tuple of MarkedSpan
        The spans of each annotator who saw the document; empty for those who marked nothing here.
    estimate : mapping of MarkedSpan to float, or None
        The spans of the estimate, with their confidence; None if the document has no estimate.
    reason : str
        Description of the dispute.
    """

    start: int
    end: int
    kinds: tuple[str, ...]
    confidence: float
    answers: Mapping[str, tuple[MarkedSpan, ...]]
    estimate: Mapping[MarkedSpan, float] | None
    reason: str

    @property
    def is_contradicted(self) -> bool:
        """Whether all annotators agree, and the estimate differs."""
        return len(set(map(frozenset, self.answers.values()))) == 1

    @property
    def dissenters(self) -> int:
        """Number of annotators who differ from the estimate, or if there is none, from the most frequent answer."""
        if self.estimate is None:
            return len(self.answers) - max(Counter(map(frozenset, self.answers.values())).values())
        return sum(set(spans) != set(self.estimate) for spans in self.answers.values())

    def groups(self) -> list[tuple[list[str], tuple[MarkedSpan, ...]]]:
        """Return the distinct answers with their annotators, the most frequent first."""
        return group_answers(self.answers)


def group_answers(
    answers: Mapping[str, tuple[MarkedSpan, ...]],
) -> list[tuple[list[str], tuple[MarkedSpan, ...]]]:
    """Return the distinct answers with their annotators, the most frequent first, and empty answers last.

    Examples
    --------
    >>> from spanrs.crowd.marked_span import MarkedSpan
    >>> from spanrs.crowd.disputes import group_answers
    >>> span = MarkedSpan("LOC", 0, 4)
    >>> [(names, len(spans)) for names, spans in group_answers({"ann": (), "ben": (span,), "cy": ()})]
    [(['ben'], 1), (['ann', 'cy'], 0)]
    """
    names: dict[tuple[MarkedSpan, ...], list[str]] = {}
    for name, spans in answers.items():
        names.setdefault(spans, []).append(name)
    return sorted(
        ((group, spans) for spans, group in names.items()), key=lambda pair: (not pair[1], -len(pair[0]))
    )


def mean_f1(answers: Answers) -> float:
    """Return the mean F1 of the spans of all pairs of annotators; two empty answers have F1 1.

    Examples
    --------
    >>> from spanrs.crowd.marked_span import MarkedSpan
    >>> from spanrs.crowd.disputes import mean_f1
    >>> span = MarkedSpan("LOC", 0, 4)
    >>> mean_f1({"ann": {span}, "ben": {span}, "cy": set()})
    0.3333333333333333
    """
    total = pairs = 0.0
    # Equal answers are compared once, so the cost depends on the number of different answers.
    groups = Counter(map(frozenset, answers.values())).items()
    for (spans, number), (other_spans, other_number) in itertools.combinations(groups, 2):
        pairs += number * other_number
        total += number * other_number * pair_f1(spans, other_spans)
    equal = sum(number * (number - 1) / 2 for _, number in groups)
    return (total + equal) / (pairs + equal)


def pair_f1(spans: Collection[MarkedSpan], other: Collection[MarkedSpan]) -> float:
    """Return the F1 of two sets of spans; 1 if both are empty."""
    number = len(spans) + len(other)
    return 2 * len(set(spans).intersection(other)) / number if number else 1.0


def find_disputes(
    text: str,
    answers: Answers,
    estimate: Mapping[MarkedSpan, float] | None,
) -> Iterator[Dispute]:
    """Yield the disputes of a document in the order of the text, without the confidence of tokens.

    Spans that all annotators marked alike, and that are in the estimate, are not disputed. The other spans are grouped
    with those that they overlap, directly or through other spans.

    Parameters
    ----------
    text : str
        The text.
    answers : mapping of str to collection of MarkedSpan
        The spans of each annotator who saw the document.
    estimate : mapping of MarkedSpan to float, or None
        The spans of the estimate with their confidence; None if there is no estimate.

    Notes
    -----
    A sweep over the sorted spans: O(n log n) for n spans, and O(p) for p pairs of overlapping spans.

    Examples
    --------
    >>> from spanrs.crowd.marked_span import MarkedSpan
    >>> from spanrs.crowd.disputes import find_disputes
    >>> rome, city = MarkedSpan("LOC", 0, 4), MarkedSpan("ORG", 0, 4)
    >>> [dispute.reason for dispute in find_disputes("Rome", {"ann": {rome}, "ben": {city}}, {rome: 0.5})]
    ['ann marked "Rome" as LOC, ben as ORG']
    """
    number = Counter(span for spans in answers.values() for span in set(spans))
    agreed = {span for span, count in number.items() if count == len(answers)}
    if estimate is not None:
        agreed &= estimate.keys()
    disputed = {*number, *(estimate or ())} - agreed
    place = {span: at for at, cluster in enumerate(clusters(disputed)) for span in cluster}
    by_cluster: dict[int, tuple[dict[str, list[MarkedSpan]], dict[MarkedSpan, float]]] = {}
    for at in place.values():
        by_cluster.setdefault(at, ({}, {}))
    for name, spans in answers.items():
        for span in sorted(set(spans) - agreed):
            by_cluster[place[span]][0].setdefault(name, []).append(span)
    for span, value in sorted((estimate or {}).items()):
        if span not in agreed:
            by_cluster[place[span]][1][span] = value
    for _, (marked, estimated) in sorted(by_cluster.items()):
        given = {name: tuple(marked.get(name, ())) for name in answers}
        spans_here = [*itertools.chain.from_iterable(given.values()), *estimated]
        kinds = _kinds(given, None if estimate is None else estimated)
        yield Dispute(
            min(span.start for span in spans_here),
            max(span.end for span in spans_here),
            kinds,
            min(estimated.values(), default=1.0),
            given,
            None if estimate is None else estimated,
            reason_for(text, group_answers(given), list(estimated), differs="estimate" in kinds),
        )


def clusters(spans: Iterable[MarkedSpan]) -> list[list[MarkedSpan]]:
    """Group spans that overlap, directly or through other spans, in the order of the text.

    Examples
    --------
    >>> from spanrs.crowd.marked_span import MarkedSpan
    >>> from spanrs.crowd.disputes import clusters
    >>> spans = [MarkedSpan("A", 0, 3), MarkedSpan("B", 2, 5), MarkedSpan("C", 5, 7)]
    >>> [[span.type for span in cluster] for cluster in clusters(spans)]
    [['A', 'B'], ['C']]
    """
    groups: list[list[MarkedSpan]] = []
    end = -1
    for span in sorted(spans, key=lambda span: (span.start, span.stop, span)):
        if groups and span.start < end:
            groups[-1].append(span)
        else:
            groups.append([span])
        end = max(end, span.stop)
    return groups


def kinds_between(spans: Collection[MarkedSpan], other: Collection[MarkedSpan]) -> list[str]:
    """Return the kinds of differences between two answers, in the order of :data:`KINDS`.

    Examples
    --------
    >>> from spanrs.crowd.marked_span import MarkedSpan
    >>> from spanrs.crowd.disputes import kinds_between
    >>> kinds_between([MarkedSpan("LOC", 0, 4)], [MarkedSpan("ORG", 0, 4)])
    ['type']
    >>> kinds_between([MarkedSpan("LOC", 0, 4)], [MarkedSpan("ORG", 0, 9)])
    ['type', 'bounds']
    """
    left, right = set(spans) - set(other), set(other) - set(spans)
    rivals: dict[MarkedSpan, list[MarkedSpan]] = {}
    for span, rival in _overlapping_pairs(left, right):
        rivals.setdefault(span, []).append(rival)
        rivals.setdefault(rival, []).append(span)
    kinds = {
        kind for span in itertools.chain(left, right) for kind in _kinds_of_span(span, rivals.get(span, ()))
    }
    return [kind for kind in KINDS if kind in kinds]


def _kinds_of_span(span: MarkedSpan, rivals: Sequence[MarkedSpan]) -> Sequence[str]:
    if not rivals:
        return ("missing",)
    if any(span[1:] == rival[1:] for rival in rivals):
        return ("type",)
    return ("bounds",) if any(span.type == rival.type for rival in rivals) else ("type", "bounds")


def _overlapping_pairs(
    left: Iterable[MarkedSpan], right: Iterable[MarkedSpan]
) -> Iterator[tuple[MarkedSpan, MarkedSpan]]:
    """Yield all overlapping pairs of spans of two sides, by a sweep over the sorted spans."""
    ordered = sorted(
        [(span.start, span.stop, 0, span) for span in left]
        + [(span.start, span.stop, 1, span) for span in right]
    )
    active: tuple[list[MarkedSpan], list[MarkedSpan]] = ([], [])
    for start, _, side, span in ordered:
        rivals = active[1 - side]
        rivals[:] = [rival for rival in rivals if rival.stop > start]
        for rival in rivals:
            yield (rival, span) if side else (span, rival)
        active[side].append(span)


def _kinds(
    answers: Mapping[str, tuple[MarkedSpan, ...]], estimate: Mapping[MarkedSpan, float] | None
) -> tuple[str, ...]:
    """Return the kinds of a dispute: of all pairs of annotators, and ``estimate``."""
    distinct = list(dict.fromkeys(answers.values()))
    kinds = {kind for pair in itertools.combinations(distinct, 2) for kind in kinds_between(*pair)}
    common = set(distinct[0]).intersection(*distinct)
    if estimate is not None and (
        not common <= estimate.keys()
        or not estimate.keys() <= set(itertools.chain.from_iterable(distinct))
        or (not estimate and all(distinct))
    ):
        kinds.add("estimate")
    return tuple(kind for kind in KINDS if kind in kinds)
