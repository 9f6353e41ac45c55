"""``spanrs dep``."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.dep import read_conllu

TREEBANK = Path(__file__).parents[2] / "examples" / "dep" / "train.conllu"
CONLLU = (
    "# text = They don't eat\n1\tThey\tthey\t_\t_\t_\t_\t_\t_\tA=1\n2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tdo\tdo\t_\t_\t_\t_\t_\t_\t_\n3\tn't\tnot\t_\t_\t_\t_\t_\t_\t_\n3.1\tx\t_\t_\t_\t_\t_\t_\t0:dep\t_\n"
    "4\teat\teat\t_\t_\t_\t_\t_\t_\t_\n\n"
)


def spanrs(capsysbinary, *args):
    """Run a command; return its status, standard output and standard error."""
    status = run(group, ["dep", *map(str, args)])
    message = capsysbinary.readouterr()
    return status, message.out.decode(), message.err.decode()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("dep") / "model"
    status = run(
        group,
        [
            *("dep", "train", str(TREEBANK), "--epochs", "5", "--models", "1", "-q", "-o", str(path)),
            *("--without", "segmenter", "--without", "morphology"),
        ],
    )
    assert status == 0
    return path


def test_training_says_what_was_made(tmp_path, capsysbinary):
    args = (
        "train",
        TREEBANK,
        "--dev",
        TREEBANK,
        "--models",
        1,
        "--epochs",
        3,
        "-o",
        tmp_path / "m",
        "--json",
    )
    status, out, _ = spanrs(capsysbinary, *args)
    facts = json.loads(out)
    assert (status, facts["lifted"], facts["passes"]) == (0, [0, 0], 3)
    assert facts["dev"]["las"] > 0.9
    _, out, _ = spanrs(capsysbinary, "info", tmp_path / "m")
    assert "one root" in out
    status, out, _ = spanrs(capsysbinary, "info", tmp_path / "m", "--json")
    assert "nsubj" in json.loads(out)["parser"]["labels"]


def test_conllu_keeps_all_else(model, tmp_path, capsysbinary):
    path = tmp_path / "in.conllu"
    path.write_text(CONLLU)
    status, out, _ = spanrs(capsysbinary, "parse", model, path)
    assert status == 0
    # The predicted columns are named after the other comments.
    comment = "# text = They don't eat\n"
    marked = CONLLU.replace(comment, f"{comment}# spanrs.predicted = UPOS XPOS HEAD DEPREL\n")
    before, after = marked.splitlines(), out.splitlines()
    assert [line for line in after if not line[:1].isdigit() or "-" in line[:3] or "." in line[:3]] == [
        line for line in before if not line[:1].isdigit() or "-" in line[:3] or "." in line[:3]
    ]
    rows = [line.split("\t") for line in after if line[:1].isdigit() and line.split("\t")[0].isdigit()]
    assert [row[1] for row in rows] == ["They", "do", "n't", "eat"]
    assert all(row[6].isdigit() and row[7] != "_" and row[4] != "_" and row[3] != "_" for row in rows)
    assert rows[0][9] == "A=1"
    assert [row[6] for row in rows].count("0") == 1


@pytest.mark.parametrize(
    "text", ["They ate pizza\n\nWe cooked\n", "They/X ate/Y pizza/Z\n\nWe/X cooked/1/2/Y\n"]
)
def test_lines_of_words_become_conllu(text, model, tmp_path, capsysbinary):
    path = tmp_path / "in.txt"
    path.write_text(text)
    status, out, _ = spanrs(capsysbinary, "parse", model, path)
    assert status == 0
    parses = read_conllu(io.BytesIO(out.encode()))
    assert [len(parse) for parse in parses] == [3, 2]
    status, tagged, _ = spanrs(capsysbinary, "tag", model, path)
    assert [line.split("\t")[6] for line in tagged.splitlines() if line] == ["_"] * 5
    if "/" in text:
        status, kept, _ = spanrs(capsysbinary, "parse", "--keep-tags", model, path)
        lines = [line for line in kept.splitlines() if line]
        assert [line.split("\t")[4] for line in lines if line[0] != "#"] == list("XYZXY")
        # The tags are not those of the model.
        assert [line for line in lines if line[0] == "#"] == ["# spanrs.predicted = HEAD DEPREL"] * 2


@pytest.mark.parametrize(
    "text", ["I have 2 dogs\nYou own 3 cats\n", "and/or he/she I/O\n", "It IS 0 degrees\n"]
)
def test_running_text_is_not_taken_for_columns_or_tags(text, model, tmp_path, capsysbinary):
    path = tmp_path / "in.txt"
    path.write_text(text)
    _, out, err = spanrs(capsysbinary, "parse", model, path)
    words = [line.split("\t")[1] for line in out.splitlines() if line]
    assert words == text.split()
    assert "read as tokens" in err


@pytest.mark.parametrize("text", ["They ate anchovies.\n", "We\ncooked\nit\n"])
def test_named_formats_are_not_doubted(text, model, tmp_path, capsysbinary):
    path = tmp_path / "in.txt"
    path.write_text(text)
    for command in ("parse", "tag"):
        assert spanrs(capsysbinary, command, model, path)[0] == 2
        status, out, err = spanrs(capsysbinary, command, "--format", "tokens", model, path)
        assert (status, err) == (0, "")
        assert [line.split("\t")[1] for line in out.splitlines() if line] == text.split()
    assert spanrs(capsysbinary, "draw", "--model", model, path)[0] == 2
    assert spanrs(capsysbinary, "draw", "--model", model, "--format", "tokens", path)[0] == 0
    _, _, err = spanrs(capsysbinary, "draw", "--model", model, "--text", text)
    assert ("'anchovies.' is parsed as one word" in err) == ("." in text)


def test_tokenised_text_is_not_taken_for_running_text(shared, model, tmp_path, capsysbinary):
    path = tmp_path / "in.txt"
    parses = read_conllu(shared / "data" / "ud_ewt" / "en_ewt-ud-dev.conllu")
    for start in range(0, len(parses), 100):
        path.write_text("".join(" ".join(parse.words) + "\n" for parse in parses[start : start + 20]))
        assert spanrs(capsysbinary, "tag", model, path)[0] == 0


def test_training_shows_its_passes_in_a_log(tmp_path, capsysbinary):
    args = ("train", TREEBANK, "--models", 1, "--epochs", 2, "--tagger-epochs", 2, "--jackknife", 2)
    args += ("--without", "segmenter", "--without", "morphology")
    _, _, log = spanrs(capsysbinary, *args, "-o", tmp_path / "m")
    stages = [line.split("  ")[0].strip() for line in log.splitlines()]
    expected = [f"tagger {n}/10" for n in range(1, 11)] + ["jackknife 1/2", "jackknife 2/2"]
    # The first two passes of the parser select weights.
    assert stages == [*expected, *(f"parser {n}/4" for n in (1, 2, 3, 4))]
    assert spanrs(capsysbinary, *args, "-q", "-o", tmp_path / "m")[2] == ""


def test_conllx_and_four_columns_are_read(model, tmp_path, capsysbinary):
    path = tmp_path / "in.conll"
    path.write_text("1\tThey\t_\tP\tPRP\t_\t2\tSBJ\t_\t_\n2\tate\t_\tV\tVBD\t_\t0\tROOT\t_\t_\n\n")
    status, out, _ = spanrs(capsysbinary, "parse", model, path)
    assert (status, out.count("\tnsubj\t")) == (0, 1)
    path.write_text("They PRP 2 SBJ\nate VBD 0 ROOT\n\nWe PRP 2 SBJ\ncooked VBD 3 ROOT\n")
    status, out, _ = spanrs(capsysbinary, "parse", model, path)
    assert [len(parse) for parse in read_conllu(io.BytesIO(out.encode()))] == [2, 2]


def test_threads_compression_and_standard_streams_change_nothing(
    model, tmp_path, capsysbinary, monkeypatch
):
    _, expected, _ = spanrs(capsysbinary, "parse", model, TREEBANK)
    assert spanrs(capsysbinary, "parse", "--threads", 3, model, TREEBANK)[1] == expected
    packed = tmp_path / "t.conllu.gz"
    packed.write_bytes(gzip.compress(TREEBANK.read_bytes()))
    assert spanrs(capsysbinary, "parse", model, packed)[1] == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TREEBANK.read_bytes())))
    assert spanrs(capsysbinary, "parse", model, "-")[1] == expected
    _status, _, _ = spanrs(capsysbinary, "parse", model, TREEBANK, "-o", tmp_path / "out")
    assert (tmp_path / "out").read_text() == expected
    assert spanrs(capsysbinary, "parse", model, TREEBANK, TREEBANK)[1] == expected * 2


@pytest.mark.parametrize(
    "ends",
    [("\n", "", "\n\n"), ("\r\n", "\r\n", "\r\n"), ("\n", "\n\n\n", "")],
)
def test_line_ends_are_kept_and_files_are_joined(model, tmp_path, capsysbinary, ends):
    line_end, at_end, between = ends
    rows = [f"1\t{form}" + "\t_" * 8 for form in ("Yes", "No")]
    first = (rows[0] + "\n\n" + rows[1]).replace("\n", line_end) + at_end
    path = tmp_path / "one.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + first.encode())
    _, out, _ = spanrs(capsysbinary, "parse", model, path)
    assert out.startswith("\ufeff1\tYes\t")
    assert out.endswith(at_end)
    assert out.count(line_end) == first.count(line_end)
    # Of several files only the first keeps its byte order mark.
    _, sides, _ = spanrs(capsysbinary, "parse", model, path, path)
    assert sides == out + between + out.removeprefix("\ufeff")


def test_eval_prints_the_measures(model, tmp_path, capsysbinary):
    parsed = tmp_path / "parsed"
    spanrs(capsysbinary, "parse", model, TREEBANK, "-o", parsed)
    status, out, err = spanrs(capsysbinary, "eval", TREEBANK, parsed)
    assert status == 0
    for name in ("UAS", "LAS", "UPOS", "XPOS", "MLAS", "UAS without punctuation"):
        assert f"\n{name} " in out
    status, of_model, err = spanrs(capsysbinary, "eval", TREEBANK, model)
    assert "does not predict UFeats, AllTags, Lemmas, MLAS, BLEX" in err
    line = next(line for line in out.splitlines() if line.startswith("LAS "))
    assert line in of_model
    status, out, _ = spanrs(capsysbinary, "eval", TREEBANK, parsed, "--per-label")
    assert "\nnsubj " in out
    status, out, _ = spanrs(capsysbinary, "eval", TREEBANK, parsed, "--json")
    assert json.loads(out)["signature"].startswith("matcher:dep|")


def test_measures_of_what_is_not_annotated_are_not_numbers(tmp_path, capsysbinary):
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    gold.write_text("1\ta\t_\tX\tY\t_\t0\troot\t_\t_\n2\tb\t_\tX\tY\t_\t1\tobj\t_\t_\n")
    pred.write_text("1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n")
    _status, out, err = spanrs(capsysbinary, "eval", gold, pred)
    shown = {line.split("  ")[0]: line for line in out.splitlines()}
    assert "100.00" in shown["UAS"]
    assert "0.00" not in shown["LAS"] + shown["UPOS"] + shown["MLAS"]
    assert "pred has no labels" in err


def test_trees_are_drawn(model, tmp_path, capsysbinary):
    args = ("draw", "--model", model, "--text", "They ate the pizza with anchovies")
    status, out, _ = spanrs(capsysbinary, *args)
    assert (status, len(out.splitlines())) == (0, 6)
    assert "anchovies" in out.splitlines()[5]
    status, out, _ = spanrs(capsysbinary, *args, "--to", "svg", "-o", tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text().startswith("<svg ")
    assert spanrs(capsysbinary, "draw", TREEBANK, "--sentence", 2)[0] == 0
    status, _, err = spanrs(capsysbinary, "draw", TREEBANK, "--to", "svg")
    assert "--sentence" in err


def test_models_of_parser_py_are_imported(tmp_path, capsysbinary):
    path, out = tmp_path / "m.json.gz", tmp_path / "m"
    model = {
        "parser": {"bias": {"0": 1.0}},
        "tagger": {"bias": {"A": 1.0}},
        "tagdict": {},
        "classes": ["A"],
    }
    path.write_bytes(gzip.compress(json.dumps(model).encode()))
    assert spanrs(capsysbinary, "import", path, "-o", out)[0] == 0
    text = tmp_path / "in.txt"
    text.write_text("a b\n")
    status, parsed, _ = spanrs(capsysbinary, "parse", out, text)
    # An unlabelled model leaves the labels.
    assert parsed == "1\ta\t_\t_\tA\t_\t0\t_\t_\t_\n2\tb\t_\t_\tA\t_\t1\t_\t_\t_\n\n"
    status, _, err = spanrs(capsysbinary, "parse", path, text)
    assert (status, "spanrs dep import" in err) == (2, True)
    path.write_bytes(path.read_bytes()[:50])
    assert spanrs(capsysbinary, "import", path, "-o", tmp_path / "n")[0] == 2
    assert not (tmp_path / "n").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\tb\n", "3 columns"),
        ("2\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", ":1: word 2 is out of order"),
        ("1 They they PRON PRP _ 2 nsubj _ _\n", "separated by spaces"),
        ('{"a": 1}\n', "JSON or XML"),
        ("They PRP\nate VBD\n. .\n", "two columns"),
        ("We/PRP ate/VBD two/CD big/JJ pies/NNS x y/NN\n", 'not "x"'),
        ("1-3\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", "ends after the last word"),
        ("1-2\t \t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", "no form"),
        (
            "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\tb\t_\t_\t_\t_\t_\t_\t_\t_\n3\tc\t_\t_\t_\t_\t_\t_\t_\t_\n",
            ":4: word 3",
        ),
        ("\x00\x01", "NUL"),
        ("They ate the pizza with anchovies. We did.\n", ':1: "anchovies." is not one token'),
        ("We\n\nWe don't cook\n", ':3: "don\'t" is not one token; is this running text? Put each sentence'),
        ("They\nate\n\nWe\ncooked\n", ":1: every line has one word; is this one token a line?"),
        (
            "EU NNP B-ORG\nrejects VBZ O\n\nRio NNP B-LOC\n",
            ":1: every line ends in O or a tag such as B-PER; ",
        ),
        ("a B-A\nb O\n", "is this one token a line with columns?"),
        ("# spanrs\n\nspanrs scores named entities, and more.\n", ':3: "entities," is not one token'),
    ],
)
def test_bad_files_are_located_and_nothing_is_written(text, message, model, tmp_path, capsysbinary):
    path, out = tmp_path / "in", tmp_path / "out"
    path.write_text(text)
    status, output, err = spanrs(capsysbinary, "parse", model, path, "-o", out)
    assert (status, output) == (2, "")
    assert message in err
    assert not out.exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("parse", "MODEL", "MODEL", "-o", "MODEL"), "is also an input"),
        (("parse", "TREEBANK", "MODEL"), "is not a model; the model is the first argument"),
        (("train", "TREEBANK", "-o", "x", "--patience", "3"), "--patience requires --dev"),
        (("train", "TREEBANK", "-o", "TREEBANK"), "is also an input"),
        (
            ("train", "TREEBANK", "-o", "x", "--published", "--models", "3"),
            "--models cannot be combined with --published",
        ),
        (("parse", "--keep-tags", "MODEL", "RAW"), "no tags"),
        (("draw", "TREEBANK", "--sentence", "900"), "900"),
        (("draw", "a b", "--text"), "--model"),
        (("parse", "/nowhere", "TREEBANK"), "No such file"),
    ],
)
def test_wrong_calls_are_explained(args, message, model, capsysbinary):
    raw = model.parent / "raw.txt"
    raw.write_text("They ate\n")
    names = {"MODEL": model, "TREEBANK": TREEBANK, "RAW": raw}
    status, _, err = spanrs(capsysbinary, *(names.get(arg, arg) for arg in args))
    assert status == 2
    assert message in err


def test_templates_can_be_changed(tmp_path, capsysbinary):
    status, out, _ = spanrs(capsysbinary, "templates")
    path = tmp_path / "templates"
    path.write_text("\n".join(out.splitlines()[:40]))
    args = ("train", TREEBANK, "--features", path, "--models", 1, "--epochs", 2, "--jackknife", 0, "-q")
    assert spanrs(capsysbinary, *args, "-o", tmp_path / "m")[0] == 0
    path.write_text("S0.w\nS0.zz\n")
    status, _, err = spanrs(capsysbinary, *args, "-o", tmp_path / "n")
    assert (status, "template 2" in err) == (2, True)


def test_a_model_may_go_to_standard_output(tmp_path, capsysbinary):
    args = ("train", TREEBANK, "--published", "--epochs", 1, "-q", "-o")
    assert run(group, ["dep", *map(str, args), "-"]) == 0
    model, summary = capsysbinary.readouterr()
    spanrs(capsysbinary, *args, tmp_path / "m")
    assert model == (tmp_path / "m").read_bytes()
    assert b"tagger with" in summary


def test_published_training_is_there(tmp_path, capsysbinary):
    args = ("train", TREEBANK, "--published", "--epochs", 3, "-q", "-o", tmp_path / "m")
    assert spanrs(capsysbinary, *args)[0] == 0
    _status, out, _ = spanrs(capsysbinary, "info", tmp_path / "m")
    assert "no labels" in out


GOLD = (
    "# text = They ate\n1\tThey\tthey\tPRON\tPRP\tCase=Nom\t2\tnsubj\t2:nsubj\t_\n"
    "2\tate\teat\tVERB\tVBD\tTense=Past\t0\troot\t0:root\t_\n2.1\tx\tx\tX\tX\t_\t_\t_\t2:obj\t_\n\n"
)


def measured(capsysbinary, gold, pred, *args):
    """Compare files; return F1 by measure (None for "-"), the JSON, and standard error."""
    _, text, message = spanrs(capsysbinary, "eval", gold, pred, *args)
    _, as_json, _ = spanrs(capsysbinary, "eval", gold, pred, *args, "--json")
    parsed = json.loads(as_json)
    shown = {line.split()[0]: line.split()[-2] for line in text.splitlines() if line[:1].isupper()}
    values = {name: parsed["criteria"][name]["micro"]["f1"] for name in parsed["criteria"]}
    for name, title in (("upos", "UPOS"), ("lemmas", "Lemmas"), ("feats", "UFeats"), ("mlas", "MLAS")):
        assert shown[title] == ("-" if values[name] is None else f"{100 * values[name]:.2f}")
    return values, parsed, message


#: Measures of a model with tagger and parser that are not defined.
NOT_PREDICTED = {"lemmas", "feats", "mlas", "all_tags", "blex"}


def unscored(values):
    return {name for name, value in values.items() if value is None}


def test_columns_that_parse_copied_are_not_scored(model, tmp_path, capsysbinary):
    gold, pred = tmp_path / "gold.conllu", tmp_path / "pred.conllu"
    gold.write_text(GOLD * 3)
    spanrs(capsysbinary, "parse", model, gold, "-o", pred)
    values, actual, message = measured(capsysbinary, gold, pred)
    assert unscored(values) == NOT_PREDICTED == set(actual["unscored"])
    assert "warning: pred did not predict FEATS, LEMMA, but copied" in message
    assert "FEATS, LEMMA" in actual["warnings"][0]
    # Pages and CSV omit these measures.
    _, csv, _ = spanrs(capsysbinary, "eval", gold, pred, "--to", "csv")
    assert not {row.split(",")[1] for row in csv.splitlines()} & NOT_PREDICTED
    _, html, _ = spanrs(capsysbinary, "eval", gold, pred, "--to", "html")
    assert "did not predict" in html
    assert "<dt>MLAS</dt>" not in html
    # The comments go with their sentences: files may be joined with others.
    (tmp_path / "joined").write_text(GOLD + pred.read_text())
    (tmp_path / "gold4").write_text(GOLD * 4)
    assert unscored(measured(capsysbinary, tmp_path / "gold4", tmp_path / "joined")[0]) == unscored(values)
    # Without the comments the columns count as predictions.
    lines = pred.read_text().splitlines(keepends=True)
    pred.write_text("".join(line for line in lines if not line.startswith("# spanrs")))
    assert not unscored(measured(capsysbinary, gold, pred)[0])


def test_blank_leaves_out_what_is_not_predicted(model, tmp_path, capsysbinary):
    gold, pred = tmp_path / "gold.conllu", tmp_path / "pred.conllu"
    gold.write_text(GOLD)
    spanrs(capsysbinary, "parse", "--blank", model, gold, "-o", pred)
    rows = [line.split("\t") for line in pred.read_text().splitlines()]
    assert [row[0] for row in rows] == ["# text = They ate", "1", "2", ""]
    assert [[row[at] for at in (2, 5, 8)] for row in rows[1:3]] == [["_"] * 3] * 2
    values, _, message = measured(capsysbinary, gold, pred)
    assert unscored(values) == NOT_PREDICTED
    assert "note: pred has no LEMMA" in message
    assert "pred has no FEATS" in message
    spanrs(capsysbinary, "parse", "--blank", "--keep-tags", model, gold, "-o", pred)
    assert "\tPRON\tPRP\t_\t" in pred.read_text()
    assert {"upos", "xpos", "mlas"} < unscored(measured(capsysbinary, gold, pred)[0])


def test_a_file_that_was_only_tagged_has_no_attachment_scores(model, tmp_path, capsysbinary):
    gold, tagged, parsed = (tmp_path / name for name in ("gold", "tagged", "parsed"))
    gold.write_text(GOLD)
    spanrs(capsysbinary, "tag", model, gold, "-o", tagged)
    values, _, _ = measured(capsysbinary, gold, tagged)
    assert set(values) - unscored(values) == {"upos", "xpos", "tokens", "sentences", "words"}
    # Tags that were predicted earlier still count as predictions.
    spanrs(capsysbinary, "parse", "--keep-tags", model, tagged, "-o", parsed)
    assert "# spanrs.predicted = UPOS XPOS HEAD DEPREL\n" in parsed.read_text()
    assert unscored(measured(capsysbinary, gold, parsed)[0]) == NOT_PREDICTED


def test_gold_without_a_column_has_no_measure_of_it(tmp_path, capsysbinary):
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    pred.write_text(GOLD)
    rows = [line.split("\t") for line in GOLD.splitlines()]
    for column, missing in (
        (2, {"lemmas", "blex"}),
        (3, {"upos", "mlas", "all_tags"}),
        (4, {"xpos", "all_tags"}),
        (5, {"feats", "mlas", "all_tags"}),
        (7, {"las", "clas", "mlas", "blex", "las_no_punct"}),
    ):
        changed = [[*row[:column], "_", *row[column + 1 :]] if len(row) == 10 else row for row in rows]
        gold.write_text("".join("\t".join(row) + "\n" for row in changed) + "\n")
        for sides in ((gold, pred), (pred, gold)):
            assert unscored(measured(capsysbinary, *sides)[0]) == missing
        assert "note: gold has no" in measured(capsysbinary, gold, pred)[2]


def test_training_and_evaluation_have_one_las(tmp_path, capsysbinary):
    """Labels are compared without subtypes by both."""
    dev = tmp_path / "dev.conllu"
    text = TREEBANK.read_text()
    dev.write_text(text.replace("\tnsubj\t", "\tnsubj:pass\t").replace("\tdet\t", "\tdet:x\t"))
    args = ("train", TREEBANK, "--dev", dev, "--models", 1, "--epochs", 2, "--jackknife", 0, "-q", "--json")
    _, out, _ = spanrs(capsysbinary, *args, "-o", tmp_path / "m")
    _, measures, _ = spanrs(capsysbinary, "eval", dev, tmp_path / "m", "--json")
    parsed = json.loads(measures)["criteria"]
    assert json.loads(out)["dev"] == pytest.approx(
        {name: parsed[name]["micro"]["f1"] for name in ("uas", "las")}
    )
