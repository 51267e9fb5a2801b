"""WeSTClass: weakly supervised neural text classification (Meng, Shen, Zhang and Han, CIKM 2018).

Length: its twenty parameters are documented in the class and repeated in the constructor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks
from seedtopic.base.memory import MaxMemory
from seedtopic.model.estimator import SeedClassifier, SeedsLike
from seedtopic.model.fit import Learner
from seedtopic.model.run import Run
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.stage import WHOLE, Form, Stage, linked, stored
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer
from seedtopic_lab.westclass.embeddings import learn_embedding
from seedtopic_lab.westclass.parameters import WeSTClassOptions, seeded
from seedtopic_lab.westclass.pseudo_documents import Writer, draw_directions, fit_vmf, soft_labels
from seedtopic_lab.westclass.reading import OrderedReader, require_packages
from seedtopic_lab.westclass.seed_expansion import expand, own_seeds
from seedtopic_lab.westclass.sequences import Text, Tokens, padded, texts_of

Weights = NDArray[np.floating[Any]]
_WEIGHTS = ("filters", "filter_bias", "hidden_weight", "hidden_bias", "output_weight", "output_bias")


@dataclass(frozen=True)
class NeuralClassifier(Stage):
    """The word vectors, and what the network has learned."""

    seeds: BoundSeeds = linked(lambda model: model.seeds)
    options: WeSTClassOptions = linked(lambda model: model.options)
    embedding: Weights = stored(Form("words embedding"))
    filters: Weights = stored(Form("places embedding maps"))
    filter_bias: Weights = stored(Form("widths maps"))
    hidden_weight: Weights = stored(Form("pooled hidden"))
    hidden_bias: Weights = stored(Form("hidden"))
    output_weight: Weights = stored(Form("hidden seeded"))
    output_bias: Weights = stored(Form("seeded"))
    n_batches: int = stored(WHOLE)

    replaces: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks]:
        """Learn from pseudo documents, and then from confident answers on the real ones."""
        from seedtopic_lab.westclass.network import Network, one_thread, start_weights
        from seedtopic_lab.westclass.training import pretrain, self_train

        options, counts, seeds = run.options, run.training.counts, run.seeds
        rng = np.random.default_rng(run.rng.randint(2**31))
        texts = texts_of(counts)
        by_content = sorted(range(len(texts)), key=lambda row: texts[row].tobytes())
        order = rng.permutation(by_content)
        texts = [texts[row] for row in order]
        embedding = learn_embedding(
            texts,
            run.training.vocabulary,
            size=options.embedding_size,
            window=options.window,
            subsampling=options.subsampling,
            n_epochs=options.embedding_epochs,
            random_seed=int(rng.integers(1, 2**31)),
            progress=run.progress,
            checkpoint=run.checkpoint,
        )
        with_seeds = seeded(seeds)
        pseudo_texts, labels = _pseudo_documents(
            options, counts, seeds.membership[with_seeds], embedding, rng
        )
        with one_thread():
            weights = start_weights(
                options.embedding_size,
                options.widths,
                options.n_maps,
                options.hidden_size,
                len(with_seeds),
                rng,
            )
            network = Network(embedding, weights, options.widths)
            pretrain(
                network,
                _padded(options, pseudo_texts, len(embedding)),
                labels,
                n_epochs=options.pretrain_epochs,
                batch_size=options.batch_size,
                learning_rate=options.pretrain_rate,
                momentum=options.momentum,
                rng=rng,
                progress=run.progress,
                checkpoint=run.checkpoint,
            )
            answers, n_batches = self_train(
                network,
                _padded(options, texts, len(embedding)),
                max_batches=options.max_batches,
                update_interval=options.update_interval,
                tolerance=options.delta,
                batch_size=options.batch_size,
                learning_rate=options.self_training_rate,
                decay=options.decay,
                momentum=options.momentum,
                progress=run.progress,
                checkpoint=run.checkpoint,
            )
        distributions = np.zeros((len(texts), len(seeds.seeds.names)))
        distributions[np.ix_(order, with_seeds)] = answers
        stage = cls.within(run, embedding=embedding, n_batches=n_batches, **network.weights)
        return stage, run.labelled(distributions)

    def apply(self, documents: Documents, posterior: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the answers of the network; 0 for a category none of whose words occurs."""
        require_packages("torch")
        from seedtopic_lab.westclass.network import Network, one_thread

        weights = {name: getattr(self, name) for name in _WEIGHTS}
        distributions = np.zeros((len(documents), len(self.seeds.seeds.names)))
        with one_thread():
            network = Network(self.embedding, weights, self.options.widths)
            answers = network.probabilities(
                _padded(self.options, texts_of(documents.counts), len(self.embedding))
            )
        distributions[:, seeded(self.seeds)] = answers
        return distributions


def _pseudo_documents(
    options: WeSTClassOptions,
    counts: sp.csr_array,
    membership: sp.csr_array,
    embedding: NDArray[np.float32],
    rng: np.random.Generator,
) -> tuple[list[Text], NDArray[np.float64]]:
    """Write the documents to pre-train with, and label them."""
    groups = expand(own_seeds(membership), embedding)
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    mean_length = round(counts.nnz / counts.shape[0])
    writer = Writer(
        embedding,
        background=frequency / frequency.sum(),
        n_near=options.n_near_words,
        alpha=options.alpha,
        length=min(max(mean_length, 1), options.max_length),
    )
    documents = []
    for words in groups:
        mu, kappa = fit_vmf(embedding[words].astype(np.float64), options.max_kappa)
        directions = draw_directions(mu, kappa, options.n_pseudo_documents, rng)
        documents.append(writer.write(directions, rng))
    categories = np.repeat(np.arange(len(groups)), options.n_pseudo_documents)
    return list(np.concatenate(documents)), soft_labels(categories, len(groups), options.alpha)


def _padded(options: WeSTClassOptions, texts: Sequence[Text], n_words: int) -> Tokens:
    return padded(texts, options.max_length, margin=max(options.widths), padding=n_words)


class WeSTClass(SeedClassifier):
    """Weakly supervised neural text classification.

    Word vectors are learned from the documents. The seeds of each category, and the words near to them, are
    a von Mises-Fisher distribution of directions, each of which writes a pseudo document. A convolutional
    network learns from these, and then from its own confident answers on the real documents. It needs the
    order of the words, so it takes texts, never a matrix of counts; and it needs PyTorch and gensim:
    ``pip install './lab[westclass]'``.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file. A word that several categories share
        is used by none of them, unless a category would be left without any.
    embedding_size, window, subsampling, embedding_epochs : int, int, float, int
        Of the skip-gram word vectors: dimension p, words to either side, threshold above which frequent
        words are skipped at times, passes over the documents.
    max_kappa : float
        Largest concentration of a category; one word alone would make it infinite.
    n_pseudo_documents : int
        beta, pseudo documents for each category.
    n_near_words : int
        gamma, words near to its direction that a pseudo document is written with.
    alpha : float
        Share of background words in pseudo documents, and of the uniform distribution in their labels.
    max_length : int
        Words of a document that the network reads.
    widths, n_maps, hidden_size : sequence of int, int, int
        Of the network: words in the windows of its filters, filters of each width, units of its dense layer.
    batch_size : int
        Documents in a step of learning.
    pretrain_epochs, pretrain_rate : int, float
        Passes over the pseudo documents and the learning rate there.
    self_training_rate, decay, momentum : float
        Learning rate of self-training and how it declines with each batch; momentum of both trainings.
    update_interval : int
        Batches after which the targets are computed anew.
    delta : float
        Self-training ends when a smaller share of the labels changes between two such times ...
    max_batches : int
        ... or after so many batches.
    tokenizer, stop_words, min_df, strict, random_state, max_memory
        See `WSPTM`.
    n_threads : int, optional
        Threads that search documents for the windows of the network; all cores when left out. The rest
        runs on one, so that the result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of str
        The categories in the order of the seeds.
    transduction_ : ndarray of str
        The labels of the fitted documents.
    label_distributions_ : ndarray, shape (n_documents, n_categories)
        Their probabilities; 0 for a category none of whose words occurs.
    embedding_ : ndarray, shape (n_words, embedding_size)
        Word vectors of length one.
    filters_, filter_bias_, hidden_weight_, hidden_bias_, output_weight_, output_bias_ : ndarray
        What the network has learned.
    n_batches_ : int
        Batches of self-training until it ended.
    vocabulary_ : list of str

    Notes
    -----
    Reconstructed, where the paper is silent: shared seeds (see `seeds`), `max_kappa`, one `max_length` for
    all corpora (the paper: 100 words for short texts and 500 for long ones), dense layers started after
    Glorot, zeros as the vector of padding, word vectors of the words in the vocabulary alone.

    The targets of self-training push towards categories of equal size. Where the categories are known to be
    uneven, try a lower `self_training_rate`, or `max_batches` = 0, which leaves self-training out: both did
    better on Reuters-10.

    The order in which the documents are given does not matter: they are sorted, then shuffled by
    `random_state`.

    References
    ----------
    Y. Meng, J. Shen, C. Zhang, J. Han. Weakly-supervised neural text classification. CIKM 2018.

    Examples
    --------
    >>> texts = ["team won game", "goal won game team", "bank cut rate", "rate bank loan cut"] * 20
    >>> model = WeSTClass(
    ...     {"sports": ["game"], "money": ["bank"]},
    ...     subsampling=0.0, embedding_epochs=20, n_pseudo_documents=50, n_near_words=3, random_state=0,
    ... ).fit(texts)
    >>> model.transduction_[:4].tolist()
    ['sports', 'sports', 'money', 'money']
    >>> model.predict(["which rate?"]).tolist()
    ['money']
    """

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        embedding_size: int = 100,
        window: int = 5,
        subsampling: float = 1e-3,
        embedding_epochs: int = 25,
        max_kappa: float = 1000.0,
        n_pseudo_documents: int = 500,
        n_near_words: int = 50,
        alpha: float = 0.2,
        max_length: int = 300,
        widths: Sequence[int] = (2, 3, 4, 5),
        n_maps: int = 20,
        hidden_size: int = 20,
        batch_size: int = 256,
        pretrain_epochs: int = 20,
        pretrain_rate: float = 0.1,
        self_training_rate: float = 1e-3,
        decay: float = 1e-6,
        momentum: float = 0.9,
        update_interval: int = 50,
        delta: float = 1e-3,
        max_batches: int = 5000,
        tokenizer: Tokenizer | None = None,
        stop_words: StopWords = "english",
        min_df: MinDf = "auto",
        strict: bool = False,
        n_threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_memory: MaxMemory = None,
    ) -> None:
        self.seeds = seeds
        self.embedding_size = embedding_size
        self.window = window
        self.subsampling = subsampling
        self.embedding_epochs = embedding_epochs
        self.max_kappa = max_kappa
        self.n_pseudo_documents = n_pseudo_documents
        self.n_near_words = n_near_words
        self.alpha = alpha
        self.max_length = max_length
        self.widths = widths
        self.n_maps = n_maps
        self.hidden_size = hidden_size
        self.batch_size = batch_size
        self.pretrain_epochs = pretrain_epochs
        self.pretrain_rate = pretrain_rate
        self.self_training_rate = self_training_rate
        self.decay = decay
        self.momentum = momentum
        self.update_interval = update_interval
        self.delta = delta
        self.max_batches = max_batches
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_df = min_df
        self.strict = strict
        self.n_threads = n_threads
        self.random_state = random_state
        self.max_memory = max_memory

    def _learner(self) -> Learner:
        return Learner(
            options=WeSTClassOptions.of(self),
            pipeline=(NeuralClassifier,),
            unused_in_seeds=("weights", "exclude", "rules"),
            reader=OrderedReader,
            reads_order=True,
        )
