"""The parts of a corpus: files, streams, tables and documents in memory."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import IO, Any

from spanrs import _spanrs
from spanrs.errors import AlignmentError, FormatError, with_code
from spanrs.io.answer_keys import is_answers

#: Number of bytes read to detect the format.
BEGINNING = 1 << 16
#: Number of bytes read if the first record is longer than :data:`BEGINNING`.
LONG_BEGINNING = 1 << 25
#: Formats with one token per line and one tag in each column.
ROWS = ("columns", "conllu")
#: Formats with spans of tokens that may overlap.
SPANS = ("spans", "stacked")
#: Formats of tables; ``table`` is a table in memory.
TABLES = ("parquet", "arrow", "csv", "table")
#: Formats of records with lists of tokens and tags.
RECORDS = ("jsonl-tags",)
#: Kinds of parts with tags in a scheme.
TAGGED = ("rows", "table", "records")
_KINDS = (
    dict.fromkeys(ROWS, "rows")
    | dict.fromkeys(SPANS, "spans")
    | dict.fromkeys(TABLES, "table")
    | dict.fromkeys(RECORDS, "records")
)


class Member(ABC):
    """A file of an archive."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The path of the archive and the path in the archive."""

    @property
    @abstractmethod
    def companion(self) -> Member | None:
        """The file that belongs to this file: brat's text, or the type system of UIMA XMI."""

    @abstractmethod
    def open(self) -> IO[bytes]:
        """Open the file for reading."""


@dataclass(frozen=True)
class Part:
    """One source of a corpus.

    Attributes
    ----------
    name : str
        Name by which the part is paired with a part of another corpus: the path relative to the directory, with forward
        slashes. The name is also the prefix of document keys if there are several parts.
    source : object
        A path, an opened :class:`spanrs._spanrs.Source`, or an object in memory.
    format : str
        One of the formats of :func:`spanrs.read`; ``table`` or ``documents`` for objects in memory; ``unreadable`` for
        a file of a directory that cannot be opened or recognised (``source`` is the error); ``joined`` for parts whose
        documents are paired with the documents of a single part.
    path : str or None
        The path, if the part is a file.
    is_listed : bool
        Whether the part belongs to a list of paths, which may be paired by their order.
    """

    name: str
    source: Any
    format: str
    path: str | None = None
    is_listed: bool = False

    @property
    def kind(self) -> str:
        """The kind of data: ``rows``, ``spans``, ``table``, ``records`` or ``documents``.

        Raises
        ------
        OSError, spanrs.errors.FormatError
            If a file cannot be opened or recognised.
        """
        if isinstance(self.source, Exception):
            raise self.source
        return _KINDS.get(self.format, "documents")

    @property
    def shown(self) -> str:
        """The name shown in messages."""
        if isinstance(self.source, (_spanrs.Source, Member)):
            return self.source.name
        if self.format == "joined":
            return os.path.dirname(self.source[0].path or "") or self.source[0].shown
        return self.path or f"<{self.format}>"

    def paths(self) -> list[str]:
        """Return the paths of the files of the part: two for brat, none for streams and objects."""
        if self.format == "joined":
            return [path for part in self.source for path in part.paths()]
        if self.path is None:
            return []
        if self.format != "brat":
            return [self.path]
        stem = os.path.splitext(self.path)[0]
        return [f"{stem}.ann", f"{stem}.txt"]

    def size(self) -> int:
        """Return the size of the file in bytes; 0 if the part is not a file."""
        return os.path.getsize(self.path) if self.path is not None and os.path.isfile(self.path) else 0

    def opened(self, *, keep: bool = False) -> _spanrs.Source:
        """Return the file or stream for the compiled readers; ``keep``: see :func:`spanrs.io.sources.open_source`."""
        if isinstance(self.source, Member):
            return _spanrs.Source(self.source.open(), keep)
        return self.source if isinstance(self.source, _spanrs.Source) else _spanrs.Source(self.source, keep)

    def companion_source(self) -> _spanrs.Source | None:
        """Return the file that belongs to a member of an archive; None for files, whose companion is found by name."""
        if not isinstance(self.source, Member) or self.source.companion is None:
            return None
        return _spanrs.Source(self.source.companion.open(), True)

    def __getstate__(self) -> dict[str, Any]:
        if isinstance(self.source, _spanrs.Source):
            raise TypeError(
                f"{self.shown} is a stream, which cannot be pickled; use a corpus of files or tables"
            )
        state = dict(vars(self))
        if self.path is not None:
            # The other process may have another working directory.
            state["path"] = os.path.abspath(self.path)
            if not isinstance(self.source, Exception):
                state["source"] = state["path"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


def recognised(part: Part, named: str) -> Part:
    """Return the part with its format, which is detected from the first bytes unless ``named`` specifies a format.

    Raises
    ------
    OSError
        If the file cannot be opened.
    spanrs.errors.FormatError
        If the format is recognised but not supported; the message suggests an alternative.
    """
    is_pipe = part.path is not None and not os.path.isfile(part.path) and os.path.exists(part.path)
    if named == "auto" and is_brat_text(part.path):
        return replace(part, format="brat")
    if named != "auto":
        # Reopening a pipe would lose the bytes that were read.
        return (
            replace(part, format=named, source=part.opened(keep=True))
            if is_pipe
            else replace(part, format=named)
        )
    source = part.opened(keep=True)
    for size in (BEGINNING, LONG_BEGINNING):
        beginning, whole = source.beginning(size)
        if is_answers(beginning):
            return replace(part, source=source if is_pipe else part.source, format="generated")
        format_, refusal = _spanrs.recognise(beginning, whole, _text_of(os.path.basename(part.shown)))
        # The keys of a record may follow a long text.
        if whole or not (format_ is None or beginning.lstrip().startswith(b"<")):
            break
    if format_ is None:
        raise with_code(FormatError(f"{part.shown}: {refusal}"), "wrong_format", part.shown)
    return replace(part, source=source if is_pipe else part.source, format=format_)


def is_brat_text(path: str | None) -> bool:
    """Return whether a path is the text of a brat document."""
    return path is not None and path.endswith(".txt") and os.path.isfile(f"{path.removesuffix('.txt')}.ann")


def is_type_system(name: str) -> bool:
    """Return whether a file is a type system of UIMA, which belongs to XMI files."""
    base = os.path.basename(name).lower()
    return base == "typesystem.xml" or base.endswith(".typesystem.xml")


def _text_of(path: str) -> str:
    """Return a path as text with undecodable bytes escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class Pairing:
    """Rules for pairing the files of two corpora.

    Files with the same name are paired. If no names are equal, suffixes are ignored: ``a.gold.conll`` is paired with
    ``a.pred.conll``.

    Parameters
    ----------
    file_re : str, optional
        Regular expression that must match the whole base name of a pred file. Pred files that do not match, and gold
        files without a pred file, are not scored.
    suffix_off, suffix_on : str, optional
        Suffix to remove from, and suffix to append to, the name of a pred file to get the name of its gold file.

    Examples
    --------
    >>> import spanrs
    >>> spanrs.io.Pairing(suffix_off=".hyp", suffix_on=".ref").gold_name("a.hyp")
    'a.ref'
    """

    file_re: str | None = None
    suffix_off: str | None = None
    suffix_on: str | None = None

    def gold_name(self, name: str) -> str:
        """Return the gold file name for a pred file name."""
        return name.removesuffix(self.suffix_off or "") + (self.suffix_on or "")

    def selects(self, name: str) -> bool:
        """Return whether a pred file is scored.

        Raises
        ------
        ValueError
            If ``file_re`` is not a valid regular expression.
        """
        if self.file_re is None:
            return True
        import re

        try:
            return re.fullmatch(self.file_re, os.path.basename(name), re.DOTALL) is not None
        except re.error as error:
            raise ValueError(
                f"file_re {self.file_re!r} is not a valid regular expression: {error}"
            ) from None


@dataclass(frozen=True)
class PairedParts:
    """Paired and unpaired parts of two corpora."""

    pairs: Sequence[tuple[Part, Part]]
    """Pairs of a gold part and a pred part, in the order of the names of gold."""
    golds: Sequence[Part] = ()
    """Unpaired parts of gold."""
    preds: Sequence[Part] = ()
    """Unpaired parts of pred."""
    notes: tuple[str, ...] = ()
    """Notes on the assumptions made."""

    def require_all(self, gold: str, pred: str) -> None:
        """Refuse unpaired parts.

        Raises
        ------
        spanrs.errors.AlignmentError
            If there are unpaired parts; the message lists the first names.
        """
        for side, corpus, alone in (("pred", pred, self.golds), ("gold", gold, self.preds)):
            if alone:
                names = ", ".join(part.name or part.shown for part in alone[:3])
                more = f" and {len(alone) - 3} more" if len(alone) > 3 else ""
                message = f"{corpus}: {side} has no file for {names}{more}; files are paired by name"
                raise with_code(AlignmentError(message), "files", alone[0].path)


def pair_parts(gold: Sequence[Part], pred: Sequence[Part], pairing: Pairing = Pairing()) -> PairedParts:
    """Pair the parts of two corpora by name, otherwise by stem; single parts are paired regardless of names.

    Raises
    ------
    spanrs.errors.AlignmentError
        If no pred file is selected, or names are ambiguous.
    """
    paired = _pair_parts(gold, _selected(pred, pairing), pairing)
    # A pattern selects files on both sides.
    return paired if pairing.file_re is None else replace(paired, golds=())


def _selected(preds: Sequence[Part], pairing: Pairing) -> Sequence[Part]:
    """Return the parts whose names match the pattern."""
    selected = [part for part in preds if pairing.selects(part.name)]
    if preds and not selected:
        message = f"file_re {pairing.file_re!r} matches no file of pred, such as {preds[0].name}"
        raise with_code(AlignmentError(message), "files", preds[0].path)
    return selected


def _pair_parts(gold: Sequence[Part], preds: Sequence[Part], pairing: Pairing) -> PairedParts:
    files = max(len(gold), len(preds))
    if len(gold) == 1 and not gold[0].name and len(preds) > 1:
        preds = _of_name(gold[0], preds)
    elif len(preds) == 1 and not preds[0].name and len(gold) > 1:
        gold = _of_name(preds[0], gold)
    if len(gold) == len(preds) == 1:
        notes = _assumed(gold[0], preds[0])
        if files > 1:
            notes += (
                f"{gold[0].shown} and {preds[0].shown} are paired by name; files that are not scored: {files - 1}",
            )
        return PairedParts([(gold[0], preds[0])], notes=notes)
    golds_by_name = {part.name or os.path.basename(part.shown): part for part in gold}
    preds_by_name = {pairing.gold_name(part.name or os.path.basename(part.shown)): part for part in preds}
    for side, named in ((gold, golds_by_name), (preds, preds_by_name)):
        if len(named) < len(side):
            message = (
                f"{side[-1].shown}: several files have the same name, so they cannot be paired by name"
            )
            raise with_code(AlignmentError(message), "files", side[-1].path)
    for shorten in (str, _stem, None):
        golds, preds_found = (
            _by(side, shorten or _without_shared_suffix(side)) for side in (golds_by_name, preds_by_name)
        )
        if golds is None or preds_found is None or not golds.keys() & preds_found.keys():
            continue
        pairs = [(part, preds_found[name]) for name, part in golds.items() if name in preds_found]
        return PairedParts(
            pairs,
            [part for name, part in golds.items() if name not in preds_found],
            [part for name, part in preds_found.items() if name not in golds],
        )
    if len(gold) == len(preds) and all(part.is_listed for part in (*gold, *preds)):
        note = "the files of the two lists are paired by their order, because their names differ"
        return PairedParts(list(zip(gold, preds, strict=True)), notes=(note,))
    return PairedParts([], gold, preds)


def _assumed(gold: Part, pred: Part) -> tuple[str, ...]:
    """Return a note if two files are paired as the only files of their directories and have unrelated names."""
    names = [part.name.partition(".")[0] for part in (gold, pred)]
    if not all(names) or names[0] == names[1]:
        return ()
    return (f"{gold.shown} and {pred.shown} are paired as the only files, although their names differ",)


def _of_name(file: Part, parts: Sequence[Part]) -> Sequence[Part]:
    """Return the part with the name of the single file on the other side; all parts if there is no such part."""
    name = os.path.basename(file.shown)
    return [part for part in parts if part.name == name] or parts


def _by(parts: Mapping[str, Part], shorten: Any) -> dict[str, Part] | None:
    """Return parts keyed by a shortened name; None if names collide."""
    parts_by_name = {shorten(name): part for name, part in parts.items()}
    return parts_by_name if len(parts_by_name) == len(parts) else None


def _stem(name: str) -> str:
    """Return a name without its last suffix."""
    return os.path.splitext(name)[0]


def _without_shared_suffix(names: Iterable[str]) -> Callable[[str], str]:
    """Return a function that removes the suffix shared by all names."""
    suffix = shared_suffix(names)
    return lambda name: name.removesuffix(suffix)


def shared_suffix(names: Iterable[str]) -> str:
    """Return the suffix shared by all names: ``.gold.conll`` of ``doc.1.gold.conll`` and ``doc.2.gold.conll``."""
    suffixes = [os.path.basename(name).split(".")[1:][::-1] for name in names]
    shared = [same[0] for same in takewhile(lambda same: len(set(same)) == 1, zip(*suffixes, strict=False))]
    return "".join(f".{part}" for part in reversed(shared))
