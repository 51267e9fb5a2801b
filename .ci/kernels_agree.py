"""Label the demo's documents with the C kernel and with numba: the labels must be the same.

The wheels of a release must pass this on every system that they are built for.
"""

from __future__ import annotations

import sys

from seedtopic import SeedTopicClassifier
from seedtopic.datasets import docstring_seeds, load_docstrings
from seedtopic.learning.topics.kernels import c_kernel_is_built


def main() -> None:
    """Stop with a sentence where the C kernel is missing or gives other labels."""
    if not c_kernel_is_built():
        sys.exit("the C kernel was not built")
    texts = load_docstrings().texts
    found = [
        SeedTopicClassifier(docstring_seeds(), kernel=kernel, random_state=0).fit(texts).transduction_
        for kernel in ("c", "numba")
    ]
    different = int((found[0] != found[1]).sum())
    if different:
        sys.exit(f"the kernels label {different} of {len(texts)} documents differently")
    print(f"both kernels give {len(texts)} documents the same labels")  # noqa: T201


if __name__ == "__main__":
    main()
