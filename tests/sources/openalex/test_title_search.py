"""OpenAlex's title search against the stand-in, over sockets: what it costs, what is believed, and every fault."""

from typing import Any

import pytest

from sources.errors import AllowanceSpent, PayloadError, SearchesPaused, SourceError, TooManyHits
from sources.records import OpenAlexPaper, TitleAnswer
from sources.services.openalex import client as openalex_client
from standins import StandIns
from standins.harms import HARMS, OPENALEX_HARMS
from tests.matrices import each_harm_at

SUBJECTS = ["Lattices", "Tides", "Kilns", "Orchards", "Ferries", "Glaciers"]
PAPERS: list[dict[str, Any]] = [
    {
        "title": f"What We Learned From a Decade of Measuring {subject}",
        "authors": [f"Ada {subject[:-1]}", f"Ben {subject[:-1]}"],
        "year": 2009 + number,
        "venue": "A Workshop Without Identifiers",
        **({"doi": f"10.5555/{subject.lower()}"} if number % 2 else {}),
    }
    for number, subject in enumerate(SUBJECTS)
]
TITLES = [paper["title"] for paper in PAPERS]
ABSENT = ["What Nobody Ever Measured or Wrote Down", "Another Title That No Source Has Heard of"]
_WORDS = ["title", "authorships"]
LIES: dict[str, list[list[Any]]] = {
    "titles rotated": [["rotate", ["title"]]],
    "one title for all": [["share", ["title"]]],
    "people rotated": [["rotate", ["authorships"]]],
    "one work for all": [["share", [*_WORDS, "publication_year"]]],
    "one identifier for all": [["share", ["id"]]],
    "DOIs rotated": [["rotate", ["doi", "locations", "primary_location"]]],
    "years ten too early": [["add", ["publication_year"], -10]],
    "all of them data sets": [["set", ["type"], "dataset"]],
}
"""What OpenAlex may answer to a search that is well formed and not true."""


@pytest.fixture
def client(standins: StandIns, make):
    standins.add(PAPERS)
    return make()


def found(answer: TitleAnswer[OpenAlexPaper]) -> dict[str, OpenAlexPaper]:
    return {paper.title: paper for paper in answer.papers}


def credits_used(standins: StandIns) -> list[int]:
    costs = {"search": 10, "look-up": 1, "works": 1}
    return [costs[line["endpoint"]] for line in standins.requests("openalex")]


def test_many_titles_take_a_search_and_a_look_up(standins, client):
    answer = client.search_titles([*TITLES, *ABSENT])
    assert set(found(answer)) == set(TITLES)
    assert answer.answered == {*TITLES, *ABSENT}
    assert credits_used(standins) == [10, 1]
    assert all(len(line["target"]) <= 8_190 for line in standins.requests("openalex"))
    paper = found(answer)[TITLES[1]]
    assert (paper.authors, paper.year, paper.doi) == (("Ada Tide", "Ben Tide"), 2010, "10.5555/tides")
    assert [item.scheme for item in paper.identifiers] == ["openalex", "doi"]
    assert [item.scheme for item in found(answer)[TITLES[0]].identifiers] == ["openalex"]


def test_that_no_work_has_a_title_is_believed_of_an_answer_with_a_work_that_is_there(standins, client):
    answer = client.search_titles(ABSENT)
    assert (answer.papers, answer.answered, answer.failed) == ((), set(ABSENT), {})
    assert credits_used(standins) == [10, 1]


def test_a_title_with_marks_of_the_language_is_found(standins, client):
    titles = [
        'Commas, "Quotes" (and Brackets): Why | Not?',
        "Sailors AND Stars OR NOT at All",
        "L'Hôpital's Rule, Told",
    ]
    standins.add([{"title": title, "authors": ["Ann Ames"], "year": 2011} for title in titles])
    answer = client.search_titles(titles)
    assert set(found(answer)) == set(titles)


def test_an_address_is_never_too_long(standins, client):
    titles = [f"{'A Remarkably Long-winded Account of Nothing in Particular ' * 3}{n}" for n in range(60)]
    answer = client.search_titles(titles)
    assert answer.answered == set(titles)
    assert all(line["status"] == 200 for line in standins.requests("openalex"))


def test_a_title_with_too_many_hits_is_found_out_and_the_others_are_answered(standins, client):
    standins.add([{"title": f"An Introduction, Part {n}", "authors": [f"A. B{n}"], "year": 2000} for n in range(120)])
    answer = client.search_titles([*TITLES, "An Introduction"])
    assert isinstance(answer.failed["An Introduction"], TooManyHits)
    assert answer.answered == set(TITLES)
    assert set(TITLES) <= set(found(answer))


def test_what_is_no_paper_is_not_found(standins, client):
    standins.fault("openalex", "lie", steps=[["set", ["type"], "paratext"]])
    answer = client.search_titles(TITLES)
    assert answer.papers == ()
    assert answer.answered == set(TITLES)


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("endpoint", ["search", "look-up"])
def test_what_two_replies_do_not_both_say_is_believed_of_neither(standins, client, lie, endpoint):
    standins.fault("openalex", "lie", endpoint=endpoint, steps=LIES[lie])
    answer = client.search_titles([*TITLES, *ABSENT])
    assert answer.failed
    assert all(isinstance(error, SourceError) for error in answer.failed.values())
    true = {paper["title"]: (tuple(paper["authors"]), paper["year"], paper.get("doi")) for paper in PAPERS}
    for paper in answer.papers:
        assert (paper.authors, paper.year, paper.doi) == true[paper.title]
    assert set(answer.failed) | set(found(answer)) >= set(TITLES)
    standins.clear_faults()
    assert set(found(client.search_titles([*TITLES, *ABSENT]))) == set(TITLES)


@pytest.mark.parametrize(("endpoint", "harm"), each_harm_at(["search", "look-up"], [*HARMS, *OPENALEX_HARMS]))
def test_no_fault_becomes_an_answer(standins, client, harm, endpoint):
    kind, details = {**HARMS, **OPENALEX_HARMS}[harm]
    standins.fault("openalex", kind, endpoint=endpoint, **details)
    harmed = client.search_titles([*TITLES, *ABSENT])
    assert all(isinstance(error, SourceError) for error in harmed.failed.values())
    assert {paper.title for paper in harmed.papers} <= set(TITLES)
    assert set(TITLES) <= set(found(harmed)) | set(harmed.failed)
    standins.clear_faults()
    client._allowance.spent = client._allowance._left = client._pause = None
    client._refused_searches = 0
    again = client.search_titles([*TITLES, *ABSENT])
    assert (set(found(again)), again.answered) == (set(TITLES), {*TITLES, *ABSENT})


def test_half_of_the_allowance_is_left_to_what_is_known(standins, client):
    standins.credits(530)
    answers = [client.search_titles([title]) for title in TITLES]
    assert [bool(answer.papers) for answer in answers] == [True, True, *4 * [False]]
    assert all(isinstance(answer.failed[TITLES[-1]], AllowanceSpent) for answer in answers[-1:])
    assert client.fetch_papers(["10.5555/tides"]).found


@pytest.mark.parametrize(("left", "error"), [(0, AllowanceSpent), (7, SearchesPaused)])
def test_an_allowance_too_small_for_a_search_is_no_answer_and_is_asked_about_once(standins, client, left, error):
    standins.credits(left)
    answer = client.search_titles(TITLES)
    assert {type(each) for each in answer.failed.values()} == {error}
    assert not answer.answered
    client.search_titles(TITLES)
    assert len(standins.requests("openalex")) == 1
    assert bool(client.fetch_papers(["10.5555/tides"]).found) is bool(left)  # what is left is for look-ups


def test_the_searches_of_a_run_have_an_end(standins, client, monkeypatch):
    monkeypatch.setattr(openalex_client, "MOST_SEARCHES", 2)
    answers = [client.search_titles([title]) for title in TITLES[:3]]
    assert [len(answer.answered) for answer in answers] == [1, 1, 0]
    assert isinstance(answers[-1].failed[TITLES[2]], SearchesPaused)


def test_a_work_that_one_reply_alone_has_fails_the_titles_that_it_may_be_of(standins, client):
    standins.fault("openalex", "lie", endpoint="look-up", steps=[["first", ["title"], "Another Study Altogether"]])
    failed = client.search_titles(TITLES).failed
    assert len(failed) <= 1
    assert all(isinstance(error, PayloadError) for error in failed.values())
