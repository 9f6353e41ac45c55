"""Linear-chain conditional random fields: train, decode, explain.

- :class:`CRF`: a scikit-learn estimator for dicts and lists of features, or for tokens with a template.
- :func:`templates`: the built-in feature templates.
- :func:`join`: tokens with features of their own and dense rows, as input of all methods.
- :func:`calibration`: how well the probabilities of predictions match their accuracy.
- :class:`Gazetteer`, :class:`Clusters`: lists of phrases and clusters of words for templates.
- :func:`span_f1`: F1 of spans as a scorer for model selection in scikit-learn.
"""

from spanrs.crf.calibration_report import Calibration, CalibrationBin, calibration
from spanrs.crf.estimator import CRF
from spanrs.crf.explanation import Explanation, Reason
from spanrs.crf.joining import JoinedTokens, join
from spanrs.crf.lexicons import Clusters, Gazetteer
from spanrs.crf.scoring import span_f1
from spanrs.crf.spans import PredictedSpan
from spanrs.crf.templates import templates
from spanrs.crf.training import Iteration

__all__ = [
    "CRF",
    "Calibration",
    "CalibrationBin",
    "Clusters",
    "Explanation",
    "Gazetteer",
    "Iteration",
    "JoinedTokens",
    "PredictedSpan",
    "Reason",
    "calibration",
    "join",
    "span_f1",
    "templates",
]
