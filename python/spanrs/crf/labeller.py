"""Labelling by a trained CRF: predictions, probabilities, weights and files."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from spanrs import _spanrs
from spanrs._spanrs import CrfItems, CrfModel, CrfSentences
from spanrs.crf.explanation import Explanation, explain
from spanrs.crf.joining import JoinedTokens, joined_if_given
from spanrs.crf.lexicons import LexiconLike, lexicons_of
from spanrs.crf.scoring import Labellings
from spanrs.crf.spans import PredictedSpan, named_spans, predicted_spans, span_scheme
from spanrs.crf.supervision import check_dev
from spanrs.crf.templates import template_name, template_text
from spanrs.crf.training import check_single_tokens
from spanrs.errors import ModelError, NotFittedError, SpanrsWarning, as_number, warn
from spanrs.estimator import Estimator
from spanrs.io.output import atomic_output
from spanrs.io.training import is_corpus, tagged
from spanrs.threads import thread_count

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Magic bytes of a CRFsuite model file.
_CRFSUITE = b"lCRF"
#: Temperatures below this indicate that nothing is left to learn from the data.
_EXTREME = 0.2


class SequenceLabeller(Estimator):
    """What a CRF does with its model once it is trained; the base class of :class:`spanrs.crf.CRF`."""

    _model: CrfModel | None = None
    template: str | PathLike[str] | None
    lexicons: Mapping[str, LexiconLike] | None
    scheme: str | None
    threads: int | None
    model_filename: str | PathLike[str] | None

    def predict(
        self,
        X: Iterable[Any] | None,
        *,
        features: Iterable[Any] | None = None,
        dense: Any = None,
        known: Iterable[Any] | None = None,
    ) -> list[list[str]]:
        """Return the most probable labelling of each sequence (Viterbi); ties are resolved to the lowest last label.

        Parameters
        ----------
        X : iterable of sequences
            Same as in :meth:`CRF.fit`. Features that did not occur in training are ignored.
        features, dense : optional
            Features and rows of numbers of the tokens, as in :meth:`CRF.fit`.
        known : iterable of sequences, optional
            Constraints on the labels: for each token a label, a set of allowed labels, or None.

        Returns
        -------
        list of list of str
            A list that NumPy converts to an array of lists.

        Raises
        ------
        spanrs.errors.ModelError
            If the model is not fitted, if ``known`` contains a label that the model does not have, or if no labelling
            is allowed.
        """
        X = joined_if_given(X, features, dense)
        return Labellings(self._trained().tag(X, False, known, thread_count(self.threads)))

    def predict_single(self, x: Any) -> list[str]:
        """Return the most probable labelling of a sequence."""
        return self.predict([x])[0]

    def predict_posterior(
        self, X: Iterable[Any] | None, *, features: Iterable[Any] | None = None, dense: Any = None
    ) -> list[list[str]]:
        """Return the label with the largest marginal probability for each token; sequences may be illegal.

        Unlike the labels of :meth:`predict`, these labels can change with the temperature (:meth:`calibrate`).
        """
        X = joined_if_given(X, features, dense)
        return Labellings(self._trained().tag(X, True, None, thread_count(self.threads)))

    def predict_proba(
        self,
        X: Iterable[Any] | None,
        *,
        features: Iterable[Any] | None = None,
        dense: Any = None,
        known: Iterable[Any] | None = None,
    ) -> list[npt.NDArray[np.float64]]:
        """Return marginal probabilities: an array (tokens, labels) for each sequence, in the order of ``classes_``.

        With ``known``, as in :meth:`predict`, the probabilities are conditional on the known labels.
        """
        X = joined_if_given(X, features, dense)
        return self._trained().marginals(X, known, thread_count(self.threads))

    def predict_marginals(
        self, X: Iterable[Any] | None, *, features: Iterable[Any] | None = None, dense: Any = None
    ) -> list[list[dict[str, float]]]:
        """Return marginal probabilities as a dict by label for each token."""
        labels = self.classes_
        return [
            [dict(zip(labels, map(float, row), strict=True)) for row in rows]
            for rows in self.predict_proba(X, features=features, dense=dense)
        ]

    def predict_marginals_single(self, x: Any) -> list[dict[str, float]]:
        """Return the marginal probabilities of a sequence."""
        return self.predict_marginals([x])[0]

    def predict_n_best(self, x: Any, n: int) -> list[tuple[list[str], float]]:
        """Return the ``n`` most probable labellings of a sequence with their probabilities, best first.

        Examples
        --------
        >>> from spanrs.crf import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["A", "B"]])
        >>> first, second = crf.predict_n_best([["a"], ["b"]], 2)
        >>> first[0], first[1] > second[1]
        (['A', 'B'], True)
        """
        if n < 1:
            raise ValueError(f"n must be at least 1, not {n}")
        return self._trained().n_best(x, n)

    def probability(self, x: Any, labels: Sequence[str]) -> float:
        """Return the probability of a labelling; a labelling that violates the scheme has probability 0."""
        return float(self._trained().probabilities([x], [labels], None, 1)[0])

    def predict_confidence(
        self,
        X: Iterable[Any] | None,
        y: Iterable[Iterable[str]] | None = None,
        *,
        features: Iterable[Any] | None = None,
        dense: Any = None,
        known: Iterable[Any] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the probability of the labelling of each sequence.

        Parameters
        ----------
        X, features, dense
            Same as in :meth:`predict`.
        y : iterable of sequences of str, optional
            Labellings; by default the labellings that :meth:`predict` returns.
        known : iterable of sequences, optional
            Same as in :meth:`predict`; the probabilities are conditional on the known labels.

        Returns
        -------
        array of shape (sequences,)
            Probabilities. Longer sequences have lower ones: all labels must be right.

        Raises
        ------
        spanrs.errors.ModelError
            If a labelling contains a label that the model does not have.

        Examples
        --------
        >>> from spanrs.crf import CRF
        >>> crf = CRF().fit([[["a"]], [["b"]]], [["A"], ["B"]])
        >>> bool(crf.predict_confidence([[["a"]]])[0] == crf.probability([["a"]], ["A"]))
        True
        """
        X = joined_if_given(X, features, dense)
        return self._trained().probabilities(X, y, known, thread_count(self.threads))

    def predict_spans(
        self,
        X: Iterable[Any] | None,
        threshold: float | None = None,
        *,
        features: Iterable[Any] | None = None,
        dense: Any = None,
        scheme: str | None = None,
        known: Iterable[Any] | None = None,
    ) -> list[list[PredictedSpan]]:
        """Return spans with their probabilities.

        The probability of a span is the sum of the probabilities of all labellings that contain exactly this span: this
        type, this start and this end.

        Parameters
        ----------
        X, features, dense
            Same as in :meth:`predict`.
        threshold : float, optional
            Return all spans whose probability is at least this number, above 0 and at most 1, whether they are
            predicted or not. Spans that overlap exclude each other, so above 0.5 none overlap. By default the spans of
            the labelling that :meth:`predict` returns.
        scheme : str, optional
            The scheme of the labels; by default the scheme of the model.
        known : iterable of sequences, optional
            Same as in :meth:`predict`; the probabilities are conditional on the known labels.

        Returns
        -------
        list of lists of PredictedSpan
            The spans of each sequence, by start, end and type.

        Raises
        ------
        spanrs.errors.SchemeError
            If the model has no scheme, and none is passed, or if a label is not a tag of the scheme.

        Notes
        -----
        Labels are read as in :func:`spanrs.score`. The time per sequence is O(tokens * labels²), plus
        O(tokens * labels² / threshold) at most for a threshold.

        Examples
        --------
        >>> from spanrs.crf import CRF
        >>> crf = CRF(template="ner").fit([["Ada", "Lovelace"], ["in", "Rio"]], [["B-PER", "I-PER"], ["O", "B-LOC"]])
        >>> [span[:3] for span in crf.predict_spans([["Ada", "Lovelace"]])[0]]
        [('PER', 0, 2)]
        >>> [span[:3] for span in crf.predict_spans([["Ada", "Lovelace"]], 0.1)[0]]
        [('PER', 0, 1), ('PER', 0, 2), ('LOC', 1, 2)]
        """
        if threshold is not None:
            threshold = as_number(threshold, "threshold", above=True)
            if threshold > 1:
                raise ValueError(f"threshold must be at most 1, not {threshold:g}")
        model, threads = self._trained(), thread_count(self.threads)
        scheme = span_scheme(scheme, self.metadata_.get("scheme"), self.classes_)
        X = joined_if_given(X, features, dense)
        return predicted_spans(model.spans(X, scheme, threshold, known, threads))

    def span_probabilities(
        self,
        X: Iterable[Any] | None,
        spans: Iterable[Iterable[Any]],
        *,
        features: Iterable[Any] | None = None,
        dense: Any = None,
        scheme: str | None = None,
    ) -> list[npt.NDArray[np.float64]]:
        """Return the probabilities of given spans, such as gold spans.

        Parameters
        ----------
        X, features, dense
            Same as in :meth:`predict`.
        spans : iterable of iterables of Span or (type, start, end)
            The spans of each sequence; starts are numbered from 0, and ends are exclusive.
        scheme : str, optional
            The scheme of the labels; by default the scheme of the model.

        Returns
        -------
        list of arrays
            The probabilities of the spans of each sequence; 0 for a type that the model does not have.

        Raises
        ------
        spanrs.errors.SchemeError
            Same as for :meth:`predict_spans`.
        spanrs.errors.ModelError
            If a span is empty or outside of its sequence.
        """
        model, threads = self._trained(), thread_count(self.threads)
        scheme = span_scheme(scheme, self.metadata_.get("scheme"), self.classes_)
        X = joined_if_given(X, features, dense)
        return model.span_probabilities(X, scheme, named_spans(spans), threads)

    def calibrate(
        self,
        X_dev: Any,
        y_dev: Sequence[Sequence[str]] | None = None,
        *,
        features: Iterable[Any] | None = None,
        dense: Any = None,
    ) -> Self:
        """Fit a temperature, by which all scores are divided before they become probabilities (Guo et al. 2017).

        A model is usually too confident about sequences that it was not trained on. All probabilities use the
        temperature: marginals, n-best, confidence and spans. The labellings that :meth:`predict` returns and the order
        of n-best labellings do not change; labels of :meth:`predict_posterior` can.

        Parameters
        ----------
        X_dev : iterable of sequences, or a corpus
            Sequences that were not used in training. A corpus, or any source that :func:`spanrs.read` accepts, contains
            tokens and tags; in this case omit ``y_dev``.
        y_dev : sequence of sequences of str
            A label for each token. Labellings that the scheme of the model forbids have probability 0 at any
            temperature; they are left out, with a warning.
        features, dense : optional
            Features and rows of numbers of the tokens, as in :meth:`CRF.fit`.

        Returns
        -------
        CRF
            The estimator itself, with ``temperature_``: above 1 if the model was too confident, below 1 if it was not
            confident enough. It is at least 0.05 and at most 100, is saved with the model, and is 1 again after
            :meth:`fit`.

        Raises
        ------
        spanrs.errors.AlignmentError
            If X_dev and y_dev, or a sequence and its labels, differ in length.
        spanrs.errors.ModelError
            If the model does not have one of the labels, or if there are no labellings that the scheme allows.

        Warns
        -----
        spanrs.errors.SpanrsWarning
            If labellings are left out, and if almost all labellings are predicted correctly: confidence then increases
            without limit.

        Notes
        -----
        The temperature maximises the likelihood of the whole labellings, which has a single maximum. The alternative,
        the marginal likelihood of the tokens, gives temperatures that are 1 to 9 % higher, and larger errors on
        average: over ten cases of WNUT 2017 and English EWT, the mean calibration error in percentage points is 1.1 for
        tokens (1.0 with labellings), 9.8 for spans (9.7) and 7.6 for sentences (6.6); see
        benches/record/2026-11-29-calibration.md.

        Examples
        --------
        >>> from spanrs.crf import CRF
        >>> X, y = [[["a"]]] * 4, [["A"], ["A"], ["A"], ["B"]]
        >>> crf = CRF(c2=10).fit(X, y).calibrate(X, y)
        >>> crf.temperature_ < 1, round(crf.probability([["a"]], ["A"]), 4)
        (True, 0.75)
        """
        if is_corpus(X_dev):
            X_dev, y_dev = tagged(X_dev)
        if y_dev is None:
            raise TypeError(
                "y_dev is missing; pass the labels of the sequences, or a corpus or path as X_dev"
            )
        X_dev = joined_if_given(X_dev, features, dense)
        if not isinstance(X_dev, CrfSentences):
            X_dev = list(X_dev)
        check_dev(X_dev, y_dev)
        temperature, left_out = self._trained().fit_temperature(X_dev, y_dev, thread_count(self.threads))
        if left_out:
            message = (
                f"{left_out} of {len(y_dev)} labellings violate the scheme of the model, have probability 0, and "
                "were left out"
            )
            warnings.warn(message, SpanrsWarning, stacklevel=2)
        if temperature < _EXTREME:
            message = (
                f"the temperature is {temperature:.2g}, because almost all labellings are predicted correctly; "
                "probabilities are close to 0 and 1: use more sequences, which are not part of the training data"
            )
            warnings.warn(message, SpanrsWarning, stacklevel=2)
        self._model = self._with_metadata(temperature=temperature)._model
        return self

    def score(
        self,
        X: Iterable[Any] | None,
        y: Sequence[Sequence[str]],
        sample_weight: Iterable[float] | None = None,
        *,
        features: Iterable[Any] | None = None,
        dense: Any = None,
    ) -> float:
        """Return token accuracy, with optional weights of the sequences; for F1 of spans see :func:`spanrs.score`."""
        pred = self.predict(X, features=features, dense=dense)
        if len(pred) != len(y):
            raise ValueError(f"{len(pred)} sequences, but {len(y)} sequences of labels")
        weights = [1.0] * len(pred) if sample_weight is None else list(sample_weight)
        if len(weights) != len(pred):
            raise ValueError(f"{len(pred)} sequences, but {len(weights)} weights")
        right = total = 0.0
        for labels, gold, weight in zip(pred, y, weights, strict=True):
            if len(labels) != len(gold):
                raise ValueError(f"{len(labels)} tokens, but {len(gold)} labels")
            if not all(isinstance(label, str) for label in gold):
                raise ModelError("score needs one label, a string, for each token")
            right += weight * sum(map(str.__eq__, labels, gold))
            total += weight * len(gold)
        return right / total if total else 0.0

    def explain(self, x: Any, n: int = 10) -> list[Explanation]:
        """Explain each label of a sequence by the features that decided it.

        Parameters
        ----------
        x : sequence
            Same as in :meth:`fit`.
        n : int
            Maximum number of reasons for each token.

        Returns
        -------
        list of Explanation
            An explanation for each token, which ``str`` formats as a table.

        Examples
        --------
        >>> from spanrs.crf import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["A", "B"]])
        >>> [(e.label, e.reasons[0].feature) for e in crf.explain([["a"], ["b"]])]
        [('A', 'A -> B'), ('B', 'A -> B')]
        """
        if n < 1:
            raise ValueError(f"n must be at least 1, not {n}")
        x = x if isinstance(x, (CrfItems, JoinedTokens)) else list(x)
        return explain(self._trained(), x, self.predict_single(x), self.predict_proba([x])[0], n)

    @property
    def classes_(self) -> list[str]:
        """The labels, in the order of their first occurrence."""
        return self._trained().labels()

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """Weight by attribute and label; the dict is made on each access."""
        return {(attribute, label): weight for attribute, label, weight in self._trained().states()}

    @property
    def dense_weights_(self) -> npt.NDArray[np.float64]:
        """Weights of the columns of dense rows: an array (columns, labels), in the order of ``classes_``."""
        return self._trained().dense_weights()

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """Weight by label and next label."""
        return {(source, target): weight for source, target, weight in self._trained().transitions()}

    @property
    def temperature_(self) -> float:
        """The temperature of probabilities, from :meth:`calibrate`; 1 by default."""
        return float(self.metadata_.get("temperature") or 1.0)

    @property
    def metadata_(self) -> dict[str, Any]:
        """Metadata stored with the model: template, scheme, temperature and model card."""
        metadata: dict[str, Any] = json.loads(self._trained().metadata())
        return metadata

    def describe(self, facts: Mapping[str, Any]) -> None:
        """Add facts to the model card, which :meth:`save` writes as metadata. Facts must be JSON values."""
        self._model = self._with_metadata(card=dict(facts))._model

    def _with_metadata(self, **facts: Any) -> Self:
        """Return a copy with more metadata."""
        new = copy.copy(self)
        new._model = self._trained().with_metadata(json.dumps(self.metadata_ | facts))
        return new

    def save(self, target: str | PathLike[str] | IO[bytes]) -> None:
        """Write the model as safetensors with JSON metadata; an incomplete file is removed."""
        data = self._trained().to_bytes()
        with atomic_output(target) as file:
            file.write(data)

    def save_crfsuite(self, target: str | PathLike[str] | IO[bytes]) -> None:
        """Write the model in CRFsuite's format, which has no metadata such as template, scheme and temperature."""
        model = self._trained()
        if model.lexicons():
            warn(
                [
                    "CRFsuite's format has no lexicons; the model needs them and its template to label sentences"
                ]
            )
        data = model.to_crfsuite()
        with atomic_output(target) as file:
            file.write(data)

    @classmethod
    def load(
        cls,
        source: str | PathLike[str] | bytes | IO[bytes],
        *,
        template: str | PathLike[str] | None = None,
        scheme: str | None = None,
    ) -> Self:
        """Read a model file written by :meth:`save` or by CRFsuite.

        Parameters
        ----------
        source : path, bytes or file object
            The file.
        template : str or path, optional
            Feature template, for model files that do not contain a template (files of CRFsuite).
        scheme : str, optional
            Decode only tag sequences that are legal in this scheme.

        Returns
        -------
        CRF
            The estimator has its training parameters, except ``threads`` and ``progress``; ``scheme`` is the detected
            scheme, ``template`` the name of a built-in template or the text of another template, and ``lexicons`` the
            lexicons of the template. Files of CRFsuite contain no parameters.

        Raises
        ------
        spanrs.errors.ModelError
            If the file is damaged, or not a model.

        Examples
        --------
        >>> import io
        >>> from spanrs.crf import CRF
        >>> file = io.BytesIO()
        >>> CRF().fit([[["a"]]], [["A"]]).save(file)
        >>> CRF.load(file.getvalue()).predict([[["a"]]])
        [['A']]
        """
        if isinstance(source, bytes):
            data, name = source, None
        elif isinstance(source, (str, PathLike)):
            data, name = Path(source).read_bytes(), str(source)
        else:
            data, name = source.read(), getattr(source, "name", None)
        if not isinstance(data, bytes):
            raise TypeError("a model file is binary; open it with mode 'rb'")
        try:
            read = CrfModel.from_crfsuite if data[:4] == _CRFSUITE else CrfModel.from_bytes
            model = read(data)
        except ModelError as error:
            if name is not None:
                error.args = (f"{name}: {error}",)
                error.path = str(name)
            raise
        return cls._of(model)._with_template_and_scheme(template, scheme)

    @classmethod
    def _of(cls, model: CrfModel) -> Self:
        """Create an estimator from a model, with the parameters in its metadata."""
        facts = json.loads(model.metadata())
        crf = cls._with_saved_params(facts.get("params", {}))
        text = facts.get("template")
        lexicons = lexicons_of(model) or None
        crf.set_params(template=text and template_name(text), lexicons=lexicons, scheme=facts.get("scheme"))
        crf._model = model
        return crf

    def _with_template_and_scheme(
        self, template: str | PathLike[str] | None = None, scheme: str | None = None
    ) -> Self:
        """Return a copy with another template or scheme; None keeps the current value, ``none`` removes the scheme.

        Raises
        ------
        spanrs.errors.SchemeError
            If a label is not a valid tag of the scheme.
        """
        facts, new = self.metadata_, copy.copy(self)
        if template is not None:
            facts["template"] = template_text(template)
            new.template = template_name(facts["template"])
        if scheme is not None and scheme.strip().lower() == "none":
            facts["scheme"] = new.scheme = None
        elif scheme is not None:
            facts["scheme"] = new.scheme = _spanrs.scheme_name(scheme)
            check_single_tokens(new.scheme, self.classes_)
        if template is not None or scheme is not None:
            new._model = self._trained().with_metadata(json.dumps(facts))
        return new

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    def __getstate__(self) -> dict[str, Any]:
        data = None if self._model is None else self._model.to_bytes()
        return vars(self) | {"_model": data}

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state["_model"]
        vars(self).update(state, _model=None if data is None else CrfModel.from_bytes(data))

    def _found(self) -> CrfModel | None:
        """Return the model, read from ``model_filename`` if the estimator is not fitted; None if there is none."""
        if self._model is None and self.model_filename is not None and Path(self.model_filename).exists():
            self._model = type(self).load(self.model_filename)._model
        return self._model

    def _trained(self) -> CrfModel:
        model = self._found()
        if model is None:
            raise NotFittedError("CRF is not fitted; call fit or load")
        return model
