"""What objects show in a notebook: whole HTML, escaped, with nothing from elsewhere, and with their own numbers."""

from __future__ import annotations

import json
import re
import sys
import warnings
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sklearn
from sklearn.exceptions import NotFittedError

from seedtopic import WSPTM, Report, Seeds, SeedTopicClassifier, SeedWarning, progress_bars
from seedtopic.base.wording import percent
from seedtopic.model.evidence import Explanation

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "docs" / "_ext"), str(ROOT / "tools")]

import notebook_pages  # noqa: E402 - from the folder named above

HOSTILE = '<script>alert("x")</script> & <img src=x onerror=y>'
SEEDS: dict[Any, Any] = {
    HOSTILE: {"words": ["game", "world cup"], "weights": {"game": 2}, "exclude": ["bank"]},
    "money": {"words": ["bank", "gaol"], "examples": ["a loan from the bank"]},
}
TEXTS = [
    "the team won the game", f"a goal in the game {HOSTILE}", "the game, the goal, the team", "world cup team goal",
    "the bank cut its rate", "rate of the bank", "a loan and its rate", "xyzzy", "the loan of a bank",
]  # fmt: skip
VOID = {"meta", "img", "br", "hr", "input"}


class Whole(HTMLParser):
    """Reads a fragment, and fails where an element is not closed, or not in its order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.cells: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("td", "b"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data
            if {"td", "b"} & set(self.open):
                self.cells[-1] += data

    @classmethod
    def of(cls, html: str) -> Whole:
        found = cls()
        found.feed(html)
        found.close()
        assert found.open == []
        return found


@pytest.fixture(scope="module")
def model() -> SeedTopicClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        fitted = SeedTopicClassifier(SEEDS, random_state=0, n_threads=1, none_label="<none>")
        return fitted.fit(TEXTS, ["money", *[None] * (len(TEXTS) - 1)])


@pytest.fixture(scope="module")
def shown(model: SeedTopicClassifier) -> dict[str, str]:
    """Everything that has a form for notebooks."""
    seeds = Seeds(SEEDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        suggested = seeds.suggest(TEXTS)
    return {
        "Explanation": model.explain(TEXTS[1], fitted=1)._repr_html_(),
        "Report": Report.of(model, TEXTS, fitted=True, title=f"On {HOSTILE}")._repr_html_(),
        "Seeds": seeds._repr_html_(),
        "SeedCheck": seeds.check(TEXTS)._repr_html_(),
        "SeedCheck without documents": seeds.check()._repr_html_(),
        "SeedSuggestions": suggested._repr_html_(),
        "SeedSuggestions without documents": seeds.suggest()._repr_html_(),
        "model": model._shown_fitted(),
        "SeedTable": model.seed_table()._repr_html_(),
    }


NAMES = [
    "Explanation", "Report", "Seeds", "SeedCheck", "SeedCheck without documents", "SeedSuggestions",
    "SeedSuggestions without documents", "model", "SeedTable",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_fragment_is_whole_escaped_and_needs_nothing_from_elsewhere(
    shown: dict[str, str], name: str
) -> None:
    found = Whole.of(shown[name])
    assert found.tags[:2] == ["div", "style"]
    assert not {"script", "img", "link", "iframe", "object"} & set(found.tags)
    assert {attribute for attribute, _ in found.attributes} <= {"class", "style", "title"}
    assert not re.search(r"https?:|//|url\(|@import|javascript:", shown[name].replace("</", "<"))
    if name != "SeedCheck without documents":  # which names no category here
        assert HOSTILE in found.text
        assert escape(HOSTILE)[:20] in shown[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_style_reaches_nothing_outside_and_braces_are_even(shown: dict[str, str], name: str) -> None:
    style = shown[name].partition("<style>")[2].partition("</style>")[0].strip()
    assert re.match(r"(\.seedtopic)+ \{", style)
    depth = 0
    for place, letter in enumerate(style):
        depth += (letter == "{") - (letter == "}")
        assert depth > 0 or place < style.index("{") or place == len(style) - 1
    assert depth == 0


def test_a_fitted_model_shows_its_own_numbers(model: SeedTopicClassifier, shown: dict[str, str]) -> None:
    cells = Whole.of(shown["model"]).cells
    assert cells[: cells.index("9") + 1][-1] == "9"  # documents
    assert f"{len(model.vocabulary_):,}" in cells
    assert percent(model.estimated_accuracy_) in cells
    for place, name in enumerate(model.classes_.tolist()):
        count = int((model.transduction_[model.has_words_] == name).sum())
        row = cells.index(name)
        assert cells[row + 1] == f"{count:,} ({count / 9:.1%})"
        assert cells[row + 2] == percent(model.estimated_precisions_[place])
    assert "<none>" in cells


def test_a_fit_that_is_in_doubt_says_so() -> None:
    with pytest.warns(SeedWarning, match="swapped"):
        model = SeedTopicClassifier({"team": ["rate"], "rate": ["team"]}, random_state=0).fit(TEXTS)
    text = Whole.of(model._shown_fitted()).text
    assert all(doubt.sentence[1:] in text for doubt in model.doubts_)
    assert len(model.doubts_) == 2


def test_scikit_learns_diagram_stays_and_stands_alone_before_a_fit(model: SeedTopicClassifier) -> None:
    unfitted = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]})
    assert "sk-container-id" in unfitted._repr_html_()
    assert 'class="seedtopic"' not in unfitted._repr_html_()
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert html.startswith('<div class="seedtopic">')
        assert "sk-container-id" in html
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]


def test_a_model_without_an_estimate_shows_sizes_alone() -> None:
    model = WSPTM({"sports": ["game"], "money": ["bank"]}, random_state=0, max_iter=1, n_threads=1).fit(TEXTS)
    found = Whole.of(model._shown_fitted())
    assert "right, about" not in found.text
    assert found.cells[found.cells.index("sports") + 1].startswith(
        f"{(model.transduction_[:7] == 'sports').sum()} ("
    )


def test_seeds_show_weights_and_what_is_used_alone() -> None:
    text = Whole.of(Seeds(SEEDS)._repr_html_()).text
    assert "game ×2, world cup" in text
    assert "against" in text
    plain = Whole.of(Seeds({"sports": ["game"], "golf": []})._repr_html_())
    assert plain.cells[-4:] == ["sports", "game", "golf", "golf (its name)"]


def test_many_categories_and_words_are_cut_with_a_number() -> None:
    text = Whole.of(Seeds({f"c{number}": [f"w{number}"] for number in range(250)})._repr_html_()).text
    assert "and 50 more categories" in text
    assert "w199" in text
    assert "w200" not in text
    assert (
        "and 60 more" in Whole.of(Seeds({"a": [f"w{n}" for n in range(100)], "b": ["x"]})._repr_html_()).text
    )


def test_a_check_and_suggestions_show_their_own_numbers(shown: dict[str, str]) -> None:
    checked = Seeds(SEEDS).check(TEXTS)
    cells = Whole.of(shown["SeedCheck"]).cells
    for category in checked.categories:
        row = cells.index(str(category.name))
        assert cells[row + 1 : row + 3] == [
            f"{category.documents:,} ({category.share:.1%})", f"{category.alone:,}",
        ]  # fmt: skip
    text = Whole.of(shown["SeedCheck"]).text
    assert all(problem in text for problem in checked.problems)
    with pytest.warns(SeedWarning, match="gaol"):
        suggested = Seeds(SEEDS).suggest(TEXTS)
    cells = Whole.of(shown["SeedSuggestions"]).cells
    words = [word for category in suggested.categories for word in category.words]
    assert words
    for word in words:
        row = cells.index(word.word)
        assert cells[row + 1 : row + 4] == [f"{word.documents:,}", f"{word.unseeded:,}", f"{word.share:.0%}"]


def test_a_report_shows_its_own_numbers(model: SeedTopicClassifier, shown: dict[str, str]) -> None:
    report, cells = Report.of(model, TEXTS, fitted=True), Whole.of(shown["Report"]).cells
    for category in report.categories:
        row = cells.index(category.name)
        assert cells[row + 1] == f"{category.documents:,} ({category.documents / report.documents:.1%})"
        assert cells[row + 3] == ", ".join(category.words)


def test_an_explanation_shows_its_terms_and_marks_its_words(
    model: SeedTopicClassifier, shown: dict[str, str]
) -> None:
    found, page = model.explain(TEXTS[1], fitted=1), Whole.of(shown["Explanation"])
    for name, value in (("seeds", found.terms["seeds"]), ("total", found.log_odds)):
        assert page.cells[page.cells.index(name) + 1] == f"{value:+.2f}"
    assert found.sentence in page.text
    assert TEXTS[1] in page.text
    assert page.tags.count("mark") == 3 + len([span for word in found.words for span in word.spans])


def test_a_long_text_is_cut_and_one_without_words_is_one_sentence(model: SeedTopicClassifier) -> None:
    long = Whole.of(model.explain("game " * 2_000)._repr_html_()).text
    assert "5,000 more characters" in long
    assert long.count("game") < 1_100
    nothing = Whole.of(model.explain("qwerty")._repr_html_())
    assert "table" not in nothing.tags


def test_what_an_encoder_says_is_named_on_the_page_and_in_a_notebook() -> None:
    found = Explanation("goal", "a", 0.75, "b", 0.25, 1.1, (), sentence_meaning=1.1)
    assert "sentence encoder" in found.to_html()


class Shell:
    """A notebook as far as progress needs one: it keeps all that is displayed."""

    def __init__(self) -> None:
        self.kernel = self
        self.shown: list[dict[str, str]] = []

    def display(self, bundle: dict[str, str], *, raw: bool, display_id: bool = False) -> Shell:
        assert raw
        self.shown.append(bundle)
        return self

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        self.display(bundle, raw=raw)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell()
    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: shell  # type: ignore[attr-defined]
    display.display = shell.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shell


def test_a_notebook_shows_a_bar_for_each_stage_and_then_the_time(notebook: Shell) -> None:
    seeds = {"sports": ["game"], "money": ["bank"]}
    with progress_bars() as progress:
        SeedTopicClassifier(seeds, random_state=0, n_threads=1).fit(TEXTS, progress=progress)
        progress("<b>counting</b>", 3, 0)
    *bars, done = notebook.shown
    assert [re.findall("<td[^>]*>([a-z ]+)</td>", bundle["text/html"]) for bundle in bars][-1][:2] == [
        "reading words", "finding neighbours",
    ]  # fmt: skip
    assert f'value="{len(TEXTS)}" max="{len(TEXTS)}"' in bars[-1]["text/html"]
    assert "&lt;b&gt;counting" in bars[-1]["text/html"]
    assert "<progress style" in bars[-1]["text/html"]  # without an end, as that is not known
    assert bars[-1]["text/plain"].endswith("<b>counting</b> 3")
    for bundle in notebook.shown:
        Whole.of(bundle["text/html"])
    assert re.fullmatch(r"Done in [\d.]+ s\.", done["text/plain"])


def test_fast_work_does_not_flood_a_notebook_and_a_failure_leaves_its_bars(notebook: Shell) -> None:
    with pytest.raises(ZeroDivisionError), progress_bars() as progress:  # noqa: PT012
        for step in range(1, 1_001):
            progress("learning", step, 1_001)
        raise ZeroDivisionError
    assert len(notebook.shown) < 100
    assert "learning" in notebook.shown[-1]["text/html"]


def test_elsewhere_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bars() as progress:
        progress("learning", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_bars_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bars() as progress:
        progress("learning", 1, 2)
    printed = capsys.readouterr()
    assert (printed.out, "learning" in printed.err) == ("", True)


def test_the_seed_table_gives_each_learned_weight_its_word(model: SeedTopicClassifier) -> None:
    table = model.seed_table()
    assert [(row.category, row.word, row.given) for row in table] == [
        (HOSTILE, "game", 2.0), (HOSTILE, "world cup", 1.0), ("money", "bank", 1.0), ("money", "gaol", 1.0),
    ]  # fmt: skip
    membership = model.seeds_.bind(model.vocabulary_).membership
    by_column = sorted(
        (list(model.classes_).index(row.category), row.column, row.learned)
        for row in table
        if row.column is not None
    )
    assert [column for _, column, _ in by_column] == membership.indices.tolist()
    assert [learned for _, _, learned in by_column] == model.seed_weights_.tolist()
    assert table[-1].learned is None
    assert len(table[:2]) == 2


def test_the_seed_table_as_a_frame_and_as_text(model: SeedTopicClassifier) -> None:
    frame = model.seed_table().to_frame()
    assert list(frame.columns) == ["category", "word", "given", "learned"]
    assert frame["learned"].isna().tolist() == [False, False, False, True]
    assert frame["learned"].dropna().sum() == pytest.approx(model.seed_weights_.sum())
    assert str(model.seed_table()).splitlines()[-1].endswith("gaol           1        -")


def test_seeds_of_a_wildcard_and_of_a_model_that_learns_no_weights() -> None:
    seeds = {"sports": ["g*", "team"], "money": ["bank"]}
    table = WSPTM(seeds, random_state=0, max_iter=1, n_threads=1).fit(TEXTS).seed_table()
    assert [(row.word, row.learned) for row in table if row.category == "sports"] == [
        ("team", None), ("game", None), ("goal", None),
    ]  # fmt: skip
    with pytest.raises(NotFittedError):
        SeedTopicClassifier(seeds).seed_table()


GALLERY = sorted((ROOT / "docs" / "gallery").glob("*.ipynb"))
notebooks = pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)


@notebooks
def test_a_notebook_of_the_gallery_was_run_without_an_error_and_is_small(path: Path) -> None:
    assert path.stat().st_size < 200_000
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(output["output_type"] != "error" for cell in cells for output in cell["outputs"])
    assert "/tmp/" not in path.read_text("utf-8")


@notebooks
def test_a_notebook_of_the_gallery_is_a_page_with_whole_fragments(path: Path) -> None:
    page = notebook_pages.as_markdown(path.read_text("utf-8"))
    assert page.startswith("# ")
    assert f"{path.stem}\n" in (path.parent / "index.md").read_text("utf-8").split("{toctree}")[1]
    ours = re.findall(r'<div class="seedtopic">.*?</style>.*?(?=<style>|\n```)', page, re.S)
    assert ours
    assert "```{raw} html" in page


def test_cells_of_a_notebook_become_markdown() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
        {"output_type": "execute_result", "data": {"text/plain": ["<x>"], "text/html": ["<b>x</b>"]}},
        {"output_type": "display_data", "data": {"text/plain": ["```\n", "code"]}},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": outputs},
    ]
    assert notebook_pages.as_markdown(json.dumps({"cells": cells})) == (
        "# Title\n\n```python\nx = 1\nx\n```\n\n```text\none\ntwo\n```\n\n"
        '```{raw} html\n<div class="shown"><b>x</b></div>\n```\n\n````text\n```\ncode\n````\n'
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "replaced"),
    [("abstracts", {}), ("million", {"n_rows = 1_000_000": "n_rows = 5_000", "rows(20_000)": "rows(2_000)"})],
)
def test_a_notebook_runs(name: str, replaced: dict[str, str]) -> None:
    """Those that need nothing but the package, in a kernel of their own."""
    from notebooks import executed  # of tools/, which needs nbclient

    notebook = executed(ROOT / "docs" / "gallery" / f"{name}.ipynb", replaced)
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    html = "".join(output.get("data", {}).get("text/html", "") for output in shown)
    assert re.search(r"<small>Done in [\d.]+ s\.</small>", html)
    assert 'class="seedtopic"' in html
