"""Corpora shared by tests: small ones of the project, and real ones outside of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recordings import REGRESSION


@dataclass(frozen=True)
class Submissions:
    """Predictions of several systems, with independently computed F1 in per cent."""

    gold: Path
    preds: dict[str, Path]
    #: By system: F1 under the readings conlleval, discard and strict; some systems are missing.
    by_reading: dict[str, tuple[float, float, float]]
    #: By system: F1 of the exact, the fair and the weighted evaluation.
    fair: dict[str, list[str]]
    #: The system with malformed tags, and how many it has.
    malformed: str
    violations: int


def small_submissions(folder: Path) -> Submissions:
    # Counted by hand; gold has 8 spans.
    # well_formed: 5 match, and there are one LE, one BES, one FP and one FN.
    # malformed: 4 tags I- continue no span. Under conlleval 6 of 9 spans match, and there are one BES, one
    # LBE, one FP and one FN; under discard and strict 4 of 5 match.
    names = ("well_formed.conll", "malformed.conll")
    return Submissions(
        folder / "tagged" / "gold.conll",
        {name: folder / "tagged" / name for name in names},
        {"well_formed.conll": (62.50, 62.50, 62.50), "malformed.conll": (70.59, 61.54, 61.54)},
        {"well_formed.conll": ["62.50", "71.43", "75.86"], "malformed.conll": ["70.59", "75.00", "78.79"]},
        "malformed.conll",
        4,
    )


def wnut(folder: Path) -> Submissions:
    names = ("arcada", "drexel_cci", "flytxt", "sjtu_adapt.txt", "spinningbytes.txt")
    return Submissions(
        folder / "emerging.test.annotated",
        {name: folder / "submissions" / name for name in names},
        {"spinningbytes.txt": (40.78, 41.31, 41.31), "arcada": (39.98, 39.98, 39.98)},
        {
            "arcada": ["39.98", "46.19", "49.00"],
            "drexel_cci": ["26.30", "28.44", "31.75"],
            "flytxt": ["38.35", "43.73", "45.83"],
            "sjtu_adapt.txt": ["40.42", "46.14", "48.82"],
            "spinningbytes.txt": ["40.78", "47.09", "51.11"],
        },
        "spinningbytes.txt",
        34,
    )


@dataclass(frozen=True)
class Nested:
    """Four columns: index, token, outer tag, inner tag; headings start with #."""

    path: Path
    tokens: int
    sentences: int
    #: Lower bounds of the pairs of nested spans, and of each kind of error in a corrupted copy.
    pairs: int
    errors: int


def small_nested(folder: Path) -> Nested:
    return Nested(folder / "nested.tsv", 502, 60, 20, 5)


def germeval(folder: Path) -> Nested:
    return Nested(folder / "NER-de-dev.tsv", 41653, 2200, 100, 50)


@dataclass(frozen=True)
class SpanFiles:
    """Directories config, target, system and eval as in FairEval, for `ner` and `chunks`."""

    folder: Path
    #: The expected counts of these files.
    recorded: Path


def small_span_files(folder: Path) -> SpanFiles:
    # Counted by spanrs, because FairEval cannot be installed from PyPI.
    folder = folder / f"{REGRESSION}faireval"
    return SpanFiles(folder, folder / "counts.json")


def published_span_files(shared: Path) -> SpanFiles:
    return SpanFiles(shared / "data" / "faireval", shared / "golden" / "evaluators" / "faireval_data.json")
