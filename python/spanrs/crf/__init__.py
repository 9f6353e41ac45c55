"""Linear-chain conditional random fields: train, decode, explain.

- :class:`CRF`: a scikit-learn estimator for dicts and lists of features, or for tokens with a template.
- :func:`templates`: the built-in feature templates.
- :class:`Gazetteer`, :class:`Clusters`: lists of phrases and clusters of words for templates.
- :func:`span_f1`: F1 of spans as a scorer for model selection in scikit-learn.
"""

from spanrs.crf.estimator import CRF
from spanrs.crf.explanation import Explanation, Reason
from spanrs.crf.lexicons import Clusters, Gazetteer
from spanrs.crf.scoring import span_f1
from spanrs.crf.templates import templates
from spanrs.crf.training import Iteration

__all__ = ["CRF", "Clusters", "Explanation", "Gazetteer", "Iteration", "Reason", "span_f1", "templates"]
