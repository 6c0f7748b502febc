"""Refreshes that learn of published versions from arXiv and from a mirror of DBLP."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from flows.prefect import flow
from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.test_dblp import mirror_of, record
from warehouse.mirrors import shapes
from warehouse.query.changes import Jump, changes_since

RCNN = {"title": "Fast R-CNN", "arxiv_id": "1504.08083", "authors": ["Ross Girshick"], "year": 2015}
MIXED = "Mixed Precision Training"
PEOPLE = (
    *("Sharan Narang", "Gregory Diamos", "Erich Elsen", "Paulius Micikevicius", "Jonah Alben", "David Garcia"),
    *("Boris Ginsburg", "Michael Houston", "Oleksii Kuchaiev", "Ganesh Venkatesh", "Hao Wu"),
)
LIST = (
    "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)\n"
)


def versions(bench: Bench) -> list[tuple]:
    rows = bench.rows(
        "SELECT p.title, v.source, v.record, v.kind, v.venue, v.year, v.gone_at IS NULL AS stands"
        " FROM published_versions v JOIN papers p USING (paper_id) ORDER BY ALL"
    )
    return [tuple(row.values()) for row in rows]


@pytest.mark.slow
def test_versions_of_both_sources_are_told_once_and_each_for_itself(bench: Bench, standins: StandIns, monkeypatch):
    path = bench.write(LIST)
    bench.refresh(path)
    since = datetime.now(UTC)
    mirror_of(
        bench,
        record("conf/iclr/NarangD18", MIXED, PEOPLE, 2018, venue="ICLR"),
        record("journals/x/NarangD20", MIXED, PEOPLE, 2020, venue="J. Precis."),
        record("conf/y/Other18", MIXED, ("Cy Ode", "Di Pa"), 2018, venue="OTHER"),
    )
    standins.add([{**RCNN, "journal_ref": "ICCV 2015"}])
    events = []
    monkeypatch.setattr(flow, "emit_event", lambda name, payload, **_: events.append((name, payload["papers"])))
    monkeypatch.setattr(flow, "create_markdown_artifact", lambda text, **_: events.append(text))
    monkeypatch.setattr(flow, "create_table_artifact", lambda *_, **__: None)
    flow._publish(bench.refresh(path, metadata_max_age=timedelta(0)), bench.settings())
    assert ("paperlake.papers.published", [f"{MIXED}: ICLR 2018", f"{MIXED}: J. Precis. 2020"]) in events
    assert "## Preprints with a published version: 2" in events[0]
    expected = [
        ("Fast R-CNN", "arxiv", "1504.08083", "conference", "ICCV 2015", 2015, True),
        (MIXED, "dblp", "conf/iclr/NarangD18", "conference", "ICLR", 2018, True),
        (MIXED, "dblp", "journals/x/NarangD20", "journal", "J. Precis.", 2020, True),
    ]
    assert versions(bench) == expected
    told = changes_since(bench.place, since, jump=Jump())["published"].to_pylist()
    # Of Fast R-CNN the DOI was known from the start.
    assert [row["published_as"] for row in told] == ["ICLR 2018", "J. Precis. 2020"]
    catalog = {row["title"]: row["published_as"] for row in bench.rows("FROM catalog")}
    assert catalog == {"Fast R-CNN": ["ICCV 2015"], MIXED: ["ICLR 2018", "J. Precis. 2020"]}
    before = bench.contents()
    bench.refresh(path)
    assert bench.contents() == before
    assert not changes_since(bench.place, datetime.now(UTC), jump=Jump())["published"].num_rows


@pytest.mark.nightly
@pytest.mark.parametrize("whole", [True, False])
def test_a_version_that_a_whole_release_of_dblp_lacks_is_marked_as_gone(bench: Bench, monkeypatch, whole):
    monkeypatch.setitem(shapes.SHAPES, "dblp", replace(shapes.DBLP, fewest=0))
    path = bench.write(LIST.splitlines()[1])
    bench.refresh(path)
    mirror_of(bench, record("conf/iclr/NarangD18", MIXED, PEOPLE, 2018, venue="ICLR"))
    bench.refresh(path, offline=True)
    assert [row[-1] for row in versions(bench)] == [True]
    mirror_of(bench, record("conf/y/Other18", "Another Work"), whole=whole, told_at=datetime.now(UTC))
    bench.refresh(path, offline=True)
    assert [row[-1] for row in versions(bench)] == [not whole], "a part that lacks the record says nothing of it"


@pytest.mark.slow
def test_a_version_that_its_source_no_longer_tells_is_marked_as_gone(bench: Bench, standins: StandIns):
    path = bench.write(LIST.splitlines()[1])
    facts = {"title": MIXED, "arxiv_id": "1710.03740", "authors": list(PEOPLE), "year": 2017}
    standins.add([{**facts, "journal_ref": "ICLR 2018"}])
    bench.refresh(path)
    assert [row[3:] for row in versions(bench)] == [("conference", "ICLR 2018", 2018, True)]
    assert not changes_since(bench.place, datetime(2020, 1, 1, tzinfo=UTC), jump=Jump())["published"].num_rows
    standins.add([{**facts, "journal_ref": "Submitted to ICLR 2018"}])
    bench.refresh(path, metadata_max_age=timedelta(0))
    assert [row[-1] for row in versions(bench)] == [False]
    assert [row["published_as"] for row in bench.rows("FROM catalog")] == [None]
