"""Texts from the user as HTML: any characters in them are shown as text."""

from __future__ import annotations

import html
import json
import re
from typing import Any

# Characters that HTML does not allow (control characters, unpaired surrogates), and characters that reverse
# the direction of the text after them, which could make one label look like another.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202d\u202e]")


def escape(text: str, quote: bool = True) -> str:
    """Escape a text so that a browser shows it as it is.

    Parameters
    ----------
    text
    quote
        Whether quotation marks are also escaped, as attributes need it.

    Examples
    --------
    >>> escape("a < b\\x00")
    'a &lt; b\ufffd'
    """
    return html.escape(_UNSEEN.sub("\ufffd", text), quote)


def json_block(name: str, value: Any) -> str:
    """Return an element that holds values for the script of a page.

    Examples
    --------
    >>> json_block("points", ["</script>"])
    '<script type="application/json" id="points">["\\\\u003c/script>"]</script>'
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    safe = _UNSEEN.sub("\ufffd", written).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{safe}</script>'
