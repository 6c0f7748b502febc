"""Checks whether the addresses in a list are alive, politely and with few requests. A fault is never an answer.

`addresses.py` says which addresses are asked and whether redirects led to the page, `inquiry.py` what the replies mean
and how long an answer holds, both pure; `check.py` asks each host in its turn.
"""

from __future__ import annotations

from sources.lists.links.check import check_links
from sources.lists.links.inquiry import LinkAnswer, LinkKind, LinkLimits, LinkStore

__all__ = ["LinkAnswer", "LinkKind", "LinkLimits", "LinkStore", "check_links"]
