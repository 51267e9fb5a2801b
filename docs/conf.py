"""How the pages in this folder become the documentation: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

from seedtopic import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "seedtopic"
author = "The seedtopic developers"
copyright = "2026, The seedtopic developers. MIT license"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "backticks",
    "command_pages",
    "mathml",
    "module_pages",
    "notebook_pages",
    "offline",
]
exclude_patterns = ["_build", "_ext", "**/.ipynb_checkpoints"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

default_role = (
    "named"  # a name in single backticks in a docstring: a link where there is something to link to
)
autodoc_typehints = "none"  # the docstrings say the types in words
autodoc_mock_imports = ["gensim", "torch"]  # of an extra that is large
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
# Types are words here, "ndarray of str", and no names to link to.
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "pydata_sphinx_theme"
html_title = "seedtopic"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_sidebars = {"*": [], "*/**": ["sidebar-nav-bs"]}  # a page that stands alone has no section to show
html_theme_options = {
    "logo": {"text": "seedtopic"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}

# Files that stand elsewhere in the repository and are shown here as pages.
SHOWN_HERE = {
    "experiments/README.md": "experiments.md",
    "benchmarks/README.md": "benchmarks.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}


def link_to_pages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let links to those files lead to their pages."""
    up = "../" * (docname.count("/") + 1)
    for file, page in SHOWN_HERE.items():
        source[0] = source[0].replace(f"]({up}{file}", f"](/{page}")


def hide_colons(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Keep napoleon from taking what stands before a colon in a property's docstring for its type."""
    if what == "property":
        lines[:] = [line.replace(":", "\0") for line in lines]


def show_colons(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Put them back."""
    lines[:] = [line.replace("\0", ":") for line in lines]


def setup(app: Sphinx) -> None:
    """Tell Sphinx of what is done here."""
    app.connect("autodoc-process-docstring", hide_colons, priority=400)  # before napoleon, which has 500
    app.connect("autodoc-process-docstring", show_colons, priority=600)
    app.connect("source-read", link_to_pages)
