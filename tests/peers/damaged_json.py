"""Objects in JSON, damaged in ways that language models and mutations damage them, for the lenient decoder demjson3."""

from __future__ import annotations

import json
import random

NAMES = ["Anna", "New York", "O'Neil", "東京", "Acme , Inc .", 'say "x"', "\\", "U.N.", ""]
KEYS = ["person", "organization", "location", "miscellaneous"]
#: What is inserted anywhere, and what arrays consist of.
PIECES = [
    *",:[]\"'\\/*-+.0123eExX _$;#()é東“’ \n\r\t\u2028\xa0",
    *("//", "/*", "*/", "null", "true", "undefined", "NaN", "Infinity", "None", "True"),
    *("\\u0041", "\\x41", "\\n", "\\ud83d\\ude00", "\\ud83d", "\\101", "\\8"),
    *(
        "1.5",
        "0x1F",
        "017",
        "08",
        "0b1",
        "0o7",
        "-0",
        "1e3",
        "5.",
        ".5",
        "--1",
        "1e-400",
        "12345678901234567.5",
    ),
    *('["', "['", "],", '"Anna"', "'Anna'", "Anna", "person:", "a"),
]


def damaged_objects(rng: random.Random, number: int) -> list[str]:
    """Return objects without inner braces, most of them damaged."""
    return [_damaged(rng) for _ in range(number)]


def _damaged(rng: random.Random) -> str:
    keys = rng.sample(KEYS, rng.randint(1, 4))
    members = {key: [rng.choice(NAMES) for _ in range(rng.randint(0, 3))] for key in keys}
    text = json.dumps(members, ensure_ascii=False, indent=rng.choice([None, None, 1]))[1:-1]
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 5])):
        at, kind = rng.randrange(len(text) + 1), rng.random()
        if kind < 0.3:
            text = text[:at] + text[at + rng.choice([1, 1, 2, 5]) :]
        elif kind < 0.75:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind < 0.85:
            text = text.replace('"', "'")
        elif kind < 0.9:
            text = text.replace('["', "[").replace('"]', "]")
        elif kind < 0.95:
            text = f'"a":[{",".join(rng.choice(PIECES) for _ in range(rng.randint(1, 4)))}],{text}'
        else:
            end = rng.randrange(len(text) + 1)
            text = text[:at] + text[min(at, end) : max(at, end)] + text[at:]
    return f"{{{text}}}"


def demjson3_inputs(rng: random.Random) -> list[str]:
    """Return the inputs of the recording."""
    return damaged_objects(rng, 4000)


#: An object becomes its keys with the strings of their arrays; None stands for errors and keys that are no strings.
DEMJSON3 = """
import json, sys, warnings
warnings.simplefilter("ignore")
import demjson3

def decoded(text):
    try:
        value = demjson3.decode(text)
    except demjson3.JSONDecodeError:
        return None
    if not all(isinstance(key, str) for key in value):
        return None
    return {key: list(map(str, of)) if isinstance(of, list) else None for key, of in value.items()}

json.dump(list(map(decoded, json.load(sys.stdin))), sys.stdout)
"""
