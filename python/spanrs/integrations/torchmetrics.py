"""Span scores in the shape of a torchmetrics metric; neither torch nor torchmetrics is imported."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

from spanrs.errors import SchemeError, SpanrsWarning
from spanrs.eval import Scorer
from spanrs.integrations.hf.trainer import two_sides_ids
from spanrs.tags.types import IGNORE_INDEX, Dialect, Vocabulary, as_vocabulary

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class SpanMetrics:
    """Precision, recall and F1 of spans, and accuracy of tokens, over batches.

    The methods are those of torchmetrics: ``update``, ``compute``, ``reset``, ``merge_state``, and calling the metric,
    which adds a batch and returns the scores of this batch.

    Parameters
    ----------
    labels : sequence of str or mapping, optional
        The tag of each id, in order; ``label2id`` and ``id2label`` mappings are accepted. Without labels, batches are
        lists of tags.
    scheme, reading, dialect
        Same as for :func:`spanrs.score`. ``auto`` detects the scheme in the first batch with a span, so name the scheme
        if there are several workers or if batches are small.
    ignore_index : int
        Tokens with this gold id are excluded.
    per_type : bool
        Whether :meth:`compute` returns the measures of each type as well.

    Attributes
    ----------
    types : list of str
        The types in the rows of ``state``: all types of ``labels``, sorted; without labels those that occurred.
    state : ndarray of int64, shape (types + 1, 3)
        Correct, gold and predicted spans of each type; the last row has the equal tokens, the number of tokens, and 0.
        The states of workers with the same ``labels`` can be added, by ``+`` or in place:
        ``torch.distributed.all_reduce(torch.from_numpy(metric.state))`` sums them in place.

    Notes
    -----
    Metrics can be copied and pickled. Tensors are moved to the processor; logits may have any floating-point type.

    Raises
    ------
    spanrs.errors.SchemeError
        If the scheme or the reading is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.integrations.torchmetrics import SpanMetrics
    >>> metric = SpanMetrics(["O", "B-PER", "I-PER"], scheme="BIO")
    >>> metric.update(np.array([[0, 1, 2, 0]]), np.array([[-100, 1, 2, 0]]))
    >>> metric.update(np.array([[1, 0]]), np.array([[0, 0]]))
    >>> metric.compute()
    {'precision': 0.5, 'recall': 1.0, 'f1': 0.6666666666666666, 'accuracy': 0.8}
    """

    def __init__(
        self,
        labels: Vocabulary | None = None,
        *,
        scheme: str = "auto",
        reading: str = "conlleval",
        ignore_index: int = IGNORE_INDEX,
        dialect: Dialect = Dialect(),
        per_type: bool = False,
    ) -> None:
        self._vocabulary = None if labels is None else as_vocabulary(labels)
        self._options: dict[str, Any] = {"scheme": scheme, "reading": reading, "dialect": dialect}
        self._scheme, self._ignore_index, self._per_type = scheme, ignore_index, per_type
        Scorer(**self._options)
        self.types: list[str] = []
        self._state: npt.NDArray[np.int64]
        self.reset()

    @property
    def state(self) -> npt.NDArray[np.int64]:
        """The counts; see the class."""
        return self._state

    @state.setter
    def state(self, counts: npt.NDArray[np.int64]) -> None:
        import numpy as np

        if self._vocabulary is None:
            raise ValueError("without labels the rows of states differ between metrics; use merge_state")
        if (
            not isinstance(counts, np.ndarray)
            or counts.dtype.kind not in "iu"
            or counts.shape != self._state.shape
        ):
            raise ValueError(
                f"a state is an array of integers of shape {self._state.shape}, not {counts!r}"
            )
        self._state = counts.astype(np.int64)

    def reset(self) -> None:
        """Remove all batches."""
        import numpy as np

        self._options["scheme"] = self._scheme
        self.types = [] if self._vocabulary is None else _types(self._vocabulary, self._options)
        self._state = np.zeros((len(self.types) + 1, 3), dtype=np.int64)

    def update(self, preds: Any, target: Any) -> None:
        """Add a batch.

        Parameters
        ----------
        preds : tensor, array or list of list of str
            Logits, shape (sentences, tokens, labels), ids, shape (sentences, tokens), or sentences of tags.
        target : tensor, array or list of list of str
            Gold ids, shape (sentences, tokens), or sentences of tags.

        Raises
        ------
        spanrs.errors.AlignmentError
            If the shapes do not match.
        spanrs.errors.SchemeError
            For ids that are not in the vocabulary, and for ids without a vocabulary.
        TypeError
            For arrays of anything but numbers.
        """
        self._add(*self._batch(preds, target))

    def __call__(self, preds: Any, target: Any) -> dict[str, float]:
        """Add a batch, and return the scores of this batch alone."""
        types, state = self._batch(preds, target)
        self._add(types, state)
        return _measures(types, state, per_type=self._per_type)

    forward = __call__

    def compute(self) -> dict[str, float]:
        """Return ``precision``, ``recall``, ``f1`` (micro) and ``accuracy`` of all batches; 0 without a denominator.

        With ``per_type`` also ``PER_precision``, ``PER_recall``, ``PER_f1`` and ``PER_number`` (gold spans) for each
        type that occurred.
        """
        return _measures(self.types, self.state, per_type=self._per_type)

    def merge_state(self, incoming_state: SpanMetrics) -> None:
        """Add the batches of another metric.

        Raises
        ------
        TypeError
            If it is something else.
        spanrs.errors.SchemeError
            If it has other labels or settings.
        """
        if not isinstance(incoming_state, SpanMetrics):
            raise TypeError(f"expected a SpanMetrics, not {type(incoming_state).__name__}")
        other, settings = incoming_state._settings(), self._settings()
        if other != settings:
            differing = next(name for name in settings if settings[name] != other[name])
            raise SchemeError(
                f"the metrics have different settings: {differing} {settings[differing]!r} and {other[differing]!r}"
            )
        self._add(incoming_state.types, incoming_state.state)

    def _settings(self) -> dict[str, Any]:
        return {"labels": self._vocabulary, "ignore_index": self._ignore_index, **self._options}

    def _batch(self, preds: Any, target: Any) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Return the types and the state of one batch."""
        import numpy as np

        scorer = Scorer(**self._options, max_violations=0)
        sides = _as_array(preds), _as_array(target)
        if all(isinstance(side, np.ndarray) for side in sides):
            if self._vocabulary is None:
                raise SchemeError("ids need labels: SpanMetrics(labels)")
            gold, pred = two_sides_ids(sides, len(self._vocabulary))
            scorer.update(gold, pred, vocabulary=self._vocabulary, ignore_index=self._ignore_index)
        else:
            scorer.update(sides[1], sides[0])
        result = scorer.result()
        confusion = result.confusion
        if confusion:
            self._options["scheme"] = result.settings["scheme"]
        rows = [
            (preds[name], preds.total(), sum(row[name] for row in confusion.values()))
            for name in result.per_type
            for preds in [confusion.get(name, Counter())]
        ]
        equal = round(result.accuracy * result.tokens)
        return list(result.per_type), np.array([*rows, (equal, result.tokens, 0)], dtype=np.int64)

    def _add(self, types: list[str], state: npt.NDArray[np.int64]) -> None:
        import numpy as np

        new = [name for name in types if name not in self.types]
        if new:
            self.types += new
            self._state = np.insert(self._state, [len(self._state) - 1] * len(new), 0, axis=0)
        for name, row in zip(types, state[:-1], strict=True):
            self._state[self.types.index(name)] += row
        self._state[-1] += state[-1]


def _types(vocabulary: list[str], options: dict[str, Any]) -> list[str]:
    """Return the types of the tags of a vocabulary, sorted."""
    sentences = [[tag] for tag in vocabulary]
    scorer = Scorer(**options | {"reading": "conlleval"}, max_violations=0)
    with warnings.catch_warnings():
        # Single tags of a vocabulary need not be legal sentences.
        warnings.simplefilter("ignore", SpanrsWarning)
        scorer.update(sentences, sentences)
        return sorted(scorer.result().per_type)


def _as_array(side: Any) -> Any:
    """Return a tensor as an array on the processor, and other input unchanged."""
    if not hasattr(side, "detach"):
        return side
    tensor = side.detach().cpu()
    # NumPy has no bfloat16.
    return tensor.float().numpy() if tensor.is_floating_point() else tensor.numpy()


def _measures(types: list[str], state: npt.NDArray[np.int64], *, per_type: bool) -> dict[str, float]:
    correct, gold, pred = map(int, state[:-1].sum(axis=0))
    equal, tokens, _ = map(int, state[-1])
    measures = _scores(correct, gold, pred) | {"accuracy": equal / tokens if tokens else 0.0}
    if per_type:
        for name, row in zip(types, state, strict=False):
            if row.any():
                scores = _scores(*map(int, row))
                measures |= {f"{name}_{key}": value for key, value in scores.items()} | {
                    f"{name}_number": int(row[1])
                }
    return measures


def _scores(correct: int, gold: int, pred: int) -> dict[str, float]:
    both = gold + pred
    return {
        "precision": correct / pred if pred else 0.0,
        "recall": correct / gold if gold else 0.0,
        "f1": 2 * correct / both if both else 0.0,
    }
