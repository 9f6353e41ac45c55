"""The recorded cases of MATScore, as arguments of spanrs."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import mat_cases
import spanrs
from spanrs import Result, mat
from spanrs.io import Pairing


@dataclass(frozen=True)
class Case:
    """What a case's arguments mean."""

    gold: Path
    pred: Path
    matcher: mat.Mat
    read_gold: dict[str, Any]
    read_pred: dict[str, Any]
    pairing: Pairing

    def score(self, *, file_re: str | None = None, threads: int = 1, **options: Any) -> Result:
        """Score the files, with other options of the matcher than those of the case."""
        return mat_cases.lenient(
            spanrs.read(self.gold, **self.read_gold),
            spanrs.read(self.pred, **self.read_pred),
            replace(self.matcher, **options),
            pairing=replace(self.pairing, file_re=file_re or self.pairing.file_re),
            details=True,
            threads=threads,
        )


def read(folder: Path, name: str) -> Case:
    """Read a case."""
    gold, pred, options = mat_cases.options(folder, name)
    assert options.pop("details")
    assert options.pop("lenient")
    names = [field.name for field in fields(Pairing)]
    pairing = Pairing(**{name: options.pop(name) for name in names if name in options})
    formats = [options.pop(f"{side}format", "mat-json") for side in ("gold_", "")]
    of_xml = {"overlay": options.pop("overlay", False)}
    if options.pop("translate_all", False):
        of_xml["elements"] = "all"
    read_gold, read_pred = ({"format": name} | (of_xml if name == "xml-inline" else {}) for name in formats)
    return Case(gold, pred, mat.Mat(**options), read_gold, read_pred, pairing)
