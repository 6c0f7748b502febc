"""Works that are another paper, or have figures that a paper hardly has, are disputed; all others are not."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from sources.services.agreement import Description
from sources.services.openalex.answers import dispute, implausible
from sources.services.openalex.record import OpenAlexWork, WorkAuthor

KNOWN = Description(title="Fast Joins on Slow Disks", authors=("Ann Kim", "Bo Li", "Gil Sun"), year=2018)


def work(number: int = 1, **told: Any) -> OpenAlexWork:
    people = (WorkAuthor(name="Ann Kim"), WorkAuthor(name="Bo Li"))  # OpenAlex leaves people out at times
    own: dict[str, Any] = {"work_id": f"W{number}", "title": KNOWN.title, "authors": people, "year": 2018}
    own |= {"citation_count": 100 + number, "references": tuple(f"W{number}{other}" for other in range(5))}
    return OpenAlexWork(**own | told)


def implausible_among(
    *works: OpenAlexWork, counts: dict[str, int | None] | None = None, retracted: tuple = ()
) -> list[str]:
    found = {f"p{number}": each for number, each in enumerate(works)}
    return sorted(implausible(found, counts or {}, retracted))


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"title": "A Survey of Garbage Collection"}, id="another title"),
        pytest.param({"title": "Fast Joins on Slow Networks"}, id="a similar title"),
        pytest.param({"title": "Fast Joins on Slow Disks, Part 2"}, id="a sequel"),
        pytest.param({"authors": (WorkAuthor(name="Cy Ode"), WorkAuthor(name="Di Pa"))}, id="other people"),
        pytest.param(
            {"authors": tuple(WorkAuthor(name=name) for name in ("Bo Li", "Cy Ode", "Di Pa", "Ed Qua", "Fay Ro"))},
            id="a few of its people",
        ),
        pytest.param({"year": 2012}, id="another time"),
        pytest.param({"published_on": date(1999, 1, 1)}, id="a day of another year"),
    ],
)
def test_a_work_that_is_not_surely_the_paper_is_disputed(told):
    assert dispute("p", KNOWN, work()) is None
    assert dispute("p", KNOWN, work(published_on=date(2019, 1, 1))) is None
    assert dispute("p", KNOWN, work(**told)) is not None


def test_works_with_figures_of_their_own_are_believed():
    assert implausible_among(*(work(number) for number in range(1, 9)), counts={"p0": 90, "p1": None}) == []


def test_half_of_a_reply_may_have_no_common_count():
    alike = [work(number, citation_count=77) for number in range(1, 6)]
    assert implausible_among(*alike, work(6)) == [f"p{number}" for number in range(5)]
    assert implausible_among(*alike[:2], *(work(number) for number in range(3, 9))) == []
    assert implausible_among(*(work(number, citation_count=3) for number in range(1, 6))) == []


def test_several_papers_do_not_cite_the_same_works():
    shared = tuple(f"W9{number}" for number in range(5))
    citing = [work(number, references=shared) for number in range(1, 4)]
    assert implausible_among(*citing, *(work(number) for number in range(4, 9))) == ["p0", "p1", "p2"]
    assert implausible_among(*(work(number, references=()) for number in range(1, 5))) == []


def test_most_of_a_reply_is_not_retracted_at_once():
    flagged = [work(number, retracted=True) for number in range(1, 5)]
    assert implausible_among(*flagged, work(5)) == ["p0", "p1", "p2", "p3"]
    assert implausible_among(*flagged, work(5), retracted=("p0", "p1")) == []
    assert implausible_among(flagged[0], work(2), work(3)) == []


def test_a_year_does_not_have_many_times_the_citations_of_all():
    assert implausible_among(work(1, citation_count=5, citations_by_year={2020: 900})) == ["p0"]
    assert implausible_among(work(1, citation_count=5, citations_by_year={2020: 9})) == []
    assert implausible_among(work(1, citation_count=500, citations_by_year={2020: 900})) == []
