"""Tasks: which types of annotations a project has, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from spanrs import _spanrs
from spanrs.errors import FormatError
from spanrs.eval.stored import check_stored
from spanrs.io.sources import read_text

#: (alias, the attributes that make it)
Alias = tuple[str, list[tuple[str, str]]]


@dataclass(frozen=True)
class Tag:
    """A type of annotations of a task.

    Attributes
    ----------
    name : str
        The type.
    category : str
        ``content`` (it is scored), ``token``, ``zone``, or ``other``.
    aliases : list of (str, list of (str, str))
        Other names of annotations that have all these attributes; the first that fits counts.
    """

    name: str
    category: str
    aliases: list[Alias]


#: Types of the fields of a task that was stored.
_STORED = {"name": str, "tags": [{"name": str, "category": str, "aliases": list}]}


@dataclass(frozen=True)
class Task:
    """A task, as :func:`read_task` reads it."""

    name: str
    tags: list[Tag]

    def declared(self) -> list[str]:
        """Give the types that are content, tokens or zones."""
        return [tag.name for tag in self.tags if tag.category != "other"]

    def to_dict(self) -> dict[str, Any]:
        """Give the task as plain values."""
        return asdict(self)

    def plain(self) -> dict[str, Any]:
        """Return the task for the compiled module."""
        tags = [
            {
                "name": tag.name,
                "category": tag.category,
                "aliases": [{"name": name, "attributes": pairs} for name, pairs in tag.aliases],
            }
            for tag in self.tags
        ]
        return {"name": self.name, "tags": tags}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Task:
        """Give the task that :meth:`to_dict` describes."""
        check_stored(plain, _STORED, "task")
        tags = []
        for tag in plain["tags"]:
            aliases = [(name, [(key, value) for key, value in pairs]) for name, pairs in tag["aliases"]]
            for name, pairs in aliases:
                check_stored([name, *(text for pair in pairs for text in pair)], [str], "alias")
            tags.append(Tag(tag["name"], tag["category"], aliases))
        return cls(plain["name"], tags)


def read_task(path: str | PathLike[str], name: str | None = None) -> Task:
    """Read a task from a task.xml in the syntax of MAT 1.3 or 2.0.

    Parameters
    ----------
    path : path
        The file, or a folder that has a ``task.xml`` in it.
    name : str, optional
        Which task, where the file has several.

    Returns
    -------
    Task

    Raises
    ------
    OSError
        Where the file cannot be read.
    spanrs.errors.FormatError
        Where it is no task.xml, or has no task of that name; with its place.
    """
    file = Path(path)
    if file.is_dir():
        file /= "task.xml"
    tasks = tasks_of(file)
    known = ", ".join(repr(task.name) for task in tasks)
    if name is None and len(tasks) > 1:
        raise FormatError(
            f"{file}: the file has several tasks, {known}; name one (--task NAME --task_path FILE)"
        )
    for task in tasks:
        if name in (None, task.name):
            return task
    raise FormatError(f"{file}: there is no task {name!r} in it, only {known}")


def tasks_of(file: Path) -> list[Task]:
    """Read all tasks of a file."""
    return [
        Task(task["name"], [Tag(tag["name"], tag["category"], _aliases(tag)) for tag in task["tags"]])
        for task in _spanrs.read_tasks(str(file), read_text(file))
    ]


def _aliases(tag: dict[str, Any]) -> list[Alias]:
    return [(alias["name"], alias["attributes"]) for alias in tag["aliases"]]


def find_task(name: str, places: list[Path]) -> Task:
    """Find the task of that name in files, folders, and the folders in these.

    Raises
    ------
    spanrs.errors.FormatError
        Where there is none.
    """
    files: list[Path] = []
    for place in places:
        if place.is_dir():
            files += [place / "task.xml", *sorted(place.glob("*/task.xml"))]
        else:
            files.append(place)
    known = []
    for file in files:
        if file.is_file() or file in places:
            for task in tasks_of(file):
                if task.name == name:
                    return task
                known.append(repr(task.name))
    where = ", ".join(map(str, places))
    has = f"only {', '.join(known)}" if known else "nor any other"
    raise FormatError(f"there is no task {name!r} in {where}, {has}")
