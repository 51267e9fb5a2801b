"""MedLDA: the supervised max-margin topic model, by Gibbs sampling (Zhu et al., JMLR 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from seedtopic.base.checks import check_number, random_generator
from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress
from seedtopic.base.threads import resolve_threads, thread_limit, threads_here
from seedtopic.io.frames import Texts
from seedtopic.model.estimator import SeedClassifier
from seedtopic.model.fit import CheckpointLike, Learner
from seedtopic.model.fitted import FittedModel
from seedtopic.model.run import ModelOptions
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.stage import Context, Form, Stage, likely, linked, probability, stored, weight
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import KnownWords, MinDf, fingerprints
from seedtopic.text.tokens import StopWords, Tokenizer, stop_word_set
from seedtopic_lab.medlda_kernel import Settings, Tokens, fold_in, sample

Array = NDArray[np.float64]

# The values of c among which cross-validation chooses.
C_GRID = (0.4, 0.8, 1.6, 3.2)
# Scores are worth probabilities in this share of ell: of 1, 1/4 and 1/64 (the bare scores) this one gave
# held-out documents of both train parts, 20 Newsgroups' and Reuters', by far the least log-loss.
_SCORE_UNIT = 0.25
MOST_SWEEPS = 100_000  # for a prediction


@dataclass(frozen=True)
class MedLDAOptions(ModelOptions):
    """The parameters of the model; see `MedLDA` for each."""

    n_topics: int
    alpha_sum: float
    beta: float
    c: float | Literal["cv"]
    cv: int
    cv_sweeps: int
    ell: float
    nu2: float
    n_sweeps: int
    burn_in: int
    n_samples: int

    def check(self) -> None:
        """Refuse settings out of range."""
        least = {"n_topics": 1, "cv": 2, "cv_sweeps": 1, "n_sweeps": 1, "burn_in": 0, "n_samples": 1}
        for name, lowest in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < lowest:
                raise InputError(f"{name} is {value!r}: use a whole number from {lowest} on.")
        for name in ("burn_in", "n_samples"):  # which every prediction makes
            check_number(name, getattr(self, name), most=MOST_SWEEPS, whole=True)
        positive = ("alpha_sum", "beta", "ell", "nu2")
        for name in positive if self.c == "cv" else (*positive, "c"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
                values = "a number above 0, or 'cv'" if name == "c" else "a number above 0"
                raise InputError(f"{name} is {value!r}: use {values}.")

    def sizes(self, model: Context) -> dict[str, int]:
        """Return the number of topics."""
        return {"topics": self.n_topics}

    def settings(self, c: float) -> Settings:
        """Return what the sampler needs, with this weight of the hinge loss."""
        return Settings(
            n_topics=self.n_topics,
            alpha=self.alpha_sum / self.n_topics,
            beta=self.beta,
            c=c,
            ell=self.ell,
            nu2=self.nu2,
            n_sweeps=self.n_sweeps,
        )


@dataclass(frozen=True)
class MarginTopics(Stage):
    """Topics, and the weights of the classes over them."""

    options: MedLDAOptions = linked(lambda model: model.options)
    topics: Array = stored(likely("topics words"))  # phi
    class_topic: Array = stored(Form("classes topics"))  # eta
    c: float = stored(weight(""))
    cv_scores: Array = stored(probability("grid"))

    replaces: ClassVar[bool] = True

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Return a softmax of the scores of new documents."""
        n_threads = threads_here()
        blocks = [documents.counts[rows] for rows in np.array_split(np.arange(len(documents)), n_threads)]
        with ThreadPoolExecutor(n_threads) as pool:
            parts = list(pool.map(lambda block: topic_shares(block, self.topics, self.options), blocks))
        scores = np.concatenate(parts) @ self.class_topic.T
        return np.asarray(softmax(scores / (_SCORE_UNIT * self.options.ell), axis=1))


@dataclass(frozen=True, kw_only=True)
class LabelLearner(Learner):
    """How MedLDA learns from labelled documents."""

    needs_labels: ClassVar[bool] = True

    def fit(
        self, model: SeedClassifier, X: Texts, y: object, progress: Progress, checkpoint: CheckpointLike
    ) -> FittedModel:
        """Learn from documents, with the parameters of a model, which is not changed."""
        self.check()
        labels = _checked_labels(y)
        read = self.reader.of(model).count(X, keep=(), progress=progress)
        counts = read.counts
        if len(labels) != counts.matrix.shape[0]:
            raise InputError(
                f"there are {counts.matrix.shape[0]} documents but {len(labels)} labels: give one label a "
                "document."
            )
        names, classes = np.unique(labels, return_inverse=True)
        if len(names) < 2:
            raise InputError(f"all documents have the class {names[0]!r}: learning needs at least 2 classes.")
        # Documents that say the same are told apart by their class, so that their order cannot matter.
        by_class = np.argsort(classes, kind="stable")
        order = by_class[np.argsort(fingerprints(counts.matrix[by_class]), kind="stable")]
        rng = np.random.default_rng(random_generator(model.random_state).randint(2**31 - 1))
        with thread_limit(resolve_threads(model.n_threads)):
            stage = learned(counts.matrix[order], classes[order], self.options, rng, progress)
        return FittedModel(
            classes=names,
            seeds=cast(BoundSeeds, None),
            vocabulary=KnownWords(counts.vocabulary),
            stop_words=stop_word_set(model.stop_words),
            options=self.options,
            stages=(stage,),
            name=type(model).__name__,
            documents=None,
            inputs=read.inputs,
        )


def learned(
    counts: sp.csr_array,
    classes: NDArray[np.intp],
    options: Any,
    rng: np.random.Generator,
    progress: Progress,
) -> MarginTopics:
    """Draw topics and weights, with a weight of the hinge loss that is given or chosen."""
    n_classes, scores, c = int(classes.max()) + 1, np.empty(0), options.c
    if c == "cv":
        scores = _cross_validate(counts, classes, n_classes, options, rng, progress)
        c = C_GRID[int(scores.argmax())]
    topics, class_topic = sample(
        Tokens.of(counts),
        one_against_rest(classes, n_classes),
        counts.shape[1],
        options.settings(float(c)),
        rng,
        lambda done, total: progress("learning", done, total),
    )
    return MarginTopics(options, topics, class_topic, float(c), scores)


def topic_shares(counts: sp.csr_array, topics: Array, options: MedLDAOptions) -> Array:
    """Return the topic shares of new documents."""
    # Always the same random numbers: a prediction is a function of the model and the document.
    streams = np.random.default_rng(0).integers(
        2**64, size=options.burn_in + options.n_samples, dtype=np.uint64
    )
    return fold_in(Tokens.of(counts), topics, options.alpha_sum / len(topics), streams, options.n_samples)


def _cross_validate(
    counts: sp.csr_array,
    classes: NDArray[np.intp],
    n_classes: int,
    options: MedLDAOptions,
    rng: np.random.Generator,
    progress: Progress,
) -> Array:
    """Give the mean held-out accuracy of each value of c."""
    folds = dealt_folds(classes, options.cv, rng)
    seed = int(rng.integers(2**63))  # the same random numbers for each, so that only c differs

    def accuracy(task: tuple[float, int]) -> float:
        c, fold = task
        learned, held_out = folds != fold, folds == fold
        topics, class_topic = sample(
            Tokens.of(counts[learned]),
            one_against_rest(classes[learned], n_classes),
            counts.shape[1],
            replace(options.settings(c), n_sweeps=options.cv_sweeps),
            np.random.default_rng(seed),
            lambda done, total: None,
        )
        scores = topic_shares(counts[held_out], topics, options) @ class_topic.T
        return float((scores.argmax(axis=1) == classes[held_out]).mean())

    tasks = [(c, fold) for c in C_GRID for fold in range(options.cv)]
    accuracies = []
    with ThreadPoolExecutor(threads_here()) as pool:
        for result in pool.map(accuracy, tasks):
            accuracies.append(result)
            progress("choosing c", len(accuracies), len(tasks))
    return np.asarray(np.reshape(accuracies, (len(C_GRID), options.cv)).mean(axis=1))


class MedLDA(SeedClassifier):
    """Maximum entropy discrimination LDA: SUPERVISED, it learns from labelled documents.

    A topic model whose topics also serve, for each class against the rest, a large-margin classifier of the
    documents' topic shares. Topics, weights and augmentation variables are drawn by Gibbs sampling; the
    classes are joined one-vs-all.

    Parameters
    ----------
    n_topics : int
        Topics K.
    alpha_sum : float
        Dirichlet parameter of the topics of a document, all topics together.
    beta : float
        Dirichlet parameter of the words of a topic.
    c : float or "cv"
        Weight of the hinge loss; "cv" chooses 0.4, 0.8, 1.6 or 3.2 by cross-validation on the documents
        given to `fit`.
    cv : int
        Folds of that cross-validation.
    cv_sweeps : int
        Sweeps in each fold; the held-out accuracy settles much earlier than the sampler.
    ell : float
        The margin that a document's score must keep from 0.
    nu2 : float
        Variance of the classes' weights before anything is seen (nu squared).
    n_sweeps : int
        Sweeps over all tokens.
    burn_in : int
        Most sweeps over a new document before its topics count; fewer where its likelihood settles.
    n_samples : int
        Sweeps over a new document whose topics are averaged.
    vocabulary, tokenizer, stop_words, min_df, n_threads, random_state, max_memory
        See `SeedClassifier`.

    Attributes
    ----------
    classes_ : ndarray
        The distinct labels, sorted.
    topics_ : ndarray, shape (n_topics, n_words)
        Word distributions phi, a topic a row. Topics are not classes.
    class_topic_ : ndarray, shape (n_classes, n_topics)
        Weights eta: a document's score for a class is their sum over its topic shares.
    c_ : float
        The weight of the hinge loss that was used.
    cv_scores_ : ndarray, shape (4,)
        Mean held-out accuracy of the four values of c; empty where c was given.
    vocabulary_ : list of str

    Notes
    -----
    The 2014 paper was at hand as an abstract only: the conditional distributions were derived from its
    augmentation, exp(-2c max(0, zeta)) as a mixture of Gaussians. The defaults are those its authors'
    implementation is known for, but for `n_topics` (40 there): of 20, 40, 60 and 80, at this c, 60 had the
    best accuracy on held-out documents of both train parts, 20 Newsgroups and Reuters. `topics_` and
    `class_topic_` are those of the last sweep: averaging the last ten gained nothing there.

    `predict_proba` is a softmax of the scores in units of ell / 4. It ranks, but it is not calibrated.

    Words that `fit` did not see are dropped. A token has one topic, so counts are taken as whole: a fraction
    of an occurrence is rounded, up to one.

    References
    ----------
    J. Zhu, N. Chen, H. Perkins, B. Zhang. Gibbs max-margin topic models with data augmentation. Journal of
    Machine Learning Research 15, 2014.

    J. Zhu, X. Zheng, L. Zhou, B. Zhang. Scalable inference in max-margin topic models. KDD, 2013.

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> labels = ["sports", "sports", "money", "money"]
    >>> model = MedLDA(n_topics=4, random_state=0).fit(texts, labels)
    >>> model.predict(["which rate?", "a game of the team"]).tolist()
    ['money', 'sports']
    """

    def __init__(
        self,
        *,
        n_topics: int = 60,
        alpha_sum: float = 6.4,
        beta: float = 0.01,
        c: float | Literal["cv"] = 1.6,
        cv: int = 5,
        cv_sweeps: int = 20,
        ell: float = 64.0,
        nu2: float = 1.0,
        n_sweeps: int = 50,
        burn_in: int = 100,
        n_samples: int = 20,
        vocabulary: Sequence[str] | None = None,
        tokenizer: Tokenizer | None = None,
        stop_words: StopWords = "english",
        min_df: MinDf = "auto",
        n_threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_memory: MaxMemory = None,
    ) -> None:
        self.n_topics = n_topics
        self.alpha_sum = alpha_sum
        self.beta = beta
        self.c = c
        self.cv = cv
        self.cv_sweeps = cv_sweeps
        self.ell = ell
        self.nu2 = nu2
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_df = min_df
        self.n_threads = n_threads
        self.random_state = random_state
        self.max_memory = max_memory

    def _learner(self) -> LabelLearner:
        return LabelLearner(options=MedLDAOptions.of(self), pipeline=(MarginTopics,))


def _checked_labels(y: Any) -> NDArray[Any]:
    if y is None:
        raise InputError(
            "MedLDA requires y to be passed, but the target y is None: give one label a document."
        )
    for position, label in enumerate(np.asarray(y, dtype=object).ravel()):
        if label is None or (isinstance(label, Real) and not np.isfinite(float(label))):
            raise InputError(
                f"the label of document {position} is {label!r} (NaN and infinity are no classes): "
                "label it or leave the document out."
            )
    try:
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
    except ValueError as error:
        raise InputError(f"the labels cannot be used: {error}") from None
    return np.asarray(labels)


def one_against_rest(classes: NDArray[np.intp], n_classes: int) -> Array:
    """Give y_d^i: +1 where document d is of class i, else -1."""
    return np.where(classes[:, None] == np.arange(n_classes), 1.0, -1.0)


def dealt_folds(classes: NDArray[np.intp], n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Deal the documents of each class out to the folds in turn, in a random order."""
    shuffled = rng.permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    folds = np.empty(len(classes), dtype=np.intp)
    folds[by_class] = np.arange(len(classes)) % n_folds
    return folds
