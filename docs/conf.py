"""Settings of the site that `make docs` builds with Sphinx."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent  # The copy in target/site-source.

project = "spanrs"
author = "The spanrs authors"
project_copyright = author
version = release = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"][
    "package"
]["version"]

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
]
root_doc = "index"
exclude_patterns = ["_build"]

# Every link between pages, and every anchor, must lead somewhere: `make docs` turns warnings into errors.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# A name that several classes have, such as `type`, without its class.
suppress_warnings = ["myst.domains", "ref.python"]

# Notebooks are not run by the build: they contain their outputs, which the tests compare with those of a new run.
nb_execution_mode = "off"
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {
    "members": True,
    "inherited-members": "object, tuple, Sequence, Mapping, Exception",
}
autodoc_preserve_defaults = True
napoleon_google_docstring = False
# Types are prose ("list of str"), whose words are not names of the API.
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"spanrs {version}"
html_static_path = ["_static"]
html_extra_path = ["extra"]  # Reports, which are pages of their own.
html_css_files = ["spanrs.css"]
html_copy_source = False
html_show_sphinx = False
# Only fonts of the system and nothing from the network, so that a copy of the site can be read anywhere.
_FONTS = {
    "font-stack": "system-ui, sans-serif",
    "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', monospace",
}
html_theme_options = {"light_css_variables": _FONTS, "dark_css_variables": _FONTS}


def _types_as_prose(_app, _what, _name, _object, _options, lines: list[str]) -> None:
    """Move the types of attributes into their descriptions, so that their words do not become links."""
    types = {}
    for line in lines:
        if found := re.match(r":vartype (\w+): (.*)", line):
            types[found[1]] = found[2]
    kept = [line for line in lines if not line.startswith(":vartype ")]
    lines[:] = [
        re.sub(
            r"^:ivar (\w+): ",
            lambda found: f"{found[0]}*{types[found[1]]}*: " if found[1] in types else found[0],
            line,
        )
        for line in kept
    ]


def _short_names(app, env, node, contnode):
    """Resolve a name of the package, such as `spanrs.score`, which is documented in its module."""
    package, _, name = node.get("reftarget", "").rpartition(".")
    if package != "spanrs":
        return None
    domain = env.get_domain("py")
    candidates = (
        domain.resolve_xref(
            env, node["refdoc"], app.builder, node["reftype"], f"spanrs.{module}.{name}", node, contnode
        )
        for module in ("eval", "io", "tags", "errors")
    )
    return next(filter(None, candidates), None)


def setup(app) -> None:
    """Register the hooks; types are moved after napoleon has written them."""
    app.connect("autodoc-process-docstring", _types_as_prose, priority=900)
    app.connect("missing-reference", _short_names)
