"""A DOI that authors gave arXiv, and that is another paper's, over whole refreshes."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest

from standins import StandIns
from standins.trials.bench import Bench

pytestmark = pytest.mark.slow

PEOPLE = ["Ada Lovelace", "Boris Karlov"]
DOI = "10.1000/tidal"
FALSELY = {
    "arxiv_id": "1901.00007",
    "title": "Bounds for Tidal Heating",
    "authors": PEOPLE,
    "year": 2019,
    "doi_at_arxiv": DOI,
    "journal_ref": "J. Old 1 (2019)",
    "citation_count": 30,
}
RIGHTLY = {"doi": DOI, "title": "Observations of Glacier Melt", "authors": PEOPLE, "year": 2019, "citation_count": 50}
OF_ARXIV = "# Papers\n\n- <https://arxiv.org/abs/1901.00007>\n"
OF_DOI = f"# Papers\n\n- <https://doi.org/{DOI}>\n"
SOON = {"max_age": timedelta(0), "metadata_max_age": timedelta(0)}


def named(bench: Bench) -> dict[str, str | None]:
    rows = bench.rows("SELECT text, p.title FROM mentions LEFT JOIN papers p USING (paper_id) WHERE removed_at IS NULL")
    return {"arxiv" if "arxiv" in row["text"] else "doi": row["title"] for row in rows}


def dois(bench: Bench) -> dict[str, str | None]:
    return {row["title"]: row["doi"] for row in bench.rows("SELECT title, doi FROM papers WHERE merged_into IS NULL")}


@pytest.mark.nightly
@pytest.mark.parametrize("s2_is_down", [False, True])
@pytest.mark.parametrize("order", list(permutations([OF_ARXIV, OF_DOI])), ids=["arXiv first", "DOI first"])
def test_a_bare_doi_leads_to_the_paper_that_has_it_and_not_to_that_which_names_it(
    bench: Bench, standins: StandIns, order, s2_is_down
):
    standins.add([FALSELY, RIGHTLY])
    bench.env = standins.env(openalex=True)
    for number, text in enumerate(order):
        if s2_is_down and text == OF_DOI:
            standins.fault("s2", "503")
        bench.refresh(bench.write(text, f"{number}.md"))
        standins.clear_faults()
    assert named(bench) == {"arxiv": FALSELY["title"], "doi": RIGHTLY["title"]}
    assert dois(bench) == {FALSELY["title"]: None, RIGHTLY["title"]: DOI}


def test_what_arxiv_corrects_arrives_where_semantic_scholar_tells_nothing(bench: Bench, standins: StandIns):
    standins.add([FALSELY])
    standins.fault("s2", "lie", endpoint="batch", steps=[["set", ["venue"], ""]])
    path = bench.write(OF_ARXIV)
    bench.refresh(path)
    (row,) = bench.rows("FROM papers")
    assert (row["doi"], row["venue"], row["citation_count"]) == (DOI, "J. Old 1 (2019)", 30)
    standins.add([FALSELY | {"doi_at_arxiv": None, "journal_ref": "J. New 2 (2020)"}])
    bench.refresh(path, **SOON)
    (row,) = bench.rows("FROM papers")
    assert (row["doi"], row["venue"]) == (None, "J. New 2 (2020)")
    assert bench.rows("FROM paper_identifiers WHERE scheme = 'doi'") == []


def test_a_doi_that_no_service_has_leads_to_no_paper(bench: Bench, standins: StandIns):
    standins.add([FALSELY])
    for number, text in enumerate((OF_ARXIV, OF_DOI)):
        bench.refresh(bench.write(text, f"{number}.md"))
    assert named(bench) == {"arxiv": FALSELY["title"], "doi": None}
