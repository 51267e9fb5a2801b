"""Encryption by certificate files, for a server without a proxy in front of it."""

from __future__ import annotations

import ssl
from pathlib import Path

from seedtopic.base.errors import InputError


def tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Read a certificate and its key.

    Parameters
    ----------
    certificate, key : Path
        PEM files; the certificate comes first in its file, then those that sign it. The key has no password.

    Examples
    --------
    >>> tls_context(Path("cert.pem"), Path("key.pem"))
    Traceback (most recent call last):
        ...
    seedtopic.base.errors.InputError: the certificate cert.pem and the key key.pem cannot be used (No such...
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    load_certificate(context, certificate, key)
    return context


def load_certificate(context: ssl.SSLContext, certificate: Path, key: Path) -> None:
    """Read the certificate and its key, perhaps again: new connections use them."""
    try:
        context.load_cert_chain(certificate, key, password=lambda: "")  # rather than ask for one
    except (OSError, ValueError) as error:
        said = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise InputError(
            f"the certificate {certificate} and the key {key} cannot be used ({said}): "
            "give two PEM files that belong together, the key without a password."
        ) from None
