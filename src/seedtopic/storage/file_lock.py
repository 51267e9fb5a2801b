"""Locks on open files and folders, which the system drops however their process ends."""

from __future__ import annotations

import errno
import os
import sys

if sys.platform != "win32":
    import fcntl


def lock(descriptor: int) -> None:
    """Lock an open file or folder until it is closed.

    The lock is known to all processes that see the file, in other containers too.

    Raises
    ------
    BlockingIOError
        When another has locked it.
    OSError
        When it cannot be locked: the file system or the operating system has no such locks.
    """
    if sys.platform == "win32":
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
