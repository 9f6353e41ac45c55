"""What is known about a treebank: its licence, authors, release and address, from options or the files beside it.

READMEs of Universal Dependencies are understood. The module needs the standard library alone.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

#: Files beside a treebank that describe it.
READMES = ("README.md", "README.txt", "README")
#: Name of a file beside a treebank with its licence.
LICENSE_NAME = re.compile(r"(LICEN[CS]E|COPYING)([._-].*)?", re.IGNORECASE)
#: Begins the part of a README of Universal Dependencies that has one `Key: value` per line.
METADATA = re.compile(r"^=+ *Machine-readable metadata.*$", re.MULTILINE)
#: A date and a release on a line, in either order: titles and change logs in READMEs of Universal Dependencies.
DATED_RELEASE = re.compile(
    r"^.*?\d{4}-\d\d-\d\d\W+v(\d+\.\d+)\b|^.*?\bv(\d+\.\d+)\W+\d{4}-\d\d-\d\d", re.MULTILINE
)
#: A comment before the first sentence of a treebank.
RELEASE_COMMENT = re.compile(r"#\s*release\s*[=:]\s*(\S.*)", re.IGNORECASE)
CREATIVE_COMMONS = re.compile(r"CC(?:[ -](BY(?:-(?:NC|SA|ND))*)[ -](\d\.\d)|[ -]?0(?:[ -]1\.0)?)")
#: Shape of SPDX expressions; flit_core checks the identifiers.
SPDX = re.compile(r"\(*[A-Za-z0-9.+-]+\)*( (AND|OR|WITH) \(*[A-Za-z0-9.+-]+\)*)*")
#: First bytes of gzip and zstd files.
COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


class UserError(Exception):
    """A mistake in the command line or the files. The message says what is wrong, where, and what to do."""


class Treebank(NamedTuple):
    """What a model card and the metadata of a wheel say about a treebank."""

    file: Path
    """The training data, CoNLL-U."""
    title: str
    """Name of the treebank."""
    license: str
    """Licence as an SPDX expression, such as `CC-BY-SA-4.0`."""
    license_text: str
    """Text of the licence."""
    attribution: str
    """Who made the treebank."""
    url: str | None
    """Where the treebank is published."""
    release: str | None
    """Release of the treebank, such as `2.17`; None if unknown."""

    @property
    def named_release(self) -> str:
        """The title with the release."""
        return f"{self.title}, release {self.release or 'unknown'}"


def spdx(text: str) -> str:
    """Return the SPDX identifier of a licence as written by Universal Dependencies.

    >>> spdx("CC BY-SA 4.0")
    'CC-BY-SA-4.0'
    """
    match = CREATIVE_COMMONS.fullmatch(text.strip())
    if match is None:
        raise UserError(f"the licence {text!r} has no known SPDX identifier; give one with --license")
    return f"CC-{match[1]}-{match[2]}" if match[1] else "CC0-1.0"


def license_expression(given: str | None, metadata: dict[str, str], file: Path) -> str:
    """Return the licence of a treebank as an SPDX expression."""
    if given is None:
        if "License" in metadata:
            return spdx(metadata["License"])
        raise UserError(
            f"the licence of {file} is not known, and the model is distributed under it; give its SPDX identifier "
            "with --license, such as CC-BY-SA-4.0"
        )
    if CREATIVE_COMMONS.fullmatch(given.strip()):
        return spdx(given)
    if SPDX.fullmatch(given) is None:
        raise UserError(f"--license {given!r} is not an SPDX expression, such as CC-BY-SA-4.0")
    return given


def read_text(path: Path, option: str) -> str:
    """Return the text of a file beside the treebank; ``option`` replaces the file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8; convert it, or give {option}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}; give {option}") from None


def readme(folder: Path) -> str:
    """Return the README in a folder; empty if there is none."""
    paths = [folder / name for name in READMES if (folder / name).is_file()]
    return read_text(paths[0], "--license, --license-file and --attribution") if paths else ""


def readme_metadata(text: str) -> dict[str, str]:
    """Return the machine-readable metadata of a README; empty if there are none."""
    if (begin := METADATA.search(text)) is None:
        return {}
    return dict(re.findall(r"^([A-Za-z][\w ()/-]*): *(\S.*?) *$", text[begin.end() :], re.MULTILINE))


def license_text(given: Path | None, file: Path) -> str:
    """Return the text of the licence of a treebank, from a file beside it if none is given."""
    if given is None:
        # LICENSE.txt comes before LICENSE-of-the-texts.txt.
        beside = sorted(file.resolve().parent.iterdir(), key=lambda path: (len(path.name), path.name))
        paths = [path for path in beside if LICENSE_NAME.fullmatch(path.name) and path.is_file()]
        if not paths:
            raise UserError(f"there is no LICENSE.txt beside {file}; name its file with --license-file")
        given = paths[0]
    text = read_text(given, "--license-file")
    if not text.strip():
        raise UserError(f"{given} is empty; give the text of the licence with --license-file")
    return text


def find_release(given: str | None, file: Path, comments: Sequence[str], text: str) -> str | None:
    """Return the release of a treebank without a leading `v` or `r`; None if unknown.

    Sources are, in this order: the option, a comment `# release = 2.17` before the first sentence, `Release:` in the
    metadata of the README, the folder `ud-treebanks-v2.17` of the releases of Universal Dependencies, and the newest
    release in the title or change log of the README.
    """
    metadata = readme_metadata(text)
    folder = re.fullmatch(r"ud-treebanks-(v\d+\.\d+)", file.resolve().parent.parent.name)
    dated = ["".join(groups) for groups in DATED_RELEASE.findall(text)]
    sources = [
        given,
        *(match[1] for match in map(RELEASE_COMMENT.match, comments) if match),
        metadata.get("Release"),
        folder and folder[1],
        max(dated, key=lambda release: tuple(map(int, release.split("."))), default=None),
    ]
    release = next((" ".join(source.split()) for source in sources if source and source.strip()), None)
    return release and re.sub(r"^[vr](?=\d)", "", release)


def begin_conllu(file: Path, option: str) -> list[str]:
    """Check the first word of a CoNLL-U file, and return the comments before it; compressed files are not checked."""
    try:
        with file.open("rb") as lines:
            first = lines.readline()
            if first.startswith(COMPRESSED):
                return []
            lines.seek(0)
            comments: list[str] = []
            for number, line in enumerate(lines, 1):
                text = line.decode("utf-8-sig").rstrip()
                if text and not text.startswith("#"):
                    if text.count("\t") == 9:
                        return comments
                    raise UserError(
                        f"{file} is not CoNLL-U: line {number} does not have ten columns separated by tabs; "
                        f"{option} is a treebank in CoNLL-U"
                    )
                comments.append(text)
    except UnicodeDecodeError:
        raise UserError(f"{file} is not CoNLL-U, which is UTF-8; convert it") from None
    except FileNotFoundError:
        raise UserError(f"{file} does not exist; {option} is a treebank in CoNLL-U") from None
    except OSError as error:
        raise UserError(
            f"{file} cannot be read: {error.strerror}; {option} is a treebank in CoNLL-U"
        ) from None
    raise UserError(f"{file} has no sentences; {option} is a treebank in CoNLL-U")


def describe(options: argparse.Namespace) -> Treebank:
    """Return the description of a treebank."""
    file: Path = options.treebank
    comments = begin_conllu(file, "TREEBANK")
    folder = file.resolve().parent
    text = readme(folder)
    metadata = readme_metadata(text)
    expression = license_expression(options.license, metadata, file)
    of_license = license_text(options.license_file, file)
    attribution = options.attribution or metadata.get("Contributors")
    if not attribution:
        raise UserError(f"the authors of {file} are not known; give them with --attribution")
    is_ud = folder.name.startswith("UD_")
    title = options.title or (folder.name if is_ud else file.name)
    url = options.url or (f"https://github.com/UniversalDependencies/{folder.name}" if is_ud else None)
    # Line ends would begin another field of the metadata.
    title, attribution = " ".join(title.split()), " ".join(attribution.split())
    release = find_release(options.release, file, comments, text)
    return Treebank(file, title, expression, of_license, attribution, url, release)
