"""Faults and lies in OpenAlex's title search and in the look-up of what it has found, in whole refreshes."""

from __future__ import annotations

import re
from typing import Any

from standins.fault_trials.false_answers import Lies
from standins.fault_trials.fault_matrix import Matrix
from standins.lies import PROVABLE

TITLE_SEARCHES = {"OpenAlex titles": ("openalex", "search"), "OpenAlex look-ups": ("openalex", "look-up")}
TITLE_LIES = frozenset(name for name, (endpoints, _) in PROVABLE.items() if "OpenAlex works" in endpoints)

_SUBJECTS = ("Lattices", "Tides", "Kilns", "Orchards", "Ferries", "Glaciers", "Looms", "Bridges", "Harbours")
PAPERS: list[dict[str, Any]] = [
    {
        "title": f"What {number + 3} Years of Measuring {subject} Have Taught",
        "authors": [f"Ada {subject[:-1]}", f"Ben {subject[:-1]}"],
        "year": 2003 + number,
        "citation_count": 40 * number,
        "venue": "Workshop on Measurements",
        **({"doi": f"10.5555/{subject.lower()}"} if number % 3 else {"s2_paper_id": f"{number:02x}" * 20}),
    }
    for number, subject in enumerate(_SUBJECTS)
]
"""Papers that only OpenAlex has; a third of them without a DOI."""
TITLES_ONLY = "\n".join(
    [
        "# Papers\n",
        "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)",
        "- Convolutional Neural Networks for Sentence Classification (2014)",
        "- A Made-up Study of Reading Lists That Nobody Ever Wrote Down (2020)",
        *(f"- {paper['title']} ({paper['year']})" for paper in PAPERS),
        "",
    ]
)
_EACH_TIME = re.compile(r"the state of oa|W3\d{9}", re.IGNORECASE)
"""The work that each search and each look-up asks for beside the rest."""


class _TitleSearches(Matrix):
    """A list of titles most of which only OpenAlex has."""

    text = TITLES_ONLY
    endpoints = TITLE_SEARCHES
    openalex = True

    def _renew(self) -> None:
        super()._renew()
        self.standins.add(PAPERS)
        self.standins.leave_to_arxiv([paper.get("doi") or paper["s2_paper_id"] for paper in PAPERS])

    def _items(self, line: dict[str, Any], endpoint: str) -> list[str]:
        wanted = line["params"]["filter"]
        items = (
            re.findall(r'"([^"]+)"', wanted) if endpoint == "OpenAlex titles" else wanted.partition(":")[2].split("|")
        )
        return [item for item in items if not _EACH_TIME.match(item)]


class TitleSearchMatrix(_TitleSearches):
    """Runs faults."""


class TitleSearchLies(_TitleSearches, Lies):
    """Runs lies."""

    text = TITLES_ONLY
