"""A refresh with a mirror of OpenAlex: the same rows as the service makes, without a request to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.refresh.plan import plan_refresh
from flows.refresh.reading import read_and_parse
from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.test_citation_graph import KNOWN, LIST
from warehouse.mirrors import MirrorFolder
from warehouse.mirrors.importing import Dump, import_dump

pytestmark = pytest.mark.slow

# Tables that OpenAlex's answers fill -> columns that tell when and from which reply a row came.
TABLES = ("openalex_works", "paper_references", "paper_authors", "paper_citations", "outside_works", "citing_harvests")
WHEN = {"asked_at", "found_at", "refreshed_at", "observed_at", "first_seen_at", "reply_sha256", "fetched_at"}


def works_told(bench: Bench) -> list[dict[str, Any]]:
    """Returns the works in all replies of OpenAlex that a lake has stored, each as fully as it was told."""
    works: dict[str, dict[str, Any]] = {}
    for row in bench.rows("SELECT body FROM replies WHERE source = 'openalex' AND status = 200"):
        for work in json.loads(row["body"])["results"]:
            works[work["id"]] = {**work, **works.get(work["id"], {})}
    return list(works.values())


def told(bench: Bench) -> dict[str, list[str]]:
    rows = {name: bench.rows(f"FROM {name}") for name in TABLES}
    rows["citation_counts"] = bench.rows("FROM citation_counts WHERE source = 'openalex'")
    return {
        name: sorted(repr({key: value for key, value in row.items() if key not in WHEN}) for row in each)
        for name, each in rows.items()
    }


@pytest.fixture
def asked(bench: Bench, standins: StandIns) -> Bench:
    """A lake for which OpenAlex itself was asked."""
    standins.add(KNOWN)
    bench.env = standins.env(openalex=True)
    bench.refresh(bench.write(LIST))
    return bench


@pytest.fixture
def mirrored(asked: Bench, tmp_path: Path, empty_lake) -> Bench:
    """Another lake, with a mirror of the same works."""
    folder = tmp_path / "mirrored"
    empty_lake(folder / "lake")
    dump = folder / "works.jsonl"
    dump.write_text("".join(json.dumps(work) + "\n" for work in works_told(asked)))
    import_dump(MirrorFolder(folder / "lake" / "mirror" / "openalex"), Dump(source="openalex", files=(dump,)))
    return Bench(folder, asked.env)


def test_a_mirror_tells_what_the_service_tells_without_a_request(asked: Bench, mirrored: Bench, standins: StandIns):
    assert all(told(asked).values()), "else nothing is compared"
    standins.clear_log()
    summary = mirrored.refresh(mirrored.write(LIST), openalex=False)
    assert (summary.resolved, summary.requests["openalex"]) == (10, 0)
    assert standins.requests("openalex") == []
    assert told(mirrored) == told(asked)
    before = mirrored.contents()
    mirrored.refresh(mirrored.write(LIST), openalex=False)
    assert mirrored.contents() == before


def test_offline_a_mirror_finds_the_papers_and_their_citations(asked: Bench, mirrored: Bench, standins: StandIns):
    standins.clear_log()
    list_file = mirrored.write(LIST)
    settings = mirrored.settings(offline=True)
    plan = plan_refresh(read_and_parse([list_file], settings.place), settings)
    assert sum(span.most for span in plan.requests.values()) == 0
    summary = mirrored.refresh(list_file, offline=True)
    assert (summary.resolved, summary.failed) == (10, 0)
    assert [standins.requests(name) for name in ("arxiv", "s2", "openalex")] == [[], [], []]
    assert told(mirrored)["citation_counts"] != []
    assert len(told(mirrored)["paper_citations"]) == len(told(asked)["paper_citations"])
