"""The base class of estimators (sklearn_crfsuite.compat): scikit-learn's base class, or a substitute."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

EstimatorT = TypeVar("EstimatorT", bound="_Parameters")


class _Parameters:
    """Substitute for scikit-learn's base class: parameters are the arguments of ``__init__``.

    >>> from spanrs.compat.sklearn_crfsuite import CRF
    >>> CRF(c1=0.5).set_params(c2=3)
    CRF(c1=0.5, c2=3)
    """

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Return the parameters; ``deep`` has no effect because no parameter is an estimator."""
        return {name: getattr(self, name) for name in sorted(self._defaults())}

    def set_params(self: EstimatorT, **params: Any) -> EstimatorT:
        """Set parameters; raises ValueError for unknown names."""
        names = sorted(self._defaults())
        for name, value in params.items():
            if name not in names:
                words = f"Invalid parameter {name!r} for estimator {self}."
                raise ValueError(f"{words} Valid parameters are: {names}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        values = [(name, getattr(self, name), default) for name, default in self._defaults().items()]
        changed = (f"{name}={value!r}" for name, value, default in values if value != default)
        return f"{type(self).__name__}({', '.join(changed)})"


if TYPE_CHECKING:
    BaseEstimator = _Parameters
else:
    try:
        from sklearn.base import BaseEstimator
    except ImportError:
        BaseEstimator = _Parameters
