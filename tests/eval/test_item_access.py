"""Lists read in place and item by item give the same results; the environment chooses."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest

import spanrs
from spanrs import _spanrs

SEED = 11


class Name(str):
    """A string whose characters may be stored outside of its object."""

    __slots__ = ()


def odd_corpora() -> list[tuple[object, object]]:
    """Gold and pred in every form that the list reader distinguishes."""
    rng = random.Random(SEED)
    long = "B-a type of more than fifteen bytes"
    tags = ["O", "O", "O", "B-PER", "I-PER", "B-LOC", "é-é", "B-Ã©", "B-é", "I-日本", "B-\x00", "", long]

    def fresh(tag: str) -> str:
        return tag.encode().decode()

    def side(make: object, kind: type) -> list[object]:
        return [kind(make(rng.choice(tags)) for _ in range(length)) for length in lengths]  # type: ignore[operator]

    corpora: list[tuple[object, object]] = []
    for make in (str, fresh, Name):
        for kind in (list, tuple):
            lengths = [rng.randrange(9) for _ in range(400)]
            corpora.append((side(make, kind), tuple(side(fresh, kind))))
    many = [f"B-{number}" for number in range(700)]
    corpora.append(([many, many[::-1]], [[fresh(tag) for tag in many], many]))
    return corpora


def results() -> list[object]:
    """The result or error of every corpus."""
    collected: list[object] = []
    for gold, pred in odd_corpora():
        for reading in ("conlleval", "strict"):
            collected.append(json.loads(spanrs.score(gold, pred, scheme="BIO", reading=reading).to_json()))
    for gold in ([["O", 1]], [["O", None]], [["\ud800"]], [["O"], "O"], [["O"], 3], [[b"O"]]):
        with pytest.raises((TypeError, ValueError)) as caught:
            spanrs.score(
                gold, [["O"] * len(row) for row in [[0, 0]]] if len(gold) == 1 else gold, scheme="BIO"
            )
        collected.append(str(caught.value))
    return collected


def test_both_ways_to_read_lists_give_the_same() -> None:
    collected = {}
    for way in ("direct", "each"):
        code = (
            "import json; from eval.test_item_access import results; from spanrs._spanrs import item_access;"
            "print(json.dumps([item_access(), results()]))"
        )
        environment = {**os.environ, "SPANRS_ITEM_ACCESS": way, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-W", "ignore", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        used, collected[way] = json.loads(done.stdout)
        assert used == (way if sys.implementation.name == "cpython" else "each")
    assert collected["direct"] == collected["each"]


def test_the_environment_chooses() -> None:
    assert _spanrs.item_access() == ("each" if os.environ.get("SPANRS_ITEM_ACCESS") == "each" else "direct")
