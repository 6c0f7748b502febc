"""Citation keys of papers, such as `vaswani2017attention`. They never change.

A key is made when the paper enters the lake, from its first author, year and title. It stays the same when these are
corrected, when other papers come and when papers are merged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from sources.bibliography.names import distinctive_name
from sources.bibliography.titles import fold
from warehouse.tables.declarations import PaperRow

_WORD = re.compile("[a-z0-9]+")
_SMALL = frozenset(
    "a an and are as at by do does for from how in into is it its of on or the to via we what when".split()
)


class NotedRow(PaperRow, total=False):
    """A row of `papers` with what a reader has to know of it."""

    note: str


AS_LISTED = "as the reading list says; no source could be asked"  # the note of a paper that only a list describes


def base_key(row: PaperRow) -> str:
    """Returns the key of a paper if no other has it: first author or group, year, first word that is not small."""
    author = "".join(_WORD.findall(fold(distinctive_name(row["authors"][0])))) if row["authors"] else ""
    words = [word for word in _WORD.findall(fold(row["title"]).replace("'", "")) if word not in _SMALL]
    parts = (author or "anon", str(row["year"] or ""), words[0] if words else "")
    return "".join(parts) if author or words else str(row["paper_id"])


def give_keys(rows: Iterable[PaperRow], taken: Callable[[Collection[str]], Collection[str]]) -> list[PaperRow]:
    """Returns `rows` of `papers`, each with a citation key that no other paper has; keys once given stay.

    `taken` returns which of some keys the lake has given already.
    """
    given = list(rows)
    keyless = [row for row in given if row["citation_key"] is None and row["merged_into"] is None]
    bases = {row["paper_id"]: base_key(row) for row in keyless}
    used = set(taken(set(bases.values()))) if bases else set()
    used |= {row["citation_key"] for row in given if row["citation_key"]}
    keys = {}
    for paper_id, base in sorted(bases.items()):
        keys[paper_id] = base if base not in used else f"{base}-{paper_id[1:6]}"
        used.add(keys[paper_id])
    return [row | {"citation_key": keys[row["paper_id"]]} if row["paper_id"] in keys else row for row in given]


def link(paper: Mapping[str, Any]) -> str | None:
    """Returns the address of the paper's own page: the publisher's, else arXiv's, else Semantic Scholar's."""
    if paper["doi"]:
        return f"https://doi.org/{paper['doi']}"
    if paper["arxiv_id"]:
        return f"https://arxiv.org/abs/{paper['arxiv_id']}"
    if paper["s2_paper_id"]:
        return f"https://www.semanticscholar.org/paper/{paper['s2_paper_id']}"
    return None


def key_of(row: PaperRow) -> str:
    """Returns the paper's citation key; without one, one that is made from its row."""
    return row.get("citation_key") or f"{base_key(row)}-{row['paper_id'][1:6]}"
