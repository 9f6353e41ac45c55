"""Checks of column files: files that contain only tokens, and default columns of gold and pred."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from spanrs.errors import FormatError, with_code
from spanrs.eval.adding import Adding
from spanrs.eval.result import Result
from spanrs.eval.warnings import FORGOTTEN
from spanrs.io.options import ReadOptions
from spanrs.io.parts import BEGINNING, Part

#: Number of violations that are examined to decide whether a file contains only tokens.
UNKNOWN_TAGS = 10
#: Number of columns of a file in which gold and pred are unambiguous: tokens, gold, pred.
TOKEN_GOLD_PRED = 3


@contextmanager
def explaining_one_column(*, both: bool) -> Iterator[None]:
    """Replace the error about the missing default column -2 by an error about files with a single column.

    ``both`` is True if one file contains gold and pred.
    """
    try:
        yield
    except FormatError as error:
        if not both or error.code != "no_column" or "no column -2: " not in str(error):
            raise
        message = (
            f"{error.path}:{error.line}: the file has one column, but a file with gold and pred has three or more "
            "(tokens, gold, pred); add the file of pred, or specify the separator of the columns"
        )
        raise with_code(FormatError(message), error.code, error.path, error.line) from None


def refuse_tokens_as_tags(result: Result, gold: str, pred: str | None) -> None:
    """Refuse a side whose tags are tokens, because its file has one column.

    A file of tags also has one column, so that only the tags reveal the mistake. The score would be 0, as for a bad
    model.

    Raises
    ------
    spanrs.errors.FormatError
        If a file has one column, a side has no span although most of its tags are not ``O``, and the first of these
        tags are not tags of the scheme.
    """
    numbers = result._unweighted_corpus
    if not numbers.get("unaligned_files"):
        return
    for side, source in (("gold", gold), ("pred", pred)):
        labelled, violations = numbers[f"{side}_labelled"], result.violations[side]
        first = [place.violation for place in violations.first]
        unknown = bool(first) and all(violation.kind == "Unknown Tag" for violation in first)
        tp, fp, fn = result[result.matcher.support].totals
        spans = tp + (fn if side == "gold" else fp)
        if (
            source is None
            or not unknown
            or spans
            or labelled * 2 <= numbers["tokens"]
            or violations.count < labelled
        ):
            continue
        if any(FORGOTTEN.fullmatch(violation.current) for violation in first):
            # Labels without names cause a separate warning.
            continue
        line = violations.first[0].line
        scheme = result.settings.get(f"{side}_scheme", result.settings["scheme"])
        message = (
            f"{source}:{line}: no column of tags: {side} has no span, its first tags other than O are not tags of "
            f"{scheme} (`{first[0].current}`), and gold or pred has one column, which is read as tags; "
            "give a file with tokens and tags"
        )
        raise with_code(FormatError(message), "no_column", source, line)


def file_width(part: Part, options: ReadOptions) -> int | None:
    """Return the number of columns of the first line of a column file with gold and pred; None for other formats.

    Raises
    ------
    ValueError
        If gold and pred are the same column.
    """
    if part.format != "columns":
        return None
    beginning, _ = part.opened(keep=True).beginning(BEGINNING)
    lines = beginning.decode("utf-8", "replace").splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith(("#", "-DOCSTART-"))), "")
    separators = {"auto": "\t" if "\t" in first else None, "whitespace": None, "tab": "\t", "space": " "}
    width = len(first.split(separators.get(options.separator, options.separator)))
    gold, pred = (
        at + width if isinstance(at, int) and at < 0 else at for at in (options.gold, options.pred)
    )
    if gold is not None and gold == pred:
        raise ValueError(
            f"{part.shown}: gold and pred are the same column, {gold}; choose both with gold= and pred= "
            "(--gold-column, --pred-column)"
        )
    return width


def describe_columns(adding: Adding, result: Result, options: ReadOptions, width: int) -> None:
    """In a file with more than three columns, note the default columns; warn if they have no type in common."""
    if width <= TOKEN_GOLD_PRED or (options.gold, options.pred) != (-2, -1):
        return
    columns = f"of {width} columns, numbered from 0, column {width - 2} is read as gold and column {width - 1} as pred"
    totals = result[result.matcher.support].per_type.totals.items()
    of_gold = [name for name, counts in totals if counts.tp or counts.fn]
    of_pred = [name for name, counts in totals if counts.tp or counts.fp]
    advice = (
        "if the file contains only gold, add the file of pred; choose other columns with gold= and pred= "
        "(--gold-column, --pred-column)"
    )
    if of_gold and of_pred and not set(of_gold) & set(of_pred):
        adding.losses.append(f"{columns}, but they have no type in common; {advice}")
    else:
        adding.notes.append(f"{columns}; {advice}")
