"""The workflows, templates and hooks are valid, and everything they call exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
SETTINGS = [
    ROOT / ".pre-commit-config.yaml",
    ROOT / "deny.toml",
    ROOT / ".editorconfig",
    *sorted((ROOT / ".github").glob("*.*")),
]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def load(path: Path) -> dict[Any, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


def commands(path: Path) -> str:
    return "\n".join(step["run"] for step in steps(load(path)) if "run" in step)


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, re.MULTILINE))


def by_name(path: Path) -> str:
    return path.name


def test_there_are_workflows_and_forms():
    assert [path.stem for path in WORKFLOWS] == ["ci", "model", "wheels"]
    assert {path.stem for path in FORMS} == {"bug_report", "config", "feature_request", "wrong_number"}


@pytest.mark.parametrize(
    "path",
    [*WORKFLOWS, ROOT / ".ci" / "run", ROOT / "README.md", ROOT / "CONTRIBUTING.md", SETTINGS[0]],
    ids=by_name,
)
def test_every_make_target_that_is_called_exists(path):
    text = commands(path) if path in WORKFLOWS else path.read_text(encoding="utf-8")
    called = set(re.findall(r"(?:^|`|: )make ([a-z][a-z-]*)", text, re.MULTILINE))
    assert called <= make_targets()
    assert called or path.stem == "wheels"


def test_every_phony_target_has_a_rule_and_every_rule_with_help_is_phony():
    phony = set(
        re.search(r"^\.PHONY: ((?:.|\\\n)*?)(?<!\\)$", MAKEFILE, re.MULTILINE)[1]
        .replace("\\\n", "")
        .split()
    )
    shown = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE))
    assert shown == phony == make_targets()


@pytest.mark.parametrize("path", WORKFLOWS, ids=by_name)
def test_every_script_that_is_called_exists(path):
    for script in re.findall(r"[\w./-]+\.py\b", commands(path)):
        assert (ROOT / script).is_file(), script


@pytest.mark.parametrize("path", WORKFLOWS, ids=by_name)
def test_every_test_that_is_named_exists(path):
    for name in re.findall(r"\btests/[\w./-]*\w", commands(path)):
        assert (ROOT / name).exists(), name


def test_other_platforms_and_free_threading_are_tested_as_documented():
    jobs = load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    targets = jobs["other-platforms"]["strategy"]["matrix"]["target"]
    # One with 32 bits and one that is big-endian.
    assert targets == ["i686-unknown-linux-gnu", "s390x-unknown-linux-gnu"]
    versions = [
        step["with"]["python-version"]
        for step in jobs["free-threaded"]["steps"]
        if "python" in str(step.get("uses"))
    ]
    assert versions == [f"{PYTHONS[-1]}t"]
    module = (ROOT / "rust" / "spanrs-py" / "src" / "lib.rs").read_text(encoding="utf-8")
    assert "#[pymodule(gil_used = true)]" in module, (
        "docs/stability.md and the job free-threaded describe this"
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=by_name)
def test_actions_have_versions(path):
    for step in steps(load(path)):
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@(v\d+|release/v\d+|[0-9a-f]{40})", step["uses"]), step[
                "uses"
            ]


@pytest.mark.parametrize("path", WORKFLOWS, ids=by_name)
def test_workflows_may_read_and_no_more(path):
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert {"group", "cancel-in-progress"} == set(workflow["concurrency"])
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 120, name
        assert "permissions" not in job or name in ("attest", "publish")
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}, name
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_only_tags_are_published_and_without_a_token():
    workflow = load(ROOT / ".github" / "workflows" / "wheels.yml")
    publish, attest = workflow["jobs"]["publish"], workflow["jobs"]["attest"]
    assert publish["permissions"] == {"id-token": "write"}
    assert attest["permissions"] == {"attestations": "write", "id-token": "write"}
    assert attest["if"] == publish["if"]
    assert publish["environment"]["name"] == "pypi"
    assert publish["if"].startswith("startsWith(github.ref, 'refs/tags/v')")
    assert publish["needs"] == ["check", "attest"]
    (provenance,) = [step for step in attest["steps"] if "subject-path" in step.get("with", {})]
    assert provenance["uses"].startswith("actions/attest-build-provenance@")
    # The action publishes attestations by default.
    assert "with" not in publish["steps"][-1]
    # YAML parses `on` as true.
    assert workflow[True]["push"] == {"tags": ["v*"]}


def test_wheels_are_built_for_every_version_of_python():
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["jobs"]["macos-windows"]["strategy"]["matrix"]["python"] == PYTHONS
    assert text.count(" ".join(PYTHONS)) == 3
    assert PYPROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    assert (
        load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
        == PYTHONS
    )


def test_the_oldest_versions_are_those_that_the_project_names():
    rust = CARGO["workspace"]["package"]["rust-version"]
    job = load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["oldest"]
    assert job["env"]["RUSTUP_TOOLCHAIN"] == rust
    assert f"rustup toolchain install {rust} --profile minimal" in [
        step.get("run") for step in job["steps"]
    ]
    pins = {pin for pin in PYPROJECT["dependency-groups"]["oldest"] if isinstance(pin, str)}
    needs = PYPROJECT["project"]["dependencies"] + PYPROJECT["project"]["optional-dependencies"]["arrow"]
    assert pins == {f"{need.replace('>=', '==')}.*" for need in needs}


def test_every_job_is_needed_by_the_check_of_the_branch():
    jobs = load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    assert set(jobs["passed"]["needs"]) == set(jobs) - {"passed", "coverage", "peers"}


@pytest.mark.parametrize("path", [path for path in FORMS if path.stem != "config"], ids=by_name)
def test_forms_have_what_github_asks_for(path):
    form = load(path)
    assert {"name", "description", "body"} <= set(form)
    ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(ids) == len(set(ids))
    assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_hooks_run_the_tools_of_the_project():
    hooks = [
        hook for repo in load(SETTINGS[0])["repos"] if repo["repo"] == "local" for hook in repo["hooks"]
    ]
    assert {"ruff", "ruff-format", "cargo-fmt"} <= {hook["id"] for hook in hooks}
    assert all(hook["language"] == "system" for hook in hooks)


def test_licences_that_are_allowed_are_those_of_the_project_too():
    allowed = set(tomllib.loads(SETTINGS[1].read_text(encoding="utf-8"))["licenses"]["allow"])
    assert set(CARGO["workspace"]["package"]["license"].split(" OR ")) <= allowed


@pytest.mark.parametrize(
    "path", [*WORKFLOWS, *FORMS, *SETTINGS, *sorted((ROOT / ".ci").glob("*.*"))], ids=by_name
)
def test_nothing_names_one_machine(path):
    text = path.read_text(encoding="utf-8")
    for place in {str(ROOT), str(ROOT.parent), str(Path.home())} - {"/"}:
        assert not re.search(rf"{re.escape(place)}(?![\w-])", text)
