"""Links of entries: missing among entries with links, and leading to a paywall where a free copy is known. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from sources.list_checks.findings import Entry, ListFinding, PaperFacts, finding
from sources.list_checks.list_text import ADDRESS

_LINK = re.compile(r"https?://|www\.|\]\(|\]\[|<a\s|\bhref\b|\bdoi:|\barxiv\s*:", re.IGNORECASE)
_FEWEST_ENTRIES = 5
_LINKED_SHARE = 0.8
"""Share of a list's entries with a link from which one without looks forgotten."""
_PAYWALLS = frozenset(
    "ieeexplore.ieee.org computer.org sciencedirect.com link.springer.com springer.com onlinelibrary.wiley.com "
    "nature.com science.org sciencemag.org tandfonline.com jstor.org journals.sagepub.com academic.oup.com cell.com "
    "linkinghub.elsevier.com epubs.siam.org worldscientific.com emerald.com degruyter.com".split()
)
"""Hosts of publishers that ask for money for most papers; of one given away, the free copy is there as well."""


def check_links(entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about links that are missing, and about links to paywalls."""
    linked = sum(bool(entry.mention.url or entry.mention.identifiers) for entry in entries)
    most_have = len(entries) >= _FEWEST_ENTRIES and linked >= _LINKED_SHARE * len(entries)
    names: defaultdict[int, int] = defaultdict(int)
    for entry in entries:
        names[entry.mention.line] += 1
    for entry in entries:
        paper = entry.paper
        if paper is None:
            continue
        if most_have and names[entry.mention.line] == 1 and not _has_link(entry) and not entry.mention.struck:
            if address := address_of(paper):
                message = "The entry has no link, as nearly all others have."
                yield finding("missing-link", entry.mention, message, f"the paper is at {address}")
        elif copy := _free_copy(entry, paper):
            message = "The link leads to a paywall; the paper can be read elsewhere for nothing."
            yield finding("paywalled-link", entry.mention, message, f"free copy: {copy}")


def _has_link(entry: Entry) -> bool:
    return bool(entry.mention.url) or _LINK.search(entry.mention.text) is not None


def address_of(paper: PaperFacts) -> str | None:
    """Returns the address of a paper: arXiv's page, else its DOI's, else a free copy's; None where none is known."""
    if paper.arxiv_id:
        return f"https://arxiv.org/abs/{paper.arxiv_id}"
    return f"https://doi.org/{paper.doi}" if paper.doi else paper.free_copy


def _free_copy(entry: Entry, paper: PaperFacts) -> str | None:
    """Returns the address of a free copy, where the entry has no other link than one to a publisher's paywall."""
    mention = entry.mention
    hosts = [_host(address) for address in ADDRESS.findall(mention.text)]
    if not mention.url or _host(mention.url) not in _PAYWALLS or any(host not in _PAYWALLS for host in hosts):
        return None
    copy = f"https://arxiv.org/abs/{paper.arxiv_id}" if paper.arxiv_id else paper.free_copy
    given_away = paper.free_copy is not None and _host(paper.free_copy) in (_host(mention.url), "doi.org")
    return None if copy is None or given_away or mention.arxiv_id else copy


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
