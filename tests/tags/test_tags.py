"""Functions of spanrs.tags: forms of input, errors, ids, files."""

from __future__ import annotations

import io

import numpy as np
import pytest

import spanrs
from spanrs import tags
from spanrs.errors import SchemeError
from spanrs.tags import Span


def test_one_sentence_and_many_give_the_same_form_back():
    assert tags.tags_to_spans(["B-A"]) == [Span("A", 0, 1)]
    assert tags.tags_to_spans([["B-A"], []]) == [[Span("A", 0, 1)], []]
    assert tags.tags_to_spans(("B-A",)) == [Span("A", 0, 1)]
    assert tags.tags_to_spans([]) == []
    assert tags.convert([["B-A"], []], "bio", "iobes") == [["S-A"], []]
    assert tags.validate([["I-A"], ["O"]])[1] == []


@pytest.mark.parametrize("wrong", ["B-A", 3, {"B-A"}, [1], [["B-A", 1]], [["B-A"], None]])
def test_what_is_no_sequence_of_tags_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        tags.tags_to_spans(wrong)


def test_refuse_lists_every_violation():
    with pytest.raises(SchemeError) as caught:
        tags.tags_to_spans(["O", "I-A", "I-B"], reading="refuse")
    assert [(v.index, v.kind) for v in caught.value.violations] == [
        (1, "Illegal Start"),
        (2, "Illegal Transition"),
    ]
    assert caught.value.count == 2


def test_violations_say_what_the_reading_did():
    wrong = ["O", "I-A", "O"]
    message = {r: tags.validate(wrong, "BIO", r)[0].action for r in ("conlleval", "strict", "discard")}
    assert message == {
        "conlleval": "opened a span",
        "strict": "read it as O",
        "discard": "read it as O",
    }
    open_end = ["B-A", "O"]
    assert tags.validate(open_end, "IOBES", "strict")[0].action == "dropped the span"
    assert tags.validate(open_end, "IOBES", "refuse")[0].action == "refused the input"


@pytest.mark.parametrize(
    ("spans", "length", "scheme", "said"),
    [
        ([("A", 0, 2), ("B", 1, 3)], 4, "BIO", "overlap"),
        ([("A", 0, 5)], 4, "BIO", "does not fit"),
        ([("A", -1, 2)], 4, "BIO", "does not fit"),
        ([("A", 2, 2)], 4, "BIO", "does not fit"),
        ([("A B", 0, 1)], 4, "BIO", "white space"),
        ([("A\n", 0, 1)], 4, "BIO", "white space"),
        ([("", 0, 1)], 4, "BIO", "empty"),
        ([("A", 0, 1), ("A", 1, 2)], 4, "IO", "touches"),
        ([("A", 0, 2)], 4, "TOKEN", "longer than one token"),
        ([("O", 0, 1)], 4, "TOKEN", "outside"),
        ([Span("A", 0, 4, (0, 3))], 4, "BIO", "discontinuous"),
    ],
)
def test_spans_that_cannot_be_written_are_refused(spans, length, scheme, said):
    with pytest.raises(SchemeError, match=said):
        tags.spans_to_tags(spans, length, scheme)


def test_ids_read_as_the_tags_they_stand_for():
    names = ["O", "B-A", "I-A"]
    ids = np.array([[1, 2, 0, -100], [-100, 2, -100, 2]], dtype=np.int8)
    spans = tags.ids_to_spans(ids, names)
    rows = zip(spans.sentence, spans.start, spans.end, strict=True)
    assert [tuple(map(int, row)) for row in rows] == [(0, 0, 2), (1, 1, 4)]
    assert [v.index for v in tags.validate_ids(ids, names)[1]] == [1]
    converted, vocabulary = tags.convert_ids(ids[:1], names, "BIO", "BILOU")
    assert [vocabulary[i] if i >= 0 else None for i in converted[0]] == ["B-A", "L-A", "O", None]
    assert tags.ids_to_spans(np.array([1, 2]), names).end.tolist() == [2]


@pytest.mark.parametrize("bad", [3, -1, 2**40])
def test_an_id_without_a_tag_is_named_with_its_place(bad):
    ids = np.array([[0, 0], [0, bad]])
    for call in (tags.ids_to_spans, tags.validate_ids):
        with pytest.raises(SchemeError, match=rf"id {bad} at sentence 1, token 1"):
            call(ids, ["O", "B-A", "I-A"])


@pytest.mark.parametrize(
    "dtype", [np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8]
)
def test_every_integer_type_will_do(dtype):
    ids = np.array([[0, 1, 2]], dtype=dtype)
    assert tags.ids_to_spans(ids, ["O", "B-A", "I-A"]).start.tolist() == [1]
    fortran = np.asfortranarray(np.array([[0, 1, 2], [1, 2, 0]], dtype=dtype))
    assert tags.ids_to_spans(fortran, ["O", "B-A", "I-A"]).start.tolist() == [1, 0]


def test_the_mask_fits_a_vocabulary_in_any_order():
    names = ["I-A", "<s>", "O", "</s>", "B-A"]
    mask = tags.transition_mask("BIO", names, start="<s>", end="</s>")
    at = {name: i for i, name in enumerate(names)}
    for before in names:
        for behind in names:
            legal = mask.between[at[before], at[behind]]
            if behind == "<s>" or before == "</s>":
                assert not legal
            elif before in {"<s>", "O"}:
                assert legal == (behind != "I-A")
            else:
                assert legal
    assert mask.scores()[0].dtype == np.float64
    with pytest.raises(SchemeError, match="X-A"):
        tags.transition_mask("BIO", ["O", "X-A"])
    with pytest.raises(ValueError, match="without gaps"):
        tags.transition_mask("BIO", {"O": 0, "B-A": 2})


def test_token_is_never_found_out():
    for item, hint in (
        (["NN", "VB", "O"], "Use the scheme TOKEN"),
        (["LABEL_0", "LABEL_12"], "id2label"),
    ):
        with pytest.raises(spanrs.errors.SchemeError, match=hint) as caught:
            tags.detect_scheme(item)
        assert caught.value.code == "no_scheme"
    # Half of the tags is not a majority.
    assert tags.detect_scheme(["NN", "B-A"]).scheme == "BIO"


@pytest.mark.parametrize("scheme", [s.name for s in tags.schemes() if s.name != "TOKEN"])
def test_a_scheme_is_found_out_from_tags_written_in_it(scheme):
    spans = [("A", 0, 3), ("A", 3, 4), ("B", 5, 6), ("B", 6, 8)]
    if scheme == "IO":
        spans = [("A", 0, 3), ("B", 5, 6)]
    detection = tags.detect_scheme(tags.spans_to_tags(spans, 9, scheme))
    # IO tags are also valid IOB.
    assert detection.scheme == ("IOB" if scheme == "IO" else scheme), detection.statement


def test_detection_says_what_speaks_for_it():
    detection = tags.detect_scheme([["O", "O"]])
    assert "assumed" in detection.statement
    assert tags.detect_scheme([["B-A", "I-A"]] * 9 + [["I-A"]]).scheme == "BIO"


def test_files_convert_byte_for_byte(tmp_path):
    before = b"\xef\xbb\xbf# id\r\na\tx\tB-A\r\nb\ty\tI-A\r\n\r\n\r\n-DOCSTART-\t-\tO\r\nc\tz\tB-A"
    after = before.replace(b"I-A", b"E-A")[:-3] + b"S-A"
    path, target = tmp_path / "in", tmp_path / "out"
    path.write_bytes(before)
    spanrs.io.convert(path, target, "iobes")
    assert target.read_bytes() == after
    sink = io.BytesIO()
    spanrs.io.convert(io.BytesIO(before), sink, "iobes", scheme="bio")
    assert sink.getvalue() == after


def test_files_read_as_their_sentences_do(submissions):
    path = submissions.preds[submissions.malformed]
    sentences, current = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            current.append(line.split("\t")[1])
        elif current:
            sentences.append(current)
            current = []
    sentences += [current] if current else []
    for reading in ("conlleval", "strict"):
        spans = [s.spans["tags"] for s in spanrs.read(path, scheme="BIO", reading=reading)]
        assert spans == tags.tags_to_spans(sentences, "BIO", reading)
    report = spanrs.io.validate(path, scheme="BIO")
    flat = [v for spans in tags.validate(sentences, "BIO") for v in spans]
    assert [v for _, v in report.located] == flat
    assert report.count == submissions.violations


def test_what_would_fill_the_memory_is_refused():
    from spanrs.errors import LimitError

    with pytest.raises(LimitError):
        tags.spans_to_tags([], 2**60)
    with pytest.raises((LimitError, SchemeError)):
        tags.spans_to_tags([("A", 0, 4_000_000_000)])
    with pytest.raises(LimitError):
        tags.transition_mask("BIO", [f"B-{n}" for n in range(10_000)])


def test_separators_that_cannot_separate_are_refused():
    for separator in ("", "B", "-I-"):
        dialect = tags.Dialect(separator=separator)
        for call in (
            lambda d=dialect: tags.spans_to_tags([("A", 0, 1)], dialect=d),
            lambda d=dialect: tags.tags_to_spans(["O"], dialect=d),
            lambda d=dialect: tags.transitions("BIO", types=["A"], dialect=d),
        ):
            with pytest.raises(SchemeError, match="cannot separate"):
                call()
