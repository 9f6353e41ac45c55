"""Formats answers and splits them into items."""

from __future__ import annotations

import re
from collections.abc import Callable

_BLANKS = re.compile(r"\s+")
# Blanks are single when this pattern is used; `\s*` would be quadratic for long runs of blanks.
_AROUND_PUNCTUATION = re.compile(r" ?([,:().;'_-]) ?")
_REPEATED = re.compile(r"([,.;])\1+")
_WITHOUT_BRACES = str.maketrans("", "", "{}")


def format_answer(text: str, lower: bool = True) -> str:
    """Return an answer in the form that is compared.

    Parameters
    ----------
    text : str
        An answer, or a part of an answer.
    lower : bool
        Whether letters become lower case.

    Returns
    -------
    str
        The text without blanks around punctuation, braces and repeated punctuation. The letters ``location`` become
        ``located``, in types as well as in names.

    Examples
    --------
    >>> format_answer("{Location:  St. Mary’s}")
    "located:st.mary's"
    """
    text = _AROUND_PUNCTUATION.sub(r"\1", _BLANKS.sub(" ", text.strip()))
    text = (text.lower() if lower else text).translate(_WITHOUT_BRACES)
    return _REPEATED.sub(r"\1", text).replace("’", "'").replace("location", "located")


def _pieces(answer: str) -> set[str]:
    return set(format_answer(answer).split(";"))


def _typed_pieces(answer: str) -> set[str]:
    return {piece for piece in _pieces(answer) if ":" in piece}


def _typed_gold_pieces(answer: str) -> set[str]:
    # Gold arguments are split before they are formatted, predicted ones afterwards.
    return {format_answer(piece) for piece in answer.split(";") if ":" in piece}


def _events(answer: str) -> set[str]:
    text = format_answer(answer)
    events = set()
    for group in _groups(_repaired(text)):
        elements = _split_at_commas(group.replace("arguments:", ""))
        events.add(",".join(sorted(element for element in elements if element)))
    return events


def _repaired(text: str) -> str:
    """Add brackets that are missing at the beginning or the end."""
    level = lowest = 0
    for letter in text:
        level += (letter == "(") - (letter == ")")
        lowest = min(lowest, level)
    if lowest < 0 and not text.startswith("("):
        text, level = f"({text}", level + 1
    return text + ")" * level


def _groups(text: str) -> list[str]:
    """Return the contents of the outermost pairs of brackets."""
    groups, level, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter == "(":
            if level == 0:
                start = at + 1
            level += 1
        elif letter == ")" and level:
            level -= 1
            if level == 0:
                groups.append(text[start:at])
    return groups


def _split_at_commas(text: str) -> list[str]:
    """Split a text at the commas that are not in brackets."""
    parts, level, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter == "(":
            level += 1
        elif letter == ")":
            level = max(level - 1, 0)
        elif letter == "," and level == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


#: Task -> readers of gold and predicted answers.
_READERS: dict[str, tuple[Callable[[str], set[str]], Callable[[str], set[str]]]] = {
    "NER": (_pieces, _pieces),
    "RE": (_typed_pieces, _typed_pieces),
    "EE": (_events, _events),
    "EEA": (_typed_gold_pieces, _typed_pieces),
}
#: Named entities, relations, events, event triggers, event arguments.
TASKS = ("NER", "RE", "EE", "EET", "EEA")


def check_task(task: str) -> str:
    """Return the name of a task, or raise ValueError."""
    if task not in TASKS:
        raise ValueError(f"unknown task {task!r}; choose one of {', '.join(TASKS)}")
    return task


def items(answer: str, task: str = "NER", *, gold: bool = True) -> set[str] | str:
    """Return the items of an answer that are compared.

    Parameters
    ----------
    answer : str
        A gold or predicted answer.
    task : {"NER", "RE", "EE", "EET", "EEA"}
        Named entities, relations, events, event triggers or event arguments.
    gold : bool
        Whether it is a gold answer; this makes a difference for event arguments only.

    Returns
    -------
    set of str, or str
        The items: all pieces between semicolons for NER, also the empty piece; pieces with a colon for RE and EEA;
        bracket groups for EE. For EET the whole answer.

    Raises
    ------
    ValueError
        If the task is unknown.

    Examples
    --------
    >>> sorted(items("person: Anna; location: New York"))
    ['located:new york', 'person:anna']
    >>> items("", "NER")
    {''}
    >>> items("(event type: Die, trigger: shot, arguments: victim: Anna)", "EE")
    {'event type:die,trigger:shot,victim:anna'}
    """
    if check_task(task) == "EET":
        return format_answer(answer)
    return _READERS[task][not gold](answer)
