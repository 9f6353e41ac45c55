"""Which annotator should label which document next."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

from spanrs.crowd.correlation import known_groups
from spanrs.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]

#: Entropy in nats below which the label of a token is treated as certain.
CERTAIN = 1e-4
#: Maximum number of distributions of a token, one for each sequence of assigned answers; unlikely ones are left out.
MOST_DISTRIBUTIONS = 16
#: Decimals of gains that are compared.
DIGITS = 12
#: Number of elements of temporary tables.
BLOCK = 1 << 20


class NextAnnotation(NamedTuple):
    """A document that an annotator should label next."""

    document: str
    """Name or id of the document, or the beginning of its text; the index of the sentence if the corpus has no
    documents."""
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
        Maximum number of assignments, at least 1; by default the number of documents.
    per_annotator : int, optional
        Maximum number of documents of each annotator, at least 1; by default unlimited.
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
    Annotators who skipped or rejected a document are not asked again. The gain of an answer is the mutual information
    of the true label *z* and the answer *y* of the annotator under the estimate *q* (Lindley 1956, MacKay 1992), the
    expected reduction of the entropy of *z*::

        I(z; y) = sum over z of q(z) sum over y of p(y | z) log(p(y | z) / p(y))
        p(y) = sum over z of q(z) p(y | z)

    Gains are summed over tokens. As an answer depends only on the true label of its token, this is an upper bound of
    the information about the labels of the sentence, attained if tokens are independent. Choices are greedy; after an
    assignment, gains of the sentence are means over its possible answers, at most :data:`MOST_DISTRIBUTIONS` for each
    token. The gain of an annotator with correlated errors (:func:`spanrs.crowd.correlated_annotators`, with known
    labels only) is multiplied by the increase of ``n / (1 + (n - 1) rho)``, where *n* is the number of annotators of
    the group and *rho* their correlation. Rodrigues, Pereira and Ribeiro (2013) propose active learning as future work.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, DawidSkene, next_annotations
    >>> answers = [{"ann": ["A"], "ben": ["A"]}, {"ann": ["A"], "ben": ["B"]}, {"ann": ["B"], "ben": ["B"]}]
    >>> corpus = CrowdCorpus([["x"]] * 3, answers, annotators=["ann", "ben", "eve"])
    >>> [(row.document, row.annotator) for row in next_annotations(corpus, DawidSkene().fit(corpus), most=1)]
    [('1', 'eve')]
    """
    return next_of_layers(
        [(corpus, aggregator)],
        most=most,
        per_annotator=per_annotator,
        min_annotators=min_annotators,
        per_token=per_token,
    )


def next_of_layers(
    layers: Iterable[tuple[CrowdCorpus, Aggregator]],
    *,
    most: int | None = None,
    per_annotator: int | None = None,
    min_annotators: int = 1,
    per_token: bool = True,
) -> list[NextAnnotation]:
    """Choose like :func:`next_annotations`, by the sum of the gains in several layers of types.

    Parameters
    ----------
    layers : iterable of (CrowdCorpus, Aggregator)
        The layers of :func:`spanrs.crowd.crowd_layers`, each with an aggregator that was fitted to it. Layers are not
        kept, so that a generator can fit one layer after the other.
    most, per_annotator, min_annotators, per_token
        Same as in :func:`next_annotations`.
    """
    for name, value, least in (
        ("most", most, 1),
        ("per_annotator", per_annotator, 1),
        ("min_annotators", min_annotators, 0),
    ):
        if value is not None and value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}")
    import numpy as np

    problem = _Assignment(layers, min_annotators, per_token)
    rows: list[NextAnnotation] = []
    numbers = [0] * len(problem.annotators)
    available = np.ones(len(numbers), dtype=bool)
    # Each document has at most one entry. Annotators only become unavailable, so old entries are too good, not too bad.
    entries = [entry for at in range(len(problem.documents)) if (entry := problem.best(at, available))]
    heapq.heapify(entries)
    limit = len(problem.documents) if most is None else most
    while entries and len(rows) < limit:
        chosen = heapq.heappop(entries)
        if available[chosen.annotator]:
            rows.append(problem.assign(chosen.document, chosen.annotator))
            numbers[chosen.annotator] += 1
            available[chosen.annotator] = numbers[chosen.annotator] != per_annotator
        entry = problem.best(chosen.document, available)
        if entry is not None:
            heapq.heappush(entries, entry)
    return rows


class _Choice(NamedTuple):
    """A possible assignment; the least one is the best."""

    is_complete: bool
    """Whether the document has enough annotators."""
    loss: float
    """Gain times -1."""
    document: int
    annotator: int


class _Assignment:
    """Gains of all documents and annotators, given the assignments so far."""

    def __init__(
        self, layers: Iterable[tuple[CrowdCorpus, Aggregator]], min_annotators: int, per_token: bool
    ) -> None:
        import numpy as np

        self._min_annotators, self._per_token = min_annotators, per_token
        self._layers: list[_Layer] = []
        for corpus, aggregator in layers:
            self._layers.append(_Layer(corpus, aggregator))
            if len(self._layers) == 1:
                self._set_corpus(corpus)
        size = len(self.documents), len(self.annotators)
        #: Gain and number of tokens of each document and annotator, and whether documents have too few annotators.
        self._by_document, self._tokens = np.zeros(size), np.zeros(size)
        self._lacking = np.zeros(len(self.documents), dtype=bool)
        self._gains = np.zeros(self._labelled.shape)
        for layer in self._layers:
            self._gains += layer.gains(self._labelled)
        for document in range(len(self.documents)):
            self._update(document)

    def _set_corpus(self, corpus: CrowdCorpus) -> None:
        """Set what is the same in all layers."""
        import numpy as np

        self.annotators = corpus.annotators
        self.documents, self._names = _documents(corpus)
        self._lengths = np.array(corpus.lengths, dtype=np.int64)
        #: Whether each annotator labelled each sentence, with assignments.
        self._labelled = np.zeros((len(corpus), len(corpus.annotators)), dtype=bool)
        for annotation in corpus.annotations:
            self._labelled[annotation.sentence, annotation.annotator] = True
        self._skipped = _skipped(corpus)
        self._numbers = self._labelled.sum(axis=1)
        self._complete = np.zeros(len(corpus), dtype=bool)
        self._complete[list(corpus.known)] = True
        #: Annotators to whom each sentence was assigned.
        self._assigned: dict[int, tuple[int, ...]] = {}

    def best(self, document: int, available: npt.NDArray[np.bool_]) -> _Choice | None:
        """Return the best assignment of a document; None if no information is left."""
        import numpy as np

        tokens = self._tokens[document]
        scores = self._by_document[document]
        if self._per_token:
            scores = scores / np.maximum(tokens, 1.0)
        # Rounding errors must not decide between equal gains.
        scores = np.where((tokens > 0) & available, scores.round(DIGITS), -np.inf)
        annotator = int(scores.argmax()) if len(scores) else 0
        lacking = bool(self._lacking[document])
        if not len(scores) or scores[annotator] <= (-np.inf if lacking else 0.0):
            return None
        return _Choice(not lacking, -float(scores[annotator]), document, annotator)

    def assign(self, document: int, annotator: int) -> NextAnnotation:
        """Assign an annotator to a document, and update the gains of the document."""
        sentences = [
            at
            for at in self.documents[document]
            if not self._labelled[at, annotator] and not self._skipped[at, annotator]
        ]
        gain = float(self._by_document[document, annotator])
        annotators = int(self._numbers[self.documents[document]].min())
        same: dict[tuple[int, ...], list[int]] = {}
        for at in sentences:
            self._labelled[at, annotator] = True
            self._assigned[at] = (*self._assigned.get(at, ()), annotator)
            same.setdefault(self._assigned[at], []).append(at)
        for assigned, members in same.items():
            self._gains[members] = sum(
                layer.gains_after(members, assigned, self._labelled) for layer in self._layers
            )
        self._update(document)
        return NextAnnotation(
            self._names[document], sentences, self.annotators[annotator], gain, annotators
        )

    def _update(self, document: int) -> None:
        """Sum the gains of the sentences of a document."""
        sentences = self.documents[document]
        labelled = self._labelled[sentences]
        possible = ~(labelled | self._skipped[sentences])
        self._by_document[document] = (self._gains[sentences] * possible).sum(axis=0)
        self._tokens[document] = self._lengths[sentences] @ possible
        few = labelled.sum(axis=1) < self._min_annotators
        self._lacking[document] = (few & ~self._complete[sentences]).any()


class _Layer:
    """The uncertain tokens of a corpus, and the answers of annotators."""

    def __init__(self, corpus: CrowdCorpus, aggregator: Aggregator) -> None:
        import numpy as np

        tables, shares = aggregator.answer_tables(), aggregator._probabilities
        if tables.shape[:2] != (len(corpus.annotators), len(corpus.labels)) or len(shares) != sum(
            corpus.lengths
        ):
            raise ModelError("the aggregator is fitted to another corpus; fit it to this corpus")
        self._answers = _AnswerTables(tables)
        uncertain = _uncertain(shares)
        #: Different probabilities of labels of uncertain tokens (row, label), and the row of each of these tokens.
        #: Equal tokens have exactly equal gains, whatever the order of operations in a product of matrices.
        self._shares, self._rows = _distinct(shares[uncertain])
        #: First uncertain token of each sentence, and the end.
        self._starts = np.searchsorted(uncertain, np.cumsum([0, *corpus.lengths]))
        self._groups = [
            ([corpus.annotators.index(name) for name in group.annotators], group.correlation)
            for group in known_groups(corpus)
        ]

    def gains(self, labelled: npt.NDArray[np.bool_]) -> Array:
        """Return the gains before assignments (sentence, annotator)."""
        import numpy as np

        information = self._answers.information(self._shares).T
        gains = np.zeros(labelled.shape)
        step = max(1, BLOCK // max(1, labelled.shape[1]))
        at, end = 0, len(gains)
        while at < end:
            stop = int(np.searchsorted(self._starts, self._starts[at] + step, side="right")) - 1
            stop = min(max(stop, at + 1), end)
            tokens = slice(self._starts[at], self._starts[stop])
            starts = self._starts[at : stop + 1] - self._starts[at]
            gains[at:stop] = _sums(information[self._rows[tokens]], starts)
            at = stop
        return gains * self._new_shares(labelled)

    def gains_after(
        self, sentences: list[int], assigned: tuple[int, ...], labelled: npt.NDArray[np.bool_]
    ) -> Array:
        """Return the gains of some sentences (sentence, annotator), which were all assigned to the same annotators."""
        import numpy as np

        spans = [(self._starts[at], self._starts[at + 1]) for at in sentences]
        rows = np.concatenate([self._rows[start:end] for start, end in spans])
        distinct, at = np.unique(rows, return_inverse=True)
        information = self._answers.information_after(self._shares[distinct], assigned).T
        gains = _sums(information[at], np.cumsum([0, *(end - start for start, end in spans)]))
        return gains * self._new_shares(labelled[sentences])

    def _new_shares(self, labelled: npt.NDArray[np.bool_]) -> Array:
        """Return how much of an independent annotator each annotator adds to those who labelled each sentence."""
        import numpy as np

        shares = np.ones(labelled.shape)
        for members, correlation in self._groups:
            before = labelled[:, members].sum(axis=1)
            numbers = np.stack([before, before + 1])
            effective = numbers / (1.0 + np.maximum(numbers - 1, 0) * correlation)
            shares[:, members] = (effective[1] - effective[0])[:, None]
        return shares


def _distinct(shares: Array) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return the different rows of a table, and the place of each row among them."""
    import numpy as np

    # Sorting hashes is far faster than sorting rows.
    bits = np.ascontiguousarray(shares).view(np.uint64)
    factors = np.random.default_rng(0).integers(0, 1 << 63, bits.shape[1:], dtype=np.uint64) * 2 + 1
    hashes = np.zeros(len(bits), dtype=np.uint64)
    for column in range(bits.shape[1]):
        hashes = (hashes ^ bits[:, column]) * factors[column]
        hashes ^= hashes >> np.uint64(32)
    _, first, place = np.unique(hashes, return_index=True, return_inverse=True)
    distinct, place = shares[first], place.reshape(-1)
    if not np.array_equal(distinct[place], shares):
        distinct, place = np.unique(shares, axis=0, return_inverse=True)
    return distinct, place.reshape(-1)


def _uncertain(shares: Array) -> npt.NDArray[np.int64]:
    """Return the indices of the tokens whose label is uncertain."""
    import numpy as np

    step = max(1, BLOCK // max(1, shares.shape[1]))
    found = [np.zeros(0, dtype=np.int64)]
    for at in range(0, len(shares), step):
        found.append(at + np.flatnonzero(_entropies(shares[at : at + step]) > CERTAIN))
    return np.concatenate(found)


def _entropies(probabilities: Array) -> Array:
    """Return the entropies of distributions along the last axis."""
    import numpy as np

    logs = np.log(np.maximum(probabilities, 1e-300))
    logs *= probabilities
    entropies: Array = -logs.sum(axis=-1)
    return entropies


def _sums(values: Array, starts: npt.NDArray[np.int64]) -> Array:
    """Return sums of rows from each start to the next; the last start is the end. Rounding errors are removed."""
    import numpy as np

    sums = np.zeros((len(starts) - 1, values.shape[1]))
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        sums[filled] = np.add.reduceat(values, starts[filled], axis=0)
    return np.maximum(sums, 0.0)


class _Beliefs(NamedTuple):
    """Distributions of the labels of some tokens, given each sequence of assigned answers."""

    shares: Array
    """Probabilities of labels (answers, token, label)."""
    weights: Array
    """Probabilities of the answers (answers, token)."""

    @classmethod
    def of(cls, shares: Array) -> _Beliefs:
        """Return beliefs before assignments, from probabilities (token, label)."""
        import numpy as np

        return cls(shares[None], np.ones((1, len(shares))))

    def after(self, table: Array) -> _Beliefs:
        """Return beliefs given each answer of an annotator with the given table (label, answer)."""
        import numpy as np

        labels, tokens = len(table), self.shares.shape[1]
        chances = (self.shares @ table).transpose(0, 2, 1).reshape(-1, tokens)
        weights = chances * np.repeat(self.weights, labels, axis=0)
        kept = np.broadcast_to(np.arange(len(weights))[:, None], weights.shape)
        if len(weights) > MOST_DISTRIBUTIONS:
            kept = np.argsort(-weights, axis=0, kind="stable")[:MOST_DISTRIBUTIONS]
            weights = np.take_along_axis(weights, kept, axis=0)
            weights /= weights.sum(axis=0)
        chances = np.take_along_axis(chances, kept, axis=0)
        shares = self.shares[kept // labels, np.arange(tokens)] * table.T[kept % labels]
        shares /= np.maximum(chances[..., None], 1e-300)
        return _Beliefs(shares, weights)


class _AnswerTables:
    """Probabilities of answers (annotator, label, answer), and their entropies."""

    def __init__(self, tables: Array) -> None:
        import numpy as np

        self.tables = tables
        self._entropies = (
            np.stack([_entropies(table) for table in tables]) if len(tables) else tables[..., 0]
        )

    def information(self, shares: Array) -> Array:
        """Return the information of an answer of each annotator about the label, H(y) - H(y | z), of each token."""
        import numpy as np

        annotators, labels, _ = self.tables.shape
        information = np.zeros((annotators, len(shares)))
        step = max(1, BLOCK // max(1, annotators * labels))
        for at in range(0, len(shares), step):
            rows = shares[at : at + step]
            information[:, at : at + step] = _entropies(rows @ self.tables) - self._entropies @ rows.T
        return information

    def information_after(self, shares: Array, assigned: Sequence[int]) -> Array:
        """Return the mean information of each annotator and token over the answers of the assigned annotators."""
        import numpy as np

        information = np.zeros((len(self.tables), len(shares)))
        step = max(1, BLOCK // (MOST_DISTRIBUTIONS * max(1, shares.shape[1])))
        for at in range(0, len(shares), step):
            beliefs = _Beliefs.of(shares[at : at + step])
            for annotator in assigned:
                beliefs = beliefs.after(self.tables[annotator])
            answers, tokens, labels = beliefs.shares.shape
            rows = self.information(beliefs.shares.reshape(-1, labels)).reshape(-1, answers, tokens)
            information[:, at : at + tokens] = (rows * beliefs.weights).sum(axis=1)
        return information


def _skipped(corpus: CrowdCorpus) -> npt.NDArray[np.bool_]:
    """Return which annotators skipped or rejected the document of each sentence (sentence, annotator)."""
    import numpy as np

    skipped = np.zeros((len(corpus), len(corpus.annotators)), dtype=bool)
    if corpus.places is None or corpus.texts is None:
        return skipped
    numbers = {name: at for at, name in enumerate(corpus.annotators)}
    by_text = [[numbers[name] for name in text.not_answered if name in numbers] for text in corpus.texts]
    for at, place in enumerate(corpus.places):
        skipped[at, by_text[place.document]] = True
    return skipped


def _documents(corpus: CrowdCorpus) -> tuple[list[list[int]], list[str]]:
    """Return the sentences and the name of each document; without documents, each sentence is a document."""
    if corpus.places is None or corpus.texts is None:
        return [[at] for at in range(len(corpus))], [str(at) for at in range(len(corpus))]
    documents: dict[int, list[int]] = {}
    for at, place in enumerate(corpus.places):
        documents.setdefault(place.document, []).append(at)
    return list(documents.values()), [corpus.texts[number].label for number in documents]
