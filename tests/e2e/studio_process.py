"""A studio in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path


class Studio:
    """A running ``seedtopic studio``, which can be killed and started again."""

    def __init__(self, documents: Path, output: Path) -> None:
        self.documents, self.output = documents, output
        self.port = 0
        self.start()

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "seedtopic",
            "studio",
            str(self.documents),
            "--no-browser",
            "--quiet",
        ]
        command += ["--output", str(self.output), "--port", str(self.port)]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        printed = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#token=\S+", printed)
        assert found, f"the studio printed {printed!r}"
        self.address, self.port = found[0], int(found[1])

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, if it has not ended yet."""
        with self.process:  # which closes its pipe
            self.process.send_signal(how)
            self.process.wait(timeout=30)
