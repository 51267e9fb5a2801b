"""SeedTopicClassifier: our own model, the one to pick; one setting for every corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils import check_random_state

from seedtopic.documents.inputs import Texts
from seedtopic.errors import InputError
from seedtopic.explain import Evidence
from seedtopic.learning.classify.calibration import (
    COLDEST,
    HOTTEST,
    believable_confidence,
    temper,
    temperature_for,
)
from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.classify.mixture import Mixture, fit_mixture, mixture_helps
from seedtopic.learning.classify.naive_bayes import STRENGTH, log_scores, log_word_probabilities
from seedtopic.learning.classify.seed_weights import seed_weights
from seedtopic.learning.classify.self_training import self_train
from seedtopic.learning.graph.embeddings import document_embeddings
from seedtopic.learning.graph.neighbours import embedding_graph, given_graph, similarity_graph
from seedtopic.learning.graph.smoothing import Manifold, SmoothedTheta
from seedtopic.learning.signals.confirmed import NOTHING_CONFIRMED, Confirmed
from seedtopic.learning.signals.first_guess import guess_category, guess_prior, spread_seeds
from seedtopic.learning.signals.prior import prototype_similarity, prototypes, seed_frequency
from seedtopic.learning.signals.seed_matches import heard, seed_cooccurrence, seed_counts, seed_evidence
from seedtopic.learning.signals.shares import shares
from seedtopic.learning.signals.vectors import sublinear, unit_rows, word_rarity
from seedtopic.learning.signals.word_weights import log_weights, word_relevance
from seedtopic.learning.topics import em
from seedtopic.learning.topics.kernels import KernelName, Parameters, get_kernel, resolve_kernel
from seedtopic.learning.topics.runners import check_runner, expectation
from seedtopic.memory import MaxMemory
from seedtopic.models.evidence import folded_evidence, linear_evidence, tempered
from seedtopic.models.learned import WHOLE, Learned, likely, probability, weight
from seedtopic.models.none_and_several import (
    SEVERAL_LEVEL,
    NoneAndSeveral,
    told,
    weighed_seeds,
    with_the_first,
)
from seedtopic.models.parameters import check_choice, check_number
from seedtopic.models.sample import Sample
from seedtopic.models.seed_model import SeedModel, SeedsLike
from seedtopic.parallel.products import Design
from seedtopic.parallel.threads import resolve_threads, thread_limit
from seedtopic.progress import Progress
from seedtopic.seeds import BoundSeeds, Seeds
from seedtopic.storage.arrays import Described
from seedtopic.storage.checkpoint import Checkpoint
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer

Array = NDArray[np.float64]
Embed = Callable[[list[str]], Any]

EPSILON = 0.01  # least relevance of any word
BETA = 0.01  # of the word distributions of all topics
ALPHA_BACKGROUND = 0.1
# Probability from which the regression gives a label beside the first; chosen on documents joined from two
# train documents of six collections and seed sets.


class SeedTopicClassifier(NoneAndSeveral):
    """Seed words, a topic model, a document graph and a classifier that trains itself.

    1. A first guess for each document, from its seed words, each weighed by how far the other seeds bear it
       out, from prototypes of the categories (WSPTM's Eq. 7) and from naive Bayes fitted to the documents
       near seeds.
    2. A topic model with background topics (the E-step of WSPTM, as the Bayes posterior), smoothed along the
       graph, in which the relevance of words follows what has been learned.
    3. A logistic regression on TF-IDF, fitted to the result and then to its own and the neighbours' answer,
       with the sizes of the categories held.
    4. Where categories are of like sizes and neighbours agree, a mixture with one category per document.

    What follows the topic model, and each addition to it, can be switched off by its parameter. The defaults
    are one setting for every corpus.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category; a path names a TOML or JSON file.
    graph : "words", "embeddings" or sparse matrix of shape (n_documents, n_documents)
        Whether documents are near by their words (cosine of TF-IDF; exact for up to 100,000 documents, see
        `seedtopic.learning.graph.neighbours.similarity_graph`), by `embeddings`, or as a matrix says, in
        which row d holds how similar its neighbours are to document d, 0 or more. A saved model does not
        keep the matrix.
    embeddings : array of shape (n_documents, n_dimensions) or callable, optional
        Vectors of the documents to fit, or what makes them from a list of texts, such as the `encode` of a
        model of sentence-transformers or model2vec; for graph="embeddings". New documents need none.
    n_neighbors : int
        Nearest documents each document is joined with; 0 switches the graph off. A matrix is taken as it is.
    weigh_seeds : bool
        Whether seeds that the other seeds of their category do not bear out count less.
    weigh_examples : bool
        Whether documents with several seeds, or repeated ones, count more when naive Bayes learns.
    naive_bayes_start : bool
        Whether naive Bayes has a say in the first guess beside the prototypes.
    rho : float
        Share of the label frequency, learned on the way, in the prior of a document; 0 switches it off.
    n_background : int
        Background topics.
    max_iter : int
        Iterations of the topic model.
    refresh_relevance : int
        Iterations after which the relevance of words is computed anew; 0 leaves it at the seeds'.
    smoothing_steps : int
        Steps by which topic shares are smoothed along the graph in each iteration; 0 switches this off.
    refine : bool
        Whether the regression follows the topic model.
    self_training_rounds : int
        Rounds in which the regression learns from itself; 0 fits it to the topic model alone.
    mixture : "auto", True or False
        Whether the mixture ends the work; "auto" decides by the sizes of the categories and by the agreement
        of neighbours, without labels.
    calibrate : bool
        Whether probabilities are tempered so that their mean confidence is a guess, made without labels, of
        the share that is right; see `seedtopic.learning.classify.calibration`. The labels do not change.
    none_label : str, optional
        What to call documents that belong to no category, such as "other"; left out, every document is given
        a category. The categories and their probabilities stay the same, and mean: if it belongs to any. How
        likely it is to belong to none stands apart, in `none_probability_` and `predict_none_proba`, so that
        whoever reads `predict_proba` need not know. Found by the absence of seeds, so seeds must reach a
        third of all documents (else a warning says so, and only documents without any known word are
        called none); see `seedtopic.learning.classify.outsiders`.
    kernel : "auto", "c", "numba" or "numpy"
        How the E-step is computed, up to rounding with the same result; "auto" is "c" where that was built,
        else "numba".
    runner : "local", "dask" or distributed.Client
        Where the E-steps of the topic model are computed: here, on the current Dask cluster (or a new one on
        this machine), or on that of the client given. The labels are the same; see
        `seedtopic.learning.topics.runners`.
    vocabulary, tokenizer, stop_words, min_df, strict, n_threads, random_state, max_memory
        See `LapSWTM`.

    Attributes
    ----------
    classes_ : ndarray of str
        The categories in the order of the seeds.
    transduction_ : ndarray of str
        The labels of the fitted documents.
    label_distributions_ : ndarray, shape (n_documents, n_categories)
        Their probabilities; even for a document without a word that tells anything.
    multi_transduction_ : ndarray of bool, shape (n_documents, n_categories)
        All labels of the fitted documents, as `predict` gives them with ``multi_label=True``.
    none_probability_ : ndarray, shape (n_documents,)
        How likely each fitted document is to belong to no category; those above 0.5 are given `none_label`.
        Zeros where that is left out.
    seed_weights_ : ndarray
        Weight of each seed, category by category, each in the order of `vocabulary_`.
    label_frequency_ : ndarray, shape (n_categories,)
        Mean topic shares after the last iteration.
    topic_word_, background_word_ : ndarray
        Word distributions of the topic model, a topic a row.
    relevance_ : ndarray, shape (n_words, n_categories)
        gamma, after the last iteration.
    coef_, intercept_ : ndarray, shapes (n_categories, n_words) and (n_categories,)
        The regression; of size 0 where `refine` is off.
    mixture_word_, mixture_bias_ : ndarray, shapes (n_categories, n_words) and (n_categories,)
        ln p(word | category) of the mixture, and its bias; of size 0 where it was not used.
    temperature_ : float
        By which the probabilities of new documents are tempered.
    none_coef_, none_intercept_, none_level_ : ndarray, ndarray and float
        The regression that tells who belongs to no category, with a row more than there are categories, and
        the level of its log-odds; of size 0 and 0 where there are no such documents.
    vocabulary_ : list of str
    objective_ : ndarray
        Empty: the steps do not share one objective.
    n_iter_ : int

    References
    ----------
    B. Wang, Y. Wang, X. Li, J. Ouyang. Weakly supervised prototype topic model with discriminative seed
    words: modifying the category prior by self-exploring supervised signals. Soft Computing 27, 2023.
    The prototypes, the relevance of words and the topic model with background topics are theirs; the graph,
    the first guess and steps 3 and 4 are ours.

    Notes
    -----
    A graph from sentence embeddings, for short texts above all::

        from sentence_transformers import SentenceTransformer  # or: from model2vec import StaticModel
        encoder = SentenceTransformer("all-MiniLM-L6-v2")      # StaticModel.from_pretrained(...)
        SeedTopicClassifier(seeds, graph="embeddings", embeddings=encoder.encode)

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> model.fit(texts).transduction_.tolist()
    ['sports', 'sports', 'money', 'money']
    >>> model.predict(["which rate?"]).tolist()
    ['money']
    >>> model.predict(["the bank of the team"], multi_label=True).tolist()
    [[True, True]]
    >>> model.predict_labels(["the bank of the team"])
    [('sports', 'money')]
    """

    _learned: ClassVar[Mapping[str, Learned]] = {
        **SeedModel._learned,
        "topic_word_": likely("classes words"),
        "background_word_": likely("background words"),
        "relevance_": weight("words classes"),
        "word_weights_": weight("words"),
        "rarity_": weight("words"),
        "prototype_": weight("classes words"),
        "start_word_": Learned("classes words", most=1e-9),
        "seed_frequency_": probability("classes"),
        "seed_weights_": weight("seeds"),
        "label_frequency_": probability("classes"),
        "coef_": Learned("classes words"),
        "intercept_": Learned("classes"),
        "mixture_word_": Learned("classes words", most=1e-9),
        "mixture_bias_": Learned("classes"),
        "temperature_": Learned(least=COLDEST / 2, most=HOTTEST * 2),
        "objective_": Learned("steps"),
        "n_iter_": WHOLE,
        "multi_transduction_": Learned("documents classes", "b"),
        "none_probability_": probability("documents"),
        "none_coef_": Learned("classes_and_none words"),
        "none_intercept_": Learned("classes_and_none"),
        "none_level_": Learned(),
    }
    _tables = 12

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        graph: Literal["words", "embeddings"] | sp.sparray | sp.spmatrix = "words",
        embeddings: Embed | Any = None,
        n_neighbors: int = 10,
        weigh_seeds: bool = True,
        weigh_examples: bool = True,
        naive_bayes_start: bool = True,
        rho: float = 0.2,
        n_background: int = 40,
        max_iter: int = 30,
        refresh_relevance: int = 5,
        smoothing_steps: int = 3,
        refine: bool = True,
        self_training_rounds: int = 3,
        mixture: Literal["auto"] | bool = "auto",
        calibrate: bool = True,
        none_label: str | None = None,
        kernel: KernelName = "auto",
        runner: Any = "local",
        vocabulary: Sequence[str] | None = None,
        tokenizer: Tokenizer | None = None,
        stop_words: StopWords = "english",
        min_df: MinDf = "auto",
        strict: bool = False,
        n_threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_memory: MaxMemory = None,
    ) -> None:
        super().__init__(
            seeds,
            vocabulary=vocabulary,
            tokenizer=tokenizer,
            stop_words=stop_words,
            min_df=min_df,
            strict=strict,
            n_threads=n_threads,
            random_state=random_state,
            max_memory=max_memory,
        )
        self.graph = graph
        self.embeddings = embeddings
        self.n_neighbors = n_neighbors
        self.weigh_seeds = weigh_seeds
        self.weigh_examples = weigh_examples
        self.naive_bayes_start = naive_bayes_start
        self.rho = rho
        self.n_background = n_background
        self.max_iter = max_iter
        self.refresh_relevance = refresh_relevance
        self.smoothing_steps = smoothing_steps
        self.refine = refine
        self.self_training_rounds = self_training_rounds
        self.mixture = mixture
        self.calibrate = calibrate
        self.none_label = none_label
        self.kernel = kernel
        self.runner = runner

    def _forms(self, described: Mapping[str, Described]) -> Mapping[str, Learned]:
        forms = dict(super()._forms(described))
        steps = (
            ("coef_", "intercept_"),
            ("mixture_word_", "mixture_bias_"),
            ("none_coef_", "none_intercept_"),
        )
        for step in steps:
            if all(name in described and described[name].shape[-1:] == (0,) for name in step):  # not taken
                rows = forms[step[0]].shape.split()[0]
                forms |= dict.fromkeys(step, Learned(f"{rows} 0"))
        return forms

    def _checked_seeds(self, X: Texts) -> Seeds:
        seeds = super()._checked_seeds(X)
        if isinstance(self.graph, str) and self.graph == "embeddings" and self.embeddings is None:
            raise InputError(
                "graph='embeddings' needs embeddings=...: an array with a row a document, or a function "
                "that makes one from texts."
            )
        return seeds

    def _reads_again(self) -> bool:
        return callable(self.embeddings)

    def _sample_before(self, seeds: Seeds) -> Sample | None:
        if not isinstance(self.graph, str) or self.graph != "words":
            raise InputError(
                "partial_fit needs graph='words': embeddings, or a graph of your own, are of one collection."
            )
        return super()._sample_before(seeds)

    def _beside_counts(self, X: Texts, category: NDArray[np.intp], order: NDArray[np.intp]) -> dict[str, Any]:
        confirmed = Confirmed.in_categories(category[order])
        if sp.issparse(self.graph):
            graph = given_graph(self.graph, len(order))[order][:, order]
            return {"beside": graph, "confirmed": confirmed}
        if self.graph == "words":
            return {"confirmed": confirmed}
        embeddings = document_embeddings(self.embeddings, X, len(order))[order]
        return {"beside": embeddings, "confirmed": confirmed}

    def _learn(
        self,
        counts: sp.csr_array,
        seeds: BoundSeeds,
        progress: Progress,
        checkpoint: Checkpoint,
        beside: Array | sp.csr_array | None = None,
        confirmed: Confirmed = NOTHING_CONFIRMED,
    ) -> NDArray[np.floating[Any]]:
        n_threads = resolve_threads(self.n_threads)
        rng = check_random_state(checkpoint.random_state(self.random_state))
        self.rarity_ = word_rarity(counts)
        vectors = self._vectors(counts)
        progress("finding neighbours", 0, 1)
        similarity = checkpoint.graph(lambda: self._similarity(vectors, beside, n_threads))
        averaging = Manifold.of(sp.csr_array((similarity + similarity.T) / 2)).averaging
        progress("finding neighbours", 1, 1)

        self._learn_prior(counts, vectors, seeds, averaging, confirmed)
        with thread_limit(n_threads):
            theta = self._learn_topics(counts, seeds, averaging, confirmed, rng, progress, checkpoint)
            posterior, several = self._refined(
                vectors, theta, averaging, similarity, confirmed, progress, checkpoint
            )
        self.temperature_ = 1.0
        if self.calibrate:
            progress("calibrating", 0, 1)
            with thread_limit(n_threads):
                smoothed = self.mixture_word_.size > 0
                confidence = believable_confidence(vectors, posterior, rng, smoothed=smoothed)
            self.temperature_ = temperature_for(self._from_words(counts, vectors), confidence)
            posterior = temper(posterior, temperature_for(posterior, confidence))
            progress("calibrating", 1, 1)
        posterior = confirmed.hold(_even_without_evidence(posterior, vectors))
        self.multi_transduction_ = with_the_first(several, posterior, vectors)
        with thread_limit(n_threads):  # last, so that it changes nothing above
            self._learn_outsiders(counts, vectors, seeds, posterior, averaging, rng)
            self.none_probability_[confirmed.documents] = 0.0
        return posterior

    def _similarity(
        self, vectors: sp.csr_array, beside: Array | sp.csr_array | None, n_threads: int
    ) -> sp.csr_array:
        if beside is None or self.n_neighbors == 0:
            return similarity_graph(vectors, self.n_neighbors, n_threads)
        if isinstance(beside, np.ndarray):
            return embedding_graph(beside, self.n_neighbors)
        return beside

    def _infer(self, counts: sp.csr_array) -> NDArray[np.floating[Any]]:
        vectors = self._vectors(counts)
        tempered = temper(self._from_words(counts, vectors), float(self.temperature_))
        return _even_without_evidence(tempered, vectors)

    def _from_words(self, counts: sp.csr_array, vectors: sp.csr_array) -> Array:
        """Label documents from their words alone, by the last step that was taken."""
        if self.mixture_word_.size:
            return Mixture(self.mixture_word_.T, self.mixture_bias_).posterior(vectors)
        if self.coef_.size:
            return self._from_regression(vectors)
        with thread_limit(resolve_threads(self.n_threads)):
            return em.fold_in(*self._folding(counts)).astype(np.float64)

    def _folding(self, counts: sp.csr_array) -> em.Folding:
        """Give what folding documents in needs."""
        return em.Folding(
            self._weighted(counts),
            self._prior(counts, self.seeds_.bind(self.vocabulary_))(self.label_frequency_),
            self.relevance_.astype(np.float32),
            np.ascontiguousarray(self.topic_word_.T),
            np.ascontiguousarray(self.background_word_.T),
            self._settings(),
            get_kernel(self.kernel),
        )

    def _evidence(self, counts: sp.csr_array, label: int, rival: int) -> Evidence:
        """Part what `_from_words` says, tempered, into words and prior."""
        vectors = self._vectors(counts)
        if self.mixture_word_.size:
            weights, bias = STRENGTH * self.mixture_word_, self.mixture_bias_
            found = linear_evidence(vectors, weights, bias, self.rarity_, label, rival)
        elif self.coef_.size:
            found = linear_evidence(vectors, self.coef_, self.intercept_, self.rarity_, label, rival)
        else:
            found = folded_evidence(self._folding(counts), label, rival)
        return tempered(found, float(self.temperature_))

    def _from_regression(self, vectors: sp.csr_array) -> Array:
        return np.asarray(softmax(Regression(self.coef_.T, self.intercept_).log_odds(vectors), axis=1))

    def _vectors(self, counts: sp.csr_array) -> sp.csr_array:
        """Sublinear TF-IDF: what the graph, naive Bayes and the regression see."""
        return unit_rows(sublinear(counts, self.rarity_))

    def _weighted(self, counts: sp.csr_array) -> sp.csr_array:
        """Damped counts times pi(v): what the topic model sees."""
        return sublinear(counts, self.word_weights_)

    def _learn_prior(
        self,
        counts: sp.csr_array,
        vectors: sp.csr_array,
        seeds: BoundSeeds,
        averaging: sp.csr_array,
        confirmed: Confirmed,
    ) -> None:
        """Keep what the first guess needs to know of the collection."""
        word_totals = np.asarray(counts.sum(axis=0), dtype=np.float64)
        membership, exclusion = seeds.membership, seeds.exclusion
        self.seed_frequency_ = seed_frequency(word_totals, membership)
        if exclusion.nnz:  # a category all of whose seeds are silenced has none
            self.seed_frequency_ = shares(seed_counts(counts, membership, exclusion).sum(axis=0), axis=0)
        if len(confirmed):  # an example is as good as a seed
            told = np.bincount(confirmed.categories, minlength=len(self.seed_frequency_)) / len(confirmed)
            self.seed_frequency_ = (self.seed_frequency_ + told) / 2
        self.seed_weights_ = self._weights_of_seeds(counts, vectors, seeds)
        weighed = weighed_seeds(membership, self.seed_weights_)
        cooccurrence = seed_cooccurrence(counts, weighed, exclusion)
        self.word_weights_ = log_weights(word_totals)
        self.relevance_ = word_relevance(cooccurrence, EPSILON, exclusion)
        self.prototype_ = prototypes(cooccurrence, np.asarray(weighed @ word_totals))
        examples = shares(seed_counts(counts, membership, exclusion))
        if self.weigh_examples:
            examples = examples * seed_evidence(counts, membership, exclusion)
        examples = confirmed.hold(examples, confirmed.example_weights())
        spread = _only(spread_seeds(examples, averaging), heard(counts, exclusion))
        self.start_word_ = log_word_probabilities(vectors, spread).T

    def _weights_of_seeds(self, counts: sp.csr_array, vectors: sp.csr_array, seeds: BoundSeeds) -> Array:
        """Weigh each seed, in the order of the membership."""
        if not self.weigh_seeds:
            return np.ones(seeds.membership.nnz)
        return seed_weights(counts, vectors, seeds.membership)

    def _prior(self, counts: sp.csr_array, seeds: BoundSeeds) -> Callable[[Array], Array]:
        """Give the Dirichlet parameters of each document, as a function of the label frequencies."""
        similarity = prototype_similarity(counts, self.prototype_)
        seeded = self.seed_frequency_ > 0
        say = float(self.naive_bayes_start)
        naive_bayes = say * log_scores(self._vectors(counts), self.start_word_.T)
        guess = guess_category(similarity, naive_bayes, seeded)
        length = np.asarray(self._weighted(counts).sum(axis=1), dtype=np.float64)
        weighed = weighed_seeds(seeds.membership, self.seed_weights_)
        share = shares(seed_counts(counts, weighed, seeds.exclusion))
        allowed = self._allowed(counts, seeds)

        def prior(frequency: Array) -> Array:
            # A category none of whose seeds occurs has no share, so that it cannot feed on itself.
            return _only(guess_prior(share, guess, frequency, self.rho, length) * seeded, allowed)

        return prior

    def _allowed(self, counts: sp.csr_array, seeds: BoundSeeds) -> NDArray[np.bool_] | None:
        """Tell which categories a document may teach: all, where words speak against each of them."""
        allowed = heard(counts, seeds.exclusion)
        if allowed is None:
            return None
        return allowed | ~(allowed & (self.seed_frequency_ > 0)).any(axis=1, keepdims=True)

    def _learn_topics(
        self,
        counts: sp.csr_array,
        seeds: BoundSeeds,
        averaging: sp.csr_array,
        confirmed: Confirmed,
        rng: np.random.RandomState,
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> Array:
        """Fit the topic model; give theta."""
        prior = self._prior(counts, seeds)
        smoothed = SmoothedTheta(prior, Design(averaging.astype(np.float32)), self.smoothing_steps)
        allowed = self._allowed(counts, seeds)
        even = np.full(len(self.classes_), 1.0 / len(self.classes_))
        documents_of_word = sp.csr_array(counts.astype(bool).astype(np.float64).T)

        def refreshed(iteration: int, theta: NDArray[np.floating[Any]]) -> NDArray[np.float32] | None:
            if not self.refresh_relevance or iteration == 0 or iteration % self.refresh_relevance:
                return None
            met = np.asarray(documents_of_word @ theta.astype(np.float64))
            met[:, self.seed_frequency_ == 0] = 0.0  # a category without a seed must not feed on itself
            return word_relevance(np.ascontiguousarray(met.T), EPSILON, seeds.exclusion).astype(np.float32)

        def theta_step(expected: NDArray[Any], theta: NDArray[Any]) -> NDArray[np.floating[Any]]:
            new = smoothed.update(expected, theta)
            return confirmed.hold(new if allowed is None else shares(_only(new.astype(np.float64), allowed)))

        fitted = em.run(
            expectation(self.runner, self._weighted(counts), self.kernel),
            self.relevance_.astype(np.float32),
            self._topic_start(confirmed.hold(prior(even)), rng),
            self._settings(),
            theta_step,
            refresh=refreshed,
            on_iteration=partial(progress, "learning"),
            checkpoint=checkpoint,
        )
        self.relevance_ = fitted.relevance.astype(np.float64)
        self.topic_word_ = np.ascontiguousarray(fitted.parameters.word_topic.T)
        self.background_word_ = np.ascontiguousarray(fitted.parameters.word_background.T)
        self.objective_ = np.array(fitted.objective)
        self.n_iter_ = self.max_iter
        theta = fitted.parameters.doc_topic.astype(np.float64)
        self.label_frequency_ = theta.mean(axis=0)
        return theta

    def _topic_start(self, alpha: Array, rng: np.random.RandomState) -> Parameters:
        """Give the parameters that the topic model starts from."""
        return em.start_prior(len(self.vocabulary_), alpha, self.n_background, rng)

    def _refined(
        self,
        vectors: sp.csr_array,
        theta: Array,
        averaging: sp.csr_array,
        similarity: sp.csr_array,
        confirmed: Confirmed,
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Let the regression, and the mixture where it is wanted, follow the topic model.

        Give the posterior, and the labels of each document that reach the level of several.
        """
        nothing, marginals, posterior = np.empty((theta.shape[1], 0)), self.label_frequency_, theta
        self.coef_: NDArray[np.floating[Any]] = nothing
        self.intercept_: NDArray[np.floating[Any]] = nothing
        self.mixture_word_, self.mixture_bias_ = nothing, nothing
        if self.refine:
            told = partial(progress, "refining")
            regression = self._self_trained(vectors, theta, averaging, told, confirmed, checkpoint)
            self.coef_, self.intercept_ = regression.weights.T, regression.intercept
            posterior = np.asarray(softmax(regression.log_odds(vectors), axis=1))
        several = posterior >= SEVERAL_LEVEL  # now: the mixture holds that a document has one label
        wanted = mixture_helps(similarity, marginals, posterior) if self.mixture == "auto" else self.mixture
        if wanted:
            fitted, posterior = fit_mixture(vectors, posterior, marginals, averaging, confirmed=confirmed)
            self.mixture_word_, self.mixture_bias_ = fitted.log_words.T, fitted.bias
        return posterior, several

    def _self_trained(
        self,
        vectors: sp.csr_array,
        theta: Array,
        averaging: sp.csr_array,
        told: Callable[[int, int], None],
        confirmed: Confirmed,
        checkpoint: Checkpoint,
    ) -> Regression:
        """Fit the regression to the topic model, and then to itself."""
        rounds = self.self_training_rounds
        return self_train(vectors, theta, averaging, rounds, told, confirmed, checkpoint)

    def _settings(self) -> em.Settings:
        return em.Settings(
            bayes=True,
            alpha_background=ALPHA_BACKGROUND,
            beta=BETA,
            beta_background=BETA,
            max_iter=self.max_iter,
        )

    def _check_parameters(self) -> None:
        for name in ("n_background", "max_iter"):
            check_number(name, getattr(self, name), least=1, whole=True)
        for name in ("n_neighbors", "refresh_relevance", "smoothing_steps", "self_training_rounds"):
            check_number(name, getattr(self, name), least=0, whole=True)
        check_number("rho", self.rho, least=0, most=1)
        for name in ("weigh_seeds", "weigh_examples", "naive_bayes_start", "refine", "calibrate"):
            check_choice(name, getattr(self, name), (True, False))
        check_runner(self.runner)
        named = self.graph if isinstance(self.graph, str) else None
        if named not in ("words", "embeddings") and not sp.issparse(self.graph):
            said = type(self.graph).__name__ if named is None else repr(named)
            raise InputError(
                f"graph is {said}: use 'words', 'embeddings', or a sparse matrix of similarities."
            )
        check_choice("mixture", self.mixture, ("auto", True, False))
        self._check_none_label()
        resolve_kernel(self.kernel)


def _even_without_evidence(posterior: Array, vectors: sp.csr_array) -> Array:
    """Give every class alike to a document without a word that tells anything."""
    return np.where(told(vectors)[:, None], posterior, 1.0 / posterior.shape[1])


def _only(values: Array, allowed: NDArray[np.bool_] | None) -> Array:
    return values if allowed is None else np.where(allowed, values, 0.0)
