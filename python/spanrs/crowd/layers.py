"""Layers of types: types whose spans overlap are estimated separately, because a token has one tag."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from spanrs.crowd.corpus import MISSING, CrowdCorpus
from spanrs.crowd.documents import Project, corpus_of_project
from spanrs.crowd.reading import check_overlap, read_crowd
from spanrs.errors import warn
from spanrs.io import Annotation
from spanrs.io.losses import Losses
from spanrs.tags import Span, spans_to_tags


class TokenSpan(NamedTuple):
    """Tokens within a line of a document."""

    line: int
    """Index of the line, from 0; lines without tokens do not count."""
    start: int
    """First token, from 0."""
    end: int
    """One past the last token."""


class LineTokens:
    """The tokens of a document by line, to find those that an annotation covers.

    Parameters
    ----------
    lines : sequence of sequences of (int, int)
        Bounds of the tokens of each line, in characters.

    Examples
    --------
    >>> from spanrs.crowd.layers import LineTokens
    >>> from spanrs.io import Annotation
    >>> LineTokens([[(0, 3), (4, 7)], [(8, 12)]]).covered(Annotation("X", 5, 12))
    (TokenSpan(line=0, start=1, end=2), TokenSpan(line=1, start=0, end=1))
    """

    def __init__(self, lines: Sequence[Sequence[tuple[int, int]]]) -> None:
        self.lines = lines
        self._starts = [start for line in lines for start, _ in line]
        self._ends = [end for line in lines for _, end in line]
        self._firsts = [0]
        for line in lines:
            self._firsts.append(self._firsts[-1] + len(line))

    def covered(self, annotation: Annotation) -> tuple[TokenSpan, ...]:
        """Return all tokens from the first to the last that overlaps an annotation, by line.

        The holes of a discontinuous annotation are included.
        """
        first = bisect_right(self._ends, annotation.start)
        stop = bisect_left(self._starts, annotation.end)
        spans = []
        while first < stop:
            line = bisect_right(self._firsts, first) - 1
            end = min(stop, self._firsts[line + 1])
            spans.append(TokenSpan(line, first - self._firsts[line], end - self._firsts[line]))
            first = end
        return tuple(spans)

    def characters(self, span: TokenSpan) -> tuple[int, int]:
        """Return the bounds of a span in characters."""
        line = self.lines[span.line]
        return line[span.start][0], line[span.end - 1][1]


def crowd_layers(
    source: Any,
    *,
    annotators: Sequence[str] | None = None,
    missing: str = MISSING,
    partial: str = "error",
    known: Any = None,
    known_annotator: str | None = None,
) -> list[CrowdCorpus]:
    """Return the annotations of documents as layers without overlapping spans.

    A token has one tag in a :class:`CrowdCorpus`, so types whose spans share a token in an answer of one annotator are
    in different layers. The layers are a greedy colouring of the graph of these types in alphabetical order: each type
    is in the first layer without a type that it overlaps. Documents without overlaps have one layer. All layers have
    the same sentences and annotators.

    Parameters
    ----------
    source, annotators, missing, partial, known, known_annotator
        Same as in :func:`crowd_corpus`. A corpus of sentences is a single layer.

    Returns
    -------
    list of CrowdCorpus
        At least one corpus. Discontinuous spans are represented by all tokens from their first to their last.

    Raises
    ------
    spanrs.errors.SpanrsError
        Same as in :func:`crowd_corpus`.

    Warns
    -----
    spanrs.SpanrsWarning
        If an annotator marked overlapping spans of the same type, of which only the longest is kept (the first of
        several), or spans without a token.

    Examples
    --------
    >>> from spanrs.crowd import crowd_layers
    >>> from spanrs.io import Annotation, Document
    >>> city_hall = [Annotation("ORG", 0, 18), Annotation("LOC", 0, 8), Annotation("PER", 27, 30)]
    >>> document = Document("New York City Hall employs Bob", city_hall)
    >>> [layer.labels for layer in crowd_layers({"ann": document, "ben": document})]
    [['O', 'B-LOC', 'I-LOC', 'B-PER'], ['O', 'B-ORG', 'I-ORG']]
    """
    found = read_crowd(
        source,
        annotators=annotators,
        missing=missing,
        partial=partial,
        known=known,
        known_annotator=known_annotator,
    )
    if isinstance(found, CrowdCorpus):
        return [found]
    layers = project_layers(found)
    check_overlap(layers[0], found.sources)
    return layers


def project_layers(project: Project) -> list[CrowdCorpus]:
    """Return a corpus for each layer of types; see :func:`crowd_layers`."""
    tokens = [LineTokens(lines) for lines in project.lines]
    spans: list[dict[int, _Spans]] = []
    losses = Losses()
    conflicts: defaultdict[str, set[str]] = defaultdict(set)
    for at, text in enumerate(project.documents):
        found = {}
        for name, given in text.answers.items():
            place = f"document {text.label} of {name}"
            found[id(given)] = _Spans.of(given, tokens[at], losses, place)
        if text.known is not None:
            # Known annotations are part of the consensus as they are, so nothing is lost.
            found[id(text.known)] = _Spans.of(text.known, tokens[at], Losses(), "")
        for answer in found.values():
            answer.add_conflicts(conflicts)
        spans.append(found)
    warn(f"{project.shown}: skipped: {message}" for message in losses.messages())

    def layer(types: frozenset[str]) -> CrowdCorpus:
        def tags_of(annotations: Sequence[Annotation], number: int, place: str) -> list[list[str]]:
            del place
            sizes = [len(line) for line in project.lines[number]]
            return spans[number][id(annotations)].tags(types, sizes)

        return corpus_of_project(project, tags_of)

    return [layer(types) for types in coloured(conflicts)]


def coloured(conflicts: Mapping[str, Iterable[str]]) -> list[frozenset[str]]:
    """Return a greedy colouring of types: no two types of a set are in conflict.

    Parameters
    ----------
    conflicts : mapping of str to iterable of str
        For each type, the types with which it is in conflict.

    Examples
    --------
    >>> from spanrs.crowd.layers import coloured
    >>> [sorted(types) for types in coloured({"LOC": {"ORG"}, "ORG": {"LOC"}, "PER": set()})]
    [['LOC', 'PER'], ['ORG']]
    """
    layers: list[set[str]] = [set()]
    for name in sorted(conflicts):
        others = set(conflicts[name])
        free = next((layer for layer in layers if not layer & others), None)
        if free is None:
            layers.append(free := set())
        free.add(name)
    return [frozenset(layer) for layer in layers]


class _Spans:
    """The spans of one answer in tokens, without overlapping spans of the same type."""

    def __init__(self, by_type: Mapping[str, list[TokenSpan]]) -> None:
        self._by_type = by_type

    @classmethod
    def of(
        cls, annotations: Sequence[Annotation], tokens: LineTokens, losses: Losses, place: str
    ) -> _Spans:
        """Convert annotations; of overlapping spans of a type the longest is kept, and the others are counted."""
        by_type: defaultdict[str, set[TokenSpan]] = defaultdict(set)
        for annotation in annotations:
            covered = tokens.covered(annotation)
            if not covered:
                losses.add("annotations without a token", place)
            by_type[annotation.type].update(covered)
        kept: dict[str, list[TokenSpan]] = {}
        for name, spans in by_type.items():
            kept[name] = longest = []
            taken: set[tuple[int, int]] = set()
            for span in sorted(spans, key=lambda span: (span.start - span.end, span)):
                own = {(span.line, at) for at in range(span.start, span.end)}
                if own & taken:
                    losses.add("spans that share tokens with a longer span of the same type", place)
                    continue
                taken |= own
                longest.append(span)
            longest.sort()
        return cls(kept)

    def add_conflicts(self, conflicts: defaultdict[str, set[str]]) -> None:
        """Add the pairs of types that share tokens."""
        owners: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
        for name, spans in self._by_type.items():
            conflicts[name].update()
            for span in spans:
                for at in range(span.start, span.end):
                    owners[span.line, at].add(name)
        for names in owners.values():
            if len(names) > 1:
                for name in names:
                    conflicts[name] |= names - {name}

    def tags(self, types: frozenset[str], sizes: Sequence[int]) -> list[list[str]]:
        """Return the BIO tags of each line, for some of the types; ``sizes`` are the numbers of tokens."""
        lines: list[list[Span | tuple[str, int, int]]] = [[] for _ in sizes]
        for name in sorted(types & self._by_type.keys()):
            for span in self._by_type[name]:
                lines[span.line].append(Span(name, span.start, span.end))
        return [spans_to_tags(spans, size) for spans, size in zip(lines, sizes, strict=True)]
