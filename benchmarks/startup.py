"""How long the command line takes to start: CPU seconds, beside ``import numpy`` in the same run.

    python benchmarks/startup.py [REPEATS]

What `label` imports comes with what it must import from other packages. To fit, it imports scikit-learn, too.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence

THIRD_PARTY = (
    "import sys, seedtopic.cli.label; "
    "own = {*sys.stdlib_module_names, 'seedtopic', '__main__'}; "
    "print(' '.join(name for name in sys.modules if name.split('.')[0] not in own))"
)


def cpu_seconds(arguments: Sequence[str]) -> float:
    """User and system seconds of one Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def third_party() -> str:
    """A program that imports what labelling needs from other packages, in the same order."""
    loaded = subprocess.run([sys.executable, "-c", THIRD_PARTY], check=True, capture_output=True, text=True)
    return (
        f"import importlib\nfor name in {loaded.stdout.split()!r}:\n"
        "    try: importlib.import_module(name)\n"
        "    except ImportError: pass"  # a name that a package made itself, not a file
    )


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    rows = {
        "python": ["-c", "pass"],
        "import numpy": ["-c", "import numpy"],
        "seedtopic --version": ["-m", "seedtopic", "--version"],
        "seedtopic --help": ["-m", "seedtopic", "--help"],
        "what label must import": ["-c", third_party()],
        "what label imports": ["-c", "import seedtopic.cli.label"],
        "and to fit": ["-c", "import seedtopic.cli.label, seedtopic.model.classifier"],
    }
    print(f"CPU seconds, median of {repeats}; load {os.getloadavg()[0]:.1f}")
    for name, arguments in rows.items():
        print(f"{name:24}{statistics.median(cpu_seconds(arguments) for _ in range(repeats)):7.2f}")


if __name__ == "__main__":
    main()
