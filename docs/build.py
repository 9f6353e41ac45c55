"""Builds the site: `make docs`.

The pages of `docs/`, the records of benchmarks and the documents at the top of the repository are copied to
`target/site-source`, where links between them are those of the site. The guides that write a report are run, so that
the site has the report. Sphinx builds `target/site` from this copy, and every link of the site is followed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import run_guides

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
STAGED = ROOT / "target" / "site-source"
SITE = ROOT / "target" / "site"
#: Documents outside of `docs/` that are pages of the site, in the folder `project`.
PROJECT = (
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "rust/spanrs/README.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "benches" / "record").glob("*.md"))),
)
#: The page that lists the records, and the list of its pages for Sphinx.
RECORDS = Path("project/benches/record/README.md")
TOCTREE = "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
#: The guides whose reports (`-o report.html`) are in the folder `reports` of the site.
WITH_REPORTS = ("systems", "fair", "mat", "annotators")
#: Links of Markdown, without those to other sites.
LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]*)((?:#[^)\s]*)?)(?=\))")
#: Directives and fields of reStructuredText, and fences of MyST.
MARKUP = re.compile(
    r"\.\. (?:py:\w+|rubric|note)::|:(?:param|type|ivar|returns?|raises?)\b[^:\n]*: |:{3,}|`{3,}"
)
EXAMPLES = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def repository() -> str:
    """Return the address of a file of the repository, without its path."""
    package = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
    return f"{package['repository']}/blob/main/"


def page_of(path: Path) -> Path | None:
    """Return the place of a file of the repository among the pages of the site; None if it is not one."""
    if path.is_relative_to(DOCS) and path.suffix != ".py":
        return path.relative_to(DOCS)
    if path.is_relative_to(ROOT) and path.relative_to(ROOT).as_posix() in PROJECT:
        return Path("project") / path.relative_to(ROOT)
    return None


def rewrite_links(text: str, path: Path) -> str:
    """Return a page with the links of the site in place of those of the repository.

    Parameters
    ----------
    text : str
        The page, in Markdown.
    path : Path
        Its file in the repository.

    Raises
    ------
    ValueError
        If a link leads to a file that does not exist.
    """
    here = page_of(path)
    assert here is not None

    def rewritten(match: re.Match[str]) -> str:
        target, anchor = match.groups()
        if not target:
            return anchor
        file = Path(os.path.normpath(path.parent / target))
        if not file.exists():
            raise ValueError(f"{path.relative_to(ROOT)}: the link to {target} leads nowhere")
        page = page_of(file)
        if page is None or file.is_dir():
            return repository() + file.relative_to(ROOT).as_posix() + anchor
        return Path(os.path.relpath(page, here.parent)).as_posix() + anchor

    # Examples are left as they are.
    parts, end = [], 0
    for example in EXAMPLES.finditer(text):
        parts += [LINK.sub(rewritten, text[end : example.start()]), example.group()]
        end = example.end()
    return "".join([*parts, LINK.sub(rewritten, text[end:])])


def stage() -> None:
    """Copy all pages to the folder from which Sphinx builds the site."""
    shutil.rmtree(STAGED, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.py", "__pycache__")
    shutil.copytree(DOCS, STAGED, ignore=ignored)
    shutil.copy(DOCS / "conf.py", STAGED)
    for path in [*DOCS.rglob("*.md"), *(ROOT / name for name in PROJECT)]:
        page = page_of(path)
        assert page is not None
        (STAGED / page).parent.mkdir(parents=True, exist_ok=True)
        text = rewrite_links(path.read_text(encoding="utf-8"), path)
        if page == RECORDS:
            text += TOCTREE
        (STAGED / page).write_text(text, encoding="utf-8")
    reports = STAGED / "extra" / "reports"
    reports.mkdir(parents=True)
    for name in WITH_REPORTS:
        for report, content in run_guides.run(DOCS / "guides" / f"{name}.md").files.items():
            (reports / report).write_bytes(content)


#: Elements whose text is code.
CODE = ("pre", "code")


class Page(HTMLParser):
    """Collects the anchors and links of a page, and the resources that it loads."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.resources: list[str] = []
        #: Directives that were not understood and are shown as text.
        self.markup: list[str] = []
        #: Number of open elements whose text is code.
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the attributes that name an anchor, a link or a resource."""
        self._code += tag in CODE
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name == "href" and value and tag == "a":
                self.links.append(value)
            elif name in ("src", "href") and value:
                self.resources.append(value)

    def handle_endtag(self, tag: str) -> None:
        """Count the end of code."""
        self._code -= tag in CODE

    def handle_data(self, data: str) -> None:
        """Collect markup that is shown as text; code may contain any."""
        if not self._code:
            self.markup += MARKUP.findall(data)


def faults(site: Path) -> Iterator[str]:
    """Yield links that lead nowhere, resources that would be loaded from the network, and markup shown as text."""
    pages: dict[Path, Page] = {}
    for path in sorted(site.rglob("*.html")):
        page = pages[path] = Page()
        page.feed(path.read_text(encoding="utf-8"))
    for path, page in pages.items():
        for text in page.markup:
            yield f"{path.relative_to(site)}: {text} is shown as text"
        for target in [*page.links, *page.resources]:
            url = urlsplit(target)
            if url.scheme in ("data", "mailto"):
                continue
            if url.scheme or url.netloc:
                if target in page.resources:
                    yield f"{path.relative_to(site)}: {target} is loaded from the network"
                continue
            file = Path(os.path.normpath(path.parent / unquote(url.path))) if url.path else path
            if file.is_dir():
                file /= "index.html"
            anchor = unquote(url.fragment)
            if not file.is_file() or (anchor and file in pages and anchor not in pages[file].anchors):
                yield f"{path.relative_to(site)}: {target} leads nowhere"


def main() -> None:
    """Build the site, and exit with status 1 if Sphinx warns or the site has a fault."""
    try:
        stage()
    except ValueError as error:
        sys.exit(f"docs: {error}")
    shutil.rmtree(SITE, ignore_errors=True)
    # All warnings are shown before the build fails.
    options = [
        "-b",
        "html",
        "-d",
        str(SITE.with_name("site-cache")),
        "-j",
        "auto",
        "-q",
        "-W",
        "--keep-going",
    ]
    built = subprocess.run([sys.executable, "-m", "sphinx", *options, str(STAGED), str(SITE)], check=False)
    found = list(faults(SITE))
    if found:
        sys.stderr.write("\n".join(["docs: faults of the site:", *found, ""]))
    if built.returncode or found:
        sys.exit(1)
    sys.stdout.write(f"{(SITE / 'index.html').relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
