"""Grounding of extracted strings."""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ground_oracle
import spanrs
from spanrs import _spanrs
from spanrs.io import Grounding, ground_many
from spanrs.io.answer_options import STAGES

ALPHABET = [*"aaAbéefi  .’'東京ßs\n", "\u0301", "\xad", "ﬁ"]


def random_document(rng: random.Random) -> tuple[str, list[tuple[str, str]]]:
    """A short text and mentions, most of which are changed parts of the text."""
    letters = rng.sample(ALPHABET, rng.randint(2, 8))
    text = "".join(rng.choice(letters) for _ in range(rng.randint(0, 14)))
    # Marks without a base are not in the rules.
    text = re.sub("(^|(?<=[ \n\xad]))\u0301+", "", text)
    mentions = []
    for _ in range(rng.randint(0, 5)):
        start = rng.randint(0, len(text))
        mention = text[start : start + rng.randint(0, 3)]
        if rng.random() < 0.4:
            mention = "".join(rng.choice([c, c.upper(), c + " ", "'" if c == "’" else c]) for c in mention)
        mentions.append((rng.choice("XXY"), re.sub(r"\s+(?=\u0301)", "", mention)))
    return text, mentions


@pytest.mark.parametrize("seed", range(20))
def test_assignment_equals_trying_everything(seed):
    rng = random.Random(seed)
    stages = Counter()
    for _ in range(200):
        text, mentions = random_document(rng)
        grounding = spanrs.ground(text, mentions, stages=ground_oracle.STAGES)
        found = [(m.start, m.end, m.stage) if m.stage else None for m in grounding]
        assert found == ground_oracle.ground(text, mentions), (text, mentions)
        stages.update(place and place[2] for place in found)
    assert stages["exact"]
    assert stages["case"]
    assert len(stages) > 3


def test_assignment_of_many_repeats_equals_trying_everything():
    rng = random.Random(5)
    for _ in range(300):
        text = " ".join(rng.choice(["a", "b", "a b", "c"]) for _ in range(rng.randint(1, 6)))
        mentions = [
            (rng.choice("XY"), rng.choice(["a", "b", "a b", "B", "b a"])) for _ in range(rng.randint(1, 5))
        ]
        grounding = spanrs.ground(text, mentions, stages=ground_oracle.STAGES)
        found = [(m.start, m.end, m.stage) if m.stage else None for m in grounding]
        assert found == ground_oracle.ground(text, mentions), (text, mentions)


def number_of_overlaps(places: list[tuple[int, int, str] | None]) -> int:
    """The number of pairs of places with a common character."""
    ranges = [place[:2] for place in places if place]
    return sum(ground_oracle.overlaps(a, b) for a, b in combinations(ranges, 2))


def test_strings_leave_longer_ones_their_only_occurrences():
    rng = random.Random(6)
    overlaps, apart = Counter(), Counter()
    for _ in range(400):
        words = [rng.choice(["a", "b", "a b", "b a", "c"]) for _ in range(rng.randint(2, 6))]
        text = " ".join(words)
        mentions = [("X", rng.choice(["a", "b", "a b", "b a", "c"])) for _ in range(rng.randint(2, 5))]
        grounding = spanrs.ground(text, mentions, stages=["exact"])
        found = [(m.start, m.end, m.stage) if m.stage else None for m in grounding]
        simple = ground_oracle.ground(text, mentions, reserve=False)
        # As many mentions are placed, with fewer overlaps.
        assert [place is None for place in found] == [place is None for place in simple]
        overlaps["reserved"] += number_of_overlaps(found)
        overlaps["simple"] += number_of_overlaps(simple)
        if ground_oracle.apart(text, mentions, "exact"):
            apart["possible"] += 1
            apart["reserved"] += number_of_overlaps(found) == 0
            apart["simple"] += number_of_overlaps(simple) == 0
    assert 0 < overlaps["reserved"] < overlaps["simple"]
    assert apart["simple"] < apart["reserved"]
    assert apart["reserved"] >= 0.9 * apart["possible"] > 50


def test_a_name_in_a_longer_name_is_placed_elsewhere():
    text = "Paris Hilton likes Paris , and Paris likes her ."
    mentions = [("LOC", "Paris"), ("LOC", "Paris"), ("PER", "Paris Hilton")]
    assert spanrs.ground(text, mentions).spans() == [("LOC", 19, 24), ("LOC", 31, 36), ("PER", 0, 12)]
    nested = [("LOC", "Paris")] * 3 + mentions[2:]
    assert spanrs.ground(text, nested).spans()[0] == ("LOC", 0, 5)
    assert spanrs.ground("Bank of America", [("LOC", "America"), ("ORG", "Bank of America")]).spans() == [
        ("LOC", 8, 15),
        ("ORG", 0, 15),
    ]


TEXTS = st.text(st.sampled_from("aabAB éß.’'\n東京ﬁ\u0301\u200d👩½"), max_size=40) | st.text(max_size=20)
MENTIONS = st.lists(st.tuples(st.sampled_from("XY"), TEXTS.map(lambda text: text[:6])), max_size=6)


@given(TEXTS, MENTIONS, st.booleans())
@settings(max_examples=300, deadline=None)
def test_places_are_in_the_text_and_equal_at_their_stage(text, mentions, diacritics):
    grounding = spanrs.ground(text, mentions, diacritics=diacritics)
    assert [(m.type, m.text) for m in grounding] == mentions
    places = [(m.type, m.start, m.end) for m in grounding if m.stage]
    assert len(places) == len(set(places))
    for m in grounding:
        assert (m.stage is None) == (m.start is None) == (m.end is None) == (m.similarity is None)
        if m.stage is None:
            continue
        assert 0 <= m.start < m.end <= len(text)
        part = text[m.start : m.end]
        if m.stage == "exact":
            # Information separators are white space to str.strip, but not in Unicode.
            assert part in m.text
            assert part.strip() == m.text.strip()
        if m.stage == "case":
            assert "".join(part.casefold().split()) == "".join(m.text.casefold().split())
        assert 0.75 <= m.similarity <= 1.0 if m.stage == "fuzzy" else m.similarity == 1.0
    assert grounding.stages == {
        stage or "ungrounded": sum(m.stage == stage for m in grounding) for stage in (*STAGES, None)
    }


@given(TEXTS, MENTIONS, TEXTS)
@settings(max_examples=200, deadline=None)
def test_more_text_does_not_lose_exact_mentions(text, mentions, more):
    def exact(text: str) -> Counter[tuple[str, str]]:
        return Counter((m.type, m.text) for m in spanrs.ground(text, mentions) if m.stage == "exact")

    assert exact(text) <= exact(f"{text} {more}")


@given(st.lists(st.tuples(TEXTS, MENTIONS), max_size=6))
@settings(max_examples=50, deadline=None)
def test_batches_and_threads_do_not_change_the_result(documents):
    texts, mentions = [text for text, _ in documents], [some for _, some in documents]
    expected = [spanrs.ground(text, some) for text, some in documents]
    assert ground_many(texts, mentions) == expected
    assert ground_many(iter(texts), mentions, threads=2) == expected


@pytest.mark.parametrize("seed", range(4))
def test_planted_typos_are_found(seed):
    rng = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choice(letters) for _ in range(rng.randint(5, 9))) for _ in range(400)]
    tokens = [rng.choice(words) for _ in range(3000)]
    missed = 0
    for _ in range(100):
        at = rng.randrange(len(tokens) - 3)
        typed = list(" ".join(tokens[at : at + 3]))
        for _ in range(2):
            place = rng.randrange(len(typed))
            typed[place : place + 1] = rng.choice(
                [[], [rng.choice(letters)], [typed[place], rng.choice(letters)]]
            )
        (mention,) = spanrs.ground(tokens, [("X", "".join(typed))])
        missed += mention.start is None or not (mention.start == at and mention.end == at + 3)
    assert missed <= 2


@pytest.mark.parametrize(
    ("text", "mention", "part"),
    [
        ("he met Smith, John, there", "John Smith", "Smith, John"),
        ("Mr. Barack H. Obama spoke", "Barack Obama", "Barack H. Obama"),
        ("the data base is", "database", "data base"),
        ("wegen des Bundeskanzlers", "Bundeskanzlern", "Bundeskanzlers"),
        ("in Missisippi", "Mississippi", "Missisippi"),
        ("im Jahr 東京都庁で", "東京者庁", "東京都庁"),
    ],
)
def test_similar_strings(text, mention, part):
    (found,) = spanrs.ground(text, [("X", mention)])
    assert (text[found.start : found.end], found.stage) == (part, "fuzzy")
    assert found.similarity >= 0.75
    assert spanrs.ground(text, [("X", mention)], threshold=1.0).ungrounded[0].text == mention


def test_similarity_is_that_of_levenshtein_with_transpositions():
    (found,) = spanrs.ground("to Edinbrugh.", [("LOC", "Edinburgh")])
    assert found.similarity == pytest.approx(1 - 1 / 9)
    (found,) = spanrs.ground("to Edinburg.", [("LOC", "Edinburgh")])
    assert (found.start, found.end, found.similarity) == (3, 11, pytest.approx(1 - 1 / 9))


def test_tokens():
    tokens = ["He", "met", "O", "'", "Neil", "(", "Texas", ")", "", "twice"]
    mentions = [
        ("PER", "O'Neil"),
        {"type": "LOC", "text": "(Texas)", "id": 5},
        ["X", "wi"],
        ("X", "met "),
    ]
    grounding = spanrs.ground(tokens, mentions)
    assert grounding.spans() == [("PER", 2, 5), ("LOC", 5, 8), ("X", 9, 10), ("X", 1, 2)]
    assert [m.stage for m in grounding] == ["case", "case", "part", "exact"]
    assert spanrs.ground([], mentions).spans() == spanrs.ground((), []).spans() == []


def test_the_list_may_be_short_of_occurrences():
    grounding = spanrs.ground("Rome, Rome", [("LOC", "Rome")] * 3)
    assert [m.start for m in grounding] == [0, 6, None]
    assert grounding.ungrounded == [grounding[2]] == grounding[2:]
    assert repr(grounding) == "<Grounding: 2 of 3 mentions found (exact 2, ungrounded 1)>"
    assert repr(spanrs.ground("", [])) == "<Grounding: 0 of 0 mentions found>"
    assert isinstance(grounding, Grounding)
    assert grounding != [*grounding]


def test_stages_are_chosen():
    assert spanrs.ground("rome", [("LOC", "Rome")], stages=["exact"]).spans() == []
    assert spanrs.ground("rome", [("LOC", "Rome")], stages=("fuzzy", "case"))[0].stage == "case"
    assert spanrs.ground("rome", [("LOC", "rome")], stages=()).ungrounded


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("Flights 1997 and 1998", "1999"),
        ("for $ 4,900 only", "$ 4,500"),
        ("ID 12345699", "12345678"),
        ("on 03.05.2021", "05.03.2021"),
        ("عام ١٩٩٨", "عام 1997"),
    ],
)
def test_similar_numbers_are_not_found(text, mention):
    assert spanrs.ground(text, [("D", mention)], threshold=0.5).spans() == []


@given(
    st.lists(st.sampled_from(["in", "May", "1997", "1998", "19", "97", "٣", "3", "Mai"]), max_size=8),
    st.lists(st.sampled_from(["In", "Mayy", "1997", "98", "3", "19"]), min_size=1, max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_digits_are_equal_in_the_stage_fuzzy(words, mention):
    def digits(text: str) -> list[int]:
        return [unicodedata.digit(c) for c in text if c.isdecimal()]

    text = " ".join(words)
    for found in spanrs.ground(text, [("D", " ".join(mention))], threshold=0.4, stages=["fuzzy"]):
        assert found.start is None or digits(text[found.start : found.end]) == digits(found.text)


def test_similar_strings_come_before_parts_of_words():
    (found,) = spanrs.ground("Concert in Bayreuthe near Reuth", [("LOC", "Reut")])
    assert (found.start, found.stage) == (26, "fuzzy")
    (found,) = spanrs.ground("the Rhineland", [("LOC", "Rhine")])
    assert (found.start, found.end, found.stage) == (4, 9, "part")


def test_lone_surrogates_are_replaced():
    text = "a\ud800 met Ben \udfff Ben"
    mentions = [("X", "Ben"), ("Y\ud800", "a\ud801"), ("X", "Ben")]
    grounding = spanrs.ground(text, mentions)
    assert grounding.spans() == [("X", 7, 10), ("Y\ud800", 0, 2), ("X", 13, 16)]
    assert [(m.type, m.text) for m in grounding] == mentions
    assert ground_many(["b", text], [[], mentions])[1] == grounding
    assert spanrs.ground(["a\ud800", "Ben"], [("X", "Ben")]).spans() == [("X", 1, 2)]


def test_lists_of_different_lengths_are_refused_by_the_binding():
    options = {"stages": list(STAGES), "threshold": 0.75, "diacritics": False}
    with pytest.raises(ValueError, match="1 texts but 2 lists of mentions"):
        _spanrs.ground(["a"], [[], []], options, 1)


def test_long_and_empty_mentions():
    mentions = [("X", ""), ("X", "\u200b"), ("X", "ab" * 1000), ("X", " ")]
    assert spanrs.ground("ab", mentions).spans() == spanrs.ground("", mentions).spans() == []


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: spanrs.ground("a", [], stages=["exakt"]), ValueError, "did you mean 'exact'"),
        (lambda: spanrs.ground("a", [], stages="exact"), TypeError, "stages must be a sequence"),
        (lambda: spanrs.ground("a", [], threshold=0), ValueError, "threshold must be a number above 0"),
        (
            lambda: spanrs.ground("a", [], threshold=1.5),
            ValueError,
            "threshold must be a number of at most 1",
        ),
        (lambda: spanrs.ground("a", ["ab"]), TypeError, r"mentions\[0\] must be \(type, text\)"),
        (lambda: spanrs.ground("a", [("X", None)]), TypeError, r"mentions\[0\] must be"),
        (lambda: spanrs.ground(["a", 5], []), TypeError, "text must be a str or a sequence of tokens"),
        (lambda: spanrs.ground(None, []), TypeError, "text must be a str or a sequence of tokens"),
        (lambda: ground_many("a", [[]]), TypeError, "use spanrs.ground for one text"),
        (lambda: ground_many(["a"], []), ValueError, "1 texts but 0 lists"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
