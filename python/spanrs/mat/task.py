"""Tasks, which define the annotation types of a project and their aliases."""

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

#: (alias, the attributes that define it)
Alias = tuple[str, list[tuple[str, str]]]


@dataclass(frozen=True)
class Tag:
    """An annotation type of a task.

    Attributes
    ----------
    name : str
        Name of the type.
    category : str
        ``content`` (scored), ``token``, ``zone``, or ``other``.
    aliases : list of (str, list of (str, str))
        Aliases of annotations with the given attributes; the first alias whose attributes all match is used.
    """

    name: str
    category: str
    aliases: list[Alias]


#: Types of the fields of a stored task.
_STORED = {"name": str, "tags": [{"name": str, "category": str, "aliases": list}]}


@dataclass(frozen=True)
class Task:
    """A task, returned by :func:`read_task`."""

    name: str
    tags: list[Tag]

    def declared(self) -> list[str]:
        """Return the types in the categories content, token and zone."""
        return [tag.name for tag in self.tags if tag.category != "other"]

    def to_dict(self) -> dict[str, Any]:
        """Return the task as plain values."""
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
        """Return the task described by the result of :meth:`to_dict`."""
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
        The file, or a directory that contains a ``task.xml``.
    name : str, optional
        Name of the task; required if the file has several tasks.

    Returns
    -------
    Task

    Raises
    ------
    OSError
        If the file cannot be read.
    spanrs.errors.FormatError
        If the file is not a task.xml, or has no task of that name; the message contains the location.
    """
    file = Path(path)
    if file.is_dir():
        file /= "task.xml"
    tasks = tasks_of(file)
    names = ", ".join(repr(task.name) for task in tasks)
    if name is None and len(tasks) > 1:
        raise FormatError(
            f"{file}: the file has several tasks, {names}; choose one (--task NAME --task_path FILE)"
        )
    for task in tasks:
        if name in (None, task.name):
            return task
    raise FormatError(f"{file}: the file has no task {name!r}, only {names}")


def tasks_of(file: Path) -> list[Task]:
    """Read all tasks of a file."""
    return [
        Task(task["name"], [Tag(tag["name"], tag["category"], _aliases(tag)) for tag in task["tags"]])
        for task in _spanrs.read_tasks(str(file), read_text(file))
    ]


def _aliases(tag: dict[str, Any]) -> list[Alias]:
    return [(alias["name"], alias["attributes"]) for alias in tag["aliases"]]


def find_task(name: str, places: list[Path]) -> Task:
    """Find a task by name in files, directories, and their immediate subdirectories.

    Raises
    ------
    spanrs.errors.FormatError
        If there is no such task.
    """
    files: list[Path] = []
    for place in places:
        if place.is_dir():
            files += [place / "task.xml", *sorted(place.glob("*/task.xml"))]
        else:
            files.append(place)
    names = []
    for file in files:
        if file.is_file() or file in places:
            for task in tasks_of(file):
                if task.name == name:
                    return task
                names.append(repr(task.name))
    where = ", ".join(map(str, places))
    has = f"only {', '.join(names)}" if names else "and no other task"
    raise FormatError(f"there is no task {name!r} in {where}, {has}")
