"""Span files through the drop-in: the quick way and sentence by sentence."""

from __future__ import annotations

import random

import pytest

from spanrs.compat.faireval import command

ODD = [
    "A\t1\t2\t",
    "\u00a0A\t1\t2\t1",
    "A \t1\t2\t1",
    "A\t2\t1\t1",
    "A\t1\t2\t1,9",
    "A\t1\t2\tx",
    "A\t1\t2\t1,,2",
    "A\t01\t2\t1",
    "A\t1\t2\t2,1,1",
    " A\t1\t2\t1",
    "A\t1\t2\t1 ",
    "A\t+1\t2\t1",
    "A\t1\t2\t1_0",
    "\u00c4\t1\t2\t1,2",
    "_\t1\t2\t1,2",
    "NONE\t1\t2\t1,2",
    " ",
    "\t",
    "\u00a0",
]


def random_file(rng):
    lines = []
    for _ in range(rng.randrange(1, 12)):
        if rng.random() < 0.25:
            lines.append("")
        elif rng.random() < 0.06:
            lines.append(rng.choice(ODD))
        else:
            begin = rng.randrange(1, 7)
            end = rng.randrange(begin, 9)
            tokens = range(begin, end + 1)
            if rng.random() < 0.3:
                tokens = sorted(rng.sample(tokens, rng.randrange(1, len(tokens) + 1)))
            lines.append(f"{rng.choice('ABC')}\t{begin}\t{end}\t{', '.join(map(str, tokens))}")
    return rng.choice(["\n", "\n", "\n", "\r\n"]).join(lines) + rng.choice(["\n", "\n", ""])


def counted(paths, config, quick, monkeypatch):
    with monkeypatch.context() as patch:
        if not quick:
            patch.setattr(command, "_span_files", lambda *args: None)
        stats = {"data_stats": {}}
        try:
            actual = command.count_pair(*paths, config | stats, {})
        except (IndexError, ValueError) as error:
            return type(error)
    conf = {(t, s): n for t, row in actual.get("conf", {}).items() for s, n in row.items() if n}
    return actual.get("overall"), actual.get("per_label"), conf, stats


def test_both_ways_count_the_same(tmp_path, monkeypatch, capsys):
    rng = random.Random(12)
    quick = 0
    for _ in range(1500):
        paths = [tmp_path / "target", tmp_path / "system"]
        for path in paths:
            path.write_bytes(random_file(rng).encode())
        config = rng.choice(
            [
                {"labels": ["all"]},
                {"labels": ["all"], "exclude": ["NONE", "A"], "focus": "system"},
                {"labels": ["A", "_"]},
                {},
            ]
        )
        quick += command._span_files(*paths, config) is not None
        assert counted(paths, config, True, monkeypatch) == counted(paths, config, False, monkeypatch)
        capsys.readouterr()
    # Both ways were taken.
    assert 300 < quick < 1450


@pytest.mark.parametrize("text", ["", "\ufeffA\t1\t1\t1\n"])
def test_files_with_something_before_their_lines_are_read_as_they_are(tmp_path, text):
    path = tmp_path / "a"
    path.write_text(text, encoding="utf-8")
    assert command._span_files(path, path, {"labels": ["all"]}) is None
