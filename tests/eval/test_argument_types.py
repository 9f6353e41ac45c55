"""Errors name arguments of a wrong type, the actual type and the expected one."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pytest

import spanrs
from spanrs import tags
from spanrs.errors import AlignmentError

TAGS = [["O", "B-A"], ["B-B", "O"]]
IDS = [[0, 1], [1, 0]]
VOCABULARY = ["O", "B-A"]
RESULT = spanrs.score(TAGS, TAGS, scheme="BIO", by=[1, 1])
LONE = "\ud800"


def of_tags(**options):
    return spanrs.score(TAGS, [["O", "B-B"], ["O", "O"]], **{"scheme": "BIO", **options})


def of_ids(**options):
    return spanrs.score(IDS, IDS, vocabulary=VOCABULARY, **options)


def of_files(**options):
    return spanrs.score(io.BytesIO(b"a B-A B-A\nb O O\n"), **options)


def of_columns(**options):
    return spanrs.score(*(io.BytesIO(b"a B-A\nb O\n") for _ in range(2)), **options)


@pytest.mark.parametrize("value", [7, b"BIO", ["BIO"]])
@pytest.mark.parametrize("name", ["scheme", "reading", "pred_scheme"])
def test_names_are_str(name, value):
    if name == "reading" and isinstance(value, list):
        # Several readings.
        return
    with pytest.raises(TypeError, match=f"{name} must be a str such as .*, not {type(value).__name__}"):
        of_tags(**{name: value})


@pytest.mark.parametrize("value", [1.5, "1", [1]])
def test_threads_are_an_integer_or_none(value):
    with pytest.raises(TypeError, match=f"threads must be an integer, not {type(value).__name__}"):
        of_tags(threads=value)
    assert of_tags(threads=None).to_bytes() == of_tags(threads=0).to_bytes() == of_tags().to_bytes()


@pytest.mark.parametrize("value", [None, 1.5, "1", [1]])
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (of_tags, "max_violations"),
        (of_files, "max_violations"),
        (of_ids, "ignore_index"),
        (lambda **given: tags.ids_to_spans(IDS, VOCABULARY, **given), "ignore_index"),
        (lambda **given: tags.validate_ids(IDS, VOCABULARY, **given), "ignore_index"),
        (lambda **given: tags.convert_ids(IDS, VOCABULARY, "BIO", "IOBES", **given), "ignore_index"),
        (RESULT.bootstrap, "samples"),
        (RESULT.bootstrap, "seed"),
        (RESULT.bootstrap, "threads"),
    ],
)
def test_integers_are_integers(call, name, value):
    with pytest.raises(TypeError, match=f"{name} must be an integer, not {type(value).__name__}"):
        call(**{name: value})


@pytest.mark.parametrize("call", [of_tags, of_files])
def test_integers_are_in_range(call):
    with pytest.raises(ValueError, match="max_violations must be an integer of at least 0, not -1"):
        call(max_violations=-1)
    with pytest.raises(ValueError, match="max_violations must be an integer of at most"):
        call(max_violations=2**70)
    with pytest.raises(ValueError, match="ignore_index must be an integer of at most"):
        of_ids(ignore_index=2**63)
    assert of_ids(ignore_index=np.int8(-1), threads=np.int64(1)).tokens == 4


WRONG = {
    "lengths that are a number": (
        lambda: of_ids(lengths=2),
        "lengths must be one integer per sentence, not int",
    ),
    "lengths that are a str": (
        lambda: of_ids(lengths="22"),
        "lengths must be one integer per sentence, not str",
    ),
    "fractions as lengths": (lambda: of_ids(lengths=[2.0, 2.0]), "lengths must be integers, not float64"),
    "None in lengths": (lambda: of_ids(lengths=[None, 2]), "lengths: expected an array of integers"),
    "a mask that is a number": (lambda: of_ids(mask=1), "mask: expected an array of integers, not int"),
    "a mask of strings": (
        lambda: of_ids(mask=[["yes", "no"], ["yes", "no"]]),
        "a mask must contain bool or numbers, not <U3",
    ),
    "a mask with None": (
        lambda: of_ids(mask=[[1, None], [1, 1]]),
        "mask must contain bool or numbers, not object",
    ),
    "ids that are a number": (lambda: tags.ids_to_spans(3, VOCABULARY), "ids: expected an array of int"),
    "a vocabulary that is a number": (
        lambda: spanrs.score(IDS, IDS, vocabulary=3),
        "a vocabulary must be a sequence of tags or a mapping, not int",
    ),
    "fractions as ids": (
        lambda: tags.validate_ids([[1.0, 0.0]], VOCABULARY),
        "ids must be integers, not float",
    ),
    "strings as ids": (
        lambda: tags.convert_ids([["O"]], VOCABULARY, "BIO", "IO"),
        "ids must be integers, not <U1",
    ),
    "documents that are a number": (
        lambda: of_tags(by=2),
        "by must be .*, not int",
    ),
    "documents without order": (lambda: of_tags(by={"a", "b"}), "by must be .*, not a set"),
    "a map of documents": (lambda: of_tags(by={"a": 1, "b": 1}), "by must be .*, not a dict"),
    "an array without dimensions": (lambda: of_tags(by=np.array(2)), "ndarray is not iterable"),
    "weights that are a number": (
        lambda: of_tags(document_weights=2),
        "weights must be one number per document, not int",
    ),
    "a str as weight": (
        lambda: RESULT.with_document_weights([1, "2"]),
        "weight 1 must be a number, not str",
    ),
    "None as weight": (
        lambda: RESULT.with_document_weights([None, 1]),
        "weight 0 must be a number, not NoneType",
    ),
    "errors that are a str": (
        lambda: of_tags(errors="all"),
        "errors must be True, False or a number of at least 0",
    ),
    "errors that are a fraction": (
        lambda: of_files(errors=0.5),
        "errors must be True, False or a number of at least 0",
    ),
    "tokens that are a number": (
        lambda: of_tags(errors=True, tokens=7),
        "tokens must be a sequence of str per sentence",
    ),
    "tokens that are one str": (lambda: of_tags(errors=True, tokens="ab"), "tokens must be .*, not str"),
    "sentences as one str": (
        lambda: of_tags(errors=True, tokens=[["a", "b"], "c d"]),
        "tokens, sentence 1: expected a sequence of str, not str",
    ),
    "types that are a number": (
        lambda: RESULT.with_types(7),
        "types must be a mapping or a collection of types, not int",
    ),
    "a type that is a number": (lambda: RESULT.with_types({"A": 1}), "types must be str, not int"),
    "fair types that are a number": (
        lambda: spanrs.Fair(types=7),
        "types must be a collection of types, not int",
    ),
    "a share that is a str": (
        lambda: spanrs.Partial(min_overlap="0.5"),
        "min_overlap must be a number from 0 to 1",
    ),
    "measures that are a number": (lambda: RESULT.bootstrap(7), "measures must be .*, not int"),
    "a column that is a fraction": (lambda: of_columns(tags=1.5), "tags must be a column index"),
    "a column that is a list": (lambda: of_columns(tags=[1, 2]), "tags must be a column index"),
    "a separator that is a number": (lambda: of_columns(separator=9), "separator must be a str"),
    "a limit that is a str": (
        lambda: of_columns(limits=spanrs.io.Limits(line_bytes="9")),
        "line_bytes must be an integer, not str",
    ),
    "rows of a scorer that are a bool": (lambda: spanrs.Scorer(by=True), "by must be .*, not bool"),
    "a dialect by name": (lambda: of_tags(dialect="_"), "dialect must be a spanrs.tags.Dialect, not str"),
}


@pytest.mark.parametrize("call", WRONG)
def test_wrong_types_are_named(call):
    run, message = WRONG[call]
    with pytest.raises(TypeError, match=message):
        run()


def test_a_level_is_a_number():
    with pytest.raises(TypeError, match="level must be between 0 and 1, not str"):
        spanrs.compare({"a": RESULT, "b": RESULT}, level="0.95")


@pytest.mark.parametrize(
    ("run", "where"),
    [
        (lambda: of_tags(by=["a", LONE]), "by, sentence 1"),
        (lambda: spanrs.score(IDS, IDS, vocabulary=["O", f"B-{LONE}"]), "item 1 of the vocabulary"),
        (lambda: spanrs.score(IDS, IDS, vocabulary={0: "O", 1: f"B-{LONE}"}), "item 1 of the vocabulary"),
        (lambda: of_tags(scheme=LONE), "scheme"),
        (lambda: of_columns(tags=LONE), "tags"),
    ],
)
def test_lone_surrogates_have_a_place(run, where):
    with pytest.raises(UnicodeEncodeError, match=rf"surrogates not allowed \({where}\)"):
        run()


def test_tokens_that_are_too_few_for_a_span_are_refused():
    with pytest.raises(
        AlignmentError, match="sentence 0 has a span that ends at token 2, but tokens= has only 1"
    ) as caught:
        of_tags(errors=True, tokens=[["a"], ["b", "c"]])
    assert caught.value.sentence == 0
    with pytest.raises(AlignmentError, match="2 sentences, but tokens for 1"):
        of_tags(errors=True, tokens=[["a", "b"]])


@pytest.mark.parametrize("kind", [list, tuple, iter, np.array, pa.array])
def test_tokens_may_be_any_sequence(kind):
    actual = of_tags(errors=True, tokens=kind([["a", "b"], ["c", "d"]]))
    assert [error.tokens for error in actual.errors] == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize("kind", [list, tuple, set, iter, dict.fromkeys])
def test_types_of_a_matcher_are_read_from_any_collection(kind):
    assert spanrs.Fair(types=kind(["A", "B"])).types == ("A", "B")


@pytest.mark.parametrize("kind", [bool, int, "u1", float])
def test_masks_of_numbers_are_masks(kind):
    assert of_ids(mask=np.array([[1, 0], [1, 1]], kind)).tokens == 3
