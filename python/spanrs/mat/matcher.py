"""The MATScore matcher and its options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs.eval.criterion import Criterion
from spanrs.eval.matcher import Cell, Matcher, criteria
from spanrs.eval.matchers import register
from spanrs.eval.stored import ANY, NONE
from spanrs.mat.task import Task, read_task

#: The tables of scores, each with a criterion of the same name; all except the first count elements of the text.
TABLES = ("tag", "token", "pseudo_token", "character")
#: Kinds of clashes between annotations, in the order of MATScore's columns.
CLASHES = (
    "tagclash",
    "overmark",
    "undermark",
    "overlap",
    "tagplusovermark",
    "tagplusundermark",
    "tagplusoverlap",
)
#: Treatments of unpaired annotations that overlap others.
UNPAIRED = ("alone", "clash")
#: Treatments of discontinuous annotations.
PIECES = ("cover", "split", "refuse")


@dataclass(frozen=True)
class Mat(Matcher):
    """MATScore matcher: pairs overlapping annotations one to one and counts the elements that they cover.

    Parameters
    ----------
    task : Task or path, optional
        The annotation types and their aliases: a task, a task.xml or its directory.
    content : sequence of str, optional
        Types to score, by default all except ``lex``, ``zone`` and MAT's administrative types. Ignored if there is a
        task, which defines these types.
    tokens : sequence of str, optional
        Types of tokens; ``lex`` if neither ``tokens`` nor ``content`` is given. Ignored if there is a task.
    classes : mapping of str to sequence of str, optional
        Equivalence classes: the labels that are scored under each name.
    ignore : sequence of str
        Labels to exclude, after aliases and classes are applied.
    tables : sequence of str
        Tables to count: ``tag``, ``token``, ``pseudo_token``, ``character``. Annotations (``tag``) are always counted.
    unpaired_overlap : str
        How to count an unpaired annotation that overlaps others: ``alone`` (missing or spurious), or ``clash`` (a clash
        with the most similar annotation, as the manual of MAT 1.3 specifies).
    pieces : str
        How to score a discontinuous annotation: ``cover`` (from the first to the last piece), ``split`` (each piece),
        or ``refuse``.

    Raises
    ------
    ValueError
        If a name is unknown, or a label is in two classes.
    TypeError
        If a str is given instead of a list of names.
    OSError
        If the task cannot be read.
    """

    name: str = field(default="mat", init=False)
    task: Task | str | PathLike[str] | None = None
    content: Sequence[str] | None = None
    tokens: Sequence[str] | None = None
    classes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ignore: Sequence[str] = ()
    tables: Sequence[str] = TABLES
    unpaired_overlap: str = "alone"
    pieces: str = "cover"
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        f"{side}clash": tuple(f"{side}{kind}" for kind in CLASHES) for side in ("", "gold_", "pred_")
    }
    columns: ClassVar[tuple[str, ...] | None] = ("match", *groups, "missing", "spurious")

    def __hash__(self) -> int:
        return hash(repr(self.settings()))

    def __post_init__(self) -> None:
        if isinstance(self.task, (str, PathLike)):
            object.__setattr__(self, "task", read_task(self.task))
        for name in ("content", "tokens", "ignore", "tables"):
            object.__setattr__(self, name, _as_tuple(name, getattr(self, name)))
        classes = {name: _as_tuple(f"class {name!r}", labels) for name, labels in self.classes.items()}
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "tables", tuple(dict.fromkeys(("tag", *self.tables))))
        check("tables", self.tables, TABLES)
        check("unpaired_overlap", [self.unpaired_overlap], UNPAIRED)
        check("pieces", [self.pieces], PIECES)
        self.mapped()

    @property
    def criteria(self) -> dict[str, Criterion]:
        """The tables that are counted."""
        return {name: criterion for name, criterion in super().criteria.items() if name in self.tables}

    def shown(self, cells: Sequence[Cell]) -> list[str]:
        """Return the criteria to show; ``token`` only if there are tokens and no annotation boundary is misplaced."""
        all_criteria = list(criteria(self.name).values())
        sums: defaultdict[tuple[str, str], float] = defaultdict(float)
        for at, outcome, _, _, n in cells:
            sums[all_criteria[at].name, all_criteria[at].outcomes[outcome]] += n
        has_tokens = sums["token", "elements"] and not sums["corpus", "misplaced"]
        return [name for name in self.criteria if name != "token" or has_tokens]

    @property
    def known_task(self) -> Task | None:
        """The task object; None if ``task`` is a path."""
        return None if self.task is None or isinstance(self.task, (str, PathLike)) else self.task

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain values; a task is represented by its tags."""
        task = self.known_task
        options = dict(vars(self))
        options |= {name: list(given) for name, given in options.items() if isinstance(given, tuple)}
        options["task"] = None if task is None else task.to_dict()
        options["classes"] = {name: list(labels) for name, labels in self.classes.items()}
        return super().to_dict() | options

    def mapped(self) -> dict[str, str]:
        """Return the name under which each label is scored; ignored labels are not included.

        Raises
        ------
        ValueError
            If a label is in two classes.
        """
        mapped: dict[str, str] = {}
        for name, labels in self.classes.items():
            for label in labels:
                if mapped.setdefault(label, name) != name:
                    raise ValueError(
                        f"label {label!r} is in two equivalence classes, {mapped[label]!r} and {name!r}"
                    )
        return {label: name for label, name in mapped.items() if label not in self.ignore}

    def messages(self) -> list[str]:
        """Return messages about options that are overridden by others."""
        mapped_labels = {label for labels in self.classes.values() for label in labels}
        messages = [
            f"Ignoring label {label!r} in equivalence classes"
            for label in self.ignore
            if label in mapped_labels
        ]
        if self.known_task is not None:
            given = {"content": self.content, "token": self.tokens}
            ignored = [option for option, names in given.items() if names is not None]
            messages += [f"Ignoring {option}_annotations: the task defines them" for option in ignored]
        return messages

    def scorer(self, details: bool) -> _spanrs.MatScorer:
        """Return the compiled scorer of pairs of documents."""
        task = self.known_task
        rules = {
            "task": None if task is None else task.plain(),
            "content": self.content,
            "tokens": self.tokens,
            "classes": self.mapped(),
            "ignore": self.ignore,
            "pieces": self.pieces,
        }
        # Annotations, the first table, are always counted.
        return _spanrs.MatScorer(rules, self.tables[1:], self.unpaired_overlap, details)

    def settings(self) -> dict[str, str]:
        """Return the settings for the signature."""
        task = self.known_task
        if task is not None:
            # Versions of a task have the same name but may differ.
            version = sha256(repr(task.tags).encode()).hexdigest()[:8]
            content, tokens = f"task {task.name} {version}", "task"
        else:
            content = "auto" if self.content is None else ",".join(sorted(self.content))
            automatic = "auto" if self.content is None else "none"
            tokens = automatic if self.tokens is None else ",".join(sorted(self.tokens))
        classes = sorted((name, sorted(labels)) for name, labels in self.classes.items())
        settings = {
            "matcher": "mat",
            "content": content,
            "tokens": tokens,
            "tables": ",".join(table for table in TABLES if table in self.tables),
        }
        if classes:
            settings["classes"] = ";".join(f"{name}={','.join(labels)}" for name, labels in classes)
        if self.ignore:
            settings["ignore"] = ",".join(sorted(self.ignore))
        return settings | {"unpaired": self.unpaired_overlap, "pieces": self.pieces}


def _as_tuple(name: str, given: Sequence[str] | None) -> tuple[str, ...] | None:
    """Convert names to a tuple, so that equal options compare equal; from_dict passes lists."""
    if isinstance(given, str):
        raise TypeError(f"{name} must be a list of names, not the string {given!r}")
    return None if given is None else tuple(given)


def _from_dict(*, task: dict[str, Any] | None = None, **options: Any) -> Mat:
    """Return the matcher described by the result of :meth:`Mat.to_dict`."""
    return Mat(task=None if task is None else Task.from_dict(task), **options)


register(
    "mat",
    _from_dict,
    {
        "task": (NONE, dict),
        "content": (NONE, [str]),
        "tokens": (NONE, [str]),
        "classes": {ANY: [str]},
        "ignore": [str],
        "tables": [str],
        "unpaired_overlap": str,
        "pieces": str,
    },
)


def check(name: str, given: Iterable[str], allowed: Sequence[str]) -> None:
    """Refuse unknown values."""
    for value in given:
        if value not in allowed:
            raise ValueError(f"unknown {name} {value!r}; expected one of {', '.join(allowed)}")
