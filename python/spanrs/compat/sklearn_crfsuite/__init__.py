"""sklearn-crfsuite 0.5.0, with the same modules, names and results; docs/compare.md lists the differences.

scikit-learn, tqdm and tabulate are not required for training and prediction. If installed, scikit-learn provides the
base class of the estimator, and tqdm shows progress with ``verbose``.

>>> from spanrs.compat import sklearn_crfsuite
>>> crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c2=0.1, all_possible_transitions=True)
>>> X = [[{"word": "Rome"}, {"word": "is"}, {"word": "old"}]]
>>> crf.fit(X, [["LOC", "O", "O"]]).predict_single(X[0])
['LOC', 'O', 'O']
"""

from spanrs.compat.sklearn_crfsuite.estimator import CRF

__all__ = ["CRF"]
