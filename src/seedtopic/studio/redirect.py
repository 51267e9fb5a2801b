"""Open a page whose address holds a secret, without the secret in the command that starts the browser.

Every user of a machine can see the arguments of all commands. So the browser is given the path of a file that
only this user can read, and that leads to the address.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from seedtopic.html.escaping import escape


@contextmanager
def redirect_file(address: str) -> Iterator[Path]:
    """Write a page that leads to an address, readable by this user only, and remove it in the end."""
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>seedtopic studio</title>'
        '<meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={escape(address)}">'
        f'<a href="{escape(address)}">Open the studio</a></html>\n'
    )
    with TemporaryDirectory(prefix="seedtopic-") as folder:  # which nobody else can enter
        path = Path(folder, "studio.html")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(page)
        yield path
