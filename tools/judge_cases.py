"""What the questions of `tools/judge.py` are about: the documents, seeds and files that it makes."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np

WORDS = {
    "sports": "game team player goal league coach match season striker referee",
    "money": "bank stock loan rate market investor share price profit dividend",
    "weather": "rain snow storm wind cloud sun forecast cold thunder breeze",
    "politics": "minister vote election parliament law party senator campaign treaty ballot",
    "food": "soup bread recipe oven butter cheese garlic flavour kitchen pepper",
    "Science & Technology": "laser robot physics software experiment molecule telescope neuron circuit data",
    "": "poetry violin garden painting sculpture orchestra novel ballet theatre verse",
}
FILLERS = "the a of yesterday people said report new against many during week again saw long after city"
ODDITIES = [
    "café résumé of the ﬁne goal — naïve İstanbul Σίσυφος bank",
    "",
    "=1+1 the market; <script>alert('game')</script> & \"rain\"",
    "qwertzu asdfgh of the",
    "He won the world cup.  It rained!\n\nThe bank of america cut its rate. A vote followed?",
]
NEW = [
    "the team of the bank",
    "",
    "nothing of it",
    "Election of the senator, striker's rainstorm",
    "soup or garden",
]
PLAIN: dict[str, Any] = {name: words.split()[:3] for name, words in WORDS.items() if name}
RICH: dict[str, Any] = {
    "sports": {"words": ["game", "world cup", "strik*"], "weights": {"game": 2.0}, "exclude": ["rate"]},
    "money": {"words": ["bank", "bank of america", "invest*"], "parent": "news", "exclude": ["river"]},
    "politics": {
        "words": ["minister", "vote", "rate"],
        "parent": "news",
        "patterns": [r"elect\w+", r"\bsen"],
    },
    "weather": {"words": ["rain", "*storm", "absentword"], "columns": {"team": ["red", "/^bl/"]}},
    "food": {"words": ["soup"], "examples": ["A recipe: bread and butter from the oven", "garlic, cheese"]},
    "Science & Technology": [],
}
RICH_WORDS = {**RICH, "weather": ["rain", "*storm", "absentword"]}
DOCSTRINGS = {
    "scipy.fft": ["fourier", "transform", "frequency"],
    "scipy.stats": ["distribution", "random", "hypothesis"],
    "scipy.signal": ["filter", "signal", "window"],
    "sklearn.cluster": ["cluster", "clustering"],
    "sklearn.metrics": ["score", "true labels", "metric"],
    "numpy.polynomial": ["polynomial", "coefficients"],
}
VECTORS = [f"{word} {n % 6} {n // 6} 1" for n, words in enumerate(WORDS.values()) for word in words.split()]
SMALL_FILES = {
    "empty.csv": "",
    "header.csv": "id,text\n",
    "ragged.csv": "id,text\n1,the game\n2,a bank,more\n3\n4,rain \x00 snow\n",
    "seeds.json": json.dumps(PLAIN),
    "bad.toml": 'sports = ["game", 3]\n',
    "odd.toml": 'sports = ["game", "the", "zzzz", "rate"]\nmoney = ["rate", "bank"]\ndull = []\n',
    "broken.toml": 'sports = ["game"\n',
    "answer.txt": 'Here:\n```toml\nsports = ["game", "goal"]\nmoney = ["bank"]\nrain = []\n```\nGood luck!',
    "no-answer.txt": "I cannot do that.",
    "vectors.txt": "\n".join(VECTORS) + "\n",
}


def letters(text: str) -> list[str]:
    """Split a text as a tokenizer of a user's own does."""
    return re.findall("[a-z]+", text.lower())


def hashed(texts: list[str]) -> np.ndarray:
    """Encode texts without any model: words are hashed, those of a category to nearly the same."""
    vectors = np.full((len(texts), 43), 0.01, dtype=np.float32)
    for row, text in enumerate(texts):
        for word in letters(text):
            near = [7 * n for n, words in enumerate(WORDS.values()) if word in words.split()]
            vectors[row, [int(hashlib.md5(word.encode()).hexdigest(), 16) % 43, *near]] += 0.5
    return vectors


def rows() -> list[dict[str, str]]:
    """Make 60 short documents: 55 of six categories and of none, and five odd ones."""
    draw, made = random.Random(7), []
    for number in range(55):
        topic = list(WORDS)[number % 7]
        other = draw.choice(list(WORDS)) if topic else topic
        own, others = (draw.sample(WORDS[name].split(), count) for name, count in ((topic, 4), (other, 2)))
        words = [*own, *others, *draw.sample(FILLERS.split(), 5)]
        draw.shuffle(words)
        made.append((topic, " ".join(words).capitalize() + "."))
    made[10:10] = [("", text) for text in ODDITIES]
    return [
        {
            "id": f"d{number}",
            "text": text,
            "topic": topic,
            "date": f"2024-{1 + number % 6:02}-{1 + number % 28:02}",
            "team": ("red", "blue", "green")[number % 3],
            "checked": topic if number % 5 == 0 else "",
        }
        for number, (topic, text) in enumerate(made)
    ]


def make_files() -> None:
    """Write the inputs of the commands into the current folder."""
    from seedtopic import Seeds

    documents = rows()
    lines = [json.dumps(row, ensure_ascii=False) for row in documents]

    def write_table(path: str, encoding: str = "utf-8", **style: Any) -> None:
        with open(path, "w", encoding=encoding, errors="replace", newline="") as file:
            writer = csv.DictWriter(file, list(documents[0]), **style)
            writer.writeheader()
            writer.writerows(documents)

    write_table("docs.csv", lineterminator="\n")
    write_table("semicolon.csv", "latin-1", delimiter=";")
    write_table("bom.csv", "utf-8-sig", quoting=csv.QUOTE_ALL)
    write_table("wide.tsv", "utf-16", delimiter="\t")
    write_table("pipe.csv", delimiter="|", lineterminator="\n")
    table = Path("docs.csv").read_bytes()
    texts = [row["text"].replace("\n", " ") for row in documents]
    for folder in ("folder", "parts", "in"):
        Path(folder).mkdir()
    for name, text in {
        **SMALL_FILES,
        **{f"folder/{number:02}.txt": text for number, text in enumerate(texts)},
        **{f"in/part-{part}.jsonl": "\n".join(lines[part::3]) for part in range(3)},
        "docs.txt": "\n".join(texts),
        "docs.jsonl": "\n".join(lines) + "\n",
        "broken.jsonl": "\n".join([*lines[:20], '{"text": ', "[1]", *lines[20:]]),
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    for name, data in {
        "docs.csv.gz": gzip.compress(table, mtime=0),
        "docs.jsonl.gz": gzip.compress("\n".join(lines).encode(), mtime=0),
        "bytes.csv": table.replace("é".encode(), b"\xff"),
        "again.csv": table.replace(b"topic", b"predicted", 1),
    }.items():
        Path(name).write_bytes(data)
    for name, seeds in {"seeds": PLAIN, "rich": RICH, "docstrings": DOCSTRINGS}.items():
        Path(f"{name}.toml").write_text(f"# our seeds\n{Seeds(seeds).to_toml()}# the end\n", encoding="utf-8")
    write_exports(documents[:9])
    try:
        import openpyxl
        import pandas
    except ImportError:
        return  # the commands then say that they have no such file
    book = openpyxl.Workbook()
    sheet = book.create_sheet("tickets")
    for values in [list(documents[0]), *(list(row.values()) for row in documents)]:
        sheet.append([value.replace("=", "'=") for value in values])
    book.save("docs.xlsx")
    frame = pandas.DataFrame(documents).assign(stars=range(60))
    frame.to_parquet("docs.parquet")
    for part in range(2):
        frame[part::2].to_parquet(f"parts/{part}.parquet")


def write_exports(documents: list[dict[str, str]]) -> None:
    """Write what annotation tools export once people have answered."""
    value = {"from_name": "category", "to_name": "text", "type": "choices"}
    doccano, prodigy, studio = [], [], []
    for number, row in enumerate(documents):
        chosen = [row["topic"]] if row["topic"] else []
        result = [{**value, "value": {"choices": chosen}}]
        doccano.append({"id": number, "text": row["text"], "label": chosen})
        prodigy.append({"text": row["text"], "accept": chosen, "answer": "accept", "options": []})
        annotations = [{"id": number, "result": result}]
        studio.append({"id": number, "data": {"text": row["text"]}, "annotations": annotations})
    for name, entries in {"doccano": doccano, "prodigy": prodigy}.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    Path("label-studio.json").write_text(json.dumps(studio))


def fill(source: str, target: str) -> None:
    """Answer every row of a sheet of `audit` or `next`, mostly right."""
    right = {row["id"]: row["topic"] or "other" for row in rows()}
    with open(source, encoding="utf-8", newline="") as file:
        sheet = list(csv.DictReader(file))
    with open(target, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(sheet[0]))
        writer.writeheader()
        for number, row in enumerate(sheet):
            writer.writerow({**row, "checked": "money" if number % 7 == 6 else right[row["id"]]})


def thin(source: str, target: str) -> None:
    """Keep every sixth document of the demo, without its labels."""
    with open(source, encoding="utf-8", newline="") as file, open(target, "w", encoding="utf-8") as out:
        documents = [row[:3] for row in csv.reader(file)]
        csv.writer(out).writerows([documents[0], *documents[1::6]])
