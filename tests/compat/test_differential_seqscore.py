"""Beside seqscore 0.9.0 from PyPI: scores, errors, single labels, files."""

from __future__ import annotations

import inspect
import itertools

import pytest
import seqscore.conll
import seqscore.encoding
import seqscore.scoring
import seqscore.validation
from hypothesis import given, settings
from hypothesis import strategies as st

from spanrs.compat.seqscore import conll, encoding, scoring, validation
from weird import LETTERS, answer, tags

REPAIRS = [None, "conlleval", "discard", "none", "nonsense"]


@st.composite
def cases(draw):
    name = draw(st.sampled_from(sorted(LETTERS)))
    tag = tags(LETTERS[name], weird=draw(st.booleans()))
    sides = ([], [])
    for _ in range(draw(st.integers(0, 3))):
        size = draw(st.integers(0, 6))
        rows = [draw(st.lists(tag, min_size=size, max_size=size)) for _ in sides]
        if draw(st.integers(0, 19)) == 0:
            rows[1] = rows[1][1:]
        for side, row in zip(sides, rows, strict=True):
            side.append(row)
    return name, draw(st.sampled_from(REPAIRS)), *sides


def plain(score):
    types = {name: (s.true_pos, s.false_pos, s.false_neg) for name, s in score.type_scores.items()}
    return score.true_pos, score.false_pos, score.false_neg, types, score.precision, score.recall, score.f1


def scored(module, name, repair, pred, ref):
    score, accuracy = module.score_label_sequences(pred, ref, name, repair=repair)
    return plain(score), accuracy.hits, accuracy.total, accuracy.accuracy


@settings(max_examples=600, deadline=None)
@given(cases())
def test_scores_and_errors_are_those_there(case):
    name, repair, pred, ref = case
    got = answer(scored, scoring, name, repair, pred, ref)
    assert got == answer(scored, seqscore.scoring, name, repair, pred, ref)


def looked_at(package, name, repair, labels):
    created = package.encoding.get_encoding(name)
    result = package.validation.validate_labels(
        labels,
        created,
        repair=repair,
        tokens=["t"] * len(labels),
        line_nums=range(len(labels)),
        source_name="f",
    )
    fields = [(type(error).__name__, *vars(error).values()) for error in result.errors]
    return fields, result.n_tokens, result.repaired_labels, result.is_valid(), len(result)


def spans(mentions):
    return tuple((mention.type, mention.span.start, mention.span.end) for mention in mentions)


def decoded(package, name, labels):
    actual = package.encoding.get_encoding(name).decode_labels(labels)
    return [(mention.type, mention.span.start, mention.span.end) for mention in actual]


class Ours:
    encoding, validation, conll = encoding, validation, conll


@settings(max_examples=400, deadline=None)
@given(cases())
def test_labels_are_validated_repaired_and_decoded_as_there(case):
    name, repair, pred, _ = case
    for labels in pred:
        for function, args in ((looked_at, (name, repair, labels)), (decoded, (name, labels))):
            assert answer(function, Ours, *args) == answer(function, seqscore, *args)


@pytest.mark.parametrize("name", sorted(LETTERS))
def test_every_short_sequence_is_judged_as_there(name):
    labels = ["O", *(f"{letter}-{kind}" for letter in LETTERS[name] for kind in "AB")]
    for sequence in itertools.product(labels, repeat=3):
        mine, theirs = encoding.get_encoding(name), seqscore.encoding.get_encoding(name)
        valid = seqscore.validation.validate_labels(sequence, theirs).is_valid()
        assert validation.validate_labels(sequence, mine).is_valid() == valid
        if valid:
            actual = theirs.decode_labels(sequence)
            assert decoded(Ours, name, sequence) == decoded(seqscore, name, sequence)
            assert list(mine.encode_mentions(mine.decode_labels(sequence), 3)) == list(
                theirs.encode_mentions(actual, 3)
            )


line = st.one_of(
    st.builds("{} {}".format, st.sampled_from(["a", "#", "#b", ""]), tags("BI")),
    st.builds("a {}".format, tags("BI", weird=False)),
    st.sampled_from(["", "", " ", "# c", "#c", "-DOCSTART- O", "a\tB-PER", "a", "-DOCSTART-"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(line, max_size=8), st.sampled_from(REPAIRS), st.booleans(), st.booleans())
def test_files_are_read_as_there(tmp_path_factory, lines, repair, borders, comments):
    path = tmp_path_factory.getbasetemp() / "seqscore.bio"
    path.write_text("\n".join(lines), encoding="utf-8", newline="")

    def read(package):
        documents = package.conll.ingest_conll_file(
            path,
            "BIO",
            "utf-8",
            package.conll.LineSpec(0, -1),
            repair=repair,
            ignore_document_boundaries=borders,
            allow_comment_lines=comments,
            quiet=True,
        )
        return [
            [
                (
                    s.tokens,
                    s.labels,
                    s.token_fields,
                    s.comment,
                    s.provenance.starting_line,
                    spans(s.mentions),
                )
                for s in document
            ]
            for document in documents
        ]

    assert answer(read, Ours) == answer(read, seqscore)


def test_public_functions_take_the_same_arguments():
    for mine, theirs in (
        (scoring, seqscore.scoring),
        (validation, seqscore.validation),
        (encoding, seqscore.encoding),
        (conll, seqscore.conll),
    ):
        values = [
            name for name, value in vars(mine).items() if getattr(value, "__module__", "") == mine.__name__
        ]
        assert values
        for name in values:
            thing = getattr(theirs, name, None)
            if inspect.isfunction(thing):
                expected = list(inspect.signature(thing).parameters)
                assert list(inspect.signature(getattr(mine, name)).parameters) == expected, name
    for name in (
        "REPAIR_CONLL",
        "REPAIR_DISCARD",
        "REPAIR_NONE",
        "SUPPORTED_REPAIR_METHODS",
        "SUPPORTED_ENCODINGS",
    ):
        assert getattr(encoding, name) == getattr(seqscore.encoding, name)
