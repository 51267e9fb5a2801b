"""MedLDA: the supervised max-margin topic model, by Gibbs sampling (Zhu et al., JMLR 2014)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads
from seedtopic.io.frames import Texts
from seedtopic.model.estimator import TextClassifier
from seedtopic.model.folder import Learned, likely, probability, weight
from seedtopic.model.reading import NewDocuments
from seedtopic.text.counts import KnownWords, MinDf, canonical_order
from seedtopic.text.tokens import StopWords, Tokenizer
from seedtopic_lab.medlda_kernel import Settings, Tokens, fold_in, sample

Array = NDArray[np.float64]

# The values of c among which cross-validation chooses.
C_GRID = (0.4, 0.8, 1.6, 3.2)
# Scores are worth probabilities in this share of ell: of 1, 1/4 and 1/64 (the bare scores) this one gave
# held-out documents of both train parts, 20 Newsgroups' and Reuters', by far the least log-loss.
_SCORE_UNIT = 0.25
MOST_SWEEPS = 100_000  # for a prediction


class MedLDA(TextClassifier):
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
        See `TextClassifier`.

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

    _learned: ClassVar[Mapping[str, Learned]] = {
        "topics_": likely("topics words"),
        "class_topic_": Learned("classes topics"),
        "c_": weight(""),
        "cv_scores_": probability("grid"),
    }

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
        super().__init__(
            vocabulary=vocabulary,
            tokenizer=tokenizer,
            stop_words=stop_words,
            min_df=min_df,
            n_threads=n_threads,
            random_state=random_state,
            max_memory=max_memory,
        )
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

    def fit(self, X: Texts, y: ArrayLike, *, progress: Progress = silent) -> Self:
        """Learn from labelled documents.

        Parameters
        ----------
        X : iterable of str, or matrix of counts of shape (n_documents, n_words)
            The documents. The columns of a matrix are named by `vocabulary`.
        y : sequence of n_documents labels
            The class of every document.
        progress : callable, optional
            Told the stage, the steps done and the steps in all.
        """
        self._check_parameters()
        labels = _checked_labels(y)
        read = self._reader().count(X, keep=(), progress=progress)
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
        order = by_class[canonical_order(counts.matrix[by_class])]
        matrix, classes = counts.matrix[order], classes[order]

        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        scores, c = np.empty(0), self.c
        if c == "cv":
            scores = self._cross_validate(matrix, classes, len(names), rng, progress)
            c = C_GRID[int(scores.argmax())]
        topics, class_topic = sample(
            Tokens.of(matrix),
            _signs(classes, len(names)),
            matrix.shape[1],
            self._settings(float(c)),
            rng,
            lambda done, total: progress("learning", done, total),
        )
        self._become(
            {
                **read.noted,
                "classes_": names,
                "vocabulary_": KnownWords(counts.vocabulary),
                "columns_": None,
                "cv_scores_": scores,
                "c_": float(c),
                "topics_": topics,
                "class_topic_": class_topic,
            }
        )
        return self

    def _infer(self, documents: NewDocuments) -> Array:
        n_threads = resolve_threads(self.n_threads)
        blocks = [
            documents.counts[rows] for rows in np.array_split(np.arange(documents.counts.shape[0]), n_threads)
        ]
        with ThreadPoolExecutor(n_threads) as pool:
            shares = list(pool.map(lambda block: self._topic_shares(block, self.topics_), blocks))
        scores = np.concatenate(shares) @ self.class_topic_.T
        return np.asarray(softmax(scores / (_SCORE_UNIT * self.ell), axis=1))

    def _sizes(self) -> dict[str, int]:
        return {**super()._sizes(), "topics": self.n_topics}

    def _topic_shares(self, counts: sp.csr_array, topics: Array) -> Array:
        # Always the same random numbers: a prediction is a function of the model and the document.
        streams = np.random.default_rng(0).integers(
            2**64, size=self.burn_in + self.n_samples, dtype=np.uint64
        )
        return fold_in(Tokens.of(counts), topics, self.alpha_sum / len(topics), streams, self.n_samples)

    def _cross_validate(
        self,
        counts: sp.csr_array,
        classes: NDArray[np.intp],
        n_classes: int,
        rng: np.random.Generator,
        progress: Progress,
    ) -> Array:
        """Give the mean held-out accuracy of each value of c."""
        folds = _folds(classes, self.cv, rng)
        seed = int(rng.integers(2**63))  # the same random numbers for each, so that only c differs

        def accuracy(task: tuple[float, int]) -> float:
            c, fold = task
            learned, held_out = folds != fold, folds == fold
            topics, class_topic = sample(
                Tokens.of(counts[learned]),
                _signs(classes[learned], n_classes),
                counts.shape[1],
                replace(self._settings(c), n_sweeps=self.cv_sweeps),
                np.random.default_rng(seed),
                lambda done, total: None,
            )
            scores = self._topic_shares(counts[held_out], topics) @ class_topic.T
            return float((scores.argmax(axis=1) == classes[held_out]).mean())

        tasks = [(c, fold) for c in C_GRID for fold in range(self.cv)]
        accuracies = []
        with ThreadPoolExecutor(resolve_threads(self.n_threads)) as pool:
            for result in pool.map(accuracy, tasks):
                accuracies.append(result)
                progress("choosing c", len(accuracies), len(tasks))
        return np.asarray(np.reshape(accuracies, (len(C_GRID), self.cv)).mean(axis=1))

    def _settings(self, c: float) -> Settings:
        return Settings(
            n_topics=self.n_topics,
            alpha=self.alpha_sum / self.n_topics,
            beta=self.beta,
            c=c,
            ell=self.ell,
            nu2=self.nu2,
            n_sweeps=self.n_sweeps,
        )

    def _check_parameters(self) -> None:
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
                wanted = "a number above 0, or 'cv'" if name == "c" else "a number above 0"
                raise InputError(f"{name} is {value!r}: use {wanted}.")


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


def _signs(classes: NDArray[np.intp], n_classes: int) -> Array:
    """Give y_d^i: +1 where document d is of class i, else -1."""
    return np.where(classes[:, None] == np.arange(n_classes), 1.0, -1.0)


def _folds(classes: NDArray[np.intp], n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Deal the documents of each class out to the folds in turn, in a random order."""
    shuffled = rng.permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    folds = np.empty(len(classes), dtype=np.intp)
    folds[by_class] = np.arange(len(classes)) % n_folds
    return folds
