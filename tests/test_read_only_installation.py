"""Where nothing may be written, the package is imported and works; it only compiles its functions anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import seedtopic

WORK = """
    from rights import without_rights

    with without_rights():
        import seedtopic
        import seedtopic_lab.medlda_kernel
        import seedtopic_lab.stm_kernel
        import seedtopic_lab.westclass.windows
        import seedtopic.web.studio.map

        texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
        model = seedtopic.SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
        print(*model.fit(texts).predict(["which rate?"]), seedtopic.__file__)
"""


def test_fits_without_a_place_for_compiled_functions(tmp_path: Path) -> None:
    package, home = tmp_path / "seedtopic", tmp_path / "home"
    shutil.copytree(
        Path(seedtopic.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "static")
    )
    home.mkdir()
    for folder in (home, package, *(path for path in package.rglob("*") if path.is_dir())):
        folder.chmod(0o555)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parent), kept.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(WORK)],
        env={**kept, "HOME": str(home), "PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"money {package / '__init__.py'}\n"
    assert done.stderr == ""
    assert not list(tmp_path.rglob("*.nbi"))
