"""Makes ``import seqeval`` and the like import the modules of spanrs, in this process.

A finder before all others loads the activated names. The module it loads *is* that of spanrs, not a copy:
``seqeval.metrics is spanrs.compat.seqeval.metrics``.
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

#: Package -> its version that is reproduced; None for packages that were never a distribution.
VERSIONS = {
    "conlleval": "0.2",
    "faireval": None,
    "iobes": "1.5.1",
    "nervaluate": "1.2.1",
    "pycrfsuite": "0.9.12",
    "seqeval": "1.2.2",
    "seqscore": "0.9.0",
    "sklearn_crfsuite": "0.5.0",
}

#: Packages that are imported by another name than they have here.
MODULES = {"faireval": "FairEval"}
#: Packages whose distribution has another name.
DISTRIBUTIONS = {"pycrfsuite": "python-crfsuite", "sklearn_crfsuite": "sklearn-crfsuite"}
_PACKAGES = {MODULES.get(package, package): package for package in VERSIONS}

_lock = threading.RLock()
#: Whether packages of hooks are being activated.
_is_taking_over = False
#: Activated package -> its modules that were imported before.
_aside: dict[str, dict[str, ModuleType]] = {}


# Loaders and finders need no base class, and importlib.abc would double the time of this import.
class _Loader:
    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: ModuleSpec) -> None:  # noqa: ARG002
        return None

    def exec_module(self, module: ModuleType) -> None:
        # The import system takes the module from sys.modules when this returns.
        assert module.__spec__ is not None
        sys.modules[module.__spec__.name] = importlib.import_module(self._target)


class Finder:
    """Finds the modules and distributions of activated packages."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        top, dot, rest = fullname.partition(".")
        package = _PACKAGES.get(top)
        if package not in _aside:
            return None
        name = f"spanrs.compat.{package}{dot}{rest}"
        try:
            known = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            known = None
        if known is None:
            return None
        spec = ModuleSpec(fullname, _Loader(name), origin=known.origin)  # type: ignore[arg-type]
        spec.submodule_search_locations = known.submodule_search_locations
        spec.has_location = known.has_location
        return spec

    def find_distributions(self, context: DistributionFinder.Context) -> Iterator[Distribution]:
        for package in list(_aside):
            version = VERSIONS[package]
            name = DISTRIBUTIONS.get(package, package)
            wanted = context.name and context.name.lower().replace("_", "-").replace(".", "-")
            if version is not None and wanted in (None, name):
                yield _distribution(package, version, name)


_finder = Finder()


def _distribution(package: str, version: str, name: str) -> Distribution:
    """Return the metadata of a package that spanrs replaces, with the version that is reproduced."""
    # Called by importlib.metadata only, which is slow to import.
    import pathlib
    from importlib.metadata import Distribution

    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: spanrs.compat.{package}\n"

    class ActivatedDistribution(Distribution):
        def read_text(self, filename: str) -> str | None:
            return {"METADATA": head, "top_level.txt": f"{package}\n"}.get(filename)

        def locate_file(self, path: object) -> Path:
            return pathlib.Path(__file__).parent / str(path)

    return ActivatedDistribution()


class Activation:
    """Result of :func:`activate`; as a context manager, it undoes the call at the end.

    ``names`` are the packages that the call has activated, without those that were active before.
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


def activate(*names: str) -> Activation:
    """Make ``import seqeval`` and the like import the modules of spanrs, in this process.

    The names are those of the modules in docs/compat.md, which also says what happens to packages that were
    imported before; no names mean all. Other names are a ValueError, and nothing is activated. Activation and
    deactivation hold for the whole process: of ``with`` blocks that overlap, in threads say, the first to end
    deactivates for all.

    Examples
    --------
    >>> from spanrs import compat
    >>> with compat.activate("seqeval"):
    ...     import seqeval.metrics
    ...     seqeval.metrics.__name__
    'spanrs.compat.seqeval.metrics'
    """
    check_names(names)
    with _lock:
        new = [name for name in dict.fromkeys(names or VERSIONS) if name not in _aside]
        for name in new:
            _aside[name] = _take_out(name)
        if _aside and _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        importlib.invalidate_caches()
    return Activation(new)


def deactivate(*names: str) -> None:
    """Undo :func:`activate`, and restore the modules that were imported before; no names mean all."""
    check_names(names)
    with _lock:
        for name in names or VERSIONS:
            before = _aside.pop(name, None)
            if before is not None:
                _take_out(name)
                sys.modules.update(before)
        if not _aside and _finder in sys.meta_path:
            sys.meta_path.remove(_finder)
        importlib.invalidate_caches()


def take_over_hooks() -> Finder:
    """Activate the packages of hooks that ``install-hook`` wrote, which find nothing afterwards."""
    global _is_taking_over  # noqa: PLW0603  # guarded by the lock
    # Imports of other threads wait here until the packages are activated; an import by `activate` itself must not.
    with _lock:
        if _is_taking_over:
            return _finder
        _is_taking_over = True
        try:
            for finder in list(sys.meta_path):
                if type(finder).__name__ == "SpanrsHook":
                    # A hook of another version may name other packages.
                    packages = [package for package in finder.packages if package in VERSIONS]  # type: ignore[attr-defined]
                    if packages:
                        activate(*packages)
                    finder.packages = ()  # type: ignore[attr-defined]
        finally:
            _is_taking_over = False
    return _finder


def check_names(names: Iterable[str]) -> None:
    """Refuse names of packages that spanrs does not stand in for."""
    for name in names:
        if name not in VERSIONS:
            raise ValueError(f"spanrs does not stand in for {name!r}; it does for {', '.join(VERSIONS)}")


def _take_out(package: str) -> dict[str, ModuleType]:
    """Remove a package and its modules from the imported modules, and return them."""
    top = MODULES.get(package, package)
    names = [name for name in list(sys.modules) if name == top or name.startswith(f"{top}.")]
    return {name: sys.modules.pop(name) for name in names}


# Hooks are applied first, so that later calls of `activate` and `deactivate` override them.
take_over_hooks()
