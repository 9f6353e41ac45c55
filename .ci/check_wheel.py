"""Check wheels and source distributions before they are published.

Run as ``python .ci/check_wheel.py dist/*`` with the standard library alone. Exit status 1 and one line for each
problem, if there are any. The symbols of Linux wheels are checked by auditwheel as well, where that is installed.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import importlib.util
import io
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

#: Maximum size of a wheel and of a source distribution, in bytes.
WHEEL_LIMIT = 12_000_000
SDIST_LIMIT = 4_000_000

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "spanrs"

#: Patterns of the paths that a wheel may contain in addition to the Python files of the package.
ALLOWED = [
    "spanrs/_spanrs.pyi",
    "spanrs/py.typed",
    "spanrs/*/templates/*.css",
    "spanrs/*/templates/*.html",
    "spanrs/*/templates/*.js",
    "*.dist-info/METADATA",
    "*.dist-info/RECORD",
    "*.dist-info/WHEEL",
    "*.dist-info/entry_points.txt",
    "*.dist-info/licenses/LICENSE*",
    "*.dist-info/sboms/*.json",
]
LICENSES = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]
#: Path components that are not allowed in either kind of distribution.
STRAY = [
    "__pycache__",
    ".git",
    ".venv",
    "target",
    "corpus",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".DS_Store",
]
#: Files that a source distribution needs to be built and tried.
SOURCES = [
    *LICENSES,
    "Cargo.lock",
    "Cargo.toml",
    "PKG-INFO",
    "README.md",
    "examples/gold.conll",
    "examples/pred.conll",
    "pyproject.toml",
    "python/spanrs/__init__.py",
    "python/spanrs/_spanrs.pyi",
    "python/spanrs/py.typed",
    "rust/spanrs-py/Cargo.toml",
]


def version() -> str:
    """Return the version of the workspace."""
    match = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise SystemExit("Cargo.toml: no version")
    return match[1]


def check_size(path: Path, limit: int) -> Iterator[str]:
    """Yield a problem if a file is larger than its limit."""
    size = path.stat().st_size
    print(f"{path.name}: {size / 1e6:.2f} MB of at most {limit / 1e6:.0f} MB")
    if size > limit:
        yield f"is {size:,} bytes, more than {limit:,} (.ci/check_wheel.py)"


def check_metadata(text: str) -> Iterator[str]:
    """Yield problems of METADATA or PKG-INFO."""
    metadata = HeaderParser().parsestr(text)
    expected = {"Name": "spanrs", "Version": version(), "License-Expression": "MIT OR Apache-2.0"}
    for key, value in expected.items():
        if metadata[key] != value:
            yield f"metadata has {key}: {metadata[key]}, not {value}"
    if metadata["Requires-Python"] is None:
        yield "metadata has no Requires-Python"
    missing = set(LICENSES) - set(metadata.get_all("License-File", []))
    if missing:
        yield f"metadata does not name the licences {sorted(missing)}"


def check_record(wheel: zipfile.ZipFile, info: str) -> Iterator[str]:
    """Yield files that are missing in RECORD, only exist in RECORD, or have another hash."""
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode()))}
    names = {name for name in wheel.namelist() if not name.endswith("/")}
    for name in sorted(names ^ set(rows)):
        yield f"{name} is {'not in RECORD' if name in names else 'in RECORD only'}"
    for name in sorted(names & set(rows) - {f"{info}/RECORD"}):
        digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
        if rows[name][0] != f"sha256={digest}":
            yield f"{name} has another hash than in RECORD"


def check_sbom(wheel: zipfile.ZipFile, info: str) -> Iterator[str]:
    """Yield problems of the software bill of materials (PEP 770): missing crates, and versions not in Cargo.lock."""
    names = [
        name for name in wheel.namelist() if re.fullmatch(rf"{info}/sboms/[\w-]+\.cyclonedx\.json", name)
    ]
    if len(names) != 1:
        yield f"has {len(names)} bills of materials of the crates (.dist-info/sboms), not one; build with maturin 1.13"
        return
    bill = json.loads(wheel.read(names[0]))
    if bill.get("bomFormat") != "CycloneDX":
        yield f"{names[0]} is not in the format CycloneDX"
        return
    crates = {(item["name"], item["version"]) for item in bill["components"]}
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    locked = {(item["name"], item["version"]) for item in lock["package"]}
    for name, number in sorted(crates - locked):
        yield f"{names[0]} has {name} {number}, which is not in Cargo.lock"
    direct = next(item["dependencies"] for item in lock["package"] if item["name"] == "spanrs-py")
    for name in sorted({entry.split()[0] for entry in direct} - {name for name, _ in crates}):
        yield f"{names[0]} does not list the crate {name}"


def extension_pattern(python: str, platform: str) -> str:
    """Return the pattern that the file name of the extension has under a wheel's tags.

    `python` is a tag such as cp311, `platform` one such as manylinux_2_17_x86_64 or win_amd64.
    """
    number = python.removeprefix("cp")
    if platform.startswith("win"):
        return rf"_spanrs\.cp{number}-{platform}\.pyd"
    if platform.startswith("macosx"):
        return rf"_spanrs\.cpython-{number}-darwin\.so"
    libc = "musl" if platform.startswith("musllinux") else "gnu"
    machine = re.sub(r"^(manylinux|musllinux)_\d+_\d+_|^manylinux\d+_|^linux_", "", platform)
    return rf"_spanrs\.cpython-{number}-{machine}-linux-{libc}\.so"


def check_contents(names: list[str], pattern: str) -> Iterator[str]:
    """Yield files that are missing in a wheel, and those that do not belong there."""
    sources = {
        f"spanrs/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".so", ".pyd", ".pdb")
    }
    for name in sorted(sources - set(names)):
        yield f"{name} is missing"
    extensions = [name for name in names if name.endswith((".so", ".pyd", ".dylib", ".dll"))]
    if len(extensions) != 1 or not re.fullmatch(f"spanrs/{pattern}", extensions[0]):
        yield f"has the libraries {extensions}, not one named spanrs/{pattern}"
    for name in names:
        is_allowed = (
            name in sources or name in extensions or any(fnmatch(name, allowed) for allowed in ALLOWED)
        )
        if not is_allowed or set(PurePosixPath(name).parts) & {*STRAY, "tests", "benches"}:
            yield f"{name} does not belong in a wheel"
    for file in LICENSES:
        if not any(name.endswith(f".dist-info/licenses/{file}") for name in names):
            yield f"the licence {file} is missing"


def check_symbols(library: bytes, platform: str) -> Iterator[str]:
    """Yield the newest version of glibc's symbols in an extension, if its platform tag promises an older one."""
    match = re.match(r"manylinux_(\d+)_(\d+)_", platform)
    legacy = {"manylinux2014": (2, 17), "manylinux2010": (2, 12), "manylinux1": (2, 5)}.get(
        platform.split("_", maxsplit=1)[0]
    )
    if match is None and legacy is None:
        return
    limit = (int(match[1]), int(match[2])) if match else legacy
    symbols = re.findall(rb"(?<=\0)GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)", library)
    newest = max(((int(major), int(minor)) for major, minor in symbols), default=(0, 0))
    if newest > limit:
        yield f"needs glibc {newest[0]}.{newest[1]}, but its tag promises {limit[0]}.{limit[1]}"


def check_auditwheel(path: Path) -> Iterator[str]:
    """Yield the objections of auditwheel to the tag of a wheel."""
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", str(path)], capture_output=True, text=True, check=False
    )
    text = " ".join(shown.stdout.split())
    match = re.search(r'following platform tag: "((?:many|musl)?linux_(?:(\d+)_(\d+)_)?\w+)"', text)
    tag = re.search(r"-(many|musl)linux_(\d+)_(\d+)_", path.name)
    if match is None:
        yield f"auditwheel failed: {shown.stderr.strip() or text}"
    elif tag is None or match[2] is None or (int(match[2]), int(match[3])) > (int(tag[2]), int(tag[3])):
        yield f"auditwheel finds it consistent with {match[1]} only"


def check_wheel(path: Path, python: str | None) -> Iterator[str]:
    """Yield the problems of a wheel; `python` is the tag that it must have, such as cp311."""
    parts = path.stem.split("-")
    if len(parts) != 5:
        yield "the file name is not NAME-VERSION-PYTHON-ABI-PLATFORM.whl"
        return
    name, number, tag, abi, platforms = parts
    if (name, number) != ("spanrs", version()):
        yield f"the file name has {name} {number}, not spanrs {version()}"
    if not re.fullmatch(r"cp3\d\d", tag) or abi != tag:
        yield f"the tags {tag}-{abi} are not those of one version of CPython"
    elif python is not None and tag != python:
        yield f"is for {tag}, and the interpreter at hand is {python}"
    platform = platforms.split(".")[0]
    if re.match(r"linux_", platform):
        yield f"the platform {platform} is none that PyPI takes; build in a manylinux image"
    yield from check_size(path, WHEEL_LIMIT)
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if not name.endswith("/")]
        info = f"{name}-{number}.dist-info"
        lines = HeaderParser().parsestr(wheel.read(f"{info}/WHEEL").decode()).get_all("Tag", [])
        expected = {f"{tag}-{abi}-{platform}" for platform in platforms.split(".")}
        if set(lines) != expected:
            yield f"WHEEL has the tags {sorted(lines)}, and the file name {sorted(expected)}"
        yield from check_metadata(wheel.read(f"{info}/METADATA").decode())
        yield from check_record(wheel, info)
        yield from check_sbom(wheel, info)
        yield from check_contents(names, extension_pattern(tag, platform))
        for library in (name for name in names if name.endswith(".so")):
            for platform in platforms.split("."):
                yield from check_symbols(wheel.read(library), platform)
    if "linux" in platforms and sys.platform == "linux" and importlib.util.find_spec("auditwheel"):
        yield from check_auditwheel(path)


def check_sdist(path: Path) -> Iterator[str]:
    """Yield the problems of a source distribution."""
    yield from check_size(path, SDIST_LIMIT)
    root = f"spanrs-{version()}"
    if path.name != f"{root}.tar.gz":
        yield f"the file name is not {root}.tar.gz"
    with tarfile.open(path) as archive:
        names = [member.name for member in archive.getmembers() if not member.isdir()]
        if f"{root}/PKG-INFO" in names:
            yield from check_metadata(archive.extractfile(f"{root}/PKG-INFO").read().decode())
    for name in SOURCES:
        if f"{root}/{name}" not in names:
            yield f"{name} is missing"
    for name in names:
        built = name.endswith((".so", ".pyd", ".dylib", ".rlib", ".pyc"))
        if not name.startswith(f"{root}/") or built or set(PurePosixPath(name).parts) & set(STRAY):
            yield f"{name} does not belong in a source distribution"


def check(path: Path, python: str | None) -> list[str]:
    """Return the problems of a distribution file."""
    if path.suffix == ".whl":
        return list(check_wheel(path, python))
    if path.name.endswith(".tar.gz"):
        return list(check_sdist(path))
    return ["is neither a wheel nor a source distribution"]


def main() -> int:
    """Check the files of the command line and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--any-python", action="store_true", help="wheels may be for another version of CPython"
    )
    options = parser.parse_args()
    python = None if options.any_python else f"cp{sys.version_info.major}{sys.version_info.minor}"
    failed = False
    for path in options.files:
        for problem in check(path, python):
            print(f"{path.name}: {problem}", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
