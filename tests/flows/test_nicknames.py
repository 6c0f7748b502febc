"""A name alone is the work that is known by it and that papers of its list cite, and only where no other is."""

from __future__ import annotations

from typing import Any

import pytest

from sources.matching.evidence import known_as
from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.test_citation_graph import list_of, study

pytestmark = pytest.mark.slow

WORKS: dict[str, dict[str, Any]] = {
    name: {"title": title, "authors": [f"Ann {name}", f"Bob {name}"], "year": year, **identifier}
    for name, title, year, identifier in (
        ("Ames", "GrOVE: Joins in One Pass over the Leaves", 2019, {"arxiv_id": "1901.00001"}),
        ("Bell", "GrOVE: Planting Decision Trees", 2021, {"arxiv_id": "2101.00002"}),
        ("Cole", "Keep Every Last Page: Logs That Never Shrink", 2018, {"doi": "10.5555/kelp"}),
        ("Dunn", "Hashing Every Node", 2017, {"arxiv_id": "1701.00004"}),
        ("Ender", "Maple: Stores That Sort Themselves", 2020, {"arxiv_id": "2001.00005"}),
        ("Fall", "BIRch: Clusters in a Stream", 2016, {"arxiv_id": "1601.00006"}),
        ("Gray", "BIRch: Phylogenies of Trees", 2022, {"arxiv_id": "2201.00007"}),
    )
}
CITED_BY = {"Ames": 5, "Cole": 4, "Dunn": 6, "Ender": 4, "Fall": 3, "Gray": 3}
NAMES = ("GrOVE", "KELP", "HEN", "Maple", "BIRch", "WILLoW")


def _identifier(work: dict[str, Any]) -> str:
    return str(work.get("arxiv_id") or work["doi"])


PAPERS = [
    study(number, references=[_identifier(WORKS[name]) for name, times in CITED_BY.items() if number <= times])
    for number in range(1, 11)
]
NICKNAMES = [f"- [{name}](https://example.org/papers/{name.lower()}.pdf)" for name in NAMES]
LIST = list_of(PAPERS, "", "## Also read", "", *NICKNAMES)


@pytest.fixture
def bench(bench: Bench, standins: StandIns) -> Bench:
    """A lake that knows what the papers of the list cite."""
    standins.add([*PAPERS, *WORKS.values()])
    bench = Bench(bench.folder, standins.env(openalex=True))
    bench.refresh(bench.write(LIST))
    return bench


def verdicts(bench: Bench) -> dict[str, tuple[str, str | None, str | None]]:
    rows = bench.rows(
        "SELECT m.title, m.status, m.method, p.title AS paper FROM mentions m LEFT JOIN papers p USING (paper_id)"
    )
    return {row["title"]: (row["status"], row["method"], row["paper"]) for row in rows if row["title"] in NAMES}


def candidates(bench: Bench, name: str) -> list[str]:
    sql = f"SELECT c.title FROM candidates c JOIN mentions m USING (mention_id) WHERE m.title = '{name}' ORDER BY rank"
    return [row["title"] for row in bench.rows(sql)]


def test_a_name_is_the_work_that_its_list_cites(bench):
    assert {status for status, _, _ in verdicts(bench).values()} == {"ambiguous"}
    bench.refresh(bench.write(LIST), max_age="0s")
    found = verdicts(bench)
    assert found["GrOVE"] == ("resolved", "citations", WORKS["Ames"]["title"])
    assert found["KELP"] == ("resolved", "citations", WORKS["Cole"]["title"])


def test_a_name_that_proves_too_little_only_has_candidates(bench):
    bench.refresh(bench.write(LIST), max_age="0s")
    found = verdicts(bench)
    assert {found[name][0] for name in ("HEN", "Maple", "BIRch", "WILLoW")} == {"ambiguous"}
    assert candidates(bench, "HEN") == [WORKS["Dunn"]["title"]], "three initials"
    assert candidates(bench, "Maple") == [WORKS["Ender"]["title"]], "a common word"
    assert sorted(candidates(bench, "BIRch")) == [WORKS["Fall"]["title"], WORKS["Gray"]["title"]], "two works"
    assert candidates(bench, "WILLoW") == [], "nothing cited has the name"


@pytest.mark.nightly
def test_a_work_that_cannot_be_asked_for_is_asked_for_again(bench, standins):
    standins.down("s2")
    bench.refresh(bench.write(LIST), max_age="0s")
    assert verdicts(bench)["KELP"][0] == "failed"
    standins.up("s2")
    bench.refresh(bench.write(LIST))
    assert verdicts(bench)["KELP"] == ("resolved", "citations", WORKS["Cole"]["title"])


@pytest.mark.parametrize(
    ("name", "title", "sign"),
    [
        ("GrOVE*", "Joins in One Pass (GrOVE*): A Study", "distinct"),
        ("spidernet", "SpiderNET: Learning from Webs", "distinct"),
        ("Maple", "Maple: Stores That Sort Themselves", "weak"),
        ("KELP", "Keep Every Last Page: Logs That Never Shrink", "distinct"),
        ("HEN", "Hashing Every Node", "weak"),
        ("GrOVE", "GrOVE-Lite: Joins on Small Machines", None),
        ("GrOVE", "Felling the GrOVE of Indexes", None),
        ("GrOVE", "GrOVE", None),
        ("KELP", "Keep Every Page", None),
    ],
)
def test_which_titles_bear_a_name(name, title, sign):
    assert known_as(name, title) == sign
