"""Tags of every kind, and comparison of results, for differential tests."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

WEIRD = ["", "-", "B", "I", "B-", "I-", "PER", "b-PER", "B-PER-LOC", "B-日本", "X-PER", "O-PER", "<PAD>",
         "E-", "S", "O-", ".", "[-NP", "]", "B--PER", "B_PER"]  # fmt: skip
TYPES = ["PER", "LOC"]

#: Prefixes of the encodings of seqscore.
LETTERS = {
    "BIO": "BI",
    "IOB": "BI",
    "IO": "I",
    "BIOES": "BIES",
    "BILOU": "BILU",
    "BMES": "BMES",
    "BMEOW": "BMEW",
}


def tags(prefixes: str, *, weird: bool = True) -> st.SearchStrategy[str]:
    """Mostly tags of the prefixes in two types."""
    usual = st.builds("{}-{}".format, st.sampled_from(prefixes), st.sampled_from(TYPES))
    kinds = [st.just("O"), usual, usual, usual]
    if weird:
        kinds += [st.sampled_from(WEIRD), st.text(max_size=3)]
    return st.one_of(kinds)


def answer(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Result or exception of a call, and its warnings."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            got: Any = ("gave", function(*args, **kwargs))
        except Exception as error:  # whatever it is, it is compared
            # The originals raise it without a message.
            message = "" if isinstance(error, NotImplementedError) else str(error)
            got = ("raised", type(error).__name__, message)
    return got, [(w.category, str(w.message)) for w in warned]
