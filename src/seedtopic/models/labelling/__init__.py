"""Files labelled by a fitted model as a stream: piece by piece, in several processes or on a cluster."""

from __future__ import annotations

from seedtopic.models.labelling.files import label_files

__all__ = ["label_files"]
