"""The NERC figures of the HIPE scorer: :class:`Evaluator`, and ``python -m spanrs.compat.hipe`` with its options.

Linking (``nel``) is not provided.
"""

from spanrs.compat.hipe.evaluator import Evaluator

__all__ = ["Evaluator"]
