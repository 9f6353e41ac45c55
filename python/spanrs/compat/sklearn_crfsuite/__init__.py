"""sklearn-crfsuite 0.5.0, with the same modules, names and results.

>>> from spanrs.compat import sklearn_crfsuite
>>> crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c2=0.1, all_possible_transitions=True)
>>> X = [[{"word": "Rome"}, {"word": "is"}, {"word": "old"}]]
>>> crf.fit(X, [["LOC", "O", "O"]]).predict_single(X[0])
['LOC', 'O', 'O']

Notes
-----
scikit-learn, tqdm and tabulate are not needed to train and predict: scikit-learn is imported by the metrics and
scorers when they are used, and tqdm, if installed, shows progress if ``verbose``.

Differences from sklearn-crfsuite, beside those of :mod:`spanrs.compat.pycrfsuite`:

* ``metrics.sequence_accuracy_score`` is the share of sequences without an error. sklearn-crfsuite divides the
  number of correct *tokens* by the number of sequences if all sequences have the same length, and fails if the
  lengths of some predictions differ from those of gold.
* :class:`CRF` is not a subclass of ``sklearn.base.BaseEstimator``, but has its methods: ``get_params``,
  ``set_params`` and ``__sklearn_tags__``. It has no HTML representation.
* ``fit`` raises ValueError if X and y differ in length; sklearn-crfsuite ignores the rest of the longer one.
"""

from spanrs.compat.sklearn_crfsuite.estimator import CRF

__all__ = ["CRF"]
