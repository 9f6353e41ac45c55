"""Fair evaluation of files and directories."""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
from pathlib import Path

import pytest

import fair_steps
import spanrs
from spanrs.compat.faireval.fair_config import read_fair_config
from spanrs.errors import AlignmentError, FormatError
from spanrs.io import Pairing


def outcomes(**counted):
    """All outcomes of a fair evaluation; those not given are 0."""
    kinds = ("tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo")
    return dict.fromkeys(kinds, 0) | counted


STACKED = b"""Das This B-S|B-NP
ist is I-S|B-VP
ein a I-S|I-VP|B-NP
einfacher simple I-S|I-VP|I-NP|B-AP
Satz sentence I-S|I-VP|I-NP
. . I-S|
"""


def stacked(text, **options):
    """The spans of a file with stacked tags: those of pred, when gold has none."""
    rows = [line.split()[:2] for line in text.decode().splitlines()]
    empty = "\n".join(" ".join([*row, "O"]) if row else "" for row in rows).encode()
    result = spanrs.score(
        io.BytesIO(empty), io.BytesIO(text), matcher="fair", format="stacked", punct_column=1, **options
    )
    return {name: row["fp"] for name, row in result["fair"].per_type.outcomes.items()}


def test_stacked_tags_are_read_as_documented():
    assert stacked(STACKED) == {"AP": 1, "NP": 2, "S": 1, "VP": 1}
    sides = (io.BytesIO(STACKED), io.BytesIO(STACKED))
    assert spanrs.score(*sides, matcher="fair", punct_column=1).outcomes == outcomes(tp=5)


def test_stacked_spans_have_the_bounds_of_their_tags():
    text = b"a NE B-ORG\nb NE I-ORG|B-LOC\nc X O\nd X _\n"
    spans = b"ORG\t1\t2\t1,2\nLOC\t2\t2\t2\n"
    result = spanrs.score(io.BytesIO(text), io.BytesIO(spans), matcher="fair")
    assert result.outcomes == outcomes(tp=2)


@pytest.mark.parametrize("separator", ["tab", ";"])
def test_columns_can_be_separated_by_anything(separator):
    byte = {"tab": b"\t"}.get(separator, separator.encode())
    text = STACKED.replace(b" ", byte)
    assert stacked(STACKED, separator="auto") == {"AP": 1, "NP": 2, "S": 1, "VP": 1}
    options = {"format": "stacked", "separator": separator, "punct_column": 1}
    result = spanrs.score(io.BytesIO(text), io.BytesIO(text), matcher="fair", **options)
    assert result.outcomes["tp"] == 5


def test_types_may_hold_dashes():
    assert stacked(b"a X B-creative-work\nb X I-creative-work\n") == {"creative-work": 1}


PUNCT = b"""a NN B-A
b $. I-A|B-B
c $, I-A
d NN I-A
e PUNCT I-A
. $. I-A
x . B-C
"""


def test_punctuation_is_left_out():
    spans = b"A\t1\t4\t1, 4\n"
    gold = spanrs.read(io.BytesIO(PUNCT), punct_column=1)
    result = spanrs.score(gold, io.BytesIO(spans), matcher="fair")
    assert result.outcomes == outcomes(tp=1)
    kept = b"B\t2\t2\t2\nA\t1\t6\t1,2,3,4,5,6\nC\t7\t7\t7\n"
    result = spanrs.score(io.BytesIO(PUNCT), io.BytesIO(kept), matcher="fair")
    assert result.outcomes == outcomes(tp=3)


def test_punctuation_is_that_of_gold_on_both_sides():
    gold = b"( ( B-X\nHund NN I-X\n. . I-X\n'' '' I-X\n"
    plain = b"( B-X\nHund I-X\n. I-X\n'' I-X\n"
    second = gold.replace(b"( (", b"( XY")
    options = {"matcher": "fair", "format": "stacked", "punct_column": 1}
    for pred in (plain, second):
        assert spanrs.score(io.BytesIO(gold), io.BytesIO(pred), **options).outcomes == outcomes(tp=1)
        assert spanrs.score(io.BytesIO(pred), io.BytesIO(gold), **options).outcomes == outcomes(tp=1)


def test_files_without_parts_of_speech_are_read_as_they_are():
    for text in (b"B-A\nI-A|B-B\n\nO\n", b"w B-A\nv I-A|B-B\n\nx O\n"):
        assert spanrs.score(io.BytesIO(text), io.BytesIO(text), matcher="fair").outcomes == outcomes(tp=2)
    sides = (io.BytesIO(b"B-A\nI-A\n"), io.BytesIO(b"w B-A\n\n"))
    with pytest.raises(AlignmentError, match=r"has 2 tokens.*has 1"):
        spanrs.score(*sides, matcher="fair", format="stacked")


def test_signatures_say_how_files_were_read():
    def signature(text, **options):
        return spanrs.score(io.BytesIO(text), io.BytesIO(text), matcher="fair", **options).signature

    assert "|format:stacked|punct:ignored by column 1|" in signature(PUNCT, punct_column=1)
    assert "|format:stacked|punct:kept|" in signature(PUNCT)
    assert "|format:spans|version" in signature(b"A\t1\t1\t1\n")


@pytest.mark.parametrize(
    ("first", "code"),
    [
        (b"A\tx\t2\t1", "bad_span"),
        (b"A\t1\t2", "ragged_columns"),
        (b"# comment", "ragged_columns"),
        (b"A 1 1 1", "ragged_columns"),
    ],
)
def test_span_files_are_known_by_their_first_lines(first, code):
    text = first + b"\n\nA\t1\t1\t1\n"
    with pytest.raises(FormatError) as caught:
        spanrs.score(io.BytesIO(text), io.BytesIO(text), matcher="fair", format="spans")
    assert (caught.value.line, caught.value.code) == (1, code)


def test_dummies_are_excluded_and_types_can_be_chosen():
    gold, pred = (
        b"EMPTY\t999\t999\t999\n\nA\t1\t2\t1,2\nB\t4\t4\t\n",
        b"X\t1\t1\t1\n\nA\t1\t1\t1\nB\t4\t4\t4\n",
    )
    result = spanrs.score(io.BytesIO(gold), io.BytesIO(pred), matcher="fair")
    assert result.outcomes == outcomes(tp=1, fp=1, be=1, bes=1)
    assert result.sentences == 2
    result = spanrs.score(io.BytesIO(gold), io.BytesIO(pred), matcher=spanrs.Fair(types=["B", "X"]))
    assert result.outcomes == outcomes(tp=1, fp=1)
    result = spanrs.score(io.BytesIO(gold), io.BytesIO(pred), matcher=spanrs.Fair(exclude=["X"]))
    assert result.outcomes["fn"] == 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"A\t1\t2\n", 1, "3 columns"),
        (b"A\t1\t2\t1\n\n\nB\tx\t2\t1\n", 4, 'begin is "x"'),
        (b"A\t0\t2\t1\n", 1, 'begin is "0"'),
        (b"A\t1\t2.5\t1\n", 1, 'end is "2.5"'),
        (b"A\t3\t2\t3\n", 1, "ends at token 2, before it begins at token 3"),
        (b"A\t1\t2\t1, 3\n", 1, "token 3 lies outside the span, which is 1 to 2"),
        (b"A\t2\t3\t1\n", 1, "token 1 lies outside"),
        (b"A\t1\t2\t1,,2\n", 1, 'token is ""'),
        (b"A\t1\t2\t1;2\n", 1, 'token is "1;2"'),
        (b"\t1\t2\t1\n", 1, 'type ""'),
        (b"A \t1\t2\t1\n", 1, "have spaces around"),
        (b"A\t99999999999999999999\t2\t1\n", 1, "begin is"),
    ],
)
def test_span_lines_that_cannot_be_are_refused_with_their_line(text, line, message):
    with pytest.raises(FormatError, match=message.replace("(", r"\(")) as caught:
        spanrs.score(io.BytesIO(text), io.BytesIO(text), matcher="fair", format="spans")
    assert (caught.value.path, caught.value.line) == ("<stream>", line)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"a X B-A\nb X I-A|I-B\n", 2, "none is open at its level"),
        (b"a X I-A\n", 1, "none is open at its level"),
        (b"a X B-A\nb X I-B\n", 2, "span of type A; overlapping spans cannot be stacked"),
        (b"a X B-A|B-B\nb X B-A|I-B\n", 2, "none is open"),
        (b"a X S-A\n", 1, "`S-A` is not a tag"),
        (b"a X B-\n", 1, "`B-` is not a tag"),
        (b"a X B-A||B-B\n", 1, "`` is not a tag"),
    ],
)
def test_stacked_tags_that_do_not_fit_are_refused_with_their_line(text, line, message):
    with pytest.raises(FormatError, match=message) as caught:
        spanrs.score(io.BytesIO(text), io.BytesIO(text), matcher="fair", format="stacked")
    assert (caught.value.line, caught.value.code) == (line, "stacked_tags")


@pytest.mark.parametrize(
    ("gold", "pred", "message"),
    [
        (b"A\t1\t1\t1\n\nA\t1\t1\t1\n", b"A\t1\t1\t1\n", "<stream>:3: gold has more sentences: <stream>:1"),
        (b"A\t1\t1\t1\n", b"A\t1\t1\t1\n\n\nA\t1\t1\t1\n", "gold ends after 1 sentences.*<stream>:4"),
        (b"a X O\nb X O\n", b"a X O\nc X O\n", "token 2 of the sentence is `b`.*`c`"),
        (b"a X O\nb X O\n", b"a X O\n", "has 2 tokens.*has 1"),
    ],
)
def test_files_of_other_sentences_are_refused(gold, pred, message):
    kind = "spans" if b"\t" in gold else "stacked"
    with pytest.raises(AlignmentError, match=message):
        spanrs.score(io.BytesIO(gold), io.BytesIO(pred), matcher="fair", format=kind)


def test_directories_are_paired_by_name(tmp_path):
    for side, texts in {
        "gold": ("A\t1\t2\t1,2\n", "B\t1\t1\t1\n"),
        "pred": ("A\t1\t1\t1\n", "C\t1\t1\t1\n"),
    }.items():
        (tmp_path / side).mkdir()
        for name, text in zip(("one.csv", "two.csv"), texts, strict=True):
            (tmp_path / side / name).write_text(text)
    result = spanrs.score(tmp_path / "gold", tmp_path / "pred", matcher="fair", by="document")
    assert [(row.name, row.outcomes["be"], row.outcomes["le"]) for row in result.documents] == [
        ("one.csv", 1, 0),
        ("two.csv", 0, 1),
    ]
    first = spanrs.score(tmp_path / "gold" / "one.csv", tmp_path / "pred", matcher="fair")
    assert first.outcomes == outcomes(be=1, bes=1)
    second = spanrs.score(
        tmp_path / "gold",
        tmp_path / "pred",
        matcher="fair",
        pairing=Pairing(file_re="one.*"),
        on_error="skip",
    )
    assert second.outcomes == first.outcomes
    (tmp_path / "gold" / "three.csv").write_text("A\t1\t1\t1\n")
    with pytest.raises(
        AlignmentError, match=r"pred: pred has no file for three\.csv; files are paired by name"
    ) as caught:
        spanrs.score(tmp_path / "gold", tmp_path / "pred", matcher="fair")
    assert caught.value.code == "files"
    with pytest.raises(FileNotFoundError):
        spanrs.score(tmp_path / "gold" / "one.csv", tmp_path / "nothing", matcher="fair")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux allows file names that are not UTF-8")
def test_names_that_are_no_text_are_no_trouble(tmp_path):
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        for name in (b"\xff.csv", b"a.csv"):
            Path(os.fsdecode(os.fsencode(tmp_path / side / "") + b"/" + name)).write_text("A\t1\t2\t1,2\n")
    result = spanrs.score(tmp_path / "gold", tmp_path / "pred", matcher="fair", by="document")
    assert result.outcomes == outcomes(tp=2)
    first, second = result.documents
    assert (first.name, first.outcomes, second.outcomes) == ("a.csv", outcomes(tp=1), outcomes(tp=1))
    assert second.name.endswith(".csv")
    # The messages can be printed and stored.
    assert str(result).encode()
    assert spanrs.Result.from_bytes(result.to_bytes()).to_dict() == result.to_dict()
    assert spanrs.score(tmp_path / "gold", tmp_path / "pred", matcher="fair").outcomes == outcomes(tp=2)


def test_compressed_files_and_results_of_files_merge():
    text = b"A\t1\t2\t1,2\n"
    single = spanrs.score(io.BytesIO(gzip.compress(text)), io.BytesIO(text), matcher="fair")
    assert single.merge(single).outcomes["tp"] == 2


def test_random_span_files_are_counted_as_the_steps_count(tmp_path):
    rng = random.Random(8)
    sentences, texts = [], ["", ""]
    for _ in range(300):
        pair = []
        for side in range(2):
            spans = []
            for _ in range(rng.randrange(1, 7)):
                begin = rng.randrange(1, 9)
                end = rng.randrange(begin, 12)
                tokens = sorted(rng.sample(range(begin, end + 1), rng.randrange(1, end - begin + 2)))
                spans.append([rng.choice("ABC"), begin, end, set(tokens)])
                texts[side] += f"{spans[-1][0]}\t{begin}\t{end}\t{', '.join(map(str, tokens))}\n"
            pair.append(spans)
            texts[side] += "\n"
        sentences.append(pair)
    result = spanrs.score(*(io.BytesIO(text.encode()) for text in texts), matcher="fair")
    total = outcomes()
    for gold, pred in sentences:
        for kind, n in fair_steps.compare_spans(gold, pred)["overall"]["fair"].items():
            total[kind.lower()] += n
    assert result.outcomes == total


def config(tmp_path, text):
    path = tmp_path / "my.config"
    path.write_text(text)
    return path


def test_a_configuration_is_read_as_documented(tmp_path):
    created = read_fair_config(config(tmp_path, "target_in = a\nsystem_in = b\n"))
    assert (created.exclude, created.ignore_punct, created.focus, created.methods) == (
        ["NONE", "EMPTY"],
        True,
        "gold",
        ["traditional", "fair", "weighted"],
    )
    text = "labels = NP, PP\nexclude = S\nignore_punct = False\nfocus = System\n"
    text += "eval_method = Fair, traditional\n"
    created = read_fair_config(config(tmp_path, text))
    assert (created.types, created.exclude, created.ignore_punct, created.focus, created.methods) == (
        ["NP", "PP"],
        ["S", "NONE", "EMPTY"],
        False,
        "pred",
        ["traditional", "fair"],
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("targt_in = a", r"my\.config:1: unknown key 'targt_in'; did you mean target_in\?"),
        ("# x\n\nfocus = left", r":3: focus: unknown focus 'left'"),
        ("ignore_punct = perhaps", "neither True nor False"),
        ("eval_method = fair, best", "unknown evaluation 'best'"),
        ("weights = LE = FP", "'FP' is not a term"),
        ("focus", "is not a setting"),
        ("focus = system\nfocus = target", ":2: focus is set here and on line 1"),
    ],
)
def test_configurations_that_cannot_be_are_refused(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_fair_config(config(tmp_path, text))
