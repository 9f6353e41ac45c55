"""JSON that commands write."""

from __future__ import annotations

import json
from typing import Any


def only_system(text: str | bytes) -> dict[str, Any]:
    """The result of the single system in the JSON of ``spanrs score``, without its name."""
    [system] = json.loads(text)["systems"]
    del system["name"]
    return system
