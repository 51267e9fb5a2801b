"""The role of single backticks in docstrings: a link where the name is documented, code where it is not.

A name that begins with the package's own must exist; anything else may be a parameter, say.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PyXRefRole
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

PACKAGE = "seedtopic."


class Named(PyXRefRole):
    """A reference that may lead nowhere."""

    def process_link(
        self, env: BuildEnvironment, refnode: nodes.Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        """Mark the reference, and let the Python domain look it up as any object."""
        refnode["refdomain"], refnode["reftype"] = "py", "obj"
        refnode["may_lead_nowhere"] = not target.startswith(PACKAGE)
        return super().process_link(env, refnode, has_explicit_title, title, target)


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.TextElement
) -> nodes.Node | None:
    """Look the name up among what the package exports, and leave it as code where it is not there."""
    if not node.get("may_lead_nowhere"):
        return None
    objects = env.get_domain("py").objects  # type: ignore[attr-defined]
    found = objects.get(PACKAGE + node["reftarget"])
    if found is None or found.objtype == "module":  # which a parameter may be called like
        return shown
    return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, shown)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the role."""
    app.add_role("named", Named())
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
