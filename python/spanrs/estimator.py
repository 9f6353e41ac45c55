"""Base class of all estimators, which follow the conventions of scikit-learn."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Collection
from os import PathLike
from typing import Any, ClassVar, Self

from spanrs.errors import ModelError


class Estimator:
    """Base class of estimators.

    ``__init__`` of a subclass only stores its arguments, unchanged and under their names. ``fit`` validates the
    arguments and sets attributes whose names end with an underscore. Therefore, estimators can be cloned, pickled, and
    used in a grid search.

    Examples
    --------
    >>> from spanrs.crowd import DawidSkene
    >>> model = DawidSkene(max_iter=20).set_params(tol=1e-3)
    >>> model
    DawidSkene(max_iter=20, tol=0.001)
    >>> model.get_params()["max_iter"]
    20
    """

    #: Parameters that are not part of the model and are not saved in a model file.
    _not_saved: ClassVar[tuple[str, ...]] = ("threads", "progress")

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Return the default values of the parameters by name."""
        parameters = inspect.signature(cls).parameters
        return {name: parameter.default for name, parameter in parameters.items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Include the parameters of nested estimators under names such as ``tagger__epochs``.
        """
        params = {name: getattr(self, name) for name in self._defaults()}
        inner = {name: value for name, value in params.items() if deep and isinstance(value, Estimator)}
        for name, estimator in inner.items():
            params |= {f"{name}__{key}": value for key, value in estimator.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, and return the estimator.

        Raises
        ------
        ValueError
            If there is no parameter of this name.
        """
        names = self._defaults()
        for name in params:
            if name.partition("__")[0] not in names:
                raise self._unknown(name)
        # An inner estimator is set before its own parameters.
        for name, value in sorted(params.items(), key=lambda item: "__" in item[0]):
            head, nested, tail = name.partition("__")
            if not nested:
                setattr(self, name, value)
            elif isinstance(inner := getattr(self, head), Estimator):
                inner.set_params(**{tail: value})
            else:
                raise self._unknown(name)
        return self

    def _unknown(self, name: str) -> ValueError:
        names = ", ".join(self._defaults())
        return ValueError(f"no parameter {name!r} of {type(self).__name__}; the parameters are {names}")

    def __repr__(self) -> str:
        # Values may be arrays, which == compares element by element.
        defaults = {name: repr(value) for name, value in self._defaults().items()}
        params = {name: repr(value) for name, value in self.get_params(deep=False).items()}
        changed = (f"{name}={value}" for name, value in params.items() if value != defaults[name])
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
        )

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def _check_params(self) -> None:
        """Validate the parameters; called by ``fit``."""

    def _saved_params(self) -> dict[str, Any]:
        """Return the parameters for a model file, as JSON values."""
        params = self.get_params(deep=False)
        return {name: _as_json(value) for name, value in params.items() if name not in self._not_saved}

    @classmethod
    def _with_saved_params(cls, params: object) -> Self:
        """Create an estimator with the parameters of a model file; parameters of later versions are ignored.

        Raises
        ------
        spanrs.errors.ModelError
            If the parameters are not a JSON object.
        """
        if not isinstance(params, dict):
            raise ModelError(
                f"the parameters of {cls.__name__} in the metadata of the model are not an object"
            )
        names = cls._defaults().keys() - cls._not_saved
        return cls(**{name: value for name, value in params.items() if name in names})


def _as_json(value: Any) -> Any:
    """Return a parameter as a JSON value: scalars and arrays of NumPy, and paths, are converted."""
    if isinstance(value, PathLike):
        return str(value)
    return value.tolist() if hasattr(value, "tolist") else value


def as_number(number: object, argument: str, least: float = 0.0, *, above: bool = False) -> float:
    """Return an argument as a finite float of at least ``least``, or greater than ``least`` if ``above`` is true.

    Raises
    ------
    TypeError
        If the argument is not a real number, or is a bool.
    ValueError
        If the number is out of range.
    """
    if isinstance(number, bool) or not isinstance(number, numbers.Real):
        raise TypeError(f"{argument} must be a number, not {type(number).__name__}")
    value = float(number)
    if not (math.isfinite(value) and (value > least if above else value >= least)):
        raise ValueError(
            f"{argument} must be a number {'above' if above else 'of at least'} {least:g}, not {value:g}"
        )
    return value


def check_choice(value: object, argument: str, choices: Collection[str]) -> None:
    """Raise an error if an argument is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{argument} must be one of {', '.join(choices)}, not {value!r}")
