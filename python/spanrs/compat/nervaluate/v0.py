"""nervaluate 0.2.0, whose `evaluate` gives four dictionaries and which sorts spans before it compares.

Examples
--------
>>> from spanrs.compat.nervaluate import v0
>>> true = [[{"label": "PER", "start": 2, "end": 4}]]
>>> pred = [[{"label": "PER", "start": 3, "end": 4}]]
>>> results, by_tag, indices, indices_by_tag = v0.Evaluator(true, pred, tags=["PER"]).evaluate()
>>> results["partial"]["partial"], by_tag["PER"]["strict"]["incorrect"]
(1, 1)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, TypeAlias

from spanrs.compat.nervaluate.entities import CATEGORIES
from spanrs.compat.nervaluate.utils import (
    clean_entities,
    collect_named_entities,
    conll_to_spans,
    find_overlap,
    list_to_spans,
    split_list,
)

__all__ = [
    "Evaluator",
    "collect_named_entities",
    "compute_actual_possible",
    "compute_metrics",
    "compute_precision_recall",
    "compute_precision_recall_wrapper",
    "conll_to_spans",
    "find_overlap",
    "list_to_spans",
    "split_list",
    "summary_report_ent",
    "summary_report_ents_indices",
    "summary_report_overall",
    "summary_report_overall_indices",
]

Counts: TypeAlias = dict[str, Any]
Schemas: TypeAlias = dict[str, Counts]

SCHEMAS = ("strict", "ent_type", "partial", "exact")
MEASURES = ("precision", "recall", "f1")

# What becomes of a span under each of SCHEMAS, and whether its index is kept: that of a pair is kept only
# where it is wrong, except for spans that are equal.
EQUAL = dict.fromkeys(SCHEMAS, ("correct", True))
MISSED = dict.fromkeys(SCHEMAS, ("missed", True))
SPURIOUS = dict.fromkeys(SCHEMAS, ("spurious", True))
SAME_BOUNDS = {
    "strict": ("incorrect", True),
    "ent_type": ("incorrect", True),
    "partial": ("correct", False),
    "exact": ("correct", False),
}
OVERLAP = {
    "strict": ("incorrect", True),
    "ent_type": ("incorrect", True),
    "partial": ("partial", True),
    "exact": ("incorrect", True),
}
OVERLAP_OF_TYPE = OVERLAP | {"ent_type": ("correct", False)}


def _counts(*more: str) -> Schemas:
    return {schema: dict.fromkeys((*CATEGORIES, *more), 0) for schema in SCHEMAS}


def _indices() -> Schemas:
    return {schema: {f"{name}_indices": [] for name in CATEGORIES} for schema in SCHEMAS}


class Evaluator:
    """Compares true and predicted spans.

    Parameters
    ----------
    true, pred : list of list of dict, list of list of str, or str
        Spans (``label``, ``start``, ``end`` inclusive); with a loader tags, or text in columns.
    tags : list of str
        Labels that count.
    loader : str
        ``default`` for spans, ``list`` for tags, ``conll`` for text.

    Examples
    --------
    >>> evaluator = Evaluator([["B-PER"]], [["B-LOC"]], tags=["PER", "LOC"], loader="list")
    >>> evaluator.evaluate()[0]["exact"]["correct"]
    1
    """

    def __init__(self, true: Any, pred: Any, tags: list[str], loader: str = "default") -> None:
        self.true = true
        self.pred = pred
        self.tags = tags
        self.metrics_results = _counts("possible", "actual", *MEASURES)["strict"]
        self.results = _counts("possible", "actual", *MEASURES)
        self.evaluation_agg_entities_type = {tag: _counts("possible", "actual", *MEASURES) for tag in tags}
        self.loaders = {"list": list_to_spans, "conll": conll_to_spans}
        self.loader = loader
        self.eval_indices = _indices()["strict"]
        self.evaluation_indices = _indices()
        self.evaluation_agg_indices = {tag: _indices() for tag in tags}

    def evaluate(self) -> tuple[Schemas, dict[str, Schemas], Schemas, dict[str, Schemas]]:
        """Compare, and add to what was counted before.

        Returns
        -------
        tuple of four dict
            Counts and measures by schema; the same by tag; indices by schema; the same by tag.

        Raises
        ------
        ValueError
            Where the sides have another number of documents.
        KeyError
            For unknown loaders.
        """
        if self.loader != "default":
            loader: Any = self.loaders[self.loader]
            self.pred = loader(self.pred)
            self.true = loader(self.true)
        if len(self.true) != len(self.pred):
            message = "Number of predicted documents does not equal true"
            raise ValueError(message)
        for index, (true, pred) in enumerate(zip(self.true, self.pred, strict=True)):
            counts, by_tag, indices, indices_by_tag = compute_metrics(true, pred, self.tags, index)
            _add(self.results, counts)
            _add(self.evaluation_indices, indices)
            for tag in self.tags:
                _add(self.evaluation_agg_entities_type[tag], by_tag[tag])
                _add(self.evaluation_agg_indices[tag], indices_by_tag[tag])
        if len(self.true):
            self.results = compute_precision_recall_wrapper(self.results)
            for tag in self.tags:
                measured = compute_precision_recall_wrapper(self.evaluation_agg_entities_type[tag])
                self.evaluation_agg_entities_type[tag] = measured
        return (
            self.results,
            self.evaluation_agg_entities_type,
            self.evaluation_indices,
            self.evaluation_agg_indices,
        )


def _add(total: Schemas, one: Schemas) -> None:
    for schema, values in total.items():
        for name in values:
            values[name] += one[schema][name]


class _Document:
    """Counts one document."""

    def __init__(self, tags: list[str], index: int) -> None:
        self.index = index
        self.counts = _counts(*MEASURES)
        self.by_tag = {tag: _counts(*MEASURES) for tag in tags}
        self.indices = _indices()
        self.indices_by_tag = {tag: _indices() for tag in tags}

    def count(self, outcomes: dict[str, tuple[str, bool]], tag: str, at: int) -> None:
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
) -> tuple[Schemas, dict[str, Schemas], Schemas, dict[str, Schemas]]:
    """Compare the spans of one document.

    Predicted spans that equal a true one are correct. Others, by their ends, take every true span, by its
    start, that they overlap and that no other has overlapped before, up to one of equal bounds; so a
    predicted span may count more than once. A pair counts for the label of its true span.

    Parameters
    ----------
    true_named_entities, pred_named_entities : iterable of dict
        Spans: ``label``, ``start``, ``end`` (inclusive).
    tags : list of str
        Labels that count.
    instance_index : int
        The number of the document, for the indices.

    Returns
    -------
    tuple of four dict
        As of :meth:`Evaluator.evaluate`, without measures.

    Examples
    --------
    >>> spans = collect_named_entities(["B-PER", "I-PER", "O"])
    >>> compute_metrics(spans, spans, ["PER"])[0]["strict"]["correct"]
    1
    """
    true = [clean_entities(span) for span in true_named_entities if span["label"] in tags]
    pred = [clean_entities(span) for span in pred_named_entities if span["label"] in tags]
    true.sort(key=lambda span: span["start"])
    pred.sort(key=lambda span: span["end"])
    document = _Document(tags, instance_index)
    known = {tuple(span.values()) for span in true}
    taken = set()
    # The farthest end up to each place: true spans before the first that reaches a span do not touch it.
    reach = list(accumulate((span["end"] for span in true), max))
    for at, span in enumerate(pred):
        start, end, label = key = tuple(span.values())
        if key in known:
            taken.add(key)
            document.count(EQUAL, label, at)
            continue
        found = False
        # Equal bounds are compared before anything else, also of spans that hold nothing.
        for other in true[bisect_left(reach, min(start, end)) :]:
            other_start, other_end, other_label = other_key = tuple(other.values())
            if end < other_start:
                break
            if (other_start, other_end) == (start, end) and other_label != label:
                taken.add(other_key)
                document.count(SAME_BOUNDS, other_label, at)
                found = True
                break
            solid = start <= end and other_start <= other_end
            if solid and other_end >= start and other_key not in taken:
                taken.add(other_key)
                document.count(OVERLAP_OF_TYPE if label == other_label else OVERLAP, other_label, at)
                found = True
        if not found:
            document.count(SPURIOUS, label, at)
    for at, span in enumerate(true):
        if tuple(span.values()) not in taken:
            document.count(MISSED, span["label"], at)
    for schemas in (document.counts, *document.by_tag.values()):
        for counts in schemas.values():
            compute_actual_possible(counts)
    return document.counts, document.by_tag, document.indices, document.indices_by_tag


def compute_actual_possible(results: Counts) -> Counts:
    """Set ``actual`` and ``possible`` from the counts.

    Parameters
    ----------
    results : dict
        Counts; it is changed.

    Returns
    -------
    dict
        The same.
    """
    pairs = results["correct"] + results["incorrect"] + results["partial"]
    results["actual"] = pairs + results["spurious"]
    results["possible"] = pairs + results["missed"]
    return results


def compute_precision_recall(results: Counts, partial_or_type: bool = False) -> Counts:
    """Set ``precision``, ``recall`` and ``f1`` from the counts.

    Parameters
    ----------
    results : dict
        Counts with ``actual`` and ``possible``; it is changed.
    partial_or_type : bool
        Half the credit for partial matches.

    Returns
    -------
    dict
        The same.
    """
    actual, possible = results["actual"], results["possible"]
    credit = results["correct"] + 0.5 * results["partial"] if partial_or_type else results["correct"]
    precision = credit / actual if actual > 0 else 0
    recall = credit / possible if possible > 0 else 0
    both = precision + recall
    results["precision"], results["recall"] = precision, recall
    results["f1"] = 2 * (precision * recall) / both if both > 0 else 0
    return results


def compute_precision_recall_wrapper(results: Schemas) -> Schemas:
    """Set the measures of each schema.

    Parameters
    ----------
    results : dict
        Schema to counts, which are changed.

    Returns
    -------
    dict
        The four schemas: first those that give half the credit for partial matches.
    """
    measured = {}
    for half, schemas in ((True, ("partial", "ent_type")), (False, ("strict", "exact"))):
        for schema in results:
            if schema in schemas:
                measured[schema] = compute_precision_recall(results[schema], half)
    return measured


def _table(rows: list[tuple[str, Counts]], names: Iterable[str], digits: int) -> str:
    width = max(*map(len, names), digits)
    heads = (*CATEGORIES, "precision", "recall", "f1-score")
    text = f"{'':>{width}} " + "".join(f" {head:>11}" for head in heads) + "\n\n"
    for name, row in rows:
        counts = "".join(f" {row[category]:>11}" for category in CATEGORIES)
        measures = "".join(f" {row[measure]:>11.{digits}f}" for measure in MEASURES)
        text += f"{name:>{width}} {counts}{measures}\n"
    return text


def summary_report_ent(
    results_agg_entities_type: dict[str, Schemas], scenario: str = "strict", digits: int = 2
) -> str:
    """Give a table with a row for each tag.

    Parameters
    ----------
    results_agg_entities_type : dict
        The second of what :meth:`Evaluator.evaluate` gives.
    scenario : str
        The schema.
    digits : int
        Digits behind the point.

    Returns
    -------
    str
        The text.

    Raises
    ------
    Exception
        For unknown schemas.
    """
    if scenario not in SCHEMAS:
        message = "Invalid scenario: must be one of 'strict', 'ent_type', 'partial', 'exact'"
        raise Exception(message)
    rows = [
        (tag, schemas[scenario])
        for tag, schemas in sorted(results_agg_entities_type.items())
        if scenario in schemas
    ]
    return _table(rows, ("", *results_agg_entities_type), digits)


def summary_report_overall(results: Schemas, digits: int = 2) -> str:
    """Give a table with a row for each schema.

    Parameters
    ----------
    results : dict
        The first of what :meth:`Evaluator.evaluate` gives.
    digits : int
        Digits behind the point.

    Returns
    -------
    str
        The text.
    """
    return _table(list(results.items()), ("", *results), digits)


def _places(places: list[tuple[int, int]], preds: Any, indent: str) -> str:
    if not places:
        return f"{indent}- None\n"
    text = ""
    for document, at in places:
        text += f"{indent}- Instance {document}, Entity {at}"
        # Missed spans have numbers of their own, which no predicted one may have.
        if preds is not None and document < len(preds) and at < len(preds[document]):
            span = preds[document][at]
            text += f": Label={span['label']}, Start={span['start']}, End={span['end']}"
        text += "\n"
    return text


def summary_report_ents_indices(
    evaluation_agg_indices: dict[str, Schemas],
    error_schema: str,
    preds: list[Any] | None = [[]],  # noqa: B006 (not changed)
) -> str:
    """Give the indices of each tag.

    Parameters
    ----------
    evaluation_agg_indices : dict
        The fourth of what :meth:`Evaluator.evaluate` gives.
    error_schema : str
        The schema.
    preds : list of list of dict, optional
        The predicted spans.

    Returns
    -------
    str
        The text.
    """
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
    preds: list[Any] | None = [[]],  # noqa: B006 (not changed)
) -> str:
    """Give the indices over all tags.

    Parameters
    ----------
    evaluation_indices : dict
        The third of what :meth:`Evaluator.evaluate` gives.
    error_schema : str
        The schema.
    preds : list of list of dict, optional
        The predicted spans.

    Returns
    -------
    str
        The text.

    Raises
    ------
    AssertionError
        For unknown schemas.
    """
    if error_schema not in evaluation_indices:
        message = f"Error schema '{error_schema}' not found in the results."
        raise AssertionError(message)
    text = f"Indices for error schema '{error_schema}':\n\n"
    for category, places in evaluation_indices[error_schema].items():
        name = category.replace("_", " ").capitalize()
        text += f"{name}:\n{_places(places, preds, '  ')}\n"
    return text
