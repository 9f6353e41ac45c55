"""The HTML page of an aggregation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanrs.crowd.review import disagreements, rank_annotators
from spanrs.report.pages import template

if TYPE_CHECKING:
    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus


def page(corpus: CrowdCorpus, aggregator: Aggregator, *, title: str, most: int = 500, seed: int = 0) -> str:
    """Give a page with annotators by reliability and the sentences on which they disagree most.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    aggregator : Aggregator
        Fitted to them.
    title : str
        The title.
    most : int
        How many sentences to show, those with the least certain labels.
    seed : int
        Of the intervals.

    Raises
    ------
    ImportError
        Where jinja2 is not installed (``pip install spanrs[html]``).
    """
    found = disagreements(corpus, aggregator)
    return template("spanrs.crowd", "crowd.html").render(
        title=title,
        corpus=corpus,
        unit="accuracy" if corpus.scheme() is None else "F1",
        annotators=rank_annotators(corpus, aggregator.estimated_truth_, seed=seed),
        disagreements=found[:most],
        number=len(found),
    )
