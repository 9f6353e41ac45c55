"""Differential tests against nervaluate 1.2.1: equal results or equal errors."""

from __future__ import annotations

import importlib.metadata
import math
import pickle
import re
import warnings

import nervaluate
import nervaluate.loaders
import nervaluate.strategies
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nervaluate.entities import Entity as TheirEntity

from spanrs.compat import nervaluate as ours
from spanrs.compat.nervaluate import loaders, strategies
from spanrs.compat.nervaluate.entities import Entity

assert importlib.metadata.version("nervaluate") == "1.2.1"

WEIRD = [
    "",
    "-",
    "B",
    "B-",
    "I-",
    "PER",
    "b-PER",
    "B-PER-LOC",
    "B-é",
    "X-PER",
    "O-PER",
    "<PAD>",
    "É-PER",
    "BPER",
]
LABELS = ["PER", "LOC", "ORG", ""]
TAGS = ["O", "O", "O", *(f"{p}-{t}" for t in LABELS for p in "BI"), "E-PER", "S-LOC"]
CLEAN = st.sampled_from([tag for tag in TAGS if tag[0] in "OBI"])
ANY = st.one_of(CLEAN, st.sampled_from(TAGS), st.sampled_from(WEIRD), st.just(3), st.text(max_size=3))
PERCENTAGES = st.sampled_from([1.0, 1, 33.3, 50, 100, 100.0, 0.5, 101])
MODES = ("strict", "partial", "ent_type", "exact")


def outcome(call):
    """Result or error of a call, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
        except Exception as error:
            value = (type(error), normal(str(error)))
    return value, [(w.category, str(w.message)) for w in caught]


def normal(text):
    """The order of printed sets is not deterministic."""
    return re.sub(r"\{[^}]*\}", lambda item: ",".join(sorted(item[0][1:-1].split(", "))), text)


def plain(results):
    """All content of a result, as in its repr."""
    shown = {
        key: {name: repr(item) for name, item in value.items()}
        for key, value in results.items()
        if key.startswith("overall")
    }
    for key in ("entities", "entity_indices"):
        shown[key] = {
            (tag, name): repr(item) for tag, by in results[key].items() for name, item in by.items()
        }
    return shown


def everything(package, true, pred, **options):
    """All results and reports of an evaluator."""

    def ask():
        evaluator = package.Evaluator(true, pred, **options)
        return evaluator, plain(evaluator.evaluate())

    answer, warned = outcome(ask)
    if not isinstance(answer[1], dict):
        return answer, warned
    evaluator, results = answer
    texts = [outcome(evaluator.results_to_csv)]
    for scenario in (*MODES, "odd"):
        rows = outcome(lambda s=scenario: evaluator.results_to_csv("entities", s))
        texts.append((sorted(rows[0].splitlines()) if isinstance(rows[0], str) else rows[0], rows[1]))
        texts.append(outcome(lambda s=scenario: evaluator.summary_report("entities", s, digits=4)))
    texts += [outcome(evaluator.summary_report), outcome(lambda: evaluator.summary_report("odd"))]
    entities = [
        [[(e.label, e.start, e.end) for e in d] for d in s] for s in (evaluator.true, evaluator.pred)
    ]
    # Once the entities have been accessed, they are evaluated.
    return results, plain(evaluator.evaluate()), texts, entities, warned


def indices(package, pair, *question, **options):
    evaluator = package.Evaluator(*pair, **options)
    text = outcome(lambda: evaluator.summary_report_indices(*question))[0]
    if isinstance(text, str) and question[0] == "entities":
        # nervaluate orders labels by a set.
        return sorted(re.split(r"\n(?=(?:\x1b\[1m)?Entity Type)", text))
    return text


def same(true, pred, **options):
    assert everything(ours, true, pred, **options) == everything(nervaluate, true, pred, **options)


documents = st.lists(st.lists(st.tuples(CLEAN, CLEAN, st.booleans()), max_size=14), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(documents, PERCENTAGES, st.lists(st.sampled_from([*LABELS, "odd"]), max_size=4))
def test_tags(pairs, percentage, tags):
    true = [[g for g, _, _ in document] for document in pairs]
    pred = [[g if alike else p for g, p, alike in document] for document in pairs]
    same(true, pred, tags=tags, loader="list", min_overlap_percentage=percentage)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.lists(ANY, max_size=8), max_size=3), st.lists(st.lists(ANY, max_size=8), max_size=3))
def test_any_tags(true, pred):
    same(true, pred, tags=["PER", "LOC", "", "ER"], loader="list")


@settings(max_examples=400, deadline=None)
@given(st.lists(ANY.filter(lambda tag: isinstance(tag, str)), max_size=10))
def test_one_document_of_any_tags(tags):
    same([tags], [["O"] * len(tags)], tags=["PER", "LOC", "ORG", ""], loader="list")
    assert ours.collect_named_entities(tags) == nervaluate.collect_named_entities(tags)
    assert ours.split_list(tags) == nervaluate.split_list(tags)
    assert ours.split_list(tags, ["O", ""]) == nervaluate.split_list(tags, ["O", ""])


@st.composite
def spans(draw, least=0):
    start = draw(st.integers(-2, 12))
    return {
        "label": draw(st.sampled_from(LABELS)),
        "start": start,
        "end": start + draw(st.integers(least, 5)),
    }


def divides_by_zero(true):
    """nervaluate cannot compute the covered fraction of an empty span."""
    return any(span["end"] == span["start"] - 1 for document in true for span in document)


sides = st.integers(1, 3).flatmap(
    lambda n: st.tuples(*[st.lists(st.lists(spans(), max_size=9), min_size=n, max_size=n)] * 2)
)
odd_sides = st.integers(1, 2).flatmap(
    lambda n: st.tuples(*[st.lists(st.lists(spans(-4), max_size=6), min_size=n, max_size=n)] * 2)
)


@settings(max_examples=400, deadline=None)
@given(sides, PERCENTAGES, st.lists(st.sampled_from(LABELS), max_size=4))
def test_span_sets(both, percentage, tags):
    same(*both, tags=tags, loader="dict", min_overlap_percentage=percentage)


@settings(max_examples=300, deadline=None)
@given(odd_sides)
def test_spans_that_end_before_they_begin(both):
    if not divides_by_zero(both[0]):
        same(*both, tags=LABELS, loader="dict")


BROKEN = st.one_of(
    spans(),
    st.dictionaries(
        st.sampled_from(["label", "start", "end", "odd"]), st.sampled_from(["PER", 1, 2.5, None, True])
    ),
    st.sampled_from(["B-PER", 3, None]),
)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.lists(st.one_of(st.lists(BROKEN, max_size=3), st.just(())), max_size=3), st.just("x\tO")),
    st.sampled_from(["dict", "list", "conll", "odd"]),
)
def test_broken_data(data, loader):
    def load(package):
        return outcome(
            lambda: [
                [(e.label, e.start, e.end) for e in d]
                for d in package.Evaluator(data, data, tags=["PER"], loader=loader).true
            ]
        )

    assert load(ours) == load(nervaluate)


LINES = st.one_of(
    st.builds("{}\t{}".format, st.sampled_from(["a", " ", ""]), st.one_of(CLEAN, st.sampled_from(WEIRD))),
    st.sampled_from(["", "", " ", "a", "a\tB-PER\tx", "\x1c", "\u00a0", "a\tO\r", "\t", "\x0b"]),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(LINES, max_size=12).map("\n".join), st.sampled_from(["default", "conll"]))
def test_text(text, loader):
    same(text, text, tags=["PER", "LOC", "ORG", ""], loader=loader)
    assert outcome(lambda: ours.conll_to_spans(text)) == outcome(lambda: nervaluate.conll_to_spans(text))


def test_white_space_is_that_of_python():
    every = [chr(n) for n in range(0x3100)]
    for c in every:
        text = f"a\tB-PER\n{c}\nb\tI-PER"
        assert (
            outcome(lambda t=text: loaders.ConllLoader().load(t))[0].__repr__()
            == outcome(lambda t=text: nervaluate.loaders.ConllLoader().load(t))[0].__repr__()
        )


@settings(max_examples=300, deadline=None)
@given(
    sides, st.sampled_from(["overall", "entities", "odd"]), st.sampled_from([*MODES, "odd"]), st.booleans()
)
def test_reports_of_indices(both, mode, scenario, colors):
    options = {"tags": ["PER", "LOC"], "loader": "dict"}
    theirs = indices(nervaluate, both, mode, scenario, colors, **options)
    if theirs != (IndexError, "list index out of range"):
        assert indices(ours, both, mode, scenario, colors, **options) == theirs


@settings(max_examples=300, deadline=None)
@given(
    st.lists(spans(), max_size=8),
    st.lists(spans(), max_size=8),
    st.sampled_from([1.0, 40, 100]),
    st.integers(0, 9),
)
def test_strategies(true, pred, percentage, instance):
    for name in ("StrictEvaluation", "PartialEvaluation", "EntityTypeEvaluation", "ExactEvaluation"):
        got = getattr(strategies, name)(percentage).evaluate(
            [Entity(**s) for s in true], [Entity(**s) for s in pred], [], instance
        )
        expected = getattr(nervaluate.strategies, name)(percentage).evaluate(
            [TheirEntity(**s) for s in true], [TheirEntity(**s) for s in pred], [], instance
        )
        assert repr(got) == repr(expected)


@pytest.mark.parametrize("data", [None, 3, (), [], "", {}, [[]], [()], [None]])
@pytest.mark.parametrize("loader", ["default", "list", "dict", "conll"])
def test_odd_containers(data, loader):
    theirs = outcome(
        lambda: plain(nervaluate.Evaluator(data, data, tags=["PER"], loader=loader).evaluate())
    )
    if theirs[0] != (IndexError, "list index out of range"):
        got = outcome(lambda: plain(ours.Evaluator(data, data, tags=["PER"], loader=loader).evaluate()))
        assert got == theirs


def test_indices_can_be_copied_before_they_are_looked_at():
    def make():
        return ours.Evaluator([["B-A"]], [["B-A"]], tags=["A"], loader="list").evaluate()

    parsed = pickle.loads(pickle.dumps(make()["overall_indices"]["strict"]))
    assert parsed == make()["overall_indices"]["strict"]
    assert vars(parsed)["correct_indices"] == [(0, 0)]
    assert math.isclose(make()["overall"]["strict"].f1, 1.0)
