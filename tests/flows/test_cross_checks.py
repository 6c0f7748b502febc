"""Records of identifiers, held against what is known of their papers and against one another."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from flows.cross_checks import fetch_checked
from sources.agreement import Description
from sources.errors import DisputedRecord, SourceError
from sources.identifiers import Identifier
from sources.records import Answer, S2Paper

LISTED, BARE, OTHER = (Identifier("doi", f"10.1000/{number}") for number in (1, 2, 3))
KNOWN = {LISTED: (Description(title="Graph Colouring with Few Registers", listed=True),)}


@dataclass
class Fixed:
    """A service with these titles."""

    titles: dict[Identifier, str]
    name: str = "s2"
    schemes: frozenset[str] = frozenset({"doi"})
    blamed: list[SourceError] = field(default_factory=list)

    def fetch_papers(self, identifiers):
        found = {
            one: S2Paper(s2_paper_id=f"{number:040x}", title=self.titles[one], identifiers=(one,))
            for number, one in enumerate(identifiers)
            if one in self.titles
        }
        return Answer(requested=tuple(identifiers), found=found)

    def blame(self, error):
        self.blamed.append(error)


def fetched(titles, second=None, **more):
    service = Fixed(titles)
    return fetch_checked(service, list(titles), KNOWN, second=Fixed(second or {}, "arxiv"), **more), service


def test_a_title_that_is_false_of_one_paper_is_not_believed_of_another_that_nothing_is_known_of():
    answer, service = fetched(dict.fromkeys((LISTED, BARE), "A Title of Neither Paper") | {OTHER: "Heaps in Practice"})
    assert set(answer.found) == {OTHER}
    assert set(answer.failed) == {LISTED, BARE}
    assert all(isinstance(error, DisputedRecord) for error in service.blamed)
    assert len(service.blamed) == 2


def test_what_the_second_service_tells_too_is_believed_under_any_title():
    titles = dict.fromkeys((LISTED, BARE), "A Title of Both Papers")
    answer, service = fetched(titles, titles, overrule=(LISTED, BARE))
    assert set(answer.found) == {LISTED, BARE}
    assert service.blamed == []


@pytest.mark.parametrize("title", ["Graph Colouring with Few Registers", "Graph colouring, with few registers"])
def test_a_paper_known_by_its_title_is_believed_beside_a_false_record(title):
    answer, _ = fetched({LISTED: title, BARE: "Heaps in Practice"})
    assert set(answer.found) == {LISTED, BARE}
