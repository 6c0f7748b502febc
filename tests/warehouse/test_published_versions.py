"""What is told of published versions, what is no such thing, and how many of the labelled preprints have theirs."""

from __future__ import annotations

from datetime import date

import pytest

from sources.records import ArxivPaper
from sources.services.dblp.works import FIELDS, parse_row, works_of
from sources.services.openalex.record import OpenAlexWork, parse_entry
from standins.trials.labelled_versions import read_labelled, records_of, versions_found, versions_of_works
from tests.matrices import for_each
from warehouse.papers.published_versions import version_of_work, versions_told, work_titled_alike

TODAY = date(2026, 11, 22)
TITLE, PEOPLE = "Fast Joins on Slow Disks", ("Ann Kim", "Bo Li")


def by_authors(journal_ref=None, doi=None):
    paper = ArxivPaper(arxiv_id="1801.00001", title=TITLE, journal_ref=journal_ref, doi=doi)
    return [
        tuple(each[name] for name in ("kind", "venue", "year", "doi"))
        for each in versions_told(paper, "1801.00001", today=TODAY)
    ]


def record(key, year, *, kind="inproceedings", venue="OSDI", authors=PEOPLE, title=TITLE, **told):
    row = dict.fromkeys(FIELDS) | {"key": key, "kind": kind, "title": title, "authors": list(authors), "year": year}
    return parse_row(row | {"venue": venue} | told)


CORR = record("journals/corr/abs-1801-00001", 2018, kind="preprint", venue=None, arxiv="1801.00001")
CONFERENCE = record("conf/osdi/KimL18", 2018, doi="10.1145/1.2")
JOURNAL = record("journals/tocs/KimL20", 2020, kind="article", venue="ACM Trans. Comput. Syst.", doi="10.1145/3.4")


def by_dblp(*records, arxiv_id="1801.00001"):
    (work,) = works_of(records)
    return [
        tuple(each[name] for name in ("record", "kind", "year", "doi"))
        for each in versions_told(work, arxiv_id, today=TODAY)
    ]


@for_each(
    ("journal_ref", "kind", "year"),
    [
        ("Phys. Rev. D 76, 013009 (2007)", "journal", 2007),
        ("Proceedings of the 31st International Conference on Machine Learning, Beijing, 2014", "conference", 2014),
        ("NeurIPS 2017", "conference", 2017),
        ("Journal of Things 2011 (2018) 1999-2014", "journal", 2018),
        ("Journal of Things, vol. 2001, pp. 2010, 2018", "journal", None),
        ("Commun. ACM", "journal", None),
    ],
)
def test_what_authors_told_arxiv_counts_with_a_year_that_is_clear(journal_ref, kind, year):
    assert by_authors(journal_ref, "10.1145/1.2") == [(kind, journal_ref, year, "10.1145/1.2")]


@for_each(
    "journal_ref",
    ["Submitted to ICML 2019", "under review at TODS", "arXiv preprint arXiv:1801.00001", "In preparation", "2018"],
)
def test_what_authors_hope_for_is_no_publication(journal_ref):
    assert by_authors(journal_ref) == []
    assert by_authors(journal_ref, "10.1145/1.2") == [(None, None, None, "10.1145/1.2")]


@for_each("doi", ["10.48550/arxiv.1801.00001", "10.5281/zenodo.123", "10.1101/2020.01.01.1", None])
def test_the_doi_of_a_preprint_or_of_data_is_no_publication(doi):
    assert by_authors(None, doi) == []


def test_a_conference_and_the_journal_that_extends_it_are_two_versions():
    assert by_dblp(CORR, CONFERENCE, JOURNAL) == [
        ("conf/osdi/KimL18", "conference", 2018, "10.1145/1.2"),
        ("journals/tocs/KimL20", "journal", 2020, "10.1145/3.4"),
    ]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(record("conf/sosp/OdeP18", 2018, authors=("Cy Ode", "Di Pa")), id="same title by others"),
        pytest.param(record("conf/osdi/KimL18b", 2018, title=f"{TITLE} II"), id="sequel"),
        pytest.param(record("conf/osdi/KimL17", 2017), id="before the preprint"),
        pytest.param(record("phd/us/Kim19", 2019, kind="phdthesis"), id="thesis"),
        pytest.param(record("conf/osdi/KimL26", 2026), id="long after"),
    ],
)
def test_what_is_no_version_is_not_told(other):
    works = works_of([CORR, other])
    (own,) = [work for work in works if work.arxiv_id == "1801.00001"]
    assert versions_told(own, "1801.00001", today=TODAY) == []


def test_without_a_preprint_in_dblp_the_whole_title_and_all_people_lead_to_the_work():
    works = works_of([CONFERENCE, JOURNAL, record("conf/sosp/OdeP18", 2018, authors=("Cy Ode", "Di Pa"))])
    found = work_titled_alike(works, "Fast joins on slow disks", ("A. Kim", "B. Li"), "1801.00001")
    assert found is not None
    assert found.key == "conf/osdi/KimL18"


@pytest.mark.parametrize(
    ("works", "authors"),
    [
        pytest.param([CONFERENCE], ("Cy Ode", "Di Pa"), id="other people"),
        pytest.param([CONFERENCE], ("Ann Kim",), id="one of them"),
        pytest.param([record("conf/osdi/Kim18", 2018, authors=("Ann Kim",))], ("Ann Kim",), id="alone"),
        pytest.param(works_of([CORR, CONFERENCE]), PEOPLE, id="another preprint"),
        pytest.param([CONFERENCE, record("conf/x/KimL10", 2010)], PEOPLE, id="two works"),
        pytest.param([record("conf/osdi/KimL18b", 2018, title=f"{TITLE}?  II")], PEOPLE, id="near title"),
    ],
)
def test_a_title_alone_leads_to_no_work(works, authors):
    assert work_titled_alike(works, TITLE, authors, "1802.00002") is None


def work(**told):
    entry = {
        "id": "https://openalex.org/W1234567",
        "doi": "https://doi.org/10.1145/1.2",
        "title": TITLE,
        "publication_year": 2018,
        "authorships": [{"raw_author_name": name} for name in PEOPLE],
        "primary_location": place(),
        "locations": [place("http://arxiv.org/abs/1801.00001", version="submittedVersion", kind="repository")],
    }
    parsed = parse_entry(entry | told, TODAY)
    assert isinstance(parsed, OpenAlexWork)
    return parsed


def place(page="https://doi.org/10.1145/1.2", *, version="publishedVersion", kind="conference"):
    return {"landing_page_url": page, "version": version, "source": {"display_name": "OSDI", "type": kind}}


def by_openalex(title="Fast joins on slow disks", authors=("A. Kim", "B. Li"), **told):
    return version_of_work(work(**told), title, authors, "1801.00001")


@for_each(("kind", "shown"), [("conference", "conference"), ("journal", "journal"), ("book series", None)])
def test_a_work_in_its_venue_is_the_published_version(kind, shown):
    version = by_openalex(primary_location=place(kind=kind))
    assert version is not None
    assert version == {
        "source": "openalex", "record": "10.1145/1.2", "kind": shown, "venue": "OSDI", "year": 2018,
        "doi": "10.1145/1.2",
    }  # fmt: skip


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"title": f"{TITLE}: Extended Version"}, id="another title"),
        pytest.param({"authorships": [{"raw_author_name": "Ann Kim"}]}, id="one of its people"),
        pytest.param({"authorships": []}, id="nobody"),
        pytest.param({"publication_year": 2017}, id="before the preprint"),
        pytest.param({"publication_year": None}, id="no year"),
        pytest.param({"doi": None}, id="no DOI"),
        pytest.param({"primary_location": None}, id="no place"),
        pytest.param({"primary_location": place(version="acceptedVersion")}, id="not as published"),
        pytest.param({"primary_location": place(kind="repository")}, id="in a repository"),
        pytest.param({"primary_location": place("https://doi.org/10.1145/9.9")}, id="a place with another DOI"),
        pytest.param({"doi": "https://doi.org/10.48550/arxiv.1801.00001"}, id="the preprint"),
        pytest.param({"doi": "https://doi.org/10.5281/zenodo.7", "primary_location": place("https://zenodo.org/7")},
                     id="data"),
        pytest.param({"locations": [place("http://arxiv.org/abs/1802.00002", kind="repository")]},
                     id="another preprint"),
    ],
)  # fmt: skip
def test_a_work_that_is_not_surely_the_published_version_is_none(told):
    assert by_openalex() is not None
    assert by_openalex(**told) is None


def test_a_work_of_one_person_must_name_the_preprint():
    alone = {"authorships": [{"raw_author_name": "Ann Kim"}]}
    assert by_openalex(authors=["Ann Kim"], **alone) is not None
    assert by_openalex(authors=["Ann Kim"], **alone, locations=[]) is None


def test_of_long_lists_of_authors_openalex_tells_a_hundred():
    people = [f"Ann {chr(65 + number // 26)}{chr(97 + number % 26)}mes" for number in range(120)]
    told = {"authorships": [{"raw_author_name": name} for name in people[:100]]}
    assert by_openalex(authors=people, **told) is not None
    assert by_openalex(authors=people[:101][::-1], **told) is None


@pytest.mark.parametrize(("with_preprints", "least"), [(True, 0.9), (False, 0.8)])
def test_versions_of_labelled_preprints_are_found_and_never_those_of_others(tmp_path, with_preprints, least):
    labelled = read_labelled()
    found = versions_found(labelled, records_of(labelled, with_preprints=with_preprints), tmp_path)
    false = [(item, keys) for item, keys in zip(labelled, found, strict=True) if not keys <= {*item["published"]}]
    published = [bool(keys) for item, keys in zip(labelled, found, strict=True) if item["published"]]
    assert false == []
    assert sum(published) >= least * len(published)
    assert len(published) < len(labelled)


def test_openalex_has_no_version_of_another_paper_and_most_of_those_that_there_are():
    labelled = read_labelled()
    found = versions_of_works(labelled)
    assert [item for item, keys in zip(labelled, found, strict=True) if not keys <= {*item["published"]}] == []
    published = [bool(keys) for item, keys in zip(labelled, found, strict=True) if item["published"]]
    assert sum(published) >= 0.8 * len(published)
