"""The recorded cases of MATScore, as arguments of spanrs."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import mat_cases
from spanrs import Result, mat


@dataclass(frozen=True)
class Case:
    """What a case's arguments mean."""

    gold: Path
    pred: Path
    matcher: mat.Mat
    input_format: mat.InputFormat
    gold_input_format: mat.InputFormat
    pairing: mat.Pairing

    def score(self, *, file_re: str | None = None, threads: int = 1, **options: Any) -> Result:
        """Score the files, with other options of the matcher than those of the case."""
        # TODO lenient
        return mat.score(
            self.gold,
            self.pred,
            replace(self.matcher, **options),
            input_format=self.input_format,
            gold_input_format=self.gold_input_format,
            pairing=replace(self.pairing, file_re=file_re or self.pairing.file_re),
            details=True,
            lenient=True,
            threads=threads,
        )


def read(folder: Path, name: str) -> Case:
    """Read a case."""
    gold, pred, options = mat_cases.options(folder, name)
    assert options.pop("details")
    assert options.pop("lenient")
    formats = {side: options.pop(f"{side}format", "mat-json") for side in ("", "gold_")}

    def taken(kind: type) -> dict[str, Any]:
        return {field.name: options.pop(field.name) for field in fields(kind) if field.name in options}

    pairing, input_format = mat.Pairing(**taken(mat.Pairing)), mat.InputFormat(**taken(mat.InputFormat))
    of_pred, of_gold = (replace(input_format, format=formats[side]) for side in ("", "gold_"))
    return Case(gold, pred, mat.Mat(**options), of_pred, of_gold, pairing)
