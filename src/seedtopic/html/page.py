"""A self-contained HTML page: nothing is fetched, only our own script runs; light and dark."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from seedtopic.html.escaping import escape

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de;
  --band: #f6f8fa; --bar: #2f6fb5; --for: 9 105 218; --against: 188 76 0; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --text: #e6e9ed; --quiet: #a3adb8;
  --line: #3a424c; --band: #1d232a; --bar: #6ba6e8; --for: 88 166 255; --against: 240 136 62; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem clamp(.8rem, 3vw, 2rem) 4rem;
  background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .6em 0 .4em; }
h2 { font-size: 1.2rem; margin: 2em 0 .5em; border-bottom: 1px solid var(--line); padding-bottom: .2em; }
h3 { font-size: 1rem; margin: 1.4em 0 .4em; }
p { margin: .5em 0; max-width: 50rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .25em .8em .25em 0;
  border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { font-weight: 600; color: var(--quiet); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
"""

# Should a text get past the escaping, the browser still runs and fetches nothing of it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """Return a whole page around a body of HTML; the script is the only one that the browser may run.

    Examples
    --------
    >>> whole = page("a < b", "<p>text</p>")
    >>> "<title>a &lt; b</title>" in whole, "<p>text</p>" in whole, "<script" in whole
    (True, True, False)
    """
    policy, running = _POLICY, ""
    if script:
        policy += f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        running = f"<script>{script}</script>\n"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n"
        f"<body>\n{body}\n{running}</body>\n</html>\n"
    )
