"""Section bootstrap: measures over bootstrap resamples for every matcher.

Needs WNUT17 (`data/wnut17` beside the recorded cases; SPANRS_SHARED says where).
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import spanrs
from benches.versus.measure import Call, Work, in_turn, milliseconds
from spanrs import mat

PACKAGES = ("numpy",)
ROOT = Path(__file__).parent.parent.parent
SAMPLES = 10_000


def run(work: Work) -> None:
    """Micro F1, macro F1 and F1 of each type, of documents of one sentence."""
    shared = Path(os.environ.get("SPANRS_SHARED", ROOT.parent / "shared"))
    folder = shared / "data" / "wnut17"
    results = _results(folder / "emerging.test.annotated", folder / "submissions" / "arcada", work.folder)
    calls: dict[str, Call] = {
        name: lambda result=result: result.bootstrap(samples=SAMPLES) for name, result in results.items()
    }
    work.record.heading(
        f"{SAMPLES:,} samples of the sentences of WNUT17",
        "`Result.bootstrap()`: micro F1, macro F1 and F1 of each type of the matcher's own criterion.",
    )
    rows = []
    for name, timing in in_turn(calls).items():
        result = results[name]
        interval = result.bootstrap(samples=SAMPLES).interval(spanrs.eval.Measure())
        f1, low, high = (f"{100 * value:.2f}" for value in (result.micro.f1, *interval))
        times = (milliseconds(timing.median), milliseconds(timing.least), timing.runs)
        rows.append((name, len(result.documents), len(result.per_type), *times, f1, f"{low} to {high}"))
    heads = ("matcher", "documents", "types", "median ms", "least ms", "runs", "micro F1", "95 %")
    work.record.table(heads, rows)


def _results(gold: Path, pred: Path, folder: Path) -> dict[str, spanrs.Result]:
    """Results by matcher, with a row for each sentence."""
    sides = [_sentences(path) for path in (gold, pred)]
    tags = [[[line.split()[-1] for line in rows] for rows in side] for side in sides]
    documents = [1] * len(sides[0])
    results = {
        name: spanrs.score(*tags, scheme="BIO", matcher=name, by=documents)
        for name in ("exact", "fair", "partial")
    }
    # MATScore pairs files: one for each sentence, with the tokens of gold.
    for name, side in zip(("gold", "pred"), tags, strict=True):
        (folder / name).mkdir()
        for at, (rows, of_sentence) in enumerate(zip(sides[0], side, strict=True)):
            lines = (f"{row.split()[0]}\t{tag}\n" for row, tag in zip(rows, of_sentence, strict=True))
            (folder / name / f"{at:04}.conll").write_text("".join(lines), encoding="utf-8")
    matcher = mat.Mat(content=list(results["exact"].per_type))
    results["mat"] = spanrs.score(
        folder / "gold", folder / "pred", matcher=matcher, on_error="skip", format="columns", scheme="BIO"
    )
    return results


def _sentences(path: Path) -> list[list[str]]:
    """Lines of each sentence."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").split("\n"))
    return [list(actual) for item, actual in itertools.groupby(lines, bool) if item]
