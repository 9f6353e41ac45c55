"""Problems reported by `.ci/release_check.py` for changed copies of the project's files; `make test`'s summary."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).parent.parent
#: The files that the checks read, apart from the manifests of the crates and the files that the changelog links.
FILES = [
    ".github/workflows/wheels.yml",
    "CHANGELOG.md",
    "CITATION.cff",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "pyproject.toml",
    "python/spanrs/_spanrs.pyi",
    "python/spanrs/py.typed",
    "rust/fuzz/Cargo.lock",
]
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"][
    "version"
]


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release_check", ROOT / ".ci" / "release_check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def git(folder: Path, *arguments: str) -> None:
    settings = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def clean(tmp_path_factory) -> Path:
    """Return a repository with one commit of copies of the files."""
    folder = tmp_path_factory.mktemp("release") / "project"
    linked = re.findall(r"\]\((?!https)([^)#]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    crates = [path.relative_to(ROOT) for path in ROOT.glob("rust/spanrs*/Cargo.toml")]
    for name in {*FILES, *linked, *crates}:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    # The tests start before a release; the project may be released.
    undated = [
        ("CHANGELOG.md", rf"^(## \[{re.escape(VERSION)}\] - ).*$", r"\1unreleased"),
        ("CITATION.cff", r"^date-released: .*\n", ""),
    ]
    for name, pattern, new in undated:
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(re.sub(pattern, new, text, flags=re.MULTILINE), encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=all")
    return folder


@pytest.fixture
def project(clean, tmp_path) -> Path:
    """Return a copy of the repository that a test may change."""
    return Path(shutil.copytree(clean, tmp_path / "project"))


@pytest.fixture
def change(project) -> Callable[[str, str, str], None]:
    def change(name: str, old: str, new: str) -> None:
        text = (project / name).read_text(encoding="utf-8")
        assert old in text
        (project / name).write_text(text.replace(old, new), encoding="utf-8")
        git(project, "commit", "--all", "--quiet", "--message=change")

    return change


def as_released(change) -> None:
    """Date the section of the version and the citation; neither has a date before the release."""
    change("CHANGELOG.md", f"## [{VERSION}] - unreleased", f"## [{VERSION}] - 2026-01-31")
    change("CITATION.cff", f"version: {VERSION}\n", f"version: {VERSION}\ndate-released: 2026-01-31\n")


def test_the_project_is_ready_apart_from_dates(checks, clean):
    assert list(checks.check(clean, released=False)) == []


def test_a_release_needs_dates(checks, project, change):
    assert list(checks.check(project, released=True)) == [
        f"CHANGELOG.md: the section of {VERSION} has no date",
    ]
    as_released(change)
    assert list(checks.check(project, released=True)) == []


def test_the_date_of_the_citation_is_that_of_the_changelog(checks, project, change):
    as_released(change)
    change("CITATION.cff", "date-released: 2026-01-31", "date-released: 2026-01-30")
    problem = "CITATION.cff: date-released is 2026-01-30, but CHANGELOG.md has 2026-01-31"
    assert list(checks.check(project, released=True)) == [problem]
    assert list(checks.check(project, released=False)) == [problem]


@pytest.mark.parametrize(
    ("date", "problem"), [("2026-02-30", "does not exist"), ("2999-01-01", "is in the future")]
)
def test_dates_exist_and_are_not_in_the_future(checks, project, change, date, problem):
    change("CHANGELOG.md", f"## [{VERSION}] - unreleased", f"## [{VERSION}] - {date}")
    assert list(checks.check_changelog(project, released=True)) == [
        f"CHANGELOG.md: the date of {VERSION}, {date}, {problem}"
    ]


def test_the_tag_is_the_version(checks, project):
    git(project, "tag", f"v{VERSION}")
    assert checks.tags(project) == [f"v{VERSION}"]
    assert list(checks.check_versions(project)) == []
    git(project, "tag", "v99.0.0")
    assert list(checks.check_versions(project)) == [
        f"git: the commit has the tag v99.0.0, not v{VERSION}",
    ]


def test_a_new_version_must_be_written_everywhere(checks, project, change):
    change("Cargo.toml", f'version = "{VERSION}"', 'version = "99.0.0"')
    problems = list(checks.check(project, released=False))
    expected = f"Cargo.lock: spanrs-base is {VERSION}, not 99.0.0; run cargo check in its directory"
    assert expected in problems
    assert f"rust/fuzz/{expected}" in problems
    assert "CHANGELOG.md: the first section is not [99.0.0]" in problems
    assert f"CITATION.cff: version is {VERSION}, not 99.0.0" in problems


def test_a_version_of_python_alone_is_refused(checks, project, change):
    change("pyproject.toml", 'dynamic = ["version"]', f'version = "{VERSION}"')
    (problem,) = checks.check_versions(project)
    assert problem.startswith("pyproject.toml: the version must be dynamic")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("### Added", "### New", "'New' is not a kind of change (Added, Changed, "),
        (f"## [{VERSION}] - unreleased", f"## {VERSION}", f"the heading '{VERSION}' is not '[VERSION]"),
        ("](docs/stability.md)", "](docs/missing.md)", "the linked file docs/missing.md does not exist"),
        (
            f"[{VERSION}]: https",
            f"[{VERSION}]: http",
            f"the last lines do not link [{VERSION}] to https://",
        ),
        (
            f"\n[{VERSION}]: ",
            f"\n[0.0.9]: https://example.org\n[{VERSION}]: ",
            "the link [0.0.9] belongs to no",
        ),
        (
            f"\n[{VERSION}]: ",
            f"\n## [0.0.9] - unreleased\n\n[{VERSION}]: ",
            "the section of the earlier version 0.0.9 has no date",
        ),
    ],
)
def test_errors_in_the_changelog_are_found(checks, project, change, *, old, new, problem):
    change("CHANGELOG.md", old, new)
    assert any(
        found.startswith(f"CHANGELOG.md: {problem}")
        for found in checks.check_changelog(project, released=False)
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("message: ", "massage: ", "CITATION.cff: message is missing"),
        ("message: ", "massage: ", "CITATION.cff: the key massage is not known to .ci/release_check.py"),
        ("cff-version: 1.2.0", "cff-version: 1.1.0", "CITATION.cff: cff-version is 1.1.0, not 1.2.0"),
        (
            "  - name: The spanrs",
            "  - nom: The spanrs",
            "CITATION.cff: the author {'nom': 'The spanrs authors'} has",
        ),
        ("year: 2022", "year: MMXXII", "CITATION.cff: reference 'Fine-Grained Error Analysis"),
        (
            "type: generic",
            "type: paper",
            "CITATION.cff: reference 'MUC-5 evaluation metrics': the type paper is",
        ),
        ("cff-version:", "a: b: c\ncff-version:", "CITATION.cff: not YAML"),
    ],
)
def test_errors_in_the_citation_are_found(checks, project, change, *, old, new, problem):
    change("CITATION.cff", old, new)
    assert any(found.startswith(problem) for found in checks.check_citation(project, released=False))


def test_the_citation_has_the_keys_that_the_format_requires():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["version"] == VERSION
    for reference in citation["references"]:
        assert {"type", "title", "authors", "notes"} <= set(reference)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("\nIssues = ", "\nBugs = ", "pyproject.toml: [project.urls] has no Issues with https"),
        (
            "Source = ",
            'Source = "https://example.org"\nRepository = ',
            "pyproject.toml: Source is https://example.org",
        ),
        (
            'license = "MIT OR',
            'license = "BSD-3-Clause OR',
            "pyproject.toml: the license is BSD-3-Clause OR",
        ),
        ('"LICENSE*"', '"LICENSE-M*"', "LICENSE-APACHE is missing, or not in license-files"),
        (
            ":: 3.14",
            ":: 3.15",
            "pyproject.toml: the classifiers have Python 3.11, 3.12, 3.13, 3.15, but wheels.yml",
        ),
        (
            '">=3.11"',
            '">=3.12"',
            "pyproject.toml: requires-python is >=3.12, but the oldest wheel is for 3.11",
        ),
    ],
)
def test_errors_in_the_metadata_of_the_project_are_found(checks, project, change, *, old, new, problem):
    change("pyproject.toml", old, new)
    assert any(found.startswith(problem) for found in checks.check_project(project))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            'wc -l)" = 32',
            'wc -l)" = 28',
            "expects 28 wheels, but its matrix has 8 platforms and 4 versions",
        ),
        ('wc -l)" = 32', 'wc -l)" -gt 0', "expects no number of wheels"),
        (
            "3.12\n            3.13\n",
            "3.13\n",
            "the job linux has Python 3.11 3.13 3.14, not 3.11 3.12 3.13 3.14",
        ),
        ("--interpreter 3.11 3.12 3.13 3.14", "--interpreter 3.11", "the job linux has Python 3.11, not"),
        ("for python in 3.11 3.12", "for python in 3.12", "the job linux has Python 3.12 3.13 3.14, not"),
    ],
)
def test_contradictions_in_the_workflow_are_found(checks, project, change, *, old, new, problem):
    change(".github/workflows/wheels.yml", old, new)
    assert any(problem in found for found in checks.check_workflow(project))


def test_the_tree_is_clean_and_has_no_compiled_files(checks, project):
    (project / "LICENSE").write_text("changed", encoding="utf-8")
    (project / "new.txt").touch()
    assert list(checks.check_tree(project)) == [
        "git: uncommitted change:  M LICENSE",
        "git: uncommitted change: ?? new.txt",
    ]
    (project / "python" / "spanrs" / "_spanrs.so").touch()
    git(project, "rm", "--quiet", "--cached", "python/spanrs/_spanrs.pyi")
    git(project, "add", "--force", "python/spanrs/_spanrs.so")
    problems = list(checks.check_tree(project))
    assert "git: python/spanrs/_spanrs.so is compiled and must not be tracked" in problems
    assert "git: python/spanrs/_spanrs.pyi is not tracked" in problems


def test_metadata_that_pypi_refuses_are_found(checks):
    pytest.importorskip("readme_renderer")
    head = (
        f"Metadata-Version: 2.4\nName: spanrs\nVersion: {VERSION}\nLicense-Expression: MIT OR Apache-2.0\n"
    )
    licenses = "".join(f"License-File: {name}\n" for name in checks.LICENSES)
    python = "Requires-Python: >=3.11\n"
    described = "Description-Content-Type: text/markdown\n\n# spanrs\n"
    assert list(checks.check_metadata_text(head + licenses + python + described)) == []
    assert list(checks.check_metadata_text(head + licenses + python)) == [
        "metadata: there is no description with its content type"
    ]
    assert list(checks.check_metadata_text(head + python + described)) == [
        "metadata: metadata does not name the licences ['LICENSE', 'LICENSE-APACHE', 'LICENSE-MIT']"
    ]
    (problem,) = checks.check_metadata_text(head + licenses + "Requires-Python: new\n" + described)
    assert "requires-python" in problem


MAKEFILE = """
good:
\t@echo made good
bad:
\t@echo made bad; exit 3
other:
\t@echo made other
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.skipif(os.name == "nt", reason="the Makefile needs a POSIX shell")
class TestTimed:
    def run(self, folder: Path, *targets: str) -> subprocess.CompletedProcess[str]:
        (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
        command = [sys.executable, str(ROOT / ".ci" / "timed.py"), "make", *targets]
        return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)

    def test_every_part_has_a_line_with_its_times(self, tmp_path):
        done = self.run(tmp_path, "good", "other")
        made, summary = done.stdout.split("\n\n")
        assert made.splitlines() == ["made good", "made other"]
        head, *rows = summary.splitlines()
        assert head.split() == ["part", "wall", "min", "CPU", "min"]
        assert [row.split()[0] for row in rows] == ["good", "other", "all"]
        assert [row.split()[3:] for row in rows] == [["passed"], ["passed"], []]
        assert done.returncode == 0

    def test_a_failure_ends_the_run_and_is_the_exit_status(self, tmp_path):
        done = self.run(tmp_path, "good", "bad", "other")
        assert "made other" not in done.stdout
        assert [row.split()[0] for row in done.stdout.splitlines()[-4:]] == ["good", "bad", "all", "other"]
        assert "failed with 2" in done.stdout
        assert done.stdout.rstrip().endswith("not run")
        assert done.returncode == 2
