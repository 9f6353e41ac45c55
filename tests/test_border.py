"""Plain data between Rust and Python: options and records by name."""

from __future__ import annotations

import importlib
import inspect
import operator
from typing import Any

import numpy as np
import pytest

import spanrs
from spanrs import _spanrs, tags
from spanrs.crf import CRF
from spanrs.dep import Parser, Tagger
from spanrs.io import Annotation, Document, Layer, Relation
from spanrs.io.documents import of_memory
from spanrs.tags.types import Reader


def made_records() -> list[Any]:
    """Return records that the compiled module made: one of each, which compares its fields with the class."""
    document = Document(
        "ab", [Annotation("A", 0, 1)], relations=[Relation("r", 0, 0)], layers=[Layer("ann", "given")]
    )
    plain = of_memory([document])[0].plain()
    result = spanrs.score([["B-A"]], [["O"]], details=True)
    violated = spanrs.score([["I-A"]], [["I-A"]], scheme="BIO")
    detail = next(iter(result.details.values()))[0]
    located = violated.violations["gold"].first[0]
    answers = spanrs.read_answer('{"PER": ["Anna"]}'), spanrs.read_answer("I cannot help with that.")
    return [
        *(plain["annotations"][0], plain["relations"][0], plain["layers"][0]),
        *(tags.detect_scheme(["B-A"]), detail, detail.gold),
        *(answers[0].mentions[0], answers[1].faults[0]),
        *(located, located.violation, result.micro, result.totals, result.matcher.criteria["span"]),
    ]


def test_each_record_is_made_as_its_class():
    classes = {
        name: getattr(importlib.import_module(module), name) for name, module in _spanrs.records().items()
    }
    records = {type(record).__name__: record for record in made_records()}
    assert records.keys() == classes.keys()
    for name, record in records.items():
        assert type(record) is classes[name]


@pytest.mark.parametrize(("name", "estimator"), [("CRF", CRF), ("Parser", Parser), ("Tagger", Tagger)])
def test_defaults_are_those_of_rust(name, estimator):
    signature = inspect.signature(estimator.__init__).parameters
    defaults = _spanrs.default_options()[name]
    if name == "Parser":
        assert defaults.pop("templates") == _spanrs.dep_templates()
    if name == "CRF":
        # Of EM only.
        del defaults["min_attribute_freq"]
    if name == "Tagger":
        # For published features.
        assert defaults.pop("keep_names") is False
    assert defaults == {option: signature[option].default for option in defaults}


def test_the_dialect_of_rust():
    assert tags.Dialect(**_spanrs.default_options()["Dialect"]) == tags.Dialect()


class Number:
    def __index__(self) -> int:
        return 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"num_memories": True}, TypeError, "num_memories must be an int, not bool"),
        ({"num_memories": 2.0}, TypeError, "num_memories must be an int, not float"),
        ({"num_memories": 2**64}, ValueError, "num_memories is 18446744073709551616; it must be from 0 to"),
        ({"seed": -1}, ValueError, "seed is -1; it must be from 0 to 18446744073709551615"),
        ({"c2": "1"}, TypeError, "c2 must be a number, not str"),
        ({"c2": True}, TypeError, "c2 must be a number, not bool"),
        ({"averaging": 1}, TypeError, "averaging must be a bool, not int"),
        ({"algorithm": None}, TypeError, "algorithm must be a str, not NoneType"),
        ({"c3": 1}, TypeError, 'there is no option "c3"; the options are algorithm, c1, c2'),
        ({"period": 0}, ValueError, r"period is 0; it must be from 1 to 2\*\*62"),
        ({1: 1}, TypeError, "must be a str, not int"),
    ],
)
def test_options_of_a_wrong_type_are_named(options, error, message):
    with pytest.raises(error, match=message):
        _spanrs.crf_options(options)


def test_options_take_what_numbers_are_in_python():
    options = _spanrs.crf_options(
        {"num_memories": Number(), "c2": np.float32(0.5), "averaging": np.bool_(False)}
    )
    assert operator.itemgetter("num_memories", "c2", "averaging")(options) == (3, 0.5, False)
    assert _spanrs.crf_options({"c2": 1, "seed": np.int64(2**40)})["seed"] == 2**40


def test_errors_inside_the_converter_keep_their_class():
    with pytest.raises(spanrs.errors.SchemeError, match="unknown scheme `BIOX`") as caught:
        _spanrs.validate([["O"]], Reader("BIOX"))
    assert caught.value.code == "unknown_scheme"
    with pytest.raises(TypeError, match='the option "scheme" is missing'):
        _spanrs.validate([["O"]], {})

    class Broken:
        _fields = ("scheme",)

        @property
        def scheme(self) -> str:
            raise RuntimeError("inside")

    with pytest.raises(RuntimeError, match="inside"):
        _spanrs.validate([["O"]], Broken())
    with pytest.raises(UnicodeEncodeError):
        _spanrs.validate([["O"]], Reader("BIO", dialect=tags.Dialect(separator="\ud800")))


@pytest.mark.parametrize("options", [None, "_", 3, ("_",), [("separator", "_")], object()])
def test_other_objects_are_not_options(options):
    # Every field would have its default.
    with pytest.raises(TypeError, match="must be a dict, a named tuple or a dataclass"):
        _spanrs.legal("BIO", ["O"], options)


def test_tuples_of_another_length_are_errors():
    annotation = {"type": "A", "pieces": [(0, 3, 99)]}
    with pytest.raises(ValueError, match="pieces has 3 items; expected 2"):
        _spanrs.documents_of([{"text": "text", "annotations": [annotation]}])


def test_numbers_beyond_all_digits_are_errors():
    with pytest.raises(ValueError, match="seed is too large; it must be from 0"):
        _spanrs.crf_options({"seed": 10**5000})


def test_a_cleared_trainer_still_accepts_any_value():
    trainer = _spanrs.CrfTrainer(None, any_value=True)
    trainer.clear()
    trainer.extend([[{"a": 1e300}]], [["O"]], None)
    assert trainer.sizes()[0] == 1
