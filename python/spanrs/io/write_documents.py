"""Writers of documents: files and directories in the formats of annotation tools."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeGuard

from spanrs import _spanrs
from spanrs.errors import FormatError, with_code
from spanrs.io.docbin import ENTITIES, UNNAMED
from spanrs.io.document import TOKEN, Document, Layer
from spanrs.io.output import atomic_output

#: Suffixes of the files of formats with one document per file.
ONE_A_FILE: dict[str, str] = {
    facts["name"]: facts["suffix"]
    for facts in _spanrs.document_formats()
    if facts["suffix"] is not None and facts["name"] not in ("raw", "fake-xml-inline")
}
#: Names of the formats that can be written.
FORMATS = (
    *ONE_A_FILE,
    "doccano",
    "prodigy",
    "label-studio",
    "label-studio-min",
    "label-studio-csv",
    "bioc-xml",
    "bioc-json",
    "pubtator",
    "jsonl-spans",
    "csv-spans",
    "spacy",
)
#: Longest name of a file without its suffix, in bytes.
LONGEST_NAME = 200
#: Output: a path or a binary file object.
Target: TypeAlias = str | PathLike[str] | IO[bytes]


#: Called with the losses of a writer (kind, number, first) before a file is complete; raises an error if
#: they are not accepted.
Accept: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], None]


def write_documents(
    documents: Iterable[_spanrs.Document],
    target: Target,
    form: str,
    accept: Accept,
    *,
    has_relations: bool = False,
) -> tuple[int, dict[str, Any]]:
    """Write documents to a file, or each document to a file in a directory.

    Parameters
    ----------
    documents : iterable of _spanrs.Document
        The documents, with all their layers.
    target : path or binary file object
        A file; for several documents in a format with one document per file, a directory that is empty or does not
        exist.
    form : str
        One of :data:`FORMATS`.
    accept : callable
        Called with the items that the format cannot represent, after the last document; nothing is written if it raises
        an exception.
    has_relations : bool
        Whether a document has relations; some formats have other records then.

    Returns
    -------
    (int, dict)
        The number of documents written, and the options with which :func:`spanrs.read` reads them.

    Raises
    ------
    spanrs.errors.FormatError
        If a document cannot be written in the format, or several documents cannot be written to a file object.
    OSError
        If a file cannot be written, or the directory is not empty.
    """
    if form == "spacy":
        with atomic_output(target) as out:
            return _write_docbin(documents, out, accept)
    writer = _spanrs.DocumentWriter(form, has_relations)
    if form not in ONE_A_FILE:
        count = 0
        with atomic_output(target) as out:
            for document in documents:
                written = writer.write(document)
                if written is not None:
                    out.write(written[0])
                    count += 1
            out.write(writer.finish()[0])
            accept(writer.losses())
        return count, {}
    documents = iter(documents)
    first = list(islice(documents, 2))
    suffix = ONE_A_FILE[form]
    path = target if isinstance(target, (str, PathLike)) else None
    if not first:
        raise with_code(FormatError(f"there are no documents to write as {form}"), "documents")
    if len(first) == 1 and (path is None or os.fspath(path).endswith(suffix)):
        count = _write_one(writer, first[0], target, suffix, accept)
    elif path is None:
        message = f"{form} has one document per file, but there are several; pass a directory"
        raise with_code(FormatError(message), "documents")
    else:
        count = _write_folder(writer, chain(first, documents), Path(path), suffix, accept)
    # Reading XML requires the names of the elements that are annotations.
    types = writer.types()
    return count, {"elements": types or ["documents"]} if form == "xml-inline" else {}


def _write_one(
    writer: _spanrs.DocumentWriter,
    document: _spanrs.Document,
    target: Target,
    suffix: str,
    accept: Accept,
) -> int:
    """Write a single document, with its companion file in the same directory."""
    written = writer.write(document)
    content, name, companion = (b"", None, None) if written is None else written
    end, shared = writer.finish()
    stem = os.path.basename(os.fspath(target)).removesuffix(suffix) if _is_path(target) else None
    accept([*writer.losses(), *_loss("names of documents", [name] if name not in (None, stem) else [])])
    if written is None:
        raise with_code(
            FormatError("the only document was skipped or rejected by its annotators"), "documents"
        )
    companion = companion or shared
    with contextlib.ExitStack() as outputs:
        if companion is not None:
            name = companion[0] if companion[0].startswith(".") else f".{companion[0].lower()}"
            if not isinstance(target, (str, PathLike)) or not os.fspath(target).endswith(suffix):
                raise ValueError(
                    f"the target must be a path that ends in {suffix}, because a {name} file is written next to it"
                )
            stem = os.fspath(target).removesuffix(suffix)
            outputs.enter_context(atomic_output(f"{stem}{name}")).write(companion[1])
        outputs.enter_context(atomic_output(target)).write(content + end)
    return 1


def _is_path(target: Target) -> TypeGuard[str | PathLike[str]]:
    return isinstance(target, (str, PathLike))


def _write_folder(
    writer: _spanrs.DocumentWriter,
    documents: Iterable[_spanrs.Document],
    folder: Path,
    suffix: str,
    accept: Accept,
) -> int:
    """Write each document to a file in a directory; if any document cannot be written, nothing is written."""
    from tempfile import TemporaryDirectory

    is_new = not folder.is_dir()
    folder.mkdir(exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(17, "the directory is not empty; choose another directory", str(folder))
    names: list[str | None] = []
    suffixes = [suffix]
    try:
        with TemporaryDirectory(prefix=".", suffix=".tmp", dir=folder) as unfinished:
            for document in documents:
                written = writer.write(document)
                if written is None:
                    continue
                content, name, companion = written
                Path(unfinished, f"{len(names)}{suffix}").write_bytes(content)
                if companion is not None:
                    suffixes = [suffix, companion[0]]
                    Path(unfinished, f"{len(names)}{companion[0]}").write_bytes(companion[1])
                names.append(name)
            _, shared = writer.finish()
            file_names, lost = _file_names(names)
            accept([*writer.losses(), *lost])
            for at, name in enumerate(file_names):
                for ending in suffixes:
                    Path(unfinished, f"{at}{ending}").rename(folder / f"{name}{ending}")
            if shared is not None:
                (folder / shared[0]).write_bytes(shared[1])
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    return len(names)


def _file_names(names: Sequence[str | None]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return names of files for documents, and the losses.

    The names are those of the documents, with characters that are not allowed on all systems replaced by ``_``. If they
    are not distinct, or a document has no name, the files are numbered.
    """
    valid = [_valid_name(name) for name in names if name]
    if len(set(map(str.lower, valid))) == len(names):
        changed = [name for name, file in zip(names, valid, strict=True) if name != file]
        return valid, _loss(
            "names with characters that names of files must not have, replaced by _", changed
        )
    width = len(str(len(names)))
    numbers = [str(at).zfill(width) for at in range(len(names))]
    return numbers, _loss("names of documents, which are not distinct", [name for name in names if name])


def _valid_name(name: str) -> str:
    """Return a name that is allowed as the name of a file."""
    shown = "".join("_" if mark in '/\\:*?"<>|' or not mark.isprintable() else mark for mark in name)
    shown = f"_{shown[1:]}" if shown.startswith(".") else shown
    return shown.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(" .") or "_"


def _loss(kind: str, names: Sequence[str | None]) -> list[dict[str, Any]]:
    return [{"kind": kind, "number": len(names), "first": f"document {names[0]}"}] if names else []


def _write_docbin(
    documents: Iterable[_spanrs.Document], out: IO[bytes], accept: Accept
) -> tuple[int, dict[str, Any]]:
    """Write a spaCy DocBin.

    Annotations of a document without layers are entities if no document has overlapping annotations, otherwise the span
    group ``spans``. The annotations of each named layer are a span group with this name. Id, name and metadata are
    stored in ``Doc.user_data``.
    """
    try:
        import spacy
        from spacy.tokens import Doc, DocBin
    except ImportError as error:
        raise ImportError("writing a .spacy file needs spaCy; run pip install 'spanrs[spacy]'") from error
    projection = _spanrs.Projection("spacy")
    vocab = spacy.blank("xx").vocab
    docs = []
    overlapping = False
    lost: list[str] = []
    renamed: list[str] = []
    for at, core in enumerate(documents):
        place = f"document {at if core.id is None else core.id}"
        projected = projection.project(core, place)
        if projected is None:
            continue
        document = Document(**projected.plain())
        tokens = sorted({(a.start, a.end) for a in document.annotations if a.type == TOKEN})
        words, spaces = _spacy_words(document.text, tokens)
        doc = Doc(vocab, words=words, spaces=spaces)
        for number, layer in enumerate(document.layers or [Layer(None)]):
            spans = list(_spacy_spans(doc, document, number))
            lost += [place] * sum(not a.type for a in document.annotations if a.layer == number)
            if layer.name in (ENTITIES, UNNAMED):
                # The group without a name is stored under these names.
                renamed.append(place)
            doc.spans[f"{layer.name}_" if layer.name in (ENTITIES, UNNAMED) else layer.name or UNNAMED] = (
                spans
            )
            overlapping |= layer.name is None and _overlap(spans)
        facts = {"id": document.id, "name": document.name, "metadata": dict(document.metadata)}
        doc.user_data.update({name: fact for name, fact in facts.items() if fact})
        docs.append(doc)
    for doc in docs:
        if not overlapping and UNNAMED in doc.spans:
            doc.set_ents(list(doc.spans[UNNAMED]))
            del doc.spans[UNNAMED]
    kinds = {
        "annotations without a type": lost,
        "names of layers that spaCy reserves, written with _": renamed,
    }
    losses = [
        {"kind": kind, "number": len(places), "first": places[0]}
        for kind, places in kinds.items()
        if places
    ]
    accept([*projection.losses(), *losses])
    out.write(DocBin(docs=docs, store_user_data=True).to_bytes())
    layers = {name for doc in docs for name in doc.spans}
    return len(docs), {"layer": UNNAMED} if layers == {UNNAMED} else {}


def _spacy_spans(doc: Any, document: Document, layer: int) -> Iterator[Any]:
    """Yield the spans of a layer, whose bounds are bounds of tokens."""
    for a in document.annotations:
        if a.type not in ("", TOKEN) and a.layer == layer:
            span = doc.char_span(a.start, a.end, label=a.type)
            if span is not None:
                yield span


def _overlap(spans: Sequence[Any]) -> bool:
    ordered = sorted((span.start, span.end) for span in spans)
    return any(before[1] > after[0] for before, after in pairwise(ordered))


def _spacy_words(text: str, tokens: Sequence[tuple[int, int]]) -> tuple[list[str], list[bool]]:
    """Return the words, and for each word whether a space follows; joined, the words and spaces give the text."""
    words: list[str] = []
    spaces: list[bool] = []
    at = 0

    def add_between(until: int) -> None:
        between = text[at:until]
        if between.startswith(" ") and words and not spaces[-1]:
            spaces[-1] = True
            between = between[1:]
        if between:
            words.append(between)
            spaces.append(False)

    for start, end in tokens:
        if start > at:
            add_between(start)
        words.append(text[start:end])
        spaces.append(False)
        at = end
    if at < len(text):
        add_between(len(text))
    return words, spaces
