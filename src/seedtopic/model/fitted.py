"""A fitted model: all that was learned, and what it says of documents; estimators are built on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.arrays import Described
from seedtopic.base.errors import InputError
from seedtopic.base.memory import require_memory
from seedtopic.io.frames import Texts, given_texts, is_matrix, without_frame
from seedtopic.io.predictions import Predictions, all_labels, or_none
from seedtopic.knowledge.encoders import encoded
from seedtopic.learning.signals.words import shares
from seedtopic.model.doubts import (
    Doubt,
    SuspectLabel,
    estimated_precisions,
    find_doubts,
    outside_doubt,
)
from seedtopic.model.evidence import Evidence
from seedtopic.model.reading import TextReader, unknown_shares
from seedtopic.model.run import Run, several_of
from seedtopic.model.seed_table import SeedTable, seed_table
from seedtopic.model.stages.documents import Documents, WordSpace
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.meaning import Meaning, Vectors
from seedtopic.model.stages.out_of_scope import OutOfScope, none_probability
from seedtopic.model.stages.reliability import ReliabilityStage
from seedtopic.model.stages.stage import Arrays, Context, Form, Stage, check_forms, probability
from seedtopic.model.training import Sample
from seedtopic.model.vectors import VectorsLike, encoder_of, vectors_name
from seedtopic.seeds.tree import Tree
from seedtopic.text.counts import Counts, KnownWords
from seedtopic.text.phrases import Phrases
from seedtopic.text.rules import Rule
from seedtopic.text.tokens import Tokenizer

if TYPE_CHECKING:
    from seedtopic.model.fit import Learner
    from seedtopic.model.placed import Placed

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

NO_PROBABILITIES = (
    "its parameters are too large or too small, or its folder is damaged; fit it again with others."
)
_UNKNOWN = {"unknown_words_": probability("2")}  # how many words new documents may be expected to have
# The arrays of a folder that say what the fit says of its documents, each by the field of `Predictions`; the
# last ones are only those of models that give several labels.
_OF_DOCUMENTS = {
    "label_distributions_": ("probabilities", probability("documents classes")),
    "has_words_": ("has_words", Form("documents", "b")),
    "confirmed_": ("confirmed", Form("documents", "b")),
}
_OF_SEVERAL = {
    "multi_transduction_": ("several", Form("documents classes", "b")),
    "none_probability_": ("none_probability", probability("documents")),
}
# The properties of a fitted model that are attributes of an estimator, there with "_".
_ATTRIBUTES = {
    "classes", "vocabulary", "columns", "tree", "sample", "saves_sample", "unknown_words", "transduction",
}  # fmt: skip
_ESTIMATES = {"estimated_accuracy", "estimated_precisions", "doubts"}
_OF_OWN_MODEL = {"vectors", "suspect_confirmed", "objective", *_ESTIMATES}  # of the model with a first guess


@dataclass(frozen=True, kw_only=True)
class FittedModel(Context):
    """All that a model has learned: what its folder holds, and what labels documents."""

    name: str  # of the class of the model
    columns: Sequence[str] | None = None  # the words of the matrix that was fitted, where these are others
    documents: Predictions | Placed | None  # what the fit says of its documents; None where it is not kept
    fingerprint: str | None = None  # of the texts of the fit in their order, by which they are known again
    suspect_confirmed: list[SuspectLabel] = field(default_factory=list)  # not saved; see `doubts`
    sample: Sample | None = None  # of the documents, to continue the fit from
    saves_sample: bool = False  # whether it is saved: only where the fit was continued
    inputs: Mapping[str, Any] = field(default_factory=dict)  # what scikit-learn notes of a matrix
    unknown_words: Array | None = None  # mean and deviation of the share of them to expect; None for a matrix

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the sample of the documents, as a folder does, and words that can be listed again."""
        state = {name: value for name, value in vars(self).items() if name != "words"}
        return state if self.saves_sample else {**state, "sample": None}

    @cached_property
    def words(self) -> KnownWords:
        """The words that are counted in new documents: those of the fit first, and others that are known."""
        meaning = self.get(Meaning)
        unseen = () if meaning is None else meaning.words.unseen
        return KnownWords([*self.vocabulary, *unseen]) if unseen else self.vocabulary

    @property
    def fitted(self) -> Predictions:
        """What the fit says of its documents."""
        if self.documents is None:
            raise InputError(f"{self.name} keeps no labels of the fit: leave fitted=True out.")
        return self.documents if isinstance(self.documents, Predictions) else self.documents.brought

    @property
    def labels(self) -> list[Any]:
        """All labels that documents can have."""
        return [*self.classes.tolist(), *(() if self.none_label is None else (self.none_label,))]

    @property
    def paths(self) -> dict[Any, str] | None:
        """The path to each category, as in news > money, where there is a tree."""
        if self.seeds is None or not self.tree:
            return None
        return {leaf: " > ".join(map(str, self.tree.path(leaf))) for leaf in self.tree.leaves}

    @property
    def tree(self) -> Tree:
        """The category tree of the seeds; false where no category has a parent."""
        return self.seeds.seeds.tree

    @property
    def rules(self) -> Sequence[Rule]:
        """The rules that new documents are compared with."""
        return () if self.seeds is None else self.seeds.seeds.all_rules

    def counts_of(self, X: Texts, reader: TextReader, words: KnownWords | None = None) -> Counts:
        """Count words of new documents: those of the fit, or others too."""
        phrases = self.phrases(reader.tokenizer)
        return reader.count_known(X, words or self.vocabulary, phrases, self.columns, self.rules)

    def phrases(self, tokenizer: Tokenizer | None) -> Phrases:
        """Return the seeds of several words."""
        return Phrases() if self.seeds is None else self.seeds.seeds.phrases(tokenizer)

    def read(self, X: Texts, reader: TextReader, vectors: VectorsLike = None) -> Documents:
        """Read documents to be labelled, with the encoder of the fit where it had one."""
        if is_matrix(X := without_frame(X)):
            return self.view(self.counts_of(X, reader))
        meaning, encode = self.get(Meaning), encoder_of(vectors)
        if meaning is None or not meaning.n_encoded or encode is None:
            return self.view(self.counts_of(X, reader, self.words))
        texts = list(given_texts(X))
        counts, sentences = self.counts_of(texts, reader, self.words), encoded(encode, texts)
        if texts and sentences.shape[1] != meaning.n_encoded:
            raise InputError(
                f"vectors gives {sentences.shape[1]} numbers for a text, but the model was fitted with an "
                f"encoder that gives {meaning.n_encoded}: give the encoder of the fit."
            )
        return self.view(counts, sentences if texts else None)

    def view(self, counts: Counts, sentences: Vectors | None = None) -> Documents:
        """Return counted documents as the stages see them."""
        return Documents(
            counts.matrix, self.get(WordSpace), self.get(Meaning), sentences, left_out=counts.left_out
        )

    def posterior(self, documents: Documents) -> Array:
        """Return the label distributions of documents."""
        require_memory(len(documents), len(self.classes), arrays=2)
        with np.errstate(all="ignore"):
            first, *later = self._labelling
            posterior = documents.posterior(first)
            for stage in later:
                posterior = stage.apply(documents, posterior)
            return checked_distributions(posterior)

    @property
    def _labelling(self) -> tuple[Stage, ...]:
        """The last stage that labels by itself, and those after it."""
        last = max(place for place, stage in enumerate(self.stages) if stage.replaces)
        return self.stages[last:]

    def evidence(self, documents: Documents, label: int, rival: int) -> Evidence:
        """Split the log-odds of one document into its words and the rest."""
        evidence, posterior = Evidence(np.empty(0), 0.0, np.empty(0)), np.empty(0)
        try:
            for stage in self._labelling:
                evidence = stage.evidence(documents, posterior, evidence, label, rival)
                posterior = stage.apply(documents, posterior)
        except NotImplementedError:
            raise InputError(
                f"{self.name} cannot explain its labels by words: use SeedTopicClassifier, WSPTM or LapSWTM."
            ) from None
        return evidence

    def predict(self, documents: Documents, *, several: bool = False) -> Predictions:
        """Return what the model says of documents."""
        if several and not self.gives_several:
            raise InputError(f"{self.name} gives one label a document: use SeedTopicClassifier.")
        posterior, none = self.posterior(documents), self.none_probability(documents)
        labels = None
        if several:  # not by the mixture, in which a document has one label
            asked = [stage for stage in self.stages if stage.gives_several][-1]
            labels = all_labels(several_of(documents.posterior(asked), documents), posterior, none)
        return Predictions.of(
            self.classes.tolist(),
            posterior,
            has_words=documents.has_words,
            none_label=self.none_label,
            none_probability=none,
            several=labels,
            paths=self.paths,
            unknown=unknown_shares(documents.all_counts, documents.left_out, len(self.vocabulary)),
        )

    def predictions_of_fit(self, *, several: bool = False) -> Predictions:
        """Return what the fit says of its documents."""
        if several and not self.gives_several:
            raise InputError(f"{self.name} gives one label a document: use SeedTopicClassifier.")
        return replace(self.fitted, several=self.fitted.several if several else None, paths=self.paths)

    def none_probability(self, documents: Documents) -> Array:
        """Return how likely documents are to belong to no category; 0 where they have no name."""
        if self.none_label is None:
            return np.zeros(len(documents))
        return none_probability(self.get(OutOfScope), documents)

    def named(self, indicators: Mask) -> list[tuple[str, ...]]:
        """Name the labels of an indicator matrix."""
        without = () if self.none_label is None else (self.none_label,)
        return [tuple(self.classes[row].tolist()) or without for row in indicators]

    @property
    def transduction(self) -> NDArray[Any]:
        """The labels of the documents of the fit."""
        return self.labels_in(self.fitted)

    def labels_in(self, predictions: Predictions) -> NDArray[Any]:
        """Return the label of each document, also of those without a known word, as scikit-learn asks."""
        labels: NDArray[Any] = self.classes[predictions.probabilities.argmax(axis=1)]
        return or_none(labels, self.none_label, predictions.none_probability)

    @property
    def vectors(self) -> str | None:
        """What the fit knew meanings from; None where it knew none."""
        return vectors_name(self.get(Meaning))

    @property
    def objective(self) -> Array:
        """Empty: the stages do not share one objective."""
        return np.empty(0)

    @property
    def has_estimates(self) -> bool:
        """Whether the probability of a label is an estimate of how likely it is right."""
        return self.get(ReliabilityStage) is not None

    @property
    def _labelled(self) -> Array:
        """The distributions of the documents of the fit that were given a category."""
        return np.asarray(self.fitted.probabilities[self.fitted.has_words & ~self.fitted.outside])

    @property
    def estimated_accuracy(self) -> float:
        """The share of labels that are right, as far as that can be told without any; NaN without labels."""
        labelled = self._labelled
        return float(labelled.max(axis=1).mean()) if len(labelled) else np.nan

    @property
    def estimated_precisions(self) -> Array:
        """The same for the documents given each label, by the order of `classes`; NaN without any."""
        labelled = self._labelled
        return estimated_precisions(labelled.argmax(axis=1), labelled.max(axis=1), len(self.classes))

    @property
    def doubts(self) -> list[Doubt]:
        """Whether categories are missing, and which are in doubt: each with why and what to do."""
        none = self.get(OutOfScope)
        outside = None if none is None or self.none_label else outside_doubt(none.share, none.words)
        of_categories = find_doubts(
            self.seeds.seeds,
            self.get(Meaning),
            np.bincount(self._labelled.argmax(axis=1), minlength=len(self.classes)),
            self[ReliabilityStage].seeded,
            self.estimated_precisions,
            self.estimated_accuracy,
        )
        return of_categories if outside is None else [outside, *of_categories]

    def seed_table(self) -> SeedTable:
        """Return every seed with its word, the weight that was given, and the weight that was learned."""
        guess = self.get(FirstGuess)
        return seed_table(self.seeds, self.vocabulary, () if guess is None else guess.seed_weights.tolist())

    def attribute(self, name: str) -> Any:
        """Return a fitted attribute of an estimator by its name; KeyError if there is none."""
        stem = name[:-1]
        known = set(_ATTRIBUTES)
        if self.get(FirstGuess) is not None:
            known |= _OF_OWN_MODEL if self.has_estimates else _OF_OWN_MODEL - _ESTIMATES
        if name in self.inputs:
            return self.inputs[name]
        if name == "seeds_" and self.seeds is not None:
            return self.seeds.seeds
        if name in self._names_of_documents:
            return getattr(self.fitted, self._names_of_documents[name][0])
        if stem in known and (stem != "transduction" or self.documents is not None):
            return getattr(self, stem)
        array = self.stage_arrays[name]
        return array if array.ndim else array.item()

    def attributes(self) -> list[str]:
        """Name the fitted attributes of an estimator."""
        own = (f"{name}_" for name in _ATTRIBUTES)
        return [*own, *self.inputs, *self._names_of_documents, *self.stage_arrays]

    @property
    def _names_of_documents(self) -> dict[str, tuple[str, Form]]:
        """What is kept of the documents of the fit, by its name in a folder."""
        if self.documents is None:
            return {}
        return {**_OF_DOCUMENTS, **(_OF_SEVERAL if self.gives_several else {})}

    @property
    def stage_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of all stages, by their names in a model folder."""
        return {name: array for stage in self.stages for name, array in stage.arrays().items()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        return {
            **self.stage_arrays,
            **{name: getattr(self.fitted, own) for name, (own, _) in self._names_of_documents.items()},
            **(self.sample.to_arrays() if self.sample is not None and self.saves_sample else {}),
            **({} if self.unknown_words is None else {"unknown_words_": self.unknown_words}),
        }

    @staticmethod
    def check_described(of: Learner, context: Context, described: Mapping[str, Described]) -> dict[str, Form]:
        """Refuse arrays that are not those of a model before memory is taken for them; return their forms."""
        forms: dict[str, Form] = {}
        for kind in of.pipeline:
            forms |= kind.forms(described) if _is_there(kind, described) else {}
        if not of.needs_labels:
            several = any(kind.gives_several for kind in of.pipeline)
            of_documents = {**_OF_DOCUMENTS, **(_OF_SEVERAL if several else {})}
            forms |= {name: form for name, (_, form) in of_documents.items()}
            forms |= Sample.FORMS if "sample_words" in described else {}
            forms |= _UNKNOWN if "unknown_words_" in described else {}
        sizes = {"classes": len(context.classes), "words": len(context.vocabulary)}
        if context.seeds is not None:
            sizes["seeds"] = context.seeds.membership.nnz
        check_forms(forms, described, {**sizes, **context.options.sizes(context)})
        return forms

    @classmethod
    def restored(
        cls, name: str, of: Learner, context: Context, arrays: Arrays, fingerprint: str | None = None
    ) -> Self:
        """Return what was saved, from arrays that are not trusted."""
        described = {array: Described.of(values) for array, values in arrays.items()}
        for array, form in cls.check_described(of, context, described).items():
            if not form.holds(arrays[array]):
                raise InputError(f"it is damaged: {array} has numbers that no such model has.")
        for kind in of.pipeline:
            if _is_there(kind, arrays):
                context = replace(context, stages=(*context.stages, kind.restored(arrays, context)))
        documents, sample = None, None
        if not of.needs_labels:
            names = _OF_DOCUMENTS | _OF_SEVERAL
            saved = {own: arrays[array] for array, (own, _) in names.items() if array in arrays}
            saved["several"] = saved.get("several", np.zeros(saved["probabilities"].shape, bool))
            predictions = Predictions.of(context.classes.tolist(), none_label=context.none_label, **saved)
            documents = _with_all_labels(predictions, context)
            sample = Sample.from_arrays(arrays, len(context.classes))
        return cls(
            **vars(context),
            name=name,
            documents=documents,
            fingerprint=fingerprint,
            sample=sample,
            saves_sample=True,
            unknown_words=arrays.get("unknown_words_"),
        )

    def without_documents(self) -> Self:
        """Return a model that knows nothing of single documents of the fit."""
        documents = self.documents
        if isinstance(documents, Predictions):
            documents = documents[:0]
        elif documents is not None:  # nothing is brought here to be left out
            nothing = np.zeros((0, len(self.classes)))
            documents = Predictions.of(
                self.classes.tolist(), nothing, none_label=self.none_label, several=nothing.astype(bool)
            )
        return replace(self, documents=documents, fingerprint=None, sample=None, suspect_confirmed=[])

    def slim(self) -> Self:
        """Return a model that only labels other documents."""
        labelling = [place for place, stage in enumerate(self.stages) if stage.gives_several]
        n_trimmed = labelling[-2] + 1 if len(labelling) > 1 else 0  # a later stage labels in their place
        slim = replace(self.without_documents(), stages=())
        for place, stage in enumerate(self.stages):
            smaller = stage.trimmed() if place < n_trimmed else stage
            slim = replace(slim, stages=(*slim.stages, smaller.relinked(slim)))
        return slim


def _is_there(kind: type[Stage], names: Collection[str]) -> bool:
    return not kind.optional or not kind.array_names().isdisjoint(names)


def fitted_predictions(run: Run) -> Predictions:
    """Return what a fit says of its documents, in the order of the training set."""
    results = run.results()
    results = replace(results, probabilities=checked_distributions(results.probabilities))
    return _with_all_labels(replace(results, classes=tuple(run.classes.tolist())), run)


def _with_all_labels(predictions: Predictions, context: Context) -> Predictions:
    """Add the first label of each document to the others, where a model gives several."""
    labels = None
    if context.gives_several and predictions.several is not None:
        labels = all_labels(predictions.several, predictions.probabilities, predictions.none_probability)
    return replace(predictions, several=labels)


def checked_distributions(values: NDArray[np.floating[Any]]) -> Array:
    """Scale rows to probabilities, and refuse what cannot be: no result holds NaN."""
    distributions = shares(values.astype(np.float64))
    if not (np.abs(distributions.sum(axis=1) - 1.0) < 1e-6).all() or distributions.min(initial=0.0) < 0:
        raise InputError(f"no probabilities come of this model: {NO_PROBABILITIES}")
    return distributions
