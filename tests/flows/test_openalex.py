"""OpenAlex in a refresh: what it tells stands beside the rest, is held against the papers, and costs little."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.test_citation_graph import list_of, study
from tests.matrices import first_each_push

pytestmark = pytest.mark.slow

PAPERS = [study(number, citation_count=100 * number) for number in range(1, 5)]
PUBLISHED: dict[str, Any] = {
    "doi": "10.5555/published.1",
    "title": "A Published Study of Storage Engines",
    "authors": ["Carla Ender", "Dirk Fall"],
    "year": 2019,
    "citation_count": 80,
    "venue": "SIGMOD",
    "references": ["2401.00001"],
    "retracted": True,
}
LIST = list_of(PAPERS, f"- [{PUBLISHED['title']}](https://doi.org/{PUBLISHED['doi']})")
COUNTS = "SELECT p.title, c.source, c.citation_count FROM citation_counts c JOIN papers p USING (paper_id)"


class SharedListBench(Bench):
    """A bench whose lists are in one place for all lakes: a list is known by its location."""

    def write(self, text: str, name: str = "list.md") -> str:
        path = self.folder.parent / name
        path.write_text(text, encoding="utf-8")
        return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, _lake_without_rows: Path, _small_process: StandIns):
    """Holds an empty lake, and one that an honest refresh has filled: making them takes longer than using them."""
    made = tmp_path_factory.mktemp("openalex")
    _small_process.reset()
    _small_process.add([*PAPERS, PUBLISHED])
    shutil.copytree(_lake_without_rows, made / "empty" / "lake")
    shutil.copytree(made / "empty", made / "filled")
    filled = SharedListBench(made / "filled", _small_process.env(openalex=True))
    run = filled.refresh(filled.write(LIST))
    assert (run.status, run.problems) == ("completed", ())
    return made


@pytest.fixture
def bench(folder, standins: StandIns):
    yield from _copied(folder, "empty", standins)


@pytest.fixture
def filled(folder, standins: StandIns):
    yield from _copied(folder, "filled", standins)


def _copied(folder, name: str, standins: StandIns):
    standins.add([*PAPERS, PUBLISHED])
    copy = folder / f"copy of {name}"
    shutil.copytree(folder / name, copy)
    yield SharedListBench(copy, standins.env(openalex=True))
    shutil.rmtree(copy)


def works(bench: Bench) -> list[dict[str, Any]]:
    return bench.rows("SELECT w.*, p.title AS own_title FROM openalex_works w JOIN papers p USING (paper_id)")


def later(bench: Bench, **changes: Any):
    return bench.refresh(bench.write(LIST), max_age=timedelta(0), **changes)


def test_what_openalex_tells_stands_beside_the_rest(bench, standins):
    run = bench.refresh(bench.write(LIST))
    assert (run.status, run.problems) == ("completed", ())
    assert run.requests["openalex"] == 1 == len(standins.requests("openalex"))
    assert run.counts_written == 10
    assert all(work["title"] == work["own_title"] for work in works(bench))
    counts = {(row["title"], row["source"]): row["citation_count"] for row in bench.rows(COUNTS)}
    assert counts[PUBLISHED["title"], "s2"] == 80
    assert counts[PUBLISHED["title"], "openalex"] == 64
    (row,) = bench.rows(f"FROM papers WHERE doi = '{PUBLISHED['doi']}'")
    assert row["citation_count"] == 80
    assert (
        bench.rows("SELECT sum(citation_count)::INT AS n FROM citations_by_year WHERE source = 'openalex'")[0]["n"] > 60
    )
    authors = bench.rows(f"FROM paper_authors WHERE paper_id = '{row['paper_id']}' ORDER BY position")
    assert [author["name"] for author in authors] == PUBLISHED["authors"]
    assert all(author["author_id"].startswith("A") and author["institutions"] for author in authors)


def test_a_reference_leads_to_the_paper_of_the_lake_that_it_is_until_it_is_no_longer_told(filled, standins):
    sql = (
        "SELECT citing.title AS citing, cited.title AS cited FROM paper_references r "
        "JOIN papers citing ON citing.paper_id = r.paper_id JOIN papers cited ON cited.paper_id = r.cited_paper_id"
    )
    assert filled.rows(sql) == [{"citing": PUBLISHED["title"], "cited": PAPERS[0]["title"]}]
    assert len(filled.rows("FROM paper_references")) == 16
    standins.add([{**PUBLISHED, "references": []}])
    later(filled)
    assert filled.rows(sql) == []
    assert len(filled.rows("FROM paper_references")) == 15


@pytest.mark.nightly
def test_a_reference_is_linked_when_the_cited_paper_comes_later(bench):
    bench.refresh(bench.write("\n".join(line for line in LIST.splitlines() if "2401.00001" not in line)))
    assert bench.rows("FROM paper_references WHERE cited_paper_id IS NOT NULL") == []
    bench.refresh(bench.write(LIST))
    assert len(bench.rows("FROM paper_references WHERE cited_paper_id IS NOT NULL")) == 1


def test_a_second_refresh_asks_nothing_and_writes_nothing(filled, standins):
    before, sent = filled.contents(), len(standins.requests())
    run = filled.refresh(filled.write(LIST))
    assert run.requests == {"arxiv": 0, "s2": 0, "openalex": 0}
    assert len(standins.requests()) == sent
    assert filled.contents() == before


def test_a_stale_record_is_asked_for_again_and_only_what_changed_is_written(filled, standins):
    before = filled.contents()
    standins.set_counts({PUBLISHED["doi"]: {"citation_count": 160}})
    run = later(filled)
    after = filled.contents()
    assert run.requests["openalex"] == 1
    assert after["paper_references"] == before["paper_references"]
    assert after["paper_authors"] == before["paper_authors"]
    changed = set(after["citations_by_year"]) - set(before["citations_by_year"])
    assert len(changed) == len(set(before["citations_by_year"]) - set(after["citations_by_year"])) > 0


def test_works_told_without_authors_are_believed_and_no_author_known_before_is_lost(filled, standins):
    before, counted = filled.contents(), {work["doi"]: work["citation_count"] for work in works(filled)}
    standins.fault("openalex", "lie", steps=[["null", ["authorships"]]])
    standins.set_counts({PUBLISHED["doi"]: {"citation_count": 160}})
    run = later(filled)
    assert (run.status, run.requests["openalex"]) == ("completed", 1)
    assert filled.contents()["paper_authors"] == before["paper_authors"]
    changed = [work["doi"] for work in works(filled) if work["citation_count"] != counted[work["doi"]]]
    assert changed == [PUBLISHED["doi"]]


_BODY = ["title", "authorships", "cited_by_count", "counts_by_year", "referenced_works", "topics"]
LIES: dict[str, list[list[Any]]] = {
    "another work's record under a right DOI": [["rotate", _BODY]],
    "other people": [["rotate", ["authorships"]]],
    "another time": [["add", ["publication_year"], -9]],
    "one work for all": [["share", ["title", "authorships"]]],
    "DOIs rotated": [["rotate", ["doi", "locations", "primary_location"]]],
}
"""What OpenAlex may say that is well formed and not true."""
EACH_PUSH = ("another work's record under a right DOI", "other people")


@pytest.mark.parametrize("lie", first_each_push([*EACH_PUSH, *sorted(LIES.keys() - {*EACH_PUSH})], count=1))
def test_a_wrong_record_under_a_right_doi_is_named_and_nothing_of_it_is_written(bench, folder, standins, lie):
    told = {work["title"]: work for work in works(Bench(folder / "filled", bench.env))}
    standins.fault("openalex", "lie", steps=LIES[lie])
    run = bench.refresh(bench.write(LIST))
    assert run.status == "completed_with_failures"
    assert any("OpenAlex" in problem for problem in run.problems)
    plain = ("openalex_id", "citation_count", "topics", "year", "doi")
    for work in works(bench):
        assert all(work[name] == told[work["own_title"]][name] for name in plain)
    failed = bench.rows("SELECT error FROM harvests WHERE source = 'openalex' AND status = 'failed'")
    assert failed
    assert bench.rows("SELECT count(*) AS n FROM papers WHERE merged_into IS NULL")[0]["n"] == 5
    standins.clear_faults()
    mended = bench.refresh(bench.write(LIST))
    assert mended.status == "completed"
    assert {work["openalex_id"] for work in works(bench)} == {work["openalex_id"] for work in told.values()}


@pytest.mark.nightly
def test_a_record_that_stays_wrong_fails_no_further_run_and_is_asked_for_ever_less_often(bench, standins):
    standins.fault("openalex", "lie", steps=[["first", ["title"], "Something Else Altogether"]])
    assert bench.refresh(bench.write(LIST)).status == "completed_with_failures"
    assert bench.refresh(bench.write(LIST)).status == "completed"
    assert bench.refresh(bench.write(LIST)).requests["openalex"] == 0
    (row,) = bench.rows("FROM harvests WHERE source = 'openalex' AND status = 'failed'")
    assert (row["tries"], "Something Else" in row["error"]) == (1, True)


@pytest.mark.nightly
def test_a_spent_allowance_leaves_papers_due_and_fails_nothing(bench, standins):
    standins.credits(0)
    run = bench.refresh(bench.write(LIST))
    assert run.status == "completed"
    assert any("allowance" in problem for problem in run.problems)
    assert bench.rows("FROM harvests WHERE source = 'openalex'") == []
    sent = len(standins.requests("openalex"))
    assert bench.refresh(bench.write(LIST)).status == "completed"
    assert len(standins.requests("openalex")) == sent  # nor does any other process ask until it is renewed
    standins.credits(100)
    for stamp in (bench.place.folder / "locks").glob("openalex.stamp"):
        stamp.unlink()  # midnight has passed
    assert bench.refresh(bench.write(LIST)).requests["openalex"] == 1
    assert len(works(bench)) == 5


def test_who_leads_the_other_services_elsewhere_asks_no_third_one(bench):
    plain = Bench(bench.folder, {name: value for name, value in bench.env.items() if "OPENALEX" not in name})
    assert not plain.settings().asks("openalex")
    assert plain.settings(openalex=True).asks("openalex")
    assert bench.settings().asks("openalex")
    assert not bench.settings(openalex=False).asks("openalex")
    assert not bench.settings(openalex=True, offline=True).asks("openalex")
    assert Bench(bench.folder, {}).settings().asks("openalex")


def test_the_key_is_in_no_log_and_in_no_row(bench, standins, caplog):
    standins.fault("openalex", "echo", times=1)
    with caplog.at_level("DEBUG"):
        for name in ("httpx", "httpcore", "sources"):
            caplog.set_level("DEBUG", logger=name)
        run = bench.refresh(bench.write(LIST), openalex_api_key="k3y-of-mine")
    assert [line["key_sent"] for line in standins.requests("openalex")] == [True]
    assert {line["key_sent"] for line in standins.requests("s2")} == {False}
    assert "receive_response_headers" in caplog.text
    assert "k3y-of-mine" not in caplog.text + repr(run) + repr(bench.contents())


def test_the_page_of_a_refresh_holds_what_the_settings_let_it_hold(filled):
    pages = []
    for terms in ("all", "cc0"):
        filled.refresh(filled.write(LIST), dashboard=filled.folder / terms, publish=terms)
        pages.append((filled.folder / terms / "catalogue.csv").read_text(encoding="utf-8"))
    assert ["400" in page.replace("\n", ",").split(",") for page in pages] == [True, False]
