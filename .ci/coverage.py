"""Measure which lines of the Rust crates the tests of both languages run, and write a record.

Run as ``make coverage``, or ``python .ci/coverage.py [--output FILE] [-- PYTEST ARGUMENTS]`` in an environment with the
group dev. Only the crates of the workspace are instrumented, so the dependencies of ``make develop`` are reused. It
needs llvm-profdata and llvm-cov that read what the compiler writes: ``rustup component add llvm-tools``, or a package
such as llvm-19. LLVM_BIN names their directory if they are not found.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "coverage"
#: Instrumented test binaries and modules are several times slower.
TIMEOUT = 900
WRAPPER = '#!/bin/sh\nexec "$@" -Cinstrument-coverage\n'
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


def run_python(arguments: list[str]) -> tuple[list[Path], bool]:
    """Build the extension and run the Python tests; return its file and whether they passed."""
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
    command = ["pytest", "--quiet", f"--timeout={TIMEOUT}", *arguments]
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=environment("python"), check=False
    )
    code = "import spanrs._spanrs as module; print(module.__file__)"
    file = run([sys.executable, "-c", code], cwd=ROOT, env=environment("build"))
    return [Path(file.strip())], done.returncode == 0


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


def main() -> int:
    """Measure, write the record and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    today = datetime.date.today().isoformat()
    parser.add_argument("--output", type=Path, default=ROOT / "benches" / "record" / f"{today}-coverage.md")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    options = parser.parse_args()
    tools = find_tools()
    shutil.rmtree(TARGET, ignore_errors=True)
    (rust, rust_passed), (python, python_passed) = run_rust(), run_python(options.pytest)
    # Without the module, the Rust tests do not cover the binding, and vice versa.
    sides = covered(tools, ["rust", "python"], rust + python)
    alone = [covered(tools, ["rust"], rust), covered(tools, ["python"], python)]
    version = run([tools / "llvm-cov", "--version"]).split("version ")[1].split()[0]
    compiler = run(["rustc", "--version"]).split("(")[0].strip()
    arguments = f" with `pytest {' '.join(options.pytest)}`" if options.pytest else ""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    text = f"""# {today}: lines of Rust that the tests run

`make coverage`{arguments} on {machine}, {compiler},
llvm-cov {version}, profile `develop`.

Lines with code in `rust/*/src`, tests inside the files included. Examples in doc comments, the fuzzers' inputs and
tests marked `slow` do not count.

{table(sides, alone)}
"""
    print(text)
    if not (rust_passed and python_passed):
        print("no record is written: there were failures", file=sys.stderr)
        return 1
    options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
