"""Labelling by a trained CRF: predictions, probabilities, weights and files."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from spanrs import _spanrs
from spanrs._spanrs import CrfItems, CrfModel
from spanrs.crf.explanation import Explanation, explain
from spanrs.crf.lexicons import LexiconLike, lexicons_of
from spanrs.crf.scoring import Labellings
from spanrs.crf.templates import template_name, template_text
from spanrs.crf.training import check_single_tokens
from spanrs.errors import ModelError, NotFittedError
from spanrs.estimator import Estimator
from spanrs.io.output import atomic_output
from spanrs.threads import thread_count

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Magic bytes of a CRFsuite model file.
_CRFSUITE = b"lCRF"


class SequenceLabeller(Estimator):
    """What a CRF does with its model once it is trained; the base class of :class:`spanrs.crf.CRF`."""

    _model: CrfModel | None = None
    template: str | PathLike[str] | None
    lexicons: Mapping[str, LexiconLike] | None
    scheme: str | None
    threads: int | None
    model_filename: str | PathLike[str] | None

    def predict(self, X: Iterable[Any], *, known: Iterable[Any] | None = None) -> list[list[str]]:
        """Return the most probable labelling of each sequence (Viterbi); ties are resolved to the lowest last label.

        Parameters
        ----------
        X : iterable of sequences
            Same as in :meth:`fit`. Features that did not occur in training are ignored.
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
        return Labellings(self._trained().tag(X, False, known, thread_count(self.threads)))

    def predict_single(self, x: Any) -> list[str]:
        """Return the most probable labelling of a sequence."""
        return self.predict([x])[0]

    def predict_posterior(self, X: Iterable[Any]) -> list[list[str]]:
        """Return the label with the largest marginal probability for each token; sequences may be illegal."""
        return Labellings(self._trained().tag(X, True, None, thread_count(self.threads)))

    def predict_proba(self, X: Iterable[Any]) -> list[npt.NDArray[np.float64]]:
        """Return marginal probabilities: an array (tokens, labels) for each sequence, in the order of ``classes_``."""
        return self._trained().marginals(X, thread_count(self.threads))

    def predict_marginals(self, X: Iterable[Any]) -> list[list[dict[str, float]]]:
        """Return marginal probabilities as a dict by label for each token."""
        labels = self.classes_
        return [
            [dict(zip(labels, map(float, row), strict=True)) for row in rows]
            for rows in self.predict_proba(X)
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
        return self._trained().probabilities([x], [list(labels)])[0]

    def score(
        self,
        X: Iterable[Any],
        y: Sequence[Sequence[str]],
        sample_weight: Iterable[float] | None = None,
    ) -> float:
        """Return token accuracy, with optional weights of the sequences; for F1 of spans see :func:`spanrs.score`."""
        pred = self.predict(X)
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
        x = x if isinstance(x, CrfItems) else list(x)
        return explain(self._trained(), x, self.predict_single(x), self.predict_proba([x])[0], n)

    @property
    def classes_(self) -> list[str]:
        """The labels, in the order of their first occurrence."""
        return self._trained().labels()

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """Weight by attribute and label."""
        return {(attribute, label): weight for attribute, label, weight in self._trained().states()}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """Weight by label and next label."""
        return {(source, target): weight for source, target, weight in self._trained().transitions()}

    @property
    def metadata_(self) -> dict[str, Any]:
        """Metadata stored with the model: template, scheme and model card."""
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
        """Write the model in CRFsuite's format, which has no metadata such as the template."""
        data = self._trained().to_crfsuite()
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

    def _trained(self) -> CrfModel:
        if self._model is None and self.model_filename is not None and Path(self.model_filename).exists():
            self._model = type(self).load(self.model_filename)._model
        if self._model is None:
            raise NotFittedError("CRF is not fitted; call fit or load")
        return self._model
