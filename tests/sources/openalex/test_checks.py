"""Works that are another paper are disputed; all others are not."""

from datetime import date
from typing import Any

import pytest

from sources.services.agreement import Description
from sources.services.openalex.answers import dispute
from sources.services.openalex.record import OpenAlexWork, WorkAuthor

KNOWN = Description(title="Fast Joins on Slow Disks", authors=("Ann Kim", "Bo Li", "Gil Sun"), year=2018)


def work(number: int = 1, **told: Any) -> OpenAlexWork:
    people = (WorkAuthor(name="Ann Kim"), WorkAuthor(name="Bo Li"))  # OpenAlex leaves people out at times
    own: dict[str, Any] = {"work_id": f"W{number}", "title": KNOWN.title, "authors": people, "year": 2018}
    own |= {"citation_count": 100 + number, "references": tuple(f"W{number}{other}" for other in range(5))}
    return OpenAlexWork(**own | told)


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"title": "A Survey of Garbage Collection"}, id="another title"),
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
