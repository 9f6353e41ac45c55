"""Parameters of estimators without scikit-learn (sklearn_crfsuite.compat)."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

EstimatorT = TypeVar("EstimatorT", bound="BaseEstimator")


class BaseEstimator:
    """What scikit-learn needs of an estimator whose parameters are the arguments of ``__init__``."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Without effect, because no parameter is an estimator.
        """
        return {name: getattr(self, name) for name in sorted(self._defaults())}

    def set_params(self: EstimatorT, **params: Any) -> EstimatorT:
        """Set parameters.

        Parameters
        ----------
        **params
            Name to value.

        Raises
        ------
        ValueError
            For other names.
        """
        known = sorted(self._defaults())
        for name, value in params.items():
            if name not in known:
                message = f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known}."
                raise ValueError(message)
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def __repr__(self) -> str:
        values = self.get_params()
        changed = [
            f"{name}={values[name]!r}"
            for name, default in self._defaults().items()
            if values[name] is not default and values[name] != default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"
