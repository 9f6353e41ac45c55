"""Which annotations are scored, and under which labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from spanrs import _spanrs
from spanrs.mat.task import Task

#: The tables of scores; all but the first count elements of the text.
TABLES = ("tag", "token", "pseudo_token", "character")
#: What becomes of annotations that overlap others but have no partner.
UNPAIRED = ("alone", "clash")
#: How annotations of several pieces are scored.
PIECES = ("cover", "split", "refuse")


@dataclass(frozen=True)
class Rules:
    """What :func:`spanrs.mat.score` goes by."""

    task: Task | None = None
    content: Sequence[str] | None = None
    tokens: Sequence[str] | None = None
    classes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ignore: Sequence[str] = ()
    tables: Sequence[str] = TABLES
    unpaired: str = "alone"
    pieces: str = "cover"

    def __post_init__(self) -> None:
        lists = {
            "content": self.content,
            "tokens": self.tokens,
            "ignore": self.ignore,
            "tables": self.tables,
        }
        lists |= {f"class {name!r}": labels for name, labels in self.classes.items()}
        for name, given in lists.items():
            if isinstance(given, str):
                raise TypeError(f"{name}: give names as a list, not as one string {given!r}")
        check("tables", self.tables, TABLES)
        check("unpaired_overlap", [self.unpaired], UNPAIRED)
        check("pieces", [self.pieces], PIECES)
        self.mapped()

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
        if self.task is not None:
            for option, given in (("content", self.content), ("token", self.tokens)):
                if given is not None:
                    said.append(f"Ignoring {option}_annotations: the task says what they are")
        return said

    def scorer(self, details: bool) -> _spanrs.MatScorer:
        """Give what scores pairs of documents."""
        tags = None
        if self.task is not None:
            tags = [(tag.name, tag.category, tag.aliases) for tag in self.task.tags]
        plain = (
            tags,
            _list(self.content),
            _list(self.tokens),
            self.mapped(),
            list(self.ignore),
            self.pieces,
        )
        units = [table for table in self.tables if table != "tag"]
        return _spanrs.MatScorer(plain, units, self.unpaired, details)

    def settings(self) -> dict[str, str]:
        """Give what a signature says of them."""
        if self.task is not None:
            # Two versions of a task have one name, and are not the same.
            version = sha256(repr(self.task.tags).encode()).hexdigest()[:8]
            content, tokens = f"task {self.task.name} {version}", "task"
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
        return settings | {"unpaired": self.unpaired, "pieces": self.pieces}


def check(name: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse what is not known."""
    for one in given:
        if one not in known:
            raise ValueError(f"unknown {name} {one!r}; one of {', '.join(known)}")


def _list(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else list(names)
