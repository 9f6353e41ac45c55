"""Consensus in the tasks of Label Studio."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from spanrs.io import Document
    from spanrs.io.parts import Part

#: A task: an object of JSON.
Task: TypeAlias = "dict[str, Any]"
#: Keys of a task that describe annotations by others.
_DROPPED = (
    "completions",
    "drafts",
    "total_annotations",
    "cancelled_annotations",
    "updated_by",
    "comment_authors",
)


def with_scores(tasks: Sequence[Task], confidences: Sequence[Sequence[float]]) -> None:
    """Set the scores of regions, and remove the cancelled annotations of tasks without a consensus.

    Parameters
    ----------
    tasks : sequence of dict
        Tasks with one annotation each, which are changed.
    confidences : sequence of sequences of float
        For each task, the confidence of each region.
    """
    for task, scores in zip(tasks, confidences, strict=True):
        task["annotations"] = [made for made in task["annotations"] if not made["was_cancelled"]]
        regions = [result for made in task["annotations"] for result in _regions(made)]
        for region, score in zip(regions, scores, strict=True):
            region["score"] = round(score, 4)


def with_original_tasks(tasks: list[Task], documents: Sequence[Document], part: Part) -> list[Task]:
    """Return the tasks of an export with the annotations of a consensus in place of their annotations.

    Everything else is kept, including tasks that nobody annotated, and the names of the controls of the labels, which
    Label Studio requires on import.

    Parameters
    ----------
    tasks : list of dict
        Tasks with the annotations of the consensus.
    documents : sequence of Document
        The document of each task.
    part : Part
        The export.

    Returns
    -------
    list of dict
        ``tasks`` if the export does not have a task with the same id and text for each document.
    """
    originals = _tasks_of(part)
    made: defaultdict[tuple[str | None, str], list[Task]] = defaultdict(list)
    for task, document in zip(tasks, documents, strict=True):
        made[document.id, document.text].append(task)
    controls = _Controls(originals)
    result = []
    for original in originals:
        key = next((key for key in _keys(original) if made.get(key)), None)
        annotations = made[key].pop(0)["annotations"] if key is not None else []
        controls.rename(annotations)
        kept = {name: value for name, value in original.items() if name not in _DROPPED}
        result.append(kept | {"annotations": annotations})
    return tasks if any(made.values()) else result


def _tasks_of(part: Part) -> list[Task]:
    """Return the tasks of an export of Label Studio; none if it has another form."""
    if part.format != "label-studio":
        return []
    try:
        tasks = json.loads(part.opened(keep=True).contents().decode("utf-8-sig"))
    except ValueError:
        return []
    has_tasks = isinstance(tasks, list) and all(
        isinstance(task, dict) and isinstance(task.get("data"), dict) for task in tasks
    )
    return tasks if has_tasks else []


def _keys(task: Task) -> Iterator[tuple[str | None, str]]:
    """Yield the pairs of id and text that the document of a task may have."""
    id_ = task.get("id")
    for value in task["data"].values():
        if isinstance(value, str):
            yield None if id_ is None else str(id_), value


def _regions(annotation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the results of an annotation that are labelled spans."""
    results = annotation.get("result")
    results = results if isinstance(results, list) else []
    return [result for result in results if isinstance(result, dict) and result.get("type") == "labels"]


class _Controls:
    """Names of the controls of labels and of the texts that they label, by label."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._names: defaultdict[str | None, Counter[tuple[str, str]]] = defaultdict(Counter)
        for task in tasks:
            made = task.get("annotations", task.get("completions"))
            for annotation in made if isinstance(made, list) else []:
                for region in _regions(annotation) if isinstance(annotation, dict) else []:
                    self._add(region)

    def _add(self, region: dict[str, Any]) -> None:
        names = region.get("from_name"), region.get("to_name")
        value = region.get("value")
        labels = value.get("labels") if isinstance(value, dict) else None
        if isinstance(names[0], str) and isinstance(names[1], str):
            for label in labels if isinstance(labels, list) else []:
                if isinstance(label, str):
                    self._names[label][names[0], names[1]] += 1
            self._names[None][names[0], names[1]] += 1

    def rename(self, annotations: Sequence[dict[str, Any]]) -> None:
        """Set the names of the controls of regions, and of the texts of other results."""
        if not self._names:
            return
        [(usual, _)] = self._names[None].most_common(1)
        for annotation in annotations:
            for result in annotation["result"]:
                if result["type"] == "labels":
                    counts = self._names.get(result["value"]["labels"][0])
                    names = counts.most_common(1)[0][0] if counts else usual
                    result["from_name"], result["to_name"] = names
                elif "to_name" in result:
                    result["to_name"] = usual[1]
