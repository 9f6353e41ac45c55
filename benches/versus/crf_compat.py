"""spanrs.compat.pycrfsuite beside python-crfsuite: reading features, training, tagging.

WNUT 2017 and the development part of GermEval 2014 from SPANRS_SHARED, with the attributes of the template `ner` as
lists of strings and as dicts. CPU seconds of one process, packages in turn.

    python -m benches.versus.crf_compat [--rounds N]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pycrfsuite

from benches.versus.crf_corpora import DATA, Part, Token, ner, part, shape, wnut17
from benches.versus.measure import Record, machine, significant, versions
from spanrs.compat import pycrfsuite as own

PACKAGES: dict[str, ModuleType] = {"python-crfsuite": pycrfsuite, "spanrs": own}
#: Iterations of L-BFGS of a typical program.
ITERATIONS = 40


def germeval() -> Part:
    """Words and their short shapes; outer entities."""

    def row(cells: list[str]) -> tuple[Token, str] | None:
        return ((cells[1], shape(cells[1])), cells[2]) if cells[0].isdigit() else None

    return part(DATA / "germeval2014" / "NER-de-dev.tsv", row)


def as_dict(attributes: list[str]) -> dict[str, str]:
    """The same attributes as name and value."""
    pairs = (attribute.partition("=") for attribute in attributes)
    return {name: value for name, _, value in pairs}


def processor(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds and the result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def steps(
    package: ModuleType, features: list[Any], labels: list[list[str]], path: Path, kind: str
) -> Iterator[tuple[str, float]]:
    """What a program does, and the CPU seconds of each step."""

    def read() -> Any:
        trainer = package.Trainer(verbose=False)
        trainer.select("lbfgs")
        for sentence, tags in zip(features, labels, strict=True):
            trainer.append(sentence, tags)
        return trainer

    reading, trainer = processor(read)
    yield f"append {kind}", reading
    for iterations in (1, ITERATIONS):
        trainer.set_params({"c1": 0.0, "c2": 1.0, "max_iterations": iterations})
        seconds, _ = processor(lambda: trainer.train(str(path)))
        yield f"train, {iterations} iterations, {kind}", seconds
        if iterations == ITERATIONS:
            yield f"append and train, {iterations} iterations, {kind}", reading + seconds
    tagger = package.Tagger()
    tagger.open(str(path))
    seconds, _ = processor(lambda: [tagger.tag(sentence) for sentence in features])
    yield f"tag {kind}", seconds
    # Programs that serve requests construct a tagger once and tag single sentences.
    seconds, _ = processor(lambda: [tagger.tag(sentence) for sentence in features[:200]])
    yield f"tag 200 single sentences, {kind}", seconds


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    record = Record()
    record.add(f"{machine()}, {versions('numpy', 'python-crfsuite')}; medians of {rounds} rounds")
    record.add()
    for name, data in (("WNUT17", wnut17().train), ("GermEval dev", germeval())):
        lists = [ner(sentence) for sentence in data.tokens]
        kinds: dict[str, list[Any]] = {
            "lists": lists,
            "dicts": [[as_dict(token) for token in sentence] for sentence in lists],
        }
        times: dict[str, dict[str, list[float]]] = {}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(rounds):
                for kind, features in kinds.items():
                    for label, package in PACKAGES.items():
                        path = Path(folder) / f"{label}-{kind}.crfsuite"
                        for step, seconds in steps(package, features, data.labels, path, kind):
                            times.setdefault(step, {}).setdefault(label, []).append(seconds)
        record.heading(f"{name}, {data.size} tokens")
        rows = []
        for step, by_package in times.items():
            peer, mine = (statistics.median(by_package[label]) for label in PACKAGES)
            rows.append((step, f"{peer:.3f}", f"{mine:.3f}", significant(peer / mine)))
        record.table(("", *PACKAGES, "times as fast"), rows)


if __name__ == "__main__":
    main()
