"""Reads WebAnno TSV with the package webanno2spacy, which gives the relations."""

from __future__ import annotations

import csv
import json
import sys
from typing import Any

import spacy
from webanno2spacy import convert_rows


def described(content: str) -> dict[str, Any]:
    """Return the relations as type and first characters of source and target."""
    lines = content.split("\n")
    text = "\n".join(line.removeprefix("#Text=") for line in lines if line.startswith("#Text="))
    doc = convert_rows(spacy.blank("xx"), text, csv.reader(lines, delimiter="\t"))
    relations = [
        [kind, source, target]
        for (target, source), kinds in doc._.rel.items()
        for kind, score in kinds.items()
        if score
    ]
    return {"text": text, "relations": sorted(relations)}


def read(files: dict[str, str]) -> dict[str, Any]:
    return {"documents": {name: described(content) for name, content in files.items()}}


json.dump([read(files) for _, files in json.load(sys.stdin)], sys.stdout)
