"""Give rows of experiments/ today's fingerprint where today's code gives the labels that older code gave.

    python tools/same_labels.py CHECKOUT [--by-hand MODEL]

CHECKOUT is an older copy of this repository with its C code built, whose fingerprint the rows have. Both fit
each recorded model with each of its recorded settings to texts of the demo. Where the label distributions
are the same to the last bit, rows with the older fingerprint get the newer one. What cannot run here, because
packages are missing, keeps its fingerprint; --by-hand names a model whose code somebody compared.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "experiments" / "results"
SHARE = 4  # every fourth text of the demo
Fits = dict[str, Any]  # fingerprints of models, and of their labels in each setting


def main() -> None:
    """Compare, write what may be written, and say what was not."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--by-hand", action="append", default=[], metavar="MODEL")
    options = parser.parse_args()
    old, new = (fits_of(checkout.resolve()) for checkout in (options.checkout, ROOT))
    same: dict[str, set[str]] = {}  # the settings of each model with the same labels
    for model, labels in new["labels"].items():
        before = old["labels"][model]
        tried = [name for name in labels if not labels[name].startswith("failed")]
        same[model] = {name for name in tried if labels[name] == before[name]}
        print(f"{model}: the same in {len(same[model])} of {len(tried)} settings tried, of {len(labels)}")
        if model in options.by_hand:
            same[model] = set(labels)
        for name in sorted(set(labels) - same[model]):
            print(f"  keeps its fingerprint: {name} ({labels[name]})")
    for path in sorted(RESULTS.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            model, parameters = row["model"], row["parameters"]
            # What has no entry is measured beside WSPTM, by its code.
            equal = parameters in same[model] if model in same else same["WSPTM"] == {*new["labels"]["WSPTM"]}
            if equal and row["code"] == old["codes"][model]:
                row["code"] = new["codes"][model]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def fits_of(checkout: Path) -> Fits:
    """Fit every recorded model with a checkout's code, in a process of its own."""
    path = os.pathsep.join(str(checkout / folder) for folder in ("src", "lab"))
    command = [sys.executable, __file__, str(checkout), "--fit"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


def fit_all() -> Fits:
    """Fit every recorded model with the code that is imported."""
    from seedtopic.cli.demo import docstring_seeds, load_docstrings
    from seedtopic.text.counts import count_words
    from seedtopic.text.tokens import stop_word_set, tokenize, words
    from seedtopic_lab.experiments.freshness import code_of
    from seedtopic_lab.experiments.systems import ENTRIES, build

    demo, seeds = load_docstrings(), docstring_seeds()
    texts, truth = demo.texts[::SHARE], demo.labels[::SHARE]
    kept = {word for listed in seeds.values() for word in listed}
    counts = count_words(tokenize(texts, words), min_df=2, stop_words=stop_word_set("english"), keep=kept)

    def labels(model: str, parameters: str) -> str:
        print(f"{model} {parameters}", file=sys.stderr)
        given = {**json.loads(parameters), "random_state": 0, "n_threads": 1, "seeds": seeds}
        from_counts = ENTRIES[model].learns_from == "counts" and given.get("vectors") != "encoder"
        if given.get("label_frequency") == "oracle":
            given["label_frequency"] = [truth.count(str(name)) / len(truth) for name in seeds]
        try:
            built = build(model, **given, **({"vocabulary": counts.vocabulary} if from_counts else {}))
            if ENTRIES[model].learns_from == "labels":
                result = built.fit(texts, truth).predict(texts)
            else:
                fitted = built.fit(counts.matrix if from_counts else texts)
                result = getattr(fitted, "label_distributions_", None)
                result = fitted.transduction_ if result is None else result
        except Exception as error:
            return f"failed: {type(error).__name__}: {error}"
        return hashlib.sha256(repr(np.asarray(result).tolist()).encode()).hexdigest()

    recorded: dict[str, set[str]] = {}
    for path in sorted(RESULTS.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                recorded.setdefault(row["model"], set()).add(row["parameters"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "codes": {model: code_of(model) for model in recorded},
            "labels": {
                model: {parameters: labels(model, parameters) for parameters in sorted(settings)}
                for model, settings in recorded.items()
                if model in ENTRIES
            },
        }


if __name__ == "__main__":
    if "--fit" in sys.argv:
        print(json.dumps(fit_all()))
    else:
        main()
