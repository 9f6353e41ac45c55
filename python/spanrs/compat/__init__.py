"""Drop-in replacements: one module for each replaced package, of the same import shape.

:func:`activate` makes the packages' own names lead here.
"""

from spanrs.compat._activation import Activation, activate, deactivate

__all__ = ["Activation", "activate", "deactivate"]
