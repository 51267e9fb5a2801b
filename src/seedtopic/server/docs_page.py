"""The documentation page of the API: self-contained, with forms to try each request."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from seedtopic.show.html import escape

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de;
  --band: #f6f8fa; --accent: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --text: #e6e9ed; --quiet: #a3adb8;
  --line: #3a424c; --band: #1d232a; --accent: #7db4f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem clamp(.8rem, 3vw, 2rem) 4rem;
  background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
.wide { overflow-x: auto; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.2em; border-top: 1px solid var(--line);
  padding-top: 1em; } h3 { font-size: 1rem; }
code, pre, textarea { font: .9rem/1.45 ui-monospace, monospace; }
pre, textarea { background: var(--band); color: var(--text); border: 1px solid var(--line);
  border-radius: 4px; padding: .6rem; width: 100%; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .92rem; } th, td { text-align: left; vertical-align: top;
  padding: .25em .9em .25em 0; border-bottom: 1px solid var(--line); } th { color: var(--quiet); }
button { font: inherit; padding: .3em 1.1em; border: 1px solid var(--accent); border-radius: 4px;
  background: var(--ground); color: var(--accent); cursor: pointer; }
a { color: var(--accent); } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
"""

# A response is shown as text, never as HTML. A token in the page's address, or the one that a studio in the
# same tab has kept, is sent with every request, and taken out of the address.
_SCRIPT = """
const KEY = "seedtopic.token";
let token = new URLSearchParams(location.hash.slice(1)).get("token")
  ?? new URLSearchParams(location.search).get("token");
if (token !== null) history.replaceState(null, "", location.pathname);
try { token ??= sessionStorage.getItem(KEY); } catch { /* no storage */ }
const secret = token ? { "X-Seedtopic-Token": token } : {};
for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const shown = form.querySelector("output");
    shown.textContent = "…";
    const body = form.elements.body;
    try {
      const given = body
        ? { method: "POST", headers: { "Content-Type": "application/json", ...secret }, body: body.value }
        : { headers: secret };
      const answer = await fetch(form.dataset.path, given);
      const text = await answer.text();
      let pretty = text;
      try { pretty = JSON.stringify(JSON.parse(text), null, 1); } catch { /* shown as it is */ }
      shown.textContent = answer.status + " " + answer.statusText + "\\n" + pretty;
    } catch (error) { shown.textContent = String(error); }
  });
}
"""


def _hashed(content: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"


# Allows this style and this script, by their hashes, requests to this server, and nothing else.
POLICY = (
    f"default-src 'none'; style-src {_hashed(_STYLE)}; script-src {_hashed(_SCRIPT)}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def docs_page(described: Mapping[str, Any]) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    described : mapping
        The description of `seedtopic.server.openapi`.

    Examples
    --------
    >>> from seedtopic.server.openapi import openapi
    >>> page = docs_page(openapi({"type": "object", "properties": {}}, {"type": "object", "properties": {}}))
    >>> "<h2>POST <code>/predict</code></h2>" in page
    True
    """
    title = f"{described['info']['title']} {described['info']['version']}"
    body = "\n".join(_parts(described))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n<p>{escape(described['info']['description'])} Machine-readable: "
        f'<a href="openapi.json">openapi.json</a>.</p>\n{body}\n</main>\n<script>{_SCRIPT}</script>\n'
        "</body>\n</html>\n"
    )


def _parts(described: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield f"<h2>{method.upper()} <code>{escape(path)}</code></h2>"
            yield f"<p>{escape(operation['summary'])}</p>"
            body = _schema_of(operation.get("requestBody"), described)
            if body:
                yield "<h3>Request</h3>" + _fields(body)
            answer = _schema_of(operation["responses"]["200"], described)
            if answer:
                yield "<h3>Response</h3>" + _fields(answer)
            yield _statuses(operation, described)
            yield _form(path, body, operation["summary"])


def _schema_of(carrier: Mapping[str, Any] | None, described: Mapping[str, Any]) -> Mapping[str, Any] | None:
    media = (carrier or {}).get("content", {}).get("application/json", {})
    return _followed(media["schema"], described) if "schema" in media else None


def _followed(value: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in value:
        return value
    found: Any = described
    for step in value["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


def _fields(schema: Mapping[str, Any]) -> str:
    needed = schema.get("required", ())
    rows = [
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(_kind(field))}</td>"
        f"<td>{'required' if name in needed else ''}</td><td>{escape(field.get('description', ''))}</td></tr>"
        for name, field in schema["properties"].items()
    ]
    head = "<tr><th>name</th><th>kind</th><th>there</th><th></th></tr>"
    return f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'


def _kind(schema: Mapping[str, Any]) -> str:
    """Describe the type of a schema in words."""
    if "oneOf" in schema:
        return " or ".join(map(_kind, schema["oneOf"]))
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    said = " or ".join(kinds)
    if "items" in schema:
        said = f"array of {_kind(schema['items'])}"
    if "maxItems" in schema:
        said += f", {schema.get('minItems', 0):,} to {schema['maxItems']:,}"
    if "maxLength" in schema:
        said += f" of at most {schema['maxLength']:,} characters"
    return said


def _statuses(operation: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{escape(status)}</td><td>{escape(_followed(given, described)['description'])}</td></tr>"
        for status, given in sorted(operation["responses"].items())
    )
    return f"<details><summary>Statuses</summary><table>{rows}</table></details>"


def _form(path: str, body: Mapping[str, Any] | None, summary: str) -> str:
    field = ""
    if body:
        example = escape(json.dumps(body.get("examples", [{}])[0], indent=1))
        field = (
            f'<textarea name="body" rows="9" spellcheck="false" aria-label="Body of {escape(path)}">'
            f"{example}</textarea>"
        )
    return (
        f'<form data-path="{escape(path.removeprefix("/"))}">{field}<p><button aria-label="Try: '
        f'{escape(summary)}">Try it</button></p><pre><output aria-live="polite"></output></pre></form>'
    )
