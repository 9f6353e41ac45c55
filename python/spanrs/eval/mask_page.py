"""Sections of the page of masks: what leaks first."""

from __future__ import annotations

from collections.abc import Iterator

from spanrs.eval.details import BY_RISK, ErrorList, size_of
from spanrs.eval.entries import entry, error_outcome
from spanrs.eval.error_section import MEANINGS, MOST_ERRORS
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.mask_tables import documents_table, mask_row, mask_table, unit_of
from spanrs.report.numbers import amount, percent
from spanrs.report.page import Card, Cards, Examples, Section, Sorted


def mask_sections(result: Evaluation) -> Iterator[Section]:
    """Yield the summary, the types and documents with the largest leaks first, and the leaked text."""
    yield Cards("Summary", list(_cards(result)))
    table = mask_table(result)
    yield Sorted(table.title, table)
    if not result.by_sentence and result.documents:
        table = documents_table(result)
        yield Sorted(table.title, table)
    if result.errors is not None:
        yield leaks_section(result.errors, unit_of(result))


def leaks_section(errors: ErrorList, unit: str) -> Examples:
    """Return the list of leaks, then of the other errors; the longest of each outcome first."""
    ordered = sorted(
        errors, key=lambda error: (BY_RISK.index(error.outcome), -size_of(error), error.sentence)
    )
    shown = ordered[:MOST_ERRORS]
    total = sum(errors.numbers.values())
    notes = [f"Leaks come first, and the longest of each kind; sizes are in {unit}."]
    if len(shown) < total:
        notes.append(f"{amount(len(shown))} of {amount(total)} are shown.")
    if any(not error.tokens for error in shown[:1]):
        notes.append("The text is not known.")
    meanings = MEANINGS | {"mistyped": "covered, but by another type"}
    kinds = {kind: meanings[kind] for kind in BY_RISK if kind in errors.outcomes}
    examples = [entry([error_outcome(error)]) for error in shown]
    return Examples(
        "Leaks and other errors",
        examples,
        note=" ".join(notes),
        kinds=kinds,
        numbers=errors.outcomes,
        order="size",
    )


def _cards(result: Evaluation) -> Iterator[Card]:
    unit, masked, typed = unit_of(result), mask_row(result, "masked"), mask_row(result, "characters")
    beta = getattr(result.matcher, "beta", 1.0)
    share = f"{percent(masked.leaked / masked.gold)} % of {amount(masked.gold)}" if masked.gold else ""
    yield Card(f"Leaked {unit}", amount(masked.leaked), share)
    yield Card(f"Over-masked {unit}", amount(masked.over_masked))
    yield Card(f"Mistyped {unit}", amount(typed.mistyped))
    yield Card(f"F{beta:g} by type", percent(typed.f(beta)))
    spans = mask_row(result, "spans")
    yield Card("Gold spans covered", percent(spans.recall), f"{amount(spans.tp)} of {amount(spans.gold)}")
