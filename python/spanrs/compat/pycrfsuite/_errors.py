"""Failures of training."""

from __future__ import annotations

from typing import ClassVar

#: Code of an overflow.
OVERFLOW = -(2**31) + 5


class CRFSuiteError(Exception):
    """Training failed.

    Parameters
    ----------
    code : int
        CRFsuite's status.

    Examples
    --------
    >>> from spanrs.compat.pycrfsuite import CRFSuiteError
    >>> str(CRFSuiteError(-2147483643))
    'Overflow'
    """

    _messages: ClassVar[dict[int, str]] = dict(
        enumerate(
            (
                "Unknown error occurred",
                "Insufficient memory",
                "Unsupported operation",
                "Incompatible data",
                "Internal error",
                "Overflow",
                "Not implemented",
            ),
            start=-(2**31),
        )
    )

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(self._messages.get(code, "Unexpected error"))

    def __reduce__(self) -> tuple[type[CRFSuiteError], tuple[int]]:
        return type(self), (self.code,)
