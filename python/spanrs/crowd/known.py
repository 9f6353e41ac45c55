"""Known labels of sentences in the models of annotators: the distribution of known tokens is fixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from spanrs.crowd.corpus import SentenceLabels

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]

#: Number of answers at tokens with known labels from which the first tables of an annotator are estimated there only.
ENOUGH_KNOWN = 100
#: Name of the annotator that stands for known labels in :func:`training_corpus`.
KNOWN = "known labels"


class KnownTokens(NamedTuple):
    """Tokens with known labels, as arrays of equal length."""

    token: Numbers
    """Index of the token, counted over all sentences of a selection, ascending."""
    label: Numbers
    """Index of the true label."""


def known_tokens(corpus: CrowdCorpus, sentences: Sequence[int] | None = None) -> KnownTokens:
    """Return the tokens with known labels.

    Parameters
    ----------
    corpus : CrowdCorpus
        The corpus.
    sentences : sequence of int, optional
        A selection of sentences; by default all sentences.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus
    >>> from spanrs.crowd.known import known_tokens
    >>> corpus = CrowdCorpus([["a"], ["b", "c"]], [{"x": ["A"]}, {}], known=[None, ["B", "A"]])
    >>> known_tokens(corpus).token.tolist(), known_tokens(corpus).label.tolist()
    ([1, 2], [1, 0])
    """
    import numpy as np

    tokens: list[int] = []
    labels: list[int] = []
    if corpus.known:
        lengths, start = corpus.lengths, 0
        for at in range(len(corpus)) if sentences is None else sentences:
            row = corpus.known.get(at, ())
            tokens += range(start, start + len(row))
            labels += row
            start += lengths[at]
    return KnownTokens(np.array(tokens, dtype=np.int64), np.array(labels, dtype=np.int64))


def known_scores(known: KnownTokens, tokens: int, labels: int) -> Array:
    """Return log scores (token, label): negative infinity for all labels of known tokens but the known one, else 0."""
    import numpy as np

    scores = np.zeros((tokens, labels))
    scores[known.token] = -np.inf
    scores[known.token, known.label] = 0.0
    return scores


def set_known(shares: Array, known: KnownTokens) -> Array:
    """Return probabilities (token, label) in which the known label of each known token has probability 1."""
    if not len(known.token):
        return shares
    shares = shares.copy()
    shares[known.token] = 0.0
    shares[known.token, known.label] = 1.0
    return shares


def training_corpus(corpus: CrowdCorpus) -> CrowdCorpus:
    """Return the corpus in which sentences with known labels have these labels as their only annotation.

    The known labels are the annotations of a last annotator, :data:`KNOWN`. Without known labels, the corpus itself is
    returned.
    """
    if not corpus.known:
        return corpus
    annotator = len(corpus.annotators)
    annotations = [
        annotation for annotation in corpus.annotations if annotation.sentence not in corpus.known
    ]
    annotations += [SentenceLabels(at, annotator, row) for at, row in corpus.known.items()]
    return corpus.replaced(annotations=sorted(annotations), annotators=[*corpus.annotators, KNOWN])
