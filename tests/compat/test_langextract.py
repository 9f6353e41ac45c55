"""The alignment of langextract 1.7.1: recorded outputs (``make peers RECORD=langextract``) and slow definitions."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from collections import Counter
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings import peer_cases
from spanrs.compat import langextract
from spanrs.compat.langextract import AlignmentOptions, Extraction, FormatHandler, Resolver, align, resolve
from spanrs.compat.langextract.exact_chain import occurrences, select_occurrences
from spanrs.compat.langextract.fuzzy_alignment import Places, legacy_span, tightest_spans
from spanrs.compat.langextract.matching_blocks import blocks_at
from spanrs.compat.langextract.tokenizer import singular, words
from spanrs.errors import FormatError

TOKENS = st.lists(st.sampled_from("abc"), max_size=9)
SHORT = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4)


def resolved(answer, suppress, handler, suffix):
    return [
        [one.extraction_class, one.extraction_text, one.extraction_index, one.group_index, one.attributes]
        for one in resolve(
            answer,
            suppress_parse_errors=suppress,
            format_handler=FormatHandler(**handler),
            extraction_index_suffix=suffix,
        )
    ]


def aligned(text, strings, options):
    found = align(
        [Extraction("x", string) for string in strings], text, options=AlignmentOptions(**options)
    )
    return [
        one.char_interval
        and [
            one.char_interval.start_pos,
            one.char_interval.end_pos,
            one.token_interval.start_index,
            one.token_interval.end_index,
            one.alignment_status,
        ]
        for one in found
    ]


def test_results_are_those_recorded():
    for (name, *arguments), expected in peer_cases("langextract", "langextract==1.7.1"):
        try:
            found = {"align": aligned, "resolve": resolved}[name](*arguments)
        except ValueError as error:
            found = type(error).__name__
        assert found == expected, (name, arguments)


def test_answers_aligned_with_texts_are_those_of_the_larger_recording(shared):
    with gzip.open(
        shared / "golden" / "generated" / "langextract.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        cases = [json.loads(line) for line in lines]
    assert len(cases) == 1000
    for case in cases:
        given_, expected = case["in"], case["out"]
        try:
            found = resolve(given_["answer"], suppress_parse_errors=given_["suppress"])
        except langextract.ResolverParsingError as error:
            name = type(error).__name__
            found = None
        if found is None:
            assert expected == {"err": name}, case["id"]
            continue
        rows = []
        for one in Resolver().align(found, given_["text"], 0, 0, **given_["opt"]):
            place = one.char_interval
            bounds = [place.start_pos, place.end_pos] if place else [None, None]
            rows.append([one.extraction_class, one.extraction_text, *bounds])
            rows[-1] += [one.alignment_status, one.extraction_index, one.group_index]
        assert expected == {"extractions": rows}, case["id"]


@given(TOKENS, st.lists(SHORT, max_size=4))
def test_the_chosen_occurrences_are_the_longest_chain_that_ends_first(source, extractions):
    starts = occurrences(source, extractions)
    assert starts == [
        [at for at in range(len(source)) if source[at : at + len(own)] == own] for own in extractions
    ]
    chosen = select_occurrences(starts, list(map(len, extractions)))
    ranks = []
    for choice in itertools.product(*[[None, *row] for row in starts]):
        chain = [(at, at + len(extractions[n])) for n, at in enumerate(choice) if at is not None]
        if all(left[1] <= right[0] for left, right in itertools.pairwise(chain)):
            total = sum(end - start for start, end in chain)
            ranks.append((-total, chain[-1][1] if chain else 0))
    chain = [(at, at + len(extractions[n])) for n, at in chosen.items()]
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(chain))
    assert min(ranks) == (-sum(end - start for start, end in chain), chain[-1][1] if chain else 0)


@given(TOKENS, TOKENS, st.sets(st.integers(0, 8)))
def test_blocks_are_those_of_difflib(source, answer, places):
    starts = sorted(place for place in places if place < len(answer))
    matcher = SequenceMatcher(None, source, answer, autojunk=False)
    blocks = {block.b: (block.a, block.size) for block in matcher.get_matching_blocks() if block.size}
    assert blocks_at(source, answer, starts) == {
        place: blocks[place] for place in starts if place in blocks
    }


def most_in_order(source, extraction):
    """Return the length of the longest common subsequence."""
    for size in range(len(extraction), 0, -1):
        for chosen in itertools.combinations(extraction, size):
            rest = iter(source)
            if all(token in rest for token in chosen):
                return size
    return 0


@given(TOKENS, SHORT)
def test_the_tightest_spans_are_the_first_of_the_shortest(source, extraction):
    expected = {}
    spans = itertools.combinations(range(len(source) + 1), 2)
    for start, end in sorted(spans, key=lambda span: (span[1] - span[0], span[0])):
        for number in range(1, most_in_order(source[start:end], extraction) + 1):
            expected.setdefault(number, (start, end))
    assert tightest_spans(Places(source), extraction) == expected


@given(TOKENS, SHORT, st.sampled_from([0.0, 0.4, 0.5, 0.75, 1.0]))
def test_windows_left_out_match_no_better(source, extraction, threshold):
    best, expected = 0, None
    for size in range(len(extraction), len(source) + 1):
        for start in range(len(source) - size + 1):
            window = source[start : start + size]
            if (Counter(window) & Counter(extraction)).total() < int(len(extraction) * threshold):
                continue
            blocks = SequenceMatcher(None, window, extraction, autojunk=False).get_matching_blocks()
            matches = sum(block.size for block in blocks)
            if matches > best:
                best, expected = matches, (start, start + size)
    if best / len(extraction) < threshold:
        expected = None
    assert legacy_span(Places(source), extraction, threshold) == expected


@given(st.text())
def test_tokens_are_the_text_without_spaces(text):
    tokens = words(text)
    assert all(tokens)
    # Lower case may have more characters.
    assert sum(len(token) for token in tokens) >= sum(not character.isspace() for character in text) - sum(
        text.count(separator) for separator in "\x1c\x1d\x1e\x1f"
    )


def test_tokens_are_runs_of_letters_of_digits_and_of_one_symbol():
    # Marks, circled letters and joiners are letters; superscripts and fractions are symbols.
    text = "H2O it's a_b --> e\u0301\u24b6 ²½ ١٢ 東京x \U0001f600\U0001f600 i\u200dj a\u203fb"
    expected = "h 2 o it ' s a _ b -- > e\u0301\u24d0 ² ½ ١٢ 東京x \U0001f600\U0001f600 i\u200dj a\u203fb"
    assert words(text) == expected.split()
    assert [singular(word) for word in ("gas", "cats", "boss", "bosses")] == ["gas", "cat", "boss", "bosse"]


def test_offsets_are_added_and_objects_are_kept():
    given_ = [Extraction("x", "b"), Extraction("x", "q")]
    found = align(given_, "a b", token_offset=5, char_offset=100)
    assert found[0] is given_[0]
    assert found[0].token_interval == langextract.TokenInterval(6, 7)
    assert found[0].char_interval == langextract.CharInterval(102, 103)
    assert found[1] == Extraction("x", "q")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "the answer is empty"),
        ("no", "the answer is not JSON: Expecting value"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"a": ' + "1" * 5000 + "}]", "cannot be read: Exceeds the limit"),
        ("5", "the answer is a number; expected an object with the key 'extractions'"),
        ('{"a": 1}', "no key 'extractions'; its keys: a"),
        ('{"extractions": true}', "the extractions are a Boolean"),
        ("[null]", "item 0 of the extractions is null, not an object"),
        ('[{"a": [1]}]', "the value of 'a' is .1.; expected a string or a number"),
        ('[{"a_attributes": 1}]', "the value of 'a_attributes' is 1; expected an object or null"),
        ("```json\n[]\n``` ```\n[]\n```", "has 2 fenced blocks of JSON; expected one"),
        ("```py\n[]\n``` ```c\n[]\n```", "has no fenced block of JSON"),
    ],
)
def test_answers_that_cannot_be_read_say_why(answer, message, caplog):
    with pytest.raises(langextract.ResolverParsingError, match=message) as raised:
        resolve(answer)
    assert isinstance(raised.value, FormatError)
    assert raised.value.code == "answer"
    assert resolve(answer, suppress_parse_errors=True) == []
    assert "no extractions" in caplog.text


@pytest.mark.parametrize(
    ("text", "strings", "options", "message"),
    [
        (" ", ["a"], {}, "the text has no token"),
        ("a", ["  "], {}, "the extraction has no token"),
        ("a", ["a\u241fb"], {}, r"has the character U\+241F"),
        ("a \u241f b", ["a", "b"], {"exact_alignment_algorithm": "difflib"}, "the text has the character"),
        (
            "a",
            ["b"],
            {"exact_alignment_algorithm": "x"},
            "unknown exact_alignment_algorithm 'x'; choose from dp",
        ),
        (
            "a",
            ["b"],
            {"fuzzy_alignment_algorithm": "x"},
            "unknown fuzzy_alignment_algorithm 'x'; choose from lcs",
        ),
        (
            "a",
            ["b"],
            {"fuzzy_alignment_threshold": math.nan},
            "fuzzy_alignment_threshold is nan; choose a number",
        ),
        (
            "a",
            ["b"],
            {"fuzzy_alignment_min_density": 2},
            "fuzzy_alignment_min_density is 2; choose a number",
        ),
    ],
)
def test_unsuitable_arguments_are_refused(text, strings, options, message):
    with pytest.raises(ValueError, match=message):
        align([Extraction("x", string) for string in strings], text, options=AlignmentOptions(**options))


def test_options_of_an_alignment_that_is_switched_off_do_not_matter():
    assert align([], "") == []
    found = aligned("a", ["a"], {"enable_fuzzy_alignment": False, "fuzzy_alignment_algorithm": "x"})
    assert found == [[0, 1, 0, 1, "match_exact"]]
