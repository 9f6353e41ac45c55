"""Answers of language models, read as mentions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from spanrs import _spanrs
from spanrs.io.surrogates import without_surrogates


class Mention(NamedTuple):
    """A name in an answer.

    Attributes
    ----------
    type : str or None
        The type; None if neither the answer nor the query states it.
    text : str
        The name.
    start, end : int or None
        Offsets that the answer states, in characters from 0; the end is exclusive. They are not verified. If the answer
        repeats the text with marks, they are offsets in ``Answer.text``.
    at : int
        The character of the answer at which the name begins, from 0.
    """

    type: str | None
    text: str
    start: int | None
    end: int | None
    at: int


class AnswerFault(NamedTuple):
    """A part of an answer that could not be read.

    Attributes
    ----------
    code : str
        The kind of fault, such as ``truncated``.
    message : str
        The reason, and what to do about it.
    at : int
        A character of the answer, from 0.
    """

    code: str
    message: str
    at: int


@dataclass(frozen=True)
class Answer:
    """The mentions of an answer.

    Attributes
    ----------
    mentions : list of Mention
        The mentions in the order of the answer; empty if the answer is unreadable.
    layout : str
        The recognised layout, such as ``objects``; ``none`` for phrases such as "No entities found", ``unreadable`` if
        nothing could be read.
    repairs : tuple of str
        What was repaired or skipped, such as ``truncated`` or ``commas``.
    faults : list of AnswerFault
        What could not be read, in the order of the answer.
    text : str or None
        For layouts that repeat the text: the text without marks.
    is_unreadable : bool
        True if nothing could be read. The answer "none" is readable.
    """

    mentions: list[Mention]
    layout: str
    repairs: tuple[str, ...]
    faults: list[AnswerFault]
    text: str | None
    is_unreadable: bool


def read_answer(
    answer: str,
    *,
    type: str | None = None,  # noqa: A002 - as in Mention
    types: Collection[str] | None = None,
    text: str | None = None,
) -> Answer:
    r"""Read the answer of a language model as mentions.

    Parameters
    ----------
    answer : str
        The answer in any of the layouts of docs/answers.md, with or without prose around it.
    type : str, optional
        The type of mentions without a type, for queries that ask for one type.
    types : collection of str, optional
        The types of the schema. They decide which of two strings is the type. Mentions of other types are kept.
    text : str, optional
        The text that the model was asked about. An answer that is the text, except for white space, has no mentions;
        without the text it cannot be told from prose and is unreadable.

    Returns
    -------
    Answer
        The mentions, and what could not be read.

    Raises
    ------
    TypeError
        If the answer is not a string. No string raises an exception: an unreadable answer has no mentions and at least
        one fault.

    Notes
    -----
    Time and memory are linear in the length of the answer.

    Examples
    --------
    >>> import spanrs
    >>> answer = spanrs.read_answer('Sure:\n```json\n{"PER": ["Anna", "Ben"], "LOC": ["Par')
    >>> [(mention.type, mention.text) for mention in answer.mentions]
    [('PER', 'Anna'), ('PER', 'Ben')]
    >>> answer.layout, answer.repairs, answer.faults[0].code, answer.faults[0].at
    ('type-lists', ('fence', 'truncated'), 'truncated', 47)
    >>> spanrs.read_answer('["Anna"]', type="PER").mentions[0].type
    'PER'
    >>> spanrs.read_answer("It rains.", text="It rains.").is_unreadable
    False
    """
    if not isinstance(answer, str):
        raise TypeError(f"answer must be a str, not {answer.__class__.__name__}")
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text must be a str or None, not {text.__class__.__name__}")
    return read_answers([answer], type=type, types=types, texts=None if text is None else [text])[0]


def read_answers(
    answers: Iterable[str],
    *,
    type: str | None = None,  # noqa: A002 - as in Mention
    types: Collection[str] | None = None,
    texts: Iterable[str | None] | None = None,
) -> list[Answer]:
    """Read many answers to the same query.

    Parameters
    ----------
    answers : iterable of str
        The answers.
    type, types
        As for :func:`read_answer`.
    texts : iterable of str or None, optional
        The text of each answer, as ``text`` of :func:`read_answer`.

    Returns
    -------
    list of Answer
        As many as there are answers, in the same order.

    Raises
    ------
    TypeError
        If an answer or a text is not a string.
    ValueError
        If there are not as many texts as answers.

    Examples
    --------
    >>> from spanrs.io import read_answers
    >>> [len(answer.mentions) for answer in read_answers(['["Anna", "Ben"]', "None"], type="PER")]
    [2, 0]
    """
    if isinstance(answers, str):
        raise TypeError("answers must be an iterable of strings; use read_answer for a single answer")
    if isinstance(types, str):
        raise TypeError("types must be a collection of strings, not a string")
    if isinstance(texts, str):
        raise TypeError("texts must be an iterable of strings; use read_answer for a single text")
    checked_answers = []
    for index, answer in enumerate(answers):
        if not isinstance(answer, str):
            raise TypeError(f"answers[{index}] must be a str, not {answer.__class__.__name__}")
        checked_answers.append(without_surrogates(answer))
    checked_texts = _checked_texts(texts, len(checked_answers))
    records = _spanrs.read_answers(
        list(zip(checked_answers, checked_texts, strict=True)), type, list(types or ())
    )
    return [
        Answer(
            mentions=answer["mentions"],
            layout=answer["layout"],
            repairs=tuple(answer["repairs"]),
            faults=answer["faults"],
            text=answer["text"],
            is_unreadable=answer["is_unreadable"],
        )
        for answer in records
    ]


def _checked_texts(texts: Iterable[str | None] | None, count: int) -> list[str | None]:
    """Return the text of each answer, or None."""
    if texts is None:
        return [None] * count
    checked: list[str | None] = []
    for index, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"texts[{index}] must be a str or None, not {text.__class__.__name__}")
        checked.append(None if text is None else without_surrogates(text))
    if len(checked) != count:
        raise ValueError(
            f"there are {count} answers but {len(checked)} texts; pass a text or None for each answer"
        )
    return checked
