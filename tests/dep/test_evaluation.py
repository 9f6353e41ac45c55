"""Measures of trees, against the evaluation script of Universal Dependencies."""

from __future__ import annotations

import io
import random
import warnings

import pytest
from udtools import udeval

from spanrs.dep import Dep, Parse, evaluate
from spanrs.errors import AlignmentError, FormatError, SpanrsWarning
from spanrs.eval import Measure

LABELS = ["nsubj", "obj", "det", "case", "punct", "nmod:poss", "nmod", "aux", "conj", "cc"]
NAMES = {
    "upos": "UPOS",
    "xpos": "XPOS",
    "feats": "UFeats",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
    "all_tags": "AllTags",
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
}


def tree(rng, n):
    """Heads of a random tree, and labels."""
    root = rng.randrange(n)
    heads = [0] * n
    placed = [root]
    for at in rng.sample([at for at in range(n) if at != root], n - 1):
        heads[at] = rng.choice(placed) + 1
        placed.append(at)
    return heads, ["root" if not head else rng.choice(LABELS) for head in heads]


def written(rng, sentences):
    """Sentences of tokens (each a list of words) in CoNLL-U, with random trees and tags."""
    lines = []
    for tokens in sentences:
        words = [word for _, parts in tokens for word in parts]
        heads, labels = tree(rng, len(words))
        at = 1
        rows = iter(zip(words, heads, labels, strict=True))
        for form, parts in tokens:
            if len(parts) > 1:
                lines.append(f"{at}-{at + len(parts) - 1}\t{form}" + "\t_" * 8)
            for _ in parts:
                word, head, label = next(rows)
                tag = rng.choice(["NOUN", "VERB"])
                feats = rng.choice(["_", "Number=Sing", "Number=Sing|Typo=Yes", "Case=Nom|Number=Sing"])
                lemma = rng.choice(["_", word.lower(), word])
                xpos = rng.choice("AB")
                lines.append(f"{at}\t{word}\t{lemma}\t{tag}\t{xpos}\t{feats}\t{head}\t{label}\t_\t_")
                at += 1
        lines.append("")
    return "\n".join([*lines, ""])


def cut(rng, text, several):
    """Split a text into sentences of tokens, some of which are multiword tokens.

    Unlike spanrs, the original aligns unmatched words at the end of a sentence with multiword tokens of the next one.
    """
    sentences, tokens = [], []
    while text:
        size = rng.randint(1, 4)
        form, text = text[:size], text[size:]
        parts = [form]
        if not several and rng.random() < 0.3:
            parts = [rng.choice([form, form.lower(), "de", "x"]) for _ in range(rng.randint(2, 3))]
        tokens.append((form, parts))
        if not text or (several and rng.random() < 0.3):
            sentences.append(tokens)
            tokens = []
    return sentences


@pytest.mark.parametrize("seed", range(300))
def test_measures_are_those_of_the_shared_task(seed):
    rng = random.Random(seed)
    text = "".join(rng.choices("abCdeé", k=rng.randint(1, 40)))
    several = rng.random() < 0.5
    gold = cut(rng, text, several)
    pred = gold if rng.random() < 0.4 else cut(rng, text, several)
    gold_text, pred_text = written(rng, gold), written(rng, pred)
    theirs = udeval.evaluate(
        *(udeval.load_conllu(io.StringIO(text), "x", {}) for text in (gold_text, pred_text))
    )
    ours = evaluate(io.BytesIO(gold_text.encode()), io.BytesIO(pred_text.encode()))
    for name, their_name in NAMES.items():
        score, expected = ours[name].micro, theirs[their_name]
        assert (score.precision, score.recall, score.f1) == pytest.approx(
            (expected.precision, expected.recall, expected.f1), abs=1e-12
        ), name


def test_columns_that_are_those_of_gold_in_all_words_are_doubted():
    """The columns may be copies whose comments got lost."""
    gold, pred = (
        Parse(["a", "b"], heads, xpos=xpos) for heads, xpos in (([2, 0], ["A", "B"]), ([0, 1], ["A", "B"]))
    )
    with pytest.warns(SpanrsWarning, match="XPOS of pred and gold are equal in all 1000 words"):
        evaluate([gold] * 500, [pred] * 500)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SpanrsWarning)
        evaluate([gold] * 499, [pred] * 499)
        evaluate([gold] * 500, [gold] * 500)
        second = Parse(["a", "b"], [2, 0], xpos=["A", "C"])
        evaluate([gold] * 500, [pred] * 499 + [second])


def test_accuracy_without_punctuation_is_that_of_parser_py():
    gold = [Parse(["a", "b", ".", "!"], [2, 0, 2, 2], ["det", "root", "punct", "P"])]
    pred = [Parse(["a", "b", ".", "!"], [2, 0, 1, 1], ["det", "root", "punct", "punct"])]
    result = evaluate(gold, pred)
    assert result["uas"].micro.f1 == 0.5
    assert result["uas_no_punct"].micro.f1 == 1.0
    assert result["las_no_punct"].micro.support == 2


def test_subtypes_are_compared_on_demand():
    gold = [Parse(["my", "dog"], [2, 0], ["nmod:poss", "root"])]
    pred = [Parse(["my", "dog"], [2, 0], ["nmod", "root"])]
    assert evaluate(gold, pred).micro.f1 == 1.0
    result = evaluate(gold, pred, Dep(subtypes=True))
    assert result.micro.f1 == 0.5
    assert result.confusion["nmod:poss"] == {"nmod": 1}
    assert "subtypes:true" in result.signature
    assert type(result).from_bytes(result.to_bytes()) == result


def test_sentences_have_rows_and_intervals():
    gold = [Parse(["a", "b"], [2, 0], ["det", "root"])] * 6
    pred = [Parse(["a", "b"], [2, 0], ["det", "root"])] * 3 + [
        Parse(["a", "b"], [0, 1], ["root", "obj"])
    ] * 3
    result = evaluate(gold, pred, by="sentence")
    assert len(list(result.documents)) == 6
    measure = Measure("f1", criterion="uas")
    low, high = result.bootstrap([measure], samples=200).interval(measure)
    assert low < 0.5 < high
    with pytest.raises(ValueError, match="by must be 'sentence' or None for trees, not 'document'"):
        evaluate(gold, pred, by="document")


@pytest.mark.parametrize(
    ("gold", "pred", "error", "message"),
    [
        (["ab"], ["ac"], AlignmentError, "same characters"),
        (["ab", "c"], ["ab"], AlignmentError, "ends, but"),
        (["ab"], ["ab", "c"], AlignmentError, "ends, but"),
    ],
)
def test_texts_must_be_the_same(gold, pred, error, message):
    def made(sentences):
        return [
            Parse(list(words), [0, *[1] * (len(words) - 1)], ["root"] * len(words)) for words in sentences
        ]

    with pytest.raises(error, match=message):
        evaluate(made(gold), made(pred))


@pytest.mark.parametrize("without", ["gold", "pred"])
def test_without_trees_the_other_columns_are_compared(without):
    words = ["They", "ate"]
    tree = Parse(words, [2, 0], ["nsubj", "root"], upos=["PRON", "VERB"], lemmas=["they", "eat"])
    flat = Parse(words, upos=["PRON", "NOUN"], lemmas=["they", "eat"])
    sides = (flat, tree) if without == "gold" else (tree, flat)
    result = evaluate(*([side] for side in sides))
    assert (result["upos"].micro.f1, result["lemmas"].micro.f1) == (0.5, 1.0)
    assert {result[name].unscored for name in ("uas", "las", "clas", "mlas")} == {f"{without} has no HEAD"}


def row(at, head, label="dep"):
    return f"{at}\tw{at}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (row(1, 2) + row(2, 1), 1, "cycle of 2"),
        (row(1, 1), 1, "depends on itself"),
        (row(1, 0) + row(2, 3), 2, "head 3; the sentence has 2 words"),
        (row(1, 0) + row(2, 0), 2, "both have head 0"),
        (row(1, 0) + row(3, 1), 2, "out of order"),
        (row(1, 0) + row(2, "_"), 2, "has no head"),
        (row(1, 0) + "\n" + row(1, "_"), 3, "has no head"),
        (row(1, "_") + "\n" + row(1, 0), 3, "the sentences before have none"),
        (row(1, "x"), 1, "is not a number"),
        (row(1, -1), 1, "is not a number"),
        ("\n\n" + row(1, 99999999999), 3, "is not a number"),
        ("1\ta\tb\n", 1, "3 columns"),
        ("", None, "no word"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_line(text, line, message):
    good = io.BytesIO((row(1, 0) + row(2, 1)).encode())
    with pytest.raises(FormatError, match=message) as caught:
        evaluate(io.BytesIO(text.encode()), good)
    assert caught.value.line == line
