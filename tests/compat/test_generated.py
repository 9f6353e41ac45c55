"""Scorers of generated extractions: own cases, comparisons with simple implementations, and hostile answers."""

from __future__ import annotations

import ast
import json
import re
import string
import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanrs.compat import euroeval, gollie, instructuie, uie, universalner
from spanrs.compat.euroeval.lenient_json import decode
from spanrs.compat.uie.metrics import MATCHES
from spanrs.compat.uie.unknown_words import complete

SCHEMA = uie.TaskSchema(["person", "organization"], ["die"], ["work for", "victim"])
MARKERS = ["<extra_id_0>", "<extra_id_1>", "<extra_id_5>", "<extra_id_6>", "<unk>", "【", "】"]
WORDS = ["person", "organization", "die", "work for", "victim", "Anna", "Acme", "New York", "York"]
#: Parts of answers in all notations.
PARTS = [
    *MARKERS,
    *WORDS,
    *"[](){}\"'\\,;:.= \n#",
    *("Person(span=", "Location", "Country(", "result = ", "None", "[Person(span='Anna')]", "**", "lambda"),
    *("person: Anna", ",na,", "arguments:", '{"person":', '["Anna"]', "//", "/*", "*/", "\\u", "0x", "1e9"),
]
answers = st.one_of(st.text(), st.lists(st.sampled_from(PARTS), max_size=20).map("".join))
marked = st.lists(st.sampled_from(MARKERS + WORDS), max_size=25).map(" ".join)


class TestUniversalner:
    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ('["Anna", "the U.N.", "anna!"]', ["anna", "un"]),
            ('["x] y"]', []),
            (' ["Anna"]', []),
            ('[\n"Anna"]', []),
            ('["Anna", 7]', []),
            ('["the"]', [""]),
            ("[" * 100_000 + "]", []),
            ("[" + '{"a":' * 100_000 + "]", []),
            ("[" + "1" * 5000 + "]", []),
        ],
    )
    def test_only_lists_at_the_beginning_are_read(self, answer, expected):
        assert universalner.items(answer) == expected

    @given(
        st.lists(st.lists(st.sampled_from(["anna", "acme", "york", ""]), unique=True), max_size=4),
        st.data(),
    )
    def test_scores_are_those_of_sets(self, golds, data):
        preds = [data.draw(st.lists(st.sampled_from(["anna", "acme", "rome"]), unique=True)) for _ in golds]
        scores = universalner.evaluate(map(json.dumps, golds), map(json.dumps, preds))
        correct = sum(len(set(gold) & set(pred)) for gold, pred in zip(golds, preds, strict=True))
        assert scores["precision"] == correct / (sum(map(len, preds)) + 1e-10)
        assert scores["recall"] == correct / (sum(map(len, golds)) + 1e-10)

    def test_equal_answers_have_less_than_1_and_empty_ones_0(self):
        assert 0.9999 < universalner.evaluate(['["Anna"]'], ['["Anna"]'])["f1"] < 1
        assert universalner.evaluate(["[]"], ["[]"])["f1"] == 0


class TestGollie:
    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ('[Person(span="Anna"), Location("York")]', [("Person", "Anna"), ("Location", "York")]),
            ("Here:\nresult = []\nresult = [Person(span='Anna')]", [("Person", "Anna")]),
            ("  [Entity(span='x')]", [("Entity", "x")]),
            ("[Country('x', y=1)]", [("HallucinatedType", None)]),
            ("[Foo, Person]", [("type", None), ("type", None)]),
            ("[None, [], 5]", [("NoneType", None), ("list", None), ("!int", 5)]),
            ("'ab'", [("!str", "a"), ("!str", "b")]),
            ("Person('a'), Person('b')", [("Person", "a"), ("Person", "b")]),
            ("{'x': Person('a')}", [("!str", "x")]),
            ("{}", []),
            ('[Person(span="a" "b")]', [("Person", "ab")]),
            (r"[Person(span='\d')]", [("Person", r"\d")]),
        ],
    )
    def test_elements_are_read(self, answer, expected):
        assert gollie.read(answer) == (expected, False)

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            "[Person(",
            "[Person()]",
            "[Person('a', 'b')]",
            "[Person(name='a')]",
            "[Person(span='a', x=1)]",
            "[Person(*['a'])]",
            "[Foo(**{})]",
            "{Person('a')}",
            "{[]: 1}",
            "{**{}}",
            "```\n[]\n```",
            "[print('x')]",
            "[x for x in 'ab']",
            "[Person('a').span]",
            "[(lambda: Person)()('a')]",
            "\0",
            "['\ud800']",
            "[-5]",
            "[" + "9" * 5000 + "]",
            "[" * 1000,
            "[" * 150 + "]" * 149,
            "-" * 100_000 + "1",
            "1" + "+1" * 100_000,
        ],
    )
    def test_other_answers_are_parse_errors(self, answer):
        assert gollie.read(answer) == ([], True)

    @pytest.mark.parametrize("answer", ["None", "Person(span='a')", "Person", "foo", "5", "Country()"])
    def test_a_single_value_aborts_the_evaluation(self, answer):
        with pytest.raises(TypeError, match="not a list"):
            gollie.evaluate(["a"], ["[]"], [answer])

    def test_nothing_is_executed(self, tmp_path):
        target = tmp_path / "made"
        for answer in (
            f"[open({str(target)!r}, 'w')]",
            f"[Person(span=open({str(target)!r}, 'w'))]",
            f"[Foo(open({str(target)!r}, 'w'))]",
            f"[__import__('pathlib').Path({str(target)!r}).touch()]",
        ):
            assert gollie.read(answer).parse_error
        assert not target.exists()

    def test_warnings_of_the_parser_are_not_shown(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert gollie.read(r"[Person('\d'), 1if 1else 2]").parse_error

    @given(st.lists(st.tuples(st.sampled_from(gollie.CONLL03), st.text("aAb '\\", max_size=3)), max_size=6))
    def test_written_annotations_are_read_back(self, pairs):
        answer = f"[{', '.join(f'{name}(span={span!r})' for name, span in pairs)}]"
        assert gollie.read(answer).annotations == pairs
        # A second reader of the same notation.
        calls = ast.parse(answer, mode="eval").body.elts
        assert [(call.func.id, call.keywords[0].value.value) for call in calls] == pairs

    @given(st.lists(st.text("aB ", max_size=2), max_size=8), st.text("aAbB ", max_size=10))
    def test_spans_are_kept_as_often_as_they_occur(self, spans, text):
        found = [gollie.Annotation("Person", span) for span in spans]
        kept = Counter(of.span.lower() for of in gollie.filter_hallucinations(found, text))
        for span, number in Counter(span.lower() for span in spans).items():
            occurs = text.lower().count(span) if span.strip() in text.lower() else 0
            assert kept[span] == min(number, occurs)

    def test_the_second_class_of_a_mention_is_dropped(self):
        answer = ["[Person('Anna'), Location('Anna')]"]
        scores = gollie.evaluate(["Anna came"], answer, answer)
        assert scores["entities"]["recall"] == 0.5
        assert scores["predictions_stats"]["hallucinated_predictions"]["total"] == 1

    def test_classes_are_those_of_the_caller(self):
        scores = gollie.evaluate(["a gene"], ["[Gene('gene')]"], ["[Gene('GENE '), Person('a')]"], ["Gene"])
        assert scores["entities"]["f1-score"] == 0
        scores = gollie.evaluate(["a gene"], ["[Gene(' gene')]"], ["[Gene('GENE'), Person('a')]"], ["Gene"])
        assert scores["entities"]["f1-score"] == 1
        assert gollie.items("[Gene('GENE '), Person('a')]", ["Gene"]) == [("Gene", "gene")]

    def test_unsuitable_arguments_are_refused(self):
        with pytest.raises(ValueError, match="2 texts, 1 golds"):
            gollie.evaluate(["", ""], ["[]"], ["[]"])
        with pytest.raises(TypeError, match="in quotes"):
            gollie.evaluate([""], ["[Person(5)]"], ["[]"])


class TestInstructuie:
    def test_empty_answers_are_correct_entities(self):
        evaluator = instructuie.EvaluatorNER()
        evaluator.add("", "")
        assert (evaluator.last, evaluator.get_metric()) == ([1, 0, 0], 1.0)
        evaluator.add("", "None")
        assert evaluator.last == [0, 1, 1]

    @pytest.mark.parametrize(
        ("gold", "pred", "expected"),
        [
            (":a,na,b:", "", [1, 0, 0]),
            (":a,na,b:", ":a,likes,b:", [0, 1, 1]),
            (":a,na,b:", ":a,,b:", [1, 0, 1]),
            (":a,na,b:", ":a,na,b:", [1, 0, 0]),
            ("", ":a,na,b:", [0, 0, 0]),
            ("likes: a, b", "Likes : a,b", [1, 0, 0]),
        ],
    )
    def test_pairs_without_a_relation(self, gold, pred, expected):
        evaluator = instructuie.EvaluatorRE()
        evaluator.add(gold, pred)
        assert evaluator.last == expected

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            (
                "(type: Die, trigger: Paris (Texas), arguments: victim: A)",
                {"trigger:paris(texas),type:die,victim:a"},
            ),
            ("(a, b", {"a,b"}),
            ("b, a)", {"a,b"}),
            ("x (b, a) (c)", {"a,b", "c"}),
            ("((b, a))", {"(b,a)"}),
            ("", set()),
        ],
    )
    def test_events_are_groups_of_sorted_elements(self, answer, expected):
        assert instructuie.items(answer, "EE") == expected

    def test_gold_arguments_are_split_before_they_are_formatted(self):
        gold, pred = (instructuie.items("a: b; ; ;c", "EEA", gold=gold) for gold in (True, False))
        assert gold == pred == {"a:b"}
        assert instructuie.items("place: x;:", "EEA") == {"place:x", ":"}

    def test_of_lists_only_the_first_pair_is_scored(self):
        evaluator = instructuie.EvaluatorNER()
        evaluator.add(["a: b", "c: d"], ["a: b", "x"])
        evaluator.add([], [])
        assert evaluator.sum == [1, 0, 0]
        with pytest.raises(TypeError, match="one by one"):
            evaluator.add("a: b", ["a: b"])

    def test_audits(self):
        evaluator = instructuie.evaluator("RE", ["likes", "Knows"])
        evaluator.add(":a,b:", "{}")
        evaluator.add("likes: a, b", "knows: a, b; :a,na,b:")
        assert evaluator.get_audit_report() == {
            "AuditPredEmptyOnly": 1,
            "AuditInsane": 1,
            "AuditRetard": 1,
            "AuditInvalid": 1,
            "AuditNA": 1,
            "AuditGoldenlabelFault": 1,
        }
        assert instructuie.EvaluatorEET().get_metric() == 0
        with pytest.raises(ValueError, match="unknown task 'NE'; choose one of NER, RE"):
            instructuie.evaluator("NE")


class TestUie:
    @given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
    def test_ways_of_matching(self, golds, preds):
        tps = {}
        for match in MATCHES:
            metric = uie.Metric(match)
            metric.count(golds, preds)
            tps[match] = metric.tp
        rest = list(golds)
        normal = 0
        for pred in preds:
            if pred in rest:
                rest.remove(pred)
                normal += 1
        assert tps == {
            "normal": normal,
            "set": len(set(golds) & set(preds)),
            "multimatch": sum(pred in golds for pred in preds),
        }

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            (
                "so: <extra_id_0><extra_id_0>person<extra_id_5>Anna<extra_id_1><extra_id_1> and <extra_id_1>",
                [("person", "Anna", [])],
            ),
            ("<extra_id_0> <extra_id_0> person <extra_id_5> New  York", [("person", "New York", [])]),
            ("<extra_id_0> <extra_id_0> person <extra_id_5> <extra_id_6> <extra_id_1> <extra_id_1>", []),
            ("<extra_id_0> <extra_id_0> animal <extra_id_5> cat <extra_id_1> <extra_id_1>", []),
            (
                "<extra_id_0> <extra_id_0> person Anna Lee <extra_id_1> <extra_id_1>",
                [("person", "Anna Lee", [])],
            ),
            ("person: Anna", []),
            ("<extra_id_1> <extra_id_0>", []),
        ],
    )
    def test_answers_are_read(self, answer, expected):
        assert uie.read_pred(answer, SCHEMA.of_answers()) == expected

    def test_brackets_in_gold_spans_are_structure(self):
        answer = "<extra_id_0> <extra_id_0> person <extra_id_5> x 【 y <extra_id_1> <extra_id_1>"
        assert uie.items(answer, SCHEMA.of_answers()) == ([("person", "x")], [])
        with pytest.raises(ValueError, match="not well-formed: text outside of the tree"):
            uie.items("<extra_id_0>】】", uie.Schema())
        with pytest.raises(ValueError, match="is not well-formed"):
            uie.evaluate(["Anna"], ["Anna"], uie.Schema())

    def test_multimatch_exceeds_100(self):
        person = "<extra_id_0> person <extra_id_5> Anna <extra_id_1>"
        gold = {"entity": [{"type": "person", "text": "Anna", "offset": [0]}], "relation": [], "event": []}
        scores = uie.evaluate_records(
            ["Anna"], [gold], [f"<extra_id_0> {person} {person} <extra_id_1>"], SCHEMA, match="multimatch"
        )
        assert scores["entity"]["string-ent-R"] == 200

    @given(
        st.lists(st.sampled_from(["<unk>", "a", "b", "ab", " "]), max_size=6), st.text("ab ", max_size=9)
    )
    def test_unknown_words_are_completed_like_by_a_pattern(self, parts, text):
        span = "".join(parts)
        pattern = r"\s*\S+\s*".join(re.escape(piece.strip()) for piece in span.split("<unk>"))
        match = re.search(pattern, text)
        expected = match.group().strip() if match and "<unk>" in span else span
        assert complete(span, text) == expected

    @given(marked, st.lists(st.sampled_from(["Anna", "Acme", "New", "York"]), max_size=8).map(" ".join))
    def test_offsets_are_places_of_the_strings(self, answer, text):
        tokens = text.split()
        for map_ in ("first", "closest", "longer_first"):
            record = uie.read_record(f"<extra_id_0> {answer}", text, SCHEMA, map_)
            for task in ("entity", "relation"):
                strings = {tuple(item) for item in record[task]["string"]}
                for item in record[task]["offset"]:
                    of = tuple(
                        " ".join(tokens[at] for at in part) if isinstance(part, tuple) else part
                        for part in item
                    )
                    assert of in strings
            entities = record["entity"]["offset"]
            assert len(set(entities)) == len(entities)
            if map_ == "longer_first":
                for at, (_, inner) in enumerate(entities):
                    assert not any(set(inner) <= set(outer) for _, outer in entities[:at])

    @given(st.lists(st.sampled_from(["Anna", "Acme", "x"]), min_size=1, max_size=12))
    def test_the_closest_pair_is_the_closest_of_all(self, tokens):
        answer = (
            "<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_0> work for <extra_id_5> Acme"
        )
        offsets = uie.read_record(answer, " ".join(tokens), SCHEMA, "closest")["relation"]["offset"]
        pairs = [
            (abs(a - b), a, b)
            for a, first in enumerate(tokens)
            for b, second in enumerate(tokens)
            if (first, second) == ("Anna", "Acme")
        ]
        assert [(a, b) for _, _, (a,), _, (b,) in offsets] == [pair[1:] for pair in sorted(pairs)[:1]]

    def test_unsuitable_arguments_are_refused(self):
        with pytest.raises(ValueError, match="one element for each sentence"):
            uie.evaluate(["", ""], [""], uie.Schema())
        with pytest.raises(ValueError, match="one element for each sentence"):
            uie.evaluate_records([""], [], [], SCHEMA)
        with pytest.raises(ValueError, match="unknown map_ 'last'; choose one of closest"):
            uie.read_record("", "", SCHEMA, "last")
        with pytest.raises(ValueError, match="unknown match 'all'; choose one of normal"):
            uie.evaluate_records([], [], [], SCHEMA, match="all")
        with pytest.raises(ValueError, match="unknown kind"):
            uie.gold_items({}, "text")
        arg = {"type": "person", "text": "Anna", "offset": [0]}
        with pytest.raises(ValueError, match="has 1 args; give two"):
            uie.gold_items({"entity": [], "relation": [{"type": "r", "args": [arg]}], "event": []})


class TestEuroeval:
    @given(
        st.dictionaries(
            st.sampled_from("abc"), st.lists(st.text(string.printable.replace("{", "").replace("}", "")))
        )
    )
    def test_json_is_decoded(self, value):
        assert decode(json.dumps(value)) == value

    def test_every_token_that_contains_a_word_is_tagged(self):
        tokens = ["America", "A", "the", "Lee", "Anna"]
        tags, failed = euroeval.extract_tags(
            "{'person': ['Anna Lee'], 'misc': ['the'], 'location': 'the'}", tokens
        )
        assert (tags, failed) == (["o", "o", "o", "o", "b-per"], False)
        tags, _ = euroeval.extract_tags("{person: ['A Amer', 'x'], 'location': ['Anna America']}", tokens)
        assert tags == ["b-per", "b-per", "o", "o", "b-loc"]
        # The last token precedes the first one.
        assert euroeval.extract_tags('{"person": ["B A"]}', ["A", "B"])[0] == ["i-per", "b-per"]

    @pytest.mark.parametrize(
        "number",
        [
            "9" * 5000, "0x" + "f" * 4000, "9" * 4000 + "e4000", "1e999999999999", "1.5e99999999999999999999",
            "-1.5e-99999999999999999999", "1e-99999999999999999999",
        ],
    )  # fmt: skip
    def test_numbers_of_any_size_are_read_or_refused(self, number):
        tags, _ = euroeval.extract_tags(f"{{'person': [{number}, [-{number}]]}}", ["Anna"])
        assert tags == ["o"]

    def test_o_is_a_span_and_adjacent_spans_merge(self):
        assert euroeval.evaluate([["B-LOC", "B-ORG"]], [["o", "b-org"]])["micro_f1"] == 0.5
        assert euroeval.evaluate([["B-LOC", "B-LOC"]], [["b-loc", "i-loc"]])["micro_f1"] == 1
        assert euroeval.evaluate([["O", "O"]], [["o", "o"]])["micro_f1"] == 1
        assert euroeval.evaluate([], [])["micro_f1"] == 1

    def test_types_outside_the_data_set_are_miscellaneous(self):
        gold, pred = [["B-MISC", "O"]], [["b-loc", "o"]]
        assert euroeval.evaluate(gold, pred, ["per", "misc"]) == {"micro_f1_no_misc": 1.0, "micro_f1": 1.0}
        assert euroeval.evaluate([["O", "O"]], pred, ["per"])["micro_f1"] == 1
        with pytest.raises(ValueError, match="same numbers"):
            euroeval.evaluate([["O"]], [["o", "o"]])

    @given(st.text("ab", max_size=3), st.lists(st.text("ab\n", max_size=4), max_size=6))
    def test_tokens_are_found_like_one_by_one(self, word, tokens):
        tags, _ = euroeval.extract_tags(json.dumps({"person": [word]}), tokens)
        assert tags == ["b-per" if word and word in token else "o" for token in tokens]


@given(answers)
def test_any_answer_is_scored(answer):
    universalner.evaluate([answer], [answer])
    try:
        gollie.evaluate(["Anna"], ["[]"], [answer])
    except TypeError as error:
        assert "not a list" in str(error)  # noqa: PT017
    for task in instructuie.TASKS:
        evaluator = instructuie.evaluator(task, ["person"])
        evaluator.add(answer, answer)
        evaluator.add("", answer)
        assert 0 <= evaluator.get_metric() <= 1
        evaluator.get_audit_report()
    gold = "<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_1> <extra_id_1>"
    uie.evaluate([gold], [answer], SCHEMA.of_answers(), ["Anna Acme"])
    for map_ in ("first", "closest", "longer_first"):
        uie.read_record(answer, "Anna Acme", SCHEMA, map_)
    tags, _ = euroeval.extract_tags(answer, ["Anna", "Acme"])
    euroeval.evaluate([["B-PER", "O"]], [tags])


@given(marked)
def test_any_structure_is_scored(answer):
    answer = f"<extra_id_0> {answer}"
    uie.evaluate(["<extra_id_0> <extra_id_1>"], [answer], SCHEMA.of_answers())
    for map_ in ("first", "closest", "longer_first"):
        uie.read_record(answer, "Anna Acme York New York Anna", SCHEMA, map_)


def read_gollie(answer):
    try:
        gollie.evaluate(["Anna and Acme"], ["[]"], [answer])
    except TypeError as error:
        assert "not a list" in str(error)  # noqa: PT017


def read_relations(answer):
    evaluator = instructuie.EvaluatorRE()
    evaluator.add("likes: a, b; :a,na,b:", answer)


def read_events(answer):
    instructuie.items(answer, "EE")


def read_closest(answer):
    uie.read_record(answer, "Anna and Acme came to New York", SCHEMA, "closest")


def tag(answer):
    euroeval.extract_tags(answer, ["Anna", "and", "Acme"])


PERSON = "<extra_id_0> person <extra_id_5> Anna <extra_id_0> work for <extra_id_5> Acme <extra_id_1> <extra_id_1> "


@pytest.mark.parametrize(
    ("reader", "start", "part", "end"),
    [
        (universalner.items, "", "[", ""),
        (universalner.items, "[", '"a", ', "1]"),
        (universalner.items, "[", " ", ""),
        (read_gollie, "", "[", ""),
        (read_gollie, "", "-", "1"),
        (read_gollie, "", "result = ", ""),
        (read_gollie, "[", "Person('Anna'), ", "]"),
        (read_relations, "", " ", "x"),
        (read_relations, "", ":a,na,b:;", ""),
        (read_relations, "", ":a,c,b:", ""),
        (read_events, "", "(", ""),
        (read_events, "", "(b,a)", ""),
        (read_events, "a", ",", ")"),
        (read_closest, "", "<extra_id_0>", ""),
        (read_closest, "<extra_id_0>", "<extra_id_1>", ""),
        (read_closest, "<extra_id_0>", "【", ""),
        (read_closest, "<extra_id_0>", PERSON, "<extra_id_1>"),
        (read_closest, "<extra_id_0> <extra_id_0> person <extra_id_5> ", "<unk>", ""),
        (read_closest, "<extra_id_0>", "<extra_id_0> person <extra_id_5> <unk> x <extra_id_1>", ""),
        (tag, "", "{", ""),
        (tag, "{'person':", "[", "}"),
        (tag, "{'person':[", ",", "]}"),
        (tag, "{'person':['", "\\", "']}"),
        (tag, "{'person':['", "Anna ", "']}"),
        (tag, "{'person':[", "'Anna',", "]}"),
        (tag, "{", "/*", "}"),
        (tag, "{'person':[", "1", "]}"),
    ],
)
def test_hostile_answers_of_a_megabyte_are_read(reader, start, part, end):
    """Quadratic time would exceed the time limit of the tests."""
    reader(start + part * (1_000_000 // len(part)) + end)
