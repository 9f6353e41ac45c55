"""Everything that reads files, beside an older build: seconds of the processor and peak memory.

    git worktree add ../before COMMIT  # and `make .venv/released` there
    python -m benches.versus.one_way_in --before ../before [--after FOLDER] [--rows NAME,...] [--runs N] [--output FILE]

The Python of each checkout runs this script, so that both builds see the same inputs and calls. They take turns run by
run, so that both see the same seconds of the machine. A row is a command, from the start of Python to its end, or a
call in a process that has made it once before; reading and writing are part of both. Memory is that of one process
each. Wants WNUT17, EWT, GermEval and FairEval's data (`SPANRS_SHARED`, default ../shared).
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

ROOT = Path(__file__).parent.parent.parent
TOKENS = 2_000_000
SEED = 1803
RUNS = 7
#: Rows that take longer, in seconds, have fewer runs.
LONG, LONG_RUNS = 1.5, 3
#: Copies of a real corpus with different errors; more of them are copies of these.
NOISES = 4
#: Small files: pairs, and sentences of each.
PAIRS, SMALL = 500, 20
#: Sizes of inputs whose memory is compared, in MB.
SIZES = 10, 100
#: Sentences of EWT that the parser is trained on.
TREES = 2500
ITERATIONS = 10
LABELS = "PER,LOC,ORG,MISC"


class Command(NamedTuple):
    """A command of ``spanrs`` in a process of its own."""

    arguments: tuple[str, ...]
    program: str = ""
    """Python code that gets the arguments instead."""


class Usage(NamedTuple):
    """What a run took."""

    cpu: float
    """Seconds of the processor, of all threads."""
    wall: float
    """Seconds."""


Pair: TypeAlias = tuple[Path, Path]


def spanrs(*arguments: object) -> Command:
    """Give a command line."""
    return Command(tuple(map(str, arguments)))


def noisy(tags: Sequence[str], types: Sequence[str], rng: random.Random) -> list[str]:
    """Give BIO tags of a system: nine of ten spans are right, and one of a hundred other tokens is a span."""
    found = ["O"] * len(tags)
    at = 0
    while at < len(tags):
        end = at + 1
        if tags[at] == "O":
            if rng.random() < 0.01:
                found[at] = f"B-{rng.choice(types)}"
        else:
            while end < len(tags) and tags[end].startswith("I-"):
                end += 1
            kind, size, luck = tags[at][2:], end - at, rng.random()
            if 0.91 <= luck < 0.94:
                kind = rng.choice(types)
            elif luck >= 0.94:
                size = max(1, size - 1) if luck < 0.97 else 0
            found[at : at + size] = [f"B-{kind}", *[f"I-{kind}"] * (size - 1)][:size]
        at = end
    return found


def blocks(path: Path) -> list[list[list[str]]]:
    """Give the lines of each sentence, comments included, cut at tabs."""
    found: list[list[list[str]]] = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            found[-1].append(line.split("\t"))
        elif found[-1]:
            found.append([])
    return [block for block in found if block]


class Inputs:
    """Files in a folder, written when they are first asked for, and what is in them.

    Parameters
    ----------
    folder : Path
        Where the files are; processes that take turns share it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"

    def made(self, name: str, parts: Callable[[], Iterable[str | bytes]]) -> Path:
        """Give a file of these parts."""
        path = self.folder / name
        if not path.exists():
            with path.open("wb") as out:
                out.writelines(part if isinstance(part, bytes) else part.encode() for part in parts())
        return path

    @cached_property
    def lists(self) -> tuple[list[list[str]], list[list[str]]]:
        """The generated corpus as lists of tags."""
        from benches.versus.corpus import sentences

        return sentences(TOKENS)

    @cached_property
    def ids(self) -> dict[str, Any]:
        """Arguments that score the generated corpus as ids."""
        from benches.versus.corpus import VOCABULARY
        from benches.versus.inputs import flat_ids, lengths

        gold, pred = map(flat_ids, self.lists)
        return {"gold": gold, "pred": pred, "vocabulary": VOCABULARY, "lengths": lengths(self.lists[0])}

    @cached_property
    def arrow(self) -> dict[str, tuple[Any, Any]]:
        """The generated corpus as Arrow columns of all kinds."""
        from benches.versus.arrow import kinds

        return kinds((self.ids["gold"], self.ids["pred"]), self.ids["lengths"])

    def written(self, name: str, sides: Sequence[list[list[str]]]) -> Pair:
        """Give column files of tags of both sides, with words."""
        from benches.versus.corpus import write_file

        gold, pred = (self.folder / f"{name}.{side}" for side in ("gold", "pred"))
        for path, tags in zip((gold, pred), sides, strict=True):
            if not path.exists():
                write_file(path, tags)
        return gold, pred

    @cached_property
    def generated(self) -> Pair:
        """The generated corpus: tokens and tags, separated by spaces."""
        known = self.folder / "generated.gold", self.folder / "generated.pred"
        return known if known[1].exists() else self.written("generated", self.lists)

    @cached_property
    def compressed(self) -> Pair:
        """The generated corpus, compressed."""
        gold, pred = (
            self.made(f"{path.name}.gz", lambda path=path: [gzip.compress(path.read_bytes(), 6)])  # type: ignore[misc]
            for path in self.generated
        )
        return gold, pred

    @cached_property
    def both(self) -> Path:
        """The generated corpus in one file."""

        def lines() -> Iterable[str]:
            with (
                self.generated[0].open(encoding="utf-8") as gold,
                self.generated[1].open(encoding="utf-8") as pred,
            ):
                for one, other in zip(gold, pred, strict=True):
                    yield f"{one[:-1]} {other.split()[1]}\n" if one != "\n" else one

        return self.made("generated.both", lines)

    @cached_property
    def small(self) -> list[Pair]:
        """Pairs of small files."""
        from benches.versus.inputs import first

        some = self.folder / "small"
        some.mkdir(exist_ok=True)
        pairs = [(some / "ref" / f"{at}.conll", some / "hyp" / f"{at}.conll") for at in range(PAIRS)]
        for side in range(2):
            folder = pairs[0][side].parent
            if folder.exists():
                continue
            folder.mkdir()
            with self.generated[side].open(encoding="utf-8") as lines:
                text = "".join(line for line, _ in zip(lines, range(40 * PAIRS * SMALL), strict=False))
            sentences = first([block.split("\n") for block in text.split("\n\n")], 10**9)
            for at, pair in enumerate(pairs):
                own = sentences[at * SMALL : (at + 1) * SMALL]
                pair[side].write_text("\n\n".join("\n".join(one) for one in own) + "\n", encoding="utf-8")
        return pairs

    @cached_property
    def tiny(self) -> Pair:
        """A pair of small files."""
        return self.small[0]

    def real(
        self, name: str, sentences: list[list[list[str]]], columns: Sequence[int], tokens: int
    ) -> Pair:
        """Give files of so many tokens at least: gold, and pred with other tags in these columns."""
        types = sorted(
            {row[column][2:] for block in sentences for row in block for column in columns} - {""}
        )
        copies = -(
            -tokens // sum(row[0][:1] != "#" or len(row) == 2 for block in sentences for row in block)
        )
        rng = random.Random(SEED)

        def text(block: list[list[str]], changed: bool) -> str:
            rows = [list(row) for row in block]
            own = [row for row in rows if row[columns[0]][1:2] in ("", "-")]
            for column in columns if changed else ():
                tags = noisy([row[column] for row in own], types, rng)
                for row, tag in zip(own, tags, strict=True):
                    row[column] = tag
            return "".join("\t".join(row) + "\n" for row in rows) + "\n"

        def parts(changed: bool) -> Iterable[str]:
            some = ["".join(text(block, changed) for block in sentences) for _ in range(NOISES)]
            return [some[at % NOISES] for at in range(copies)]

        return self.made(f"{name}.gold", lambda: parts(False)), self.made(
            f"{name}.pred", lambda: parts(True)
        )
