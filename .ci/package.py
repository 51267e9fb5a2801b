"""Build sdist and wheel as a release would, look into them, and run the demo from the wheel alone."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
GENERATED = re.compile(r"PKG-INFO|setup\.cfg|src/seedtopic\.egg-info/.*")
TABLE = re.compile(
    r"(?:src/)?seedtopic/meaning/(english\.(npy|txt|json)|NOTICE\.md|APACHE-2\.0\.txt)"
)  # of word vectors
CODE = re.compile(rf"seedtopic/.*\.(py|pyi|toml|html|css|js|svg|so|pyd)|seedtopic/py\.typed|{TABLE.pattern}")
ABOUT = re.compile(r"seedtopic-[^/]+\.dist-info/.*")
SECRET = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|AKIA[0-9A-Z]{16}|ghp_\w{36}|pypi-AgEI\w{16}")
LARGEST = 1_000_000  # bytes; a corpus or a model would be larger
LARGEST_TABLE = 12_000_000


def main() -> None:
    """Stop at the first thing that is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "build", "--outdir", folder, str(ROOT))
        (sdist,), (wheel,) = Path(folder).glob("*.tar.gz"), Path(folder).glob("*.whl")
        check_sdist(sdist)
        check_wheel(wheel)
        environment = Path(folder, "empty")
        venv.create(environment, with_pip=True)
        python = str(environment / "bin" / "python")
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
        run(python, "-m", "seedtopic", "demo", "--quiet", "-o", "labels.csv", cwd=folder)
        labels = len(Path(folder, "labels.csv").read_text(encoding="utf-8").splitlines())
        if labels < 1000:
            sys.exit(f"the demo labelled {labels} lines only")
        print(f"{sdist.name} and {wheel.name} are in order; the demo ran from the wheel")  # noqa: T201


def check_sdist(sdist: Path) -> None:
    """Refuse files that are not in the repository, and what looks like data or a secret."""
    tracked = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines())
    with tarfile.open(sdist) as archive:
        for member in archive.getmembers():
            name = member.name.partition("/")[2]
            if not member.isfile():
                continue
            if name not in tracked and not GENERATED.fullmatch(name):
                sys.exit(f"the sdist holds {name}, which is not in the repository")
            content = archive.extractfile(member).read()
            largest = LARGEST_TABLE if TABLE.fullmatch(name) else LARGEST
            if member.size > largest or SECRET.search(content):
                sys.exit(f"the sdist holds {name}, which looks like data or a secret")


def check_wheel(wheel: Path) -> None:
    """Refuse anything in the wheel but the package."""
    for name in zipfile.ZipFile(wheel).namelist():
        if not CODE.fullmatch(name) and not ABOUT.fullmatch(name):
            sys.exit(f"the wheel holds {name}, which is no part of the package")


def run(*command: str, cwd: str | None = None) -> None:
    """Run a command; its output is shown only when it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
