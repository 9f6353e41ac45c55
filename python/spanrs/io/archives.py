"""Zip archives, such as the exports of INCEpTION: each file in the archive is a part of a corpus."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO, RawIOBase
from pathlib import PurePosixPath
from typing import IO, Any, cast

from spanrs.errors import FormatError, LimitError, with_code
from spanrs.io.annotator_files import PROJECT
from spanrs.io.options import Limits
from spanrs.io.parts import Member, Part, is_type_system, recognised

#: The first bytes of a zip archive, and of an empty archive.
MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
#: The file that marks a project exported from INCEpTION.
PROJECT_FILE = "exportedproject.json"
#: Its directories of annotated documents.
ANNOTATION_FOLDERS = ("annotation/", "curation/")
#: Name of the file of a document before it is annotated.
UNANNOTATED = "INITIAL_CAS"
#: Maximum number of files in an archive, with those of the archives within it.
FILES = 100_000
#: Maximum depth of archives within archives.
DEPTH = 3
#: Maximum ratio of the decompressed to the compressed size, and size from which it applies, as for gzip.
EXPANSION = 100
EXPANSION_FREE = 16 << 20
#: Maximum size of the archives within an archive, which are kept in memory.
INNER_BYTES = 1 << 28
#: Files that only occur in office documents and programs, which are zip archives, too.
OTHER_KINDS = ("[Content_Types].xml", "META-INF/MANIFEST.MF", "mimetype")


def is_archive(path: str) -> bool:
    """Return whether a file is a zip archive, according to its first bytes."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) in MAGIC


def archive_parts(path: str, form: str, limits: Limits) -> list[Part]:
    """Return the files of an archive as parts of a corpus, sorted by name.

    Directories, hidden files and type systems are not parts. Archives within the archive, as in the project exports of
    INCEpTION, are opened, too. The text of brat's annotations and the type system of a UIMA XMI file are its companion.

    Parameters
    ----------
    path : str
        The archive.
    form : str
        The format of the files, or ``auto``.
    limits : Limits
        ``expansion`` limits the decompressed size of each file.

    Raises
    ------
    spanrs.errors.FormatError
        If the archive is damaged or encrypted, contains no files, or a file has a format that is not supported.
    spanrs.errors.LimitError
        If there are too many files, too many levels of archives, or a file expands too much.
    """
    archive = Archive(path, EXPANSION if limits.expansion is None else limits.expansion)
    members = list(archive.members(Budget(path)))
    if any(member.inner in OTHER_KINDS for member in members):
        message = f"{path}: this is an office document or a program, not an archive of annotated texts; export the text"
        raise with_code(FormatError(message), "wrong_format", path)
    if not members:
        raise with_code(FormatError(f"{path}: the archive contains no files"), "empty", path)
    if any(member.inner == PROJECT_FILE for member in members):
        return _project_parts(path, members, form)
    return [recognised(Part(member.inner, member, form), form) for member in _with_companions(members)]


def _project_parts(path: str, members: Sequence[ArchiveMember], form: str) -> list[Part]:
    """Return a part for each document of a project of INCEpTION, with the files of its annotators.

    The files are called ``annotation/DOCUMENT/ANNOTATOR.zip/...`` or ``annotation/DOCUMENT/ANNOTATOR.tsv``; curated
    documents are in ``curation``.
    """
    documents: dict[str, dict[str, Part]] = {}
    chosen = [member for member in members if member.inner.startswith(ANNOTATION_FOLDERS)]
    for member in _with_companions(chosen):
        _, document, file, *_ = (*PurePosixPath(member.inner).parts, "")
        annotator = PurePosixPath(file).stem
        if annotator not in ("", UNANNOTATED):
            part = recognised(Part(member.inner, member, form), form)
            files = documents.setdefault(document, {})
            if annotator in files:
                other = files[annotator].name
                message = (
                    f"{member.name}: {annotator} has another file for {document}, {other}; keep one of them"
                )
                raise with_code(FormatError(message), "files", path)
            files[annotator] = part
    if not documents:
        message = f"{path}: the project has no annotated documents; export it with annotations, as XMI or WebAnno TSV"
        raise with_code(FormatError(message), "empty", path)
    return [Part(name, files, PROJECT, path) for name, files in documents.items()]


@dataclass(frozen=True)
class ArchiveMember(Member):
    """A file of an archive; see :class:`spanrs.io.parts.Member`."""

    archive: Archive
    info: zipfile.ZipInfo
    belonging: ArchiveMember | None = None

    @property
    def inner(self) -> str:
        """The path in the outermost archive."""
        return f"{self.archive.prefix}{self.info.filename}"

    @property
    def companion(self) -> ArchiveMember | None:
        """The file that belongs to this file."""
        return self.belonging

    @property
    def name(self) -> str:
        """The path of the archive and the path in the archive."""
        return f"{self.archive.path}/{self.inner}"

    def open(self) -> IO[bytes]:
        """Open the file for reading.

        Raises
        ------
        spanrs.errors.FormatError
            If the file is damaged or encrypted.
        """
        return cast("IO[bytes]", MemberStream(self))


@dataclass(frozen=True)
class Archive:
    """A zip archive, in a file or within another archive.

    Attributes
    ----------
    path : str
        The outermost archive.
    expansion : int
        Maximum ratio of the decompressed to the compressed size of a file.
    prefix : str
        The path of this archive in the outermost archive, with a slash; empty for the outermost archive.
    content : bytes or None
        The bytes of an archive within another archive.
    depth : int
        Number of archives around this archive.
    """

    path: str
    expansion: int
    prefix: str = ""
    content: bytes | None = field(default=None, repr=False)
    depth: int = 0
    handles: list[zipfile.ZipFile] = field(default_factory=list, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"handles": []}

    def opened(self) -> zipfile.ZipFile:
        """Return the open archive, whose directory is read once.

        Raises
        ------
        spanrs.errors.FormatError
            If the archive is damaged.
        """
        if self.handles:
            return self.handles[0]
        try:
            self.handles.append(
                zipfile.ZipFile(self.path if self.content is None else BytesIO(self.content))
            )
            return self.handles[0]
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise self.damaged(error) from error

    def damaged(self, error: Exception, name: str = "") -> FormatError:
        """Return the error for a damaged archive."""
        place = f"{self.path}/{self.prefix}{name}" if self.prefix or name else self.path
        message = f"{place}: this is not a valid zip archive: {error}"
        told: FormatError = with_code(FormatError(message), "compression", self.path)
        return told

    def members(self, budget: Budget) -> Iterator[ArchiveMember]:
        """Yield the files, sorted by name; the files of archives within the archive are included."""
        infos = self.opened().infolist()
        budget.add_files(len(infos))
        seen: set[str] = set()
        for info in sorted(infos, key=lambda info: info.filename):
            parts = PurePosixPath(info.filename).parts
            if info.is_dir() or any(part.startswith((".", "__MACOSX")) and part != ".." for part in parts):
                continue
            if info.filename in seen:
                message = f"{self.path}/{self.prefix}{info.filename}: the archive contains this file twice"
                raise with_code(FormatError(message), "files", self.path)
            seen.add(info.filename)
            member = ArchiveMember(self, info)
            if info.filename.lower().endswith(".zip"):
                yield from self._inner(member, budget).members(budget)
            else:
                yield member

    def _inner(self, member: ArchiveMember, budget: Budget) -> Archive:
        if self.depth + 1 >= DEPTH:
            message = f"{member.name}: more than {DEPTH} levels of archives; unpack the archive"
            raise with_code(LimitError(message), "too_deep", self.path)
        with member.open() as stream:
            content = stream.read(budget.inner_bytes + 1)
        budget.add_inner(len(content), member.name)
        return Archive(self.path, self.expansion, f"{member.inner}/", content, self.depth + 1)


@dataclass
class Budget:
    """Limits of an archive, with all archives within it."""

    path: str
    files: int = 0
    inner_bytes: int = INNER_BYTES

    def add_files(self, number: int) -> None:
        """Count files.

        Raises
        ------
        spanrs.errors.LimitError
            If there are too many.
        """
        self.files += number
        if self.files > FILES:
            message = f"{self.path}: the archive has {self.files} files, and {FILES} is the limit; unpack the archive"
            raise with_code(LimitError(message), "expansion", self.path)

    def add_inner(self, number: int, name: str) -> None:
        """Count the bytes of an archive within the archive.

        Raises
        ------
        spanrs.errors.LimitError
            If there are too many.
        """
        self.inner_bytes -= number
        if self.inner_bytes < 0:
            message = (
                f"{name}: the archives within the archive have more than {INNER_BYTES} bytes; unpack them"
            )
            raise with_code(LimitError(message), "document_too_long", self.path)


class MemberStream(RawIOBase):
    """The decompressed content of a file of an archive."""

    def __init__(self, member: ArchiveMember) -> None:
        self.name = member.name
        self._member = member
        opened = member.archive.opened()
        self._size = 0
        self._limit = max(member.info.compress_size * member.archive.expansion, EXPANSION_FREE)
        try:
            self._stream = opened.open(member.info)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise member.archive.damaged(error, member.info.filename) from error

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Read up to ``size`` bytes.

        Raises
        ------
        spanrs.errors.LimitError
            If the file expands too much.
        spanrs.errors.FormatError
            If the file is damaged.
        """
        try:
            # A file that expands without bound must not be read at once.
            chunk = self._stream.read(min(size, self._limit + 1) if size >= 0 else self._limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise self._member.archive.damaged(error, self._member.info.filename) from error
        self._size += len(chunk)
        if self._size > self._limit:
            ratio = self._member.archive.expansion
            message = (
                f"{self.name}: the compressed data expands more than {ratio} times, the limit; raise the limit "
                "(--max-expansion), or unpack the archive if you trust it"
            )
            raise with_code(LimitError(message), "expansion", self.name)
        return chunk

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer."""
        chunk = self.read(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        """Close the archive."""
        if not self.closed:
            self._stream.close()
        super().close()


def _with_companions(members: Sequence[ArchiveMember]) -> Iterator[ArchiveMember]:
    """Yield the members that are documents, with their companions."""
    by_name = {member.inner: member for member in members}
    type_systems = {
        str(PurePosixPath(name).parent): by_name[name] for name in by_name if is_type_system(name)
    }
    for name, member in by_name.items():
        path = PurePosixPath(name)
        if is_type_system(name) or (path.suffix == ".txt" and str(path.with_suffix(".ann")) in by_name):
            continue
        if path.suffix == ".ann":
            yield ArchiveMember(member.archive, member.info, by_name.get(str(path.with_suffix(".txt"))))
        elif path.suffix in (".xmi", ".xml"):
            own = by_name.get(str(path.with_suffix(".typesystem.xml")))
            yield ArchiveMember(member.archive, member.info, own or type_systems.get(str(path.parent)))
        else:
            yield member
