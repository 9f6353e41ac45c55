"""Base class of all estimators, which follow the conventions of scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

from spanrs.errors import FormatError, ModelError, as_integer, as_number, check_name, is_bool, with_code
from spanrs.threads import thread_count


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
    #: Valid values of string parameters.
    _choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    #: Parameters that may be None although their default is not None.
    _optional: ClassVar[tuple[str, ...]] = ("scheme", "threads")

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
        """Validate the parameters; called by ``fit``.

        Raises
        ------
        TypeError, ValueError
            If a parameter has a wrong type or is out of range; the message contains its name and its value.
        """
        for name, default in self._defaults().items():
            value = getattr(self, name)
            if value is None and (default is None or name in self._optional):
                continue
            if name in self._choices:
                check_choice(value, name, self._choices[name])
            elif isinstance(default, bool):
                check_bool(value, name)
            elif name in _CHECKS:
                _CHECKS[name](value, name)

    def _saved_params(self) -> dict[str, Any]:
        """Return the parameters for a model file, as JSON values."""
        params = self.get_params(deep=False)
        return {name: as_json(value) for name, value in params.items() if name not in self._not_saved}

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


def as_json(value: Any) -> Any:
    """Return a parameter as a JSON value: scalars and arrays of NumPy, and paths, are converted."""
    if isinstance(value, PathLike):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def check_choice(value: object, argument: str, choices: Collection[str]) -> None:
    """Raise an error if an argument is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{argument} must be one of {', '.join(choices)}, not {value!r}")


def read_template(path: str | PathLike[str], argument: str) -> str:
    """Return the text of the template file that an argument names.

    Raises
    ------
    spanrs.errors.FormatError
        If the file is not text in UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        message = f"{argument}: {path} is not a template: {error}"
        raise with_code(FormatError(message), "encoding", str(path)) from None


def check_bool(value: object, argument: str) -> None:
    """Raise an error if an argument is not a bool of Python or NumPy."""
    if not is_bool(value):
        raise TypeError(f"{argument} must be a bool, not {value!r}")


def _check_path(value: object, argument: str) -> None:
    if not isinstance(value, (str, PathLike)):
        raise TypeError(f"{argument} must be a path, not {value!r}")


def _check_threads(value: Any, _: str) -> None:
    thread_count(value)


#: Validation of parameters by name: a name has the same range in all estimators. Other parameters of the CRF are
#: validated by the compiled module.
_CHECKS: dict[str, Callable[[Any, str], object]] = {
    **dict.fromkeys(
        (
            *("max_iter", "crf_max_iter", "first_crf_max_iter", "bsc_max_iter", "rounds", "updates"),
            *("epochs", "lemma_epochs", "models", "min_count", "explore_from", "patience", "beam"),
        ),
        partial(as_integer, least=1),
    ),
    **dict.fromkeys(
        ("crf_weight", "annotator_weight", "word_count", "knowing", "strategy", "aggressiveness"),
        partial(as_number, above=True),
    ),
    **dict.fromkeys(("tol", "crf_tol", "smoothing", "agreement", "prune"), as_number),
    **dict.fromkeys(("seed", "margin", "max_weights", "recheck"), as_integer),
    "folds": partial(as_integer, least=2),
    "scheme": partial(check_name, example="BIO"),
    "model_filename": _check_path,
    "threads": _check_threads,
    "progress": check_bool,
}
