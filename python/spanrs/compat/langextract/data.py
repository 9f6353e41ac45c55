"""Extractions and their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

#: How an extraction was found; None if it was not found.
AlignmentStatus: TypeAlias = Literal["match_exact", "match_lesser", "match_fuzzy"]


@dataclass(slots=True)
class CharInterval:
    """Characters of a text.

    Attributes
    ----------
    start_pos, end_pos : int or None
        Offsets of the first character and behind the last character, from 0.
    """

    start_pos: int | None = None
    end_pos: int | None = None


@dataclass(slots=True)
class TokenInterval:
    """Tokens of a text.

    Attributes
    ----------
    start_index, end_index : int
        Indices of the first token and behind the last token, from 0.
    """

    start_index: int = 0
    end_index: int = 0


@dataclass(slots=True)
class Extraction:
    """A string that a model extracted from a text.

    Attributes
    ----------
    extraction_class : str
        The type.
    extraction_text : str
        The string, as the model wrote it.
    token_interval : TokenInterval or None
        Tokens of the text; None if the string was not found.
    char_interval : CharInterval or None
        Characters of the text; None if the string was not found.
    alignment_status : str or None
        ``match_exact``, ``match_lesser`` (only the first words of the string were found), ``match_fuzzy``, or None.
    extraction_index : int or None
        Rank in the answer, from 1, or the index that the model gave.
    group_index : int or None
        Index of the object in the answer, from 0.
    description : str or None
        Not used.
    attributes : dict or None
        Attributes from the answer.
    """

    extraction_class: str
    extraction_text: str
    token_interval: TokenInterval | None = None
    char_interval: CharInterval | None = None
    alignment_status: AlignmentStatus | None = None
    extraction_index: int | None = None
    group_index: int | None = None
    description: str | None = None
    attributes: dict[str, Any] | None = None
