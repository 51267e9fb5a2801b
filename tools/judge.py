"""Record what the program says and does, so that two versions of the code can be compared.

    PYTHONPATH=/somewhere/src python tools/judge.py record FOLDER
    python tools/judge.py compare FOLDER OTHER

`record` writes a text file for each observation: a command of the command line with all files it wrote, or a
model fitted in Python with all that can be asked of it. `compare` shows what differs, and exits 1 if anything
does. What is asked stands in judge_questions.txt. Only public names are used, so that the inside of the
package may be rearranged. `record FOLDER WORD ...` looks only at models with a word in their names.
"""

from __future__ import annotations

import difflib
import gzip
import hashlib
import io
import os
import pickle
import re
import runpy
import shlex
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import astuple, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

import judge_cases as cases

Record = Callable[[str, str], None]
State = dict[Path, tuple[int, int, int]]

QUESTIONS = Path(__file__).with_name("judge_questions.txt")
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",  # on which last digits may depend
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",  # scipy writes a set into a docstring that is a document of the demo
    "COLUMNS": "200",  # on which and the following help depends
    "TERM": "dumb",
    "NO_COLOR": "1",
    "TZ": "UTC",
    "SEEDTOPIC_DEBUG": "",
}
TO_LAB = ("STM", "PLDNB", "MedLDA", "WeSTClass")
INTERNAL = "_seedtopic.finished"  # the times of files, for a later run of the same command

# What rightly differs between runs or is about to leave the package, and what stands in its place.
NEUTRAL = [
    (r"(seedtopic\W{1,5}v?)\d+\.\d+\.\d+\w*", r"\1<version>"),  # a release is no change of behaviour
    (r"E-step kernel: \w+", "E-step kernel: <kernel>"),  # which one was built
    (r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", "<time>"),  # of answers
    (r"\b[0-9a-f]{64}\b", "<sha256>"),  # of zip files, which have times; their arrays are recorded themselves
    (r"\S+\.py:\d+: (?=\w*Warning)", "<place>: "),  # the line that warns may move
    (rf",? (and |or )?({'|'.join(TO_LAB)})(?=[,.: ])", ""),  # in lists of models; they move to seedtopic_lab
    (r"(?m)^│ reproduce .*\n", ""),  # as does this command
    (r"─{3,}", "───"),  # boxes are as wide as what was taken out
    (r"(?m) +│$", " │"),
]


# ------------------------------------------------------------------------------- what is shown of each thing


def neutral(text: str, folder: Path) -> str:
    """Take out what rightly differs between runs."""
    text = text.replace(str(folder), "<folder>").replace("\r", "␍").replace("\0", "␀")
    for pattern, replacement in NEUTRAL:
        text = re.sub(pattern, replacement, text)
    return text


def shown(value: Any) -> str:
    """Show a value: arrays by the hash of their bytes, with their first numbers."""
    if isinstance(value, list) and value and is_dataclass(value[0]):
        value = [astuple(one) for one in value]  # the names of internal classes do not matter
    if isinstance(value, np.ndarray) and value.dtype.kind in "OU":
        value = value.tolist()
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:24]
        return f"{value.dtype} {value.shape} {digest} {value.ravel()[:4].tolist()}"
    return value if isinstance(value, str) else repr(value)


def text_of(data: bytes) -> str:
    """Decode bytes, or show them line by line."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8: " + "\n".join(map(repr, data.split(b"\n")))


def content(path: Path) -> str:
    """Show what a file holds: its text, or the cells, arrays or columns of one that is no text."""
    match path.suffix:
        case ".gz":
            return "gzip of " + text_of(gzip.decompress(path.read_bytes()))  # its header has the time
        case ".npz":  # the entries of a zip have times
            with np.load(path, allow_pickle=False) as arrays:
                return "".join(f"{name}: {shown(arrays[name])}\n" for name in sorted(arrays.files))
        case ".xlsx":
            import openpyxl

            book = openpyxl.load_workbook(path)
            return "".join(
                f"{sheet.title} {cell.coordinate} {cell.data_type} {cell.number_format}: {cell.value!r}\n"
                for sheet in book for row in sheet.rows for cell in row
            )  # fmt: skip
        case ".parquet":
            import pyarrow.parquet

            return rows_of(pyarrow.parquet.read_table(path))
    return "not shown\n" if path.name == INTERNAL else text_of(path.read_bytes())


def rows_of(frame: Any) -> str:
    """Show every row of a frame, and the types of its columns."""
    if hasattr(frame, "to_pylist"):
        types, rows = frame.schema, frame.to_pylist()
    elif hasattr(frame, "to_dicts"):
        types, rows = frame.schema, frame.to_dicts()
    else:
        types, rows = frame.dtypes.to_dict(), frame.to_dict("records")
    return "\n".join(map(str, [types, *rows])) + "\n"


def state_of(folder: Path) -> State:
    """Return when each file was changed, its size, and which file it is."""
    stats = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {path: (stat.st_mtime_ns, stat.st_size, stat.st_ino) for path, stat in stats.items()}


def changes(before: State, folder: Path) -> str:
    """Show the files that were written, changed or removed since."""
    after = state_of(folder)
    removed = [f"--- removed: {path}\n" for path in sorted(before.keys() - after.keys())]
    changed = sorted(path for path, state in after.items() if before.get(path) != state)
    return "".join([*removed, *(f"--- file: {path}\n{content(path)}\n" for path in changed)])


# ------------------------------------------------------------------------------------ commands and questions


def run_command(arguments: list[str], given: bytes) -> str:
    """Run ``python -m seedtopic`` in this process, which saves seconds, and show what it says."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    before, on_interrupt = (sys.stdin, sys.argv), signal.getsignal(signal.SIGINT)
    sys.stdin, sys.argv, code = io.TextIOWrapper(io.BytesIO(given), "utf-8"), ["seedtopic", *arguments], None
    with redirect_stdout(output), redirect_stderr(errors):
        try:
            runpy.run_module("seedtopic", run_name="__main__", alter_sys=True)
        except SystemExit as leaving:
            code = leaving.code
        except Exception:
            traceback.print_exc()
    (sys.stdin, sys.argv), _ = before, signal.signal(signal.SIGINT, on_interrupt)
    texts = [text_of(stream.buffer.getvalue()) for stream in (output, errors)]
    return f"exit {code}\n--- output\n{texts[0]}\n--- errors\n{texts[1]}\n"


def questions(section: str) -> list[str]:
    """Return the lines of a section of the questions."""
    _, _, after = QUESTIONS.read_text(encoding="utf-8").partition(f"\n[{section}]\n")
    return [line for line in after.partition("\n[")[0].split("\n") if line and line[0] != "#"]


def record_commands(record: Record, folder: Path) -> None:
    """Run the commands in their order, each an observation."""
    for line in questions("commands"):
        if line.startswith("! "):
            name, *paths = line[2:].split()
            record(line, answered(f"call(*{paths})", {"call": getattr(cases, name)})[0])
            continue
        command, _, path = line.partition(" | ")
        before = state_of(folder)
        said = run_command(shlex.split(command), Path(path).read_bytes() if path else b"")
        record(line, said + changes(before, folder))


def answered(question: str, names: dict[str, Any]) -> tuple[str, Any]:
    """Show a question, the value of its expression or why it was refused, and warnings; return it, too."""
    value = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(question, names)  # one of this tool's own
            answer = shown(value)
        except (AttributeError, TypeError) as error:
            answer = f"refused: {type(error).__name__}"  # whose texts name internal classes
        except Exception as error:
            answer = f"refused: {type(error).__name__}: {error}"
    notes = [f"\n   {warning.category.__name__}: {warning.message}" for warning in caught]
    return f"{question}: {answer}{''.join(notes)}\n", value


def given() -> dict[str, Any]:
    """Return what the questions name: all public names, documents, labels and seeds."""
    import seedtopic

    texts, topics = ([row[column] for row in cases.rows()] for column in ("text", "topic"))
    labels = [topic if number % 4 == 0 and topic else None for number, topic in enumerate(topics)]
    new = [*texts[::7], *cases.NEW]
    return {
        **{name: getattr(seedtopic, name) for name in dir(seedtopic) if name not in TO_LAB},
        **{name: getattr(cases, name) for name in ("PLAIN", "RICH_WORDS", "DOCSTRINGS", "hashed", "letters")},
        **{package: frame_of(package) for package in ("pandas", "polars", "pyarrow")},
        "texts": texts,
        "topics": topics,
        "labels": labels,
        "wrong": ["food", *labels[1:6], "other", *labels[7:-1], "food"],
        "words": sorted(" ".join(cases.WORDS.values()).split()),
        "new": new,
        "columns": {"text": [*new, None], "predicted": range(len(new) + 1)},
        "pickle": pickle,
        "rows_of": rows_of,
    }


def record_models(record: Record, folder: Path, words: Iterable[str]) -> None:
    """Fit the models whose name has one of the words, save each, and show all answers of both."""
    for line in questions("fits"):
        name, _, fit = line.partition(" = ")
        if words and not any(word in name for word in words):
            continue
        names = given()
        text, model = answered(fit, names)
        text = f"{fit}\n{text.partition(': ')[2] if model is None else ''}"
        names["model"] = model
        if model is not None:
            names["fitted"] = names["texts"][-len(model.transduction_) :]
        for question in questions("models") if model is not None else []:
            before = state_of(folder)
            text += answered(question, names)[0] + changes(before, folder)
            if question.startswith("model.save"):
                load = "load('saved', tokenizer=model.tokenizer)" if "tokenizer" in fit else "load('saved')"
                names["loaded"] = answered(load, names)[1]
        record(f"model {name}", text)


def frame_of(package: str) -> Callable[[dict[str, Any]], Any]:
    """Return what makes a frame of a package, which may be missing."""
    return lambda columns: getattr(__import__(package), "table" if package == "pyarrow" else "DataFrame")(
        columns
    )


def record_others(record: Record) -> None:
    """Show what seeds answer, and what is refused and how."""
    names = given()
    record("refused", "".join(answered(question, names)[0] for question in questions("refused")))
    for name in ("PLAIN", "RICH_WORDS", "DOCSTRINGS"):
        names["seeds"] = names["Seeds"](names[name])
        record(f"seeds {name}", "".join(answered(question, names)[0] for question in questions("seeds")))


# ----------------------------------------------------------------------------------------- record and compare


def record_all(target: Path, words: Iterable[str]) -> int:
    """Record everything into a new folder."""
    target = target.absolute()
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise SystemExit(f"{target} is not empty: name another folder for the record.")
    with tempfile.TemporaryDirectory(prefix="judge-") as temporary:
        folder = Path(temporary).resolve()
        os.chdir(folder)

        def record(name: str, text: str) -> None:
            file = target / re.sub(r"[^\w.=-]+", "_", name)[:120]
            assert not file.exists(), f"two observations are called {file.name}: rename one"
            text = neutral(f"{name}\n{text}", folder)
            file.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")

        cases.make_files()
        if not words:
            record_commands(record, folder)
            record_others(record)
        record_models(record, folder, words)
        os.chdir(target)
    print(f"{len(list(target.iterdir()))} observations in {time.process_time():.0f} s of CPU: {target}")
    return 0


def compare(before: Path, after: Path) -> int:
    """Show which observations differ, each with the first lines that do."""
    one, other = ({path.name: path for path in folder.iterdir()} for folder in (before, after))
    differing = 0
    for name in sorted(one.keys() | other.keys()):
        texts = [paths[name].read_text(encoding="utf-8") if name in paths else "" for paths in (one, other)]
        if texts[0] != texts[1]:
            differing += 1
            diff = list(difflib.unified_diff(texts[0].split("\n"), texts[1].split("\n"), lineterm="", n=0))[
                2:
            ]
            lines = [f"   {line[:300]}" for line in diff if not line.startswith("@@")]
            missing = "" if all(texts) else f" (only in {before if texts[0] else after})"
            print(f"== {name}: {len(lines)} lines differ{missing}", *lines[:12], sep="\n")
    print(f"{len(one.keys() | other.keys()) - differing} observations are equal, {differing} differ")
    return int(differing > 0)


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})
    match sys.argv[1:]:
        case ["record", folder, *words]:
            sys.exit(record_all(Path(folder), words))
        case ["compare", before, after]:
            sys.exit(compare(Path(before), Path(after)))
    raise SystemExit(__doc__)
