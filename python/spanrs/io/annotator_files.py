"""Documents whose annotators have a file each, as in the project exports of INCEpTION."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from spanrs.errors import AlignmentError, FormatError, with_code
from spanrs.io.document import Annotation, Document, Layer, Relation
from spanrs.io.parts import Part

#: Format of parts with a file for each annotator; the source is a mapping of annotators to parts.
PROJECT = "inception-project"


def annotator_of(parts: Sequence[Part], wanted: str) -> str:
    """Return the annotator of a project with this name, or with this index, from 0.

    Raises
    ------
    spanrs.errors.FormatError
        If there is no such annotator; the message lists the annotators.
    """
    names: list[str] = list(dict.fromkeys(name for part in parts for name in part.source))
    if wanted in names:
        return wanted
    if wanted.isdecimal() and int(wanted) < len(names) and not any(name.isdecimal() for name in names):
        return names[int(wanted)]
    message = f"{parts[0].shown}: no annotator {wanted!r}; the project has {', '.join(names)}"
    raise with_code(FormatError(message), "annotators", parts[0].path)


def read_annotators(
    part: Part,
    annotator: str | None,
    read: Callable[[Part], Iterable[Document]],
    *,
    all_layers: bool,
) -> list[Document]:
    """Read a document of a project.

    Parameters
    ----------
    part : Part
        A part in the format :data:`PROJECT`.
    annotator : str, optional
        The annotator to read.
    read : callable
        Reads the documents of a file.
    all_layers : bool
        Whether to read all annotators as layers of one document.

    Returns
    -------
    list of Document
        One document; none if the annotator has no file for this document.

    Raises
    ------
    spanrs.errors.FormatError
        If there are several annotators, and neither ``annotator`` nor ``all_layers`` is given.
    spanrs.errors.AlignmentError
        If the files of two annotators have different texts.
    """
    files: Mapping[str, Part] = part.source
    if annotator is not None:
        chosen = [files[annotator]] if annotator in files else []
        return [replace(document, name=part.name) for file in chosen for document in read(file)]
    if len(files) > 1 and not all_layers:
        names = ", ".join(sorted(files))
        message = f"{part.shown}: {part.name} has several annotators ({names}); choose one (--annotator)"
        raise with_code(FormatError(message), "layers", part.path)
    read_files = [(name, document) for name, file in files.items() for document in read(file)]
    return [_merged(part, read_files)] if read_files else []


def _merged(part: Part, documents: Sequence[tuple[str, Document]]) -> Document:
    """Return one document with a layer for each annotator."""
    first, one = documents[0]
    layers: list[Layer] = []
    annotations: list[Annotation] = []
    relations: list[Relation] = []
    for name, document in documents:
        if document.text != one.text:
            message = f"{part.shown}: {part.name}: the texts of the annotators {first} and {name} differ"
            raise with_code(AlignmentError(message), "texts_differ", part.path)
        shift, layer = len(annotations), len(layers)
        is_first = layer == 0
        # The tokens are the same for all annotators.
        kept = [at for at, a in enumerate(document.annotations) if is_first or a.is_content]
        numbers = {at: shift + number for number, at in enumerate(kept)}
        annotations += [document.annotations[at]._replace(layer=layer) for at in kept]
        relations += [
            Relation(relation.type, numbers[relation.source], numbers[relation.target])
            for relation in document.relations
            if relation.source in numbers and relation.target in numbers
        ]
        is_given = any(document.annotations[at].is_content for at in kept)
        layers.append(Layer(name, "given" if is_given else "empty"))
    left_out = [message for _, document in documents for message in document.left_out]
    return replace(
        one, annotations=annotations, relations=relations, layers=layers, left_out=left_out, name=part.name
    )
