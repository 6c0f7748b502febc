"""Pages of a search for several titles, on which all papers bear one."""

from __future__ import annotations

import pytest

from sources.errors import BatchRefused
from sources.records import S2Paper
from sources.services.service_client import refuse_one_title

TITLES = ("Colouring Graphs with Few Registers", "Heaps in Practice")


def paper(number, authors, arxiv_id=None, title=TITLES[0]):
    return S2Paper(s2_paper_id=f"{number:040x}", title=title, authors=authors, arxiv_id=arxiv_id)


@pytest.mark.parametrize(
    "papers",
    [
        (paper(1, ("Ada Lovelace",)), paper(2, ("Nemo Nobody",))),
        (paper(1, ("Ada Lovelace",), "2001.00001"), paper(2, ("Ada Lovelace",), "2001.00002")),
    ],
    ids=("other people", "other arXiv identifiers"),
)
def test_different_papers_of_one_title_are_asked_for_one_by_one(papers):
    with pytest.raises(BatchRefused, match="2 papers under one title"):
        refuse_one_title(papers, TITLES, source="s2")
    refuse_one_title(papers, TITLES[:1], source="s2")
    refuse_one_title((*papers, paper(3, (), title=TITLES[1])), TITLES, source="s2")


def test_two_records_of_one_paper_are_no_fault():
    refuse_one_title((paper(1, ("Ada Lovelace",)), paper(2, ("A. Lovelace",), "2001.00001")), TITLES, source="s2")
