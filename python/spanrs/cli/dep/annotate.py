"""``spanrs dep parse`` and ``spanrs dep tag``."""

from __future__ import annotations

import codecs
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from spanrs import _spanrs
from spanrs.cli import _generated, console
from spanrs.cli.dep.inputs import load_model, open_file
from spanrs.cli.output_files import check_outputs
from spanrs.cli.run import print_message
from spanrs.io import atomic_output
from spanrs.threads import thread_count


@_generated.dep_parse
def parse(
    model_path: str,
    files: tuple[str, ...],
    output_path: str | None,
    format_name: str,
    keep_tags: bool,
    blank: bool,
    lines: bool,
    threads: int,
) -> None:
    """Tag and parse FILE with MODEL; the output is CoNLL-U. FILE may be "-" (standard input).

    MODEL is a file or the name of an installed model, such as en_ewt.

    Raw text is divided into sentences and words if the model has a segmenter; blank lines end a sentence, and with
    --lines every line end. LEMMA, UPOS, XPOS, FEATS, HEAD and DEPREL
    are filled, if the model predicts them. Comments, multiword tokens, empty nodes and all
    other columns are copied; --blank replaces the columns by "_". A sentence with copied columns gets a comment, such
    as "# spanrs.predicted = UPOS XPOS HEAD DEPREL": spanrs dep eval scores only the columns listed there. With an
    unlabelled model, DEPREL is "_". Nothing is written if a file cannot be read.
    """
    _annotate(
        model_path,
        files,
        output_path,
        format_name,
        {"keep_tags": keep_tags, "blank": blank, "lines": lines, "threads": threads},
    )


@_generated.dep_tag
def tag(
    model_path: str,
    files: tuple[str, ...],
    output_path: str | None,
    format_name: str,
    blank: bool,
    lines: bool,
    threads: int,
) -> None:
    """Tag FILE with MODEL; the output is CoNLL-U. FILE may be "-" (standard input).

    MODEL is a file or the name of an installed model, such as en_ewt.

    LEMMA, UPOS, XPOS and FEATS are filled, if the model predicts them, and raw text is divided into sentences and words
    if the model has a segmenter; other columns are copied, or replaced by "_" with --blank. A
    sentence with copied columns gets a comment with the predicted columns, such as "# spanrs.predicted = UPOS XPOS".
    """
    _annotate(
        model_path,
        files,
        output_path,
        format_name,
        {"parse": False, "blank": blank, "lines": lines, "threads": threads},
    )


def _annotate(
    model_path: str,
    files: tuple[str, ...],
    output_path: str | None,
    format_name: str,
    options: dict[str, Any],
) -> None:
    """Write the files with predictions; ``options`` are those of the compiled module."""
    if files.count("-") > 1:
        raise click.UsageError("standard input can be read once")
    check_outputs([("-o", output_path)], [model_path, *files])
    lines = options["lines"]
    if lines and format_name == "auto":
        format_name = "raw"
    if lines and format_name != "raw":
        raise click.UsageError(f"--lines is for raw text; it has no effect with --format {format_name}")
    model = load_model(model_path, parser=options.get("parse", True))
    options |= {"threads": thread_count(options["threads"])}
    size = sum(Path(path).stat().st_size for path in files if Path(path).is_file())
    done = 0
    with ExitStack() as stack:
        bar = stack.enter_context(console.progress_bar(size, console.LARGE, in_bytes=True))
        out = stack.enter_context(atomic_output(console.target(output_path)))
        last = b""
        for path, document in zip(files, _document_names(files), strict=True):
            separator = missing_end(last)
            shown = "standard input" if path == "-" else path
            file = open_file(path, format_name, raw=model.has_segmenter)
            if format_name == "auto" and file.format != "conllu":
                name = "raw text" if file.format == "raw" else file.format
                print_message("note", f"{shown} is read as {name} (--format)")
            while (text := model.annotate_file(file, options | {"document": document})) is not None:
                if separator is not None:
                    text = separator + text.removeprefix(codecs.BOM_UTF8)
                    separator = None
                out.write(text)
                last = text or last
                done += len(text)
                if bar is not None:
                    bar(min(done, size))


def _document_names(files: tuple[str, ...]) -> list[str]:
    """Return the names of the documents in files, all different, so that the ids of sentences differ."""
    names: list[str] = []
    for path in files:
        name = own = _spanrs.dep_document_name(path)
        number = 1
        while name in names:
            number += 1
            name = f"{own}-file{number}"
        names.append(name)
    return names


def missing_end(text: bytes) -> bytes | None:
    """Return the line ends that complete the last sentence, given the last written text; None if there is no text."""
    if not text:
        return None
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    if not text.endswith(b"\n"):
        return newline * 2
    # The last sentence of a file need not be followed by a blank line.
    last_line = text[text.rfind(b"\n", 0, -1) + 1 :]
    return newline if last_line.strip() else b""
