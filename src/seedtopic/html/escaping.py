"""Texts from outside as HTML: whatever they hold, they are shown and nothing else."""

from __future__ import annotations

import html
import re

# What no page may hold (control characters, halves of surrogate pairs), and what would turn round the text
# that stands behind it, so that a label could seem to be another.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202d\u202e]")


def escape(text: str, quote: bool = True) -> str:
    """Write a text so that a browser shows it as it is.

    Parameters
    ----------
    text
    quote
        Whether quotation marks are escaped, too, as attributes need it.

    Examples
    --------
    >>> escape("a < b\\x00")
    'a &lt; b\ufffd'
    """
    return html.escape(_UNSEEN.sub("\ufffd", text), quote)
