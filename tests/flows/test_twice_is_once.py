"""The same lists and services give the same catalogue: in any order, in batches of any size, however often."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sources.bibliography.identifiers import ArxivId
from sources.services.registry import SOURCES
from standins import StandIns
from standins.trials.bench import Bench

pytestmark = pytest.mark.slow

OWN = Path(__file__).parents[1] / "lists"
NAMES = ("learning-nicknames", "combinatorics-bare")
CATALOGUE = """
    SELECT l.location, m.line, m.title, m.status, m.method, m.reason, m.score,
        coalesce(p.arxiv_id, p.doi, p.s2_paper_id, p.title) AS paper,
        (SELECT list([source, c.title, c.year::VARCHAR, c.arxiv_id, c.doi, c.s2_paper_id, c.score::VARCHAR,
                      reasons::VARCHAR] ORDER BY rank)
         FROM candidates c WHERE c.mention_id = m.mention_id) AS candidates
    FROM mentions m JOIN reading_lists l USING (list_id) LEFT JOIN papers p USING (paper_id) ORDER BY ALL
"""


@contextmanager
def _batches(ids: int, titles: int) -> Iterator[None]:
    """Lets a request have that many identifiers or titles at most."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("arxiv", "s2"):
            rules = replace(SOURCES[name].rules, most_ids=ids, most_titles=titles)
            patch.setitem(SOURCES, name, replace(SOURCES[name], rules=rules))
        yield


def _settled(bench: Bench, lists: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the catalogue once no title is left for the next run, of which each asks for a few hundred one by one."""
    left, failed = None, bench.refresh(*lists).failed
    while failed and failed != left:
        left, failed = failed, bench.refresh(*lists).failed
    return bench.rows(CATALOGUE)


@pytest.fixture
def own_lists(standins: StandIns) -> list[str]:
    facts = [json.loads(line) for line in (OWN / "world.jsonl").read_text(encoding="utf-8").splitlines()]
    standins.add([one | {"arxiv_id": ArxivId.parse(one["arxiv_id"]).base} for one in facts[::2]])
    return [str(OWN / f"{name}.md") for name in NAMES]


def test_order_and_size_of_batches_and_a_second_run_change_no_row(
    tmp_path: Path, standins: StandIns, own_lists: list[str]
):
    benches = [Bench(tmp_path / name, standins.env()) for name in ("once", "turned", "shuffled")]
    for bench in benches:
        bench.folder.mkdir()
    once = _settled(benches[0], own_lists)
    assert {row["status"] for row in once} == {"resolved", "ambiguous", "not_found"}
    benches[0].refresh(*own_lists)
    assert benches[0].rows(CATALOGUE) == once
    with _batches(ids=7, titles=3):
        assert _settled(benches[1], own_lists[::-1]) == once
    with _batches(ids=60, titles=17):
        assert _settled(benches[2], [*own_lists[1::2], *own_lists[::2]]) == once


def test_a_hit_for_another_title_of_the_request_is_no_candidate(bench: Bench, standins: StandIns):
    neighbour = "Fast Paxos for Consensus Algorithms"
    standins.add([{"title": neighbour, "authors": ["Leslie Lamport"], "year": 2006, "doi": "10.1234/fast"}])
    bench.refresh(bench.write(f"- Disk Paxos for Consensus Algorithms (2003)\n- {neighbour} (2006)\n"))
    rows = bench.rows(
        "SELECT m.title, status, c.title AS found FROM mentions m LEFT JOIN candidates c USING (mention_id)"
    )
    assert sorted((row["title"][:4], row["status"], row["found"]) for row in rows) == [
        ("Disk", "not_found", None),
        ("Fast", "resolved", neighbour),
    ]


def test_a_link_beside_another_paper_s_title_stays_in_doubt_in_the_next_run(bench: Bench):
    link = "https://arxiv.org/abs/1504.08083"
    path = bench.write(f"- [Mixed Precision Training]({link})\n- [Fast R-CNN]({link})\n")
    bench.refresh(path)
    before = bench.rows(CATALOGUE)
    assert [row["status"] for row in before] == ["ambiguous", "resolved"]
    bench.refresh(path)
    assert bench.rows(CATALOGUE) == before


@pytest.mark.nightly
def test_a_title_of_two_papers_is_in_doubt_whether_a_link_to_one_of_them_came_before_or_beside_it(
    tmp_path: Path, standins: StandIns
):
    facts = {"title": "Sparse Gated Retrieval for Protein Markets", "year": 2023}
    standins.add([facts | {"arxiv_id": f"2301.0000{n}", "authors": [f"Ada Writer{n}"]} for n in (1, 2)])
    for name in ("beside", "before"):
        bench = Bench(tmp_path / name, standins.env())
        bench.folder.mkdir()
        linked = bench.write(f"- [{facts['title']}](https://arxiv.org/abs/2301.00001)\n", "a.md")
        titled = bench.write(f"- {facts['title']}\n", "b.md")
        for lists in ((linked, titled),) if name == "beside" else ((linked,), (titled,)):
            bench.refresh(*lists)
        bench.refresh()
        statuses = {Path(row["location"]).name: row["status"] for row in bench.rows(CATALOGUE)}
        assert statuses == {"a.md": "resolved", "b.md": "ambiguous"}, name
