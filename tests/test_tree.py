"""A category tree: who stands under whom, labels along a path, probabilities that add up."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seedtopic
from seedtopic import PLDNB, LapSWTM, Seeds, SeedTopicClassifier, cli
from seedtopic.seeds.tree import Tree
from seedtopic_lab.corpora import MAIN_GROUPS, Dataset
from seedtopic_lab.experiments import measures
from seedtopic_lab.experiments.material import Material
from seedtopic_lab.experiments.plan import Setting, System, Task

TREE: dict[str, Any] = {
    "weather": ["rain", "snow", "sun"],
    "sports": {"words": ["game", "player"], "parent": "news"},
    "money": {"words": ["bank", "stock"], "parent": "business"},
    "business": {"parent": "news"},
}


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Nodes 0, 1, ..., each with a parent of a lower number or none."""
    n_nodes = draw(st.integers(1, 8))
    parents: dict[Any, Any] = {}
    for node in range(1, n_nodes):
        parent = draw(st.integers(-1, node - 1))
        if parent >= 0:
            parents[node] = parent
    return Tree.of(list(range(n_nodes)), parents)


@given(trees(), st.integers(0, 3), st.randoms(use_true_random=False))
def test_a_parents_probability_is_the_sum_of_its_childrens(tree: Tree, n_documents: int, random: Any) -> None:
    probabilities = np.array([[0.01 + random.random() for _ in tree.leaves] for _ in range(n_documents)])
    probabilities = probabilities.reshape(n_documents, len(tree.leaves))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    sums = dict(zip(tree.nodes, tree.node_sums(probabilities).T, strict=True))
    for leaf, column in zip(tree.leaves, probabilities.T, strict=True):
        assert (sums[leaf] == column).all()
    for parent in set(tree.parents.values()):
        children = [sums[node] for node in tree.nodes if tree.parents.get(node) == parent]
        assert sums[parent] == pytest.approx(sum(children))
        assert (sums[parent] + 1e-12 >= np.max(children, axis=0, initial=0)).all()
    roots = [sums[node] for node in tree.nodes if node not in tree.parents]
    assert sum(roots) == pytest.approx(1.0)


@given(trees())
def test_paths_lead_from_a_root_to_the_leaf(tree: Tree) -> None:
    assert set(tree.nodes) >= set(tree.leaves)
    for leaf in tree.leaves:
        path = tree.path(leaf)
        assert path[-1] == leaf
        assert path[0] not in tree.parents
        assert all(tree.parents[below] == above for above, below in pairwise(path))


@pytest.mark.parametrize("Model", [SeedTopicClassifier, LapSWTM, PLDNB])
def test_category_tree_labels_along_a_path(
    Model: type, toy_texts: list[str], toy_labels: list[str], tmp_path: Path
) -> None:
    model = Model(TREE, random_state=0).fit(toy_texts)
    assert model.classes_.tolist() == ["weather", "sports", "money"]
    assert model.transduction_.tolist() == toy_labels
    assert model.tree_.nodes == ("weather", "news", "sports", "business", "money")
    new = ["a bank", "the game", "rain"]
    expected: list[tuple[str, ...]] = [("news", "business", "money"), ("news", "sports"), ("weather",)]
    assert model.predict_path(new) == expected
    weather, news, sports, business, money = model.node_probabilities(new).T
    assert np.array_equal(np.stack([weather, sports, money]).T, model.predict_proba(new))
    assert news == pytest.approx(sports + money)
    assert (business == money).all()
    model.save(tmp_path / "model")
    again = seedtopic.load(tmp_path / "model")
    assert again.tree_ == model.tree_
    assert again.predict_path(new) == expected


def test_without_parents_there_is_no_tree_and_a_path_is_the_label(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = PLDNB(toy_seeds).fit(toy_texts)
    assert not model.tree_
    assert model.predict_path(["rain"]) == [("weather",)]
    assert np.array_equal(model.node_probabilities(["rain"]), model.predict_proba(["rain"]))


def test_a_tree_changes_nothing_for_the_leaves_unless_a_parent_has_words(toy_texts: list[str]) -> None:
    flat = dict(Seeds(TREE).categories)
    plain, tree = (SeedTopicClassifier(s, random_state=0).fit(toy_texts) for s in (flat, TREE))
    assert np.array_equal(plain.label_distributions_, tree.label_distributions_)
    spoken = {**TREE, "news": {"words": ["market"]}}
    assert Seeds(spoken).bind(["market"]).membership.toarray().tolist() == [[0], [1], [1]]


def test_the_path_is_a_column_of_the_output(
    toy_texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("\n".join(toy_texts))
    Path("seeds.toml").write_text(Seeds(TREE).to_toml())
    Path("flat.json").write_text(json.dumps(Seeds(TREE).categories))
    assert cli.run(["label", "docs.txt", "--seeds", "seeds.toml", "-o", "labels.csv", "-q"]) == 0
    assert cli.run(["fit", "docs.txt", "--seeds", "seeds.toml", "-o", "model", "-q"]) == 0
    assert cli.run(["predict", "model", "labels.csv", "-o", "again.csv", "-q"]) == 0
    assert cli.run(["label", "docs.txt", "--seeds", "flat.json", "-o", "flat.csv", "-q"]) == 0
    rows = {
        name: list(csv.DictReader(Path(name).read_text().splitlines()))
        for name in ("labels.csv", "again.csv", "flat.csv")
    }
    assert [row["path"] for row in rows["labels.csv"][:3]] == [
        "news > sports",
        "news > business > money",
        "weather",
    ]
    assert list(rows["again.csv"][0]) == list(rows["labels.csv"][0])  # they are renewed
    assert rows["again.csv"][0]["path"] == "news > sports"
    assert "path" not in rows["flat.csv"][0]


def test_the_main_groups_hold_the_twenty_newsgroups_once() -> None:
    names = [name for group in MAIN_GROUPS.values() for name in group]
    assert (len(MAIN_GROUPS), len(names), len(set(names))) == (6, 20, 20)


def test_the_measure_scores_leaves_and_main_groups_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three groups of two main groups; one post is labelled with a sibling, which the main groups forgive."""
    names = ["rec.autos", "rec.motorcycles", "sci.med"]
    texts = ["car car wheel", "bike wheel", "doctor pill"] * 4 + ["car car wheel"] * 2
    labels = names * 4 + ["rec.motorcycles", "rec.autos"]
    split = ["train"] * 6 + ["test"] * 8
    dataset = Dataset("newsgroups20", texts, labels, split, names, [str(i) for i in range(14)])
    material = Material()
    monkeypatch.setattr(material, "dataset", lambda corpus: dataset)
    words = dict(zip(names, (["car"], ["bike"], ["doctor"]), strict=True))
    monkeypatch.setattr(material, "seeds", lambda setting: Seeds(words))
    task = Task(System("PL-DNB", "PLDNB", {}, 1, 1), Setting("newsgroups20", "SL"), 0)
    scores = measures.tree(task, {}, material, 1)
    # test: autos 3 right, 1 wrongly given: P 3/4, R 1; motorcycles P 1, R 2/3; med 1
    assert scores["test_leaf_macro"] == pytest.approx((6 / 7 + 4 / 5 + 1) / 3)
    assert scores["test_main_macro"] == scores["test_path_macro"] == 1.0
