"""Seeds as the text of a TOML file; a file that the user wrote keeps its comments, order and layout.

The text is split into sections, one for each category with the comments above it. Only the sections of
categories that have changed are edited; everything else stays as the user wrote it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array, Item, SingleKey, Table

from seedtopic.base.errors import InputError
from seedtopic.seeds.category import Category, folded
from seedtopic.seeds.tree import Name

LINES = re.compile(r"[^\n]*\n")
# What opens or closes something that may go on in the next line, with strings and comments that do not.
_MARKS = re.compile(r"\"{3}|'{3}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#[^\n]*|[\[\]{}]")
_ENDS = {'"""': re.compile(r"\\.|\"{3,5}"), "'''": re.compile(r"'{3,5}")}  # of the strings that do


def statements(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each statement with the first part of its key, and each comment or blank line with None."""
    lines: list[str] = []
    depth, quotes = 0, ""
    for line in LINES.findall(text):
        lines.append(line)
        depth, quotes = _open_behind(line, depth, quotes)
        if depth or quotes:
            continue
        statement = "".join(lines)
        try:
            table = tomllib.loads(statement)
        except ValueError:  # the file is not TOML
            return
        yield statement, next(iter(table), None)
        lines.clear()


def _open_behind(line: str, depth: int, quotes: str) -> tuple[int, str]:
    """Return how many brackets are open behind a line, and which string is, from what is open before it."""
    place = 0
    while match := (_ENDS[quotes] if quotes else _MARKS).search(line, place):
        mark, place = match[0], match.end()
        if quotes:
            quotes = quotes if mark.startswith("\\") else ""
        elif mark in _ENDS:
            quotes = mark
        elif mark in ("[", "{"):
            depth += 1
        elif mark in ("]", "}"):
            depth -= 1
    return depth, quotes


def toml_text(
    categories: Mapping[Name, Category],
    like: str | None = None,
    comments: Mapping[Name, Sequence[str]] | None = None,
) -> str:
    """Write categories as TOML."""
    notes = {str(name): lines for name, lines in (comments or {}).items()}
    requested = {
        str(name): replace(category, parent=None if category.parent is None else str(category.parent))
        for name, category in categories.items()
    }
    if like is not None:
        for text in (like, _edited(requested, like, notes)):
            if _describes(text, requested):
                return text
    return _edited(requested, "", notes)


@dataclass
class _Section:
    """The part of a file that is about one category: comments above it, statements, comments below it."""

    above: str
    statements: str
    below: str = ""
    ends_in_table: bool = False  # what follows a [table] must be a [table] too


def _edited(requested: Mapping[str, Category], like: str, comments: Mapping[str, Sequence[str]]) -> str:
    """Edit the text until it describes the requested categories."""
    top, sections, end = _cut(like if like.endswith("\n") or not like else f"{like}\n")
    old_name = _old_names(requested, sections)
    in_file = set(old_name.values())
    lives_on = {old for category in requested.values() for old in category.formerly}
    above = ""
    for name in reversed(sections):  # comments below a category that is removed are kept
        if name not in in_file:  # and those above it, if it was merged into another
            above = sections[name].above * (name in lives_on) + sections[name].below + above
        else:
            sections[name].below += above
            above = ""
    text, in_tables = top + above, False
    for name, category in requested.items():
        section = sections.get(old_name.get(name, name))
        if section is None:
            body, begins_tables = _new_section(name, category, in_table=in_tables)
            above, below = ("\n" if (begins_tables or name in comments) and text else ""), ""
            for line in comments.get(name, ()):  # in a comment, TOML allows no control characters
                printable = "".join(letter if letter.isprintable() else " " for letter in line)
                above += f"# {printable}".rstrip() + "\n"
        else:
            body, begins_tables = _edited_section(section, name, category, in_table=in_tables)
            above, below = section.above, section.below
        text += above + body + below
        in_tables |= begins_tables
    return text + end


def _cut(text: str) -> tuple[str, dict[str, _Section], str]:
    """Split a file: what is at its top, a section for each category, and what is at its end."""
    top, between, current, in_table = "", "", "", False
    sections: dict[str, _Section] = {}
    for statement, key in statements(text):
        if key is None:
            between += statement
            continue
        is_header = statement.lstrip().startswith("[")
        in_table |= is_header
        name = key.strip() if is_header or not in_table else current
        if name == current:
            sections[name].statements += between + statement
        else:
            start = _start_of_last_paragraph(between)
            if current:
                sections[current].below += between[:start]
            else:
                top = between[:start]
            section = sections.setdefault(name, _Section("", ""))
            if section.statements:  # an earlier part of the file is about the category too
                section.statements += between[start:] + statement
            else:
                section.above, section.statements = between[start:], statement
        sections[name].ends_in_table |= is_header
        between, current = "", name
    return top, sections, between


def _start_of_last_paragraph(comments: str) -> int:
    """Find the blank lines before the last block of comments, which belongs to what follows."""
    lines = LINES.findall(comments)
    n_comments = next((n for n, line in enumerate(reversed(lines)) if not line.strip()), len(lines))
    above = lines[: len(lines) - n_comments]
    while above and not above[-1].strip():
        above.pop()
    return len("".join(above))


def _old_names(requested: Mapping[str, Category], sections: Mapping[str, _Section]) -> dict[str, str]:
    """Return the name that each category has in the file; `formerly` or its words tell a renamed one."""
    old_names = {name: name for name in requested if name in sections}
    gone: dict[str, set[str]] = {}
    for old in (name for name in sections if name not in requested):
        (entry,) = tomllib.loads(sections[old].statements).values()
        gone[old] = set(Category.read(old, entry).words)
    for name, category in requested.items():
        former = next((old for old in category.formerly if old in gone), None)
        if name not in old_names and former is not None:
            old_names[name] = former
            del gone[former]
    for name, category in requested.items():
        if name not in old_names and gone:
            old = max(gone, key=lambda old: len(gone[old].intersection(category.words)))
            if gone[old].intersection(category.words):
                old_names[name] = old
                del gone[old]
    return old_names


def _describes(text: str, requested: Mapping[str, Category]) -> bool:
    """Return whether the text describes the requested categories, in this order."""
    try:
        read = {key.strip(): Category.read(key, entry) for key, entry in tomllib.loads(text).items()}
    except (ValueError, InputError):
        return False
    return list(read.items()) == list(requested.items())


def _new_section(name: str, category: Category, *, in_table: bool) -> tuple[str, bool]:
    document, entry = tomlkit.document(), category.entry()
    in_table |= isinstance(entry, dict)
    if in_table:
        table = tomlkit.table()
        _edit_table(table, category)
        document.add(SingleKey(name), table)
    else:
        document.add(SingleKey(name), _array(category.words))
    return document.as_string(), in_table


def _edited_section(section: _Section, name: str, category: Category, *, in_table: bool) -> tuple[str, bool]:
    """Edit a section, and make it a [table] if it must be one; tell whether a [table] begins there."""
    begins_in_table = section.statements.lstrip().startswith("[")
    if _describes(section.statements, {name: category}) and (begins_in_table or not in_table):
        return section.statements, section.ends_in_table
    try:
        document = tomlkit.parse(section.statements)
        key, item = next((key, item) for key, item in document.body if key is not None)
        as_table = in_table and not (isinstance(item, Table) and begins_in_table)
        if as_table or isinstance(item, Array) or key.key.strip() != name:
            changed = _changed(item, category, as_table=as_table)
            document = tomlkit.document()
            document.add(key if key.key.strip() == name else SingleKey(name), changed)
        else:
            _edit_table(document[key.key], category)
        text = document.as_string()
    except (TOMLKitError, ValueError):
        text = ""
    if not _describes(text, {name: category}):
        return _new_section(name, category, in_table=in_table)
    return text, section.ends_in_table or as_table


def _changed(item: Item, category: Category, *, as_table: bool) -> Item:
    """Return the entry for a category whose name or kind of entry has changed."""
    if isinstance(item, Array) and category.is_plain and category.words and not as_table:
        _edit_words(item, category.words)
        return item
    if isinstance(item, Table) and not item.is_super_table():
        _forget_names(item)
        _edit_table(item, category)
        return item
    table = tomlkit.table() if as_table else tomlkit.inline_table()
    table.trivia.comment_ws, table.trivia.comment = item.trivia.comment_ws, item.trivia.comment
    item.trivia.comment_ws = item.trivia.comment = ""
    if isinstance(item, Array):
        table.add("words", item)
    else:
        for key, value in item.items():  # type: ignore[attr-defined]
            table.add(key, value)
    _edit_table(table, category)
    return table


def _forget_names(table: Table) -> None:
    """Make tomlkit write the headers of a table again."""
    table.display_name = None
    for value in table.values():
        if isinstance(value, Table):
            _forget_names(value)


def _edit_table(table: MutableMapping[str, Any], category: Category) -> None:
    for key, words in (("words", category.words), ("exclude", category.exclude)):
        if key in table and words:
            _edit_words(table[key], words)
        elif words:
            table[key] = _array(words)
        elif table.get(key):
            del table[key]
        if key == "words":  # the order of the keys in a new table
            _edit_weights(table, category)
    entry = category.entry()
    for key in ("patterns", "columns", "examples", "formerly"):
        requested = entry.get(key) if isinstance(entry, dict) else None
        if not requested:
            table.pop(key, None)
        elif key not in table or tomlkit.item(table[key]).unwrap() != requested:
            table[key] = _value(requested)
    if category.parent is None:
        table.pop("parent", None)
    elif str(table.get("parent", "")).strip() != category.parent:
        table["parent"] = category.parent


def _edit_weights(table: MutableMapping[str, Any], category: Category) -> None:
    if "weights" not in table and category.weights:
        table["weights"] = tomlkit.inline_table()
    weights = table.get("weights", {})
    for key in list(weights):
        word = folded(key)
        if word not in category.words:
            del weights[key]
        elif weights[key] != category.weights.get(word, 1.0):
            weights[key] = category.weights.get(word, 1.0)
    known = {folded(key) for key in weights}
    for word, weight in category.weights.items():
        if word not in known:
            weights[SingleKey(word)] = weight
    if "weights" in table and not weights:
        del table["weights"]


def _edit_words(array: Array, words: tuple[str, ...]) -> None:
    """Edit a list of words in place, so that the comments beside words are kept."""
    before = [folded(word) for word in array]
    if tuple(dict.fromkeys(before)) == words:
        return
    changes = SequenceMatcher(None, before, words, autojunk=False).get_opcodes()
    for what, start, stop, first, last in reversed(changes):
        if what == "equal":
            continue
        replaced = min(stop - start, last - first)
        for place in reversed(range(start + replaced, stop)):
            del array[place]
        for place in range(replaced):
            array[start + place] = words[first + place]
        for place in range(replaced, last - first):
            array.insert(start + place, words[first + place])


def _array(words: tuple[str, ...]) -> Array:
    return tomlkit.array(f"[{', '.join(tomlkit.string(word).as_string() for word in words)}]")


def _value(value: Any) -> Any:
    """Write a text, a list or a table of texts; backslashes are easier to read in single quotes."""
    if isinstance(value, str):
        literal = "\\" in value and "'" not in value and value.isprintable()
        return tomlkit.string(value, literal=literal)
    if isinstance(value, list):
        return tomlkit.array(f"[{', '.join(_value(text).as_string() for text in value)}]")
    table = tomlkit.inline_table()
    for key, entry in value.items():
        table.add(SingleKey(key), _value(entry))
    return table
