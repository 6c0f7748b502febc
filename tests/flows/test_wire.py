"""Each row of WIRE.md over whole refreshes: no fact lost, no false absence, no long wait, the others go on."""

from __future__ import annotations

import time
from typing import Any

import pytest

from flows.refresh.plan import plan_lines, plan_refresh
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import summary_lines
from standins import StandIns
from standins.trials.bench import Bench
from tests.matrices import first_each_push

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
FAULTS: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "partial answers": ("openalex", [("timed_out", {})]),
    "arXiv refuses all day, without Retry-After": ("arxiv", [("429", {})]),
    "the shared pool refuses all": ("s2", [("429", {})]),
    "partial searches": ("openalex", [("timed_out", {"endpoint": "search", "share": 0.3})]),
    "paused searches, 429": ("openalex", [("429", {"endpoint": "search", "retry_after": 60})]),
    "always too many a second": ("openalex", [("429", {})]),
    "a wrong key": ("openalex", [("wrong_key", {})]),
    "prepaid credit": ("openalex", [("prepaid", {})]),
    "no title filter": ("openalex", [("no_title_filter", {})]),
    "a bad query": ("openalex", [("status", {"status": 400, "body": '{"error": "Invalid query parameters error."}'})]),
    "arXiv's front answers slowly, then not": (
        "arxiv", [("slow", {"seconds": 0.3, "times": 1}), ("503", {"retry_after": 1})]
    ),
    "the shared pool says how long to wait": ("s2", [("429", {"retry_after": 2, "times": 3})]),
    "a match of nothing": ("s2", [("set_envelope", {"endpoint": "match", "field": "data", "value": []})]),
}  # fmt: skip
"""What a service does -> the service, and the faults that do it."""
NO_COUNTS = {"partial answers", "always too many a second", "a bad query"}
"""Faults behind which OpenAlex gives no counts."""
COUNTED = len(ON_ARXIV) + len(BY_DOI)
"""Papers with a DOI, so that OpenAlex can be asked for their counts before a search has found them."""
COUNTS = "SELECT count(*) AS n FROM citation_counts WHERE source = 'openalex'"


@pytest.fixture
def bench(openalex_bench: Bench, standins: StandIns) -> Bench:
    standins.add(PAPERS)
    standins.leave_to_arxiv([paper["s2_paper_id"] for paper in BY_TITLE])
    return openalex_bench


@pytest.mark.parametrize("fault", first_each_push(FAULTS, count=3))
def test_what_a_service_does_costs_no_fact_and_makes_nothing_absent(bench, standins, fault):
    service, kinds = FAULTS[fault]
    for kind, details in kinds:
        standins.fault(service, kind, **details)
    key = {"openalex_api_key": "a-wrong-key"} if fault == "a wrong key" else {}
    began = time.monotonic()
    run = bench.refresh(bench.write(LIST), **key)
    assert time.monotonic() - began < 30
    assert (run.resolved, run.not_found) == (len(PAPERS) - run.failed, 0)
    assert run.resolved >= COUNTED  # identifiers are answered by another service
    assert bench.rows("FROM harvests WHERE source = 'openalex' AND status = 'not_found'") == []
    assert fault in NO_COUNTS or bench.rows(COUNTS)[0]["n"] >= COUNTED
    standins.clear_faults()
    run = bench.refresh(bench.write(LIST), force=True)
    assert (run.resolved, run.not_found, run.failed) == (len(PAPERS), 0, 0)
    assert bench.rows(COUNTS) == [{"n": len(PAPERS)}]  # of the others by OpenAlex's own identifier


def test_where_others_cannot_be_asked_openalex_answers_identifiers(bench, standins):
    links = [f"- https://arxiv.org/abs/{paper['arxiv_id']}" for paper in ON_ARXIV]
    links += [f"- https://doi.org/{paper['doi']}" for paper in BY_DOI]
    standins.down("arxiv")
    standins.fault("s2", "429")
    text = "\n".join(["# Papers", "", *links, "- https://doi.org/10.1145/nobody.has.it", ""])
    run = bench.refresh(bench.write(text), tries=1)
    assert (run.resolved, run.not_found, run.failed) == (COUNTED, 0, 1)
    titles = {row["title"] for row in bench.rows("SELECT title FROM papers")}
    assert titles == {paper["title"] for paper in (*ON_ARXIV, *BY_DOI)}


def test_a_pause_and_a_wrong_key_are_told(bench, standins):
    standins.fault("openalex", "searches_paused")
    run = bench.refresh(bench.write(LIST))
    assert any("answers no searches for now" in problem for problem in run.problems)
    standins.clear_faults()
    standins.fault("openalex", "wrong_key")
    run = bench.refresh(bench.write(LIST), openalex_api_key="a-wrong-key")
    assert any("OPENALEX_API_KEY" in problem for problem in run.problems)
    assert run.resolved == len(PAPERS)


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
