"""The stages put together: learned in one pass by `learn`, and asked for the labels of new documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic.model.evidence import Evidence
from seedtopic.model.reading import NewDocuments
from seedtopic.model.run import Options
from seedtopic.model.stages.documents import DocumentView, WordSpace
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.mixture import MixtureStage
from seedtopic.model.stages.outsiders import OutsiderStage
from seedtopic.model.stages.regression import RegressionStage, Uncalibrated
from seedtopic.model.stages.reliability import Calibration, ReliabilityStage
from seedtopic.model.stages.topics import Topics
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import KnownWords

Array = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]

# Probability from which the regression gives a label beside the first; chosen on documents joined from two
# train documents of six collections and seed sets.
SEVERAL_LEVEL = 0.15


@dataclass(frozen=True)
class Stages:
    """Everything the default model knows after a fit."""

    space: WordSpace
    meaning: Meaning | None
    guess: FirstGuess
    topics: Topics
    regression: RegressionStage | None
    mixture: MixtureStage | None
    calibration: Calibration
    outsiders: OutsiderStage | None

    @cached_property
    def _wider(self) -> dict[str, KnownWords]:
        return {}

    @property
    def last(self) -> Topics | RegressionStage | MixtureStage:
        """The last stage that labels documents from their words."""
        return self.mixture or self.regression or self.topics

    def words(self, vocabulary: KnownWords) -> KnownWords:
        """Return the words that are counted in new documents: those of the fit, and others that are known."""
        if self.meaning is None or not self.meaning.words.unseen:
            return vocabulary
        if "words" not in self._wider:
            self._wider["words"] = KnownWords([*vocabulary, *self.meaning.words.unseen])
        return self._wider["words"]

    def documents(self, new: NewDocuments) -> DocumentView:
        """Return new documents as the stages see them."""
        if "stages" not in new.views:
            new.views["stages"] = DocumentView(new.counts, self.space, self.meaning, new.sentences)
        view: DocumentView = new.views["stages"]
        return view

    def posterior(self, new: NewDocuments) -> Array:
        """Return the label distributions of new documents."""
        documents = self.documents(new)
        posterior = self.last.posterior(documents)
        return documents.even_without_words(self.calibration.posterior(documents, posterior, self.last))

    def evidence(self, new: NewDocuments, label: int, rival: int) -> Evidence:
        """Split the log-odds of one new document into its words and the rest."""
        documents = self.documents(new)
        found = self.last.evidence(documents, label, rival)
        return self.calibration.evidence(documents, self.last.posterior(documents), found)

    def several(self, new: NewDocuments) -> NDArray[np.bool_]:
        """Return the labels of new documents that reach the level of several, apart from the first."""
        documents = self.documents(new)
        # Not by the mixture, in which a document has one label.
        part = (self.regression or self.last).posterior(documents)
        return (part >= SEVERAL_LEVEL) & documents.has_words[:, None]

    def none_probability(self, new: NewDocuments) -> Array:
        """Return how likely new documents are to belong to no category; 0 where that was not learned."""
        if self.outsiders is None:
            return np.zeros(new.counts.shape[0])
        return self.outsiders.probability(self.documents(new))

    def slim(self) -> Stages:
        """Leave out what no later stage needs to label new documents: most of the topic model."""
        if self.regression is None:
            return replace(self)
        guess = replace(self.guess, prototype=self.guess.prototype[:, :0].copy())
        calibration = self.calibration
        if isinstance(calibration, ReliabilityStage):
            calibration = replace(calibration, guess=guess)
        return replace(self, guess=guess, topics=self.topics.slim(guess), calibration=calibration)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder; a stage that was not taken has no arrays."""
        stages = (
            self.space, self.meaning, self.guess, self.topics, self.regression, self.mixture,
            self.calibration, self.outsiders,
        )  # fmt: skip
        return {
            name: array for stage in stages if stage is not None for name, array in stage.arrays().items()
        }

    @classmethod
    def from_arrays(
        cls, arrays: Arrays, seeds: BoundSeeds, options: Options, meaning: Meaning | None
    ) -> Self:
        """Put the stages together again from what `arrays` gave, and from the meaning, which needs words."""
        guess = FirstGuess.from_arrays(arrays, seeds, options)
        topics, regression = Topics.from_arrays(arrays, guess, options), RegressionStage.from_arrays(arrays)
        calibration: Calibration
        if "reliability_offsets_" in arrays:
            calibration = ReliabilityStage.from_arrays(arrays, guess, regression or topics)
        else:
            calibration = Uncalibrated()
        return cls(
            space=WordSpace.from_arrays(arrays),
            meaning=meaning,
            guess=guess,
            topics=topics,
            regression=regression,
            mixture=MixtureStage.from_arrays(arrays),
            calibration=calibration,
            outsiders=None if options.none_label is None else OutsiderStage.from_arrays(arrays),
        )
