"""The list of errors of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from spanrs.eval.entries import Outcome, entries, error_outcome
from spanrs.eval.evidence import Detail, ErrorKind, kind_of
from spanrs.report.page import Examples, render
from spanrs.report.pages import cut_by_kind

#: Largest number of errors on a page.
MOST_ERRORS = 100_000
#: Largest number of errors in a cell of a notebook, which stores them.
MOST_IN_CELL = 2_000
#: Explanations of outcomes.
MEANINGS = {
    "missed": "gold span without a matching pred span",
    "spurious": "pred span without a matching gold span",
    "mistyped": "equal bounds, another type",
    "incorrect": "the pair is wrong under this criterion",
    "partial": "the spans overlap",
    "le": "labelling error: equal bounds, another type",
    "bes": "boundary error: pred is smaller",
    "bel": "boundary error: pred is larger",
    "beo": "boundary error: the spans overlap",
    "lbe": "labelling and boundary error",
    "fn": "gold span without pred span",
    "fp": "pred span without gold span",
    "leaked": "gold text that no pred span covers",
    "over_masked": "text that only pred spans cover",
    "missed_type": "covered, but by fewer types than in gold",
    "extra_type": "covered by more types than in gold",
}


def errors_page(errors: Sequence[Detail], numbers: Mapping[ErrorKind, int]) -> str:
    """Return a page of nothing but errors, at most :data:`MOST_IN_CELL`, for a cell of a notebook."""
    return render("", [errors_section(errors, numbers, MOST_IN_CELL)])


def errors_section(
    errors: Sequence[Detail], numbers: Mapping[ErrorKind, int], most: int | None = None
) -> Examples:
    """Return the list of errors of a page.

    Parameters
    ----------
    errors : sequence of Detail
        The errors, in the order of the list.
    numbers : mapping of ErrorKind to int
        Number of errors of each kind, including errors that are not in ``errors``.
    most : int, optional
        Maximum number of errors in the list; by default :data:`MOST_ERRORS`.
    """

    def rarity(outcome: Outcome) -> tuple[int, ErrorKind]:
        kind = kind_of(outcome.error)
        return numbers.get(kind, 0), kind

    # Cut first, because grouping takes longer; an entry rarely has more than four errors.
    most = most or MOST_ERRORS
    near = cut_by_kind(errors, kind_of, 4 * most)
    examples = entries([error_outcome(error) for error in near], rarity, most)
    shown = sum(len(example.kinds) for example in examples)
    total = sum(numbers.values())
    notes = [f"{shown} of {total} errors are shown, the first of each kind."] if shown < total else []
    if any(not error.tokens for error in errors[:1]):
        notes.append("Tokens are not known.")
    kinds = {kind: MEANINGS.get(kind, "") for kind in dict.fromkeys(error.outcome for error in errors)}
    outcomes: Counter[str] = Counter()
    for (outcome, *_), number in numbers.items():
        outcomes[outcome] += number
    return Examples("Errors", examples, note=" ".join(notes), kinds=kinds, numbers=outcomes)
