"""Records of identifiers, held against what is known of their papers and against one another."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from flows.refresh.cross_checks import CheckedSource, fetch_checked, implausible
from sources.agreement import Description
from sources.bibliography.identifiers import Identifier
from sources.errors import DisputedRecord, SourceError
from sources.records import Answer, S2Paper

LISTED, BARE, OTHER = (Identifier("doi", f"10.1000/{number}") for number in (1, 2, 3))
KNOWN = {LISTED: (Description(title="Graph Colouring with Few Registers", listed=True),)}


@dataclass
class Fixed:
    """A service with these titles."""

    titles: dict[Identifier, str]
    name: str = "s2"
    schemes: frozenset[str] = frozenset({"doi"})
    authors: tuple[str, ...] = ()
    blamed: list[SourceError] = field(default_factory=list)

    def fetch_papers(self, identifiers):
        found = {
            one: S2Paper(s2_paper_id=f"{number:040x}", title=self.titles[one], authors=self.authors, identifiers=(one,))
            for number, one in enumerate(identifiers)
            if one in self.titles
        }
        missing = frozenset(identifiers) - found.keys()
        return Answer(requested=tuple(identifiers), found=found, not_found=missing)

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


PEOPLE = ("Ada Lovelace", "Charles Babbage")


def told_of(title, authors, known):
    """Returns what becomes of a record of that title and people, where the lake has `known`."""
    service = Fixed({LISTED: title}, authors=authors)
    described = {LISTED: (known,)}
    return fetch_checked(service, [LISTED], described, second=Fixed({}, "arxiv"), titled=[LISTED])


def test_a_new_title_of_a_known_paper_is_not_believed_of_one_service_alone():
    known = Description(title="Graph Colouring with Few Registers", authors=PEOPLE, year=2020)
    (error,) = told_of("A Study of Something Else", PEOPLE, known).failed.values()
    assert error.field == "title"
    assert told_of("Graph colouring, with few registers", PEOPLE, known).failed == {}


def test_other_people_under_the_same_title_are_what_is_at_odds():
    known = Description(title="Graph Colouring with Few Registers", authors=PEOPLE, year=2020)
    (error,) = told_of("Graph Colouring with Few Registers", ("Nemo Nobody",), known).failed.values()
    assert error.field == "authors"
    assert "by Nemo Nobody, which is known to be by Ada Lovelace and others" in str(error)


def test_a_new_title_that_both_services_tell_is_believed():
    known = {LISTED: (Description(title="Graph Colouring with Few Registers", authors=PEOPLE, year=2020),)}
    one, other = (Fixed({LISTED: "Registers, Coloured"}, name, authors=PEOPLE) for name in ("s2", "arxiv"))
    answer = fetch_checked(one, [LISTED], known, second=other, titled=[LISTED], overrule=[LISTED])
    assert set(answer.found) == {LISTED}


def test_what_a_service_said_in_the_run_before_of_a_listed_paper_is_believed():
    service = Fixed({LISTED: "A Title of Neither Paper"})
    first = CheckedSource(service, Fixed({}, "arxiv"), KNOWN).fetch_papers([LISTED])
    reason = str(first.failed[LISTED])
    again = CheckedSource(service, Fixed({}, "arxiv"), KNOWN, {reason}).fetch_papers([LISTED])
    assert set(again.found) == {LISTED}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"year": 2007, "citation_count": 40}, "of 2007, which is known as of 2015"),
        ({"year": 2015, "citation_count": 0}, "without citations, which had 40"),
        ({"year": 2011, "citation_count": 9}, None),
        ({}, None),
    ],
)
def test_a_paper_becomes_neither_much_older_nor_uncited_at_one_word(told, said):
    records = {LISTED: S2Paper(s2_paper_id="a" * 40, title="Heaps in Practice", **told)}
    disputes = implausible(records, {LISTED: {"year": 2015, "citation_count": 40}})
    assert said in str(disputes[LISTED]) if said else disputes == {}
    assert implausible(records, {LISTED: {"year": None, "citation_count": None}}) == {}


def test_few_lost_citations_are_doubted_beside_many():
    uncited = {one: S2Paper(s2_paper_id="a" * 40, title="T", citation_count=0) for one in (LISTED, BARE, OTHER)}
    rows = {one: {"year": None, "citation_count": count} for one, count in ((LISTED, 3), (BARE, 40), (OTHER, 0))}
    assert set(implausible(uncited, rows)) == {LISTED, BARE}
    assert implausible({LISTED: uncited[LISTED]}, rows) == {}
