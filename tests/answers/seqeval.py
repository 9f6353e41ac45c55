"""Answers of seqeval: spans, scores, reports, warnings and errors of both modes."""

from __future__ import annotations

import contextlib
import importlib
import math
import warnings
from collections.abc import Callable
from typing import Any

import answers

#: Scheme of the recorded pairs -> class of seqeval; others have no strict mode.
CLASSES = {
    "IOB1": "IOB1",
    "BIO": "IOB2",
    "IOE1": "IOE1",
    "IOE2": "IOE2",
    "IOBES": "IOBES",
    "BILOU": "BILOU",
}
#: The message lists a set of prefixes, whose order depends on PYTHONHASHSEED.
UNSUPPORTED = "This scheme is not supported: {"
Field = Callable[[dict[str, Any]], Any]


def plain(value):
    """Replace numpy scalars, tuples and NaN by JSON values."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(value)
    return value if isinstance(value, str) else int(value)


def attempt(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = answers.attempt(lambda: plain(function(*args, **options)))
    if isinstance(got, dict) and str(got.get("msg", "")).startswith(UNSUPPORTED):
        got["msg"] = UNSUPPORTED + "...set order varies with PYTHONHASHSEED...}"
    return got


class Answers:
    """Fields of the recorded rows, each a function of a pair with gold `g`, pred `p` and scheme `s`."""

    def __init__(self, package: str) -> None:
        self.metrics = importlib.import_module(f"{package}.metrics")
        self.schemes = importlib.import_module(f"{package}.scheme")
        self.get_entities = importlib.import_module(f"{package}.metrics.sequence_labeling").get_entities

    def default(self) -> dict[str, Field]:
        m = self.metrics
        return {
            "eg": lambda r: attempt(self.get_entities, r["g"]),
            "ep": lambda r: attempt(self.get_entities, r["p"]),
            "f1": lambda r: attempt(m.f1_score, [r["g"]], [r["p"]]),
            "P": lambda r: attempt(m.precision_score, [r["g"]], [r["p"]]),
            "R": lambda r: attempt(m.recall_score, [r["g"]], [r["p"]]),
            "w": self._warnings,
            "rep0": lambda r: self._report(r, 0),
            "rep1": lambda r: self._report(r, 1),
            "txt": lambda r: attempt(m.classification_report, [r["g"]], [r["p"]], digits=4),
            "acc": lambda r: attempt(m.accuracy_score, [r["g"]], [r["p"]]),
            "pm": self._outcomes,
        }

    def strict(self) -> dict[str, Field]:
        def mode(r):
            return {"mode": "strict", "scheme": self._scheme(r)}

        def automatic(r):
            rows = self._report(r, 0, mode="strict")
            return "=rep0" if rows == self._report(r, 0, **mode(r)) else rows

        def detected(r):
            return attempt(lambda: self.schemes.auto_detect([r["g"]]).__name__)

        return {
            "eg": lambda r: self._strict_spans(r, "g"),
            "ep": lambda r: self._strict_spans(r, "p"),
            "f1": lambda r: attempt(self.metrics.f1_score, [r["g"]], [r["p"]], **mode(r)),
            "rep0": lambda r: self._report(r, 0, **mode(r)),
            "rep1": lambda r: self._report(r, 1, **mode(r)),
            "auto": detected,
            "rep_auto": automatic,
        }

    def suffix(self) -> dict[str, Field]:
        return {
            "eg": lambda r: attempt(self.get_entities, r["g"], suffix=True),
            "ep": lambda r: attempt(self.get_entities, r["p"], suffix=True),
            "rep0": lambda r: self._report(r, 0, suffix=True),
            "sg": lambda r: self._strict_spans(r, "g", suffix=True),
            "sp": lambda r: self._strict_spans(r, "p", suffix=True),
        }

    def _scheme(self, r):
        return getattr(self.schemes, CLASSES[r["s"]])

    def _outcomes(self, r):
        counts = attempt(self.metrics.performance_measure, [r["g"]], [r["p"]])
        return [counts[name] for name in ("TP", "FP", "FN", "TN")]

    def _warnings(self, r):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for name in ("f1_score", "precision_score", "recall_score"):
                with contextlib.suppress(Exception):
                    getattr(self.metrics, name)([r["g"]], [r["p"]])
        return sorted({f"{w.category.__name__}: {w.message}" for w in caught})

    def _report(self, r, zero_division, **options):
        options |= {"output_dict": True, "zero_division": zero_division}
        rows = attempt(self.metrics.classification_report, [r["g"]], [r["p"]], **options)
        if isinstance(rows.get("err"), str):
            return rows
        columns = ("precision", "recall", "f1-score", "support")
        return {name: [row[column] for column in columns] for name, row in rows.items()}

    def _strict_spans(self, r, side, **options):
        """Return the spans of `Entities`, which must be those of `Tokens`."""

        def read():
            entities = self.schemes.Entities([r[side]], self._scheme(r), **options).entities[0]
            tokens = self.schemes.Tokens(r[side], self._scheme(r), **options).entities
            return [[[e.tag, e.start, e.end] for e in row] for row in (entities, tokens)]

        sides = attempt(read)
        if isinstance(sides, dict):
            return sides
        assert sides[0] == sides[1]
        return sides[0]
