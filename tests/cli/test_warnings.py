"""Warnings of commands about suspicious input."""

from __future__ import annotations

import json
import warnings

import pytest

import spanrs
from spanrs.cli.group import group
from spanrs.cli.run import run

GOLD = "EU B-ORG\nrejects O\n\nPeter B-PER\nB I-PER\n"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*args, **files):
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        status = run(group, list(args))
        return status, *capsys.readouterr()

    return call


def test_what_is_said_of_all_systems_is_said_once(call):
    out = GOLD.replace("B-PER", "O").replace("I-PER", "O").replace("B-ORG", "O")
    status, _, err = call("score", "gold", "one", "two", gold=GOLD, one=out, two=out)
    assert status == 0
    assert err.startswith("spanrs: warning: all 4 tags of pred are O")
    assert err.count("\n") == 1
    _, _, err = call("score", "gold", "one", "two", two=GOLD)
    assert err.startswith("spanrs: warning: one: all 4 tags of pred are O")


def test_types_may_be_those_of_one_system(call):
    second = GOLD.replace("ORG", "R")
    status, out, err = call("score", "gold", "one", "two", "--types", "R", gold=GOLD, one=GOLD, two=second)
    assert status == 0
    assert err == "spanrs: warning: one: there are no spans of the scored types\n"
    assert len([line for line in out.splitlines() if line.startswith(("one", "two"))]) == 2
    status, _, err = call("score", "gold", "one", "two", "--types", "ORGG")
    assert (status, err) == (2, "spanrs: error: no span has type ORGG; types of the files: ORG, PER, R\n")


def test_differing_tokens_have_a_column_where_there_are_any(call):
    second = GOLD.replace("Peter", "Petre")
    for matcher in ("exact", "fair"):
        args = ("score", "--matcher", matcher, "--align", "report", "gold", "one", "two")
        _, out, err = call(*args, gold=GOLD, one=GOLD, two=second)
        head, _, one, two = out.splitlines()[:4]
        assert head.split()[-1] == "differing"
        assert (one.split()[-1], two.split()[-1]) == ("0", "1")
        assert "spanrs: warning: two: 1 of 4 tokens differ between gold and pred\n" in err


def test_a_reading_that_leaves_nothing_is_not_silent(call):
    under = GOLD.replace("-", "_")
    status, _, err = call(
        "convert", "under", "--scheme", "BIO", "--to-scheme", "IOBES", "-o", "out", under=under
    )
    assert status == 2
    status, _, err = call(
        "convert", "under", "--scheme", "BIO", "--to-scheme", "IOBES", "--reading", "conlleval", "-o", "out"
    )
    assert status == 0
    assert err.startswith("spanrs: warning: under: 3 violations of BIO among 3 tags other than O; ")
    status, _, err = call("spans", "--scheme", "BIO", "under")
    assert status == 0
    assert err.startswith(
        "spanrs: warning: under: 3 violations of BIO among 3 tags other than O, the first on line 1:"
    )
    _, _, err = call("spans", "gold", gold=GOLD)
    assert err == ""


@pytest.mark.parametrize(
    ("tags", "advice"),
    [
        ("B_ORG", "(--tag-separator _)"),
        ("B:ORG", "(--tag-separator :)"),
        ("ORG-B", "(--suffix)"),
        ("b-ORG", "write them in upper case"),
    ],
)
def test_other_spellings_of_prefixes_are_recognised(call, tags, advice):
    text = GOLD.replace("B-ORG", tags).replace("B-PER", tags).replace("I-PER", tags)
    status, _, err = call("score", "text", "text", text=text)
    assert status == 2
    assert err.rstrip().endswith(advice)


def test_hash_signs_are_tokens_although_lines_end_with_a_tab(call):
    for text in ("#\tB-X\t\nfoo\tI-X\t\n", "#\tB-X\t\nfoo\tI-X\tx\n", "a\tO\tx\n\n#\tB-X\t\nfoo\tI-X\tx\n"):
        _, out, _ = call("spans", "--column", "1", "text", text=text)
        spans = [json.loads(line)["spans"] for line in out.splitlines()]
        assert spans[-1][0]["text"] == "# foo"


def test_braces_are_tokens(call):
    for token in ("{}", '{"a":1}', '["a"]'):
        status, out, _ = call("spans", "text", text=f"{token}\tB-X\n")
        assert (status, json.loads(out)["tokens"]) == (0, [token])


def test_matscore_says_where_a_side_was_probably_misread(call):
    # From an unknown tool; records of doccano are refused.
    second = json.dumps({"text": "Bob ate", "annotations": [[0, 3, "PER"]]}) + "\n"
    prodigy = json.dumps({"text": "Bob ate", "spans": [{"start": 0, "end": 3, "label": "PER"}]}) + "\n"
    sides = ("score", "--matcher", "mat", "--format", "prodigy", "ref", "hyp")
    status, _, err = call(*sides, hyp=second, ref=prodigy)
    assert status == 0
    assert err == "The hypothesis has no annotations to score; check its file type and labels.\n"
    _, _, err = call(*sides, hyp=prodigy, ref=second)
    assert err.startswith("The reference has no annotations")
    doccano = json.dumps({"text": "Bob ate", "label": [[0, 3, "PER"]]}) + "\n"
    status, _, err = call(*sides, hyp=doccano, ref=prodigy)
    assert (status, 'there is a list "label" but no "spans"; is this a doccano file?' in err) == (2, True)
    call(*sides, hyp=prodigy, ref=second)
    with pytest.warns(spanrs.SpanrsWarning, match="The hypothesis has no annotations"):
        spanrs.score("hyp", "ref", matcher=spanrs.mat.Mat(), on_error="skip", format="prodigy")
    spans = [{"start": at, "end": at + 1, "label": "PER"} for at in range(5)]
    lower = json.dumps({"text": "Bob ate", "spans": [span | {"label": "per"} for span in spans]})
    _, _, err = call(*sides, hyp=lower, ref=json.dumps({"text": "Bob ate", "spans": spans}))
    assert (
        err
        == "None of 5 annotations of the reference (PER) matches one of the 5 of the hypothesis (per).\n"
    )


def test_matscore_says_everything_that_is_left_out_once(call):
    region = [[0, 99, "PER"], [0, 98, "PER"]]
    lines = "".join(
        json.dumps({"id": at, "text": "Bob", "label": [*region, [0, 3, "PER"]]}) + "\n" for at in "ab"
    )
    args = ("score", "--matcher", "mat", "--format", "doccano")
    _, _, err = call(*args, "hyp", "hyp", hyp=lines)
    assert err.count("Leaving out an annotation of hyp: PER 0-99") == 2
    _, _, err = call(*args, "ref", "hyp", ref=lines)
    assert err.count("PER 0-99") == 4


def test_matscore_takes_the_format_of_column_files(call):
    args = ("score", "--matcher", "mat", "text", "text")
    status, _, err = call(*args, text='["a", "b"]\n')
    assert (status, "this is JSON" in err) == (2, True)
    status, _, _ = call(*args, "--format", "columns", "--separator", "tab", text="[1,2]\tB-X\n")
    assert status == 0


def test_other_warnings_stay_as_they_are(call, monkeypatch):
    import spanrs.cli.validate as module

    def validate(*args, **kwargs):
        warnings.warn("from elsewhere", UserWarning, stacklevel=1)
        return spanrs.io.validate(*args, **kwargs)

    monkeypatch.setattr(module, "validate", validate)
    with pytest.warns(UserWarning, match="from elsewhere"):
        call("validate", "gold", gold=GOLD)


@pytest.mark.parametrize("options", [[], ["--all-readings"]])
def test_a_file_of_one_column_does_not_hold_both_sides(call, options):
    status, out, err = call("score", "tokens", *options, tokens="# id = 1\nEU\nrejects\n")
    assert (status, out) == (2, "")
    assert err == (
        "spanrs: error: tokens:2: the file has one column, but a file with gold and pred has three or more "
        "(tokens, gold, pred); add the file of pred, or specify the separator of the columns\n"
    )
    # A column that was named stays in the message.
    _, _, err = call("score", "tokens", "--column", "1", *options)
    assert err == "spanrs: error: tokens:2: no column 1: the first token line has one column (column 0)\n"


COMMENTED = "# one\n{0}\n# two\n{0}\n"


def test_comments_that_are_read_as_tokens_bring_advice(call):
    advice = "; if the lines that begin these sentences are comments, give the prefix of comments: --comments '# '"
    few = COMMENTED.format(GOLD) + GOLD * 30
    status, _, err = call("score", "gold", "gold", gold=few)
    assert status == 0
    for side in ("gold", "pred"):
        assert (
            f"the first unknown tags of {side} begin sentences, the first in line 1, 'one'{advice}" in err
        )
    assert (
        "the first unknown tags begin sentences, the first in line 1" + advice
        in call("validate", "gold")[2]
    )
    # In addition, more than a tenth of them are violations.
    _, _, err = call("score", "gold", "gold", "--scheme", "BIO", gold=COMMENTED.format(GOLD))
    assert err.count("other than O, the first: Unknown Tag: one is not a tag of the scheme; is it") == 2
    assert err.count("? Or" + advice[1:]) == 2
    for command in (
        ("score", "gold", "gold", "--comments", "# "),
        ("validate", "gold", "--comments", "# "),
    ):
        _, _, err = call(*command)
        assert "comments" not in err
        assert "Unknown" not in err


@pytest.mark.parametrize(
    "text",
    [
        "a O\nb x\nc B-A\n\nd y\ne O\n\n",  # Within a sentence, too.
        "a x\nb y\n\nc x\nd y\n\n",  # Whole sentences.
        "a x\nb B-A\n\nc B-A\nd O\n\n",  # A single line, which may have any cause.
    ],
)
def test_other_unknown_tags_are_not_taken_for_comments(call, text):
    _, _, err = call(
        "score", "gold", "gold", "--scheme", "BIO", gold=text * (1 if "a x\nb B" in text else 5)
    )
    assert "comments" not in err


def test_unknown_tags_in_memory_are_no_comments():
    with warnings.catch_warnings(record=True) as actual:
        warnings.simplefilter("always")
        spanrs.score([["x", "B-A"]] * 5, [["x", "B-A"]] * 5, scheme="BIO")
    assert actual
    assert not any("comments" in str(warning.message) for warning in actual)
