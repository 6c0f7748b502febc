"""Packs the data of a page; `script/unpack.js` unpacks it.

Compression makes of sorted numbers little less than they are: they are given by what each adds to the one before, and
rows that have no order of their own stand in that of the papers.
"""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warehouse.dashboard.columns import Columns
    from warehouse.dashboard.facts import Facts

_LEVEL = 5  # of compression: the next one takes twice as long and makes the page 3 % smaller
# Facts that stand in a packet of their own, or in the page's text only.
_APART = ("refreshed_at", "first", "bibtex", "abstracts")
# Papers up to which each has its identifier at Semantic Scholar; 20 bytes that nothing makes smaller.
_MOST_WITH_EVERY_ADDRESS = 20_000
ABSTRACT_SIZES = (1500, 600, 300)  # characters to which abstracts are cut, until they fit
_SAMPLE = 10  # of so many abstracts one is packed to see whether all would fit


def packed(value: Any) -> str:
    """Returns `value` as JSON, compressed, in base 64: less than half the size, and nothing in it can be markup."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()


def lacks_addresses(papers: Columns) -> bool:
    """Returns whether papers with another address are without their identifier at Semantic Scholar on the page."""
    return len(papers["id"]) > _MOST_WITH_EVERY_ADDRESS and any(papers["s2"])


def packed_facts(facts: Facts) -> dict[str, str]:
    """Returns the packet that the page unpacks at once, `facts`."""
    found = {name: part for name, part in facts.items() if name not in _APART}
    papers, places, terms = facts["papers"], facts["places"], facts["terms"]
    if lacks_addresses(papers):
        addresses = zip(papers["s2"], papers["arxiv"], papers["doi"], strict=True)
        papers = papers | {"s2": [None if arxiv or doi else s2 for s2, arxiv, doi in addresses]}
    found["papers"] = papers
    found["places"] = places | {"line": differences(places["line"])}
    found["terms"] = terms | {"papers": [differences(numbers) for numbers in terms["papers"]]}
    if facts["growth"] is not None:
        growth = _by_paper(facts["growth"])
        del growth["later"], growth["earlier"]  # the citations by year tell them
        found["growth"] = growth | {"paper": differences(growth["paper"])}
    if facts["links"] is not None:
        links = facts["links"]
        cites = [differences(numbers) for numbers in links["cites"]]
        numbers = {name: differences(links[name]) for name in ("paper", "untold")}
        found["links"] = links | numbers | {"cites": cites}
    cited = _by_paper(facts["cited"])
    found["cited"] = {
        "paper": differences(cited["paper"]),
        "first": [years[0] for years in cited["years"]],
        "counts": [  # of every year from the first to the last
            [dict(zip(years, counts, strict=True)).get(year) for year in range(years[0], years[-1] + 1)]
            for years, counts in zip(cited["years"], cited["counts"], strict=True)
        ],
        "told": cited["told"],
    }
    return {"facts": packed(found)}


def differences(values: Iterable[int]) -> list[int]:
    """Returns by how much each of `values` is above the one before, and the first above 0."""
    before, found = 0, []
    for value in values:
        found.append(value - before)
        before = value
    return found


def _by_paper(columns: Columns) -> Columns:
    """Returns columns with their rows in the order of the papers; a column of codes is sorted by its codes."""
    order = sorted(range(len(columns["paper"])), key=columns["paper"].__getitem__)

    def in_order(column: Any) -> Any:
        if isinstance(column, dict):
            return column | {"codes": [column["codes"][row] for row in order]}
        return [column[row] for row in order]

    return {name: in_order(column) for name, column in columns.items()}


def packed_abstracts(texts: Sequence[str | None], *, room: int) -> str:
    """Returns the abstracts packed and cut so that they take no more than `room` characters.

    `size` says to how many characters; where they do not fit however much is cut, there are none and it is 0.
    """
    if texts and room > 0:
        plain = [None if text is None else " ".join(text.split()) for text in texts]
        for size in ABSTRACT_SIZES:
            cut = [
                text if text is None or len(text) <= size else f"{text[:size].rsplit(' ', 1)[0]} …" for text in plain
            ]
            if len(texts) > 100 * _SAMPLE and _SAMPLE * len(packed(cut[::_SAMPLE])) > 1.1 * room:
                continue
            found = packed({"size": size, "texts": cut})
            if len(found) <= room:
                return found
    return packed({"size": 0, "texts": []})
