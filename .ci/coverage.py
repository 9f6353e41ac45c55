"""Measure which lines of the Rust crates and of the Python package the tests run, and write a record.

Run as ``make coverage``, or ``python .ci/coverage.py [--python-only] [--output FILE] [-- PYTEST ARGUMENTS]`` in an
environment with the groups dev and coverage. Rust is measured with the tests of both languages, Python (lines and
branches, other processes included) with the Python tests. With --python-only the installed module is used as it is.

Only the crates of the workspace are instrumented, so the dependencies of ``make develop`` are reused. It
needs llvm-profdata and llvm-cov that read what the compiler writes: ``rustup component add llvm-tools``, or a package
such as llvm-19. LLVM_BIN names their directory if they are not found.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "coverage"
#: Instrumented test binaries and modules are several times slower.
TIMEOUT = 900
WRAPPER = '#!/bin/sh\nexec "$@" -Cinstrument-coverage\n'
#: Tests that coverage.py itself breaks: it imports modules into every process that the tests start.
DESELECTED = ["tests/test_layers.py::test_importing_loads_nothing_heavy"]
#: Number of files in the list of those with the most lines that no test runs.
WORST = 10
SAMPLE = 'fn main() { println!("{}", std::env::args().count()); }\n'


def run(command: list[str | Path], **options: object) -> str:
    """Run a command, which must succeed, and return its standard output."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", **options).stdout


def folders() -> Iterator[Path]:
    """Yield the directories that may contain the LLVM tools, in order of preference."""
    if named := os.environ.get("LLVM_BIN"):
        yield Path(named)
        return
    host = next(line[6:] for line in run(["rustc", "-vV"]).splitlines() if line.startswith("host: "))
    yield Path(run(["rustc", "--print", "sysroot"]).strip()) / "lib" / "rustlib" / host / "bin"
    debian = sorted(
        Path("/usr/lib").glob("llvm-*/bin"), key=lambda path: -int(path.parent.name[5:].split(".")[0])
    )
    yield from debian
    if actual := shutil.which("llvm-profdata"):
        yield Path(actual).parent


def read_sample(tools: Path) -> bool:
    """Return whether the tools in a folder can read the profile of a small program."""
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        (room / "sample.rs").write_text(SAMPLE, encoding="utf-8")
        run(["rustc", "-Cinstrument-coverage", "sample.rs", "-o", "sample"], cwd=room)
        run([room / "sample"], cwd=room, env=os.environ | {"LLVM_PROFILE_FILE": "sample.profraw"})
        try:
            run([tools / "llvm-profdata", "merge", "sample.profraw", "-o", "sample.profdata"], cwd=room)
            run([tools / "llvm-cov", "report", "sample", "-instr-profile", "sample.profdata"], cwd=room)
        except (OSError, subprocess.CalledProcessError):
            return False
        return True


def find_tools() -> Path:
    """Return the directory with llvm-profdata and llvm-cov, or exit with advice on what to install."""
    tried = [folder for folder in folders() if (folder / "llvm-profdata").exists()]
    for folder in tried:
        if read_sample(folder):
            return folder
    version = next(line for line in run(["rustc", "-vV"]).splitlines() if line.startswith("LLVM"))
    raise SystemExit(
        f"no llvm-profdata and llvm-cov that read profiles of this rustc ({version}); tried "
        f"{', '.join(map(str, tried)) or 'none'}. Install them by `rustup component add llvm-tools`, or from the "
        "system's packages (llvm-19 or newer), or name their folder in LLVM_BIN"
    )


def environment(suite: str) -> dict[str, str]:
    """Return the environment of a build and its tests; profiles of one program are merged as it ends."""
    wrapper = TARGET / "rustc"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(WRAPPER, encoding="utf-8")
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    return os.environ | {
        "CARGO_INCREMENTAL": "0",
        "LLVM_PROFILE_FILE": str(TARGET / f"{suite}-%4m.profraw"),
        "RUSTC_WORKSPACE_WRAPPER": str(wrapper),
        "VIRTUAL_ENV": sys.prefix,
    }


def run_rust() -> tuple[list[Path], bool]:
    """Run the Rust tests; return their programs and whether they passed."""
    command = [
        "cargo",
        "test",
        "--workspace",
        "--exclude=spanrs-py",
        "--profile=develop",
        "--locked",
        "--quiet",
    ]
    # Examples in the documentation are compiled by rustdoc, which is not instrumented.
    command += ["--lib", "--tests"]
    built = run([*command, "--no-run", "--message-format=json"], cwd=ROOT, env=environment("build"))
    done = subprocess.run([*command, "--no-fail-fast"], cwd=ROOT, env=environment("rust"), check=False)
    messages = (json.loads(line) for line in built.splitlines() if line.startswith("{"))
    programs = [Path(message["executable"]) for message in messages if message.get("executable")]
    return programs, done.returncode == 0


def build_module() -> Path:
    """Build the instrumented extension, and return its file."""
    # What is installed then is neither `make setup` nor `make develop`.
    for mark in ("built", "developed", "released"):
        (Path(sys.prefix) / mark).unlink(missing_ok=True)
    command = [
        "maturin",
        "develop",
        "--quiet",
        "--profile=develop",
        "--features=example-matcher",
        "--group=build",
    ]
    subprocess.run([sys.executable, "-m", *command], cwd=ROOT, env=environment("build"), check=True)
    code = "import spanrs._spanrs as module; print(module.__file__)"
    return Path(run([sys.executable, "-c", code], cwd=ROOT, env=environment("build")).strip())


def run_python(arguments: list[str]) -> tuple[dict[str, Any], bool]:
    """Run the Python tests; return the JSON of coverage.py and whether the tests passed."""
    # The settings are in pyproject.toml. Processes with other working directories need the absolute path.
    env = environment("python") | {"COVERAGE_FILE": str(TARGET / "python-lines")}
    coverage = [sys.executable, "-m", "coverage"]
    command = [*coverage, "run", "-m", "pytest", "--quiet", f"--timeout={TIMEOUT}"]
    command += [*(f"--deselect={test}" for test in DESELECTED), *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, check=False)
    run([*coverage, "combine", "--quiet"], cwd=ROOT, env=env)
    run([*coverage, "json", "--quiet", "-o", TARGET / "python.json"], cwd=ROOT, env=env)
    return json.loads((TARGET / "python.json").read_text(encoding="utf-8")), done.returncode == 0


def covered(tools: Path, suites: list[str], programs: list[Path]) -> dict[str, list[int]]:
    """Return the lines of each crate and those that the suites run."""
    profile = TARGET / f"{'-'.join(suites)}.profdata"
    raw = [path for suite in suites for path in sorted(TARGET.glob(f"{suite}-*.profraw"))]
    run([tools / "llvm-profdata", "merge", "-sparse", *raw, "-o", profile])
    command = [tools / "llvm-cov", "export", "-summary-only", f"-instr-profile={profile}", programs[0]]
    for program in programs[1:]:
        command += ["-object", program]
    files = json.loads(run(command))["data"][0]["files"]
    crates: dict[str, list[int]] = {}
    for file in files:
        path = ROOT / file["filename"]
        if not path.is_relative_to(ROOT / "rust"):
            continue
        crate, folder = path.relative_to(ROOT / "rust").parts[:2]
        if folder == "src":
            lines = crates.setdefault(crate, [0, 0])
            lines[0] += file["summary"]["lines"]["count"]
            lines[1] += file["summary"]["lines"]["covered"]
    return dict(sorted(crates.items()))


def table(pair: dict[str, list[int]], alone: list[dict[str, list[int]]]) -> str:
    """Return the table of the record in Markdown."""
    rows = [
        "| crate | lines | run | % | % by Rust tests alone | % by Python tests alone |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for crates in (pair, *alone):
        crates["all"] = [sum(numbers) for numbers in zip(*crates.values(), strict=True)]
    for crate, (count, run_lines) in pair.items():
        shares = []
        for crates in alone:
            lines = crates.get(crate)
            shares.append(f"{100 * lines[1] / lines[0]:.1f}" if lines else "")
        rows.append(
            f"| {crate} | {count} | {run_lines} | {100 * run_lines / count:.1f} | {' | '.join(shares)} |"
        )
    return "\n".join(rows)


def share(part: int, whole: int) -> str:
    """Return a percentage, empty if there is nothing to cover."""
    return f"{100 * part / whole:.1f}" if whole else ""


def python_tables(measured: dict[str, Any]) -> tuple[str, str]:
    """Return the table of the Python packages and that of the files with the most lines that were not run."""
    packages: dict[str, list[int]] = {}
    files = []
    keys = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    for name, file in measured["files"].items():
        path = Path(name.replace("\\", "/").split("python/spanrs/", 1)[-1])
        numbers = [file["summary"][key] for key in keys]
        package = path.parts[0] if len(path.parts) > 1 else "other files"
        packages[package] = [
            a + b for a, b in zip(packages.get(package, [0, 0, 0, 0]), numbers, strict=True)
        ]
        files.append((path.as_posix(), *numbers))
    packages = dict(sorted(packages.items()))
    packages["all"] = [sum(numbers) for numbers in zip(*packages.values(), strict=True)]
    rows = ["| package | lines | run | % | branches | taken | % |", "|---|---:|---:|---:|---:|---:|---:|"]
    for package, (lines, run_lines, branches, taken) in packages.items():
        rows.append(
            f"| {package} | {lines} | {run_lines} | {share(run_lines, lines)} "
            f"| {branches} | {taken} | {share(taken, branches)} |"
        )
    worst = ["| file | lines | not run | % run | branches not taken |", "|---|---:|---:|---:|---:|"]
    files.sort(key=lambda file: (file[2] - file[1], file[0]))
    for name, lines, run_lines, branches, taken in files[:WORST]:
        worst.append(
            f"| {name} | {lines} | {lines - run_lines} | {share(run_lines, lines)} | {branches - taken} |"
        )
    return "\n".join(rows), "\n".join(worst)


def machine() -> str:
    """Return a description of the machine: system, processor, number of cores, version of Python."""
    model = platform.machine()
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        found = re.search(r"^model name\s*: (.+)$", cpu.read_text(encoding="utf-8"), re.MULTILINE)
        model = f"{model} ({found[1]})" if found else model
    return f"{platform.system()} {model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def python_part(measured: dict[str, Any]) -> str:
    """Return the section of the record on Python."""
    version = measured["meta"]["version"]
    packages, worst = python_tables(measured)
    return f"""## Python

Lines and branches of `python/spanrs` that the Python tests run, by coverage.py {version}. Processes that the tests
start are included, apart from those whose environment the tests replace.

{packages}

The {WORST} files with the most lines that no test runs:

{worst}
"""


def rust_part(tools: Path, programs: list[list[Path]]) -> str:
    """Return the section of the record on Rust, from the programs of the Rust tests and the module."""
    # Without the module, the Rust tests do not cover the binding, and vice versa.
    both = covered(tools, ["rust", "python"], [*programs[0], *programs[1]])
    alone = [
        covered(tools, [suite], files) for suite, files in zip(("rust", "python"), programs, strict=True)
    ]
    version = run([tools / "llvm-cov", "--version"]).split("version ")[1].split()[0]
    compiler = run(["rustc", "--version"]).split("(")[0].strip()
    return f"""## Rust

{compiler}, llvm-cov {version}, profile `develop`. Lines with code in `rust/*/src`, tests inside the files included.
Examples in doc comments, the fuzzers' inputs and tests marked `slow` do not count.

{table(both, alone)}

"""


def main() -> int:
    """Measure, write the record and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    today = datetime.date.today().isoformat()
    parser.add_argument("--output", type=Path, default=ROOT / "benches" / "record" / f"{today}-coverage.md")
    parser.add_argument("--python-only", action="store_true", help="measure only Python, without a build")
    parser.add_argument("pytest", nargs="*", default=["-n", "auto"], help="arguments for pytest, after --")
    options = parser.parse_args()
    tools = None if options.python_only else find_tools()
    shutil.rmtree(TARGET, ignore_errors=True)
    rust, rust_passed, module = [], True, None
    if tools is not None:
        (rust, rust_passed), module = run_rust(), build_module()
    measured, python_passed = run_python(options.pytest)
    command = f"python .ci/coverage.py --python-only -- {' '.join(options.pytest)}"
    if tools is not None:
        command = f"make coverage` with `pytest {' '.join(options.pytest)}"
    text = f"# {today}: lines that the tests run\n\n`{command}` on {machine()}.\n\n"
    if tools is not None and module is not None:
        text += rust_part(tools, [rust, [module]])
    text += python_part(measured)
    print(text)
    if not (rust_passed and python_passed):
        print("no record is written: there were failures", file=sys.stderr)
        return 1
    options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
