"""Each row of WIRE.md over whole refreshes: no fact lost, no false absence, no long wait, the others go on."""

from __future__ import annotations

import json
import time
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import quote

import pytest

from flows.commands.mirror import update_from_arxiv
from flows.refresh.plan import plan_lines, plan_refresh
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import summary_lines
from standins import StandIns
from standins.arxiv.oai import Change, OaiStandIn
from standins.catalogue.dumps import arxiv_row, notice_row, notices_csv
from standins.catalogue.papers import paper_from
from standins.trials.bench import Bench
from tests.matrices import first_each_push
from warehouse.mirrors import MirrorFolder
from warehouse.mirrors.importing import Dump, import_dump

pytestmark = pytest.mark.slow

ON_ARXIV: list[dict[str, Any]] = [
    {"arxiv_id": f"2402.{n:05}", "title": f"On {word} in Distributed Kilns", "authors": [f"Ann {word}", f"Bo {word}"],
     "year": 2024, "citation_count": 40 + 5 * n}
    for n, word in enumerate(["Caching", "Gossip", "Locking", "Sharding"], start=1)
]  # fmt: skip
BY_DOI: list[dict[str, Any]] = [
    {"doi": f"10.1145/wire.{n}", "title": f"A Study of {word} for Orchards", "authors": [f"Cy {word}", f"Di {word}"],
     "year": 2015, "citation_count": 80 + 5 * n}
    for n, word in enumerate(["Pruning", "Grafting", "Watering", "Picking"], start=1)
]  # fmt: skip
BY_TITLE: list[dict[str, Any]] = [
    {"s2_paper_id": f"{n:040x}", "title": f"Notes on the {word} of Old Ferries and Their Crews",
     "authors": [f"Ed {word}", f"Flo {word}"], "year": 2001, "citation_count": 120 + 5 * n}
    for n, word in enumerate(["Repair", "Timetables", "Ballast", "Signals"], start=1)
]  # fmt: skip
PAPERS = [*ON_ARXIV, *BY_DOI, *BY_TITLE]
LIST = "\n".join(
    ["# Papers", ""]
    + [f"- [{paper['title']}](https://arxiv.org/abs/{paper['arxiv_id']})" for paper in ON_ARXIV]
    + [f"- [{paper['title']}](https://doi.org/{paper['doi']})" for paper in BY_DOI]
    + [f"- {paper['title']} ({paper['year']})" for paper in BY_TITLE]
    + [""]
)
FAULTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "partial answers": [("timed_out", {})],
    "partial searches": [("timed_out", {"endpoint": "search", "share": 0.3})],
    "paused searches": [("searches_paused", {})],
    "paused searches, 429": [("429", {"endpoint": "search", "retry_after": 60})],
    "too many a second": [("429", {"times": 5})],
    "always too many a second": [("429", {})],
    "a wrong key": [("wrong_key", {})],
    "prepaid credit": [("prepaid", {})],
    "no title filter": [("no_title_filter", {})],
    "a bad query": [("status", {"status": 400, "body": '{"error": "Invalid query parameters error."}'})],
    "server errors": [("500", {})],
}
HARMLESS = {"prepaid credit", "no title filter", "a wrong key"}
LOOK_UPS_GO_ON = {*HARMLESS, "partial searches", "paused searches", "paused searches, 429"}
COUNTED = len(ON_ARXIV) + len(BY_DOI)
"""Papers with a DOI, so that OpenAlex can be asked for their counts before a search has found them."""
COUNTS = "SELECT count(*) AS n FROM citation_counts WHERE source = 'openalex'"


@pytest.fixture
def bench(openalex_bench: Bench, standins: StandIns) -> Bench:
    standins.add(PAPERS)
    standins.leave_to_arxiv([paper["s2_paper_id"] for paper in BY_TITLE])
    return openalex_bench


@pytest.mark.slow
@pytest.mark.parametrize("fault", first_each_push(list(FAULTS), count=1))
def test_what_openalex_does_costs_no_fact_and_makes_nothing_absent(bench, standins, fault):
    for kind, details in FAULTS[fault]:
        standins.fault("openalex", kind, **details)
    key = {"openalex_api_key": "a-wrong-key"} if fault == "a wrong key" else {}
    began = time.monotonic()
    run = bench.refresh(bench.write(LIST), **key)
    assert time.monotonic() - began < 30
    assert run.not_found == 0
    assert run.resolved >= len(ON_ARXIV) + len(BY_DOI)  # the other services go on
    absent = bench.rows("SELECT count(*) AS n FROM harvests WHERE source = 'openalex' AND status = 'not_found'")
    assert absent == [{"n": 0}]
    if fault in LOOK_UPS_GO_ON:
        (counted,) = bench.rows(COUNTS)
        assert counted["n"] >= COUNTED
    standins.clear_faults()
    run = bench.refresh(bench.write(LIST), force=True)
    assert (run.resolved, run.not_found, run.failed) == (len(PAPERS), 0, 0)
    assert bench.rows(COUNTS) == [{"n": len(PAPERS)}]  # of the others by OpenAlex's own identifier


def test_a_pause_and_a_wrong_key_are_told(bench, standins):
    standins.fault("openalex", "searches_paused")
    run = bench.refresh(bench.write(LIST))
    assert any("answers no searches for now" in problem for problem in run.problems)
    standins.clear_faults()
    standins.fault("openalex", "wrong_key")
    run = bench.refresh(bench.write(LIST), openalex_api_key="a-wrong-key")
    assert any("OPENALEX_API_KEY" in problem for problem in run.problems)
    assert run.resolved == len(PAPERS)


def test_where_others_cannot_be_asked_openalex_answers_identifiers(bench, standins):
    bare = "\n".join(
        ["# Papers", ""]
        + [f"- https://arxiv.org/abs/{paper['arxiv_id']}" for paper in ON_ARXIV]
        + [f"- https://doi.org/{paper['doi']}" for paper in BY_DOI]
        + ["- https://doi.org/10.1145/nobody.has.it", ""]
    )
    standins.down("arxiv")
    standins.fault("s2", "429")
    run = bench.refresh(bench.write(bare), tries=1)
    assert (run.resolved, run.not_found, run.failed) == (len(ON_ARXIV) + len(BY_DOI), 0, 1)
    titles = {row["title"] for row in bench.rows("SELECT title FROM papers")}
    assert titles == {paper["title"] for paper in (*ON_ARXIV, *BY_DOI)}
    standins.reset()
    standins.add(PAPERS)
    run = bench.refresh(bench.write(bare), force=True)
    assert (run.resolved, run.papers) == (len(ON_ARXIV) + len(BY_DOI), len(ON_ARXIV) + len(BY_DOI))


def test_of_a_preprint_and_its_publication_the_greater_count_is_stored(bench, standins):
    two = [
        {"arxiv_id": f"2403.0000{n}", "doi": f"10.1145/two.{n}", "title": f"Two Works of {word} Lamps",
         "authors": ["Gil Hay", "Ida Jo"], "year": 2024, "citation_count": count, "preprint_count": preprint}
        for n, (word, count, preprint) in enumerate([("Blue", 295, 106), ("Red", 100, 236)])
    ]  # fmt: skip
    standins.add(two)
    links = [f"- [{paper['title']}](https://arxiv.org/abs/{paper['arxiv_id']})" for paper in two]
    run = bench.refresh(bench.write("\n".join(["# Papers", "", *links, ""])))
    assert run.papers == 2
    assert run.problems == ()
    counts = bench.rows("SELECT citation_count FROM citation_counts WHERE source = 'openalex' ORDER BY 1")
    assert [row["citation_count"] for row in counts] == [236, 236]


def test_the_budget_is_told_before_and_after(bench, standins):
    settings = bench.settings()
    plan = plan_refresh(read_and_parse([bench.write(LIST)], settings.place), settings)
    (line,) = [line for line in plan_lines(plan) if line.startswith("OpenAlex")]
    assert "of 1,000 credits a day" in line
    run = bench.refresh(bench.write(LIST))
    searches = sum(line["endpoint"] == "search" for line in standins.requests("openalex"))
    sent = run.requests.get("openalex", 0)
    assert (run.credits.used, run.credits.limit) == (sent + 9 * searches, 1_000)
    assert f"OpenAlex: {sent} requests, {run.credits.used} of 1,000 credits" in summary_lines(run)
    assert plan.credits.least <= run.credits.used <= plan.credits.most


ARXIV_FAULTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "arXiv refuses all day, without Retry-After": [("429", {})],
    "arXiv's front answers slowly, then not": [("slow", {"seconds": 0.3, "times": 1}), ("503", {"retry_after": 1})],
}
S2_FAULTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "the shared pool refuses all": [("429", {})],
    "the shared pool refuses nine of ten": [("429", {"times": 9})],
    "the shared pool says how long to wait": [("429", {"retry_after": 2, "times": 3})],
    "a match of nothing": [("set_envelope", {"endpoint": "match", "field": "data", "value": []})],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("service", "kinds"),
    first_each_push(
        [pytest.param("arxiv", kinds, id=name) for name, kinds in ARXIV_FAULTS.items()]
        + [pytest.param("s2", kinds, id=name) for name, kinds in S2_FAULTS.items()],
        count=2,
    ),
)
def test_what_arxiv_and_semantic_scholar_do_costs_no_fact_and_makes_nothing_absent(bench, standins, service, kinds):
    for kind, details in kinds:
        standins.fault(service, kind, **details)
    began = time.monotonic()
    run = bench.refresh(bench.write(LIST))
    assert time.monotonic() - began < 30
    assert (run.resolved, run.not_found) == (len(PAPERS) - run.failed, 0)
    assert run.resolved >= COUNTED  # identifiers are answered by another service, titles by arXiv or OpenAlex
    assert bench.rows(COUNTS)[0]["n"] >= COUNTED
    standins.clear_faults()
    run = bench.refresh(bench.write(LIST), force=True)
    assert (run.resolved, run.not_found, run.failed) == (len(PAPERS), 0, 0)


@pytest.mark.nightly
def test_a_mirror_that_arxiv_updated_tells_when_a_paper_was_first_published(bench, tmp_path, monkeypatch):
    told = {"arxiv_id": "2402.00001", "title": ON_ARXIV[0]["title"], "authors": ON_ARXIV[0]["authors"],
            "categories": ["cs.DC"]}  # fmt: skip
    days = {"published": "2024-02-01T10:00:00Z", "updated": "2026-11-20T10:00:00Z", "version": 3}
    paper = paper_from(told | days)
    (tmp_path / "dump.jsonl").write_text(json.dumps(arxiv_row(paper_from(told))) + "\n", encoding="utf-8")
    folder = MirrorFolder(bench.place.folder / "mirror" / "arxiv")
    dump = Dump(
        source="arxiv", files=(tmp_path / "dump.jsonl",), told_at=datetime(2026, 11, 15, tzinfo=UTC), whole=False
    )
    import_dump(folder, dump)
    with OaiStandIn([Change(arxiv_id="2402.00001", day="2026-11-20", paper=paper)]) as oai:
        monkeypatch.setenv("PAPERLAKE_ARXIV_OAI_URL", oai.url)
        update_from_arxiv(lake=str(bench.place.folder))
    bench.refresh(bench.write(LIST))
    (row,) = bench.rows("SELECT published_on, year FROM papers WHERE arxiv_id = '2402.00001'")
    assert (row["published_on"], row["year"]) == (date(2024, 2, 1), 2024)


def test_a_notice_under_a_percent_encoded_doi_retracts_its_paper_alone(bench, standins):
    old = "10.1002/1096-9098(200007)74:3<{}::aid-wire{}>3.0.co;2-5"
    papers = [
        {"doi": old.format(100 + n, n), "title": f"Ferries and {word} in Two Ports", "authors": [f"Jo {word}"],
         "year": 2000, "citation_count": 30 + n}
        for n, word in enumerate(["Tides", "Moorings"])
    ]  # fmt: skip
    standins.add(papers)
    retracted = papers[0]["doi"].replace("<", "%3C").replace(">", "%3E").upper()
    rows = [notice_row(1, papers[0]["title"], papers[0]["authors"], OriginalPaperDOI=retracted,
                       OriginalPaperDate="7/1/2000 0:00")]  # fmt: skip
    path = bench.folder / "notices.csv"
    path.write_bytes(notices_csv(rows))
    import_dump(
        MirrorFolder(bench.place.folder / "mirror" / "retractions"),
        Dump(source="retractions", files=(path,), whole=False),
    )
    links = [f"- {paper['title']}. https://doi.org/{quote(paper['doi'])}" for paper in papers]
    run = bench.refresh(bench.write("\n".join(["# Papers", "", *links, ""])))
    assert run.resolved == len(papers)
    assert bench.rows("SELECT title FROM papers WHERE retracted") == [{"title": papers[0]["title"]}]
