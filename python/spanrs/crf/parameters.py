"""What scikit-learn asks of an estimator whose parameters are the arguments of ``__init__``."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

EstimatorT = TypeVar("EstimatorT", bound="Parameters")


class Parameters:
    """Parameters that can be listed, set and shown."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Give the parameters, as scikit-learn asks for them."""
        return {
            name: getattr(self, name)
            for name in inspect.signature(type(self).__init__).parameters
            if name != "self"
        }

    def set_params(self: EstimatorT, **params: Any) -> EstimatorT:
        """Set parameters; a name that does not exist is an error."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"no parameter {name!r} of CRF; there are {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
        )

    def changed_params(self) -> dict[str, Any]:
        """Give the parameters that are not the defaults."""
        defaults = inspect.signature(type(self).__init__).parameters
        params = self.get_params().items()
        return {name: value for name, value in params if value != defaults[name].default}

    def __repr__(self) -> str:
        return f"CRF({', '.join(f'{name}={value!r}' for name, value in self.changed_params().items())})"
