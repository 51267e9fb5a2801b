"""Many wildcards, found in one pass, match what each of them matches alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic.seeds import category as wildcards
from seedtopic.seeds.category import expansions, matching

WORDS = st.lists(st.text(st.sampled_from("abé 1\n"), min_size=1, max_size=7), unique=True, max_size=30)
WILDCARDS = st.lists(
    st.text(st.sampled_from("ab*é"), min_size=2, max_size=6).filter(lambda w: "*" in w and w.strip("*")),
    unique=True,
    max_size=12,
)


@given(WILDCARDS, WORDS)
def test_all_at_once_is_one_by_one(given: list[str], vocabulary: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wildcards, "FEW", 0)
        found = expansions(given, vocabulary)
    assert found == {wildcard: matching(wildcard, vocabulary) for wildcard in given}
    assert list(found) == given
