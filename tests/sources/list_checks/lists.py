"""Lists of a few lines, checked with facts that a test states itself."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sources.lists.checks.checks import check_list, suppression_of
from sources.lists.checks.findings import CheckedEntry, ListFinding, PaperFacts
from sources.lists.checks.list_text import ListText
from sources.lists.reading import parse_reading_list

RCNN = PaperFacts(
    paper_id="p1", title="Fast R-CNN", authors=("Ross Girshick",), year=2015, arxiv_id="1504.08083", sources=("arxiv",)
)
ATTENTION = PaperFacts(
    paper_id="p2",
    title="Attention Is All You Need",
    authors=("Ashish Vaswani", "Noam Shazeer"),
    year=2017,
    arxiv_id="1706.03762",
    sources=("arxiv", "s2"),
)


def entries(text: str, facts: Callable[[CheckedEntry], dict[str, Any]] = lambda _: {}) -> list[CheckedEntry]:
    found = [CheckedEntry(mention=mention, unasked=False) for mention in parse_reading_list(text).mentions]
    return [replace(entry, **facts(entry)) for entry in found]


def by_arxiv(*papers: PaperFacts) -> Callable[[CheckedEntry], dict[str, Any]]:
    """Gives each entry the paper of its arXiv identifier."""
    known = {paper.arxiv_id: paper for paper in papers}
    return lambda entry: {"paper": known.get(entry.mention.arxiv_id)}


def check(text: str, facts: Callable[[CheckedEntry], dict[str, Any]] = lambda _: {}, **more: Any) -> list[ListFinding]:
    list_text = ListText(text)
    return check_list(list_text, entries(text, facts), suppression=suppression_of(list_text), **more)


def found(text: str, facts: Callable[[CheckedEntry], dict[str, Any]] = lambda _: {}) -> list[tuple[int, str, str]]:
    return [(item.line, item.code, item.level) for item in check(text, facts)]


def mended(text: str, findings: list[ListFinding]) -> str:
    for edit in sorted((edit for item in findings for edit in item.edits), key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.replacement + text[edit.end :]
    return text
