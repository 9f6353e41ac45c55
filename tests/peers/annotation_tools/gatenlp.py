"""Reads GATE's XML with the package gatenlp."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

from gatenlp import Document

# Its warnings are about values that it cannot read, which the values show.
logging.disable(logging.WARNING)


def described(path: Path) -> dict[str, Any]:
    document = Document.load(str(path), fmt="gatexml")
    return {
        "text": document.text,
        "metadata": dict(document.features.items()),
        "layers": list(document.annset_names()),
        "spans": [
            {
                "type": a.type,
                "layer": name,
                "pieces": [[a.start, a.end]],
                "text": document[a],
                "attributes": dict(a.features.items()),
            }
            for name in document.annset_names()
            for a in document.annset(name)
        ],
    }


def read(files: dict[str, str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        documents = []
        for name, content in sorted(files.items()):
            path = Path(folder, name)
            path.write_bytes(content.encode())
            documents.append(described(path))
    return {"documents": documents, "problems": []}


json.dump([read(files) for _, files in json.load(sys.stdin)], sys.stdout)
