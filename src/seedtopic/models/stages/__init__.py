"""The default model as a pipeline of frozen stages, each with its posterior, its evidence and its arrays.

`learn` runs the pipeline; `SeedTopicClassifier` and the studio's quick fits both call it. In the order of the
flow: `word_space` (what documents look like), `first_guess`, `topics`, `regression`, `mixture`, `temperature`
and `outsiders`; `pipeline` puts them together.
"""

from __future__ import annotations

from seedtopic.models.stages.learning import FitResult, learn
from seedtopic.models.stages.options import Options
from seedtopic.models.stages.pipeline import Stages

__all__ = ["FitResult", "Options", "Stages", "learn"]
