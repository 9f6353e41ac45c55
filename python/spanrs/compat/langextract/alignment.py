"""The order of alignment: exact occurrences, matching blocks, then fuzzy matches of what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spanrs.compat.langextract.data import AlignmentStatus, CharInterval, Extraction, TokenInterval
from spanrs.compat.langextract.exact_chain import occurrences, select_occurrences
from spanrs.compat.langextract.fuzzy_alignment import Places, lcs_span, legacy_span
from spanrs.compat.langextract.matching_blocks import blocks_at
from spanrs.compat.langextract.tokenizer import singular, token_bounds, words

#: The token between extractions, SYMBOL FOR UNIT SEPARATOR.
DELIMITER = "\u241f"


@dataclass(frozen=True, slots=True)
class AlignmentOptions:
    """Options of :func:`spanrs.compat.langextract.align`, with the names and defaults of langextract.

    Parameters
    ----------
    enable_fuzzy_alignment : bool
        Whether extractions without an exact match are searched by ``fuzzy_alignment_algorithm``.
    fuzzy_alignment_threshold : float
        Share of the tokens of an extraction that must match, from 0 to 1.
    accept_match_lesser : bool
        Whether a match of only the first tokens of an extraction is accepted.
    fuzzy_alignment_algorithm : {"lcs", "legacy"}
        The longest common subsequence, or the matching blocks of windows.
    fuzzy_alignment_min_density : float
        With ``lcs``, the share of the tokens between the first and the last matched token that must match, from 0 to 1.
    exact_alignment_algorithm : {"dp", "difflib"}
        Exact occurrences with the most tokens in the order of the answer, or the matching blocks of ``difflib``.

    Raises
    ------
    ValueError
        If an option is out of range.

    Examples
    --------
    >>> from spanrs.compat.langextract import AlignmentOptions
    >>> AlignmentOptions(fuzzy_alignment_algorithm="legacy").fuzzy_alignment_threshold
    0.75
    """

    enable_fuzzy_alignment: bool = True
    fuzzy_alignment_threshold: float = 0.75
    accept_match_lesser: bool = True
    fuzzy_alignment_algorithm: str = "lcs"
    fuzzy_alignment_min_density: float = 1 / 3
    exact_alignment_algorithm: str = "dp"

    def __post_init__(self) -> None:
        choices = [("exact_alignment_algorithm", ("dp", "difflib"))]
        if self.enable_fuzzy_alignment:
            choices.append(("fuzzy_alignment_algorithm", ("lcs", "legacy")))
            for name in ("fuzzy_alignment_threshold", "fuzzy_alignment_min_density"):
                if not 0 <= getattr(self, name) <= 1:
                    raise ValueError(f"{name} is {getattr(self, name)}; choose a number from 0 to 1")
        for name, known in choices:
            if getattr(self, name) not in known:
                raise ValueError(f"unknown {name} {getattr(self, name)!r}; choose from {', '.join(known)}")


class _Text:
    """A text with its tokens, in which extractions are placed."""

    def __init__(self, text: str, token_offset: int, char_offset: int) -> None:
        self.bounds = token_bounds(text)
        self.words = [text[start:end].lower() for start, end in self.bounds]
        self._token_offset, self._char_offset = token_offset, char_offset

    def place(self, extraction: Extraction, start: int, end: int, status: AlignmentStatus) -> None:
        """Set the tokens of an extraction, from `start` to before `end`."""
        extraction.token_interval = TokenInterval(self._token_offset + start, self._token_offset + end)
        extraction.char_interval = CharInterval(
            self._char_offset + self.bounds[start][0], self._char_offset + self.bounds[end - 1][1]
        )
        extraction.alignment_status = status


def align_extractions(
    extractions: Sequence[Extraction],
    source_text: str,
    token_offset: int,
    char_offset: int,
    options: AlignmentOptions,
) -> list[Extraction]:
    """Set the intervals and the status of extractions; see :func:`spanrs.compat.langextract.align`."""
    if not extractions:
        return []
    text = _Text(source_text, token_offset, char_offset)
    tokens = [words(extraction.extraction_text) for extraction in extractions]
    if not text.words:
        raise ValueError("the text has no token; only align extractions with texts that have words")
    if len(tokens) == 1 and not tokens[0]:
        raise ValueError("the extraction has no token, so that there is nothing to align")
    for extraction in extractions:
        if DELIMITER in extraction.extraction_text:
            raise ValueError(
                f"the extraction {extraction.extraction_text!r:.60} has the character U+241F, which separates "
                "extractions; remove it"
            )
    left = set(range(len(extractions)))
    if options.exact_alignment_algorithm == "dp":
        chosen = select_occurrences(occurrences(text.words, tokens), list(map(len, tokens)))
        for number, start in chosen.items():
            text.place(extractions[number], start, start + len(tokens[number]), "match_exact")
        left -= chosen.keys()
    _place_blocks(extractions, tokens, text, left, options)
    if left and options.enable_fuzzy_alignment:
        _place_fuzzy(extractions, tokens, text, left, options)
    return list(extractions)


def _place_blocks(
    extractions: Sequence[Extraction],
    tokens: Sequence[Sequence[str]],
    text: _Text,
    left: set[int],
    options: AlignmentOptions,
) -> None:
    """Place the extractions at whose first token a matching block begins; remove them from `left`."""
    if not left:
        return
    answer: list[str] = []
    starts = {}
    for number, own in enumerate(tokens):
        if number in left:
            starts[len(answer)] = number
        answer += own
        if number < len(tokens) - 1:
            answer.append(DELIMITER)
    for at, (start, size) in blocks_at(text.words, answer, list(starts)).items():
        number = starts[at]
        length = len(tokens[number])
        if size > length:
            raise ValueError(
                "the text has the character U+241F, which separates extractions, after the extraction "
                f"{extractions[number].extraction_text!r:.60}; replace it in the text"
            )
        if size == length:
            text.place(extractions[number], start, start + size, "match_exact")
        elif options.accept_match_lesser:
            text.place(extractions[number], start, start + size, "match_lesser")
        else:
            continue
        left.remove(number)


def _place_fuzzy(
    extractions: Sequence[Extraction],
    tokens: Sequence[Sequence[str]],
    text: _Text,
    left: set[int],
    options: AlignmentOptions,
) -> None:
    source = Places(list(map(singular, text.words)))
    threshold = options.fuzzy_alignment_threshold
    for number in sorted(left):
        own = list(map(singular, tokens[number]))
        if options.fuzzy_alignment_algorithm == "lcs":
            span = lcs_span(source, own, threshold, options.fuzzy_alignment_min_density)
        else:
            span = legacy_span(source, own, threshold)
        if span is not None:
            text.place(extractions[number], *span, "match_fuzzy")
