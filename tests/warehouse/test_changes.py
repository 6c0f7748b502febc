"""What changed since an instant, told from a lake that two or more refreshes made."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows.prefect.flow import _publish
from standins import StandIns
from standins.catalogue.dumps import s2_row
from standins.catalogue.papers import paper_from
from standins.trials.bench import Bench
from warehouse.mirrors import MirrorFolder
from warehouse.mirrors.importing import Dump, import_dump
from warehouse.query.changes import Jump, changes_since

pytestmark = pytest.mark.slow

RCNN = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"
MIXED = "- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)\n"


def _since(bench: Bench, when: datetime, **jump) -> dict[str, list[dict]]:
    return {kind: rows.to_pylist() for kind, rows in changes_since(bench.place, when, jump=Jump(**jump)).items()}


IDS = ("1504.08083", "1710.03740", "1409.4842", "1311.2524", "1506.01497", "1506.02640")
COUNTS = {
    "ten more": (100, 110),
    "nine more of a hundred": (100, 109),
    "half as many again": (4, 6),
    "a quarter more": (4, 5),
    "the first": (0, 1),
    "fewer": (20, 10),
}
"""Two counts of a paper, one after the other."""


@pytest.fixture(scope="module")
def counted(_small_process: StandIns, _lake_without_rows: Path, tmp_path_factory) -> tuple[Bench, datetime]:
    """A lake with the papers of `COUNTS`, and an instant between their counts."""
    _small_process.reset()
    shutil.copytree(_lake_without_rows, (folder := tmp_path_factory.mktemp("counted")) / "lake")
    bench = Bench(folder, _small_process.env())
    path = bench.write("".join(f"- https://arxiv.org/abs/{arxiv_id}\n" for arxiv_id in IDS))
    between = None
    for turn in range(2):
        between = datetime.now(UTC)
        counts = zip(IDS, COUNTS.values(), strict=True)
        _small_process.set_counts({arxiv_id: {"citation_count": pair[turn]} for arxiv_id, pair in counts})
        bench.refresh(path, max_age=timedelta(0), force=True)
    return bench, between


@pytest.mark.parametrize(
    ("jump", "jumped"),
    [
        ({}, {"ten more"}),
        ({"citations": 1, "share": 0.25}, {"half as many again", "a quarter more", "the first"}),
    ],
)
def test_counts_that_jumped(counted: tuple[Bench, datetime], jump: dict, jumped: set[str]):
    bench, between = counted
    rows = {(row["before"], row["after"], row["gained"]) for row in _since(bench, between, **jump)["jumped"]}
    assert rows == {(before, after, after - before) for before, after in map(COUNTS.__getitem__, jumped)}


def test_a_recount_by_the_source_is_no_jump(bench: Bench, standins: StandIns):
    path = bench.write(RCNN)
    standins.set_counts({"1504.08083": {"citation_count": 1_000}})
    bench.refresh(path)
    between = datetime.now(UTC)
    standins.set_counts({"1504.08083": {"citation_count": 3_000}})
    bench.refresh(path, max_age=timedelta(0), force=True)
    assert _since(bench, between)["jumped"] == []
    standins.set_counts({"1504.08083": {"citation_count": 3_300}})
    bench.refresh(path, max_age=timedelta(0), force=True)
    (jumped,) = _since(bench, between)["jumped"]
    assert (jumped["before"], jumped["after"], jumped["recounted"], jumped["gained"]) == (1_000, 3_300, 2_000, 300)


def _mirror(bench: Bench, count: int, as_of: datetime) -> None:
    facts = {"title": "Fast R-CNN", "arxiv_id": "1504.08083", "authors": ["Ross Girshick"], "year": 2015}
    row = s2_row(paper_from({**facts, "s2_paper_id": "a" * 40})) | {"citationcount": count}
    shard = bench.folder / "shard.jsonl"
    shard.write_text(json.dumps(row) + "\n", encoding="utf-8")
    dump = Dump(source="s2-papers", files=(shard,), told_at=as_of)
    import_dump(MirrorFolder(bench.place.folder / "mirror" / "s2-papers"), dump)


@pytest.mark.nightly
def test_a_count_of_a_mirror_that_jumped_is_told_although_it_is_dated_before_the_run(bench: Bench, monkeypatch):
    events: list[list[str]] = []
    monkeypatch.setattr("flows.prefect.flow.emit_event", lambda *_, payload, **__: events.append(payload["papers"]))
    monkeypatch.setattr("flows.prefect.flow.create_markdown_artifact", lambda *_, **__: None)
    monkeypatch.setattr("flows.prefect.flow.create_table_artifact", lambda *_, **__: None)
    now = datetime.now(UTC)
    path = bench.write(RCNN)
    _mirror(bench, 100, now - timedelta(days=30))
    assert bench.refresh(path, offline=True).news
    between = datetime.now(UTC)
    _mirror(bench, 160, now - timedelta(days=1))
    summary = bench.refresh(path, offline=True)
    assert (summary.news, summary.counts_written, summary.requests["s2"]) == (True, 1, 0)
    _publish(summary, bench.settings())
    assert events == [["Fast R-CNN: 100 -> 160"]]
    (jumped,) = _since(bench, between)["jumped"]
    assert (jumped["before"], jumped["after"], jumped["gained"]) == (100, 160, 60)
    assert _since(bench, datetime.now(UTC))["jumped"] == []
    assert not bench.refresh(path, offline=True).news


@pytest.mark.nightly
def test_a_paper_that_is_new_has_not_jumped_where_its_mirror_told_less_than_its_service(
    bench: Bench, standins: StandIns
):
    path = bench.write(RCNN)
    between = datetime.now(UTC)
    standins.set_counts({"1504.08083": {"citation_count": 300}})
    _mirror(bench, 100, between - timedelta(days=300))
    bench.refresh(path)
    assert [row["citation_count"] for row in bench.rows("FROM citation_counts ORDER BY observed_at")] == [100, 300]
    assert _since(bench, between)["jumped"] == []


@pytest.mark.nightly
def test_a_record_that_was_merged_is_told_with_both_its_identifiers(bench: Bench, standins: StandIns):
    path = bench.write(RCNN)
    bench.refresh(path)
    (old,) = [row["s2_paper_id"] for row in bench.rows("FROM papers")]
    between = datetime.now(UTC)
    facts = {"title": "Fast R-CNN", "arxiv_id": "1504.08083", "authors": ["Ross Girshick"], "year": 2015}
    standins.add([{**facts, "s2_paper_id": "f" * 40}])
    bench.refresh(path, max_age=timedelta(0), force=True)
    (new,) = [row["s2_paper_id"] for row in bench.rows("FROM papers")]
    assert new != old
    (merged,) = _since(bench, between)["merged"]
    assert (merged["s2_paper_id_before"], merged["s2_paper_id"]) == (old, new)


def test_a_paper_that_was_withdrawn_since(bench: Bench, standins: StandIns):
    path = bench.write(RCNN + MIXED)
    bench.refresh(path)
    between = datetime.now(UTC)
    facts = {"title": "Fast R-CNN", "arxiv_id": "1504.08083", "authors": ["Ross Girshick"], "year": 2015}
    standins.add([{**facts, "comment": "This paper has been withdrawn by the author"}])
    bench.refresh(path, metadata_max_age=timedelta(0), force=True)
    assert [row["arxiv_id"] for row in _since(bench, between)["withdrawn"]] == ["1504.08083"]
    assert not _since(bench, datetime.now(UTC))["withdrawn"]
