"""Answers of language models, and strings to align with texts, for the recording of langextract."""

from __future__ import annotations

import json
import random
from typing import Any

PACKAGE = "langextract==1.7.1"
#: Words that repeat, with plurals, other cases, symbols, and letters of other scripts.
WORDS = [
    "a",
    "b",
    "c",
    "d",
    "a",
    "b",
    "the",
    "of",
    "dogs",
    "dog",
    "Dogs",
    "glass",
    "St.",
    "Mary's",
    "O'Neil",
    "U.N.",
]
WORDS += ["3rd", "1.50", "İzmir", "STRASSE", "Straße", "東京", "--", "e\u0301", "_x", "²", "\u24b6"]
LETTERS = list("abcde")
ALIGNMENT: dict[str, list[Any]] = {
    "enable_fuzzy_alignment": [False],
    "fuzzy_alignment_threshold": [0.0, 0.3, 0.5, 0.6, 0.7, 1.0],
    "accept_match_lesser": [False],
    "fuzzy_alignment_algorithm": ["legacy", "legacy", "lcs"],
    "fuzzy_alignment_min_density": [0.0, 0.5, 0.8, 1.0],
    "exact_alignment_algorithm": ["difflib"],
}
HANDLERS: dict[str, list[Any]] = {
    "use_wrapper": [False],
    "wrapper_key": ["entities", "extractions"],
    "use_fences": [False],
    "attribute_suffix": ["_info", ""],
    "strict_fences": [True],
    "allow_top_level_list": [False],
}
TYPES = [
    "person",
    "place",
    "person_attributes",
    "place_attributes",
    "person_index",
    "place_index",
    "person_info",
]


def langextract_inputs(rng: random.Random) -> list[Any]:
    """Return answers with options of the parser, and texts with strings and options of the alignment."""
    cases: list[Any] = [["resolve", *_answer(rng)] for _ in range(1500)]
    cases += [["align", *_alignment(rng, LETTERS, 30)] for _ in range(1500)]
    cases += [["align", *_alignment(rng, WORDS, 20)] for _ in range(800)]
    # Texts of more than 200 tokens, where difflib would ignore frequent tokens if its heuristic were not switched off.
    cases += [["align", *_alignment(rng, [*WORDS, *map(str, range(60))], 300)] for _ in range(20)]
    return cases


def _chosen(rng: random.Random, options: dict[str, list[Any]], share: float) -> dict[str, Any]:
    return {name: rng.choice(values) for name, values in options.items() if rng.random() < share}


def _alignment(rng: random.Random, words: list[str], most: int) -> tuple[str, list[str], dict[str, Any]]:
    """Return a text, strings that are copied and altered, and options."""
    # A smaller vocabulary gives more repetitions.
    words = rng.sample(words, rng.randint(2, len(words)))
    tokens = [rng.choice(words) for _ in range(rng.randint(most // 2, most))]
    strings = []
    for _ in range(rng.randint(1, 7)):
        start = rng.randrange(len(tokens))
        copied = tokens[start : start + rng.choice([1, 1, 2, 3, 4, 6])]
        while copied and rng.random() < 0.5:
            at = rng.randrange(len(copied))
            copied[at : at + rng.randint(0, 1)] = rng.choices(words, k=rng.randint(0, 2))
        string = " ".join(copied)
        strings.append(rng.choice([string, string, string.upper(), string + "s", f" {string}."]))
    if rng.random() < 0.1:
        strings.append("")
    return rng.choice([" ", "  ", "\n"]).join(tokens), strings, _chosen(rng, ALIGNMENT, 0.25)


def _answer(rng: random.Random) -> tuple[str, bool, dict[str, Any], str | None]:
    """Return an answer, whether errors are suppressed, options of the format, and the suffix of indices."""
    values = ["Anna", "", "a ``` b", "<think>x</think>", 1, 2.5, True, {"k": "v"}, {}, None, [], ["x"], -3]

    def value(key: str) -> Any:
        usual = {
            "attributes": {"k": "v"},
            "info": rng.choice(["x", {"k": "v"}]),
            "index": rng.randint(1, 3),
        }
        return rng.choice(values) if rng.random() < 0.05 else usual.get(key.partition("_")[2], "Anna")

    items: Any = [
        {key: value(key) for key in rng.sample(TYPES, rng.randint(0, 4))} for _ in range(rng.randint(0, 3))
    ]
    if rng.random() < 0.05:
        items.append(rng.choice(values))
    wrapped: Any = {rng.choice([*["extractions"] * 9, "entities"]): items}
    parsed = rng.choice([*[wrapped] * 8, items, items, rng.choice([*items, *values])])
    if rng.random() < 0.1:
        wrapped["note"] = "x"
    text = json.dumps(parsed, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, None, 1]))
    if rng.random() < 0.1:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(["", ",", "\n", "]", "}", '"', "//"]) + text[at + rng.randint(0, 2) :]
    fence = rng.choice(["{}", "{}", "{}", "```json\n{}\n```", "```\n{}\n```", "```{}```", "``` json {}```"])
    language = rng.choice(["yaml", "python", "JSON", "c++", "x y"])
    other = rng.choice(
        [f"```{language}\n{{}}\n```", "```json\n{}\n``` and ```json\n{}\n```", "```json\n{}"]
    )
    text = (fence if rng.random() < 0.9 else other).replace("{}", text)
    text = (
        rng.choice([*[""] * 8, "<think>hm</think>", "<THINK>\n[]</THINK>\n", "```py\nx\n```\n", "Sure: "])
        + text
    )
    text += rng.choice([*[""] * 6, "\n", "\n", " Done", "\n```\nx\n```"])
    suffix = "_index" if rng.random() < 0.3 else None
    return text, rng.random() < 0.1, _chosen(rng, HANDLERS, 0.1), suffix


LANGEXTRACT = """
import json, logging, sys
from absl import logging as absl_logging
logging.disable(logging.CRITICAL)
absl_logging.set_verbosity(absl_logging.FATAL)
from langextract.core.data import Extraction
from langextract.core.format_handler import FormatHandler
from langextract.resolver import Resolver

def resolve(answer, suppress, handler, suffix):
    resolver = Resolver(FormatHandler(**handler), suffix)
    return [
        [one.extraction_class, one.extraction_text, one.extraction_index, one.group_index, one.attributes]
        for one in resolver.resolve(answer, suppress_parse_errors=suppress)
    ]

def align(text, strings, options):
    aligned = Resolver().align([Extraction("x", string) for string in strings], text, 0, 0, **options)
    return [
        one.char_interval and [
            one.char_interval.start_pos, one.char_interval.end_pos, one.token_interval.start_index,
            one.token_interval.end_index, one.alignment_status.value,
        ]
        for one in aligned
    ]

outputs = []
for name, *arguments in json.load(sys.stdin):
    try:
        outputs.append({"align": align, "resolve": resolve}[name](*arguments))
    except Exception as error:
        outputs.append(type(error).__name__)
json.dump(outputs, sys.stdout)
"""
