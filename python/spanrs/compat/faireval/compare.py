"""The errors between two sets of spans."""

from __future__ import annotations

from typing import Any, TypeAlias

from spanrs import _spanrs

#: [label, begin, end, tokens]: indices from 1, the end inclusive.
Span: TypeAlias = list[Any]
Evaluation: TypeAlias = dict[str, dict[Any, Any]]


def overlap_type(span1: tuple[int, int], span2: tuple[int, int]) -> str | bool:
    """Tell how the second of two pairs of bounds lies to the first.

    Parameters
    ----------
    span1, span2 : tuple of int
        First and last token.

    Returns
    -------
    str or bool
        ``TP`` where they are equal, ``BES`` where the second is inside of the first, ``BEL`` where the
        first is inside of the second, ``BEO`` for any other overlap, and False where there is none.

    Examples
    --------
    >>> from spanrs.compat.faireval import overlap_type
    >>> overlap_type((4, 7), (4, 5)), overlap_type((4, 7), (3, 5)), overlap_type((4, 7), (8, 9))
    ('BES', 'BEO', False)
    """
    begin1, end1 = span1
    begin2, end2 = span2
    if begin1 == begin2:
        if end1 == end2:
            return "TP"
        return "BES" if begin1 <= end2 < end1 else "BEL"
    if begin2 < begin1:
        if end2 < begin1:
            return False
        return "BEO" if end2 < end1 else "BEL"
    if begin2 > end1:
        return False
    return "BES" if end2 <= end1 else "BEO"


def compare_spans(target: list[Span], system: list[Span], focus: str = "target") -> Evaluation:
    """Count the errors of one sentence, traditionally and fairly.

    The lists change: those spans stay in them that found no partner, by length. Spans that are partners in
    boundary and labeling-boundary errors get new sets without the tokens they share.

    Parameters
    ----------
    target, system : list of list
        Spans ``[label, begin, end, tokens]``: the label anything hashable, the indices int with an
        inclusive end, the tokens a set of int. One list given as both is compared with itself, and stays
        as it is.
    focus : str
        Whose label LE and LBE count for, ``target`` or ``system``; anything else for none.

    Returns
    -------
    dict
        ``overall``: version (``traditional``, ``fair``) -> error type -> count; ``per_label``: version ->
        label -> error type -> count; ``conf``: target label -> system label -> count, where ``_`` is no
        label: BE on the diagonal, LE and LBE beside it, FN in the column ``_`` and FP in the row ``_``.

    Examples
    --------
    >>> from spanrs.compat.faireval import compare_spans
    >>> target = [["PER", 1, 2, {1, 2}], ["ORG", 5, 7, {5, 6, 7}], ["LOC", 9, 9, {9}]]
    >>> system = [["PER", 1, 2, {1, 2}], ["ORG", 5, 6, {5, 6}]]
    >>> result = compare_spans(target, system)
    >>> result["overall"]["traditional"]
    {'TP': 1, 'FP': 1, 'FN': 2}
    >>> {error: n for error, n in result["overall"]["fair"].items() if n}
    {'TP': 1, 'FN': 1, 'BE': 1, 'BES': 1}
    >>> target, system
    ([['LOC', 9, 9, {9}]], [])
    """
    return _spanrs.fair_compare(target, system, focus)
