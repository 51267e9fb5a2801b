"""A multilingual sentence encoder alone: the category whose seeds are nearest in meaning, nothing learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from seedtopic.knowledge.encoders import sentence_encoder
from seedtopic.model.estimator import SeedsLike
from seedtopic.seeds import Seeds
from seedtopic_lab.experiments.peers.sentences import phrases


@dataclass
class MultilingualEncoder:
    """The category whose seeds, read as one phrase, are nearest by cosine of the Universal Sentence Encoder.

    It is the encoder of the extra `encoder`, which SeedTopicClassifier can use as well.

    Parameters
    ----------
    seeds : mapping, Seeds or path
        The words of each category.

    Examples
    --------
    >>> peer = MultilingualEncoder({"sports": ["hockey"], "money": ["bank"]})
    >>> peer.fit(["das Tor fiel spät", "ein Kredit mit niedrigen Zinsen"]).transduction_.tolist()
    ['sports', 'money']
    """

    seeds: SeedsLike

    def fit(self, texts: Sequence[str]) -> Self:
        """Label the documents."""
        encode = sentence_encoder()
        similarity = encode(list(texts)) @ encode(phrases(self.seeds)).T
        self.transduction_ = np.array(Seeds.of(self.seeds).names)[similarity.argmax(axis=1)]
        return self
