"""Readers of the spans of sentences."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from itertools import groupby
from os import PathLike
from typing import Any

from spanrs.compat.faireval.output import say
from spanrs.compat.faireval.scores import Span

_PUNCTUATION = frozenset(
    ["$.", "$,", "$(", "PUNCT", "PUNKT", "KOMMA", "COMMA", "KLAMMER", *'.,:()"', "‘", "“", "’", "”"]
)


def annotation_stats(
    target_spans: Sequence[Sequence[Any]],
    result_dict: MutableMapping[str, Any] | None = None,
    **config: Any,
) -> None:
    """Count the occurrences of each label in ``data_stats``.

    ``data_stats`` is a key of ``result_dict``, as in FairEval's documentation, or a keyword argument, as in FairEval's
    code.

    >>> result = {}
    >>> annotation_stats([["PER", 1, 2, {1, 2}], ["LOC", 4, 4, {4}]], result)
    >>> annotation_stats([["PER", 6, 6, {6}]], **result)
    >>> result
    {'data_stats': {'PER': 2, 'LOC': 1}}
    """
    stats = config.get("data_stats") if result_dict is None else result_dict.setdefault("data_stats", {})
    if stats is not None:
        for span in target_spans:
            stats[span[0]] = stats.get(span[0], 0) + 1


def get_sentences(filename: str | PathLike[str]) -> Iterator[list[str]]:
    """Yield the lines of each sentence of a UTF-8 text file; blank lines separate sentences."""
    with open(filename, encoding="utf-8") as lines:
        for filled, sentence in groupby(map(str.strip, lines), bool):
            if filled:
                yield list(sentence)


def get_spans(sentence: Sequence[str], **config: Any) -> list[Span]:
    r"""Read the spans of a sentence.

    The first line determines the format: four fields separated by tabs are a span (label, begin, end, tokens separated
    by commas), three fields separated by spaces are a token (form, part of speech, BIO tags separated by ``|``). For
    other lines an error is printed. An invalid span line is also reported, and all other spans of the sentence are
    discarded. If ``labels`` contains neither ``"all"`` nor names, there are no spans. Missing fields, and ``I-`` at a
    level without an open span, raise IndexError.

    >>> get_spans(["PER\t1\t4\t1, 2, 4"], labels=["all"])
    [['PER', 1, 4, {1, 2, 4}]]
    >>> get_spans(["Ruhr NE B-ORG", "Bochum NE I-ORG|B-LOC", ". $. O"], labels=["ORG"])
    [['ORG', 1, 2, {1, 2}]]
    """
    if not sentence:
        return []
    if len(sentence[0].split("\t")) == 4:
        spans = _span_lines(sentence)
    elif len(sentence[0].split(" ")) == 3:
        spans = _token_lines(sentence)
        # Other truthy values, such as strings, do not exclude punctuation in the original either.
        if config.get("ignore_punct") == True:  # noqa: E712
            spans = _without_punctuation(spans, sentence)
    else:
        say("ERROR: Unknown input format")
        return []
    exclude, labels = config.get("exclude", []), config.get("labels", [])
    every = "all" in labels
    return [span for span in spans if span[0] not in exclude and (every or span[0] in labels)]


def _span_lines(lines: Sequence[str]) -> list[Span]:
    spans = []
    for line in lines:
        fields = line.split("\t")
        if not fields[0]:
            say("ERROR: Missing label in input.")
            return []
        bounds = []
        for name, text in (("Begin", fields[1]), ("End", fields[2])):
            index = _int(text)
            if index is None or index < 1:
                say(f"ERROR: {name} {text} is not a legal index.")
                return []
            bounds.append(index)
        begin, end = sorted(bounds)
        tokens = {_int(item) for item in fields[3].split(",")}
        inside = {index for index in tokens if index is not None and begin <= index <= end}
        if not inside or None in tokens:
            inside = set(range(begin, end + 1))
        spans.append([fields[0], begin, end, inside])
    return spans


def _int(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _token_lines(lines: Sequence[str]) -> list[Span]:
    """Read spans from the last field in the order of their ends; tags of outer levels come first."""
    spans: list[Span] = []
    levels: list[Span] = []

    def close_all() -> None:
        # Spans are closed starting at the outermost level.
        spans.extend(levels)
        levels.clear()

    for token, line in enumerate(lines, 1):
        tags = line.split()[-1]
        if tags in ("O", "_"):
            close_all()
            continue
        annotations = tags.split("|")
        while len(levels) > len(annotations):
            spans.append(levels.pop())
        for level, annotation in enumerate(annotations):
            if annotation.startswith("B-"):
                if level == 0:
                    close_all()
                while len(levels) > level:
                    spans.append(levels.pop())
                levels.append([annotation.split("-")[1], token, token, {token}])
            elif annotation.startswith("I-"):
                span = levels[level]
                span[2] = token
                span[3].add(token)
    close_all()
    return spans


def _without_punctuation(spans: list[Span], lines: Sequence[str]) -> list[Span]:
    """Remove punctuation tokens, by the part of speech in the second field, from spans."""
    for token, line in enumerate(lines, 1):
        if line.split(" ")[1] in _PUNCTUATION:
            for span in spans:
                # A boundary at a punctuation token moves by one token. Of several punctuation tokens at the end, all
                # but the last stay within the boundaries.
                span[3].discard(token)
                if span[1] == token:
                    span[1] = token + 1 if span[2] is not None and span[2] > token else None
                if span[2] == token:
                    span[2] = token - 1 if span[1] is not None and span[1] < token else None
            spans = [span for span in spans if span[1] is not None and span[2] is not None and span[3]]
    return spans
