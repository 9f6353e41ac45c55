"""The consensus of annotators, and its output, by default in the format of the source."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import IO, TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.crowd.files import write_rows
from spanrs.crowd.label_studio import with_original_tasks, with_scores
from spanrs.errors import FormatError, with_code
from spanrs.io import Annotation, Document, Layer, Written, atomic_output, write
from spanrs.io.annotator_files import PROJECT
from spanrs.io.write_documents import FORMATS as DOCUMENT_FORMATS
from spanrs.io.write_documents import ONE_A_FILE
from spanrs.io.write_sentences import FORMATS as SENTENCE_FORMATS
from spanrs.io.writer import ENDINGS

if TYPE_CHECKING:
    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus
    from spanrs.io.parts import Part

#: Attribute of the annotations of a consensus: the confidence, from 0 to 1.
CONFIDENCE = "confidence"
#: Name of the annotator of a consensus.
ANNOTATOR = "consensus"
#: What each format can represent, by name.
_HOLDS: dict[str, dict[str, Any]] = {facts["name"]: facts["holds"] for facts in _spanrs.document_formats()}
#: Suffixes of files of formats whose suffix is not in :data:`spanrs.io.writer.ENDINGS`.
SUFFIXES: dict[str, tuple[str, ...]] = {
    "label-studio": (".json",),
    "label-studio-min": (".json",),
    "label-studio-csv": (".csv",),
    "prodigy": (".jsonl",),
    "doccano": (".jsonl", ".json"),
    "bioc-json": (".json",),
    "bioc-xml": (".xml",),
    "csv-spans": (".csv",),
    "jsonl-spans": (".jsonl", ".json"),
    "jsonl-tags": (".jsonl", ".json"),
    "pubtator": (".pubtator", ".txt"),
    "spans": (".csv", ".tsv", ".txt"),
    "stacked": (".txt", ".tsv"),
    "columns": (".txt", ".tsv", ".tags", ".conll", ".bio", ".iob", ".iob2"),
} | {name: (suffix,) for name, suffix in ONE_A_FILE.items()}
#: Suffixes of other formats, refused for sentences.
_OTHER_SUFFIXES = {
    *ENDINGS,
    *(suffix for suffixes in SUFFIXES.values() for suffix in suffixes),
    ".zip",
    ".html",
} - set(SUFFIXES["columns"])
#: Formats in which a document without a consensus is written as a task without annotations.
UNANNOTATED = ("label-studio", "prodigy")

_Target = str | PathLike[str] | IO[bytes]


@dataclass(frozen=True)
class Consensus:
    """The consensus of annotators, from :func:`spanrs.crowd.consensus`.

    Attributes
    ----------
    documents : list of Document or None
        The documents of the project, in order; None if the source consists of sentences. Annotations have the
        attribute ``confidence``, from 0 to 1. The answer of the only layer is ``given`` or ``empty``, or ``skipped``
        for documents without a consensus.
    corpora : list of CrowdCorpus
        The annotations as sentences, for each layer of types (:func:`crowd_layers`).
    aggregators : list of Aggregator
        The aggregator fitted to each corpus.
    min_annotators : int
        Minimum number of annotators of a document or sentence for a consensus.
    """

    documents: list[Document] | None
    corpora: list[CrowdCorpus]
    aggregators: list[Aggregator]
    min_annotators: int = 1

    @property
    def labels(self) -> list[list[str] | None]:
        """Labels of each sentence in the first layer; None for sentences without a consensus."""
        rows = zip(self.aggregators[0].labels_, self.answered, strict=True)
        return [labels if answered else None for labels, answered in rows]

    @property
    def answered(self) -> list[bool]:
        """Whether each sentence has a consensus: enough annotators saw it, or its labels are known."""
        return self.corpora[0].answered(self.min_annotators)

    @property
    def without_consensus(self) -> list[int]:
        """Indices of the documents, or for sources without documents of the sentences, without a consensus."""
        if self.documents is None:
            return [at for at, answered in enumerate(self.answered) if not answered]
        return [at for at, document in enumerate(self.documents) if document.layers[0].answer == "skipped"]

    def estimates(self) -> list[list[tuple[str, int, int, float]] | None]:
        """Return (type, start, end, confidence) of the spans of each document; None without a consensus."""
        return [
            None
            if document.layers[0].answer == "skipped"
            else [
                (a.type, a.start, a.end, float(a.attributes.get(CONFIDENCE, 1.0)))
                for a in document.annotations
                if a.is_content
            ]
            for document in self.documents or ()
        ]

    def write(
        self,
        target: str | PathLike[str] | IO[bytes],
        format: str | None = None,  # noqa: A002  # as in spanrs.read
        *,
        lossy: bool = False,
        annotator: str | None = None,
        probabilities: bool = False,
    ) -> Written:
        """Write the consensus, by default in the format of the source.

        Parameters
        ----------
        target : path or binary file object
            A file; for formats with one document per file, a directory that is empty or does not exist.
        format : str, optional
            A format of :func:`spanrs.write`. By default the format of the first source, if the suffix of the target
            does not specify another format. Sentences are always written as ``columns``: token and label.
        lossy : bool
            Whether to write a consensus of which the format cannot represent everything. The confidence does not count.
        annotator : str, optional
            Name of the annotator of the consensus, by default ``consensus``. In ``label-studio`` there is no name by
            default, because Label Studio refuses to import annotations of unknown users; it must be an e-mail address
            of a user.
        probabilities : bool
            Whether to add a column with the probability of each label, for ``columns``.

        Returns
        -------
        Written
            The number of documents or sentences, and in ``left_out``, items that the format cannot represent,
            including the confidence.

        Raises
        ------
        OSError
            If a file cannot be written.
        ValueError
            If the format is unknown, or the suffix of the target is that of another format.
        spanrs.errors.FormatError
            If the format cannot represent everything, without ``lossy``; if no document has a consensus; and as for
            :func:`spanrs.write`.

        Notes
        -----
        Documents without a consensus are written as tasks without annotations to ``label-studio``, and as ignored
        records to ``prodigy``; they are not written to other formats, in which they would look like documents in which
        nothing is to be annotated. The confidence is written with four decimals: the ``score`` of regions in
        ``label-studio`` and of spans in ``prodigy``, a note in ``brat``, and the attribute ``confidence`` in other
        formats that have attributes. A Label Studio export keeps everything but the annotations of its tasks.
        """
        if self.documents is None:
            return _write_sentences(self, target, format, probabilities=probabilities)
        return _write_documents(
            self, target, format, lossy=lossy, annotator=annotator, probabilities=probabilities
        )


def source_format(corpus: CrowdCorpus) -> str | None:
    """Return the format of the first document; None for documents in memory, and without documents."""
    if not corpus.texts:
        return None
    part = corpus.texts[0].part
    if part.format == PROJECT:
        part = next(iter(part.source.values()))
    return part.format if part.format in (*DOCUMENT_FORMATS, *SENTENCE_FORMATS) else None


def consensus_format(corpus: CrowdCorpus, target: _Target, form: str | None) -> str:
    """Return the format in which to write a consensus.

    Parameters
    ----------
    corpus : CrowdCorpus
        A layer of the consensus.
    target : path or binary file object
        The output.
    form : str, optional
        The format that the user chose.

    Raises
    ------
    ValueError
        If the format is unknown, cannot be inferred, or is not that of the suffix of the target.
    """
    known = (*SENTENCE_FORMATS, *DOCUMENT_FORMATS)
    if form is not None and form not in known:
        raise ValueError(f"unknown format {form!r}; the formats are {', '.join(known)}")
    has_path = isinstance(target, (str, PathLike))
    name = os.fspath(target) if has_path else ""  # type: ignore[arg-type]  # it is a path
    suffix = "" if os.path.isdir(name) else os.path.splitext(name)[1].lower()
    if corpus.texts is None:
        if form not in (None, "columns"):
            raise ValueError(
                f"a consensus of sentences is written as columns, not as {form}; omit the format"
            )
        if suffix in _OTHER_SUFFIXES:
            raise ValueError(
                f"{name}: a consensus of sentences is written as columns, but {suffix} is the suffix of another "
                "format; choose a name that ends with .conll, and convert the file with spanrs.write (spanrs convert)"
            )
        return "columns"
    if form is not None:
        return form
    source = source_format(corpus)
    if source is not None and (suffix == "" or suffix in SUFFIXES.get(source, ())):
        return source
    if suffix in ENDINGS:
        return ENDINGS[suffix]
    if source is None:
        raise ValueError("the documents have no format; choose one with format= (--output-format)")
    if suffix in _OTHER_SUFFIXES:
        raise ValueError(
            f"{name}: the source is {source}, but {suffix} is the suffix of another format; choose another name, or a "
            "format with format= (--output-format)"
        )
    return source


def holds_confidence(form: str) -> bool:
    """Return whether the confidence of annotations is written in a format."""
    if form in ("label-studio", "prodigy"):
        return True
    return _HOLDS.get(form, {}).get("attributes") in ("text", "flags", "typed")


def _write_sentences(
    consensus: Consensus, target: _Target, form: str | None, *, probabilities: bool
) -> Written:
    """Write tokens and labels in columns; sentences without a consensus are left out."""
    consensus_format(consensus.corpora[0], target, form)
    return _write_columns(consensus, target, probabilities=probabilities)


def _write_columns(consensus: Consensus, target: _Target, *, probabilities: bool) -> Written:
    corpus, aggregator = consensus.corpora[0], consensus.aggregators[0]
    if consensus.documents is None:
        answered = consensus.answered
    else:
        left_out = set(consensus.without_consensus)
        answered = [place.document not in left_out for place in corpus.places or ()]
    rows = zip(corpus.sentences, aggregator.labels_, aggregator.confidence_, answered, strict=True)
    written = [row[:3] for row in rows if row[3]]
    columns = (
        [
            [token, label, *([f"{probability:.4f}"] * probabilities)]
            for token, label, probability in zip(*row, strict=True)
        ]
        for row in written
    )
    write_rows(columns, target)
    return Written("columns", len(written), 0, [], {"format": "columns"})


def _write_documents(
    consensus: Consensus,
    target: _Target,
    form: str | None,
    *,
    lossy: bool,
    annotator: str | None,
    probabilities: bool,
) -> Written:
    """Write the documents of a consensus; see :meth:`Consensus.write`."""
    form = consensus_format(consensus.corpora[0], target, form)
    if form == "columns" and len(consensus.corpora) == 1:
        return _write_columns(consensus, target, probabilities=probabilities)
    if probabilities:
        raise ValueError(
            f"probabilities (--probabilities) are a column of columns without overlapping spans, not of {form}, in "
            "which annotations have a confidence"
        )
    if len(consensus.without_consensus) == len(consensus.documents or ()):
        message = (
            "no document has a consensus, so nothing is written; decrease min_annotators (--min-annotators)"
        )
        raise with_code(FormatError(message), "documents")
    prepared = [_prepared(document, form, annotator) for document in consensus.documents or ()]
    pairs = zip(consensus.documents or (), prepared, strict=True)
    confidences = [_confidences(document) for document, kept in pairs if kept is not None]
    documents = [document for document in prepared if document is not None]
    if form not in ("label-studio", "prodigy"):
        written = write(documents, target, to=form, lossy=lossy)
    else:
        content = io.BytesIO()
        written = write(documents, content, to=form, lossy=lossy)
        with atomic_output(target) as out:
            if form == "prodigy":
                _add_scores(content, confidences, out)
            else:
                out.write(_tasks(consensus, content.getvalue(), documents, confidences))
    if not holds_confidence(form) and any(confidences):
        lost = sum(map(len, confidences))
        written = written._replace(
            left_out=[
                *written.left_out,
                f"the confidence of annotations, which {form} has no place for: {lost}",
            ]
        )
    return written


def _confidences(document: Document) -> list[float]:
    """Return the confidence of each annotation of the consensus."""
    return [
        a.attributes[CONFIDENCE]
        for a in document.annotations
        if a.is_content and CONFIDENCE in a.attributes
    ]


def _prepared(document: Document, form: str, annotator: str | None) -> Document | None:
    """Return a document as it is written; None for a document without a consensus that the format cannot represent."""
    holds = _HOLDS[form]
    [layer] = document.layers
    if layer.answer == "skipped" and form not in UNANNOTATED:
        return None
    name = annotator if form == "label-studio" else annotator or ANNOTATOR
    has_layer = holds["annotators"] and (layer.answer != "empty" or holds["answers"] != "no")
    annotations = [
        a._replace(attributes=_attributes(a, form)) if a.is_content and CONFIDENCE in a.attributes else a
        for a in document.annotations
    ]
    layers = (Layer(name, layer.answer),) if has_layer else ()
    return replace(document, annotations=annotations, layers=layers)


def _attributes(annotation: Annotation, form: str) -> dict[str, Any]:
    """Return the attributes of an annotation, with the confidence as the format requires it."""
    attributes = dict(annotation.attributes)
    confidence = attributes.pop(CONFIDENCE)
    if form in ("label-studio", "prodigy"):
        # The confidence is added to the written file.
        return attributes
    kind = _HOLDS[form]["attributes"]
    if kind == "typed":
        return attributes | {CONFIDENCE: round(confidence, 4)}
    if kind == "text":
        return attributes | {CONFIDENCE: f"{confidence:.4f}"}
    if kind == "flags":
        # Values of attributes must be declared in the configuration of brat, notes need not be.
        note = f"{CONFIDENCE} {confidence:.4f}"
        return attributes | {"note": f"{attributes['note']}; {note}" if attributes.get("note") else note}
    return attributes


def _add_scores(records: IO[bytes], confidences: Sequence[Sequence[float]], out: IO[bytes]) -> None:
    """Copy the records of Prodigy, one for each document, with the scores of their spans."""
    records.seek(0)
    for line, scores in zip(records, confidences, strict=True):
        record = json.loads(line)
        for span, score in zip(record["spans"], scores, strict=True):
            span["score"] = round(score, 4)
        out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def _tasks(
    consensus: Consensus,
    content: bytes,
    documents: Sequence[Document],
    confidences: Sequence[Sequence[float]],
) -> bytes:
    """Return tasks of Label Studio with scores, in the tasks of the export if there is one."""
    tasks = json.loads(content)
    with_scores(tasks, confidences)
    part: Part | None = next((text.part for text in consensus.corpora[0].texts or ()), None)
    if part is not None:
        tasks = with_original_tasks(tasks, documents, part)
    return "".join(
        [
            "[\n",
            ",\n".join(json.dumps(task, ensure_ascii=False) for task in tasks),
            "\n]\n",
        ]
    ).encode()
