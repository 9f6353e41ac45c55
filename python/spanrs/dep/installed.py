"""Models that are installed as Python distributions.

A distribution such as ``spanrs-model-en-ewt`` registers its model in the entry point group ``spanrs.models``: the entry
point ``en_ewt`` names a package, which contains the file ``en_ewt.model``. The package is located, but not imported.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from spanrs import _spanrs
from spanrs.dep.model_files import read_model_file
from spanrs.dep.pipeline import Pipeline
from spanrs.errors import ModelError, ModelNotFoundError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of entry points.
GROUP = "spanrs.models"
#: Suffix of the model file in its package.
SUFFIX = ".model"
#: Names that a model wheel may have.
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class InstalledModel(NamedTuple):
    """A model that an installed distribution contains."""

    name: str
    """Name of the model: the language, then the treebank, such as ``en_ewt``."""
    path: Path
    """The model file."""
    distribution: str
    """Name of the distribution, such as ``spanrs-model-en-ewt``."""
    version: str
    """Version of the distribution."""

    @property
    def language(self) -> str:
        """The part of the name before the first underscore."""
        return self.name.partition("_")[0]


def models() -> list[InstalledModel]:
    """List the installed models by name and distribution.

    A name is listed twice if two distributions contain a model of this name; :func:`load` refuses such a name.

    Raises
    ------
    spanrs.errors.ModelError
        If a distribution registers a model whose package cannot be found.

    Examples
    --------
    >>> from spanrs.dep import models
    >>> [model.name for model in models() if model.language == "tlh"]
    []
    """
    return sorted(map(_located, _entries()))


def load(model: str | PathLike[str]) -> Pipeline:
    r"""Load an installed model by its name, or a model file by its path.

    Parameters
    ----------
    model : str or path
        The name of an installed model, such as ``en_ewt``, or the path of a file. A string with a ``/``, ``\`` or dot
        and an :class:`os.PathLike` are always paths. Any other string is a name if a model of this name is installed,
        otherwise a path; it is refused if it is both, so that a file of the working directory never replaces an
        installed model or the reverse. Write ``./NAME`` for the file.

    Returns
    -------
    Pipeline
        The components of the model.

    Raises
    ------
    spanrs.errors.ModelNotFoundError
        If no model of this name is installed; the message lists the installed models and says what to install.
    spanrs.errors.ModelError
        If two distributions contain a model of this name, the name is also a file, or the file is damaged.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import spanrs.dep
    >>> try:
    ...     spanrs.dep.load("tlh_boqwi")
    ... except spanrs.errors.ModelNotFoundError as error:
    ...     print(str(error).partition(",")[0])
    no model 'tlh_boqwi' is installed
    """
    return Pipeline._of(read(model))


def read(model: str | PathLike[str]) -> _spanrs.DepModel:
    """Read an installed model or a model file; see :func:`load`."""
    return read_model_file(resolve(model))


def resolve(model: str | PathLike[str]) -> Path:
    """Return the file of an installed model or of a path; see :func:`load`. A path need not exist."""
    if not may_be_name(model):
        return Path(model)
    found = [entry for entry in _entries() if entry.name == model]
    is_file = Path(model).exists() and not Path(model).is_dir()
    if not found and not is_file:
        raise _not_found(f"no model {model!r} is installed, and there is no file of this name", model)
    if not found:
        return Path(model)
    if is_file:
        raise ModelError(
            f"{model!r} is an installed model and a file in this directory; write './{model}' for the file"
        )
    return _only(model, found)


def may_be_name(model: str | PathLike[str]) -> TypeGuard[str]:
    """Return whether a string may name an installed model: it has no separator of paths and no dot."""
    return isinstance(model, str) and not any(char in model for char in "/\\.")


def default_model(language: str) -> Path:
    """Return the file of the only installed model of a language, given as the first part of names, such as ``en``.

    Raises
    ------
    spanrs.errors.ModelNotFoundError
        If there is none.
    spanrs.errors.ModelError
        If there are several.
    """
    found = [entry for entry in _entries() if entry.name.partition("_")[0] == language]
    names = sorted({entry.name for entry in found})
    if not found:
        raise _not_found(f"no model of the language {language!r} is installed")
    if len(names) > 1:
        raise ModelError(f"the models {', '.join(names)} are installed; pass the name of one of them")
    return _only(names[0], found)


def _entries() -> list[EntryPoint]:
    """Return the entry points of the models."""
    # The import is slow, and paths do not need it.
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))


def _only(name: str, entries: list[EntryPoint]) -> Path:
    """Return the file of the only entry point with a name."""
    if len(entries) > 1:
        distributions = " and ".join(sorted(_distribution(entry)[0] for entry in entries))
        raise ModelError(f"the model {name!r} is installed by {distributions}; uninstall one of them")
    model = _located(entries[0])
    if not model.path.is_file():
        raise ModelError(f"{model.distribution} has no file {model.path}; install it again")
    return model.path


def _located(entry: EntryPoint) -> InstalledModel:
    """Locate the package of an entry point without importing it."""
    distribution, version = _distribution(entry)
    # find_spec imports the parents of a dotted name.
    try:
        spec = find_spec(entry.value) if entry.value.isidentifier() else None
    except ValueError:  # a module without a specification, such as __main__
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(
            f"{distribution} registers the model {entry.name!r}, but its package {entry.value} cannot be found; "
            "install it again"
        )
    path = Path(spec.submodule_search_locations[0]) / f"{entry.name}{SUFFIX}"
    return InstalledModel(entry.name, path, distribution, version)


def _distribution(entry: EntryPoint) -> tuple[str, str]:
    """Return the name and the version of the distribution of an entry point."""
    return ("?", "?") if entry.dist is None else (entry.dist.name, entry.dist.version)


def _normalized(name: str) -> str:
    """Return the name of a model that another spelling means: ``en_ewt`` for ``EN-EWT`` and ``spanrs-model-en-ewt``."""
    return re.sub(r"[-_\s]+", "_", name.strip().lower()).removeprefix("spanrs_model_")


def _not_found(missing: str, name: str | None = None) -> ModelNotFoundError:
    """Return the error for a model that is not installed; ``missing`` begins the message."""
    spellings = {entry.name: _normalized(entry.name) for entry in _entries()}
    missing = f"{missing} (installed models: {', '.join(sorted(spellings)) or 'none'}); "
    wheel = "NAME"
    if name is not None:
        # The import is slow, and names that are found do not need it.
        from difflib import get_close_matches

        meant = _normalized(name)
        if same := sorted(installed for installed, spelling in spellings.items() if spelling == meant):
            return ModelNotFoundError(f"{missing}did you mean {' or '.join(map(repr, same))}?")
        close = get_close_matches(meant, sorted(set(spellings.values())), cutoff=0.75)
        if similar := sorted(installed for installed, spelling in spellings.items() if spelling in close):
            missing += f"did you mean {' or '.join(map(repr, similar))}? Otherwise "
        wheel = meant if NAME.fullmatch(meant) else wheel
    return ModelNotFoundError(
        f"{missing}install its wheel, pip install spanrs_model_{wheel}-*.whl, which 'make model' builds from a "
        "treebank (docs/guides/models.md), or give the path of a model file"
    )
