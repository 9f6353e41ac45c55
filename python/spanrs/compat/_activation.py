"""Redirects ``import seqeval`` and other imports to the modules of spanrs, in this process.

The first finder on ``sys.meta_path`` loads the activated names. The loaded module *is* the module of spanrs, not a
copy: ``seqeval.metrics is spanrs.compat.seqeval.metrics``.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution, DistributionFinder
    from pathlib import Path

#: Package -> the version that is reproduced; None for packages that were never distributed.
VERSIONS = {
    "conlleval": "0.2",
    "eval4ner": "0.1.0",
    "faireval": None,
    "iobes": "1.5.1",
    "nervaluate": "1.2.1",
    "pycrfsuite": "0.9.12",
    "seqeval": "1.2.2",
    "seqscore": "0.9.0",
    "sklearn_crfsuite": "0.5.0",
}

#: Import names of packages that have a different name in this module.
MODULES = {"faireval": "FairEval"}
#: Package -> older version that is reproduced -> the module in this package.
OLDER = {"nervaluate": {"0.2.0": "nervaluate.v0"}}
#: Console scripts of packages.
SCRIPTS = {"seqscore": "seqscore.scripts.seqscore:cli"}
#: Distribution names of packages that differ from their import names.
DISTRIBUTIONS = {"pycrfsuite": "python-crfsuite", "sklearn_crfsuite": "sklearn-crfsuite"}
_PACKAGES = {MODULES.get(package, package): package for package in VERSIONS}

_lock = threading.RLock()
#: Whether packages named by hooks are being activated.
_is_taking_over = False
#: Activated package -> its modules imported before activation.
_aside: dict[str, dict[str, ModuleType]] = {}
#: Package activated in an older version -> that version.
_older: dict[str, str] = {}


# Loaders and finders need no base class; importing importlib.abc would double the import time of this module.
class _Loader:
    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: ModuleSpec) -> None:  # noqa: ARG002
        return None

    def exec_module(self, module: ModuleType) -> None:
        # The import system takes the module from sys.modules afterwards.
        assert module.__spec__ is not None
        sys.modules[module.__spec__.name] = importlib.import_module(self._target)


class Finder:
    """Finder of the modules and distributions of activated packages."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        top, dot, rest = fullname.partition(".")
        package = _PACKAGES.get(top)
        if package not in _aside:
            return None
        module = OLDER[package][_older[package]] if package in _older else package
        name = f"spanrs.compat.{module}{dot}{rest}"
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            spec = None
        if spec is None:
            return None
        redirected = ModuleSpec(fullname, _Loader(name), origin=spec.origin)  # type: ignore[arg-type]
        redirected.submodule_search_locations = spec.submodule_search_locations
        redirected.has_location = spec.has_location
        return redirected

    def find_distributions(self, context: DistributionFinder.Context) -> Iterator[Distribution]:
        for package in list(_aside):
            version = _older.get(package, VERSIONS[package])
            name = DISTRIBUTIONS.get(package, package)
            wanted = context.name and context.name.lower().replace("_", "-").replace(".", "-")
            if version is not None and wanted in (None, name):
                yield _distribution(package, version, name)


_finder = Finder()


def _distribution(package: str, version: str, name: str) -> Distribution:
    """Return the metadata of a replaced package, with the version that is reproduced."""
    # Only called by importlib.metadata, which is slow to import.
    import pathlib
    from importlib.metadata import Distribution

    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: spanrs.compat.{package}\n"
    files = {"METADATA": head, "top_level.txt": f"{package}\n"}
    if package in SCRIPTS:
        files["entry_points.txt"] = f"[console_scripts]\n{package} = {SCRIPTS[package]}\n"

    class ActivatedDistribution(Distribution):
        def read_text(self, filename: str) -> str | None:
            return files.get(filename)

        def locate_file(self, path: object) -> Path:
            return pathlib.Path(__file__).parent / str(path)

    return ActivatedDistribution()


class Activation:
    """Result of :func:`activate`; as a context manager, it undoes the activation on exit.

    ``names`` are the packages activated by the call, without packages that were already active.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)

    def __enter__(self) -> Activation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.names:
            deactivate(*self.names)

    def __repr__(self) -> str:
        return f"<Activation of {', '.join(self.names) or 'nothing new'}>"


def activate(*names: str, version: str | None = None) -> Activation:
    """Redirect ``import seqeval`` and other imports to the modules of spanrs, in this process.

    The names are the module names listed in docs/compat.md, which also describes the effect on packages that are
    already imported; without names all packages are activated. An unknown name raises ValueError, and nothing is
    activated. Activation and deactivation affect the whole process: if ``with`` blocks overlap, for example in threads,
    the first block that exits deactivates the packages for all blocks.

    ``version`` selects the version of one package by its first parts: ``activate("nervaluate", version="0.2")``. A
    version that spanrs does not reproduce raises ValueError, and so does a named package that is active in another
    version.

    Examples
    --------
    >>> from spanrs import compat
    >>> with compat.activate("seqeval"):
    ...     import seqeval.metrics
    ...     seqeval.metrics.__name__
    'spanrs.compat.seqeval.metrics'
    """
    check_names(names)
    older = _older_version(names, version)
    with _lock:
        for name in names:
            active = _older.get(name) or VERSIONS[name]
            if name in _aside and active != (older or VERSIONS[name]):
                raise ValueError(f"{name} is active in version {active}; deactivate({name!r}) first")
            if older is not None:
                _older[name] = older
        new = [name for name in dict.fromkeys(names or VERSIONS) if name not in _aside]
        for name in new:
            _aside[name] = _take_out(name)
        if _aside and _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        importlib.invalidate_caches()
    return Activation(new)


def deactivate(*names: str) -> None:
    """Undo :func:`activate` and restore the modules that were imported before; no names means all packages."""
    check_names(names)
    with _lock:
        for name in names or VERSIONS:
            before = _aside.pop(name, None)
            if before is not None:
                _older.pop(name, None)
                _take_out(name)
                sys.modules.update(before)
        if not _aside and _finder in sys.meta_path:
            sys.meta_path.remove(_finder)
        importlib.invalidate_caches()


def take_over_hooks() -> Finder:
    """Activate the packages of hooks written by ``install-hook``, and clear the package lists of the hooks."""
    global _is_taking_over  # noqa: PLW0603  # guarded by the lock
    # Imports in other threads wait here until the packages are activated; imports by `activate` itself must not wait.
    with _lock:
        if _is_taking_over:
            return _finder
        _is_taking_over = True
        try:
            for finder in list(sys.meta_path):
                if type(finder).__name__ == "SpanrsHook":
                    # A hook written by another version of spanrs may name other packages.
                    packages = [package for package in finder.packages if package in VERSIONS]  # type: ignore[attr-defined]
                    if packages:
                        activate(*packages)
                    finder.packages = ()  # type: ignore[attr-defined]
        finally:
            _is_taking_over = False
    return _finder


def check_names(names: Iterable[str]) -> None:
    """Refuse names of packages that spanrs does not replace."""
    for name in names:
        if name not in VERSIONS:
            raise ValueError(f"spanrs does not replace {name!r}; it replaces {', '.join(VERSIONS)}")


def _older_version(names: tuple[str, ...], version: str | None) -> str | None:
    """Return the version in ``OLDER`` that is requested; None for the version in ``VERSIONS``."""
    if version is None:
        return None
    if len(names) != 1:
        raise ValueError(f"version={version!r} needs the name of one package, not {len(names)} names")
    name, current = names[0], VERSIONS[names[0]]
    if current is None:
        raise ValueError(f"{name} has no versions, so version={version!r} cannot be selected")
    reproduced = [current, *OLDER.get(name, {})]
    for number in reproduced:
        if version and f"{number}.".startswith(f"{version}."):
            return number if number != current else None
    raise ValueError(f"spanrs does not reproduce {name} {version}; it reproduces {', '.join(reproduced)}")


def _take_out(package: str) -> dict[str, ModuleType]:
    """Remove a package and its submodules from sys.modules, and return them."""
    top = MODULES.get(package, package)
    names = [name for name in list(sys.modules) if name == top or name.startswith(f"{top}.")]
    return {name: sys.modules.pop(name) for name in names}


# Hooks are applied first, so that later calls of `activate` and `deactivate` override them.
take_over_hooks()
