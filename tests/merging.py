"""What another process does with stored results. It imports no more than it needs."""

from __future__ import annotations

from collections.abc import Sequence

from spanrs import Result


def merged(stored: Sequence[bytes]) -> bytes:
    """Merge stored results, and store them again."""
    first, *rest = map(Result.from_bytes, stored)
    return first.merge(*rest).to_bytes()
