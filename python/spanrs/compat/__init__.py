"""Drop-in replacements: one module for each replaced package, with the same public names.

:func:`activate` redirects imports of the packages to these modules.
"""

from spanrs.compat._activation import Activation, activate, deactivate

__all__ = ["Activation", "activate", "deactivate"]
