"""Comparison of spans, and reports."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, TypeAlias

from spanrs.compat.nervaluate.entities import CATEGORIES, measures
from spanrs.compat.nervaluate.evaluator import MEASURES, table
from spanrs.compat.nervaluate.evaluator import SCENARIOS as SCHEMAS
from spanrs.compat.nervaluate.strategies import HALF_CREDIT
from spanrs.compat.nervaluate.utils import (  # noqa: F401 (version 0.2.0 has them here)
    clean_entities,
    collect_named_entities,
    conll_to_spans,
    find_overlap,
    list_to_spans,
    split_list,
)

Counts: TypeAlias = dict[str, Any]
Schemas: TypeAlias = dict[str, Counts]
ByTag: TypeAlias = dict[str, Schemas]

# Outcome of a span under each schema in SCHEMAS, and whether the index of the span is recorded: always, except for
# correct pairs whose spans are not equal.
Outcomes: TypeAlias = dict[str, tuple[str, bool]]
WRONG: Outcomes = dict.fromkeys(SCHEMAS, ("incorrect", True))
EQUAL: Outcomes = dict.fromkeys(SCHEMAS, ("correct", True))
MISSED: Outcomes = dict.fromkeys(SCHEMAS, ("missed", True))
SPURIOUS: Outcomes = dict.fromkeys(SCHEMAS, ("spurious", True))
SAME_BOUNDS = WRONG | dict.fromkeys(("partial", "exact"), ("correct", False))
OVERLAP = WRONG | {"partial": ("partial", True)}
OVERLAP_OF_TYPE = OVERLAP | {"ent_type": ("correct", False)}


def _counts(*more: str) -> Schemas:
    return {schema: dict.fromkeys((*CATEGORIES, *more, *MEASURES), 0) for schema in SCHEMAS}


def _indices() -> Schemas:
    return {schema: {f"{name}_indices": [] for name in CATEGORIES} for schema in SCHEMAS}


class Evaluator:
    """Compares true and predicted spans.

    ``true`` and ``pred`` are spans (``label``, ``start``, ``end`` inclusive); with the loader ``list`` they are
    tags, with ``conll`` text in columns.
    """

    def __init__(self, true: Any, pred: Any, tags: list[str], loader: str = "default") -> None:
        self.true = true
        self.pred = pred
        self.tags = tags
        self.metrics_results = _counts("possible", "actual")["strict"]
        self.results = _counts("possible", "actual")
        self.evaluation_agg_entities_type = {tag: _counts("possible", "actual") for tag in tags}
        self.loaders = {"list": list_to_spans, "conll": conll_to_spans}
        self.loader = loader
        self.eval_indices = _indices()["strict"]
        self.evaluation_indices = _indices()
        self.evaluation_agg_indices = {tag: _indices() for tag in tags}

    def evaluate(self) -> tuple[Schemas, ByTag, Schemas, ByTag]:
        """Add the outcomes to earlier counts; return counts by schema and by tag, and indices by schema and by tag."""
        if self.loader != "default":
            loader: Any = self.loaders[self.loader]
            self.pred = loader(self.pred)
            self.true = loader(self.true)
        results_by_tag = self.evaluation_agg_entities_type
        if len(self.true) != len(self.pred):
            raise ValueError("Number of predicted documents does not equal true")
        for index, (true, pred) in enumerate(zip(self.true, self.pred, strict=True)):
            counts, by_tag, indices, indices_by_tag = compute_metrics(true, pred, self.tags, index)
            _add(self.results, counts)
            _add(self.evaluation_indices, indices)
            for tag in self.tags:
                _add(results_by_tag[tag], by_tag[tag])
                _add(self.evaluation_agg_indices[tag], indices_by_tag[tag])
        if len(self.true):
            self.results = compute_precision_recall_wrapper(self.results)
            for tag in self.tags:
                results_by_tag[tag] = compute_precision_recall_wrapper(results_by_tag[tag])
        return self.results, results_by_tag, self.evaluation_indices, self.evaluation_agg_indices


def _add(total: Schemas, addend: Schemas) -> None:
    for schema, values in total.items():
        for name in values:
            values[name] += addend[schema][name]


class _Document:
    """Counter of one document."""

    def __init__(self, tags: list[str], index: int) -> None:
        self.index = index
        self.counts = _counts()
        self.by_tag = {tag: _counts() for tag in tags}
        self.indices = _indices()
        self.indices_by_tag = {tag: _indices() for tag in tags}

    def count(self, outcomes: Outcomes, tag: str, at: int) -> None:
        """Count a span, overall and for a tag."""
        for schema, (name, keep) in outcomes.items():
            for counts in (self.counts, self.by_tag[tag]):
                counts[schema][name] += 1
            if keep:
                for indices in (self.indices, self.indices_by_tag[tag]):
                    indices[schema][f"{name}_indices"].append((self.index, at))


def compute_metrics(
    true_named_entities: Iterable[dict[str, Any]],
    pred_named_entities: Iterable[dict[str, Any]],
    tags: list[str],
    instance_index: int = 0,
) -> tuple[Schemas, ByTag, Schemas, ByTag]:
    """Compare the spans of one document; return the same dictionaries as :meth:`Evaluator.evaluate`, without measures.

    Predicted spans that equal a true span are correct. All other predicted spans are processed in the order of their
    ends. Each is paired with every overlapping true span that has not been paired before, in the order of starts, up to
    a true span with equal boundaries; a predicted span may therefore be counted more than once. A pair is counted for
    the label of the true span.
    """
    true = [clean_entities(span) for span in true_named_entities if span["label"] in tags]
    pred = [clean_entities(span) for span in pred_named_entities if span["label"] in tags]
    true.sort(key=lambda span: span["start"])
    pred.sort(key=lambda span: span["end"])
    document = _Document(tags, instance_index)
    true_keys = {tuple(span.values()) for span in true}
    matched = set()
    # Running maximum of ends: the true spans before the first position whose maximum is at least the start of a
    # predicted span do not overlap the predicted span.
    reach = list(accumulate((span["end"] for span in true), max))
    for at, span in enumerate(pred):
        start, end, label = key = tuple(span.values())
        if key in true_keys:
            matched.add(key)
            document.count(EQUAL, label, at)
            continue
        is_matched = False
        # Equal boundaries are tested first, also for empty spans.
        for true_span in true[bisect_left(reach, min(start, end)) :]:
            other_start, other_end, other_label = other_key = tuple(true_span.values())
            if end < other_start:
                break
            if (other_start, other_end) == (start, end) and other_label != label:
                matched.add(other_key)
                document.count(SAME_BOUNDS, other_label, at)
                is_matched = True
                break
            solid = start <= end and other_start <= other_end
            if solid and other_end >= start and other_key not in matched:
                matched.add(other_key)
                document.count(OVERLAP_OF_TYPE if label == other_label else OVERLAP, other_label, at)
                is_matched = True
        if not is_matched:
            document.count(SPURIOUS, label, at)
    for at, span in enumerate(true):
        if tuple(span.values()) not in matched:
            document.count(MISSED, span["label"], at)
    for schemas in (document.counts, *document.by_tag.values()):
        for counts in schemas.values():
            compute_actual_possible(counts)
    return document.counts, document.by_tag, document.indices, document.indices_by_tag


def compute_actual_possible(results: Counts) -> Counts:
    """Set ``actual`` and ``possible`` in a dictionary of counts."""
    pairs = results["correct"] + results["incorrect"] + results["partial"]
    results["actual"] = pairs + results["spurious"]
    results["possible"] = pairs + results["missed"]
    return results


def compute_precision_recall(results: Counts, partial_or_type: bool = False) -> Counts:
    """Set the measures in a dictionary of counts, optionally with half credit for partial matches."""
    credit = results["correct"] + 0.5 * results["partial"] if partial_or_type else results["correct"]
    values = measures(credit, results["actual"], results["possible"])
    results["precision"], results["recall"], results["f1"] = values
    return results


def compute_precision_recall_wrapper(results: Schemas) -> Schemas:
    """Set the measures of each schema; schemas with half credit for partial matches come first."""
    schemas = [schema for schema in results if schema in SCHEMAS]
    order = sorted(schemas, key=lambda schema: schema not in HALF_CREDIT)
    return {schema: compute_precision_recall(results[schema], schema in HALF_CREDIT) for schema in order}


def _table(rows: Iterable[tuple[str, Counts]], names: Iterable[str], digits: int) -> str:
    keys = (*CATEGORIES, *MEASURES)
    width = max(*map(len, names), digits)
    return table(((name, [row[key] for key in keys]) for name, row in rows), width, digits)


def summary_report_ent(results_agg_entities_type: ByTag, scenario: str = "strict", digits: int = 2) -> str:
    """Return a table with a row for each tag, from the second item of :meth:`Evaluator.evaluate`."""
    if scenario not in SCHEMAS:
        raise Exception("Invalid scenario: must be one of 'strict', 'ent_type', 'partial', 'exact'")
    tags = sorted(results_agg_entities_type.items())
    rows = ((tag, schemas[scenario]) for tag, schemas in tags if scenario in schemas)
    return _table(rows, ("", *results_agg_entities_type), digits)


def summary_report_overall(results: Schemas, digits: int = 2) -> str:
    """Return a table with a row for each schema, from the first item of :meth:`Evaluator.evaluate`."""
    return _table(results.items(), ("", *results), digits)


def _places(places: list[tuple[int, int]], preds: Any, indent: str) -> str:
    if not places:
        return f"{indent}- None\n"
    text = ""
    for document, at in places:
        text += f"{indent}- Instance {document}, Entity {at}"
        # The index of a missed span may exceed the indices of predicted spans.
        if preds is not None and document < len(preds) and at < len(preds[document]):
            span = preds[document][at]
            text += f": Label={span['label']}, Start={span['start']}, End={span['end']}"
        text += "\n"
    return text


def summary_report_ents_indices(
    evaluation_agg_indices: ByTag,
    error_schema: str,
    preds: list[Any] | None = [[]],  # noqa: B006
) -> str:
    """Return the indices of each tag as text, from the fourth item of :meth:`Evaluator.evaluate`."""
    text = ""
    for tag, schemas in evaluation_agg_indices.items():
        text += f"\nEntity Type: {tag}\n  Error Schema: '{error_schema}'\n"
        for category, places in schemas[error_schema].items():
            name = category.replace("_", " ").capitalize()
            text += f"    ({tag}) {name}:\n" + _places(places, preds, " " * 6)
    return text


def summary_report_overall_indices(
    evaluation_indices: Schemas,
    error_schema: str,
    preds: list[Any] | None = [[]],  # noqa: B006
) -> str:
    """Return the indices over all tags as text, from the third item of :meth:`Evaluator.evaluate`."""
    if error_schema not in evaluation_indices:
        raise AssertionError(f"Error schema '{error_schema}' not found in the results.")
    text = f"Indices for error schema '{error_schema}':\n\n"
    for category, places in evaluation_indices[error_schema].items():
        name = category.replace("_", " ").capitalize()
        text += f"{name}:\n{_places(places, preds, '  ')}\n"
    return text
