"""``spanrs score`` with renamed, removed and ignored types."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import spanrs
from json_output import only_system
from spanrs.cli.group import group
from spanrs.cli.run import run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FILES = (str(EXAMPLES / "gold.conll"), str(EXAMPLES / "pred.conll"))


@pytest.fixture
def score(capsys):
    def call(*args: str) -> tuple[int, str, str]:
        status = run(group, ["score", *FILES, *args])
        out, err = capsys.readouterr()
        # Of the example, for any selection of types.
        noted = [
            line for line in err.splitlines(True) if "2 violations of BIO among 13 tags of pred" not in line
        ]
        return status, out, "".join(noted)

    return call


@pytest.fixture(scope="module")
def result():
    return spanrs.score(*FILES, max_violations=5, by="document")


@pytest.mark.parametrize(
    ("args", "views"),
    [
        (["--types", "PER"], [["PER"]]),
        (["--types", "PER,LOC"], [["PER", "LOC"]]),
        (["--types", "PER", "--types", " LOC , PER"], [["PER", "LOC"]]),
        (["--types", "NONE,PER"], [["NONE", "PER"]]),
        (["--map", "ORG=LOC"], [{"ORG": "LOC"}]),
        (["--map", "ORG=LOC", "--map", "PER="], [{"ORG": "LOC", "PER": None}]),
        (["--map", "ORG=A=B"], [{"ORG": "A=B"}]),
        # The types to keep are selected after mapping, regardless of the order of options.
        (["--types", "X", "--map", "ORG=X", "--map", "ORG=X"], [{"ORG": "X"}, ["X"]]),
    ],
)
def test_types_are_those_of_with_types(score, result, args, views):
    for view in views:
        result = result.with_types(view)
    status, out, err = score(*args, "--by-document", "--json")
    note = "spanrs: note: no span has type NONE\n" if "NONE,PER" in args else ""
    assert (status, err) == (0, note)
    assert only_system(out) == json.loads(result.to_json(state=False))
    status, out, _ = score(*args)
    rows = [line.split()[0] for line in out.splitlines() if line][2:]
    assert rows[: len(result.per_type)] == list(result.per_type)
    assert out.splitlines()[-1] == f"signature {result.signature}"


def test_bounds_alone_are_a_row_and_two_keys(score, result):
    assert "untyped" not in score()[1]
    assert "untyped" not in only_system(score("--json")[1])
    rows = {line.split()[0]: line.split()[1:] for line in score("--untyped")[1].splitlines() if line}
    assert rows["untyped"] == ["71.43", "71.43", "71.43", "7", "5", "2", "2"]
    assert rows["micro"][-3:] == ["4", "3", "3"]
    parsed = only_system(score("--untyped", "--json")[1])
    assert parsed["untyped"] == {
        "precision": result.untyped.micro.precision,
        "recall": result.untyped.micro.recall,
        "f1": result.untyped.micro.f1,
        "support": 7,
    }
    assert parsed["untyped_counts"] == {"tp": 5, "fp": 2, "fn": 2}
    # Of all counted spans.
    parsed = only_system(score("--untyped", "--json", "--types", "LOC")[1])
    assert parsed["untyped_counts"] == parsed["counts"] == {"tp": 3, "fp": 1, "fn": 0}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--map", "ORG"], "--map needs FROM=TO, or FROM= to remove FROM, not 'ORG'"),
        (["--map", "=LOC"], "--map needs FROM=TO"),
        (["--map", "A=B", "--map", "A=C"], "--map renames 'A' twice, to 'B' and 'C'"),
        (["--map", "A=B", "--map", "A="], "--map renames 'A' twice, to 'B' and ''"),
        (["--types", ""], "is not a comma-separated list of names"),
        (["--types", "PER,,LOC"], "is not a comma-separated list of names"),
    ],
)
def test_mistakes_are_said_before_files_are_read(score, args, message):
    status, out, err = score(*args)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_types_of_which_there_is_none_are_refused(score):
    for more, types in (((), "; types of the files: LOC, ORG, PER"), (("--matcher", "fair"), "")):
        status, out, err = score("--types", "NONE,NO", *more)
        assert (status, out) == (2, "")
        assert err == f"spanrs: error: no span has type NO or NONE{types}\n"
