"""Citing works page by page, and works by identifier: all of them or an error, whatever the service does."""

import json
from datetime import date

import pytest

from sources.errors import AllowanceSpent, PayloadError, SourceError
from sources.services.openalex.answers import (
    CITING_FIELDS,
    CitingPage,
    CitingQuestion,
    gather,
    is_plausible,
    parse_citing,
)
from standins import StandIns
from standins.harms import HARMS, OPENALEX_HARMS
from tests.matrices import each_harm, each_harm_at, for_each

CITED = {"title": "A Paper That Many Cite", "authors": ["Ann Ames"], "year": 2020, "doi": "10.5555/cited"}
OTHER = {"title": "A Paper That Few Cite", "authors": ["Bob Bell"], "year": 2021, "doi": "10.5555/few"}


def question(*work_ids: str, most: int = 5_000, since: date | None = None) -> CitingQuestion:
    return CitingQuestion(work_ids=work_ids, most=most, since=since)


@pytest.fixture
def cited(standins: StandIns, make) -> tuple[str, str]:
    """Two works with 240 and 8 citing works, two of which cite both."""
    standins.add([{**CITED, "citation_count": 300}, {**OTHER, "citation_count": 10}])
    both = [{"title": f"Survey {n}", "authors": ["Cid Cole"], "year": 2030, "doi": f"10.5555/s{n}"} for n in (1, 2)]
    standins.add([{**survey, "references": [CITED["doi"], OTHER["doi"]]} for survey in both])
    found = make().fetch_papers([CITED["doi"], OTHER["doi"]]).found
    standins.clear_log()
    return found[CITED["doi"]].work_id, found[OTHER["doi"]].work_id


def test_all_pages_are_asked_for_and_every_link_comes_with_them(standins, client, cited):
    answer = client.fetch_citing(question(*cited))
    assert answer.error is None
    assert len(answer.works) == 240 + 8 - 2
    assert sum(set(cited) <= set(links) for links in answer.works.values()) == 2
    lines = standins.requests("openalex")
    assert [line["params"]["page"] for line in lines] == ["1", "2", "3"]
    assert lines[0]["params"]["filter"] == f"cites:{cited[0]}|{cited[1]}"
    assert lines[0]["params"]["select"] == ",".join(CITING_FIELDS)
    client.fetch_citing(question(*cited))
    assert len(standins.requests("openalex")) == 3  # pages that came are kept


def test_only_works_since_a_day_can_be_asked_for(standins, client, cited):
    answer = client.fetch_citing(question(cited[1], since=date(2030, 1, 1)))
    assert (answer.error, len(answer.works)) == (None, 2)


HARMFUL = {**HARMS, **OPENALEX_HARMS}


@pytest.mark.parametrize(("skip", "harm"), each_harm_at([0, 1], HARMFUL))
def test_no_fault_makes_a_whole_answer_of_a_part(standins, cited, harm, skip, make):
    kind, details = HARMFUL[harm]
    whole = make().fetch_citing(question(*cited))
    standins.fault("openalex", kind, endpoint="citing", skip=skip, **details)
    answer = make().fetch_citing(question(*cited))
    assert answer.works.items() <= whole.works.items()
    assert isinstance(answer.error, SourceError) or answer.works == whole.works


LIES = {
    "a page that is cut": ("missing_entries", {"indices": [-1]}),
    "a count that lies": ("set_envelope", {"field": "meta.count", "value": 180}),
    "a count of no works": ("set_envelope", {"field": "meta.count", "value": 0}),
    "a count beyond all": ("set_envelope", {"field": "meta.count", "value": 10**6}),
    "works that do not cite": ("set_field", {"field": "referenced_works", "value": ["https://openalex.org/W77"]}),
    "one work for all": ("set_field", {"field": "id", "value": "https://openalex.org/W78"}),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_an_error(standins, client, cited, lie):
    kind, details = LIES[lie]
    standins.fault("openalex", kind, endpoint="citing", **details)
    answer = client.fetch_citing(question(*cited))
    assert isinstance(answer.error, PayloadError)
    assert answer.works == {}


def page(ids: range, total: int, cites: str = "W1", **meta: str | None) -> bytes:
    results = [{"id": f"https://openalex.org/W{number}", "referenced_works": [cites]} for number in ids]
    return json.dumps({"meta": {"count": total, **meta}, "results": results}).encode()


@for_each(("ids", "total"), [(range(200, 251), 151), (range(100, 150), 150)])
def test_pages_that_count_differently_or_come_twice_are_no_answer(ids, total):
    first = parse_citing(page(range(100, 200), 150), question("W1"), 1)
    assert len(gather([first, parse_citing(page(range(200, 250), 150), question("W1"), 2)])) == 150
    with pytest.raises(PayloadError):
        gather([first, parse_citing(page(ids, total), question("W1"), 2)])


def test_half_of_the_citations_must_be_there():
    assert is_plausible(range(50), 100)
    assert not is_plausible(range(49), 100)
    assert is_plausible([], 0)


def test_citing_works_wait_where_half_of_the_allowance_is_gone(standins, client, cited):
    standins.credits(499)
    client.fetch_papers([CITED["doi"]])
    answer = client.fetch_citing(question(*cited))
    assert isinstance(answer.error, AllowanceSpent)
    assert len(standins.requests("openalex")) == 1


def test_works_are_found_by_identifier_and_absent_ones_proved(standins, client, cited):
    answer = client.fetch_works([*cited, "W99"])
    assert set(answer.found) == set(cited)
    assert answer.not_found == {"W99"}
    assert [line["params"]["filter"] for line in standins.requests("openalex")] == [
        f"ids.openalex:{cited[0]}|{cited[1]}|W99",
        f"ids.openalex:{cited[0]}|W99|{cited[1]}",
    ]


@pytest.mark.parametrize("harm", each_harm(HARMFUL))
def test_no_fault_becomes_a_work_or_an_absence(standins, client, cited, harm):
    kind, details = HARMFUL[harm]
    standins.fault("openalex", kind, endpoint="look-up", **details)
    answer = client.fetch_works([*cited, "W99"])
    assert set(answer.found) <= set(cited)
    assert all(work.work_id == work_id for work_id, work in answer.found.items())
    assert answer.not_found <= {"W99"}
    assert all(isinstance(error, SourceError) for error in answer.failed.values())


def test_a_work_that_cites_itself_is_no_citing_work_and_no_fault():
    body = json.dumps({"meta": {"count": 2}, "results": [
        {"id": "https://openalex.org/W1", "referenced_works": ["https://openalex.org/W1"]},
        {"id": "https://openalex.org/W2", "referenced_works": ["https://openalex.org/W1"]},
    ]}).encode()  # fmt: skip
    assert parse_citing(body, question("W1"), 1).works == {"W1": (), "W2": ("W1",)}


def test_with_a_key_each_page_begins_where_the_one_before_ended(standins, cited, make):
    keyed = make(key="a-key")
    answer = keyed.fetch_citing(question(*cited))
    assert (answer.error, len(answer.works)) == (None, 246)
    lines = [line["params"] for line in standins.requests("openalex")]
    assert [line.get("page") for line in lines] == [None] * 3
    assert lines[0]["cursor"] == "*"
    assert len({line["cursor"] for line in lines}) == 3


@pytest.mark.parametrize("skip", [0, 1], ids=["first page", "second page"])
def test_no_lie_makes_a_whole_answer_of_a_part_with_a_cursor(standins, cited, skip, make):
    whole = make(key="a-key").fetch_citing(question(*cited))
    harms = [*LIES.values(), ("set_envelope", {"field": "meta.next_cursor", "value": None}), ("html", {})]
    for kind, details in harms:
        standins.fault("openalex", kind, endpoint="citing", skip=skip, **details)
        answer = make(key="a-key").fetch_citing(question(*cited))
        standins.clear_faults()
        assert answer.works.items() <= whole.works.items()
        assert isinstance(answer.error, SourceError) or answer.works == whole.works


def test_works_that_come_while_pages_are_read_break_a_cursor_no_more_than_they_are_missed():
    first = parse_citing(page(range(100, 200), 150, next_cursor="next"), question("W1"), None)
    later, short = (
        parse_citing(page(range(200, end), total, next_cursor=None), question("W1"), None)
        for end, total in ((250, 151), (249, 150))
    )
    assert len(gather([first, later], by_cursor=True)) == 150
    with pytest.raises(PayloadError):
        gather([first, short], by_cursor=True)


@pytest.mark.parametrize("number", [40, 101])
def test_a_page_before_the_last_that_is_not_full_is_a_fault(number):
    with pytest.raises(PayloadError):
        parse_citing(page(range(100, 100 + number), 250, next_cursor="next"), question("W1"), None)


def test_no_more_requests_are_sent_than_are_left(standins, client, cited):
    answer = client.fetch_citing(question(*cited), most_requests=2)
    assert isinstance(answer.error, AllowanceSpent)
    assert len(standins.requests("openalex")) == 2
    works = client.fetch_works([*cited, "W99"], most_requests=1)
    assert set(works.found) == set(cited)
    assert isinstance(works.failed["W99"], AllowanceSpent)
    assert len(standins.requests("openalex")) == 3


@pytest.mark.parametrize("settles", [True, False])
def test_pages_that_shift_are_read_once_more(client, monkeypatch, settles):
    asked: list[tuple[object, bool]] = []

    def answer(_, place, *, again):
        asked.append((place["page"], again))
        total = 150 + (place["page"] == 2 and not (again and settles))
        ids = range(100, 200) if place["page"] == 1 else range(200, 100 + total)
        return CitingPage(total=total, works={f"W{number}": ("W1",) for number in ids})

    monkeypatch.setattr(client, "_citing_page", answer)
    found = client.fetch_citing(question("W1"))
    assert asked == [(1, False), (2, False), (1, True), (2, True)]
    assert (found.error is None, len(found.works)) == ((True, 150) if settles else (False, 0))
