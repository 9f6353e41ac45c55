"""Files with the parent of each type."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from spanrs.errors import FormatError, with_code


def read_hierarchy(path: Path) -> dict[str, str]:
    """Read the parent of each type from a TOML or JSON file.

    Parameters
    ----------
    path : Path
        A file with the suffix ``.toml`` or ``.json``: a table or an object whose keys are types and whose values are
        their parents.

    Raises
    ------
    OSError
        If the file cannot be read.
    spanrs.errors.FormatError
        If the file has another suffix, cannot be parsed, or has values that are not names.
    """
    suffix = path.suffix.lower()
    if suffix not in (".toml", ".json"):
        message = f"{path}: a hierarchy is a .toml or .json file, not {suffix or 'a file without suffix'}"
        raise with_code(FormatError(message), "format", str(path))
    content = path.read_bytes()
    try:
        text = content.decode("utf-8")
        parsed = tomllib.loads(text) if suffix == ".toml" else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise with_code(
            FormatError(f"{path}: not valid {suffix[1:].upper()}: {error}"), "format", str(path)
        ) from None
    if not isinstance(parsed, dict) or not all(isinstance(parent, str) for parent in parsed.values()):
        message = f'{path}: a hierarchy maps types to their parents, such as GIVEN_NAME = "PERSON"'
        raise with_code(FormatError(message), "format", str(path))
    return parsed
