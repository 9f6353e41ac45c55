"""``spanrs compare``."""

from __future__ import annotations

import csv
import io
import json
import random
from contextlib import contextmanager

import pytest

import spanrs
from spanrs.cli import console
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.eval import Measure

TAGS = ["O", "O", "B-A", "I-A", "B-B", "I-B"]


@pytest.fixture
def command(capsys):
    def call(*args) -> tuple[int, str, str]:
        status = run(group, ["compare", *(str(arg) for arg in args)])
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def files(tmp_path):
    """Gold and three systems with increasing numbers of errors."""
    rng = random.Random(1)
    rows = [
        [(f"w{rng.randrange(9)}", rng.choice(TAGS)) for _ in range(rng.randint(2, 9))] for _ in range(40)
    ]
    paths = []
    for name, wrong in (("gold", 0), ("a.conll", 0.05), ("b.conll", 0.2), ("c.conll", 0.5)):
        lines = []
        for at, sentence in enumerate(rows):
            if at % 8 == 0:
                lines.append("-DOCSTART- O\n\n")
            lines += [
                f"{word} {rng.choice(TAGS) if rng.random() < wrong else tag}\n" for word, tag in sentence
            ]
            lines.append("\n")
        paths.append(tmp_path / name)
        paths[-1].write_text("".join(lines))
    return paths


@pytest.mark.parametrize("unit", ["sentence", "document"])
@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_json_is_that_of_the_function(command, files, matcher, unit):
    gold, *systems = files
    results = {
        path.name: spanrs.score(gold, path, matcher=matcher, errors=True, by=unit) for path in systems
    }
    expected = spanrs.compare(results, samples=300, seed=5, level=0.9)
    options = ["--matcher", matcher, "--unit", unit, "--samples", 300, "--seed", 5, "--level", 0.9]
    status, out, _ = command(*files, *options, "--json")
    assert status == 0
    assert json.loads(out) == expected.to_dict()
    assert list(json.loads(out)["systems"]) == ["a.conll", "b.conll", "c.conll"]
    assert command(*files, *options, "--json", "--threads", 2)[1] == out


def test_measures_are_named_by_options(command, files):
    gold, a, b, _ = files
    options = ["--type", "A", "--part", "recall", "--samples", 50, "--significance-test", "bootstrap"]
    parsed = json.loads(command(gold, a, b, *options, "--json")[1])
    results = [spanrs.score(gold, path) for path in (a, b)]
    values = [result.per_type["A"].recall for result in results]
    assert [parsed["systems"][path.name]["value"] for path in (a, b)] == values
    assert parsed["measure"] == Measure("recall", type="A").title
    assert parsed["pairs"][0]["difference"] == pytest.approx(values[0] - values[1])
    bounds = json.loads(
        command(gold, a, b, "--matcher", "partial", "--criterion", "bounds", "--samples", 9, "--json")[1]
    )
    expected = spanrs.score(gold, a, matcher="partial")["bounds"].micro.f1
    assert bounds["systems"]["a.conll"]["value"] == expected


def test_text_has_systems_and_differences(command, files):
    _, out, _ = command(*files, "--samples", 200)
    comparison = spanrs.compare(
        {path.name: spanrs.score(files[0], path, by="sentence") for path in files[1:]}, samples=200
    )
    for name, system in comparison.systems.items():
        assert any(name in line and f"{100 * system.value:.2f}" in line for line in out.splitlines())
    for pair in comparison.pairs:
        rows = [line.split() for line in out.splitlines() if line.split()[:2] == [pair.a, pair.b]]
        assert rows[0][2] == f"{100 * pair.difference:+.2f}"
        assert f"{pair.p_value:.4f}" in rows[0]
    assert "signature matcher:exact" in out
    by_type = command(*files, "--samples", 200, "--by-type")[1]
    assert len(by_type.splitlines()) >= len(out.splitlines()) + 6


ENDINGS = {
    "text": ".txt",
    "markdown": ".md",
    "latex": ".tex",
    "csv": ".csv",
    "json": ".json",
    "html": ".html",
}


@pytest.mark.parametrize("to", ENDINGS)
def test_formats_by_option_and_by_ending(command, files, tmp_path, to):
    path = tmp_path / f"report{ENDINGS[to]}"
    assert command(*files, "--samples", 40, "-o", path)[:2] == (0, "")
    status, out, _ = command(*files, "--samples", 40, "--to", to)
    assert status == 0
    assert path.read_text(encoding="utf-8") == out
    if to == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert [(row["a"], row["b"]) for row in rows if not row["type"]] == [
            ("a.conll", "b.conll"),
            ("a.conll", "c.conll"),
            ("b.conll", "c.conll"),
        ]
        assert {row["type"] for row in rows} == {"", "A", "B"}
        assert all(float(row["low"]) <= float(row["difference"]) <= float(row["high"]) for row in rows)
    if to == "html":
        assert out.startswith("<!DOCTYPE html>")
        assert "http://" not in out.replace("http://www.w3.org", "")


def test_plot_has_the_systems(command, files, tmp_path):
    path = tmp_path / "plot.svg"
    assert command(*files, "--samples", 20, "--plot", path)[0] == 0
    text = path.read_text()
    assert all(f"<!-- {name.name} -->" in text for name in files[1:])
    assert "<!-- Whiskers are 95 % percentile intervals of 20 bootstrap resamples" in text


def test_mistakes_are_one_line(command, files, tmp_path):
    gold, a, b, _ = files
    second = tmp_path / "other.conll"
    second.write_text(a.read_text().replace("w1 ", "x1 ", 1))
    short = tmp_path / "short.conll"
    short.write_text("w O\n")
    for arguments, message in (
        ((gold,), "at least two systems"),
        ((gold, a), "at least two systems"),
        ((gold, a, a), "given twice"),
        ((gold, a, b, a), "given twice"),
        ((gold, a, "-"), "only GOLD can be standard input"),
        ((gold, a, second), str(second)),
        ((gold, a, short), str(short)),
        ((gold, a, tmp_path / "missing"), "missing"),
        ((gold, a, b, "--average", "type"), "is not one of 'micro', 'macro', 'weighted'"),
        ((gold, a, b, "--average", "macro", "--type", "A"), "is over all types"),
        ((gold, a, b, "--criterion", "nonsense"), "nonsense"),
        ((gold, a, b, "--criterion", "corpus"), "no criterion 'corpus'; expected one of span"),
        ((gold, a, b, "--to", "text", "-o", a), "is also an input; choose another output file"),
        ((gold, a, b, "--plot", "plot.gif"), "must end with"),
        ((gold, a, b, "--json", "--to", "csv"), "different formats"),
        ((gold, a, b, "--significance-test", "t"), "--significance-test"),
        ((gold, a, b, "--samples", "0"), "--samples"),
    ):
        status, out, err = command(*arguments)
        assert (status, out) == (2, ""), arguments
        assert message in err, arguments
        assert len(err.splitlines()) == 1, arguments


def test_a_type_that_no_span_has_is_refused(command, files):
    gold, a, b, _ = files
    status, out, err = command(gold, a, b, "--type", "nonsense")
    assert (status, out) != (0, "")
    assert not out
    assert "no span has type nonsense; types of the files: A, B" in err


def test_one_document_cannot_be_compared(command, tmp_path):
    for name in ("gold", "a", "b"):
        (tmp_path / name).write_text("w B-A\n\nv O\n")
    status, out, err = command(*(tmp_path / name for name in ("gold", "a", "b")), "--unit", "document")
    assert (status, out) == (2, "")
    assert "there are no -DOCSTART- lines, which begin documents; use --unit sentence" in err


def test_systems_of_the_same_base_name_keep_their_paths(command, files, tmp_path):
    gold, a, b, _ = files
    paths = []
    for folder, path in (("one", a), ("two", b)):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "pred.conll")
        paths[-1].write_text(path.read_text())
    parsed = json.loads(command(gold, *paths, "--samples", 9, "--json")[1])
    assert list(parsed["systems"]) == [str(path) for path in paths]


def test_long_work_shows_how_far_it_is(command, files, monkeypatch):
    """Reading and resampling have separate progress bars, whose totals equal the largest reported value."""
    bars = []

    @contextmanager
    def shown(size, least, **options):
        told = []
        bars.append((size, least, told))
        yield lambda done, *_: told.append(done)

    monkeypatch.setattr(console, "progress_bar", shown)
    monkeypatch.setattr(console, "MANY_DRAWS", 0)
    gold, *systems = files
    status, _, _ = command(gold, *systems, "--samples", 9_000)
    assert status == 0
    *reads, (samples, least, told) = bars
    # Gold is read for each system.
    assert [size for size, _, _ in reads] == [gold.stat().st_size + path.stat().st_size for path in systems]
    # Resamples of all systems, and the exchanges of three pairs.
    assert (samples, least) == (4 * 9_000, 0)
    assert told == sorted(told)
    assert all(done < samples for done in told)


def test_the_bound_applies_to_the_measure_shown(command, files):
    gold, a, b, _ = files
    parsed = json.loads(command(gold, a, b, "--average", "macro", "--samples", 9, "--json")[1])
    values = [system["value"] for system in parsed["systems"].values()]
    for bound, status in ((min(values) - 1e-6, 0), (min(values) + 1e-6, 1)):
        args = ("--average", "macro", "--samples", 9, "--fail-under", f"f1={bound}")
        result, _, err = command(gold, a, b, *args)
        assert (result, "macro F1" in err) == (status, bool(status))
    err = command(gold, a, b, "--fail-under", "recall=0.5")[2]
    assert "--fail-under recall: the measure compared is f1" in err


@pytest.fixture
def seeds(files, tmp_path):
    """Three results of each of two systems, as files."""
    rng = random.Random(7)
    gold = files[0].read_text()
    for name, wrong in (("x", 0.1), ("y", 0.3)):
        for seed in range(3):
            lines = [
                f"{line.split()[0]} {rng.choice(TAGS)}" if line.strip() and rng.random() < wrong else line
                for line in gold.split("\n")
            ]
            (tmp_path / f"{name}-{seed}.conll").write_text("\n".join(lines))
    return tmp_path


def test_groups_are_compared_over_seeds(command, files, seeds):
    gold = files[0]
    options = ["--samples", 300, "--json"]
    groups = ["--group", f"x={seeds}/x-*.conll", "--group", f"y={seeds}/y-*.conll"]
    status, out, _ = command(gold, files[1], *groups, *options)
    assert status == 0
    results = {
        name: [
            spanrs.score(gold, path, by="sentence", errors=True)
            for path in sorted(seeds.glob(f"{name}-*.conll"))
        ]
        for name in ("x", "y")
    }
    results["a.conll"] = [spanrs.score(gold, files[1], by="sentence", errors=True)]
    assert json.loads(out) == spanrs.compare(results, samples=300).to_dict()
    status, out, _ = command(gold, files[1], *groups, *options, "--baseline", "y")
    assert status == 0
    assert [(pair["a"], pair["b"]) for pair in json.loads(out)["pairs"]] == [("x", "y"), ("a.conll", "y")]
    by_path = command(gold, *files[1:3], "--samples", 300, "--json", "--baseline", files[1])[1]
    assert by_path == command(gold, *files[1:3], "--samples", 300, "--json", "--baseline", "a.conll")[1]
    status, out, _ = command(gold, *groups, "--samples", 300)
    assert status == 0
    assert "a t-test over seeds and documents" in out


def test_saved_counts_are_systems(command, files, tmp_path):
    gold, *preds = files
    saved = []
    for path in preds:
        saved.append(tmp_path / f"{path.stem}.counts")
        saved[-1].write_bytes(spanrs.score(gold, path, by="sentence").to_bytes())
    status, out, _ = command(*saved, "--samples", 300, "--json")
    assert status == 0
    systems = json.loads(out)["systems"]
    assert list(systems) == ["a.counts", "b.counts", "c.counts"]
    _, scored, _ = command(*files, "--samples", 300, "--json")
    assert [one["value"] for one in systems.values()] == [
        one["value"] for one in json.loads(scored)["systems"].values()
    ]
    status, out, _ = command(gold, preds[0], saved[1], "--samples", 300, "--json")
    assert status == 0
    assert json.loads(out)["systems"]["b.counts"] == systems["b.counts"]
    status, _, err = command(gold, *saved)
    assert status == 2
    assert "have been scored against gold; leave out GOLD" in err
    status, _, err = command(saved[0], preds[0])
    assert status == 2
    assert "not all systems are counts, so GOLD must come first" in err
    for options, message in (
        (["--matcher", "fair"], "--matcher is an option of scoring"),
        (["--scheme", "BIO"], "--scheme is an option of scoring"),
        (["--criterion", "bounds"], "the matcher exact has no criterion 'bounds'"),
    ):
        status, _, err = command(*saved, *options)
        assert status == 2
        assert message in err


def test_groups_of_counts_need_no_gold(command, files, seeds):
    for path in seeds.glob("[xy]-*.conll"):
        counts = spanrs.score(files[0], path, by="sentence", matcher="partial").to_bytes()
        path.with_suffix(".counts").write_bytes(counts)
    groups = [f"--group={name}={seeds}/{name}-*.counts" for name in ("x", "y")]
    status, out, _ = command(*groups, "--criterion", "overlap", "--samples", 300, "--json")
    assert status == 0
    assert json.loads(out)["pairs"][0]["p_value"] is not None
    status, _, err = command("--group", f"x={seeds}/x-*.conll", "--group", f"y={seeds}/y-*.counts")
    assert status == 2
    assert "GOLD is missing; only counts" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--group", "x"], "expected NAME=PATTERN"),
        (["--group", "x=absent-*"], "no file matches absent-*"),
        (["--baseline", "z"], "--baseline z: there is no such system; there are a.conll, b.conll, c.conll"),
        (["--group", "a.conll={0}/x-*.conll"], "has the same name as a group"),
        (["--group", "x={0}/a.conll"], "a system is given twice"),
        (["--group", "x={0}/./a.conll"], "a system is given twice: "),
        (["--group", "x={0}/go*"], "matches the pattern of a group"),
    ],
)
def test_unsuitable_groups_are_refused(command, files, seeds, options, message):
    status, _, err = command(*files, *(option.format(seeds) for option in options))
    assert status == 2
    assert message in " ".join(err.split())


def test_a_directory_of_gold_needs_directories(command, files, tmp_path):
    (tmp_path / "G").mkdir()
    for name in ("a.conll", "z.conll"):
        (tmp_path / "G" / name).write_text(files[0].read_text())
    status, _, err = command(tmp_path / "G", *files[1:3])
    assert status == 2
    assert "is several files and" in err


def test_directories_are_systems(command, files, tmp_path):
    gold, *preds = files
    for name, path in (("G", gold), ("A", preds[0]), ("B", preds[1])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.conll").write_text(path.read_text())
    status, out, _ = command(*(tmp_path / name for name in "GAB"), "--samples", 300, "--json")
    assert status == 0
    _, scored, _ = command(*files[:3], "--samples", 300, "--json")
    for name, file in (("A", "a.conll"), ("B", "b.conll")):
        assert json.loads(out)["systems"][name]["value"] == json.loads(scored)["systems"][file]["value"]
