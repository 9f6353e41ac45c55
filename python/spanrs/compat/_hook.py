"""The hook of an environment: activates packages on first import, in every interpreter.

The source of this module is written to a ``.pth`` file, which site executes when an interpreter starts. The module must
not import slow modules, and must not import spanrs before one of the packages is imported, because spanrs may have been
uninstalled.
"""

from __future__ import annotations

import os
import sys

# Avoids an import of typing.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from importlib.metadata import Distribution, DistributionFinder

    from spanrs.compat._activation import Finder


class SpanrsHook:
    """Finder that imports spanrs.compat when one of ``packages`` is imported; activation empties ``packages``."""

    def __init__(
        self, packages: Sequence[str], tops: Mapping[str, str], distributions: Mapping[str, str]
    ) -> None:
        self.packages = packages
        self._tops, self._distributions = tops, distributions

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in [self._tops[package] for package in self.packages]:
            return None
        finder = self._activate()
        return None if finder is None else finder.find_spec(name, path, target)

    def find_distributions(self, context: DistributionFinder.Context) -> Iterable[Distribution]:
        name = context.name and context.name.lower().replace("_", "-").replace(".", "-")
        # Listing all distributions, as `entry_points` does, must not activate packages.
        finder = (
            self._activate()
            if name in [self._distributions[package] for package in self.packages]
            else None
        )
        return finder.find_distributions(context) if finder else ()

    def _activate(self) -> Finder | None:
        packages = ", ".join(self.packages)
        try:
            from spanrs.compat._activation import take_over_hooks
        except ImportError as error:
            self.packages = ()
            sys.stderr.write(
                f"the hook of spanrs cannot import spanrs ({error}), so these packages are not replaced: {packages}; "
                "remove spanrs_activate.pth, or install spanrs\n"
            )
            return None
        return take_over_hooks()


def install(installed: Sequence[str], tops: Mapping[str, str], distributions: Mapping[str, str]) -> None:
    """Add a finder for the packages in SPANRS_ACTIVATE or, if it is not set, for the packages in ``installed``."""
    # site processes a directory again if its path is spelled differently.
    if any(type(finder).__name__ == "SpanrsHook" for finder in sys.meta_path):
        return
    chosen = os.environ.get("SPANRS_ACTIVATE")
    packages = installed if chosen is None else chosen.replace(",", " ").split()
    unknown = [package for package in packages if package not in tops]
    if unknown:
        sys.stderr.write(
            f"SPANRS_ACTIVATE: spanrs does not replace {unknown}; it replaces {', '.join(tops)}\n"
        )
    packages = [package for package in packages if package in tops]
    if packages:
        sys.meta_path.insert(0, SpanrsHook(packages, tops, distributions))
