"""``spanrs crowd``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from noisy_crowd import TEMPLATE, noisy
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.crowd import CrossFitted, CrowdCorpus, read_columns, write_columns
from spanrs.crowd.experiments import Settings, make_method

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture
def files(tmp_path):
    """Annotations, gold and test files of noisy annotators, and a template."""
    corpus, truth = noisy(1, [0.1, 0.3, 0.5], missing=0.2)
    tests, labels = noisy(2, [0.0])
    write_columns(corpus, tmp_path / "crowd.txt")
    for name, sentences, tags in (
        ("gold.conll", corpus.sentences, truth),
        ("test.conll", tests.sentences, labels),
    ):
        rows = zip(sentences, tags, strict=True)
        text = "\n".join("".join(f"{w} {t}\n" for w, t in zip(*row, strict=True)) for row in rows)
        (tmp_path / name).write_text(text)
    (tmp_path / "words.template").write_text(TEMPLATE)
    return tmp_path


def spanrs(capsys, *args):
    """Run a command; return its status, standard output and standard error."""
    prefix = [] if args[0] == "agreement" else ["crowd"]
    status = run(group, [*prefix, *map(str, args)])
    message = capsys.readouterr()
    return status, message.out, message.err


def test_aggregation_writes_truth_page_and_table(files, capsys):
    names = ("--annotator-name=ann", "--annotator-name=ben", "--annotator-name=cy")
    status, out, _ = spanrs(
        capsys,
        "aggregate",
        files / "crowd.txt",
        *names,
        *("-o", files / "truth.conll", "--report", files / "page.html", "--seed", "1", "--probabilities"),
    )
    assert status == 0
    assert (out, "ben" in (files / "page.html").read_text()) == ("", True)
    lines = spanrs(capsys, "aggregate", files / "crowd.txt", *names, "--seed", "1")[1].splitlines()
    assert lines[0].endswith("annotations, labels estimated by BSC-seq")
    assert lines[2].split() == [
        "annotator",
        "sentences",
        "tokens",
        "F1",
        "95",
        "%",
        "interval,",
        "true",
        "labels",
    ]
    assert [line.split()[0] for line in lines[4:]] == ["ann", "ben", "cy"]
    first = (files / "truth.conll").read_text().splitlines()[0].split("\t")
    assert len(first) == 3
    assert 0 < float(first[2]) <= 1


@pytest.mark.parametrize("method", ["mvtoken", "CrossFitted", "CRF-MA", "HMM-crowd", "Dawid-Skene"])
def test_methods_as_json(files, capsys, method):
    status, out, _ = spanrs(capsys, "aggregate", files / "crowd.txt", "--aggregator", method, "--json")
    assert status == 0
    parsed = json.loads(out)
    assert parsed["measure"] == "f1"
    assert parsed["annotators"][0]["f1"] >= parsed["annotators"][-1]["f1"]
    assert len(parsed["annotators"][0]["interval"]) == 2


def test_a_fitted_model_tags(files, capsys):
    for method in ("CRF-MA", "BSC-seq"):
        status, out, _ = spanrs(
            capsys,
            *("fit", files / "crowd.txt", "-o", files / "model", "--aggregator", method),
            *("--template", files / "words.template", "--json"),
        )
        assert status == 0
        assert json.loads(out)["method"] == method
        (files / "raw.txt").write_text("Ada\nsleeps\n")
        assert run(group, ["crf", "tag", str(files / "model"), str(files / "raw.txt")]) == 0
        assert capsys.readouterr().out.split() == ["Ada", "B-PER", "sleeps", "O"]


def test_agreement(files, capsys):
    status, out, _ = spanrs(capsys, "agreement", files / "crowd.txt", "--plot", files / "map.png")
    assert status == 0
    assert "Krippendorff's alpha, tokens" in out
    assert (files / "map.png").read_bytes().startswith(b"\x89PNG")
    parsed = json.loads(spanrs(capsys, "agreement", files / "crowd.txt", "--json")[1])
    assert len(parsed["pairs"]) == 3
    assert set(parsed) == {
        *("f1", "overlap_f1", "untyped_f1", "kappa", "fleiss_kappa", "alpha", "unitized_alpha"),
        *("annotators", "types", "pairs", "by_document", "intervals"),
        *("positions", "documents", "samples", "level", "gamma", "gamma_samples"),
    }
    status, out, _ = spanrs(capsys, "agreement", files / "crowd.txt", "--resamples", "0")
    assert status == 0
    assert "interval" not in out
    assert "F1 of spans, overlap, mean of pairs" in out
    status, _, err = spanrs(capsys, "agreement", files / "crowd.txt", "--positions", "characters")
    assert (status, "needs documents of text" in err) == (2, True)


def test_simulation_writes_what_is_read(files, capsys):
    status, out, _ = spanrs(
        capsys, "simulate", files / "gold.conll", "-o", "-", "--flip", "0,0.5", "--no-repeats"
    )
    assert status == 0
    (files / "simulated.txt").write_text(out)
    corpus = read_columns(files / "simulated.txt")
    assert len(corpus.annotations) == len(corpus) == 40
    status, _, _ = spanrs(
        capsys,
        *("simulate", files / "gold.conll", "-o", files / "noise.txt", "--noise", "0.1,1"),
        *("--template", files / "words.template"),
    )
    assert status == 0
    assert len(read_columns(files / "noise.txt").annotations) == 80


def test_experiment_on_annotations(files, capsys):
    status, out, err = spanrs(
        capsys,
        *("experiment", "--crowd", files / "crowd.txt", "--gold", files / "gold.conll"),
        *("--test", files / "test.conll", "--template", files / "words.template", "--json"),
    )
    assert (status, err) == (0, "")
    parsed = json.loads(out)
    methods = {values["method"]: values for values in parsed["methods"]}
    assert {"MVtoken", "CRF-MA", "CrossFitted", "CRF-GOLD"} <= set(methods)
    for values in methods.values():
        assert {"precision", "recall", "f1"} == set(values["truth"]) == set(values["test"])
        assert values["seconds"] >= 0
    assert methods["CRF-GOLD"]["reliability_rmse"] is None
    assert 0 <= methods["BSC-seq"]["reliability_rmse"] < 1


def test_experiment_on_simulations(files, capsys):
    arguments = (
        *("experiment", "--gold", files / "gold.conll", "--flip", "0.1,0.5,0.6", "--repetitions", 3),
        *("--aggregators", "MVtoken,CRF-MA", "--template", files / "words.template"),
    )
    status, out, _ = spanrs(capsys, *arguments, "--plot", files / "boxes.png")
    # There is no test set, so the boxes show the estimated truth.
    assert status == 0
    assert "p vs CRF-MA" in out
    assert "±" in out
    assert (files / "boxes.png").read_bytes().startswith(b"\x89PNG")
    status, out, _ = spanrs(capsys, *arguments, "--to", "markdown", "-o", files / "table.md")
    assert (status, out) == (0, "")
    assert (files / "table.md").read_text().startswith("| method |")


def test_one_annotator_a_document(files, capsys):
    status, out, _ = spanrs(
        capsys,
        *("experiment", "--crowd", files / "crowd.txt", "--gold", files / "gold.conll", "--no-repeats"),
        *("--repetitions", 2, "--aggregators", "CRF-CONC,HMM-crowd", "--json"),
        *("--template", files / "words.template"),
    )
    assert status == 0
    assert [values["method"] for values in json.loads(out)["methods"]] == ["CRF-CONC", "HMM-crowd"]


def test_a_file_of_each_annotator_and_tables(files, capsys):
    for name, label in (("ann", "B-PER"), ("ben", "O")):
        (files / f"{name}.conll").write_text(f"Ada {label}\nsleeps O\n\nBob {label}\n")
    status, out, _ = spanrs(capsys, "agreement", files / "ann.conll", files / "ben.conll", "--json")
    assert status == 0
    assert json.loads(out)["pairs"][0]["annotators"] == ["ann", "ben"]
    rows = ["annotator,document,token,label"]
    rows += [f"{who},1,Ada,{label}" for who, label in (("x", "B-PER"), ("y", "O"))]
    (files / "table.csv").write_text("\n".join(rows))
    status, out, _ = spanrs(capsys, "agreement", files / "table.csv", "--json")
    assert json.loads(out)["pairs"][0]["f1"] == 0.0


def test_labels_of_a_part_of_a_sentence_are_left_out_and_said(files, capsys):
    (files / "part.txt").write_text("a O O\nb O ?\n\nc B-X B-X\nd O O\n")
    status, _, err = spanrs(capsys, "aggregate", files / "part.txt", "-o", files / "o.txt")
    assert status == 0
    assert "partly labelled sentences: 1, the first by annotator" in err
    assert "annotator 2, line 2" in err


def test_annotators_without_labels_and_without_spans(files, capsys):
    (files / "few.txt").write_text("a O O ?\n\nb O O ?\n")
    status, out, _ = spanrs(capsys, "aggregate", files / "few.txt", "--aggregator", "MVtoken")
    assert status == 0
    assert out.count("100.00 to 100.00") == 2
    assert "no labels" in out
    parsed = json.loads(
        spanrs(capsys, "aggregate", files / "few.txt", "--aggregator", "MVtoken", "--json")[1]
    )
    assert parsed["annotators"][-1]["sentences"] == 0


def test_text_and_json_are_refused(files, capsys):
    (files / "prose.txt").write_text("It was the best of times and the worst\n")
    status, _, err = spanrs(capsys, "aggregate", files / "prose.txt")
    assert status == 2
    assert "labels on 8 tokens; perhaps the file is text" in err
    (files / "a.json").write_text('{"a": 1}\n')
    status, _, err = spanrs(capsys, "aggregate", files / "a.json")
    assert status == 2
    assert "this is JSON" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate", "GOLD", "-o", "-"], "use either --noise or --flip"),
        (["simulate", "GOLD", "-o", "-", "--flip", "x"], "'x' is not a comma-separated list of numbers"),
        (["simulate", "GOLD", "-o", "-", "--flip", "2"], "must be from 0 to 1"),
        (["experiment", "--gold", "GOLD"], "use either --noise or --flip"),
        (["experiment", "--gold", "GOLD", "--flip", "0.1", "--aggregators", "MV"], "unknown method 'MV'"),
        (
            ["experiment", "--gold", "GOLD", "--crowd", "CROWD", "--flip", "0.1"],
            "--crowd cannot be combined with --noise or --flip",
        ),
        (["experiment", "--gold", "GOLD", "--crowd", "CROWD", "--repetitions", "3"], "are always the same"),
        (["experiment", "--gold", "TEST", "--crowd", "CROWD"], "of the annotations is"),
        (["aggregate", "CROWD", "-o", "CROWD"], "is also an input; choose another output file"),
        (["aggregate", "GOLD.missing"], "no such file"),
        (
            [
                "experiment",
                "--gold",
                "GOLD",
                "--crowd",
                "CROWD",
                "--no-repeats",
                "--aggregators",
                "MVtoken",
            ],
            "these methods compare annotators: MVtoken",
        ),
        (
            [
                "experiment",
                "--gold",
                "GOLD",
                "--flip",
                "0.1",
                "--aggregators",
                "MVseq",
                "--reference",
                "MVseg",
            ],
            "not one of",
        ),
        (["aggregate", "CROWD", "-o", "x", "--report", "x"], "-o and --report are the same file, x"),
        (["aggregate", "CROWD", "-o", "x.gz"], "outputs are not compressed"),
        (
            ["aggregate", "CROWD", "--annotator-name", "a", "--annotator-name", "a"],
            "--annotator-name a is given twice",
        ),
        (
            ["aggregate", "CROWD", "--report", "x.html", "--link", "javascript:alert({id})"],
            "Invalid value for '--link': link 'javascript:alert({id})' is not an address of http or https",
        ),
        (["aggregate", "CROWD", "--link", "https://example.org/{id}"], "--link requires an HTML report"),
        (
            ["aggregate", "CROWD", "--report", "x.html", "--link", "https://example.org/{id}"],
            "no document has a value for {id}",
        ),
        (["agreement", "CROWD", "CROWD"], "repeat --annotator-name for each"),
        (["agreement", "CROWD", "--plot", "x.gif"], "the name of a plot file must end with"),
    ],
)
def test_errors_are_one_line(files, capsys, arguments, message):
    names = {"GOLD": "gold.conll", "CROWD": "crowd.txt", "TEST": "test.conll"}
    given = [str(files / names[item]) if item in names else item for item in arguments]
    status, out, err = spanrs(capsys, *given)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not list(files.glob("*.tmp"))


def test_csv_has_fractions_in_separate_columns(files, capsys):
    (files / "three.txt").write_text("a B-X B-X O\nb I-X O O\n\nc B-X B-X B-X\n\n" * 3)
    _, out, _ = spanrs(capsys, "aggregate", files / "three.txt", "--to", "csv")
    head, *rows = csv.reader(io.StringIO(out))
    assert head == ["annotator", "sentences", "tokens", "f1", "low", "high"]
    assert all(0 <= float(low) <= float(f1) <= float(high) <= 1 for *_, f1, low, high in rows)
    _, out, _ = spanrs(capsys, "agreement", files / "three.txt", "--to", "csv")
    assert all(float(row["F1"] or 0) <= 1 for row in csv.DictReader(io.StringIO(out)))
    names = ("--gold", files / "one.txt", "--crowd", files / "one.txt")
    (files / "one.txt").write_text("a B-X\nb I-X\n\nc B-X\n\n")
    _, out, _ = spanrs(capsys, "experiment", *names, "--aggregators", "CRF-CONC", "--to", "csv")
    [row] = csv.DictReader(io.StringIO(out))
    assert (float(row["truth_f1"]), float(row["reliability_rmse"])) == (1, 0)


def test_options_that_an_aggregator_does_not_have_are_refused(files, capsys):
    (files / "three.txt").write_text("a B-X B-X O\nb I-X O O\n\nc B-X B-X B-X\n\n" * 3)
    for args in (("MVtoken", "--c2", 2), ("CrossFitted", "--min-freq", 2)):
        status, out, err = spanrs(capsys, "aggregate", files / "three.txt", "--aggregator", *args)
        assert (status, out) == (2, "")
        assert f"{args[1]} requires --aggregator CRF-CONC," in err


def test_c2_reaches_the_aggregator():
    corpus = CrowdCorpus([], [])
    assert make_method("CrossFitted", Settings(), corpus).c2 == CrossFitted().c2
    assert make_method("CrossFitted", Settings(c2=3.0), corpus).c2 == 3.0


def test_documents_of_the_report_are_linked_to_their_tasks(tmp_path, capsys):
    export = EXAMPLES / "annotators" / "label-studio.json"
    path = tmp_path / "page.html"
    link = "https://labels.example.org/data?task={id}&name={name}"
    assert spanrs(capsys, "aggregate", export, "--report", path, "--link", link)[0] == 0
    assert "https://labels.example.org/data?task=13\\u0026name=drone-post" in path.read_text(
        encoding="utf-8"
    )
