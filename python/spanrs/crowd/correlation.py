"""Correlated errors of annotators.

Models of annotators assume that errors are independent given the true label. Annotators that are prompts of one
language model, or models trained on the same data, share errors, and five annotators with the same errors outvote one
good annotator. For each pair of annotators, the number of tokens at which both gave the same wrong label is compared
with its expectation for independent errors: the bivariate residual of latent class analysis (Hagenaars 1988), with a
variance that is robust to dependence within sentences.

With known labels, annotators with correlated errors are grouped, and the log probabilities of their answers have an
exponent below 1. Without known labels it cannot be decided whether the group or the annotators outside the group are
right, so there is only a warning.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.crowd.copies import components, copies
from spanrs.crowd.known import KnownTokens, known_tokens, set_known
from spanrs.errors import NotFittedError, warn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus, Votes

    Array = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]

#: Error probability of each test, divided by the number of pairs or of annotators. With known labels the risk is small:
#: the exponents of annotators with independent errors are near 1 even if they are grouped.
ALPHA, ALPHA_KNOWN = 0.01, 0.05
#: Least score of a pair if a sum of pairs is significant.
LEAST_SCORE = 1.0
#: Least share of the errors that are the same beyond chance, for a pair, the sum of pairs of an annotator, and the sum
#: of all pairs. Independent errors of spans are the same more often than expected, because the bounds of spans attract
#: errors (benches/record/2026-11-28-crowd-known.md).
LEAST_SHARES = 0.2, 0.12, 0.07
#: Least ratio of the number of the same errors to its expectation.
LEAST_RATIO = 1.5
#: Least number of the same errors in a significant sum of pairs.
LEAST_ERRORS = 5.0
#: Annotators whose share of same errors is below this fraction of that of their group are left out of the group.
OUTSIDER = 0.5
#: Annotators who label ``O`` at more than this share, and at least this number, of the tokens to which the estimate
#: gives another label, and at more than another share of the other tokens, reject the estimate.
REJECTED, LEAST_REJECTED, KEPT = 0.6, 30.0, 0.8
#: Least number of annotators in the check against an estimate.
COMPARED = 3
#: Maximum number of annotators that are compared; of more, those with the most labels.
MOST_ANNOTATORS = 30
#: Maximum number of labels that are compared; of more, the most frequent ones. The others are pooled.
MOST_LABELS = 30
#: Maximum number of tokens in the check without known labels, and with them, of sentences at regular intervals.
MOST_TOKENS, MOST_KNOWN = 10_000, 100_000
#: EM iterations of the estimate in the check without known labels.
ITERATIONS = 30
#: Pseudo-count of each answer, and of a correct answer in addition, in this estimate.
SMOOTHING, AGREEMENT = 0.1, 1.0


class CorrelatedGroup(NamedTuple):
    """Annotators with correlated errors."""

    annotators: tuple[str, ...]
    """Names, in the order of the corpus."""
    correlation: float
    """Mean correlation of the errors of the pairs, from 0 for independent errors to 1 for equal errors."""
    same_errors: float
    """Number of tokens at which two annotators gave the same wrong label, summed over pairs."""
    expected: float
    """Expectation of this number for independent errors."""
    evidence: str
    """``known``: errors against known labels; ``estimate``: against the labels estimated from the annotations;
    ``copies``: the annotators gave nearly the same labels, and all others did not; ``rejection``: the annotators
    labelled ``O`` at most tokens to which the estimate gives another label, so all other annotators can have the same
    errors. For ``rejection``, ``same_errors`` of ``expected`` tokens are rejected, and ``correlation`` is NaN."""


class _Sums(NamedTuple):
    """Statistics of pairs of annotators, or of sums of pairs."""

    same: Array
    """Number of tokens with the same wrong label."""
    expected: Array
    """Expectation of this number for independent errors."""
    smaller: Array
    """Number of errors of the annotator of each pair who made fewer errors, at tokens that both labelled."""
    score: Array
    """Difference divided by its standard deviation, which is estimated from the sentences."""

    def correlated(self, alpha: float, least_share: float) -> npt.NDArray[np.bool_]:
        """Return where errors are significantly correlated, at the level ``alpha``."""
        import numpy as np

        threshold = NormalDist().inv_cdf(1.0 - alpha)
        share = (self.same - self.expected) / np.maximum(self.smaller - self.expected, 1e-9)
        # Without a minimum number of errors, a share of 1 is chance.
        enough = (self.same >= LEAST_ERRORS) & (self.same >= LEAST_RATIO * self.expected)
        return enough & (self.score > threshold) & (share >= least_share)


class _Pairs(NamedTuple):
    """Statistics of all pairs: symmetric tables (annotator, annotator), if not stated otherwise."""

    pairs: _Sums
    rows: _Sums
    """Sums of the pairs of each annotator."""
    total: _Sums
    """The sum of all pairs."""
    errors: Array
    """Number of errors of the annotator of the row, at tokens that both labelled; not symmetric."""

    def correlation(self) -> Array:
        """Return the share of the errors that are the same beyond chance, about the correlation of error indicators."""
        import numpy as np

        most = np.sqrt(self.errors * self.errors.T) - self.pairs.expected
        values: Array = (self.pairs.same - self.pairs.expected) / np.maximum(most, 1e-9)
        return np.where(most > 0, values.clip(-1.0, 1.0), 0.0)

    def linked(self, alpha: float = ALPHA) -> npt.NDArray[np.bool_]:
        """Return which pairs belong to the same group.

        A pair is linked if it is significant, or if its score is at least :data:`LEAST_SCORE` and the sum of the pairs
        of one of the annotators, or of all pairs, is significant: a sum has more power.
        """
        annotators = len(self.errors)
        linked = self.pairs.correlated(alpha / max(annotators * (annotators - 1) // 2, 1), LEAST_SHARES[0])
        rows = self.rows.correlated(alpha / annotators, LEAST_SHARES[1])
        pooled = rows[:, None] | rows[None, :] | self.total.correlated(alpha, LEAST_SHARES[2])
        return linked | (
            pooled & (self.pairs.score >= LEAST_SCORE) & (self.pairs.same > self.pairs.expected)
        )


def _compare(
    votes: Votes, shares: Array, sentence: Numbers, annotators: int, other: int | None = None
) -> _Pairs:
    """Compare the annotators, given the distribution of true labels ``shares`` (token, label) of some tokens.

    ``other`` stands for several labels, so that it is never the same wrong label.
    """
    import numpy as np

    tokens, labels = shares.shape
    given = np.full((annotators, tokens), -1, dtype=np.int64)
    given[votes.annotator, votes.token] = votes.label
    wrong = np.zeros((annotators, tokens))
    wrong[votes.annotator, votes.token] = 1.0 - shares[votes.token, votes.label]
    tables = _answer_counts(votes, shares, annotators)
    tables /= np.maximum(tables.sum(axis=2, keepdims=True), 1e-9)
    tables *= ~np.eye(labels, dtype=bool)
    if other is not None:
        tables[:, :, other] = 0.0
    same, expected, deviation, errors = np.zeros((4, annotators, annotators))
    residuals = np.zeros((annotators, int(sentence.max(initial=-1)) + 1))
    total = residuals.sum(axis=0)
    labelled = given >= 0
    for a, b in np.argwhere(np.triu(labelled.astype(float) @ labelled.T.astype(float), 1)).tolist():
        both = np.flatnonzero(labelled[a] & labelled[b])
        is_same = (given[a, both] == given[b, both]) & (given[a, both] != other)
        equal = np.where(is_same, wrong[a, both], 0.0)
        chance = shares[both] @ (tables[a] * tables[b]).sum(axis=1)
        differences = np.bincount(sentence[both], equal - chance, len(total))
        residuals[[a, b]] += differences
        total += differences
        same[a, b], expected[a, b] = equal.sum(), chance.sum()
        deviation[a, b] = np.sqrt(np.square(differences).sum())
        errors[a, b], errors[b, a] = wrong[a, both].sum(), wrong[b, both].sum()
    same, expected, deviation = (table + table.T for table in (same, expected, deviation))
    smaller = np.minimum(errors, errors.T)
    parts = [(same, expected, smaller, deviation)]
    sums = [table.sum(axis=1) for table in (same, expected, smaller)]
    parts.append((*sums, np.sqrt(np.square(residuals).sum(axis=1))))
    parts.append((*(part.sum() / 2.0 for part in sums), np.sqrt(np.square(total).sum())))
    of_parts = [_Sums(n, e, m, (n - e) / np.maximum(spread, 1e-9)) for n, e, m, spread in parts]
    return _Pairs(of_parts[0], of_parts[1], of_parts[2], errors)


def _answer_counts(votes: Votes, shares: Array, annotators: int) -> Array:
    """Return expected counts of answers (annotator, true label, answer)."""
    import numpy as np

    labels = shares.shape[1]
    rows = votes.annotator * labels + votes.label
    sums = [np.bincount(rows, column, annotators * labels) for column in shares[votes.token].T]
    counts: Array = np.stack(sums).astype(float).reshape(labels, annotators, labels).transpose(1, 0, 2)
    return counts


class _Labels(NamedTuple):
    """The labels that are compared."""

    place: Numbers
    """New index of each label of the corpus."""
    number: int
    other: int | None
    """New index of all labels that are pooled; None if no label is."""

    @classmethod
    def of(cls, votes: Votes, labels: int, outside: int) -> _Labels:
        """Return the most frequent labels in their order, and always ``outside`` (-1: none)."""
        import numpy as np

        if labels <= MOST_LABELS:
            return cls(np.arange(labels), labels, None)
        frequency = np.bincount(votes.label, minlength=labels).astype(float)
        if outside >= 0:
            frequency[outside] = np.inf
        kept = np.sort(np.argsort(-frequency, kind="stable")[:MOST_LABELS])
        place = np.full(labels, len(kept), dtype=np.int64)
        place[kept] = np.arange(len(kept))
        return cls(place, len(kept) + 1, len(kept))

    def pooled(self, shares: Array) -> Array:
        """Return the probabilities (token, label) of the compared labels."""
        import numpy as np

        if self.other is None:
            return shares
        sums = np.zeros((len(shares), self.number))
        kept = np.flatnonzero(self.place != self.other)
        sums[:, self.place[kept]] = shares[:, kept]
        sums[:, self.other] = np.maximum(1.0 - sums.sum(axis=1), 0.0)
        return sums


def _outside(corpus: CrowdCorpus) -> int | None:
    """Return the index of the label ``O``; None if there is none."""
    return corpus.labels.index("O") if "O" in corpus.labels else None


def _of_labels(votes: Votes, corpus: CrowdCorpus) -> tuple[_Labels, Votes]:
    """Return the labels that are compared, and the votes with these labels."""
    outside = _outside(corpus)
    labels = _Labels.of(votes, len(corpus.labels), -1 if outside is None else outside)
    return labels, votes._replace(label=labels.place[votes.label])


def _compare_known(corpus: CrowdCorpus) -> tuple[_Pairs, list[int]]:
    """Compare annotators at tokens with known labels; also return their indices, those with the most labels there."""
    import numpy as np

    known = known_tokens(corpus)
    sentence = np.repeat(np.arange(len(corpus)), corpus.lengths)[known.token]
    step = max(1, -(-len(known.token) // MOST_KNOWN))
    used = np.unique(sentence, return_inverse=True)[1].reshape(-1) % step == 0
    known, sentence = KnownTokens(known.token[used], known.label[used]), sentence[used]
    place = np.full(sum(corpus.lengths), -1, dtype=np.int64)
    place[known.token] = np.arange(len(known.token))
    votes = _chosen(corpus.votes(), place)
    sizes = np.bincount(votes.annotator, minlength=len(corpus.annotators))
    chosen = np.sort(np.argsort(-sizes, kind="stable")[:MOST_ANNOTATORS])
    row = np.full(len(sizes), -1, dtype=np.int64)
    row[chosen] = np.arange(len(chosen))
    kept = row[votes.annotator] >= 0
    votes = type(votes)(votes.token[kept], row[votes.annotator[kept]], votes.label[kept])
    labels, votes = _of_labels(votes, corpus)
    shares = np.zeros((len(known.token), labels.number))
    shares[np.arange(len(shares)), labels.place[known.label]] = 1.0
    return _compare(votes, shares, sentence, len(chosen), labels.other), chosen.tolist()


def _chosen(votes: Votes, place: Numbers) -> Votes:
    """Return the votes of some tokens; ``place`` is the new index of each token, or -1."""
    kept = place[votes.token] >= 0
    return type(votes)(place[votes.token[kept]], votes.annotator[kept], votes.label[kept])


def annotator_exponents(corpus: CrowdCorpus) -> Array | None:
    """Return the exponent of the answer probabilities of each annotator; None if all exponents are 1.

    Known labels decide which annotators have correlated errors. In a group of ``g`` annotators per sentence whose
    errors have the mean correlation ``rho``, each annotator has the exponent ``1 / (1 + (g - 1) * rho)``, the inverse
    of the design effect of cluster samples (Kish 1965), so a group of identical annotators counts as one.
    """
    import numpy as np

    groups = known_groups(corpus)
    if not groups:
        return None
    exponents = np.ones(len(corpus.annotators))
    labelled = np.zeros((len(corpus), len(corpus.annotators)), dtype=bool)
    for annotation in corpus.annotations:
        labelled[annotation.sentence, annotation.annotator] = True
    for group in groups:
        members = [corpus.annotators.index(name) for name in group.annotators]
        numbers = labelled[:, members].sum(axis=1)
        size = float(numbers[numbers > 0].mean())
        exponents[members] = 1.0 / (1.0 + (size - 1.0) * group.correlation)
    return exponents


def known_groups(corpus: CrowdCorpus) -> list[CorrelatedGroup]:
    """Return the groups of annotators with correlated errors at tokens with known labels."""
    if not corpus.known or len(corpus.annotators) < 2:
        return []
    if corpus._known_groups is None:
        compared, chosen = _compare_known(corpus)
        corpus._known_groups = _groups(corpus, compared, compared.linked(ALPHA_KNOWN), chosen, "known")
    groups: list[CorrelatedGroup] = corpus._known_groups
    return groups


def _without_outsiders(pairs: _Sums, component: list[int]) -> list[int]:
    """Leave out annotators whose errors are far less often those of the others; a pair can be linked by chance."""
    import numpy as np

    group = list(component)
    while len(group) > 2:
        chosen = np.ix_(group, group)
        excess = (pairs.same - pairs.expected)[chosen]
        most = np.maximum((pairs.smaller - pairs.expected)[chosen], 0.0)
        shares = excess.sum(axis=1) / np.maximum(most.sum(axis=1), 1e-9)
        lowest = int(shares.argmin())
        if shares[lowest] >= OUTSIDER * excess.sum() / max(most.sum(), 1e-9):
            break
        del group[lowest]
    return group


def _mean_correlation(compared: _Pairs, group: list[int]) -> float:
    """Return the mean correlation of the pairs of a group, weighted by their numbers of errors."""
    import numpy as np

    rows, columns = (np.array(group)[at] for at in np.triu_indices(len(group), 1))
    weights = compared.pairs.smaller[rows, columns]
    values = compared.correlation()[rows, columns]
    return float(np.clip((weights * values).sum() / max(weights.sum(), 1e-9), 0.0, 1.0))


def correlated_annotators(corpus: CrowdCorpus, aggregator: Any = None) -> list[CorrelatedGroup]:
    """Return groups of annotators who give the same wrong labels more often than independent annotators would.

    Errors are counted at tokens with known labels, and at all tokens against an estimate. The estimate can follow a
    group of annotators with the same errors; then the other annotators appear to make the same errors as each other, or
    as those members of the group who are right. Pairs of annotators with enough errors at known labels are only
    compared there.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    aggregator : Aggregator, optional
        An aggregator fitted to the corpus, whose probabilities of the labels are the estimate. The default is the
        model of :class:`spanrs.crowd.DawidSkene`. At most about :data:`MOST_TOKENS` tokens and the
        :data:`MOST_ANNOTATORS` annotators with the most labels are compared.

    Returns
    -------
    list of CorrelatedGroup
        Groups found with known labels, then groups found with the estimate.

    Raises
    ------
    spanrs.errors.NotFittedError
        If the aggregator is not fitted.

    Examples
    --------
    >>> from spanrs.crowd import correlated_annotators, flip_labels, share_errors
    >>> sentences, gold = [["a", "b", "c", "d"]] * 200, [["X", "Y", "X", "Z"]] * 200
    >>> independent = flip_labels(sentences, gold, [0.3, 0.3, 0.3, 0.1], seed=1)
    >>> correlated_annotators(independent)
    []
    >>> corpus = share_errors(independent, [["1", "2", "3"]], 0.8, seed=1).with_known(dict(enumerate(gold[:50])))
    >>> [group.annotators for group in correlated_annotators(corpus)]
    [('1', '2', '3')]
    """
    groups = known_groups(corpus)
    sample, chosen = _sample(corpus)
    shares = None if aggregator is None else _shares_of(aggregator)
    if len(chosen) < COMPARED:
        return groups
    decided = _decided(corpus, chosen)
    compared, copied, counts = _compare_estimate(sample, chosen, shares)
    undecided = ~decided
    linked = compared.linked() & undecided
    found = _groups(corpus, compared, linked, chosen, "estimate")
    found = found or _groups(corpus, compared, copied & undecided, chosen, "copies")
    if not found and not decided.any():
        found = _rejecting(corpus, counts, chosen)
    return groups + found


def _decided(corpus: CrowdCorpus, chosen: list[int]) -> npt.NDArray[np.bool_]:
    """Return which pairs of annotators have enough errors at known labels."""
    import numpy as np

    decided = np.zeros((len(chosen), len(chosen)), dtype=bool)
    if corpus.known:
        compared, known = _compare_known(corpus)
        _, here, there = np.intersect1d(chosen, known, return_indices=True)
        decided[np.ix_(here, here)] = compared.pairs.smaller[np.ix_(there, there)] >= LEAST_ERRORS
    return decided


def warn_of_correlation(corpus: CrowdCorpus) -> None:
    """Warn if errors appear correlated, and known labels do not decide who is right.

    Messages have no numbers, so that equal messages of several layers of types are shown once.
    """
    if corpus._correlated is None:
        corpus._correlated = correlated_annotators(corpus)
    groups: list[CorrelatedGroup] = corpus._correlated
    for group in groups:
        if group.evidence == "known":
            continue
        names = " and ".join(
            [*([", ".join(group.annotators[:-1])] * (len(group.annotators) > 1)), group.annotators[-1]]
        )
        if group.evidence == "rejection":
            message = (
                f"{names} labelled O at most tokens to which the estimate gives another label: either most are "
                "missed, or the other annotators share errors"
            )
        elif group.evidence == "copies":
            message = (
                f"the annotators {names} gave nearly the same labels, and the other annotators did not"
            )
        else:
            message = (
                f"errors of the annotators {names} appear to be correlated: two of them gave the same label against "
                "the estimate more often than expected if errors are independent"
            )
        warn(
            [
                f"{message}; annotations alone cannot show whether those who agree are right, so the estimate may "
                "repeat their errors; pass the true labels of some sentences (known=, --known)"
            ]
        )


def _shares_of(aggregator: Any) -> Array:
    """Return the probabilities of labels of a fitted aggregator."""
    import numpy as np

    shares = getattr(aggregator, "_probabilities", None)
    if shares is None:
        raise NotFittedError(f"{type(aggregator).__name__} is not fitted; call fit")
    rows: Array = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    return rows


def _groups(
    corpus: CrowdCorpus, compared: _Pairs, linked: npt.NDArray[np.bool_], chosen: list[int], evidence: str
) -> list[CorrelatedGroup]:
    """Return the connected components of linked pairs; ``chosen`` are the annotators of the tables."""
    import numpy as np

    groups = []
    for component in components(linked):
        group = component if evidence == "copies" else _without_outsiders(compared.pairs, component)
        rows, columns = (np.array(group)[at] for at in np.triu_indices(len(group), 1))
        sums = [table[rows, columns].sum() for table in (compared.pairs.same, compared.pairs.expected)]
        correlation = 1.0 if evidence == "copies" else _mean_correlation(compared, group)
        names = tuple(corpus.annotators[chosen[at]] for at in group)
        groups.append(CorrelatedGroup(names, correlation, float(sums[0]), float(sums[1]), evidence))
    return groups


def _sample(corpus: CrowdCorpus) -> tuple[CrowdCorpus, list[int]]:
    """Return a corpus with the annotators with the most labels, and sentences at regular intervals."""
    import numpy as np

    annotations = corpus.annotations
    sizes = np.bincount([row.annotator for row in annotations], minlength=len(corpus.annotators))
    chosen = np.sort(np.argsort(-sizes, kind="stable")[:MOST_ANNOTATORS])
    chosen = chosen[sizes[chosen] > 0]
    step = max(1, -(-sum(corpus.lengths) // MOST_TOKENS))
    place = {int(annotator): at for at, annotator in enumerate(chosen)}
    kept = [
        row._replace(annotator=place[row.annotator])
        for row in annotations
        if row.annotator in place and row.sentence % step == 0
    ]
    names = [corpus.annotators[at] for at in chosen]
    return corpus.replaced(annotations=kept, annotators=names), chosen.tolist()


def _compare_estimate(
    corpus: CrowdCorpus, chosen: list[int], shares: Array | None
) -> tuple[_Pairs, npt.NDArray[np.bool_], Array]:
    """Compare annotators against an estimate; also return pairs with nearly the same labels, and answer counts."""
    import numpy as np

    votes, annotators = corpus.votes(), len(chosen)
    voted = np.bincount(votes.token, minlength=sum(corpus.lengths)) > 0
    place = np.where(voted, np.cumsum(voted) - 1, -1)
    votes = _chosen(votes, place)
    sentence = np.repeat(np.arange(len(corpus)), corpus.lengths)[voted]
    known = known_tokens(corpus)
    with_votes = voted[known.token]
    known = KnownTokens(place[known.token[with_votes]], known.label[with_votes])
    copied = copies(votes, sentence, annotators, _outside(corpus))
    labels, votes = _of_labels(votes, corpus)
    known = known._replace(label=labels.place[known.label])
    if shares is None:
        exponents = annotator_exponents(corpus)
        shares = _estimate(votes, (len(sentence), labels.number), annotators, known, exponents)
    else:
        shares = set_known(labels.pooled(shares[voted]), known)
    counts = _answer_counts(votes, shares, annotators)
    return _compare(votes, shares, sentence, annotators, labels.other), copied, counts


def _rejecting(corpus: CrowdCorpus, counts: Array, chosen: list[int]) -> list[CorrelatedGroup]:
    """Return the annotators who labelled ``O`` at most tokens to which the estimate gives another label.

    If a group adds the same wrong spans, and these outnumber the true ones, errors are independent given the labels of
    the group, but the others seem to miss most of these labels.
    """
    import numpy as np

    outside = _outside(corpus)
    if outside is None:
        return []
    at_outside = counts[:, outside, outside] / np.maximum(counts[:, outside].sum(axis=1), 1e-9)
    inside = np.delete(counts, outside, axis=1)
    missed, total = inside[:, :, outside].sum(axis=1), inside.sum(axis=(1, 2))
    rejecting = (missed > REJECTED * total) & (missed >= LEAST_REJECTED) & (at_outside > KEPT)
    members = np.flatnonzero(rejecting).tolist()
    if not members or len(members) > len(chosen) - 2:
        return []
    names = tuple(corpus.annotators[chosen[at]] for at in members)
    sums = float(missed[members].sum()), float(total[members].sum())
    return [CorrelatedGroup(names, float("nan"), *sums, "rejection")]


def _estimate(
    votes: Votes, shape: tuple[int, int], annotators: int, known: KnownTokens, exponents: Array | None
) -> Array:
    """Return the distribution of true labels under independent errors (Dawid and Skene 1979), by EM from the votes."""
    import numpy as np

    labels = shape[1]
    shares = (
        np.bincount(votes.token * labels + votes.label, minlength=shape[0] * labels)
        .reshape(shape)
        .astype(float)
    )
    shares = set_known(shares / shares.sum(axis=1, keepdims=True), known)
    pseudo = SMOOTHING + AGREEMENT * np.eye(labels)
    order = np.argsort(votes.token, kind="stable")
    votes = type(votes)(*(column[order] for column in votes))
    firsts = np.flatnonzero(np.diff(votes.token, prepend=-1))
    rows = votes.annotator * labels + votes.label
    for _ in range(ITERATIONS):
        tables = _answer_counts(votes, shares, annotators) + pseudo
        tables = np.log(tables / tables.sum(axis=2, keepdims=True))
        if exponents is not None:
            tables *= exponents[:, None, None]
        prior = shares.sum(axis=0) + SMOOTHING
        logs = tables.transpose(0, 2, 1).reshape(-1, labels)
        scores = np.log(prior / prior.sum()) + np.add.reduceat(logs[rows], firsts, axis=0)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = set_known(shares / shares.sum(axis=1, keepdims=True), known)
    return shares
