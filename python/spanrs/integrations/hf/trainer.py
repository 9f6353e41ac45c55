"""``compute_metrics`` for the Trainer of Hugging Face transformers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spanrs.errors import AlignmentError, SchemeError
from spanrs.eval import Scorer
from spanrs.tags.types import IGNORE_INDEX, Dialect, Vocabulary, as_vocabulary

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Number of logits per block in the search for the best label of each token.
CHUNK = 1 << 20


def compute_metrics(
    labels: Vocabulary,
    *,
    scheme: str = "auto",
    reading: str = "conlleval",
    ignore_index: int = IGNORE_INDEX,
    dialect: Dialect = Dialect(),
    per_type: bool = False,
) -> Callable[[Any], dict[str, float]]:
    """Return a ``compute_metrics`` function for the Trainer.

    Parameters
    ----------
    labels : sequence of str, or mapping
        The tag of each id, in order; ``label2id`` and ``id2label`` mappings are accepted.
    scheme, reading, dialect
        Same as for :func:`spanrs.score`.
    ignore_index : int
        Tokens with this gold id are excluded.
    per_type : bool
        Whether to return the measures of each type as well.

    Returns
    -------
    callable
        Accepts an ``EvalPrediction`` or a pair (predictions, label ids) and returns ``precision``, ``recall``, ``f1``
        (micro) and ``accuracy`` as floats; with ``per_type`` also ``PER_precision``, ``PER_recall``, ``PER_f1`` and
        ``PER_number``. Predictions are logits, shape (sentences, tokens, labels), or ids, shape (sentences, tokens); if
        predictions are a tuple of outputs, the first output is used. Label ids have shape (sentences, tokens). The
        function raises :class:`~spanrs.errors.AlignmentError` if shapes do not match,
        :class:`~spanrs.errors.SchemeError` for ids that are not in the vocabulary, and :class:`TypeError` for anything
        but arrays of numbers.

    Raises
    ------
    spanrs.errors.SchemeError
        If the scheme or the reading is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.integrations.hf import compute_metrics
    >>> score = compute_metrics(["O", "B-PER", "I-PER"])
    >>> score((np.array([[0, 1, 2, 0]]), np.array([[-100, 1, 2, -100]])))
    {'precision': 1.0, 'recall': 1.0, 'f1': 1.0, 'accuracy': 1.0}
    """
    vocabulary = as_vocabulary(labels)
    # Unknown names raise an error here instead of after the first epoch.
    Scorer(scheme=scheme, reading=reading, dialect=dialect)

    def score(prediction: Any) -> dict[str, float]:
        gold, pred = two_sides_ids(prediction, len(vocabulary))
        scorer = Scorer(scheme=scheme, reading=reading, dialect=dialect, max_violations=0)
        scorer.update(gold, pred, vocabulary=vocabulary, ignore_index=ignore_index)
        result = scorer.result()
        micro = result.micro
        measures = {
            "precision": micro.precision,
            "recall": micro.recall,
            "f1": micro.f1,
            "accuracy": result.accuracy,
        }
        if per_type:
            for name, of in result.per_type.items():
                measures[f"{name}_precision"] = of.precision
                measures[f"{name}_recall"] = of.recall
                measures[f"{name}_f1"] = of.f1
                measures[f"{name}_number"] = of.support
        return measures

    return score


def two_sides_ids(prediction: Any, labels: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return gold and predicted ids of an EvalPrediction or a pair (logits or ids, label ids)."""
    outputs, gold = _two_sides(prediction)
    return gold, _ids(outputs, gold, labels)


def _two_sides(prediction: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return predictions and label ids as arrays."""
    import numpy as np

    if hasattr(prediction, "predictions") and hasattr(prediction, "label_ids"):
        outputs, gold = prediction.predictions, prediction.label_ids
    else:
        try:
            outputs, gold = prediction
        except (TypeError, ValueError):
            message = "expected an EvalPrediction or a pair (predictions, label_ids)"
            raise TypeError(message) from None
    if isinstance(outputs, tuple):
        # The model also returned hidden states, attentions and so on; logits come first.
        if not outputs:
            message = "the predictions are an empty tuple"
            raise TypeError(message)
        outputs = outputs[0]
    if isinstance(gold, tuple) and len(gold) == 1:
        gold = gold[0]
    arrays = []
    for name, side in (("predictions", outputs), ("label_ids", gold)):
        try:
            array = np.asarray(side)
        except ValueError:
            message = f"{name} have rows of different lengths; pad the rows"
            raise AlignmentError(message) from None
        kinds = "iuf" if name == "predictions" else "iu"
        if array.size and array.dtype.kind not in kinds:
            what = "numbers" if name == "predictions" else "integers"
            message = f"{name} must be an array of {what}, not of {array.dtype}"
            raise TypeError(message)
        arrays.append(array)
    outputs, gold = arrays
    if gold.ndim != 2:
        message = f"label_ids must have the shape (sentences, tokens), not {gold.shape}"
        raise AlignmentError(message)
    if outputs.ndim not in (2, 3) or outputs.shape[:2] != gold.shape:
        message = f"predictions of shape {outputs.shape} do not match label_ids of shape {gold.shape}"
        raise AlignmentError(message)
    return outputs, gold


def _ids(outputs: npt.NDArray[Any], gold: npt.NDArray[Any], labels: int) -> npt.NDArray[np.integer[Any]]:
    """Return the predicted id of each token; ids at ignored gold positions are arbitrary."""
    import numpy as np

    if outputs.ndim == 2:
        if outputs.dtype.kind == "f" and outputs.size:
            message = (
                f"predictions of shape {outputs.shape} are {outputs.dtype}, so they are not ids, and have "
                "no third dimension, so they are not logits"
            )
            raise TypeError(message)
        return outputs
    if outputs.shape[2] != labels:
        message = f"predictions have {outputs.shape[2]} logits per token, but there are {labels} labels"
        raise SchemeError(message)
    ids = np.empty(gold.shape, dtype=np.int32)
    rows = max(1, CHUNK // max(1, outputs[:1].size))
    for start in range(0, len(ids), rows):
        ids[start : start + rows] = outputs[start : start + rows].argmax(axis=-1)
    return ids
