"""Label the demo's documents with the C kernel and with numpy: the labels must be the same, and so must the
words that are counted in C and in Python.

The wheels of a release must pass this on every system that they are built for.
"""

from __future__ import annotations

import sys

from seedtopic import SeedTopicClassifier
from seedtopic.cli.demo import docstring_seeds, load_docstrings
from seedtopic.learning.topics.kernels import c_kernel_is_built
from seedtopic.text.tally import c_counter_is_built, tally, tally_texts
from seedtopic.text.tokens import word_counts


def main() -> None:
    """Stop with a sentence where C code is missing or gives other labels or words."""
    if not c_kernel_is_built() or not c_counter_is_built():
        sys.exit("the C code was not built")
    texts = load_docstrings().texts
    if tally_texts(texts) != tally(texts, word_counts):
        sys.exit("the words counted in C are not those counted in Python")
    found = [
        SeedTopicClassifier(docstring_seeds(), kernel=kernel, random_state=0).fit(texts).transduction_
        for kernel in ("c", "numpy")
    ]
    different = int((found[0] != found[1]).sum())
    if different:
        sys.exit(f"the kernels label {different} of {len(texts)} documents differently")
    print(f"both kernels give {len(texts)} documents the same labels")  # noqa: T201


if __name__ == "__main__":
    main()
