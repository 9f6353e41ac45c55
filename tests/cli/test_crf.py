"""The commands of ``spanrs crf``, as a user runs them."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest

import spanrs
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.crf import CRF

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "crf"
CASES = Path(__file__).parent.parent / "cases"
TRAIN, DEV, RAW = (str(EXAMPLES / f"{name}.conll") for name in ("train", "dev", "raw"))
POS = "the DET\ncat NOUN\nsleeps VERB\n\na DET\ndog NOUN\nbarks VERB\n"
CONLLU = (
    "# sent_id = 1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\tP\t_\t2\tcase\t_\tNER=B-X\n"
    "2\tle\tle\tDET\tD\t_\t0\troot\t_\tSpaceAfter=No\n2.1\tchat\tchat\tNOUN\tN\t_\t_\t_\t0:x\t_\n\n"
)
MAIN = [sys.executable, "-c", "from spanrs.cli import main; main()"]


@pytest.fixture
def call(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)

    def call(*args, stdin=b"", **files):
        for name, text in files.items():
            (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = run(group, ["crf", *map(str, args)])
        out, err = capsysbinary.readouterr()
        return status, out.decode(), err.decode()

    return call


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "ner"
    assert run(group, ["crf", "train", TRAIN, "--dev", DEV, "-o", str(path), "-q"]) == 0
    return path


@pytest.fixture
def pos_model(call, tmp_path):
    assert call("train", "pos", "-o", "pos.model", pos=POS)[0] == 0
    return tmp_path / "pos.model"


def tags_of(text, column=-1):
    return [line.split()[column] for line in text.splitlines() if line and not line.startswith("#")]


# train


def test_training_shows_its_course_and_a_summary(call):
    status, out, err = call("train", TRAIN, "--dev", DEV, "-o", "m", "--max-iter", "5")
    assert status == 0
    assert err.startswith("spanrs: note: using template ner, because the tags have prefixes")
    assert re.search(r"^iteration 5  loss [\d.]+  relative gap [\d.e+-]+  dev F1 [\d.]+", err, re.M)
    for part in (
        "14 sentences, 101 tokens, F1",
        "4 sentences, 27 tokens, F1",
        "iteration limit, after 5",
    ):
        assert part in out
    assert "legal tags of BIO" in out
    quiet = call("train", TRAIN, "-o", "m", "-q")[2]
    assert "iteration" not in quiet


def test_the_model_card_says_what_was_done(call):
    status, out, _ = call("train", TRAIN, "--dev", DEV, "-o", "m", "-q", "--c2", "0.5", "--json")
    assert status == 0
    summary = json.loads(out)
    card = CRF.load("m").metadata_["card"]
    assert card.items() <= summary.items()
    assert card["train"].items() >= {"file": TRAIN, "sentences": 14, "tokens": 101}.items()
    assert (card["template"], card["options"]["c2"], card["spanrs"]) == ("ner", 0.5, spanrs.__version__)
    assert 0 < card["dev"]["F1"] <= 1
    assert summary["scheme"] == "BIO"
    assert summary["stopped"] in ("converged", "delta")


def test_labels_without_prefixes_are_scored_by_accuracy(call):
    status, out, err = call("train", "pos", "--dev", "pos", "-o", "m", pos=POS)
    assert status == 0
    assert "template pos, because the tags have no prefixes" in err
    assert "dev accuracy" in err
    assert "accuracy 100.00" in out
    assert "any tags" in out


@pytest.mark.parametrize("algorithm", ["sdca", "lbfgs", "l2sgd", "ap", "pa", "arow"])
def test_every_algorithm_trains(call, algorithm):
    args = ("--algorithm", algorithm, "--max-iter", "5", "--threads", "2", "--seed", "3", "-q")
    status, out, _ = call("train", TRAIN, "-o", "m", *args)
    assert status == 0, out
    assert call("tag", "m", RAW)[0] == 0


def test_feature_columns_feed_the_template(call):
    text = "the DT B-NP\ncat NN I-NP\nsleeps VBZ B-VP\n"
    status, _, err = call("train", "gold", "--feature-column", "-2", "-o", "m", "-q", gold=text)
    assert status == 0
    assert "template chunking, because there is one --feature-column" in err
    # The column is counted from the first: raw files have fewer.
    status, out, _ = call("tag", "m", "raw", raw="the DT\ncat NN\n")
    assert (status, out) == (0, "the DT B-NP\ncat NN I-NP\n")
    status, _, err = call("tag", "m", "raw", raw="the\ncat\n")
    assert status == 2
    assert err == (
        "spanrs: error: raw: no column 1: the first token line has one column (column 0); it is column 1 of the "
        "template: specify the right column with --feature-column\n"
    )
    status, _, err = call("train", "gold", "--template", "chunking", "-o", "m2")
    assert (status, Path("m2").exists()) == (2, False)
    assert "reads 2 columns, the tokens and 1 more; specify the column with --feature-column COLUMN" in err
    _, _, err = call("train", "gold", "--template", "pos", "--feature-column", "1", "-o", "m2", "-q")
    assert "warning: template pos reads one column; not used: --feature-column 1" in err
    assert (
        "no built-in template reads 3 columns"
        in call("train", "gold", "--feature-column", "1", "--feature-column", "0", "-o", "m2")[2]
    )


def test_templates_are_files_too(call):
    template = "# own\nU0:%x[0,0]\nU1:%suffix[0,0,2]\nB\n"
    assert call("train", TRAIN, "--template", "own", "-o", "m", "-q", own=template)[0] == 0
    assert "custom, 2 attributes" in call("info", "m")[1]
    status, _, err = call("train", TRAIN, "--template", "bad", "-o", "m2", bad="U0:%nonsense[0,0]\n")
    assert status == 2
    assert err.startswith("spanrs: error: bad: ")
    status, _, err = call("train", TRAIN, "--template", "nowhere", "-o", "m2")
    assert status == 2
    assert "neither a file nor one of chunking, ner, pos" in err
    assert call("train", TRAIN, "--template", "latin", "-o", "m2", latin=b"U0:\xe9%x[0,0]\n")[0] == 2


def test_schemes_keep_tags_legal(call):
    gold = "a S-X\nb O\n\na B-X\nb E-X\n\nb O\n"
    for scheme, wanted in (("auto", "legal tags of IOBES"), ("none", "any tags"), ("bioes", "of IOBES")):
        status, out, _ = call("train", "gold", "-o", "m", "-q", "--scheme", scheme, gold=gold)
        assert (status, wanted in out) == (0, True), scheme
    status, _, err = call("train", "gold", "-o", "m2", "--scheme", "BIOX")
    assert (status, "BIOX" in err, Path("m2").exists()) == (2, True, False)
    assert "violate BIO" in call("train", "gold", "-o", "m", "-q", "--scheme", "BIO")[2]


def test_training_continues_from_a_model(call, model):
    status, out, err = call("train", TRAIN, "--start", model, "-o", "m", "-q", "--json")
    assert status == 0, err
    assert json.loads(out)["iterations"] < 20
    assert "template" not in err


def test_patience_stops(call):
    status, out, _ = call("train", TRAIN, "--dev", DEV, "--patience", "2", "-o", "m", "-q", "--json")
    assert (status, json.loads(out)["stopped"]) == (0, "stopped")
    assert call("train", TRAIN, "--patience", "2", "-o", "m")[2].startswith(
        "spanrs: error: --patience requires --dev"
    )


def test_calibrate_fits_the_temperature(call, tmp_path):
    status, out, err = call("train", TRAIN, "--dev", DEV, "--calibrate", "-o", "m", "-q")
    assert (status, "temperature 0." in out) == (0, True)
    assert "almost all labellings are predicted correctly" in err
    assert "\ntemperature 0." in call("info", "m")[1]
    temperature = json.loads(call("info", "m", "--json")[1])["temperature"]
    assert CRF.load("m").temperature_ == temperature < 0.2
    before = call("train", TRAIN, "-o", "n", "-q", "--json")[1]
    assert json.loads(before)["temperature"] == 1
    # Probabilities in files use the temperature; the tags stay the same.
    calibrated, plain = (call("tag", model, RAW, "--probabilities")[1].split("\n") for model in "mn")
    assert calibrated != plain
    assert [line.split()[:-1] for line in calibrated] == [line.split()[:-1] for line in plain]
    assert call("train", TRAIN, "--calibrate", "-o", "x")[2].startswith(
        "spanrs: error: --calibrate requires --dev"
    )
    unknown = tmp_path / "unknown.conll"
    unknown.write_text("Ada B-X\n")
    status, _, err = call("train", TRAIN, "--dev", unknown, "--calibrate", "-o", "x", "-q")
    assert status != 0
    assert "--calibrate needs tags that occur in" in err
    assert "but B-X do not" in err


def test_models_do_not_depend_on_threads(call):
    weights = []
    for threads in ("1", "2"):
        assert call("train", TRAIN, "-o", "m", "-q", "--threads", threads)[0] == 0
        weights.append(CRF.load("m").state_features_)
    assert weights[0] == weights[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has no tokens"),
        ("# sent_id = 1\n\n", "the file has no tokens"),
        ("a\nb\n\nc\n", "there is one column"),
        ("a a\nb b\n", "all tags equal their tokens; specify the tag column with --column"),
        ("a O\nb\n", "gold:2: 1 column where the first token line has 2"),
        (b"a O\n\xff O\n", "gold:2:1: invalid UTF-8"),
        ("a\tO\nb\t\n", "gold:2: the tag is empty"),
        ('{"text": "a"}\n', "this is JSON"),
        (CONLLU, "this is CoNLL-U; specify the column of the tags: UPOS, XPOS, MISC, or a key of MISC (found: NER"),
    ],
)  # fmt: skip
def test_files_without_tags_are_refused(call, text, message):
    status, out, err = call("train", "gold", "-o", "m", gold=text)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not Path("m").exists()
    assert call("train", TRAIN, "--dev", "gold", "-o", "m", "-q")[0] == 2


def test_odd_data_is_said(call):
    _, _, err = call("train", "gold", "-o", "m", "-q", gold="a O\nb O\n")
    assert "warning: all labels are O; the model can predict nothing else" in err
    _, _, err = call("train", "gold", "-o", "m", "-q", gold="a X\nb X\n")
    assert "warning: all labels are X" in err
    lines = "".join(f"a{at} t{at}\n\n" for at in range(300))
    _, _, err = call("train", "gold", "-o", "m", "-q", "--max-iter", "1", gold=lines)
    assert "300 different tags; are they in another column" in err
    status, _, err = call("train", TRAIN, "--dev", "dev", "-o", "m", "-q", dev="a B-GPE\nb I-LAW\n")
    assert status == 0
    assert "that do not occur in the training data are never predicted: B-GPE, I-LAW" in err


def test_the_place_of_the_model_is_checked_first(call, tmp_path):
    (tmp_path / "folder").mkdir()
    for output in ("folder", "no/m", "gold"):
        status, _, err = call("train", "gold", "-o", output, gold=POS)
        assert (status, "iteration" in err) == (2, False)
    assert (tmp_path / "gold").read_text() == POS
    assert call("train", "gold")[0] == 2
    assert call("train", "-", "--dev", "-", "-o", "m")[0] == 2
    assert call("train", "nowhere", "-o", "m")[2] == "spanrs: error: nowhere: no such file\n"


def test_models_go_through_pipes(call):
    command = (
        f"cat {TRAIN} | $SPANRS crf train - -q -o - > m && cat {RAW} | $SPANRS crf tag m - | tail -n 1"
    )
    code = "from spanrs.cli import main; main()"
    done = subprocess.run(
        ["bash", "-c", command.replace("$SPANRS", f"{sys.executable} -c '{code}'")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == ".\tO\n"


# interrupts


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("keep", [False, True])
def test_interrupted_training(keep, tmp_path):
    rng = random.Random(0)
    words = [f"w{at}" for at in range(2000)]
    lines = (
        f"{rng.choice(words)} T{rng.randrange(12)}\n{chr(10) * (at % 20 == 0)}" for at in range(30_000)
    )
    (tmp_path / "gold").write_text("".join(lines))
    args = ["crf", "train", "gold", "-o", "m", "--c2", "0.0001", *(["--keep-on-interrupt"] if keep else [])]
    process = subprocess.Popen(
        [*MAIN, *args], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert any(line.startswith("iteration 2 ") for line in process.stderr)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    if keep:
        assert process.returncode == 0
        assert "note: training was interrupted; m contains the weights so far" in err
        assert "interrupted, after" in out
        assert len(CRF.load(tmp_path / "m").classes_) == 12
    else:
        assert (process.returncode, out) == (130, "")
        assert err.endswith("spanrs: error: interrupted\n")
        assert [path.name for path in tmp_path.iterdir()] == ["gold"]


# tag


def test_tagging_adds_a_column_and_keeps_the_rest(call, model):
    text = "\n# a comment\nTomas\n lives \r\n\n\n-DOCSTART-\n\n# text = Oslo\nTomas"
    status, out, err = call("tag", model, "raw", raw="\ufeff" + text)
    assert (status, err) == (0, "")
    assert out == (
        "\ufeff\n# a comment\nTomas\tB-PER\n lives\tO\r\n\n\n-DOCSTART-\n\n# text = Oslo\nTomas\tB-PER"
    )


def test_metadata_written_by_rust_suffice(call):
    # rust/spanrs/tests/crf_fit.rs compares this file with the metadata of a model that was trained in Rust.
    metadata = CASES.joinpath("crf_metadata.json").read_text()
    sentence = [("Ada", "NNP"), ("Lovelace", "NNP"), ("wrote", "VBD")]
    crf = CRF(template=json.loads(metadata)["template"]).fit([sentence], [["B-PER", "I-PER", "O"]])
    crf._model = crf._trained().with_metadata(metadata)
    crf.save("rust.model")
    text = "Ada NNP\nLovelace NNP\nwrote VBD\n"
    status, out, err = call("tag", "rust.model", "raw", raw=text)
    assert (status, err, tags_of(out)) == (0, "", ["B-PER", "I-PER", "O"])
    assert CRF.load("rust.model").scheme == "BIO"
    assert "file train.conll, sentences 2, tokens 4" in call("info", "rust.model")[1]


def test_tags_are_those_of_python(call, model):
    status, out, _ = call("tag", model, DEV)
    assert status == 0
    crf = CRF.load(model)
    sentences = [
        [line.split()[0] for line in block.split("\n") if line]
        for block in Path(DEV).read_text().split("\n\n")
    ]
    assert tags_of(out) == [tag for tags in crf.predict(sentences) for tag in tags]
    assert [line.rsplit(" ", 1)[0] for line in out.splitlines()] == Path(DEV).read_text().splitlines()
    status, out, _ = call("tag", model, DEV, "--posterior", "--threads", "2")
    assert tags_of(out) == [tag for tags in crf.predict_posterior(sentences) for tag in tags]
    status, out, _ = call("tag", model, DEV, "--probabilities")
    probabilities = [float(value) for value in tags_of(out)]
    assert all(0 < value <= 1 for value in probabilities)
    assert len(probabilities) == 27


def test_tags_may_replace_a_column(call, model):
    for text in ("Tomas\tx\tO\n", "Tomas  x  O\n", "Tomas,x,O\n"):
        separator = ("--separator", ",") if "," in text else ()
        for column, place in (("-1", 2), ("1", 1)):
            _, out, err = call("tag", model, "raw", "--column", column, *separator, raw=text)
            expected = re.split(r"(\W+)", text.strip())
            expected[2 * place] = "B-PER"
            assert out == "".join(expected) + "\n", err
    status, _, err = call("tag", model, "raw", "--column", "7", raw="Tomas x\n")
    assert (status, "raw: no column 7: the first token line has 2 columns (0 to 1)" in err) == (2, True)
    for raw, column in (("Tomas\n", "0"), ("Tomas x\n", "0")):
        assert (
            "contains the tokens, which the tags would overwrite"
            in call("tag", model, "raw", "--column", column, raw=raw)[2]
        )


def test_long_files_are_tagged_as_short_ones(call, model):
    text = Path(DEV).read_text() + "\n# more\n\n \n"
    whole = call("tag", model, "raw", raw=text * 3)[1]
    # More than a chunk.
    assert call("tag", model, "raw", raw=text * 300)[1] == whole * 100
    call("tag", model, "raw", raw=text * 3)
    crlf = call("tag", model, "raw", raw=(text * 3).replace("\n", "\r\n").encode())[1]
    assert crlf.replace("\r", "") == whole
    lines = text.splitlines()
    lines[-6] += " more"
    status, out, err = call("tag", model, "raw", raw="\n".join(lines))
    assert (status, out) == (2, "")
    assert (
        err
        == f"spanrs: error: raw:{len(lines) - 5}: 3 columns where the first token line has 2; separator: white space\n"
    )
    status, _, err = call("tag", model, "raw", raw=text + "\na b c\nd e f\n")
    assert (status, "3 columns where the first token line has 2" in err) == (2, True)


def test_columns_are_counted_across_chunks(call, model):
    for raw in ("a b\tc\n\nd\n", "a\tb\n\nc\td\te\n"):
        status, out, err = call("tag", model, "raw", raw=raw)
        assert (status, out) == (2, "")
        assert re.fullmatch(
            "spanrs: error: raw:3: . columns? where the first token line has 2; separator: tab\n", err
        )


def test_options_are_checked_before_files_are_read(call):
    for args in (("--c1", "nan"), ("--c2", "-1"), ("--tol", "-1"), ("--c1", "1", "--algorithm", "ap")):
        status, out, err = call("train", "nowhere", "-o", "m", *args)
        assert (status, out, "nowhere" in err) == (2, "", False)


def test_several_files_and_outputs(call, model, tmp_path):
    _, out, _ = call("tag", model, "one", "two", one="Tomas", two=gzip.compress(b"Tomas\n"))
    assert out == "Tomas\tB-PER\n\nTomas\tB-PER\n"
    # A last line of blanks ends a sentence, too.
    out = call("tag", model, "one", "two", one="Tomas\n  ", two="Tomas\n")[1]
    assert out == "Tomas\tB-PER\n  \nTomas\tB-PER\n"
    call("tag", model, "one", "two", one="Tomas", two=gzip.compress(b"Tomas\n"))
    assert call("tag", model, "-", stdin=b"Tomas\n")[1] == "Tomas\tB-PER\n"
    assert call("tag", model, "one", "-o", "out")[:2] == (0, "")
    assert (tmp_path / "out").read_text() == "Tomas\tB-PER"
    # Nothing is written if the second file is wrong.
    status, out, err = call("tag", model, "one", "bad", "-o", "out2", bad="")
    assert (status, out, err) == (2, "", "spanrs: error: bad: the file has no tokens\n")
    assert not (tmp_path / "out2").exists()
    assert call("tag", model, "-", "-")[0] == 2
    assert call("tag", model)[0] == 2
    status, _, err = call("tag", model, "cut", cut=gzip.compress(b"Tomas\n" * 99)[:-9])
    assert (status, "cut: the compressed data is damaged or cut off" in err) == (2, True)


def test_zstd_is_read(call, model, tmp_path):
    data = pyarrow.compress(b"Tomas\n", codec="zstd", asbytes=True)
    assert call("tag", model, "raw", raw=data)[1] == "Tomas\tB-PER\n"


def test_conllu_is_filled(call):
    assert call("train", "gold", "--column", "upos", "-o", "m", "-q", gold=CONLLU)[0] == 0
    raw = CONLLU.replace("ADP", "_").replace("DET", "_")
    status, out, _ = call("tag", "m", "raw", raw=raw)
    assert (status, out) == (0, CONLLU)
    assert call("tag", "m", "raw", "--column", "XPOS")[1] == raw.replace("\tP\t", "\tADP\t").replace(
        "\tD\t", "\tDET\t"
    )
    _, out, _ = call("tag", "m", "raw", "--probabilities")
    assert re.findall(r"TagProbability=[01]\.\d{4}", out) == re.findall(r"TagProbability=\S+", out)
    assert out.count("|TagProbability=") == 2
    # Columns of other files are added.
    assert call("tag", "m", "raw", raw="de\nle\n")[1] == "de\tADP\nle\tDET\n"
    assert "overwrite" in call("tag", "m", "raw", "--column", "FORM", raw=raw)[2]
    _, out, _ = call("eval", "m", "gold", "--json")
    assert json.loads(out)["micro"]["f1"] == 1.0


def test_no_key_of_conllu_is_lost(call, model):
    word = "1\tTomas\t_\tPROPN\t_\t_\t0\troot\t_\tSpaceAfter=No\n\n"
    status, out, err = call("tag", model, "raw", "--column", "MISC", raw=word)
    assert (status, out, "raw:1: the tag would replace `SpaceAfter=No`" in err) == (2, "", True)
    status, out, err = call("tag", model, "raw", "--column", "TagProbability", "--probabilities")
    assert (status, out, "probabilities" in err) == (2, "", True)
    assert call("tag", model, "raw", "--column", "NER")[1] == word.replace("No", "No|NER=B-PER")


def test_keys_of_conllu_are_filled(call, model):
    assert call("train", "gold", "--column", "NER", "-o", "m", "-q", gold=CONLLU)[0] == 0
    raw = CONLLU.replace("NER=B-X", "_")
    assert call("tag", "m", "raw", raw=raw)[1] == CONLLU
    assert call("tag", "m", "gold")[1] == CONLLU
    status, _, err = call("tag", model, "raw")
    assert (status, "raw: this is CoNLL-U: specify the column for the tags with --column" in err) == (
        2,
        True,
    )
    status, _, err = call("train", "gold", "--column", "NERR", "-o", "m2")
    assert (status, "no word has the key NERR" in err) == (2, True)


def test_columns_of_training_are_the_default(call):
    gold = "1 the DET\n2 cat NOUN\n"
    assert call("train", "gold", "--token-column", "1", "-o", "m", "-q", gold=gold)[0] == 0
    assert call("tag", "m", "raw", raw="1 the\n2 cat\n")[1] == "1 the DET\n2 cat NOUN\n"
    assert call("tag", "m", "raw", "--token-column", "0", raw="the\ncat\n")[1] == "the\tDET\ncat\tNOUN\n"
    assert call("tag", "m", "raw", raw="the\ncat\n")[0] == 2
    assert (
        "contains their numbers"
        in call("tag", "m", "raw", "--token-column", "0", raw="1 a x\n2 b x\n\n1 a x\n2 b x\n\n" * 5)[2]
    )


def test_crfsuite_models_need_a_template(call, model, tmp_path):
    CRF.load(model).save_crfsuite(tmp_path / "suite")
    status, _, err = call("tag", "suite", RAW)
    assert status == 2
    assert "suite contains no template (CRFsuite files and" in err
    _, out, _ = call("tag", "suite", RAW, "--template", "ner", "--posterior")
    assert out == call("tag", model, RAW, "--posterior")[1]
    _, _, err = call("tag", "suite", RAW, "--template", "own", own="U99:%x[0,0]\n")
    assert "warning: suite knows none of the attributes that template own generates" in err
    assert call("eval", "suite", DEV, "--template", "ner")[0] == 0
    assert "none: attributes come from a program" in call("info", "suite")[1]
    assert (
        "--template is only for models without a template"
        in call("tag", model, RAW, "--template", "ner")[2]
    )


@pytest.mark.parametrize("command", ["tag", "eval", "info"])
def test_what_is_no_model_is_refused(call, command):
    files = [] if command == "info" else [RAW]
    for name, data in (("text", b"hello\n"), ("empty", b""), ("suite", b"lCRF"), ("long", b"\xff" * 99)):
        status, out, err = call(command, name, *files, **{name: data})
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"spanrs: error: {name}: ")
    assert call(command, "nowhere", *files)[2] == "spanrs: error: nowhere: No such file or directory\n"
    assert call(command, ".", *files)[0] == 2


# eval


def test_eval_prints_what_score_prints(call, model, tmp_path, capsysbinary):
    status, out, err = call("eval", model, DEV)
    assert (status, err) == (0, "")
    (tmp_path / "pred").write_text(call("tag", model, DEV, "--column", "-1")[1])
    assert run(group, ["score", DEV, "pred"]) == 0
    values = [line for line in out.splitlines() if not line.startswith("scheme")]
    second = capsysbinary.readouterr().out.decode()
    assert values == [line for line in second.splitlines() if not line.startswith("scheme")]
    parsed = json.loads(call("eval", model, DEV, "--json")[1])
    assert (parsed["tokens"], parsed["sentences"]) == (27, 4)


def test_eval_of_labels_without_prefixes(call, pos_model):
    status, out, _ = call("eval", pos_model, "pos")
    assert status == 0
    assert re.search(r"^NOUN +100\.00 +100\.00 +100\.00 +2", out, re.M)
    assert "accuracy  100.00 of 6 tokens" in out


def test_eval_says_which_labels_are_unknown(call, model):
    status, _, err = call("eval", model, "gold", gold="Oslo B-GPE\n. O\n")
    assert status == 0
    assert "warning: gold: the model does not know B-GPE\n" in err
    assert call("eval", model, RAW)[0] == 2


def test_gold_may_be_in_another_scheme(call, model, tmp_path):
    assert run(group, ["convert", DEV, "--to-scheme", "IOBES", "-o", "iobes"]) == 0
    _, out, _ = call("eval", model, "iobes", "--json")
    assert (
        json.loads(out)["micro"]["f1"] == json.loads(call("eval", model, DEV, "--json")[1])["micro"]["f1"]
    )


# info, template, help


def test_info_shows_the_model(call, model):
    status, out, _ = call("info", model, "--top", "2")
    assert status == 0
    assert "7: B-PER, I-PER, O, B-LOC, B-ORG, I-ORG, I-LOC" in out
    assert re.search(r"ner, \d+ attributes for each token", out)
    assert "features of B-PER\n" in out
    parsed = json.loads(call("info", model, "--json", "--top", "2")[1])
    assert (parsed["scheme"], len(parsed["heaviest_transitions"])) == ("BIO", 2)
    assert all(len(values) <= 2 for values in parsed["heaviest_features"].values())
    assert parsed["card"]["train"]["tokens"] == 101
    assert parsed["features"] == len(CRF.load(model).state_features_)


def test_templates_are_listed_and_printed(call):
    assert [line.split()[0] for line in call("template")[1].splitlines()] == ["chunking", "ner", "pos"]
    assert call("template", "ner")[1] == spanrs.crf.templates()["ner"]
    assert call("template", "x")[0] == 2


@pytest.mark.parametrize("command", ["train", "tag", "eval", "info", "template"])
def test_every_command_has_help(call, command):
    status, out, _ = call(command, "--help")
    assert (status, "Usage: spanrs crf" in out) == (0, True)
    assert call(command, "--nonsense")[0] == 2


def test_running_text_is_refused(call, model):
    status, out, err = call("tag", model, "raw", raw="Anna lives in Paris .\n\nTomas sleeps well today .\n")
    assert (status, out) == (2, "")
    assert (
        "raw:1: every sentence has a single token, but its line has 5 columns; is this running text?" in err
    )


def test_a_short_line_of_running_text_is_refused(call, model):
    for text in ("We don't cook.\n", "Anna sleeps.\n\nTomas left.\n"):
        status, out, err = call("tag", model, "raw", raw=text)
        assert (status, out) == (2, "")
        assert "is this running text?" in err
    # A token whose number of columns differs from the number of words of a sentence.
    assert call("tag", model, "raw", raw="don't VB O\n")[0] == 0


def test_a_model_goes_through_a_pipe(call, model):
    data = model.read_bytes()
    status, out, _ = call("info", "-", stdin=data)
    assert status == 0
    assert "labels" in out


def test_words_without_a_tag_are_located(call):
    text = "1\tAda\t_\tPROPN\t_\t_\t0\troot\t_\t_\n\n"
    status, _, err = call("train", "a.conllu", "--column", "XPOS", "-o", "m", "-q", **{"a.conllu": text})
    assert status == 2
    assert "a.conllu:1: the word has no XPOS (_)" in err


def test_the_scheme_of_a_model_is_not_replaced_by_another(call, model):
    status, out, err = call("tag", model, RAW, "--model-scheme", "IOBES")
    assert (status, out) == (2, "")
    assert "was trained for BIO" in err
    assert call("tag", model, RAW, "--model-scheme", "none")[0] == 0
    assert call("tag", model, RAW, "--model-scheme", "bio")[1] == call("tag", model, RAW)[1]


def test_models_learn_from_a_doccano_project(tmp_path):
    records = [
        {
            "text": f"Ada met Bob in Rome {at} times",
            "label": [[0, 3, "PER"], [8, 11, "PER"], [15, 19, "LOC"]],
        }
        for at in range(12)
    ]
    project = tmp_path / "project.jsonl"
    project.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    model, raw = tmp_path / "model", tmp_path / "raw"
    assert run(group, ["crf", "train", "-q", "--max-iter", "40", str(project), "-o", str(model)]) == 0
    raw.write_text("Ada\nmet\nBob\n", encoding="utf-8")
    tagged = tmp_path / "tagged"
    assert run(group, ["crf", "tag", str(model), str(raw), "-o", str(tagged)]) == 0
    assert tagged.read_text(encoding="utf-8").split() == ["Ada", "B-PER", "met", "O", "Bob", "B-PER"]
    assert run(group, ["crf", "eval", str(model), str(project)]) == 0
