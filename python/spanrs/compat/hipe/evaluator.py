"""Spans of HIPE's columns, compared as in CLEF-HIPE-2020 and HIPE-2022."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from os import PathLike
from typing import Any, NamedTuple

from spanrs.compat.hipe.files import Document, File, Tag, check_alignment

#: Outcome of a span -> its count in the schemas strict, ent_type, partial and exact.
OUTCOMES = {
    "equal": ("correct", "correct", "correct", "correct"),
    "other type": ("incorrect", "incorrect", "correct", "correct"),
    "overlap of type": ("incorrect", "correct", "partial", "incorrect"),
    "overlap": ("incorrect", "incorrect", "partial", "incorrect"),
    "spurious": ("spurious",) * 4,
    "missed": ("missed",) * 4,
}
SCHEMAS = ("strict", "ent_type", "partial", "exact")
MEASURES = ("P", "R", "F1")

#: Number of each pair of type and outcome.
Outcomes = Counter[tuple[str, str]]
Figures = dict[str, dict[str, Any]]


class Span(NamedTuple):
    """A span of tokens; ``end`` is exclusive."""

    start: int
    end: int
    type: str


class Evaluator:
    """Compares the spans of two files of HIPE.

    Parameters
    ----------
    f_true, f_pred : path
        Gold and pred. Pred may have no comments; documents and segments are those of gold.

    Raises
    ------
    FormatError
        If a file is malformed.
    AlignmentError
        If the tokens of the files differ.

    Notes
    -----
    Source: Ehrmann et al. 2020, "Overview of CLEF HIPE 2020", section 5, and HIPE-scorer 2.0. A span ends at ``B`` or a
    change of type. "Fuzzy" is the schema ``ent_type``.
    """

    def __init__(self, f_true: str | PathLike[str], f_pred: str | PathLike[str]) -> None:
        self.true, self.pred = File(f_true), File(f_pred)
        check_alignment(self.true, self.pred)
        self._by_metadata: dict[tuple[str, str], list[Document]] = {}
        for document in self.true.documents:
            for item in document.metadata.items():
                self._by_metadata.setdefault(item, []).append(document)

    def evaluate(  # noqa: PLR0917  # the order of the HIPE scorer
        self,
        columns: str | Sequence[str],
        eval_type: str = "nerc",
        tags: Iterable[str] | None = None,
        merge_lines: bool = False,
        n_best: int = 1,  # noqa: ARG002  # of links
        noise_level: tuple[float, float] | None = None,
        time_period: tuple[datetime.date, datetime.date] | None = None,
        additional_columns: object = None,  # noqa: ARG002  # of links
        *,
        metadata: tuple[str, str] | None = None,
    ) -> tuple[Figures, dict[str, Figures]]:
        """Return the figures of all types, and of each type.

        Parameters
        ----------
        columns : str, or sequence of one str
            Name of the column, for example ``NE-COARSE-LIT``.
        eval_type : str
            Only ``nerc``.
        tags : iterable of str, optional
            Types that are counted in pred even if gold has none. Predicted spans of other types that are not in gold
            are ignored.
        merge_lines : bool
            Whether spans may extend over the segments of a document; the command does this.
        n_best, additional_columns
            Ignored; they are for links.
        noise_level : tuple of float, optional
            Only tokens whose Levenshtein distance in the column ``MISC`` is at least the first and less than the second
            number, or that have none. Two equal numbers keep this distance.
        time_period : tuple of date, optional
            Include documents dated from the first date (inclusive) to the second (exclusive).
        metadata : tuple of str, optional
            Include documents with this key and value.

        Returns
        -------
        figures : dict
            For each schema the counts, ``P_micro``, ``R_micro``, ``F1_micro``, means and population deviations over
            documents (``P_macro_doc``, ``P_macro_doc_std``, ...), and means over types (``P_macro``, ...). Precision is
            averaged over documents with predicted spans, recall over those with gold spans, F1 over those with both;
            the mean of no documents is None.
        per_type : dict
            The same for each type, without means over types.

        Raises
        ------
        FormatError
            If the column is missing, a cell is not a tag, or a document has no date and there is a period.
        ValueError
            If ``eval_type`` is not ``nerc``, there are several columns, or gold has no type.
        """
        if eval_type != "nerc":
            raise ValueError(f"eval_type is {eval_type!r}; only 'nerc' is provided")
        names = [columns] if isinstance(columns, str) else list(columns)
        if len(names) != 1:
            raise ValueError(f"named entities are in one column, not in {len(names)}")
        gold_types, pred_types = self.types(names[0])
        if not gold_types:
            raise ValueError(f"column {names[0]} of {self.true.path} has no annotations")
        counted = gold_types | (pred_types & {tag.upper() for tag in tags or ()})
        documents = [
            self._outcomes(self._segments(document, merge_lines, noise_level), names[0], counted)
            for document in self._selected(time_period, metadata)
        ]
        types = list(dict.fromkeys(name for outcomes in documents for name, _ in outcomes))
        per_type = {name: _figures([_of_type(outcomes, name) for outcomes in documents]) for name in types}
        figures = _figures(documents)
        for schema, values in figures.items():
            _add_means_over_types(values, [of_type[schema] for of_type in per_type.values()])
        return figures, per_type

    def types(self, column: str) -> tuple[set[str], set[str]]:
        """Return the types in a column of gold and pred."""
        return self.true.types(column), self.pred.types(column)

    def _selected(
        self, period: tuple[datetime.date, datetime.date] | None, metadata: tuple[str, str] | None
    ) -> list[Document]:
        documents = self.true.documents if metadata is None else self._by_metadata.get(metadata, [])
        if period is None:
            return documents
        first, after = (date.date() if isinstance(date, datetime.datetime) else date for date in period)
        return [document for document in documents if first <= document.date < after]

    def _segments(
        self, document: Document, merge_lines: bool, noise_level: tuple[float, float] | None
    ) -> list[list[int]]:
        """Return the indices of the tokens of each segment that are compared."""
        segments = [list(chain(*document.segments))] if merge_lines else document.segments
        if noise_level is None:
            return segments
        lower, upper = noise_level
        distances = self.true.distances

        def is_in_level(distance: float | None) -> bool:
            return distance is None or lower <= distance < upper or lower == distance == upper

        return [[at for at in segment if is_in_level(distances[at])] for segment in segments]

    def _outcomes(self, segments: list[list[int]], column: str, counted: set[str]) -> Outcomes:
        """Return the outcomes of a document."""
        outcomes: Outcomes = Counter()
        sides = self.true.tags(column), self.pred.tags(column)
        for segment in segments:
            gold, pred = (
                [span for span in _spans([tags[at] for at in segment]) if span.type in counted]
                for tags in sides
            )
            outcomes.update(_compare_spans(gold, pred))
        return outcomes


def _spans(tags: list[Tag]) -> list[Span]:
    """Return the spans of tags; a span ends at ``B`` or a change of type."""
    spans, start, current = [], 0, ""
    for at, (prefix, label) in enumerate([*tags, ("", "")]):
        if label != current or prefix == "B":
            if current:
                spans.append(Span(start, at, current))
            start, current = at, label
    return spans


def _compare_spans(gold: list[Span], pred: list[Span]) -> Iterator[tuple[str, str]]:
    """Yield the type and the outcome of predicted spans, and of gold spans that are missed.

    Spans of a side are sorted and do not overlap.
    """
    matched = [False] * len(gold)
    first = 0
    for span in pred:
        while first < len(gold) and gold[first].end <= span.start:
            first += 1
        after = first
        while after < len(gold) and gold[after].start < span.end:
            after += 1
        index, outcome = _match(gold, span, range(first, after), matched)
        if index is None:
            yield span.type, "spurious"
        else:
            matched[index] = True
            yield gold[index].type, outcome
    for span, is_matched in zip(gold, matched, strict=True):
        if not is_matched:
            yield span.type, "missed"


def _match(gold: list[Span], span: Span, overlapping: range, matched: list[bool]) -> tuple[int | None, str]:
    """Return the index of the gold span that a predicted span is matched with, and the outcome."""
    for at in overlapping:
        if gold[at][:2] == span[:2]:
            return at, "equal" if gold[at].type == span.type else "other type"
    for at in overlapping:
        if not matched[at]:
            return at, "overlap of type" if gold[at].type == span.type else "overlap"
    return None, "spurious"


def _of_type(outcomes: Outcomes, name: str) -> Outcomes:
    return Counter({key: number for key, number in outcomes.items() if key[0] == name})


def _schema_figures(outcomes: Outcomes, schema: str) -> dict[str, Any]:
    """Return the counts and measures of a schema."""
    counts = dict.fromkeys(("correct", "incorrect", "partial", "missed", "spurious"), 0)
    for (_, outcome), number in outcomes.items():
        counts[OUTCOMES[outcome][SCHEMAS.index(schema)]] += number
    matched = counts["correct"] + counts["incorrect"] + counts["partial"]
    possible, actual = matched + counts["missed"], matched + counts["spurious"]
    correct = counts["correct"]
    credit = correct + 0.5 * counts["partial"]
    precision, recall = (credit / number if number else 0 for number in (actual, possible))
    return {
        **counts,
        "possible": possible,
        "actual": actual,
        "TP": correct,
        "FP": actual - correct,
        "FN": possible - correct,
        "P_micro": precision,
        "R_micro": recall,
        "F1_micro": _harmonic(precision, recall),
    }


def _figures(documents: list[Outcomes]) -> Figures:
    """Return the figures of documents by schema."""
    import numpy as np

    total: Outcomes = Counter()
    for outcomes in documents:
        total.update(outcomes)
    figures = {}
    for schema in SCHEMAS:
        values = _schema_figures(total, schema)
        rows = [_schema_figures(outcomes, schema) for outcomes in documents]
        averaged = {
            "P": [row for row in rows if row["actual"]],
            "R": [row for row in rows if row["possible"]],
            "F1": [row for row in rows if row["actual"] and row["possible"]],
        }
        for measure, kept in averaged.items():
            scores = [row[f"{measure}_micro"] for row in kept]
            values[f"{measure}_macro_doc"] = float(np.mean(scores)) if scores else None
            values[f"{measure}_macro_doc_std"] = float(np.std(scores)) if scores else None
        figures[schema] = values
    return figures


def _add_means_over_types(values: dict[str, Any], types: list[dict[str, Any]]) -> None:
    for measure in MEASURES:
        total = sum(row[f"{measure}_micro"] for row in types)
        values[f"{measure}_macro"] = total / len(types) if types else 0
    recomputed = _harmonic(values["P_macro"], values["R_macro"])
    values["F1_macro (recomputed from P & R)"] = recomputed


def _harmonic(precision: float, recall: float) -> float:
    return 2 * (precision * recall) / (precision + recall) if precision + recall > 0 else 0
