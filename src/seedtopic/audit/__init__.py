"""How good labels are, from a few documents that a person has checked.

`draw` says which documents to check; `estimate` takes the answers and gives the accuracy, the precision of
each category and the true shares of the categories, each with a 95 % interval.
"""

from seedtopic.audit.estimates import Audit, CategoryAudit, estimate
from seedtopic.audit.intervals import Estimate
from seedtopic.audit.sampling import Sample, draw

__all__ = ["Audit", "CategoryAudit", "Estimate", "Sample", "draw", "estimate"]
