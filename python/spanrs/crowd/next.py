"""Which annotator should label which document next."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.crowd.correlation import known_groups
from spanrs.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]

#: Entropy in nats below which the label of a token is treated as certain.
CERTAIN = 1e-4
#: Maximum number of distributions of a token, one for each sequence of assigned answers; unlikely ones are left out.
MOST_DISTRIBUTIONS = 64


class NextAnnotation(NamedTuple):
    """A document that an annotator should label next."""

    document: str
    """Name of the document, or index of the sentence if the corpus has no documents."""
    sentences: list[int]
    """Indices of the sentences of the document that the annotator has not labelled, from 0."""
    annotator: str
    gain: float
    """Expected information about the true labels, in nats."""
    annotators: int
    """Number of annotators of the document so far, without earlier assignments."""


def next_annotations(
    corpus: CrowdCorpus,
    aggregator: Aggregator,
    *,
    most: int | None = None,
    per_annotator: int | None = None,
    min_annotators: int = 1,
    per_token: bool = True,
) -> list[NextAnnotation]:
    r"""Choose which annotator should label which document next, by the expected information about the true labels.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    aggregator : Aggregator
        An aggregator with :meth:`answer_tables <spanrs.crowd.aggregator.Aggregator.answer_tables>`, fitted to the
        corpus.
    most : int, optional
        Maximum number of assignments; by default the number of documents.
    per_annotator : int, optional
        Maximum number of documents of each annotator; by default unlimited.
    min_annotators : int
        Documents with a sentence that has fewer annotators and no known labels are assigned before all others.
    per_token : bool
        Order by information per token, so that the effort of annotators is used best; otherwise by information.

    Returns
    -------
    list of NextAnnotation
        Assignments in the order in which they were chosen.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    spanrs.errors.NotFittedError, spanrs.errors.ModelError
        If the aggregator is not fitted, does not estimate the probabilities of answers, or is fitted to another corpus.

    Notes
    -----
    The gain of an answer is the mutual information of the true label :math:`z` and the answer :math:`y` of the
    annotator under the estimate (Lindley 1956, MacKay 1992): the expected reduction of the entropy of :math:`z`,

    .. math:: I(z; y) = \sum_z q(z) \sum_y p(y | z) \log \frac{p(y | z)}{\sum_{z'} q(z') p(y | z')}.

    Gains are summed over tokens. As an answer depends only on the true label of its token, this is an upper bound of
    the information about the labels of the sentence, attained if tokens are independent. Choices are greedy; after an
    assignment, gains of the sentence are means over its possible answers. The gain of an annotator with correlated
    errors (:func:`spanrs.crowd.correlated_annotators`, with known labels only) is multiplied by the increase of
    :math:`n / (1 + (n - 1) \rho)`, where :math:`n` is the number of annotators of the group. Rodrigues, Pereira and
    Ribeiro (2013) propose active learning as future work.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, DawidSkene, next_annotations
    >>> answers = [{"ann": ["A"], "ben": ["A"]}, {"ann": ["A"], "ben": ["B"]}, {"ann": ["B"], "ben": ["B"]}]
    >>> corpus = CrowdCorpus([["x"]] * 3, answers, annotators=["ann", "ben", "eve"])
    >>> [(row.document, row.annotator) for row in next_annotations(corpus, DawidSkene().fit(corpus), most=1)]
    [('1', 'eve')]
    """
    for name, value in (
        ("most", most),
        ("per_annotator", per_annotator),
        ("min_annotators", min_annotators),
    ):
        if value is not None and value < 0:
            raise ValueError(f"{name} must be at least 0, not {value}")
    problem = _Assignment(corpus, aggregator, min_annotators, per_token)
    rows: list[NextAnnotation] = []
    used: Counter[int] = Counter()
    limit = len(problem.documents) if most is None else most
    while len(rows) < limit:
        chosen = problem.best(
            [per_annotator is None or used[at] < per_annotator for at in range(len(corpus.annotators))]
        )
        if chosen is None:
            break
        rows.append(problem.assign(*chosen))
        used[chosen[1]] += 1
    return rows


class _Assignment:
    """Gains of all documents and annotators, given the assignments so far."""

    def __init__(
        self, corpus: CrowdCorpus, aggregator: Aggregator, min_annotators: int, per_token: bool
    ) -> None:
        import numpy as np

        tables, shares = aggregator.answer_tables(), aggregator._probabilities
        if tables.shape[:2] != (len(corpus.annotators), len(corpus.labels)) or len(shares) != sum(
            corpus.lengths
        ):
            raise ModelError("the aggregator is fitted to another corpus; fit it to this corpus")
        self._corpus, self._min_annotators, self._per_token = corpus, min_annotators, per_token
        self._answers = _AnswerTables(tables)
        self.documents, self._names = _documents(corpus)
        self._lengths = np.array(corpus.lengths, dtype=np.int64)
        ends = np.cumsum([0, *corpus.lengths])
        self._beliefs = [_Beliefs.of(shares[a:b]) for a, b in itertools.pairwise(ends)]
        #: Whether each annotator labelled each sentence; with assignments, and before.
        self._labelled = np.zeros((len(corpus), len(corpus.annotators)), dtype=bool)
        for annotation in corpus.annotations:
            self._labelled[annotation.sentence, annotation.annotator] = True
        self._numbers = self._labelled.sum(axis=1)
        self._complete = np.zeros(len(corpus), dtype=bool)
        self._complete[list(corpus.known)] = True
        self._groups = [
            ([corpus.annotators.index(name) for name in group.annotators], group.correlation)
            for group in known_groups(corpus)
        ]
        self._gains = np.zeros(self._labelled.shape)
        size = len(self.documents), len(corpus.annotators)
        #: Gain and number of tokens of each document and annotator, and whether documents have too few annotators.
        self._by_document, self._tokens = np.zeros(size), np.zeros(size)
        self._lacking = np.zeros(len(self.documents), dtype=bool)
        for document in range(len(self.documents)):
            self._update(document)

    def best(self, available: list[bool]) -> tuple[int, int] | None:
        """Return the best document and annotator; None if no information is left."""
        import numpy as np

        scores = (
            self._by_document / np.maximum(self._tokens, 1.0)
            if self._per_token
            else self._by_document.copy()
        )
        scores[(self._tokens == 0) | ~np.array(available, dtype=bool)] = -np.inf
        if not scores.size:
            return None
        lacking = np.where(self._lacking[:, None], scores, -np.inf)
        for table, least in ((lacking, -np.inf), (scores, 0.0)):
            document, annotator = np.unravel_index(int(table.argmax()), table.shape)
            if table[document, annotator] > least:
                return int(document), int(annotator)
        return None

    def assign(self, document: int, annotator: int) -> NextAnnotation:
        """Assign an annotator to a document, and update the gains of the document."""
        sentences = [at for at in self.documents[document] if not self._labelled[at, annotator]]
        gain = float(self._by_document[document, annotator])
        annotators = int(self._numbers[self.documents[document]].min())
        for at in sentences:
            self._labelled[at, annotator] = True
            self._beliefs[at] = self._beliefs[at].after(self._answers.tables[annotator])
        self._update(document)
        return NextAnnotation(
            self._names[document], sentences, self._corpus.annotators[annotator], gain, annotators
        )

    def _update(self, document: int) -> None:
        """Update the gains of a document."""
        import numpy as np

        sentences = np.array(self.documents[document], dtype=np.int64)
        for at in sentences.tolist():
            self._gains[at] = self._answers.information(self._beliefs[at]) * self._new_shares(at)
        unlabelled = ~self._labelled[sentences]
        self._by_document[document] = (self._gains[sentences] * unlabelled).sum(axis=0)
        self._tokens[document] = self._lengths[sentences] @ unlabelled
        numbers = self._labelled[sentences].sum(axis=1)
        self._lacking[document] = ((numbers < self._min_annotators) & ~self._complete[sentences]).any()

    def _new_shares(self, sentence: int) -> Array:
        """Return how much of an independent annotator each annotator adds to those who labelled a sentence."""
        import numpy as np

        shares = np.ones(len(self._corpus.annotators))
        for members, correlation in self._groups:
            number = int(self._labelled[sentence, members].sum())
            effective = [n / (1.0 + (n - 1) * correlation) if n else 0.0 for n in (number, number + 1)]
            shares[members] = effective[1] - effective[0]
        return shares


class _Beliefs(NamedTuple):
    """Distributions of the labels of the uncertain tokens of a sentence, given each sequence of assigned answers."""

    shares: Array
    """Probabilities of labels (answers, token, label)."""
    weights: Array
    """Probabilities of the answers (answers, token)."""

    @classmethod
    def of(cls, shares: Array) -> _Beliefs:
        """Return beliefs before assignments, from probabilities (token, label)."""
        import numpy as np

        entropies = -(shares * np.log(np.maximum(shares, 1e-300))).sum(axis=1)
        uncertain = shares[entropies > CERTAIN]
        return cls(uncertain[None], np.ones((1, len(uncertain))))

    def after(self, table: Array) -> _Beliefs:
        """Return beliefs given each answer of an annotator with the given table (label, answer)."""
        import numpy as np

        labels = len(table)
        joint = self.shares[:, None] * table.T[None, :, None, :]
        chances = joint.sum(axis=3)
        shares = joint / np.maximum(chances[..., None], 1e-300)
        weights = chances * self.weights[:, None]
        tokens = self.shares.shape[1]
        shares, weights = shares.reshape(-1, tokens, labels), weights.reshape(-1, tokens)
        if len(weights) > MOST_DISTRIBUTIONS:
            kept = np.argsort(-weights, axis=0, kind="stable")[:MOST_DISTRIBUTIONS]
            weights = np.take_along_axis(weights, kept, axis=0)
            shares = np.take_along_axis(shares, kept[:, :, None], axis=0)
            weights /= weights.sum(axis=0)
        return _Beliefs(shares, weights)


class _AnswerTables:
    """Probabilities of answers, and their entropies."""

    def __init__(self, tables: Array) -> None:
        import numpy as np

        self.tables = tables
        annotators, labels, _ = tables.shape
        self._entropies = -(tables * np.log(np.maximum(tables, 1e-300))).sum(axis=2)
        self._flat = tables.transpose(1, 0, 2).reshape(labels, annotators * labels)

    def information(self, beliefs: _Beliefs) -> Array:
        """Return the information of an answer of each annotator about the labels, H(y) - H(y | z), of all tokens."""
        import numpy as np

        shares, weights = beliefs
        if not weights.size:
            return np.zeros(len(self.tables))
        answers = (shares @ self._flat).reshape(*weights.shape, *self.tables.shape[:2])
        entropies = -(answers * np.log(np.maximum(answers, 1e-300))).sum(axis=3)
        information = entropies - shares @ self._entropies.T
        summed: Array = np.einsum("at,atr->r", weights, information)
        return np.maximum(summed, 0.0)


def _documents(corpus: CrowdCorpus) -> tuple[list[list[int]], list[str]]:
    """Return the sentences and the name of each document; without documents, each sentence is a document."""
    places = getattr(corpus, "places", None)
    if places is None:
        return [[at] for at in range(len(corpus))], [str(at) for at in range(len(corpus))]
    documents: dict[int, list[int]] = {}
    for at, place in enumerate(places):
        documents.setdefault(place.document, []).append(at)
    texts = getattr(corpus, "texts", None)
    return list(documents.values()), [_name(number, texts) for number in documents]


def _name(document: int, texts: Any) -> str:
    """Return the name or id of a document, or else its index."""
    text = None if texts is None else texts[document]
    names = (getattr(text, attribute, None) for attribute in ("name", "id"))
    return str(next((name for name in names if name), document))
