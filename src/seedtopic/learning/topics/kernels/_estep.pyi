"""The loops in C; see `seedtopic.learning.topics.kernels.c_kernel`, the only caller."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]

def walk_documents(
    first: int,
    last: int,
    real_size: int,
    n_topics: int,
    n_background: int,
    bayes: bool,
    delta_margin: float,
    tiny: float,
    data: Array,
    indices: Array,
    pointers: Array,
    documents: Array,
    words: Array,
    scales: Array,
    evidence: Array,
    doc_topic: Array,
    doc_background: Array,
    /,
) -> None: ...
def walk_words(
    first: int,
    last: int,
    real_size: int,
    n_topics: int,
    n_background: int,
    pointers: Array,
    document_of: Array,
    positions: Array,
    documents: Array,
    words: Array,
    scales: Array,
    word_topic: Array,
    word_background: Array,
    /,
) -> None: ...
