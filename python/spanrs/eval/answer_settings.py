"""Generated answers scored in all the ways in use, side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from spanrs.eval.generated import is_generated
from spanrs.eval.matcher import Matcher
from spanrs.eval.matchers import Partial, as_matcher
from spanrs.eval.result import Result
from spanrs.eval.strings import Strings
from spanrs.io import Corpus


@dataclass(frozen=True)
class Setting:
    """A way of scoring answers."""

    name: str
    """What counts as correct."""
    matcher: Matcher = field(default_factory=lambda: as_matcher("exact"))
    criterion: str | None = None
    answers: dict[str, Any] = field(default_factory=dict)
    """Options of :class:`spanrs.io.AnswerOptions` that differ from those of pred."""


#: The settings that differ most in published evaluations, from the strictest to the most lenient.
SETTINGS = (
    Setting("spans"),
    Setting("spans, found by the same characters", answers={"stages": ("exact",)}),
    Setting("spans, all occurrences of each string", answers={"occurrences": "all"}),
    Setting("spans, strings not in the text dropped", answers={"ungrounded": "drop"}),
    Setting("spans, other types dropped", answers={"off_schema": "drop"}),
    Setting("spans, half for overlap", Partial(), "overlap"),
    Setting("strings", Strings()),
    Setting("strings, repeats count once", Strings(counting="set")),
    Setting("strings, case ignored", Strings(normalization="case")),
    Setting("strings, as normalised for SQuAD, once", Strings(counting="set", normalization="squad")),
    Setting("strings, once in a document", Strings(counting="set", within="document")),
)


def score_settings(
    score: Callable[..., Result], gold: Corpus, pred: Corpus, **options: Any
) -> dict[str, tuple[Setting, Result]]:
    """Score answers under each setting.

    Parameters
    ----------
    score : callable
        :func:`spanrs.score`.
    gold, pred : Corpus
        Gold, and generated answers.
    **options
        Options of ``score``.

    Raises
    ------
    TypeError
        If pred does not consist of answers.
    """
    if not is_generated(pred):
        raise TypeError(f"{pred.parts[0].shown} ({pred.parts[0].format}) has no answers of a model")
    results = {}
    for setting in SETTINGS:
        answers = replace(pred.options.answers, **setting.answers)
        changed = replace(pred, options=replace(pred.options, answers=answers))
        results[setting.name] = setting, score(gold, changed, matcher=setting.matcher, **options)
    return results
