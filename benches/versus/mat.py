"""Section mat: MATScore's tables beside json.loads of the same files, in seconds of the processor."""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import spanrs
from benches.versus import documents
from benches.versus.measure import PEER_RUNS, Call, Work, milliseconds, significant
from spanrs import mat

PACKAGES = ("numpy",)
ROOT = Path(__file__).parent.parent.parent
PAIRS, FEW, MANY, SCALE = 500, 100, 1000, 10_000
EVERYTHING = mat.Mat(content=documents.LABELS, tokens=["lex"])
TAGS = replace(EVERYTHING, tables=["tag"])
#: What the original needed for 500 pairs on the machine on which its outputs were recorded.
ORIGINAL = {"tag table": 6.5, "all tables, details, confusability": 11.5, "confidence": 9.1}


def run(work: Work) -> None:
    """Tables, confidence, growth, memory."""
    for pairs in (PAIRS, FEW, MANY):
        documents.write(work.folder / f"mat{pairs}", pairs)
    speed(work)
    growth(work)
    memory(work)
    scale(work)


def calls(folder: Path) -> dict[str, Call]:
    """What is measured."""
    gold, pred = folder / "ref", folder / "hyp"
    files = sorted([*gold.iterdir(), *pred.iterdir()])

    def read() -> None:
        for file in files:
            json.loads(file.read_bytes())

    def all_of_it() -> None:
        with tempfile.TemporaryDirectory() as out:
            mat.tables(spanrs.score(gold, pred, matcher=EVERYTHING, on_error="skip", details=True)).to_csv(
                out, formulas=None
            )

    return {
        "json.loads of the files": read,
        "tag table": lambda: mat.tables(
            spanrs.score(gold, pred, matcher=TAGS, on_error="skip"), kinds=False
        ),
        "four tables": lambda: mat.tables(spanrs.score(gold, pred, matcher=EVERYTHING, on_error="skip")),
        "four tables, details, confusability": lambda: (
            mat.tables(
                spanrs.score(gold, pred, matcher=EVERYTHING, on_error="skip", details=True)
            ).confusability
        ),
        "the same, written as CSV": all_of_it,
        "four tables, 1000 resamples": lambda: mat.tables(
            spanrs.score(gold, pred, matcher=EVERYTHING, on_error="skip"), confidence=1000
        ),
    }


def processor(call: Call) -> float:
    """Seconds of the processor for one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def in_turn(values: dict[str, Call], runs: int = PEER_RUNS) -> dict[str, list[float]]:
    """Seconds of each call; one after the other in each round."""
    gc.collect()
    times: dict[str, list[float]] = {name: [] for name in values}
    for _ in range(runs):
        for name, call in values.items():
            times[name].append(processor(call))
    return times


def speed(work: Work) -> None:
    """Beside json.loads."""
    folder = work.folder / f"mat{PAIRS}"
    size = sum(file.stat().st_size for file in folder.rglob("*.json")) / 1e6
    counted = mat.tables(
        spanrs.score(folder / "ref", folder / "hyp", matcher=EVERYTHING, on_error="skip", format="mat-json")
    )
    row = counted.tag["<all>"]
    work.record.heading(
        f"{PAIRS} pairs of documents",
        f"{row['reftotal']} annotations of gold, {row['hyptotal']} of pred, {row['test toks']} tokens a "
        f"side, {size:.1f} MB of MAT-JSON in {2 * PAIRS} files. Seconds of the processor, one thread, "
        "reading the files included in all rows. MAT 2.0.4 (Python 2.7) needed, on the machine on which "
        f"its outputs were recorded, {', '.join(f'{s} s ({name})' for name, s in ORIGINAL.items())}.",
    )
    times = in_turn(calls(folder), 2 * PEER_RUNS)
    # Rounds see different minutes of a machine whose speed wanders: ratios are taken within rounds.
    first = times["json.loads of the files"]
    work.record.table(
        ("", "median ms", "least ms", "runs", "of json.loads (median of rounds)", "(least)"),
        (
            (
                name,
                milliseconds(statistics.median(item)),
                milliseconds(min(item)),
                len(item),
                significant(statistics.median(a / b for a, b in zip(item, first, strict=True))),
                significant(min(item) / min(first)),
            )
            for name, item in times.items()
        ),
    )
    more = [a - b for a, b in zip(times["four tables, 1000 resamples"], times["four tables"], strict=True)]
    least = min(times["four tables, 1000 resamples"]) - min(times["four tables"])
    work.record.add(
        f"1000 resamples add {milliseconds(statistics.median(more))} ms (median of rounds), "
        f"{milliseconds(least)} ms (least against least)."
    )
    work.record.add()


def growth(work: Work) -> None:
    """Ten times the documents."""
    work.record.heading(f"{FEW} and {MANY} pairs")
    few, many = calls(work.folder / f"mat{FEW}"), calls(work.folder / f"mat{MANY}")
    mapping = {(name, pairs): call for pairs, of in ((FEW, few), (MANY, many)) for name, call in of.items()}
    named = {f"{name}|{pairs}": call for (name, pairs), call in mapping.items()}
    times = in_turn(named)
    work.record.table(
        ("", f"{FEW}: median ms", f"{MANY}: median ms", "ratio (median)", "(least)"),
        (
            (
                name,
                milliseconds(statistics.median(times[f"{name}|{FEW}"])),
                milliseconds(statistics.median(times[f"{name}|{MANY}"])),
                significant(
                    statistics.median(times[f"{name}|{MANY}"]) / statistics.median(times[f"{name}|{FEW}"])
                ),
                significant(min(times[f"{name}|{MANY}"]) / min(times[f"{name}|{FEW}"])),
            )
            for name in few
        ),
    )


def scale(work: Work) -> None:
    """Documents a second, with ten thousand of them."""
    folder = work.folder / f"mat{SCALE}"
    documents.write(folder, SCALE)
    size = sum(file.stat().st_size for file in folder.rglob("*.json")) / 1e6
    work.record.heading(
        f"{SCALE} pairs of documents",
        f"{size:.0f} MB of MAT-JSON in {2 * SCALE} files; seconds of the processor, one thread, reading included.",
    )
    times = in_turn(calls(folder), 3)
    work.record.table(
        ("", "median s", "pairs a second", "MB a second"),
        (
            (
                name,
                f"{statistics.median(item):.2f}",
                *(significant(n / statistics.median(item)) for n in (SCALE, size)),
            )
            for name, item in times.items()
        ),
    )


def memory(work: Work) -> None:
    """The largest a process becomes."""
    work.record.heading(
        "Memory",
        "The largest a process becomes (VmHWM) that scores so many pairs by all four tables and streams "
        "the details into a CSV file (`MATScore --details --csv_output_dir`).",
    )
    rows = []
    for pairs in (FEW, PAIRS, MANY):
        folder = work.folder / f"mat{pairs}"
        out = work.folder / f"out{pairs}"
        out.mkdir()
        options = "--by_token --by_pseudo_token --by_character --details --token_annotations lex"
        labels = ",".join(documents.LABELS)
        command = [sys.executable, "-c", CHILD, *options.split(), "--content_annotations", labels]
        command += ["--dir", folder / "hyp", "--ref_dir", folder / "ref", "--csv_output_dir", out]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        rows.append((pairs, f"{int(done.stdout) / 1024:.1f}"))
    work.record.table(("pairs", "MiB"), rows)


#: Runs the command line and says how large it became, in KiB.
CHILD = """
from spanrs.cli.matscore import command
from spanrs.cli.run import run
assert run(command) == 0
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
