"""Grounding: find extracted strings in their text."""

from __future__ import annotations

import difflib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, overload

from spanrs import _spanrs
from spanrs.errors import as_number
from spanrs.io.answer_options import STAGES
from spanrs.io.surrogates import without_surrogates
from spanrs.threads import thread_count

#: Start, end, index of the stage, similarity.
_Place = tuple[int, int, int, float]
_Mentions = Iterable[tuple[str, str] | Mapping[str, str]]


class GroundedMention(NamedTuple):
    """An extracted string and its place in the text."""

    type: str
    """The type."""
    text: str
    """The string as it was given."""
    start: int | None
    """First character (or token) of the occurrence, from 0; None if the string was not found."""
    end: int | None
    """One past the last character (or token) of the occurrence; None if the string was not found."""
    stage: str | None
    """The stage that found the string, one of ``STAGES``; None if the string was not found."""
    similarity: float | None
    """Similarity of the string and the occurrence; 1.0 except in the stage fuzzy; None if the string was not found."""


class Grounding(Sequence[GroundedMention]):
    """The places of the mentions of a text, in the order in which the mentions were given.

    Returned by :func:`ground` and :func:`ground_many`.

    Examples
    --------
    >>> import spanrs
    >>> grounding = spanrs.ground("Ada met Bob", [("PER", "Ada"), ("PER", "Bobb"), ("LOC", "Rome")])
    >>> grounding
    <Grounding: 2 of 3 mentions found (exact 1, fuzzy 1, ungrounded 1)>
    >>> grounding.spans()
    [('PER', 0, 3), ('PER', 8, 11)]
    >>> [mention.text for mention in grounding.ungrounded]
    ['Rome']
    """

    __slots__ = ("_mentions", "_places")

    def __init__(self, mentions: Sequence[tuple[str, str]], places: Sequence[_Place | None]) -> None:
        self._mentions = mentions
        self._places = places

    def __len__(self) -> int:
        return len(self._mentions)

    @overload
    def __getitem__(self, index: int) -> GroundedMention: ...
    @overload
    def __getitem__(self, index: slice) -> list[GroundedMention]: ...
    def __getitem__(self, index: int | slice) -> GroundedMention | list[GroundedMention]:
        if isinstance(index, slice):
            pairs = zip(self._mentions[index], self._places[index], strict=True)
            return [_grounded(mention, place) for mention, place in pairs]
        return _grounded(self._mentions[index], self._places[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grounding):
            return NotImplemented
        return self._mentions == other._mentions and self._places == other._places

    __hash__ = None  # type: ignore[assignment]  # as other sequences that compare by value

    def __repr__(self) -> str:
        stages = ", ".join(f"{stage} {count}" for stage, count in self.stages.items() if count)
        found = sum(place is not None for place in self._places)
        return f"<Grounding: {found} of {len(self)} mentions found{f' ({stages})' if stages else ''}>"

    def spans(self) -> list[tuple[str, int, int]]:
        """Return (type, start, end) of the mentions that were found, in the order of the mentions."""
        pairs = zip(self._mentions, self._places, strict=True)
        return [(mention[0], place[0], place[1]) for mention, place in pairs if place is not None]

    @property
    def stages(self) -> dict[str, int]:
        """The number of mentions found by each stage, and under ``ungrounded`` the number of mentions not found."""
        counts = dict.fromkeys((*STAGES, "ungrounded"), 0)
        for place in self._places:
            counts["ungrounded" if place is None else STAGES[place[2]]] += 1
        return counts

    @property
    def ungrounded(self) -> list[GroundedMention]:
        """The mentions that were not found."""
        pairs = zip(self._mentions, self._places, strict=True)
        return [_grounded(mention, None) for mention, place in pairs if place is None]


def ground(
    text: str | Sequence[str],
    mentions: _Mentions,
    *,
    stages: Sequence[str] = STAGES,
    threshold: float = 0.75,
    diacritics: bool = False,
) -> Grounding:
    """Find extracted strings, such as the answers of a language model, in their text.

    Parameters
    ----------
    text : str or sequence of str
        The text, or its tokens, which are joined by single spaces.
    mentions : iterable of (str, str) or of dict
        Type and string of each mention in the order of their occurrence, as far as known; or mappings with the keys
        ``type`` and ``text``. White space at the ends of a string is ignored.
    stages : sequence of str, optional
        The stages to use, by default all. A mention is found by the first stage that has an occurrence left for it. The
        stages always run in this order:

        - ``exact``: the same characters, not beginning or ending inside a word.
        - ``case``: any case and white space.
        - ``unicode``: any form of the same characters (NFKC), quotes and dashes; invisible characters are ignored.
        - ``fuzzy``: tokens with the same digits and a similarity of at least ``threshold``.
        - ``part``: as ``unicode``, but also inside words.
    threshold : float, optional
        Minimum similarity in the stage fuzzy, greater than 0 and at most 1. The similarity is the larger of 1 minus the
        edit distance (insertions, deletions, substitutions, exchanges of adjacent characters) divided by the length of
        the longer string, and 0.95 times the proportion of characters in words that correspond to each other in any
        order, both after the normalisation of the stage unicode.
    diacritics : bool, optional
        Whether to ignore diacritics from the stage unicode on: ``Dvorak`` finds ``Dvořák``.

    Returns
    -------
    Grounding
        The place of each mention in the order of the mentions. Offsets are characters of the original text, from 0,
        ends exclusive, or indices of tokens: of those that the occurrence touches.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If a stage is unknown or the threshold is out of range.
    spanrs.errors.LimitError
        If a text, or all mentions of a text together, have more than 128 MiB.

    Notes
    -----
    Two mentions of the same type never have the same place, so repeated mentions get successive occurrences, and
    mentions for which no occurrence is left are not found. Each stage except fuzzy first reserves all occurrences of
    strings that have no more of them than mentions, so that shorter strings are placed elsewhere if possible. Then it
    places as many mentions as possible in the order of the list, without overlap; then each remaining mention gets its
    first occurrence that overlaps no placed mention, or else the first occurrence that no mention of the same type has.

    In the stage fuzzy the digits of mention and occurrence must be equal in number, order and value, because numbers
    that differ in one digit are similar but mean something else: ``1997`` is never found as ``1998``.

    Lone surrogates in texts and mentions are treated as U+FFFD.

    The other stages than fuzzy take time linear in the text and the mentions, except for texts in which mentions have
    more than a million occurrences. The stage fuzzy compares each mention of at most 1,000 characters with at most 32
    parts of the text, those with the most tokens in common.

    Examples
    --------
    >>> import spanrs
    >>> text = "Angela Merkel met EMMANUEL MACRON in Paris. Merkel left."
    >>> mentions = [("PER", "Angela Merkel"), ("PER", "Emmanuel Macron"), ("LOC", "Paris"), ("PER", "Merkle")]
    >>> for mention in spanrs.ground(text, mentions):
    ...     print(mention.type, mention.start, mention.end, mention.stage)
    PER 0 13 exact
    PER 18 33 case
    LOC 37 42 exact
    PER 44 50 fuzzy
    >>> spanrs.ground("Flight 1997, Gate 3", [("TIME", "1998"), ("GATE", "Gates 3")]).spans()
    [('GATE', 13, 19)]
    >>> spanrs.ground(["in", "(", "New", "York", ")"], [("LOC", "(new york)")]).spans()
    [('LOC', 1, 5)]
    """
    options = _options(stages, threshold, diacritics)
    # Not a batch: errors then name the text and no index.
    return _ground([text], [mentions], options, 1, ("text", "mentions"))[0]


def ground_many(
    texts: Iterable[str | Sequence[str]],
    mentions: Iterable[_Mentions],
    *,
    stages: Sequence[str] = STAGES,
    threshold: float = 0.75,
    diacritics: bool = False,
    threads: int | None = 1,
) -> list[Grounding]:
    """Find the extracted strings of many texts, as :func:`ground` does for one text.

    Parameters
    ----------
    texts : iterable of str or of sequences of str
        The texts, or their tokens.
    mentions : iterable of iterables of (str, str) or of dict
        The mentions of each text.
    stages, threshold, diacritics
        See :func:`ground`.
    threads : int or None, optional
        Number of threads, by default 1; None and 0 mean one for each processor. The number does not affect the result.

    Returns
    -------
    list of Grounding
        The places of the mentions of each text.

    Raises
    ------
    ValueError
        If there are not as many lists of mentions as texts, and the errors of :func:`ground`.

    Examples
    --------
    >>> from spanrs.io import ground_many
    >>> [grounding.spans() for grounding in ground_many(["Ada", "Oslo"], [[("PER", "Ada")], [("LOC", "oslo")]])]
    [[('PER', 0, 3)], [('LOC', 0, 4)]]
    """
    options = _options(stages, threshold, diacritics)
    if isinstance(texts, str):
        raise TypeError(
            "texts must be texts of several documents, not a str; use spanrs.ground for one text"
        )
    texts, mentions = list(texts), list(mentions)
    if len(texts) != len(mentions):
        raise ValueError(
            f"there are {len(texts)} texts but {len(mentions)} lists of mentions; give one list for each text"
        )
    return _ground(texts, mentions, options, thread_count(threads), ("texts[{}]", "mentions[{}]"))


def _options(stages: Sequence[str], threshold: float, diacritics: bool) -> dict[str, Any]:
    """Return the options as plain data."""
    if isinstance(stages, str):
        raise TypeError(f"stages must be a sequence of names such as ({stages!r},), not a str")
    chosen = list(stages)
    for stage in chosen:
        if stage not in STAGES:
            close = difflib.get_close_matches(str(stage), STAGES, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"the stages are {', '.join(STAGES)}"
            raise ValueError(f"unknown stage {stage!r}; {hint}")
    if as_number(threshold, "threshold", above=True) > 1:
        raise ValueError(f"threshold must be a number of at most 1, not {threshold:g}")
    return {"stages": chosen, "threshold": float(threshold), "diacritics": bool(diacritics)}


def _ground(
    given: Sequence[str | Sequence[str]],
    mentions: Sequence[_Mentions],
    options: Mapping[str, Any],
    threads: int,
    names: tuple[str, str],
) -> list[Grounding]:
    """Ground the mentions of texts; ``names`` name a text and its mentions in messages."""
    texts = [
        text if isinstance(text, str) else _joined(text, names[0].format(at))
        for at, text in enumerate(given)
    ]
    pairs = [_pairs(some, names[1].format(at)) for at, some in enumerate(mentions)]
    try:
        places = _spanrs.ground(texts, pairs, options, threads)
    except UnicodeEncodeError:
        # Checking in advance would take longer than grounding short texts.
        texts = [without_surrogates(text) for text in texts]
        encodable = [
            [(without_surrogates(ty), without_surrogates(text)) for ty, text in some] for some in pairs
        ]
        places = _spanrs.ground(texts, encodable, options, threads)
    for at, tokens in enumerate(given):
        if not isinstance(tokens, str):
            places[at] = _token_places(tokens, places[at])
    return [Grounding(some, place) for some, place in zip(pairs, places, strict=True)]


def _joined(tokens: Sequence[str], where: str) -> str:
    """Return the tokens joined by spaces."""
    try:
        return " ".join(tokens)
    except TypeError:
        raise TypeError(
            f"{where} must be a str or a sequence of tokens, each a str, not {tokens!r:.80}"
        ) from None


def _pairs(mentions: _Mentions, where: str) -> list[tuple[str, str]]:
    """Return mentions as pairs of type and string."""
    pairs = []
    for at, mention in enumerate(mentions):
        match mention:
            case (str() as type_, str() as text) | {"type": str() as type_, "text": str() as text}:
                pairs.append((type_, text))
            case _:
                raise TypeError(
                    f"{where}[{at}] must be (type, text) or {{'type': ..., 'text': ...}} with two str, "
                    f"not {mention!r:.80}"
                )
    return pairs


def _token_places(tokens: Sequence[str], places: Sequence[_Place | None]) -> list[_Place | None]:
    """Convert ranges of characters of the joined tokens to ranges of tokens."""
    starts = list(accumulate((len(token) + 1 for token in tokens[:-1]), initial=0))
    ends = [start + len(token) for start, token in zip(starts, tokens, strict=True)] if tokens else []

    def convert(place: _Place) -> _Place:
        start, end, stage, similarity = place
        return bisect_right(ends, start), bisect_left(starts, end), stage, similarity

    return [place and convert(place) for place in places]


def _grounded(mention: tuple[str, str], place: _Place | None) -> GroundedMention:
    if place is None:
        return GroundedMention(*mention, None, None, None, None)
    start, end, stage, similarity = place
    return GroundedMention(*mention, start, end, STAGES[stage], similarity)
