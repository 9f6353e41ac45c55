"""The HTML page of an aggregation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.crowd.disagreements import Disagreement, Review, review
from spanrs.crowd.disputes import KINDS
from spanrs.crowd.page_data import PageData
from spanrs.crowd.review import interval_heading, rank_annotators
from spanrs.crowd.reviewed_texts import as_layers
from spanrs.crowd.task_links import check_fields, check_template, fill_template
from spanrs.report.examples import look
from spanrs.report.pages import template

if TYPE_CHECKING:
    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus
    from spanrs.crowd.review import AnnotatorScore
    from spanrs.crowd.reviewed_texts import Estimates, Layers

#: Number of context tokens on each side of a disagreement, for labels that are not tags.
CONTEXT = 3
#: Maximum number of annotators in the matrix of pairs.
MOST_IN_MATRIX = 15


def page(
    corpus: CrowdCorpus,
    aggregator: Aggregator | Layers,
    *,
    title: str,
    most: int = 500,
    seed: int = 0,
    link: str | None = None,
    estimates: Estimates | None = None,
    ranking: Sequence[AnnotatorScore] | None = None,
) -> str:
    """Return a page with the annotators, sorted by reliability, and the documents, most disputed first.

    Documents on which all annotators agree come last, those without spans at the end. Documents with one annotator are
    listed apart. For labels that are not tags, the page has a table of tokens for each disputed sentence.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    aggregator : Aggregator, or sequence of (CrowdCorpus, Aggregator)
        An aggregator fitted to the corpus; or corpora with the same sentences, one for each layer of types, and their
        aggregators.
    title : str
        Title of the page.
    most : int
        Maximum number of documents.
    seed : int
        Random seed for the intervals.
    link : str, optional
        Address of a document in the annotation tool, such as
        ``https://labels.example.org/projects/3/data?task={id}``. ``{id}`` and ``{name}`` are replaced by the id and the
        name of the document, percent-encoded.
    estimates : sequence of iterables of (type, start, end, confidence), optional
        The spans of the estimate in each document, at character offsets, or None for a document without estimate; by
        default the spans of the aggregator.
    ranking : sequence of AnnotatorScore, optional
        The annotators, best first; by default those of :func:`spanrs.crowd.rank_annotators` for each layer.

    Raises
    ------
    ImportError
        If jinja2 is not installed (``pip install spanrs[html]``).
    ValueError
        If ``link`` is not an address of http or https with ``{id}`` or ``{name}``, or the number of estimates is not
        the number of documents.
    spanrs.errors.FormatError
        If no document has the id or name that ``link`` requires.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, MajorityVote
    >>> from spanrs.crowd.page import page
    >>> corpus = CrowdCorpus([["Ada"]], [{"ann": ["B-PER"], "ben": ["O"], "cy": ["O"]}])
    >>> "only ann marked" in page(corpus, MajorityVote().fit(corpus), title="Names")
    True
    """
    if link is not None:
        check_fields(check_template(link), corpus)
    layers = as_layers(corpus, aggregator)
    found = review(corpus, layers, estimates)
    by_token = corpus.texts is None and corpus.scheme() is None
    content: dict[str, Any] = {
        "title": title,
        "corpus": corpus,
        "labels": len(_types(layers)) if corpus.scheme() is not None else len(corpus.labels),
        "labels_are_types": corpus.scheme() is not None,
        "documents": len(corpus if corpus.texts is None else corpus.texts),
        "unit": "accuracy" if by_token else "F1",
        "unit_of_text": _unit(corpus),
        "rankings": _rankings(layers, seed)
        if ranking is None
        else [_Ranking("", ranking, interval_heading(list(ranking)))],
        "review": found,
        "most": most,
    }
    if by_token:
        content["tables"] = [_token_table(row) for row in found.disputed[:most]]
    else:
        content |= _listed(corpus, found, most, link)
    return template("spanrs.crowd", "crowd.html").render(content)


def _unit(corpus: CrowdCorpus) -> str:
    return "sentence" if corpus.texts is None else "document"


def _types(layers: Layers) -> set[str]:
    return {label.split("-", 1)[-1] for corpus, _ in layers for label in corpus.labels if label != "O"}


class _Ranking(NamedTuple):
    """The annotators of a layer of types, best first."""

    types: str
    rows: Sequence[AnnotatorScore]
    interval: str


def _rankings(layers: Layers, seed: int) -> list[_Ranking]:
    rankings = []
    for corpus, aggregator in layers:
        rows = rank_annotators(corpus, aggregator, seed=seed)
        types = sorted(_types([(corpus, aggregator)]))
        rankings.append(_Ranking(", ".join(types) if len(layers) > 1 else "", rows, interval_heading(rows)))
    return rankings


def _listed(corpus: CrowdCorpus, found: Review, most: int, link: str | None) -> dict[str, Any]:
    """Return the content of the list of documents."""

    def link_of(document: Disagreement) -> str | None:
        return None if link is None else fill_template(link, document.id, document.name)

    listed = [*found.disputed, *found.agreed][:most]
    data = PageData(listed, corpus.annotators, link_of, _unit(corpus))
    numbers = Counter(
        kind for document in found.disputed for dispute in document.disputes for kind in dispute.kinds
    )
    return {
        "tables": None,
        "data": data,
        "listed": len(listed),
        "legend": [(kind, *look(kind), meaning, numbers[kind]) for kind, meaning in KINDS.items()],
        "matrix": _matrix(corpus.annotators, found),
        "single": [(document, link_of(document)) for document in found.single[:most]],
    }


def _matrix(annotators: Sequence[str], found: Review) -> dict[tuple[int, int], float] | None:
    """Return the F1 of the spans of all pairs of annotators in the documents that both saw; None for too many."""
    if not 2 < len(annotators) <= MOST_IN_MATRIX:
        return None
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for document in (*found.disputed, *found.agreed):
        sides = list(document.answers.items())
        for at, (name, spans) in enumerate(sides):
            for other, other_spans in sides[:at]:
                both, total = counts.get((other, name), (0, 0))
                both += len(spans & other_spans)
                counts[other, name] = both, total + len(spans) + len(other_spans)
    place = {name: at for at, name in enumerate(annotators)}
    cells = {}
    for (name, other), (both, total) in counts.items():
        if total:
            cells[place[name], place[other]] = cells[place[other], place[name]] = 2 * both / total
    return cells


class _TokenTable(NamedTuple):
    """A sentence with labels that are not tags."""

    document: Disagreement
    words: Sequence[str]
    estimate: Sequence[tuple[str, float]]
    answers: dict[str, list[str]]
    shown: Sequence[int | None]


def _token_table(document: Disagreement) -> _TokenTable:
    words = [document.text[start:end] for start, end in document.tokens]
    place = {start: at for at, (start, _) in enumerate(document.tokens)}
    answers = {}
    for name, spans in document.answers.items():
        answers[name] = [""] * len(words)
        for span in spans:
            answers[name][place[span.start]] = span.type
    estimate = [("", 1.0)] * len(words)
    for span, confidence in (document.estimate or {}).items():
        estimate[place[span.start]] = span.type, confidence
    labels = [label for label, _ in estimate]
    return _TokenTable(document, words, estimate, answers, shown_tokens([labels, *answers.values()]))


def shown_tokens(answers: Sequence[Sequence[str]]) -> list[int | None]:
    """Return the indices of the tokens with disagreement and of context tokens, with None for gaps.

    Parameters
    ----------
    answers : sequence of sequences of str
        The labels of the estimate and of each annotator.

    Examples
    --------
    >>> from spanrs.crowd.page import shown_tokens
    >>> shown_tokens([["N"] * 12, ["V"] + ["N"] * 11])
    [0, 1, 2, 3, None]
    """
    places = [at for at, column in enumerate(zip(*answers, strict=True)) if len(set(column)) > 1]
    last = len(answers[0]) - 1
    shown: list[int | None] = []
    wanted = sorted(
        {at for place in places for at in range(max(place - CONTEXT, 0), min(place + CONTEXT, last) + 1)}
    )
    before = -1
    for at in wanted:
        if at > before + 1:
            shown.append(None)
        shown.append(at)
        before = at
    return [*shown, None] if before < last else shown
