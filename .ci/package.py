"""Build sdist and wheels as a release does, look into them, and label documents with the wheels alone."""

from __future__ import annotations

import csv
import os
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
    r"(?:src/)?seedtopic/knowledge/(english\.(npy|txt|json)|NOTICE\.md|APACHE-2\.0\.txt)"
)  # of word vectors
WORDS = r"seedtopic/knowledge/lexicon/\w+\.txt"  # for names of categories
CODE = re.compile(
    rf"seedtopic/.*\.(py|pyi|html|css|js|svg|so|pyd)|seedtopic/py\.typed|{WORDS}|{TABLE.pattern}"
)
ABOUT = re.compile(r"seedtopic-[^/]+\.dist-info/.*")
SECRET = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|AKIA[0-9A-Z]{16}|ghp_\w{36}|pypi-AgEI\w{16}")
LARGEST = 1_000_000  # bytes; a corpus or a model would be larger
LARGEST_TABLE = 12_000_000


def main() -> None:
    """Stop at the first thing that is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        sdist, wheel, pure = build(Path(folder))
        check_sdist(sdist)
        for each in (wheel, pure):
            check_wheel(each)
        run(sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel), str(pure))
        run(sys.executable, "-m", "check_wheel_contents", str(wheel), str(pure))
        venv.create(Path(folder, "empty"), with_pip=True)
        with_c = labels_of(wheel, "c", Path(folder))
        without = labels_of(pure, "numpy", Path(folder))
        if with_c != without:
            sys.exit(f"{wheel.name} and {pure.name} label the demo's documents differently")
        print(f"{sdist.name}, {wheel.name} and {pure.name} are in order")  # noqa: T201
        print(f"both wheels give the demo's {len(with_c)} documents the same labels")  # noqa: T201


def build(folder: Path) -> tuple[Path, Path, Path]:
    """Build the source, a wheel with the C kernel, and the wheel for systems without a compiler."""
    hosted = {"GITHUB_REPOSITORY": "somebody/seedtopic"}
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), SEEDTOPIC_KERNEL="c", **hosted)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder))
    run(*pip, str(sdist), SEEDTOPIC_KERNEL="numpy", CC="there-is-no-compiler", **hosted)
    (pure,) = folder.glob("*-none-any.whl")
    return sdist, wheel, pure


def labels_of(wheel: Path, kernel: str, folder: Path) -> list[str]:
    """Install a wheel in the empty environment, label a file and run the demo: the labels of the demo."""
    python = str(folder / "empty" / "bin" / "python")
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall")
    run(*pip, *([] if kernel == "c" else ["--no-deps"]), str(wheel))
    seedtopic = (python, "-m", "seedtopic")
    counter = "c" if kernel == "c" else "python"
    if f"kernel: {kernel}, word counter: {counter})" not in run(*seedtopic, "--version"):
        sys.exit(f"{wheel.name} does not use the kernel {kernel} and count words in {counter}")
    Path(folder, "seeds.toml").write_text(
        'sports = ["team", "goal"]\nmoney = ["bank", "loan"]\n', encoding="utf-8"
    )
    Path(folder, "documents.csv").write_text("text\na late goal\nmy bank account\n", encoding="utf-8")
    run(*seedtopic, "label", "documents.csv", "--seeds", "seeds.toml", "-o", "few.csv", cwd=folder)
    if labels_in(folder / "few.csv") != ["sports", "money"]:
        sys.exit(f"{wheel.name} labels two documents as {labels_in(folder / 'few.csv')}")
    run(*seedtopic, "demo", "--quiet", "-o", "demo.csv", cwd=folder)
    return labels_in(folder / "demo.csv")


def labels_in(file: Path) -> list[str]:
    """Read what a command has labelled."""
    with open(file, encoding="utf-8", newline="") as lines:
        return [row["predicted"] for row in csv.DictReader(lines)]


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
    """Refuse anything in the wheel but the package, and a wheel that does not say where it comes from."""
    archive = zipfile.ZipFile(wheel)
    for name in archive.namelist():
        if not CODE.fullmatch(name) and not ABOUT.fullmatch(name):
            sys.exit(f"the wheel holds {name}, which is no part of the package")
    (about,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    if b"Project-URL: Source, https://github.com/somebody/seedtopic\n" not in archive.read(about):
        sys.exit(f"{wheel.name} does not name the repository that it was built for")


def run(*command: str, cwd: Path | None = None, **environment: str) -> str:
    """Run a command and give what it prints; all of its output is shown when it fails."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
