"""Ordinary lines take a fast path, and lines of pred that equal gold are not parsed: results must not depend on it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs

#: A comment prefix that no line has; lines that begin with its first byte take the slow path.
CAREFUL = "never a comment"
TAGS = ["O", "O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC", "X", "B-\xe9"]
GLUE = [" ", " ", " ", " ", "\t", "  ", " \t", "\x0b", "\xa0"]
ENDS = ["\n", "\n", "\n", "\n", "\r\n", " \n"]
ODD = [
    "\n",
    "\n",
    "\r\n",
    " \n",
    "\t\n",
    "-DOCSTART- -X- O\n",
    "-DOCSTART-\n",
    "- x O\n",
    "-DOC x O\n",
    "\n\n",
]
TOKENS = ["a", "of", "\xfcber", "x" * 40, "-", "\x01", "a#", "'s"]


def lines(rng: random.Random, count: int, odd: float) -> list[tuple[str, ...]]:
    """Create lines as (text before the tag, tag, text after it); unusual lines have a single part."""
    created: list[tuple[str, ...]] = []
    first = rng.choice(["", CAREFUL[0]])
    for _ in range(count):
        if rng.random() < 0.1 + odd:
            created.append((rng.choice(ODD if odd else ["\n"]),))
            continue
        glue = (lambda: rng.choice(GLUE)) if rng.random() < odd else (lambda: " ")
        end = rng.choice(ENDS) if rng.random() < odd else "\n"
        created.append((f"{first}{rng.choice(TOKENS)}{glue()}x{glue()}", rng.choice(TAGS), end))
    return created


def outcome(gold: Path, pred: Path, comments: str = "auto") -> object:
    """Result or error message."""
    try:
        return spanrs.score(gold, pred, scheme="BIO", comments=comments).to_dict()
    except spanrs.errors.SpanrsError as error:
        return type(error), str(error)


def check(folder: Path, rng: random.Random, count: int, odd: float, wrong: float) -> None:
    rows = lines(rng, count, odd)
    second = [
        (row[0], rng.choice(TAGS), row[2]) if len(row) == 3 and rng.random() < wrong else row
        for row in rows
    ]
    if rng.random() < odd:
        second.insert(rng.randrange(len(second) + 1), (rng.choice([*ODD, "b x O\n"]),))
    texts = ["".join("".join(row) for row in side) for side in (rows, second)]
    if rng.random() < odd:
        texts = [text.removesuffix("\n") for text in texts]
    if not odd and rng.random() < 0.5:
        texts = [text.replace("\n", "\r\n") for text in texts]
    gold, pred = folder / "gold", folder / "pred"
    for path, text in zip((gold, pred), texts, strict=True):
        path.write_text(text, encoding="utf-8", newline="")
    assert outcome(gold, pred) == outcome(gold, pred, comments=CAREFUL)
    # With another layout, pred is parsed separately.
    if not odd:
        wide = folder / "wide"
        wide.write_text(
            "".join("y ".join(row[:2]) + row[-1] if len(row) == 3 else row[0] for row in second),
            encoding="utf-8",
        )
        assert outcome(gold, pred) == outcome(gold, wide)


@given(seed=st.integers(0, 2**32), odd=st.sampled_from([0.0, 0.02, 0.3]), wrong=st.sampled_from([0.0, 0.1]))
@settings(max_examples=300, deadline=None)
def test_few_lines(tmp_path_factory: pytest.TempPathFactory, seed: int, odd: float, wrong: float) -> None:
    rng = random.Random(seed)
    check(tmp_path_factory.mktemp("files"), rng, rng.randrange(1, 40), odd, wrong)


@pytest.mark.parametrize("odd", [0.0, 0.001, 0.1])
@pytest.mark.parametrize("seed", [1, 2])
def test_many_chunks(tmp_path: Path, seed: int, odd: float) -> None:
    """More than one read buffer, so that lines are split at its boundary."""
    check(tmp_path, random.Random(seed), 60_000, odd, 0.02)


def test_comments_between_sentences_change_nothing(tmp_path: Path) -> None:
    rng = random.Random(5)
    collected = []
    for mark in ("", "# text = a b\n", "# one two three\n", "# newdoc id = 1\n", "% one x O\n"):
        rng.seed(5)
        texts = []
        for _ in range(2):
            rows = lines(rng, 400, 0.0)
            texts.append("".join(row[0] if len(row) == 1 else "".join(row[:2]) + "\n" for row in rows))
        gold, pred = tmp_path / "gold", tmp_path / "pred"
        for path in (gold, pred):
            text = texts[0].replace("\n\n", f"\n\n{mark}").replace(f"\n{mark}\n", "\n\n")
            path.write_text(text, encoding="utf-8", newline="")
        comments = "%" if mark.startswith("%") else "auto"
        result = spanrs.score(gold, pred, scheme="BIO", comments=comments)
        collected.append((result.per_type, result.tokens, result.sentences))
    assert all(result == collected[0] for result in collected), collected


def test_pred_may_end_anywhere(tmp_path: Path) -> None:
    """Also between the two bytes of a line end."""
    text = "a x O\r\n\r\nb x B-PER\r\nc x O\r\n\r\nd x O\r\n" * 3
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    gold.write_text(text, encoding="utf-8", newline="")
    for end in range(len(text) + 1):
        pred.write_text(text[:end], encoding="utf-8", newline="")
        actual = outcome(gold, pred)
        pred.write_text(text[:end].replace("\r\n", "\n").replace("\r", "\n"), encoding="utf-8", newline="")
        expected = outcome(gold, pred)
        assert actual == expected, end
