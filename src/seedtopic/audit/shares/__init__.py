"""How large the categories are, in all and by group or over time, with intervals."""

from seedtopic.audit.shares.estimates import Breakdown, GroupShares, Share, Shares, estimate_shares
from seedtopic.audit.shares.groups import Groups, grouped

__all__ = ["Breakdown", "GroupShares", "Groups", "Share", "Shares", "estimate_shares", "grouped"]
