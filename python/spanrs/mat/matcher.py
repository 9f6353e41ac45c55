"""The options of MATScore's matcher: which annotations are scored, and under which labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from typing import Any, ClassVar

from spanrs import _spanrs
from spanrs._spanrs import Criterion
from spanrs.eval.matchers import Cell, Matcher, criteria, register
from spanrs.eval.stored import ANY, NONE
from spanrs.mat.task import Task, read_task

#: The tables of scores, each a criterion; all but the first count elements of the text.
TABLES = ("tag", "token", "pseudo_token", "character")
#: Kinds of clashes of annotations, in the order of MATScore's columns.
CLASHES = (
    "tagclash",
    "overmark",
    "undermark",
    "overlap",
    "tagplusovermark",
    "tagplusundermark",
    "tagplusoverlap",
)
#: What becomes of annotations that overlap others but have no partner.
UNPAIRED = ("alone", "clash")
#: How annotations of several pieces are scored.
PIECES = ("cover", "split", "refuse")


@dataclass(frozen=True)
class Mat(Matcher):
    """MATScore: annotations that overlap are paired one to one, and what they cover is counted by element.

    Parameters
    ----------
    task : Task or path, optional
        What types there are, and their aliases; a task.xml or its folder.
    content : sequence of str, optional
        Types to score; all but ``lex``, ``zone`` and MAT's own if not given. A task says it itself.
    tokens : sequence of str, optional
        Types of tokens; ``lex`` if neither they nor ``content`` are given. A task says it itself.
    classes : mapping of str to sequence of str, optional
        Labels that count as one: the name they get, and which.
    ignore : sequence of str
        Labels to leave out, after aliases and classes.
    tables : sequence of str
        What to count: ``tag``, ``token``, ``pseudo_token``, ``character``. Annotations (``tag``) are always counted.
    unpaired_overlap : str
        What becomes of an annotation that overlaps others but has no partner: ``alone`` (it is missing or
        spurious), or ``clash`` (MAT 1.3's manual to the letter: it clashes with what it is most similar
        to).
    pieces : str
        How an annotation of several pieces is scored: ``cover`` (from the first to the last), ``split``
        (each piece), or ``refuse``.

    Raises
    ------
    ValueError
        For names that are unknown, and a label in two classes.
    TypeError
        Where one str is given for a list of names.
    OSError
        Where the task cannot be read.
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
        """Name the criteria that have something to show: tokens only where there are such, in the right places."""
        known = list(criteria(self.name).values())
        sums: defaultdict[tuple[str, str], float] = defaultdict(float)
        for at, outcome, _, _, n in cells:
            sums[known[at].name, known[at].outcomes[outcome]] += n
        has_tokens = sums["token", "elements"] and not sums["corpus", "misplaced"]
        return [name for name in self.criteria if name != "token" or has_tokens]

    @property
    def known_task(self) -> Task | None:
        """The task, read."""
        return None if self.task is None or isinstance(self.task, (str, PathLike)) else self.task

    def to_dict(self) -> dict[str, Any]:
        """Give the options as plain values; a task as its tags."""
        task = self.known_task
        options = dict(vars(self))
        options |= {name: list(given) for name, given in options.items() if isinstance(given, tuple)}
        options["task"] = None if task is None else task.to_dict()
        options["classes"] = {name: list(labels) for name, labels in self.classes.items()}
        return super().to_dict() | options

    def mapped(self) -> dict[str, str]:
        """Give label -> label it is scored under; what is ignored is not mapped.

        Raises
        ------
        ValueError
            Where a label is in two classes.
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
        """Say what does not count because something else does."""
        listed = {label for labels in self.classes.values() for label in labels}
        said = [
            f"Ignoring label {label!r} in equivalence classes" for label in self.ignore if label in listed
        ]
        if self.known_task is not None:
            given = {"content": self.content, "token": self.tokens}
            ignored = [option for option, names in given.items() if names is not None]
            said += [f"Ignoring {option}_annotations: the task says what they are" for option in ignored]
        return said

    def scorer(self, details: bool) -> _spanrs.MatScorer:
        """Give what scores pairs of documents."""
        task = self.known_task
        rules = {
            "task": None if task is None else task.plain(),
            "content": self.content,
            "tokens": self.tokens,
            "classes": self.mapped(),
            "ignore": self.ignore,
            "pieces": self.pieces,
        }
        # Annotations are always counted, and come first.
        return _spanrs.MatScorer(rules, self.tables[1:], self.unpaired_overlap, details)

    def settings(self) -> dict[str, str]:
        """Give what a signature says of them."""
        task = self.known_task
        if task is not None:
            # Two versions of a task have one name, and are not the same.
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
    """Give names as a tuple, so that options that say the same are equal; those of from_dict are lists."""
    if isinstance(given, str):
        raise TypeError(f"{name}: give names as a list, not as one string {given!r}")
    return None if given is None else tuple(given)


def _from_dict(*, task: dict[str, Any] | None = None, **options: Any) -> Mat:
    """Give the matcher that :meth:`Mat.to_dict` describes."""
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


def check(name: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse what is not known."""
    for one in given:
        if one not in known:
            raise ValueError(f"unknown {name} {one!r}; one of {', '.join(known)}")
