"""Records of DBLP that are one work are brought together, and others are not."""

import json
from datetime import date

import pytest

from sources.bibliography.identifiers import Identifier
from sources.errors import PayloadError
from sources.services.dblp.works import FIELDS, mended_dblp_line, parse_row, works_of
from tests.matrices import for_each

TODAY = date(2026, 11, 22)


def record(key, title="Fast Joins on Slow Disks", authors=("A. Kim", "Jürgen Müller"), year=2019, **told):
    kind = "preprint" if key.startswith("journals/corr") else "inproceedings"
    row = dict.fromkeys(FIELDS) | {"key": key, "kind": kind, "title": title, "authors": list(authors), "year": year}
    return parse_row(row | told)


PUBLISHED = record("conf/osdi/KimM19", venue="OSDI", doi="10.1145/1.2")
PREPRINT = record(
    "journals/corr/abs-1801-00001",
    "Fast joins on slow disks",
    ("Ann Kim", "Jurgen Muller"),
    year=2018,
    arxiv="1801.00001",
)
JOURNAL = record("journals/tocs/KimM21", year=2021, venue="ACM Trans. Comput. Syst.", doi="10.1145/3.4", kind="article")


@pytest.mark.parametrize("order", [1, -1])
def test_the_published_record_tells_venue_year_and_doi_and_the_preprint_the_arxiv_identifier(order):
    (work,) = works_of([PUBLISHED, PREPRINT][::order])
    assert (work.key, work.venue, work.year, work.first_year) == ("conf/osdi/KimM19", "OSDI", 2019, 2018)
    assert (work.doi, work.arxiv_id, work.others) == ("10.1145/1.2", "1801.00001", ())
    assert set(map(str, work.identifiers)) == {
        "dblp:conf/osdi/KimM19",
        "dblp:journals/corr/abs-1801-00001",
        "doi:10.1145/1.2",
        "arxiv:1801.00001",
    }


def test_a_journal_s_version_stands_beside_the_conference_s_with_identifiers_of_its_own():
    (work,) = works_of([JOURNAL, PREPRINT, PUBLISHED])
    assert (work.key, work.others) == ("conf/osdi/KimM19", (JOURNAL,))
    assert work.keys == {"conf/osdi/KimM19", "journals/tocs/KimM21", "journals/corr/abs-1801-00001"}
    assert Identifier("doi", "10.1145/3.4") not in work.identifiers


def test_the_version_that_was_asked_for_speaks_for_its_work():
    (work,) = works_of([PUBLISHED, PREPRINT, JOURNAL], wanted=[Identifier("doi", "10.1145/3.4")])
    assert (work.key, work.year, work.doi, work.arxiv_id) == ("journals/tocs/KimM21", 2021, "10.1145/3.4", "1801.00001")
    assert work.others == (PUBLISHED,)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(record("conf/a/b", authors=("B. Kim", "Jürgen Müller")), id="another-person"),
        pytest.param(record("conf/a/b", authors=("A. Kim",)), id="fewer-people"),
        pytest.param(record("conf/a/b", "Fast Joins on Slow Tapes"), id="another-title"),
        pytest.param(record("conf/a/b", year=1998), id="of-another-time"),
    ],
)
def test_other_papers_stay_apart(other):
    assert [work.key for work in works_of([PUBLISHED, other])] == [PUBLISHED.key, "conf/a/b"]


def test_one_person_s_papers_of_one_title_are_one_work_within_two_years_only():
    years = [record(f"conf/a/{year}", authors=("Wei Wang",), year=year) for year in (2001, 2003, 2006)]
    assert [len(work.others) for work in works_of(years)] == [1, 0]


def test_a_column_that_comes_every_year_is_not_one_work():
    columns = [record(f"journals/sigact/{year}", "News of the Board", year=year) for year in range(2001, 2006)]
    assert works_of(columns) == columns


def test_a_paper_with_two_arxiv_identifiers_gets_neither():
    (work,) = works_of([PUBLISHED, PREPRINT, record("journals/corr/y", arxiv="1902.00002")])
    assert (work.arxiv_id, len(work.others)) == (None, 2)


def mended(**row):
    return mended_dblp_line(json.dumps({"key": "conf/a/b", "title": "T"} | row).encode(), today=TODAY)


@for_each(
    ("told", "name"),
    [
        ({"year": "3019"}, "year"),
        ({"year": "2019a"}, "year"),
        ({"mdate": "yesterday"}, "mdate"),
        ({"arxiv": "1799.00001"}, "arxiv"),
    ],
)
def test_what_cannot_be_true_is_left_out_and_named(told, name):
    line = mended(**told)
    assert json.loads(line.text)[name] is None
    assert set(line.left_out) == {name}
    assert next(iter(told.values())) in line.left_out[name]


@for_each(
    ("told", "why"),
    [({"fault": "it is odd"}, "odd"), ({"title": ""}, "title"), ({"key": None}, "key"), ({"key": "a b"}, "no key")],
)
def test_a_line_that_is_no_paper_is_refused(told, why):
    with pytest.raises(PayloadError, match=why):
        mended(**told)
