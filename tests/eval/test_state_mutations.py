"""Corrupted stored results raise an error of spanrs or yield a working result.

The checksum is recomputed, so that the changed content is examined.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import io
import json
import random
from collections.abc import Callable
from zlib import crc32

import pytest

import spanrs
from spanrs import dep, mat
from spanrs.errors import SpanrsError
from spanrs.eval.stored import CHECKSUM, LENGTH, MAGIC
from spanrs.io import Annotation, Document

GOLD = [["B-A", "I-A", "O", "I-B"], ["B-C"], ["O", "B-A"]]
PRED = [["B-A", "O", "O", "B-C"], ["B-C"], ["I-C", "X-A"]]
TREE = "1\tThey\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tate\t_\tVERB\tVBD\t_\t0\troot\t_\t_\n\n"
#: Replacements for a field.
VALUES = [
    *(None, True, False, 0, 1, -1, 7, 2**31, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, 1e308),
    *(float("nan"), float("inf"), "", "x", "\ud800", "B-A", "auto", "exact", "gold", "3", [], [[]], [None]),
    *([1, 2], ["x"], [["x"]], {}, {"x": 1}, {"name": "exact"}, {"gold": 1}),
]
Key = str | int


def document(*spans):
    """Return a document of three tokens with these annotations."""
    tokens = [Annotation("lex", 0, 3), Annotation("lex", 4, 6), Annotation("lex", 7, 10)]
    return Document("Rio is big", [*tokens, *(Annotation(*span) for span in spans)])


def of_files(**options):
    files = (io.BytesIO(b"a B-A\nb I-B\n\nc O\n"), io.BytesIO(b"a B-A\nd I-B\n\nc X-A\n"))
    return spanrs.score(*files, align="report", **options)


RESULTS: dict[str, Callable[[], spanrs.Result]] = {
    "exact with weights": lambda: spanrs.score(
        GOLD, PRED, scheme="BIO", by=["z", "a", "m"], document_weights=[1, 0.1, 3]
    ),
    "fair with options": lambda: spanrs.score(
        GOLD, PRED, matcher=spanrs.Fair(weights="LE = 1 FP, BE = 0.3 FN", types=["A", "C"], exclude=["X"])
    ),
    "partial": lambda: spanrs.score(
        GOLD, PRED, scheme="BIO", matcher=spanrs.Partial(matching="optimal", min_overlap=0.25), by=[2, 1]
    ),
    "files": lambda: of_files(by="sentence"),
    "two schemes": lambda: of_files(scheme="BIO", pred_scheme="IOBES"),
    "mat": lambda: spanrs.score(
        document(("A", 0, 3), ("B", 4, 10)),
        document(("A", 0, 6), ("C", 7, 10)),
        matcher=mat.Mat(classes={"X": ["A"]}, ignore=["C"], content=["A", "B", "C"], tokens=["lex"]),
        on_error="skip",
    ),
    "dep": lambda: dep.evaluate(
        io.BytesIO(TREE.encode()), io.BytesIO(TREE.replace("nsubj", "obj").encode())
    ),
}


def cut(stored: bytes) -> tuple[dict, bytes]:
    """Return the header of a stored result, and its counts."""
    start = len(MAGIC) + CHECKSUM + LENGTH
    end = start + int.from_bytes(stored[start - LENGTH : start], "little")
    return json.loads(stored[start:end].decode("utf-8", "surrogatepass")), stored[end:]


def joined(header: object, counts: bytes) -> bytes:
    """Return the bytes of a header and counts, with their checksum."""
    text = json.dumps(header).encode()
    rest = len(text).to_bytes(LENGTH, "little") + text + counts
    return MAGIC + crc32(rest).to_bytes(CHECKSUM, "little") + rest


def paths(value: object, path: tuple[Key, ...] = ()) -> list[tuple[Key, ...]]:
    """Return the paths of all fields below a value."""
    items = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(below for key, item in items for below in paths(item, (*path, key)))]


def mutated(rng: random.Random, header: dict) -> object:
    """Return a header with a field replaced, removed, renamed, duplicated or swapped with another one."""
    header = copy.deepcopy(header)
    path = rng.choice(paths(header))
    if not path:
        return rng.choice(VALUES)
    *above, key = path
    parent = header
    for step in above:
        parent = parent[step]
    kind = rng.randrange(8)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, dict):
        parent[rng.choice(("x", "", "name", "pairs"))] = parent[key]
    elif kind == 1:
        parent.append(copy.deepcopy(parent[key]))
    elif kind == 2:
        second = header
        for step in rng.choice(paths(header)):
            second = second[step]
        parent[key] = copy.deepcopy(second)
    else:
        parent[key] = copy.deepcopy(rng.choice(VALUES))
    return header


def use(result: spanrs.Result) -> None:
    """Call all methods of a result."""
    assert json.loads(result.to_json())["signature"] == result.signature
    assert str(result) + repr(result) + result.to_csv() + result.to_html() + result.to_markdown()
    assert result.merge(result).counts.documents() is not None
    assert spanrs.Result.from_bytes(result.to_bytes()).signature == result.signature
    assert all(isinstance(text, str) for text in (*result.warnings, *result.notes))
    for side in result.violations.values():
        assert all(str(place.violation) for place in side.first)


def taken(read: Callable[[], spanrs.Result]) -> bool:
    """Read and use a result; only an error of spanrs may be raised."""
    try:
        result = read()
    except SpanrsError as error:
        assert error.code == "damaged"  # noqa: PT017  # it may also be a result
        return False
    # Weights of documents may be too large to be summed, and settings may be inconsistent.
    with contextlib.suppress(SpanrsError):
        use(result)
    return True


@pytest.mark.parametrize("name", RESULTS)
def test_field_of_another_type_is_refused_or_works(name):
    rng = random.Random(name)
    header, counts = cut(RESULTS[name]().to_bytes())
    assert taken(lambda: spanrs.Result.from_bytes(joined(header, counts)))
    refused = 0
    for _ in range(300):
        changed = mutated(rng, header)
        stored = joined(changed, counts)
        text = json.dumps({"state": base64.b64encode(stored).decode()})
        try:
            refused += not taken(lambda stored=stored: spanrs.Result.from_bytes(stored))
            refused += not taken(lambda text=text: spanrs.Result.from_json(text))
        except BaseException as error:
            error.add_note(f"{json.dumps(changed)[:2000]}")
            raise
    assert refused > 200


@pytest.mark.parametrize("name", RESULTS)
def test_bytes_of_counts_that_are_others_are_refused_or_work(name):
    rng = random.Random(name)
    header, counts = cut(RESULTS[name]().to_bytes())
    for _ in range(300):
        changed = bytearray(counts)
        for _ in range(rng.choice((1, 1, 2, 8))):
            changed[rng.randrange(len(changed))] = rng.choice((0, 1, 2, 127, 128, 255, rng.randrange(256)))
        if rng.random() < 0.2:
            del changed[rng.randrange(len(changed)) :]
        stored = joined(header, bytes(changed))
        taken(lambda stored=stored: spanrs.Result.from_bytes(stored))


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_state_of_another_type_is_refused(value):
    for text in (json.dumps({"state": value}), json.dumps(value), json.dumps([value])):
        with pytest.raises(SpanrsError):
            spanrs.Result.from_json(text)
