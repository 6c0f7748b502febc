"""Works as the documentation describes them are read whole; what cannot be true is refused, and named."""

import json
from datetime import date
from typing import Any

import pytest

from sources.errors import PayloadError
from sources.services.agreement import Description
from sources.services.openalex.answers import dispute, join
from sources.services.openalex.record import (
    FIELDS,
    OpenAlexWork,
    WorkAuthor,
    arxiv_doi,
    parse_works,
)
from tests.matrices import for_each

TODAY = date(2026, 11, 22)
WORK: dict[str, Any] = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.7717/PeerJ.4375",
    "title": "The state of OA: a large-scale analysis",
    "publication_year": 2018,
    "publication_date": "2018-02-13",
    "type": "article",
    "cited_by_count": 382,
    "counts_by_year": [{"year": 2022, "cited_by_count": 8}, {"year": 2021, "cited_by_count": 252}],
    "referenced_works": ["https://openalex.org/W2753353163", "https://openalex.org/W2785823074"],
    "referenced_works_count": 2,
    "authorships": [
        {
            "author_position": "first",
            "author": {
                "id": "https://openalex.org/A5023888391",
                "display_name": "Jason Priem",
                "orcid": "https://orcid.org/0000-0001-6187-6610",
            },
            "raw_author_name": "J. Priem",
            "institutions": [{"id": "https://openalex.org/I4200000001", "display_name": "OurResearch"}],
        }
    ],
    "topics": [{"id": "https://openalex.org/T12419", "display_name": "Scholarly Publishing", "score": 0.9997}],
    "is_retracted": False,
    "open_access": {"is_oa": True, "oa_status": "gold", "oa_url": "https://peerj.com/articles/4375.pdf"},
    "primary_location": {
        "is_oa": True,
        "landing_page_url": "https://doi.org/10.7717/peerj.4375",
        "source": {"display_name": "PeerJ"},
        "version": "publishedVersion",
    },
    "locations": [
        {"is_oa": True, "landing_page_url": "http://arxiv.org/abs/1706.03762v5", "source": None, "version": None}
    ],
}
"""The documentation's own example of a work, in the fields that are asked for; and a preprint's page beside it."""


def page(*works: Any, count: int | None = None) -> bytes:
    return json.dumps({"meta": {"count": len(works) if count is None else count}, "results": works}).encode()


def read(**changes: Any) -> Any:
    found = parse_works(page({**WORK, **changes}), today=TODAY)
    return found.works[0] if found.works else found.faults[0]


def test_the_example_of_the_documentation_is_read_whole():
    work = read()
    assert (work.work_id, work.doi, work.year, work.kind) == ("W2741809807", "10.7717/peerj.4375", 2018, "article")
    assert work.dois == {"10.7717/peerj.4375", arxiv_doi("1706.03762")}
    assert (work.citation_count, work.citations_by_year) == (382, {2022: 8, 2021: 252})
    assert (work.references, work.reference_count) == (("W2753353163", "W2785823074"), 2)
    assert work.authors == (WorkAuthor(name="J. Priem", author_id="A5023888391", orcid="0000-0001-6187-6610",
                                       institutions=("OurResearch",)),)  # fmt: skip
    assert (work.topics, work.retracted) == (("Scholarly Publishing",), False)
    assert (work.open_access, work.open_url) == ("gold", "https://peerj.com/articles/4375.pdf")
    assert work.primary.venue == "PeerJ"
    assert set(WORK) == set(FIELDS)


def test_mark_up_is_no_part_of_a_title():
    marked = 'On <i>k</i>-means &amp; H<sub>2</sub>O, <mml:math xmlns:mml="x"><mml:mi>n</mml:mi></mml:math> &lt; 3'
    assert read(title=marked).title == "On k-means & H2O, n < 3"


def test_null_is_not_told_and_never_zero():
    nulls = dict.fromkeys(set(WORK) - {"id", "title"})
    assert read(referenced_works=[], referenced_works_count=0).reference_count is None  # the list was lost
    work = read(**nulls)
    assert (work.citation_count, work.reference_count, work.retracted, work.year, work.doi) == (None,) * 5
    assert (work.citations_by_year, work.authors, work.references) == ({}, (), ())


@for_each(
    ("field", "value"),
    [
        ("id", "https://openalex.org/A1"),
        ("title", None),
        ("cited_by_count", "many"),
        ("publication_year", 3018),
        ("counts_by_year", [{"year": 2022, "cited_by_count": 1}] * 2),
        ("counts_by_year", [{"year": None, "cited_by_count": 1}]),
        ("referenced_works", ["10.1/2"]),
        ("authorships", "J. Priem"),
        ("is_retracted", "no"),
    ],
)
def test_what_cannot_be_true_is_refused_and_names_the_doi(field, value):
    fault = read(**{field: value})
    assert isinstance(fault, PayloadError)
    assert fault.source == "openalex"
    assert fault.record == "10.7717/peerj.4375"


@for_each(
    "body",
    [
        b"{}",
        b'{"meta": {"count": 0}}',
        b'{"results": []}',
        b'{"meta": {"count": 0}, "meta": {"count": 1}, "results": []}',
    ],
)
def test_what_is_no_page_is_refused(body):
    with pytest.raises(PayloadError):
        parse_works(body, today=TODAY)


@for_each("count", [0, 2, 10**6])
def test_a_count_that_lies_is_refused(count):
    with pytest.raises(PayloadError):
        join(["10.7717/peerj.4375"], parse_works(page(WORK, count=count), today=TODAY))


@pytest.mark.parametrize("count", [1, 2])
def test_a_work_that_comes_twice_is_one(count):
    joined = join(["10.7717/peerj.4375"], parse_works(page(WORK, WORK, count=count), today=TODAY))
    assert (list(joined.found), joined.is_sound) == (["10.7717/peerj.4375"], True)


def test_a_work_that_nobody_asked_for_is_no_answer():
    joined = join(["10.5555/x"], parse_works(page(WORK), today=TODAY))
    assert (joined.found, len(joined.strangers)) == ({}, 1)


def test_of_two_works_under_one_doi_the_more_cited_is_taken_unless_their_titles_differ():
    again = {**WORK, "id": "https://openalex.org/W5", "cited_by_count": 1}
    doi = "10.7717/peerj.4375"
    assert join([doi], parse_works(page(again, WORK), today=TODAY)).found[doi].work_id == "W2741809807"
    namesake = {**again, "title": "Another work altogether"}
    assert list(join([doi], parse_works(page(namesake, WORK), today=TODAY)).faults) == [doi]


def test_no_two_works_have_one_identifier():
    dois = [f"10.5555/{number}" for number in (1, 2, 3)]
    own = {**WORK, "primary_location": None, "locations": []}
    first, second, third = ({**own, "doi": f"https://doi.org/{doi}", "title": f"Study {doi}"} for doi in dois)
    found = join(dois, parse_works(page(first, second, {**third, "id": "https://openalex.org/W5"}), today=TODAY))
    assert (list(found.found), sorted(found.faults)) == (dois[2:], dois[:2])


KNOWN = Description(title="Fast Joins on Slow Disks", authors=("Ann Kim", "Bo Li", "Gil Sun"), year=2018)


def work(**told: Any) -> OpenAlexWork:
    people = (WorkAuthor(name="Ann Kim"), WorkAuthor(name="Bo Li"))  # OpenAlex leaves people out at times
    return OpenAlexWork(**{"work_id": "W1", "title": KNOWN.title, "authors": people, "year": 2018} | told)


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"title": "Fast Joins on Slow Networks"}, id="a similar title"),
        pytest.param({"title": "Fast Joins on Slow Disks, Part 2"}, id="a sequel"),
        pytest.param({"authors": (WorkAuthor(name="Cy Ode"), WorkAuthor(name="Di Pa"))}, id="other people"),
        {"authors": tuple(WorkAuthor(name=name) for name in ("Bo Li", "Cy Ode", "Di Pa", "Ed Qua", "Fay Ro"))},
        pytest.param({"year": 2012}, id="another time"),
        pytest.param({"published_on": date(1999, 1, 1)}, id="a day of another year"),
    ],
)
def test_a_work_that_is_not_surely_the_paper_is_disputed(told):
    assert dispute("p", KNOWN, work()) is None
    assert dispute("p", KNOWN, work(published_on=date(2019, 1, 1))) is None
    assert dispute("p", KNOWN, work(**told)) is not None
