"""Records the results of spanrs in place of peers that are not on PyPI."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import answers.conlleval
import answers.faireval
import answers.ncrfpp
from golden import inputs
from spanrs.compat import conlleval, faireval, ncrfpp

Row = dict[str, Any]
PAIRS = list(inputs.pairs())
#: The comparisons with the larger set that validate these records.
TESTS = [
    "tests/compat/test_golden_conlleval.py",
    "tests/compat/test_golden_faireval.py",
    "tests/compat/test_ncrfpp.py",
    "tests/mat/test_golden_mat.py",
]
#: The tests that read the larger set.
LARGER = "[shared or random_flat or news"


@contextlib.contextmanager
def working_directory(path: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def conlleval_py() -> Iterator[Row]:
    for row in PAIRS:
        actual = {
            "spyysalo": answers.conlleval.spyysalo(conlleval.spyysalo.evaluate, row),
            "sighsmile": answers.conlleval.sighsmile(conlleval.count_chunks, row),
        }
        yield {"id": row["id"], "o": actual}


def ncrfpp_measures() -> Iterator[Row]:
    for row in PAIRS:
        yield {"id": row["id"], "o": answers.ncrfpp.measure(ncrfpp, row["g"], row["p"])}


def overlap_types() -> list[list[Any]]:
    """Compare all pairs of spans with bounds from 1 to 5."""
    bounds = [(begin, end) for begin in range(1, 6) for end in range(begin, 6)]
    return [[*a, *b, faireval.overlap_type(a, b)] for a in bounds for b in bounds]


def faireval_pairs() -> Iterator[Row]:
    for row in PAIRS:
        sides = [answers.faireval.spans_of(row[side], row["s"]) for side in "gp"]
        comparison, by_system = answers.faireval.compare(faireval, *sides)
        yield {"id": row["id"], "o": comparison | {"lF_sys": by_system}}


def faireval_spansets() -> Iterator[Row]:
    for row in inputs.span_sets():
        comparison, by_system = answers.faireval.compare(faireval, row["t"], row["y"])
        yield row | {"o": comparison, "lF_sys": by_system}


def faireval_conll_reader() -> Iterator[Row]:
    for row in inputs.stacked_lines():
        out = {}
        for name, option in answers.faireval.COLUMNS.items():
            corpus, printed = answers.faireval.read(faireval, row["s"], labels=["all"], **option)
            out[name] = corpus
            if printed:
                out[f"{name}_out"] = printed
        yield row | {"o": out}


def faireval_span_reader() -> Iterator[Row]:
    for number, lines in enumerate(inputs.SPAN_LINES, 1):
        actual = {
            name: answers.faireval.read(faireval, lines, **option)
            for name, option in answers.faireval.SPANS.items()
        }
        yield {"id": number, "s": lines, "o": actual}


def faireval_read_config() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        answers.faireval.make_span_files(Path(folder))
        with working_directory(Path(folder) / "src"):
            for number, config in enumerate(inputs.CONFIGS, 1):
                Path("my.config").write_text(config, encoding="utf-8")
                actual, printed = answers.faireval.settings(faireval, "my.config")
                yield {"id": number, "config": config, "returns": actual, "stdout": printed}


def span_lines(sentences: list[list[list[Any]]]) -> str:
    """Format sentences as a span file."""
    text = ""
    for spans in sentences:
        text += "".join(f"{k}\t{b}\t{e}\t{', '.join(map(str, t))}\n" for k, b, e, t in spans)
        text += "\n"
    return text


def write_span_files(folder: Path) -> None:
    """Write span files of two kinds in FairEval's directories, with the expected counts."""
    kinds = {"ner": ("ner", {"flat"}), "chunks": ("chunk", {"nested", "overlap", "discont", "dup"})}
    for part in ("config", "target", "system", "eval"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    counts = {}
    for name, (stem, wanted) in kinds.items():
        # A sentence without spans is an empty line.
        sets = [row for row in inputs.span_sets() if row["k"] in wanted and row["t"] and row["y"]]
        for side, key in (("target", "t"), ("system", "y")):
            path = folder / side / f"{stem}_spans.csv"
            path.write_text(span_lines([row[key] for row in sets]), encoding="utf-8")
        config = answers.faireval.CONFIG.format(stem)
        (folder / "config" / f"{name}.config").write_text(
            f"# Settings for {name}.\n{config}eval_out = ./../eval/eval_{name}.csv\n", encoding="utf-8"
        )
        with tempfile.TemporaryDirectory() as home:
            (Path(home) / "data").symlink_to(folder.resolve())
            (Path(home) / "src").mkdir()
            with working_directory(Path(home) / "src"):
                Path("my.config").write_text(config, encoding="utf-8")
                counts[name] = answers.faireval.of_files(faireval, "my.config")
                with contextlib.redirect_stdout(io.StringIO()):
                    assert faireval.main(["--config", f"../data/config/{name}.config"]) == 0
            created = Path(home) / "eval" / f"eval_{name}.csv"
            (folder / "eval" / created.name).write_bytes(created.read_bytes())
    (folder / "counts.json").write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


#: Name of the file -> function that returns its rows.
ROWS = {
    "conlleval_py": conlleval_py,
    "ncrfpp": ncrfpp_measures,
    "faireval_pairs": faireval_pairs,
    "faireval_spansets": faireval_spansets,
    "faireval_conll_reader": faireval_conll_reader,
    "faireval_span_reader": faireval_span_reader,
    "faireval_read_config": faireval_read_config,
}
