"""Files that are no files: pipes, devices and loops of links; and values that are no numbers."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from seedtopic import InputError, Seeds, cli
from seedtopic.base.files import atomic_file, check_place
from seedtopic.io.rows import Rows
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft, History
from seedtopic.web.studio.quality import Quality
from seedtopic.web.studio.session import Session
from seedtopic.web.studio.workspace import read_workspace, write_workspace


def odd(path: Path, kind: str) -> Path:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path.with_name("other" + path.suffix))
        path.with_name("other" + path.suffix).symlink_to(path)
    else:
        path.touch()
        os.truncate(path, 10**12)  # a hole
    return path


def within(seconds: float, call: Any) -> str:
    """Return the sentence of an InputError; fail if it takes longer, as when a pipe has no other end."""
    said: list[str] = []

    def run() -> None:
        try:
            call()
        except InputError as error:
            said.append(str(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it hangs"
    assert said, "nothing was said"
    assert "\n" not in said[0]
    return said[0]


@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "hole"])
@pytest.mark.parametrize("name", ["seeds.toml", "seeds.json"])
def test_seeds_files(tmp_path: Path, kind: str, name: str) -> None:
    assert name in within(20, lambda: Seeds.read(odd(tmp_path / name, kind)))


@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "hole"])
def test_workspaces(tmp_path: Path, kind: str) -> None:
    path = odd(tmp_path / "a.studio", kind)
    assert "a.studio" in within(20, lambda: read_workspace(path))


def test_output_through_a_loop_of_links(tmp_path: Path) -> None:
    path = odd(tmp_path / "out.csv", "loop")

    def write() -> None:
        with atomic_file(path, "w") as file:
            file.write("text")

    assert "leads back to itself" in within(20, write)
    assert "leads back to itself" in within(20, lambda: check_place(path, "out.csv"))
    assert path.is_symlink()


def test_output_of_the_command_through_a_loop_of_links(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("a goal in the game\nthe bank cut its rate\n" * 10, encoding="utf-8")
    Path("seeds.toml").write_text('sports = ["game"]\nmoney = ["bank"]\n', encoding="utf-8")
    odd(Path("out.csv"), "loop")
    assert cli.run(["label", "docs.txt", "--seeds", "seeds.toml", "-o", "out.csv"]) == 2
    assert "leads back to itself" in capsys.readouterr().err
    assert Path("out.csv").is_symlink()


def test_numbers_that_are_none_become_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = ["a goal in the game", "the bank cut its rate"] * 10
    rows = [f'{{"text": "{text}", "stars": NaN, "near": [1, -Infinity]}}\n' for text in texts]
    Path("docs.jsonl").write_text("".join(rows), encoding="utf-8")
    Path("seeds.toml").write_text('sports = ["game"]\nmoney = ["bank"]\n', encoding="utf-8")
    assert cli.run(["label", "docs.jsonl", "--seeds", "seeds.toml", "-o", "out.jsonl", "--quiet"]) == 0

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    lines = Path("out.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line, parse_constant=refuse) for line in lines]
    assert [row["stars"] for row in found] == [None] * 20
    assert found[0]["near"] == [1, None]


@pytest.fixture
def collection() -> Collection:
    return Collection(Rows(texts=["a goal", "a bank"] * 2, rows=[{}] * 4))


@pytest.mark.parametrize(
    "change",
    [
        lambda present: present["categories"][0][3][0].__setitem__(1, float("nan")),
        lambda present: present["categories"][0][3][0].__setitem__(1, float("inf")),
        lambda present: present["categories"][0][3][0].__setitem__(1, 1e308 * 10),
        lambda present: present["categories"][0][3][0].__setitem__(1, -1),
        lambda present: present["categories"][0].__setitem__(2, ["sports"]),
        lambda present: present["categories"].append(present["categories"][0]),
        lambda present: present["categories"].extend([n, f"c{n}", None, [], {}] for n in range(10, 2000)),
        lambda present: present["categories"].append([9, "sports", None, [], {}]),
        lambda present: present["categories"][0].__setitem__(4, 1e308),
        lambda present: present["categories"][0].__setitem__(4, ["patterns"]),
        lambda present: present["categories"][0][3][0].__setitem__(1, "one\n" * 1000),
    ],
)
def test_workspaces_of_strangers(tmp_path: Path, collection: Collection, change: Any) -> None:
    path = tmp_path / "a.studio"
    session = Session(collection, Seeds({"sports": ["goal"], "money": ["bank"]}), path)
    session._save()
    session.close()
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content["present"])
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=r"the workspace .* cannot be read") as caught:
        Session(collection, None, path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


DRAWN = "audit 0a1b2c3d, row {}, stratum {} of 2 + 2 documents"


@pytest.mark.parametrize(
    "change",
    [
        lambda quality: quality.update(draws=-1),
        lambda quality: quality["audit"].update(checks=[]),
        lambda quality: quality["audit"]["checks"][0].__setitem__(1, DRAWN.format(2, 0)),
        lambda quality: quality["audit"]["checks"][0].__setitem__(1, DRAWN.format(2, 3)),
        lambda quality: quality["audit"]["checks"][0].__setitem__(1, "studio"),
        lambda quality: quality["audit"]["checks"][0].__setitem__(
            1, DRAWN.format(2, 1).replace("2 +", "1 +")
        ),
        lambda quality: quality["audit"]["checks"][0].__setitem__(2, "other"),
        lambda quality: quality["audit"]["checks"].append(quality["audit"]["checks"][0]),
        lambda quality: quality["audit"]["checks"].extend(
            [["m", DRAWN.format(n, 1), "money"] for n in (6, 7)]
        ),
        lambda quality: quality["audit"]["labelled"][0].__setitem__(1, -1),
        lambda quality: quality["audit"]["labelled"][0].__setitem__(1, 10**30),
        lambda quality: quality["audit"].update(labelled=[]),
    ],
)
def test_samples_of_strangers(tmp_path: Path, change: Any) -> None:
    path = tmp_path / "a.studio"
    audit = {
        "revision": 0,
        "checks": [["0a", DRAWN.format(2, 1), "sports"], ["0b", DRAWN.format(5, 2), "money"]],
        "labelled": [["sports", 2], ["money", 2]],
        "used": False,
    }
    quality = {"compared": None, "audit": audit, "draws": 1}
    with path.open("w", encoding="utf-8") as file:
        write_workspace(file, History(Draft()), Quality.from_data(quality))
    asked = read_workspace(path)[1].audit
    assert asked is not None
    assert asked.data() == audit
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content["quality"])
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=r"the workspace .* cannot be read"):
        read_workspace(path)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_workspace_with_a_number_beyond_all(tmp_path: Path, collection: Collection, number: str) -> None:
    path = tmp_path / "a.studio"
    session = Session(collection, Seeds({"sports": ["goal"], "money": ["bank"]}), path)
    session._save()
    session.close()
    text = path.read_text(encoding="utf-8")
    assert '["goal",1.0,' in text
    path.write_text(text.replace('["goal",1.0,', f'["goal",{number},'), encoding="utf-8")
    with pytest.raises(InputError, match=r"the workspace .* cannot be read"):
        Session(collection, None, path)
