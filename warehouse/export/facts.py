"""What every bibliography needs of a paper: names in their parts, its address, text without control characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sources.bibliography.names import Name, split_name, without_others

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warehouse.papers.citation_keys import BibliographyRow

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]+")


def names(authors: Iterable[str]) -> Iterator[Name]:
    """Yields the parts of each name, passing over empty ones; `others`, BibTeX's word, stands for an "et al."."""
    for author in authors:
        text = plain_text(author)
        own = without_others(text)
        if own:
            yield split_name(own)
        if own != text:
            yield Name(literal="others")


def link(paper: BibliographyRow) -> str | None:
    """Returns the address of the paper's own page: the publisher's, else arXiv's, else Semantic Scholar's."""
    if paper["doi"]:
        return f"https://doi.org/{paper['doi']}"
    if paper["arxiv_id"]:
        return f"https://arxiv.org/abs/{paper['arxiv_id']}"
    if paper["s2_paper_id"]:
        return f"https://www.semanticscholar.org/paper/{paper['s2_paper_id']}"
    return None


def plain_text(text: str) -> str:
    """Returns `text` on one line, without control characters and runs of blanks."""
    return " ".join(_CONTROL.sub(" ", text).split())
