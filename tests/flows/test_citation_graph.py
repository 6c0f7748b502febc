"""The citation graph in a refresh: what is worth asking is asked once, within the budget, and faults add nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from flows.refresh.plan import plan_refresh
from flows.refresh.reading import read_and_parse
from standins import StandIns
from standins.trials.bench import Bench

pytestmark = pytest.mark.slow

WORDS = "Robustness Compression Verification Scheduling Layout Training Serving Tuning Sharding Caching".split()


def study(number: int, **facts: Any) -> dict[str, Any]:
    """Returns the facts of one of ten papers that differ in a word and their people."""
    word = WORDS[number - 1]
    own = {"arxiv_id": f"2401.{number:05}", "title": f"On the {word} of Learned Indexes", "year": 2024}
    return {**own, "authors": [f"Ann {word}", f"Bob {word}"], **facts}


def list_of(papers: Iterable[dict[str, Any]], *more: str) -> str:
    """Returns a list that links to the papers."""
    entries = (f"- [{paper['title']}](https://arxiv.org/abs/{paper['arxiv_id']})" for paper in papers)
    return "\n".join(["# Papers", "", *entries, *more, ""])


APT = {"title": "A Work That The List Does Not Name", "authors": ["Ann Ames", "Bob Bell"], "year": 2019,
       "doi": "10.5555/apt", "citation_count": 60}  # fmt: skip
SURVEY = {"title": "A Survey Of It All", "authors": ["Cid Cole"], "year": 2025, "doi": "10.5555/survey"}
PAPERS = [study(n, citation_count=20 + n, references=[APT["doi"]] if n <= 6 else []) for n in range(1, 11)]
LIST = list_of(PAPERS)
KNOWN = [APT, *PAPERS, {**SURVEY, "references": [paper["arxiv_id"] for paper in PAPERS[2:]]}]


@pytest.fixture(scope="module")
def lakes(tmp_path_factory, _lake_without_rows: Path, _small_process: StandIns) -> dict[str, Path]:
    """Folders of a lake of the list and its papers, `before` their citations were asked for, and `after` that."""
    folders = {name: tmp_path_factory.mktemp(name) / "bench" for name in ("before", "after")}
    _small_process.reset()
    _small_process.add(KNOWN)
    shutil.copytree(_lake_without_rows, folders["before"] / "lake")
    bench = Bench(folders["before"], _small_process.env(openalex=True))
    first = bench.refresh(bench.write(LIST), graph_requests=0)
    assert first.requests["openalex"] == 1
    assert bench.rows("FROM citing_harvests") == []
    shutil.copytree(folders["before"], folders["after"])
    bench = Bench(folders["after"], _small_process.env(openalex=True))
    bench.refresh(bench.write(LIST))
    return folders


@pytest.fixture
def bench(bench: Bench, standins: StandIns) -> Bench:
    """An empty lake."""
    standins.add(KNOWN)
    return Bench(bench.folder, standins.env(openalex=True))


@pytest.fixture
def before(tmp_path: Path, lakes: dict[str, Path], standins: StandIns) -> Bench:
    """The lake before citations were asked for."""
    return _copied(lakes["before"], tmp_path / "bench", standins)


@pytest.fixture
def after(tmp_path: Path, lakes: dict[str, Path], standins: StandIns) -> Bench:
    """The lake in which all is known."""
    return _copied(lakes["after"], tmp_path / "bench", standins)


def _copied(folder: Path, to: Path, standins: StandIns) -> Bench:
    standins.add(KNOWN)
    shutil.copytree(folder, to)
    return Bench(to, standins.env(openalex=True))


def missing(bench: Bench) -> list[dict[str, Any]]:
    return bench.rows(
        "SELECT title, doi, cited_by_listed, cites_listed FROM missing_papers WHERE list_id = 'all' ORDER BY title"
    )


EXPECTED = [
    {"title": SURVEY["title"], "doi": SURVEY["doi"], "cited_by_listed": 0, "cites_listed": 8},
    {"title": APT["title"], "doi": APT["doi"], "cited_by_listed": 6, "cites_listed": 0},
]


def filters(standins: StandIns) -> list[str]:
    return [line["params"]["filter"].partition(":")[0] for line in standins.requests("openalex")]


def test_a_first_refresh_finds_what_is_missing_and_a_second_asks_nothing(bench, standins):
    run = bench.refresh(bench.write(LIST))
    assert (run.status, run.problems) == ("completed", ())
    assert filters(standins) == ["doi", "cites", "cites", "ids.openalex"]
    assert missing(bench) == EXPECTED
    harvests = bench.rows("SELECT status, citation_count, citing_count, found_at, tries FROM citing_harvests")
    assert len(harvests) == 10
    assert all(row["status"] == "found" and row["citing_count"] == row["citation_count"] for row in harvests)
    before = bench.contents()
    again = bench.refresh(bench.write(LIST))
    assert again.requests["openalex"] == 0
    assert bench.contents() == before


def _backdate(bench: Bench, *, days: int) -> None:
    from warehouse.lake.session import writing

    with writing(bench.place) as connection:
        connection.execute(f"UPDATE citing_harvests SET asked_at = asked_at - INTERVAL {days} DAY")


@pytest.mark.nightly
def test_a_fault_adds_nothing_and_the_next_run_mends_it(before, standins):
    for kind in ("503", "truncated", "missing_entries", "empty_feed", "html"):
        standins.clear_log()
        standins.fault("openalex", kind, endpoint="citing")
        before.refresh(before.write(LIST))
        assert "cites" in filters(standins), kind
        assert not before.rows("FROM citing_harvests WHERE status = 'found' OR found_at IS NOT NULL"), kind
        assert [row["title"] for row in missing(before)] in ([APT["title"]], []), kind
        standins.clear_faults()
        _backdate(before, days=31)
    before.refresh(before.write(LIST))
    assert missing(before) == EXPECTED


def test_a_spent_allowance_is_no_answer(before, standins):
    standins.fault("openalex", "allowance_spent", endpoint="citing")
    run = before.refresh(before.write(LIST))
    assert run.status == "completed"
    assert filters(standins) == ["cites"]
    assert before.rows("FROM citing_harvests") == before.rows("FROM outside_works") == []


def test_citing_works_that_are_far_fewer_than_counted_are_no_whole_answer(before, standins):
    empty = '{"meta": {"count": 0}, "results": []}'
    standins.fault("openalex", "status", endpoint="citing", status=200, body=empty, content_type="application/json")
    before.refresh(before.write(LIST))
    rows = before.rows("SELECT DISTINCT status, citing_count FROM citing_harvests")
    assert {row["status"] for row in rows} == {"failed"}


def test_the_budget_is_not_exceeded_and_what_is_left_waits(before, standins):
    for requests in (1, 1, 9):
        run = before.refresh(before.write(LIST), graph_requests=requests)
        assert run.requests["openalex"] <= requests
    assert missing(before) == EXPECTED


def test_a_plan_says_what_the_graph_costs(before, standins):
    settings = before.settings()
    reading = read_and_parse([before.write(LIST)], settings.place)
    plan = plan_refresh(reading, settings)
    assert standins.requests("openalex") == []
    run = before.refresh(before.write(LIST))
    assert plan.graph.least <= run.requests["openalex"] <= plan.graph.most <= settings.graph_requests
    assert plan.requests["openalex"].least == plan.graph.least
    reading = read_and_parse([before.write(LIST)], settings.place)
    assert plan_refresh(reading, settings).graph.least == 0


def test_a_short_list_is_not_looked_into(bench, standins):
    bench.refresh(bench.write("\n".join(LIST.splitlines()[:11])))
    assert filters(standins) == ["doi"]
