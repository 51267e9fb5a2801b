"""SeedTopicClassifier: our own model, the one to pick; one setting for every corpus.

Length: scikit-learn reads the parameters off the constructor and the documentation off the class, which are
long; the work itself is in `seedtopic.model.stages`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from seedtopic.base.arrays import Described
from seedtopic.base.checkpoint import NO_CHECKPOINT, Checkpoint
from seedtopic.base.checks import check_choice, check_number
from seedtopic.base.engine import Engine
from seedtopic.base.errors import ConfirmedWarning, InputError, SeedWarning
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads, thread_limit
from seedtopic.cluster.client import client_of
from seedtopic.cluster.engine import DaskEngine, check_runner, engine_for
from seedtopic.io.frames import Texts, given_texts, is_dask, is_matrix, is_missing, texts_here, without_frame
from seedtopic.io.predictions import Predictions, all_labels, check_none_label, or_none
from seedtopic.knowledge.encoders import encoded
from seedtopic.learning.classify.reliability import VIEWS
from seedtopic.learning.graph.neighbours import GivenGraph, GraphSource, WordGraph, given_graph
from seedtopic.learning.topics.kernels import KernelName, resolve_kernel
from seedtopic.model.doubts import (
    Doubt,
    SuspectLabel,
    doubts_sentence,
    estimated_precisions,
    find_doubts,
    suspects,
    suspects_sentence,
)
from seedtopic.model.estimator import SeedModel, SeedsLike
from seedtopic.model.evidence import Evidence
from seedtopic.model.fit import (
    CheckpointLike,
    Fit,
    FitResult,
    check_seeds_occur,
    checked_distributions,
    identity,
    learn,
    no_predictions,
    opened,
)
from seedtopic.model.fitted import Stages
from seedtopic.model.folder import WHOLE, Learned, likely, probability, weight
from seedtopic.model.label_tables import predicted_later
from seedtopic.model.placed import stays_on_cluster, training_set_on_cluster
from seedtopic.model.reading import NOTHING_READ, NewDocuments
from seedtopic.model.run import Options
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.reliability import ReliabilityStage
from seedtopic.model.training import Sample, TrainingSet, texts_with_examples
from seedtopic.model.vectors import (
    VectorsLike,
    VectorSource,
    check_vectors,
    encoder_of,
    vector_source,
    vectors_name,
)
from seedtopic.seeds import Seeds
from seedtopic.text.counts import KnownWords, MinDf
from seedtopic.text.tokens import StopWords, Tokenizer, stop_word_set

Array = NDArray[np.float64]

# The arrays of stages that a model need not have.
_OPTIONAL = (
    ("coef_", "intercept_"),
    ("mixture_word_", "mixture_bias_"),
    ("none_coef_", "none_intercept_", "none_level_"),
    ("meaning_centre_", "meaning_categories_", "meaning_encoded_"),
    ("known_meaning_", "weak_seed_category_", "weak_seed_word_", "weak_seed_weight_"),
    ("meaning_df_", "meaning_documents_", "meaning_table_"),
    ("meaning_words_", "meaning_weights_"),
    ("meaning_names_",),
    ("temperature_",),
    ("reliability_trust_", "reliability_offsets_", "reliability_slopes_", "seeded_shares_"),
)
_ESTIMATES = ("estimated_accuracy_", "estimated_precisions_", "doubts_")
_OF_DOCUMENTS = (
    "label_distributions_", "has_words_", "confirmed_", "multi_transduction_", "none_probability_",
)  # fmt: skip


# What a fit knows of confirmed labels that look wrong; not saved.
_INSTEAD, _AGAINST = "instead", "log_odds_against"


class SeedTopicClassifier(SeedModel):
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
    vectors : "auto", "encoder", None, path, WordVectors or callable
        What is known of words before the first document is read. "auto" takes the table of English word
        vectors that comes with the package where it knows the words of the documents, and nothing elsewhere;
        None takes nothing. "encoder" takes the multilingual sentence encoder of the extra `encoder`; a
        callable takes a list of texts and gives an array, such as the `encode` of a model of
        sentence-transformers or model2vec. A path names a table of word vectors (GloVe, word2vec, fastText).
        See the how-to "Vectors".
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
        whoever reads `predict_proba` need not know. Found by the absence of seeds, so seeds must reach a
        third of all documents (else a warning says so, and only documents without any known word are
        called none); see `seedtopic.learning.classify.outsiders`.
    kernel : "auto", "c" or "numpy"
        How the E-step is computed, up to rounding with the same result; "auto" is "c" where that was built,
        else "numpy".
    runner : "local", "dask" or distributed.Client
        Where the documents are learned from: here, on the current Dask cluster (or a new one on this
        machine), or on that of the client given. The labels are the same, bit for bit; see
        `seedtopic.base.engine`.
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
    stages_ : Stages
        Everything that was learned, stage by stage; see `seedtopic.model.stages`. The arrays below are parts
        of it.
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
    none_coef_, none_intercept_, none_level_ : ndarray, ndarray and float
        The regression that finds the documents of no category, with one row more than there are categories,
        and the level of its log-odds; missing where there are no such documents.
    vectors_ : str or None
        What the fit knew meanings from: "English word vectors", "your own word vectors", "sentence encoder",
        "sentence encoder and English word vectors", or None where it knew none, such as with "auto" for
        documents that are not in English.
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

    stages_: Stages
    multi_transduction_: NDArray[np.bool_]
    none_probability_: Array
    suspect_confirmed_: list[SuspectLabel]

    _learns_from_labels = True
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
        "temperature_": Learned(least=1.0, most=1.0),
        "reliability_trust_": probability("classes"),
        "seeded_shares_": probability("classes"),
        "reliability_offsets_": Learned("classes"),
        "reliability_slopes_": Learned("views"),
        "n_iter_": WHOLE,
        "multi_transduction_": Learned("documents classes", "b"),
        "none_probability_": probability("documents"),
        "none_coef_": Learned("classes_and_none words"),
        "none_intercept_": Learned("classes_and_none"),
        "none_level_": Learned(),
        "meaning_centre_": Learned("dims"),
        "meaning_categories_": Learned("classes dims", least=-1.001, most=1.001),
        "meaning_names_": Learned("classes dims", least=-1.001, most=1.001),
        "meaning_encoded_": Learned("", "i", least=0),
        "meaning_df_": Learned("words", "i", least=0),
        "meaning_documents_": WHOLE,
        "meaning_table_": Learned("checksum", "u", least=0),
        "meaning_words_": Learned("words dims"),
        "meaning_weights_": weight("words"),
        "known_meaning_": Learned("classes", "b"),
        "weak_seed_category_": Learned("weak", "i", least=0),
        "weak_seed_word_": Learned("weak", "i", least=0),
        "weak_seed_weight_": weight("weak"),
    }
    _tables = 12

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

    @property
    def objective_(self) -> Array:
        """Empty: the stages do not share one objective."""
        return np.empty(0)

    @property
    def vectors_(self) -> str | None:
        """What the fit knew meanings from; None where it knew none."""
        return vectors_name(self.stages_.meaning)

    @property
    def estimated_accuracy_(self) -> float:
        """The share of labels that are right, as far as that can be told without any; NaN if there are none.

        It is the mean of what `label_distributions_` gives the labels. Documents without a known word, and
        those given `none_label`, have none.
        """
        self._reliability()
        labelled = self._labelled_rows()
        return float(self.label_distributions_[labelled].max(axis=1).mean()) if labelled.any() else np.nan

    @property
    def estimated_precisions_(self) -> Array:
        """The same for the documents given each label, by the order of `classes_`; NaN without any."""
        self._reliability()
        found = self.label_distributions_[self._labelled_rows()]
        return estimated_precisions(found.argmax(axis=1), found.max(axis=1), len(self.classes_))

    @property
    def doubts_(self) -> list[Doubt]:
        """The categories whose labels are in doubt, each with a sentence that says why and what to do."""
        reliability = self._reliability()
        found = self.label_distributions_[self._labelled_rows()]
        sizes = np.bincount(found.argmax(axis=1), minlength=len(self.classes_))
        return find_doubts(
            self.seeds_,
            self.stages_.meaning,
            sizes,
            reliability.seeded,
            self.estimated_precisions_,
            self.estimated_accuracy_,
        )

    def _warn_of_doubts(self) -> None:
        sentence = doubts_sentence(self.doubts_) if self.calibrate else None
        if sentence is not None:
            warnings.warn(sentence, SeedWarning, stacklevel=3)
        sentence = suspects_sentence(self.suspect_confirmed_)
        if sentence is not None:
            warnings.warn(sentence, ConfirmedWarning, stacklevel=3)

    def _reliability(self) -> ReliabilityStage:
        """Return how reliable labels are; where nothing is known of that, an attribute is missing."""
        stages = vars(self).get("stages_")
        if stages is None or not isinstance(stages.calibration, ReliabilityStage):
            raise AttributeError
        return stages.calibration

    def _labelled_rows(self) -> NDArray[np.bool_]:
        """Return which of the fitted documents were given a category."""
        none = self.none_probability_ > 0.5 if self.none_label is not None else False
        return np.asarray(self.has_words_ & ~np.asarray(none))

    def __getattr__(self, name: str) -> Any:
        """Return a fitted array of a stage, under the name that it has in a model folder."""
        if name in self._learned and "stages_" in vars(self):
            array = self.stages_.arrays().get(name)
            if array is not None:
                return array[()]  # a number where it is a single one
        if name in (*_OF_DOCUMENTS, "transduction_", "suspect_confirmed_") and vars(self).get("on_cluster_"):
            self.__dict__.update(self._brought_here())
            return self.__dict__[name]
        known_after = "; it has after a fit with calibrate=True" if name in _ESTIMATES else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{known_after}")

    def __dir__(self) -> list[str]:
        stages = vars(self).get("stages_")
        return [*super().__dir__(), *(() if stages is None else stages.arrays())]

    def _fitted_on_cluster(
        self, X: Texts, y: object, progress: Progress, checkpoint: CheckpointLike | None
    ) -> bool:
        """Learn from documents of a Dask collection where they are, if they can stay there.

        What the fit says of them, such as `label_distributions_`, is brought here when it is asked for.
        """
        if self.seeds is None or not stays_on_cluster(
            X, y, self.runner, self.graph, encoder_of(self.vectors), Seeds.of(self.seeds)
        ):
            return False
        kept = opened(checkpoint, self.random_state)
        seeds = self._checked_seeds(X)
        engine = DaskEngine(client_of(self.runner))
        progress("reading words", 0, 1)
        training_set = training_set_on_cluster(engine, X, seeds, self.tokenizer, self.min_df, self.stop_words)
        progress("reading words", 1, 1)
        training_set = self._with_sources(training_set, X, progress)
        check_seeds_occur(training_set, strict=self.strict, tables=self._tables)
        kept.begin(identity(self, seeds, training_set.vocabulary), training_set.data())
        result = self._learned_with(engine, training_set, progress, kept)
        self._become(
            {
                "seeds_": seeds,
                "classes_": np.array(seeds.names),
                "vocabulary_": KnownWords(training_set.vocabulary),
                "columns_": None,
                "stages_": result.stages,
                "on_cluster_": (training_set.placed, result),
                "sample_": None,
                "saves_sample_": False,
                "unknown_words_": None,
            }
        )
        return True

    def _brought_here(self) -> dict[str, Any]:
        """Return what a fit on a cluster says of its documents."""
        placed, result = self.on_cluster_
        return self._said_of(placed.brought_here(result))

    def _said_of(self, found: Predictions) -> dict[str, Any]:
        """Return what a fit without confirmed labels says of documents as fitted attributes."""
        nobody = np.zeros(len(found), dtype=bool)
        of_documents = {**_of_documents(found), "confirmed_": nobody}
        return self._labelled(self.classes_, checked_distributions(found.probabilities), of_documents)

    def fit_training_set(
        self,
        training_set: TrainingSet,
        *,
        progress: Progress = silent,
    ) -> Self:
        """Learn from documents that are counted and in order already, as the studio does.

        Parameters
        ----------
        training_set : TrainingSet
        progress : callable, optional
            See `fit`.
        """
        if training_set.vectors is None:
            training_set = replace(training_set, vectors=self._vector_source(training_set, None, progress))
        check_seeds_occur(training_set, strict=self.strict, tables=self._tables)
        fit = self._learn(training_set, progress, NO_CHECKPOINT)
        fitted = self._attributes(training_set, fit, NOTHING_READ, training_set.places)
        self._become({**fitted, "sample_": None, "saves_sample_": False, "unknown_words_": None})
        return self

    def _learn(
        self,
        training_set: TrainingSet,
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> Fit:
        engine = engine_for(self.runner, resolve_threads(self.n_threads))
        found = self._learned_with(engine, training_set, progress, checkpoint)
        predictions = found.of_documents()
        return Fit(predictions.probabilities, {"stages_": found.stages}, _of_documents(predictions))

    def _learned_with(
        self,
        engine: Engine,
        training_set: TrainingSet,
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> FitResult:
        with thread_limit(resolve_threads(self.n_threads)):
            return learn(
                training_set,
                Options.of(self),
                engine,
                random_state=self.random_state,
                progress=progress,
                checkpoint=checkpoint,
            )

    def _labelled(
        self, classes: NDArray[Any], posterior: Array, of_documents: Mapping[str, NDArray[Any]]
    ) -> dict[str, Any]:
        none, several = of_documents["none_probability_"], of_documents["multi_transduction_"]
        known = {name: of_documents[name] for name in ("has_words_", "confirmed_", "none_probability_")}
        labelled = super()._labelled(classes, posterior, known)
        return {
            **labelled,
            "transduction_": or_none(labelled["transduction_"], self.none_label, none),
            "multi_transduction_": all_labels(several, posterior, none),
            "suspect_confirmed_": self._suspects(classes, posterior, of_documents),
        }

    def _suspects(
        self, classes: NDArray[Any], posterior: Array, of_documents: Mapping[str, NDArray[Any]]
    ) -> list[SuspectLabel]:
        """List confirmed labels that look wrong; a model folder does not keep them."""
        if _INSTEAD not in of_documents:
            return []
        return suspects(classes, posterior.argmax(axis=1), of_documents[_INSTEAD], of_documents[_AGAINST])

    def _infer(self, documents: NewDocuments) -> Array:
        return self.stages_.posterior(documents)

    def _evidence(self, documents: NewDocuments, label: int, rival: int) -> Evidence:
        return self.stages_.evidence(documents, label, rival)

    def _has_words(self, documents: NewDocuments) -> NDArray[np.bool_]:
        return self.stages_.documents(documents).has_words

    def _words_of_new_documents(self) -> KnownWords:
        return self.stages_.words(self.vocabulary_)

    def _new_documents(self, X: Texts) -> NewDocuments:
        meaning = self.stages_.meaning
        if is_matrix(X := without_frame(X)):
            return NewDocuments(self._count_known(X, self.vocabulary_))
        encode = encoder_of(self.vectors) if meaning is not None and meaning.n_encoded else None
        if meaning is None or encode is None:
            return super()._new_documents(X)
        texts = list(given_texts(X))
        documents, sentences = super()._new_documents(texts), encoded(encode, texts)
        if texts and sentences.shape[1] != meaning.n_encoded:
            raise InputError(
                f"vectors gives {sentences.shape[1]} numbers for a text, but the model was fitted with an "
                f"encoder that gives {meaning.n_encoded}: give the encoder of the fit."
            )
        return replace(documents, sentences=sentences if texts else None)

    def predict(self, X: Texts, multi_label: bool = False) -> NDArray[Any]:
        """Return the most probable category of other documents, or all that they belong to.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.
        multi_label : bool
            Whether to give all labels of a document: the most probable one, and those to which the regression
            gives a probability of 0.15 or more.

        Returns
        -------
        ndarray of str, or ndarray of bool of shape (n_documents, n_categories)
            One label a document, `none_label` for those that belong to no category where it is set. With
            `multi_label` an indicator matrix, as scikit-learn's are, its columns in the order of `classes_`;
            a row without a label for documents that belong to no category. `predict_labels` gives names.
            For a collection of Dask, see `TextClassifier.predict`.
        """
        check_is_fitted(self)
        if is_dask(X):
            later: NDArray[Any] = predicted_later(self, X, "predict", multi_label=multi_label)
            return later
        documents = self._new_documents(X)
        posterior, none = self._distributions(documents), self.stages_.none_probability(documents)
        if multi_label:
            return all_labels(self.stages_.several(documents), posterior, none)
        return or_none(self.classes_[posterior.argmax(axis=1)], self.none_label, none)

    def score(self, X: Texts, y: Any, sample_weight: Any = None) -> float:
        """Give the share of documents whose label is that of `y`, which may hold `none_label` among numbers.

        Parameters
        ----------
        X : documents
            As of `fit`.
        y : sequence of labels
        sample_weight : sequence of float, optional
            The weight of each document.
        """
        found = self.predict(texts_here(X)).tolist()
        given = np.asarray(y, dtype=object).ravel().tolist() if hasattr(y, "__array__") else list(y)
        if len(given) != len(found):
            raise InputError(f"there are {len(given)} labels for {len(found)} documents: give one each.")
        # As in `fit`, a category that is a number may be given as text.
        right = [
            not is_missing(label) and (label == own or str(label) == str(own))
            for label, own in zip(given, found, strict=True)
        ]
        return float(np.average(right, weights=sample_weight))

    def predict_labels(self, X: Texts) -> list[tuple[str, ...]]:
        """Return all labels of other documents by name; `none_label` alone where they belong to no category.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.
        """
        return self.named_labels(self.predict(texts_here(X), multi_label=True))

    def named_labels(self, indicators: NDArray[np.bool_]) -> list[tuple[str, ...]]:
        """Name the labels of an indicator matrix, such as `multi_transduction_`.

        Parameters
        ----------
        indicators : ndarray of bool, shape (n_documents, n_categories)
        """
        without = () if self.none_label is None else (self.none_label,)
        return [tuple(self.classes_[row].tolist()) or without for row in indicators]

    def predict_none_proba(self, X: Texts) -> Array:
        """Return how likely other documents are to belong to no category; 0 where `none_label` is left out.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.
        """
        check_is_fitted(self)
        return self.stages_.none_probability(self._new_documents(X))

    def fitted_predictions(self, n_documents: int | None = None, *, several: bool = False) -> Predictions:
        return replace(
            super().fitted_predictions(n_documents),
            none_label=self.none_label,
            none_probability=self.none_probability_,
            several=self.multi_transduction_ if several else None,
        )

    def _predictions(self, documents: NewDocuments, posterior: Array, several: bool) -> Predictions:
        none = self.stages_.none_probability(documents)
        return replace(
            super()._predictions(documents, posterior, False),
            none_label=self.none_label,
            none_probability=none,
            several=all_labels(self.stages_.several(documents), posterior, none) if several else None,
        )

    def _reads_again(self) -> bool:
        return encoder_of(self.vectors) is not None

    def _with_sources(self, training_set: TrainingSet, X: Texts | None, progress: Progress) -> TrainingSet:
        return replace(
            training_set,
            graph=self._graph_source(training_set.order, len(training_set.seeds.seeds.examples)),
            vectors=self._vector_source(training_set, X, progress),
        )

    def _graph_source(self, order: NDArray[np.intp], n_examples: int) -> GraphSource:
        if not sp.issparse(self.graph):
            return WordGraph(self.n_neighbors)
        given = given_graph(self.graph, len(order) - n_examples)
        given.resize((len(order), len(order)))  # the examples have no neighbours
        return GivenGraph(given[order][:, order]) if self.n_neighbors else WordGraph(0)

    def _vector_source(
        self, training_set: TrainingSet, X: Texts | None, progress: Progress
    ) -> VectorSource | None:
        def texts() -> Iterable[str]:
            if X is None or is_matrix(X) or is_dask(X):
                raise InputError(
                    "an encoder reads texts: give a list or a column of texts, or vectors='auto'."
                )
            return texts_with_examples(X, training_set.seeds.seeds)

        return vector_source(self.vectors, training_set, stop_word_set(self.stop_words), texts, progress)

    def _sample_before(self, seeds: Seeds) -> Sample | None:
        if sp.issparse(self.graph) or encoder_of(self.vectors) is not None:
            raise InputError(
                "partial_fit needs graph='words' and vectors of words, such as 'auto': a graph of yours is "
                "of one collection, and an encoder needs texts, which are not kept."
            )
        return super()._sample_before(seeds)

    def _arrays(self) -> Mapping[str, Any]:
        of_documents = {name: getattr(self, name) for name in _OF_DOCUMENTS}
        return {**self.stages_.arrays(), **of_documents, **self._sample_arrays(), **self._unknown_arrays()}

    def _from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        seeds = self.seeds_.bind(self.vocabulary_)
        return {
            "stages_": Stages.from_arrays(arrays, seeds, Options.of(self), self._saved_meaning(arrays)),
            **self._labelled(self.classes_, arrays["label_distributions_"], arrays),
            **self._sample_from(arrays),
            "unknown_words_": arrays.get("unknown_words_"),
        }

    def _of_no_documents(self) -> dict[str, Any]:
        if not vars(self).get("on_cluster_"):
            return {**super()._of_no_documents(), "suspect_confirmed_": []}
        # Nothing is brought here from the cluster to be left out.
        nothing = self._said_of(no_predictions(len(self.classes_)))
        return {**nothing, "on_cluster_": None, "runner": "local"}

    def _slimmed(self) -> dict[str, Any]:
        return {
            **super()._slimmed(),
            "stages_": self.stages_.slim(),
            "graph": "words",  # the documents', or a given one of theirs
            "runner": "local",
        }

    def _saved_meaning(self, arrays: Mapping[str, NDArray[Any]]) -> Meaning | None:
        return Meaning.from_arrays(arrays, self.vocabulary_, stop_word_set(self.stop_words))

    def _sizes(self) -> dict[str, int]:
        return {**super()._sizes(), "classes_and_none": len(self.classes_) + 1, "views": len(VIEWS)}

    def _forms(self, described: Mapping[str, Described]) -> Mapping[str, Learned]:
        absent = {name for group in _OPTIONAL if not any(n in described for n in group) for name in group}
        return {name: form for name, form in super()._forms(described).items() if name not in absent}

    def _check_parameters(self) -> None:
        for name in ("n_background", "max_iter"):
            check_number(name, getattr(self, name), least=1, whole=True)
        for name in ("n_neighbors", "refresh_relevance", "smoothing_steps", "self_training_rounds"):
            check_number(name, getattr(self, name), least=0, whole=True)
        check_number("rho", self.rho, least=0, most=1)
        for name in ("weigh_seeds", "weigh_examples", "naive_bayes_start", "refine", "calibrate"):
            check_choice(name, getattr(self, name), (True, False))
        check_runner(self.runner)
        check_vectors(self.vectors)
        if not sp.issparse(self.graph) and not (isinstance(self.graph, str) and self.graph == "words"):
            given = repr(self.graph) if isinstance(self.graph, str) else type(self.graph).__name__
            raise InputError(f"graph is {given}: use 'words', or a sparse matrix of similarities.")
        check_choice("mixture", self.mixture, ("auto", True, False))
        resolve_kernel(self.kernel)

    def _check_seeds(self, seeds: Seeds) -> None:
        check_none_label(self.none_label, seeds)


def _of_documents(found: Predictions) -> dict[str, Any]:
    """Name what a fit says of documents as an estimator does."""
    return {
        "has_words_": found.has_words,
        "multi_transduction_": found.several,
        "none_probability_": found.none_probability,
        _INSTEAD: found.contradicting_class,
        _AGAINST: found.log_odds_against,
    }
