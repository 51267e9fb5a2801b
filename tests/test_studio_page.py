"""The page of the studio without a browser: its files fit together, and none can do what it must not."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "src" / "seedtopic" / "web" / "studio" / "static"
SCRIPTS = sorted(STATIC.glob("js/*.js"))
STYLES = sorted(STATIC.glob("css/*.css"))
scripts = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)


class Tags(HTMLParser):
    """All tags of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))


PAGE = Tags((STATIC / "index.html").read_text(encoding="utf-8")).found


def test_the_page_loads_only_its_own_files_and_all_of_its_styles() -> None:
    loaded = [str(each[name]) for _, each in PAGE for name in ("src", "href") if name in each]
    assert [path for path in loaded if not path.startswith("/static/")] == []
    for path in loaded:
        assert (STATIC / path.removeprefix("/static/")).is_file(), path
    assert {path.name for path in STYLES} == {Path(path).name for path in loaded if path.endswith(".css")}


def test_the_page_has_no_inline_script_or_style() -> None:
    for tag, attributes in PAGE:
        assert tag != "style"
        assert tag != "script" or "src" in attributes
        assert [name for name in attributes if name == "style" or name.startswith("on")] == []


@scripts
def test_a_script_can_make_no_markup_from_data_and_asks_no_other_host(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|srcdoc"
    )
    assert re.findall(forbidden, text) == []
    assert set(re.findall(r"https?://[^\"'`\s]+", text)) <= {"http://www.w3.org/2000/svg"}


@scripts
def test_a_script_imports_what_is_there_and_uses_it(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    for names, path in re.findall(r"^import \{([^}]*)\} from \"\./(.+)\";$", text, re.M):
        source = (STATIC / "js" / path).read_text(encoding="utf-8")
        for name in (one.split(" as ")[0].strip() for one in names.split(",")):
            assert re.search(rf"export (?:async )?(?:const|function|class) {name}\b", source), (
                f"{path}: {name}"
            )
        for name in (one.split(" as ")[-1].strip() for one in names.split(",")):
            assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{name} is imported and not used"


def test_every_script_is_loaded_by_somebody() -> None:
    imported = set(re.findall(r"from \"\./(.+)\";", "\n".join(path.read_text("utf-8") for path in SCRIPTS)))
    loaded = {Path(str(each["src"])).name for tag, each in PAGE if tag == "script"}
    assert {path.name for path in SCRIPTS} == imported | loaded


def test_what_scripts_look_for_is_on_the_page() -> None:
    there = {str(each["id"]) for _, each in PAGE if "id" in each}
    for script in SCRIPTS:
        wanted = set(re.findall(r"getElementById\(\"([\w-]+)\"\)", script.read_text(encoding="utf-8")))
        assert wanted <= there, script.name


def test_rows_have_one_height() -> None:
    (script,) = re.findall(r"const ROW = (\d+);", (STATIC / "js" / "virtual_list.js").read_text("utf-8"))
    (style,) = re.findall(r"--row: (\d+)px;", (STATIC / "css" / "documents.css").read_text("utf-8"))
    assert script == style


def test_the_guide_names_the_keys_of_the_help_and_its_pictures_are_there() -> None:
    guide = (ROOT / "docs" / "howto" / "studio.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| [^|]*\| [^|]+ \| ([^|]+) \|$", guide, re.M))
    helped = re.findall(r"^    \[\[.*\], \"(.+)\"\],$", (STATIC / "js" / "help.js").read_text("utf-8"), re.M)
    assert len(helped) > 20
    assert [use for use in helped if use not in told] == []
    for picture in re.findall(r"\]\((\.\./studio/[^)]+)\)", guide):
        path = ROOT / "docs" / "howto" / picture
        assert path.is_file(), picture
        assert path.stat().st_size < 150_000, picture
