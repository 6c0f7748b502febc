"""Records of identifiers, held against what is known of their papers and against one another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import ClassVar

import pytest

from flows.progress import Silent
from flows.refresh.harvest import fetch_checked
from flows.refresh.services import Service
from sources.bibliography.identifiers import Identifier
from sources.errors import DisputedRecord, SourceError
from sources.http.queries import QueryRules
from sources.records import BatchAnswer, S2Paper, TitleAnswer
from sources.services.agreement import Description
from sources.services.registry import SOURCES
from tests.matrices import first_each_push
from warehouse.loading.reply_spool import ReplySpool

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
        return BatchAnswer(requested=tuple(identifiers), found=found, not_found=missing)

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


def test_the_title_that_another_paper_is_known_by_is_not_believed():
    answer, _ = fetched({BARE: "Graph Colouring with Few Registers", OTHER: "Heaps in Practice"})
    assert (set(answer.found), set(answer.failed)) == ({OTHER}, {BARE})


PEOPLE = ("Ada Lovelace", "Charles Babbage")


def answer_for(title, authors, known):
    """Returns what becomes of a record of that title and people, where the lake has `known`."""
    service = Fixed({LISTED: title}, authors=authors)
    described = {LISTED: (known,)}
    return fetch_checked(service, [LISTED], described, second=Fixed({}, "arxiv"), titled=[LISTED])


def test_other_people_under_the_same_title_are_what_is_at_odds():
    known = Description(title="Graph Colouring with Few Registers", authors=PEOPLE, year=2020)
    (error,) = answer_for("Graph Colouring with Few Registers", ("Nemo Nobody",), known).failed.values()
    assert error.field == "authors"
    assert "by Nemo Nobody, which is known to be by Ada Lovelace and others" in str(error)


ARTICLE, DISCUSSION = "Imaginary Heaps for Orderly Gardens", 'Discussion of "Imaginary Heaps for Orderly Gardens"'
ONE_DOI = [
    {"arxiv_id": "2301.00011", "title": ARTICLE, "authors": ["Ada Heap"], "year": 2023, "doi": "10.1000/heaps"},
    {"arxiv_id": "2301.00012", "title": DISCUSSION, "authors": ["Bo Stack"], "year": 2023, "doi": "10.1000/heaps"},
]
BY_TITLE = f"# Papers\n\n- {ARTICLE}\n- Convolutional Neural Networks for Sentence Classification\n"
BY_LINK = "# Papers\n\n" + "".join(f"- <https://arxiv.org/abs/{row['arxiv_id']}>\n" for row in ONE_DOI)
AGAIN = {"max_age": "0s", "metadata_max_age": "0s"}


@pytest.mark.slow
def test_two_papers_with_one_doi_do_not_fail_the_titles_that_were_searched_for_with_theirs(bench, standins):
    standins.add(ONE_DOI)
    reading_list = bench.write(BY_TITLE)
    first = bench.refresh(reading_list)
    assert (first.resolved, first.failed) == (1, 1)
    assert any(f"{ARTICLE!r} with the DOI of another paper, 10.1000/heaps" in problem for problem in first.problems)
    second = bench.refresh(reading_list)
    assert (second.status, second.resolved, second.failed) == ("completed", 2, 0)
    found = {row["arxiv_id"]: row["doi"] for row in bench.rows("FROM papers")}
    assert found == {"2301.00011": "10.1000/heaps", "1408.5882": found["1408.5882"]}


@pytest.mark.slow
@pytest.mark.parametrize("order", first_each_push([1, -1], count=1))
def test_a_link_to_a_paper_with_the_doi_of_a_known_one_is_resolved_when_that_is_told_again(bench, standins, order):
    standins.add(ONE_DOI)
    lists = [bench.write(f"# Papers\n\n{line}\n", f"{line[-3:-1]}.md") for line in BY_LINK.splitlines()[2:]][::order]
    bench.refresh(lists[0])
    runs = [bench.refresh(lists[1], **AGAIN) for _ in range(3)]
    assert [(run.resolved, run.failed) for run in runs] == [(0, 1), (1, 0), (1, 0)]
    assert len(bench.rows("FROM papers WHERE citation_count IS NOT NULL")) == 2


@pytest.mark.nightly
def test_a_paper_whose_new_record_is_disputed_keeps_its_old_numbers(bench, standins):
    counts = {"citation_count": 10, "influential_citation_count": 1, "reference_count": 5}
    moved = {
        "title": ARTICLE,
        "authors": ["Ada Heap"],
        "year": 2023,
        "s2_paper_id": "1" * 40,
        "corpus_id": 111,
    } | counts
    queues = {"title": "A Census of Quiet Queues", "authors": ["Bo Stack"], "year": 2021, "doi": "10.1000/queues"}
    standins.add([moved, queues])
    bench.refresh(bench.write("# Papers\n\n- <https://doi.org/10.1000/queues>\n", "queues.md"))
    reading_list = bench.write(f"# Papers\n\n- Ada Heap. {ARTICLE}.\n")
    bench.refresh(reading_list)
    known = bench.rows("FROM paper_identifiers ORDER BY ALL")
    standins.add([moved | {"s2_paper_id": "2" * 40, "corpus_id": 222, "doi": queues["doi"], "aliases": ["1" * 40]}])
    first = bench.refresh(reading_list, **AGAIN)
    assert any("doi:10.1000/queues was told of" in problem for problem in first.problems)
    assert bench.rows("FROM paper_identifiers ORDER BY ALL") == known
    assert bench.refresh(reading_list, **AGAIN).status == "completed"
    after = {(row["scheme"], row["value"]) for row in bench.rows("FROM paper_identifiers")}
    assert {("s2", "2" * 40), ("corpus", "222")} <= after
    assert ("corpus", "111") not in after


def service_of(adapter, folder, *, titles=2):
    rules = QueryRules(most_ids=2, most_titles=titles, room=1_000, term="{}", both=" ", either=" ")
    return Service(
        replace(SOURCES["s2"], rules=rules),
        make_client=adapter,
        replies=ReplySpool(folder, max_age=timedelta(days=1)),
        run_batch=lambda _, run: run(),
        report=Silent(),
    )


class Contradicting:
    """Gives one paper the title that each search asks for first, and another paper its own."""

    problems: ClassVar[dict[str, int]] = {}

    requests_sent = 1

    def search_titles(self, titles):
        papers = (S2Paper(s2_paper_id="a" * 40, title=titles[0]), S2Paper(s2_paper_id=titles[0][-1] * 40, title="Own"))
        return TitleAnswer(requested=titles, papers=papers, answered=frozenset(titles))


def test_searches_that_tell_two_things_of_one_paper_have_failed_both(tmp_path):
    service = service_of(Contradicting, tmp_path, titles=1)
    titles = ("Colouring Graphs with Registers, Part 1", "Heaps in the Practice of Sorting 2")
    answer = service.search_titles(titles)
    assert set(answer.failed) == set(titles)
    assert answer.papers == ()
    assert service.blamed
    assert set(service_of(Contradicting, tmp_path, titles=1).search_titles(titles[:1]).answered) == set(titles[:1])


class OddlyToldPapers:
    """Answers every identifier with a paper that has an identifier in a form of the future, and a year far off."""

    requests_sent = 1
    problems: ClassVar[dict[str, int]] = {}

    def fetch_papers(self, ids):
        odd = {"unread": (Identifier("arxiv", "2701.123456"),), "misdated": True}
        found = {each: S2Paper(s2_paper_id=f"{each:.>40}", title="T", identifiers=(each,), **odd) for each in ids}
        return BatchAnswer(requested=tuple(ids), found=found)


def test_odd_identifiers_and_years_are_named_once_with_their_number(tmp_path):
    service = service_of(OddlyToldPapers, tmp_path)
    service.fetch_papers([Identifier("corpus", str(number)) for number in range(3)])
    assert service.problems == {
        "Semantic Scholar sent arxiv identifiers in no form known here, such as '2701.123456'": 3,
        "Semantic Scholar sent years that are far from the day of publication; neither is used": 3,
    }
