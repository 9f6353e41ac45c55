"""Model files, and the base class of estimators that are stored in them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import IO, Any, ClassVar, Self

from spanrs import _spanrs
from spanrs.errors import ModelError, NotFittedError
from spanrs.estimator import Estimator
from spanrs.io.output import atomic_output

#: The components of a model file, in the order in which they are applied.
COMPONENTS = ("segmenter", "tagger", "morphology", "parser")


class ModelEstimator(Estimator, ABC):
    """Base class of the components of a model, and of the pipeline of all components."""

    _model: _spanrs.DepModel | None = None
    _optional: ClassVar[tuple[str, ...]] = ("seed",)
    #: Components that the estimator needs and keeps; empty for a pipeline, which keeps all.
    _components: ClassVar[tuple[str, ...]] = ()
    #: Values that parameters had before they existed, for models that do not contain them.
    _former: ClassVar[Mapping[str, Any]] = {}

    @property
    def _compiled(self) -> _spanrs.DepModel:
        """The trained model.

        Raises
        ------
        spanrs.errors.ModelError
            If the estimator is not fitted.
        """
        if self._model is None:
            raise NotFittedError(f"{type(self).__name__} is not fitted; call fit or load")
        return self._model

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    def save(self, target: str | PathLike[str] | IO[bytes]) -> None:
        """Write the model to a file: safetensors with JSON metadata. An incomplete file is removed."""
        with atomic_output(target) as out:
            out.write(self._compiled.to_bytes())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model file; :func:`spanrs.dep.load` also finds installed models.

        Raises
        ------
        spanrs.errors.ModelError
            If the file is damaged, not a model, or does not have the component.
        OSError
            If the file cannot be read.
        """
        model = read_model_file(path)
        missing = [name for name in cls._components if name not in components_of(model)]
        if missing:
            raise ModelError(
                f"{path} has no {missing[0]}; it has {', '.join(components_of(model)) or 'nothing'}"
            )
        return cls._of(model)

    @classmethod
    @abstractmethod
    def _of(cls, model: _spanrs.DepModel) -> Self:
        """Return the estimator of a compiled model, with its own components."""

    @classmethod
    def _with_params_of(cls, metadata: Mapping[str, Any], name: str) -> Self:
        """Create an unfitted estimator with the parameters that the metadata of a model contain under a name.

        Raises
        ------
        spanrs.errors.ModelError
            If a parameter is invalid.
        """
        params = metadata.get(name)
        if isinstance(params, dict):
            params = {**cls._former, **params}
        estimator = cls._with_saved_params({} if params is None else params)
        try:
            estimator._check_params()
        except (TypeError, ValueError) as error:
            raise ModelError(f"the model has an invalid parameter of {cls.__name__}: {error}") from None
        return estimator


def components_of(model: _spanrs.DepModel) -> tuple[str, ...]:
    """Return the components of a model."""
    has = (model.has_segmenter, model.has_tagger, model.has_feats or model.has_lemmas, model.has_parser)
    return tuple(name for name, is_there in zip(COMPONENTS, has, strict=True) if is_there)


def part_of(
    model: _spanrs.DepModel, names: tuple[str, ...], metadata: Mapping[str, Any]
) -> _spanrs.DepModel:
    """Return a model with some components of a model; they are shared, not copied."""
    segmenter, tagger, morphology, parser = (model if name in names else None for name in COMPONENTS)
    return _spanrs.DepModel.join(segmenter, tagger, morphology, parser, json.dumps(metadata))


def read_model_file(path: str | PathLike[str]) -> _spanrs.DepModel:
    """Read a model file."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        message = f"{error.strerror}; spanrs.dep.load also finds installed models"
        raise FileNotFoundError(error.errno, message, error.filename) from None
    try:
        return _spanrs.DepModel.from_bytes(data)
    except ModelError as error:
        error.path = str(path)
        error.args = (f"{path}: {error}",)
        raise


def is_model(path: str | PathLike[str]) -> bool:
    """Return whether a file begins like a model file: with the length of a JSON header, then the header."""
    with open(path, "rb") as file:  # named pipes have no stat
        head = file.read(9)
    return len(head) == 9 and head[8:9] == b"{" and head[4:8] == b"\0\0\0\0"
