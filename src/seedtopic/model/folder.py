"""A model on disk: a folder that a person can read, and that contains data only, never code.

It has model.json (class and parameters), arrays.npz (numbers, without pickle), vocabulary.txt (one word per
line) and README.md (a model card). Checksums detect accidental damage; they are no protection against
tampering, since an attacker can change them, too, so nothing is trusted because of them.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base import json as strict_json
from seedtopic.base.arrays import MOST_BYTES, Described, describe_arrays, read_arrays, write_arrays
from seedtopic.base.checks import check_choice, check_number
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_folder, number_of_folder, open_plain, read_plain, sha256, standing
from seedtopic.base.threads import resolve_threads
from seedtopic.knowledge.tables import WordVectors
from seedtopic.model import MODELS, model_class
from seedtopic.model.fitted import FittedModel
from seedtopic.model.stages.stage import Context
from seedtopic.seeds import BoundSeeds, Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import KnownWords, resolve_min_df
from seedtopic.text.tokens import Tokenizer, stop_word_set

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedClassifier


MOST_LEARNED = 8  # words of a category in the card


def _card(content: ModelFolder) -> str:
    """Return a description of a model in Markdown."""
    seed_words: Mapping[Name, Sequence[str]] = {} if content.seeds is None else content.seeds.categories
    source = "unlabelled documents and the seed words below" if content.seeds else "labelled documents"
    lines = [
        f"# {content.model}",
        "",
        f"Labels each document with one of {len(content.classes)} categories. Learned by seedtopic "
        f"{version('seedtopic')} from {source}; {len(content.vocabulary):,} known words.",
        "",
        "| category | seed words | learned words |",
        "|---|---|---|",
    ]
    weights = content.arrays.get("topic_word_", np.empty((len(content.classes), 0)))
    for name, row in zip(content.classes, weights, strict=True):
        learned = [content.vocabulary[column] for column in np.argsort(-row, kind="stable")[:MOST_LEARNED]]
        cells = (str(name), ", ".join(seed_words.get(name, ())), ", ".join(learned))
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    lines += [
        "",
        "Use it with `seedtopic.load(folder).predict(texts)` or `seedtopic predict folder DOCS`.",
        "",
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    for mark, written in (("&", "&amp;"), ("<", "&lt;"), ("\\", "\\\\"), ("|", "\\|")):
        text = text.replace(mark, written)
    return " ".join(text.split())


# A word may contain an unpaired surrogate, which is not a character, but is restored as it was.
ENCODING = ("utf-8", "surrogatepass")
LONGEST = 1 << 24  # bytes of a word
_AT_ONCE = 1 << 18  # bytes


def check_words(file: IO[bytes], n_words: int) -> str:
    """Read a file once, keeping nothing of it, and return its checksum."""
    n_found, length = 0, 0
    checksum, decoder = hashlib.sha256(), codecs.getincrementaldecoder(ENCODING[0])(ENCODING[1])
    while chunk := file.read(_AT_ONCE):
        checksum.update(chunk)
        n_found += chunk.count(b"\n")
        last = chunk.rfind(b"\n")
        length = length + len(chunk) if last < 0 else len(chunk) - last - 1
        if length > LONGEST:
            raise InputError(f"has a word of more than {LONGEST:,} bytes.")
        if n_found > n_words:
            break
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as error:
            raise InputError(f"cannot be read ({error!s:.100}).") from None
    if (n_found, length) != (n_words, 0) or not n_found:
        more = "more" if n_found > n_words else f"{n_found:,}"
        raise InputError(f"has {more} words instead of {n_words!r:.20}.")
    file.seek(0)
    return checksum.hexdigest()


def read_words(file: IO[bytes]) -> list[str]:
    """Read the words of a file that `check_words` has checked; none may occur twice."""
    # Words may contain any character but a line feed, which is escaped: no other line end counts.
    lines = (line.split("\\\\") for line in file.read().decode(*ENCODING).split("\n")[:-1])
    words = ["\\".join(part.replace("\\n", "\n") for part in parts) for parts in lines]
    if len(set(words)) < len(words):
        raise InputError("has a word twice.")
    return words


FORMAT = 5

# Bytes of model.json, and values in it: enough for 100,000 seed words. A value takes far more memory than its
# characters, and so does a letter beyond the first 256.
MOST_HEADER = 1 << 22
_MOST_VALUES = 150_000
_MOST_LETTERS = 1 << 32  # bytes of vocabulary.txt
_AROUND_AN_ARRAY = 1 << 12  # bytes in arrays.npz beside its numbers


@dataclass(frozen=True)
class ModelFolder:
    """The content of a model folder."""

    model: str
    parameters: dict[str, Any]
    classes: list[Any]
    seeds: Seeds | None
    vocabulary: list[str]
    arrays: dict[str, NDArray[Any]]
    custom_tokenizer: bool
    fingerprint: str | None = None  # of the documents of the fit


Found = TypeVar("Found")
Check = Callable[[ModelFolder, Mapping[str, Described]], None]


def check_model_folder(folder: Path) -> None:
    """Raise an error if a model cannot be written there; called before the work starts."""
    try:
        is_other = (
            folder.exists()
            and not (folder / "model.json").is_file()
            and (not folder.is_dir() or any(folder.iterdir()))
        )
    except OSError as error:
        raise InputError(
            f"{folder} cannot be read ({error.strerror}): choose another place for the model."
        ) from None
    if is_other:
        raise InputError(f"{folder} exists and is not a model folder: choose another name for the model.")
    nearest = next(above for above in folder.absolute().parents if above.exists())
    if not os.access(nearest, os.W_OK):
        raise InputError(f"the folder {nearest} is not writable: choose another place for the model.")


def write_model(folder: Path, content: ModelFolder) -> None:
    """Write a model folder; it appears only when complete, and an existing one is kept until then."""
    check_model_folder(folder)
    with atomic_folder(folder) as unfinished:
        _write_files(unfinished, content)


def read_model(folder: Path, check: Check | None = None) -> ModelFolder:
    """Read a model folder and check that it is complete; if it is replaced meanwhile, read the new one."""
    while True:
        before = number_of_folder(folder)
        try:
            return _read_model(folder, check)
        except InputError:
            if number_of_folder(folder) == before:
                raise


def _read_model(folder: Path, check: Check | None) -> ModelFolder:
    try:
        place = standing(folder)
        if not (place / "model.json").is_file() and not (place / "model.json").is_symlink():
            raise InputError(
                f"{folder} is not a model folder, it has no model.json: give a folder written by fit."
            )
        header = _header(folder, read_plain(place / "model.json", MOST_HEADER))
        with (
            open_plain(place / "arrays.npz", _most_bytes(header)) as file,
            open_plain(place / "vocabulary.txt", _MOST_LETTERS) as words,
        ):
            described = _of_file(folder, "arrays.npz", describe_arrays, file)
            announced = header.get("arrays")
            written = {name: _written(array) for name, array in described.items()}
            if written != announced:
                announced = announced if isinstance(announced, dict) else {}
                names = sorted({*written, *announced})
                wrong = [name for name in names if written.get(name) != announced.get(name)]
                of = ", ".join(wrong[:10]) or "all arrays"
                _damaged(folder, f"arrays.npz and model.json disagree on {of}")
            checked = partial(check_words, n_words=header["n_words"])
            _check_sum(folder, header, "vocabulary.txt", _of_file(folder, "vocabulary.txt", checked, words))
            _check_sum(folder, header, "arrays.npz", sha256(file))
            content = _without_arrays(folder, header, _of_file(folder, "vocabulary.txt", read_words, words))
            if check is not None:
                check(content, described)
            content.arrays.update(_of_file(folder, "arrays.npz", read_arrays, file))
    except OSError as error:
        raise InputError(
            f"the model folder {folder} is damaged, or cannot be read: {error.filename} ({error.strerror})."
        ) from None
    return content


def _header(folder: Path, content: bytes) -> dict[str, Any]:
    """Read model.json, and check that all entries are there, with the right types."""
    if _n_values(content) > _MOST_VALUES:
        _damaged(folder, f"model.json contains more than {_MOST_VALUES:,} names and values")
    try:
        header = strict_json.parsed(content.decode(*ENCODING))
    except (ValueError, RecursionError) as error:
        _damaged(folder, f"model.json cannot be read ({error!s:.100})")
    number = header.get("format") if isinstance(header, dict) else None
    if type(number) is not int or number < 1:
        raise InputError(f"{folder / 'model.json'} has no format number.")
    if number != FORMAT:
        raise InputError(
            f"{folder} was written in format {number} by another version of seedtopic; this one reads format "
            f"{FORMAT}: install the version that wrote it, or fit the model again."
        )
    sums = header.get("sha256")
    if not isinstance(sums, dict) or set(sums) != {"model.json", "vocabulary.txt", "arrays.npz"}:
        _damaged(folder, "model.json has no checksums")
    _check_sum(folder, header, "model.json", _header_sum(header))
    kinds = {"model": str, "parameters": dict, "classes": list, "n_words": int, "custom_tokenizer": bool}
    for key, kind in kinds.items():
        if type(header.get(key)) is not kind:
            _damaged(folder, f"{key} in model.json is missing or has the wrong type")
    if not isinstance(header.get("fingerprint"), str | None):
        _damaged(folder, "fingerprint in model.json has the wrong type")
    return dict(header)


def _n_values(content: bytes) -> int:
    """Return at least the number of names and values in JSON."""
    return sum(map(content.count, (b",", b":", b"[", b"{")))


def _header_sum(header: Mapping[str, Any]) -> str:
    """Return the checksum of the values in model.json, except for the checksum itself."""
    sums = {name: value for name, value in header["sha256"].items() if name != "model.json"}
    written = json.dumps({**header, "sha256": sums}, sort_keys=True)
    return hashlib.sha256(written.encode("ascii")).hexdigest()


def _check_sum(folder: Path, header: Mapping[str, Any], name: str, checksum: str) -> None:
    if header["sha256"][name] != checksum:
        _damaged(folder, f"the checksum of {name} does not match")


def _without_arrays(folder: Path, header: Mapping[str, Any], vocabulary: list[str]) -> ModelFolder:
    """Return the content of the folder except for its arrays."""
    try:
        seeds = None if header.get("seeds") is None else Seeds(dict(header["seeds"]))
    except (ValueError, TypeError) as error:
        _damaged(folder, str(error).rstrip("."))
    classes = header["classes"]
    kinds = {type(name) for name in classes}
    of_one_kind = len(kinds) == 1 and kinds <= {str, int, float, bool}
    if kinds == {int}:
        of_one_kind = all(-(2**63) <= name < 2**63 for name in classes)
    names = classes if seeds is None else seeds.names
    if not of_one_kind or len({str(name) for name in classes}) < len(classes) or classes != names:
        _damaged(folder, "its categories are repeated, inconsistent, or not names")
    return ModelFolder(
        model=header["model"],
        parameters=header["parameters"],
        classes=classes,
        seeds=seeds,
        vocabulary=vocabulary,
        arrays={},
        custom_tokenizer=header["custom_tokenizer"],
        fingerprint=header.get("fingerprint"),
    )


def _most_bytes(header: Mapping[str, Any]) -> int:
    """Return how large arrays.npz can be at most, by what model.json says of the arrays."""
    try:
        announced = [Described(dtype, tuple(shape)) for dtype, shape in header["arrays"].values()]
        return min(
            sum(array.n_bytes + _AROUND_AN_ARRAY for array in announced) + _AROUND_AN_ARRAY, MOST_BYTES
        )
    except (AttributeError, KeyError, TypeError, ValueError):  # refused later, before anything large is read
        return MOST_BYTES


def _of_file(folder: Path, name: str, read: Callable[[IO[bytes]], Found], file: IO[bytes]) -> Found:
    try:
        return read(file)
    except InputError as error:
        _damaged(folder, f"{name} {str(error).rstrip('.')}")


def _written(described: Described) -> list[Any]:
    return [described.dtype, list(described.shape)]


def _damaged(folder: Path, what: str) -> NoReturn:
    raise InputError(f"the model folder {folder} is damaged: {what}.") from None


def _write_files(folder: Path, content: ModelFolder) -> None:
    with open(folder / "arrays.npz", "wb") as file:
        write_arrays(file, content.arrays, compressed=True)
    escaped = (word.replace("\\", "\\\\").replace("\n", "\\n") + "\n" for word in content.vocabulary)
    words = "".join(escaped).encode(*ENCODING)
    (folder / "vocabulary.txt").write_bytes(words)
    with open_plain(folder / "arrays.npz", MOST_BYTES) as file:
        sums = {"arrays.npz": sha256(file), "vocabulary.txt": hashlib.sha256(words).hexdigest()}
    header = {
        "format": FORMAT,
        "seedtopic": version("seedtopic"),
        "model": content.model,
        "parameters": content.parameters,
        "classes": content.classes,
        "n_words": len(content.vocabulary),
        "arrays": {name: _written(Described.of(array)) for name, array in content.arrays.items()},
        # Pairs, because JSON objects have no order and the user chose the order of the categories.
        "seeds": None if content.seeds is None else [list(pair) for pair in content.seeds.table().items()],
        "custom_tokenizer": content.custom_tokenizer,
        "fingerprint": content.fingerprint,
        "sha256": sums,
    }
    header["sha256"] = {**sums, "model.json": _header_sum(header)}
    written = (json.dumps(header, indent=2, ensure_ascii=False) + "\n").encode(*ENCODING)
    n_values = _n_values(written)
    if len(written) > MOST_HEADER or n_values > _MOST_VALUES:
        raise InputError(
            f"the seeds and parameters have {n_values:,} values in {len(written):,} bytes, more than "
            f"a saved model may have ({_MOST_VALUES:,} in {MOST_HEADER:,}): use fewer seed words."
        )
    (folder / "model.json").write_bytes(written)
    (folder / "README.md").write_bytes(_card(content).encode(*ENCODING))


# Parameters that belong to the fit, or cannot be written down.
_UNSAVED = ("seeds", "vocabulary", "tokenizer", "max_memory", "runner")


def folder_of(model: SeedClassifier) -> ModelFolder:
    """Return what the folder of a fitted model holds."""
    fitted, parameters = model.fitted_, model.get_params(deep=False)
    for unsaved in _UNSAVED:
        parameters.pop(unsaved, None)
    if not isinstance(model.random_state, int | np.integer):  # a generator cannot be written down
        parameters.pop("random_state", None)
    return ModelFolder(
        model=type(model).__name__,
        parameters={name: _plain(value) for name, value in parameters.items() if _writable(name, value)},
        classes=fitted.classes.tolist(),
        seeds=None if fitted.seeds is None else fitted.seeds.seeds,
        vocabulary=fitted.vocabulary,
        arrays={name: np.asarray(array) for name, array in fitted.arrays().items()},
        custom_tokenizer=model.tokenizer is not None,
        fingerprint=fitted.fingerprint,
    )


def load(folder: str | Path, *, tokenizer: Tokenizer | None = None) -> SeedClassifier:
    """Read a model that `save` wrote.

    Parameters
    ----------
    folder : path
    tokenizer : callable, optional
        The model's own tokenizer, if it was fitted with one: a folder holds data, never code.

    Examples
    --------
    >>> import tempfile
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0).fit(texts)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/model")
    ...     load(folder + "/model").predict(["a rate"]).tolist()
    ['money']
    """

    def check(content: ModelFolder, described: Mapping[str, Described]) -> None:
        _class_of(content, folder)
        if content.custom_tokenizer and tokenizer is None:
            raise InputError(
                f"the model in {folder} was fitted with a tokenizer of its own: "
                "pass it as load(folder, tokenizer=...), on the command line by --tokenizer."
            )
        with _named(folder):
            model = _outline(content, folder, None)
            FittedModel.check_described(model._learner(), _context_of(model, content), described)

    content = read_model(Path(folder), check)
    with _named(folder):
        model = _outline(content, folder, tokenizer)
        context = _context_of(model, content)
        model.fitted_ = FittedModel.restored(
            content.model, model._learner(), context, content.arrays, content.fingerprint
        )
        return model


def _class_of(content: ModelFolder, folder: str | Path) -> type[SeedClassifier]:
    """Import the class that a folder names."""
    if (model := model_class(content.model)) is None:
        raise InputError(f"{folder} holds a {content.model!r}; known models are {', '.join(MODELS)}.")
    return model


@contextmanager
def _named(folder: str | Path) -> Iterator[None]:
    """Name the folder in whatever is wrong with the model in it."""
    try:
        yield
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise InputError(f"the model in {folder} cannot be used: {error}") from None


def _outline(content: ModelFolder, folder: str | Path, tokenizer: Tokenizer | None) -> SeedClassifier:
    """Make a model with the parameters that a folder has, and refuse what no fit accepts."""
    for name in _UNSAVED:
        if name in content.parameters:
            raise InputError(f"it is damaged: {name} is never saved with a model.")
    model = _class_of(content, folder)(tokenizer=tokenizer, **content.parameters)
    learner = model._learner()
    resolve_min_df(model.min_df, 1)
    resolve_threads(model.n_threads)
    if not isinstance(model.stop_words, str):
        stop_word_set(model.stop_words)
    if model.random_state is not None:
        check_number("random_state", model.random_state, least=0, most=2**32 - 1, whole=True)
    learner.check()
    if not learner.needs_labels:
        if content.seeds is None:
            raise InputError(f"it is damaged: the {content.model} model has no seeds.")
        model.seeds = content.seeds
        learner.check_seeds(content.seeds)
        check_choice("strict", model.strict, (True, False))
    return model


def _context_of(model: SeedClassifier, content: ModelFolder) -> Context:
    vocabulary, learner = KnownWords(content.vocabulary), model._learner()
    bound = None if learner.needs_labels or content.seeds is None else content.seeds.bind(vocabulary)
    return Context(
        classes=np.array(content.classes),
        seeds=cast(BoundSeeds, bound),
        vocabulary=vocabulary,
        stop_words=stop_word_set(model.stop_words),
        options=learner.options,
    )


def _writable(name: str, value: Any) -> bool:
    """Return whether a parameter can be written down: a graph, a table or a function of the user's cannot."""
    if name == "vectors" and isinstance(value, str | Path):
        return value in ("auto", "encoder")  # of a table at a path, the folder has what the model needs
    return not (sp.issparse(value) or callable(value) or isinstance(value, WordVectors | np.ndarray))


def _plain(value: Any) -> Any:
    """Turn a parameter into what JSON can hold."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return sorted(value) if isinstance(value, set | frozenset) else value
