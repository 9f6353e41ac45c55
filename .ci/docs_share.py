"""Report the share of doc comments (``///`` and ``//!``) in the Rust lines of each crate.

Run as ``python .ci/docs_share.py [--least PERCENT]`` with the standard library alone. Tests of a crate (its folder
``tests``) are not counted. With --least the exit status is 1 if the share of all crates together is smaller.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Lines(NamedTuple):
    """Numbers of lines: all, those that are not blank, and those that are doc comments."""

    all: int
    filled: int
    docs: int

    def __add__(self, item: Lines) -> Lines:  # type: ignore[override]
        return Lines(*(a + b for a, b in zip(self, item, strict=True)))


def count(crate: Path) -> Lines:
    """Count the lines of a crate."""
    total = Lines(0, 0, 0)
    for path in (crate / "src").rglob("*.rs"):
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        docs = sum(line.startswith(("///", "//!")) and not line.startswith("////") for line in lines)
        total += Lines(len(lines), sum(map(bool, lines)), docs)
    return total


def main() -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT")
    least = parser.parse_args().least
    crates = {
        path.parent.name: count(path.parent) for path in sorted((ROOT / "rust").glob("spanrs*/Cargo.toml"))
    }
    crates["all"] = sum(crates.values(), Lines(0, 0, 0))
    print(f"{'crate':<16}{'lines':>8}{'docs':>8}{'% of lines':>12}{'% of filled':>13}")
    for name, lines in crates.items():
        share, filled = 100 * lines.docs / lines.all, 100 * lines.docs / lines.filled
        print(f"{name:<16}{lines.all:>8}{lines.docs:>8}{share:>12.1f}{filled:>13.1f}")
    return int(100 * crates["all"].docs / crates["all"].all < least)


if __name__ == "__main__":
    raise SystemExit(main())
