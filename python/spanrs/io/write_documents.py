"""Writers of documents: MAT-JSON, XML, brat, doccano, Prodigy, Label Studio and spaCy's DocBin."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import IO, Any, TypeAlias

from spanrs.errors import FormatError, with_code
from spanrs.io.document import TOKEN, Annotation, Document
from spanrs.io.losses import Counted, Losses, without_crossing

#: Documents with their locations for messages.
Placed: TypeAlias = Iterable[tuple[str, Document]]
#: Name of the root element in XML output.
ROOT = "document"
#: Allowed names of elements; XML allows other names, but few programs support such names.
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
#: Allowed names of attributes: production 5 of XML 1.0.
_BEGINS = (
    ":A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_ATTRIBUTE = re.compile(f"[{_BEGINS}][{_BEGINS}.0-9\xb7\u0300-\u036f\u203f\u2040-]*")
#: Prefix of MAT's internal attributes, which are not read as attributes of annotations.
_MAT = "_mat:"
#: Characters that XML does not allow.
_CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def placed(documents: Iterable[Document]) -> Placed:
    """Yield documents with their locations for messages: the id, or the index from 0."""
    for at, document in enumerate(documents):
        yield f"document {at if document.id is None else document.id}", document


def _lose(document: Document, place: str, losses: Losses, *, holds: Iterable[str] = ()) -> None:
    """Count the items of a document that a format cannot represent; ``holds`` lists the kinds that are supported."""
    holds = set(holds)
    if document.id is not None and "id" not in holds:
        losses.add("names of documents", place)
    for annotation in document.annotations:
        if annotation.pieces and "pieces" not in holds:
            losses.add("holes in annotations", place)
        if annotation.attributes and "attributes" not in holds:
            losses.add("annotations with attributes that are not written", place)
        if annotation.type == TOKEN and "tokens" not in holds:
            losses.add("tokens", place)
    if document.relations and "relations" not in holds:
        losses.add("documents with relations that are not written", place)
    if "relations" in holds:
        content = {number for number, _ in _content(document)}
        for relation in document.relations:
            if not {relation.source, relation.target} <= content:
                losses.add("relations of tokens", place)


def _content(document: Document) -> list[tuple[int, Annotation]]:
    """Return the annotations other than tokens, with their indices in ``annotations``."""
    return [(at, a) for at, a in enumerate(document.annotations) if a.type != TOKEN]


def write_mat_json(documents: Placed, out: IO[bytes], losses: Losses) -> Counted:
    """Write one document as MAT-JSON, version 2."""
    for place, document in documents:
        _lose(document, place, losses, holds=("attributes", "tokens"))
        sets: defaultdict[tuple[str, tuple[str, ...]], list[list[Any]]] = defaultdict(list)
        for a in document.annotations:
            names = tuple(sorted(a.attributes))
            sets[a.type, names].append([a.start, a.end, *(a.attributes[name] for name in names)])
        asets = [
            {
                "type": name,
                "hasID": False,
                "hasSpan": True,
                "attrs": [{"name": attribute, "type": "string"} for attribute in names],
                "annots": rows,
            }
            for (name, names), rows in sets.items()
        ]
        content = {"version": 2, "signal": document.text, "metadata": {}, "asets": asets}
        out.write(json.dumps(content, ensure_ascii=False).encode())
    return 1, {}


def write_xml(documents: Placed, out: IO[bytes], losses: Losses) -> Counted:
    """Write one document as XML: annotations are elements inside a root element."""
    types: dict[str, None] = {}
    for place, document in documents:
        _lose(document, place, losses, holds=("attributes", "tokens"))
        # XML parsers convert carriage returns.
        if "\r" in document.text or _CONTROL.search(document.text):
            message = (
                f"{place} has a control character, which XML cannot represent; remove it, or write mat-json"
            )
            raise with_code(FormatError(message), "bad_value")
        kept = without_crossing(document.annotations, losses, "annotations that cross others", place)
        for a in kept:
            if not _NAME.fullmatch(a.type) or a.type == ROOT:
                message = f"{place}: the type {a.type!r} cannot be the name of an element; rename it"
                raise with_code(FormatError(message), "bad_value")
            types[a.type] = None
        kept = [a._replace(attributes=_xml_attributes(a, losses, place)) for a in kept]
        out.write(f"<{ROOT}>{_marked(document.text, kept)}</{ROOT}>\n".encode())
    return 1, {"elements": sorted(types) or [ROOT + "s"]}


def _xml_attributes(annotation: Annotation, losses: Losses, place: str) -> dict[str, str]:
    """Return the attributes of an annotation that XML can represent."""
    kept = {}
    for name, value in annotation.attributes.items():
        if name.startswith(_MAT) or not _ATTRIBUTE.fullmatch(name) or _CONTROL.search(value):
            losses.add("attributes whose name or value is not allowed", place)
        else:
            kept[name] = value
    return kept


def _marked(text: str, annotations: Sequence[Annotation]) -> str:
    """Return the text with elements for nested annotations."""
    parts: list[str] = []
    open_: list[Annotation] = []
    at = 0

    def close(until: int) -> int:
        last = at
        while open_ and open_[-1].end <= until:
            parts.append(_escaped(text[last : open_[-1].end]))
            last = open_[-1].end
            parts.append(f"</{open_.pop().type}>")
        return last

    for a in annotations:
        at = close(a.start)
        parts.append(_escaped(text[at : a.start]))
        at = a.start
        shown = "".join(f' {name}="{_escaped_value(value)}"' for name, value in a.attributes.items())
        parts.append(f"<{a.type}{shown}>")
        open_.append(a)
    at = close(len(text))
    parts.append(_escaped(text[at:]))
    return "".join(parts)


def _escaped(text: str) -> str:
    for mark, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        text = text.replace(mark, f"&{name};")
    return text


def _escaped_value(value: str) -> str:
    # Readers convert literal line breaks and tabs in attributes to spaces.
    return re.sub("[\t\n\r]", lambda match: f"&#{ord(match[0])};", _escaped(value))


def write_brat(documents: Placed, out: IO[bytes], losses: Losses) -> Counted:
    """Write the annotations of one document for brat; the text is written to a separate file in the same directory."""
    for place, document in documents:
        _lose(document, place, losses, holds=("attributes", "relations", "pieces"))
        ids: dict[int, str] = {}
        attributes = 0
        for index, a in _content(document):
            pieces = list(_without_breaks(document.text, a))
            if not _is_word(a.type) or not pieces:
                message = (
                    f"{place}: {a.type!r} from {a.start} to {a.end} cannot be an annotation of brat, which needs text "
                    "and a type without white space"
                )
                raise with_code(FormatError(message), "bad_value")
            ids[index] = name = f"T{len(ids) + 1}"
            offsets = ";".join(f"{start} {end}" for start, end in pieces)
            # A tab would end the field, and a carriage return would end the line.
            shown = " ".join(re.sub(r"[\t\r]", " ", document.text[start:end]) for start, end in pieces)
            out.write(f"{name}\t{a.type} {offsets}\t{shown}\n".encode())
            for attribute, value in a.attributes.items():
                if not _is_word(attribute) or not value or value != value.strip() or "\n" in value:
                    losses.add("attributes whose name or value is not allowed", place)
                    continue
                attributes += 1
                out.write(f"A{attributes}\t{attribute} {name} {value}\n".encode())
        for number, relation in enumerate(document.relations, start=1):
            ends = ids.get(relation.source), ids.get(relation.target)
            if None in ends:
                continue
            if not _is_word(relation.type):
                message = (
                    f"{place}: {relation.type!r} cannot be the type of a brat relation: it has white space"
                )
                raise with_code(FormatError(message), "bad_value")
            out.write(f"R{number}\t{relation.type} Arg1:{ends[0]} Arg2:{ends[1]}\n".encode())
    return 1, {}


def _is_word(text: str) -> bool:
    """Return whether a text is not empty and has no white space."""
    return text.split() == [text]


def _without_breaks(text: str, annotation: Annotation) -> Iterator[tuple[int, int]]:
    """Yield the fragments of an annotation, split at line breaks as in brat."""
    for start, end in annotation.pieces or [(annotation.start, annotation.end)]:
        at = start
        while at < end:
            stop = text.find("\n", at, end)
            stop = end if stop < 0 else stop
            if stop > at:
                yield at, stop
            at = stop + 1


def write_doccano(documents: Placed, out: IO[bytes], losses: Losses) -> Counted:
    """Write JSON Lines for doccano, with relations if the document has any."""
    return _write_records(documents, out, losses, ("id", "relations"), _doccano_fields)


def _doccano_fields(document: Document) -> dict[str, Any]:
    content = _content(document)
    if not document.relations:
        return {"label": [[a.start, a.end, a.type] for _, a in content]}
    places = {place: number for number, (place, _) in enumerate(content)}
    return {
        "entities": [
            {"id": number, "label": a.type, "start_offset": a.start, "end_offset": a.end}
            for number, (_, a) in enumerate(content)
        ],
        "relations": [
            {
                "id": number,
                "from_id": places[relation.source],
                "to_id": places[relation.target],
                "type": relation.type,
            }
            for number, relation in enumerate(document.relations)
            if relation.source in places and relation.target in places
        ],
    }


def write_prodigy(documents: Placed, out: IO[bytes], losses: Losses) -> Counted:
    """Write JSON Lines for Prodigy."""
    return _write_records(documents, out, losses, ("id", "relations", "tokens"), _prodigy_fields)


def _prodigy_fields(document: Document) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    tokens = [a for a in document.annotations if a.type == TOKEN]
    if tokens:
        fields["tokens"] = [
            {"text": document.text[a.start : a.end], "start": a.start, "end": a.end, "id": number}
            for number, a in enumerate(tokens)
        ]
    spans = {place: {"start": a.start, "end": a.end, "label": a.type} for place, a in _content(document)}
    fields["spans"] = list(spans.values())
    if document.relations:
        fields["relations"] = [
            {
                "head_span": spans[relation.source],
                "child_span": spans[relation.target],
                "label": relation.type,
            }
            for relation in document.relations
            if relation.source in spans and relation.target in spans
        ]
    return fields | {"answer": "accept"}


def _write_records(
    documents: Placed,
    out: IO[bytes],
    losses: Losses,
    holds: tuple[str, ...],
    fields_of: Callable[[Document], dict[str, Any]],
) -> Counted:
    """Write one line of JSON per document: id, text, and the fields of the format."""
    count = 0
    for place, document in documents:
        _lose(document, place, losses, holds=holds)
        record: dict[str, Any] = {} if document.id is None else {"id": document.id}
        record |= {"text": document.text} | fields_of(document)
        out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        count += 1
    return count, {}


def write_label_studio(documents: Placed, out: IO[bytes], losses: Losses) -> Counted:
    """Write JSON for Label Studio: a list of tasks, each with one annotation."""
    count = 0
    for place, document in documents:
        _lose(document, place, losses, holds=("id", "relations"))
        out.write(b"[\n" if count == 0 else b",\n")
        units = _Utf16(document.text)
        ids = {place: f"a{number}" for number, (place, _) in enumerate(_content(document))}
        result: list[dict[str, Any]] = [
            {
                "id": ids[place],
                "type": "labels",
                "from_name": "label",
                "to_name": "text",
                "value": {
                    "start": units.offset(a.start),
                    "end": units.offset(a.end),
                    "text": document.text[a.start : a.end],
                    "labels": [a.type],
                },
            }
            for place, a in _content(document)
        ]
        result += [
            {
                "type": "relation",
                "from_id": ids[relation.source],
                "to_id": ids[relation.target],
                "direction": "right",
                "labels": [relation.type],
            }
            for relation in document.relations
            if relation.source in ids and relation.target in ids
        ]
        task = ({} if document.id is None else {"id": document.id}) | {
            "data": {"text": document.text},
            "annotations": [{"id": count, "result": result}],
        }
        out.write(json.dumps(task, ensure_ascii=False).encode())
        count += 1
    out.write(b"\n]\n" if count else b"[]\n")
    return count, {}


class _Utf16:
    """Offsets in UTF-16 code units, as in JavaScript."""

    def __init__(self, text: str) -> None:
        # Characters beyond the Basic Multilingual Plane are two units.
        self._large = [at for at, mark in enumerate(text) if mark > "\uffff"]

    def offset(self, at: int) -> int:
        """Return the offset of the character at an index."""
        from bisect import bisect_left

        return at + bisect_left(self._large, at)


def write_docbin(documents: Placed, out: IO[bytes], losses: Losses) -> Counted:
    """Write a spaCy DocBin: entities if no spans overlap, otherwise the span group ``spans``."""
    try:
        import spacy
        from spacy.tokens import Doc, DocBin
    except ImportError as error:
        raise ImportError("writing a .spacy file needs spaCy; run pip install 'spanrs[spacy]'") from error
    from spanrs.io.tokenizer import tokenize

    vocab = spacy.blank("xx").vocab
    docs = []
    overlapping = False
    for place, document in documents:
        _lose(document, place, losses, holds=("tokens",))
        tokens = sorted({(a.start, a.end) for a in document.annotations if a.type == TOKEN})
        words, spaces = _spacy_words(document.text, tokens or tokenize(document.text))
        doc = Doc(vocab, words=words, spaces=spaces)
        spans = []
        for _, a in _content(document):
            span = doc.char_span(a.start, a.end, label=a.type)
            if span is None:
                losses.add("annotations that begin or end within a token", place)
            else:
                spans.append(span)
        doc.spans["spans"] = spans
        overlapping |= _overlap(spans)
        docs.append(doc)
    for doc in docs:
        if not overlapping:
            doc.set_ents(list(doc.spans["spans"]))
            del doc.spans["spans"]
    out.write(DocBin(docs=docs, store_user_data=True).to_bytes())
    return len(docs), {"layer": "spans"} if overlapping else {}


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


#: Writers by format; the writers of formats in :data:`ONE_A_FILE` accept a single document.
FORMATS: dict[str, Callable[[Placed, IO[bytes], Losses], Counted]] = {
    "mat-json": write_mat_json,
    "xml-inline": write_xml,
    "brat": write_brat,
    "doccano": write_doccano,
    "prodigy": write_prodigy,
    "label-studio": write_label_studio,
    "spacy": write_docbin,
}
#: Formats with one document per file, and the suffixes of the files.
ONE_A_FILE = {"mat-json": ".json", "xml-inline": ".xml", "brat": ".ann"}
