"""The equations of CRF-MA (Rodrigues, Pereira and Ribeiro 2013), in logarithms.

``log_likelihoods`` are the sums over an annotator's sentences of ``ln p_crf(y | x)`` (Eq. 1), which the CRF computes.
Sentences that an annotator did not label have no term. The M-step of the CRF (Eq. 16) and the best labellings (Eq. 17)
are implemented in :class:`spanrs.crowd.CRFMA`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from numpy.typing import ArrayLike

    Array = npt.NDArray[np.float64]


def pi(f1: Sequence[float], squared: bool = False, alpha: ArrayLike = 1.0) -> Array:
    """Return the reliability weight of each annotator from F1 (Eqs. 3, 4 and 18).

    Parameters
    ----------
    f1 : sequence of float
        F1 of each annotator, from 0 to 1; NaN is treated as 0. If all values are 0, annotators have equal weights.
    squared : bool
        Square F1 first, as in the experiments of the authors, but not in the equations.
    alpha : float or sequence of float
        Parameters of a Dirichlet prior, at least 1 (section 3.5): the result is ``p + alpha - 1``, normalised, where
        ``p`` are the weights without the prior. The default 1 means no prior.

    Raises
    ------
    ValueError
        If a parameter is below 1, or there is not one parameter for each annotator.

    Examples
    --------
    >>> from spanrs.crowd.equations import pi
    >>> pi([0.2, 0.1]).round(3).tolist(), pi([0.2, 0.1], squared=True).round(3).tolist()
    ([0.667, 0.333], [0.8, 0.2])
    >>> pi([0.5, 0.5], alpha=[2, 1]).tolist()
    [0.75, 0.25]
    """
    import numpy as np

    scores = np.nan_to_num(np.asarray(f1, dtype=float)) ** (2 if squared else 1)
    priors = np.asarray(alpha, dtype=float)
    if priors.shape not in ((), scores.shape) or not (priors >= 1.0).all():
        message = f"alpha must be a number of at least 1, or one for each of {len(scores)} annotators, not {alpha!r}"
        raise ValueError(message)
    total = scores.sum()
    shares = scores / total if total > 0 else np.full(len(scores), 1.0 / len(scores))
    posterior = shares + (priors - 1.0)
    normalised: Array = posterior / posterior.sum()
    return normalised


def log_random(tokens: ArrayLike, labels: int) -> Array:
    """Return the log-probability of annotators' labels under the uniform model (Eq. 5): ``-tokens * ln(labels)``."""
    import numpy as np

    logs: Array = -np.asarray(tokens, dtype=float) * np.log(max(labels, 1))
    return logs


def _log_joint(prior: ArrayLike, log_likelihoods: ArrayLike, random: ArrayLike) -> Array:
    """Return ``ln pi_r + ln p(annotations | z^r = 1)`` (Eqs. 6, 7): annotator r is correct, all others are random."""
    import numpy as np

    uniform = np.asarray(random, dtype=float)
    with np.errstate(divide="ignore"):
        joint: Array = np.log(prior) + np.asarray(log_likelihoods) + (uniform.sum() - uniform)
    return joint


def log_likelihood(prior: ArrayLike, log_likelihoods: ArrayLike, random: ArrayLike) -> float:
    """Return the log-likelihood of all annotations (the logarithm of Eqs. 2, 8, 9 and 10).

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.equations import log_likelihood
    >>> round(log_likelihood([0.5, 0.5], [-1.0, -1.0], [-2.0, -2.0]), 6)
    -3.0
    """
    import numpy as np

    return float(np.logaddexp.reduce(_log_joint(prior, log_likelihoods, random)))


def expected_log_likelihood(
    gamma: ArrayLike, prior: ArrayLike, log_likelihoods: ArrayLike, random: ArrayLike
) -> float:
    """Return the expected complete-data log-likelihood (Eqs. 11 and 14); terms with responsibility 0 are 0."""
    import numpy as np

    joint, shares = _log_joint(prior, log_likelihoods, random), np.asarray(gamma, dtype=float)
    return float(np.sum(shares[shares > 0] * joint[shares > 0]))


def expected_sentence_log_likelihood(
    gamma: ArrayLike,
    prior: ArrayLike,
    log_likelihoods: ArrayLike,
    random: ArrayLike,
    annotator: ArrayLike,
) -> float:
    """Return Eq. 14 with a separate correct annotator in each sentence; not in the paper.

    All arguments but ``prior`` have an entry for each annotation: the responsibility (the sum is 1 in each sentence),
    the log-probability under the CRF and under the random model, and the annotator. If the only annotator of a sentence
    has ``pi`` 0, the sentence has no term.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.equations import expected_sentence_log_likelihood
    >>> gamma, logs, random = np.array([1.0, 0.0]), np.array([-1.0, -9.0]), np.array([-2.0, -2.0])
    >>> expected_sentence_log_likelihood(gamma, np.array([1.0, 0.0]), logs, random, np.array([0, 1]))
    -3.0
    """
    import numpy as np

    priors, uniform = np.asarray(prior, dtype=float)[np.asarray(annotator)], np.asarray(random, dtype=float)
    logs = np.log(np.where(priors > 0, priors, 1.0)) + np.asarray(log_likelihoods) - uniform
    return float(np.asarray(gamma) @ logs + uniform.sum())


def responsibilities(prior: ArrayLike, log_likelihoods: ArrayLike, random: ArrayLike) -> Array:
    """Return the posterior of the annotators (Eq. 12), which equals Eqs. 13 and 15 if all labelled all sentences.

    The posterior is computed in logarithms to prevent overflow, and is nearly always 1 for one annotator and 0 for all
    others. If annotators labelled different sentences, the random model does not cancel.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.equations import responsibilities
    >>> responsibilities([0.5, 0.5], [-1e6, -1e6 - 1], [-9.0, -9.0]).round(3).tolist()
    [0.731, 0.269]
    """
    return _normalised(_log_joint(prior, log_likelihoods, random))


def tempered_responsibilities(prior: ArrayLike, log_likelihoods: ArrayLike, tokens: ArrayLike) -> Array:
    """Return ``pi`` times the exponential of the mean log-likelihood per token, normalised; not in the paper.

    The result does not depend on the number of sentences of an annotator. Annotators without tokens keep their prior.
    """
    import numpy as np

    with np.errstate(divide="ignore"):
        return _normalised(np.log(prior) + np.asarray(log_likelihoods) / np.maximum(tokens, 1.0))


def sentence_responsibilities(
    prior: ArrayLike,
    log_likelihoods: ArrayLike,
    annotator: ArrayLike,
    sentence: ArrayLike,
) -> Array:
    """Return a posterior of annotators for each sentence: ``pi_r p_crf(y_ir | x_i)``, normalised; not in the paper.

    ``log_likelihoods``, ``annotator``, ``sentence`` and the result have an entry for each annotation. If all annotators
    of a sentence have ``pi`` 0, their responsibilities are proportional to their likelihoods.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.equations import sentence_responsibilities
    >>> logs, annotator, sentence = np.array([-1.0, -1.0, -9.0]), np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> sentence_responsibilities(np.array([0.25, 0.75]), logs, annotator, sentence).round(9).tolist()
    [0.25, 0.75, 1.0]
    """
    import numpy as np

    place, logs = np.asarray(sentence, dtype=np.int64), np.asarray(log_likelihoods, dtype=float)
    sentences = int(place.max(initial=-1)) + 1

    def most(values: Array) -> Array:
        largest = np.full(sentences, -np.inf)
        np.maximum.at(largest, place, values)
        return largest

    with np.errstate(divide="ignore"):
        joint = np.log(prior)[np.asarray(annotator)] + logs
    lost = ~np.isfinite(most(joint))[place]
    joint = np.where(lost, logs, joint)
    values = np.exp(joint - most(joint)[place])
    shares: Array = values / np.bincount(place, values, sentences)[place]
    return shares


def log_prior(prior: ArrayLike, alpha: ArrayLike, squares: float, c2: float) -> float:
    """Return the logarithm of the priors (Eq. 19), up to a constant: Dirichlet on pi, Gaussian on the CRF's weights.

    ``squares`` is the sum of the squared weights, and ``c2`` is ``1 / (2 sigma^2)``.
    """
    import numpy as np

    excess = np.asarray(alpha, dtype=float) - 1.0
    informative = excess > 0
    return float(
        np.sum(excess[informative] * np.log(np.asarray(prior, dtype=float)[informative])) - c2 * squares
    )


def _normalised(logs: Array) -> Array:
    import numpy as np

    if not np.isfinite(logs).any():
        return np.full(len(logs), 1.0 / len(logs))
    values = np.exp(logs - logs.max())
    shares: Array = values / values.sum()
    return shares
