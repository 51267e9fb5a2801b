"""The edits a person can make: each takes a draft and returns the next draft and a text for undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category, checked_name
from seedtopic.seeds.files import parsed
from seedtopic.seeds.history import merged, removed, renamed
from seedtopic.seeds.names import NONE_OF_THESE, WITHDRAWN, written
from seedtopic.web.studio.draft import Draft, DraftCategory, DraftWord, drafted
from seedtopic.web.studio.labels import NOTHING, Labels

Request = Mapping[str, Any]
Edit = tuple[Draft, str]

MOST_LABELS = 20  # of one document


def answer_to(draft: Draft, request: Request, n_documents: int) -> tuple[int, str, str]:
    """Return the document that a request is about, what the person says of it, and that in words."""
    document = whole_number("document", request.get("document"), n_documents - 1)
    label = request.get("label")
    labels = request.get("labels", None if label is None else [label])
    if labels is None:
        return document, WITHDRAWN, f"remove the confirmed label of document {document}"
    if not isinstance(labels, list) or len(labels) > MOST_LABELS:
        raise InputError(f"labels is {labels!r:.60}: give a list of at most {MOST_LABELS} categories.")
    chosen = tuple(dict.fromkeys(category_to_confirm(draft, label).name for label in labels))
    named = " and ".join(map(str, labels)) or "none of these"
    answer = written(chosen) if chosen else NONE_OF_THESE
    return document, answer, f"confirm document {document} as {named}"


def category_to_confirm(draft: Draft, name: Any) -> DraftCategory:
    """Find a category that documents can be confirmed as: one without children."""
    category = draft.category(name)
    if any(other.parent == category.name for other in draft.categories):
        raise InputError(f"{category.name!r} is the parent of other categories: choose one of those.")
    return category


def whole_number(name: str, value: Any, most: int) -> int:
    """Check a whole number from 0 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InputError(f"{name} is {value!r:.60}: give a whole number from 0 to {most}.")
    return value


Edits = dict[str, Callable[[Draft, Request], Edit]]

LONGEST = 200  # characters in a name or a word
MOST_CATEGORIES, MOST_WORDS = 500, 2000


def edited(draft: Draft, request: Request) -> Edit:
    """Apply the edit of a request."""
    action = request.get("action")
    if not isinstance(action, str) or action not in EDITS:
        raise InputError(f"the action {action!r:.60} is unknown: use one of {', '.join(EDITS)}.")
    return EDITS[action](draft, request)


def _add_category(draft: Draft, request: Request) -> Edit:
    name = _new_name(draft, request.get("name"))
    if len(draft.categories) >= MOST_CATEGORIES:
        raise InputError(f"there are already {MOST_CATEGORIES} categories: remove one first.")
    added = DraftCategory(draft.fresh_key(), name)
    return replace(draft, categories=(*draft.categories, added)), f"add the category {name!r}"


def _rename_category(draft: Draft, request: Request) -> Edit:
    category = draft.category(request.get("category"))
    name = category.name if request.get("name") == category.name else _new_name(draft, request.get("name"))
    after = draft if name == category.name else renamed(draft, category.name, name)[0]
    return after, f"rename {category.name!r} to {name!r}"


def _merge_category(draft: Draft, request: Request) -> Edit:
    category, into = draft.category(request.get("category")), draft.category(request.get("into"))
    after, _ = merged(draft, [category.name, into.name], into.name)
    return after, f"merge {category.name!r} into {into.name!r}"


def _remove_category(draft: Draft, request: Request) -> Edit:
    category = draft.category(request.get("category"))
    return removed(draft, category.name)[0], f"remove the category {category.name!r}"


def _move_category(draft: Draft, request: Request) -> Edit:
    category = draft.category(request.get("category"))
    position = whole_number("position", request.get("position"), len(draft.categories) - 1)
    left = [other for other in draft.categories if other is not category]
    left.insert(position, category)
    return replace(draft, categories=tuple(left)), f"move the category {category.name!r}"


def _add_words(draft: Draft, request: Request) -> Edit:
    draft = _with_new(draft, request, "category")
    category = draft.category(request.get("category"))
    excluded = _flag("excluded", request.get("excluded", False))
    words = Category.read(category.name, {"words": request.get("words")}).words
    new = [word for word in words if word not in _words(category)]
    if not new:
        named = ", ".join(map(repr, words)) or "no word"
        raise InputError(f"{category.name!r} already has {named}." if words else "give a word to add.")
    for word in new:
        _check_length("word", word)
    if len(category.words) + len(new) > MOST_WORDS:
        raise InputError(f"{category.name!r} would have more than {MOST_WORDS} words: remove some first.")
    added = tuple(DraftWord(word, excluded=excluded) for word in new)
    done = f"{'exclude' if excluded else 'add'} {', '.join(map(repr, new[:3]))}"
    more = f" and {len(new) - 3} more" if len(new) > 3 else ""
    where = "from" if excluded else "to"
    after = _with(draft, replace(category, words=(*category.words, *added)))
    return after, f"{done}{more} {where} {category.name}"


def _remove_word(draft: Draft, request: Request) -> Edit:
    category = draft.category(request.get("category"))
    word = _word(category, request.get("word"))
    return _exchanged(draft, category, word), f"remove {word.word!r} from {category.name}"


def _set_weight(draft: Draft, request: Request) -> Edit:
    category = draft.category(request.get("category"))
    word = _word(category, request.get("word"))
    weight = request.get("weight")
    if word.excluded:
        raise InputError(f"{word.word!r} is excluded from {category.name!r} and has no weight.")
    Category.read(category.name, {"words": [word.word], "weights": {word.word: weight}})
    changed = replace(word, weight=float(weight))  # type: ignore[arg-type]
    done = f"set the weight of {word.word!r} in {category.name} to {changed.weight:g}"
    return _exchanged(draft, category, word, changed), done


def _set_excluded(draft: Draft, request: Request) -> Edit:
    category = draft.category(request.get("category"))
    word = _word(category, request.get("word"))
    excluded = _flag("excluded", request.get("excluded"))
    changed = replace(word, excluded=excluded, weight=1.0 if excluded else word.weight)
    done = f"exclude {word.word!r} from" if excluded else f"no longer exclude {word.word!r} from"
    return _exchanged(draft, category, word, changed), f"{done} {category.name}"


def _move_word(draft: Draft, request: Request) -> Edit:
    draft = _with_new(draft, request, "to")
    here, there = draft.category(request.get("from")), draft.category(request.get("to"))
    word = _word(here, request.get("word"))
    if here is there:
        raise InputError(f"{word.word!r} is already in {here.name!r}.")
    # If the word is already there, that one stays.
    joined = there.words if word.word in _words(there) else (*there.words, word)
    moved = _with(_exchanged(draft, here, word), replace(there, words=joined))
    return moved, f"move {word.word!r} from {here.name} to {there.name}"


def _replace_seeds(draft: Draft, request: Request) -> Edit:
    text = request.get("toml")
    if not isinstance(text, str):
        raise InputError("the seeds are missing: send the text of a TOML file.")
    try:
        seeds = Seeds(parsed(text, ".toml"), source=text)
    except InputError as error:
        raise InputError(f"in the seeds file: {error}") from None
    if len(seeds.entries) > MOST_CATEGORIES:
        raise InputError(f"the seeds have {len(seeds.entries)} categories: use at most {MOST_CATEGORIES}.")
    for name, entry in seeds.entries.items():
        _check_length("category", str(name))
        for word in (*entry.words, *entry.exclude):
            _check_length("word", word)
    known = {category.name: category.key for category in draft.categories}
    # Keys start above all keys in use, so that no document counts as labelled with a new category before.
    return Draft(drafted(seeds, {**known, "": draft.fresh_key() - 1}), text), "replace all seeds"


EDITS: Edits = {
    "add_category": _add_category,
    "rename_category": _rename_category,
    "merge_category": _merge_category,
    "remove_category": _remove_category,
    "move_category": _move_category,
    "add_words": _add_words,
    "remove_word": _remove_word,
    "set_weight": _set_weight,
    "set_excluded": _set_excluded,
    "move_word": _move_word,
    "replace_seeds": _replace_seeds,
}


def _with_new(draft: Draft, request: Request, field: str) -> Draft:
    """Add the category that a word goes to, where the request allows this and there is none yet."""
    if not _flag("new", request.get("new", False)) or request.get(field) in draft.names:
        return draft
    return _add_category(draft, {"name": request.get(field)})[0]


def _new_name(draft: Draft, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"the category name {value!r:.60} is not text: give every category a name.")
    name = str(checked_name(value))
    _check_length("category", name)
    if name in draft.names:
        raise InputError(f"there is already a category {name!r}: choose another name.")
    return name


def _check_length(what: str, text: str) -> None:
    if len(text) > LONGEST or not text.isprintable():
        raise InputError(f"the {what} {text!r:.60} is too long or has control characters: shorten it.")


def _words(category: DraftCategory) -> list[str]:
    return [word.word for word in category.words]


def _word(category: DraftCategory, value: Any) -> DraftWord:
    for word in category.words:
        if word.word == value:
            return word
    raise InputError(f"{category.name!r} has no word {value!r:.60}.")


def _with(draft: Draft, changed: DraftCategory) -> Draft:
    categories = tuple(changed if other.key == changed.key else other for other in draft.categories)
    return replace(draft, categories=categories)


def _exchanged(draft: Draft, category: DraftCategory, old: DraftWord, *new: DraftWord) -> Draft:
    words = tuple(other for word in category.words for other in (new if word is old else (word,)))
    return _with(draft, replace(category, words=words))


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{name} is {value!r:.60}: give true or false.")
    return value


def unchecked(rows: NDArray[np.intp], draft: Draft) -> NDArray[np.intp]:
    """Return those of some documents that are not confirmed as anything yet."""
    if not draft.confirmed:
        return rows
    return rows[~np.isin(rows, np.fromiter(draft.confirmed, np.intp, len(draft.confirmed)))]


def all_answers(
    rows: NDArray[np.intp], draft: Draft, labels: Labels | None, request: Mapping[str, Any]
) -> dict[int, str]:
    """Return the category that each document of the list is to be confirmed as."""
    left = unchecked(rows, draft)
    names = {category.key: category.name for category in draft.categories}
    if request.get("label") is None:
        if labels is None:
            raise InputError("there are no labels to confirm yet.")
        keys = labels.key[left]
        left, keys = left[keys != NOTHING], keys[keys != NOTHING]
    else:
        keys = np.full(len(left), category_to_confirm(draft, request["label"]).key)
    if request.get("count") != len(left):
        raise InputError(
            f"the list has changed: {len(left):,} of its documents would be confirmed now. Look at it, and "
            "confirm again."
        )
    pairs = zip(left.tolist(), keys.tolist(), strict=True)
    answers = {document: names[key] for document, key in pairs if key in names}
    if not answers:
        raise InputError("there is no document left to confirm: all have a confirmed label, or none at all.")
    return answers
