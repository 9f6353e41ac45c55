"""Check that a commit can be released: versions, changelog, citation, metadata, workflow and a clean tree.

Run as ``make release-check``, or ``python .ci/release_check.py [--release]`` in an environment with the group release.
Prints one line for each problem; the exit status is 1 if there are any. Before a release the section of the version in
CHANGELOG.md may be "unreleased"; with --release, and on a commit with a tag v*, it needs a date.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
#: Kinds of changes of Keep a Changelog.
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
URLS = ["Homepage", "Documentation", "Source", "Changelog", "Issues"]
LICENSES = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]
#: Keys that the Citation File Format 1.2.0 requires, and those that a citation of software should have.
CITATION_KEYS = [
    "cff-version",
    "message",
    "title",
    "authors",
    "type",
    "version",
    "license",
    "repository-code",
    "url",
]
#: Keys of the format that CITATION.cff uses, for the software and for references; any other key is an error.
CITATION_ALLOWED = {*CITATION_KEYS, "abstract", "date-released", "doi", "keywords", "references"}
REFERENCE_ALLOWED = {
    *("type", "title", "authors", "year", "start", "end", "collection-title", "journal", "volume", "issue"),
    *("publisher", "doi", "url", "notes"),
}
#: Types of references of the format, of those that papers have.
REFERENCE_TYPES = {
    "article",
    "book",
    "conference-paper",
    "generic",
    "proceedings",
    "report",
    "software",
    "thesis",
}


def toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def project_version(root: Path) -> str:
    """Return the version in Cargo.toml, from which all others are derived."""
    version: str = toml(root / "Cargo.toml")["workspace"]["package"]["version"]
    return version


def git(root: Path, *arguments: str) -> list[str]:
    """Return the lines that a git command prints."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def tags(root: Path) -> list[str]:
    """Return the tags v* of the commit."""
    return [tag for tag in git(root, "tag", "--points-at", "HEAD") if tag.startswith("v")]


def check_versions(root: Path) -> Iterator[str]:
    """Yield places with a version that differs from Cargo.toml."""
    version = project_version(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?", version):
        yield f"Cargo.toml: the version {version} is not MAJOR.MINOR.PATCH"
    members = toml(root / "Cargo.toml")["workspace"]["members"]
    for member in members:
        if toml(root / member / "Cargo.toml")["package"]["version"] != {"workspace": True}:
            yield f"{member}/Cargo.toml: the version is not version.workspace = true"
    names = {toml(root / member / "Cargo.toml")["package"]["name"] for member in members}
    for lock in ("Cargo.lock", "rust/fuzz/Cargo.lock"):
        locked = {item["name"]: item["version"] for item in toml(root / lock)["package"]}
        expected = names if lock == "Cargo.lock" else names & set(locked)
        for name in sorted(expected):
            if locked.get(name) != version:
                found = locked.get(name, "missing")
                yield f"{lock}: {name} is {found}, not {version}; run cargo check in its directory"
    project = toml(root / "pyproject.toml")["project"]
    if "version" in project or "version" not in project.get("dynamic", []):
        yield "pyproject.toml: the version must be dynamic, because maturin takes it from Cargo.toml"
    for tag in tags(root):
        if tag != f"v{version}":
            yield f"git: the commit has the tag {tag}, not v{version}"


def check_changelog(root: Path, released: bool) -> Iterator[str]:
    """Yield problems of the first section of CHANGELOG.md, of its headings, and of its links."""
    version = project_version(root)
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    dates = {}
    for title in sections:
        match = re.fullmatch(r"\[(\S+)\] - (unreleased|\d{4}-\d\d-\d\d)", title)
        if match is None:
            yield f"CHANGELOG.md: the heading {title!r} is not '[VERSION] - unreleased' or '[VERSION] - YYYY-MM-DD'"
        else:
            dates[match[1]] = match[2]
    if next(iter(dates), None) != version:
        yield f"CHANGELOG.md: the first section is not [{version}]"
    date = dates.get(version)
    if released and date == "unreleased":
        yield f"CHANGELOG.md: the section of {version} has no date"
    elif date not in (None, "unreleased"):
        yield from check_date(f"CHANGELOG.md: the date of {version}", date)
    for name, when in dates.items():
        if when == "unreleased" and name != version:
            yield f"CHANGELOG.md: the section of the earlier version {name} has no date"
    for kind in re.findall(r"^### (.+)$", text, re.MULTILINE):
        if kind not in KINDS:
            yield f"CHANGELOG.md: {kind!r} is not a kind of change ({', '.join(KINDS)})"
    yield from check_changelog_links(root, text, list(dates))


def check_changelog_links(root: Path, text: str, versions: list[str]) -> Iterator[str]:
    """Yield relative links whose file is missing, and versions without a link to their tag."""
    source = toml(root / "Cargo.toml")["workspace"]["package"]["repository"]
    links = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", text, re.MULTILINE))
    for version in versions:
        expected = f"{source}/releases/tag/v{version}"
        if links.get(version) != expected:
            yield f"CHANGELOG.md: the last lines do not link [{version}] to {expected}"
    for name in links:
        if name not in versions:
            yield f"CHANGELOG.md: the link [{name}] belongs to no section"
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in target and not (root / target).exists():
            yield f"CHANGELOG.md: the linked file {target} does not exist"


def check_date(place: str, text: str) -> Iterator[str]:
    """Yield a problem if a date does not exist or is in the future."""
    try:
        date = datetime.date.fromisoformat(text)
    except ValueError:
        yield f"{place}, {text}, does not exist"
        return
    if date > datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=1):
        yield f"{place}, {text}, is in the future"


def check_citation(root: Path, released: bool) -> Iterator[str]:
    """Yield problems of CITATION.cff, under the rules of the Citation File Format 1.2.0 for the keys in use."""
    try:
        # Dates and versions are strings in the format.
        citation = yaml.load((root / "CITATION.cff").read_text(encoding="utf-8"), yaml.BaseLoader)
    except yaml.YAMLError as error:
        yield f"CITATION.cff: not YAML: {' '.join(str(error).split())}"
        return
    package = toml(root / "Cargo.toml")["workspace"]["package"]
    for key in CITATION_KEYS:
        if not citation.get(key):
            yield f"CITATION.cff: {key} is missing"
    for key in sorted(set(citation) - CITATION_ALLOWED):
        yield f"CITATION.cff: the key {key} is not known to .ci/release_check.py"
    expected = {
        "cff-version": "1.2.0",
        "type": "software",
        "version": package["version"],
        "license": package["license"].split(" OR "),
        "repository-code": package["repository"],
        "url": toml(root / "pyproject.toml")["project"].get("urls", {}).get("Documentation"),
    }
    for key, value in expected.items():
        if key in citation and citation[key] != value:
            yield f"CITATION.cff: {key} is {citation[key]}, not {value}"
    yield from check_authors("CITATION.cff", citation.get("authors"))
    yield from check_date_released(root, citation.get("date-released"), released)
    for item in citation.get("references", []):
        yield from check_reference(item)


def check_date_released(root: Path, date: str | None, released: bool) -> Iterator[str]:
    """Yield a problem if the date of a citation is not the date in CHANGELOG.md."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    logged = re.search(rf"^## \[{re.escape(project_version(root))}\] - (\S+)$", text, re.MULTILINE)
    expected = None if logged is None or logged[1] == "unreleased" else logged[1]
    if date != expected and (released or date is not None):
        yield f"CITATION.cff: date-released is {date or 'missing'}, but CHANGELOG.md has {expected or 'no date'}"


def check_reference(item: dict[str, Any]) -> Iterator[str]:
    """Yield problems of a reference in CITATION.cff."""
    place = f"CITATION.cff: reference {item.get('title', '')!r}"
    for key in ("type", "title", "authors"):
        if not item.get(key):
            yield f"{place}: {key} is missing"
    for key in sorted(set(item) - REFERENCE_ALLOWED):
        yield f"{place}: the key {key} is not known to .ci/release_check.py"
    if item.get("type") not in REFERENCE_TYPES:
        yield f"{place}: the type {item.get('type')} is not one of {', '.join(sorted(REFERENCE_TYPES))}"
    for key in ("year", "start", "end"):
        if key in item and not item[key].isdecimal():
            yield f"{place}: {key} is {item[key]!r}, not a number"
    yield from check_authors(place, item.get("authors"))


def check_authors(place: str, authors: Any) -> Iterator[str]:
    """Yield authors that are neither a person with family names nor an entity with a name."""
    for author in authors or []:
        if not isinstance(author, dict) or not (author.get("name") or author.get("family-names")):
            yield f"{place}: the author {author} has neither name nor family-names"


def check_project(root: Path) -> Iterator[str]:
    """Yield problems of pyproject.toml: addresses, licences, classifiers."""
    project = toml(root / "pyproject.toml")["project"]
    package = toml(root / "Cargo.toml")["workspace"]["package"]
    urls = project.get("urls", {})
    for name in URLS:
        if not urls.get(name, "").startswith("https://"):
            yield f"pyproject.toml: [project.urls] has no {name} with https"
    if urls.get("Source") != package["repository"]:
        yield f"pyproject.toml: Source is {urls.get('Source')}, but repository in Cargo.toml is {package['repository']}"
    for name in ("Changelog", "Issues"):
        if not urls.get(name, "").startswith(package["repository"]):
            yield f"pyproject.toml: {name} is not below {package['repository']}"
    if project["license"] != package["license"]:
        yield f"pyproject.toml: the license is {project['license']}, but in Cargo.toml {package['license']}"
    listed = {
        path.relative_to(root).as_posix() for name in project["license-files"] for path in root.glob(name)
    }
    for name in LICENSES:
        if name not in listed:
            yield f"{name} is missing, or not in license-files of pyproject.toml"
    classifiers = set(project["classifiers"])
    versions = {
        line.removeprefix("Programming Language :: Python :: ")
        for line in classifiers
        if re.fullmatch(r"Programming Language :: Python :: \d+\.\d+", line)
    }
    pythons = wheel_pythons(root)
    if versions != set(pythons):
        yield (
            f"pyproject.toml: the classifiers have Python {', '.join(sorted(versions)) or 'none'}, "
            f"but wheels.yml builds {', '.join(pythons)}"
        )
    if project["requires-python"] != f">={pythons[0]}":
        yield (
            f"pyproject.toml: requires-python is {project['requires-python']}, "
            f"but the oldest wheel is for {pythons[0]}"
        )


def wheels_workflow(root: Path) -> dict[Any, Any]:
    """Return the workflow that builds the wheels."""
    path = root / ".github" / "workflows" / "wheels.yml"
    workflow: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return workflow


def wheel_pythons(root: Path) -> list[str]:
    """Return the versions of Python in the matrix of wheels.yml."""
    pythons: list[str] = wheels_workflow(root)["jobs"]["macos-windows"]["strategy"]["matrix"]["python"]
    return pythons


def check_workflow(root: Path) -> Iterator[str]:
    """Yield contradictions in wheels.yml: versions of Python of its jobs, and the number of wheels that it counts."""
    jobs = wheels_workflow(root)["jobs"]
    pythons = wheel_pythons(root)
    linux = jobs["linux"]
    for step in linux["steps"]:
        given = step.get("with", {})
        lists = [
            given.get("python-version"),
            *re.findall(r"--interpreter ([\d. ]+)", given.get("args", "")),
            *re.findall(r"for python in ([\d. ]+);", step.get("run", "")),
        ]
        for found in lists:
            if found is not None and found.split() != pythons:
                yield f"wheels.yml: the job linux has Python {' '.join(found.split())}, not {' '.join(pythons)}"
    others = jobs["macos-windows"]["strategy"]["matrix"]
    platforms = len(linux["strategy"]["matrix"]["include"]) + len(others["os"])
    expected = platforms * len(pythons)
    counts = re.findall(
        r"ls dist/\*\.whl \| wc -l\)\" = (\d+)",
        "\n".join(step.get("run", "") for step in jobs["check"]["steps"]),
    )
    if counts != [str(expected)]:
        yield (
            f"wheels.yml: the job check expects {', '.join(counts) or 'no number of'} wheels, but its matrix has "
            f"{platforms} platforms and {len(pythons)} versions of Python, {expected} wheels"
        )


def check_tree(root: Path) -> Iterator[str]:
    """Yield uncommitted changes, compiled files that are tracked, and files of the package that are not."""
    for line in git(root, "status", "--porcelain"):
        yield f"git: uncommitted change: {line}"
    tracked = set(git(root, "ls-files"))
    for name in sorted(tracked):
        if name.endswith((".so", ".pyd", ".dylib", ".dll", ".pyc")):
            yield f"git: {name} is compiled and must not be tracked"
    for name in ("python/spanrs/_spanrs.pyi", "python/spanrs/py.typed", "Cargo.lock", *LICENSES):
        if name not in tracked:
            yield f"git: {name} is not tracked"


def check_wheel() -> ModuleType:
    """Return the module .ci/check_wheel.py."""
    spec = importlib.util.spec_from_file_location("check_wheel", Path(__file__).with_name("check_wheel.py"))
    if spec is None or spec.loader is None:
        raise SystemExit(".ci/check_wheel.py is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_metadata_text(text: str) -> Iterator[str]:
    """Yield problems of the text of METADATA, among them a description that PyPI cannot show."""
    from packaging.metadata import Metadata
    from readme_renderer.markdown import render

    try:
        metadata = Metadata.from_email(text, validate=True)
    except ExceptionGroup as error:
        for problem in error.exceptions:
            yield f"metadata: {problem}"
        return
    for problem in check_wheel().check_metadata(text):
        yield f"metadata: {problem}"
    if metadata.description_content_type is None or not metadata.description:
        yield "metadata: there is no description with its content type"
    elif render(metadata.description) is None:
        yield "metadata: PyPI cannot render the description (README.md)"


def check_metadata(root: Path) -> Iterator[str]:
    """Yield problems of the metadata that maturin writes for a wheel, without building the wheel."""
    with tempfile.TemporaryDirectory(prefix="spanrs-") as folder:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "maturin", "pep517", "write-dist-info"),
                *("--metadata-directory", folder, "--interpreter", sys.executable),
            ],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        found = list(Path(folder).glob("*.dist-info/METADATA"))
        if done.returncode or len(found) != 1:
            yield f"metadata: maturin failed: {' '.join(done.stderr.split())}"
            return
        yield from check_metadata_text(found[0].read_text(encoding="utf-8"))


def check(root: Path, released: bool) -> Iterator[str]:
    """Yield all problems of a working tree, except those of the metadata."""
    yield from check_versions(root)
    yield from check_changelog(root, released)
    yield from check_citation(root, released)
    yield from check_project(root)
    yield from check_workflow(root)
    yield from check_tree(root)


def main() -> int:
    """Check the project and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", action="store_true", help="require dates, as for a commit with a tag")
    released = parser.parse_args().release or bool(tags(ROOT))
    problems = [*check(ROOT, released), *check_metadata(ROOT)]
    for problem in problems:
        print(problem, file=sys.stderr)
    state = "as a release" if released else "before a release"
    print(
        f"spanrs {project_version(ROOT)}, checked {state}: {len(problems) or 'no'} problem{'s' * (len(problems) != 1)}"
    )
    return int(bool(problems))


if __name__ == "__main__":
    raise SystemExit(main())
