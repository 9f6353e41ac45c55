"""Every matcher in this checkout and in another one with a release build in `.venv`.

    git worktree add ../before COMMIT  # and `make .venv/released` there
    python -m benches.versus.commits ../before [--rounds N]

Processes of both alternate, so that both run under the same load. Ratios are of medians within a round.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import subprocess
from pathlib import Path

from benches.versus.measure import Record, machine, milliseconds, significant

HERE = Path(__file__).parent.parent
#: Runs of each call in a process; the first one warms up.
RUNS = 8
CHILD = """
import json, sys, tempfile, warnings
from pathlib import Path
from benches.versus import matchers
from benches.versus.measure import once
from benches.versus.run import TOKENS, corpus
warnings.simplefilter("ignore")
with tempfile.TemporaryDirectory() as folder:
    calls = matchers.calls(corpus(Path(folder), TOKENS))
    times = {name: [] for name in calls}
    for _ in range(RUNS):
        for name, call in calls.items():
            times[name].append(once(call))
print(json.dumps({name: found[1:] for name, found in times.items()}))
"""


def times(checkout: Path) -> dict[str, list[float]]:
    """Seconds of each call, in a separate process."""
    command = [checkout / ".venv/bin/python", "-c", f"RUNS = {RUNS}\n{CHILD}"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    parsed: dict[str, list[float]] = json.loads(done.stdout)
    return parsed


def commit(checkout: Path) -> str:
    """The commit of a checkout."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    here = HERE.parent
    rounds = [(times(given.before.resolve()), times(here)) for _ in range(given.rounds)]
    date = datetime.datetime.now(datetime.UTC).date()
    record = Record()
    record.add(f"# {date}: every matcher, {commit(given.before)} beside {commit(here)}")
    record.add()
    record.add(
        f"`python -m benches.versus.commits` on {machine()}. {given.rounds} rounds of one process each, "
        f"{RUNS - 1} runs of each call; 1 M tokens, one thread."
    )
    record.add()
    rows = []
    for name in rounds[0][1]:
        medians = [[statistics.median(item[name]) for item in pair] for pair in rounds]
        least = [min(min(pair[side][name]) for pair in rounds) for side in (0, 1)]
        before, after = (statistics.median(item) for item in zip(*medians, strict=True))
        ratio = statistics.median(b / a for a, b in medians)
        rows.append(
            (
                name,
                milliseconds(before),
                milliseconds(after),
                significant(ratio),
                milliseconds(least[0]),
                milliseconds(least[1]),
                significant(least[1] / least[0]),
            )
        )
    heads = (
        "",
        "before: median ms",
        "after",
        "after of before",
        "before: least ms",
        "after",
        "after of before",
    )
    record.table(heads, rows)
    (HERE / "record" / f"{date}-commits.md").write_text("\n".join(record.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
