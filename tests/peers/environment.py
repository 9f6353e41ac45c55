"""Virtual environments, one for each peer, outside the environment of the gate."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Environments and sources of the peers; ignored by git.
PLACE = ROOT / ".venv-peers"


class Environment:
    """A virtual environment that is created on first use."""

    def __init__(self, name: str, packages: tuple[str, ...], *, spanrs: bool = False) -> None:
        self.name, self.packages, self.spanrs = name, packages, spanrs
        self.folder = PLACE / name
        self.python = self.folder / "bin" / "python"

    def create(self) -> None:
        """Create the environment and install the packages, unless this has been done; spanrs is linked."""
        done = self.folder / "packages.txt"
        wanted = "\n".join((*self.packages, f"spanrs {self.spanrs}"))
        if done.exists() and done.read_text() == wanted:
            return
        venv.create(self.folder, clear=True, with_pip=True)
        if self.packages:
            self.run(
                "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *self.packages, check=True
            )
        if self.spanrs:
            # The package is built once, by `make develop`; its own dependencies come from the index.
            self.run(
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "click",
                "numpy",
                "rich",
                check=True,
            )
            site = next((self.folder / "lib").glob("python*/site-packages"))
            (site / "spanrs_linked.pth").write_text(f"{ROOT / 'python'}\n")
        done.write_text(wanted)

    def run(self, *args: str, check: bool = False, **options: object) -> subprocess.CompletedProcess[str]:
        """Run Python with arguments; ``check`` raises an error with the output if it fails."""
        done = subprocess.run(  # type: ignore[call-overload]
            [str(self.python), *args], capture_output=True, text=True, check=False, **options
        )
        if check and done.returncode:
            raise SystemExit(f"{self.name}: {' '.join(args)} failed:\n{done.stdout}{done.stderr}")
        return done


def source(package: str) -> Path:
    """Return the folder of a source archive from the package index, such as ``seqeval==1.2.2``."""
    name, _, version = package.partition("==")
    folder = PLACE / "sources" / f"{name}-{version}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*download, "--dest", str(folder.parent), package], check=True)
        [archive] = [path for path in folder.parent.glob("*.tar.gz") if _same(path.name, name, version)]
        subprocess.run(["tar", "xzf", str(archive), "-C", str(folder.parent)], check=True)
        [unpacked] = [
            path for path in folder.parent.iterdir() if path.is_dir() and _same(path.name, name, version)
        ]
        if unpacked != folder:
            unpacked.rename(folder)
    return folder


def _same(file: str, name: str, version: str) -> bool:
    return file.removesuffix(".tar.gz").replace("_", "-").lower() == f"{name}-{version}".lower()
