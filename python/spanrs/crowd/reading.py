"""Annotations of many annotators from any corpus."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from spanrs.crowd.corpus import MISSING, CrowdCorpus
from spanrs.crowd.files import TABLE, read_columns, read_files, read_table
from spanrs.errors import AlignmentError, FormatError, warn, with_code
from spanrs.io import Corpus, read, tables
from spanrs.io.losses import Losses
from spanrs.io.sentence import LAYER
from spanrs.io.texts import sentences_of_document
from spanrs.io.training import tagged
from spanrs.io.write_sentences import flat
from spanrs.tags import write_tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanrs.io.parts import Part


def crowd_corpus(
    source: Any,
    *,
    annotators: Sequence[str] | None = None,
    missing: str = MISSING,
    partial: str = "error",
) -> CrowdCorpus:
    r"""Return the annotations of a corpus, whatever holds them.

    Parameters
    ----------
    source : CrowdCorpus, Corpus, or what :func:`spanrs.read` takes
        - A column file with a token a line and a column of labels for each annotator.
        - Several files of any format with the same tokens, one of each annotator, who are called by the names of the
          files.
        - A table or CSV file in long form with the columns ``annotator``, ``document``, ``token`` and ``label``.
        - An export of Label Studio or Prodigy, whose annotators are layers. Text is cut at line breaks into sentences
          and by the tokens that the export has, or a tokenizer; spans are written as tags in BIO, of spans that share
          tokens the first and longest.
    annotators : sequence of str, optional
        Names of the columns or files, or the annotators of an export that count; all of them if not given.
    missing : str
        Stands for "not labelled by this annotator" in columns and tables.
    partial : str
        What becomes of a sentence that an annotator labelled in part: ``error``, or ``drop``.

    Returns
    -------
    CrowdCorpus

    Raises
    ------
    spanrs.errors.FormatError
        Where there are no annotators, and as :func:`read_columns`, :func:`read_files` and :func:`read_table`.
    spanrs.errors.AlignmentError
        Where annotators have other tokens for one text.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from spanrs.crowd import crowd_corpus
    >>> records = [
    ...     {"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}], "_annotator_id": "ann"},
    ...     {"text": "Ada met Bob", "spans": [{"start": 8, "end": 11, "label": "PER"}], "_annotator_id": "ben"},
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "export.jsonl")
    ...     _ = path.write_text("\n".join(map(json.dumps, records)))
    ...     crowd_corpus(path).annotators
    ['ann', 'ben']
    """
    if isinstance(source, CrowdCorpus):
        return source
    corpus = source if isinstance(source, Corpus) else read(source)
    parts = corpus.parts
    if len(parts) > 1:
        return _of_files(corpus, annotators, missing, partial)
    if parts[0].kind == "documents":
        return _of_layers(corpus, annotators)
    if parts[0].kind == "table":
        if annotators:
            raise ValueError("a table names its annotators; leave out annotators")
        return read_table(_table(parts[0]), missing=missing, partial=partial)
    if parts[0].kind == "spans":
        message = (
            f"{parts[0].shown}: files of spans have no labels of tokens; give columns, a table or an export"
        )
        raise with_code(FormatError(message), "wrong_format", parts[0].path)
    return read_columns(parts[0].opened(keep=True), annotators=annotators, missing=missing, partial=partial)


def _table(part: Part) -> Any:
    """Return a table in long form for :func:`read_table`: the path of a CSV file, or a table of pyarrow."""
    if part.format == "csv":
        if part.path is None:
            raise TypeError("a table in long form is read of a path, not of a stream")
        return part.path
    names = list(tables.column_types(part))
    lacking = [name for name in TABLE if name not in names]
    if lacking:
        message = f"{part.shown}: no column {', '.join(lacking)}; there are {', '.join(names)}: rename them"
        raise with_code(FormatError(message), "no_column", part.path)
    import pyarrow

    return pyarrow.Table.from_batches(
        [
            one
            for batch in tables.batches(part, TABLE)
            for one in (batch.to_batches() if hasattr(batch, "to_batches") else [batch])
        ]
    )


def _of_files(corpus: Corpus, annotators: Sequence[str] | None, missing: str, partial: str) -> CrowdCorpus:
    """Return the annotations of several files, one of each annotator."""
    names = list(annotators or _names(corpus))
    if len(names) != len(corpus.parts) or len(set(names)) != len(names):
        message = "several files are those of one annotator each; name each by a name of its own"
        raise with_code(FormatError(message), "annotators", corpus.parts[0].path)
    paths = [part.path for part in corpus.parts]
    if (
        all(part.format == "columns" for part in corpus.parts)
        and None not in paths
        and not corpus.options.given()
    ):
        files: dict[str, str | PathLike[str]] = dict(zip(names, map(str, paths), strict=True))
        return read_files(files, missing=missing, partial=partial)
    sentences: list[list[str]] = []
    given: list[dict[str, list[str] | None]] = []
    for name, part in zip(names, corpus.parts, strict=True):
        tokens, labels = tagged(replace(corpus, parts=(part,)))
        own = [list(sentence) for sentence in tokens]
        if not sentences:
            sentences, given = own, [{} for _ in own]
        if own != sentences:
            pairs = zip(own, sentences, strict=False)
            at = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(own), len(sentences)))
            message = f"{part.shown}: sentence {at} differs from that of {corpus.parts[0].shown}"
            raise with_code(AlignmentError(message), "tokens", part.path)
        for at, tags in enumerate(labels):
            lacking = [tag for tag in tags if tag == missing]
            if lacking and len(lacking) < len(tags) and partial != "drop":
                message = f"{part.shown}: sentence {at}: {name} labelled a part of this sentence only"
                raise with_code(FormatError(message), "partial", part.path)
            given[at][name] = None if lacking else tags
    return CrowdCorpus(sentences, given, annotators=names, missing=None)


def _names(corpus: Corpus) -> list[str]:
    """Return the names of files without their endings."""
    return [part.shown.rpartition("/")[2].partition(".")[0] for part in corpus.parts]


def _of_layers(corpus: Corpus, annotators: Sequence[str] | None) -> CrowdCorpus:
    """Return the annotations of an export with layers."""
    known = corpus.layers
    shown = corpus.parts[0].shown
    if known == [LAYER] or corpus.parts[0].format == "spacy":
        message = (
            f"{shown}: {corpus.parts[0].format} does not say who annotated; give a file for each annotator"
        )
        raise with_code(FormatError(message), "annotators", corpus.parts[0].path)
    unknown = [name for name in annotators or () if name not in known]
    if unknown:
        raise with_code(
            FormatError(f"{shown}: no annotator {unknown[0]}; there are {', '.join(known)}"), "annotators"
        )
    names = list(annotators or known)
    sentences: list[list[str]] = []
    given: list[dict[str, list[str] | None]] = []
    places: dict[str, range] = {}
    losses = Losses()
    for name in names:
        seen: Counter[str] = Counter()
        for document in replace(corpus, options=corpus.options.with_layer("annotator", name)).documents:
            own = [
                (list(sentence.tokens or ()), sentence.spans[LAYER])
                for sentence in sentences_of_document(document, corpus.options.tokenizer)
            ]
            # Ids are those of records in some exports; a text that is there twice is two.
            key = f"{document.text}\0{seen[document.text]}"
            start = document.text[:40]
            seen[document.text] += 1
            if key not in places:
                places[key] = range(len(sentences), len(sentences) + len(own))
                sentences += [tokens for tokens, _ in own]
                given += [{} for _ in own]
            if len(own) != len(places[key]):
                message = f"{shown}: a document of {name} has {len(own)} sentences, and {len(places[key])} of others"
                raise with_code(AlignmentError(message), "tokens", corpus.parts[0].path)
            for at, (tokens, spans) in zip(places[key], own, strict=True):
                if tokens != sentences[at]:
                    message = (
                        f"{shown}: document {start!r}: the tokens of {name} differ from those of others"
                    )
                    raise with_code(AlignmentError(message), "tokens", corpus.parts[0].path)
                kept = flat(spans, losses, f"document {start!r} of {name}")
                given[at][name] = write_tags(kept, len(tokens))
    warn(f"{shown}: left out: {message}" for message in losses.messages())
    return CrowdCorpus(sentences, given, annotators=names, missing=None)
