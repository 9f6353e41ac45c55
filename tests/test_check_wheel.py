"""Problems reported by `.ci/check_wheel.py` for artificial distributions."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_wheel", ROOT / ".ci" / "check_wheel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # The libraries here are not ELF files.
    module.check_auditwheel = lambda path: iter(())
    return module


Change = Callable[[dict[str, bytes]], None]


def metadata(number: str) -> bytes:
    licenses = "".join(f"License-File: {name}\n" for name in ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT"))
    return (
        f"Metadata-Version: 2.4\nName: spanrs\nVersion: {number}\nLicense-Expression: MIT OR Apache-2.0\n"
        f"{licenses}Requires-Python: >=3.11\n"
    ).encode()


def bill_of_materials() -> dict[str, Any]:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    components = [{"name": item["name"], "version": item["version"]} for item in lock["package"]]
    return {"bomFormat": "CycloneDX", "components": components}


@pytest.fixture
def wheel(checks, tmp_path):
    number = checks.version()
    info = f"spanrs-{number}.dist-info"

    def make(
        change: Change = lambda files: None,
        tags: str = "cp311-cp311",
        platform: str = "manylinux_2_17_x86_64",
        record: Change = lambda files: None,
    ) -> Path:
        package = ROOT / "python" / "spanrs"
        files = {
            f"spanrs/{path.relative_to(package).as_posix()}": b""
            for path in package.rglob("*")
            if path.suffix in (".py", ".pyi", ".typed", ".html", ".css", ".js")
        }
        files["spanrs/_spanrs.cpython-311-x86_64-linux-gnu.so"] = b"\0GLIBC_2.17\0GLIBC_2.2.5\0"
        files[f"{info}/METADATA"] = metadata(number)
        files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nTag: {tags}-{platform}\n".encode()
        for name in checks.LICENSES:
            files[f"{info}/licenses/{name}"] = b""
        files[f"{info}/sboms/spanrs-py.cyclonedx.json"] = json.dumps(bill_of_materials()).encode()
        files[f"{info}/RECORD"] = b""
        change(files)
        rows = []
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(
                f"{name},,\n" if name.endswith("/RECORD") else f"{name},sha256={digest},{len(content)}\n"
            )
        files[f"{info}/RECORD"] = "".join(rows).encode()
        record(files)
        path = tmp_path / f"spanrs-{number}-{tags}-{platform}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    return make


def test_a_good_wheel_has_no_problems(checks, wheel):
    assert checks.check(wheel(), "cp311") == []


def test_a_wheel_of_the_stable_abi_is_refused(checks, wheel):
    problems = checks.check(wheel(tags="cp311-abi3"), "cp311")
    assert problems == ["the tags cp311-abi3 are not those of one version of CPython"]


def test_a_wheel_of_another_python_is_refused_unless_any_will_do(checks, wheel):
    assert checks.check(wheel(), "cp313") == ["is for cp311, and the interpreter at hand is cp313"]
    assert checks.check(wheel(), None) == []


def test_the_extension_has_the_tags_of_the_wheel(checks, wheel):
    def rename(files):
        files["spanrs/_spanrs.abi3.so"] = files.pop("spanrs/_spanrs.cpython-311-x86_64-linux-gnu.so")

    (problem,) = checks.check(wheel(rename), "cp311")
    assert problem.startswith("has the libraries ['spanrs/_spanrs.abi3.so'], not one named")


def test_symbols_newer_than_the_tag_are_found(checks, wheel):
    def newer(files):
        files["spanrs/_spanrs.cpython-311-x86_64-linux-gnu.so"] = b"\0GLIBC_2.2.5\0GLIBC_2.34\0"

    assert checks.check(wheel(newer), "cp311") == ["needs glibc 2.34, but its tag promises 2.17"]


def test_a_wheel_without_a_portable_platform_is_refused(checks, wheel):
    (problem,) = checks.check(wheel(platform="linux_x86_64"), "cp311")
    assert problem == "the platform linux_x86_64 is none that PyPI takes; build in a manylinux image"


@pytest.mark.parametrize(
    "name",
    [
        "spanrs/py.typed",
        "spanrs/_spanrs.pyi",
        "spanrs/report/templates/page.html",
        "spanrs/cli/__init__.py",
    ],
)
def test_missing_files_are_found(checks, wheel, name):
    assert checks.check(wheel(lambda files: files.pop(name)), "cp311") == [f"{name} is missing"]


@pytest.mark.parametrize(
    "name",
    ["tests/test_ci.py", "spanrs/notes.txt", "spanrs/__pycache__/errors.cpython-311.pyc", "Cargo.lock"],
)
def test_stray_files_are_found(checks, wheel, name):
    problems = checks.check(wheel(lambda files: files.update({name: b""})), "cp311")
    assert problems == [f"{name} does not belong in a wheel"]


def test_missing_licences_are_found(checks, wheel):
    info = f"spanrs-{checks.version()}.dist-info"
    problems = checks.check(wheel(lambda files: files.pop(f"{info}/licenses/LICENSE-MIT")), "cp311")
    assert problems == ["the licence LICENSE-MIT is missing"]


def test_the_bill_of_materials_lists_the_crates_of_the_lock_file(checks, wheel):
    path = f"spanrs-{checks.version()}.dist-info/sboms/spanrs-py.cyclonedx.json"
    (problem,) = checks.check(wheel(lambda files: files.pop(path)), "cp311")
    assert problem.startswith("has 0 bills of materials of the crates")
    bill = bill_of_materials()
    bill["components"] = [item for item in bill["components"] if item["name"] != "pyo3"]
    bill["components"].append({"name": "numpy", "version": "99.0.0"})
    problems = checks.check(wheel(lambda files: files.update({path: json.dumps(bill).encode()})), "cp311")
    assert problems == [
        f"{path} has numpy 99.0.0, which is not in Cargo.lock",
        f"{path} does not list the crate pyo3",
    ]
    spdx = json.dumps({"spdxVersion": "SPDX-2.3"}).encode()
    problems = checks.check(wheel(lambda files: files.update({path: spdx})), "cp311")
    assert problems == [f"{path} is not in the format CycloneDX"]


def test_files_that_the_record_does_not_know_are_found(checks, wheel):
    path = wheel(
        record=lambda files: files.update({"spanrs/errors.py": b"changed", "spanrs/_extra.py": b""})
    )
    problems = checks.check(path, "cp311")
    assert "spanrs/_extra.py is not in RECORD" in problems
    assert "spanrs/errors.py has another hash than in RECORD" in problems


def test_a_wheel_that_is_too_large_is_refused(checks, wheel, monkeypatch):
    monkeypatch.setattr(checks, "WHEEL_LIMIT", 10)
    (problem,) = checks.check(wheel(), "cp311")
    assert problem.endswith("more than 10 (.ci/check_wheel.py)")


@pytest.mark.parametrize(
    ("platform", "name"),
    [
        ("manylinux2014_aarch64", "_spanrs.cpython-313-aarch64-linux-gnu.so"),
        ("musllinux_1_2_x86_64", "_spanrs.cpython-313-x86_64-linux-musl.so"),
        ("macosx_11_0_arm64", "_spanrs.cpython-313-darwin.so"),
        ("win_arm64", "_spanrs.cp313-win_arm64.pyd"),
    ],
)
def test_every_platform_names_the_extension_its_own_way(checks, platform, name):
    import re

    assert re.fullmatch(checks.extension_pattern("cp313", platform), name)


def test_a_source_distribution_has_what_a_build_needs_and_nothing_that_was_built(checks, tmp_path):
    root = f"spanrs-{checks.version()}"
    path = tmp_path / f"{root}.tar.gz"
    names = [name for name in checks.SOURCES if name != "Cargo.lock"] + ["python/spanrs/_spanrs.abi3.so"]
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            content = metadata(checks.version()) if name == "PKG-INFO" else b""
            member = tarfile.TarInfo(f"{root}/{name}")
            member.size = len(content)
            archive.addfile(member, BytesIO(content))
    assert checks.check(path, None) == [
        "Cargo.lock is missing",
        f"{root}/python/spanrs/_spanrs.abi3.so does not belong in a source distribution",
    ]
