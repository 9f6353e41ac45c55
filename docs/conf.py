"""Settings of the site that `make docs` builds with Sphinx."""

from __future__ import annotations

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
suppress_warnings = ["myst.domains"]

# Outputs of notebooks are stored in the notebooks and held against a new run by the tests.
nb_execution_mode = "off"
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "inherited-members": True, "show-inheritance": False}
autodoc_preserve_defaults = True
napoleon_google_docstring = False
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
