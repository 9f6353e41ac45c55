"""Sentences of files to spans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from os import PathLike
from typing import Any

from spanrs.compat.faireval.columns import conll_spans, drop_punctuation
from spanrs.compat.faireval.compare import Span
from spanrs.compat.faireval.messages import say


def annotation_stats(
    target_spans: Sequence[Sequence[Any]],
    result_dict: MutableMapping[str, Any] | None = None,
    **config: Any,
) -> None:
    """Count how often each label occurs, into ``data_stats``.

    Parameters
    ----------
    target_spans : list
        Spans, of which the first item is the label.
    result_dict : dict, optional
        Counts are added under its key ``data_stats``, as FairEval's documentation has it.
    **config
        Without `result_dict`: ``data_stats``, the dictionary itself, as FairEval's code has it. With
        neither, nothing is counted.

    Examples
    --------
    >>> from spanrs.compat.faireval import annotation_stats
    >>> spans = [["PER", 1, 2, {1, 2}], ["LOC", 4, 4, {4}], ["PER", 6, 6, {6}]]
    >>> result = {}
    >>> annotation_stats(spans, result)
    >>> result
    {'data_stats': {'PER': 2, 'LOC': 1}}
    >>> annotation_stats(spans, **result)
    >>> result
    {'data_stats': {'PER': 4, 'LOC': 2}}
    """
    stats = config.get("data_stats") if result_dict is None else result_dict.setdefault("data_stats", {})
    if stats is None:
        return
    for span in target_spans:
        stats[span[0]] = stats.get(span[0], 0) + 1


def get_sentences(filename: str | PathLike[str]) -> Iterator[list[str]]:
    """Read the sentences of a file, which blank lines separate.

    Parameters
    ----------
    filename : str or path
        A text file in UTF-8.

    Yields
    ------
    list of str
        The lines of a sentence, without white space at both ends; never an empty list.

    Raises
    ------
    OSError
        Where the file cannot be read.
    UnicodeDecodeError
        Where it is not UTF-8.
    """
    sentence: list[str] = []
    with open(filename, encoding="utf-8") as lines:
        for line in lines:
            stripped = line.strip()
            if stripped:
                sentence.append(stripped)
            elif sentence:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def get_spans(sentence_lines: Sequence[str], **config: Any) -> list[Span]:
    r"""Read the spans of a sentence.

    The first line decides what the lines are: four fields between tabs are a span (label, begin, end,
    tokens between commas), three between blanks a token (form, part of speech, BIO tags between ``|``).
    For all else ``ERROR: Unknown input format`` is printed. A span line that is wrong is printed as an
    error too, and takes the sentence's other spans with it.

    Parameters
    ----------
    sentence_lines : list of str
        As from :func:`get_sentences`.
    **config
        ``labels``: those to keep; without ``"all"`` or any others, there are no spans. ``exclude``: labels
        to leave out. ``ignore_punct``: take punctuation out of spans of tokens with parts of speech, if it
        is True. Other keys do not matter.

    Returns
    -------
    list of list
        Spans ``[label, begin, end, tokens]``, indices from 1, ends inclusive, tokens a set.

    Raises
    ------
    IndexError
        For a span line of fewer than four fields after the first, an ``I-`` at a level where nothing is
        open, and, where punctuation is ignored, a line of one field.

    Examples
    --------
    >>> from spanrs.compat.faireval import get_spans
    >>> get_spans(["PER\t1\t4\t1, 2, 4"], labels=["all"])
    [['PER', 1, 4, {1, 2, 4}]]
    >>> get_spans(["Ruhr NE B-ORG", "Bochum NE I-ORG|B-LOC", ". $. O"], labels=["ORG"])
    [['ORG', 1, 2, {1, 2}]]
    """
    if not sentence_lines:
        return []
    if len(sentence_lines[0].split("\t")) == 4:
        spans = _span_lines(sentence_lines)
    elif len(sentence_lines[0].split(" ")) == 3:
        spans = conll_spans(sentence_lines)
        # Other true values, words say, do not switch it on there either.
        if config.get("ignore_punct") == True:  # noqa: E712
            spans = drop_punctuation(spans, sentence_lines)
    else:
        say("ERROR: Unknown input format")
        return []
    keep = _chooser(config)
    return [span for span in spans if keep(span[0])]


def _chooser(config: dict[str, Any]) -> Callable[[str], bool]:
    exclude, labels = config.get("exclude", []), config.get("labels", [])
    every = "all" in labels
    return lambda label: label not in exclude and (every or label in labels)


def _span_lines(lines: Sequence[str]) -> list[Span]:
    spans = []
    for line in lines:
        fields = line.split("\t")
        label = fields[0]
        if not label:
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
        spans.append([label, begin, end, _tokens(fields[3], begin, end)])
    return spans


def _tokens(text: str, begin: int, end: int) -> set[int]:
    tokens = {_int(item) for item in text.split(",")}
    inside = {index for index in tokens if index is not None and begin <= index <= end}
    return inside if inside and None not in tokens else set(range(begin, end + 1))


def _int(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
