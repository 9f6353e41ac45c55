"""Resolution of answers and alignment of extractions."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from spanrs.compat.langextract.alignment import AlignmentOptions, align_extractions
from spanrs.compat.langextract.data import Extraction
from spanrs.compat.langextract.format_handler import AnswerError, FormatHandler
from spanrs.errors import FormatError

#: Suffix of index keys in the examples of langextract.
DEFAULT_INDEX_SUFFIX = "_index"
_logger = logging.getLogger(__name__)


class ResolverParsingError(FormatError):
    """An answer that cannot be parsed, or that has no extractions in the expected form."""

    code = "answer"


class Resolver:
    """Reads the extractions of answers and aligns them with texts.

    Parameters
    ----------
    format_handler : FormatHandler, optional
        The format of answers; by default JSON, fenced or not, with the key ``extractions``.
    extraction_index_suffix : str, optional
        The end of keys that have the rank of an extraction. If given, extractions are sorted by rank, and extractions
        without a rank are omitted; by default all are returned in the order of the answer.

    Examples
    --------
    >>> resolver = Resolver()
    >>> found = resolver.resolve('{"extractions": [{"person": "anna"}, {"place": "Rome"}]}')
    >>> for extraction in resolver.align(found, "Anna is in Paris.", token_offset=0):
    ...     print(extraction.extraction_class, extraction.char_interval, extraction.alignment_status)
    person CharInterval(start_pos=0, end_pos=4) match_exact
    place None None
    """

    def __init__(
        self, format_handler: FormatHandler | None = None, extraction_index_suffix: str | None = None
    ) -> None:
        self.format_handler = format_handler or FormatHandler()
        self.extraction_index_suffix = extraction_index_suffix

    def resolve(self, input_text: str, suppress_parse_errors: bool = False) -> list[Extraction]:
        """Read the extractions of an answer; see :func:`resolve`."""
        try:
            return self.extract_ordered_extractions(self.string_to_extraction_data(input_text))
        except ValueError as error:
            if suppress_parse_errors:
                _logger.warning("no extractions: %s", error)
                return []
            raise ResolverParsingError(str(error)) from error

    def string_to_extraction_data(self, input_string: str) -> list[dict[str, Any]]:
        """Read the objects of an answer; see :meth:`FormatHandler.parse_output`."""
        return self.format_handler.parse_output(input_string)

    def extract_ordered_extractions(self, extraction_data: Sequence[Mapping[str, Any]]) -> list[Extraction]:
        """Make extractions of the objects of an answer.

        Parameters
        ----------
        extraction_data : sequence of mapping
            Each key is a type and each value a string or number. A key that is a type with the suffix for attributes or
            indices belongs to this type.

        Returns
        -------
        list of Extraction
            The extractions, not yet aligned.

        Raises
        ------
        ValueError
            If a value is not of the kind that its key needs.
        """
        index_suffix, attribute_suffix = self.extraction_index_suffix, self.format_handler.attribute_suffix
        extractions: list[Extraction] = []
        for group, item in enumerate(extraction_data):
            for key, value in item.items():
                if index_suffix and key.endswith(index_suffix):
                    _check(key, value, (int,), "an integer")
                    continue
                if attribute_suffix and key.endswith(attribute_suffix):
                    _check(key, value, (dict, type(None)), "an object or null")
                    continue
                _check(key, value, (str, int, float), "a string or a number")
                index = item.get(key + index_suffix) if index_suffix else len(extractions) + 1
                if index is not None:
                    attributes = item.get(key + attribute_suffix) if attribute_suffix else None
                    extractions.append(
                        Extraction(
                            extraction_class=key,
                            extraction_text=str(value),
                            extraction_index=index,
                            group_index=group,
                            attributes=attributes,
                        )
                    )
        # Equal ranks stay in the order of the answer.
        return sorted(extractions, key=lambda extraction: extraction.extraction_index or 0)

    def align(  # noqa: PLR0917 - the order of langextract
        self,
        extractions: Sequence[Extraction],
        source_text: str,
        token_offset: int,
        char_offset: int | None = None,
        enable_fuzzy_alignment: bool = True,
        fuzzy_alignment_threshold: float = 0.75,
        accept_match_lesser: bool = True,
        *,
        fuzzy_alignment_algorithm: Literal["lcs", "legacy"] = "lcs",
        fuzzy_alignment_min_density: float = 1 / 3,
        exact_alignment_algorithm: Literal["dp", "difflib"] = "dp",
    ) -> Iterator[Extraction]:
        """Set the intervals and the status of extractions; see :func:`align`."""
        options = AlignmentOptions(
            enable_fuzzy_alignment=enable_fuzzy_alignment,
            fuzzy_alignment_threshold=fuzzy_alignment_threshold,
            accept_match_lesser=accept_match_lesser,
            fuzzy_alignment_algorithm=fuzzy_alignment_algorithm,
            fuzzy_alignment_min_density=fuzzy_alignment_min_density,
            exact_alignment_algorithm=exact_alignment_algorithm,
        )
        yield from align_extractions(extractions, source_text, token_offset, char_offset or 0, options)


def _check(key: str, value: object, kinds: tuple[type, ...], expected: str) -> None:
    if not isinstance(value, kinds):
        raise AnswerError(f"the value of {key!r} is {value!r:.60}; expected {expected}")


def resolve(
    answer: str,
    *,
    suppress_parse_errors: bool = False,
    format_handler: FormatHandler | None = None,
    extraction_index_suffix: str | None = None,
) -> list[Extraction]:
    """Read the extractions of an answer.

    Parameters
    ----------
    answer : str
        The answer of a model: JSON, fenced or not, ``{"extractions": [{"person": "Anna"}]}`` or the list alone.
    suppress_parse_errors : bool
        Whether an answer that cannot be read gives a logged warning and no extractions.
    format_handler : FormatHandler, optional
        The format of answers.
    extraction_index_suffix : str, optional
        The end of keys that have the rank of an extraction; see :class:`Resolver`.

    Returns
    -------
    list of Extraction
        The extractions, not yet aligned, numbered from 1 by ``extraction_index``; ``group_index`` is the index of the
        object, from 0.

    Raises
    ------
    ResolverParsingError
        If the answer cannot be read, and ``suppress_parse_errors`` is false.

    Notes
    -----
    Behaviour of ``langextract.resolver.Resolver.resolve`` 1.7.1.

    Examples
    --------
    >>> [found] = resolve('[{"person": "Anna", "person_attributes": {"age": 7}}]')
    >>> found.extraction_class, found.extraction_text, found.attributes
    ('person', 'Anna', {'age': 7})
    """
    resolver = Resolver(format_handler, extraction_index_suffix)
    return resolver.resolve(answer, suppress_parse_errors)


def align(
    extractions: Sequence[Extraction],
    text: str,
    *,
    token_offset: int = 0,
    char_offset: int = 0,
    options: AlignmentOptions = AlignmentOptions(),  # noqa: B008 - immutable
) -> list[Extraction]:
    """Find extractions in a text.

    Parameters
    ----------
    extractions : sequence of Extraction
        Extractions in the order of the answer. Their intervals and status are set.
    text : str
        The text.
    token_offset, char_offset : int
        Added to the intervals, for a text that is a part of a document.
    options : AlignmentOptions
        How extractions are matched.

    Returns
    -------
    list of Extraction
        The same objects.

    Raises
    ------
    ValueError
        If the text or all extractions have no token, or an extraction has the character U+241F.

    Notes
    -----
    Behaviour of ``langextract.resolver.Resolver.align`` 1.7.1. An exact occurrence that is not in the order of the
    answer has the status ``match_fuzzy``.

    Examples
    --------
    >>> found = align(resolve('[{"person": "Anna Lee"}, {"place": "the old town"}]'), "Anna Lee left the town.")
    >>> [(one.char_interval.start_pos, one.char_interval.end_pos, one.alignment_status) for one in found]
    [(0, 8, 'match_exact'), (14, 17, 'match_lesser')]
    """
    return align_extractions(extractions, text, token_offset, char_offset, options)
