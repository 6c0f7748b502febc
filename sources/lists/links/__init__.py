"""Whether the addresses in a list are alive: asked politely, few requests, and a fault is never an answer.

`addresses.py` says which addresses are asked, `answers.py` what an answer is and how long it holds, `inquiry.py` what
the replies mean, `arrival.py` whether redirects led to the page, all pure; `rounds.py` when which host is asked, and
`check.py` puts them together.
"""

from __future__ import annotations

from sources.lists.links.check import check_links
from sources.lists.links.inquiry import LinkAnswer, LinkKind, LinkLimits, LinkStore

__all__ = ["LinkAnswer", "LinkKind", "LinkLimits", "LinkStore", "check_links"]
