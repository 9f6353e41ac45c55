"""The HTML page of an aggregation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanrs.crowd.review import disagreements, interval_heading, rank_annotators
from spanrs.report.pages import template

if TYPE_CHECKING:
    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus
    from spanrs.crowd.review import Disagreement

#: Number of context tokens on each side of a disagreement.
CONTEXT = 3


def page(corpus: CrowdCorpus, aggregator: Aggregator, *, title: str, most: int = 500, seed: int = 0) -> str:
    """Return a page with the annotators, sorted by reliability, and the sentences with disagreement.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    aggregator : Aggregator
        An aggregator fitted to the corpus.
    title : str
        Title of the page.
    most : int
        Maximum number of sentences, least certain first.
    seed : int
        Random seed for the intervals.

    Raises
    ------
    ImportError
        If jinja2 is not installed (``pip install spanrs[html]``).
    """
    disputed = disagreements(corpus, aggregator)
    rows = rank_annotators(corpus, aggregator, seed=seed)
    return template("spanrs.crowd", "crowd.html").render(
        title=title,
        corpus=corpus,
        unit="accuracy" if corpus.scheme() is None else "F1",
        annotators=rows,
        interval=interval_heading(rows),
        disagreements=[(disagreement, shown_tokens(disagreement)) for disagreement in disputed[:most]],
        number=len(disputed),
    )


def shown_tokens(disagreement: Disagreement) -> list[int | None]:
    """Return the indices of the tokens with disagreement and of context tokens, with None for gaps.

    Examples
    --------
    >>> from spanrs.crowd.page import shown_tokens
    >>> from spanrs.crowd.review import Disagreement
    >>> labels, other = ["O"] * 12, ["B-X"] + ["O"] * 11
    >>> shown_tokens(Disagreement(0, 0.5, ["w"] * 12, labels, [1.0] * 12, {"a": labels, "b": other}))
    [0, 1, 2, 3, None]
    """
    columns = zip(*disagreement.answers.values(), strict=True)
    places = [at for at, column in enumerate(columns) if len(set(column)) > 1]
    last = len(disagreement.tokens) - 1
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
