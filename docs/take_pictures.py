"""Takes the pictures of reports that the guides show: `make pictures`, which needs Chromium.

`docs/images/pictures.json` has a digest of the report in each picture, so that the tests notice a report that has
changed.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import run_guides

LIST = run_guides.IMAGES / "pictures.json"
#: The guide that writes the report of each picture, and the name of the report; :data:`FRAMES` has what it shows.
PICTURES = {
    "report.png": ("systems", "comparison.html"),
    "tuned.png": ("systems", "tuned.html"),
    "fair.png": ("fair", "fair.html"),
    "documents.png": ("mat", "documents.html"),
    "annotators.png": ("annotators", "annotators.html"),
    "projects.png": ("projects", "review.html"),
}
#: The only section of the report that a picture shows, if not all, and height of the picture in pixels.
FRAMES = {
    "report.png": ("", 1250),
    "tuned.png": ("#s5", 900),
    "fair.png": ("#s6", 1050),
    "annotators.png": ("", 1400),
    "projects.png": ("", 1700),
}
WIDTH, HEIGHT = 1100, 900
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def digest(report: bytes) -> str:
    """Return a digest of a report, whatever the version of spanrs that wrote it."""
    return hashlib.sha256(re.sub(rb"version:[\w.]+", b"version:", report)).hexdigest()


def main() -> None:
    """Take all pictures."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"pictures need one of {', '.join(BROWSERS)}")
    guides = {
        name: run_guides.run(run_guides.DOCS / "guides" / f"{name}.md") for name, _ in PICTURES.values()
    }
    digests = {}
    for picture, (guide, report) in PICTURES.items():
        content = guides[guide].files[report]
        section, height = FRAMES.get(picture, ("", HEIGHT))
        digests[picture] = digest(content)
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / report
            page.write_bytes(content)
            if section:
                style = f"<style>section:not(:has({section})), nav {{ display: none; }}</style></head>"
                page.write_bytes(content.replace(b"</head>", style.encode(), 1))
            command = [
                browser,
                "--headless",
                "--no-sandbox",
                "--hide-scrollbars",
                "--virtual-time-budget=2000",
                f"--window-size={WIDTH},{height}",
                f"--screenshot={run_guides.IMAGES / picture}",
                page.as_uri(),
            ]
            subprocess.run(command, check=True, capture_output=True)
    LIST.write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
