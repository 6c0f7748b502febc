"""Packs the data of a page; `script/unpack.js` unpacks it.

Between two values of a column even compression leaves some bits, and a number in digits takes more room than in bytes.
So text stands in one piece, identifiers are bytes, sorted numbers are told by what each adds to the one before,
and rows that have no order of their own stand in that of the papers.
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
BETWEEN = "\x7f"  # between two texts of a column: a character of one byte that JSON leaves alone
_TEXTS = ("title", "authors", "arxiv", "doi")
_IDENTIFIERS = {"id": "p", "s2": ""}  # columns of identifiers in hexadecimal, and how each of them begins
# Facts that stand in a packet of their own, or in the page's text only.
_APART = ("refreshed_at", "bibtex", "abstracts")
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
    """Returns the packets that the page unpacks at once: `facts`, and the bytes of its `identifiers`."""
    found = {name: part for name, part in facts.items() if name not in _APART}
    papers, places, terms = facts["papers"], facts["places"], facts["terms"]
    if lacks_addresses(papers):
        addresses = zip(papers["s2"], papers["arxiv"], papers["doi"], strict=True)
        papers = papers | {"s2": [None if arxiv or doi else s2 for s2, arxiv, doi in addresses]}
    found["papers"] = papers | {name: text_column(papers[name]) for name in _TEXTS}
    identifiers = b""
    for name, prefix in _IDENTIFIERS.items():
        is_rare = 2 * papers[name].count(None) > len(papers[name])  # zeros in bytes take as much room as identifiers
        values = None if is_rare else identifier_bytes(papers[name], prefix)
        if values is None:
            found["papers"][name] = text_column(papers[name])
        else:
            found["papers"][name] = {
                "prefix": prefix,
                "size": len(values) // len(papers[name]),
                "from": len(identifiers),
            }
            identifiers += values
    found["places"] = places | {"line": differences(places["line"])}
    found["terms"] = terms | {"papers": [differences(numbers) for numbers in terms["papers"]]}
    if facts["growth"] is not None:
        growth = _by_paper(facts["growth"])
        del growth["later"], growth["earlier"]  # the citations by year tell them
        found["growth"] = growth | {"paper": differences(growth["paper"])}
    if facts["links"] is not None:
        links = facts["links"]
        cites = [differences(numbers) for numbers in links["cites"]]
        found["links"] = links | {"paper": differences(links["paper"]), "cites": cites}
    cited = _by_paper(facts["cited"])
    found["cited"] = {
        "paper": differences(cited["paper"]),
        "first": [years[0] for years in cited["years"]],
        "counts": [_every_year(*row) for row in zip(cited["years"], cited["counts"], strict=True)],
        "told": cited["told"],
    }
    return {"facts": packed(found), "identifiers": base64.b64encode(identifiers).decode()}


def identifier_bytes(values: Sequence[str | None], prefix: str) -> bytes | None:
    """Returns identifiers in hexadecimal behind `prefix` as bytes, of the same number each; zeros stand for None.

    None if some identifier is not of this form.
    """
    sizes = {len(value) for value in values if value is not None}
    if len(sizes) != 1:
        return None
    (size,) = sizes
    none = prefix + "0" * (size - len(prefix))
    texts = [none if value is None else value for value in values]
    if none in values or not all(text.startswith(prefix) for text in texts):
        return None
    whole = "".join([text[len(prefix) :] for text in texts])
    try:
        found = bytes.fromhex(whole)
    except ValueError:
        return None
    return found if found.hex() == whole and len(found) % len(values) == 0 else None


def text_column(values: Sequence[str | None]) -> str | dict[str, Any]:
    """Returns `values` as one text: with `BETWEEN` between them, or with their length where all have the same one."""
    sizes = {len(value) for value in values if value is not None}
    if len(sizes) == 1:
        (size,) = sizes
        text = "".join(" " * size if value is None else value for value in values)
        if text.isascii() and BETWEEN not in text:  # a browser counts some letters as two
            return {"size": size, "text": text}
    return BETWEEN.join("" if value is None else value.replace(BETWEEN, " ") for value in values)


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


def _every_year(years: Sequence[int], counts: Sequence[int]) -> list[int | None]:
    """Returns the counts from the first year to the last, None for a year without any."""
    by_year = dict(zip(years, counts, strict=True))
    return [by_year.get(year) for year in range(years[0], years[-1] + 1)]


def packed_abstracts(texts: Sequence[str | None], *, room: int) -> str:
    """Returns the abstracts packed and cut so that they take no more than `room` characters.

    `size` says to how many characters; where they do not fit however much is cut, there are none and it is 0.
    """
    if texts and room > 0:
        for size in ABSTRACT_SIZES:
            cut = [None if text is None else _cut_at_word(text, size) for text in texts]
            if len(texts) > 100 * _SAMPLE and _SAMPLE * len(packed(cut[::_SAMPLE])) > 1.1 * room:
                continue
            found = packed({"size": size, "texts": cut})
            if len(found) <= room:
                return found
    return packed({"size": 0, "texts": []})


def _cut_at_word(text: str, size: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= size else f"{plain[:size].rsplit(' ', 1)[0]} …"
