"""What all results have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any


class Made(ABC):
    """A result that knows how it was made."""

    settings: Mapping[str, str]

    @property
    def signature(self) -> str:
        """How the result was made. Results with different signatures do not compare."""
        settings = dict(self.settings)
        if self.differing_tokens:
            version = settings.pop("version")
            settings |= {"differing_tokens": str(self.differing_tokens), "version": version}
        return "|".join(f"{name}:{value}" for name, value in settings.items())

    @property
    def differing_tokens(self) -> int:
        """Tokens that differ between gold and pred, where that is no error. Merging adds them up."""
        return 0

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dictionaries, lists, strings and numbers."""

    def to_json(self, indent: int | None = None, **options: Any) -> str:
        """Give :meth:`to_dict` as JSON text.

        Parameters
        ----------
        indent : int, optional
            Spaces a level; None for one line.
        **options
            Those of :meth:`to_dict`.

        Returns
        -------
        str
            Valid JSON: there are no NaN and no infinities in it.
        """
        import json

        return json.dumps(self.to_dict(**options), indent=indent, ensure_ascii=False, allow_nan=False)
