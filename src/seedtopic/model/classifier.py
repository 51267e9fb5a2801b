"""SeedTopicClassifier: our own model, the one to pick; one setting for every corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from seedtopic.base.memory import MaxMemory
from seedtopic.learning.topics.kernels import KernelName
from seedtopic.model.estimator import SeedClassifier, SeedsLike
from seedtopic.model.fit import Learner
from seedtopic.model.pipeline import PIPELINE, Options
from seedtopic.model.vectors import VectorsLike
from seedtopic.text.counts import MinDf
from seedtopic.text.tokens import StopWords, Tokenizer


class SeedTopicClassifier(SeedClassifier):
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
    vectors : "auto", "encoder", None, path, WordVectors, callable or array
        What is known of words before the first document is read. "auto" takes the table of English word
        vectors that comes with the package where it knows the words of the documents, and nothing elsewhere;
        None takes nothing. "encoder" takes the multilingual sentence encoder of the extra `encoder`; a
        callable takes a list of texts and gives an array, such as the `encode` of a model of
        sentence-transformers or model2vec. A path names a table of word vectors (GloVe, word2vec, fastText).
        An array has a row for each document of the fit, from anywhere; what seeds mean is then learned from
        the documents with them, and new documents are known by their words. See the how-to "Vectors".
    graph : "words" or sparse matrix of shape (n_documents, n_documents)
        Whether documents are near by their words (cosine of TF-IDF; exact for up to 100,000 documents, see
        `seedtopic.learning.graph.neighbours.similarity_graph`; with an encoder, by its vectors, too), or as a
        matrix says, in which row d holds how similar its neighbours are to document d, 0 or more. A saved
        model does not keep the matrix.
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
        Whether the probability of a label is an estimate, made without labels, of how likely it is right, by
        views of the document that can disagree; see `seedtopic.learning.classify.reliability`. The labels do
        not change.
    none_label : str, optional
        What to call documents that belong to no category, such as "other"; left out, every document is given
        a category. The categories and their probabilities stay the same, and mean: if it belongs to any. How
        likely it is to belong to none stands apart, in `none_probability_` and `predict_none_proba`, so that
        whoever reads `predict_proba` need not know. Where it cannot be told, only documents without any known
        word are called none; see `seedtopic.learning.classify.out_of_scope`.
    kernel : "auto", "c" or "numpy"
        How the E-step is computed, with the same result; "auto" is "c" where that was built,
        else "numpy".
    runner : "local", "dask" or distributed.Client
        Where the documents are learned from: here, on the current Dask cluster (or a new one on this
        machine), or on that of the client given. The labels are the same, bit for bit; see
        `seedtopic.base.engine`.
    vocabulary, tokenizer, stop_words, min_df, strict, n_threads, random_state, max_memory
        See `SeedClassifier`.

    Attributes
    ----------
    classes_ : ndarray of str
        The categories in the order of the seeds.
    transduction_ : ndarray of str
        The labels of the fitted documents.
    label_distributions_ : ndarray, shape (n_documents, n_categories)
        Their probabilities; even for a document without a word that tells anything.
    has_words_ : ndarray of bool, shape (n_documents,)
        Whether the model knows a word of each fitted document, or its confirmed label. Files have no label
        for the others.
    confirmed_ : ndarray of bool, shape (n_documents,)
        Whether the label of each fitted document was given to `fit`.
    multi_transduction_ : ndarray of bool, shape (n_documents, n_categories)
        All labels of the fitted documents, as `predict` gives them with ``multi_label=True``.
    none_probability_ : ndarray, shape (n_documents,)
        How likely each fitted document is to belong to no category; those above 0.5 are given `none_label`.
        Zeros where that is left out.
    seed_weights_ : ndarray
        Weight of each seed, category by category, each in the order of `vocabulary_`; `seed_table` gives the
        same with words.
    label_frequency_ : ndarray, shape (n_categories,)
        Mean topic shares after the last iteration.
    topic_word_, background_word_ : ndarray
        Word distributions of the topic model, a topic a row.
    relevance_ : ndarray, shape (n_words, n_categories)
        gamma, after the last iteration.
    fitted_ : FittedModel
        Everything that was learned, stage by stage; see `seedtopic.model.stages`. What is listed here are
        parts of it.
    coef_, intercept_ : ndarray, shapes (n_categories, n_words) and (n_categories,)
        The regression; missing where `refine` is off.
    mixture_word_, mixture_bias_ : ndarray, shapes (n_categories, n_words) and (n_categories,)
        ln p(word | category) of the mixture, and its bias; missing where it was not used.
    estimated_accuracy_ : float
        The share of labels that are right, as far as that can be told without any.
    estimated_precisions_ : ndarray, shape (n_categories,)
        The same for the documents given each label.
    doubts_ : list of Doubt
        The categories whose labels are in doubt, each with a sentence that says why and what to do.
    suspect_confirmed_ : list of SuspectLabel
        Confirmed labels that look wrong, by what the other documents say, the most suspect first; see
        `seedtopic.model.doubts`. They are kept as they are. Empty after loading a model.
    unknown_words_ : ndarray of shape (2,), or None
        Mean and standard deviation of the share of a document's words that the model would not know had it
        not been fitted to that document; None for a matrix of counts. New documents are compared with it, see
        `seedtopic.model.drift`.
    reliability_trust_, reliability_offsets_ : ndarray, shape (n_categories,)
    reliability_slopes_ : ndarray, shape (n_views,)
        How likely a label is right, see `seedtopic.learning.classify.reliability`; missing where `calibrate`
        is off.
    seeded_shares_ : ndarray, shape (n_categories,)
        The share of the documents of each category that contain one of its seeds; missing there, too.
    temperature_ : float
        1, where `calibrate` is off.
    none_share_ : ndarray, shape (2,)
        The lowest and the highest share of documents that belong to no category, estimated without labels,
        whether or not `none_label` is given; where the lowest is 0, it cannot be told whether there are any.
    none_words_ : ndarray of int
        The columns of words that are typical of such documents.
    none_coef_, none_intercept_ : ndarray
        The regression that finds new documents of no category, with one row more than there are categories;
        missing without a `none_label`, or where it cannot be told.
    vectors_ : str or None
        What the fit knew meanings from: "English word vectors", "your own word vectors", "sentence encoder",
        "sentence encoder and English word vectors", or None where it knew none, such as with "auto" for
        documents that are not in English.
    vocabulary_ : list of str
    n_iter_ : int

    References
    ----------
    B. Wang, Y. Wang, X. Li, J. Ouyang. Weakly supervised prototype topic model with discriminative seed
    words: modifying the category prior by self-exploring supervised signals. Soft Computing 27, 2023.
    The prototypes, the relevance of words and the topic model with background topics are theirs; the graph,
    the first guess and steps 3 and 4 are ours.

    Notes
    -----
    A sentence encoder of your own, for short texts above all::

        from sentence_transformers import SentenceTransformer  # or: from model2vec import StaticModel
        encoder = SentenceTransformer("all-MiniLM-L6-v2")      # StaticModel.from_pretrained(...)
        SeedTopicClassifier(seeds, vectors=encoder.encode)

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

    def __init__(
        self,
        seeds: SeedsLike | None = None,
        *,
        vectors: VectorsLike = "auto",
        graph: Literal["words"] | sp.sparray | sp.spmatrix = "words",
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
        self.seeds = seeds
        self.vectors = vectors
        self.graph = graph
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
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_df = min_df
        self.strict = strict
        self.n_threads = n_threads
        self.random_state = random_state
        self.max_memory = max_memory

    def _learner(self) -> Learner:
        return Learner(
            options=Options.of(self),
            pipeline=PIPELINE,
            vectors=self.vectors,
            graph=self.graph,
            runner=self.runner,
            learns_from_labels=True,
            tables=12,
        )
