"""Predictions and scores for model selection in scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spanrs.crf.training import scheme_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Labellings(list[list[str]]):
    """Labels of sequences: a list that NumPy converts to an array of lists, for ``cross_val_predict``.

    >>> import numpy as np
    >>> np.asarray(Labellings([["A", "B"], ["A", "A"]])).shape
    (2,)
    """

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[np.object_]:
        import numpy as np

        if copy is False:
            raise ValueError("lists of labels cannot be converted to an array without a copy")
        array = np.empty(len(self), dtype=object)
        for at, labels in enumerate(self):
            array[at] = labels
        return array if dtype is None else array.astype(dtype, copy=False)


def span_f1(estimator: Any, X: Sequence[Any], y: Sequence[Sequence[str]]) -> float:
    """Return the micro F1 of predicted spans; a scorer for ``scoring=`` in scikit-learn.

    Parameters
    ----------
    estimator : CRF
        A fitted estimator whose ``predict`` returns labels of sequences.
    X : sequence
        Same as in :meth:`CRF.fit`.
    y : sequence of sequences of str
        The gold tags. Their scheme is detected.

    Returns
    -------
    float
        F1; 0 if neither side has spans.

    Raises
    ------
    spanrs.errors.SchemeError
        If labels are not tags with types, such as ``B-PER``.

    Examples
    --------
    >>> from spanrs.crf import CRF, span_f1
    >>> X = [[{"word": "Ada"}, {"word": "sleeps"}]] * 4
    >>> span_f1(CRF(c2=0.1).fit(X, [["B-PER", "O"]] * 4), X[:1], [["B-PER", "O"]])
    1.0
    """
    import warnings

    from spanrs.errors import SchemeError, SpanrsWarning, with_code
    from spanrs.eval import score

    gold = [list(labels) for labels in y]
    pred = [list(labels) for labels in estimator.predict(X)]
    labels = sorted({label for sequence in (*gold, *pred) for label in sequence})
    scheme = scheme_of(labels, gold)
    if scheme is None and any(label != "O" for label in labels):
        shown = ", ".join(map(repr, labels[:10]))
        message = f"span_f1 needs labels that are tags with types, such as B-PER, not {shown}"
        raise with_code(SchemeError(message), "no_tags")
    with warnings.catch_warnings():
        # Otherwise a search would repeat the warning about a fold without spans for every candidate.
        warnings.simplefilter("ignore", SpanrsWarning)
        return float(score(gold, pred, scheme=scheme or "BIO").micro.f1)
